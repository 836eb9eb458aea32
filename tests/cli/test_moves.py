"""``olmsolve migrate --write``: the objects of a move to OLM v1, its commands in their order, and the way back."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from olmsolve import v1
from olmsolve.catalog import Bundle
from olmsolve.cluster import ClusterState
from olmsolve.cluster.extensions import ObjectsAreOwned, admission_fault, foreign_objects
from olmsolve.cluster.objects import ClusterExtension, read_manifests
from olmsolve.predicates import Property
from tests.cli.commands import Run
from tests.cli.small_cluster import blobs, catalog_source, namespace, write
from tests.yaml_files import yaml_documents

CLASSIC = ("--catalog", "olm/cat=catalog.json")
DEFINITION = "etcds.etcd.example.com"
RULE = {"apiGroups": ["etcd.example.com"], "resources": ["etcds"], "verbs": ["get"]}
SPEC: dict[str, Any] = {
    "version": "1.0.0",
    "installModes": [{"type": "AllNamespaces", "supported": True}],
    "customresourcedefinitions": {"owned": [{"name": DEFINITION, "version": "v1", "kind": "Etcd"}]},
    "webhookdefinitions": [{"type": "ValidatingAdmissionWebhook", "generateName": "vetcd.example.com"}],
    "install": {
        "strategy": "deployment",
        "spec": {
            "deployments": [{"name": "controller", "spec": {}}],
            "clusterPermissions": [{"serviceAccountName": "etcd-sa", "rules": [RULE]}],
        },
    },
}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def moved(olmsolve: Run, **subscription: Any) -> tuple[Path, str]:
    """Write the move of an operator with a definition, and return its folder and what the command printed."""
    group, wish, operator = namespace()
    wish["spec"].update(subscription)
    dump = write(group, wish, {**operator, "spec": SPEC}, catalog_source())
    outcome = olmsolve("migrate", *dump, *CLASSIC, "--namespace", "shop", "--write", "moves")
    assert (outcome.code, outcome.err) == (1, "")
    return Path("moves/shop-etcd"), " ".join(outcome.out.split())


def objects(path: Path) -> dict[str, dict[str, Any]]:
    """Return the objects in the file *path* by kind."""
    return {document["kind"]: document for document in yaml_documents(path)}


def test_the_extension_begins_with_what_is_installed(olmsolve: Run) -> None:
    """Without the pin it would jump to the top; an API server has to take it, and the catalog is the subscription's."""
    folder, _ = moved(olmsolve)
    (extension,) = objects(folder / "extension.yaml").values()
    assert admission_fault(extension) == ""
    catalog = extension["spec"]["source"]["catalog"]
    assert (catalog["packageName"], catalog["version"], catalog["channels"]) == ("etcd", "1.0.0", ["stable"])
    (cluster_catalog,) = objects(folder / "catalog.yaml").values()
    assert admission_fault(cluster_catalog) == ""
    assert cluster_catalog["spec"]["source"]["image"]["ref"] == "quay.example.com/cat:latest"
    assert catalog["selector"]["matchLabels"] == {
        "olm.operatorframework.io/metadata.name": cluster_catalog["metadata"]["name"]
    }


def test_the_installer_may_grant_what_the_operator_needs(olmsolve: Run) -> None:
    """Kubernetes lets nobody grant what he may not do: PreflightPermissions refuses an installer with less."""
    folder, _ = moved(olmsolve)
    rights = objects(folder / "rights.yaml")
    assert list(rights) == ["Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding"]
    extension = objects(folder / "extension.yaml")["ClusterExtension"]["spec"]
    account = rights["ServiceAccount"]["metadata"]
    assert (account["name"], account["namespace"]) == (extension["serviceAccount"]["name"], extension["namespace"])
    assert rights["ClusterRoleBinding"]["subjects"] == [{"kind": "ServiceAccount", **account}]
    rules = rights["ClusterRole"]["rules"]
    assert RULE in rules
    named = {rule["resources"][0]: rule.get("resourceNames") for rule in rules if "delete" in rule["verbs"]}
    assert named["customresourcedefinitions"] == [DEFINITION]
    assert (named["deployments"], named["serviceaccounts"]) == (["controller"], ["etcd-sa"])
    # Their names hold a hash, which changes with the rules of the next version.
    assert named["clusterroles"] is named["clusterrolebindings"] is None


