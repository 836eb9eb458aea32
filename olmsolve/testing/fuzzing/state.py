"""The state of a run in its folder: one JSON file, written whole, from which the next run goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import attrs

from olmsolve._record_reading import from_dict
from olmsolve._whole_files import write_whole
from olmsolve.errors import RequestError
from olmsolve.testing.fuzzing.findings import FuzzFinding
from olmsolve.testing.fuzzing.questions import PackageAnswers, Profile, Winner
from olmsolve.testing.fuzzing.working import CaseResult, PairAnswer

_SCHEMA: Final = "olmsolve.fuzz.state"
_NAME: Final = "fuzz-state.json"
_INTERVAL: Final = 2.0
"""Seconds between two writings: a state of thousands of cases is not written after each of them."""


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
        document = {
            "schema": _SCHEMA,
            "key": self._key,
            "packages": [_package_to_dict(each) for each in self.packages.values()],
            "pairs": list(self.pairs.items()),
            "cases": [[each.number, each.outcome, each.checked, each.broken] for each in self.cases.values()],
        }
        try:
            write_whole(self._path, [json.dumps(document).encode()])
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
            self._take(document)
        except (AttributeError, LookupError, RequestError, TypeError, ValueError):
            self.packages, self.pairs, self.cases = {}, {}, {}
            self.notes = (f"{path} is damaged; the run begins anew",)

    def _take(self, document: dict[str, Any]) -> None:
        for each in document["packages"]:
            found = _package_from(each)
            self.packages[found.catalog, found.package] = found
        for number, reasons in document["pairs"]:
            self.pairs[int(number)] = None if reasons is None else tuple(map(str, reasons))
        for number, outcome, laws, broken in document["cases"]:
            self.cases[number] = CaseResult(number, outcome, tuple(laws), tuple(broken))


def _package_to_dict(answers: PackageAnswers) -> dict[str, Any]:
    return {
        "catalog": answers.catalog,
        "package": answers.package,
        "findings": [finding.to_dict() for finding in answers.findings],
        "profiles": [[profile.channel, profile.installs] for profile in answers.profiles],
        "winners": [_texts(winner) for winner in answers.winners],
    }


def _texts(winner: Winner) -> Iterable[str]:
    return list(attrs.astuple(winner))


def _package_from(data: dict[str, Any]) -> PackageAnswers:
    catalog, package = data["catalog"], data["package"]
    profiles = [
        Profile(catalog, package, channel, tuple((c, p, n, b) for c, p, n, b in installs))
        for channel, installs in data["profiles"]
    ]
    findings = tuple(from_dict(FuzzFinding, each) for each in data["findings"])
    return PackageAnswers(catalog, package, findings, tuple(profiles), tuple(Winner(*each) for each in data["winners"]))


def _refused(path: Path, reason: str) -> RequestError:
    return RequestError(reason, field="out", source=str(path))
