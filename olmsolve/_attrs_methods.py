"""Methods of the classes that :mod:`olmsolve._attrs` makes; they are compiled when they are called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from reprlib import recursive_repr
from typing import Any, Final

from olmsolve._attrs_fields import CACHED_HASH, NOTHING, PLAN, ClassField, ClassPlan, Factory


def constructor(plan: ClassPlan, name: str) -> Callable[..., None]:
    """Return the constructor of the class of *plan*, which is compiled when it has been called a dozen times.

    Compiling takes 0.1 ms, as much as thirty values whose fields are written one by one take. A short command makes one
    to ten values of most of its classes.
    """
    calls = 0

    def __init__(self: Any, *values: Any, **named: Any) -> None:  # noqa: N807 - its name in tracebacks
        nonlocal calls
        calls += 1
        # Whatever is wrong with the arguments, the compiled constructor says as Python says it.
        if calls > _CALLS_BEFORE_COMPILING or not _write_fields(plan, self, values, named):
            _compile_constructor(plan, name)(self, *values, **named)

    return __init__


_CALLS_BEFORE_COMPILING: Final = 12


def _write_fields(plan: ClassPlan, value: Any, values: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Write the fields of the new *value* as the compiled constructor does; return False if arguments do not fit."""
    writers = plan.writers()
    by_position = [field.alias for field, _ in writers if field.init and not field.kw_only]
    given = dict(zip(by_position, values, strict=False))
    given.update(named)
    required = [field.alias for field, _ in writers if field.init and field.default is NOTHING]
    if len(values) > len(by_position) or len(given) < len(values) + len(named) or not given.keys() >= set(required):
        return False
    if not named.keys() <= {field.alias for field, _ in writers if field.init}:
        return False
    for field, write in writers:
        default = field.default
        content = given.get(field.alias, default) if field.init else default
        if isinstance(default, Factory) and (content is default or content is NOTHING):
            content = default.factory(value) if default.takes_self else default.factory()
        elif content is NOTHING and not field.init:
            continue
        write(value, field.converter(content) if field.converter else content)
    # Validators come after all fields, as attrs has them: one may look at a field that is declared later.
    for field, _ in writers:
        if field.validator is not None:
            field.validator(value, field, getattr(value, field.name))
    if hasattr(plan.cls, "__attrs_post_init__"):
        value.__attrs_post_init__()
    if plan.hashes_once:
        plan.setter(CACHED_HASH)(value, None)
    if issubclass(plan.cls, BaseException):
        BaseException.__init__(value, *(getattr(value, field.name) for field, _ in writers if field.init))
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
    # `shown_fields` has made the constructor of readers the one of everybody.
    for method in ("__init__", "__attrs_init__") if name == "__attrs_init__" else (name,):
        if vars(plan.cls).get(method) is placeholder:
            type.__setattr__(plan.cls, method, made)
    return made


def shared_eq(self: Any, other: object) -> Any:
    return _compiled(self, "__eq__", shared_eq)(self, other)


def shared_hash(self: Any) -> int:
    hashed: int = _compiled(self, "__hash__", shared_hash)(self)
    return hashed


def _compiled(value: Any, method: str, shared: Callable[..., Any]) -> Callable[..., Any]:
    """Return the *method* of the class that has the *shared* one for *value*, compiled and set on that class."""
    # Another thread may have replaced the method since it was called; then the class has the compiled one.
    home = next((cls for cls in type(value).__mro__ if vars(cls).get(method) is shared), None)
    if home is None:
        return getattr(type(value), method)  # type: ignore[no-any-return]
    plan: ClassPlan = vars(home)[PLAN]
    # A field with eq=str is compared by its text.
    scope: dict[str, Any] = {f"__key_{field.name}": field.eq_key for field in plan.fields if field.eq_key}
    if method == "__eq__":
        tests = [f"{_part(field, 'self')} == {_part(field, 'other')}" for field in plan.fields if field.eq]
        result = f"({' and '.join(tests) or True}) if other.__class__ is self.__class__ else NotImplemented"
        code = f"def made(self, other):\n    return {result}"
    else:
        hashed = [field for field in plan.fields if (field.eq if field.hash is None else field.hash)]
        # The class's name comes first: values of two classes with equal fields get different hashes.
        made = f"hash(({', '.join([repr(home.__qualname__), *(_part(field, 'self') for field in hashed)])},))"
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
SIGNATURE: Final = _Signature()
# All uncompiled constructors are closures of one function, and share its code: by this they are told from compiled
# ones.
_UNCOMPILED: Final = constructor(ClassPlan((), [], False), "").__code__


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
