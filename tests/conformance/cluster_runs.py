"""Whole runs of the real OLM on a real API server: what stood before, what was seen, and what stood at rest.

``python -m tests.conformance.cluster_runs FOLDER NAME`` makes NAME.jsonl.gz of the unpacked recordings in FOLDER, a
folder for each scenario and in it one for each step. A line is a step: the objects ``before`` OLM's answer (without the
schemas of OLM's own kinds), the ``contents`` of the catalogs as blobs (null: cannot be read), what the simulation is
told (``simulate``), in a step that did not come to rest the statuses of operators that were ``seen``, the ``phases``
that operators went through, the order in which they came (``came``), and the outcome ``after``, in the form of
:func:`outcome_of_state`.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

import olmsolve
from olmsolve.catalog.fbc import from_blobs
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import (
    ClusterServiceVersion,
    Condition,
    CustomResourceDefinition,
    InstallPlan,
    OperatorGroup,
    SubscriptionObject,
    read_manifests,
)
from olmsolve.lifecycle.simulation import Simulation
from tests.recorded import VENDORED, records

VENDORED_RUNS: Final = ("classic_runs", "classic_stuck")

_MOST_PHASES: Final = 40
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Outcome = dict[str, dict[str, Any]]
Run = Mapping[str, Any]

# The conditions that are compared, where they are True. Their messages are OLM's own words.
_CONDITIONS: Final = frozenset(
    {
        "ResolutionFailed",
        "Deprecated",
        "PackageDeprecated",
        "ChannelDeprecated",
        "BundleDeprecated",
        "BundleUnpackFailed",
    }
)


def outcome_of_state(state: ClusterState) -> Outcome:
    """Return what is compared of *state*: not names of plans, times and messages, which no simulation can know."""
    outcome: Outcome = {kind: {} for kind in ("operators", "copies", "subscriptions", "plans", "crds", "groups")}
    for csv in state.all(ClusterServiceVersion):
        if csv.is_copied:
            outcome["copies"][csv.key] = csv.metadata.labels["olm.copiedFrom"]
        elif not csv.metadata.deletion_timestamp:
            outcome["operators"][csv.key] = [csv.phase, csv.reason]
    for wish in state.all(SubscriptionObject):
        outcome["subscriptions"][wish.key] = {
            "package": wish.package,
            "channel": wish.channel,
            "source": wish.source,
            "startingCSV": wish.starting_csv,
            "approval": wish.approval,
            "installedCSV": wish.installed_csv,
            "currentCSV": wish.current_csv,
            "state": wish.state,
            "conditions": sorted(
                f"{condition.type}:{condition.reason}" for condition in wish.conditions if _counts(condition)
            ),
        }
    for plan in state.all(InstallPlan):
        key = f"{plan.namespace}/{plan.spec_generation}:{','.join(sorted(plan.csv_names))}"
        outcome["plans"][key] = [plan.phase, plan.approval, plan.approved]
    for crd in state.all(CustomResourceDefinition):
        outcome["crds"][crd.name] = sorted([version.name, version.served, version.storage] for version in crd.versions)
    for group in state.all(OperatorGroup):
        provided = group.metadata.annotations.get("olm.providedAPIs", "").split(",")
        outcome["groups"][group.key] = [sorted(group.namespaces), sorted(filter(None, provided))]
    return outcome


def _counts(condition: Condition) -> bool:
    return condition.type in _CONDITIONS and condition.status == "True"


def differences(expected: Outcome, actual: Outcome, seen: Mapping[str, list[list[str]]]) -> list[str]:
    """Return a line for each fact in which the two outcomes differ, the real OLM's value first.

    *seen* are the statuses between which operators took turns: each of them is as good as the last.
    """
    lines = []
    for kind in expected:
        for key in sorted({*expected[kind], *actual[kind]}):
            real, ours = expected[kind].get(key), actual[kind].get(key)
            if isinstance(real, dict) and isinstance(ours, dict):
                lines += [
                    f"{kind} {key} {field}: OLM {real[field]!r}, olmsolve {ours[field]!r}"
                    for field in real
                    if real[field] != ours[field]
                ]
            elif real != ours and not (kind == "operators" and ours in seen.get(key, ())):
                lines.append(f"{kind} {key}: OLM {real!r}, olmsolve {ours!r}")
    return lines


def simulated(run: Run) -> Simulation:
    """Return the simulation of the objects before OLM's answer, with what the recording tells it."""
    state = ClusterState.of(read_manifests((manifest, None) for manifest in run["before"]))
    contents = {
        key: olmsolve.CatalogError("cannot be read") if blobs is None else from_blobs(blobs)
        for key, blobs in run["contents"].items()
    }
    assumed = run["simulate"]
    policy = olmsolve.Policy(kubernetes=assumed.get("kubernetes"))
    situation = olmsolve.Situation.of_cluster(state, contents, policy)
    return olmsolve.simulate(situation, approve=assumed.get("approve", False), failing=assumed.get("failing", ()))


