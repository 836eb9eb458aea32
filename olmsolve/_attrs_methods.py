"""Methods of the classes that :mod:`olmsolve._attrs` makes; they are compiled when they are called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count
from operator import eq
from reprlib import recursive_repr
from types import FunctionType
from typing import Any, Final

from olmsolve._attrs_fields import CACHED_HASH, NOTHING, PLAN, ClassField, ClassPlan, Factory

CALLS_BEFORE_COMPILING: Final = 80
"""Compiling a method takes 0.1 ms, as much as 80 calls of one that is not compiled; a short command makes one to twenty
values of most of its classes, and looks up some keys fifty times."""


def constructor(plan: ClassPlan, name: str) -> Callable[..., None]:
    """Return the constructor of the class of *plan*, which is compiled when it has been called often."""
    calls = 0

    def __init__(self: Any, *values: Any, **named: Any) -> None:  # noqa: N807 - its name in tracebacks
        nonlocal calls
        calls += 1
        # Whatever is wrong with the arguments, the compiled constructor says as Python says it.
        if calls > CALLS_BEFORE_COMPILING or not _write_fields(plan, self, values, named):
            _compile_constructor(plan, name)(self, *values, **named)

    return __init__


def _write_fields(plan: ClassPlan, value: Any, values: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Write the fields of the new *value* as the compiled constructor does; return False if arguments do not fit."""
    steps = plan.steps
    if steps.is_plain and len(values) == len(steps.setters) and not named:
        for write, content in zip(steps.setters, values, strict=True):
            write(value, content)
        return True
    given: dict[Any, Any] = dict(zip(steps.by_position, values, strict=False))
    given.update(named)
    if len(values) > len(steps.by_position) or len(given) < len(values) + len(named):
        return False
    if not steps.required <= given.keys() <= steps.known:
        return False
    for alias, default, convert, write in steps.each:
        content = given.get(alias, default)
        if type(default) is Factory and (content is default or content is NOTHING):
            content = default.factory(value) if default.takes_self else default.factory()
        elif content is NOTHING and alias is None:
            continue
        write(value, convert(content) if convert else content)
    if steps.is_plain:
        return True
    # Validators come after all fields, as attrs has them: one may look at a field that is declared later.
    for field in plan.fields:
        if field.validator is not None:
            field.validator(value, field, getattr(value, field.name))
    if hasattr(plan.cls, "__attrs_post_init__"):
        value.__attrs_post_init__()
    if plan.hashes_once:
        plan.setter(CACHED_HASH)(value, None)
    if issubclass(plan.cls, BaseException):
        BaseException.__init__(value, *(getattr(value, field.name) for field in plan.fields if field.init))
    return True


def _compile_constructor(plan: ClassPlan, name: str) -> Callable[..., None]:
    """Return the constructor *name* of the class of *plan*, compiled and set on the class."""
    scope: dict[str, Any] = {"NOTHING": NOTHING}
    positional: list[str] = []
    named: list[str] = []
    lines: list[str] = []
    checks: list[str] = []
    for field in plan.fields:
        key, alias = field.name, field.alias
        scope[f"__set_{key}"] = plan.setter(key)
        assignment = "    __set_" + key + "(self, " + (f"__convert_{key}({{}}))" if field.converter else "{})")
        scope[f"__convert_{key}"] = field.converter
        factory = isinstance(field.default, Factory)
        scope[f"__default_{key}"] = field.default.factory if factory else field.default
        made = f"__default_{key}({'self' * field.default.takes_self})" if factory else f"__default_{key}"
        if field.init:
            default = "" if field.default is NOTHING else "=NOTHING" if factory else f"=__default_{key}"
            (named if field.kw_only else positional).append(alias + default)
            given = f"({made} if {alias} is NOTHING else {alias})" if factory else alias
            lines.append(assignment.format(given))
        elif field.default is not NOTHING:
            lines.append(assignment.format(made))
        if field.validator is not None:
            scope[f"__check_{key}"], scope[f"__field_{key}"] = field.validator, field
            checks.append(f"    __check_{key}(self, __field_{key}, self.{key})")
    if hasattr(plan.cls, "__attrs_post_init__"):
        checks.append("    self.__attrs_post_init__()")
    if plan.hashes_once:
        scope["__forget"] = plan.setter(CACHED_HASH)
        checks.append("    __forget(self, None)")
    if issubclass(plan.cls, BaseException):
        shown = "".join(f", self.{field.name}" for field in plan.fields if field.init)
        scope["__base"] = BaseException.__init__
        checks.append(f"    __base(self{shown})")
    parameters = ", ".join(["self", *positional, *(["*", *named] if named else [])])
    exec("def made(" + parameters + "):\n" + "\n".join([*lines, *checks] or ["    pass"]), scope)  # noqa: S102 - names of fields
    annotations = {field.alias: _taken_type(field) for field in plan.fields if field.init}
    made = _finished(plan, name, scope["made"])
    made.__annotations__ = {**{key: type_ for key, type_ in annotations.items() if type_ is not None}, "return": None}
    return made  # type: ignore[no-any-return]


