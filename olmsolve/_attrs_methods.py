"""Fields and methods of the classes that :mod:`olmsolve._attrs` makes; a method is compiled when it is first called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import Any, Final

PLAN: Final = "__attrs_plan__"


CACHED_HASH: Final = "_attrs_cached_hash"


class Nothing:
    """The default of a field that has none, and of an argument that is not given."""

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

    @classmethod
    def of(cls, attribute: Any) -> ClassField:
        """Return the field that an attribute of attrs describes."""
        import attrs

        default = attribute.default
        if default is attrs.NOTHING:
            default = NOTHING
        elif isinstance(default, attrs.Factory):  # type: ignore[arg-type]
            default = Factory(default.factory, default.takes_self)
        names = ("validator", "repr", "hash", "init", "metadata", "converter", "kw_only", "alias")
        made = cls(
            attribute.name, attribute.type, default=default, **{name: getattr(attribute, name) for name in names}
        )
        for name in ("eq", "eq_key", "order", "order_key", "inherited"):
            setattr(made, name, getattr(attribute, name))
        return made

    def as_inherited(self) -> ClassField:
        """Return a copy for a subclass."""
        if self.inherited:
            return self
        copy = ClassField.__new__(ClassField)
        for name in ClassField.__slots__:
            setattr(copy, name, getattr(self, name))
        copy.inherited = True
        return copy

    def for_attrs(self) -> dict[str, Any]:
        """Return the arguments of ``attrs.Attribute`` for the same field."""
        import attrs

        said = {name: getattr(self, name) for name in ClassField.__slots__}
        if self.default is NOTHING:
            said["default"] = attrs.NOTHING
        elif isinstance(self.default, Factory):
            said["default"] = attrs.Factory(self.default.factory, self.default.takes_self)  # type: ignore[call-overload]
        return said


def all_of(validators: Any) -> Callable[[Any, Any, Any], None]:
    def check(value: Any, field: Any, given: Any) -> None:
        for validator in validators:
            validator(value, field, given)

    return check


class ClassPlan:
    """The plan of a class: its fields, the functions that set its slots, and whether it keeps its hash."""

    __slots__ = ("cls", "fields", "hashes_once", "setters")

    def __init__(self, fields: tuple[ClassField, ...], hashes_once: bool) -> None:
        self.fields = fields
        self.hashes_once = hashes_once
        self.setters: dict[str, Callable[[Any, Any], None]] = {}
        self.cls: Any = None

    def setter(self, name: str) -> Callable[[Any, Any], None]:
        """Return the function that sets the slot *name* of a value of the class, even where it is frozen."""
        for cls in self.cls.__mro__:
            plan = vars(cls).get(PLAN)
            if plan is not None and name in plan.setters:
                return plan.setters[name]  # type: ignore[no-any-return]
            if isinstance(vars(cls).get(name), MemberDescriptorType):
                return vars(cls)[name].__set__  # type: ignore[no-any-return]
        return lambda value, given: object.__setattr__(value, name, given)


def constructor(plan: ClassPlan, name: str) -> Callable[..., None]:
    """Return the constructor of the class of *plan*, which is compiled when it is first called."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:  # noqa: N807 - its name in tracebacks
        _compile_constructor(plan, name)(self, *values, **named)

    return __init__


def _compile_constructor(plan: ClassPlan, name: str) -> Callable[..., None]:
    """Return the constructor *name* of the class of *plan*, compiled and set on the class."""
    scope: dict[str, Any] = {"NOTHING": NOTHING}
    places: list[str] = []
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
            (named if field.kw_only else places).append(alias + default)
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
    parameters = ", ".join(["self", *places, *(["*", *named] if named else [])])
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
                f"def made(self):\n    found = self.{CACHED_HASH}\n    if found is None:\n"
                f"        found = {made}\n        __keep(self, found)\n    return found"
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
            object.__setattr__(self, field.name, given[field.name])
    if any(plan.hashes_once for plan in _plans(type(self))):
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
        import attrs

        plan = next(_plans(cls))
        made = _named([attrs.Attribute(cmp=None, **field.for_attrs()) for field in plan.fields])  # type: ignore[call-arg]
        type.__setattr__(plan.cls, "__attrs_attrs__", made)
        return made


class _Signature:
    """The signature of the class for ``inspect``, which would show the arguments of an uncompiled constructor."""

    def __get__(self, value: object, cls: type) -> Any:
        plan = next(_plans(cls))
        if value is None and plan.cls is not None:
            for name in ("__attrs_init__", "__init__"):
                if getattr(vars(plan.cls).get(name), "__code__", None) is _UNCOMPILED:
                    _compile_constructor(plan, name)
            constructor = cls.__init__  # type: ignore[misc]
            if constructor is vars(plan.cls).get("__attrs_init__"):
                from inspect import signature

                whole = signature(constructor)
                shown = [
                    parameter
                    for name, parameter in whole.parameters.items()
                    if not name.startswith("_") and name != "self"
                ]
                return whole.replace(parameters=shown)
        raise AttributeError("__signature__")


AS_ATTRS: Final = _AsAttrs()


SIGNATURE: Final = _Signature()


_UNCOMPILED: Final = constructor(ClassPlan((), False), "").__code__


def _named(fields: Any) -> Any:
    """Return *fields* as a tuple that has each as an attribute, too."""
    names = {field.name: property(itemgetter(at)) for at, field in enumerate(fields)}
    return type("Fields", (tuple,), {"__slots__": (), **names})(fields)


def fields_of(cls: Any) -> tuple[ClassField, ...]:
    for base in cls.__mro__:
        space = vars(base)
        if PLAN in space:
            return space[PLAN].fields  # type: ignore[no-any-return]
        if "__attrs_attrs__" in space:
            # Of a class that attrs has made: a frozen tuple, so it is converted once.
            converted = _CONVERTED.get(base)
            if converted is None:
                converted = _CONVERTED[base] = tuple(map(ClassField.of, space["__attrs_attrs__"]))
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
