"""A running cluster, read in pages through the official client: what may not be read is named, and nothing written."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

import olmsolve
from olmsolve.cluster.objects import KINDS, CatalogSource, ClusterServiceVersion, InstallPlan, Namespace
from olmsolve.errors import Incomplete, RequestError
from tests.cli.commands import Run, runner
from tests.images.building import BuiltImage, tar
from tests.images.registries import SmallRegistry
from tests.images.registries import serving as serving_images
from tests.requests.live.servers import StandIn, serving

SPACE: Final = "s7-shop"
OPERATORS: Final = "/apis/operators.coreos.com/v1alpha1"
V1: Final = "/apis/olm.operatorframework.io/v1"
CATALOG: Final = [
    {"schema": "olm.package", "name": "p", "defaultChannel": "stable"},
    {
        "schema": "olm.channel",
        "package": "p",
        "name": "stable",
        "entries": [{"name": "p.v1.0.0"}, {"name": "p.v1.1.0", "replaces": "p.v1.0.0"}],
    },
    *(
        {
            "schema": "olm.bundle",
            "package": "p",
            "name": f"p.v{version}",
            "image": f"quay.example.com/p:{version}",
            "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": version}}],
        }
        for version in ("1.0.0", "1.1.0")
    ),
]
TEXT: Final = "\n".join(map(json.dumps, CATALOG)).encode()

Serve = Callable[..., StandIn]


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Serve a stand-in as the current cluster, with an empty cache for images."""
    monkeypatch.setenv("OLMSOLVE_IMAGE_CACHE", str(tmp_path / "cache"))
    opened: list[Any] = []

    def start(standin: StandIn | None = None) -> StandIn:
        standin = standin or StandIn()
        running = serving(standin, tmp_path)
        monkeypatch.setenv("KUBECONFIG", str(running.__enter__()))
        opened.append(running)
        return standin

    yield start
    for context in opened:
        context.__exit__(None, None, None)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process."""
    return runner(capsys)


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    """The content of the catalog of the recorded cluster."""
    path = tmp_path / "catalog.json"
    path.write_bytes(TEXT)
    return path


def test_a_cluster_in_one_step(serve: Serve, run: Run, catalog: Path) -> None:
    """The objects of the real OLM, as the real API server answered; nothing but GET reaches it."""
    standin = serve()
    outcome = run("plan", "--cluster", "live", "--catalog", f"{SPACE}/cat={catalog}")
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith(f"Namespace {SPACE}\n  - install plan {SPACE}/install-")
    assert "waits for approval: p.v1.1.0" in outcome.out
    assert outcome.err == ""
    assert standin.methods == {"GET"}
    assert standin.tokens == {"Bearer a-token"}
    outcome = run("simulate", "--cluster", "live:here", "--approve", "--catalog", f"{SPACE}/cat={catalog}")
    assert "subscription p: has p.v1.0.0 > p.v1.1.0" in outcome.out


def test_a_context_that_acts_as_somebody_reads_as_somebody(
    serve: Serve, run: Run, catalog: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The official client passes over ``as``: the answer would have more than kubectl may read."""
    standin = serve()
    written = yaml.safe_load(Path(os.environ["KUBECONFIG"]).read_text("utf-8"))
    user = written["users"][0]["user"]
    user.update({"as": "bob", "as-uid": "7"})
    file = tmp_path / "acting"
    monkeypatch.setenv("KUBECONFIG", str(file))
    file.write_text(json.dumps(written), "utf-8")
    given = ("--catalog", f"{SPACE}/cat={catalog}")
    assert run("plan", "--cluster", "live", *given).code == 0
    assert standin.acts_as == {("bob", "7")}
    user["as-groups"] = ["ops"]
    file.write_text(json.dumps(written), "utf-8")
    outcome = run("plan", "--cluster", "live", *given)
    assert outcome.code == 2
    assert "as-groups of user u cannot be sent, and without it more might be read" in outcome.err


