"""Static types and their unification, by the rules of cel-go's checker (0.29).

``any`` is the type of a property's value in OLM's environment. It is as permissive as ``dyn`` wherever types are
compared, with one difference: it cannot be the range of a comprehension.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import olmsolve._attrs as attrs

MAX_SIZE: Final = 200
"""Parts that a type may have."""
MAX_STEPS: Final = 100_000
"""Parts of compound types that one check may look at."""


class TypeTooLarge(Exception):  # noqa: N818 - caught by the checker
    """A type with more than :data:`MAX_SIZE` parts, or too many of them."""


@attrs.frozen
class Type:
    """A type: *kind* is ``int``, ``list``, ... or ``parameter`` for a type variable, which *name* identifies."""

    kind: str
    parameters: tuple[Type, ...] = ()
    name: str = ""
    is_nullable: bool = attrs.field(default=False, eq=False)
    """Whether null may stand for it too, as for protobuf's wrapper of the type, which equals the type otherwise."""
    size: int = attrs.field(init=False, eq=False, repr=False)
    """How many parts it has, itself included; at most :data:`MAX_SIZE`."""
    ground: bool = attrs.field(init=False, eq=False, repr=False)
    """Whether the type is free of type variables: nothing can be substituted in it."""

    @size.default
    def _count(self) -> int:
        size = 1 + sum(part.size for part in self.parameters)
        # `{x: x}` inside one map() after another doubles the type each time.
        if size > MAX_SIZE:
            raise TypeTooLarge
        return size

    @ground.default
    def _has_no_variable(self) -> bool:
        return self.kind != "parameter" and all(part.ground for part in self.parameters)

    def __str__(self) -> str:
        if self.kind == "parameter":
            return self.name
        if self.is_nullable:
            return f"wrapper({self.kind})"
        if not self.parameters:
            return self.kind
        return f"{self.kind}({', '.join(map(str, self.parameters))})"

    @property
    def is_dynamic(self) -> bool:
        """Whether the type may be assigned from and to every other."""
        return self.kind in ("dyn", "any")


ANY: Final = Type("any")
BOOL: Final = Type("bool")
BYTES: Final = Type("bytes")
DOUBLE: Final = Type("double")
DURATION: Final = Type("duration")
DYN: Final = Type("dyn")
INT: Final = Type("int")
NULL: Final = Type("null")
STRING: Final = Type("string")
TIMESTAMP: Final = Type("timestamp")
UINT: Final = Type("uint")

# A value of these types may be null, because protobuf passes it as a message, which may be absent.
_NULLABLE: Final = frozenset({"null", "any", "duration", "timestamp"})


def nullable(wrapped: Type) -> Type:
    """Return the type of protobuf's wrapper of a plain type: the type itself, or null."""
    return attrs.evolve(wrapped, is_nullable=True)


def list_of(element: Type) -> Type:
    """Return the type ``list(element)``."""
    return Type("list", (element,))


def map_of(key: Type, value: Type) -> Type:
    """Return the type ``map(key, value)``."""
    return Type("map", (key, value))


def type_of(instance: Type) -> Type:
    """Return the type ``type(instance)``, which the name of a type has as a value."""
    return Type("type", (instance,))


def parameter(name: str) -> Type:
    """Return the type variable *name*."""
    return Type("parameter", (), name)


def _equal_or_less_specific(one: Type, other: Type) -> bool:
    if one.is_dynamic or one.kind == "parameter":
        return True
    if other.is_dynamic or other.kind == "parameter" or one.kind != other.kind:
        return False
    if one.kind in ("list", "map"):
        return all(map(_equal_or_less_specific, one.parameters, other.parameters))
    return True


def most_general(one: Type, other: Type) -> Type:
    """Return the less specific of two types that unify."""
    return one if _equal_or_less_specific(one, other) else other


