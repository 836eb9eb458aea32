"""``olmsolve.plan``: what OLM would do next for all questions of a situation."""

from __future__ import annotations

from typing import Any

import pytest

import olmsolve
from olmsolve.requests import ExtensionQuestion
from tests.cli.small_cluster import blobs, catalog_source, cluster_catalog, extension, namespace


def situation(*objects: dict[str, Any], catalog: list[dict[str, Any]] | None = None) -> olmsolve.Situation:
    content = olmsolve.fbc.from_blobs(blobs() if catalog is None else catalog)
    dump = {"apiVersion": "v1", "kind": "List", "items": [*objects, catalog_source(), cluster_catalog()]}
    return olmsolve.read_situation(dump, catalogs={"olm/cat": content, "main": content})


def gvk() -> dict[str, Any]:
    return {"type": "olm.gvk", "value": {"group": "etcd.example.com", "version": "v1", "kind": "Etcd"}}


def test_both_generations_are_planned() -> None:
    """One value holds everything that OLM would do next."""
    plan = olmsolve.plan(situation(*namespace(), extension(installed=3)))
    (shop,) = plan.namespaces
    assert shop.plan is not None
    assert shop.plan.csv_names == ("etcd.v2",)
    assert [bundle.candidate.name for operator in shop.held_back for bundle in operator.newer] == ["etcd.v3"]
    assert plan.extensions is not None
    assert [(extension.bundle, extension.stays) for extension in plan.extensions.planned] == [("etcd.v3", True)]
    assert plan.is_whole
    assert [manifest["kind"] for manifest in plan.manifests()] == ["InstallPlan", "Subscription"]
    data = plan.to_dict()
    assert (data["schema"], data["collision"], data["errors"]) == ("olmsolve.plan", None, [])


def bundles(plan: olmsolve.SituationPlan) -> dict[str, str]:
    """The planned bundle of each extension."""
    assert plan.extensions is not None
    return {extension.extension: extension.bundle for extension in plan.extensions.planned}


def test_one_update_with_an_api_fails() -> None:
    """Version 1 of either has no API: the first by name gets it, and the second fails, as in every command."""
    catalog = [*blobs("etcd", 2, v2=[gvk()]), *blobs("vault", 2, v2=[gvk()])]
    plan = olmsolve.plan(situation(extension("etcd"), extension("vault"), catalog=catalog))
    assert bundles(plan) == {"etcd": "etcd.v2"}
    assert plan.extensions is not None
    (failed,) = plan.extensions.failed
    assert "ClusterExtension etcd provides the API etcd.example.com/v1/Etcd" in str(failed.error)
    assert not plan.is_whole


def test_of_extensions_that_collide_the_first_gets_its_bundle() -> None:
    """Both want version 2 with the same API, whose definition belongs to one: resolving and simulating say so too."""
    catalog = [*blobs("etcd", 2, v2=[gvk()]), *blobs("vault", 2, v2=[gvk()])]
    wishes = (extension("etcd", installed=0, version="2.0.0"), extension("vault", installed=0, version="2.0.0"))
    whole = situation(*wishes, catalog=catalog)
    plan = olmsolve.plan(whole)
    assert bundles(plan) == {"etcd": "etcd.v2"}
    assert plan.extensions is not None
    (failed,) = plan.extensions.failed
    assert (failed.extension, plan.collision, plan.is_whole) == ("vault", None, False)
    assert "ClusterExtension etcd provides the API etcd.example.com/v1/Etcd" in str(failed.error)
    asked_v1 = [question.request() for question in whole.questions if isinstance(question, ExtensionQuestion)]
    simulated = olmsolve.v1.simulate(asked_v1)
    assert [update.bundle for round_ in simulated.rounds for update in round_.updates] == ["etcd.v2"]
    with pytest.raises(olmsolve.v1.BundleRefusedError):
        olmsolve.resolve(asked_v1[1])


