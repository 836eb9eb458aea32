"""The verb of the room: questions about all packages, and numbered cases, until the number or the time is reached.

Its folder holds the state of a run: one JSON file, written whole, from which the next run goes on.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeAlias

from olmsolve._arguments import every, must_be_whole, wrong_type
from olmsolve._limits import Cancellation, limited
from olmsolve._record_reading import StateFormat, refused, refusing
from olmsolve._records import Record, field, record
from olmsolve._whole_files import write_whole
from olmsolve.answers import Fleet, at_hand, content_key
from olmsolve.answers.reducing import AnyRequest, without_eligibility
from olmsolve.catalog import Source
from olmsolve.classic import ClassicResolver, Request, Semantics, SemanticsName
from olmsolve.requests import request_document
from olmsolve.testing.fuzzing.covering import COVERED
from olmsolve.testing.fuzzing.findings import FuzzFinding, FuzzReport, in_order
from olmsolve.testing.fuzzing.questions import (
    PackageAnswers,
    Pair,
    Profile,
    doubtful_pairs,
    never_together,
    won_by_name,
)
from olmsolve.testing.fuzzing.reports import save
from olmsolve.testing.fuzzing.shrinking import findings_of, replayed
from olmsolve.testing.fuzzing.working import (
    CaseItem,
    CaseResult,
    ClassicLaw,
    ExtensionLaw,
    FuzzCargo,
    FuzzSettings,
    FuzzWork,
    PackageItem,
    PairAnswer,
    PairItem,
    counted,
    law_name,
)
from olmsolve.testing.laws import EXTENSION_LAWS, LAWS

_NAME: Final = "fuzz-state.json"
_INTERVAL: Final = 2.0
"""The least seconds between two writes of the state, which may have thousands of cases."""


@record
class _SavedRun(Record):
    """The content of a state file."""

    packages: tuple[PackageAnswers, ...] = field("The answers about packages.")
    pairs: tuple[PairAnswer, ...] = field("The answers about pairs of subscriptions.")
    cases: tuple[CaseResult, ...] = field("The results of the cases.")


_FORMAT: Final = StateFormat("olmsolve.fuzz.state", "state", _SavedRun)


class RunState:
    """The results of a run so far, kept in *folder* (None: nowhere) for the run that *key* stands for.

    Results of another run, with other catalogs or another seed, are not taken over; *notes* say so.

    Raises:
        RequestError: the folder cannot be made or written, or its state is no state of a run.
    """

    def __init__(self, folder: Path | None, key: str) -> None:
        self._path = None if folder is None else folder / _NAME
        self._key = key
        self._written = time.monotonic()
        self.packages: dict[tuple[str, str], PackageAnswers] = {}
        self.pairs: dict[int, tuple[str, ...] | None] = {}
        self.cases: dict[int, CaseResult] = {}
        self.notes: tuple[str, ...] = ()
        if self._path is not None:
            self._open(self._path)

    def add(self, result: PackageAnswers | PairAnswer | CaseResult) -> None:
        """Take over *result*, and write the state if the last writing is a while ago."""
        match result:
            case PackageAnswers():
                self.packages[result.catalog, result.package] = result
            case PairAnswer():
                self.pairs[result.number] = result.reasons
            case CaseResult():
                self.cases[result.number] = result
        if time.monotonic() - self._written > _INTERVAL:
            self.write()

    def write(self) -> None:
        """Write the state, in one step."""
        if self._path is None:
            return
        pairs = tuple(PairAnswer(*pair) for pair in self.pairs.items())
        run = _SavedRun(tuple(self.packages.values()), pairs, tuple(self.cases.values()))
        with refusing(self._path, "out"):
            write_whole(self._path, [_FORMAT.line_of(self._key, run)], is_named=False)
        self._written = time.monotonic()

    def _open(self, path: Path) -> None:
        with refusing(path, "out"):
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                self.write()
                return
            saved = _FORMAT.read(path.read_bytes())
        if saved is None:
            raise refused(path, "this is not a state of fuzzing, so it is left alone", "out")
        if saved.state is None:
            self.notes = (f"{path} is damaged; the run begins again",)
            return
        if saved.key != self._key:
            self.notes = (f"{path} is for other catalogs, requests or options; the run begins again",)
            return
        self.packages = {(package.catalog, package.package): package for package in saved.state.packages}
        self.pairs = {pair.number: pair.reasons for pair in saved.state.pairs}
        self.cases = {case.number: case for case in saved.state.cases}


FuzzProgress: TypeAlias = Callable[[int, int], None]
"""A callback; its arguments are how much is done and how much there is: seconds, or packages, pairs, cases and findings
to reduce together. How many pairs and findings there are is known late, so that the whole grows."""

DEFAULT_CASES: Final = 200
_CHUNK: Final = 5
"""The items in a chunk: a second of work or so."""
_AHEAD: Final = 32
"""The chunks that are sent before the first comes back: enough for as many workers."""
_TURNS: Final = 20
"""The number of turns in a limited time, half for cases and half for questions, so that both find something early."""


def fuzz(
    sources: Iterable[Source] = (),
    *,
    requests: Iterable[AnyRequest] = (),
    seed: int = 0,
    cases: int | None = None,
    seconds: float | None = None,
    semantics: SemanticsName = Semantics.DOCUMENTED,
    laws: Iterable[ClassicLaw] = LAWS,
    extension_laws: Iterable[ExtensionLaw] = EXTENSION_LAWS,
    executor: Executor | None = None,
    out: str | PathLike[str] | None = None,
    progress: FuzzProgress | None = None,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
) -> FuzzReport:
    """Check every law on random requests over *sources* and near *requests*, and ask what the catalogs' author asks.

    *cases* is the number of random requests (default 200), *seconds* a time in its place: requests and questions about
    the catalogs take turns until the questions are answered, and reducing what was found comes after it. The same
    *seed* and number of cases give the same report, whatever runs it. *laws* are functions of a request and the
    semantics that raise AssertionError, *extension_laws* functions of a request to OLM v1; an *executor* (any
    :class:`concurrent.futures.Executor`, which is not shut down) needs laws that can be pickled. *out* is a folder for
    the findings as request documents, from whose state a later run goes on. *timeout* and *cancel* are limits as in
    :func:`olmsolve.resolve`, for all of it.

    Raises:
        RequestError: there is no package, two sources of one name, *cases* is negative, or the folder cannot be used.
        Incomplete: a limit was met; the folder keeps what was done.
    """
    must_be_whole(seed, "seed")
    if cases is not None:
        must_be_whole(cases, "cases", least=0)
    if seconds is not None and not isinstance(seconds, int | float):
        raise wrong_type(seconds, "a number", "seconds")
    with limited(timeout=timeout, cancel=cancel):
        meaning = ClassicResolver((), semantics=semantics).semantics
        settings = FuzzSettings(
            every(sources, Source, "sources"),
            tuple(map(without_eligibility, requests)),
            seed,
            meaning,
            tuple(laws),
            tuple(extension_laws),
        )
        # A request refuses what is wrong with sources, such as two of one name.
        Request(namespaces=("default",), sources=settings.sources, subscriptions=())
        run = _FuzzRun(settings, executor, None if out is None else Path(out), progress)
        return run.report(DEFAULT_CASES if cases is None and seconds is None else cases, seconds)


def replay(
    requests: Iterable[AnyRequest],
    *,
    semantics: SemanticsName = Semantics.DOCUMENTED,
    laws: Iterable[ClassicLaw] = LAWS,
    extension_laws: Iterable[ExtensionLaw] = EXTENSION_LAWS,
) -> FuzzReport:
    """Check every law on *requests* as they are, such as requests that were saved with findings.

    Raises:
        RequestError: there is no request, or one is an extension's and has system constraints.
    """
    given = tuple(map(without_eligibility, requests))
    settings = FuzzSettings(
        (), given, 0, ClassicResolver((), semantics=semantics).semantics, tuple(laws), tuple(extension_laws)
    )
    findings, results = replayed(FuzzWork(settings), given)
    return _report(settings, results, in_order(findings))


def _report(
    settings: FuzzSettings, results: Iterable[CaseResult], findings: tuple[FuzzFinding, ...], **more: Any
) -> FuzzReport:
    """Return the report of *results* and *findings*; *more* are its fields about packages, and how the run went."""
    results = list(results)
    outcomes, checks, examples = counted(results)
    return FuzzReport(
        catalogs=tuple(sorted(source.key for source in settings.sources)),
        semantics=settings.semantics.value,
        seed=settings.seed,
        cases=len(results),
        outcomes=dict(outcomes),
        checks=dict(checks),
        covered={name: examples[name] for name in COVERED},
        findings=findings,
        **more,
    )


class _FuzzRun:
    """A run under way."""

    def __init__(
        self, settings: FuzzSettings, executor: Executor | None, folder: Path | None, progress: FuzzProgress | None
    ) -> None:
        self._settings = settings
        self._work = FuzzWork(settings)
        self._executor = executor
        self._folder = folder
        self._progress = progress
        self._wanted: tuple[int | None, float | None] = None, None
        self._key = _key(settings)
        self._state = RunState(folder, self._key)
        self._began = time.monotonic()
        self._known = 0
        """The packages, pairs and cases to reduce that are known so far."""
        self._reduced = 0

    def report(self, cases: int | None, seconds: float | None) -> FuzzReport:
        """Work until *cases* are done or *seconds* are over, and return the report."""
        self._wanted = cases, seconds
        with ExitStack() as stack:
            stack.callback(self._state.write)
            stack.enter_context(at_hand(self._key, self._work.work))
            numbers = itertools.count() if cases is None else iter(range(cases))
            missing = iter(CaseItem(number) for number in numbers if number not in self._state.cases)
            questions = [self._packages(), self._pairs()]
            if seconds is None:
                for items in (*questions, missing):
                    self._spread(items)
            else:
                self._take_turns(questions, missing, seconds)
            refused, pairs = self._refused()
        state = self._state
        wanted = [case for case in state.cases.values() if cases is None or case.number < cases]
        findings: list[FuzzFinding] = [finding for answers in state.packages.values() for finding in answers.findings]
        findings += never_together(refused)
        findings += won_by_name(winner for answers in state.packages.values() for winner in answers.winners)
        self._known += sum(len(case.broken) for case in wanted)
        shown, repeated = findings_of(self._work, wanted, self._tell_reduced)
        ordered = in_order([*shown, *sorted(findings, key=str)])
        if self._folder is not None:
            profiles = [profile for _, answers in sorted(state.packages.items()) for profile in answers.profiles]
            ordered = save(ordered, self._folder, self._work.examiner, profiles, self._settings.semantics)
        return _report(
            self._settings,
            wanted,
            ordered,
            packages=len(state.packages),
            all_packages=sum(len(source.catalog.packages) for source in self._settings.sources),
            pairs=pairs,
            repeated=repeated,
            notes=state.notes,
        )

    def _take_turns(self, questions: list[Iterator[Any]], cases: Iterator[CaseItem], seconds: float) -> None:
        """Work on *cases* and *questions* in turns of equal time, until *seconds* after the start.

        Once all questions are answered, the cases have the rest.
        """
        turn = seconds / _TURNS
        end = time.monotonic() - self._began
        while end < seconds:
            end = min(seconds, end + turn)
            self._spread(cases, end)
            # The questions about pairs need all answers about packages, which a whole turn waits for.
            end = min(seconds, max(end, time.monotonic() - self._began) + turn)
            while questions:
                self._spread(questions[0], end)
                if time.monotonic() - self._began >= end:
                    break
                questions.pop(0)
            end = time.monotonic() - self._began

    def _packages(self) -> Iterator[PackageItem]:
        """Yield the packages to examine."""
        self._known += sum(len(source.catalog.packages) for source in self._settings.sources)
        for source in self._settings.sources:
            for package in sorted(source.catalog, key=lambda package: package.name):
                if (source.key, package.name) not in self._state.packages:
                    yield PackageItem(source.key, package.name)

    def _pairs(self) -> Iterator[PairItem]:
        """Yield the pairs of subscriptions to ask about, once all packages are examined."""
        self._known += len(self._doubtful)
        for number, pair in enumerate(self._doubtful):
            if number not in self._state.pairs:
                yield PairItem(number, pair)

    @functools.cached_property
    def _doubtful(self) -> list[Pair]:
        return doubtful_pairs(self._profiles(), self._work.examiner.sources)

    def _profiles(self) -> list[Profile]:
        return [profile for _, answers in sorted(self._state.packages.items()) for profile in answers.profiles]

    def _refused(self) -> tuple[list[tuple[Pair, tuple[str, ...]]], int]:
        """Return the pairs that can never be served together with the reasons, and how many pairs were settled."""
        state = self._state
        if len(state.packages) < sum(len(source.catalog.packages) for source in self._settings.sources):
            return [], 0
        pairs = self._doubtful
        count = len({profile.package for profile in self._profiles()})
        settled = len(state.pairs) if len(state.pairs) < len(pairs) else count * (count - 1) // 2
        reasons = [(pair, state.pairs.get(number)) for number, pair in enumerate(pairs)]
        return [(pair, refusal) for pair, refusal in reasons if refusal is not None], settled

    def _spread(self, items: Iterator[Any], seconds: float | None = None) -> None:
        """Work on *items* until *seconds* after the start, and take over the results."""
        chunks = self._in_time(items, seconds)
        with ExitStack() as stack:
            if self._executor is None:
                results: Iterable[Any] = itertools.chain.from_iterable(map(self._work.work, chunks))
            else:
                fleet = Fleet(self._executor, self._key, lambda: FuzzCargo.packed(self._settings))
                results = stack.enter_context(fleet).results(chunks, ahead=_AHEAD)
            for result in results:
                self._state.add(result)
                self._tell()

    def _in_time(self, items: Iterator[Any], seconds: float | None) -> Iterator[tuple[Any, ...]]:
        while seconds is None or time.monotonic() - self._began < seconds:
            chunk = tuple(itertools.islice(items, _CHUNK))
            if not chunk:
                return
            yield chunk

    def _tell(self) -> None:
        if self._progress is None:
            return
        cases, seconds = self._wanted
        if seconds is not None:
            self._progress(min(round(time.monotonic() - self._began), round(seconds)), round(seconds))
        elif cases is not None:
            state = self._state
            numbers = len(state.cases), len(state.packages), len(state.pairs), self._reduced
            self._progress(sum(numbers), self._known + max(cases, len(state.cases)))

    def _tell_reduced(self) -> None:
        self._reduced += 1
        self._tell()


def _key(settings: FuzzSettings) -> str:
    """Return what identifies a run: results of another run under the same key are results of this one."""
    near = [json.dumps(request_document(request), sort_keys=True, default=str) for request in settings.requests]
    laws = [*map(law_name, settings.laws), *map(law_name, settings.extension_laws)]
    digest = hashlib.sha256("\n".join(near).encode("utf-8", "surrogatepass")).hexdigest()
    return content_key(settings.sources, "fuzz", settings.semantics.value, str(settings.seed), digest, *laws)
