"""Strategies for texts: versions, ranges in both grammars, and CEL rules that compile, with properties for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hypothesis import strategies as st

from olmsolve.semver import Version

_PRERELEASES: Final = ("0", "1", "a", "rc")
_BUILDS: Final = ("0", "a")
_BLANG: Final = ("", "=", "==", "!=", "!", ">", ">=", "<", "<=")
_MASTERMINDS: Final = ("", "=", "!=", ">", ">=", "<", "<=", "~", "^")


def versions(*, most: int = 9, prereleases: bool = True, builds: bool = False) -> st.SearchStrategy[Version]:
    """Draw versions whose numbers are at most *most*, a few with a pre-release or build metadata; shrinks to 0.0.0."""
    number = st.integers(0, most)
    nothing: st.SearchStrategy[tuple[str, ...]] = st.just(())
    parts = [
        nothing | st.lists(st.sampled_from(words), max_size=2).map(tuple) if wanted else nothing
        for words, wanted in ((_PRERELEASES, prereleases), (_BUILDS, builds))
    ]
    return st.builds(Version, number, number, number, *parts)


def blang_ranges(
    texts: Sequence[str] = (), *, terms: int = 2, alternatives: int = 2, wildcards: bool = True
) -> st.SearchStrategy[str]:
    """Draw ranges of classic OLM over the versions *texts* (by default over small ones); each of them parses.

    At most *alternatives* alternatives have at most *terms* terms each, some with a wildcard. Shrinks to one version.
    """
    bound = st.sampled_from(list(texts)) if texts else versions(most=3).map(str)
    term = st.tuples(st.sampled_from(_BLANG), bound).map("".join)
    if wildcards:
        term |= st.tuples(st.sampled_from(["", ">=", "<"]), st.integers(0, 3), st.sampled_from(["x", "1.x"])).map(
            lambda parts: f"{parts[0]}{parts[1]}.{parts[2]}"
        )
    group = st.lists(term, min_size=1, max_size=terms).map(" ".join)
    return st.lists(group, min_size=1, max_size=alternatives).map(" || ".join)


def masterminds_ranges(texts: Sequence[str] = (), *, wildcards: bool = True) -> st.SearchStrategy[str]:
    """Draw the ranges of OLM v1 extensions over the versions *texts*; *wildcards* is as in blang_ranges."""
    bound = st.sampled_from(list(texts)) if texts else versions(most=3).map(str)
    if wildcards:
        bound |= st.tuples(st.integers(0, 3), st.sampled_from(["", ".x", ".1", ".1.*"])).map(
            lambda parts: f"{parts[0]}{parts[1]}"
        )
    term = st.tuples(st.sampled_from(_MASTERMINDS), bound).map("".join)
    group = st.lists(term, min_size=1, max_size=2).map(", ".join)
    return st.lists(group, min_size=1, max_size=2).map(" || ".join)


TYPES: Final = ("certified", "olm.package", "k", "size")
FIELDS: Final = ("version", "packageName", "x")
TEXTS: Final = ("", "k", "foo", "1.2.3", "v1.0", "1.x", "bad", "é日")
NUMBERS: Final = (0, 1, 2, 3.0, 0.5, -7, 2**53 + 1)


def json_values() -> st.SearchStrategy[Any]:
    """Draw small JSON values from the few atoms that rules mention, so that rules match them now and then."""
    atoms = st.sampled_from([*TEXTS, *NUMBERS, True, False, None])
    return st.recursive(
        atoms,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=3),
        max_leaves=6,
    )


def property_lists(values: st.SearchStrategy[Any] | None = None) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Draw properties as a rule sees them."""
    one = st.fixed_dictionaries({"type": st.sampled_from(TYPES), "value": json_values() if values is None else values})
    return st.lists(one, max_size=5)