def test_it_is_the_same_as_a_dump_of_it(serve: Serve, tmp_path: Path, catalog: Path) -> None:
    """Who has recorded the cluster gets the same objects; the managers of fields alone are gone."""
    standin = serve(StandIn(page=1))
    live = olmsolve.live_situation("here", catalogs={f"{SPACE}/cat": catalog})
    dump = tmp_path / "dump.json"
    items = [item for listed in standin.lists.values() for item in listed["items"]]
    kinds = {path.rpartition("/")[2]: listed["kind"].removesuffix("List") for path, listed in standin.lists.items()}
    assert kinds["subscriptions"] == "Subscription"
    for path, listed in standin.lists.items():
        for item in listed["items"]:
            item.update(kind=listed["kind"].removesuffix("List"), apiVersion=listed["apiVersion"])
            item["metadata"].pop("managedFields", None)
            assert path
    dump.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": items}), "utf-8")
    recorded = olmsolve.read_situation(dump, catalogs={f"{SPACE}/cat": catalog})
    assert live.cluster is not None
    assert recorded.cluster is not None
    for kind in KINDS:
        one, other = (situation.cluster.state.all(kind) for situation in (live, recorded) if situation.cluster)
        assert [object_.raw for object_ in one] == [object_.raw for object_ in other], kind.KIND
    assert [plan.name for plan in live.cluster.state.all(InstallPlan)]
    assert olmsolve.plan(live).to_dict() == olmsolve.plan(recorded).to_dict()


def test_pages(serve: Serve) -> None:
    """A list comes in pages; where a token of them is too old by then, all of it is asked for at once."""
    standin = serve(StandIn(page=1))
    situation = olmsolve.live_situation()
    assert situation.cluster is not None
    assert len(situation.cluster.state.all(InstallPlan)) == 2
    plans = [path for path in standin.asked if "/installplans" in path]
    assert plans == [f"{OPERATORS}/installplans?limit=500", f"{OPERATORS}/installplans?limit=500&continue=1"]
    expired = serve(StandIn(page=1, expired=1))
    situation = olmsolve.live_situation()
    assert situation.cluster is not None
    assert len(situation.cluster.state.all(InstallPlan)) == 2
    assert [path for path in expired.asked if "/installplans" in path] == [*plans, f"{OPERATORS}/installplans"]


def test_what_may_not_be_read_is_named(serve: Serve, run: Run, catalog: Path) -> None:
    """The answer lacks it, and says so: in one line, whatever the number of kinds."""
    standin = StandIn()
    for kind in ("clusterserviceversions", "catalogsources"):
        standin.refused[f"{OPERATORS}/{kind}"] = 403
    standin.refused["/api/v1/namespaces"] = 403
    serve(standin)
    (fault,) = olmsolve.live_situation().left_out
    assert str(fault).startswith("live: catalogsources, clusterserviceversions, namespaces: may not be read (")
    assert "namespace= reads only one" in str(fault)
    outcome = run("plan", "--cluster", "live", "--namespace", SPACE, "--catalog", f"{SPACE}/cat={catalog}")
    assert outcome.code == 0, outcome.err
    assert "left out, so its objects are missing from the answer: live: namespaces: may not be read" in outcome.err
    assert f"live: catalogsources, clusterserviceversions: may only be read in namespace {SPACE}" in outcome.err
    assert "waits for approval: p.v1.1.0" in outcome.out
    situation = olmsolve.live_situation(namespace=SPACE)
    assert situation.cluster is not None
    state = situation.cluster.state
    assert (len(state.all(ClusterServiceVersion)), len(state.all(CatalogSource)), state.all(Namespace)) == (1, 1, ())
    # Catalogs of the global namespaces are tried as well, since the namespace sees them.
    assert f"{OPERATORS}/namespaces/olm/catalogsources?limit=500" in standin.asked
    for space in (SPACE, "olm", "openshift-marketplace"):
        standin.refused[f"{OPERATORS}/namespaces/{space}/catalogsources"] = 403
    assert "catalogsources, namespaces: may not be read" in str(olmsolve.live_situation(namespace=SPACE).left_out[0])


def test_content_from_the_image_of_a_catalog(serve: Serve, run: Run) -> None:
    """Without --catalog, a CatalogSource says itself where its content is; its blobs are fetched once."""
    layers = tar({"etc/passwd": b"root"}), tar({"configs/p/catalog.json": TEXT})
    registry = SmallRegistry(BuiltImage(*layers))
    standin = StandIn()
    (source,) = standin.lists[f"{OPERATORS}/catalogsources"]["items"]
    source["spec"] = {"sourceType": "grpc", "image": f"{registry.host}/a/b:v1"}
    serve(standin)
    with serving_images(registry):
        for _ in range(2):
            outcome = run("simulate", "--cluster", "live", "--approve")
            assert outcome.code == 0, outcome.err
            assert "subscription p: has p.v1.0.0 > p.v1.1.0" in outcome.out
        blobs = [request for request in registry.requests if "/blobs/" in request]
        assert len(blobs) == len(set(blobs)) > 0
    outcome = run("explain", "--cluster", "live")
    assert outcome.code == 2
    assert f"install plan {SPACE}/install-" in outcome.out
    assert "its content could not be read" in " ".join(outcome.out.split())
    assert outcome.err.count("could not be read") == 1
    assert "the registry cannot be reached" in outcome.err
    assert f"--catalog {SPACE}/cat=PATH gives the file-based catalog" in outcome.err
    ignoring = run("resolve", "--cluster", "live", "--unreadable", "ignore")
    assert ignoring.code == 1  # resolved without the catalog, as the option says


