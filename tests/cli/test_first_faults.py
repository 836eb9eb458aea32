"""The faults that one road for all questions was built against, each asked as its finder did."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import olmsolve as library
from tests.cli.commands import Outcome, Run
from tests.scenarios.dumps.files import cluster_arguments
from tests.scenarios.dumps.notation import dump

HUB: dict[str, Any] = {
    "packages": {
        "etcd": {"channels": {"stable": "etcd.v2.0.0 > etcd.v1.1.0 > etcd.v1.0.0"}},
        "kiln": {"channels": {"stable": "kiln.v1.0.0"}},
    }
}
BANK: dict[str, Any] = {
    "catalogs": {"olm/community": {"packages": {"ledger": {"channels": {"stable": "ledger.v1.1.0 > ledger.v1.0.0"}}}}},
    "groups": {"bank": ["bank"]},
    "subscriptions": {"bank/ledger": {"from": "olm/community", "has": "ledger.v1.0.0"}},
}


def of_extensions(**extensions: dict[str, Any]) -> dict[str, Any]:
    return {"clusterCatalogs": {"hub": HUB}, "extensions": extensions}


def ask(olmsolve: Run, folder: Path, scenario: dict[str, Any], verb: str, *more: str) -> Outcome:
    return olmsolve(verb, *cluster_arguments(scenario, folder), *more)


def changed(folder: Path, scenario: dict[str, Any], kind: str, **fields: Any) -> tuple[str, ...]:
    """The options for *scenario*, with *fields* in place of the fields of its object of a *kind*."""
    arguments = cluster_arguments(scenario, folder)
    objects = dump(scenario)
    for item in objects["items"]:
        if item["kind"] == kind:
            item.update(fields)
    Path(arguments[1]).write_text(json.dumps(objects), "utf-8")
    return arguments


@pytest.mark.parametrize("version", ["1.x", "1.1.0"])
def test_the_path_of_a_range_or_pin_says_where_it_ends(olmsolve: Run, tmp_path: Path, version: str) -> None:
    """It reached "the newest version", and "no catalog had" the bundle beyond the range."""
    scenario = of_extensions(db={"package": "etcd", "version": version, "has": "etcd.v1.0.0"})
    text = ask(olmsolve, tmp_path, scenario, "path").out
    assert f"This reaches the newest version that updates can reach within {version}" in text
    assert "etcd.v2.0.0" in text
    assert "no catalog" not in ask(olmsolve, tmp_path, scenario, "path", "--to", "2.0.0").out


@pytest.mark.parametrize("option", ["--openshift", "--kubernetes"])
def test_versions_of_the_cluster_are_read_for_extensions_and_documents(
    olmsolve: Run, tmp_path: Path, option: str
) -> None:
    """Banana was a version of OpenShift."""
    outcome = ask(olmsolve, tmp_path, of_extensions(db={"package": "etcd"}), "resolve", option, "banana")
    assert (outcome.code, outcome.out) == (2, "")
    assert "not a version" in outcome.err
    example = Path(library.__file__).parent / "examples" / "install.yaml"
    assert olmsolve("resolve", example, option, "banana").code == 2
    assert olmsolve("resolve", example, option, "4.18.0").code == 0


def test_operator_groups_are_refused_for_extensions(olmsolve: Run, tmp_path: Path) -> None:
    """The option was ignored."""
    outcome = ask(olmsolve, tmp_path, of_extensions(db={"package": "etcd"}), "resolve", "--operator-groups")
    assert "--operator-groups is for subscriptions" in outcome.err


def test_a_simulation_tells_updates_and_failures_of_extensions(olmsolve: Run, tmp_path: Path) -> None:
    """ "At rest: there is nothing to do" stood above both."""
    scenario = of_extensions(db={"package": "etcd", "has": "etcd.v1.0.0"}, typo={"package": "kilm"})
    outcome = ask(olmsolve, tmp_path, scenario, "simulate")
    assert outcome.code == 1
    assert "etcd.v1.0.0 > etcd.v1.1.0" in outcome.out
    assert "typo: fails" in outcome.out
    assert "nothing to do" not in outcome.out


def test_a_misspelt_policy_is_refused(olmsolve: Run, tmp_path: Path) -> None:
    """It was taken for the default, the opposite of what was meant."""
    scenario = of_extensions(db={"package": "etcd"})
    catalog = {"packageName": "etcd", "upgradeConstraintPolicy": "SelfCertifed"}
    spec = {"namespace": "x", "source": {"sourceType": "Catalog", "catalog": catalog}}
    outcome = olmsolve("resolve", *changed(tmp_path, scenario, "ClusterExtension", spec=spec))
    assert outcome.code == 2
    assert "did you mean SelfCertified?" in outcome.err


def test_edges_from_bundles_that_are_gone_are_for_both_generations(olmsolve: Run, tmp_path: Path) -> None:
    """OLM v1 follows a ``replaces`` whose bundle has left the catalog."""
    blobs = [
        {"schema": "olm.package", "name": "p", "defaultChannel": "s"},
        {"schema": "olm.channel", "package": "p", "name": "s", "entries": [{"name": "p.v2", "replaces": "p.v1"}]},
        {
            "schema": "olm.bundle",
            "package": "p",
            "name": "p.v2",
            "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "2.0.0"}}],
        },
    ]
    file = tmp_path / "catalog.json"
    file.write_text("\n".join(map(json.dumps, blobs)), "utf-8")
    (edge,) = map(json.loads, olmsolve("catalog", "edges", file, "-o", "jsonl").out.splitlines())
    assert (edge["installed"], edge["target"]) == ("p.v1", "p.v2")
    assert (edge["classic"], edge["v1"]) == (True, True)


def test_one_broken_extension_ends_no_other(olmsolve: Run, tmp_path: Path) -> None:
    """One that could not be read ended all others with 2; now it has its own answer, and so do mixed dumps."""
    scenario = {**BANK, **of_extensions(db={"package": "etcd"}, oven={"package": "kiln", "version": "not a range"})}
    outcome = ask(olmsolve, tmp_path, scenario, "resolve", "-o", "json")
    data = json.loads(outcome.out)
    assert outcome.code == 2
    assert data["extensions"]["db"]["bundle"] == "etcd.v2.0.0"
    assert "error" in data["extensions"]["oven"]
    assert [install["name"] for install in data["namespaces"]["bank"]["installs"]] == ["ledger.v1.1.0"]
    assert "ClusterExtension oven" in outcome.err


def test_a_catalog_that_the_selector_leaves_out_needs_no_content(olmsolve: Run, tmp_path: Path) -> None:
    """Its content was demanded, although nothing asks it."""
    scenario = of_extensions(db={"package": "etcd"})
    scenario["clusterCatalogs"] = {**scenario["clusterCatalogs"], "far": {"priority": 5}}
    selector = {"matchLabels": {"olm.operatorframework.io/metadata.name": "hub"}}
    source = {"sourceType": "Catalog", "catalog": {"packageName": "etcd", "selector": selector}}
    arguments = changed(tmp_path, scenario, "ClusterExtension", spec={"namespace": "x", "source": source})
    assert olmsolve("resolve", *arguments).code == 0


def test_catalogs_are_given_once_and_belong_to_the_cluster(olmsolve: Run, tmp_path: Path) -> None:
    """A surplus one was ignored, and of two for one name the second won."""
    scenario = of_extensions(db={"package": "etcd"})
    path = cluster_arguments(scenario, tmp_path)[-1].partition("=")[2]
    outcome = ask(olmsolve, tmp_path, scenario, "resolve", "--catalog", f"hub={path}")
    assert (outcome.code, "is given twice" in outcome.err) == (2, True)
    outcome = ask(olmsolve, tmp_path, scenario, "resolve", "--catalog", f"hob={path}")
    assert (outcome.code, "did you mean hub?" in outcome.err) == (2, True)


def test_a_bad_range_is_bad_input_everywhere(olmsolve: Run, tmp_path: Path) -> None:
    """It ended ``resolve`` with 1 and ``path`` with 2."""
    scenario = of_extensions(db={"package": "etcd", "version": "not a range", "has": "etcd.v1.0.0"})
    for verb in ("resolve", "explain", "path", "plan", "simulate"):
        assert ask(olmsolve, tmp_path, scenario, verb).code == 2, verb
        # Also where nothing is installed yet.
        assert ask(olmsolve, tmp_path, of_extensions(db={"package": "etcd", "version": "x y"}), verb).code == 2, verb


def test_a_version_that_is_a_number_is_refused() -> None:
    """YAML and people write them; it was a TypeError from within."""
    number: Any = 1.1
    with pytest.raises(library.RequestError, match=r"must be a string.*put it in quotes"):
        library.v1.Extension("p", version=number)


def test_a_first_installation_is_yet_to_come(olmsolve: Run, tmp_path: Path) -> None:
    """ "Is installed" was said of what was nowhere yet."""
    text = ask(olmsolve, tmp_path, of_extensions(db={"package": "etcd"}), "resolve").out
    assert "will be installed" in text
    assert "is installed" not in text


def test_a_failed_plan_is_no_rest(olmsolve: Run, tmp_path: Path) -> None:
    """It ended with 0."""
    scenario = {
        **BANK,
        "plans": {"bank/install-9": {"of": ["ledger.v1.1.0"], "phase": "Failed", "message": "no", "generation": 2}},
    }
    scenario["subscriptions"] = {
        "bank/ledger": {**BANK["subscriptions"]["bank/ledger"], "next": "ledger.v1.1.0", "plan": "install-9"}
    }
    outcome = ask(olmsolve, tmp_path, scenario, "simulate")
    assert (outcome.code, "install plan bank/install-9 failed" in outcome.out) == (1, True)


def test_plan_takes_the_policy(olmsolve: Run, tmp_path: Path) -> None:
    """It had no ``--semantics`` and no ``--unreadable``."""
    assert ask(olmsolve, tmp_path, BANK, "plan", "--semantics", "documented", "--unreadable", "ignore").code == 0


def test_an_unreadable_catalog_is_one_cause(olmsolve: Run, tmp_path: Path) -> None:
    """``explain --unreadable referenced`` invented a second one."""
    scenario = {**BANK, "catalogs": {"olm/community": {}}}
    outcome = ask(olmsolve, tmp_path, scenario, "explain", "--unreadable", "referenced", "-o", "json")
    (conflict,) = json.loads(outcome.out)["namespaces"]["bank"]["conflicts"]
    assert "olm/community" in json.dumps(conflict)


def test_unknown_operators_that_fail_are_refused(olmsolve: Run, tmp_path: Path) -> None:
    """A misspelt ``--failing`` simulated the good case."""
    outcome = ask(olmsolve, tmp_path, BANK, "simulate", "--failing", "bank/ledger.v1.1.1")
    assert (outcome.code, outcome.out) == (2, "")
    assert "did you mean bank/ledger.v1.1.0" in outcome.err


def test_comments_and_folders_are_dumps(olmsolve: Run, tmp_path: Path) -> None:
    """A document of comments alone, as scripts write it, and a folder of objects were refused."""
    arguments = cluster_arguments(BANK, tmp_path)
    folder = tmp_path / "objects"
    folder.mkdir()
    for number, item in enumerate(dump(BANK)["items"]):
        (folder / f"{number}.yaml").write_text(f"# nothing yet\n---\n{yaml.safe_dump(item)}---\n# the end\n", "utf-8")
    assert olmsolve("resolve", "--cluster", folder, *arguments[2:]).code == 0


@pytest.mark.parametrize("targets", [["", "bank"], [""]])
def test_the_empty_target_namespace_is_told_alike(olmsolve: Run, tmp_path: Path, targets: list[str]) -> None:
    """It ended with 1, 0 and 2: OLM resolves the namespace, and no operator can act there."""
    arguments = changed(tmp_path, BANK, "OperatorGroup", spec={"targetNamespaces": targets}, status={})
    codes = {verb: olmsolve(verb, *arguments).code for verb in ("resolve", "explain", "plan")}
    assert codes == {"resolve": 0, "explain": 0, "plan": 0}
    for verb in ("resolve", "explain", "plan", "simulate"):
        assert "operator group bank has a fault" in " ".join(olmsolve(verb, *arguments).out.split()), verb


@pytest.mark.parametrize("kind", ["dump", "request"])
def test_a_key_that_stands_twice_is_refused_or_read_alike(olmsolve: Run, tmp_path: Path, kind: str) -> None:
    """YAML accepted what JSON refused; both now read objects as Kubernetes does, where the last one wins.

    Request documents are ours, and there it is refused in both.
    """
    file = tmp_path / "twice.yaml"
    if kind == "dump":
        text = "apiVersion: v1\nkind: Namespace\nkind: Namespace\nmetadata: {name: a}\n"
    else:
        text = "namespaces: [here]\nnamespaces: [there]\nsubscriptions: []\n"
    file.write_text(text, "utf-8")
    option = ("--cluster",) if kind == "dump" else ()
    in_yaml = olmsolve("resolve", *option, file)
    pairs = [line.split(": ", 1) for line in text.replace("{name: a}", '{"name": "a"}').splitlines()]
    written = ",\n".join(
        f'"{key}": {value if value[0] == "{" else json.dumps(yaml.safe_load(value))}' for key, value in pairs
    )
    other = tmp_path / "twice.json"
    other.write_text("{" + written + "}", "utf-8")
    in_json = olmsolve("resolve", *option, other)
    assert (in_yaml.code, in_yaml.out) == (in_json.code, in_json.out)
    assert in_yaml.err.replace("twice.yaml", "twice.json") == in_json.err
    assert ("twice.yaml:2: namespaces: occurs twice" in in_yaml.err) == (kind == "request")


def test_hints_lead_somewhere(olmsolve: Run, tmp_path: Path) -> None:
    """``explain --cluster`` sent people to an option that was for ``resolve`` alone."""
    scenario = {**BANK, "groups": {"bank": ["bank"], "books": ["books"]}}
    scenario["subscriptions"] = {**BANK["subscriptions"], "books/ledger": {"from": "olm/community"}}
    outcome = ask(olmsolve, tmp_path, scenario, "explain")
    assert (outcome.code, outcome.err) == (0, "")
    outcome = ask(olmsolve, tmp_path, scenario, "certify")
    assert "--namespace or --extension chooses one" in outcome.err
    assert ask(olmsolve, tmp_path, scenario, "certify", "--namespace", "bank").code == 0


def test_catalogs_load_in_a_fresh_process() -> None:
    """docs/operator-groups.md failed there: ``olmsolve.fbc`` was not imported by ``import olmsolve``."""
    code = "import olmsolve; olmsolve.fbc.from_blobs([]); olmsolve.v1.plan; olmsolve.classic.channel_path"
    subprocess.run([sys.executable, "-c", code], check=True)