class Substitution:
    """The types that type variables stand for; it grows while a rule is checked.

    ``[] + [1]`` is ``list(_1) + list(int)``. The overload ``list(A) + list(A)`` takes it with A bound to ``_1``, and
    ``_1`` to ``int``.
    """

    def __init__(self) -> None:
        self._bound: dict[Type, Type] = {}
        # Bindings to take back when an attempt fails: (variable, its binding before).
        self._trail: list[tuple[Type, Type | None]] = []
        self._fresh = 0
        self._steps = 0

    def fresh(self) -> Type:
        """Return a new type variable."""
        self._fresh += 1
        return parameter(f"_{self._fresh}")

    def assign(self, given: Sequence[Type], wanted: Sequence[Type]) -> bool:
        """Unify each given type with the wanted one; return False, with no variable bound, where one does not fit."""
        self._trail.clear()
        if len(given) == len(wanted) and all(map(self._assignable, given, wanted)):
            return True
        for variable, before in reversed(self._trail):
            if before is None:
                del self._bound[variable]
            else:
                self._bound[variable] = before
        return False

    def resolve(self, type_: Type, free: Type | None = None) -> Type:
        """Return *type_* with its variables replaced by the types that they stand for, unbound ones by *free*."""
        # Nearly all types are free of variables, which this test shows: the check of a long rule takes 1.4 ms, and 1.9
        # with a walk through each type.
        if type_.ground:
            return type_
        while type_ in self._bound:
            type_ = self._bound[type_]
        if type_.kind == "parameter":
            return type_ if free is None else free
        if type_.ground:
            return type_
        self._step(type_)
        return Type(type_.kind, tuple(self.resolve(part, free) for part in type_.parameters))

    def _step(self, type_: Type) -> None:
        # For rules with large types, the time would grow with the square of their length.
        self._steps += len(type_.parameters)
        if self._steps > MAX_STEPS:
            raise TypeTooLarge

    def _bind(self, variable: Type, to: Type) -> None:
        self._trail.append((variable, self._bound.get(variable)))
        self._bound[variable] = to

    def _assignable(self, given: Type, wanted: Type) -> bool:
        """Return True if *given* is allowed in the place of *wanted*; bind type variables on the way."""
        if wanted.kind == "parameter":
            valid, bound = self._substitutable(given, wanted)
            if valid or bound:
                return valid
        if given.kind == "parameter":
            return self._substitutable(wanted, given)[0]
        if given.is_dynamic or wanted.is_dynamic:
            return True
        if given.kind == "null":
            return wanted.is_nullable or wanted.kind in _NULLABLE
        if wanted.kind == "null":
            return given.is_nullable or given.kind in _NULLABLE
        if given.kind in ("list", "map"):
            self._step(given)
            pairs = zip(given.parameters, wanted.parameters, strict=False)
            return given.kind == wanted.kind and all(self._assignable(*pair) for pair in pairs)
        return given.kind == wanted.kind

    def _substitutable(self, type_: Type, variable: Type) -> tuple[bool, bool]:
        """Bind *variable* to *type_* if possible; return whether it was, and whether *variable* was bound before."""
        self._steps += type_.size >> 2  # comparing two types walks them
        if type_ == variable:
            return True, True
        bound = self._bound.get(variable)
        if bound is None:
            if self._occurs(variable, type_):
                return False, False
            self._bind(variable, type_)
            return True, False
        if type_ == bound:
            return True, True
        if not self._assignable(type_, bound):
            return False, True
        general = most_general(type_, bound)
        if not self._occurs(variable, general):
            self._bind(variable, general)
        return True, True

    def _occurs(self, variable: Type, within: Type) -> bool:
        """Return True if *variable* is a part of *within*: binding it would make a type that contains itself."""
        if within.ground:
            return False
        if variable == within:
            return True
        self._step(within)
        if within.kind == "parameter":
            bound = self._bound.get(within)
            return bound is not None and self._occurs(variable, bound)
        return any(self._occurs(variable, part) for part in within.parameters)
