"""The state file of an audit: one line of JSON for each package that is done.

Each line carries the key of its audit and a checksum. A line counts only if writing its content once more gives the
same line; damaged lines and lines of other audits stay in the file and are counted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

from olmsolve._record_reading import from_dict
from olmsolve.answers.auditing.findings import AuditFinding
from olmsolve.answers.auditing.report import AuditedChannel, AuditedPackage
from olmsolve.errors import RequestError

_SCHEMA: Final = "olmsolve.audit.package"
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
            raise self._refused("this is not a file")
        try:
            self._file = self._path.open("a+b")
            self._read(self._file)
        except OSError as error:
            self.__exit__(None, None, None)
            raise self._refused(error.strerror or str(error)) from None
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
        try:
            self._file.write(_line(self._key, package) + b"\n")
            self._file.flush()
        except OSError as error:
            raise self._refused(error.strerror or str(error)) from None

    def _read(self, file: BinaryIO) -> None:
        """Read the packages that are done, and count the lines left aside."""
        damaged = foreign = 0
        ours = empty = file.seek(0, 2) == 0
        file.seek(0)
        ended = True
        while line := file.readline(_LONGEST_LINE):
            ended = line.endswith(b"\n")
            ours = ours or line.startswith(_START)
            package = self._package(line)
            if isinstance(package, AuditedPackage):
                self.done[package.catalog, package.name] = package
            elif package:
                foreign += 1
            else:
                damaged += 1
        if not ours:
            raise self._refused("this is not a state file of an audit, so it is left alone")
        if not ended and not empty:
            # A line cut short by a crash must not swallow the next one.
            file.write(b"\n")
        counted = (damaged, "damaged"), (foreign, "foreign")
        self.notes = tuple(
            f"{self._path}: {count} {what} line{'s' if count > 1 else ''} left aside"
            for count, what in counted
            if count
        )

    def _package(self, line: bytes) -> AuditedPackage | bool:
        """Return the package of *line*; True for a good line of another audit, False for a damaged one."""
        try:
            data = json.loads(line)
            package, key = _package_from(data["package"]), data["key"]
            if _line(key, package) != line.rstrip(b"\n"):
                return False
            return package if key == self._key and (package.catalog, package.name) in self._packages else True
        except (AttributeError, LookupError, RecursionError, RequestError, TypeError, ValueError):
            return False

    def _refused(self, reason: str) -> RequestError:
        return RequestError(reason, field="resume", source=str(self._path))


def _line(key: str, package: AuditedPackage) -> bytes:
    """Return the line for *package* without its end; the same package always gives the same line."""
    value = {
        "catalog": package.catalog,
        "name": package.name,
        "bundles": package.bundles,
        "channels": [[channel.name, channel.head, channel.versions] for channel in package.channels],
        "findings": [finding.to_dict() for finding in package.findings],
    }
    check = hashlib.sha256(json.dumps([key, value]).encode()).hexdigest()
    return json.dumps({"schema": _SCHEMA, "key": key, "check": check, "package": value}).encode()


def _package_from(data: dict[str, Any]) -> AuditedPackage:
    """Return the package that :func:`_line` wrote; the caller writes it once more to check the result."""
    return AuditedPackage(
        catalog=data["catalog"],
        name=data["name"],
        bundles=data["bundles"],
        channels=tuple(AuditedChannel(*channel) for channel in data["channels"]),
        findings=tuple(from_dict(AuditFinding, each) for each in data["findings"]),
    )
