"""Quick attrs classes: methods that all of them share until they are used, and generated constructors.

attrs compiles the methods of a class while its module is imported. ``__repr__`` takes two fifths of that time, and one
that all classes share spares a short command a tenth of its time. ``__eq__`` and ``__hash__`` take another fifth; most
classes that a short command loads are never compared, so theirs are compiled when they are first called::

    @attrs.frozen
    @shared_methods         # attrs generates no method that the class has
    class Install: ...

    Install.__eq__          # _eq, as in all other classes
    first == second
    Install.__eq__          # self.candidate == other.candidate and self.replaces == other.replaces and ...

The constructor that attrs makes for a frozen class calls ``object.__setattr__`` for each field, which looks the name up
in the class each time. The descriptor of a slot, found once, does the same in two thirds of the time, and touches less
memory; that counts for values that are made by the thousand, and where a request is the first after much other work.
For a class with two fields the generated code is::

    def __init__(self, name, version):
        set_name(self, name)         # Class.__dict__["name"].__set__
        set_version(self, version)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from reprlib import recursive_repr
from typing import Any, Final, TypeVar

import attrs

_C = TypeVar("_C", bound=type)

_CONSTRUCTOR: Final = "def made(self, {parameters}):\n{writes}"
_EQUAL: Final = "def made(self, other):\n    return {tests} if other.__class__ is self.__class__ else NotImplemented"
_HASHED: Final = "def made(self):\n    return hash(({parts},))"
_UNCHECKED: Final = "def made(cls, {parameters}):\n    self = cls.__new__(cls)\n{writes}\n    return self"


def shared_repr(cls: _C) -> _C:
    """Give *cls*, below the decorator that makes it an attrs class, the ``__repr__`` that all these classes share.

    It is the one that attrs would generate, for fields whose ``repr`` is True or False. Raises TypeError for a class
    that has one of its own.
    """
    if "__repr__" in cls.__dict__:
        raise TypeError(f"{cls.__name__} has a __repr__ of its own")
    setattr(cls, "__repr__", _repr)  # noqa: B010 - mypy knows that this is not done
    return cls


def shared_methods(cls: _C) -> _C:
    """Give *cls*, below ``attrs.frozen``, the ``__repr__``, ``__eq__`` and ``__hash__`` that frozen values share.

    They are what attrs would generate, for a class without *cache_hash*; as with attrs, an error inherits its equality.
    Raises TypeError for a class that has a ``__repr__`` or an ``__eq__`` of its own.
    """
    if "__eq__" in cls.__dict__:
        raise TypeError(f"{cls.__name__} has an __eq__ of its own")
    if not issubclass(cls, BaseException):
        setattr(cls, "__eq__", _eq)  # noqa: B010 - as below
        setattr(cls, "__hash__", _hash)  # noqa: B010 - as below
    return shared_repr(cls)


def _eq(self: Any, other: object) -> Any:
    return _compiled(self, "__eq__", _eq)(self, other)


def _hash(self: Any) -> int:
    hashed: int = _compiled(self, "__hash__", _hash)(self)
    return hashed


def _compiled(value: Any, method: str, shared: Callable[..., Any]) -> Callable[..., Any]:
    """Return the *method* of the class that has the *shared* one for *value*, compiled and set on that class."""
    # Another thread may have replaced the method since it was called; then the class has the compiled one.
    home = next((cls for cls in type(value).__mro__ if vars(cls).get(method) is shared), None)
    if home is None:
        return getattr(type(value), method)  # type: ignore[no-any-return]
    fields: Any = attrs.fields(home)
    # A field with eq=str is compared by its text.
    scope: dict[str, Any] = {f"{field.name}_key": field.eq_key for field in fields if field.eq_key}
    if method == "__eq__":
        tests = [f"{_part(field, 'self')} == {_part(field, 'other')}" for field in fields if field.eq]
        code = _EQUAL.format(tests=" and ".join(tests) or "True")
    else:
        hashed = [field for field in fields if (field.eq if field.hash is None else field.hash)]
        # The class's name comes first: values of two classes with equal fields get different hashes.
        code = _HASHED.format(parts=", ".join([repr(home.__qualname__), *(_part(field, "self") for field in hashed)]))
    exec(code, scope)  # noqa: S102 - names of fields only
    made: Callable[..., Any] = scope["made"]
    made.__name__, made.__qualname__, made.__module__ = method, f"{home.__qualname__}.{method}", home.__module__
    setattr(home, method, made)
    return made


def _part(field: Any, of: str) -> str:
    return f"{field.name}_key({of}.{field.name})" if field.eq_key else f"{of}.{field.name}"


@recursive_repr()
def _repr(self: Any) -> str:
    name = type(self).__qualname__.rsplit(">.", 1)[-1]
    shown = [field.name for field in attrs.fields(type(self)) if field.repr]
    return f"{name}({', '.join(f'{field}={getattr(self, field, attrs.NOTHING)!r}' for field in shown)})"


def quickly_made(cls: _C) -> _C:
    """Replace the constructor of *cls* by one that writes the slots directly; all else stays as attrs has made it.

    *cls* is made by ``attrs.frozen``, has slots, and takes its fields as they come: nothing converts or checks them,
    and defaults are values. Raises TypeError for another class.
    """
    defaults: dict[str, Any] = {}
    for field in attrs.fields(cls):
        plain = field.init and field.validator is None and field.converter is None and not field.kw_only
        if not plain or isinstance(field.default, attrs.Factory) or field.name not in cls.__dict__:  # type: ignore[arg-type]
            raise TypeError(f"{cls.__name__}.{field.name} is more than a value in a slot")
        if field.default is not attrs.NOTHING:
            defaults[field.alias] = field.default
    if hasattr(cls, "__attrs_post_init__") or hasattr(cls, "__attrs_pre_init__"):
        raise TypeError(f"{cls.__name__} does more than take its fields")
    made, before = _generated(_CONSTRUCTOR, cls, defaults), cls.__dict__["__init__"]
    for name in ("__annotations__", "__doc__", "__module__", "__name__", "__qualname__"):
        setattr(made, name, getattr(before, name))
    setattr(cls, "__init__", made)  # noqa: B010 - mypy knows that this is not done
    return cls


def shown_fields(cls: _C) -> _C:
    """Let the constructor of *cls*, made by ``attrs.frozen(init=False)``, show the fields that users give.

    Fields whose argument begins with an underscore are for readers of files, and for copies (``attrs.evolve``).
    """
    made: Any = cls.__dict__["__attrs_init__"]
    made.__name__, made.__qualname__ = "__init__", f"{cls.__qualname__}.__init__"
    whole = inspect.signature(made)
    shown = [parameter for name, parameter in whole.parameters.items() if not name.startswith("_")]
    made.__signature__ = whole.replace(parameters=shown)
    setattr(cls, "__init__", made)  # noqa: B010 - mypy knows another one
    return cls


def unchecked(cls: type) -> Callable[..., Any]:
    """Return a second constructor of *cls*, for values whose parts need no check.

    It takes the class to make (*cls* or a subclass) and then every field in order, the fields without ``init`` too. It
    neither checks nor converts, has no defaults, and runs no ``__attrs_post_init__``.
    """
    return _generated(_UNCHECKED, cls, {})


def _generated(template: str, cls: type, defaults: dict[str, Any]) -> Callable[..., Any]:
    """Return the function made of *template*, with the fields of *cls* as parameters and as slots to write."""
    scope: dict[str, Any] = {f"default_{name}": value for name, value in defaults.items()}
    parameters, writes = [], []
    for field in attrs.fields(cls):
        scope[f"set_{field.name}"] = cls.__dict__[field.name].__set__
        parameters.append(f"{field.alias}=default_{field.alias}" if field.alias in defaults else field.alias)
        writes.append(f"    set_{field.name}(self, {field.alias})")
    code = template.format(parameters=", ".join(parameters), writes="\n".join(writes))
    exec(code, scope)  # noqa: S102 - names of fields only
    made: Callable[..., Any] = scope["made"]
    return made
