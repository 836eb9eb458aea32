"""Fields of the classes that :mod:`olmsolve._attrs` makes, and the plan of each class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MemberDescriptorType
from typing import Any, Final

PLAN: Final = "__attrs_plan__"
CACHED_HASH: Final = "_attrs_cached_hash"


class Nothing:
    """The type of NOTHING: the default of required fields, and of arguments that were left out."""

    def __repr__(self) -> str:
        return "NOTHING"

    def __bool__(self) -> bool:
        return False


NOTHING: Final = Nothing()


class Factory:
    """A default that is made anew for each value, of the value itself if it *takes_self*."""

    __slots__ = ("factory", "takes_self")

    def __init__(self, factory: Callable[..., Any], takes_self: bool = False) -> None:
        self.factory = factory
        self.takes_self = takes_self


class ClassField:
    """A field of a class, with the attributes of ``attrs.Attribute``."""

    __slots__ = (
        *("alias", "converter", "default", "eq", "eq_key", "hash", "inherited", "init", "kw_only", "metadata", "name"),
        *("order", "order_key", "repr", "type", "validator"),
    )

    def __init__(
        self,
        name: str,
        type: object,  # noqa: A002 - the names of attrs
        *,
        default: Any = NOTHING,
        validator: Any = None,
        repr: Any = True,  # noqa: A002
        eq: Any = True,
        order: Any = None,
        hash: bool | None = None,  # noqa: A002
        init: bool = True,
        metadata: Mapping[Any, Any] | None = None,
        converter: Any = None,
        factory: Callable[[], Any] | None = None,
        kw_only: bool = False,
        alias: str | None = None,
    ) -> None:
        self.name = name
        self.type = type
        self.default = default if factory is None else Factory(factory)
        self.validator = all_of(validator) if isinstance(validator, list | tuple) else validator
        self.repr = repr
        # ``eq=str`` compares texts.
        self.eq: bool = bool(eq)
        self.eq_key: Any = eq if callable(eq) else None
        self.order: bool = self.eq if order is None else bool(order)
        self.order_key: Any = self.eq_key if order is None else None
        self.hash = hash
        self.init = init
        self.metadata = metadata or {}
        self.converter = converter
        self.kw_only = kw_only
        self.alias = alias or name.lstrip("_")
        self.inherited = False

    def as_inherited(self) -> ClassField:
        """Return a copy for a subclass."""
        if self.inherited:
            return self
        # Not by the constructor, which takes other arguments than the slots hold: `eq=str` is kept as `eq` and
        # `eq_key`.
        copy = ClassField.__new__(ClassField)
        for name in ClassField.__slots__:
            setattr(copy, name, getattr(self, name))
        copy.inherited = True
        return copy


def all_of(validators: Any) -> Callable[[Any, Any, Any], None]:
    def check(value: Any, field: Any, given: Any) -> None:
        for validator in validators:
            validator(value, field, given)

    return check


class ClassPlan:
    """The plan of a class: its fields, the functions that set its slots, and whether it keeps its hash.

    Its own fields are made when they are first read: of most classes that a command loads they never are.
    """

    __slots__ = ("_declared", "_fields", "_inherited", "_writers", "cls", "hashes_once", "setters")

    def __init__(
        self, inherited: tuple[ClassField, ...], declared: list[tuple[str, object, dict[str, Any]]], hashes_once: bool
    ) -> None:
        self._inherited = inherited
        self._declared = declared
        self._fields: tuple[ClassField, ...] | None = None
        self._writers: list[tuple[ClassField, Callable[[Any, Any], None]]] | None = None
        self.hashes_once = hashes_once
        self.setters: dict[str, Callable[[Any, Any], None]] = {}
        self.cls: Any = None

    @property
    def fields(self) -> tuple[ClassField, ...]:
        """The fields in their order, inherited ones first."""
        if self._fields is None:
            own = [ClassField(name, type_, **about) for name, type_, about in self._declared]
            self._fields = (*self._inherited, *own)
        return self._fields

    def names_by_position(self) -> tuple[str, ...]:
        """Return the names of the fields that the constructor takes by position."""
        inherited = [field.name for field in self._inherited if field.init and not field.kw_only]
        own = [name for name, _, about in self._declared if about.get("init", True) and not about["kw_only"]]
        return (*inherited, *own)

    def writers(self) -> list[tuple[ClassField, Callable[[Any, Any], None]]]:
        """Return each field with the function that sets its slot."""
        if self._writers is None:
            self._writers = [(field, self.setter(field.name)) for field in self.fields]
        return self._writers

    def setter(self, name: str) -> Callable[[Any, Any], None]:
        """Return the function that sets the slot *name* of a value of the class, even where it is frozen."""
        for cls in self.cls.__mro__:
            plan = vars(cls).get(PLAN)
            if plan is not None and name in plan.setters:
                return plan.setters[name]  # type: ignore[no-any-return]
            if isinstance(vars(cls).get(name), MemberDescriptorType):
                return vars(cls)[name].__set__  # type: ignore[no-any-return]
        # A field without a slot: of a base that attrs has made with a `__dict__`.
        return lambda value, given: object.__setattr__(value, name, given)
