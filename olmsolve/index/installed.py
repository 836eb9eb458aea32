"""The installed operators of one request: a virtual catalog without channels, ordered by name."""

from __future__ import annotations

from collections.abc import Iterable

from olmsolve.catalog import GVK, Property, Published, published
from olmsolve.errors import ConstraintError
from olmsolve.index.originals import Fault, groups_of
from olmsolve.predicates import InPackage, Predicate, ProvidesGVK, Requirement, requirements

__all__ = ["InstalledIndex"]


class InstalledIndex:
    """Operators given as (name, version or "", properties), numbered by name."""

    def __init__(self, operators: Iterable[tuple[str, str, tuple[Property, ...]]]) -> None:
        ordered = sorted(operators, key=lambda operator: operator[0])
        self.names = [name for name, _, _ in ordered]
        self.versions = [version for _, version, _ in ordered]
        self.published: list[Published] = [
            published("", properties, version=version or None) for _, version, properties in ordered
        ]
        self.places = {name: place for place, name in enumerate(self.names)}
        self._by_gvk: dict[GVK, list[int]] = {}
        self._by_package: dict[str, list[int]] = {}
        for place, facts in enumerate(self.published):
            for gvk in facts.gvks:
                self._by_gvk.setdefault(gvk, []).append(place)
            for package in dict(facts.packages):
                self._by_package.setdefault(package, []).append(place)
        self._requirements: dict[int, tuple[Requirement, ...] | Fault] = {}

    def __len__(self) -> int:
        return len(self.names)

    def groups(self, number: int) -> tuple[str, ...]:
        """The at-most-one groups of the operator: see :func:`~olmsolve.index.groups_of`."""
        return groups_of(self.published[number])

    def requires(self, number: int) -> tuple[Requirement, ...] | Fault:
        """The operator's requirements in the order of its properties, or why they do not parse."""
        known = self._requirements.get(number)
        if known is None:
            try:
                known = requirements(self.published[number].properties)
            except ConstraintError as error:
                known = Fault("", "", self.names[number], error.path, error.reason, "")
            self._requirements[number] = known
        return known

    def candidates(self, predicate: Predicate) -> list[int]:
        """The operators that meet *predicate*, by name."""
        if isinstance(predicate, ProvidesGVK):
            return self._by_gvk.get(predicate.gvk, [])
        places: Iterable[int] = range(len(self.published))
        if isinstance(predicate, InPackage):
            places = self._by_package.get(predicate.package, ())
        return [place for place in places if predicate.test(self.published[place])]
