"""Mutants of a module: each has one small fault, of the kinds that people make."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Final

import attrs

__all__ = ["Mutant", "mutants_of", "mutated", "statements"]

_COMPARED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COMPUTED: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
_SYMBOLS: Final[dict[type[ast.AST], str]] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
# How values are made and shown, what is remembered, and how often limits are looked at: declarations, as annotations
# are. ``strict`` of zip asserts.
_DECLARED: Final = frozenset({"kw_only", "repr", "init", "maxsize", "cache_hash", "strict", "every"})


@attrs.frozen
class Mutant:
    """The fault *number* of a module: what changes in *line* (from *column* on, which is 0 for the first), in words.

    *kind* names the change alone, without the expression around it: ``< -> <=``. It is in the statement of this number
    (see ``statements``), and either *runs_later*, when the function around that statement is called, or while the
    module is imported.
    """

    module: str
    number: int
    line: int
    column: int
    change: str
    kind: str
    statement: int
    runs_later: bool

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.change}"


def mutants_of(module: str, source: str) -> tuple[Mutant, ...]:
    """Return all mutants of *module* with this *source*, in the order of its lines."""
    tree = ast.parse(source)
    numbers = {statement: number for number, statement in enumerate(statements(tree))}
    later = {
        statement
        for function in numbers
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in function.body
        for statement in statements(child)
    }
    return tuple(
        Mutant(
            module,
            number,
            getattr(node, "lineno", 0),
            getattr(node, "col_offset", 0),
            change,
            _kind(node, replacement),
            numbers[statement],
            statement in later,
        )
        for number, (node, statement, change, replacement) in enumerate(_faults(tree))
    )


def statements(tree: ast.AST) -> list[ast.stmt]:
    """Return all statements of *tree*, in an order that depends on the source alone.

    Expressions are passed over: they are most of a tree, and hold no statement.
    """
    pending: list[ast.AST] = [tree]
    for node in pending:
        for block in ("body", "handlers", "cases", "orelse", "finalbody"):
            pending.extend(getattr(node, block, ()))
    return [node for node in pending if isinstance(node, ast.stmt)]


def mutated(source: str, number: int) -> ast.Module:
    """Return the tree of *source* with the fault *number*."""
    tree = ast.parse(source)
    for position, (node, _, _, replacement) in enumerate(_faults(tree)):
        if position == number:
            _replace(tree, node, replacement)
            return ast.fix_missing_locations(tree)
    raise IndexError(number)


def _faults(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.stmt, str, ast.AST]]:
    """Yield each node that can be wrong, its statement, what is wrong then, and the node in its place."""
    for node, statement in _code(tree, None):
        for change, replacement in _wrong(node):
            yield node, statement, change, ast.copy_location(replacement, node)


def _code(node: ast.AST, statement: ast.stmt | None) -> Iterator[tuple[ast.AST, ast.stmt]]:
    """Yield the nodes below *node* that run, each with its statement; *statement* is that of *node*.

    Annotations, decorators, declarations, assertions and code for type checkers alone are left out.
    """
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_left_out(child):
                its_statement = child if isinstance(child, ast.stmt) else statement
                assert its_statement is not None, "a module consists of statements"
                yield child, its_statement
                yield from _code(child, its_statement)


def _is_left_out(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.keyword) and node.arg in _DECLARED:
        return True
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _wrong(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Compare(ops=[operator, *_]) if type(operator) in _COMPARED:
            yield _changed(node, ops=[_COMPARED[type(operator)](), *node.ops[1:]])
        case ast.BoolOp():
            yield _changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not()):
            yield f"{ast.unparse(node)} -> {ast.unparse(node.operand)}", node.operand
        case ast.BinOp() if type(node.op) in _COMPUTED and not _is_text(node):
            yield _changed(node, op=_COMPUTED[type(node.op)]())
        case ast.AugAssign() if type(node.op) in _COMPUTED:
            yield _changed(node, op=_COMPUTED[type(node.op)]())
        case ast.Constant(value=bool() as value):
            yield f"{value} -> {not value}", ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield f"{value} -> {value + 1}", ast.Constant(value + 1)
        case ast.Return(value=ast.expr() as value) if not _is_plain(value):
            yield f"{_short(node)} -> return None", ast.Return(ast.Constant(None))
        case ast.Continue():
            yield "continue -> break", ast.Break()
        case ast.Break():
            yield "break -> continue", ast.Continue()
        case ast.Expr(value=ast.Call()):
            yield f"{_short(node)} left out", ast.Pass()
        case ast.If():
            yield f"if {_short(node.test)} -> if False", _with(node, test=ast.Constant(False))


def _kind(node: ast.AST, replacement: ast.AST) -> str:
    """Return what becomes of *node*, by its operator, constant or call alone."""
    match node, replacement:
        case ast.Compare(), ast.Compare():
            return f"{_SYMBOLS[type(node.ops[0])]} -> {_SYMBOLS[type(replacement.ops[0])]}"
        case ast.BoolOp(), _:
            return "and -> or" if isinstance(node.op, ast.And) else "or -> and"
        case ast.UnaryOp(), _:
            return "not left out"
        case ast.BinOp(), ast.BinOp():
            return f"{_SYMBOLS[type(node.op)]} -> {_SYMBOLS[type(replacement.op)]}"
        case ast.AugAssign(), ast.AugAssign():
            return f"{_SYMBOLS[type(node.op)]}= -> {_SYMBOLS[type(replacement.op)]}="
        case ast.Constant(), ast.Constant():
            return f"{node.value!r} -> {replacement.value!r}"
        case ast.Expr(value=ast.Call(func=function)), _:
            return f"{function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)}() left out"
        case ast.Return(), _:
            return "return None"
        case ast.If(), _:
            return "if False"
    return f"{ast.unparse(node)} -> {ast.unparse(replacement)}"


def _is_plain(value: ast.expr) -> bool:
    """Return whether *value* is None, True or False: None in its place is less of a fault than its opposite."""
    return isinstance(value, ast.Constant) and (value.value is None or isinstance(value.value, bool))


def _is_text(node: ast.BinOp) -> bool:
    """Return whether *node* may join types or texts: ``int | None``, ``"a" + b``; such a fault shows at once."""
    parts = (node.left, node.right)
    return any(isinstance(part, ast.Constant) and not isinstance(part.value, int) for part in parts)


def _changed(node: ast.AST, **fields: object) -> tuple[str, ast.AST]:
    other = _with(node, **fields)
    return f"{_short(node)} -> {_short(other)}", other


def _with(node: ast.AST, **fields: object) -> ast.AST:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _short(node: ast.AST) -> str:
    text = ast.unparse(node).splitlines()[0]
    return text if len(text) <= 80 else f"{text[:77]}..."


def _replace(tree: ast.AST, node: ast.AST, replacement: ast.AST) -> None:
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, name, replacement)
                return
            if isinstance(value, list) and any(item is node for item in value):
                value[:] = [replacement if item is node else item for item in value]
                return
