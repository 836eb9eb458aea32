"""What a plan says of the next step is what the next step of a simulation does, over recorded clusters.

The plan looks at one namespace, and the simulation carries everything out; both begin with the same objects.
"""

from __future__ import annotations

from typing import Final

import pytest

import olmsolve
from olmsolve.catalog.fbc import from_blobs
from olmsolve.cluster import ClusterState, PlanFailed
from olmsolve.cluster.objects import ClusterServiceVersion, read_manifests
from olmsolve.lifecycle.planning import BundleWillNotWork, OperatorWillStop, PlanWillFail
from tests.conformance.cluster_runs import runs

RECORDED: Final = {f"{run['scenario']}/{run['step']}": run for run in runs() if None not in run["contents"].values()}
WORKS: Final = ("Succeeded", "gone")


def _situation(name: str) -> olmsolve.Situation:
    run = RECORDED[name]
    state = ClusterState.of(read_manifests((manifest, None) for manifest in run["before"]))
    contents = {key: from_blobs(blobs) for key, blobs in run["contents"].items()}
    return olmsolve.Situation.of_cluster(state, contents)


@pytest.mark.parametrize("scenario", sorted({name.partition("/")[0] for name in RECORDED}))
def test_a_plan_foresees_what_the_next_step_does(scenario: str) -> None:
    """Plans that fail, bundles that do not come to work, operators that stop; and nothing else."""
    for name in (recorded for recorded in RECORDED if recorded.partition("/")[0] == scenario):
        situation = _situation(name)
        if not situation.questions:
            continue
        planned = olmsolve.plan(situation)
        steps = olmsolve.simulate(situation).steps
        ends = {
            f"{operator.namespace}/{operator.name}": operator.phases[-1]
            for step in steps[:1]
            for operator in step.operators
        }
        fails = {
            trouble.operators for step in steps[:1] for trouble in step.troubles if isinstance(trouble, PlanFailed)
        }
        hindrances = [hindrance for namespace in planned.namespaces for hindrance in namespace.hindrances]
        assert {hindrance.bundles for hindrance in hindrances if isinstance(hindrance, PlanWillFail)} == fails, name
        for hindrance in hindrances:
            if isinstance(hindrance, BundleWillNotWork):
                assert ends[f"{hindrance.namespace}/{hindrance.bundle}"] == hindrance.phase, f"{name}: {hindrance}"
            elif isinstance(hindrance, OperatorWillStop):
                assert ends[hindrance.operator] == hindrance.phase, f"{name}: {hindrance}"
        text = " ".join(map(str, hindrances))
        for key, phase in ends.items():
            where, _, operator = key.partition("/")
            csv = situation.cluster.state.get(ClusterServiceVersion, where, operator) if situation.cluster else None
            # An operator that gives way has a newer one, which is told of.
            is_news = csv is None or csv.phase == "Succeeded"
            if is_news and phase not in (*WORKS, "Replacing"):
                assert operator in text, f"{name}: nobody is told that {key} becomes {phase}"
