"""Changes of a request: which there are for an installed operator, which are the same, and which come first."""

from __future__ import annotations

from typing import Any, get_args

import attrs

from olmsolve import Candidate, Installed, Request, Semantics
from olmsolve.answers.explain import (
    AcceptDeprecated,
    AddCatalog,
    AwaitUpdate,
    ChangeCatalog,
    ChangeChannel,
    ChangeCluster,
    ChangePackage,
    ChangeStart,
    DropSubscription,
    ExcludeGlobalCatalogs,
    FailForward,
    LetOwn,
    LiftRule,
    RemoveOperator,
    RepairCatalog,
    RequestChange,
    SettleUpdate,
    ShowCatalog,
    operator_changes,
)
from olmsolve.classic import ClassicProblem
from tests.explain.requests import request_from


def _request(**fields: Any) -> Request:
    packages = {name: {"channels": {"stable": f"{name}.v1.0.0"}} for name in ("app", "web")}
    request = request_from({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": []})
    return attrs.evolve(request, **fields)


def _changes(request: Request, package: str) -> list[RequestChange]:
    problem = ClassicProblem.of_request(request, Semantics.DOCUMENTED)
    return list(operator_changes(problem, Candidate(f"{package}.v1.0.0", package, "stable", "olm/main", "1.0.0")))


def test_an_operator_that_nobody_owns_is_owned_or_removed() -> None:
    """Nothing else helps: it has to stay as it is."""
    request = _request(installed=[Installed("app.v1.0.0", "1.0.0"), Installed("web.v1.0.0", "1.0.0")])
    for name in ("app", "web"):
        assert _changes(request, name) == [
            LetOwn(f"{name}.v1.0.0", name, name, new=True),
            RemoveOperator(f"{name}.v1.0.0"),
        ]


def test_a_change_of_an_owner_makes_a_subscription_only_where_there_is_none() -> None:
    """What the change says is what it does, to one operator alone."""
    request = _request(installed=[Installed("app.v1.0.0", "1.0.0"), Installed("web.v1.0.0", "1.0.0")])
    changed = LetOwn("app.v1.0.0", "mine", "app").apply(request)
    assert ([operator.subscription for operator in changed.installed], changed.subscriptions) == (["mine", None], ())
    (subscription,) = LetOwn("app.v1.0.0", "mine", "app", new=True).apply(request).subscriptions
    assert (subscription.name, subscription.package) == ("mine", "app")


def test_failing_forward_leaves_behind_what_gives_way_and_nothing_else() -> None:
    """An operator beside one that gives way is not left behind, so failing forward would change nothing for it."""
    gives_way = Installed("app.v1.0.0", "1.0.0", gives_way=True)
    request = _request(installed=[gives_way, Installed("web.v1.0.0", "1.0.0")])
    assert _changes(request, "app") == [FailForward(request.namespaces[0])]
    assert FailForward(request.namespaces[0]) not in _changes(request, "web")
    assert str(FailForward("shop")) == (
        "let the operator group of shop fail forward (spec.upgradeStrategy: TechPreviewUnsafeFailForward)"
    )


def test_an_operator_goes_by_itself_when_its_successor_comes() -> None:
    """Waiting is all there is to do about it, and nothing to do about its neighbour."""
    coming = Installed("app.v1.0.0", "1.0.0", replaced_by="app.v2.0.0")
    request = _request(installed=[coming, Installed("web.v1.0.0", "1.0.0")])
    assert _changes(request, "app") == [AwaitUpdate("app.v1.0.0", "app.v2.0.0")]
    assert all(not isinstance(change, AwaitUpdate) for change in _changes(request, "web"))


def test_one_remedy_is_one_change_whatever_it_replaces() -> None:
    """Two constraints that the same update of the cluster lifts are offered once; its text has no functions."""
    one = ChangeCluster("update Kubernetes", lambda _: "too old", None)
    other = ChangeCluster("update Kubernetes", lambda _: "far too old", lambda _: "")
    assert one == other
    assert one != ChangeCluster("remove the group", lambda _: "too old", None)
    assert "lambda" not in repr(one)


def test_changes_are_ordered_by_how_much_they_give_up() -> None:
    """A person reads the first fix first: waiting costs nothing, then come fields of a subscription, then catalogs.

    What an administrator, the cluster or a rule of the house must allow comes after that; giving up what was asked for
    comes last.
    """
    order: list[set[type[RequestChange]]] = [
        {AwaitUpdate, SettleUpdate},
        {ChangeStart},
        {ChangeChannel},
        {ChangePackage},
        {ChangeCatalog},
        {LetOwn},
        {RepairCatalog},
        {ShowCatalog, ExcludeGlobalCatalogs},
        {AddCatalog, ChangeCluster, LiftRule, FailForward},
        {AcceptDeprecated},
        {RemoveOperator},
        {DropSubscription},
    ]
    assert set().union(*order) == set(get_args(RequestChange))
    ranks = [{kind.rank for kind in kinds} for kinds in order]
    assert all(len(rank) == 1 for rank in ranks)
    assert [max(rank) for rank in ranks] == sorted({max(rank) for rank in ranks})
