"""Faults that people met on the command line: what each command says instead."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.cli.commands import Run
from tests.scenarios.dumps.files import cluster_arguments
from tests.scenarios.dumps.test_dumps import scenarios

LEDGER: dict[str, Any] = {
    "catalogs": {"olm/community": {"packages": {"ledger": {"channels": {"stable": "ledger.v1.1.0 > ledger.v1.0.0"}}}}},
    "groups": {"bank": ["bank"]},
    "subscriptions": {"bank/ledger": {"from": "olm/community", "has": "ledger.v1.0.0"}},
}


def document(path: Path) -> Path:
    """A request document for classic OLM, called wanted."""
    catalog = {"name": "cat", "namespace": "ns", "blobs": [{"schema": "olm.package", "name": "p"}]}
    wish = {"name": "p", "package": "p", "source": "cat", "sourceNamespace": "ns"}
    request = {"name": "wanted", "namespaces": ["ns"], "catalogs": [catalog], "subscriptions": [wish]}
    path.write_text(json.dumps(request), "utf-8")
    return path


def extensions(*names: str, installed: str = "") -> dict[str, Any]:
    """A cluster of OLM v1 with an extension for etcd under each name."""
    has = {"has": "etcd.v1.0.0"}
    return {
        "clusterCatalogs": {"hub": {"packages": {"etcd": {"channels": {"stable": "etcd.v1.1.0 > etcd.v1.0.0"}}}}},
        "extensions": {name: {"package": "etcd", **(has if name == installed else {})} for name in names},
    }


def test_a_document_beside_a_cluster_ends_no_simulation(olmsolve: Run, tmp_path: Path) -> None:
    """The namespaces are simulated, and the document has its own answer."""
    arguments = (document(tmp_path / "request.json"), *cluster_arguments(LEDGER, tmp_path))
    outcome = olmsolve("simulate", *arguments)
    assert outcome.code == 2
    assert "Request wanted: wanted: simulate needs a cluster's objects" in outcome.err
    assert "ledger.v1.0.0 > ledger.v1.1.0" in outcome.out
    assert "Not simulated: wanted" in outcome.out
    data = json.loads(olmsolve("simulate", *arguments, "-o", "json").out)
    assert [error["name"] for error in data["errors"]] == ["wanted"]
    assert data["ended"] == "rest"


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_bundle_is_asked_about_by_its_name(olmsolve: Run, tmp_path: Path, form: str) -> None:
    """The name says package and version, so it has the same answer as both."""
    for bundle, package, version, scenario, options in (
        ("ledger.v1.1.0", "ledger", "1.1.0", LEDGER, []),
        ("ledger.v1.0.0", "ledger", "1.0.0", LEDGER, []),
        ("etcd.v1.0.0", "etcd", "1.0.0", extensions("db"), ["--extension", "db"]),
        ("etcd.v1.0.0", "etcd", "1.0.0", extensions("a", "b"), []),
    ):
        arguments = (*cluster_arguments(scenario, tmp_path), *options)
        by_name = olmsolve("why-not", bundle, *arguments, "-o", form)
        by_version = olmsolve("why-not", package, "--version", version, *arguments, "-o", form)
        assert bundle in by_name.out
        assert (by_name.code, by_name.out, by_name.err) == (by_version.code, by_version.out, by_version.err)


def test_a_bundle_of_another_version_is_none(olmsolve: Run, tmp_path: Path) -> None:
    """What contradicts itself has no answer, and the message says both."""
    outcome = olmsolve("why-not", "ledger.v1.1.0", *cluster_arguments(LEDGER, tmp_path), "--version", "1.0.0")
    assert "package ledger has no bundle ledger.v1.1.0 of version 1.0.0 in any visible catalog" in outcome.out
    outcome = olmsolve("why-not", "etcd.v1.1.0", *cluster_arguments(extensions("db"), tmp_path), "--version", "1.0.0")
    assert "package etcd has no bundle etcd.v1.1.0 of version 1.0.0 in any visible catalog" in outcome.out


def test_no_extension_has_the_package(olmsolve: Run, tmp_path: Path) -> None:
    """An empty answer for each of many extensions would hide a misspelt package."""
    outcome = olmsolve("why-not", "etdc", *cluster_arguments(extensions("a", "b"), tmp_path))
    assert (outcome.code, outcome.out) == (2, "")
    assert "no extension is for package etdc (they are for etcd)" in outcome.err


@pytest.mark.parametrize("form", ["json", "lines", "yaml", "yaml with indented items"])
def test_an_item_of_a_list_is_at_its_own_line(
    olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """A dump of kubectl is one document of thousands of lines."""
    text = {"text": "- not an item\nitems:\n- nor this\n"}
    items = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"m{i}", "namespace": "bank"}, "data": text}
        for i in range(3)
    ]
    wrong = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription"}
    items.append({**wrong, "metadata": {"name": "ledger", "namespace": "bank"}, "spec": {"name": 7}})
    whole = {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"items": [{}], "resourceVersion": ""}}
    file = tmp_path / ("dump.json" if form in ("json", "lines") else "dump.yaml")
    if form == "json":
        file.write_text(json.dumps(whole, indent=4), "utf-8")
    elif form == "lines":
        listed = ",\n".join(map(json.dumps, items))
        file.write_text(f'{{"kind": "List", "apiVersion": "v1", "items": [\n{listed}\n]}}', "utf-8")
    else:
        parts = [yaml.safe_dump([item]).splitlines() for item in items]
        margin = "  " if "indented" in form else ""
        lines = [f"{margin}{line}" for part in parts for line in part]
        file.write_text("\n".join(["# kubectl", "apiVersion: v1", "items:", *lines, "kind: List", ""]), "utf-8")
    outcome = olmsolve("resolve", "--cluster", file)
    line = int(outcome.err.partition(f"{file}:")[2].partition(":")[0])
    # Standard input has the same lines, although it cannot be read once more.
    stream = _Unnamed(file.read_bytes())
    stream.name = "<stdin>"
    monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": stream})())
    assert olmsolve("resolve", "--cluster", "-").err == outcome.err.replace(str(file), "standard input")
    written = file.read_text("utf-8").splitlines()
    assert "Subscription bank/ledger" in outcome.err
    # The item begins on its line, and no other item begins between it and its kind.
    begins = next(number for number, text in enumerate(written, 1) if "Subscription" in text)
    assert line <= begins
    between = " ".join(written[line - 1 : begins])
    assert "ConfigMap" not in between


class _Unnamed:
    """A stream without the name of a file."""

    name: str

    def __init__(self, content: bytes) -> None:
        self._content = content

    def read(self, size: int = -1) -> bytes:
        size = len(self._content) if size is None or size < 0 else size
        given, self._content = self._content[:size], self._content[size:]
        return given


FIRST: Final = {"resolve": "Nearest way out: ", "explain": "1. ", "why-not": "Nearest way out: "}
"""What stands before the first way out in the answer of each command: ``explain`` numbers them, the others tell one."""


def test_what_a_failed_operator_needs_is_failing_forward(olmsolve: Run, tmp_path: Path) -> None:
    """Removing the operator that gives way would take away the last one that works, and is offered by nobody."""
    scenario = {key: value for key, value in scenarios()["fail forward"].items() if key != "groupSettings"}
    arguments = cluster_arguments(scenario, tmp_path)
    for verb in (("resolve",), ("explain",), ("why-not", "ledger", "--version", "1.2.0")):
        outcome = olmsolve(*verb, *arguments)
        flat = " ".join(outcome.out.split())
        if verb == ("explain",):
            # Pods that can be got to run come first.
            assert ". let operator group bank/bank fail forward (spec.upgradeStrategy" in flat, verb
        else:
            assert f"{FIRST[verb[0]]}let the operator group of bank fail forward (spec.upgradeStrategy" in flat, verb
        assert "remove the installed operator" not in flat
    # The way leads out.
    forward = scenarios()["fail forward"]
    assert olmsolve("simulate", *cluster_arguments(forward, tmp_path)).code == 0


def test_an_upgrade_that_olm_has_not_noted_yet_is_told_alike(olmsolve: Run, tmp_path: Path) -> None:
    """Between two passes of OLM a subscription still names the operator before: every command reads it as noted."""
    noted = scenarios()["operator has failed"]
    outputs = {}
    for name, has in (("noted", "ledger.v1.1.0"), ("under way", "ledger.v1.0.0")):
        wish = {"from": "olm/community", "has": has, "next": "ledger.v1.1.0", "plan": "install-2", "generation": 2}
        plans = {"bank/install-2": {"of": {"ledger.v1.1.0": "ledger.v1.0.0"}, "generation": 2}}
        scenario = {**noted, "subscriptions": {"bank/ledger": wish}, "plans": plans}
        arguments = cluster_arguments(scenario, tmp_path)
        outputs[name] = [olmsolve(verb, *arguments).out for verb in ("resolve", "explain")]
    assert outputs["noted"] == outputs["under way"]
    assert "let the operator group of bank fail forward" in outputs["noted"][0]
    assert "remove the installed" not in outputs["noted"][1]


@pytest.mark.parametrize(
    ("phase", "reason"), [("Installing", "InstallWaiting"), ("InstallReady", "x"), ("Pending", "RequirementsUnknown")]
)
def test_an_update_under_way_is_waited_for(olmsolve: Run, tmp_path: Path, phase: str, reason: str) -> None:
    """Removing the operator that gives way was the advice, while the simulation said that OLM removes it by itself."""
    scenario: dict[str, Any] = {**scenarios()["fail forward"], "groupSettings": {}}
    newer = {"phase": phase, "reason": reason, "replaces": "ledger.v1.0.0"}
    scenario["operators"] = {**scenario["operators"], "bank/ledger.v1.1.0": newer}
    arguments = cluster_arguments(scenario, tmp_path)
    for verb in (("resolve",), ("explain",), ("why-not", "ledger", "--version", "1.2.0")):
        outcome = olmsolve(*verb, *arguments)
        flat = " ".join(outcome.out.split())
        waited = "wait until ledger.v1.1.0, whose installation is under way, has replaced ledger.v1.0.0"
        assert f"{FIRST[verb[0]]}{waited}" in flat, verb
        assert "remove the installed operator" not in flat, verb
    assert olmsolve("simulate", *arguments).code == 0


def test_a_pending_update_that_is_refused_is_not_waited_for(olmsolve: Run, tmp_path: Path) -> None:
    """It would be in vain: the operator says that it must not be updated."""
    scenario: dict[str, Any] = {**scenarios()["fail forward"], "groupSettings": {}}
    newer = {"phase": "Pending", "reason": "OperatorConditionNotUpgradeable", "replaces": "ledger.v1.0.0"}
    scenario["operators"] = {"bank/ledger.v1.0.0": {}, "bank/ledger.v1.1.0": newer}
    assert "wait until" not in olmsolve("explain", *cluster_arguments(scenario, tmp_path)).out


def test_an_update_that_the_older_operator_will_refuse_is_not_waited_for(olmsolve: Run, tmp_path: Path) -> None:
    """OLM has not looked at the pending operator yet; its next look ends at the condition of the older one.

    The administrator waits for the operator, or overrides what it says; waiting for the newer one alone is in vain.
    """
    scenario: dict[str, Any] = {**scenarios()["fail forward"], "groupSettings": {}}
    newer = {"phase": "Pending", "reason": "RequirementsUnknown", "replaces": "ledger.v1.0.0"}
    scenario["operators"] = {"bank/ledger.v1.0.0": {}, "bank/ledger.v1.1.0": newer}
    arguments = cluster_arguments(scenario, tmp_path)
    assert "whose installation is under way" in olmsolve("explain", *arguments).out
    dumped = json.loads(Path(arguments[1]).read_text("utf-8"))
    refusal = {"type": "Upgradeable", "status": "False", "reason": "Busy", "message": "migration is running"}
    dumped["items"].append(
        {
            "apiVersion": "operators.coreos.com/v2",
            "kind": "OperatorCondition",
            "metadata": {"name": "ledger.v1.0.0", "namespace": "bank"},
            "spec": {"conditions": [refusal]},
        }
    )
    Path(arguments[1]).write_text(json.dumps(dumped), "utf-8")
    explained = olmsolve("explain", *arguments).out
    assert "whose installation is under way" not in explained
    assert "1. wait: ledger.v1.0.0 says when it can be replaced" in explained
    assert "2. override condition Upgradeable of operator bank/ledger.v1.0.0" in explained
    assert "migration is running" in explained
    assert olmsolve("simulate", *arguments).code == 1


@pytest.mark.parametrize("kind", ["OperatorGroup", "CatalogSource"])
def test_a_kind_that_was_not_dumped_is_named(olmsolve: Run, tmp_path: Path, kind: str) -> None:
    """Whoever forgot it would be sent to delete a subscription, or to create a group that is there."""
    arguments = cluster_arguments(LEDGER, tmp_path)
    dumped = json.loads(Path(arguments[1]).read_text("utf-8"))
    dumped["items"] = [object_ for object_ in dumped["items"] if object_["kind"] != kind]
    Path(arguments[1]).write_text(json.dumps(dumped), "utf-8")
    catalogs = () if kind == "CatalogSource" else arguments[2:]
    for verb in ("resolve", "explain", "plan", "simulate"):
        outcome = olmsolve(verb, *arguments[:2], *catalogs)
        assert outcome.code == 1
        assert f"--cluster: no {kind} at all; kubectl get {kind.lower()}s -A -o yaml prints them" in outcome.err


def test_sixty_conflicts_have_a_way_out(olmsolve: Run, tmp_path: Path) -> None:
    """More independent conflicts than there are tries for each of them: all are changed at once."""
    packages = {
        f"p{i}": {"channels": {"stable": f"p{i}.v1.0.0"}, "bundles": {f"p{i}.v1.0.0": [{"needs": f"g{i}.io/v1/Api"}]}}
        for i in range(60)
    }
    packages["q"] = {"channels": {"stable": "q.v1.0.0"}}
    subscriptions: dict[str, Any] = {f"bank/p{i}": {"from": "olm/community"} for i in range(60)}
    subscriptions["bank/q"] = {"from": "olm/community", "channel": "stabel"}
    scenario = {
        "catalogs": {"olm/community": {"packages": packages}},
        "groups": {"bank": ["bank"]},
        "subscriptions": subscriptions,
    }
    outcome = olmsolve("explain", *cluster_arguments(scenario, tmp_path), "-o", "json")
    (fix,) = json.loads(outcome.out)["namespaces"]["bank"]["fixes"]
    assert len(fix["changes"]) == 61
    assert [change["channel"] for change in fix["changes"] if change["subscription"] == "q"] == ["stable"]
    assert [install["name"] for install in fix["resolution"]["installs"]] == ["q.v1.0.0"]


def test_why_nothing_is_resolved_is_wrapped(olmsolve: Run, tmp_path: Path) -> None:
    """One line of hundreds of characters is cut off by every terminal."""
    scenario = scenarios()["two subscriptions of one package"]
    outcome = olmsolve("plan", *cluster_arguments(scenario, tmp_path))
    assert "not resolved: constraints not satisfiable" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 100


@pytest.mark.parametrize("name", ["plan waits for approval", "plan has failed"])
def test_a_plan_that_waits_or_failed_is_something_to_do(olmsolve: Run, tmp_path: Path, name: str) -> None:
    """ "Nothing to do" above it would say the opposite."""
    outcome = olmsolve("plan", *cluster_arguments(scenarios()[name], tmp_path))
    assert "install plan bank/" in outcome.out
    assert "nothing to do" not in outcome.out


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--kubernetes", "banana"), "--kubernetes banana: not a version"),
        (("--openshift", "banana"), "--openshift banana: not a version"),
        (("--operator-groups",), "--operator-groups cannot matter"),
        (("--global-namespace", "olm"), "--global-namespace cannot matter"),
    ],
)
def test_messages_about_the_policy_name_options(
    olmsolve: Run, tmp_path: Path, option: tuple[str, ...], words: str
) -> None:
    """Nobody has typed operator_groups; in Python the fields have their own names."""
    outcome = olmsolve("resolve", document(tmp_path / "request.json"), *option)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err


def test_a_known_catalog_is_read_whether_or_not_it_is_needed(olmsolve: Run, tmp_path: Path) -> None:
    """A wrong path would come to light on the day when there is no plan."""
    outcome = olmsolve("explain", *cluster_arguments(LEDGER, tmp_path), "--known", "x=nowhere")
    assert (outcome.code, outcome.out) == (2, "")
    assert "nowhere: cannot be read" in outcome.err
    arguments = cluster_arguments(extensions("db"), tmp_path)
    assert "--known is for subscriptions" in olmsolve("explain", *arguments, "--known", "x=nowhere").err


@pytest.mark.parametrize("name", ["number of operator groups", "a catalog cannot be reached"])
def test_what_cannot_be_certified_is_answered(olmsolve: Run, tmp_path: Path, name: str) -> None:
    """Programs read standard output: it holds the answer of resolve, and standard error why there is no proof."""
    arguments = (*cluster_arguments(scenarios()[name], tmp_path), "--namespace", "bank")
    file = tmp_path / "certificate.json"
    outcome = olmsolve("certify", *arguments, "--to", file)
    resolved = olmsolve("resolve", *arguments, "-o", "json")
    assert outcome.code == resolved.code == 1
    assert json.loads(outcome.out).items() <= json.loads(resolved.out).items()
    assert "there is no certificate: a failure that" in outcome.err
    assert not file.exists()


@pytest.mark.parametrize("installed", ["", "second"])
def test_a_package_has_one_extension(olmsolve: Run, tmp_path: Path, installed: str) -> None:
    """Every command refuses the other one for the same reason: the one that has the package installed keeps it."""
    arguments = cluster_arguments(extensions("first", "second", installed=installed), tmp_path)
    owner, other = ("second", "first") if installed else ("first", "second")
    for verb in ("resolve", "explain", "plan", "simulate"):
        assert olmsolve(verb, *arguments, "--extension", owner).code == 0, verb
        outcome = olmsolve(verb, *arguments, "--extension", other)
        assert outcome.code == 1, verb
        assert f"ClusterExtension {owner} has package etcd already" in " ".join(outcome.out.split()), verb
        assert olmsolve(verb, *arguments).code == 1
    assert "etcd.v1.1.0" in olmsolve("simulate", *arguments, "--extension", owner).out


def test_an_extension_that_fails_keeps_no_other_from_the_package(olmsolve: Run, tmp_path: Path) -> None:
    """The first by name is not the owner where it gets no bundle itself."""
    scenario = extensions("first", "second")
    scenario["extensions"]["first"]["version"] = "9.x"
    arguments = cluster_arguments(scenario, tmp_path)
    codes = {name: olmsolve("resolve", *arguments, "--extension", name).code for name in ("first", "second")}
    assert codes == {"first": 1, "second": 0}


def test_a_waiting_plan_hides_no_failure(olmsolve: Run, tmp_path: Path) -> None:
    """OLM resolves nothing before the plan is approved, and would fail after it: people should know before."""
    scenario = scenarios()["plan waits for approval"]
    arguments = list(cluster_arguments(scenario, tmp_path))
    catalog = Path(arguments[-1].partition("=")[2])
    needs = {"type": "olm.gvk.required", "value": {"group": "g.io", "version": "v1", "kind": "Api"}}
    blobs = [json.loads(line) for line in catalog.read_text("utf-8").splitlines()]
    objects = json.loads(Path(arguments[1]).read_text("utf-8"))
    other = json.loads(json.dumps(next(object_ for object_ in objects["items"] if object_["kind"] == "Subscription")))
    other["metadata"]["name"] = "press"
    other["spec"] |= {"name": "press", "channel": "stable"}
    other["status"] = {**other["status"], "installedCSV": "", "currentCSV": "press.v1.0.0"}
    objects["items"].append(other)
    Path(arguments[1]).write_text(json.dumps(objects), "utf-8")
    blobs += [
        {"schema": "olm.package", "name": "press", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "press", "name": "stable", "entries": [{"name": "press.v1.0.0"}]},
        {"schema": "olm.bundle", "package": "press", "name": "press.v1.0.0", "image": "x", "properties": [needs]},
    ]
    own = {"type": "olm.package", "value": {"packageName": "press", "version": "1.0.0"}}
    blobs[-1]["properties"].append(own)
    catalog.write_text("\n".join(map(json.dumps, blobs)), "utf-8")
    for verb in ("resolve", "plan", "simulate"):
        outcome = olmsolve(verb, *arguments)
        assert outcome.code == 1, verb
        assert "press" in outcome.out
    assert "will not be resolved: " in olmsolve("plan", *arguments).out


def test_a_channel_of_two_catalogs_is_told_alike(olmsolve: Run, tmp_path: Path) -> None:
    """OLM refuses to order it where the subscription names no catalog; under the documented semantics it need not."""
    packages = {name: {"ledger": {"channels": {"stable": f"ledger.v1.{name}.0 > ledger.v1.0.0"}}} for name in "12"}
    scenario = {**LEDGER, "catalogs": {f"olm/c{name}": {"packages": packages[name]} for name in "12"}}
    scenario["subscriptions"] = {"bank/ledger": {"from": "olm/c1"}}
    arguments = cluster_arguments(scenario, tmp_path)
    objects = json.loads(Path(arguments[1]).read_text("utf-8"))
    for object_ in objects["items"]:
        if object_["kind"] == "Subscription":
            del object_["spec"]["source"], object_["spec"]["sourceNamespace"]
    Path(arguments[1]).write_text(json.dumps(objects), "utf-8")
    for verb in ("resolve", "explain", "plan", "simulate"):
        outcome = olmsolve(verb, *arguments)
        assert outcome.code == 1, verb
        assert "a unique replacement chain within a channel is required" in " ".join(outcome.out.split())
    assert olmsolve("resolve", *arguments, "--semantics", "documented").code == 0
    assert olmsolve("plan", *arguments, "--semantics", "documented").code == 0


def test_a_channel_without_a_bundle_can_be_certified(olmsolve: Run, tmp_path: Path) -> None:
    """A catalog that has lost the bundle still lists it; the operator stays, and the plan says so with a proof."""
    arguments = cluster_arguments(LEDGER, tmp_path)
    catalog = Path(arguments[-1].partition("=")[2])
    lines = [line for line in catalog.read_text("utf-8").splitlines() if json.loads(line)["schema"] != "olm.bundle"]
    catalog.write_text("\n".join(lines), "utf-8")
    certificate = tmp_path / "certificate.json"
    assert olmsolve("certify", *arguments, "--namespace", "bank", "--to", certificate).code == 0
    assert olmsolve("verify", certificate, *arguments, "--namespace", "bank").code == 0


def test_an_extension_that_olm_refuses_fails_in_every_command(olmsolve: Run, tmp_path: Path) -> None:
    """A plan that knows dependencies would take the older bundle; OLM v1 takes none, and what is installed stays."""
    needs = {"needs-package": "db >=2.0.0"}
    package = {"channels": {"stable": "app.v2.0.0 > app.v1.0.0"}, "bundles": {"app.v2.0.0": [needs]}}
    scenario = {
        "clusterCatalogs": {"hub": {"packages": {"app": package}}},
        "extensions": {"shop": {"package": "app", "has": "app.v1.0.0"}},
    }
    arguments = cluster_arguments(scenario, tmp_path)
    for verb in ("resolve", "explain", "plan", "simulate"):
        outcome = olmsolve(verb, *arguments)
        assert outcome.code == 1, verb
        assert "has a dependency declared via property" in " ".join(outcome.out.split())
    assert "app.v1.0.0 stays, because nothing can be selected" in olmsolve("resolve", *arguments).out
    assert json.loads(olmsolve("plan", *arguments, "-o", "json").out)["items"] == []


def test_the_apis_of_a_group_are_those_of_its_operators(olmsolve: Run, tmp_path: Path) -> None:
    """A dump may be older than the group's annotation: then only the simulation knew that both provide one API."""
    api = {"provides": "v.example.com/v1/Vault"}
    packages = {name: {"channels": {"s": f"{name}.v1.0.0"}, "bundles": {f"{name}.v1.0.0": [api]}} for name in "ab"}
    scenario = {
        "catalogs": {"olm/community": {"packages": packages}},
        "groups": {"bank": ["bank"], "books": "all"},
        "subscriptions": {
            "bank/a": {"from": "olm/community", "channel": "s"},
            "books/b": {"from": "olm/community", "channel": "s", "has": "b.v1.0.0"},
        },
    }
    arguments = cluster_arguments(scenario, tmp_path)
    for verb in ("resolve", "explain", "plan", "simulate"):
        outcome = olmsolve(verb, *arguments, "--operator-groups")
        assert outcome.code == 1, verb
        text = " ".join(outcome.out.split())
        assert "intersecting operatorgroups provide the same apis" in text or verb == "plan"
        assert olmsolve(verb, *arguments, "--operator-groups", "--namespace", "books").code == 0
