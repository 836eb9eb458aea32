"""Every command is asked about clusters that are stuck, and none says what another contradicts.

The first lines are what a support engineer reads: the snapshots have them for four commands.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import attrs
import pytest

import olmsolve as library
from tests.cli.commands import Outcome, Run
from tests.scenarios.agreement.stuck import STUCK, Stuck

Document = dict[str, Any]

# What OLM has written itself, by the kinds of hindrances.
REPORTED = {"subscriptionsReport", "planNotFinished", "groupAccountMissing", "catalogNotReady"}
# What no object says: it follows from the step that is to come.
FORESEEN = {
    "bundleMayNotAct",
    "bundleForHouseRule",
    "planForbidden",
    "planWillFail",
    "bundleWillNotWork",
    "operatorWillStop",
    "reportOutdated",
    "failureNotReported",
}
# What an answer says that is no plan: a plan shows by itself that nothing is written.
WAITS = "namespaceWaits"


@attrs.define(slots=False)
class Answers:
    """What each command says of namespace ``ns`` of one stuck cluster."""

    cluster: Stuck
    folder: Path
    olmsolve: Run

    def ask(self, verb: str, *more: str) -> Outcome:
        return self.olmsolve(verb, *self.cluster.arguments(self.folder), *more)

    def data(self, verb: str, *more: str) -> Document:
        return dict(json.loads(self.ask(verb, *more, "--namespace", "ns", "-o", "json").out))

    def installed_by(self, *options: str) -> set[str]:
        return {install["name"] for install in self.data("resolve", *options).get("installs", ())}

    def planned(self, **policy: Any) -> Document:
        given = self.cluster.arguments(self.folder)
        key, _, path = given[3].partition("=")
        rules = library.requests.read_house_rules(given[5]) if self.cluster.rules else ()
        chosen = library.Policy(house_rules=rules, **policy)
        situation = library.read_situation(given[1], catalogs={key: path}, policy=chosen)
        document = library.plan(situation).to_dict()
        return next(namespace for namespace in document["namespaces"] if namespace["namespace"] == "ns")

    @cached_property
    def plan(self) -> Document:
        return self.planned()

    @cached_property
    def resolve(self) -> Document:
        return self.data("resolve")

    @cached_property
    def simulation(self) -> Document:
        return self.data("simulate")

    @cached_property
    def written(self) -> set[str]:
        """The operators of the install plan that OLM would write."""
        plans = [object_ for object_ in self.plan["objects"] if object_["kind"] == "InstallPlan"]
        return {name for plan in plans for name in plan["spec"]["clusterServiceVersionNames"]}

    def phases(self) -> dict[str, str]:
        """The last phase of each operator of the namespace that the simulation changes, with OLM's reason."""
        changes = [
            operator
            for step in self.simulation["steps"]
            for operator in step["operators"]
            if operator["namespace"] == "ns"
        ]
        return {change["name"]: f"{change['phases'][-1]} {change['reason']}" for change in changes}


def kinds(hindrances: list[Document]) -> set[str]:
    return {hindrance["kind"] for hindrance in hindrances}


@pytest.fixture(params=STUCK)
def answers(request: pytest.FixtureRequest, tmp_path: Path, olmsolve: Run) -> Answers:
    return Answers(STUCK[request.param](), tmp_path, olmsolve)


def test_all_commands_tell_the_same_hindrances(answers: Answers) -> None:
    """Also where the form of the answer has no place for them: then standard error tells them."""
    hindrances = [hindrance for hindrance in answers.plan["hindrances"] if hindrance["kind"] != "namespaceUnresolvable"]
    bundle = answers.cluster.bundle
    for document in (answers.resolve, answers.data("explain"), answers.data("why-not", bundle)):
        # The namespace that cannot be resolved for its objects has that as its error.
        if "error" not in document:
            assert [
                hindrance for hindrance in document.get("hindrances", ()) if hindrance["kind"] != WAITS
            ] == hindrances
    objects = answers.ask("plan", "--namespace", "ns", "-o", "json")
    text = " ".join(objects.err.split())
    assert all(hindrance["text"] in text for hindrance in hindrances)
    recorded = [hindrance for hindrance in hindrances if hindrance["kind"] in REPORTED]
    assert answers.simulation["reports"] == recorded


def test_a_plan_that_is_not_written_is_in_no_answer_without_a_word(answers: Answers) -> None:
    """What a resolution selects has an install plan, or the answer says that nothing comes of it."""
    selected = {install["name"] for install in answers.resolve.get("installs", ())}
    is_waiting = WAITS in kinds(answers.resolve.get("hindrances", []))
    silent = selected - answers.written
    if is_waiting:
        assert answers.written == set()
    else:
        hindrances = answers.resolve.get("hindrances", ())
        explained = {hindrance.get("provider", hindrance.get("bundle")) for hindrance in hindrances}
        explained.update(
            name
            for hindrance in hindrances
            if hindrance["kind"] == "bundlesNotUnpacked"
            for name in hindrance["bundles"]
        )
        assert silent <= explained


