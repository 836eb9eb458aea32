"""From a cluster's objects to the requests that its namespaces and extensions make."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from olmsolve import CatalogError, ManifestError, Policy, Request, RequestError, Source, evolve, read_cluster, resolve
from olmsolve.catalog import Catalog, Origin, fbc
from olmsolve.classic import HealthPolicy
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import ClusterServiceVersion
from olmsolve.errors import NamespaceError
from olmsolve.requests import ClusterSituation, Contents, extensions_of_cluster, namespaces_with_subscriptions

OPERATORS = "operators.coreos.com/v1alpha1"


def manifest(kind: str, name: str, namespace: str = "team", **parts: Any) -> dict[str, Any]:
    return {"apiVersion": OPERATORS, "kind": kind, "metadata": {"name": name, "namespace": namespace}, **parts}


def group(namespace: str = "team", **annotations: str) -> dict[str, Any]:
    object_ = manifest("OperatorGroup", "group", namespace)
    object_["metadata"]["annotations"] = annotations
    return object_


def catalog_source(name: str = "community", namespace: str = "olm", **spec: Any) -> dict[str, Any]:
    return manifest("CatalogSource", name, namespace, spec={"sourceType": "grpc", **spec})


def subscription(name: str = "app", *, installed: str = "", source: str = "community", **spec: Any) -> dict[str, Any]:
    spec = {"name": "app", "channel": "stable", "source": source, "sourceNamespace": "olm", **spec}
    return manifest("Subscription", name, spec=spec, status={"installedCSV": installed, "currentCSV": installed})


def csv(name: str = "app.v1", **parts: Any) -> dict[str, Any]:
    return manifest("ClusterServiceVersion", name, **{"spec": {"version": "1.0.0"}, **parts})


def content(*versions: int) -> Catalog:
    """A catalog of the package app with the bundles app.v1, app.v2, ..., each replacing the one before."""
    entries = [{"name": f"app.v{v}", "replaces": f"app.v{v - 1}"} for v in versions]
    return fbc.from_blobs(
        [
            {"schema": "olm.package", "name": "app", "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": "app", "name": "stable", "entries": entries},
            *(
                {
                    "schema": "olm.bundle",
                    "package": "app",
                    "name": f"app.v{v}",
                    "image": f"quay.example.com/app:{v}",
                    "properties": [{"type": "olm.package", "value": {"packageName": "app", "version": f"{v}.0.0"}}],
                }
                for v in versions
            ),
        ]
    )


CONTENT = content(1, 2)


def state_of(*documents: dict[str, Any]) -> ClusterState:
    return read_cluster(*documents)


def of_cluster(state: ClusterState, contents: Contents, namespace: str, **policy: Any) -> Request:
    return ClusterSituation(state, contents, Policy(**policy)).request(namespace)


def names(state: ClusterState, **settings: Any) -> list[str]:
    """What is installed in namespace team."""
    contents = settings.pop("contents", {"olm/community": CONTENT})
    return [install.name for install in resolve(of_cluster(state, contents, "team", **settings)).installs]


def test_a_namespace_makes_its_request() -> None:
    """Subscriptions, owners and what they installed come from the objects; the update follows."""
    state = state_of(group(), catalog_source(priority=7), subscription(installed="app.v1"), csv())
    request = of_cluster(state, {"olm/community": CONTENT}, "team")
    assert request.namespaces == ("team", "olm")
    assert request.sources == (Source("community", "olm", 7, CONTENT),)
    (installed,) = request.installed
    assert (installed.name, installed.version, installed.subscription) == ("app.v1", "1.0.0", "app")
    # Without an annotation the package is inferred from the subscription.
    assert [(p.type, p.value) for p in installed.properties] == [
        ("olm.package", {"packageName": "app", "version": "1.0.0"})
    ]
    plan = resolve(request)
    assert [(old.name, new.name) for old, new in plan.replaced] == [("app.v1", "app.v2")]


def test_operators_that_nobody_owns_must_stay() -> None:
    """currentCSV is what is on its way, and makes no owner before it is there, as OLM notes before it resolves."""
    wish = subscription()
    wish["status"]["currentCSV"] = "app.v1"
    request = of_cluster(state_of(group(), catalog_source(), wish, csv()), {"olm/community": CONTENT}, "team")
    assert [operator.subscription for operator in request.installed] == ["app"]
    wish["status"]["currentCSV"] = "app.v2"
    request = of_cluster(state_of(group(), catalog_source(), wish, csv()), {"olm/community": CONTENT}, "team")
    assert [operator.subscription for operator in request.installed] == [None]


def test_copies_are_left_out() -> None:
    """A copy shows where an operator acts; the operator is resolved where it is."""
    copy = csv("other.v1", status={"reason": "Copied"})
    assert of_cluster(state_of(group(), catalog_source(), copy), {"olm/community": CONTENT}, "team").installed == ()


@pytest.mark.parametrize(("value", "hidden"), [("true", True), ("True", False), ("false", False), ("", False)])
def test_global_catalogs_are_hidden_by_one_word(value: str, hidden: bool) -> None:
    """As recorded: exactly ``true``."""
    annotation = {"olm.operatorframework.io/exclude-global-namespace-resolution": value}
    state = state_of(group(**annotation), catalog_source())
    request = of_cluster(state, {"olm/community": CONTENT}, "team")
    assert request.namespaces == (("team",) if hidden else ("team", "olm"))
    assert bool(request.sources) is not hidden


def test_the_global_namespace_is_a_setting() -> None:
    """OpenShift's is openshift-marketplace; a namespace is not visible twice to itself."""
    state = state_of(group("market"), catalog_source(namespace="market"))
    request = of_cluster(state, {"market/community": CONTENT}, "market", global_namespace="market")
    assert request.namespaces == ("market",)
    assert len(request.sources) == 1


