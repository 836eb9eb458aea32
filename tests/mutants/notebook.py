"""A notebook of verdicts and baselines: a later run goes on from there."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from tests.mutants.mutating import Mutant
from tests.mutants.rooms import ROOMS, ROOT
from tests.mutants.running import Baseline, RanTest, measured

__all__ = ["Notebook"]


@attrs.frozen
class Notebook:
    """A file with a line of JSON for each verdict and baseline; a line cut short by a crash is skipped.

    A verdict holds for the source of its module; that a mutant survived holds for the tests of its room only.
    """

    path: Path
    _lines: dict[str, Any] = attrs.field(factory=dict)
    _digests: dict[str, str] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        if self.path.is_file():
            for line in self.path.read_text("utf-8").splitlines():
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    record = json.loads(line)
                    self._lines[record["key"]] = record["value"]

    def verdict(self, room: str, mutant: Mutant) -> str | None:
        """Return what became of *mutant*, or None if it has to be tried."""
        verdict: str | None = self._lines.get(self._key(room, mutant))
        if verdict == "survived" and self._lines.get(f"{self._key(room, mutant)} tests") != self._tests_digest(room):
            return None
        return verdict

    def survived_before(self, room: str, mutant: Mutant) -> bool:
        """Return whether *mutant* survived other tests of its room."""
        return self._lines.get(self._key(room, mutant)) == "survived"

    def add(self, room: str, mutant: Mutant, verdict: str) -> None:
        """Note *verdict* at once."""
        self._write(self._key(room, mutant), verdict)
        if verdict == "survived":
            self._write(f"{self._key(room, mutant)} tests", self._tests_digest(room))

    def baseline(self, room: str) -> Baseline:
        """Return what the tests of *room* run; what an earlier run has not measured is measured now, file by file."""
        tests: list[RanTest] = []
        imported: dict[str, Mapping[str, str]] = {}
        code = self._digest(room, *ROOMS[room].modules().values())
        for file in ROOMS[room].test_files():
            key = f"{room} baseline {code} {file} {self._digest(file, ROOT / file)}"
            if key not in self._lines:
                of_file, ran = measured(ROOMS[room], file)
                self._write(key, (of_file, [(test.name, test.seconds, test.statements) for test in ran]))
            imported[file], known = self._lines[key]
            tests += (RanTest(*test) for test in known)
        return Baseline(tuple(tests), imported)

    def _write(self, key: str, value: object) -> None:
        self._lines[key] = value
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "value": value}) + "\n")

    def _key(self, room: str, mutant: Mutant) -> str:
        source = self._digest(mutant.module, ROOT.joinpath(*mutant.module.split(".")).with_suffix(".py"))
        return f"{room} {source} {mutant.column} {mutant}"

    def _tests_digest(self, room: str) -> str:
        return self._digest(f"tests of {room}", *(ROOT / file for file in ROOMS[room].test_files()))

    def _digest(self, name: str, *files: Path) -> str:
        if name not in self._digests:
            content = b"".join(file.read_bytes() for file in files)
            self._digests[name] = hashlib.sha256(content).hexdigest()[:_DIGITS]
        return self._digests[name]


_DIGITS: Final = 16
