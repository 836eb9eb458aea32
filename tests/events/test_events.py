"""Observers are told everything once, nobody else pays, and answers stay the same."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import logging
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import olmsolve
from olmsolve import events, v1
from olmsolve.classic import Reason
from olmsolve.testing import DENSE, catalog_of, package, random_request, request_for, synthetic
from tests.architecture.imports import ROOMS
from tests.architecture.wings import WINGS
from tests.pages.files import module_of
from tests.scale import scaled

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "olmsolve/examples"


class Recorder(olmsolve.Observer):
    """Keeps every event in order."""

    def __init__(self) -> None:
        self.events: list[NamedTuple] = []

    def loaded(self, event: events.CatalogLoaded) -> None:
        self.events.append(event)

    def indexed(self, event: events.CatalogIndexed) -> None:
        self.events.append(event)

    def posed(self, event: events.QuestionPosed) -> None:
        self.events.append(event)

    def passed_over(self, event: events.CandidatePassedOver) -> None:
        self.events.append(event)

    def learnt(self, event: events.ConflictLearnt) -> None:
        self.events.append(event)

    def backend_asked(self, event: events.BackendAsked) -> None:
        self.events.append(event)

    def backend_answered(self, event: events.BackendAnswered) -> None:
        self.events.append(event)

    def answered(self, event: events.QuestionAnswered) -> None:
        self.events.append(event)

    def kinds(self) -> list[str]:
        return [type(event).__name__ for event in self.events]

    def only(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def verbs_with_limits() -> Iterator[tuple[str, Any]]:
    """Every function and method behind a public door that takes a time limit, tools for tests aside."""
    wings = (wing for wing in WINGS if f"olmsolve.{wing}" in ROOMS and wing not in ("answers", "testing"))
    for door in ("", *wings, "authoring.checks", "catalog.index_files", "catalog.fbc"):
        module = importlib.import_module(f"olmsolve.{door}".rstrip("."))
        for name in dir(module):
            value = getattr(module, name)
            functions = vars(value).items() if inspect.isclass(value) else ((name, value),)
            for inner, function in functions:
                is_public = inspect.isfunction(function) and not inner.startswith("_")
                if is_public and "timeout" in inspect.signature(function).parameters:
                    yield f"{door}.{name}.{inner}", function


def test_whatever_takes_limits_takes_an_observer() -> None:
    """A verb that hides its work from a dashboard is found out when it is slow."""
    verbs = dict(verbs_with_limits())
    assert len(verbs) > 25
    without = [name for name, verb in verbs.items() if "observer" not in inspect.signature(verb).parameters]
    # A reduction tries thousands of requests, and is watched in a block.
    assert [name for name in without if not name.endswith(".reduced")] == []


def seen(recorder: Recorder) -> list[Any]:
    """What was told, without times."""
    recorded = []
    for event in recorder.events:
        fields = event._asdict()
        recorded.append((type(event).__name__, {k: str(v) for k, v in fields.items() if k not in TIMES}))
    return recorded


TIMES = {"at", "seconds", "statistics"}


@pytest.mark.parametrize("satisfiable", [True, False])
def test_every_verb_tells_its_observer_what_a_block_is_told(satisfiable: bool) -> None:
    """One mechanism: the keyword of a verb is a block around the verb."""
    request = synthetic.request(synthetic.DenseShape(30, 6, 2, 4), "hard", seed=2, satisfiable=satisfiable)
    try:
        outcome: Any = olmsolve.resolve(request)
    except olmsolve.Unsatisfiable as failure:
        outcome = failure
    resolver = olmsolve.Resolver(request.sources)
    wishes, namespaces = request.subscriptions, request.namespaces
    calls: dict[str, Any] = {
        "resolve": lambda **how: answer(request, **how),
        "is_satisfiable": lambda **how: olmsolve.is_satisfiable(request, **how),
        "explanation": lambda **how: olmsolve.explanation(outcome, fixes=1, tries=3, **how),
        "held_back": lambda **how: olmsolve.held_back(outcome, **how),
        "diff": lambda **how: olmsolve.diff(request, request, **how),
        "compare_semantics": lambda **how: olmsolve.compare_semantics(request, **how),
        "Resolver.explanation": lambda **how: resolver.explanation(
            wishes, namespaces=namespaces, fixes=1, tries=3, **how
        ),
    }
    if satisfiable:
        package = outcome.installs[3].package
        calls["why_not"] = lambda **how: olmsolve.why_not(outcome, package, version="0.0.1", **how)
    for name, call in calls.items():
        given, around, outside = Recorder(), Recorder(), Recorder()
        with olmsolve.observed(outside):
            call(observer=given)
        with olmsolve.observed(around):
            call()
        assert seen(given) == seen(around), name
        # A failure holds everything back, which needs no search.
        assert given.events or name in ("why_not", "held_back"), name
        assert not outside.events, name


def test_a_wrong_observer_is_refused_by_every_verb() -> None:
    """Before any work is done."""
    request = olmsolve.read_request(EXAMPLES / "install.yaml")
    wrong: Any = print
    for call in (olmsolve.resolve, olmsolve.compile, olmsolve.is_satisfiable, olmsolve.compare_semantics):
        with pytest.raises(olmsolve.RequestError, match="has no method"):
            call(request, observer=wrong)
    with pytest.raises(olmsolve.RequestError, match="has no method"):
        olmsolve.load(EXAMPLES / "catalogs" / "orchard", observer=wrong)


def answer(request: olmsolve.Request, **how: Any) -> Any:
    try:
        return olmsolve.resolve(request, **how)
    except olmsolve.Unsatisfiable as failure:
        return failure.core
    except olmsolve.CatalogError as error:
        return str(error)


def test_the_way_of_a_request_is_told_in_order() -> None:
    """Loading, indexing, the question, its end: what a dashboard shows."""
    recorder = Recorder()
    started = time.time()
    with olmsolve.observed(recorder):
        plan = olmsolve.resolve(olmsolve.read_request(EXAMPLES / "install.yaml"))
    assert recorder.kinds() == [
        "CatalogLoaded",
        "CatalogLoaded",
        "QuestionPosed",
        "CatalogIndexed",
        "CatalogIndexed",
        "QuestionAnswered",
    ]
    loaded, *_, posed, _, indexed, answered = recorder.events
    assert isinstance(loaded, events.CatalogLoaded)
    assert (Path(loaded.path).name, loaded.packages, loaded.indexed) == ("orchard", 2, False)
    assert isinstance(posed, events.QuestionPosed)
    assert posed[:3] == ("install a shop", "shop", "deciding")
    assert isinstance(indexed, events.CatalogIndexed)
    assert (indexed.packages, indexed.bundles, indexed.candidates) == (4, 10, 13)
    assert isinstance(answered, events.QuestionAnswered)
    assert (answered.request, answered.outcome, answered.statistics.candidates) == ("install a shop", "plan", 5)
    times = [event.at for event in recorder.events]  # type: ignore[attr-defined]
    assert started - 0.1 <= times[0] <= times[-1] <= time.time() + 0.1
    assert sum(plan.statistics.seconds) <= answered.seconds + 0.1
    assert min(plan.statistics.seconds) >= 0


@pytest.mark.parametrize("backend", ["deciding", "cadical195"])
def test_every_backend_tells_of_its_conflicts(backend: str) -> None:
    """Counts of the statistics are counts of events; SAT solvers are asked as often as they answer."""
    request = synthetic.request("S", "hard", seed=2)
    recorder = Recorder()
    plan = olmsolve.resolve(request, backend=backend, observer=recorder)
    kinds = Counter(recorder.kinds())
    assert kinds["ConflictLearnt"] == plan.statistics.conflicts > 0
    assert kinds["BackendAsked"] == kinds["BackendAnswered"] == plan.statistics.calls
    assert (plan.statistics.calls > 0) == (plan.statistics.clauses > 0) == (backend != "deciding")
    assert plan.statistics.candidates >= len(plan.installs)
    assert recorder.only(events.QuestionAnswered)[0].statistics.conflicts == plan.statistics.conflicts
    for event in recorder.only(events.BackendAnswered):
        assert (event.backend, event.answer in (True, False), event.seconds >= 0) == (backend, True, True)


def test_failures_have_statistics() -> None:
    """How long the reasons took is what one asks about a failure."""
    recorder = Recorder()
    with pytest.raises(olmsolve.Unsatisfiable) as failure:
        olmsolve.resolve(olmsolve.read_request(EXAMPLES / "unsatisfiable.yaml"), observer=recorder)
    statistics = failure.value.statistics
    assert statistics.conflicts == 1
    assert statistics.seconds.explaining > 0
    assert recorder.only(events.QuestionAnswered)[0].outcome == "Unsatisfiable"


def test_ends_are_told_whatever_they_are() -> None:
    """A question without an end would be open for ever in a tracing system."""
    request = olmsolve.read_request(EXAMPLES / "install.yaml")
    recorder = Recorder()
    with pytest.raises(olmsolve.Incomplete):
        olmsolve.resolve(request, timeout=1e-9, observer=recorder)
    with pytest.raises(olmsolve.BackendError):
        olmsolve.resolve(request, backend="lingeling", timeout=5, observer=recorder)
    assert not olmsolve.is_satisfiable(olmsolve.read_request(EXAMPLES / "unsatisfiable.yaml"), observer=recorder)
    assert olmsolve.is_satisfiable(request, observer=recorder)
    ends = [event.outcome for event in recorder.only(events.QuestionAnswered)]
    assert ends == ["Incomplete", "BackendError", "Unsatisfiable", "plan"]


def test_candidates_that_were_passed_over() -> None:
    """The reason is a value, the one that a person would give."""
    recorder = Recorder()
    request = olmsolve.read_request(ROOT / "olmsolve/examples/passed-over.yaml")
    for backend in ("deciding", "minisat22"):
        recorder.events.clear()
        olmsolve.resolve(request, observer=recorder, backend=backend)
        (passed,) = recorder.only(events.CandidatePassedOver)
        assert passed.candidate.name == "blue.v2.0.0"
        assert isinstance(passed.reason, olmsolve.classic.Requires)


def test_parts_of_a_requirement_are_no_candidates() -> None:
    """A compound requirement that has two parts is met part by part, and only bundles are passed over."""
    both = {"constraints": [{"package": {"packageName": name, "versionRange": ">=1.0.0"}} for name in ("red", "green")]}
    apart = {"constraints": [{"all": both}, {"package": {"packageName": "blue", "versionRange": ">=1.0.0"}}]}
    catalog = catalog_of(
        package("web").channel("stable", "1.0.0").constrained({"any": apart}),
        package("red").channel("stable", "1.0.0").requires("gone"),
        package("green").channel("stable", "1.0.0"),
        package("blue").channel("stable", "1.0.0"),
    )
    for backend in ("deciding", "minisat22"):
        recorder = Recorder()
        plan = olmsolve.resolve(request_for(catalog, "web"), observer=recorder, backend=backend)
        assert {install.name for install in plan.installs} == {"web.v1.0.0", "blue.v1.0.0"}
        names = {event.candidate.name for event in recorder.only(events.CandidatePassedOver)}
        assert names <= {"red.v1.0.0", "green.v1.0.0"}


def test_what_is_passed_over_is_not_selected() -> None:
    """On random requests: told candidates are in no plan's place, reasons are reasons, and answers stay the same."""
    passed_over = 0
    for seed in range(scaled(300)):
        request = random_request(random.Random(f"passed {seed}"), DENSE)
        for backend in ("deciding", "minisat22"):
            recorder = Recorder()
            watched = answer(request, observer=recorder, backend=backend)
            assert watched == answer(request, backend=backend), seed
            for event in recorder.only(events.CandidatePassedOver):
                assert event.reason is None or isinstance(event.reason, Reason)
                assert str(event.reason)
            if isinstance(watched, olmsolve.Resolution) and backend == "deciding":
                selected = {install.candidate for install in watched.installs}
                passed = {event.candidate for event in recorder.only(events.CandidatePassedOver)}
                assert not selected & passed, seed
                passed_over += len(passed)
    assert passed_over > scaled(30)


