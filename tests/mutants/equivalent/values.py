"""Mutants of versions, ranges and predicates that make no difference."""

from __future__ import annotations

from typing import Final

from tests.mutants.equivalence import Equivalent, alike

__all__ = ["EQUIVALENT"]

EQUIVALENT: Final[tuple[Equivalent, ...]] = (
    *alike(
        "olmsolve.predicates.constraint",
        "which ranges are remembered is a matter of memory",
        ("return _remembered_range(text) if len(text) <= 256 else BlangRange.parse(text)", "256 -> 257"),
        (
            "return _remembered_range(text) if len(text) <= 256 else BlangRange.parse(text)",
            "len(text) <= 256 -> len(text) < 256",
        ),
    ),
    *alike(
        "olmsolve.predicates.constraint",
        "a guard of the stack with room to spare: what is deeper than allowed is refused below, too",
        ("if deepest > 3 * max_depth + 2:", "3 -> 4"),
        ("if deepest > 3 * max_depth + 2:", "2 -> 3"),
        ("if deepest > 3 * max_depth + 2:", "deepest > 3 * max_depth + 2 -> deepest >= 3 * max_depth + 2"),
    ),
    *alike(
        "olmsolve.predicates.constraint",
        "the depth here is a guard with room to spare",
        ("pending: list[tuple[Any, int]] = [(value, 1)]", "1 -> 2"),
    ),
    *alike(
        "olmsolve.predicates.constraint",
        "a guard with room to spare: what is deeper than allowed is refused below, too",
        ("if depth > 3 * max_depth + 3:", "3 -> 4"),
        ("if depth > 3 * max_depth + 3:", "depth > 3 * max_depth + 3 -> depth >= 3 * max_depth + 3"),
    ),
    *alike(
        "olmsolve.predicates.normal",
        "a short cut for leaves, which the rest of the function answers alike",
        (
            "if not isinstance(predicate, _COMPOUND):",
            "if not isinstance(predicate, _COMPOUND) -> if False",
            "semantics_differ",
        ),
    ),
    *alike(
        "olmsolve.predicates.published_facts",
        "a strict version is read once more, with the same result",
        ("if parsed is not None and text == own:", "parsed is not None -> parsed is None"),
        ("if parsed is not None and text == own:", "if parsed is not None and text == own -> if False"),
    ),
    *alike(
        "olmsolve.predicates.properties",
        "equal texts have equal values; comparing texts spares decoding",
        (
            "if type(mine) is bytes and type(its) is bytes and mine == its:",
            "if type(mine) is bytes and type(its) is bytes and (mine == its) -> if False",
        ),
    ),
    *alike(
        "olmsolve.semver.intervals",
        "one set is merged to itself",
        ("if len(sets) == 1:", "if len(sets) == 1 -> if False"),
    ),
    *alike(
        "olmsolve.semver.intervals",
        "a hole that begins where the set ends cuts nothing off, nor does any hole after it",
        ("if hole_start >= end:", "hole_start >= end -> hole_start > end"),
    ),
    *alike(
        "olmsolve.semver.blang",
        "without a comparison the short cut is left for the long way, which gives the same",
        (
            "groups[-1].append((comparator.rstrip(), Version.parse(version).key))",
            "groups[-1].append((comparator.rstrip(), Version.parse(version).key)) left out",
        ),
    ),
    *alike(
        "olmsolve.semver.quoting",
        "U+10000 can be printed, so it never comes here",
        ('return f"\\\\u{code:04x}" if code < 0x10000 else f"\\\\U{code:08x}"', "code < 65536 -> code <= 65536"),
        ('return f"\\\\u{code:04x}" if code < 0x10000 else f"\\\\U{code:08x}"', "65536 -> 65537"),
    ),
    *alike(
        "olmsolve.semver.version",
        "21 digits are above the greatest number; the length spares reading thousands of them",
        ("if len(identifier) > 20 or int(identifier) > MAX_NUMBER:", "20 -> 21"),
        ("if len(identifier) > 20 or int(identifier) > MAX_NUMBER:", "len(identifier) > 20 -> len(identifier) >= 20"),
    ),
    *alike(
        "olmsolve.semver.masterminds",
        "it follows from the text, which is compared",
        ("exceptions: tuple[Exceptional, ...] = attrs.field(eq=False, repr=False)", "False -> True"),
        ("warnings: tuple[str, ...] = attrs.field(eq=False, repr=False)", "False -> True"),
    ),
    *alike(
        "olmsolve.semver.masterminds",
        "the caller drops both",
        ("return ()", "return () -> return None"),
    ),
    *alike(
        "olmsolve.semver.masterminds",
        "it follows from the text, which is compared",
        ("releases: Cuts = attrs.field(eq=False, repr=False)", "False -> True"),
        ("prereleases: Cuts = attrs.field(eq=False, repr=False)", "False -> True"),
    ),
    *alike(
        "olmsolve.semver.version",
        "a version with a number of 20 digits has at least 24 characters; the length spares comparing numbers",
        ("if len(text) > 20 and max(major, minor, patch) > MAX_NUMBER:", "20 -> 21"),
        ("if len(text) > 20 and max(major, minor, patch) > MAX_NUMBER:", "len(text) > 20 -> len(text) >= 20"),
    ),
    *alike(
        "olmsolve.predicates.constraint",
        "a guard of the stack with room to spare: what is deeper than allowed is refused below, too",
        ("depth = deepest = 0", "0 -> 1"),
    ),
    *alike(
        "olmsolve.predicates.constraint",
        "where no name is given twice, the look at each finds none",
        ("if len(result) < len(pairs):", "len(result) < len(pairs) -> len(result) <= len(pairs)"),
    ),
    *alike(
        "olmsolve.predicates.field_names",
        "a short cut: where all names are written as documented, the rest of the function gives the same fields",
        (
            "if key not in names and isinstance(key, str) and folded(key) in by_form:",
            "key not in names and isinstance(key, str) and (folded(key) in by_form) -> key not in names or isinstance(key, str) or folded(key) in by_form",
        ),
    ),
    *alike(
        "olmsolve.predicates.json_values",
        "from how many values on the fast codec is loaded, which writes the same text",
        ("if next(_uses) <= _FEW and _has_one_text(value):", "next(_uses) <= _FEW -> next(_uses) < _FEW"),
        ("if next(_uses) <= _FEW:", "next(_uses) <= _FEW -> next(_uses) < _FEW"),
    ),
    *alike(
        "olmsolve.predicates.properties",
        "a limit with room to spare: the values of real catalogs have some hundreds of parts",
        ("MOST_PARTS: Final = 1_000_000", "1000000 -> 1000001"),
    ),
)
