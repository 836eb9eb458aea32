"""The installed operators of one request: a virtual catalog without channels, ordered by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from olmsolve.catalog.index.groups import Group, groups_of
from olmsolve.catalog.index.originals import Fault
from olmsolve.errors import ConstraintError
from olmsolve.predicates import (
    Fact,
    Predicate,
    Property,
    Published,
    Requirement,
    published,
    requirements,
)
from olmsolve.semver import reading_by

if TYPE_CHECKING:
    from olmsolve.semver import VersionScheme

_NAME: Final = itemgetter(0)


class InstalledIndex:
    """Operators given as (name, version or "", properties), numbered by name; *scheme* is that of their versions."""

    def __init__(
        self, operators: Iterable[tuple[str, str, tuple[Property, ...]]], scheme: VersionScheme | None = None
    ) -> None:
        self._scheme = scheme
        self.names: list[str] = []
        self.versions: list[str] = []
        self.published: list[Published] = []
        for name, version, properties in sorted(operators, key=_NAME):
            self.names.append(name)
            self.versions.append(version)
            with reading_by(scheme):
                self.published.append(published("", properties, version=version or None))
        self._requirements: dict[int, tuple[Requirement, ...] | Fault] = {}

    def __len__(self) -> int:
        return len(self.names)

    def groups(self, number: int) -> tuple[Group, ...]:
        """Return the at-most-one groups of the operator: see :func:`~olmsolve.catalog.index.groups_of`."""
        return groups_of(self.published[number])

    def requires(self, number: int) -> tuple[Requirement, ...] | Fault:
        """Return the operator's requirements in the order of its properties, or the fault if they do not parse."""
        requires = self._requirements.get(number)
        if requires is None:
            try:
                with reading_by(self._scheme):
                    requires = requirements(self.published[number].properties)
            except ConstraintError as error:
                requires = Fault("", "", self.names[number], error.path, error.reason, "", error.excerpt)
            self._requirements[number] = requires
        return requires

    def candidates(self, predicate: Predicate) -> list[int]:
        """Return the operators that meet *predicate*, by name."""
        if not self.published:
            return []
        numbers: Sequence[int] = range(len(self.published))
        if predicate.fact is not None:
            numbers = self._stating.get(predicate.fact, ())
        return [number for number in numbers if predicate.is_fact or predicate.test(self.published[number])]

    @cached_property
    def _stating(self) -> dict[Fact, list[int]]:
        """The operators that state each fact."""
        stating: dict[Fact, list[int]] = {}
        for number, facts in enumerate(self.published):
            for fact in dict.fromkeys(facts.facts()):
                stating.setdefault(fact, []).append(number)
        return stating