def test_fail_forward_is_heeded() -> None:
    """What gives way to something that failed is not offered."""
    forward = group()
    forward["spec"] = {"upgradeStrategy": "TechPreviewUnsafeFailForward"}
    state = state_of(
        forward,
        catalog_source(),
        subscription(installed="app.v2"),
        csv("app.v1", status={"phase": "Replacing"}),
        csv("app.v2", spec={"version": "2.0.0", "replaces": "app.v1"}, status={"phase": "Failed"}),
    )
    request = of_cluster(state, {"olm/community": content(1, 2, 3)}, "team")
    assert [operator.name for operator in request.installed] == ["app.v2"]
    assert names(state, contents={"olm/community": content(1, 2, 3)}) == ["app.v3"]


@pytest.mark.parametrize("count", [0, 2])
def test_a_namespace_has_one_operator_group(count: int) -> None:
    """OLM resolves nothing otherwise, so a plan would be a guess."""
    groups = [group() for _ in range(count)]
    for place, object_ in enumerate(groups):
        object_["metadata"]["name"] = f"group{place}"
    message = "it has no operator group" if not count else r"it has 2 operator groups \(group0, group1\)"
    with pytest.raises(NamespaceError, match=f"namespace team: {message} \\(OLM resolves nothing there: "):
        of_cluster(state_of(*groups, catalog_source()), {"olm/community": CONTENT}, "team")


def test_a_catalog_without_content_is_named() -> None:
    """With its image, from which the content can be had."""
    state = state_of(group(), catalog_source(image="quay.example.com/c:1"))
    with pytest.raises(ManifestError) as refused:
        of_cluster(state, {}, "team")
    assert str(refused.value) == (
        "CatalogSource olm/community: its content was not given (catalogs={'olm/community': PATH}, the file-based"
        " catalog of its image quay.example.com/c:1)"
    )


def test_content_without_a_catalog_is_named() -> None:
    """A mistyped key would otherwise be a catalog that nobody sees."""
    state = state_of(group(), catalog_source())
    with pytest.raises(RequestError, match=r"among the cluster's objects has this name \(did you mean olm/community\?"):
        of_cluster(state, {"olm/comunity": CONTENT}, "team")