def test_a_block_holds_for_one_thread_and_one_task() -> None:
    """A service watches one request, and not those of its neighbours."""
    request = olmsolve.read_request(EXAMPLES / "install.yaml")

    async def watched(number: int) -> int:
        recorder = Recorder()
        with olmsolve.observed(recorder if number % 2 else None):
            await asyncio.sleep(0)
            await asyncio.to_thread(olmsolve.resolve, request)
        return len(recorder.only(events.QuestionAnswered))

    async def all_of_them() -> list[int]:
        return await asyncio.gather(*map(watched, range(16)))

    assert asyncio.run(all_of_them()) == [number % 2 for number in range(16)]
    recorder = Recorder()
    with olmsolve.observed(recorder), ThreadPoolExecutor(1) as pool:
        pool.submit(olmsolve.resolve, request).result()
    assert recorder.events == []


def test_extensions_are_questions_too() -> None:
    """OLM v1 has no search, and an end all the same."""
    recorder = Recorder()
    request = v1.ExtensionRequest(v1.Extension("blue"), (), name="mine")
    with pytest.raises(v1.ResolutionError):
        olmsolve.resolve(request, observer=recorder)
    assert recorder.kinds() == ["QuestionPosed", "QuestionAnswered"]
    assert recorder.only(events.QuestionAnswered)[0].outcome == "NoBundlesError"


