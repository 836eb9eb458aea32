"""The gate of a GitOps repository: kustomizations, other kinds, deletions, and slips that an API server refuses."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

import olmsolve
from olmsolve.lifecycle.impact import Gate, changed_objects, read_changes
from olmsolve.requests import RecordedCluster
from tests.deep_folders import folders_in_each_other
from tests.impact.fleets import KEY
from tests.impact.tangled import SOURCE
from tests.impact.test_changes import HISTORY, LAB, SHOP
from tests.simulation.small_clusters import group, subscription

# A stand-in for kustomize: the resources of a folder, those of its bases included, in the namespace that it names.
KUSTOMIZE: Final = f"""#!{sys.executable}
import pathlib, sys, yaml

def rendered(folder):
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    for resource in kustomization.get("resources", ()):
        path = folder / resource
        for manifest in rendered(path) if path.is_dir() else yaml.safe_load_all(path.read_text()):
            if "namespace" in kustomization:
                manifest["metadata"]["namespace"] = kustomization["namespace"]
            yield manifest
    if "broken" in kustomization:
        sys.exit("Error: no such thing as broken")

print(yaml.safe_dump_all(rendered(pathlib.Path(sys.argv[2]))))
"""
CONFIG_MAP: Final = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "b"}}


@pytest.fixture
def kustomize(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The only program on the path."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "kustomize").write_text(KUSTOMIZE, "utf-8")
    (programs / "kustomize").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))


@pytest.fixture
def silent_on_apps(kustomize: None, tmp_path: Path) -> None:
    """The same, but it prints nothing of a folder ``apps``, whose fields the stand-in need not know."""
    program = tmp_path / "programs" / "kustomize"
    other = program.rename(tmp_path / "programs" / "stand-in")
    program.write_text(f'#!/bin/sh\ncase "$2" in */apps) ;; *) exec {other} "$@" ;; esac\n', "utf-8")
    program.chmod(0o755)


def written(folder: Path, files: dict[str, Any]) -> Path:
    """Write *files*: texts as they are, lists as several documents, other values as one."""
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        several = value if isinstance(value, list) else [value]
        path.write_text(value if isinstance(value, str) else yaml.safe_dump_all(several), "utf-8")
    return folder


def repository(folder: Path, channel: str = "beta", namespace: str = "shop") -> Path:
    """A base, an overlay for production, plain files, values and a chart, as such repositories have them."""
    wish = subscription("unset", "ledger")
    wish["spec"]["channel"] = channel
    del wish["metadata"]["namespace"]
    return written(
        folder,
        {
            "base/kustomization.yaml": {"resources": ["subscription.yaml", "settings.yaml"]},
            "base/subscription.yaml": wish,
            "base/settings.yaml": CONFIG_MAP,
            "base/forgotten.yaml": {"kind": "Nothing", "apiVersion": "example.com/v1", "metadata": {"name": "x"}},
            "prod/kustomization.yaml": {
                "namespace": namespace,
                "resources": ["../base"],
                "patches": [{"path": "../patches/prod.yaml"}, {"patch": "- op: replace\n  path: /a"}],
            },
            "patches/prod.yaml": {"metadata": {"name": "unread"}},
            "extra/kustomization.yaml": {"kind": "Component", "resources": []},
            "plain/lab.yaml": [*LAB, group("lab")],
            "plain/values.yaml": {"replicas": 3},
            "chart/Chart.yaml": {"name": "chart"},
            "chart/templates/all.yaml": "kind: {{ .Values.kind }}",
            ".github/workflows/ci.yaml": {"on": "push"},
            "README.md": "# Nothing",
        },
    )


def gated(changes: list[Any], before: list[Any] | None = None, **more: Any) -> olmsolve.ImpactReport:
    """The report on a cluster with the operator ledger in the namespace shop."""
    content = {KEY: HISTORY}
    clusters = [RecordedCluster("one", tuple(SHOP))]
    return olmsolve.impact(
        clusters, before=content, after=content, changes=changes, changes_before=before or (), **more
    )


@pytest.mark.usefixtures("kustomize")
def test_a_repository_is_applied_as_it_is(tmp_path: Path) -> None:
    """The overlay is rendered and its base is not, other kinds and values are passed over, and a chart is named."""
    folder = repository(tmp_path / "apps")
    report = gated([folder])
    applied = [(change.kind, change.namespace, change.name, change.clusters) for change in report.reached]
    assert applied == [
        ("Subscription", "shop", "ledger", 1),
        ("Namespace", "", "lab", 1),
        ("OperatorGroup", "lab", "og", 1),
    ]
    assert [(skipped.kind, skipped.count) for skipped in report.skipped] == [("ConfigMap", 1)]
    assert report.charts == (str(folder / "chart"),)
    (operator,) = report.classes[0].impact.operators
    assert operator.after == "ledger.v2.0.0"
    text = olmsolve.render.impact_text(report, width=200)
    assert "not applied: 1 ConfigMap" in text
    assert f"not read: {folder / 'chart'} is a chart of Helm; render it first" in text
    # The folder of the overlay, or its file, is the same without the rest.
    for path in (folder / "prod", folder / "prod" / "kustomization.yaml"):
        assert [object_.name for object_ in read_changes([path]).objects] == ["ledger"]


@pytest.mark.usefixtures("kustomize")
def test_what_cannot_be_rendered_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is named, in the words of the program, and with what to install where there is none."""
    folder = written(tmp_path / "apps", {"kustomization.yaml": {"broken": True, "resources": []}})
    message = "kustomize build ends with 1: Error: no such thing as broken"
    with pytest.raises(olmsolve.ManifestError, match=message) as raised:
        read_changes([folder])
    assert str(raised.value).startswith(f"{folder}: ")
    program = tmp_path / "programs" / "kustomize"
    program.write_text(f"#!{sys.executable}\nprint(end='#' * ({64 << 20} + 1))\n", "utf-8")
    with pytest.raises(olmsolve.ManifestError, match="kustomize build prints more than 67,108,864 bytes"):
        read_changes([folder])
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(olmsolve.ManifestError, match="neither kustomize nor kubectl is installed to render it"):
        read_changes([folder])


