"""Whole runs of the real operator-controller: what became of each extension, and in whose words it was refused.

A line of ``v1_runs.jsonl.gz`` is one change of a cluster: the objects after the change, with the status that the
extensions had before it, and what the controller had made of them when it stood still. The first line has the contents
of the catalogs, the second the manifests of the bundles' images.
"""

from __future__ import annotations

import base64
import functools
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import attrs
import pytest

import olmsolve
from olmsolve import v1
from olmsolve.catalog import Catalog, fbc
from tests.conformance.v1_run_differences import DIFFERENCES
from tests.scale import grouped

Run: TypeAlias = Mapping[str, Any]

_LINES: Final = [
    json.loads(line)
    for line in gzip.decompress(Path(__file__).with_name("v1_runs.jsonl.gz").read_bytes()).decode().splitlines()
]
CONTENTS: Final[Mapping[str, Any]] = _LINES[0]["contents"]
MANIFESTS: Final[Mapping[str, Any]] = _LINES[1]["manifests"]
RUNS: Final[Sequence[Run]] = _LINES[2:]


@functools.cache
def content(digest: str, *, whole: bool) -> Catalog:
    """A catalog whose bundles hold the manifests of their images, as catalogs with ``olm.bundle.object`` do.

    Not *whole*, it is the catalog that was served: as the catalogs of today it has ``olm.csv.metadata`` alone.
    """
    return fbc.from_blobs([_with_manifests(blob) if whole else blob for blob in CONTENTS[digest]])


def _with_manifests(blob: dict[str, Any]) -> dict[str, Any]:
    manifests = MANIFESTS.get(blob.get("image", ""), ())
    objects = [
        {"type": "olm.bundle.object", "value": {"data": base64.b64encode(json.dumps(manifest).encode()).decode()}}
        for manifest in manifests
    ]
    return {**blob, "properties": [*blob["properties"], *objects]} if objects else blob


def gates(run: Run) -> dict[str, bool]:
    """The feature gates that the controller of *run* had."""
    _, _, named = run["mode"].partition(" ")
    pairs = (gate.partition("=") for gate in named.split(",") if gate)
    return {name: on == "true" for name, _, on in pairs}


@functools.cache
def situation(position: int, *, whole: bool = True) -> olmsolve.Situation:
    run = RUNS[position]
    objects = {"apiVersion": "v1", "kind": "List", "items": run["objects"]}
    catalogs = {name: content(digest, whole=whole) for name, digest in run["catalogs"].items()}
    return olmsolve.read_situation(objects, catalogs=catalogs, policy=olmsolve.Policy(feature_gates=gates(run)))


@attrs.frozen
class Told:
    """What a verb says of one extension: its bundles in order, where it ends, and the failure that it ends with."""

    steps: tuple[str, ...]
    bundle: str | None
    conditions: Mapping[str, Sequence[str]]
    error: str = ""


def simulated(position: int, *, whole: bool = True) -> dict[str, Told]:
    requests = []
    for question in situation(position, whole=whole).questions:
        request = question.request()
        assert isinstance(request, v1.ExtensionRequest)
        requests.append(attrs.evolve(request, name=question.name))
    document = v1.simulate(requests, failing=never_ready(RUNS[position])).to_dict()
    steps: dict[str, list[str]] = {}
    for round_ in document["rounds"]:
        for update in round_["updates"]:
            steps.setdefault(update["extension"], []).append(update["bundle"])
    outcomes = {}
    for resting in document["resting"]:
        outcomes[resting["extension"]] = Told(
            tuple(steps.get(resting["extension"], ())), resting["bundle"], conditions_of(resting)
        )
    for failure in document["failed"]:
        name = failure["extension"]
        way = tuple(steps.get(name, ()))
        bundle = way[-1] if way else installed(RUNS[position], name)
        outcomes[name] = Told(way, bundle, conditions_of(failure), failure["error"])
    return outcomes