def test_what_has_no_plan_has_none_for_any_command(answers: Answers) -> None:
    """And where a resolution has one, every command answers with it."""
    is_resolved = "installs" in answers.resolve
    bundle = answers.cluster.bundle
    codes = {
        verb: answers.ask(verb, *more, "--namespace", "ns").code
        for verb, more in (
            ("resolve", ()),
            ("explain", ()),
            ("why-not", (bundle,)),
            ("plan", ()),
        )
    }
    assert set(codes.values()) == {0 if is_resolved else 1}, codes
    remaining = kinds(answers.simulation["left"])
    if not answers.simulation["steps"]:
        assert bool(remaining & {"namespaceUnresolved", "namespaceUnresolvable"}) is not is_resolved


def test_operator_groups_refuse_in_every_command(answers: Answers) -> None:
    """What fails once it is installed is announced, fails in the simulation, and is not selected with the option."""
    refused = {
        hindrance["bundle"] for hindrance in answers.plan["hindrances"] if hindrance["kind"] == "bundleMayNotAct"
    }
    selected = {install["name"] for install in answers.resolve.get("installs", ())}
    assert selected - answers.installed_by("--operator-groups") == refused
    heeding = [
        object_ for object_ in answers.planned(operator_groups=True)["objects"] if object_["kind"] == "InstallPlan"
    ]
    assert not refused & {name for plan in heeding for name in plan["spec"]["clusterServiceVersionNames"]}
    phases = answers.phases()
    assert {name for name in selected & phases.keys() if phases[name].startswith("Failed ")} == refused & phases.keys()


def test_a_plan_that_is_forbidden_is_not_finished(answers: Answers) -> None:
    """What the account may not do stops the plan, and the simulation leaves it as OLM would."""
    unfinished = [report for report in answers.simulation["left"] if report["kind"] == "planNotFinished"]
    stopped = {report["operators"][0] for report in unfinished if "is forbidden" in report["message"]}
    forbidden = (
        hindrance["bundles"] for hindrance in answers.plan["hindrances"] if hindrance["kind"] == "planForbidden"
    )
    assert {name for names in forbidden for name in names} == stopped


def test_operators_that_may_not_act_are_the_same_in_the_report_on_groups(answers: Answers) -> None:
    """The report looks at the groups as OLM will have written them, and so do the others."""
    arguments = answers.cluster.arguments(answers.folder)[:2]
    report = json.loads(answers.olmsolve("groups", *arguments, "-o", "json").out)
    working = {
        object_["metadata"]["name"]
        for object_ in answers.cluster.objects
        if object_["kind"] == "ClusterServiceVersion"
        and object_["metadata"]["namespace"] == "ns"
        and object_["status"]["phase"] == "Succeeded"
    }
    refused = {
        operator["name"] for operator in report["operators"] if operator["namespace"] == "ns" and operator["reason"]
    }
    may_not_act = {
        hindrance["operator"] for hindrance in answers.plan["hindrances"] if hindrance["kind"] == "operatorMayNotAct"
    }
    if not {"namespaceUnresolvable", "groupWithoutTargets", "groupAccountMissing"} & kinds(answers.plan["hindrances"]):
        assert refused & working == may_not_act


def test_no_operator_is_freed_whose_plan_cannot_run(answers: Answers) -> None:
    """And no operator stays without the reason that the plan has."""
    blocking = answers.data("blocking", "--openshift", "4.18.3")
    approved = answers.data("simulate", "--approve")
    texts = (one["text"] for one in answers.plan["hindrances"] if one["kind"] not in FORESEEN)
    all_texts = set(texts) | {one["text"] for one in approved["left"]}
    for operator in (one for one in blocking["operators"] if one["namespace"] == "ns"):
        if operator["way"] is not None:
            assert kinds(operator["hindrances"]) == kinds(approved["reports"])
        else:
            assert all_texts <= {one["text"] for one in operator["hindrances"]} != set()
    is_freed = all(operator["way"] and not operator["hindrances"] for operator in blocking["operators"])
    assert blocking["freed"] is is_freed


def test_the_first_lines_say_what_is_wrong(
    answers: Answers, request: pytest.FixtureRequest, snapshot: Callable[[str, str], None]
) -> None:
    """What a support engineer reads in the first lines."""
    texts = []
    for verb, more in (
        ("explain", ()),
        ("plan", ()),
        ("simulate", ()),
        ("why-not", (answers.cluster.bundle,)),
        ("blocking", ("--openshift", "4.18.3")),
    ):
        lines = [line for line in answers.ask(verb, *more).out.splitlines() if line.strip()]
        texts.append("\n".join((f"$ olmsolve {verb}", *lines[:8])))
    name = request.node.callspec.params["answers"].replace(",", "").replace(" ", "-")
    snapshot(f"stuck/{name}.txt", "\n\n".join(texts))
