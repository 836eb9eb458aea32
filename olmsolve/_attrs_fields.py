"""Fields of the classes that :mod:`olmsolve._attrs` makes, and the plan of each class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType, MemberDescriptorType
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


class FieldInBody:
    """A field in the body of its class: the arguments of ``field(...)``, for the decorator of the class."""

    __slots__ = ("said",)

    def __init__(self, said: dict[str, Any]) -> None:
        self.said = said

    def default(self, method: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Let *method* make the default."""
        self.said["default"] = Factory(method, takes_self=True)
        return method

    def validator(self, method: Callable[[Any, Any, Any], None]) -> Callable[[Any, Any, Any], None]:
        """Let *method* check the value, after the validators that are there."""
        before = self.said.get("validator")
        self.said["validator"] = method if before is None else (before, method)
        return method


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
        # Copy the slots: the constructor takes other arguments (`eq=str` becomes the slots `eq` and `eq_key`).
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

    Everything but the declarations is computed when it is first read. For most classes that a command loads, this never
    happens.
    """

    __slots__ = ("_annotations", "_declared", "_fields", "_inherited", "_is_kw_only", "_steps", "cls", "hashes_once")

    def __init__(
        self,
        inherited: tuple[ClassField, ...] = (),
        declared: Mapping[str, Any] = MappingProxyType({}),
        annotations: Mapping[str, object] = MappingProxyType({}),
        is_kw_only: bool = False,
        hashes_once: bool = False,
    ) -> None:
        self._inherited = inherited
        self._declared = declared
        self._annotations = annotations
        self._is_kw_only = is_kw_only
        self._fields: tuple[ClassField, ...] | None = None
        self._steps: ConstructorSteps | None = None
        self.hashes_once = hashes_once
        self.cls: Any = None

    @property
    def fields(self) -> tuple[ClassField, ...]:
        """The fields in their order, inherited ones first."""
        if self._fields is None:
            own = [self._field(name, value) for name, value in self._declared.items()]
            self._fields = (*self._inherited, *own)
        return self._fields

    def _field(self, name: str, value: Any) -> ClassField:
        said = value.said if isinstance(value, FieldInBody) else {"default": value}
        return ClassField(name, self._annotations[name], **{"kw_only": self._is_kw_only, **said})

    @property
    def steps(self) -> ConstructorSteps:
        """The steps of a constructor that is not compiled."""
        if self._steps is None:
            self._steps = ConstructorSteps(self)
        return self._steps

    def setter(self, name: str) -> Callable[[Any, Any], None]:
        """Return the function that sets the slot *name* of a value of the class, even where it is frozen."""
        for cls in self.cls.__mro__:
            slot = vars(cls).get(name)
            if isinstance(slot, MemberDescriptorType):
                return slot.__set__
            if isinstance(slot, property) and slot.fset is not None:
                # The descriptor in the place of the slot writes it: two such fields of each bundle are 3 % of a load.
                return slot.fset
        # A field without a slot: of a base that attrs has made with a `__dict__`.
        return lambda value, given: object.__setattr__(value, name, given)


class ConstructorSteps:
    """The steps of a constructor that is not compiled.

    *by_position* are the arguments that need no name, *required* the ones without a default, *known* all. *setters*
    write the fields one by one; where *is_plain*, each field is its argument, and nothing is checked or worked out.
    *each* has, of every field, its argument, default, converter and setter; the argument is None for one without.
    """

    __slots__ = ("by_position", "each", "is_plain", "known", "required", "setters")

    def __init__(self, plan: ClassPlan) -> None:
        taken = [field for field in plan.fields if field.init]
        self.by_position = tuple(field.alias for field in taken if not field.kw_only)
        self.required = frozenset(field.alias for field in taken if field.default is NOTHING)
        self.known = frozenset(field.alias for field in taken)
        self.setters = tuple([plan.setter(field.name) for field in plan.fields])
        self.each = tuple(
            [
                (field.alias if field.init else None, field.default, field.converter, write)
                for field, write in zip(plan.fields, self.setters, strict=True)
            ]
        )
        self.is_plain = (
            len(self.by_position) == len(plan.fields)
            and not any(field.converter or field.validator or isinstance(field.default, Factory) for field in taken)
            and not plan.hashes_once
            and not hasattr(plan.cls, "__attrs_post_init__")
            and not issubclass(plan.cls, BaseException)
        )
