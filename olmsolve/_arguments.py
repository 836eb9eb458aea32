"""Checks of what callers pass: a wrong type is a RequestError that names the field, before anything is done with it.

Messages name types with the article that their first letter asks for, and counts in the plural. Deprecated names and
arguments work as before, and say what takes their place (docs/stability.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import olmsolve._attrs as attrs
from olmsolve.errors import RequestError


def with_article(noun: str) -> str:
    """Return *noun* with its article: "a dict", "an int"."""
    return f"{'an' if noun[:1].lower() in {'a', 'e', 'i', 'o', 'u'} else 'a'} {noun}"


def type_with_article(value: object) -> str:
    """Return the name of the type of *value* with its article; None is "None"."""
    return "None" if value is None else with_article(type(value).__name__)


def counted(count: int, noun: str) -> str:
    """Return *count* and *noun*, in the plural unless *count* is 1: ``1 bundle``, ``1,200 bundles``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def first_of(names: Sequence[str], most: int) -> str:
    """Return the first *most* of *names*, and how many more there are: ``a, b and 3 more``."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def warn_deprecated(name: str, instead: str) -> None:
    """Warn the caller's caller that *name* is deprecated in favour of *instead*."""
    import warnings  # few programs pass what is deprecated

    warnings.warn(f"{name} is deprecated; use {instead}", DeprecationWarning, stacklevel=3)


T = TypeVar("T")


def wrong_type(value: object, wanted: str, field: str, hint: str = "") -> RequestError:
    """Return the error that *value* is not *wanted*, such as "a Source"."""
    return RequestError(f"must be {wanted}, not {type_with_article(value)}", field=field, hint=hint)


def must_be(value: object, kind: str, field: str) -> None:
    """Raise RequestError unless *value* is an instance of the class whose name is *kind*, or of a subclass.

    Names of classes are unique in the package. By name, a function that prints answers need not import their classes.
    """
    # Nearly all are of the class itself, which is asked in a tenth of the time of walking its bases.
    if type(value).__name__ != kind and not any(base_class.__name__ == kind for base_class in type(value).__mro__):
        raise wrong_type(value, "text" if kind == "str" else with_article(kind), field)


def every(values: object, kind: type[T], field: str) -> tuple[T, ...]:
    """Return *values* as a tuple. Raises RequestError unless it is an iterable of *kind*; text is one value."""
    wanted = "text" if kind is str else kind.__name__
    if isinstance(values, str):
        several = "a list of names" if kind is str else "several"
        raise RequestError(f"must be {several}, not one text", field=field, hint=f"[{values!r}]")
    is_single = kind is not object and isinstance(values, kind)
    if is_single or not isinstance(values, Iterable) or isinstance(values, bytes):
        raise wrong_type(values, f"several ({wanted})", field, "put it in a list" if is_single else "")
    members = tuple(values)
    for position, value in enumerate(members):
        if not isinstance(value, kind):
            raise wrong_type(value, "text" if kind is str else with_article(wanted), f"{field}[{position}]")
    return members


def must_be_whole(value: object, field: str, least: int | None = None) -> None:
    """Raise RequestError unless *value* is a whole number, of *least* or more."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise wrong_type(value, "a whole number", field)
    if least is not None and value < least:
        raise RequestError(f"must be {least} or more, not {value}", field=field)


def is_text(_: object, field: attrs.Attribute[Any], value: object) -> None:
    """Raise RequestError unless *value* is text; a validator of attrs."""
    if not isinstance(value, str):
        hint = "put it in quotes" if isinstance(value, int | float) else '"" means none' if value is None else ""
        raise wrong_type(value, "text", field.name, hint)


def is_name(_: object, field: attrs.Attribute[Any], value: object) -> None:
    """Raise RequestError unless *value* is text that is not empty; a validator of attrs."""
    if value is None:
        raise wrong_type(value, "text", field.name)
    is_text(_, field, value)
    if not value:
        raise RequestError("must not be empty", field=field.name)


def is_text_or_none(_: object, field: attrs.Attribute[Any], value: object) -> None:
    """Raise RequestError unless *value* is text or None; a validator of attrs."""
    if value is not None and not isinstance(value, str):
        raise wrong_type(value, "text", field.name)


def is_name_or_none(_: object, field: attrs.Attribute[Any], value: object) -> None:
    """Raise RequestError unless *value* is None, or text that is not empty; a validator of attrs."""
    if value is not None:
        is_name(_, field, value)


def is_flag(_: object, field: attrs.Attribute[Any], value: object) -> None:
    """Raise RequestError unless *value* is True or False; a validator of attrs."""
    if not isinstance(value, bool):
        raise wrong_type(value, "True or False", field.name)


def is_number(_: object, field: attrs.Attribute[Any], value: object) -> None:
    """Raise RequestError unless *value* is a whole number; a validator of attrs."""
    must_be_whole(value, field.name)


def is_object(_: object, field: attrs.Attribute[Any], value: object) -> None:
    """Raise RequestError unless *value* is a mapping; the keys of a dict must be text. A validator of attrs."""
    if type(value) is dict:
        by_name(value, field.name, object, "fields by their names")
    elif not isinstance(value, Mapping):
        raise wrong_type(value, "a mapping of fields by their names", field.name)


def is_test_or_none(_: object, field: attrs.Attribute[Any], value: object) -> None:
    """Raise RequestError unless *value* is None or can be called, with a candidate; a validator of attrs."""
    if value is not None and not callable(value):
        raise wrong_type(value, "a function of a candidate", field.name)


def is_a(kind: type) -> Callable[[object, attrs.Attribute[Any], object], None]:
    """Return a validator of attrs that raises RequestError unless a value is a *kind*."""

    def check(_: object, field: attrs.Attribute[Any], value: object) -> None:
        if not isinstance(value, kind):
            raise wrong_type(value, with_article(kind.__name__), field.name)

    return check


def by_name(values: object, field: str, kind: type[T], what: str) -> dict[str, T]:
    """Return a copy of the mapping *values*. Raises RequestError unless it has a *kind* under each name.

    *what* says in a message what the mapping holds, such as "labels by their names".
    """
    if not isinstance(values, Mapping):
        raise wrong_type(values, f"a mapping of {what}", field)
    for name, value in values.items():
        if not isinstance(name, str):
            raise RequestError(f"has the key {name!r:.40}, which is not text", field=field)
        if not isinstance(value, kind):
            wanted = {str: "text", bool: "True or False"}.get(kind) or with_article(kind.__name__)
            raise wrong_type(value, wanted, f"{field}[{name!r}]")
    return dict(values)