def _quoted(texts: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Draw one of *texts* as a string literal."""
    return st.sampled_from([f'"{text}"' for text in texts])


def _plain_predicates(variable: str) -> st.SearchStrategy[str]:
    """Draw predicates on text, which every implementation reads alike."""
    subject = st.sampled_from([f"{variable}.type", f"{variable}.value", f"{variable}.value.x"])
    equality = st.tuples(subject, st.sampled_from(["==", "!="]), _quoted(TYPES + TEXTS)).map(" ".join)
    presence = st.sampled_from(FIELDS).map(lambda name: f"has({variable}.value.{name})")
    text = st.tuples(st.sampled_from(["startsWith", "endsWith", "contains"]), _quoted(("k", "o", "", "1."))).map(
        lambda pair: f"{variable}.type.{pair[0]}({pair[1]})"
    )
    version = st.tuples(
        st.sampled_from([f"{variable}.value", f"{variable}.value.version"]),
        _quoted(("1.2.3", "v1", "0.0.0-0", "bad")),
        st.sampled_from(["<", "<=", "==", "!=", ">=", ">"]),
        st.sampled_from(["0", "1", "-1"]),
    ).map(lambda part: f"semver_compare({part[0]}, {part[1]}) {part[2]} {part[3]}")
    return _combined(equality | presence | text | version)


def _rich_predicates(variable: str) -> st.SearchStrategy[str]:
    """Draw predicates over all kinds of values, among them every shape that has a shortcut."""
    subject = st.sampled_from([f"{variable}.type", f"{variable}.value", f"{variable}.value.x", variable])
    constant = st.sampled_from(
        [
            '"k"',
            '"1.2.3"',
            '""',
            "1",
            "1u",
            "3.0",
            "true",
            "null",
            '["k", "foo"]',
            "[]",
            "{}",
            '{"x": 1.0}',
            "dyn([1, 'k'])",
        ]
    )
    constant = constant.map(lambda text: f"dyn({text})")
    relation = st.tuples(subject, st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "in"]), constant).map(" ".join)
    literal = st.tuples(
        st.sampled_from([f"{variable}.value", f"{variable}.value.x"]),
        st.sampled_from(["==", "!=", "<", ">="]),
        st.sampled_from(['"k"', "1", "3.0", "2u", '"1.2.3"']),
    ).map(" ".join)
    member = st.sampled_from([f"{variable}.type", f"{variable}.value"]).map(
        lambda text: f'{text} in ["k", "1.2.3", "certified"]'
    )
    other = st.sampled_from(
        [
            f"size({variable}.value) == 1",
            f"{variable}.value",
            f"{variable}.missing == 1",
            f'{variable}.type.matches("^[ko]")',
            f'{variable}.type.matches({variable}.value + "a*")',
            f"int({variable}.value) % 2 == 1",
            f"{variable}.value + 1.0 > 1.5",
            f"type({variable}.value) == string",
            f"string({variable}.value) == '1'",
            f"0 < semver_compare({variable}.value, '1.0.0')",
            f"semver_compare('1.0.0', {variable}.value) < 1",
            f"1 / size({variable}.type) == 0",
        ]
    )
    return _combined(_plain_predicates(variable) | relation | literal | member | other, conditional=True)


def _combined(atoms: st.SearchStrategy[str], conditional: bool = False) -> st.SearchStrategy[str]:
    """Draw atoms under ``!``, ``&&``, ``||`` and, if wanted, ``?:``."""

    def extended(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        pairs = st.tuples(inner, st.sampled_from(["&&", "||"]), inner)
        combined = inner.map(lambda text: f"!({text})") | pairs.map(lambda part: f"({' '.join(part)})")
        if conditional:
            combined |= st.tuples(inner, inner, inner).map(lambda p: f"(({p[0]}) ? ({p[1]}) : ({p[2]}))")
        return combined

    return st.recursive(atoms, extended, max_leaves=5)


def plain_rules() -> st.SearchStrategy[str]:
    """Draw rules on texts that olmsolve, cel-go and cel-python read alike, as far as cel-python answers at all."""
    macro = st.tuples(st.sampled_from(["exists", "all", "exists_one"]), _plain_predicates("p"))
    return _combined(macro.map(lambda pair: f"properties.{pair[0]}(p, {pair[1]})"))


def cel_rules() -> st.SearchStrategy[str]:
    """Draw rules with nested comprehensions and values of every kind, nearly all of which compile."""
    macros = st.sampled_from(["exists", "all", "exists_one"])
    typed = st.tuples(_quoted(TYPES), _rich_predicates("p")).map(lambda p: f"p.type == {p[0]} && {p[1]}")
    predicate = _rich_predicates("p") | typed
    nested = st.tuples(macros, _rich_predicates("q"), predicate).map(
        lambda part: f"properties.{part[0]}(q, {part[1]}) || {part[2]}"
    )
    simple = st.tuples(macros, predicate | nested).map(lambda pair: f"properties.{pair[0]}(p, {pair[1]})")
    counted = predicate.map(lambda text: f"size(properties.filter(p, {text})) > 1")
    mapped = predicate.map(lambda text: f"properties.map(p, {text}, p.value).exists(v, v == dyn('k'))")
    return _combined(simple | counted | mapped)
