"""Every dump, asked by every command as a person would: what is expected of each, and that no two contradict."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

from tests.cli.commands import Run
from tests.scenarios.dumps.files import cluster_arguments, operators_at_the_end, subscribing_namespaces
from tests.scenarios.dumps.notation import dump
from tests.yaml_files import yaml_documents, yaml_text

FOLDER: Final = Path(__file__).parent
VERBS: Final = ("resolve", "explain", "plan", "simulate")


@cache
def scenarios() -> dict[str, dict[str, Any]]:
    """Every dump in short notation, by name."""
    documents = (document for file in sorted(FOLDER.glob("*.yaml")) for document in yaml_documents(file))
    return {document["name"]: document for document in documents}


@attrs.frozen
class Commands:
    """A dump in files, and how to ask a command about it."""

    scenario: dict[str, Any]
    answered: Run
    file: Path
    catalogs: tuple[str, ...]

    def text(self, verb: str, *arguments: str) -> str:
        outcome = self.answered(verb, *arguments, "--cluster", self.file, *self.catalogs)
        return " ".join((outcome.out + outcome.err).split())

    def data(self, verb: str, *arguments: str) -> tuple[int, Any]:
        outcome = self.answered(verb, *arguments, "--cluster", self.file, *self.catalogs, "-o", "json")
        return outcome.code, json.loads(outcome.out or "null")

    def after(self, *arguments: str) -> tuple[dict[str, list[str]], list[dict[str, Any]]]:
        """The operators of each namespace at the end of a simulation, and what is left."""
        simulated = self.data("simulate", *arguments)[1]
        return operators_at_the_end(self.scenario, simulated), simulated["left"]


@pytest.fixture(params=list(scenarios()))
def commands(
    request: pytest.FixtureRequest, answered: Run, written: Callable[[Mapping[str, Any]], tuple[str, ...]]
) -> Commands:
    """One dump after the other, as the file that kubectl would have written."""
    scenario = scenarios()[request.param]
    arguments = written(scenario)
    return Commands(scenario, answered, Path(arguments[1]), arguments[2:])


def planned(objects: Any) -> dict[str, list[str]]:
    """The operators in the install plans that ``plan`` writes, by namespace."""
    plans = (item for item in objects["items"] if item["kind"] == "InstallPlan")
    return {plan["metadata"]["namespace"]: sorted(plan["spec"]["clusterServiceVersionNames"]) for plan in plans}


def installs(answer: dict[str, Any]) -> list[str] | None:
    """The operators that an answer of ``resolve`` installs; None where it fails."""
    return sorted(install["name"] for install in answer["installs"]) if "installs" in answer else None


def test_twenty_dumps_teach_something() -> None:
    """Each has a sentence for people."""
    assert len(scenarios()) >= 20
    assert all(scenario["learn"].endswith(".") for scenario in scenarios().values())


def test_exit_codes(commands: Commands) -> None:
    """0 is an answer with nothing left, 1 a failure or something left, 2 would be input that cannot be read."""
    codes = {verb: commands.data(verb)[0] for verb in VERBS}
    assert codes == commands.scenario["expect"]["exits"], commands.scenario["learn"]


def test_what_comes_of_it(commands: Commands) -> None:
    """What is resolved, what is planned, which operators there are in the end, and what is left."""
    expected, why = commands.scenario["expect"], commands.scenario["learn"]
    answers = commands.data("resolve")[1]
    answered = {name: installs(answer) for name, answer in answers["namespaces"].items()}
    assert answered == expected.get("installs", {}), why
    chosen = {name: selected(answer) for name, answer in answers["extensions"].items()}
    assert chosen == expected.get("extensions", {}), why
    if answered:
        wanted = {**answered, **expected.get("planned", {})}
        assert planned(commands.data("plan")[1]) == {name: names for name, names in wanted.items() if names}, why
    ends, remaining = commands.after()
    assert ends == expected.get("ends", {}), why
    kinds = sorted(report["kind"] for report in remaining)
    assert kinds == expected.get("left", []), why


def selected(answer: dict[str, Any]) -> str | None:
    """The bundle that an extension gets; a failure names the bundle that was refused."""
    return answer["bundle"] if answer["schema"] == "olmsolve.v1.resolution" else None


def test_approval(commands: Commands) -> None:
    """Where a plan waits, ``simulate --approve`` shows what comes of it; extensions have nothing to approve."""
    if not subscribing_namespaces(commands.scenario):
        assert commands.data("simulate", "--approve") == (2, None)
        return
    approved = commands.scenario["expect"].get("approved")
    ends, remaining = commands.after("--approve")
    assert not any(report["kind"] == "planWaits" for report in remaining)
    assert ends == (approved or commands.scenario["expect"].get("ends", {}))


def test_what_is_said(commands: Commands) -> None:
    """The words without which nobody would find the cause."""
    for verb, words in commands.scenario["expect"].get("says", {}).items():
        text = commands.text(verb)
        assert [word for word in words if word not in text] == [], (verb, text)


def test_commands_answer_the_same_questions(commands: Commands) -> None:
    """All namespaces with subscriptions, and all extensions, are answered by every command."""
    expected = subscribing_namespaces(commands.scenario)
    extensions = list(commands.scenario.get("extensions", {}))
    for verb in ("resolve", "explain"):
        answers = commands.data(verb)[1]
        assert (sorted(answers["namespaces"]), list(answers["extensions"])) == (expected, extensions)
    text = commands.text("plan")
    assert [name for name in expected if f"Namespace {name}" not in text] == []
    last = commands.data("simulate")[1]["last"]
    assert sorted(state["namespace"] for state in last) == expected


def test_no_two_commands_contradict(commands: Commands) -> None:
    """Asked about one namespace at a time, all commands tell the same story."""
    ends, remaining = commands.after(*["--approve"] if subscribing_namespaces(commands.scenario) else ())
    for namespace in subscribing_namespaces(commands.scenario):
        code, answer = commands.data("resolve", "--namespace", namespace)
        assert commands.data("explain", "--namespace", namespace)[0] == code
        plan_code, objects = commands.data("plan", "--namespace", namespace)
        assert plan_code == code
        text = commands.text("plan", "--namespace", namespace)
        kinds = {report["kind"] for report in remaining if report["namespace"] == namespace}
        names = installs(answer) if answer else None
        if names is None:
            assert code == 1
            assert "not resolved" in text
            assert planned(objects) == {}
            if answer and any(hindrance["kind"] == "operatorGivesWay" for hindrance in answer.get("hindrances", ())):
                # Told, and gone when the cluster is at rest.
                assert "OLM removes it by itself" in text
                assert "namespaceUnresolved" not in kinds
                continue
            assert kinds & {"namespaceUnresolved", "namespaceUnresolvable"}
            # A namespace that OLM did resolve, in vain, says so in the status of its subscriptions.
            if answer and "constraints" in answer:
                _same_blame(commands, namespace, objects, remaining)
            continue
        assert code == 0
        assert "not resolved" not in text
        if names and planned(objects).get(namespace) != names:
            assert planned(objects) == {}
            assert "waits" in text or "failed" in text or "is gone" in text or "writes no plan for it" in text
        waiting = kinds & {"planWaits", "planFailed", "operatorMissing", "requirementUnmet"}
        assert waiting or _are_reached(names, ends[namespace], commands.scenario)


def test_no_two_commands_contradict_about_extensions(commands: Commands) -> None:
    """What ``resolve`` selects is what ``plan`` writes and the simulation's first round does; failures are failures."""
    _, simulated = commands.data("simulate")
    for name in commands.scenario.get("extensions", {}):
        code, answer = commands.data("resolve", "--extension", name)
        chosen, installed = selected(answer), commands.scenario["extensions"][name].get("has")
        assert code == (0 if chosen else 1)
        assert commands.data("explain", "--extension", name)[0] == code
        plan_code, objects = commands.data("plan", "--extension", name)
        bundles = [item["status"].get("install", {}).get("bundle", {}).get("name") for item in objects["items"]]
        written = [bundle for bundle in bundles if bundle not in (None, installed)]
        # An extension that stays is not written, and one that fails with the conditions that say so.
        assert len(bundles) == (chosen is None or chosen != installed)
        assert (plan_code, written) == (code, [chosen] if chosen not in (None, installed) else [])
        simulation = simulated.get("extensions", simulated)
        updates = [
            update for round_ in simulation["rounds"][:1] for update in round_["updates"] if update["extension"] == name
        ]
        assert [update["bundle"] for update in updates] == written
        assert (name in {failure["extension"] for failure in simulation["failed"]}) is (chosen is None)


