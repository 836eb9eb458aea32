"""The requirements of a bundle: predicates that other bundles have to meet, in the order of its properties."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve.predicates.constraint import (
    CONTROLLER_BYTES,
    PACKAGE_FIELDS,
    constraint_predicate,
    gvk_predicate,
    label_predicate,
    package_predicate,
)
from olmsolve.predicates.json_values import mapping, named
from olmsolve.predicates.model import Predicate
from olmsolve.predicates.properties import Property
from olmsolve.predicates.published_facts import GVK_NAMES, LABEL_NAMES


@attrs.frozen(cache_hash=True)  # a key, as its predicate is
class Requirement:
    """A predicate that a bundle needs to be met, and the property that states it (*property_index* from 0)."""

    predicate: Predicate
    property_type: str
    property_index: int

    @property
    def message(self) -> str:
        """The ``failureMessage`` that the bundle's author gave, or ""."""
        return self.predicate.message

    def __str__(self) -> str:
        return f"{self.predicate} ({self.property_type})"


def requirements(properties: Iterable[Property]) -> tuple[Requirement, ...]:
    """Read the requirements among *properties*, in their order; properties of other types are data.

    Raises:
        ConstraintError: for the first property that does not parse, with a path such as
            ``properties[3] (olm.package.required): versionRange``.

    >>> [requirement] = requirements([Property("olm.label.required", {"label": "certified"})])
    >>> print(requirement)
    the label certified (olm.label.required)
    """
    return tuple(
        Requirement(required(property_.type, property_.value, index), property_.type, index)
        for index, property_ in enumerate(properties)
        if property_.type in _READERS
    )


def required(type_: str, value: Any, index: int = 0) -> Predicate:
    """Return the requirement of a property with *type_*, one of :data:`REQUIREMENT_TYPES`, and *value*.

    Raises:
        ConstraintError: the value does not parse; its path starts with property *index*.
    """
    return _READERS[type_](value, f"properties[{index}] ({type_}): ")


_PACKAGE_NAMES: Final = frozenset(PACKAGE_FIELDS)

PACKAGE_REQUIRED: Final = "olm.package.required"
"""The type of most requirements: a package in a range of versions."""

# OLM decodes only olm.constraint strictly; in the other types, unknown fields and other letter cases pass.
_READERS: Final[dict[str, Callable[[Any, str], Predicate]]] = {
    "olm.gvk.required": lambda value, path: gvk_predicate(named(mapping(value, path), GVK_NAMES), path),
    PACKAGE_REQUIRED: lambda value, path: package_predicate(named(mapping(value, path), _PACKAGE_NAMES), path),
    "olm.label.required": lambda value, path: label_predicate(named(mapping(value, path), LABEL_NAMES), path),
    "olm.constraint": lambda value, path: constraint_predicate(value, path, max_bytes=CONTROLLER_BYTES),
}
REQUIREMENT_TYPES: Final[frozenset[str]] = frozenset(_READERS)
"""The property types that hold requirements."""
