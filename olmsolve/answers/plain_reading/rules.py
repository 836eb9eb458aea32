"""The part of CEL that catalogs use, walked as a tree: after the language definition of the CEL specification.

It has literals of text and numbers, lists and maps, fields and indexes, operators, ``has``, ``size``, the tests on
text, ``semver_compare``, ``dyn``, and the macros ``exists``, ``all``, ``exists_one``, ``filter`` and ``map``. All else,
and every expression that a type checker might refuse, is :class:`NoOpinion`.

A number of JSON is a double. An int is a Python int and a double a float; a uint is beyond this reader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from olmsolve._patterns import pattern
from olmsolve.answers.plain_reading.rule_values import (
    PROPERTIES,
    TESTS,
    FieldOf,
    NoOpinion,
    NoValue,
    Scope,
    TypedExpression,
    call_of,
    choice_of,
    comprehension,
    computation,
    connection,
    element_of,
    field_of,
    named_variable,
    number_literal,
    relation_of,
    truth_of,
)

Properties: TypeAlias = Sequence[Mapping[str, Any]]
"""The properties of a bundle: ``[{"type": str, "value": JSON value}, ...]``."""

_TOKEN: Final = pattern(
    r"""\s*(?:(?P<number>\d+(?:\.\d+)?(?![\w.]))|(?P<text>"[^"\\\n\r]*"|'[^'\\\n\r]*')|(?P<name>[A-Za-z_]\w*)"""
    r"""|(?P<sign>&&|\|\||[=!<>]=|[-!<>+*/%?:.,()\[\]{}]))""",
    re.ASCII,
)
# Longer rules (in characters) and deeper brackets, each of which takes some nested calls, get no opinion: strangers may
# write them.
_LONGEST: Final = 4_000
_DEEPEST: Final = 40
_RESERVED: Final = frozenset(
    (
        *("as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package"),
        *("namespace", "return", "var", "void", "while"),
    )
)
_MACROS: Final = frozenset({"exists", "all", "exists_one", "filter", "map"})
_METHODS: Final = frozenset({*TESTS, "size"})
_FUNCTIONS: Final = frozenset({"dyn", "matches", "semver_compare", "size"})
_RELATIONS: Final = ("==", "!=", "<=", ">=", "<", ">", "in")


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
        scope = {
            "properties": [{"type": property_["type"], "value": _json(property_["value"])} for property_ in properties]
        }
        try:
            result = self._root.value(scope)
        except NoValue:
            return None
        return result if isinstance(result, bool) else None