def test_what_both_have_is_told_and_ends_nothing() -> None:
    """The cluster says that both are installed, so each is updated by itself, as OLM v1 does."""
    catalog = [*blobs("etcd", 2, v1=[gvk()], v2=[gvk()]), *blobs("vault", 2, v1=[gvk()], v2=[gvk()])]
    plan = olmsolve.plan(situation(extension("etcd"), extension("vault"), catalog=catalog))
    assert bundles(plan) == {"etcd": "etcd.v2", "vault": "vault.v2"}
    assert "etcd.example.com/v1/Etcd" in str(plan.collision)
    assert plan.is_whole


@pytest.mark.parametrize("collide", [False, True])
def test_what_fails_alone_is_no_collision(collide: bool) -> None:
    """A dependency that nothing meets, a range without a bundle and an API of another are failures beside the plan."""
    needs = {"type": "olm.package.required", "value": {"packageName": "nosuch", "versionRange": ">=1.0.0"}}
    api = [gvk()] if collide else []
    catalog = [*blobs("etcd", 1, v1=api), *blobs("vault", 1, v1=api), *blobs("app", 1, v1=[needs]), *blobs("web", 1)]
    wishes = [extension(name, installed=0) for name in ("app", "etcd", "vault")]
    plan = olmsolve.plan(situation(*wishes, extension("web", installed=0, version="9.x"), catalog=catalog))
    assert bundles(plan) == {"etcd": "etcd.v1"} | ({} if collide else {"vault": "vault.v1"})
    assert plan.extensions is not None
    assert {extension.extension for extension in plan.extensions.failed} == {"app", "web"} | (
        {"vault"} if collide else set()
    )
    assert plan.collision is None


def test_extensions_of_different_clusters_are_planned_each_by_itself() -> None:
    """Two documents may mean different catalogs by one name; then there is no plan for both."""
    documents = [
        {
            "name": name,
            "catalogs": [{"name": "main", "blobs": blobs(name, 2)}],
            "extension": {"packageName": name},
        }
        for name in ("etcd", "vault")
    ]
    plan = olmsolve.plan(olmsolve.read_situation(*documents))
    assert bundles(plan) == {"etcd": "etcd.v2", "vault": "vault.v2"}
    assert "two different catalogs are called 'main'" in str(plan.collision)


def test_an_error_is_the_answer_to_its_question() -> None:
    """Alone it is raised, so that nobody takes an empty plan for an answer."""
    broken = extension("broken", version="|")
    whole = situation(*namespace(), broken)
    plan = olmsolve.plan(whole)
    assert plan.extensions is not None
    names = [
        *(extension.extension for extension in plan.extensions.failed),
        *(error.question.name for error in plan.errors),
    ]
    assert names == ["broken"]
    assert not plan.is_whole
    assert len(plan.namespaces) == 1


def test_a_request_document_has_no_objects_to_write() -> None:
    """What it would install is the answer of ``resolve``."""
    document = {
        "name": "wish",
        "catalogs": [{"name": "cat", "namespace": "ns", "blobs": blobs()}],
        "namespaces": ["ns"],
        "subscriptions": [{"name": "etcd", "package": "etcd"}],
    }
    with pytest.raises(olmsolve.RequestError, match="plan needs a cluster's objects"):
        olmsolve.plan(olmsolve.read_situation(document))


def test_a_deep_object_is_copied() -> None:
    """Python's own copies recurse, and a field that nobody reads may be nested as deeply as its author likes."""
    deep: dict[str, Any] = {}
    for _ in range(3000):
        deep = {"a": [deep]}
    whole = situation(extension() | {"notes": deep})
    (manifest,) = olmsolve.plan(whole).manifests()
    assert manifest["notes"] is not deep
    assert manifest["notes"]["a"][0] is not deep["a"][0]
    assert manifest["status"]["install"]["bundle"]["name"] == "etcd.v2", "the direct successor of etcd.v1"
