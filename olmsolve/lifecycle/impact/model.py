"""The impact of a change on a class of clusters, and the report on a fleet: plain values."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any, Final

import attrs

from olmsolve.resolution import SCHEMA_VERSION

SCHEMA: Final = "olmsolve.impact"


class Gate(enum.Enum):
    """A reason to refuse a change of catalogs: the values of ``--fail-on``."""

    NEW_FAILURES = "new-failures"
    DOWNGRADES = "downgrades"
    STRANDED = "stranded"
    MAJOR = "major"
    BLOCKING = "blocking"
    UNORDERED = "unordered"
    UNREADABLE = "unreadable"


@attrs.frozen(order=True)
class OperatorImpact:
    """A subscription or an extension that comes to rest with another bundle than before.

    *owner* is the name of the subscription, or of the extension (then *namespace* is ""). *installed* is what is there
    now, *before* and *after* what it comes to with the old and with the new catalogs, each "" for nothing. *updates*
    are the bundles on the way from *installed* to *after*, so their number is that of the steps. *is_downgrade* and
    *is_major* compare the versions of *after* and *before*.
    """

    namespace: str
    owner: str
    package: str
    installed: str
    before: str
    after: str
    updates: tuple[str, ...] = ()
    is_downgrade: bool = False
    is_major: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {
            "namespace": self.namespace,
            "owner": self.owner,
            "package": self.package,
            "installed": self.installed,
            "before": self.before,
            "after": self.after,
            "updates": list(self.updates),
            "downgrade": self.is_downgrade,
            "major": self.is_major,
        }


@attrs.frozen(order=True)
class ImpactFailure:
    """A failure of a *namespace* ("" for the whole cluster or an extension), of a *kind*, in words.

    *reasons* are the first facts of its explanation, *ways* the changes that would mend it, the smallest first.
    """

    kind: str
    namespace: str
    text: str
    reasons: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "namespace": self.namespace,
            "text": self.text,
            "reasons": list(self.reasons),
            "ways": list(self.ways),
        }


@attrs.frozen(order=True)
class HeldBackImpact:
    """A bundle that is held back with the new catalogs: *text* says by what.

    *bundle* is what the *owner* stays with, *newer* the newest that it does not get, or what its install plan would
    install.
    """

    namespace: str
    owner: str
    bundle: str
    newer: str
    text: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "namespace": self.namespace,
            "owner": self.owner,
            "bundle": self.bundle,
            "newer": self.newer,
            "text": self.text,
        }


@attrs.frozen(order=True)
class StrandedOperator:
    """An installed *bundle* that the catalog offers no longer, and that no update leaves."""

    namespace: str
    owner: str
    bundle: str

    def to_dict(self) -> dict[str, Any]:
        return {"namespace": self.namespace, "owner": self.owner, "bundle": self.bundle}


@attrs.frozen(order=True)
class BlockingImpact:
    """An installed *bundle* that keeps the cluster from *update*; *way* says what frees it, "" where nothing does."""

    namespace: str
    bundle: str
    update: str
    text: str
    way: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "namespace": self.namespace,
            "bundle": self.bundle,
            "update": self.update,
            "text": self.text,
            "way": self.way,
        }


@attrs.frozen(order=True)
class RolloutStep:
    """An update in an order: the *namespace* gets these *bundles* together, by one install plan."""

    namespace: str
    bundles: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.namespace} gets {', '.join(self.bundles)}"

    def to_dict(self) -> dict[str, Any]:
        return {"namespace": self.namespace, "bundles": list(self.bundles)}


@attrs.frozen(order=True)
class Rollout:
    """Updates of namespaces that share APIs, in an order of *steps* that is safe, and the *reasons* for the order.

    Without steps, no order is safe, and the reasons say why.
    """

    steps: tuple[RolloutStep, ...] = ()
    reasons: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "safe": bool(self.steps),
            "steps": [each.to_dict() for each in self.steps],
            "reasons": list(self.reasons),
        }


@attrs.frozen
class ClusterImpact:
    """The impact of the change on one cluster, and on all that are equal to it.

    *operators* come to another bundle; *failures* are new, *mended* were there before and are gone, *lasting* stay.
    *held_back* and *blocking* are about the new catalogs. *rollouts* are the orders of updates that namespaces with
    shared APIs have to keep. *steps* is how many rounds the cluster takes to rest.
    """

    operators: tuple[OperatorImpact, ...] = ()
    failures: tuple[ImpactFailure, ...] = ()
    mended: tuple[ImpactFailure, ...] = ()
    lasting: tuple[ImpactFailure, ...] = ()
    held_back: tuple[HeldBackImpact, ...] = ()
    stranded: tuple[StrandedOperator, ...] = ()
    blocking: tuple[BlockingImpact, ...] = ()
    rollouts: tuple[Rollout, ...] = ()
    steps: int = 0

    @classmethod
    def of_parts(cls, parts: Iterable[ClusterImpact]) -> ClusterImpact:
        """Return the impact on a cluster from the impacts on its *parts*, which go through their rounds together.

        Everything is in the order of its fields: parts have no order.
        """
        several = tuple(parts)
        return cls(
            operators=tuple(sorted(each for part in several for each in part.operators)),
            failures=tuple(sorted(each for part in several for each in part.failures)),
            mended=tuple(sorted(each for part in several for each in part.mended)),
            lasting=tuple(sorted(each for part in several for each in part.lasting)),
            held_back=tuple(sorted(each for part in several for each in part.held_back)),
            stranded=tuple(sorted(each for part in several for each in part.stranded)),
            blocking=tuple(sorted(each for part in several for each in part.blocking)),
            rollouts=tuple(sorted(each for part in several for each in part.rollouts)),
            steps=max(part.steps for part in several),
        )

    @property
    def changes(self) -> bool:
        """Whether anything is different with the new catalogs."""
        return bool(self.operators or self.failures or self.mended or self.stranded)

    @property
    def gates(self) -> frozenset[Gate]:
        """The gates that this impact does not pass."""
        found = {
            Gate.NEW_FAILURES: self.failures,
            Gate.DOWNGRADES: any(each.is_downgrade for each in self.operators),
            Gate.STRANDED: self.stranded,
            Gate.MAJOR: any(each.is_major for each in self.operators),
            Gate.BLOCKING: self.blocking,
            Gate.UNORDERED: any(not each.steps for each in self.rollouts),
        }
        return frozenset(gate for gate, is_closed in found.items() if is_closed)

    def to_dict(self) -> dict[str, Any]:
        return {
            "changes": self.changes,
            "steps": self.steps,
            "gates": sorted(gate.value for gate in self.gates),
            "operators": [each.to_dict() for each in self.operators],
            "failures": [each.to_dict() for each in self.failures],
            "mended": [each.to_dict() for each in self.mended],
            "lasting": [each.to_dict() for each in self.lasting],
            "heldBack": [each.to_dict() for each in self.held_back],
            "stranded": [each.to_dict() for each in self.stranded],
            "blocking": [each.to_dict() for each in self.blocking],
            "rollouts": [each.to_dict() for each in self.rollouts],
        }


@attrs.frozen
class ClusterClass:
    """Clusters that are equal in everything that matters: their number, the first of their *names*, their *impact*."""

    key: str
    count: int
    names: tuple[str, ...]
    impact: ClusterImpact

    def to_dict(self) -> dict[str, Any]:
        return {"key": self.key, "count": self.count, "clusters": list(self.names), "impact": self.impact.to_dict()}


@attrs.frozen
class UnreadableCluster:
    """A cluster of which no situation could be read, and the *reason*, which names file and object."""

    name: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "reason": self.reason}


@attrs.frozen
class ReachedClusters:
    """The number of *clusters* with the change of the object of this *kind*, *namespace* ("" for none) and *name*."""

    kind: str
    namespace: str
    name: str
    clusters: int

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "namespace": self.namespace, "name": self.name, "clusters": self.clusters}


@attrs.frozen
class ImpactReport:
    """The impact of a change on a fleet: its *classes*, the largest first, and the clusters that cannot be read.

    Of these, *unreadable_count* is the number, and *unreadable* has the first by name. *parts* is how many different
    parts of clusters the classes are made of: each is simulated once. *reached* has the changes of objects in the order
    in which they were given.
    """

    classes: tuple[ClusterClass, ...]
    unreadable: tuple[UnreadableCluster, ...] = ()
    unreadable_count: int = 0
    parts: int = 0
    reached: tuple[ReachedClusters, ...] = ()

    @property
    def clusters(self) -> int:
        """The number of clusters that were answered."""
        return sum(each.count for each in self.classes)

    @property
    def gates(self) -> frozenset[Gate]:
        """The gates that the change does not pass."""
        found = frozenset[Gate]().union(*(each.impact.gates for each in self.classes))
        return found | {Gate.UNREADABLE} if self.unreadable_count else found

    def of(self, key: str) -> ClusterImpact:
        """Return the impact on the class *key*. Raises KeyError if there is no such class."""
        for each in self.classes:
            if each.key == key:
                return each.impact
        raise KeyError(key)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; docs/impact.md says what the fields mean."""
        return {
            "schema": SCHEMA,
            "schemaVersion": SCHEMA_VERSION,
            "clusters": self.clusters,
            "parts": self.parts,
            "changed": sum(each.count for each in self.classes if each.impact.changes),
            "gates": sorted(gate.value for gate in self.gates),
            "reached": [each.to_dict() for each in self.reached],
            "classes": [each.to_dict() for each in self.classes],
            "unreadable": {
                "count": self.unreadable_count,
                "clusters": [each.to_dict() for each in self.unreadable],
            },
        }
