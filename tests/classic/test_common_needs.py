"""Contradictions that show in what all versions of a range require: never where there is a plan, and no search then."""

from __future__ import annotations

import random

import pytest

from olmsolve import CatalogError, Incomplete, Request, Semantics, Unsatisfiable, is_satisfiable, limited, resolve
from olmsolve.classic import ClassicProblem
from olmsolve.solver.deciding import Engine
from olmsolve.testing import DENSE, classic_request, random_request
from olmsolve.testing.synthetic import DenseShape, dense_problem
from tests.classic.test_package_families import _bundle, _channel, _document, _package, _request, _required
from tests.scale import scaled


def _contradicts(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> bool:
    return ClassicProblem.of_request(request, semantics).contradict(lambda: None)


def _has_plan(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> bool:
    try:
        resolve(request, semantics=semantics)
    except (Unsatisfiable, CatalogError):
        return False
    return True


def test_a_contradiction_has_no_plan() -> None:
    """On random requests of all kinds: several catalogs, installed operators, odd requirements, faults."""
    contradictions = 0
    for seed in range(scaled(1500, 15)):
        requests = [classic_request(_document(seed))]
        if seed % 5 == 0:
            requests.append(random_request(random.Random(f"dense {seed}"), DENSE))
        for request in requests:
            for semantics in Semantics:
                try:
                    contradicts = _contradicts(request, semantics)
                except CatalogError:
                    continue
                contradictions += contradicts
                assert not (contradicts and _has_plan(request, semantics)), (seed, semantics)
    assert contradictions > scaled(15, 15)


def test_verdicts_of_dense_problems_are_those_of_plans() -> None:
    """With narrow windows, odd rows and without, and where a package is required twice."""
    counts = {True: 0, False: 0}
    for seed in range(scaled(300, 6)):
        chosen = random.Random(seed)
        shape = DenseShape(
            chosen.choice([8, 15, 25]), chosen.choice([2, 4, 8]), chosen.choice([1, 2, 3]), chosen.choice([2, 4])
        )
        problem = dense_problem(shape, chosen.choice(["easy", "hard"]), satisfiable=chosen.random() < 0.6, seed=seed)
        requires = [[list(row) for row in rows] for rows in problem.requires]
        for row in [row for rows in requires for row in rows if row and chosen.random() < 0.3]:
            target, low, high = row[chosen.randrange(len(row))]
            row.insert(chosen.randrange(len(row) + 1), (target, min(low + chosen.randrange(2), high), high))
        request = type(problem)(requires, problem.roots).request()
        verdict = is_satisfiable(request)
        assert verdict == _has_plan(request), seed
        counts[verdict] += 1
    assert min(counts.values()) > scaled(40, 6)


def test_a_contradiction_needs_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """The roots of the hard problem lead to two ranges of one package that share no version."""
    problem = dense_problem("S", "hard", satisfiable=False, seed=2)
    monkeypatch.delattr(Engine, "run")
    assert not is_satisfiable(problem.request())


def test_a_limit_ends_the_look() -> None:
    """The look goes through all ranges of a problem with a solution, 222 here, and calls the check after every 64."""
    calls: list[None] = []
    request = dense_problem("M", "easy", seed=2).request()
    assert not ClassicProblem.of_request(request, Semantics.DOCUMENTED).contradict(lambda: calls.append(None))
    assert len(calls) == 3
    with limited(timeout=1e-9), pytest.raises(Incomplete):
        is_satisfiable(request)


_B_AND_C = (
    _bundle("b.v1", _package("b", "1.0.0"), _required("d", "<2.0.0")),
    _bundle("c.v1", _package("c", "1.0.0"), _required("d", ">=2.0.0")),
    _channel("b", {"name": "b.v1"}),
    _channel("c", {"name": "c.v1"}),
)
_D = (
    _bundle("d.v1", _package("d", "1.0.0")),
    _bundle("d.v2", _package("d", "2.0.0")),
    _channel("d", {"name": "d.v2", "replaces": "d.v1"}, {"name": "d.v1"}),
)


def test_two_ranges_without_a_common_version_contradict_each_other() -> None:
    assert _contradicts(_request([*_B_AND_C, *_D], {"package": "b"}, {"package": "c"}))
    assert not _contradicts(_request([*_B_AND_C, *_D], {"package": "b"}))


def test_a_subscription_to_a_channel_is_a_range() -> None:
    """The channel has d.v1 alone, and c.v1 needs d.v2."""
    old = _channel("d", {"name": "d.v1"})
    new = {"schema": "olm.channel", "package": "d", "name": "new", "entries": [{"name": "d.v2"}]}
    blobs = [*_B_AND_C, *_D[:2], old, new]
    assert _contradicts(_request(blobs, {"package": "c"}, {"package": "d", "channel": "stable"}))
    assert not _contradicts(_request(blobs, {"package": "c"}, {"package": "d", "channel": "new"}))


def test_a_range_without_versions_is_a_contradiction() -> None:
    blobs = [_bundle("a.v1", _package("a", "1.0.0"), _required("d", ">5.0.0")), _channel("a", {"name": "a.v1"}), *_D]
    assert _contradicts(_request(blobs, {"package": "a"}))


def test_versions_may_differ_in_what_they_require() -> None:
    """One of two versions requires d twice and the other not at all, so d is not required in common."""
    blobs = [
        _bundle("a.v1", _package("a", "1.0.0"), _required("b", ">=1.0.0")),
        _bundle("a.v2", _package("a", "2.0.0"), _required("d", ">=2.0.0"), _required("d", ">=1.0.0")),
        _channel("a", {"name": "a.v2", "replaces": "a.v1"}, {"name": "a.v1"}),
        *_B_AND_C,
        *_D,
    ]
    request = _request(blobs, {"package": "a"}, {"package": "b"})
    assert not _contradicts(request)
    assert _has_plan(request)


def test_a_bundle_of_two_packages_makes_no_ranges_of_either() -> None:
    """Requirements for d can be met by two bundles at once where they are of other packages: that is for a search."""
    two = _bundle("e.v2", _package("e", "2.0.0"), _package("d", "2.0.0"))
    blobs = [*_B_AND_C, *_D, two, _channel("e", {"name": "e.v2"})]
    assert not _contradicts(_request(blobs, {"package": "b"}, {"package": "c"}))


def test_a_deprecated_version_says_nothing() -> None:
    """Its constraints say more than its requirements, so its range is left to a search."""
    deprecated = {"type": "olm.deprecated", "value": {}}
    blobs = [
        _bundle("a.v1", _package("a", "1.0.0"), _required("d", ">5.0.0"), deprecated),
        _channel("a", {"name": "a.v1"}),
        *_D,
    ]
    request = _request(blobs, {"package": "a"})
    assert not _contradicts(request)
    assert not _has_plan(request)