def test_a_catalog_without_an_image(serve: Serve, run: Run) -> None:
    """The recorded one is an address inside of the cluster, which nobody outside can ask."""
    serve()
    outcome = run("resolve", "--cluster", "live")
    assert outcome.code == 2
    assert "waits for approval: p.v1.1.0" in outcome.out
    assert "its content could not be read: it names no image" in outcome.err


def test_a_catalog_that_olm_does_not_reach(serve: Serve) -> None:
    """It has no content on the cluster either, so nobody looks for one."""
    standin = StandIn()
    (source,) = standin.lists[f"{OPERATORS}/catalogsources"]["items"]
    source["status"]["connectionState"]["lastObservedState"] = "TRANSIENT_FAILURE"
    serve(standin)
    situation = olmsolve.live_situation()
    assert situation.cluster is not None
    assert "TRANSIENT_FAILURE" in str(situation.cluster.contents[f"{SPACE}/cat"])


def extension_cluster(image: str) -> StandIn:
    """A cluster with OLM v1 alone: an extension, and a catalog that catalogd serves."""
    standin = StandIn()
    standin.lists = {"/api/v1/namespaces": standin.lists["/api/v1/namespaces"]}
    status = {
        "resolvedSource": {"type": "Image", "image": {"ref": image}},
        "urls": {"base": "https://catalogd-service.olmv1-system.svc/catalogs/main"},
        "conditions": [{"type": "Serving", "status": "True", "reason": "Available"}],
    }
    spec = {"source": {"type": "Image", "image": {"ref": "quay.example.com/main:latest"}}}
    standin.add(f"{V1}/clustercatalogs", {"metadata": {"name": "main"}, "spec": spec, "status": status})
    wish = {"sourceType": "Catalog", "catalog": {"packageName": "p"}}
    spec_of_extension = {"namespace": "p", "serviceAccount": {"name": "p"}, "source": wish}
    standin.add(f"{V1}/clusterextensions", {"metadata": {"name": "p", "uid": "1"}, "spec": spec_of_extension})
    return standin


SERVED: Final = "/api/v1/namespaces/olmv1-system/services/https:catalogd-service:443/proxy/catalogs/main/api/v1/all"


def test_content_from_catalogd(serve: Serve, run: Run) -> None:
    """It is reached through the API server, asked once, and kept by the digest of the catalog."""
    standin = extension_cluster(f"quay.example.com/main@sha256:{'a' * 64}")
    standin.contents[SERVED] = TEXT
    serve(standin)
    for _ in range(2):
        outcome = run("plan", "--cluster", "live")
        assert outcome.code == 0, outcome.err
        assert "p.v1.1.0" in outcome.out
    assert standin.asked.count(SERVED) == 1


def test_catalogd_that_may_not_be_asked(serve: Serve, run: Run) -> None:
    """The image is tried next, and the message says what was tried."""
    standin = extension_cluster(f"127.0.0.1:1/a/main@sha256:{'b' * 64}")
    standin.refused[SERVED] = 403
    serve(standin)
    outcome = run("plan", "--cluster", "live")
    assert outcome.code == 2
    text = " ".join(outcome.err.split())
    assert "catalogd is not reached through the API server: " in text
    assert "the registry cannot be reached" in text
    assert "--catalog main=PATH gives the file-based catalog" in text
    standin.refused.clear()
    standin.contents[SERVED] = b"{"
    outcome = run("plan", "--cluster", "live")
    assert outcome.code == 2
    assert "jsonl" in outcome.err


def test_the_image_counts_where_catalogd_has_no_service(serve: Serve) -> None:
    """An address of another form is none that the API server leads to."""
    standin = extension_cluster("127.0.0.1:1/a/main:v1")
    serve(standin)
    situation = olmsolve.live_situation()
    assert situation.cluster is not None
    with pytest.raises(RequestError, match="the registry cannot be reached"):
        situation.cluster.contents["main"]


def _unauthorized(standin: StandIn) -> None:
    standin.refused = dict.fromkeys(standin.lists, 401)


def _failing(standin: StandIn) -> None:
    standin.refused = dict.fromkeys(standin.lists, 500)


