"""The process behind :class:`~olmsolve.cel.RuleOpinions`: lines of JSON in (questions), lines of JSON out (answers)."""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

from olmsolve.errors import VersionError
from olmsolve.semver import Version


class OpinionEnvironment:
    """OLM's environment in cel-python: the standard library and ``semver_compare``."""

    def __init__(self) -> None:
        import celpy

        logging.getLogger("celpy").setLevel(logging.CRITICAL)
        self._celpy: Any = celpy
        self._environment = celpy.Environment()

    def answers(self, rule: str, property_lists: list[Any]) -> list[bool | None]:
        """Return what *rule* gives on each list of properties; None where cel-python fails."""
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


def main() -> None:
    """Answer the questions on standard input until it ends."""
    answers = sys.stdout
    # What a library prints must not be taken for an answer.
    sys.stdout = sys.stderr
    environment = OpinionEnvironment()
    for line in sys.stdin:
        question = json.loads(line)
        answers.write(json.dumps(environment.answers(question["rule"], question["properties"])) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
