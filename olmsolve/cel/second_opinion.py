"""A second opinion on rules: what cel-python, which shares no code with olmsolve, answers.

cel-python has no static types, fails on some rules that OLM evaluates, and its parser takes exponential time on some
texts. So only rules that olmsolve has compiled are given to it, of a bounded length, in a process of its own that is
ended when an answer takes too long. Where it fails there is no opinion. The remaining differences are in
:data:`RULE_DIFFERENCES`.

The process runs this module: lines of JSON come in (questions), lines of JSON go out (answers).
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as WaitedTooLong
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from olmsolve._limits import current
from olmsolve.cel.rule import Rule
from olmsolve.errors import EvaluationError, VersionError
from olmsolve.semver import KnownDifference, Version

_LONGEST: Final = 2000
"""The longest rule that is judged, in characters."""
_LARGEST: Final = 1_000_000
"""The most characters of JSON that are given to the process at once."""
_START: Final = 30.0
"""How long the process may take to start, in seconds, beside the time for an answer."""

_WAIT: Final = 0.02
"""Seconds between two looks at the limits while the process works."""

Properties = Sequence[Mapping[str, Any]]


class RuleOpinions:
    """A process that evaluates rules with cel-python, started at the first question and ended with the context.

    An answer that takes longer than *seconds* ends the process; the next question starts another one.

    >>> from olmsolve.cel import compile
    >>> with RuleOpinions() as opinions:
    ...     opinions.of(compile('properties.exists(p, p.type == "a")'), [[{"type": "a", "value": 1}], []])
    [True, False]
    """

    def __init__(self, seconds: float = 5.0) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[str] | None = None
        self._reader = ThreadPoolExecutor(1, "opinions")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self._reader.shutdown()

    def of(self, rule: Rule, property_lists: Sequence[Properties]) -> list[bool | None]:
        """Return the answer of cel-python to *rule* on each list of properties; None where it has no opinion."""
        nothing: list[bool | None] = [None] * len(property_lists)
        if len(rule.text) > _LONGEST:
            return nothing
        question = json.dumps({"rule": rule.text, "properties": [list(listed) for listed in property_lists]})
        if len(question) > _LARGEST:
            return nothing
        answer = self._answered(question)
        if answer is None:
            return nothing
        answers: list[bool | None] = json.loads(answer)
        return answers

    def _answered(self, question: str) -> str | None:
        """Return the line that the process answers to the line *question*, None where there is none in time."""
        waiting = self._seconds
        try:
            if self._process is None or self._process.poll() is not None:
                self._process = _started()
                waiting += _START
            process = self._process
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{question}\n")
            process.stdin.flush()
            line = _awaited(self._reader.submit(process.stdout.readline), waiting)
        except (WaitedTooLong, OSError):
            self._end()
            return None
        return line or None

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()


def _awaited(answer: Future[str], seconds: float) -> str:
    """Return *answer*. Raises WaitedTooLong after *seconds*, and Incomplete if a limit is met before."""
    limits = current()
    if not limits.limited:
        return answer.result(seconds)
    until = time.monotonic() + seconds
    while True:
        limits.check()
        try:
            return answer.result(min(_WAIT, max(until - time.monotonic(), 0.0)))
        except WaitedTooLong:
            if time.monotonic() >= until:
                raise


def _started() -> subprocess.Popen[str]:
    """Start the process, with the olmsolve that runs here."""
    package = str(Path(__file__).parents[2])
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-m", "olmsolve.cel.second_opinion"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        encoding="utf-8",
    )


def rule_difference(rule: Rule, properties: Properties) -> KnownDifference | None:
    """Return the difference of :data:`RULE_DIFFERENCES` that explains a differing opinion; None if none does."""
    return next((difference for difference in RULE_DIFFERENCES if difference.applies(rule, properties)), None)


def _mentions(*texts: str) -> Callable[[Any, Any], bool]:
    return lambda rule, _: any(text in rule.text for text in texts)


def _fails(rule: Any, properties: Any) -> bool:
    try:
        rule.evaluate(properties)
    except EvaluationError:
        return True
    return False


RULE_DIFFERENCES: Final = (
    KnownDifference(
        "double-as-text",
        "cel-python writes doubles its own way: string(1.0) is '1.0' there, and '1' in OLM.",
        ('string(1.0) == "1"', "[]"),
        _mentions("string("),
    ),
    KnownDifference(
        "not-a-number",
        "cel-python finds the result of 0.0 / 0.0 equal to itself; in OLM it is equal to nothing.",
        ("0.0 / 0.0 == 0.0 / 0.0", "[]"),
        _mentions("/"),
    ),
    KnownDifference(
        "rule-that-fails",
        "A rule that compares or computes with values of different kinds, or reads a missing field, fails in OLM"
        " and so does not match; cel-python converts numbers, and passes over some failures inside macros.",
        ("properties.exists(p, p.value + 1 == 4)", '[{"type": "size", "value": 3}]'),
        _fails,
    ),
)
"""All differences between olmsolve and cel-python that are known, on rules that both evaluate."""


class _OpinionEnvironment:
    """OLM's environment in cel-python: the standard library and ``semver_compare``."""

    def __init__(self) -> None:
        import celpy

        logging.getLogger("celpy").setLevel(logging.CRITICAL)
        self._celpy: Any = celpy
        self._environment = celpy.Environment()

    def answers(self, rule: str, property_lists: list[Any]) -> list[bool | None]:
        """Return the value of *rule* on each list of properties; None where cel-python fails."""
        try:
            compiled = self._environment.compile(rule)
            runner = self._environment.program(compiled, functions={"semver_compare": self._semver_compare})
        except Exception:  # noqa: BLE001 - any failure of somebody else's parser means that there is no opinion
            return [None] * len(property_lists)
        return [self._answer(runner, properties) for properties in property_lists]

    def _answer(self, runner: Any, properties: Any) -> bool | None:
        try:
            result = runner.evaluate({"properties": self._value(properties)})
        except Exception:  # noqa: BLE001 - the same for its evaluation
            return None
        return bool(result) if isinstance(result, bool | self._celpy.celtypes.BoolType) else None

    def _value(self, value: Any) -> Any:
        """Return a JSON value as cel-python has it: every number is a double, as in OLM."""
        types = self._celpy.celtypes
        match value:
            case None:
                return None
            case bool():
                return types.BoolType(value)
            case int() | float():
                return types.DoubleType(value)
            case str():
                return types.StringType(value)
            case list():
                return types.ListType([self._value(element) for element in value])
            case _:
                return types.MapType({types.StringType(key): self._value(part) for key, part in value.items()})

    def _semver_compare(self, one: Any, other: Any) -> Any:
        try:
            first, second = (Version.parse_tolerant(str(text)) for text in (one, other))
        except VersionError as error:
            return self._celpy.CELEvalError(str(error))
        return self._celpy.celtypes.IntType((first > second) - (first < second))


def answer_questions() -> None:
    """Answer the questions on standard input until it ends."""
    answers = sys.stdout
    # Output that a library prints must not be mistaken for an answer.
    sys.stdout = sys.stderr
    environment = _OpinionEnvironment()
    for line in sys.stdin:
        question = json.loads(line)
        answers.write(json.dumps(environment.answers(question["rule"], question["properties"])) + "\n")
        answers.flush()


if __name__ == "__main__":
    answer_questions()
