"""The state file of an audit: one line of JSON for each package that is done.

Damaged lines and lines of other audits stay in the file and are counted.
"""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

from olmsolve._saved_states import StateFormat, refused, refusing
from olmsolve.answers.auditing.report import AuditedPackage

_LINES: Final = StateFormat("olmsolve.audit.package", "package", AuditedPackage)
_START: Final = b'{"schema": "olmsolve.audit.'
_LONGEST_LINE: Final = 32 << 20


class StateFile:
    """The file at *path*, created if missing, for the audit *key* of *packages* (pairs of catalog and package).

    *done* are the packages of this audit in the file; *notes* count the lines left aside. Use it in a ``with`` block.

    Raises:
        RequestError: the file cannot be read or written, or is no state file (it is left alone).
    """

    def __init__(self, path: Path, key: str, packages: Container[tuple[str, str]]) -> None:
        self._path = path
        self._key = key
        self._packages = packages
        self.done: dict[tuple[str, str], AuditedPackage] = {}
        self.notes: tuple[str, ...] = ()
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        if self._path.exists() and not self._path.is_file():
            raise refused(self._path, "this is not a file")
        try:
            with refusing(self._path):
                self._file = self._path.open("a+b")
                self._read(self._file)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def add(self, package: AuditedPackage) -> None:
        """Write that *package* is done, at once: a process that is killed now loses nothing of it."""
        assert self._file is not None
        with refusing(self._path):
            self._file.write(_LINES.written(self._key, package) + b"\n")
            self._file.flush()

    def _read(self, file: BinaryIO) -> None:
        """Read the packages that are done, and count the lines left aside."""
        damaged = foreign = 0
        ours = empty = file.seek(0, 2) == 0
        file.seek(0)
        ended = True
        while line := file.readline(_LONGEST_LINE):
            ended = line.endswith(b"\n")
            ours = ours or line.startswith(_START)
            saved = _LINES.read(line.rstrip(b"\n"))
            package = None if saved is None else saved.state
            if saved is None or package is None:
                damaged += 1
            elif saved.key == self._key and (package.catalog, package.name) in self._packages:
                self.done[package.catalog, package.name] = package
            else:
                foreign += 1
        if not ours:
            raise refused(self._path, "this is not a state file of an audit, so it is left alone")
        if not ended and not empty:
            # A line cut short by a crash must not swallow the next one.
            file.write(b"\n")
        counted = (damaged, "damaged"), (foreign, "foreign")
        self.notes = tuple(
            f"{self._path}: {count} {what} line{'s' if count > 1 else ''} left aside"
            for count, what in counted
            if count
        )