def test_a_catalog_that_the_namespace_does_not_see_needs_no_content() -> None:
    """Only what matters has to be given."""
    state = state_of(group(), catalog_source(), catalog_source("other", "elsewhere"), subscription())
    assert names(state) == ["app.v2"]


@pytest.mark.parametrize("policy", [HealthPolicy.REFERENCED, HealthPolicy.IGNORE])
def test_catalogs_without_content_can_be_done_without(policy: HealthPolicy) -> None:
    """Under the policies that allow it; the plan says so."""
    state = state_of(group(), catalog_source(), catalog_source("other", priority=-1), subscription())
    plan = resolve(of_cluster(state, {"olm/community": CONTENT}, "team", health_policy=policy))
    assert [(source.key, str(source.error)) for source in plan.unreadable] == [
        ("olm/other", "its content was not given")
    ]


def test_content_that_cannot_be_read_is_unreadable() -> None:
    """The error of the catalog is the reason, under every policy."""
    state = state_of(group(), catalog_source(), subscription())
    request = of_cluster(state, {"olm/community": CatalogError("is empty", origin="c.yaml")}, "team")
    assert [str(source.error) for source in request.unreadable] == ["c.yaml: is empty"]


def test_two_subscriptions_cannot_own_one_operator() -> None:
    """They want it from two channels, and OLM takes either for the owner: there is no right answer to give."""
    state = state_of(
        group(),
        catalog_source(),
        subscription("a", installed="app.v1"),
        subscription("b", installed="app.v1", channel="fast"),
        csv(),
    )
    with pytest.raises(ManifestError) as refused:
        of_cluster(state, {"olm/community": CONTENT}, "team")
    assert str(refused.value).startswith("namespace team: subscriptions a and b both have app.v1 installed")


def test_of_two_subscriptions_that_want_the_same_one_is_asked() -> None:
    """As recorded, both get what the one gets; the last counts as the owner."""
    state = state_of(
        group(), catalog_source(), subscription("a", installed="app.v1"), subscription("b", installed="app.v1"), csv()
    )
    request = of_cluster(state, {"olm/community": CONTENT}, "team")
    assert [wish.name for wish in request.subscriptions] == ["b"]
    assert [operator.subscription for operator in request.installed] == ["b"]


def test_annotations_that_cannot_be_read_fail_their_namespace() -> None:
    """As recorded; the operator is named, and the file where it is known."""
    broken = csv()
    broken["metadata"]["annotations"] = {"operatorframework.io/properties": "["}
    with pytest.raises(ManifestError, match="failed to retrieve properties of csv") as refused:
        of_cluster(state_of(group(), catalog_source(), broken), {"olm/community": CONTENT}, "team")
    (operator,) = state_of(broken).all(ClusterServiceVersion)
    assert (refused.value.kind, refused.value.object) == (operator.KIND, operator.key)
    assert refused.value.field == "metadata.annotations.operatorframework.io/properties"
    read = evolve(operator, origin=Origin("dump.yaml", 7))
    state = state_of(group(), catalog_source()).having(read)
    with pytest.raises(ManifestError, match=str(read.origin)):
        of_cluster(state, {"olm/community": CONTENT}, "team")


def test_values_of_annotations_that_python_cannot_hold_are_refused() -> None:
    """Go keeps them as text; here they would have to become a number of ten thousand digits."""
    huge = csv()
    text = '{"properties":[{"type":"a","value":' + "9" * 10_000 + "}]}"
    huge["metadata"]["annotations"] = {"operatorframework.io/properties": text}
    with pytest.raises(ManifestError, match=r"properties: the value of a property a cannot be held"):
        of_cluster(state_of(group(), catalog_source(), huge), {"olm/community": CONTENT}, "team")


def test_the_namespaces_of_a_cluster_are_listed() -> None:
    """Those with subscriptions: in the others there is nothing to resolve."""
    elsewhere = subscription()
    elsewhere["metadata"]["namespace"] = "a-team"
    assert namespaces_with_subscriptions(state_of(subscription(), elsewhere, group("empty"))) == ("a-team", "team")


