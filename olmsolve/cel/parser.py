"""The parser: tokens to a syntax tree, by cel-go's ``CEL.g4``, with the standard macros recognised on the way.

Some consequences of the grammar are easily overlooked: a sign belongs to a number literal only when it stands alone
(``-1`` is a literal, ``--1`` is ``1``); an even number of ``!`` or ``-`` vanishes without any check of types; ``!-x``
and ``-!x`` do not parse; the middle of a conditional cannot itself be an unparenthesised conditional.
"""

from __future__ import annotations

from typing import Final

from olmsolve.cel.lexer import LexicalError, Token, number, tokens
from olmsolve.cel.limits import MAX_DEPTH, MAX_LENGTH
from olmsolve.cel.nodes import (
    Call,
    Comprehension,
    Identifier,
    ListLiteral,
    Literal,
    MapLiteral,
    MessageLiteral,
    Node,
    Select,
    qualified_name,
)
from olmsolve.errors import CompileError

_RESERVED: Final = frozenset(
    {
        "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop",
        "package", "namespace", "return", "var", "void", "while",
    }
)  # fmt: skip
# How strongly each operator binds.
_BINARY: Final = {
    "||": 1, "&&": 2,
    "<": 3, "<=": 3, ">": 3, ">=": 3, "==": 3, "!=": 3, "in": 3,
    "+": 4, "-": 4,
    "*": 5, "/": 5, "%": 5,
}  # fmt: skip
_POSTFIX: Final = (".", "[", "{")
_LOGICAL: Final = ("||", "&&")
# Macros with a variable and a predicate; `map` may have a transform as well.
_MACROS: Final = frozenset({"all", "exists", "exists_one", "filter"})
# Variables of cel-go's own, in the code that it expands macros to.
_ACCUMULATORS: Final = ("__result__", "@result")


def parse(rule: str) -> Node:
    """Return the syntax tree of *rule*. Raises :class:`~olmsolve.errors.CompileError`."""
    if len(rule) > MAX_LENGTH:
        raise CompileError(rule, f"the rule has {len(rule)} characters, more than {MAX_LENGTH}")
    try:
        rule.encode()
        return _Parser(rule).whole()
    except UnicodeEncodeError as error:
        raise CompileError(rule, "this is half of a surrogate pair, not a character", error.start) from None
    except LexicalError as error:
        raise CompileError(rule, error.reason, error.position) from None


