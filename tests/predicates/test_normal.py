"""Laws of the negation normal form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve.predicates import (
    AllOf,
    AnyOf,
    Conjunction,
    Disjunction,
    HasLabel,
    Negative,
    NoneOf,
    NormalForm,
    Positive,
    Predicate,
    Property,
    Published,
    normalise,
    published,
    semantics_differ,
)

A, B, C = (HasLabel(name) for name in "abc")

leaves = st.sampled_from([A, B, C])


def compounds(inner: st.SearchStrategy[Predicate]) -> st.SearchStrategy[Predicate]:
    parts = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.builds(AllOf, parts) | st.builds(AnyOf, parts) | st.builds(NoneOf, parts)


predicates: st.SearchStrategy[Predicate] = st.recursive(leaves, compounds, max_leaves=8)
bundles = st.sets(st.sampled_from("abc")).map(
    lambda labels: published("p", [Property("olm.label", {"label": label}) for label in sorted(labels)])
)


def holds(form: NormalForm, selected: list[Published]) -> bool:
    """The documented meaning on a set of selected bundles."""
    match form:
        case Positive():
            return any(form.predicate.test(one) for one in selected)
        case Negative():
            return not any(form.predicate.test(one) for one in selected)
        case Conjunction():
            return all(holds(part, selected) for part in form.parts)
        case Disjunction():
            return any(holds(part, selected) for part in form.parts)


@pytest.mark.parametrize(
    ("predicate", "form"),
    [
        (A, Positive(A)),
        (NoneOf((A,)), Negative(A)),
        (NoneOf((A, B)), Conjunction((Negative(A), Negative(B)))),
        (NoneOf((AllOf((A, B)),)), Disjunction((Negative(A), Negative(B)))),
        (NoneOf((NoneOf((A, B)), C)), Conjunction((Disjunction((Positive(A), Positive(B))), Negative(C)))),
        (NoneOf((NoneOf((A,)),)), Positive(A)),
        (AllOf((AnyOf((A,)), AllOf((B, C)))), Conjunction((Positive(A), Positive(B), Positive(C)))),
        (AnyOf((AllOf((AnyOf((A, B)),)), C)), Disjunction((Positive(A), Positive(B), Positive(C)))),
    ],
    ids=str,
)
def test_examples(predicate: Predicate, form: NormalForm) -> None:
    """Negations at the leaves, equal connectives flattened in place, single parts replaced."""
    assert normalise(predicate) == form


@given(predicates)
def test_connectives_alternate_and_have_two_parts(predicate: Predicate) -> None:
    """The shape that resolution relies on when it decides which part joins its queue."""

    def check(form: NormalForm) -> None:
        if isinstance(form, Conjunction | Disjunction):
            assert len(form.parts) >= 2
            for part in form.parts:
                assert type(part) is not type(form)
                check(part)
        else:
            assert isinstance(form.predicate, HasLabel)

    check(normalise(predicate))


@given(predicates, bundles)
def test_on_a_single_bundle_both_meanings_agree(predicate: Predicate, bundle: Published) -> None:
    """A set of one bundle cannot tell the documented meaning from the shipped one."""
    assert holds(normalise(predicate), [bundle]) == predicate.test(bundle)


@given(predicates, st.lists(bundles, max_size=3))
def test_meanings_differ_only_where_said(predicate: Predicate, selected: list[Published]) -> None:
    """The shipped meaning: some selected bundle meets the whole tree."""
    shipped = any(predicate.test(bundle) for bundle in selected)
    if not semantics_differ(predicate):
        assert holds(normalise(predicate), selected) == shipped


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (A, False),
        (AnyOf((A, AnyOf((B, AllOf((C,)))))), False),
        (AllOf((A, B)), True),
        (NoneOf((A,)), True),
        (AnyOf((A, AllOf((B, C)))), True),
        (NoneOf((NoneOf((A, B)),)), False),
    ],
    ids=str,
)
def test_who_can_differ(predicate: Predicate, expected: bool) -> None:
    """The lint that names such bundles must neither miss nor cry wolf."""
    assert semantics_differ(predicate) is expected