def test_the_steps_stand_in_an_order_that_works(olmsolve: Run) -> None:
    """Two operators of one package must never run, and the definitions are handed over before the extension comes."""
    folder, _ = moved(olmsolve)
    text = (folder / "steps.md").read_text("utf-8")
    forward, _, back = text.partition("## Way back")
    order = [
        "-o yaml > before.yaml",
        "kubectl apply -f catalog.yaml",
        "kubectl delete subscriptions.operators.coreos.com etcd -n shop",
        "kubectl delete clusterserviceversions etcd.v1 -n shop",
        "kubectl wait --for=delete serviceaccount/etcd-sa deployment/controller -n shop",
        f"kubectl label crds {DEFINITION}",
        f"kubectl annotate crds {DEFINITION}",
        "kubectl apply -f rights.yaml",
        "kubectl apply -f extension.yaml",
        '"version": "2.0.0"',
        '"version": "3.0.0"',
        '"op": "remove"',
    ]
    assert sorted(order, key=forward.index) == order
    order = ["--cascade=orphan", "kubectl delete secrets", f"kubectl label crds {DEFINITION}", "apply -f back.yaml"]
    assert sorted(order, key=back.index) == order
    (subscription,) = objects(folder / "back.yaml").values()
    assert subscription["spec"]["startingCSV"] == "etcd.v1"
    assert "status" not in subscription
    assert "supports no migration" in text


def manifests(version: int, *resources: str) -> list[dict[str, Any]]:
    """Return the property with the operator of a version of the package, which needs these *resources*."""
    rule = {"apiGroups": ["etcd.example.com"], "resources": list(resources), "verbs": ["get"]}
    install = {
        "strategy": "deployment",
        "spec": {"clusterPermissions": [{"serviceAccountName": "etcd-sa", "rules": [rule]}]},
    }
    spec = {"installModes": SPEC["installModes"], "install": install}
    operator = {"kind": "ClusterServiceVersion", "metadata": {"name": f"etcd.v{version}"}, "spec": spec}
    data = base64.b64encode(json.dumps(operator).encode()).decode()
    return [{"type": "olm.bundle.object", "value": {"data": data}}]


@pytest.mark.parametrize(("last", "is_told"), [(True, False), (False, True)], ids=["all known", "one unknown"])
def test_the_role_allows_what_later_versions_need(olmsolve: Run, last: bool, is_told: bool) -> None:
    """As far as their manifests are at hand; an update would fail for want of rights, before v1.11.0."""
    ways: dict[str, Any] = {
        "v2": manifests(2, "leases", "backups"),
        **({"v3": manifests(3, "restores")} if last else {}),
    }
    group, wish, operator = namespace()
    dump = write(group, wish, {**operator, "spec": SPEC}, catalog_source(), catalog=blobs(**ways))
    olmsolve("migrate", *dump, *CLASSIC, "--namespace", "shop", "--write", "moves")
    folder = Path("moves/shop-etcd")
    rules = objects(folder / "rights.yaml")["ClusterRole"]["rules"]
    resources = [rule["resources"] for rule in rules]
    assert ["etcds"] in resources
    assert ["leases", "backups"] in resources
    assert (["restores"] in resources) == last
    assert len(rules) == len({json.dumps(rule, sort_keys=True) for rule in rules})
    text = (folder / "steps.md").read_text("utf-8")
    assert ("the others may need more, and the controller then says what it may not do" in text) == is_told


