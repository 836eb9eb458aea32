"""Named tuples that are declared in a twentieth of the time of Python's: a short command declares 40 to 60.

``typing.NamedTuple`` compiles a constructor and the annotation of each field, and makes the methods of each class: 0.15
ms for three fields. Here the methods are shared, annotations stay texts, and the constructor is a copy of one that was
compiled for as many fields, with other names: 0.01 ms::

    class Change(NamedTuple):     # by ``from olmsolve._named_tuples import NamedTuple``
        name: str
        version: Version

    lambda _cls, f0, f1: tuple.__new__(_cls, (f0, f1))        # compiled once, for all classes of two fields
    lambda _cls, name, version: ...                           # its copy for Change

Type checkers read the name of ``typing`` itself, and tests/test_named_tuples.py compares the classes of both.
"""

from __future__ import annotations

from operator import itemgetter
from types import FunctionType

TYPE_CHECKING = False  # as in the facade: ``typing`` takes 2 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import CodeType
    from typing import Any, Final

_SHARED_NAMES: Final = frozenset(
    {"__new__", "__slots__", "__getnewargs__", "_fields", "_field_defaults", "_make", "_replace", "_asdict"}
)
_new: Final = tuple.__new__
# Nearly all have two to seven fields. Python keeps these compiled beside the module; compiling one costs 0.06 ms.
_USUAL_CONSTRUCTORS: Final[tuple[Callable[..., Any], ...]] = (
    lambda _cls, f0, f1: _new(_cls, (f0, f1)),
    lambda _cls, f0, f1, f2: _new(_cls, (f0, f1, f2)),
    lambda _cls, f0, f1, f2, f3: _new(_cls, (f0, f1, f2, f3)),
    lambda _cls, f0, f1, f2, f3, f4: _new(_cls, (f0, f1, f2, f3, f4)),
    lambda _cls, f0, f1, f2, f3, f4, f5: _new(_cls, (f0, f1, f2, f3, f4, f5)),
    lambda _cls, f0, f1, f2, f3, f4, f5, f6: _new(_cls, (f0, f1, f2, f3, f4, f5, f6)),
)
_CONSTRUCTORS: Final[dict[int, CodeType]] = {
    made.__code__.co_argcount - 1: made.__code__ for made in _USUAL_CONSTRUCTORS
}
"""The code of a constructor by its number of fields."""

_GETTERS: Final[list[Any]] = []
"""Descriptors that read a field by its position: all classes share them."""


def _make(cls: Any, values: Iterable[Any]) -> Any:
    """Make a value of the fields in *values*."""
    made: Any = tuple.__new__(cls, values)
    if len(made) != len(cls._fields):
        raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
    return made


def _replace(self: Any, /, **fields: Any) -> Any:
    """Return a copy with other *fields*."""
    made = self._make(map(fields.pop, self._fields, self))
    if fields:
        raise ValueError(f"Got unexpected field names: {list(fields)!r}")
    return made


def _repr_of(self: Any) -> str:
    return f"{type(self).__name__}({', '.join(map('{}={!r}'.format, self._fields, self))})"


def _asdict(self: Any) -> dict[str, Any]:
    """Return the fields by their names."""
    return dict(zip(self._fields, self, strict=True))


def _as_tuple(self: Any) -> tuple[Any, ...]:
    # The arguments with which copy and pickle call the constructor.
    return tuple(self)


_METHODS: Final = {
    "__slots__": (),
    "__getnewargs__": _as_tuple,
    "__repr__": _repr_of,
    "__replace__": _replace,
    "_asdict": _asdict,
    "_make": classmethod(_make),
    "_replace": _replace,
}


class _NamedTupleType(type):
    """The metaclass of the base alone: what it makes are plain classes below ``tuple``."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        """Return the class *name* with the fields that its *body* annotates."""
        if len(bases) != 1:
            raise TypeError("a named tuple has no other base")
        body.pop("__orig_bases__", None)
        if not _SHARED_NAMES.isdisjoint(body):
            raise AttributeError(f"Cannot overwrite NamedTuple attribute {min(_SHARED_NAMES & body.keys())}")
        fields = tuple(body.get("__annotations__", ()))
        defaults = {field: body[field] for field in fields if field in body}
        if tuple(defaults) != fields[len(fields) - len(defaults) :]:
            raise TypeError("a field without a default cannot follow one that has a default")
        for index in range(len(_GETTERS), len(fields)):
            _GETTERS.append(_getter(index))
        body.setdefault("__doc__", f"{name}({', '.join(fields)}{',' * (len(fields) == 1)})")
        space = {**_METHODS, **body, **dict(zip(fields, _GETTERS, strict=False))}
        space["__new__"] = _constructor(name, fields, tuple(defaults.values()), body)
        space["__match_args__"] = space["_fields"] = fields
        space["_field_defaults"] = defaults
        return type(name, (tuple,), space)


def _getter(index: int) -> Any:
    try:
        # C's reader of a field, which the standard library's named tuples have: no call of a Python function. Where an
        # interpreter has none, the standard library takes a property too.
        from _collections import _tuplegetter  # type: ignore[import-not-found]
    except ImportError:
        return property(itemgetter(index))
    return _tuplegetter(index, f"Alias for field number {index}")


def _constructor(
    name: str, fields: tuple[str, ...], defaults: tuple[Any, ...], body: dict[str, Any]
) -> Callable[..., Any]:
    count = len(fields)
    code = _CONSTRUCTORS.get(count)
    if code is None:
        names = "".join(f"f{index}, " for index in range(count))
        code = _CONSTRUCTORS[count] = eval(f"lambda _cls, {names}: _new(_cls, ({names}))").__code__  # noqa: S307
    # `replace` copies compiled code with other names of arguments, which callers may give by keyword.
    made = FunctionType(code.replace(co_varnames=("_cls", *fields), co_name="__new__"), _SCOPE, "__new__", defaults)
    made.__annotations__ = body.get("__annotations__", {})
    made.__qualname__ = f"{name}.__new__"
    made.__module__ = body["__module__"]
    return made


_SCOPE: Final = {"_new": _new}


class _Declared:
    """The name of the base in a ``class`` statement."""

    def __mro_entries__(self, _: tuple[Any, ...]) -> tuple[type, ...]:
        return (_BASE,)


# By `type.__new__`, because the metaclass's own one would return a class below `tuple` without this metaclass.
_BASE: Final = type.__new__(_NamedTupleType, "NamedTuple", (), {})

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    NamedTuple = _Declared()
