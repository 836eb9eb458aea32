"""The state of a run in its folder: one JSON file, written whole, from which the next run goes on."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from olmsolve._records import Record, field, record
from olmsolve._saved_states import StateFormat, refused, refusing
from olmsolve._whole_files import write_whole
from olmsolve.testing.fuzzing.questions import PackageAnswers
from olmsolve.testing.fuzzing.working import CaseResult, PairAnswer

_NAME: Final = "fuzz-state.json"
_INTERVAL: Final = 2.0
"""Seconds between two writings: a state of thousands of cases is not written after each of them."""


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
        pairs = tuple(PairAnswer(*each) for each in self.pairs.items())
        run = _SavedRun(tuple(self.packages.values()), pairs, tuple(self.cases.values()))
        with refusing(self._path, "out"):
            write_whole(self._path, [_FORMAT.written(self._key, run)])
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
            self.notes = (f"{path} is damaged; the run begins anew",)
            return
        if saved.key != self._key:
            self.notes = (f"{path} is about other catalogs, requests or options; the run begins anew",)
            return
        self.packages = {(each.catalog, each.package): each for each in saved.state.packages}
        self.pairs = {each.number: each.reasons for each in saved.state.pairs}
        self.cases = {each.number: each for each in saved.state.cases}
