"""Checks of the selected bundle: when one refuses it, nothing else is selected in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from olmsolve.catalog import Bundle
from olmsolve.semver.quoting import quote

__all__ = ["Validation", "no_dependencies"]

Validation: TypeAlias = Callable[[Bundle], str]
"""Says why a bundle is refused, "" if it is not."""

_DEPENDENCIES: Final = frozenset({"olm.package.required", "olm.gvk.required", "olm.constraint"})


def no_dependencies(bundle: Bundle) -> str:
    """Refuse a bundle that declares dependencies: OLM v1 installs extensions one by one."""
    for item in bundle.properties:
        if item.type in _DEPENDENCIES:
            declared = f"bundle {quote(bundle.name)} has a dependency declared via property {quote(item.type)}"
            return f"{declared} which is currently not supported"
    return ""
