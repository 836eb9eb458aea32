"""The part of CEL that catalogs use, walked as a tree: after the language definition of the CEL specification.

It has literals of text and numbers, lists and maps, fields and indexes, operators, ``has``, ``size``, the tests on
text, ``semver_compare``, ``dyn``, and the macros ``exists``, ``all``, ``exists_one``, ``filter`` and ``map``. All else,
and every expression that a type checker might refuse, is :class:`NoOpinion`.

A number of JSON is a double. An int is a Python int and a double a float; a uint is beyond this reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import attrs

from olmsolve.answers.plain_reading.versions import PlainVersion, order

Properties: TypeAlias = Sequence[Mapping[str, Any]]
"""The properties of a bundle: ``[{"type": str, "value": JSON value}, ...]``."""

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<number>\d+(?:\.\d+)?(?![\w.]))|(?P<text>"[^"\\\n\r]*"|'[^'\\\n\r]*')|(?P<name>[A-Za-z_]\w*)"""
    r"""|(?P<sign>&&|\|\||[=!<>]=|[-!<>+*/%?:.,()\[\]{}]))""",
    re.ASCII,
)
_LONGEST: Final = 4_000
_DEEPEST: Final = 40
_INT64: Final = 2**63
# What RE2 and Python's expressions read alike.
_PATTERN: Final = re.compile(r"\^?[\w ,:;=@#%&~/-]*(?:\.[*+]?[\w -]*)*\$?", re.ASCII)
_RESERVED: Final = frozenset(
    (
        *("as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package"),
        *("namespace", "return", "var", "void", "while"),
    )
)
_MACROS: Final = frozenset({"exists", "all", "exists_one", "filter", "map"})
_TESTS: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "startsWith": str.startswith,
    "endsWith": str.endswith,
    "contains": str.__contains__,
    "matches": lambda text, pattern: _matches(text, pattern),
}
_METHODS: Final = frozenset({*_TESTS, "size"})
_FUNCTIONS: Final = frozenset({"dyn", "matches", "semver_compare", "size"})
_RELATIONS: Final = ("==", "!=", "<=", ">=", "<", ">", "in")
_OPEN: Final = ("any", "dyn")
_ORDERED: Final = frozenset({"bool", "int", "double", "string"})


class NoOpinion(Exception):  # noqa: N818 - not an error: another reader knows more of CEL
    """The rule is beyond this reader."""


class _NoValue(Exception):  # noqa: N818 - CEL's errors are values of its evaluation
    """The expression has no value on these properties."""


_Scope: TypeAlias = Mapping[str, Any]


@attrs.frozen
class _Expression:
    """An expression with its static *type*, and how to find its value.

    The type of a field of a map is "any". Where only a value tells, the type is "dyn", which is more than this reader
    says of a whole rule.
    """

    type: str
    value: Callable[[_Scope], Any]

    def of(self, *types: str) -> _Expression:
        """Return the expression if its type is among *types*, or open. Raises NoOpinion."""
        if self.type not in (*types, *_OPEN):
            raise NoOpinion
        return self


class PlainRule:
    """A rule that :class:`_RuleParser` can read.

    Raises:
        NoOpinion: the text is beyond this reader.
    """

    def __init__(self, text: str) -> None:
        self._root = _RuleParser(text).rule()
        if self._root.type == "dyn":
            raise NoOpinion

    @property
    def is_condition(self) -> bool:
        """Whether the rule is a condition; OLM refuses one whose type is not bool."""
        return self._root.type == "bool"

    def outcome(self, properties: Properties) -> bool | None:
        """Return the value of the rule on *properties*, None where it has none. Raises NoOpinion."""
        scope = {"properties": [{"type": each["type"], "value": _json(each["value"])} for each in properties]}
        try:
            found = self._root.value(scope)
        except _NoValue:
            return None
        return found if isinstance(found, bool) else None


