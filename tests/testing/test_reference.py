"""The reference is right: by the recordings, by hand-written scenarios, and by looking at every subset."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from olmsolve.answers.verification import AnyCandidate, holds
from olmsolve.classic import Request, Semantics
from olmsolve.errors import CatalogError
from olmsolve.testing import SMALL, ReferenceSearch, classic_request, random_request, reference
from tests.recorded import VENDORED, Record, recorded_key, records, request_of
from tests.scale import sampled, scaled
from tests.scenarios.notation import request_document
from tests.yaml_files import yaml_documents

SCENARIOS = Path(__file__).parents[1] / "scenarios"


def answer(request: Request, semantics: Semantics) -> Any:
    """Return the reference's answer: the installs as a set, or a word."""
    try:
        solution = reference.resolve(request, semantics)
    except CatalogError:
        return "error"
    if solution is None:
        return "unsatisfiable"
    return {tuple(one) for one in solution if one.catalog != reference.EXISTING}


def right_answers(record: Record) -> list[Any]:
    outcomes = [{"installs": record["preferred"]}] if "preferred" in record else record["outcomes"]
    return [
        "unsatisfiable"
        if "unsatisfiable" in outcome
        else "error"
        if "error" in outcome
        else {
            (recorded_key(one["catalog"]), one["package"], one["channel"], one["name"], one.get("replaces", ""))
            for one in outcome["installs"]
        }
        for outcome in outcomes
    ]


def test_recorded_requests() -> None:
    """The shipped controller answers the same on every generated request; the short run takes a sixth of them."""
    random_records = records(VENDORED / "classic_random.jsonl.gz")
    assert len(random_records) == 1409
    wrong = [
        record["name"]
        for record in sampled(random_records, 6)
        if answer(request_of(record), Semantics.CONTROLLER) not in right_answers(record)
    ]
    assert wrong == []


def test_preferred_solutions_where_the_controller_misses_them() -> None:
    """The order of preference is the definition's, not the controller's search."""
    faults = [r for r in records(VENDORED / "classic_controller_faults.jsonl.gz") if "preferred" in r]
    assert faults
    for record in faults:
        assert answer(request_of(record), Semantics.CONTROLLER) in right_answers(record)


def scenarios() -> Iterator[Any]:
    for file in sorted(SCENARIOS.glob("*.yaml")):
        for number, scenario in enumerate(yaml_documents(file), start=1):
            for semantics, expected in scenario["expect"].items():
                for one in Semantics if semantics == "both" else (Semantics(semantics),):
                    yield pytest.param(scenario, one, expected, id=f"{file.stem}-{number}-{one.value}")


@pytest.mark.parametrize(("scenario", "semantics", "expected"), list(scenarios()))
def test_scenarios(scenario: dict[str, Any], semantics: Semantics, expected: dict[str, Any]) -> None:
    """Scenarios say what documentation and design promise, in the order of selection."""
    request = classic_request(request_document(scenario))
    if "installs" not in expected:
        # A fault that only the core of an unsatisfiable request shows is beyond the reference.
        assert answer(request, semantics) in ("unsatisfiable", "error"), scenario["why"]
        return
    solution = reference.resolve(request, semantics)
    assert solution is not None, scenario["why"]
    selected = [f"{one.name} ({one.channel}, {one.catalog})" for one in solution if one.catalog != reference.EXISTING]
    confirmed = expected.get("upToDate", [])
    assert [one for one in selected if one not in confirmed] == expected["installs"], scenario["why"]
    assert set(confirmed) <= set(selected), scenario["why"]


def solutions(search: ReferenceSearch) -> list[frozenset[Any]]:
    """Return every set of candidates that grants all wishes."""
    universe = [one for one in search.world.selectable if one.selectable]
    subsets: list[frozenset[Any]] = []
    for size in range(len(universe) + 1):
        for subset in map(frozenset, itertools.combinations(universe, size)):
            if any(search.exclude_each_other(a, b) for a, b in itertools.combinations(subset, 2)):
                continue
            wishes = [*search.roots, *(wish for one in subset for wish in search.wishes_of(one))]
            if all(holds(wish, subset) for wish in wishes):
                subsets.append(subset)
    return subsets


@pytest.mark.parametrize("semantics", Semantics)
def test_every_subset_of_small_requests(semantics: Semantics) -> None:
    """Growing a selection wish by wish finds a solution exactly where looking at every subset finds one."""
    satisfiable = checked = 0
    for seed in range(scaled(400)):
        request = random_request(random.Random(seed), SMALL)
        try:
            search = reference.prepare(request, semantics, 100_000)
        except CatalogError:
            continue
        if search is None or len(search.world.selectable) > 10:
            continue
        checked += 1
        every = solutions(search)
        preferred = search.preferred()
        assert (preferred is None) == (not every), seed
        if preferred is None:
            continue
        satisfiable += 1
        described = [frozenset(map(search.described, one)) for one in every]
        assert frozenset(preferred) in described, seed
        # Among all solutions, each root takes the first candidate that those before it leave possible.
        kept: list[Any] = []
        for root in search.roots:
            assert isinstance(root, AnyCandidate)
            if not any(one in root.candidates for one in kept):
                kept.append(next(one for one in root.candidates if any({*kept, one} <= other for other in every)))
        assert [search.described(one) for one in kept] == list(preferred[: len(kept)]), seed
    assert checked > scaled(250)
    assert satisfiable > scaled(100)


def test_large_requests_are_given_up() -> None:
    """A caller can bound the time of what may be exponential."""
    request = random_request(random.Random(1), SMALL)
    with pytest.raises(reference.TooLarge):
        reference.resolve(request, max_steps=0)
