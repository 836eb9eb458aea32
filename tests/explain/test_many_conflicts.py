"""Many conflicts at once: told in the order of the whole request, and found without searching all of it for each."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve import Request, TotalAtMost, Unsatisfiable, catalog_of, package, request_for
from olmsolve.answers.explain import ChangeChannel, conflicts, root_key
from olmsolve.classic import ClassicProblem, Semantics
from olmsolve.solver import Core, RestrictedProblem, Solution, solve
from olmsolve.solver.backends import DEFAULT
from tests.explain.requests import failure_of, request_from
from tests.recorded import VENDORED, records, request_of
from tests.scale import sampled, scaled

GONE = {"needs-package": "gone >=1.0.0"}


def lacking(count: int, *, interleaved: bool = False) -> Request:
    """Subscriptions each of which lacks a provider; if *interleaved*, pairs of them exclude each other as well."""
    packages = {
        f"app{number:03}": {
            "channels": {"stable": f"app{number:03}.v1.0.0"},
            "bundles": {
                f"app{number:03}.v1.0.0": [{"provides": f"keys.example.com/v1/Kind{number // 2}"}]
                if interleaved and number % 4 < 2
                else [{"needs-package": f"gone{number:03} >=1.0.0"}]
            },
        }
        for number in range(count)
    }
    return request_from(
        {"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [{"package": name} for name in packages]}
    )


def test_many_conflicts_are_told_in_the_order_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search in parts saves time; people must read the same, in the same order, as from a search in the whole."""
    failures = [failure_of(lacking(16)), failure_of(lacking(18, interleaved=True))]
    for failure in failures:
        in_parts = olmsolve.explanation(failure, fixes=0)
        with monkeypatch.context() as patched:
            patched.setattr(conflicts, "_FEW", 10_000)
            assert olmsolve.explanation(failure, fixes=0) == in_parts
        assert len(in_parts.conflicts) >= 13


def test_roots_that_are_left_aside_have_no_conflict() -> None:
    """The others have theirs still."""
    request = lacking(3)
    problem = ClassicProblem.of_request(request, Semantics.DOCUMENTED)
    keys = [key for root in problem.roots if (key := root_key(problem, root)) is not None]
    whole = conflicts.conflicting(problem, (), backend=DEFAULT)
    assert len(whole) == 3
    cores = conflicts.conflicting(problem, (), backend=DEFAULT, aside=[keys[1]])
    assert [core.constraints for core in cores] == [whole[0].constraints, whole[2].constraints]
    assert conflicts.conflicting(problem, (), backend=DEFAULT, aside=keys) == []


def test_recorded_conflicts_are_the_same_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """On recorded requests, which share dependencies in every way, the parts give the same conflicts as well.

    The long run takes one request in three, the short run one in nine.
    """
    several = 0
    for record in sampled(records(VENDORED / "classic_random.jsonl.gz")[::3], 3):
        problem = ClassicProblem.of_request(request_of(record), Semantics.DOCUMENTED)
        whole = conflicts.conflicting(problem, (), backend=DEFAULT)
        with monkeypatch.context() as patched:
            patched.setattr(conflicts, "_FEW", 0)
            # Branches of formulas are told apart by identity, so the values are compared by what they say.
            assert repr(conflicts.conflicting(problem, (), backend=DEFAULT)) == repr(whole), record["name"]
        several += len(whole) > 2
    assert several > scaled(10, 3)