def test_thousands_of_operators_make_a_request() -> None:
    """Owners are looked up, not searched for."""
    operators = [csv(f"o{i}.v1") for i in range(3_000)]
    wishes = [subscription(f"o{i}", installed=f"o{i}.v1") for i in range(1_500)]
    request = of_cluster(state_of(group(), catalog_source(), *operators, *wishes), {"olm/community": CONTENT}, "team")
    assert sum(operator.subscription is not None for operator in request.installed) == 1_500


# -- OLM v1


def extension(name: str = "app", **catalog: Any) -> dict[str, Any]:
    source = {"sourceType": "Catalog", "catalog": {"packageName": "app", **catalog}}
    spec = {"namespace": "team", "serviceAccount": {"name": "sa"}, "source": source}
    return {
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterExtension",
        "metadata": {"name": name},
        "spec": spec,
    }


def cluster_catalog(name: str = "community", **spec: Any) -> dict[str, Any]:
    full_spec = {"source": {"type": "Image", "image": {"ref": "quay.example.com/c:1"}}, **spec}
    return {
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterCatalog",
        "metadata": {"name": name},
        "spec": full_spec,
    }


def test_extensions_make_their_requests() -> None:
    """Each extension is a request of its own over all catalogs of the cluster."""
    state = state_of(extension("b", version="1.0.0"), extension("a"), cluster_catalog(priority=3))
    requests = extensions_of_cluster(state, {"community": CONTENT})
    assert [request.name for request in requests] == ["a", "b"]
    assert [resolve(request).bundle for request in requests] == ["app.v2", "app.v1"]


def test_cluster_catalogs_need_content_only_where_they_are_available() -> None:
    """One that is switched off is not looked into."""
    state = state_of(extension(), cluster_catalog(), cluster_catalog("off", availabilityMode="Unavailable"))
    assert len(extensions_of_cluster(state, {"community": CONTENT})) == 1
    with pytest.raises(ManifestError, match="ClusterCatalog community: its content was not given"):
        extensions_of_cluster(state, {})


# -- files


def test_files_of_all_forms_are_one_cluster(tmp_path: Path) -> None:
    """YAML documents, JSON, Lists and gzip, from paths and open files."""
    dump = {"apiVersion": "v1", "kind": "List", "items": [group(), catalog_source()]}
    (tmp_path / "a.yaml").write_text(yaml.safe_dump_all([dump, subscription()]))
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(json.dumps(csv()).encode()))
    stream = io.BytesIO(json.dumps(csv("other.v1")).encode())
    state = read_cluster(tmp_path / "a.yaml", str(tmp_path / "b.json.gz"), stream)
    assert state.counts() == {"CatalogSource": 1, "ClusterServiceVersion": 2, "OperatorGroup": 1, "Subscription": 1}


def test_mistakes_in_files_name_file_and_document(tmp_path: Path) -> None:
    """The second document of a dump."""
    file = tmp_path / "a.yaml"
    file.write_text(yaml.safe_dump_all([group(), subscription(channel=1.5)]))
    with pytest.raises(ManifestError) as refused:
        read_cluster(file)
    words = str(refused.value)
    assert words.startswith(str(file))
    assert words.endswith(
        "Subscription team/app: spec.channel: must be a string, not the number 1.5 (put it in quotes)"
    )


@pytest.mark.parametrize(
    ("text", "words"), [("{", "JSON"), ("a: [", "YAML"), ("- a", "list"), ("kind: x", "apiVersion")]
)
def test_files_that_are_no_manifests_are_refused(tmp_path: Path, text: str, words: str) -> None:
    """Each with the file's name and one reason."""
    file = tmp_path / "a.yaml"
    file.write_text(text)
    with pytest.raises(ManifestError, match=words) as refused:
        read_cluster(file)
    assert str(file) in str(refused.value)


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    """An empty folder holds nothing to read either."""
    with pytest.raises(ManifestError, match="cannot be read: No such file"):
        read_cluster(tmp_path / "absent.yaml")
    with pytest.raises(ManifestError, match="the folder has no YAML or JSON file"):
        read_cluster(tmp_path)
