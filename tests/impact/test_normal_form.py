"""The normal form: alike clusters have equal forms, and a form answers as its cluster does."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import olmsolve
from olmsolve.errors import ManifestError
from olmsolve.lifecycle.impact import form_key, normal_form
from tests.impact.fleets import KEY, clusters, new, old
from tests.scale import scaled
from tests.simulation.small_clusters import Version, group, installed

LEDGER = Version("1.0.0", owns=("Ledger.v1",))


def objects() -> list[dict[str, Any]]:
    """A namespace with an operator, and the plan that brought it, as the cluster named it."""
    items = copy.deepcopy([group("shop"), *installed("shop", "ledger", LEDGER)])
    for number, object_ in enumerate(items):
        object_["metadata"] |= {
            "uid": f"u{number}",
            "resourceVersion": "7",
            "creationTimestamp": "2026-01-01T00:00:00Z",
        }
    items[1]["status"]["installPlanRef"] = {"name": "install-abc12", "uid": "u9"}
    return items


def key(documents: list[dict[str, Any]]) -> str:
    return form_key(normal_form(documents))


def change(position: int, *path: str, to: Any) -> Callable[[list[dict[str, Any]]], None]:
    """A change of one field of one object."""

    def apply(objects: list[dict[str, Any]]) -> None:
        holder: Any = objects[position]
        for name in path[:-1]:
            holder = holder.setdefault(name, {})
        holder[path[-1]] = to

    return apply


@pytest.mark.parametrize(
    "apply",
    [
        list.reverse,
        change(0, "metadata", "uid", to="another"),
        change(0, "metadata", "resourceVersion", to="8"),
        change(0, "metadata", "managedFields", to=[{"manager": "kubectl"}]),
        change(0, "metadata", "creationTimestamp", to="2025-05-05T05:05:05Z"),
        change(1, "metadata", "generation", to=4),
        change(1, "status", "installPlanRef", to={"name": "install-zzzzz", "uid": "u8"}),
        lambda objects: objects.append(
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "shop"}}
        ),
        lambda objects: objects.append(copy.deepcopy(objects[0])),
        lambda objects: objects.__setitem__(slice(None), [{"apiVersion": "v1", "kind": "List", "items": objects[:]}]),
    ],
)
def test_what_no_answer_depends_on_makes_no_class(apply: Callable[[list[dict[str, Any]]], None]) -> None:
    """Every cluster has its own uids, times and names of plans: with them, each would be a class of its own."""
    changed = objects()
    changed[1]["metadata"]["generation"] = 2
    before = key(changed)
    apply(changed)
    assert key(changed) == before


@pytest.mark.parametrize(
    "apply",
    [
        change(0, "spec", "upgradeStrategy", to="TechPreviewUnsafeFailForward"),
        change(0, "status", "namespaces", to=["lab"]),
        change(1, "spec", "channel", to="fast"),
        change(1, "spec", "installPlanApproval", to="Manual"),
        change(1, "spec", "startingCSV", to="ledger.v1.0.0"),
        change(1, "status", "installedCSV", to=""),
        change(1, "status", "state", to="UpgradePending"),
        change(1, "status", "installPlanRef", to={"name": "chosen"}),
        change(1, "metadata", "labels", to={"a": "b"}),
        change(2, "status", "phase", to="Failed"),
        change(2, "metadata", "annotations", to={}),
        change(2, "metadata", "deletionTimestamp", to="2026-01-01T00:00:00Z"),
        change(2, "spec", "version", to="1.0.1"),
        list.pop,
    ],
)
def test_what_an_answer_may_depend_on_makes_a_class(apply: Callable[[list[dict[str, Any]]], None]) -> None:
    """Two clusters with one key get one answer, so a field that is left out is a wrong answer somewhere."""
    changed = objects()
    before = key(changed)
    apply(changed)
    assert key(changed) != before


def test_equal_uids_stay_equal() -> None:
    """An owner is found by its uid: numbers in place of uids keep who belongs to whom."""
    owned, other = objects(), objects()
    owned[2]["metadata"]["ownerReferences"] = [{"kind": "Subscription", "name": "ledger", "uid": "u1"}]
    other[2]["metadata"]["ownerReferences"] = [{"kind": "Subscription", "name": "ledger", "uid": "gone"}]
    assert key(owned) != key(other)


def test_two_different_objects_of_one_name_stay_different() -> None:
    """They come from two moments, which reading refuses; a form must not make them one."""
    twice = objects()
    twice.append(copy.deepcopy(twice[0]))
    twice[-1]["metadata"]["resourceVersion"] = "9"
    with pytest.raises(ManifestError, match="given twice"):
        olmsolve.read_cluster({"apiVersion": "v1", "kind": "List", "items": list(normal_form(twice))})


def test_what_has_no_kind_stays_for_the_reader_to_refuse() -> None:
    """A broken dump is told by the reader, with its own words."""
    assert normal_form([{"metadata": {"name": "a"}}]) == ({"metadata": {"name": "a"}},)
    with pytest.raises(ManifestError, match="a value is not JSON"):
        form_key([{"a": {1, 2}}])


def outcome(documents: list[dict[str, Any]], catalog: olmsolve.Catalog) -> dict[str, Any]:
    """How a cluster comes to rest, without the digests and names that its own uids and plans decide."""
    listed = {"apiVersion": "v1", "kind": "List", "items": documents}
    simulation = olmsolve.simulate(olmsolve.read_situation(listed, catalogs={KEY: catalog})).to_dict()
    steps = [
        {name: value for name, value in step.items() if name not in ("digest", "namespaces")}
        for step in simulation["steps"]
    ]
    remaining = [
        {name: value for name, value in trouble.items() if name not in ("plan", "text")}
        for trouble in simulation["left"]
    ]
    resolved = [
        (namespace["namespace"], namespace["resolved"], namespace.get("error")) for namespace in simulation["last"]
    ]
    return {"ended": simulation["ended"], "steps": steps, "left": remaining, "resolved": resolved}


@pytest.mark.parametrize("catalog", [old, new], ids=["old", "new"])
def test_a_form_comes_to_rest_as_its_cluster_does(catalog: Callable[[], olmsolve.Catalog]) -> None:
    """The answer to a class is computed from its form, and is the answer to each of its clusters."""
    for cluster in clusters(scaled(36), seed=7, templates=12):
        documents = [dict(document) for document in cluster.documents()]
        form = list(normal_form(documents))
        assert outcome(form, catalog()) == outcome(documents[0]["items"], catalog()), cluster.name