def test_other_verbs_are_watched_in_a_block() -> None:
    """An explanation resolves changed requests."""
    recorder = Recorder()
    with pytest.raises(olmsolve.Unsatisfiable) as failure:
        olmsolve.resolve(olmsolve.read_request(EXAMPLES / "unsatisfiable.yaml"))
    with olmsolve.observed(recorder):
        olmsolve.explanation(failure.value)
    assert "QuestionAnswered" in recorder.kinds()


class Indifferent(olmsolve.Observer):
    """Overrides nothing."""


def test_an_observer_may_override_nothing() -> None:
    """Events that are added later must not break observers of today."""
    request = olmsolve.read_request(EXAMPLES / "install.yaml")
    assert olmsolve.resolve(request, observer=Indifferent()) == olmsolve.resolve(request)


def test_what_is_no_observer_is_refused() -> None:
    """An AttributeError in the middle of a search says nothing about observers."""
    request = olmsolve.read_request(EXAMPLES / "install.yaml")
    for wrong in (object(), print, "log"):
        with pytest.raises(olmsolve.RequestError, match=r"observer: .* has no method"):
            olmsolve.resolve(request, observer=wrong)  # type: ignore[arg-type]


def test_errors_of_observers_end_the_call() -> None:
    """Swallowing them would hide a broken dashboard for weeks."""

    class Broken(olmsolve.Observer):
        def posed(self, event: events.QuestionPosed) -> None:
            raise KeyError("dashboard")

    with pytest.raises(KeyError, match="dashboard"):
        olmsolve.resolve(olmsolve.read_request(EXAMPLES / "install.yaml"), observer=Broken())


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    root = logging.getLogger("olmsolve")
    level = root.level
    yield root
    root.setLevel(level)


