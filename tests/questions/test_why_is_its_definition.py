"""why and why_not against brute force: what was passed over is impossible, and what is called impossible is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import olmsolve
from olmsolve import (
    Candidate,
    CatalogError,
    Request,
    Resolution,
    Semantics,
    Unsatisfiable,
    WhyNot,
    resolve,
    why,
    why_not,
)
from olmsolve.answers.questions import Enabling, Together, WhyNotVerdict
from olmsolve.answers.verification import EXISTING, PlainCandidate
from olmsolve.testing import ReferenceSearch, reference
from tests.recorded import VENDORED, Record, records, request_of
from tests.scale import LONG


def recorded() -> list[Record]:
    """The recorded requests, read when a test asks for them."""
    return records(VENDORED / "classic_random.jsonl.gz")


def plans(sample: list[Mapping[str, Any]]) -> Iterator[tuple[Request, Resolution, ReferenceSearch]]:
    for number, record in enumerate(sample):
        request = request_of(record)
        semantics = list(Semantics)[number % 2]
        try:
            plan = resolve(request, semantics=semantics)
        except (Unsatisfiable, CatalogError):
            continue
        search = reference.prepare(request, semantics, 200_000)
        assert search is not None
        yield request, plan, search


def slot(search: ReferenceSearch, candidate: Candidate) -> PlainCandidate:
    package = "" if candidate.catalog == EXISTING else candidate.package
    plain = search.world.find(candidate.catalog, package, candidate.channel, candidate.name)
    assert plain is not None
    return plain


def test_why_names_the_wish_and_only_what_is_impossible() -> None:
    """The chain starts at somebody's wish and ends at the bundle; what was passed over has no solution beside it.

    The short run takes one recorded request in twelve.
    """
    seen = 0
    for request, plan, search in plans(recorded()[:: 4 if LONG else 12]):
        owners = {wish.name for wish in request.subscriptions}
        order = [candidate.name for candidate in reference.resolve(request, Semantics(plan.semantics)) or ()]
        for install in plan.installs:
            answer = why(plan, install.name)
            assert answer.candidate == install.candidate
            assert answer.chain[-1].candidate == install.candidate
            assert answer.chain[-1].wanted_by == (install.wanted_by[0] if install.wanted_by else None)
            first = answer.chain[0].wanted_by
            assert first is None or first.subscription in owners
            before = order[: order.index(install.name)]
            kept = [slot(search, candidate) for candidate in _plan(plan) if candidate.name in before]
            for passed in answer.passed_over:
                assert not search.consistent([*kept, slot(search, passed.candidate)], [])
                assert all(passed.because)
                seen += 1
    assert seen > 20


def _plan(plan: Resolution) -> list[Candidate]:
    return [*plan.kept, *(install.candidate for install in plan.installs)]


def test_why_not_calls_impossible_what_is() -> None:
    """For every bundle of the catalogs that is not in the plan: brute force agrees whether it could be.

    The short run takes one recorded request in 48.
    """
    verdicts: dict[WhyNotVerdict, int] = dict.fromkeys(WhyNotVerdict, 0)
    for request, plan, search in plans(recorded()[1 :: 16 if LONG else 48]):
        chosen = {(candidate.catalog, candidate.name) for candidate in _plan(plan)}
        for source in request.sources:
            if source.namespace not in request.namespaces:
                continue
            for package in source.catalog:
                for channel in package.channels:
                    answer = why_not(plan, package.name, channel=channel, catalog=source.key)
                    verdicts[answer.verdict] += 1
                    if answer.verdict is WhyNotVerdict.ABSENT:
                        assert not answer.candidates
                        continue
                    slots = [
                        slot(search, candidate) for candidate in answer.candidates if candidate.name != package.name
                    ]
                    # A negation speaks of what can be selected, and what is asked about can.
                    search.world.selectable.update(dict.fromkeys(slots))
                    search = reference_again(search)
                    possible = any(search.consistent([one], []) for one in slots)
                    if answer.verdict is WhyNotVerdict.SELECTED:
                        assert any((candidate.catalog, candidate.name) in chosen for candidate in answer.candidates)
                    elif answer.verdict is WhyNotVerdict.LATER:
                        assert answer.plans > 1
                    else:
                        assert (answer.verdict is not WhyNotVerdict.IMPOSSIBLE) == possible, (
                            answer.reason,
                            request.name,
                        )
    rare = {WhyNotVerdict.ABSENT, WhyNotVerdict.LATER}
    assert min(verdicts[verdict] for verdict in WhyNotVerdict if verdict not in rare) > 0


def reference_again(search: ReferenceSearch) -> ReferenceSearch:
    """Return *search* with empty caches."""
    return ReferenceSearch(search.world, search._semantics, search.roots, 200_000)


def test_the_change_that_is_offered_selects_it() -> None:
    """Advice that does not work is worse than none: the changed request is resolved here once more, and no part of it
    can be left out. The short run takes two thirds of the recorded requests of the long one.
    """
    offered = several = 0
    for request, plan, _ in plans(recorded()[2 :: 24 if LONG else 36]):
        for source in request.sources:
            for package in source.catalog:
                answer = why_not(plan, package.name, catalog=source.key)
                if answer.change is None:
                    continue
                offered += 1
                assert _selects(answer.change, request, plan, answer)
                if isinstance(answer.change, Together):
                    several += 1
                    for part in answer.change.changes:
                        fewer = Together(tuple(change for change in answer.change.changes if change != part))
                        assert not _selects(fewer, request, plan, answer)
    assert offered > 20
    assert several > 5


def _selects(change: Enabling, request: Request, plan: Resolution, answer: WhyNot) -> bool:
    try:
        changed = resolve(change.apply(request), semantics=Semantics(plan.semantics))
    except (Unsatisfiable, CatalogError):
        return False
    return not set(_plan(changed)).isdisjoint(answer.candidates)


def test_pickled_plans_need_their_request() -> None:
    """A pickled plan has lost its catalogs; given the request once more, it can be questioned."""
    import pickle

    request, plan, _ = next(plans(recorded()))
    copy = pickle.loads(pickle.dumps(plan))  # noqa: S301 - our own bytes
    name = _plan(plan)[0].name
    with pytest.raises(olmsolve.RequestError, match="has lost its request"):
        why(copy, name)
    assert why(copy, name, request=request) == why(plan, name)
    with pytest.raises(olmsolve.RequestError, match="is not in the plan"):
        why(plan, "nonesuch")