def test_a_channel_that_no_extension_can_name(olmsolve: Run) -> None:
    """It moves all the same: without channels, and from pin to pin, since an open range would leave the channel."""
    catalog = json.loads(json.dumps(blobs()).replace('"stable"', '"Stable"'))
    beta = {"name": "etcd.v4", "replaces": "etcd.v3"}
    newer = json.loads(json.dumps(blobs(versions=4)[-1]))
    catalog += [{"schema": "olm.channel", "package": "etcd", "name": "beta", "entries": [beta]}, newer]
    wish = json.loads(json.dumps(namespace(everywhere=True)).replace('"stable"', '"Stable"'))
    dump = write(*wish, catalog_source(), catalog=catalog)
    outcome = olmsolve("migrate", *dump, *CLASSIC, "--namespace", "shop", "--write", "moves")
    (extension,) = objects(Path("moves/shop-etcd/extension.yaml")).values()
    assert admission_fault(extension) == ""
    assert extension["spec"]["source"]["catalog"]["version"] == "1.0.0"
    assert "channels" not in extension["spec"]["source"]["catalog"]
    text = Path("moves/shop-etcd/steps.md").read_text("utf-8")
    assert '"version": "3.0.0"' in text
    assert "4.0.0" not in text
    assert '"op": "remove"' not in text
    assert "No extension can name channel Stable, so keep the version" in text
    assert "to begin with etcd.v1, pin version to 1.0.0 first" in " ".join(outcome.out.split())
    assert "without the pin" not in outcome.out


def test_the_way_back_leaves_nothing_of_the_move(olmsolve: Run) -> None:
    """As carried out once on a real cluster: the installer's rights go as well, and the older bundle is a downgrade."""
    folder, _ = moved(olmsolve)
    _, _, back = (folder / "steps.md").read_text("utf-8").partition("## Way back")
    assert "kubectl delete serviceaccount etcd-installer -n shop" in back
    assert "kubectl delete clusterrole,clusterrolebinding etcd-installer" in back
    assert "It begins with etcd.v1, which was installed before the move." in back
    assert "that is a downgrade" in back


def test_what_was_approved_by_hand_stays_pinned(olmsolve: Run) -> None:
    """OLM v1 approves everything in the range: only a pin waits for a person."""
    folder, remarks = moved(olmsolve, installPlanApproval="Manual", config={"env": [{"name": "A", "value": "b"}]})
    text = (folder / "steps.md").read_text("utf-8")
    assert '"version": "3.0.0"' in text
    assert '"op": "remove"' not in text
    assert "OLM v1 has no manual approval" in remarks
    assert "spec.config (env) is lost" in remarks


def test_the_remarks_say_what_changes(olmsolve: Run) -> None:
    """An administrator has to know before the move what no extension does as the subscription did."""
    _, text = moved(olmsolve)
    assert "its operator group serves shop, and OLM v1 installs for all namespaces" in text
    assert "it has webhooks (vetcd.example.com)" in text
    assert f"classic OLM leaves {DEFINITION} behind" in text


def test_an_operator_that_cannot_move_gets_no_folder(olmsolve: Run) -> None:
    """Objects that OLM v1 refuses would only take classic OLM away."""
    needs = {"type": "olm.package.required", "value": {"packageName": "vault", "versionRange": ">=1.0.0"}}
    catalog = [*blobs(v1=[needs]), *blobs("vault", 1)]
    dump = write(*namespace(), catalog_source(), catalog=catalog)
    olmsolve("migrate", *dump, *CLASSIC, "--namespace", "shop", "--write", "moves")
    assert not Path("moves").exists()


def test_a_folder_that_cannot_be_written_is_named(olmsolve: Run) -> None:
    """A file stands where the folder would be."""
    dump = write(*namespace(), catalog_source())
    Path("moves").write_text("", "utf-8")
    outcome = olmsolve("migrate", *dump, *CLASSIC, "--namespace", "shop", "--write", "moves")
    assert outcome.code == 2
    assert "moves/shop-etcd: cannot be written" in outcome.err.replace("\n", " ")