def _same_blame(commands: Commands, namespace: str, objects: Any, remaining: list[dict[str, Any]]) -> None:
    """See that ``resolve``, ``explain``, ``plan`` and ``simulate`` name the subscriptions of the scenario."""
    written = [
        condition["message"]
        for item in objects["items"]
        for condition in item["status"].get("conditions", ())
        if condition["type"] == "ResolutionFailed" and condition["status"] == "True"
    ]
    assert written
    texts = [
        *written,
        *(report["text"] for report in remaining if report["namespace"] == namespace and "Unresolv" in report["kind"]),
        commands.text("resolve", "--namespace", namespace),
        commands.text("explain", "--namespace", namespace),
        commands.text("simulate", "--namespace", namespace),
    ]
    for name in commands.scenario["expect"].get("blames", {}).get(namespace, ()):
        assert [text for text in texts if f"subscription {name}" not in text and name not in text.split()] == []


def _are_reached(names: list[str], there: list[str], scenario: dict[str, Any]) -> bool:
    """Whether each of *names* is there in the end, or a later bundle of its package."""
    packages = {name.split(".v")[0] for name in there}
    return all(name in there or name.split(".v")[0] in packages for name in names)


def test_documents_folders_and_standard_input_are_one_dump(
    commands: Commands, olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One object a file, YAML documents and standard input give the answer of the List."""
    expected = commands.data("resolve")
    items = dump(commands.scenario)["items"]
    folder = tmp_path / "objects"
    folder.mkdir()
    for number, item in enumerate(items):
        (folder / f"{number:03}.yaml").write_text(yaml_text(item), "utf-8")
    documents = tmp_path / "documents.yaml"
    documents.write_text(yaml_text(*items), "utf-8")
    for file in (folder, documents):
        outcome = olmsolve("resolve", "--cluster", file, *commands.catalogs, "-o", "json")
        assert (outcome.code, _unlocated(outcome.out, file)) == (expected[0], _unlocated(expected[1], commands.file))
    given = TextIOWrapper(BytesIO(documents.read_bytes()), "utf-8")
    monkeypatch.setattr("sys.stdin", given)
    outcome = olmsolve("resolve", "--cluster", "-", *commands.catalogs, "-o", "json")
    assert outcome.code == expected[0]


def _unlocated(answer: Any, file: Path) -> Any:
    """An answer as data, without errors, whose places differ from file to file."""
    data = json.loads(answer) if isinstance(answer, str) else answer

    def cleaned(value: Any) -> Any:
        return (
            {key: cleaned(child) for key, child in value.items() if key != "error"}
            if isinstance(value, dict)
            else value
        )

    return cleaned(data)


def test_a_subscription_names_one_install_plan(commands: Commands) -> None:
    """Both references in the status of a subscription, the older and the newer, name the same plan."""
    for item in (commands.data("plan")[1] or {"items": []})["items"]:
        if item["kind"] == "Subscription" and "installplan" in item["status"]:
            assert item["status"]["installplan"]["name"] == item["status"]["installPlanRef"]["name"]


def test_the_form_is_that_of_kubectl(commands: Commands) -> None:
    """A List of objects with identities and managed fields, of which copies are labelled."""
    written = json.loads(commands.file.read_text("utf-8"))
    assert (written["kind"], written["metadata"]) == ("List", {"resourceVersion": ""})
    for item in written["items"]:
        assert {"uid", "resourceVersion", "managedFields", "creationTimestamp"} <= item["metadata"].keys()


@pytest.mark.parametrize("fault", ["no content", "no file"])
def test_bad_input_of_one_namespace_is_told_alike(olmsolve: Run, tmp_path: Path, fault: str) -> None:
    """A catalog that nobody gave, or a file that is not there, ends every command with 2; the others are answered."""
    scenario = scenarios()["one wish blocks its namespace"]
    own = {"catalogs": {**scenario["catalogs"], "books/own": {}}}
    arguments = list(cluster_arguments({**scenario, **own}, tmp_path))
    if fault == "no file":
        arguments += ["--catalog", f"books/own={tmp_path}/nowhere"]
    for verb in VERBS:
        for only in ((), ("--namespace", "books")):
            outcome = olmsolve(verb, *arguments, *only)
            assert outcome.code == 2, (verb, only)
            assert ("own" if fault == "no content" else "nowhere") in outcome.err
        assert olmsolve(verb, *arguments, "--namespace", "bank").code == 1