def _taken_type(field: ClassField) -> object:
    """Return the annotation of the argument for *field*: where it is converted, what the converter takes."""
    if field.converter is None:
        return field.type
    annotations: Mapping[str, object] = getattr(field.converter, "__annotations__", {})
    return next((type_ for name, type_ in annotations.items() if name != "return"), None)


def _finished(plan: ClassPlan, name: str, made: Any) -> Any:
    made.__name__, made.__qualname__, made.__module__ = name, f"{plan.cls.__qualname__}.{name}", plan.cls.__module__
    placeholder = vars(plan.cls).get(name)
    # `shown_fields` has put `__attrs_init__` in the place of `__init__` too.
    for method in ("__init__", "__attrs_init__") if name == "__attrs_init__" else (name,):
        if vars(plan.cls).get(method) is placeholder:
            type.__setattr__(plan.cls, method, made)
    return made


def unchecked(cls: Any) -> Callable[..., Any]:
    """Return a second constructor of *cls*, for values whose parts need no check.

    It takes the class to make (*cls* or a subclass) and then every field in order, the fields without ``init`` too. It
    neither checks nor converts, has no defaults, and runs no ``__attrs_post_init__``.
    """
    scope: dict[str, Any] = {}
    made: Any = FunctionType(_made_unchecked.__code__, scope, "made")
    scope["write_slots"] = partial(_write_slots, vars(cls)[PLAN], count(1), made)
    return made  # type: ignore[no-any-return]


def _made_unchecked(cls: Any, *values: Any) -> Any:
    """Make a value; the code of each function that :func:`unchecked` returns, until that is compiled."""
    return write_slots(cls, values)  # type: ignore[name-defined]  # noqa: F821


def _write_slots(plan: ClassPlan, calls: Iterator[int], made: FunctionType, cls: Any, values: tuple[Any, ...]) -> Any:
    setters = plan.steps.setters
    # A command on small input makes one to twenty values of most classes.
    if next(calls) > CALLS_BEFORE_COMPILING or len(values) != len(setters):
        _compile_unchecked(plan, made)
        return made(cls, *values)
    value = cls.__new__(cls)
    for write, content in zip(setters, values, strict=True):
        write(value, content)
    if plan.hashes_once:
        plan.setter(CACHED_HASH)(value, None)
    return value


def _compile_unchecked(plan: ClassPlan, made: FunctionType) -> None:
    """Give *made* a line for each slot: a bundle takes 0.4 µs so, and 1.4 by its constructor."""
    scope = made.__globals__
    scope.update({f"__set_{field.name}": plan.setter(field.name) for field in plan.fields})
    scope["__new"] = plan.cls.__new__
    writes = "".join(f"    __set_{field.name}(self, {field.alias})\n" for field in plan.fields)
    parameters = ", ".join(["cls", *(field.alias for field in plan.fields)])
    if plan.hashes_once:
        scope["__forget"] = plan.setter(CACHED_HASH)
        writes += "    __forget(self, None)\n"
    compiled: dict[str, Any] = {}
    exec(f"def made({parameters}):\n    self = __new(cls)\n{writes}    return self", compiled)  # noqa: S102 - names of fields
    # Modules that have imported the function by name keep the old object, so the code of this object is replaced.
    made.__code__ = compiled["made"].__code__


def shared_eq(self: Any, other: object) -> Any:
    return _own(self, "__eq__", shared_eq)(self, other)


def shared_hash(self: Any) -> int:
    hashed: int = _own(self, "__hash__", shared_hash)(self)
    return hashed


def _own(value: Any, method: str, shared: Callable[..., Any]) -> Callable[..., Any]:
    """Return the *method* of the class that has the *shared* one for *value*, made and set on that class."""
    # Another thread may have replaced the method since it was called; then the class has its own.
    home = next((cls for cls in type(value).__mro__ if vars(cls).get(method) is shared), None)
    if home is None:
        return getattr(type(value), method)  # type: ignore[no-any-return]
    plan: ClassPlan = vars(home)[PLAN]
    return _finished(plan, method, (_equality if method == "__eq__" else _hashing)(plan))  # type: ignore[no-any-return]


