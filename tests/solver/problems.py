"""Hypothesis strategies for small problems of every constraint kind, rich in conflicts."""

from __future__ import annotations

from hypothesis import strategies as st

from olmsolve.solver import (
    AtMost,
    Branch,
    Choice,
    Constraint,
    Dependency,
    Every,
    Exclusion,
    Exclusive,
    FirstOf,
    Formula,
    Identifier,
    Incompatible,
    Listed,
    Mandatory,
    Prohibited,
    Tree,
    Variables,
)

NAMES = tuple("abcdef")


def names(*, min_size: int = 0, max_size: int = 4) -> st.SearchStrategy[tuple[str, ...]]:
    chosen = st.lists(st.sampled_from(NAMES), min_size=min_size, max_size=max_size, unique=True)
    return chosen.map(tuple)


def _branches(parts: list[Tree]) -> FirstOf:
    return FirstOf(tuple(Branch(part) for part in parts))


def trees() -> st.SearchStrategy[Tree]:
    leaf: st.SearchStrategy[Tree] = st.one_of(
        st.builds(Choice, names(max_size=3)), st.builds(Exclusion, names(max_size=2).map(Listed))
    )

    def extend(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        parts = st.lists(inner, min_size=2, max_size=3)
        return st.one_of(st.builds(Every, parts.map(tuple)), st.builds(_branches, parts))

    return st.recursive(leaf, extend, max_leaves=6)


@st.composite
def problems(draw: st.DrawFn, *, formulas: bool = True) -> Variables:
    variables: dict[Identifier, list[Constraint]] = {}
    wishes = draw(st.lists(names(min_size=1, max_size=3), min_size=1, max_size=4))
    for position, wish in enumerate(wishes):
        variables[f"root {position}"] = [Dependency(None, wish)]
    if draw(st.booleans()):
        variables["root limit"] = [AtMost(draw(st.integers(0, 3)), draw(names(min_size=2, max_size=5)))]
    for name in NAMES:
        own: list[Constraint] = []
        if draw(st.integers(0, 9)) == 0:
            own.append(Prohibited(name))
        if draw(st.integers(0, 9)) == 0:
            own.append(Mandatory(name))
        groups = draw(st.lists(st.sampled_from("XYZ"), max_size=2, unique=True))
        if groups:
            own.append(Exclusive(name, tuple(groups)))
        own.extend(Incompatible(name, other) for other in draw(names(max_size=1)))
        own.extend(Dependency(name, wanted) for wanted in draw(st.lists(names(max_size=3), max_size=2)) if wanted)
        if formulas and draw(st.integers(0, 2)) == 0:
            own.append(Formula(name, draw(trees())))
        variables[name] = own
    return Variables(variables)
