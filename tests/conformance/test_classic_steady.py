"""What comes next for an operator that is installed agrees with recorded answers of OLM's own resolver.

``wild`` are small random cases with careless ranges: open ones that hold the entry's own version, and ranges that do
not parse. ``steady`` are the bundles of the channels of real catalogs, each as installed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from olmsolve import CatalogError, RequestError, Semantics, Unsatisfiable, resolve
from olmsolve.solver.backends import DECIDING, BackendLike, names
from tests.recorded import VENDORED, Record, recorded_key, records, request_of, shared, with_properties
from tests.scale import LONG, sampled

# The bundles to install, with the operator that each replaces, and the entries that are installed already.
Planned: TypeAlias = tuple[frozenset[tuple[str, str, str, str, str]], frozenset[str]]
REFUSED = "refused"
NO_PLAN = "no plan"


def _recorded(record: Record, *, channel: bool) -> set[Planned | str]:
    return {_outcome(outcome, channel=channel) for outcome in record["outcomes"]}


def _outcome(outcome: Mapping[str, Any], *, channel: bool) -> Planned | str:
    if "error" in outcome:
        return REFUSED
    if outcome.get("unsatisfiable"):
        return NO_PLAN
    installs = [{**install, "catalog": recorded_key(install["catalog"])} for install in outcome.get("installs", ())]
    return _planned(installs, outcome.get("upToDate", ()), channel=channel)


def _planned(installs: Any, up_to_date: Any, *, channel: bool) -> Planned:
    return (
        frozenset(
            (
                install["name"],
                install["package"],
                install["channel"] if channel else "",
                install["catalog"],
                install.get("replaces", ""),
            )
            for install in installs
        ),
        frozenset(up_to_date),
    )


def answer_of(
    record: Record, semantics: Semantics, *, channel: bool = True, backend: BackendLike = DECIDING
) -> Planned | str:
    """Return what olmsolve answers, in the form of recorded outcomes; channels are left out without *channel*."""
    try:
        plan = resolve(request_of(record), semantics=semantics, backend=backend)
    except Unsatisfiable:
        return NO_PLAN
    except (CatalogError, RequestError):
        return REFUSED
    return _planned(plan.to_dict()["installs"], [install.name for install in plan.up_to_date], channel=channel)


def _agrees(record: Record, semantics: Semantics, backend: str = DECIDING) -> bool:
    # A bundle in several channels is taken from any of them where the subscription names none, as the README says.
    channel = all(wish.get("channel") for wish in record["subscriptions"])
    expected = _recorded(record, channel=channel)
    answer = answer_of(record, semantics, channel=channel, backend=backend)
    # Where OLM cannot order operators of one package, refusing for want of a plan is as good.
    return answer in expected or (expected == {REFUSED} and answer == NO_PLAN)


def _has_two_meanings(record: Record) -> bool:
    """Whether a bundle has a constraint that may be compound, or a subscription a ``startingCSV``."""
    return "olm.constraint" in json.dumps(record) or any(wish.get("startingCSV") for wish in record["subscriptions"])


def test_careless_ranges() -> None:
    """An entry whose range holds its own version is chosen and up to date; the next lower one does not win.

    The short run asks the default engine one record in three, and another engine one in eight; the long run asks all.
    """
    wild_records = records(VENDORED / "classic_wild.jsonl.gz")
    assert len(wild_records) == 2683
    assert sum(any("upToDate" in outcome for outcome in record["outcomes"]) for record in wild_records) == 80
    assert [record["name"] for record in sampled(wild_records, 3) if not _agrees(record, Semantics.CONTROLLER)] == []
    others = [name for name in names() if name != DECIDING]
    for number, record in enumerate(sampled(wild_records, 8)):
        for backend in others if LONG else [others[number % len(others)]]:
            assert _agrees(record, Semantics.CONTROLLER, backend), (record["name"], backend)


def test_careless_ranges_as_documented() -> None:
    """Both semantics read update graphs alike: only compound constraints and starting CSVs may make a difference."""
    wild_records = sampled(records(VENDORED / "classic_wild.jsonl.gz"), 4)
    alike = [record for record in wild_records if not _has_two_meanings(record)]
    assert len(alike) > len(wild_records) / 4
    # OLM's error about operators without an order is the controller's alone.
    wrong = [
        r["name"] for r in alike if not _agrees(r, Semantics.DOCUMENTED) and _recorded(r, channel=True) != {REFUSED}
    ]
    assert wrong == []


def test_bundles_of_real_channels() -> None:
    """Whatever stands in a channel of a real catalog is installed: OLM's next step is ours, with a channel and without.

    The short run asks one record in four, under both semantics.
    """
    all_records = records(shared() / "conformance" / "classic" / "steady.jsonl.gz")
    assert len(all_records) == 6469
    sample = [with_properties(record) for record in sampled(all_records, 4)]
    for semantics in Semantics:
        assert [record["name"] for record in sample if not _agrees(record, semantics)] == []
