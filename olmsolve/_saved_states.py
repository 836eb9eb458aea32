"""Saved states: what a long run has done so far, in a file from which the next run goes on.

A state carries the key of its run and a checksum of both, so that a run never goes on from a file that a crash, an
editor or a bad disk has changed::

    {"schema": "olmsolve.impact.state", "key": "6b1f...", "check": "90ce...", "state": {"done": 3, ...}}
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

import olmsolve._attrs as attrs
from olmsolve._record_reading import from_dict
from olmsolve._records import Record
from olmsolve.errors import RequestError

R = TypeVar("R", bound=Record)


@attrs.frozen
class Saved(Generic[R]):
    """The content of a file: the *key* of its run, and its *state*, None where the file is damaged."""

    key: str
    state: R | None


@attrs.frozen
class StateFormat(Generic[R]):
    """The format of the states of one kind of run: its *schema*, and the field *name* with the record of *cls*."""

    schema: str
    name: str
    cls: type[R]

    def written(self, key: str, state: R) -> bytes:
        """Return *state* of the run *key* as one line; the same state always gives the same bytes."""
        return self._sealed(key, state.to_dict())

    def read(self, data: bytes) -> Saved[R] | None:
        """Return what :meth:`written` has made *data* of; None where it is something else.

        Data that differs in any byte from what was written is damaged.
        """
        try:
            document = json.loads(data)
            if document["schema"] != self.schema:
                return None
        except (LookupError, RecursionError, TypeError, ValueError):
            return None
        try:
            key, state = document["key"], document[self.name]
            is_whole = self._sealed(key, state) == data
            return Saved(key, from_dict(self.cls, state) if is_whole else None)
        except (AttributeError, LookupError, RecursionError, RequestError, TypeError, ValueError):
            return Saved("", None)

    def _sealed(self, key: str, state: dict[str, Any]) -> bytes:
        check = hashlib.sha256(json.dumps([key, state]).encode()).hexdigest()
        return json.dumps({"schema": self.schema, "key": key, "check": check, self.name: state}).encode()


@contextmanager
def refusing(path: Path, field: str = "resume") -> Iterator[None]:
    """Turn an error of the system about the file *path*, the option *field*, into a RequestError."""
    try:
        yield
    except OSError as error:
        raise refused(path, error.strerror or str(error), field) from None


def refused(path: Path, reason: str, field: str = "resume") -> RequestError:
    """Return (not raise) the error of a state file *path*, the option *field*, that is not taken for this *reason*."""
    return RequestError(reason, field=field, source=str(path))