def test_a_folder_is_no_option_of_kustomize(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens a pull request chooses the names of folders, and ``--helm-command=./evil`` is a path as well."""
    program = f'#!/bin/sh\necho "$@" >> {tmp_path}/given\n'
    programs = written(tmp_path / "programs", {"kustomize": program})
    (programs / "kustomize").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/bin:/usr/bin")
    names = ("--helm-command=.", "-o.", "--load-restrictor=LoadRestrictionsNone")
    folder = written(tmp_path / "apps", {f"{name}/evil/kustomization.yaml": {"resources": []} for name in names})
    written(folder, {"a.yaml": group("shop")})
    monkeypatch.chdir(folder)
    assert [object_.name for object_ in read_changes(["."]).objects] == ["og"]
    given = (tmp_path / "given").read_text("utf-8").splitlines()
    assert sorted(given) == sorted(f"build {folder}/{name}/evil" for name in names)


def test_what_kustomize_starts_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It starts git for bases in other repositories, and a fetch may take for ever."""
    program = f"#!/bin/sh\n(sleep 1; touch {tmp_path}/alive) &\nsleep 60\n"
    programs = written(tmp_path / "programs", {"kustomize": program})
    (programs / "kustomize").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/bin:/usr/bin")
    folder = written(tmp_path / "apps", {"kustomization.yaml": {"resources": []}})
    with pytest.raises(olmsolve.Incomplete), olmsolve.limited(timeout=0.3):
        read_changes([folder])
    time.sleep(1.0)
    assert not (tmp_path / "alive").exists()


@pytest.mark.usefixtures("kustomize")
def test_kustomizations_in_a_circle_hide_nothing(tmp_path: Path) -> None:
    """Each of them would be the base of another one, and a gate would look at what lies beside them alone."""
    files = {f"{name}/kustomization.yaml": {"resources": [f"../{other}"]} for name, other in ("ab", "bc", "ca")}
    folder = written(tmp_path / "apps", {**files, "plain.yaml": group("shop")})
    with pytest.raises(olmsolve.ManifestError, match="a: is used only by kustomizations that it uses itself"):
        read_changes([folder])


def named(folder: Path, kustomization: dict[str, Any]) -> list[str]:
    """The namespaces of the groups that *folder* applies, with *kustomization* in its folder ``apps``.

    Beside it are ``shop``, which is another kustomization, and ``plain.yaml``, which lies in none.
    """
    written(
        folder,
        {
            "apps/kustomization.yaml": kustomization,
            "apps/shop/kustomization.yaml": {"resources": ["group.yaml"]},
            "apps/shop/group.yaml": group("in-shop"),
            "plain.yaml": group("plain"),
        },
    )
    return sorted(object_.namespace for object_ in read_changes([folder]).objects)


NAMES_OF_NOTHING: Final[tuple[dict[str, Any], ...]] = (
    {"namespace": "shop"},
    {"namePrefix": "shop"},
    {"nameSuffix": "../plain.yaml"},
    {"labels": [{"pairs": {"app": "shop"}}]},
    {"commonAnnotations": {"home": "../plain.yaml", "more": "../plain.yaml"}},
    {"images": [{"name": "shop", "newName": "../plain.yaml"}]},
    {"metadata": {"name": "shop"}},
    {"buildMetadata": ["shop", "../plain.yaml"]},
    {"patches": [{"patch": "../plain.yaml", "target": {"name": "shop"}}]},
    {"patches": [{"path": "shop"}]},
    {"patchesJson6902": [{"path": "shop"}]},
    {"configMapGenerator": [{"name": "shop", "literals": ["../plain.yaml", "a=../plain.yaml"], "files": ["shop"]}]},
    {"crds": ["shop"], "openapi": {"path": "shop"}},
    {"replacements": [{"source": {"name": "shop", "fieldPath": "../plain.yaml"}}]},
    {"resources": "shop", "components": {"../plain.yaml": "shop"}, "patches": "shop", "openapi": ["../plain.yaml"]},
    {"patches": [{"patch": "x" * 300}, {"patch": "\0"}], "resources": [None, 3]},
)


@pytest.mark.usefixtures("silent_on_apps")
@pytest.mark.parametrize("kustomization", NAMES_OF_NOTHING, ids=lambda kustomization: next(iter(kustomization)))
def test_a_name_in_a_kustomization_is_no_use(kustomization: dict[str, Any], tmp_path: Path) -> None:
    """A namespace, a label or a literal that is called as a folder hid this folder from the gate."""
    assert named(tmp_path, kustomization) == ["in-shop", "plain"]


USES_OF_FILES: Final[tuple[dict[str, Any], ...]] = (
    {"resources": ["../plain.yaml"]},
    {"bases": ["../plain.yaml"]},
    {"components": ["../plain.yaml"]},
    {"generators": ["../plain.yaml"]},
    {"transformers": ["../plain.yaml"]},
    {"validators": ["../plain.yaml"]},
    {"crds": ["../plain.yaml"]},
    {"configurations": ["../plain.yaml"]},
    {"patchesStrategicMerge": ["kind: x\n", "../plain.yaml"]},
    {"patches": [{"path": "../plain.yaml"}]},
    {"patchesJson6902": [{"path": "../plain.yaml"}]},
    {"replacements": [{"path": "../plain.yaml"}]},
    {"openapi": {"path": "../plain.yaml"}},
    {"configMapGenerator": [{"files": ["../plain.yaml"]}]},
    {"configMapGenerator": [{"files": ["key=../plain.yaml"]}]},
    {"secretGenerator": [{"envs": ["../plain.yaml"]}]},
    {"secretGenerator": [{"env": "../plain.yaml"}]},
    {"helmCharts": [{"valuesFile": "../plain.yaml"}]},
    {"helmCharts": [{"additionalValuesFiles": ["../plain.yaml"]}]},
    {"helmChartInflationGenerator": [{"values": "../plain.yaml"}]},
)


@pytest.mark.usefixtures("silent_on_apps")
@pytest.mark.parametrize("kustomization", USES_OF_FILES, ids=lambda kustomization: next(iter(kustomization)))
def test_each_field_that_names_a_file_uses_it(kustomization: dict[str, Any], tmp_path: Path) -> None:
    """The fields are those of the reference of kustomize, and the file is not applied by itself."""
    assert named(tmp_path, kustomization) == ["in-shop"]


@pytest.mark.usefixtures("silent_on_apps")
@pytest.mark.parametrize("field", ["resources", "bases", "components", "generators", "transformers", "validators"])
def test_each_field_that_names_a_folder_uses_it(field: str, tmp_path: Path) -> None:
    """The folder's kustomization is rendered as a part of this one alone."""
    assert named(tmp_path, {field: ["shop", "https://example.com/shop?ref=v1", "missing"]}) == ["plain"]


@pytest.mark.usefixtures("kustomize")
def test_a_component_that_nothing_uses_hides_nothing(tmp_path: Path) -> None:
    """A component is not applied by itself, so what it names is applied only where something uses the component."""
    component = {"kind": "Component", "resources": ["shop", "../plain.yaml"]}
    assert named(tmp_path, component) == ["in-shop", "plain"]
    written(tmp_path, {"more/kustomization.yaml": {"kind": "Component", "components": ["../apps"]}})
    assert named(tmp_path, component) == ["in-shop", "plain"]
    written(tmp_path, {"live/kustomization.yaml": {"components": ["../more"], "resources": ["own.yaml"]}})
    written(tmp_path, {"live/own.yaml": group("own")})
    assert named(tmp_path, component) == ["own"]


@pytest.mark.usefixtures("kustomize")
def test_a_kustomization_that_is_no_file(tmp_path: Path) -> None:
    """A link out of the repository is not followed, and one that leads nowhere, or a pipe, is named."""
    written(tmp_path, {"secret.yaml": {"resources": []}})
    folder = written(tmp_path / "repository", {".git/HEAD": "x", "apps/other.yaml": group("shop")})
    kustomization = folder / "apps" / "kustomization.yaml"
    kustomization.symlink_to(tmp_path / "secret.yaml")
    for given in (folder, folder / "apps", kustomization):
        with pytest.raises(olmsolve.ManifestError, match=rf"kustomization\.yaml: a symbolic link that leaves {folder}"):
            read_changes([given])
    kustomization.unlink()
    kustomization.symlink_to("missing")
    with pytest.raises(olmsolve.ManifestError, match=r"apps/kustomization\.yaml: cannot be read: No such file"):
        read_changes([folder])
    kustomization.unlink()
    os.mkfifo(kustomization)
    with pytest.raises(olmsolve.ManifestError, match=r"apps/kustomization\.yaml: is not a regular file"):
        read_changes([folder])


@pytest.mark.usefixtures("kustomize")
def test_names_with_a_dot_hide_nothing(tmp_path: Path) -> None:
    """GitOps tools apply such files. Those of other programs are passed over, in whatever language they are."""
    folder = written(
        tmp_path / "apps",
        {
            ".hidden/group.yaml": group("in-folder"),
            "a/.group.yaml": group("in-file"),
            ".overlay/kustomization.yaml": {"resources": ["group.yaml"]},
            ".overlay/group.yaml": group("rendered"),
            ".git/group.yaml": group("of-git"),
            ".gitlab-ci.yml": "job: !reference [a, b]\n",
            ".krew.yaml": "kind: Plugin\nversion: {{ .Tag }}\n",
            ".tool/only-kind.yaml": {"kind": "Tool"},
        },
    )
    assert sorted(object_.namespace for object_ in read_changes([folder]).objects) == [
        "in-file",
        "in-folder",
        "rendered",
    ]
    written(folder, {"only-kind.yaml": {"kind": "Tool"}})
    with pytest.raises(olmsolve.ManifestError, match=r"only-kind\.yaml:1: apiVersion: is missing"):
        read_changes([folder])


def test_folders_in_each_other(tmp_path: Path) -> None:
    """A repository may have them as deep as paths are long, which once was a fault; none is passed over."""
    with folders_in_each_other(tmp_path / "apps", 1200) as deepest:
        written(deepest, {"group.yaml": group("shop")})
        assert [object_.name for object_ in read_changes([tmp_path / "apps"]).objects] == ["og"]


def test_a_folder_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It could hold anything, and a gate that passes over it is none."""
    folder = written(tmp_path / "apps", {"a.yaml": group("shop"), "closed/b.yaml": group("lab")})
    scandir = os.scandir

    def refusing(path: Any) -> Any:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(olmsolve.ManifestError, match=r"apps/closed: cannot be read: Permission denied"):
        read_changes([folder])


def test_links_out_of_a_repository_are_refused(tmp_path: Path) -> None:
    """The runner of a workflow has files that no pull request should name; inside of the repository, links are fine."""
    written(tmp_path, {"secret.yaml": group("shop")})
    apps = written(tmp_path / "repository", {".git/HEAD": "x", "base/a.yaml": group("shop")}) / "apps"
    apps.mkdir()
    (apps / "a.yaml").symlink_to("../base/a.yaml")
    assert [object_.name for object_ in read_changes([apps]).objects] == ["og"]
    (apps / "b.yaml").symlink_to(tmp_path / "secret.yaml")
    with pytest.raises(olmsolve.ManifestError, match=rf"b\.yaml: a symbolic link that leaves {tmp_path}/repository"):
        read_changes([apps])
    (tmp_path / "repository" / ".git" / "HEAD").unlink()
    (tmp_path / "repository" / ".git").rmdir()
    with pytest.raises(olmsolve.ManifestError, match=rf"a\.yaml: a symbolic link that leaves {apps}"):
        read_changes([apps])


@pytest.mark.usefixtures("kustomize")
def test_two_environments_at_once(tmp_path: Path) -> None:
    """Production and test say different things about one object: the folder of one of them is to be given."""
    folder = repository(tmp_path / "apps")
    written(folder, {"test/kustomization.yaml": {"namespace": "shop", "resources": ["../base", "more.yaml"]}})
    written(folder, {"test/more.yaml": group("shop")})
    assert len(read_changes([folder]).objects) == 4  # what both say alike is one change
    different = {**subscription("shop", "ledger"), "spec": {**subscription("shop", "ledger")["spec"], "channel": "x"}}
    written(folder, {"test/kustomization.yaml": {"resources": ["more.yaml"]}, "test/more.yaml": different})
    with pytest.raises(olmsolve.ManifestError, match=r"is there twice .*give the folder of one environment"):
        read_changes([folder])


def test_one_object_twice() -> None:
    """Nobody knows which of the two is meant."""
    with pytest.raises(olmsolve.ManifestError, match=r"is there twice .*a change is given once"):
        read_changes([group("shop"), group("shop")])


def test_a_misspelt_namespace_fails_the_gate(tmp_path: Path) -> None:
    """Otherwise the change reaches nothing, nothing changes, and everybody is happy until it is merged."""
    report = gated([subscription("shpo", "ledger")])
    (reached,) = report.reached
    assert (reached.clusters, reached.near, reached.is_unapplied) == (0, "shop", True)
    assert report.gates == {Gate.UNAPPLIED}
    text = olmsolve.render.impact_text(report)
    assert "is not applied: there is no namespace shpo (did you mean shop?)" in " ".join(text.split())
    far = gated([subscription("elsewhere", "ledger")])
    assert far.reached[0].near == ""
    assert gated([*LAB, group("lab")]).gates == frozenset()
    # A comparison that is taken up again says the same.
    state = tmp_path / "state"
    assert gated([subscription("shpo", "ledger")], resume=state) == report
    assert gated([subscription("shpo", "ledger")], resume=state) == report


def slips() -> dict[str, dict[str, Any]]:
    """Manifests by what the message about each must say."""
    wish = subscription("shop", "ledger")
    spec = wish["spec"]
    without = {name: value for name, value in spec.items() if name != "source"}
    extension = {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "metadata": {"name": "a"}}
    is_none = "is not a field of this kind"
    return {
        f"spec.chanel: {is_none} (did you mean channel?)": {**wish, "spec": {**spec, "chanel": "stabel"}},
        f"spec.config.envs: {is_none} (did you mean env": {**wish, "spec": {**spec, "config": {"envs": []}}},
        f"spce: {is_none} (did you mean spec?)": {**wish, "spce": {}},
        f"metadata.lables: {is_none} (did you": {**wish, "metadata": {**wish["metadata"], "lables": {}}},
        f"spec.zzz: {is_none} (known: channel, config,": {**wish, "spec": {**spec, "zzz": 1}},
        "spec.source: is missing (every Subscription has one)": {**wish, "spec": without},
        "apiVersion: no Subscription has the version v1 (there is:": {**wish, "apiVersion": "operators.coreos.com/v1"},
        "no Subscription has the API group operator.coreos.com (did you mean operators.coreos.com?)": {
            **wish,
            "apiVersion": "operator.coreos.com/v1alpha1",
        },
        "is not a kind of the API group operators.coreos.com (did you mean Subscription?)": {
            **wish,
            "kind": "Subscripton",
        },
        "is not a kind of the API group operators.coreos.com (known: ": {**wish, "kind": "Zzz"},
        f"spec.targetNamespace: {is_none} (did": {**group("shop"), "spec": {"targetNamespace": ["shop"]}},
        "spec.sourceType: is missing": {**SOURCE, "spec": {"priority": 1}},
        'unknown field "spec.namspace"': {**extension, "spec": {"source": {}, "namspace": "x"}},
    }


@pytest.mark.parametrize("message", list(slips()))
def test_slips_are_refused(tmp_path: Path, message: str) -> None:
    """An API server drops or refuses such a name; the message has the file, the object and what was probably meant."""
    file = tmp_path / "change.yaml"
    file.write_text(yaml.safe_dump(slips()[message]), "utf-8")
    with pytest.raises(olmsolve.ManifestError) as raised:
        read_changes([file])
    assert str(raised.value).startswith(str(file))
    assert message in str(raised.value)


def test_kinds_of_others_are_no_slips() -> None:
    """Other projects have a Subscription as well, and OLM has kinds that no change applies."""
    wish = subscription("shop", "ledger")
    others = [
        {**wish, "apiVersion": "messaging.knative.dev/v1", "spec": {"anything": 1}},
        {"apiVersion": "operators.coreos.com/v1", "kind": "OLMConfig", "metadata": {"name": "cluster"}},
    ]
    changes = read_changes([wish, *others])
    assert [object_.name for object_ in changes.objects] == ["ledger"]
    assert [(skipped.kind, skipped.count) for skipped in changes.skipped] == [("OLMConfig", 1), ("Subscription", 1)]
    with pytest.raises(olmsolve.ManifestError, match="no object is of a kind that a change applies, only OLMConfig"):
        read_changes(others[1:])


@pytest.mark.parametrize("field", ["kind", "apiVersion"])
def test_a_manifest_without_a_kind(tmp_path: Path, field: str) -> None:
    """It is not passed over as the values of a chart are."""
    wish = subscription("shop", "ledger")
    del wish[field]
    written(tmp_path, {"a.yaml": wish})
    with pytest.raises(olmsolve.ManifestError, match=f"a.yaml.*{field}: is missing"):
        read_changes([tmp_path])


def test_what_a_repository_has_no_longer_is_deleted(tmp_path: Path) -> None:
    """OLM leaves the operator where it is, so that nobody updates it: the report says so, and a gate can ask for it."""
    wish = subscription("shop", "ledger")
    old = written(tmp_path / "old", {"shop.yaml": [group("shop"), wish], "settings.yaml": CONFIG_MAP})
    new = written(tmp_path / "new", {"shop.yaml": group("shop")})
    report = gated([new], [old])
    assert [(change.kind, change.is_deletion, change.clusters) for change in report.reached] == [
        ("OperatorGroup", False, 1),
        ("Subscription", True, 1),
    ]
    impact = report.classes[0].impact
    assert [(operator.owner, operator.bundle) for operator in impact.orphaned] == [("ledger", "ledger.v1.0.0")]
    assert (impact.operators, impact.changes) == ((), True)
    assert report.gates == {Gate.ORPHANED}
    text = " ".join(olmsolve.render.impact_text(report).split())
    assert "Subscription shop/ledger is deleted" in text
    assert "ledger.v1.0.0 stays and gets no updates, since subscription shop/ledger is deleted" in text
    assert "loses a subscription" in text
    # With its Namespace everything goes; what is nowhere need not be deleted, and is no slip.
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    whole = gated([*LAB], [namespace, wish, subscription("nowhere", "ledger")])
    assert [change.clusters for change in whole.reached] == [1, 1, 1, 0]
    (operator,) = whole.classes[0].impact.operators
    assert (operator.owner, operator.after) == ("ledger", "")
    assert whole.gates == frozenset()


@pytest.mark.parametrize(
    "annotation",
    [
        ("argocd.argoproj.io/sync-options", "ServerSideApply=true,Prune=false"),
        ("kustomize.toolkit.fluxcd.io/prune", "disabled"),
    ],
    ids=["Argo CD", "Flux"],
)
def test_what_gitops_tools_keep_is_not_deleted(annotation: tuple[str, str]) -> None:
    """An annotation keeps an object that the repository has no longer."""
    wish = subscription("shop", "ledger")
    wish["metadata"] = {**wish["metadata"], "annotations": dict([annotation])}
    assert [object_.is_deletion for object_ in read_changes([group("shop")], [wish]).objects] == [False]


def test_a_group_that_goes_breaks_what_is_in_it() -> None:
    """A deletion is simulated like every other change."""
    report = gated([subscription("shop", "ledger")], [group("shop")])
    assert Gate.NEW_FAILURES in report.gates


def test_a_subscription_that_waits_is_a_change() -> None:
    """Nothing is installed until somebody approves, and the report must not say that nothing changes."""
    wish = subscription("lab", "ledger")
    wish["spec"]["installPlanApproval"] = "Manual"
    report = gated([*LAB, group("lab"), wish])
    impact = report.classes[0].impact
    assert [(plan.namespace, plan.bundles) for plan in impact.waiting] == [("lab", ("ledger.v1.0.0",))]
    assert report.changed == 1
    assert report.gates == {Gate.WAITING}
    text = " ".join(olmsolve.render.impact_text(report).split())
    assert "waits for approval: namespace lab gets ledger.v1.0.0 once somebody approves it" in text
    assert text.count("approv") == 3  # in the summary as well, and not once more as held back
    assert "waits for approval" in olmsolve.render.impact_html(report)
    assert "waits for approval" in olmsolve.render.impact_markdown(report)


def test_reasons_are_sentences() -> None:
    """Whoever reads a reason alone must know what it is about."""
    wish = subscription("shop", "ledger")
    wish["spec"]["channel"] = "stabel"
    (failure,) = (
        gated([*LAB, group("lab"), {**wish, "metadata": {"name": "two", "namespace": "lab"}}])
        .classes[0]
        .impact.failures
    )
    assert failure.text.startswith("namespace lab cannot be resolved: ")
    assert 'has no channel "stabel"' in failure.text
    assert all(" " in reason and reason.split()[0] not in ("requires", "wants") for reason in failure.reasons)
    assert failure.ways[0] == "switch subscription two to channel stable"


def test_objects_of_one_cluster() -> None:
    """For `diff`: a slip in a namespace is an error, since there is one cluster alone."""
    objects = list(SHOP)
    wish = subscription("shpo", "ledger")
    with pytest.raises(olmsolve.ManifestError, match=r"the cluster has no namespace shpo \(did you mean shop\?\)"):
        changed_objects(objects, read_changes([wish]))
    with pytest.raises(olmsolve.ManifestError, match="a Namespace among the changes makes it"):
        changed_objects(objects, read_changes([subscription("elsewhere", "ledger")]))
    remaining = changed_objects(objects, read_changes([group("shop")], [subscription("shop", "ledger")]))
    assert "Subscription" not in {object_["kind"] for object_ in remaining}
