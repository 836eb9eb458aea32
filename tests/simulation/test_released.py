"""What 0.2.0 was asked with settings one by one: it warns at the caller's line, and answers as the one policy does."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import olmsolve
from olmsolve import Policy, Situation
from olmsolve.cluster import NamespaceObjects
from olmsolve.errors import Incomplete, ManifestError, RequestError
from olmsolve.lifecycle import cluster_update, migrations, situation_update
from olmsolve.lifecycle.planning import plan_cluster_namespace, plan_namespace, resolve_steps
from olmsolve.lifecycle.simulation import Rules
from olmsolve.requests import namespace_request, of_cluster, refuse_missing_contents, visible_sources
from tests.simulation.small_clusters import Version, catalog, cluster, group, installed, subscription

ONE, TWO = Version("1.0.0", ("E.v1",)), Version("2.0.0", ("E.v1",), replaces="1.0.0")
CONTENT = {"olm/main": catalog(e=[ONE, TWO])}
STATE = cluster(group("ns"), installed("ns", "e", ONE))


def deprecated(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """The answer of *function*, which warns once, of this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = function(*arguments, **keywords)
    assert [(message.category, message.filename) for message in caught] == [(DeprecationWarning, __file__)]
    return answer


def test_objects_are_simulated_as_their_situation_is() -> None:
    """State, contents and rules are a situation with a policy; the rest of the rules are keywords."""
    manual = cluster(group("ns"), subscription("ns", "e", approval="Manual"))
    rules = Rules(approve=True, failing=["ns/e.v2.0.0"], health_policy="ignore")  # type: ignore[arg-type]
    simulate: Callable[..., Any] = olmsolve.simulate
    simulation = deprecated(simulate, manual, CONTENT, rules, most_steps=5)
    policy = Policy(health_policy="ignore")
    situation = Situation.of_cluster(manual, CONTENT, policy)
    assert simulation == olmsolve.simulate(situation, approve=True, failing=["ns/e.v2.0.0"], most_steps=5)
    assert deprecated(simulate, state=STATE, contents=CONTENT).is_settled
    with pytest.deprecated_call(), pytest.raises(RequestError, match="no subscription is in 'other'"):
        simulate(STATE, CONTENT, namespaces=["other"])
    with pytest.deprecated_call(), pytest.raises(RequestError, match="the contents of the catalogs are needed"):
        simulate(STATE)


def test_one_namespace_is_planned_as_by_its_question() -> None:
    """Eligibility, policy and backend came one by one."""
    situation = Situation.of_cluster(STATE, CONTENT, Policy(operator_groups=True))
    (planned,) = olmsolve.plan(situation).namespaces
    released = deprecated(plan_cluster_namespace, STATE, CONTENT, "ns", backend="python", groups=None)
    assert released.plan == planned.plan is not None
    objects = NamespaceObjects.picked_from(STATE, "ns")
    sources = deprecated(visible_sources, STATE, CONTENT, objects)
    assert deprecated(plan_namespace, objects, sources).plan == planned.plan
    assert planned.plan is not None
    assert deprecated(resolve_steps, objects, sources, semantics="controller").steps == planned.plan.steps
    (question,) = situation.questions
    for request in (
        deprecated(of_cluster, STATE, CONTENT, "ns"),
        deprecated(namespace_request, objects, sources, health_policy="referenced"),
    ):
        assert olmsolve.resolve(request) == olmsolve.resolve(question.request())
    with pytest.deprecated_call(), pytest.raises(ManifestError, match="its content was not given"):
        refuse_missing_contents(STATE, {}, objects)


def test_limits_were_keywords_of_every_function() -> None:
    """They are on the facade, and in a scope for everything else."""
    situation = Situation.of_cluster(STATE, CONTENT)
    assert deprecated(situation_update, situation, "4.18", timeout=60) == situation_update(situation, "4.18")
    assert deprecated(cluster_update, STATE, "4.18", CONTENT) == situation_update(situation, "4.18")
    limited: Callable[..., Any] = migrations
    with pytest.deprecated_call(), pytest.raises(Incomplete):
        limited(situation.questions[0].request(), timeout=1e-9)