def disorder(run: Run, simulation: Simulation) -> list[str]:
    """Return a line for each event of *simulation* that does not come in the order in which the real OLM's came.

    The phases of an operator are a part of the recorded ones, in their order; operators that are new in different steps
    came in the order of the steps.
    """
    lines = []
    ways: dict[str, list[str]] = {}
    came: list[set[str]] = []
    for step in simulation.steps:
        came.append(
            {f"{operator.namespace}/{operator.name}" for operator in step.operators if operator.phases[0] == ""}
        )
        for operator in step.operators:
            ways.setdefault(f"{operator.namespace}/{operator.name}", []).extend(operator.phases[1:])
    # What was being deleted before was gone before anybody looked.
    going = {
        manifest["metadata"]["name"] for manifest in run["before"] if manifest["metadata"].get("deletionTimestamp")
    }
    for key, phases in ways.items():
        if phases == ["gone"] and key.partition("/")[2] in going:
            continue
        recorded = iter(run["phases"].get(key, ()))
        if not all(phase in recorded for phase in phases):
            lines.append(f"operator {key}: OLM {run['phases'].get(key)}, olmsolve {phases}")
    order = {key: position for position, key in enumerate(run["came"])}
    seen = -1
    for new in came:
        positions = [order[key] for key in new if key in order]
        if positions and min(positions) < seen:
            lines.append(f"order of operators: OLM {run['came']}, olmsolve {[sorted(names) for names in came]}")
        seen = max([seen, *positions])
    return lines


def runs() -> list[Run]:
    """Return the recorded steps, scenario by scenario."""
    return [run for name in VENDORED_RUNS for run in records(VENDORED / f"{name}.jsonl.gz")]


def _record(folder: Path) -> dict[str, Any]:
    step = json.loads((folder / "step.json").read_text())
    before, after = (_objects(folder / f"{name}.yaml") for name in ("before", "after"))
    served = {
        f"{manifest['metadata']['namespace']}/{manifest['metadata']['name']}"
        for manifest in before
        if manifest["kind"] == "CatalogSource"
    }
    # Nobody serves a catalog that the recording has no content of.
    paths = {key: step["catalogs"].get(key) for key in sorted(served)}
    phases, came, seen = _events(folder / "events.jsonl")
    return {
        "scenario": step["scenario"],
        "step": f"{step['step']}-{step['label']}",
        "rested": step["rested"],
        "simulate": step["simulate"],
        "contents": {
            key: list(yaml.load_all((folder / path).read_text(), Loader=_LOADER)) if path else None
            for key, path in paths.items()
        },
        "before": before,
        "phases": phases,
        **({} if step["rested"] else {"seen": seen}),
        "came": came,
        "after": outcome_of_state(ClusterState.of(read_manifests((manifest, None) for manifest in after))),
    }


def _objects(path: Path) -> list[dict[str, Any]]:
    items = yaml.load(path.read_text(), Loader=_LOADER)["items"]  # noqa: S506
    return [_without_schemas(manifest) if _is_olms_own(manifest) else manifest for manifest in items]


def _is_olms_own(manifest: Mapping[str, Any]) -> bool:
    return bool(manifest["kind"] == "CustomResourceDefinition" and manifest["spec"]["group"] == "operators.coreos.com")


def _without_schemas(crd: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a simulation can see of the definition *crd*: a tenth of it."""
    spec = {name: crd["spec"][name] for name in ("group", "names", "scope")}
    versions = [{name: version[name] for name in ("name", "served", "storage")} for version in crd["spec"]["versions"]]
    kept = {"apiVersion": crd["apiVersion"], "kind": crd["kind"], "metadata": {"name": crd["metadata"]["name"]}}
    return {**kept, "spec": {**spec, "versions": versions}}


def _events(path: Path) -> tuple[dict[str, list[str]], list[str], dict[str, list[list[str]]]]:
    phases: dict[str, list[str]] = {}
    seen: dict[str, list[list[str]]] = {}
    came: list[str] = []
    for line in path.read_text().splitlines():
        event = json.loads(line)
        if event["kind"] != "ClusterServiceVersion" or event.get("copied"):
            continue
        key = f"{event['namespace']}/{event['name']}"
        if event["type"] == "ADDED":
            came.append(key)
        phase = "gone" if event["type"] == "DELETED" else event["phase"]
        way = phases.setdefault(key, [])
        # An operator that takes turns between two phases does so a thousand times.
        if (not way or way[-1] != phase) and len(way) < _MOST_PHASES:
            way.append(phase)
        status = [phase, event.get("reason", "")]
        if status not in seen.setdefault(key, []):
            seen[key].append(status)
    return phases, came, seen


def main(arguments: Iterable[str]) -> None:
    folder, name = arguments
    paths = sorted(Path(folder).glob("*/*/step.json"))
    lines = [json.dumps(_record(path.parent), separators=(",", ":")) for path in paths]
    (VENDORED / f"{name}.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))


if __name__ == "__main__":
    main(sys.argv[1:])
