"""ClusterState: the objects of a cluster, which of them are being deleted, and which ones a namespace depends on.

As recorded, OLM treats an object that is being deleted like any other until it is gone: a Subscription that a finalizer
of somebody else keeps is still resolved and updated, an operator still counts as installed. OLM removes its own
finalizer. The API server removes the finalizers of a deletion in the foreground, and of a deletion that leaves
dependents alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar, cast

import olmsolve._attrs as attrs
from olmsolve._records import evolve
from olmsolve.cluster.objects import (
    EVERY_MODE,
    ClusterObject,
    ClusterServiceVersion,
    InstallPlan,
    Namespace,
    OperatorCondition,
    OperatorGroup,
    OtherObject,
    SubscriptionObject,
)
from olmsolve.errors import ManifestError

T = TypeVar("T", bound=ClusterObject)

# By kind, then namespace ("" for objects of the whole cluster), then name. A pass over one namespace takes its objects
# without a look at the others, and a change copies the names of one kind in one namespace.
_ByName = Mapping[str, ClusterObject]
_ByNamespace = Mapping[str, _ByName]
_NOTHING: Final[_ByNamespace] = {}


@attrs.frozen(repr=False)
class ClusterState:
    """An immutable collection of objects; a change returns a new one, which shares the unchanged parts.

    Objects of one kind come sorted by namespace and name, in whatever order they were given. *others* are objects of
    kinds that olmsolve does not interpret, in the order given. ``ClusterState()`` is empty; :meth:`of` makes one from
    objects.

    >>> from olmsolve.cluster.objects import Metadata
    >>> state = ClusterState.of([Namespace(metadata=Metadata("shop")), Namespace(metadata=Metadata("lab"))])
    >>> [namespace.name for namespace in state.all(Namespace)]
    ['lab', 'shop']
    """

    _kinds: Mapping[type[ClusterObject], _ByNamespace] = attrs.field(factory=dict)
    others: tuple[OtherObject, ...] = ()

    @classmethod
    def of(cls, objects: Iterable[ClusterObject]) -> ClusterState:
        """Return the state with *objects*, in time linear in their number (but for the sorting).

        Raises:
            ManifestError: two different objects have one kind, namespace and name. The same object may come twice.
        """
        kinds: dict[type[ClusterObject], dict[str, dict[str, ClusterObject]]] = {}
        others: list[OtherObject] = []
        for object_ in objects:
            if isinstance(object_, OtherObject):
                others.append(object_)
                continue
            names = kinds.setdefault(type(object_), {}).setdefault(object_.namespace if object_.NAMESPACED else "", {})
            present = names.setdefault(object_.name, object_)
            if present is not object_:
                _refuse_difference(present, object_)
        ordered = {
            kind: {namespace: dict(sorted(names.items())) for namespace, names in sorted(namespaces.items())}
            for kind, namespaces in kinds.items()
        }
        return cls(ordered, tuple(others))

    def __repr__(self) -> str:
        return f"<ClusterState: {', '.join(f'{count} {kind}' for kind, count in self.counts().items()) or 'empty'}>"

    def __iter__(self) -> Iterator[ClusterObject]:
        """Yield all objects of interpreted kinds, kind by kind."""
        for kind in sorted(self._kinds, key=lambda kind: kind.KIND):
            yield from self.all(kind)

    def all(self, kind: type[T], namespace: str | None = None) -> tuple[T, ...]:
        """Return the objects of *kind* in *namespace*, or in all namespaces for None, by namespace and name."""
        by_namespace = self._kinds.get(kind, _NOTHING)
        if namespace is not None:
            return cast("tuple[T, ...]", tuple(by_namespace.get(namespace, {}).values()))
        return cast("tuple[T, ...]", tuple(name for names in by_namespace.values() for name in names.values()))

    def narrowed(self, namespaces: Iterable[str]) -> ClusterState:
        """Return the state with only the objects of *namespaces*, and all objects of the whole cluster.

        It takes no time for the objects that stay, so that many namespaces can be looked at one after the other.
        """
        kept = sorted(set(namespaces))
        kept_kinds = {
            kind: {name: by_namespace[name] for name in kept if name in by_namespace}
            if kind.NAMESPACED
            else by_namespace
            for kind, by_namespace in self._kinds.items()
        }
        return ClusterState(kept_kinds, self.others)

    def get(self, kind: type[T], namespace: str, name: str) -> T | None:
        """Return one object, None where it is missing; *namespace* is "" for an object of the whole cluster."""
        return cast("T | None", self._kinds.get(kind, _NOTHING).get(namespace, {}).get(name))

    def namespaces(self) -> tuple[str, ...]:
        """Return the names of all namespaces: of the Namespace objects, and of namespaces that hold objects."""
        names = {namespace.name for namespace in self.all(Namespace)}
        for namespaces in self._kinds.values():
            names.update(namespaces)
        return tuple(sorted(names - {""}))

    def counts(self) -> dict[str, int]:
        """Map the name of each kind, interpreted or not, to the number of its objects."""
        counts = Counter(other.kind for other in self.others)
        for kind, namespaces in self._kinds.items():
            counts[kind.KIND] += sum(len(names) for names in namespaces.values())
        return {kind: count for kind, count in sorted(counts.items()) if count}

    def having(self, *objects: ClusterObject) -> ClusterState:
        """Return this state with *objects* added, each replacing the object of its kind, namespace and name."""
        return self._changed(objects, ())

    def without(self, *objects: ClusterObject) -> ClusterState:
        """Return this state without the objects that have the kind, namespace and name of one of *objects*."""
        return self._changed((), objects)

    def _changed(self, added: Iterable[ClusterObject], removed: Iterable[ClusterObject]) -> ClusterState:
        # Only the namespaces that an object touches are copied: a simulation changes a handful of objects a step, in
        # states of thousands.
        touched: dict[tuple[type[ClusterObject], str], dict[str, ClusterObject]] = {}

        def names_beside(object_: ClusterObject) -> dict[str, ClusterObject]:
            """Return the changeable copy of the kind and namespace of *object_*, made when it is first needed."""
            key = (type(object_), object_.namespace if object_.NAMESPACED else "")
            if key not in touched:
                touched[key] = dict(self._kinds.get(key[0], _NOTHING).get(key[1], {}))
            return touched[key]

        others = list(self.others)
        for object_ in removed:
            if isinstance(object_, OtherObject):
                others = [other for other in others if not _same_other(other, object_)]
            else:
                names_beside(object_).pop(object_.name, None)
        for object_ in added:
            if isinstance(object_, OtherObject):
                others = [other for other in others if not _same_other(other, object_)]
                others.append(object_)
            else:
                names_beside(object_)[object_.name] = object_
        kinds: dict[type[ClusterObject], _ByNamespace] = dict(self._kinds)
        for (kind, namespace), names in touched.items():
            before = kinds.get(kind, _NOTHING)
            changed = {**before, namespace: dict(sorted(names.items()))}
            if not names:
                del changed[namespace]
            # A namespace that is there keeps its position; sorting all at each step made simulations quadratic.
            kinds[kind] = changed if namespace in before else dict(sorted(changed.items()))
        return ClusterState({kind: changes for kind, changes in kinds.items() if changes}, tuple(others))


def _same_other(one: OtherObject, other: OtherObject) -> bool:
    return (one.api_version, one.kind, one.key) == (other.api_version, other.kind, other.key)


def _refuse_difference(present: ClusterObject, second: ClusterObject) -> None:
    """Raise a ManifestError unless *second* is the same object as *present*, given once more."""
    if present == second and present.raw == second.raw:
        return
    first = f" as in {present.origin}" if present.origin is not None else ""
    raise ManifestError(
        f"is given twice, with different content{first}",
        source=str(second.origin) if second.origin is not None else "",
        kind=second.KIND,
        object=second.key,
        hint="the objects must be of one cluster at one time",
    )


_TAKEN_OFF: Final = frozenset({"operators.coreos.com/csv-cleanup", "foregroundDeletion", "orphan"})
TERMINATING: Final = "Terminating"


def is_deleted(object_: ClusterObject) -> bool:
    """Return whether the deletion of *object_* was asked for."""
    return object_.metadata.deletion_timestamp != ""


def holders(object_: ClusterObject) -> tuple[str, ...]:
    """Return the finalizers that keep *object_*, whose deletion was asked for, until somebody else takes them off."""
    metadata: Any = object_.raw.get("metadata")
    finalizers = metadata.get("finalizers") if isinstance(metadata, dict) else None
    names = finalizers if isinstance(finalizers, list) else []
    return tuple(str(name) for name in names if name not in _TAKEN_OFF)


def is_terminating(namespace: Namespace | None) -> bool:
    """Return whether *namespace* is being deleted, so that nothing new can be created in it; not if it is unknown."""
    return namespace is not None and (namespace.phase == TERMINATING or is_deleted(namespace))


def terminating_namespaces(state: ClusterState) -> frozenset[str]:
    """Return the namespaces that are being deleted."""
    return frozenset(namespace.name for namespace in state.all(Namespace) if is_terminating(namespace))


def going(state: ClusterState) -> Iterator[ClusterObject]:
    """Yield the objects of *state* that go by themselves: deleted ones, and everything in a namespace that is deleted.

    An object with a finalizer stays, and with it the namespace.
    """
    namespaces = terminating_namespaces(state)
    kept = {object_.namespace for object_ in state if object_.namespace in namespaces and holders(object_)}
    for object_ in state:
        if isinstance(object_, Namespace):
            is_going = object_.name in namespaces and object_.name not in kept
        else:
            is_going = is_deleted(object_) or object_.namespace in namespaces
        if is_going and not holders(object_):
            yield object_


def goes(object_: ClusterObject) -> bool:
    """Return whether *object_* goes by itself: its deletion was requested, and no foreign finalizer keeps it."""
    return is_deleted(object_) and not holders(object_)


def without_deleted(state: ClusterState) -> ClusterState:
    """Return *state* without the objects that go by themselves; a namespace that goes stays, with all that is in it.

    A moment after the dump they are gone, and OLM resolves without them.
    """
    return state.without(*(object_ for object_ in state if goes(object_) and not isinstance(object_, Namespace)))


def completed(state: ClusterState) -> ClusterState:
    """Return *state* with the missing phases of operators, and the missing install modes of working operators.

    An operator without a phase counts as working, because OLM gives it one within seconds; beside operators that have a
    phase it is new, unless a subscription has it installed. And OLM lets no operator work that supports no install
    mode, so that one that works has lost its modes on the way; it counts as supporting all.
    """
    operators = state.all(ClusterServiceVersion)
    has_phases = any(csv.phase for csv in operators)
    installed = {(subscription.namespace, subscription.installed_csv) for subscription in state.all(SubscriptionObject)}

    def works(csv: ClusterServiceVersion) -> bool:
        return bool(csv.phase) or not has_phases or csv.is_copied or (csv.namespace, csv.name) in installed

    return state.having(
        *(
            evolve(csv, phase="Succeeded", install_modes=csv.install_modes or EVERY_MODE)
            for csv in operators
            if csv.phase in ("", "Succeeded") and not (csv.phase and csv.install_modes) and works(csv)
        )
    )


@attrs.frozen
class NamespaceObjects:
    """The subscriptions, operators, operator groups, install plans and operator conditions of *namespace*.

    *is_terminating* says that the namespace itself is being deleted.
    """

    namespace: str
    subscriptions: tuple[SubscriptionObject, ...] = ()
    csvs: tuple[ClusterServiceVersion, ...] = ()
    groups: tuple[OperatorGroup, ...] = ()
    plans: tuple[InstallPlan, ...] = ()
    conditions: tuple[OperatorCondition, ...] = ()
    is_terminating: bool = False

    @classmethod
    def picked_from(cls, state: ClusterState, namespace: str) -> NamespaceObjects:
        """Pick the objects of *namespace* from *state*."""
        return cls(
            namespace,
            state.all(SubscriptionObject, namespace),
            state.all(ClusterServiceVersion, namespace),
            state.all(OperatorGroup, namespace),
            state.all(InstallPlan, namespace),
            state.all(OperatorCondition, namespace),
            is_terminating(state.get(Namespace, "", namespace)),
        )

    @property
    def staying(self) -> NamespaceObjects:
        """The same objects without those that go by themselves, because their deletion was asked for."""
        parts = (self.subscriptions, self.csvs, self.groups, self.plans)
        if self.is_terminating or not any(goes(object_) for part in parts for object_ in part):
            return self
        return attrs.evolve(
            self,
            subscriptions=tuple(subscription for subscription in self.subscriptions if not goes(subscription)),
            csvs=tuple(csv for csv in self.csvs if not goes(csv)),
            groups=tuple(group for group in self.groups if not goes(group)),
            plans=tuple(plan for plan in self.plans if not goes(plan)),
        )

    @property
    def group_fault(self) -> str:
        """OLM's message when it resolves nothing for want of a single operator group; "" where there is one."""
        count = len(self.groups)
        return "" if count == 1 else f"expected 1 OperatorGroup in the namespace, found {count}"

    @property
    def csv_names(self) -> list[str]:
        """The names of all operators in the namespace, copies of other namespaces' operators included."""
        return [csv.name for csv in self.csvs]
