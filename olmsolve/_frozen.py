"""A quicker constructor for frozen values that are made by the thousand.

The one that attrs makes for a frozen class calls ``object.__setattr__`` for each field, which looks the name up in
the class each time. The descriptor of the slot, found once, does the same in two thirds of the time, and touches
less memory, which is what counts where a request is the first after much other work.
"""

from __future__ import annotations

from typing import Any, TypeVar

import attrs

__all__ = ["quickly_made"]

_C = TypeVar("_C", bound=type)


def quickly_made(cls: _C) -> _C:
    """Let the constructor of *cls* write its slots directly; all else stays as attrs has made it.

    *cls* is made by ``attrs.frozen``, has slots, and takes its fields as they come: nothing converts or checks them,
    and defaults are values. Raises TypeError for another class.
    """
    parameters, lines, scope = ["self"], [], dict[str, Any]()
    for field in attrs.fields(cls):
        plain = field.init and field.validator is None and field.converter is None and not field.kw_only
        if not plain or isinstance(field.default, attrs.Factory) or field.name not in cls.__dict__:  # type: ignore[arg-type]
            raise TypeError(f"{cls.__name__}.{field.name} is more than a value in a slot")
        scope[f"set_{field.name}"] = cls.__dict__[field.name].__set__
        scope[f"default_{field.name}"] = field.default
        given = "" if field.default is attrs.NOTHING else f"=default_{field.name}"
        parameters.append(f"{field.alias}{given}")
        lines.append(f"    set_{field.name}(self, {field.alias})")
    if hasattr(cls, "__attrs_post_init__") or hasattr(cls, "__attrs_pre_init__"):
        raise TypeError(f"{cls.__name__} does more than take its fields")
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines), scope)  # noqa: S102 - names of fields only
    made, before = scope["__init__"], cls.__dict__["__init__"]
    for name in ("__annotations__", "__doc__", "__module__", "__qualname__"):
        setattr(made, name, getattr(before, name))
    setattr(cls, "__init__", made)  # noqa: B010 - mypy knows that this is not done
    return cls
