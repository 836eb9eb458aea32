"""Whole runs of the real OLM on a real API server: each simulation ends as the cluster ended."""

from __future__ import annotations

from typing import Final

import pytest

from olmsolve.lifecycle.simulation import Ending
from tests.conformance.cluster_runs import differences, disorder, outcome_of_state, runs, simulated

# The steps that end otherwise, each with its reason; docs/simulation.md tells it to users.
DIFFERENT: Final = {
    "becomes_unhealthy/2-unavailable": "OLM tries for five minutes to get the operator well, and then gives up",
    "becomes_unhealthy/3-newer": "OLM tries for five minutes to get the operator well, and then gives up",
    "catalog_away/2-away": "OLM resolves for a while with the content that it read last",
    "catalog_away/3-another-wish": "OLM resolves for a while with the content that it read last",
    "global_provider/3-q-offered-in-two": "OLM resolves once more before it notes what its first plan brings",
    "min_kube/2-update-needs-newer-kubernetes": "who names the version of the cluster wants nothing that is too new",
    "scoped_account_missing/2-account-arrives": "the objects do not show that the account has come",
    "terminating_wish_held/2-deleted": "what of a deleted namespace goes first differs, while something holds it",
    "two_subscriptions_diverge/2-second-to-b": "two subscriptions that want one operator from two channels are refused",
    "unpack_fails/2-unpacking": "images are taken to be unpacked, which on a cluster without nodes never ends",
    "unpack_fails/3-unpack-failed": "images are taken to be unpacked, until OLM says that one could not be",
}
STEPS: Final = {f"{run['scenario']}/{run['step']}": run for run in runs()}


@pytest.mark.parametrize("scenario", sorted({str(run["scenario"]) for run in runs()}))
def test_a_simulation_ends_as_the_cluster_ended(scenario: str) -> None:
    """Operators, subscriptions, plans, definitions, groups and copies, and the order in which operators went on."""
    for name, run in STEPS.items():
        if run["scenario"] != scenario:
            continue
        simulation = simulated(run)
        outcome = outcome_of_state(simulation.state)
        unlike = [*differences(run["after"], outcome, run.get("seen", {})), *disorder(run, simulation)]
        if run["rested"] and simulation.ended is not Ending.REST:
            unlike.append(f"the cluster rests; olmsolve: {simulation.ended.value}")
        if name in DIFFERENT:
            assert unlike, f"{name} is equal by now: take it out of the list"
        else:
            assert not unlike, f"{name}\n" + "\n".join(unlike)


def test_no_reason_is_left_behind() -> None:
    """A reason names a step that there is."""
    assert set(DIFFERENT) <= set(STEPS)