def _equality(plan: ClassPlan) -> Callable[[Any, object], Any]:
    """Return ``__eq__`` of the class of *plan*, which is compiled when it has been called often."""
    parts = _parts([field for field in plan.fields if field.eq])
    calls = 0

    def __eq__(self: Any, other: object) -> Any:  # noqa: N807
        nonlocal calls
        calls += 1
        if calls > CALLS_BEFORE_COMPILING:
            return _compiled(plan, "__eq__")(self, other)
        if other.__class__ is not self.__class__:
            return NotImplemented
        # Two lists would be equal where both have the same NaN.
        return all(map(eq, parts(self), parts(other)))

    return __eq__


def _hashing(plan: ClassPlan) -> Callable[[Any], int]:
    """Return ``__hash__`` of the class of *plan*, which is compiled when it has been called often."""
    parts = _parts(_hashed(plan))
    name = plan.cls.__qualname__
    keep = plan.setter(CACHED_HASH) if plan.hashes_once else None
    calls = 0

    def __hash__(self: Any) -> int:  # noqa: N807
        nonlocal calls
        calls += 1
        if calls > CALLS_BEFORE_COMPILING:
            return _compiled(plan, "__hash__")(self)  # type: ignore[no-any-return]
        kept_hash: int | None = getattr(self, CACHED_HASH) if keep is not None else None
        if kept_hash is None:
            kept_hash = hash((name, *parts(self)))
            if keep is not None:
                keep(self, kept_hash)
        return kept_hash

    return __hash__


def _hashed(plan: ClassPlan) -> list[ClassField]:
    return [field for field in plan.fields if (field.eq if field.hash is None else field.hash)]


def _parts(fields: list[ClassField]) -> Callable[[Any], list[Any]]:
    """Return the function that lists the *fields* of a value, each by its key."""
    keys = [(field.name, field.eq_key or _itself) for field in fields]
    return lambda value: [key(getattr(value, name)) for name, key in keys]


def _compiled(plan: ClassPlan, method: str) -> Callable[..., Any]:
    """Return the *method* of the class of *plan*, compiled and set on that class."""
    # A field with eq=str is compared by its text.
    scope: dict[str, Any] = {f"__key_{field.name}": field.eq_key for field in plan.fields if field.eq_key}
    if method == "__eq__":
        tests = [f"{_part(field, 'self')} == {_part(field, 'other')}" for field in plan.fields if field.eq]
        result = f"({' and '.join(tests) or True}) if other.__class__ is self.__class__ else NotImplemented"
        code = f"def made(self, other):\n    return {result}"
    else:
        # The class's name comes first: values of two classes with equal fields get different hashes.
        named = [repr(plan.cls.__qualname__), *(_part(field, "self") for field in _hashed(plan))]
        made = f"hash(({', '.join(named)},))"
        if plan.hashes_once:
            scope["__keep"] = plan.setter(CACHED_HASH)
            code = (
                f"def made(self):\n    kept = self.{CACHED_HASH}\n    if kept is None:\n"
                f"        kept = {made}\n        __keep(self, kept)\n    return kept"
            )
        else:
            code = f"def made(self):\n    return {made}"
    exec(code, scope)  # noqa: S102 - names of fields only
    return _finished(plan, method, scope["made"])  # type: ignore[no-any-return]


def _part(field: ClassField, of: str) -> str:
    return f"__key_{field.name}({of}.{field.name})" if field.eq_key else f"{of}.{field.name}"


@recursive_repr()
def shared_repr(self: Any) -> str:
    name = type(self).__qualname__.rsplit(">.", 1)[-1]
    parts = []
    for field in fields_of(type(self)):
        if field.repr:
            value = getattr(self, field.name, NOTHING)
            parts.append(f"{field.name}={field.repr(value) if callable(field.repr) else repr(value)}")
    return f"{name}({', '.join(parts)})"