def test_a_thousand_failures_take_no_search_of_the_whole_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each search is as small as its conflict: the time must grow with the failures, not with their cube."""
    roots: list[int] = []

    def counting(problem: RestrictedProblem, **how: Any) -> Solution | Core:
        roots.append(len(problem.roots))
        return solve(problem, **how)

    failure = failure_of(lacking(60))
    monkeypatch.setattr("olmsolve.answers.explain.conflicts.solve", counting)
    assert len(olmsolve.explanation(failure, fixes=0).conflicts) == 60
    assert sum(roots) <= 2 * 60


@pytest.mark.parametrize("cures", [1, 2, 0])
def test_many_conflicts_are_fixed_with_one_change_each(cures: int) -> None:
    """With few tries, all conflicts change at once, and those that are left take their next way out in the next round.

    Each subscription names a channel whose bundle cannot be installed. Another channel helps half of them in the first
    round, and the others in round *cures*; with 0, nothing in another channel helps them, so they are deleted.
    """
    count = 10

    def channels(number: int) -> dict[str, Any]:
        name = f"app{number:03}"
        good = 1 if number % 2 else cures
        bundles = {f"{name}.v{version}.0.0": [] if version == good else [GONE] for version in range(3)}
        return {
            "channels": {f"{'abc'[version]}": f"{name}.v{version}.0.0" for version in range(3)},
            "bundles": bundles if good else {key: [GONE] for key in bundles},
        }

    packages = {f"app{number:03}": channels(number) for number in range(count)}
    request = request_from(
        {
            "catalogs": {"olm/main": {"packages": packages}},
            "subscriptions": [{"package": name, "channel": "a"} for name in packages],
        }
    )
    explanation = olmsolve.explanation(failure_of(request), tries=3 * count)
    assert len(explanation.conflicts) == count
    assert explanation.fixes is not None
    [fix] = explanation.fixes
    assert len(fix.changes) == count
    assert olmsolve.resolve(fix.request) == fix.resolution
    moved = [change.subscription for change in fix.changes if isinstance(change, ChangeChannel)]
    assert len(moved) == (count if cures else count // 2)
    # One try is one round, after which half of them are left where the second channel would help.
    cut = olmsolve.explanation(failure_of(request), tries=1)
    assert (len(cut.fixes or ()), cut.exhausted) == ((1, True) if cures == 1 else (0, True))


@pytest.mark.parametrize("tries", [1, 5, 20, 60])
def test_no_more_is_tried_than_asked_for(tries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each try resolves a changed request, also where the tries are divided among several conflicts."""
    solved = 0

    def counting(*arguments: Any, **how: Any) -> Solution | Core:
        nonlocal solved
        solved += 1
        return solve(*arguments, **how)

    monkeypatch.setattr("olmsolve.answers.explain.fixes.solve", counting)
    names = [f"app{number}" for number in range(3)]
    packages = {
        name: {
            "channels": {channel: f"{name}.v{number}.0.0" for number, channel in enumerate("abcdefgh")},
            "bundles": {f"{name}.v{number}.0.0": [GONE] for number in range(8)},
        }
        for name in names
    }
    wishes = [{"package": name, "channel": "a"} for name in names]
    failure = failure_of(request_from({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": wishes}))
    explanation = olmsolve.explanation(failure, fixes=500, tries=tries)
    assert (solved, explanation.exhausted) == (min(tries, 28), tries < 28)


def test_a_smaller_set_that_is_found_late_comes_first() -> None:
    """Sets grow along cores: one of two changes may only be found by leaving one out of three, after others of three.

    A subscription that owns the deprecated operator needs no other start, but the start is in conflict before that.
    """
    deprecated = {"type": "olm.deprecated", "value": {}}
    version = {"type": "olm.package", "value": {"packageName": "pad", "version": "1.0.0"}}
    blobs = [
        {"schema": "olm.package", "name": "pad", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "pad", "name": "stable", "entries": [{"name": "pad.v1"}]},
        {"schema": "olm.bundle", "package": "pad", "name": "pad.v1", "properties": [version, deprecated]},
    ]
    request = olmsolve.read_request(
        {
            "namespaces": ["ops", "olm"],
            "catalogs": [{"name": "main", "namespace": "olm", "blobs": blobs}],
            "installed": [{"name": "pad.v1", "version": "1.0.0", "properties": [version, deprecated]}],
            "subscriptions": [{"name": "pad", "package": "pad", "startingCSV": "pad.v2"}],
        }
    )
    assert isinstance(request, Request)
    fixes = olmsolve.explanation(failure_of(request)).fixes or ()
    sizes = [len(fix.changes) for fix in fixes]
    assert sizes == sorted(sizes)
    assert {2, 3} <= set(sizes)


def test_a_search_with_a_try_to_spare_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where no try is left may there be ways out that nobody has looked at."""
    solved = 0

    def counting(*arguments: Any, **how: Any) -> Solution | Core:
        nonlocal solved
        solved += 1
        return solve(*arguments, **how)

    monkeypatch.setattr("olmsolve.answers.explain.fixes.solve", counting)
    failure = failure_of(lacking(1))
    whole = olmsolve.explanation(failure, fixes=50, tries=1000)
    assert not whole.exhausted
    assert olmsolve.explanation(failure, fixes=50, tries=solved + 1) == whole


def test_limits_of_house_rules_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A core has a copy of a rule's limit, and its place among the conflicts is still that of the rule."""
    packages, wishes = [], []
    for number in range(8):
        packages += [
            package(f"lib{number}").channel("stable", "1.0.0 < 2.0.0"),
            package(f"p{number}").channel("stable", "1.0.0").requires(f"lib{number}", "1.0.0"),
            package(f"q{number}").channel("stable", "1.0.0").requires(f"lib{number}", "2.0.0"),
        ]
        wishes += [f"p{number}", f"q{number}"]
    for measure in ("gpu", "cpu"):
        names = [f"{measure}{number}" for number in range(3)]
        packages += [package(name).channel("stable", "1.0.0").having(measure, 1) for name in names]
        wishes += names[:2]
    rules = tuple(TotalAtMost(limit=1, of=measure, name=f"{measure} room") for measure in ("gpu", "cpu"))
    request = attrs.evolve(request_for(catalog_of(*packages), *wishes), house_rules=rules)
    explanations = []
    for few in (12, 10_000):
        monkeypatch.setattr(conflicts, "_FEW", few)
        with pytest.raises(Unsatisfiable) as failure:
            olmsolve.resolve(request)
        explanations.append(olmsolve.explanation(failure.value, fixes=0))
    assert len(explanations[0].conflicts) == 10
    assert explanations[0] == explanations[1]