def conditions_of(document: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    return {
        condition["type"]: (condition["status"], condition["reason"], condition["message"])
        for condition in document.get("conditions", ())
    }


def never_ready(run: Run) -> set[str]:
    """The bundles whose deployments do not become available: the recorded cluster has nobody who would run them."""
    versions = {
        outcome["conditions"]["Progressing"][2].removeprefix("Revision ").removesuffix(" is rolling out.")
        for outcome in run["outcomes"].values()
        if outcome["conditions"].get("Progressing", ("", "", ""))[1] == "RollingOut"
    }
    return {f"{name}.v{version}" for name in ("shop", "aaa", "bbb") for version in versions}


def installed(run: Run, name: str) -> str | None:
    """The bundle that extension *name* had before the change."""
    for object_ in run["objects"]:
        if object_["kind"] == "ClusterExtension" and object_["metadata"]["name"] == name:
            bundle_name: str | None = ((object_.get("status") or {}).get("install") or {}).get("bundle", {}).get("name")
            return bundle_name
    raise AssertionError(name)


def differences(position: int, name: str, ours: Told) -> Iterator[str]:
    """Yield in which respects *ours* is not what became of extension *name*."""
    outcome = RUNS[position]["outcomes"][name]
    if ours.bundle != outcome["bundle"].get("name"):
        yield "bundle"
    # A watcher may miss a bundle that stays for less than a moment, so what it saw is a part of the way.
    way = iter(ours.steps)
    if not all(step in way for step in outcome["steps"]):
        yield "steps"
    _, reason, message = outcome["conditions"].get("Progressing", ("", "", ""))
    expected = "" if reason in ("Succeeded", "") else message
    if comparable(ours.error) != comparable(expected):
        yield "error" if expected and ours.error else "fails" if ours.error else "succeeds"
        return
    for type_, condition in outcome["conditions"].items():
        # The probes of a revision's objects, of which the recorded cluster runs none, are Available.
        if type_ not in ("Progressing", "Available") and tuple(ours.conditions.get(type_, ())) != tuple(condition):
            yield type_
    progressing = ours.conditions.get("Progressing")
    if progressing is not None and tuple(progressing[:2]) != tuple(outcome["conditions"]["Progressing"][:2]):
        yield "Progressing"


def comparable(message: str) -> tuple[str, ...]:
    """The lines of *message*, sorted where they have no order: changes of definitions, and kinds without one."""
    head, mark, kinds = message.partition("failed: [resource mapping not found for ")
    if mark:
        return (head, mark, *sorted(kinds.removesuffix("]").split(", resource mapping not found for ")))
    head, mark, changes = message.partition(": validating upgrade for CRD ")
    return (head, mark, *sorted(changes.partition(": ")[2].split("\n"))) if mark else (message,)


def every() -> Iterator[tuple[int, str]]:
    for position, run in enumerate(RUNS):
        for name in run["outcomes"]:
            yield position, name


def label(position: int, name: str) -> str:
    run = RUNS[position]
    return f"{run['scenario']}/{run['phase']}/{name}"


SCENARIOS: Final = grouped(sorted({run["scenario"] for run in RUNS}))


@pytest.mark.parametrize("scenarios", SCENARIOS.values(), ids=SCENARIOS)
def test_simulates_what_the_controller_did(scenarios: Sequence[str]) -> None:
    """Bundles, their order, and the controller's own words; what differs is listed with a reason, and no more."""
    mismatches = {}
    for position, name in every():
        if RUNS[position]["scenario"] in scenarios:
            different = tuple(differences(position, name, simulated(position)[name]))
            if different:
                mismatches[label(position, name)] = different
    listed = {key for key in DIFFERENCES if key.partition("/")[0] in scenarios}
    assert mismatches.keys() == listed, mismatches


@pytest.mark.parametrize("scenarios", SCENARIOS.values(), ids=SCENARIOS)
def test_catalogs_without_manifests_promise_less(scenarios: Sequence[str]) -> None:
    """With ``olm.csv.metadata`` alone nothing is refused that the controller installs.

    Where the controller refuses and we do not, the answer names the manifests among what is not known.
    """
    for position, name in every():
        key = label(position, name)
        if RUNS[position]["scenario"] not in scenarios or key in DIFFERENCES:
            continue
        ours = simulated(position, whole=False)[name]
        different = tuple(differences(position, name, ours))
        assert "fails" not in different, key
        if "succeeds" in different:
            (question,) = (question for question in situation(position, whole=False).questions if question.name == name)
            request = question.request()
            assert isinstance(request, v1.ExtensionRequest)
            assert "manifests" in v1.resolve(request).unknown, key


@pytest.mark.parametrize("scenarios", SCENARIOS.values(), ids=SCENARIOS)
def test_other_verbs_say_the_same(scenarios: Sequence[str]) -> None:
    """``resolve`` takes the first step of the simulation or fails alike, and ``plan`` writes the status after it."""
    for position, name in every():
        # Bundles that never start to work are told to the simulation alone.
        if RUNS[position]["scenario"] not in scenarios or never_ready(RUNS[position]):
            continue
        case, ours = situation(position), simulated(position)[name]
        (question,) = (question for question in case.questions if question.name == name)
        request = question.request()
        assert isinstance(request, v1.ExtensionRequest)
        try:
            outcome: v1.ExtensionResolution | v1.ResolutionError = v1.resolve(request)
        except v1.ResolutionError as error:
            outcome = error
        if ours.steps or not ours.error:
            assert isinstance(outcome, v1.ExtensionResolution)
            assert outcome.bundle == next(iter(ours.steps), ours.bundle)
        else:
            assert str(outcome) == ours.error
        written = {manifest["metadata"]["name"]: manifest["status"] for manifest in olmsolve.plan(case).manifests()}
        if ours.steps:
            assert written[name]["install"]["bundle"]["name"] == ours.steps[0]
        elif ours.error and name in written:
            progressing = {condition["type"]: condition for condition in written[name]["conditions"]}["Progressing"]
            assert progressing["message"] == ours.error