def _json(value: Any) -> Any:
    """Return a JSON value as CEL sees it: numbers are doubles."""
    if isinstance(value, Mapping):
        return {name: _json(content) for name, content in value.items()}
    if isinstance(value, list | tuple):
        return [_json(element) for element in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


class _RuleParser:
    """A parser by recursive descent over the grammar of the specification, from the loosest operator down."""

    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST:
            raise NoOpinion
        self._tokens: list[tuple[str, str]] = []
        position = 0
        text = text.rstrip(" \t\r\n\f")
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                raise NoOpinion
            self._tokens.append((str(match.lastgroup), match[str(match.lastgroup)]))
            position = match.end()
        self._next = 0
        self._depth = 0
        self._variables: list[tuple[str, str]] = [("properties", "list")]

    def rule(self) -> TypedExpression:
        expression = self._expression()
        if self._next < len(self._tokens):
            raise NoOpinion
        return expression

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

    def _expression(self) -> TypedExpression:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NoOpinion
        condition = self._disjunction()
        if self._take("?"):
            yes = self._disjunction()
            self._need(":")
            no = self._expression()
            condition = choice_of(condition.require_type("bool"), yes, no)
        self._depth -= 1
        return condition

    def _disjunction(self) -> TypedExpression:
        left_side = self._conjunction()
        while self._take("||"):
            left_side = connection(
                left_side.require_type("bool"), self._conjunction().require_type("bool"), decides=True
            )
        return left_side

    def _conjunction(self) -> TypedExpression:
        left_side = self._relation()
        while self._take("&&"):
            left_side = connection(left_side.require_type("bool"), self._relation().require_type("bool"), decides=False)
        return left_side

    def _relation(self) -> TypedExpression:
        left_side = self._sum()
        while sign := self._take(*_RELATIONS):
            left_side = relation_of(sign, left_side, self._sum())
        return left_side

    def _sum(self) -> TypedExpression:
        left_side = self._product()
        while sign := self._take("+", "-"):
            left_side = computation(sign, left_side, self._product())
        return left_side

    def _product(self) -> TypedExpression:
        left_side = self._unary()
        while sign := self._take("*", "/", "%"):
            left_side = computation(sign, left_side, self._unary())
        return left_side

    def _unary(self) -> TypedExpression:
        if self._take("!"):
            inner = self._unary().require_type("bool")
            return TypedExpression("bool", lambda scope: not truth_of(inner.value(scope)))
        if self._take("-"):
            kind, text = self._tokens[self._next] if self._next < len(self._tokens) else ("", "")
            if kind != "number":
                raise NoOpinion
            self._next += 1
            return number_literal(f"-{text}")
        return self._member()

    def _member(self) -> TypedExpression:
        expression = self._primary()
        while sign := self._take(".", "["):
            if sign == "[":
                element_index = self._expression()
                self._need("]")
                expression = element_of(expression, element_index)
                continue
            name = self._name()
            if not self._take("("):
                expression = field_of(expression, name)
            elif name in _MACROS:
                expression = self._macro(name, expression)
            elif name in _METHODS:
                expression = call_of(name, [expression, *self._arguments(")")])
            else:
                raise NoOpinion
        return expression

    def _macro(self, name: str, over: TypedExpression) -> TypedExpression:
        """Read the variable and the body of a macro after its bracket."""
        variable = self._name()
        self._need(",")
        # The elements of properties are maps; what other lists hold only their values tell.
        self._variables.append((variable, "map" if over.type == "list" and over in PROPERTIES else "dyn"))
        bodies = [self._expression()]
        while self._take(","):
            bodies.append(self._expression())
        self._need(")")
        self._variables.pop()
        if len(bodies) > (2 if name == "map" else 1):
            raise NoOpinion
        if over.type not in ("list", "map"):
            raise NoOpinion
        return comprehension(name, over, variable, bodies)

    def _arguments(self, end: str) -> list[TypedExpression]:
        arguments: list[TypedExpression] = []
        while not self._take(end):
            if arguments:
                self._need(",")
            arguments.append(self._expression())
        return arguments

    def _primary(self) -> TypedExpression:
        if self._take("("):
            expression = self._expression()
            self._need(")")
            return expression
        if self._take("["):
            parts = self._arguments("]")
            return TypedExpression("list", lambda scope: [part.value(scope) for part in parts])
        if self._take("{"):
            return self._map()
        if word := self._take("true", "false", "null"):
            value = {"true": True, "false": False, "null": None}[word]
            return TypedExpression("null" if value is None else "bool", lambda _: value)
        kind, text = self._tokens[self._next] if self._next < len(self._tokens) else ("", "")
        if kind == "number":
            self._next += 1
            return number_literal(text)
        if kind == "text":
            self._next += 1
            return TypedExpression("string", lambda _: text[1:-1])
        name = self._name()
        if self._take("("):
            if name == "has":
                return self._has()
            if name not in _FUNCTIONS:
                raise NoOpinion
            return call_of(name, self._arguments(")"))
        types = [type_ for variable, type_ in self._variables if variable == name]
        if not types:
            raise NoOpinion
        return PROPERTIES[0] if name == "properties" and len(types) == 1 else named_variable(name, types[-1])

    def _has(self) -> TypedExpression:
        member = self._member()
        self._need(")")
        if not isinstance(member.value, FieldOf):
            raise NoOpinion
        return TypedExpression("bool", member.value.is_there)

    def _map(self) -> TypedExpression:
        pairs: list[tuple[TypedExpression, TypedExpression]] = []
        while not self._take("}"):
            if pairs:
                self._need(",")
            key = self._expression()
            if key.type != "string":
                raise NoOpinion
            self._need(":")
            pairs.append((key, self._expression()))

        def value(scope: Scope) -> dict[str, Any]:
            mapping = {key.value(scope): content.value(scope) for key, content in pairs}
            if len(mapping) < len(pairs):
                raise NoOpinion
            return mapping

        return TypedExpression("map", value)
