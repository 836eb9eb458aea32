"""The state of a run in its folder: one JSON file, written whole, from which the next run goes on."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Final

from olmsolve._record_reading import from_dict
from olmsolve._records import Record, field, record
from olmsolve._whole_files import write_whole
from olmsolve.errors import RequestError
from olmsolve.testing.fuzzing.questions import PackageAnswers
from olmsolve.testing.fuzzing.working import CaseResult, PairAnswer

_SCHEMA: Final = "olmsolve.fuzz.state"
_NAME: Final = "fuzz-state.json"
_INTERVAL: Final = 2.0
"""Seconds between two writings: a state of thousands of cases is not written after each of them."""


@record
class _SavedRun(Record):
    """The content of a state file."""

    schema: str = field("The name of the format.")
    key: str = field("What identifies the run.")
    packages: tuple[PackageAnswers, ...] = field("The answers about packages.")
    pairs: tuple[PairAnswer, ...] = field("The answers about pairs of subscriptions.")
    cases: tuple[CaseResult, ...] = field("The results of the cases.")


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
        run = _SavedRun(_SCHEMA, self._key, tuple(self.packages.values()), pairs, tuple(self.cases.values()))
        try:
            write_whole(self._path, [json.dumps(run.to_dict()).encode()])
        except OSError as error:
            raise _refused(self._path, error.strerror or str(error)) from None
        self._written = time.monotonic()

    def _open(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                self.write()
                return
            document = json.loads(path.read_bytes())
            is_ours = document["schema"] == _SCHEMA
        except OSError as error:
            raise _refused(path, error.strerror or str(error)) from None
        except (LookupError, RecursionError, TypeError, ValueError):
            is_ours = False
        if not is_ours:
            raise _refused(path, "this is not a state of fuzzing, so it is left alone")
        if document.get("key") != self._key:
            self.notes = (f"{path} is about other catalogs, requests or options; the run begins anew",)
            return
        try:
            run = from_dict(_SavedRun, document)
        except RequestError:
            self.notes = (f"{path} is damaged; the run begins anew",)
            return
        self.packages = {(each.catalog, each.package): each for each in run.packages}
        self.pairs = {each.number: each.reasons for each in run.pairs}
        self.cases = {each.number: each for each in run.cases}


def _refused(path: Path, reason: str) -> RequestError:
    return RequestError(reason, field="out", source=str(path))
