"""What observers and failures carry: each cause as the reason that a person would give, and no more than they mean."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from typing import Any

import attrs
import pytest

from olmsolve import Observer, Resolver, Source, Unsatisfiable, is_satisfiable, resolve
from olmsolve.catalog.index import Group
from olmsolve.classic import ClassicProblem, OnePerAPI, OnePerPackage, Semantics, reason_against, reason_for
from olmsolve.events import CandidatePassedOver
from olmsolve.solver import Branch, Choice, Constraint, Dependency, Needs, Prohibited, SharedGroup
from olmsolve.testing import catalog_of, package, request_for

CATALOG = catalog_of(
    package("app").channel("stable", "1.0.0 < 1.1.0").requires("db", ">=2.0.0"),
    package("db").channel("stable", "1.0.0"),
)
PROBLEM = ClassicProblem.of_request(request_for(CATALOG, "app"), Semantics.DOCUMENTED)
FIRST, SECOND = 0, 1


def _constraints(kinds: type | tuple[type, ...]) -> Iterable[Constraint]:
    return [constraint for constraint in PROBLEM.constraints(FIRST) if isinstance(constraint, kinds)]


def test_a_group_names_who_holds_it() -> None:
    """With the holder, if the search knows it: "one per package" alone leaves open which bundle came first."""
    first, second = PROBLEM.candidate(FIRST), PROBLEM.candidate(SECOND)
    group = Group("package", "app")
    assert reason_against(PROBLEM, FIRST, group) == OnePerPackage("app", (first,))
    assert reason_against(PROBLEM, FIRST, SharedGroup(group, FIRST, SECOND)) == OnePerPackage("app", (second, first))
    api = Group("api", "example.com/v1/Key")
    assert reason_against(PROBLEM, FIRST, api) == OnePerAPI(api.gvk, (first,))
    assert reason_against(PROBLEM, FIRST, SharedGroup(api, FIRST, SECOND)) == OnePerAPI(api.gvk, (second, first))


def test_a_constraint_is_its_reason_unless_a_branch_brings_it() -> None:
    """A branch of a formula is no bundle; what a search has learned has no single reason."""
    [dependency] = _constraints(Dependency)
    reason = reason_against(PROBLEM, FIRST, dependency)
    assert reason is not None
    assert "requires package db in >=2.0.0" in str(reason)
    branch: Any = Branch(Choice((SECOND,)))
    assert reason_against(PROBLEM, FIRST, Prohibited(branch)) is None
    assert reason_against(PROBLEM, FIRST, None) is None
    assert reason_against(PROBLEM, FIRST, SharedGroup("a group of somebody else", FIRST, SECOND)) is None


def test_failures_are_equal_by_their_core() -> None:
    """A copy that was sent to another process lacks the request; it is the same failure, and prints alike."""
    with pytest.raises(Unsatisfiable) as failed:
        resolve(request_for(CATALOG, "app"))
    copy = pickle.loads(pickle.dumps(failed.value))  # noqa: S301 - our own bytes
    assert copy == failed.value
    assert repr(copy) == repr(failed.value)
    assert "context" not in repr(copy)
    assert "statistics" not in repr(copy)


def test_a_resolver_says_what_it_is_over() -> None:
    """It is looked at in a debugger, where the catalogs themselves would fill the screen."""
    sources = [Source(name, "olm", 0, CATALOG) for name in ("main", "extra")]
    assert repr(Resolver(sources)) == "<Resolver over olm/main, olm/extra, documented>"
    assert repr(Resolver([], semantics="controller")) == "<Resolver over no catalogs, controller>"


def test_needs_that_no_member_meets_are_told_by_the_last() -> None:
    """It is the requirement that left no member of the package over; the others could still be met."""
    [dependency] = [constraint for constraint in _constraints(Dependency) if isinstance(constraint, Dependency)]
    other = attrs.evolve(dependency, origin=None)
    needs = Needs(Group("package", "db"), FIRST, (other, dependency), ())
    assert reason_against(PROBLEM, FIRST, needs) == reason_for(PROBLEM, dependency)


def test_contexts_are_equal_by_the_question() -> None:
    """A core and a view of the catalogs are kept to save work; a context without them asks the same."""
    with pytest.raises(Unsatisfiable) as failed:
        resolve(request_for(CATALOG, "app"))
    context = failed.value.context
    assert context is not None
    assert context.core
    assert context.visible is not None
    assert attrs.evolve(context, core=(), visible=None) == context
    assert "core" not in repr(context)
    assert "visible" not in repr(context)


def test_who_asks_for_no_plan_is_told_of_the_same_candidates() -> None:
    """A question whether there is a plan passes over the candidates that a search for the plan does."""

    class Heard(Observer):
        def __init__(self) -> None:
            self.names: list[str] = []

        def passed_over(self, event: CandidatePassedOver) -> None:
            self.names.append(event.candidate.name)

    resolving, asking = Heard(), Heard()
    catalog = catalog_of(package("app").channel("stable", "1.0.0 < 1.1.0").requires("gone", at="1.1.0"))
    resolve(request_for(catalog, "app"), observer=resolving)
    assert is_satisfiable(request_for(catalog, "app"), observer=asking)
    assert asking.names == resolving.names == ["app.v1.1.0"]
