"""The catalogs that a namespace sees, with the order of candidates over all of them, and the installed operators.

The slots of the catalogs are numbered through. The operators of one request are a virtual catalog without channels.
"""

from __future__ import annotations

import operator
import sys
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from olmsolve.catalog import Catalog, Source
from olmsolve.catalog.index.candidates import MOST_REMEMBERED
from olmsolve.catalog.index.catalog_index import CatalogIndex, index_of
from olmsolve.catalog.index.facts import Fault, Group, groups_of
from olmsolve.errors import ConstraintError
from olmsolve.predicates import (
    GVK,
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


# A service has one view of the catalogs for each tenant's namespaces; past this many, all are built anew.
_MOST_VIEWS: Final = 64


class Visible:
    """The sources whose namespace is one of *namespaces* (the first is the target), in order of preference.

    Highest priority first; then sources of the target namespace; then by name and namespace. Each slot of each source
    has a number of its own: the source's offset plus the slot's number in the catalog's index. So sources of 10 and 20
    slots have the offsets 0 and 10, and number 12 is slot 2 of the second.
    """

    def __init__(
        self,
        sources: Iterable[Source],
        namespaces: Sequence[str],
        indexed: Callable[[Catalog], CatalogIndex] = index_of,
    ) -> None:
        self._given = tuple(sources), tuple(namespaces)
        self.sources: list[Source] = [source for source in self._given[0] if source.namespace in namespaces]
        if len(self.sources) > 1:
            target = namespaces[0]
            self.sources.sort(key=lambda source: source.rank(target))
        self.indexes: list[CatalogIndex] = []
        self.offsets: list[int] = []
        self.size: int = 0
        self.dense: bool = False
        """Whether the index of one of the catalogs is :attr:`~CatalogIndex.dense`."""
        for source in self.sources:
            index = indexed(source.catalog)
            self.indexes.append(index)
            self.offsets.append(self.size)
            self.size += len(index.columns.slot_bundle)
            self.dense = self.dense or index.dense
        self._candidates: dict[tuple[Predicate, int], tuple[int, ...]] = {}

    @property
    def scheme(self) -> VersionScheme | None:
        """The version scheme that all catalogs share; None where they read semantic versions, or not alike."""
        if len(self.sources) == 1:
            return self.sources[0].catalog.scheme
        schemes = {source.catalog.scheme for source in self.sources}
        return schemes.pop() if len(schemes) == 1 else None

    def shows(self, sources: Sequence[Source], namespaces: Sequence[str]) -> bool:
        """Return whether this view was made of the same *sources* (by identity) and *namespaces*."""
        mine, seen = self._given
        # By identity, in 0.2 µs: to compare catalogs bundle by bundle would take longer than the view, which takes 1.2.
        return seen == tuple(namespaces) and len(mine) == len(sources) and all(map(operator.is_, mine, sources))

    def locate(self, number: int) -> tuple[int, CatalogIndex, int]:
        """Return the position of the source that slot *number* is in, the index of its catalog, and its number there.

        With sources of 10 and 20 slots, slot 12 is ``(1, indexes[1], 2)``.
        """
        if len(self.offsets) == 1:
            # Most requests see one catalog, and this is called for every candidate that is looked at: 0.05 µs, not
            # 0.08.
            return 0, self.indexes[0], number
        position = bisect_right(self.offsets, number) - 1
        return position, self.indexes[position], number - self.offsets[position]

    def find(self, name: str, namespace: str) -> int | None:
        """Return the position of the source of this name; None if it is not visible."""
        for position, source in enumerate(self.sources):
            if source.name == name and source.namespace == namespace:
                return position
        return None

    def group(self, predicate: Predicate) -> Group | None:
        """Return an at-most-one group of which all candidates of *predicate* are members, if there is one.

        See :func:`~olmsolve.catalog.index.groups_of`.
        """
        if predicate.all_of:
            return next(filter(None, map(self.group, predicate.all_of)), None)
        fact = predicate.fact
        if fact is None:
            return None
        if isinstance(fact.value, GVK):
            return Group.of_api(fact.value)
        return self.package_group(fact.value) if fact.kind == "package" else None

    def package_group(self, package: str) -> Group | None:
        """Return the at-most-one group of *package*; None where a bundle counts as the package's and is no member."""
        for index in self.indexes:
            if not index.declares(package):
                return None
        return Group("package", package)

    def candidates(self, predicate: Predicate, position: int) -> tuple[int, ...]:
        """Return the numbers of the slots that meet *predicate*, most wanted first.

        They are for a bundle of the source at *position* (-1: an installed operator, or the request itself): its own
        catalog comes first, then the other catalogs, by preference.
        """
        if self.offsets == [0]:
            # One catalog: its own numbers, which its index remembers.
            return self.indexes[0].candidates(predicate)
        key = predicate, position
        candidates = self._candidates.get(key)
        if candidates is None:
            if len(self._candidates) >= MOST_REMEMBERED:
                self._candidates.clear()
            candidates = self._candidates[key] = tuple(self._ordered(predicate, position))
        return candidates

    def narrowed(self, predicate: Predicate | None) -> Iterator[int]:
        """Yield numbers of slots among which all candidates that meet *predicate* are, catalog by catalog."""
        for offset, index in zip(self.offsets, self.indexes, strict=True):
            for slot in index.narrowed(predicate):
                yield offset + slot

    def warm(self, packages: Collection[str] | None) -> None:
        """Make what requests look up: of the bundles of *packages*, or of all; with the candidates of requirements."""
        for position, index in enumerate(self.indexes):
            for predicate in index.warm(packages):
                self.candidates(predicate, position)
                self.group(predicate)

    def _ordered(self, predicate: Predicate, position: int) -> Iterable[int]:
        order = [position] if position >= 0 else []
        order += [other for other in range(len(self.sources)) if other != position]
        for source in order:
            offset = self.offsets[source]
            for number in self.indexes[source].candidates(predicate):
                yield offset + number


class Views:
    """The views of *sources* by namespaces, each made once.

    Where the interpreter runs threads side by side, each thread has views of its own, over indexes whose columns are
    copies. Threads that use the same objects wait for each other, because each counts the references to them: on two
    cores, 8 threads over one index took 2.3 to 5.8 times the processor time of one thread for the same answers; with
    indexes of their own, 1.1 times.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self.kept: _Kept | _OfThread = _Kept() if has_lock() else _OfThread()
        # The packages that each thread with views of its own has to warm, by namespaces: packages, or None for all.
        self._warmed: dict[tuple[str, ...], Collection[str] | None] = {}

    def seen_from(self, namespaces: tuple[str, ...]) -> Visible:
        """Return the view of *namespaces*, the first of which is the target."""
        kept = self.kept
        visible = kept.views.get(namespaces)
        if visible is None:
            if len(kept.views) >= _MOST_VIEWS:
                kept.views.clear()
            visible = kept.views[namespaces] = Visible(self._sources, namespaces, kept.index)
            if namespaces in self._warmed and isinstance(kept, _OfThread):
                visible.warm(self._warmed[namespaces])
        return visible

    def warm(self, namespaces: tuple[str, ...], packages: Collection[str] | None) -> None:
        """Warm the view of *namespaces*. A thread that makes views of its own warms them when it makes them."""
        self.seen_from(namespaces).warm(packages)
        before = self._warmed.get(namespaces, ())
        self._warmed[namespaces] = None if packages is None or before is None else {*before, *packages}


class _Kept:
    """The views that all threads share, over the indexes of the catalogs."""

    def __init__(self) -> None:
        self.views: dict[tuple[str, ...], Visible] = {}

    def index(self, catalog: Catalog) -> CatalogIndex:
        """Return the index of *catalog*."""
        return index_of(catalog)


class _OfThread:
    """The views of each thread, over indexes of its own; they go with the thread."""

    def __init__(self) -> None:
        import threading  # commands run on interpreters with one lock, and need nothing of it

        self._own = threading.local()

    @property
    def views(self) -> dict[tuple[str, ...], Visible]:
        """The views of the thread that asks."""
        views: dict[tuple[str, ...], Visible] = vars(self._own).setdefault("views", {})
        return views

    def index(self, catalog: Catalog) -> CatalogIndex:
        """Return the thread's own index of *catalog*."""
        # The sources of the resolver keep the catalogs alive, so their identities are theirs alone.
        indexes: dict[int, CatalogIndex] = vars(self._own).setdefault("indexes", {})
        index = indexes.get(id(catalog))
        if index is None:
            shared = index_of(catalog)
            index = indexes[id(catalog)] = CatalogIndex(catalog, shared.columns.copied(), shared.originals)
        return index


def has_lock() -> bool:
    """Return whether the interpreter runs one thread at a time."""
    # Python 3.13 and later can be built without the lock.
    return bool(getattr(sys, "_is_gil_enabled", lambda: True)())


_NAME: Final = itemgetter(0)


class InstalledIndex:
    """Operators given as (name, version or "", properties), numbered by name; *scheme* reads their versions."""

    def __init__(
        self, operators: Iterable[tuple[str, str, tuple[Property, ...]]], scheme: VersionScheme | None = None
    ) -> None:
        self._scheme = scheme
        self.names: list[str] = []
        self.versions: list[str] = []
        self.published: list[Published] = []
        ordered = sorted(operators, key=_NAME)
        if ordered:
            with reading_by(scheme):
                for name, version, properties in ordered:
                    self.names.append(name)
                    self.versions.append(version)
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
        fact = predicate.fact  # made anew each time
        numbers: Sequence[int] = range(len(self.published)) if fact is None else self._stating.get(fact, ())
        return [number for number in numbers if predicate.is_fact or predicate.test(self.published[number])]

    @cached_property
    def _stating(self) -> dict[Fact, list[int]]:
        """The operators that state each fact."""
        stating: dict[Fact, list[int]] = {}
        for number, facts in enumerate(self.published):
            for fact in dict.fromkeys(facts.facts()):
                stating.setdefault(fact, []).append(number)
        return stating
