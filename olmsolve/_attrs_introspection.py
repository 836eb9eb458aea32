"""Fields and signatures as attrs and ``inspect`` read them, of classes that :mod:`olmsolve._attrs` makes.

A module of its own because it imports attrs, which commands do not load.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import attrs

from olmsolve._attrs_fields import NOTHING, ClassField, ClassPlan, Factory


def attributes(plan: ClassPlan) -> Any:
    """Return the fields of *plan* as attrs has them: a tuple that has each as an attribute, too."""
    fields: list[Any] = [attrs.Attribute(cmp=None, **_arguments(field)) for field in plan.fields]  # type: ignore[call-arg]
    names = {field.name: property(itemgetter(at)) for at, field in enumerate(fields)}
    return type("Fields", (tuple,), {"__slots__": (), **names})(fields)


def _arguments(field: ClassField) -> dict[str, Any]:
    """Return the arguments of ``attrs.Attribute`` for *field*."""
    said = {name: getattr(field, name) for name in ClassField.__slots__}
    if field.default is NOTHING:
        said["default"] = attrs.NOTHING
    elif isinstance(field.default, Factory):
        said["default"] = attrs.Factory(field.default.factory, field.default.takes_self)  # type: ignore[call-overload]
    return said


def field_of(attribute: Any) -> ClassField:
    """Return the field that an *attribute* of attrs describes."""
    default = attribute.default
    if default is attrs.NOTHING:
        default = NOTHING
    elif isinstance(default, attrs.Factory):  # type: ignore[arg-type]
        default = Factory(default.factory, default.takes_self)
    names = ("validator", "repr", "hash", "init", "metadata", "converter", "kw_only", "alias")
    made = ClassField(
        attribute.name, attribute.type, default=default, **{name: getattr(attribute, name) for name in names}
    )
    for name in ("eq", "eq_key", "order", "order_key", "inherited"):
        setattr(made, name, getattr(attribute, name))
    return made


def shown_signature(constructor: Any) -> Any:
    """Return the signature of *constructor* without the arguments that readers of files give, which begin with "_"."""
    from inspect import signature

    whole = signature(constructor)
    shown = [parameter for name, parameter in whole.parameters.items() if not name.startswith("_") and name != "self"]
    return whole.replace(parameters=shown)