@pytest.mark.parametrize(
    "name",
    ["../../evil", "x/../../evil", "/evil", "..", "a\0b", "n" * 300, "--all", "$(touch a)", "a\n\n```", "`touch a`"],
)
@pytest.mark.parametrize("kind", ["Subscription", "Namespace", "ClusterServiceVersion", "definition", "deployment"])
def test_names_that_no_cluster_has_are_refused(
    olmsolve: Run, kind: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dump and a catalog may have any names, and these would lead out of the folder, or be commands in its steps."""
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    objects = namespace()
    group, wish, operator = objects
    spec = json.loads(json.dumps(SPEC))
    catalog = blobs()
    match kind:
        case "Subscription":
            wish["metadata"]["name"] = name
        case "Namespace":
            for object_ in objects:
                object_["metadata"]["namespace"] = name
        case "ClusterServiceVersion":
            operator["metadata"]["name"] = name
            wish["status"]["installedCSV"] = name
            catalog = json.loads(json.dumps(catalog).replace('"etcd.v1"', json.dumps(name)))
        case "definition":
            spec["customresourcedefinitions"]["owned"][0]["name"] = f"etcds.{name}"
        case _:
            spec["install"]["spec"]["deployments"][0]["name"] = name
    dump = write(group, wish, {**operator, "spec": spec}, catalog_source(), catalog=catalog)
    where = name if kind == "Namespace" else "shop"
    outcome = olmsolve("migrate", *dump, *CLASSIC, f"--namespace={where}", "--write", "moves")
    assert outcome.code == 2
    assert "no object of Kubernetes can have the name" in " ".join(outcome.err.split())
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["catalog.json", "dump.yaml", "inner"]


@pytest.mark.parametrize("link", ["moves/shop-etcd", "moves/shop-etcd/steps.md", "moves/shop-etcd/extension.yaml"])
def test_links_in_the_folder_are_not_followed(olmsolve: Run, link: str, tmp_path: Path) -> None:
    """Whoever may write to the folder would have files made wherever the user may write."""
    (tmp_path / "outside").mkdir()
    Path(link).parent.mkdir(parents=True)
    Path(link).symlink_to(tmp_path / "outside" / "" if link.endswith("etcd") else tmp_path / "outside" / "made")
    group, wish, operator = namespace()
    dump = write(group, wish, {**operator, "spec": SPEC}, catalog_source())
    outcome = olmsolve("migrate", *dump, *CLASSIC, "--namespace", "shop", "--write", "moves")
    assert list((tmp_path / "outside").iterdir()) == []
    if link.endswith("etcd"):
        assert outcome.code == 2
        assert "moves/shop-etcd: cannot be written: a link, which may lead anywhere" in " ".join(outcome.err.split())
    else:
        assert outcome.code == 1
        assert not Path(link).is_symlink()


def test_a_channel_with_markup_is_not_quoted(olmsolve: Run) -> None:
    """The steps are Markdown, which a browser may show."""
    channel = "![x](https://example.com/y)"
    catalog = json.loads(json.dumps(blobs()).replace('"stable"', json.dumps(channel)))
    wish = json.loads(json.dumps(namespace(everywhere=True)).replace('"stable"', json.dumps(channel)))
    dump = write(*wish, catalog_source(), catalog=catalog)
    olmsolve("migrate", *dump, *CLASSIC, "--namespace", "shop", "--write", "moves")
    text = Path("moves/shop-etcd/steps.md").read_text("utf-8")
    assert "No extension can name its channel, so keep the version" in text
    assert "example.com/y" not in text


RECORDED = json.loads((Path(__file__).parent / "handover.json").read_text("utf-8"))


@pytest.mark.parametrize("phase", RECORDED["phases"], ids=lambda phase: phase["title"])
def test_definitions_are_handed_over_as_recorded(phase: dict[str, Any]) -> None:
    """A run of the real controller: the definition that classic OLM left behind, bare and with the release's labels."""
    (definition, extension) = read_manifests([(phase["definition"], None), (RECORDED["extension"], None)])
    assert isinstance(extension, ClusterExtension)
    owners = foreign_objects(ClusterState.of([definition, extension]), extension)
    request = v1.ExtensionRequest(
        v1.Extension("shop"), [], settings=v1.InstallSettings(namespace=extension.install_namespace)
    )
    described = {"crdDescriptions": {"owned": [{"name": definition.name, "version": "v1", "kind": "Shop"}]}}
    bundle = Bundle("shop", "shop.v1.0.0", (Property("olm.csv.metadata", described),))
    refusal = ObjectsAreOwned(owners)(bundle, request)
    assert ("" if refusal is None else refusal.message) == phase["refusal"]
