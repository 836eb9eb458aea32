"""The steps from a rule's text to the function that evaluates it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from olmsolve.cel.check import check
from olmsolve.cel.closures import compile_tree
from olmsolve.cel.limits import MAX_WORK
from olmsolve.cel.parser import parse
from olmsolve.cel.shapes import shortcut
from olmsolve.cel.values import Exhausted, Failure
from olmsolve.errors import EvaluationError


def program(rule: str, shapes: bool = True) -> Callable[[Sequence[Mapping[str, Any]]], bool]:
    """Compile *rule* to a function of the properties, which raises :class:`~olmsolve.errors.EvaluationError`.

    Without *shapes* the shortcuts of :mod:`.shapes` are left out; only the speed may change.

    Raises:
        CompileError: the rule is not valid.
    """
    tree = parse(rule)
    check(rule, tree)
    closure, size = compile_tree(tree, shortcut if shapes else None)
    padding = [None] * (size - 2)

    def run(properties: Sequence[Mapping[str, Any]]) -> bool:
        listed = properties if type(properties) is list else list(properties)
        try:
            result = closure([listed, MAX_WORK, *padding])
        except Failure as failure:
            raise EvaluationError(rule, str(failure)) from None
        except Exhausted:
            raise EvaluationError(rule, f"this takes more than {MAX_WORK:,} steps") from None
        except RecursionError:
            raise EvaluationError(rule, "the rule or a property is nested too deeply") from None
        assert type(result) is bool, "the checker compiles no other rule"
        return result

    return run