def test_the_logger_is_silent_until_asked(logger: logging.Logger, caplog: pytest.LogCaptureFixture) -> None:
    """A library that prints by itself is removed from services."""
    request = olmsolve.read_request(EXAMPLES / "unsatisfiable.yaml")
    answer(request)
    assert caplog.records == []
    logger.setLevel(logging.DEBUG)
    answer(request)
    answer(olmsolve.read_request(ROOT / "olmsolve/examples/passed-over.yaml"), backend="minisat22")
    lines = [record.getMessage() for record in caplog.records if record.name == "olmsolve"]
    assert lines[0].startswith("request a shop with parcels for namespace shop, backend deciding")
    assert any(line.startswith("passed over blue.v2.0.0 (stable, olm/main): blue.v2.0.0") for line in lines)
    assert any(line.startswith("request a shop with parcels: Unsatisfiable") for line in lines)


def test_nothing_is_printed_by_a_plain_program() -> None:
    """Warnings of the last resort would go to standard error."""
    code = (
        "import logging, olmsolve; logging.basicConfig()\n"
        f"olmsolve.resolve(olmsolve.read_request({str(EXAMPLES / 'install.yaml')!r}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert (run.stdout, run.stderr) == ("", "")


def test_the_example_for_prometheus() -> None:
    """The adapter of the documentation counts what happened."""
    client = pytest.importorskip("prometheus_client", reason="prometheus-client is not installed")
    module = module_of("docs/events.md", "prometheus_metrics.py")
    registry = client.CollectorRegistry()
    with olmsolve.observed(module.PrometheusObserver(registry)):
        for name in ("install", "upgrade", "unsatisfiable"):
            answer(olmsolve.read_request(EXAMPLES / f"{name}.yaml"))
    value = registry.get_sample_value
    assert value("olmsolve_questions_total", {"outcome": "plan"}) == 2
    assert value("olmsolve_questions_total", {"outcome": "Unsatisfiable"}) == 1
    assert value("olmsolve_conflicts_total") == 1
    assert value("olmsolve_seconds_count", {"phase": "searching"}) == 3
    assert value("olmsolve_seconds_count", {"phase": "loading"}) == 6
