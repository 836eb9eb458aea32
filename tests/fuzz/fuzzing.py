"""The fuzzer: run targets on inputs until there are enough, and keep the inputs that went wrong."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterable, Iterator
from typing import Final, Protocol

import attrs

from tests.fuzz.mutations import shrunk

__all__ = ["SECONDS", "Finding", "Fuzzed", "Run"]

SECONDS: Final = 1.0
"""The bar: processor time that no input may take."""

# One input of so many is long: a long one takes as much time as some thousand short ones.
_LONG_EVERY: Final = 2000
_OUTCOMES: Final = 20_000
# Seconds after which a finding is small enough: a command takes a hundred thousand times as long as a parser.
_SHRINKING: Final = 20


class Source(Protocol):
    """An endless source of inputs, which takes those with new outcomes for seeds."""

    def short(self) -> str:
        """Return a usual input."""

    def long(self) -> str:
        """Return one that shows what grows too fast."""

    def learn(self, text: str) -> None:
        """Take *text* for a seed."""


class Fuzzed(Protocol):
    """What is tried: *run* takes a text and returns a word for its outcome; whatever it raises is a finding."""

    @property
    def name(self) -> str:
        """What findings are named after."""

    def run(self, text: str, /) -> str:
        """Return a word for the outcome of *text*."""

    def mutator(self, seed: str, /) -> Source:
        """Return the source of its inputs, which depend on *seed* alone."""


@attrs.frozen
class Finding:
    """An *input*, as small as it could be made, that broke the promises of *target*."""

    target: str
    reason: str
    input: str

    def __str__(self) -> str:
        shown = repr(self.input) if len(self.input) < 500 else f"{self.input[:500]!r}... ({len(self.input)} characters)"
        return f"{self.target}: {self.reason}\n  {shown}"


class Run:
    """The inputs of one target, in an order that depends on *seed* alone."""

    def __init__(self, target: Fuzzed, seed: int) -> None:
        self.target = target
        self.inputs = 0
        self.slowest = 0.0
        self.slowest_size = 0
        self.findings: dict[str, Finding] = {}
        self._outcomes: set[str] = set()
        self._mutator = target.mutator(f"{target.name}/{seed}")

    @property
    def outcomes(self) -> int:
        """How many different outcomes there were."""
        return len(self._outcomes)

    def batch(self, count: int) -> None:
        """Try *count* more inputs."""
        self.all_of(self._texts(count))

    def all_of(self, texts: Iterable[str]) -> None:
        """Try *texts*."""
        for text in texts:
            started = time.thread_time()
            try:
                outcome = self.target.run(text)
            except Exception as error:  # noqa: BLE001 - anything that is raised is what we are looking for
                self._keep(text, _signature(error))
                continue
            finally:
                self.inputs += 1
                taken = time.thread_time() - started
                if taken > self.slowest:
                    self.slowest, self.slowest_size = taken, len(text)
                if taken > SECONDS:
                    self.findings.setdefault("slow", Finding(self.target.name, f"took {taken:.1f} s", text))
            if outcome not in self._outcomes and len(self._outcomes) < _OUTCOMES:
                self._outcomes.add(outcome)
                self._mutator.learn(text)

    def _texts(self, count: int) -> Iterator[str]:
        for number in range(count):
            yield self._mutator.long() if number % _LONG_EVERY == _LONG_EVERY - 1 else self._mutator.short()

    def _keep(self, text: str, signature: str) -> None:
        if signature not in self.findings:
            end = time.monotonic() + _SHRINKING
            small = shrunk(text, lambda shorter: time.monotonic() < end and self._signature(shorter) == signature)
            self.findings[signature] = Finding(self.target.name, signature, small)

    def _signature(self, text: str) -> str:
        try:
            self.target.run(text)
        except Exception as error:  # noqa: BLE001 - as above
            return _signature(error)
        return ""


def _signature(error: Exception) -> str:
    """Return the kind of *error* and the line that raised it, which tell one fault from another."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {place.name}:{place.lineno}: {place.line}"