def _ordering(name: str) -> Callable[[Any, Any], Any]:
    def compare(self: Any, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        fields = [field for field in fields_of(type(self)) if field.order]
        sides = (
            tuple([(field.order_key or _itself)(getattr(side, field.name)) for field in fields])
            for side in (self, other)
        )
        return getattr(next(sides), name)(next(sides))

    return compare


def _itself(value: object) -> object:
    return value


ORDER: Final = {name: _ordering(name) for name in ("__lt__", "__le__", "__gt__", "__ge__")}


_WRITTEN_BY_PYTHON: Final = ("__cause__", "__context__", "__traceback__", "__suppress_context__", "__notes__")


def refuse_to_set(self: Any, name: str, value: object) -> None:
    # Python itself writes these while an error is raised.
    if isinstance(self, BaseException) and name in _WRITTEN_BY_PYTHON:
        BaseException.__setattr__(self, name, value)
        return
    import attrs

    raise attrs.exceptions.FrozenInstanceError


def refuse_to_delete(self: Any, name: str) -> None:
    if isinstance(self, BaseException) and name == "__notes__":
        BaseException.__delattr__(self, name)
        return
    import attrs

    raise attrs.exceptions.FrozenInstanceError


def state_of(self: Any) -> dict[str, Any]:
    return {field.name: getattr(self, field.name) for field in fields_of(type(self))}


def set_state(self: Any, state: Any) -> None:
    fields = fields_of(type(self))
    given = (
        state if isinstance(state, dict) else {field.name: value for field, value in zip(fields, state, strict=True)}
    )
    for field in fields:
        if field.name in given:
            # pickle and copy make the value by `__new__`, and its own `__setattr__` refuses every name if it is frozen.
            object.__setattr__(self, field.name, given[field.name])
    if any(plan.hashes_once for plan in _plans(type(self))):
        # The hash of a text differs from process to process, so a kept one is not taken along.
        object.__setattr__(self, CACHED_HASH, None)


def _plans(cls: type) -> Iterator[ClassPlan]:
    """Yield the plans of *cls* and of its bases, its own first."""
    for base in cls.__mro__:
        plan = vars(base).get(PLAN)
        if plan is not None:
            yield plan


class _AsAttrs:
    """The fields as attrs has them, made when they are first asked for: by attrs itself, or by a class below."""

    def __get__(self, _: object, cls: type) -> Any:
        from olmsolve._attrs_introspection import attributes

        plan = next(_plans(cls))
        made = attributes(plan)
        type.__setattr__(plan.cls, "__attrs_attrs__", made)
        return made


class _MatchArgs:
    """The fields that the constructor takes by position, listed when a ``case`` first asks for them."""

    def __get__(self, _: object, cls: type) -> tuple[str, ...]:
        plan = next(_plans(cls))
        names = tuple(field.name for field in plan.fields if field.init and not field.kw_only)
        type.__setattr__(plan.cls, "__match_args__", names)
        return names


class _Signature:
    """The signature of the class for ``inspect``, which would show the arguments of an uncompiled constructor."""

    def __get__(self, value: object, cls: type) -> Any:
        from olmsolve._attrs_introspection import shown_signature

        plan = next(_plans(cls))
        if value is None and plan.cls is not None:
            for name in ("__attrs_init__", "__init__"):
                if getattr(vars(plan.cls).get(name), "__code__", None) is _UNCOMPILED:
                    _compile_constructor(plan, name)
            constructor = cls.__init__  # type: ignore[misc]
            if constructor is vars(plan.cls).get("__attrs_init__"):
                return shown_signature(constructor)
        raise AttributeError("__signature__")


AS_ATTRS: Final = _AsAttrs()
MATCH_ARGS: Final = _MatchArgs()
SIGNATURE: Final = _Signature()
# All uncompiled constructors are closures of one function, and share its code: this distinguishes them from compiled
# ones.
_UNCOMPILED: Final = constructor(ClassPlan(), "").__code__


def fields_of(cls: Any) -> tuple[ClassField, ...]:
    for base in cls.__mro__:
        space = vars(base)
        if PLAN in space:
            return space[PLAN].fields  # type: ignore[no-any-return]
        if "__attrs_attrs__" in space:
            # Of a class that attrs has made: a frozen tuple, so it is converted once.
            converted = _CONVERTED.get(base)
            if converted is None:
                from olmsolve._attrs_introspection import field_of

                converted = _CONVERTED[base] = tuple(map(field_of, space["__attrs_attrs__"]))
            return converted
    raise TypeError(f"{cls!r} is not an attrs-decorated class.")


_CONVERTED: Final[dict[type, tuple[ClassField, ...]]] = {}


def has_fields(cls: Any) -> bool:
    return any("__attrs_attrs__" in vars(base) for base in getattr(cls, "__mro__", ()))


def fields_by_name(cls: Any) -> dict[str, ClassField]:
    return {field.name: field for field in fields_of(cls)}


def evolved(value: Any, /, **changes: Any) -> Any:
    cls = type(value)
    for field in fields_of(cls):
        if field.init and field.alias not in changes:
            changes[field.alias] = getattr(value, field.name)
    return cls(**changes)
