"""attrs classes that load no attrs: methods are compiled when they are called.

To import attrs and to let it compile the methods of each class took 35 of the 90 ms of a short command. Most classes
that a command loads are never made, compared or printed. So modules write ``import olmsolve._attrs as attrs``, and
type checkers read the names of attrs itself; at run time this module makes the classes, and a class costs what
``type()`` takes (0.02 instead of 0.3 ms)::

    @attrs.frozen
    class Install: ...

    Install.__eq__          # a function that all these classes share
    first == second
    Install.__eq__          # self.candidate == other.candidate and self.replaces == other.replaces and ...

For everybody else they are attrs classes: ``attrs.fields``, ``attrs.evolve``, ``attrs.asdict`` and a subclass with
``@attrs.frozen`` read ``__attrs_attrs__``, which attrs makes when it is first read. tests/test_attrs.py compares both.

The constructor writes slots by their descriptors, found once, where attrs has ``object.__setattr__`` look up each name;
that takes two thirds of the time, which counts for values that are made by the thousand. For two fields it is::

    def __init__(self, name, version):
        set_name(self, name)         # Class.__dict__["name"].__set__
        set_version(self, version)

A class with a cached property, or without slots, is made by attrs: few have one, and none that a short command loads.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from functools import cached_property, partial
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from olmsolve._attrs_fields import CACHED_HASH, PLAN, ClassField, ClassPlan, FieldInBody
from olmsolve._attrs_fields import NOTHING as _NOTHING
from olmsolve._attrs_fields import Factory as _Factory
from olmsolve._attrs_methods import (
    AS_ATTRS,
    MATCH_ARGS,
    ORDER,
    SIGNATURE,
    constructor,
    evolved,
    fields_by_name,
    fields_of,
    has_fields,
    refuse_to_delete,
    refuse_to_set,
    set_state,
    shared_eq,
    shared_hash,
    shared_repr,
    state_of,
)
from olmsolve._attrs_methods import unchecked as unchecked

_T = TypeVar("_T")
# Starts of annotations by their texts, as attrs reads them: with `from __future__ import annotations` none is a type.
_NO_FIELDS: Final = ("ClassVar", "typing.ClassVar")


def _field(**said: Any) -> Any:
    return FieldInBody(said)


def _frozen(cls: Any = None, /, **said: Any) -> Any:
    return partial(_made, True, **said) if cls is None else _made(True, cls, **said)


def _define(cls: Any = None, /, **said: Any) -> Any:
    return partial(_made, False, **said) if cls is None else _made(False, cls, **said)


def _made(is_frozen: bool, cls: Any, /, **said: Any) -> Any:
    """Return the class of values in place of *cls*, in whose body their fields are declared."""
    body = vars(cls)
    space = dict(body)
    annotations = cls.__annotations__
    declared_names = [
        name for name, type_ in annotations.items() if not str(type_).lstrip("'\"").startswith(_NO_FIELDS)
    ]
    declared = {name: space.pop(name, _NOTHING) for name in declared_names}
    if not said.get("slots", True) or cached_property in map(type, space.values()):
        return _made_by_attrs(is_frozen, cls, declared, said)
    options = _Options(**said) if said else _USUAL
    bases = cls.__mro__[1:-1]
    inherited = _inherited(bases, declared) if bases else {}
    plan = ClassPlan(tuple(inherited.values()), declared, annotations, options.kw_only, options.cache_hash)
    space[PLAN] = plan
    space["__attrs_attrs__"] = AS_ATTRS
    space["__slots__"] = tuple(_slots(bases, space, declared_names, options))
    space["__qualname__"] = cls.__qualname__
    # Descriptors that Python made for the first class: they refuse values of the second.
    space.pop("__dict__", None)
    space.pop("__weakref__", None)
    _add_methods(cls, space, plan, options, is_frozen)
    # A second class, since slots can only be said before a class is made.
    plan.cls = made = type(cls)(cls.__name__, cls.__bases__, space)
    _rebind(body, cls, made)
    return made


class _Options:
    """The arguments of the decorator; None where the body of the class decides."""

    __slots__ = ("cache_hash", "eq", "init", "kw_only", "order", "repr", "weakref_slot")

    def __init__(
        self,
        eq: bool | None = None,
        order: bool = False,
        init: bool | None = None,
        repr: bool | None = None,  # noqa: A002 - the names of attrs
        kw_only: bool = False,
        cache_hash: bool = False,
        weakref_slot: bool = True,
        slots: bool = True,
    ) -> None:
        self.eq = eq
        self.order = order
        self.init = init
        self.repr = repr
        self.kw_only = kw_only
        self.cache_hash = cache_hash
        self.weakref_slot = weakref_slot


_USUAL: Final = _Options()


def _inherited(bases: tuple[type, ...], own: Container[str]) -> dict[str, ClassField]:
    """Return the fields that a class has from its *bases* by their names: of each name, the one that is nearest."""
    field_by_name: dict[str, ClassField] = {}
    # From the farthest to the nearest, so that a field declared again moves to its last place, as attrs orders them.
    for base in reversed(bases):
        space = vars(base)
        plan = space.get(PLAN)
        fields = plan.fields if plan is not None else fields_of(base) if "__attrs_attrs__" in space else ()
        for field in fields:
            if not field.inherited and field.name not in own:
                field_by_name.pop(field.name, None)
                field_by_name[field.name] = field.as_inherited()
    return field_by_name


def _slots(bases: tuple[type, ...], space: dict[str, Any], declared_names: list[str], options: _Options) -> list[str]:
    """Return the slots that the *bases* of a class lack; a field of the same name shares the slot of a base."""
    slots = [] if bases else declared_names.copy()
    for name in declared_names if bases else ():
        base_space = next((vars(base) for base in bases if name in getattr(base, "__slots__", ())), None)
        if base_space is None:
            slots.append(name)
        # A class between may have something else of this name, such as a property; attrs does the same.
        elif name in base_space:
            space[name] = base_space[name]
    if options.cache_hash:
        slots.append(CACHED_HASH)
    if options.weakref_slot and not any(vars(base).get("__weakref__") for base in bases):
        slots.append("__weakref__")
    return slots


def _add_methods(cls: type, space: dict[str, Any], plan: ClassPlan, options: _Options, is_frozen: bool) -> None:
    is_error = issubclass(cls, BaseException)
    is_compared = options.eq if options.eq is not None else "__eq__" not in space
    if is_compared and not is_error:
        space["__eq__"] = shared_eq
        if "__hash__" not in space or space["__hash__"] is None:
            # None where the body has an `__eq__` of its own: Python wrote it when it made the first class, not the
            # author.
            space["__hash__"] = shared_hash if is_frozen else None
    if options.order and not is_error:
        space |= ORDER
    if options.repr if options.repr is not None else "__repr__" not in space:
        space["__repr__"] = shared_repr
    name = "__init__" if (options.init if options.init is not None else "__init__" not in space) else "__attrs_init__"
    space[name] = constructor(plan, name)
    if "__match_args__" not in space:
        space["__match_args__"] = MATCH_ARGS
    if is_frozen:
        space["__setattr__"] = refuse_to_set
        space["__delattr__"] = refuse_to_delete
    if "__getstate__" not in space and "__setstate__" not in space:
        space["__getstate__"] = state_of
        space["__setstate__"] = set_state
    space.setdefault("__replace__", evolved)
    space.setdefault("__signature__", SIGNATURE)


_WITH_FUNCTIONS: Final = frozenset({FunctionType, classmethod, staticmethod, property})


def _rebind(body: Mapping[str, Any], before: type, made: type) -> None:
    """Let ``super()`` and ``__class__`` in the methods in *body* mean *made*, not the class *before* of the body."""
    if _WITH_FUNCTIONS.isdisjoint(map(type, body.values())):
        return  # as two thirds of the classes: they have fields alone
    for value in body.values():
        kind = type(value)
        functions: tuple[Any, ...]
        # A method with `super()` has a cell with the class that was made of its body. Left alone, `super().to_dict()`
        # raises TypeError, since the value is of the second class.
        if kind is FunctionType:
            if value.__closure__ is None:
                continue
            functions = (value,)
        elif kind is classmethod or kind is staticmethod:
            functions = (value.__func__,)
        elif kind is property:
            functions = (value.fget, value.fset, value.fdel)
        else:
            continue
        for function in functions:
            for cell in getattr(function, "__closure__", None) or ():
                if _content(cell) is before:
                    cell.cell_contents = made


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # nothing was written into it yet
        return None


def _made_by_attrs(is_frozen: bool, cls: Any, declared: dict[str, Any], said: dict[str, Any]) -> Any:
    import attrs

    for name, value in declared.items():
        if isinstance(value, FieldInBody):
            default = value.said.get("default", attrs.NOTHING)
            if isinstance(default, _Factory):
                default = attrs.Factory(default.factory, default.takes_self)  # type: ignore[call-overload]
            value = attrs.field(**{**value.said, **({} if "factory" in value.said else {"default": default})})
        if value is not _NOTHING:
            setattr(cls, name, value)
    return (attrs.frozen if is_frozen else attrs.define)(cls, **said)


def shown_fields(cls: type[_T]) -> type[_T]:
    """Let the constructor of *cls*, made by ``attrs.frozen(init=False)``, show the fields that users give.

    Fields whose argument begins with an underscore are for readers of files, and for copies (``attrs.evolve``).
    """
    made: Any = cls
    made.__init__ = made.__attrs_init__
    return cls


if TYPE_CHECKING:
    from attrs import NOTHING as NOTHING
    from attrs import Attribute as Attribute
    from attrs import Factory as Factory
    from attrs import asdict as asdict
    from attrs import astuple as astuple
    from attrs import converters as converters
    from attrs import define as define
    from attrs import evolve as evolve
    from attrs import field as field
    from attrs import fields as fields
    from attrs import fields_dict as fields_dict
    from attrs import frozen as frozen
    from attrs import has as has
    from attrs import validators as validators
else:
    NOTHING, Factory = _NOTHING, _Factory
    define, frozen, field = _define, _frozen, _field
    fields, fields_dict, has, evolve = fields_of, fields_by_name, has_fields, evolved

    def __getattr__(name):
        # Few modules need these: attrs itself has them.
        if name not in {"asdict", "astuple", "converters", "validators"}:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import attrs

        return getattr(attrs, name)