class _Parser:
    """The parse of one rule by recursive descent, with at most two Python frames for a level of nesting.

    Chains of operators and of conditionals are loops: a rule with a thousand ``&&`` needs no deeper stack than one.
    """

    def __init__(self, rule: str) -> None:
        self._rule = rule
        self._tokens = tokens(rule)
        self._token = next(self._tokens)
        self._depth = 0

    def whole(self) -> Node:
        node = self._expression()
        if self._token.kind != "end":
            raise self._unexpected("the end of the rule")
        return node

    # Tokens

    def _take(self) -> Token:
        token = self._token
        if token.kind != "end":
            self._token = next(self._tokens)
        return token

    def _at(self, symbol: str) -> bool:
        return self._token.kind == symbol

    def _accept(self, symbol: str) -> bool:
        if self._token.kind == symbol:
            self._token = next(self._tokens)
            return True
        return False

    def _expect(self, symbol: str) -> None:
        if not self._accept(symbol):
            raise self._unexpected(f"'{symbol}'")

    def _name(self) -> Token:
        if self._token.kind != "name":
            raise self._unexpected("a name")
        return self._take()

    def _unexpected(self, wanted: str) -> CompileError:
        unexpected = "the end of the rule" if self._token.kind == "end" else repr(self._token.text)
        return self._error(f"found {unexpected} instead of {wanted}", self._token.position)

    def _error(self, reason: str, position: int) -> CompileError:
        return CompileError(self._rule, reason, position)

    def _height(self, position: int, *parts: Node | None) -> int:
        """Return the height of a node over *parts*. Raises CompileError past the limit."""
        height = 1
        for part in parts:
            if part is not None and part.height >= height:
                height = part.height + 1
        if height > MAX_DEPTH:
            raise self._error(f"the rule is nested more than {MAX_DEPTH} levels deep", position)
        return height

    # Grammar

    def _expression(self) -> Node:
        """Parse ``binary ("?" binary ":" expression)?``, the whole of a rule or of a parenthesis."""
        self._depth += 1
        if self._depth > MAX_DEPTH + 1:
            raise self._error(f"the rule is nested more than {MAX_DEPTH} levels deep", self._token.position)
        branches: list[tuple[Node, Node, int]] = []
        node = self._binary()
        # The last branch of a conditional is again an expression: a chain is a loop here, not a recursion.
        while self._at("?"):
            position = self._take().position
            accepted = self._binary()
            self._expect(":")
            branches.append((node, accepted, position))
            node = self._binary()
        for condition, accepted, position in reversed(branches):
            height = self._height(position, condition, accepted, node)
            node = Call("?:", None, (condition, accepted, node), position, height)
        self._depth -= 1
        return node

    def _binary(self) -> Node:
        """Parse a chain of binary operators, by operator precedence with explicit stacks.

        After ``a + b * c`` the stacks are ``a b c`` and ``+ *``; ``*`` binds stronger, so it is reduced first.
        """
        operands = [self._unary()]
        operators: list[Token] = []
        while self._token.kind in _BINARY:
            operator = self._take()
            # Chains of one logical operator are kept apart, to be joined into one call.
            binding = _BINARY[operator.text] + (operator.text in _LOGICAL)
            while operators and _BINARY[operators[-1].text] >= binding:
                self._reduce(operands, operators)
            operators.append(operator)
            operands.append(self._unary())
        while operators:
            self._reduce(operands, operators)
        return operands[0]

    def _reduce(self, operands: list[Node], operators: list[Token]) -> None:
        operator = operators.pop()
        count = 2
        while operator.text in _LOGICAL and operators and operators[-1].text == operator.text:
            operator = operators.pop()
            count += 1
        arguments = tuple(operands[-count:])
        del operands[-count:]
        height = self._height(operator.position, *arguments)
        operands.append(Call(operator.text, None, arguments, operator.position, height))

    def _unary(self) -> Node:
        """Parse ``"!"* member`` or ``"-"* member``."""
        first = self._token
        if first.kind not in ("!", "-"):
            return self._member()
        count = 0
        while self._accept(first.text):
            count += 1
        if first.text == "-" and count == 1 and self._token.kind in ("int", "double"):
            return self._member(negative=True)
        node = self._member()
        if count % 2 == 0:
            return node
        function = "!" if first.text == "!" else "neg"
        return Call(function, None, (node,), first.position, self._height(first.position, node))

    def _member(self, negative: bool = False) -> Node:
        """Parse ``primary ("." name | "." name "(" ... ")" | "[" expression "]")*``."""
        named = self._token.kind in ("name", ".")
        node = self._primary(negative)
        # Only a name at the beginning, in which the dots are part of the name, can name a message.
        while self._token.kind in _POSTFIX:
            position = self._token.position
            if self._accept("."):
                if self._at("?"):
                    raise self._error("optional field selection is not available", position)
                name = self._name()
                if self._at("("):
                    node = self._method(node, name)
                else:
                    node = Select(node, name.text, position, self._height(position, node))
            elif self._accept("["):
                if self._at("?"):
                    raise self._error("optional indexing is not available", position)
                index = self._expression()
                self._expect("]")
                node = Call("[]", None, (node, index), position, self._height(position, node, index))
            else:
                message = qualified_name(node) if named else None
                if message is None:
                    break
                self._take()
                node = self._message(message, position)
        return node

    def _primary(self, negative: bool) -> Node:
        """Parse a literal, a name, a call, a parenthesis, a list or a map; *negative* is the sign before a number."""
        token = self._take()
        if token.kind == "literal":
            return Literal(token.value, token.position)
        if token.kind in ("int", "uint", "double"):
            return Literal(number(token, negative), token.position)
        if token.kind == "name":
            return self._ident_or_call(token, rooted=False)
        if token.kind == ".":
            return self._ident_or_call(self._name(), rooted=True)
        if token.kind == "(":
            node = self._expression()
            self._expect(")")
            return node
        if token.kind == "[":
            elements = self._list("]", trailing=True)
            return ListLiteral(elements, token.position, self._height(token.position, *elements))
        if token.kind == "{":
            return self._map(token.position)
        self._token = token
        raise self._unexpected("an expression")

    def _ident_or_call(self, name: Token, rooted: bool) -> Node:
        if name.text in _RESERVED:
            raise self._error(f"{name.text!r} is a reserved word", name.position)
        if not self._at("("):
            return Identifier(name.text, name.position, rooted)
        position = self._take().position
        arguments = self._list(")")
        if name.text == "has" and len(arguments) == 1 and not rooted:
            return self._has(arguments[0], position)
        return Call(name.text, None, arguments, position, self._height(position, *arguments))

    def _has(self, argument: Node, position: int) -> Node:
        if not isinstance(argument, Select) or argument.test:
            raise self._error("has() needs a field selection such as has(p.value.name)", position)
        return Select(argument.operand, argument.field, position, argument.height, test=True)

    def _method(self, target: Node, name: Token) -> Node:
        """Parse the arguments of ``target.name(``; the name and number of arguments of a macro make a comprehension."""
        position = self._take().position
        arguments = self._list(")")
        height = self._height(position, target, *arguments)
        if name.text in _MACROS and len(arguments) == 2:
            variable = self._variable(arguments[0])
            return Comprehension(name.text, target, variable, arguments[1], None, position, height)
        if name.text == "map" and len(arguments) in (2, 3):
            variable = self._variable(arguments[0])
            predicate = arguments[1] if len(arguments) == 3 else None
            return Comprehension("map", target, variable, predicate, arguments[-1], position, height)
        return Call(name.text, target, arguments, position, height)

    def _variable(self, node: Node) -> str:
        if not isinstance(node, Identifier):
            raise self._error("the first argument must be a simple name", node.position)
        if node.name in _ACCUMULATORS:
            raise self._error(f"{node.name!r} cannot be a variable", node.position)
        # cel-go takes `.p` too, a variable that nothing can refer to.
        return f".{node.name}" if node.rooted else node.name

    def _list(self, end: str, trailing: bool = False) -> tuple[Node, ...]:
        """Parse expressions up to *end*; a comma may come last if *trailing*."""
        elements: list[Node] = []
        if trailing and self._at(","):
            # The grammar's `exprList? ','?` takes a comma alone.
            self._take()
            self._expect(end)
            return ()
        while not self._at(end):
            elements.append(self._expression())
            if not self._accept(","):
                break
            if self._at(end) and not trailing:
                raise self._unexpected("an expression")
        self._expect(end)
        return tuple(elements)

    def _message(self, name: str, position: int) -> Node:
        """Parse the fields of a message and its closing brace; a comma may come last."""
        fields: list[tuple[str, Node]] = []
        if self._at(","):
            self._take()
        else:
            while not self._at("}"):
                field = self._name().text
                self._expect(":")
                fields.append((field, self._expression()))
                if not self._accept(","):
                    break
        self._expect("}")
        return MessageLiteral(name, tuple(fields), position, self._height(position, *(value for _, value in fields)))

    def _map(self, position: int) -> Node:
        """Parse the entries of a map and its closing brace; a comma may come last."""
        entries: list[tuple[Node, Node]] = []
        if self._at(","):
            self._take()
        else:
            while not self._at("}"):
                key = self._expression()
                self._expect(":")
                entries.append((key, self._expression()))
                if not self._accept(","):
                    break
        self._expect("}")
        height = self._height(position, *(part for entry in entries for part in entry))
        return MapLiteral(tuple(entries), position, height)
