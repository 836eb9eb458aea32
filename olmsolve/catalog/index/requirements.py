"""What bundles require, parsed once for each distinct property."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

import attrs

from olmsolve.catalog.index.packed import Packed
from olmsolve.errors import ConstraintError, RangeError
from olmsolve.predicates import (
    PACKAGE_FIELDS,
    PACKAGE_REQUIRED,
    REQUIREMENT_TYPES,
    InPackage,
    Predicate,
    Property,
    Requirement,
    in_package,
    required,
    requirements,
)

__all__ = ["RequirementTable"]


class RequirementTable:
    """The requirements that the columns of an index hold, each worked out when it is first asked for."""

    def __init__(self, columns: Packed) -> None:
        self._columns = columns
        self._predicates: dict[int, Predicate] = {}
        self._lists: dict[int, tuple[Requirement, ...]] = {}
        self._held: dict[int, tuple[Requirement, ...]] = {}

    def parsed(self, number: int) -> tuple[Requirement, ...]:
        """The requirements of a list of them.

        Raises :class:`~olmsolve.errors.ConstraintError` for the first that does not parse, each time.
        """
        if not number:
            return ()  # list 0 is empty
        known = self._lists.get(number)
        if known is None:
            columns = self._columns
            start, end = columns.requires_starts[number], columns.requires_starts[number + 1]
            pairs = zip(columns.requires_what[start:end], columns.requires_place[start:end], strict=True)
            known = self._lists[number] = tuple(self._requirement(what, place) for what, place in pairs)
        return known

    def held(self, bundle: int, properties: Iterable[Property]) -> tuple[Requirement, ...]:
        """The requirements of a bundle whose *properties* the columns cannot hold."""
        known = self._held.get(bundle)
        if known is None:
            known = self._held[bundle] = requirements(properties)
        return known

    def _requirement(self, what: int, place: int) -> Requirement:
        type_ = self._columns.string(self._columns.requirement_type[what])
        predicate = self._predicates.get(what)
        if predicate is None:
            try:
                predicate = self._in_package(type_, what) or _predicate(type_, self.value(what))
            except ConstraintError as error:
                # Told again with the place that the property has in this bundle.
                raise attrs.evolve(error, path=error.path.replace("properties[0]", f"properties[{place}]", 1)) from None
            self._predicates[what] = predicate
        return Requirement(predicate, type_, place)

    def _in_package(self, type_: str, what: int) -> InPackage | None:
        """What :func:`required` gives for a plain package requirement; None for others, wrong ones among them."""
        if type_ != PACKAGE_REQUIRED or self._columns.requirement_json[what]:
            return None
        columns = self._columns
        listed = columns.requirement_fields[what]
        start, string = columns.texts_starts[listed], columns.string
        if columns.texts_starts[listed + 1] - start != 4:
            return None
        name_field, name, range_field, versions = columns.texts_string[start : start + 4]
        if (string(name_field), string(range_field)) != PACKAGE_FIELDS:
            return None
        try:
            return in_package(string(name), string(versions))
        except RangeError:
            return None

    def value(self, what: int) -> Any:
        """The value of the property that states a requirement.

        Raises :class:`~olmsolve.errors.ConstraintError` where a file was made to hold something else.
        """
        columns = self._columns
        text = columns.requirement_json[what]
        if text:
            try:
                return json.loads(columns.string(text))
            except (ValueError, RecursionError):
                raise ConstraintError(_NOT_ONE, "properties[0]") from None
        fields = iter(columns.texts(columns.requirement_fields[what]))
        return dict(zip(fields, fields, strict=False))


_NOT_ONE: Final = "the index holds no requirement here"


def _predicate(type_: str, value: Any) -> Predicate:
    if type_ not in REQUIREMENT_TYPES:
        raise ConstraintError(_NOT_ONE, "properties[0]")
    return required(type_, value)