def _json(value: Any) -> Any:
    """Return a JSON value as CEL sees it: numbers are doubles."""
    if isinstance(value, Mapping):
        return {name: _json(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_json(each) for each in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


class _RuleParser:
    """A parser by recursive descent over the grammar of the specification, from the loosest operator down."""

    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST:
            raise NoOpinion
        self._tokens: list[tuple[str, str]] = []
        place = 0
        text = text.rstrip(" \t\r\n\f")
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise NoOpinion
            self._tokens.append((str(match.lastgroup), match[str(match.lastgroup)]))
            place = match.end()
        self._next = 0
        self._depth = 0
        self._variables: list[tuple[str, str]] = [("properties", "list")]

    def rule(self) -> _Expression:
        found = self._expression()
        if self._next < len(self._tokens):
            raise NoOpinion
        return found

    def _take(self, *wanted: str) -> str:
        """Return the next token if it is one of the signs or words *wanted*, and step over it; "" if not."""
        if self._next < len(self._tokens):
            kind, text = self._tokens[self._next]
            if kind in ("sign", "name") and text in wanted:
                self._next += 1
                return text
        return ""

    def _need(self, sign: str) -> None:
        if not self._take(sign):
            raise NoOpinion

    def _name(self) -> str:
        kind, text = self._tokens[self._next] if self._next < len(self._tokens) else ("", "")
        if kind != "name" or text in _RESERVED or text in ("true", "false", "null", "in"):
            raise NoOpinion
        self._next += 1
        return text

    def _expression(self) -> _Expression:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NoOpinion
        condition = self._either()
        if self._take("?"):
            yes = self._either()
            self._need(":")
            no = self._expression()
            condition = _choice(condition.of("bool"), yes, no)
        self._depth -= 1
        return condition

    def _either(self) -> _Expression:
        found = self._both()
        while self._take("||"):
            found = _connected(found.of("bool"), self._both().of("bool"), decides=True)
        return found

    def _both(self) -> _Expression:
        found = self._relation()
        while self._take("&&"):
            found = _connected(found.of("bool"), self._relation().of("bool"), decides=False)
        return found

    def _relation(self) -> _Expression:
        found = self._sum()
        while sign := self._take(*_RELATIONS):
            found = _related(sign, found, self._sum())
        return found

    def _sum(self) -> _Expression:
        found = self._product()
        while sign := self._take("+", "-"):
            found = _computed(sign, found, self._product())
        return found

    def _product(self) -> _Expression:
        found = self._unary()
        while sign := self._take("*", "/", "%"):
            found = _computed(sign, found, self._unary())
        return found

    def _unary(self) -> _Expression:
        if self._take("!"):
            inner = self._unary().of("bool")
            return _Expression("bool", lambda scope: not _truth(inner.value(scope)))
        if self._take("-"):
            kind, text = self._tokens[self._next] if self._next < len(self._tokens) else ("", "")
            if kind != "number":
                raise NoOpinion
            self._next += 1
            return _number(f"-{text}")
        return self._member()

    def _member(self) -> _Expression:
        found = self._primary()
        while sign := self._take(".", "["):
            if sign == "[":
                place = self._expression()
                self._need("]")
                found = _indexed(found, place)
                continue
            name = self._name()
            if not self._take("("):
                found = _selected(found, name)
            elif name in _MACROS:
                found = self._macro(name, found)
            elif name in _METHODS:
                found = _called(name, [found, *self._arguments(")")])
            else:
                raise NoOpinion
        return found

    def _macro(self, name: str, over: _Expression) -> _Expression:
        """Read the variable and the body of a macro behind its bracket."""
        variable = self._name()
        self._need(",")
        # The elements of properties are maps; what other lists hold only their values tell.
        self._variables.append((variable, "map" if over.type == "list" and over in _PROPERTIES else "dyn"))
        bodies = [self._expression()]
        while self._take(","):
            bodies.append(self._expression())
        self._need(")")
        self._variables.pop()
        if len(bodies) > (2 if name == "map" else 1):
            raise NoOpinion
        if over.type not in ("list", "map"):
            raise NoOpinion
        return _comprehension(name, over, variable, bodies)

    def _arguments(self, end: str) -> list[_Expression]:
        found: list[_Expression] = []
        while not self._take(end):
            if found:
                self._need(",")
            found.append(self._expression())
        return found

    def _primary(self) -> _Expression:
        if self._take("("):
            found = self._expression()
            self._need(")")
            return found
        if self._take("["):
            parts = self._arguments("]")
            return _Expression("list", lambda scope: [each.value(scope) for each in parts])
        if self._take("{"):
            return self._map()
        if word := self._take("true", "false", "null"):
            value = {"true": True, "false": False, "null": None}[word]
            return _Expression("null" if value is None else "bool", lambda _: value)
        kind, text = self._tokens[self._next] if self._next < len(self._tokens) else ("", "")
        if kind == "number":
            self._next += 1
            return _number(text)
        if kind == "text":
            self._next += 1
            return _Expression("string", lambda _: text[1:-1])
        name = self._name()
        if self._take("("):
            if name == "has":
                return self._has()
            if name not in _FUNCTIONS:
                raise NoOpinion
            return _called(name, self._arguments(")"))
        known = [type_ for variable, type_ in self._variables if variable == name]
        if not known:
            raise NoOpinion
        return _PROPERTIES[0] if name == "properties" and len(known) == 1 else _variable(name, known[-1])

    def _has(self) -> _Expression:
        found = self._member()
        self._need(")")
        if not isinstance(found.value, _FieldOf):
            raise NoOpinion
        return _Expression("bool", found.value.is_there)

    def _map(self) -> _Expression:
        pairs: list[tuple[_Expression, _Expression]] = []
        while not self._take("}"):
            if pairs:
                self._need(",")
            key = self._expression()
            if key.type != "string":
                raise NoOpinion
            self._need(":")
            pairs.append((key, self._expression()))

        def value(scope: _Scope) -> dict[str, Any]:
            found = {key.value(scope): each.value(scope) for key, each in pairs}
            if len(found) < len(pairs):
                raise NoOpinion
            return found

        return _Expression("map", value)


def _variable(name: str, type_: str) -> _Expression:
    return _Expression(type_, lambda scope: scope[name])


_PROPERTIES: Final = (_variable("properties", "list"),)


def _number(text: str) -> _Expression:
    value: int | float = float(text) if "." in text else int(text)
    if isinstance(value, int) and not -_INT64 <= value < _INT64:
        raise NoOpinion
    return _Expression("double" if isinstance(value, float) else "int", lambda _: value)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _NoValue
    return value


def _choice(condition: _Expression, yes: _Expression, no: _Expression) -> _Expression:
    if yes.type != no.type and yes.type not in _OPEN and no.type not in _OPEN:
        raise NoOpinion
    type_ = yes.type if yes.type == no.type else "dyn"
    return _Expression(type_, lambda scope: (yes if _truth(condition.value(scope)) else no).value(scope))


def _connected(one: _Expression, other: _Expression, *, decides: bool) -> _Expression:
    """Return ``||`` (True *decides*) or ``&&`` of two conditions; an error does not count where the other decides."""

    def value(scope: _Scope) -> bool:
        failed = False
        for each in (one, other):
            try:
                if _truth(each.value(scope)) is decides:
                    return decides
            except _NoValue:
                failed = True
        if failed:
            raise _NoValue
        return not decides

    return _Expression("bool", value)


def _related(sign: str, one: _Expression, other: _Expression) -> _Expression:
    is_same = one.type == other.type or one.type in _OPEN or other.type in _OPEN
    if sign == "in":
        one.of()
        other.of("list", "map")
        return _Expression("bool", lambda scope: _is_in(one.value(scope), other.value(scope)))
    if not is_same or (one.type in ("list", "map") and one.type == other.type):
        raise NoOpinion
    if sign in ("==", "!="):
        wanted = sign == "=="
        return _Expression("bool", lambda scope: _equal(one.value(scope), other.value(scope)) is wanted)
    for each in (one, other):
        each.of(*_ORDERED)
    return _Expression("bool", lambda scope: _compared(sign, one.value(scope), other.value(scope)))


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
        return one.keys() == other.keys() and all(_equal(each, other[name]) for name, each in one.items())
    return bool(one == other)


def _is_in(one: Any, many: Any) -> bool:
    if isinstance(many, list):
        return any(_equal(one, each) for each in many)
    if isinstance(many, dict):
        return isinstance(one, str) and one in many
    raise _NoValue


def _compared(sign: str, one: Any, other: Any) -> bool:
    if not (_is_number(one) and _is_number(other)) and (_kind(one) != _kind(other) or _kind(one) not in _ORDERED):
        raise _NoValue
    found = int(one > other) - int(one < other)
    return {"<": found < 0, "<=": found <= 0, ">": found > 0, ">=": found >= 0}[sign]


def _computed(sign: str, one: _Expression, other: _Expression) -> _Expression:
    if one.type != other.type and one.type not in _OPEN and other.type not in _OPEN:
        raise NoOpinion
    allowed = {"+": ("int", "double", "string"), "%": ("int",)}.get(sign, ("int", "double"))
    for each in (one, other):
        each.of(*allowed)
    type_ = one.type if one.type == other.type else "dyn"
    return _Expression(type_, lambda scope: _result(sign, one.value(scope), other.value(scope), allowed))


def _result(sign: str, one: Any, other: Any, allowed: tuple[str, ...]) -> Any:
    kind = _kind(one)
    if kind == _kind(other) == "list" and sign == "+":
        return [*one, *other]
    if kind != _kind(other) or kind not in allowed:
        raise _NoValue
    found: Any
    if sign == "+":
        found = one + other
    elif sign == "-":
        found = one - other
    elif sign == "*":
        found = one * other
    elif not other:
        if kind == "double":
            raise NoOpinion
        raise _NoValue
    elif kind == "double":
        found = one / other
    else:
        quotient = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
        found = quotient if sign == "/" else one - quotient * other
    if kind == "int" and not -_INT64 <= found < _INT64:
        raise _NoValue
    return found


@attrs.frozen
class _FieldOf:
    """The field *name* of the value of *holder*."""

    holder: _Expression
    name: str

    def __call__(self, scope: _Scope) -> Any:
        if not self.is_there(scope):
            raise _NoValue
        return self.holder.value(scope)[self.name]

    def is_there(self, scope: _Scope) -> bool:
        found = self.holder.value(scope)
        if isinstance(found, list):
            raise _NoValue
        return isinstance(found, dict) and self.name in found


def _selected(holder: _Expression, name: str) -> _Expression:
    return _Expression("any", _FieldOf(holder.of("map"), name))


def _indexed(holder: _Expression, place: _Expression) -> _Expression:
    holder.of("list", "map")
    place.of(*{"list": ("int",), "map": ("string",)}.get(holder.type, ("int", "string")))

    def value(scope: _Scope) -> Any:
        found, at = holder.value(scope), place.value(scope)
        if isinstance(found, dict) and isinstance(at, str) and at in found:
            return found[at]
        if isinstance(found, list) and _is_number(at) and at == int(at) and 0 <= at < len(found):
            return found[int(at)]
        raise _NoValue

    return _Expression("map" if holder in _PROPERTIES else "any" if holder.type == "map" else "dyn", value)


def _called(name: str, arguments: list[_Expression]) -> _Expression:
    if name == "dyn" and len(arguments) == 1:
        return _Expression("dyn", arguments[0].value)
    if name == "size" and len(arguments) == 1:
        measured = arguments[0].of("string", "list", "map")
        return _Expression("int", lambda scope: _size(measured.value(scope)))
    if name == "semver_compare" and len(arguments) == 2:
        one, other = (each.of("string") for each in arguments)
        return _Expression("int", lambda scope: order(_version(one.value(scope)), _version(other.value(scope))))
    if name in _TESTS and len(arguments) == 2:
        text, part = (each.of("string") for each in arguments)
        return _Expression("bool", lambda scope: _tested(name, text.value(scope), part.value(scope)))
    raise NoOpinion


def _size(value: Any) -> int:
    if not isinstance(value, str | list | dict):
        raise _NoValue
    return len(value)


def _tested(name: str, text: Any, part: Any) -> bool:
    if not (isinstance(text, str) and isinstance(part, str)):
        raise _NoValue
    return _TESTS[name](text, part)


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
    found = PlainVersion.tolerant(str(value) if isinstance(value, int) and not isinstance(value, bool) else value)
    if found is None:
        raise _NoValue
    return found


def _comprehension(name: str, over: _Expression, variable: str, bodies: list[_Expression]) -> _Expression:
    *conditions, body = bodies
    if name != "map":
        body.of("bool")
    for each in conditions:
        each.of("bool")

    def results(scope: _Scope) -> Any:
        """Yield each element with the value of the body, an error as None."""
        elements = over.value(scope)
        if not isinstance(elements, list | dict):
            raise _NoValue
        for element in elements:
            inner = {**scope, variable: element}
            try:
                if all(_truth(each.value(inner)) for each in conditions):
                    found = body.value(inner)
                    yield element, found if name == "map" else _truth(found), False
            except _NoValue:
                yield element, None, True

    def value(scope: _Scope) -> Any:
        decisive = {"exists": True, "all": False}.get(name)
        failed = False
        found: list[Any] = []
        for element, result, is_failure in results(scope):
            failed = failed or is_failure
            if decisive is not None and not is_failure and result is decisive:
                return decisive
            found.append(result if name == "map" else element if result else _NOTHING)
        if failed:
            raise _NoValue
        if decisive is not None:
            return not decisive
        kept = [each for each in found if each is not _NOTHING]
        return len(kept) == 1 if name == "exists_one" else kept

    return _Expression("list" if name in ("filter", "map") else "bool", value)


_NOTHING: Final = object()
