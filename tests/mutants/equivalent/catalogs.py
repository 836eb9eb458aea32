"""Mutants of update graph and index that make no difference."""

from __future__ import annotations

from typing import Final

from tests.mutants.equivalence import Equivalent, alike

__all__ = ["EQUIVALENT"]

EQUIVALENT: Final[tuple[Equivalent, ...]] = (
    *alike(
        "olmsolve.catalog.update_graph.edges",
        "the entries come by rank, so all further ones are above the limit as well",
        ("break", "break -> continue"),
    ),
    *alike(
        "olmsolve.catalog.index.intervals",
        "a short cut for two fields in their usual order",
        (
            "if starts[fields + 1] - begin == 4 and items[begin] == package_field and items[begin + 2] == range_field:",
            "fields + 1 -> fields - 1",
        ),
        (
            "if starts[fields + 1] - begin == 4 and items[begin] == package_field and items[begin + 2] == range_field:",
            "4 -> 5",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.intervals",
        "a short cut for one span",
        ("if len(spans) == 1:", "if len(spans) == 1 -> if False"),
    ),
    *alike(
        "olmsolve.catalog.index.stored",
        "a file is read as it is written; others are refused as those of another version",
        ("_VERSION_BYTES: Final = 32", "32 -> 33"),
    ),
    *alike(
        "olmsolve.catalog.update_graph.lane_layout",
        "one arrow more is made before too many are refused",
        ("arrows = tuple(islice(_arrows(entry, versioned), most + 1))", "1 -> 2"),
    ),
    *alike(
        "olmsolve.catalog.index.candidates",
        "a limit of memory: what is forgotten is worked out anew",
        ("self._spans.clear()", "self._spans.clear() left out"),
    ),
    *alike(
        "olmsolve.catalog.index.visible",
        "it is looked up when it is needed; warming saves time then",
        ("self.candidates(predicate, position)", "self.candidates(predicate, position) left out"),
    ),
    *alike(
        "olmsolve.catalog.index.packing",
        "the rank of a slot in a package where some slot has none: nobody looks at it",
        (
            "pairs = sorted(zip(own, slots, strict=True)) if is_ranked else [(0, slot) for slot in slots]",
            "0 -> 1",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.bundle_columns",
        "a requirement that is written in two ways takes two rows, which say the same",
        (
            "number = of_kind.setdefault(held if held is not None and held == text else text, added)",
            "held is not None and held == text -> held is not None or held == text",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.catalog_index",
        "what is not warmed is worked out when it is asked for",
        (
            "if bundle == NONE or isinstance(requires, Fault):",
            "bundle == NONE or isinstance(requires, Fault) -> bundle == NONE and isinstance(requires, Fault)",
        ),
        ("for need in self.needs(slot) or ():", "self.needs(slot) or () -> self.needs(slot) and ()"),
        ("self._names.setdefault(name, number)", "self._names.setdefault(name, number) left out"),
    ),
    *alike(
        "olmsolve.catalog.index.candidates",
        "a limit of memory: what is forgotten is worked out anew",
        ("if len(self._spans) >= MOST_REMEMBERED:", "if len(self._spans) >= MOST_REMEMBERED -> if False"),
    ),
    *alike(
        "olmsolve.catalog.index.facts",
        "the groups behind the first are APIs, whose numbers are above those of names",
        ("packages = tuple((self._name(group), version) for group in groups[:1] if group < names)", "1 -> 2"),
    ),
    *alike(
        "olmsolve.catalog.index.intervals",
        "a short cut for two fields in their usual order",
        (
            "if starts[fields + 1] - begin == 4 and items[begin] == package_field and items[begin + 2] == range_field:",
            "starts[fields + 1] - begin -> starts[fields + 1] + begin",
        ),
        (
            "if starts[fields + 1] - begin == 4 and items[begin] == package_field and items[begin + 2] == range_field:",
            "if starts[fields + 1] - begin == 4 and items[begin] == package_field and (items[... -> if False",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.bundle_columns",
        "a list of what was looked up keeps it alive, which is a matter of memory once the rest is forgotten",
        ("self._looked_up.clear()", "self._looked_up.clear() left out"),
    ),
)