def _empty(standin: StandIn) -> None:
    standin.lists.clear()


def _other(standin: StandIn) -> None:
    standin.contents[f"{OPERATORS}/subscriptions"] = b"<html>"


def _no_list(standin: StandIn) -> None:
    standin.contents[f"{OPERATORS}/subscriptions"] = b"{}"


FAULTS: Final = {
    "the API server refuses the credentials of this context (kubectl auth whoami": _unauthorized,
    "the API server answers with status 500: ": _failing,
    "OLM is not there: the API server has neither operators.coreos.com nor olm.operatorframework.io": _empty,
    f"{OPERATORS}/subscriptions is not a JSON object: this is not an API server": _other,
    f"{OPERATORS}/subscriptions is not a list of objects": _no_list,
}


@pytest.mark.parametrize("message", list(FAULTS))
def test_servers_that_are_no_help(serve: Serve, run: Run, message: str) -> None:
    """One line says what is wrong."""
    standin = StandIn()
    FAULTS[message](standin)
    serve(standin)
    outcome = run("plan", "--cluster", "live")
    assert outcome.code == 2
    assert outcome.out == ""
    assert message in outcome.err


def test_contexts_that_do_not_work(serve: Serve, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelt context, a server that is gone, and no kubeconfig at all."""
    serve()
    outcome = run("plan", "--cluster", "live:heer")
    assert outcome.code == 2
    assert "live:heer: there is no such cluster: " in outcome.err
    assert "kubectl config get-contexts lists the contexts" in outcome.err
    outcome = run("plan", "--cluster", "live:gone")
    assert outcome.code == 2
    assert "live:gone: the API server cannot be reached: " in outcome.err
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert "live: there is no such cluster: " in run("plan", "--cluster", "live").err


def test_without_credentials(serve: Serve, catalog: Path) -> None:
    """A context may have none: a proxy beside the cluster adds them."""
    standin = serve()
    olmsolve.live_situation("nobody", catalogs={f"{SPACE}/cat": catalog})
    assert standin.tokens == {None}


def test_a_limit(serve: Serve) -> None:
    """A slow server keeps no caller."""
    serve()
    with pytest.raises(Incomplete):
        olmsolve.live_situation(timeout=1e-6)


def test_the_client_is_an_extra(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has no cluster needs none of it, and who has one is told what to install."""
    monkeypatch.setitem(sys.modules, "kubernetes.client", None)
    outcome = run("plan", "--cluster", "live")
    assert outcome.code == 2
    assert "live: a running cluster needs the Kubernetes client (pip install 'olmsolve[live]')" in outcome.err


def test_a_file_of_that_name_comes_first(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's dump becomes unreadable."""
    monkeypatch.chdir(tmp_path)
    Path("live").write_text("kind: Namespace\napiVersion: v1\nmetadata: {name: a}\n", "utf-8")
    assert "no subscriptions and no extensions" in run("plan", "--cluster", "live").err


def test_running_clusters_in_a_fleet(serve: Serve, run: Run, catalog: Path) -> None:
    """A change is gated against the cluster as it is now; the content of its catalogs is given, as for all others."""
    standin = StandIn()
    standin.refused["/api/v1/namespaces"] = 403
    serve(standin)
    given = ("--catalog", f"{SPACE}/cat={catalog}", "--approve", "-o", "json")
    outcome = run("impact", "--clusters", "live:here", *given)
    assert outcome.code == 0, outcome.err
    report = json.loads(outcome.out)
    assert report["classes"][0]["clusters"] == ["live:here"]
    assert "live:here: namespaces: may not be read" in outcome.err


def test_as_a_plugin_of_kubectl(serve: Serve, run: Run, catalog: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`kubectl olmsolve plan` is about the cluster at hand, and otherwise the same program."""
    serve()
    assert "--cluster" in run("plan", "--catalog", f"{SPACE}/cat={catalog}").err
    monkeypatch.setattr(sys, "argv", ["/usr/local/bin/kubectl-olmsolve"])
    outcome = run("plan", "--catalog", f"{SPACE}/cat={catalog}")
    assert outcome.code == 0, outcome.err
    assert "waits for approval: p.v1.1.0" in outcome.out
    outcome = run("resolve", "--subscribe", "p", "--catalog", f"cat={catalog}")
    assert outcome.out.startswith("1 bundle to install")


RBAC: Final = "/apis/rbac.authorization.k8s.io/v1"
ACCOUNTS: Final = (
    *("/api/v1/serviceaccounts", f"{RBAC}/roles", f"{RBAC}/rolebindings", f"{RBAC}/clusterroles"),
    *(f"{RBAC}/clusterrolebindings", "/apis/apps/v1/deployments"),
)


def with_accounts(image: str, *accounts: str) -> StandIn:
    """A cluster of OLM v1 whose extension wants the account p of namespace p, and whose *accounts* are listed."""
    standin = extension_cluster(f"quay.example.com/main@sha256:{'a' * 64}")
    standin.contents[SERVED] = TEXT
    kinds = ("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding", "Deployment")
    for path, kind in zip(ACCOUNTS, kinds, strict=True):
        version = path.rpartition("/")[0].removeprefix("/apis/").removeprefix("/api/")
        standin.lists[path] = {"kind": f"{kind}List", "apiVersion": version, "items": []}
    for name in ("default", *accounts):
        metadata = {"name": name, "namespace": "p", "uid": f"uid-{name}"}
        standin.lists[ACCOUNTS[0]]["items"].append({"metadata": metadata})
    subject = {"kind": "ServiceAccount", "name": "default", "namespace": "p"}
    for path, kind in ((ACCOUNTS[2], "Role"), (ACCOUNTS[4], "ClusterRole")):
        role = {"kind": kind, "name": "some", "apiGroup": "rbac.authorization.k8s.io"}
        binding = {"metadata": {"name": "b", "namespace": "p"}, "subjects": [subject], "roleRef": role}
        standin.lists[path]["items"].append(binding)
    container = {"image": image}
    for name in ("operator-controller-controller-manager", "shop"):
        deployment = {
            "metadata": {"name": name, "namespace": "olmv1-system"},
            "spec": {"template": {"spec": {"containers": [container]}}},
        }
        standin.lists[ACCOUNTS[5]]["items"].append(deployment)
    return standin


def test_accounts_are_looked_at(serve: Serve, run: Run) -> None:
    """Foresight about accounts worked with dumps alone: a running cluster was not asked for them."""
    serve(with_accounts("quay.io/operator-framework/operator-controller:v1.5.0"))
    outcome = run("resolve", "--cluster", "live")
    assert outcome.code == 1
    assert 'service account "p" not found' in outcome.out
    assert outcome.err == ""
    situation = olmsolve.live_situation()
    assert situation.cluster is not None
    # Of all deployments, only the controller's is read.
    assert [other.name for other in situation.cluster.state.others if other.kind == "Deployment"] == [
        "operator-controller-controller-manager"
    ]


def test_a_controller_that_ignores_accounts(serve: Serve, run: Run) -> None:
    """From 1.11 on nobody asks whether the account is there: its image tells."""
    serve(with_accounts("quay.io/operator-framework/operator-controller:v1.11.0"))
    assert run("resolve", "--cluster", "live").code == 0


@pytest.mark.parametrize("path", ACCOUNTS)
def test_accounts_that_may_not_be_read_are_unknown(serve: Serve, run: Run, path: str) -> None:
    """A part of what says who may do what would show a right as missing: nothing is said about accounts then."""
    standin = with_accounts("quay.io/operator-framework/operator-controller:v1.5.0")
    standin.refused[path] = 403
    serve(standin)
    outcome = run("resolve", "--cluster", "live")
    assert outcome.code == 0, outcome.out
    plural = path.rpartition("/")[2]
    message = f"live: {plural}: may not be read, so what accounts may do is unknown, and every step counts as allowed"
    assert message in outcome.err


def test_a_project_takes_the_catalogs_of_a_running_cluster(serve: Serve) -> None:
    """Names, priorities and digests are those of now; a catalog without an image and without a file is left out."""
    standin = extension_cluster(f"quay.example.com/main@sha256:{'a' * 64}")
    source = {
        "metadata": {"name": "cat", "namespace": "olm"},
        "spec": {"image": "quay.example.com/cat:v1", "priority": 7},
    }
    bare = {"metadata": {"name": "bare", "namespace": "olm"}, "spec": {"address": "cat:50051"}}
    standin.lists[f"{OPERATORS}/catalogsources"] = {
        "kind": "CatalogSourceList",
        "apiVersion": "operators.coreos.com/v1alpha1",
        "items": [source, bare],
    }
    serve(standin)
    named = olmsolve.Project("olmsolve.toml", cluster=("live",)).catalogs_of_cluster()
    assert {name: (catalog.path, catalog.priority) for name, catalog in named.items()} == {
        "olm/cat": ("quay.example.com/cat:v1", 7),
        "main": (f"quay.example.com/main@sha256:{'a' * 64}", 0),
    }
