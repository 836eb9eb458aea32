"""The requirements of bundles, parsed once for each distinct property.

Versions of an operator mostly require the same: real catalogs have one distinct requirement for forty bundles or more.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import olmsolve._attrs as attrs
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
from olmsolve.semver import reading_by

if TYPE_CHECKING:
    from olmsolve.semver import VersionScheme


class RequirementTable:
    """The requirements that the columns of an index hold, each parsed when it is first asked for."""

    def __init__(self, columns: Packed, scheme: VersionScheme | None = None) -> None:
        self._columns = columns
        self._scheme = scheme
        self._predicates: dict[int, Predicate] = {}
        self._lists: dict[int, tuple[Requirement, ...]] = {}
        self._held: dict[int, tuple[Requirement, ...]] = {}

    def parsed(self, number: int) -> tuple[Requirement, ...]:
        """Return the requirements of a list.

        Raises :class:`~olmsolve.errors.ConstraintError` for the first that does not parse, each time.
        """
        if not number:
            return ()  # list 0 is empty
        parsed = self._lists.get(number)
        if parsed is None:
            columns = self._columns
            start, end = columns.requires_starts[number], columns.requires_starts[number + 1]
            pairs = zip(columns.requires_requirement[start:end], columns.requires_property[start:end], strict=True)
            with reading_by(self._scheme):
                parsed = self._lists[number] = tuple(
                    [self._requirement(json_text, property_) for json_text, property_ in pairs]
                )
        return parsed

    def of_odd_bundle(self, bundle: int, properties: Iterable[Property]) -> tuple[Requirement, ...]:
        """Return the requirements of a bundle whose *properties* the columns cannot hold."""
        parsed = self._held.get(bundle)
        if parsed is None:
            with reading_by(self._scheme):
                parsed = self._held[bundle] = requirements(properties)
        return parsed

    def _requirement(self, number: int, property_: int) -> Requirement:
        type_ = self._columns.string(self._columns.requirement_type[number])
        predicate = self._predicates.get(number)
        if predicate is None:
            try:
                predicate = self._in_package(type_, number) or _predicate(type_, self.value(number))
            except ConstraintError as error:
                # The same property stands at another position in each bundle.
                path = error.path.replace("properties[0]", f"properties[{property_}]", 1)
                raise attrs.evolve(error, path=path) from None
            self._predicates[number] = predicate
        return Requirement(predicate, type_, property_)

    def _in_package(self, type_: str, number: int) -> InPackage | None:
        """Return what :func:`required` gives for a plain package requirement, without a dict and its checks.

        None for all others, wrong ones among them: :func:`required` takes them, or says what is wrong.
        """
        if type_ != PACKAGE_REQUIRED or self._columns.requirement_json[number]:
            return None
        columns = self._columns
        listed = columns.requirement_fields[number]
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

    def value(self, number: int) -> Any:
        """Return the value of the property that states a requirement.

        Raises :class:`~olmsolve.errors.ConstraintError` where a file was made to hold something else.
        """
        columns = self._columns
        text = columns.requirement_json[number]
        if text:
            try:
                return json.loads(columns.string(text))
            except (ValueError, RecursionError):
                raise ConstraintError(_NO_REQUIREMENT, "properties[0]") from None
        fields = iter(columns.texts(columns.requirement_fields[number]))
        return dict(zip(fields, fields, strict=False))


_NO_REQUIREMENT: Final = "the index holds no requirement here"


def _predicate(type_: str, value: Any) -> Predicate:
    if type_ not in REQUIREMENT_TYPES:
        raise ConstraintError(_NO_REQUIREMENT, "properties[0]")
    return required(type_, value)
