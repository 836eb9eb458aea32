"""Hypothesis strategies for small problems of every constraint kind, rich in conflicts."""

from __future__ import annotations

import functools

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


# Hypothesis validates each strategy when it is made, which takes longer than drawing from it: each is made once.
@functools.cache
def names(*, min_size: int = 0, max_size: int = 4) -> st.SearchStrategy[tuple[str, ...]]:
    chosen = st.lists(st.sampled_from(NAMES), min_size=min_size, max_size=max_size, unique=True)
    return chosen.map(tuple)


def _branches(parts: list[Tree]) -> FirstOf:
    return FirstOf(tuple(Branch(part) for part in parts))


@functools.cache
def trees() -> st.SearchStrategy[Tree]:
    leaf: st.SearchStrategy[Tree] = st.one_of(
        st.builds(Choice, names(max_size=3)), st.builds(Exclusion, names(max_size=2).map(Listed))
    )

    def extend(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        parts = st.lists(inner, min_size=2, max_size=3)
        return st.one_of(st.builds(Every, parts.map(tuple)), st.builds(_branches, parts))

    return st.recursive(leaf, extend, max_leaves=6)


_ROLES = st.integers(0, 9)
_LIMITS = st.integers(0, 3)


class DenseVariables(Variables):
    """A problem in which dead ends are said to be likely, so that the deciding engine finds its cores."""

    dense = True


_KINDS = st.integers(0, 2)
_WISHES = st.lists(names(min_size=1, max_size=3), min_size=1, max_size=4)
_GROUPS = st.lists(st.sampled_from("XYZ"), max_size=2, unique=True)
_NEEDS = st.lists(names(max_size=3), max_size=2)


@st.composite
def problems(draw: st.DrawFn, *, formulas: bool = True) -> Variables:
    variables: dict[Identifier, list[Constraint]] = {}
    wishes = draw(_WISHES)
    for position, wish in enumerate(wishes):
        variables[f"root {position}"] = [Dependency(None, wish)]
    if draw(st.booleans()):
        variables["root limit"] = [AtMost(draw(_LIMITS), draw(names(min_size=2, max_size=5)))]
    for name in NAMES:
        own: list[Constraint] = []
        if draw(_ROLES) == 0:
            own.append(Prohibited(name))
        if draw(_ROLES) == 0:
            own.append(Mandatory(name))
        groups = draw(_GROUPS)
        if groups:
            own.append(Exclusive(name, tuple(groups)))
        own.extend(Incompatible(name, other) for other in draw(names(max_size=1)))
        own.extend(Dependency(name, wanted) for wanted in draw(_NEEDS) if wanted)
        if formulas and draw(_KINDS) == 0:
            own.append(Formula(name, draw(trees())))
        variables[name] = own
    return Variables(variables)
