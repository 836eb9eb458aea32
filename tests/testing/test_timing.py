"""Benchmarks of somebody's own catalogs: what is measured, what counts as a change, and reports that come back.

Two tests set the clock itself, which is behind the door.
"""

from __future__ import annotations

import itertools
import json
import random
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve import RequestError, Source, evolve
from olmsolve.errors import BackendError, Incomplete
from olmsolve.testing import catalog_of, package, timing
from olmsolve.testing.timing import BackendCounts, BenchReport, PhaseTimes, RequestSubject, RequestTimes, measuring

EXAMPLES = Path(olmsolve.__file__).parent / "examples"
COMMONS, ORCHARD = (str(EXAMPLES / "catalogs" / name) for name in ("commons", "orchard"))
PHASES = ("load", "index", "first", "repeated", "verdict", "core", "explanation")


def sources() -> list[Source]:
    """A package with two channels and an update in each, and one with a single bundle."""
    etcd = package("etcd").channel("stable", "0.9.0 < 0.9.2 < 0.9.4").channel("beta", "0.9.4 < 1.0.0")
    return [Source("mine", "olm", 0, catalog_of(etcd, package("redis").channel("stable", "1.0.0")))]


def report(seconds: dict[str, Sequence[float]], yardstick: Sequence[float] | None = None) -> BenchReport:
    """A report with these seconds of each phase, by process."""
    count = len(next(iter(seconds.values())))
    return BenchReport(
        version="1",
        python="3",
        semantics="documented",
        catalogs=(),
        yardstick=tuple(yardstick or [1.0] * count),
        phases=tuple(PhaseTimes(phase, "deciding", 3, tuple(second)) for phase, second in seconds.items()),
        counts=(BackendCounts("deciding", 3, 0, 0, 0),),
        requests=(RequestTimes("etcd", "plan", {"deciding": 0.001}),),
    )


@pytest.mark.parametrize(
    ("every", "names"),
    [
        (RequestSubject.PACKAGE, ["etcd", "redis"]),
        (RequestSubject.CHANNEL, ["etcd/stable", "etcd/beta", "redis/stable"]),
        (
            RequestSubject.UPDATE,
            ["etcd/stable from etcd.v0.9.0", "etcd/stable from etcd.v0.9.2", "etcd/beta from etcd.v0.9.4"],
        ),
    ],
)
def test_catalogs_suggest_requests(every: RequestSubject, names: list[str]) -> None:
    """Each package, channel or update is asked once; a head has no update, and asks nothing."""
    by_name = timing.requests_over(sources(), every)
    assert sorted(by_name) == sorted(names)
    for request in by_name.values():
        (subscription,) = request.subscriptions
        assert [operator.subscription for operator in request.installed] == ["wish"] * (every is RequestSubject.UPDATE)
        assert subscription.source == "mine"


def test_an_update_is_asked_for_and_found() -> None:
    """A request for an update would be worth nothing if its plan kept the old bundle."""
    request = timing.requests_over(sources(), "update")["etcd/stable from etcd.v0.9.0"]
    plan = olmsolve.resolve(request)
    assert [install.candidate.name for install in plan.installs] == ["etcd.v0.9.2"]


def test_phases_are_calls_that_others_can_time() -> None:
    """RequestSubject phase can be prepared and called again and again, on both kinds of request."""
    requests: dict[str, Any] = {
        **timing.requests_over(sources()),
        "failing": olmsolve.read_request(EXAMPLES / "unsatisfiable.yaml"),
        "extension": olmsolve.v1.ExtensionRequest(
            olmsolve.v1.Extension("etcd"), [olmsolve.v1.ClusterCatalog("mine", sources()[0].catalog)]
        ),
    }
    phases = timing.phases(requests, backends=("deciding", "minisat22"))
    assert [phase.name for phase in phases] == [PHASES[1], *PHASES[2:], *PHASES[2:]]
    for phase in phases:
        for _ in range(2):
            phase.prepared()()
    counts = {(phase.name, phase.backend): len(phase.prepare()) for phase in phases}
    assert counts["first", "minisat22"] == counts["repeated", "deciding"] == 4
    assert counts["core", "deciding"] == counts["explanation", "minisat22"] == 1


