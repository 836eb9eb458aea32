"""ClusterState: the objects of a cluster, found by kind, namespace and name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeVar, cast

import attrs

from olmsolve.cluster.objects import ClusterObject, Namespace, OtherObject
from olmsolve.errors import ManifestError

__all__ = ["ClusterState"]

T = TypeVar("T", bound=ClusterObject)

_ByName = Mapping[str, ClusterObject]
_ByNamespace = Mapping[str, _ByName]
_NOTHING: Final[_ByNamespace] = {}


@attrs.frozen(repr=False)
class ClusterState:
    """An immutable collection of objects; changes return a new one, which shares what is unchanged.

    Objects of one kind come sorted by namespace and name, whatever the order in which they were given.
    *others* are objects of kinds that are not interpreted, in the order given. ``ClusterState()`` is empty;
    :meth:`of` makes one from objects.
    """

    _kinds: Mapping[type[ClusterObject], _ByNamespace] = attrs.field(factory=dict)
    others: tuple[OtherObject, ...] = ()

    @classmethod
    def of(cls, objects: Iterable[ClusterObject]) -> ClusterState:
        """The state that *objects* make, in time linear in their number (but for the sorting).

        Raises:
            ManifestError: two different objects of one kind, namespace and name. The same object may be given twice.
        """
        kinds: dict[type[ClusterObject], dict[str, dict[str, ClusterObject]]] = {}
        others: list[OtherObject] = []
        for item in objects:
            if isinstance(item, OtherObject):
                others.append(item)
                continue
            names = kinds.setdefault(type(item), {}).setdefault(item.namespace if item.NAMESPACED else "", {})
            present = names.setdefault(item.name, item)
            if present is not item:
                _refuse_difference(present, item)
        ordered = {
            kind: {namespace: dict(sorted(names.items())) for namespace, names in sorted(namespaces.items())}
            for kind, namespaces in kinds.items()
        }
        return cls(ordered, tuple(others))

    def __repr__(self) -> str:
        return f"<ClusterState: {', '.join(f'{count} {kind}' for kind, count in self.counts().items()) or 'empty'}>"

    def __iter__(self) -> Iterator[ClusterObject]:
        """All objects that are interpreted, kind by kind."""
        for kind in sorted(self._kinds, key=lambda kind: kind.KIND):
            yield from self.all(kind)

    def all(self, kind: type[T], namespace: str | None = None) -> tuple[T, ...]:
        """The objects of *kind*, of *namespace* or of all namespaces, by namespace and name."""
        found = self._kinds.get(kind, _NOTHING)
        if namespace is not None:
            return cast("tuple[T, ...]", tuple(found.get(namespace, {}).values()))
        return cast("tuple[T, ...]", tuple(item for names in found.values() for item in names.values()))

    def get(self, kind: type[T], namespace: str, name: str) -> T | None:
        """One object; *namespace* is "" for what belongs to the whole cluster."""
        return cast("T | None", self._kinds.get(kind, _NOTHING).get(namespace, {}).get(name))

    def namespaces(self) -> tuple[str, ...]:
        """The names of all namespaces: those given as objects, and those in which there are objects."""
        names = {item.name for item in self.all(Namespace)}
        for namespaces in self._kinds.values():
            names.update(namespaces)
        return tuple(sorted(names - {""}))

    def counts(self) -> dict[str, int]:
        """How many objects there are of each kind, by the kind's name; those not interpreted included."""
        counts = Counter(item.kind for item in self.others)
        for kind, namespaces in self._kinds.items():
            counts[kind.KIND] += sum(len(names) for names in namespaces.values())
        return dict(sorted(item for item in counts.items() if item[1]))

    def having(self, *objects: ClusterObject) -> ClusterState:
        """This state with *objects* added, or put in the place of those of the same kind and name."""
        return self._changed(objects, ())

    def without(self, *objects: ClusterObject) -> ClusterState:
        """This state without the objects of the kinds and names of *objects*; those not there count for nothing."""
        return self._changed((), objects)

    def _changed(self, added: Iterable[ClusterObject], removed: Iterable[ClusterObject]) -> ClusterState:
        touched: dict[tuple[type[ClusterObject], str], dict[str, ClusterObject]] = {}

        def names_of(item: ClusterObject) -> dict[str, ClusterObject]:
            where = (type(item), item.namespace if item.NAMESPACED else "")
            if where not in touched:
                touched[where] = dict(self._kinds.get(where[0], _NOTHING).get(where[1], {}))
            return touched[where]

        others = list(self.others)
        for item in removed:
            if isinstance(item, OtherObject):
                others = [other for other in others if not _same_other(other, item)]
            else:
                names_of(item).pop(item.name, None)
        for item in added:
            if isinstance(item, OtherObject):
                others = [other for other in others if not _same_other(other, item)]
                others.append(item)
            else:
                names_of(item)[item.name] = item
        kinds: dict[type[ClusterObject], _ByNamespace] = dict(self._kinds)
        for (kind, namespace), names in touched.items():
            changed = {**kinds.get(kind, _NOTHING), namespace: dict(sorted(names.items()))}
            kinds[kind] = {key: changed[key] for key in sorted(changed) if changed[key]}
        return ClusterState({kind: found for kind, found in kinds.items() if found}, tuple(others))


def _same_other(one: OtherObject, other: OtherObject) -> bool:
    return (one.api_version, one.kind, one.key) == (other.api_version, other.kind, other.key)


def _refuse_difference(present: ClusterObject, item: ClusterObject) -> None:
    if present == item and present.raw == item.raw:
        return
    first = f" as in {present.origin}" if present.origin is not None else ""
    raise ManifestError(
        f"is given twice, and not the same{first}",
        source=str(item.origin) if item.origin is not None else "",
        kind=item.KIND,
        object=item.key,
        hint="the objects must be of one cluster at one time",
    )
