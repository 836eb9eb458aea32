"""The syntax tree of a CEL expression, with macros already recognised.

Operators are calls too, named by their spelling: ``"=="``, ``"&&"``, ``"in"``; ``"[]"`` is an index,
``"?:"`` the conditional, ``"neg"`` the arithmetic minus. Chains of ``&&`` and of ``||`` are one call with
many arguments, so that a long rule is a wide tree and not a deep one. Every node knows where it starts
(``position``, 0-based, in characters; for calls and operators the position that an error message points at) and how
high it is (``height``, 1 for a leaf): the parser refuses trees that recursion could not walk.
"""

from __future__ import annotations

from typing import TypeAlias

import olmsolve._attrs as attrs
from olmsolve.cel.values import Scalar


@attrs.frozen
class Literal:
    """A constant: ``1``, ``"a"``, ``null``."""

    value: Scalar
    position: int
    height: int = 1


@attrs.frozen
class Identifier:
    """A variable or the name of a type; *rooted* with a leading dot is never a comprehension's variable."""

    name: str
    position: int
    rooted: bool = False
    height: int = 1


@attrs.frozen
class Select:
    """``operand.field``, or ``has(operand.field)`` where *test* is set."""

    operand: Node
    field: str
    position: int
    height: int
    test: bool = False


@attrs.frozen
class Call:
    """``function(arguments)``, ``target.function(arguments)``, or an operator."""

    function: str
    target: Node | None
    arguments: tuple[Node, ...]
    position: int
    height: int


@attrs.frozen
class ListLiteral:
    """``[a, b]``."""

    elements: tuple[Node, ...]
    position: int
    height: int


@attrs.frozen
class MapLiteral:
    """``{key: value}``; entries in the order written."""

    entries: tuple[tuple[Node, Node], ...]
    position: int
    height: int


@attrs.frozen
class MessageLiteral:
    """``google.protobuf.Int64Value{value: 1}``: the full name of a type, and its fields in the order written."""

    name: str
    fields: tuple[tuple[str, Node], ...]
    position: int
    height: int


@attrs.frozen
class Comprehension:
    """A macro over a range: *kind* is ``all``, ``exists``, ``exists_one``, ``map`` or ``filter``.

    *predicate* is absent for the two-argument ``map``; *transform* is present only for ``map``.
    """

    kind: str
    range: Node
    variable: str
    predicate: Node | None
    transform: Node | None
    position: int
    height: int


Node: TypeAlias = Literal | Identifier | Select | Call | ListLiteral | MapLiteral | MessageLiteral | Comprehension


def qualified_name(node: Node) -> str | None:
    """Return ``a.b.c`` if *node* is only names joined by dots, else None."""
    fields: list[str] = []
    while isinstance(node, Select) and not node.test:
        fields.append(node.field)
        node = node.operand
    if not isinstance(node, Identifier):
        return None
    return ".".join([node.name, *reversed(fields)])