def test_a_first_answer_remembers_nothing() -> None:
    """What was worked out for earlier requests must not be in the new indexes."""
    requests = timing.requests_over(sources())
    for _ in range(2):
        copies = timing.phases(requests)[1].prepare()
        (request,) = copies["etcd"].args[:1]  # type: ignore[attr-defined]
        assert request.sources[0].catalog is not requests["etcd"].sources[0].catalog
        assert request.sources[0].catalog == requests["etcd"].sources[0].catalog


def test_reports_are_measured_in_processes() -> None:
    """A small run over two catalogs and a document that fails: every phase, with a figure from each process."""
    seen: list[tuple[int, int]] = []
    report = timing.bench(
        [COMMONS, ORCHARD],
        documents=[str(EXAMPLES / "unsatisfiable.yaml")],
        processes=2,
        passes=1,
        progress=lambda done, of: seen.append((done, of)),
    )
    assert seen == [(1, 2), (2, 2)]
    assert [phase.phase for phase in report.phases] == list(PHASES)
    assert all(len(phase.seconds) == 2 and min(phase.seconds) > 0 for phase in report.phases)
    outcomes = {request.name: request.outcome for request in report.requests}
    assert set(outcomes) == {"courier", "ember", "keyring", "ledgerdb", "parcels", "storefront"} | {
        str(EXAMPLES / "unsatisfiable.yaml")
    }
    assert list(outcomes.values()).count("unsatisfiable") == 1
    assert report.counts[0].candidates > 5
    assert report.hardest(1)[0].seconds["deciding"] == max(request.seconds["deciding"] for request in report.requests)
    assert timing.bench_json(report) == report.to_dict()


