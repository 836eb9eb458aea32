"""The steps from a rule's text to the function that evaluates it, and the check between them: names, overloads, types.

The check gives the verdicts of cel-go.

OLM compiles a rule only if its type is *statically* ``bool``: it refuses ``dyn(true)`` and ``properties[0].value``.
Types are found from the leaves upwards; a type that is still open (the elements of ``[]``) is a variable, and
:class:`.static_types.Substitution` remembers what each variable turned out to be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from olmsolve.cel import static_types as t
from olmsolve.cel.closures import compile_tree
from olmsolve.cel.declarations import CONSTANTS, FUNCTIONS, MESSAGES, TYPE_NAMES, VARIABLES
from olmsolve.cel.limits import MAX_WORK
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
from olmsolve.cel.parser import parse
from olmsolve.cel.shapes import shortcut
from olmsolve.cel.values import Exhausted, Failure, Uint
from olmsolve.errors import CompileError, EvaluationError

_CONSTANTS = {
    bool: t.BOOL,
    int: t.INT,
    Uint: t.UINT,
    float: t.DOUBLE,
    str: t.STRING,
    bytes: t.BYTES,
    type(None): t.NULL,
}


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


def check(rule: str, tree: Node) -> None:
    """Raise :class:`~olmsolve.errors.CompileError` unless *tree*, made of *rule*, is a well-typed bool."""
    checker = _Checker(rule)
    try:
        result = checker.resolve(checker.type(tree))
    except t.TypeTooLarge:
        raise CompileError(rule, "the type of a part of the rule is too large") from None
    # The wrapper of a bool is no bool here, though it may stand for one elsewhere.
    if result != t.BOOL or result.is_nullable:
        raise CompileError(rule, f"a rule must be a bool, this one is {result}")


class _Checker:
    """The check of one rule; each method returns the type of a node, or raises CompileError at its position."""

    def __init__(self, rule: str) -> None:
        self._rule = rule
        self._substitution = t.Substitution()
        self._scopes: list[tuple[str, t.Type]] = []
        self._overloads_found: dict[tuple[str, bool, tuple[str, ...]], t.Type] = {}

    def resolve(self, type_: t.Type) -> t.Type:
        return self._substitution.resolve(type_, free=t.DYN)

    def type(self, node: Node) -> t.Type:
        """Return the type of *node*, perhaps with variables."""
        if isinstance(node, Literal):
            return _CONSTANTS[type(node.value)]
        if isinstance(node, Identifier):
            return self._identifier(node)
        if isinstance(node, Select):
            return self._select(node)
        if isinstance(node, Call):
            return self._call(node)
        if isinstance(node, ListLiteral):
            return t.list_of(self._common_type(node.elements))
        if isinstance(node, MapLiteral):
            return self._map(node)
        if isinstance(node, MessageLiteral):
            return self._message(node)
        return self._comprehension(node)

    def _error(self, reason: str, node: Node) -> CompileError:
        return CompileError(self._rule, reason, node.position)

    def _type_of_name(self, name: str, local: bool) -> t.Type | None:
        if local:
            for variable, type_ in reversed(self._scopes):
                if variable == name:
                    return type_
        if name in VARIABLES:
            return VARIABLES[name]
        if name in CONSTANTS:
            return _CONSTANTS[type(CONSTANTS[name])]
        if name in TYPE_NAMES:
            return t.type_of(TYPE_NAMES[name])
        return None

    def _identifier(self, node: Identifier) -> t.Type:
        type_ = self._type_of_name(node.name, local=not node.rooted)
        if type_ is None:
            raise self._error(f"{node.name!r} is not defined", node)
        return type_

    def _select(self, node: Select) -> t.Type:
        """Return the type of ``operand.field``: a map's type of values, else ``dyn``; ``bool`` for ``has``."""
        # google.protobuf.Timestamp is the name of a type before it is a field of a field.
        name = qualified_name(node)
        if name is not None:
            qualified = self._type_of_name(name, local=False)
            if qualified is not None:
                return qualified
        operand = self._substitution.resolve(self.type(node.operand))
        if operand.kind == "map":
            field = operand.parameters[1]
        elif operand.kind == "parameter":
            self._substitution.assign([t.DYN], [operand])
            field = t.DYN
        elif operand.is_dynamic:
            field = t.DYN
        else:
            raise self._error(f"a value of type {operand} has no fields", node)
        return t.BOOL if node.test else self._substitution.resolve(field)

    def _call(self, node: Call) -> t.Type:
        # Before the arguments: an unknown macro, such as existsOne(p, ...), has variables of its own.
        if node.function not in FUNCTIONS and node.function not in ("&&", "||"):
            raise self._error(f"there is no function {node.function!r}", node)
        arguments = [self.type(argument) for argument in node.arguments]
        if node.function in ("&&", "||"):
            for argument, type_ in zip(node.arguments, arguments, strict=True):
                self._require(type_, t.BOOL, argument)
            return t.BOOL
        if node.target is not None:
            arguments.insert(0, self.type(node.target))
        return self._overloaded(node.function, arguments, node.target is not None, node)

    def _overloaded(self, function: str, arguments: Sequence[t.Type], member: bool, node: Node) -> t.Type:
        if any(
            not argument_type.ground or argument_type.size > 1 or argument_type.is_nullable
            for argument_type in arguments
        ):
            return self._resolved(function, arguments, member, node)
        # Overloads are slow to try, and a long rule repeats few: on plain types, which bind no variable, the answer is
        # always the same, and is remembered (a rule of 5,000 characters is checked in 1.4 ms, not in 2.6). Not if it
        # holds a variable, which must be a new one at each call.
        key = (function, member, tuple(argument.kind for argument in arguments))
        result = self._overloads_found.get(key) or self._resolved(function, arguments, member, node)
        if result.ground:
            self._overloads_found[key] = result
        return result

    def _resolved(self, function: str, arguments: Sequence[t.Type], member: bool, node: Node) -> t.Type:
        """Return the result of the overloads that take *arguments*: ``dyn`` where their results differ."""
        result: t.Type | None = None
        for overload in FUNCTIONS[function]:
            if overload.member != member:
                continue
            fresh = {name: self._substitution.fresh() for name in overload.parameters}
            wanted = [_instance(type_, fresh) for type_ in overload.arguments]
            if not self._substitution.assign(arguments, wanted):
                continue
            result_type = self._substitution.resolve(_instance(overload.result, fresh))
            if result is None:
                result = result_type
            elif not result.is_dynamic and result != result_type:
                result = t.DYN
        if result is None:
            shown = [str(self.resolve(argument)) for argument in arguments]
            call = f"{shown[0]}.{function}({', '.join(shown[1:])})" if member else f"({', '.join(shown)})"
            subject = f"there is no {call}" if member else f"{function!r} does not take {call}"
            raise self._error(subject, node)
        return result

    def _require(self, type_: t.Type, wanted: t.Type, node: Node) -> None:
        if not self._substitution.assign([type_], [wanted]):
            raise self._error(f"this is {self.resolve(type_)} where {self.resolve(wanted)} is needed", node)

    def _common_type(self, nodes: Sequence[Node]) -> t.Type:
        """Return the common type of *nodes*: ``dyn`` if they differ, a new variable for no nodes."""
        joined: t.Type | None = None
        for node in nodes:
            type_ = self.type(node)
            if joined is None:
                joined = type_
            elif self._substitution.assign([joined], [type_]):
                joined = t.most_general(joined, type_)
            else:
                joined = t.DYN
        return self._substitution.fresh() if joined is None else joined

    def _map(self, node: MapLiteral) -> t.Type:
        keys = self._common_type([key for key, _ in node.entries])
        return t.map_of(keys, self._common_type([value for _, value in node.entries]))

    def _message(self, node: MessageLiteral) -> t.Type:
        message = MESSAGES.get(node.name)
        if message is None:
            raise self._error(f"{node.name!r} is not a type of message", node)
        for name, value in node.fields:
            given = self.type(value)
            if name not in message.fields:
                raise self._error(f"{node.name} has no field {name!r}", node)
            self._require(given, message.fields[name], value)
        return message.type

    def _comprehension(self, node: Comprehension) -> t.Type:
        """Return the type of a macro; the variable is an element of a list, or a key of a map, within its body."""
        range_ = self._substitution.resolve(self.type(node.range))
        if range_.kind in ("list", "map"):
            variable = range_.parameters[0]
        elif range_.kind in ("dyn", "parameter"):
            self._substitution.assign([t.DYN], [range_])
            variable = t.DYN
        else:
            raise self._error(f"{node.kind}() needs a list, a map or dyn, this is {range_}", node.range)
        self._scopes.append((node.variable, variable))
        result = self._body(node, variable)
        self._scopes.pop()
        return self._substitution.resolve(result)

    def _body(self, node: Comprehension, variable: t.Type) -> t.Type:
        """Return the type of the macro, by the code that cel-go expands it to: ``map`` appends to a new list."""
        if node.predicate is not None:
            self._require(self.type(node.predicate), t.BOOL, node.predicate)
        if node.kind in ("all", "exists", "exists_one"):
            return t.BOOL
        accumulator = t.list_of(self._substitution.fresh())
        element = variable if node.transform is None else self.type(node.transform)
        self._overloaded("+", [accumulator, t.list_of(element)], False, node)
        return accumulator


def _instance(type_: t.Type, fresh: dict[str, t.Type]) -> t.Type:
    """Return *type_* with each of its variables replaced by the one in *fresh*, so that calls do not share them."""
    if type_.kind == "parameter":
        return fresh[type_.name]
    if not type_.parameters:
        return type_
    return t.Type(type_.kind, tuple(_instance(part, fresh) for part in type_.parameters))
