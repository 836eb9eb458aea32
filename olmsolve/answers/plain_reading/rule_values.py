"""The values of expressions of CEL, for :mod:`.rules`: each operator, function and macro, as the specification has it.

An int is a Python int and a double a float. A number of JSON is a double.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve.answers.plain_reading.versions import PlainVersion, order

_INT64: Final = 2**63
# Expressions that RE2 and Python read alike.
_PATTERN: Final = pattern(r"\^?[\w ,:;=@#%&~/-]*(?:\.[*+]?[\w -]*)*\$?", re.ASCII)
TESTS: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "startsWith": str.startswith,
    "endsWith": str.endswith,
    "contains": str.__contains__,
    "matches": lambda text, pattern: _matches(text, pattern),
}
_OPEN: Final = ("any", "dyn")
_ORDERED: Final = frozenset({"bool", "int", "double", "string"})


class NoOpinion(Exception):  # noqa: N818 - not an error: another reader knows more of CEL
    """The rule is beyond this reader."""


class NoValue(Exception):  # noqa: N818 - CEL's errors are values of its evaluation
    """The expression has no value on these properties."""


Scope: TypeAlias = Mapping[str, Any]


@attrs.frozen
class TypedExpression:
    """An expression with its static *type*, and how to find its value.

    The type of a field of a map is "any". Where only a value decides, the type is "dyn", which is more than this reader
    says of a whole rule.
    """

    type: str
    value: Callable[[Scope], Any]

    def require_type(self, *types: str) -> TypedExpression:
        """Return the expression if its type is among *types*, or open. Raises NoOpinion."""
        if self.type not in (*types, *_OPEN):
            raise NoOpinion
        return self


def named_variable(name: str, type_: str) -> TypedExpression:
    return TypedExpression(type_, lambda scope: scope[name])


PROPERTIES: Final = (named_variable("properties", "list"),)


def number_literal(text: str) -> TypedExpression:
    value: int | float = float(text) if "." in text else int(text)
    if isinstance(value, int) and not -_INT64 <= value < _INT64:
        raise NoOpinion
    return TypedExpression("double" if isinstance(value, float) else "int", lambda _: value)


def truth_of(value: Any) -> bool:
    if not isinstance(value, bool):
        raise NoValue
    return value


def choice_of(condition: TypedExpression, yes: TypedExpression, no: TypedExpression) -> TypedExpression:
    if yes.type != no.type and yes.type not in _OPEN and no.type not in _OPEN:
        raise NoOpinion
    type_ = yes.type if yes.type == no.type else "dyn"
    return TypedExpression(type_, lambda scope: (yes if truth_of(condition.value(scope)) else no).value(scope))


def connection(one: TypedExpression, other: TypedExpression, *, decides: bool) -> TypedExpression:
    """Return ``||`` (True *decides*) or ``&&`` of two conditions; an error does not count where the other decides."""

    def value(scope: Scope) -> bool:
        failed = False
        for operand in (one, other):
            try:
                if truth_of(operand.value(scope)) is decides:
                    return decides
            except NoValue:
                failed = True
        if failed:
            raise NoValue
        return not decides

    return TypedExpression("bool", value)


def relation_of(sign: str, one: TypedExpression, other: TypedExpression) -> TypedExpression:
    is_same = one.type == other.type or one.type in _OPEN or other.type in _OPEN
    if sign == "in":
        one.require_type()
        other.require_type("list", "map")
        return TypedExpression("bool", lambda scope: _is_in(one.value(scope), other.value(scope)))
    if not is_same or (one.type in ("list", "map") and one.type == other.type):
        raise NoOpinion
    if sign in ("==", "!="):
        wanted = sign == "=="
        return TypedExpression("bool", lambda scope: _equal(one.value(scope), other.value(scope)) is wanted)
    for operand in (one, other):
        operand.require_type(*_ORDERED)
    return TypedExpression("bool", lambda scope: _compared(sign, one.value(scope), other.value(scope)))


def _kind(value: Any) -> str:
    names = {bool: "bool", int: "int", float: "double", str: "string", list: "list", dict: "map"}
    return names.get(type(value), "null")


def _is_number(value: Any) -> bool:
    return _kind(value) in ("int", "double")


def _equal(one: Any, other: Any) -> bool:
    """Return whether two values are equal; values of different types are not, but for numbers."""
    if _is_number(one) and _is_number(other):
        return bool(one == other)
    if _kind(one) != _kind(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(_equal(*pair) for pair in zip(one, other, strict=True))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_equal(content, other[name]) for name, content in one.items())
    return bool(one == other)


def _is_in(one: Any, many: Any) -> bool:
    if isinstance(many, list):
        return any(_equal(one, element) for element in many)
    if isinstance(many, dict):
        return isinstance(one, str) and one in many
    raise NoValue


def _compared(sign: str, one: Any, other: Any) -> bool:
    if not (_is_number(one) and _is_number(other)) and (_kind(one) != _kind(other) or _kind(one) not in _ORDERED):
        raise NoValue
    difference = int(one > other) - int(one < other)
    return {"<": difference < 0, "<=": difference <= 0, ">": difference > 0, ">=": difference >= 0}[sign]


def computation(sign: str, one: TypedExpression, other: TypedExpression) -> TypedExpression:
    if one.type != other.type and one.type not in _OPEN and other.type not in _OPEN:
        raise NoOpinion
    allowed = {"+": ("int", "double", "string"), "%": ("int",)}.get(sign, ("int", "double"))
    for operand in (one, other):
        operand.require_type(*allowed)
    type_ = one.type if one.type == other.type else "dyn"
    return TypedExpression(type_, lambda scope: _result(sign, one.value(scope), other.value(scope), allowed))


def _result(sign: str, one: Any, other: Any, allowed: tuple[str, ...]) -> Any:
    kind = _kind(one)
    if kind == _kind(other) == "list" and sign == "+":
        return [*one, *other]
    if kind != _kind(other) or kind not in allowed:
        raise NoValue
    result: Any
    if sign == "+":
        result = one + other
    elif sign == "-":
        result = one - other
    elif sign == "*":
        result = one * other
    elif not other:
        if kind == "double":
            raise NoOpinion
        raise NoValue
    elif kind == "double":
        result = one / other
    else:
        quotient = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
        result = quotient if sign == "/" else one - quotient * other
    if kind == "int" and not -_INT64 <= result < _INT64:
        raise NoValue
    return result


@attrs.frozen
class FieldOf:
    """The field *name* of the value of *holder*."""

    holder: TypedExpression
    name: str

    def __call__(self, scope: Scope) -> Any:
        if not self.is_there(scope):
            raise NoValue
        return self.holder.value(scope)[self.name]

    def is_there(self, scope: Scope) -> bool:
        content = self.holder.value(scope)
        if isinstance(content, list):
            raise NoValue
        return isinstance(content, dict) and self.name in content


def field_of(holder: TypedExpression, name: str) -> TypedExpression:
    return TypedExpression("any", FieldOf(holder.require_type("map"), name))


def element_of(holder: TypedExpression, place: TypedExpression) -> TypedExpression:
    holder.require_type("list", "map")
    place.require_type(*{"list": ("int",), "map": ("string",)}.get(holder.type, ("int", "string")))

    def value(scope: Scope) -> Any:
        container, at = holder.value(scope), place.value(scope)
        if isinstance(container, dict) and isinstance(at, str) and at in container:
            return container[at]
        if isinstance(container, list) and _is_number(at) and at == int(at) and 0 <= at < len(container):
            return container[int(at)]
        raise NoValue

    return TypedExpression("map" if holder in PROPERTIES else "any" if holder.type == "map" else "dyn", value)


def call_of(name: str, arguments: list[TypedExpression]) -> TypedExpression:
    if name == "dyn" and len(arguments) == 1:
        return TypedExpression("dyn", arguments[0].value)
    if name == "size" and len(arguments) == 1:
        measured = arguments[0].require_type("string", "list", "map")
        return TypedExpression("int", lambda scope: _size(measured.value(scope)))
    if name == "semver_compare" and len(arguments) == 2:
        one, other = (argument.require_type("string") for argument in arguments)
        return TypedExpression("int", lambda scope: order(_version(one.value(scope)), _version(other.value(scope))))
    if name in TESTS and len(arguments) == 2:
        text, part = (argument.require_type("string") for argument in arguments)
        return TypedExpression("bool", lambda scope: _tested(name, text.value(scope), part.value(scope)))
    raise NoOpinion


def _size(value: Any) -> int:
    if not isinstance(value, str | list | dict):
        raise NoValue
    return len(value)


def _tested(name: str, text: Any, part: Any) -> bool:
    if not (isinstance(text, str) and isinstance(part, str)):
        raise NoValue
    return TESTS[name](text, part)


def _matches(text: str, pattern: str) -> bool:
    if not _PATTERN.fullmatch(pattern):
        raise NoOpinion
    # The end in CEL is the end of the text; Python's would be before a last line feed, too.
    return re.search(pattern.removesuffix("$") + (r"\Z" if pattern.endswith("$") else ""), text) is not None


def _version(value: Any) -> PlainVersion:
    if isinstance(value, float):
        # OLM takes the number 4.12 for 4.12.0; other forms of numbers are beyond this reader.
        if not 0.001 < value < 100_000:
            raise NoOpinion
        value = repr(value).removesuffix(".0")
    version = PlainVersion.tolerant(str(value) if isinstance(value, int) and not isinstance(value, bool) else value)
    if version is None:
        raise NoValue
    return version


def comprehension(name: str, over: TypedExpression, variable: str, bodies: list[TypedExpression]) -> TypedExpression:
    *conditions, body = bodies
    if name != "map":
        body.require_type("bool")
    for condition in conditions:
        condition.require_type("bool")

    def results(scope: Scope) -> Any:
        """Yield each element with the value of the body, an error as None."""
        elements = over.value(scope)
        if not isinstance(elements, list | dict):
            raise NoValue
        for element in elements:
            inner = {**scope, variable: element}
            try:
                if all(truth_of(condition.value(inner)) for condition in conditions):
                    result = body.value(inner)
                    yield element, result if name == "map" else truth_of(result), False
            except NoValue:
                yield element, None, True

    def value(scope: Scope) -> Any:
        decisive = {"exists": True, "all": False}.get(name)
        failed = False
        results_so_far: list[Any] = []
        for element, result, is_failure in results(scope):
            failed = failed or is_failure
            if decisive is not None and not is_failure and result is decisive:
                return decisive
            results_so_far.append(result if name == "map" else element if result else _NOTHING)
        if failed:
            raise NoValue
        if decisive is not None:
            return not decisive
        kept = [result for result in results_so_far if result is not _NOTHING]
        return len(kept) == 1 if name == "exists_one" else kept

    return TypedExpression("list" if name in ("filter", "map") else "bool", value)


_NOTHING: Final = object()