def test_loading_is_timed_as_often_as_the_other_phases(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another program adds to few of the passes is no regression: each phase counts with their median."""
    loads = itertools.count()
    load = measuring.loaded

    def disturbed(work: measuring.BenchWork) -> measuring.Loaded:
        begun = load(work)
        return attrs.evolve(begun, seconds=begun.seconds + (0.14 if next(loads) == 0 else 0.0))

    monkeypatch.setattr(measuring, "loaded", disturbed)
    measured = measuring.measure(measuring.BenchWork({"commons": (COMMONS, 0)}, passes=3))
    ((_, _, catalogs, seconds),) = [phase for phase in measured.phases if phase[0] == "load"]
    assert catalogs == 1
    assert seconds < 0.1
    assert next(loads) >= 3


def test_a_machine_that_was_busy_is_told() -> None:
    """Whoever saves a baseline beside other work compares with noise for weeks."""
    quiet = report({"first": [0.1, 0.2]})
    busy = evolve(quiet, busy=(1.0, 3.0, 2.5))
    assert evolve(quiet, busy=(1.0, 1.1, 1.9)).disturbed == ""
    assert busy.disturbed == "the machine was busy: a second of CPU time took 2.5 seconds"
    assert "the machine was busy: a second of CPU time took 2.5 seconds." in timing.bench_text(busy, width=400)


def test_small_changes_on_a_busy_machine_are_no_changes() -> None:
    """Other programs slow down each phase in its own way: ten percent there is what is seen of equal code."""
    before, after = report({"first": [1.0] * 7}), report({"first": [1.1] * 7})
    [certain] = timing.changes(after, before)
    assert certain.verdict == "slower"
    for pair in ((evolve(after, busy=(2.0,)), before), (after, evolve(before, busy=(2.0,)))):
        [change] = timing.changes(*pair)
        assert change.verdict == "no change"
    [large] = timing.changes(evolve(report({"first": [1.2] * 7}), busy=(2.0,)), before)
    assert large.verdict == "slower"


def test_another_environment_is_measured_in_turn(tmp_path: Path) -> None:
    """Its olmsolve is measured by the same program; here it is the same olmsolve, and only the order is to be seen."""
    seen: list[tuple[int, int]] = []
    same = tmp_path / "bin" / "python"
    same.parent.mkdir()
    same.write_text(f'#!/bin/sh\necho "$PYTHONHASHSEED" >> {tmp_path}/seeds\nexec {sys.executable} "$@"\n', "utf-8")
    same.chmod(0o755)
    report = timing.bench([COMMONS], processes=2, passes=1, beside=tmp_path, progress=lambda *at: seen.append(at))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert (tmp_path / "seeds").read_text("utf-8").split() == ["1", "2"]
    assert report.baseline == report.version == olmsolve.__version__
    assert [change.phase for change in report.changes] == [phase.phase for phase in report.phases]
    text = timing.bench_text(report, width=400)
    assert f"olmsolve {report.version} in turn with {report.version}, Python" in text
    assert "against the baseline" in text
    assert timing.bench_json(report)["changes"]


def test_an_environment_without_olmsolve_is_refused(tmp_path: Path) -> None:
    """With what it said."""
    with pytest.raises(RequestError, match="is not a virtual environment"):
        timing.bench([COMMONS], processes=1, beside=tmp_path)
    fails = tmp_path / "python"
    fails.write_text("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'olmsolve'\" >&2\nexit 1\n", "utf-8")
    fails.chmod(0o755)
    with pytest.raises(RequestError, match=r"ended with 1: ModuleNotFoundError: No module named 'olmsolve'"):
        timing.bench([COMMONS], processes=1, beside=fails)


def test_reports_come_back_from_files(tmp_path: Path) -> None:
    """A baseline is only worth something if it says the same when it is read."""
    bench_report = report({"first": [0.1, 0.2], "core": [0.3, 0.4]}, [0.01, 0.02])
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps(bench_report.to_dict()), "utf-8")
    assert timing.read_bench(str(path)) == bench_report


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "is not JSON"),
        ("[]", "is not a report"),
        ('{"schema": "olmsolve.audit", "schemaVersion": 1}', "is not a report"),
        ('{"schema": "olmsolve.bench", "schemaVersion": 1, "yardstick": [0]}', "version: is missing"),
    ],
)
def test_what_is_no_report_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    """A file that is something else gets one error with its name."""
    path = tmp_path / "baseline.json"
    path.write_text(content, "utf-8")
    with pytest.raises(RequestError) as caught:
        timing.read_bench(str(path))
    assert reason in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("changed", "field", "reason"),
    [
        ({"yardstick": [0]}, "yardstick", "must be a list of seconds"),
        ({"yardstick": []}, "yardstick", "must be a list of seconds"),
        ({"yardstick": [float("nan")]}, "yardstick", "must be a list of seconds"),
        ({"phases": [{"phase": "x"}]}, "phases[0].backend", "is missing"),
        (
            {"phases": [{"phase": "x", "backend": "", "count": 1, "seconds": [1, 2]}]},
            "phases[0].seconds",
            "must have a figure for each process",
        ),
        (
            {"requests": [{"name": "x", "outcome": "plan", "seconds": {}}]},
            "requests[0].seconds",
            "must have the seconds of deciding",
        ),
        ({"year": 2026}, "year", "unknown field"),
    ],
)
def test_what_is_wrong_in_a_report_is_named(tmp_path: Path, changed: dict[str, Any], field: str, reason: str) -> None:
    """A comparison with figures that are no times, or of other processes, would say anything."""
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps(report({"first": [0.1]}, [0.01]).to_dict() | changed), "utf-8")
    with pytest.raises(RequestError) as caught:
        timing.read_bench(str(path))
    assert (caught.value.field, caught.value.reason, caught.value.source) == (field, reason, str(path))


def noisy(draw: random.Random, seconds: float, spread: float = 0.03) -> list[float]:
    """Figures of five processes around *seconds*."""
    return [seconds * draw.uniform(1 - spread, 1 + spread) for _ in range(5)]


@pytest.mark.parametrize("seed", range(20))
def test_a_planted_slowdown_is_named_and_noise_is_none(seed: int) -> None:
    """Of six phases with 3 % of noise one takes 30 % longer: it is the one that is named."""
    draw = random.Random(seed)
    phases = PHASES[1:]
    slow = phases[seed % len(phases)]
    before = report({phase: noisy(draw, 0.1) for phase in phases})
    after = report({phase: noisy(draw, 0.13 if phase == slow else 0.1) for phase in phases})
    assert [change.phase for change in timing.changes(after, before) if change.is_slower] == [slow]
    back = {change.phase: change.verdict for change in timing.changes(before, after)}
    assert back[slow] == "faster"
    assert set(back.values()) <= {"faster", "no change"}


def test_a_slower_machine_is_no_regression() -> None:
    """Twice the time on a machine that takes twice as long for the yardstick is no change."""
    draw = random.Random(7)
    before = report({"first": noisy(draw, 0.1)}, noisy(draw, 0.01, 0.01))
    after = report({"first": noisy(draw, 0.2)}, noisy(draw, 0.02, 0.01))
    assert [change.verdict for change in timing.changes(after, before)] == ["no change"]


def test_a_processor_that_changes_its_speed_within_a_run_is_no_regression(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same work before and after the processor slows down by half has the same figure, in units of its moment."""
    clock = itertools.count()
    yardsticks = iter([0.010, 0.010, 0.020, 0.020])
    monkeypatch.setattr(measuring, "process_time", lambda: float(next(clock)))
    monkeypatch.setattr(measuring, "yardstick", lambda: next(yardsticks))
    speed = measuring.ProcessSpeed()
    fast = speed.in_units(0.5)
    speed.in_units(0.0)  # here it slows down
    assert speed.in_units(1.0) == fast == 50
    assert speed.usual == 0.015


def test_small_but_certain_differences_do_not_count() -> None:
    """Two hundredths more are not worth a failed pipeline, however often they are measured."""
    before, after = report({"first": [0.1000, 0.1001]}), report({"first": [0.1020, 0.1021]})
    (change,) = timing.changes(after, before)
    assert (change.certain, round(change.ratio, 2)) == (False, 1.02)


def test_one_disturbed_process_hides_no_large_slowdown() -> None:
    """Measured on a busy machine: one of five processes saw nothing of 30 % more work. A tenth stays in doubt."""
    before = report({"load": [0.0221, 0.0218, 0.0220, 0.0222, 0.0222]})
    for after, verdict in {
        (0.0279, 0.0271, 0.0219, 0.0289, 0.0278): "slower",
        (0.0279, 0.0271, 0.0219, 0.0219, 0.0278): "no change",
        (0.0243, 0.0243, 0.0219, 0.0243, 0.0243): "no change",
        (0.0279, 0.0271, 0.0219, 0.0278): "no change",
    }.items():
        (change,) = timing.changes(report({"load": after}), before)
        assert change.verdict == verdict, after


def test_other_requests_are_not_compared() -> None:
    """The figures of other questions say nothing about these."""
    one = report({"first": [0.1, 0.1]})
    other = evolve(one, requests=(RequestTimes("redis", "plan", {"deciding": 0.001}),))
    failing = evolve(one, requests=(RequestTimes("etcd", "unsatisfiable", {"deciding": 0.001}),))
    for baseline in (other, failing):
        with pytest.raises(RequestError, match="other requests or outcomes: etcd"):
            timing.changes(one, baseline)


def test_percentiles_are_figures_that_were_measured() -> None:
    """Of 200 requests the 99th percentile is the third longest."""
    requests = tuple(RequestTimes(str(n), "plan", {"deciding": n / 1000}) for n in range(1, 201))
    bench_report = evolve(report({"first": [0.1]}), requests=requests)
    assert bench_report.percentiles("deciding") == (0.1, 0.18, 0.198, 0.2)
    assert [request.name for request in bench_report.hardest(2)] == ["200", "199"]


def test_what_cannot_be_measured_is_refused() -> None:
    """RequestSubject fault of the input is one error of ours, before anything is measured."""
    with pytest.raises(BackendError):
        timing.bench([COMMONS], backends=["nonesuch"])
    with pytest.raises(RequestError, match="every"):
        timing.bench([COMMONS], every="bundle")
    with pytest.raises(RequestError, match="processes"):
        timing.bench([COMMONS], processes=0)
    with pytest.raises(Incomplete):
        timing.bench([COMMONS], timeout=0.001)


def test_the_page_draws_every_phase_and_backend() -> None:
    """A page has a bar for each phase, a curve for each backend, and says what has become slower."""
    bench_report = report({"first": [0.2, 0.21], "core": [0.3, 0.31]})
    before = report({"first": [0.1, 0.11], "core": [0.3, 0.31]})
    page = timing.bench_html(bench_report, timing.changes(bench_report, before))
    assert page.count("<rect") == 2
    assert page.count("<polyline") == 1
    assert re.search(r'text-anchor="middle"[^>]*>[\d.]+ ms<', page), "the bars have an axis"
    assert "2.00 times: slower" in page or "1.95 times: slower" in page
