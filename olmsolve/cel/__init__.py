"""CEL rules of ``olm.constraint`` properties: compiled once, evaluated on the properties of a bundle.

::

    rule = compile('properties.exists(p, p.type == "certified")')
    rule.evaluate([{"type": "certified", "value": True}])    # True

A rule sees one variable, ``properties``: a list of maps from string to *any*, each with ``type`` and
``value``. The verdicts are those of OLM's environment (cel-go 0.29 with the standard library,
``semver_compare``, and nothing else), except for its limits and for messages
(``google.protobuf.BoolValue{...}``), which are refused.

The language is ours from the text to the value, because celpy has neither static types nor a parser that
ends in time on every text; celpy is the second opinion in the tests. Nothing here touches the state of the
process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import attrs

from olmsolve.cel.check import check
from olmsolve.cel.closures import MAX_WORK, Closure, compile_tree
from olmsolve.cel.parser import MAX_DEPTH, MAX_LENGTH, parse
from olmsolve.cel.values import Exhausted, Failure
from olmsolve.errors import CompileError, EvaluationError

__all__ = ["MAX_DEPTH", "MAX_LENGTH", "MAX_WORK", "Rule", "compile"]


@attrs.frozen
class Rule:
    """A compiled rule. Equal, hashed and pickled by its *text*; safe to use from several threads."""

    text: str
    _closure: Closure = attrs.field(eq=False, repr=False)
    _places: int = attrs.field(eq=False, repr=False)

    def evaluate(self, properties: Sequence[Mapping[str, Any]]) -> bool:
        """Whether the rule holds on *properties*: ``{"type": str, "value": JSON value}`` each, never modified.

        Raises :class:`~olmsolve.errors.EvaluationError` where cel-go fails (a missing field, a comparison of
        different kinds, text that is not a version), and past :data:`MAX_WORK`.
        """
        frame: list[Any] = [None] * self._places
        frame[0] = properties if type(properties) is list else list(properties)
        frame[1] = MAX_WORK
        try:
            result = self._closure(frame)
        except Failure as failure:
            raise EvaluationError(self.text, str(failure)) from None
        except Exhausted:
            raise EvaluationError(self.text, f"this takes more than {MAX_WORK} steps") from None
        except RecursionError:
            raise EvaluationError(self.text, "the properties are nested too deeply") from None
        if type(result) is not bool:
            raise EvaluationError(self.text, "the result is not a bool")
        return result

    def matches(self, properties: Sequence[Mapping[str, Any]]) -> bool:
        """As :meth:`evaluate`, but False where that fails: OLM's meaning of a rule that fails on a bundle."""
        try:
            return self.evaluate(properties)
        except EvaluationError:
            return False

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return compile, (self.text,)


@lru_cache(maxsize=1024)
def compile(rule: str) -> Rule:  # noqa: A001 - the field's word, as in re.compile
    """*rule*, parsed and checked. Raises :class:`~olmsolve.errors.CompileError` with the place where known.

    The last 1,024 rules are remembered.
    """
    try:
        tree = parse(rule)
        check(rule, tree)
        closure, places = compile_tree(tree)
    except RecursionError:
        raise CompileError(rule, "the rule is nested too deeply for what is left of the stack") from None
    return Rule(rule, closure, places)
