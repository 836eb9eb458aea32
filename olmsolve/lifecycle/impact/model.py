"""The impact of a change on a class of clusters, and the report on a fleet: plain values."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._records import Record, documented, field, record

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
    UNAPPLIED = "unapplied"
    ORPHANED = "orphaned"
    WAITING = "waiting"


def _sorted_gates(gates: frozenset[Gate]) -> list[Gate]:
    return sorted(gates, key=lambda gate: gate.value)


@record(definition="operatorImpact", order=True)
class OperatorImpact(Record):
    """A subscription or an extension that comes to rest with another bundle than before.

    *installed*, *before* and *after* are "" for nothing.
    """

    namespace: str = field("The namespace; empty for an extension.")
    owner: str = field("The name of the subscription or extension.")
    package: str = field("The package of the operator.")
    installed: str = field("The installed bundle.")
    before: str = field("The bundle at rest with the old catalogs.")
    after: str = field("The bundle at rest with the new catalogs.")
    updates: tuple[str, ...] = field("The bundles on the way from installed to after, one for each step.", default=())
    is_downgrade: bool = field("Whether after is older than before.", path="downgrade", default=False)
    is_major: bool = field("Whether after has a higher major version than before.", path="major", default=False)


@record(definition="impactFailure", order=True)
class ImpactFailure(Record):
    """A failure with some catalogs."""

    kind: str = field("The kind of failure.")
    namespace: str = field("The namespace that fails; empty for the whole cluster and for extensions.")
    text: str = field("The failure in a sentence.")
    reasons: tuple[str, ...] = field("The first facts of its explanation.", default=())
    ways: tuple[str, ...] = field("The changes that would end the failure, the smallest first.", default=())


@record(order=True)
class HeldBackImpact(Record):
    """A bundle that is held back with the new catalogs."""

    namespace: str = field("The namespace of the operator.")
    owner: str = field("The subscription or extension; empty for an install plan.")
    bundle: str = field("The bundle that it keeps.")
    newer: str = field("The newest bundle that it does not get, or the bundles of the install plan.")
    text: str = field("Why it is held back.")


@record(order=True)
class StrandedOperator(Record):
    """An installed bundle that the catalog no longer offers, and that no update leaves."""

    namespace: str = field("The namespace of the operator.")
    owner: str = field("The subscription or the extension that it belongs to.")
    bundle: str = field("The installed bundle that the catalog no longer offers.")


@record(order=True)
class OrphanedOperator(Record):
    """An installed operator that stays when its subscription is deleted: nothing updates it."""

    namespace: str = field("The namespace of the operator.")
    owner: str = field("The subscription that is deleted.")
    bundle: str = field("The installed bundle that stays.")


@record(order=True)
class WaitingBundles(Record):
    """Bundles that a namespace gets only once somebody approves their install plan, which did not wait before."""

    namespace: str = field("The namespace of the install plan.")
    bundles: tuple[str, ...] = field("The bundles that it would install.")


@record(order=True)
class BlockingImpact(Record):
    """An installed bundle that keeps the cluster from its next minor version."""

    namespace: str = field("The namespace of the operator.")
    bundle: str = field("The bundle that blocks the next minor version of OpenShift.")
    update: str = field("The next minor version.")
    text: str = field("The obstacle in a sentence.")
    way: str = field("The update that would free the cluster; empty if none was found.", default="")


@record(order=True, says="{namespace} gets {bundles}")
class RolloutStep(Record):
    """An update in an order: the namespace gets the bundles together, by one install plan."""

    namespace: str = field("The namespace that gets the update.")
    bundles: tuple[str, ...] = field("The bundles that the namespace gets together.")


@record(order=True, layout=("is_safe", ...))
class Rollout(Record):
    """Updates of namespaces that share APIs, in an order that is safe."""

    steps: tuple[RolloutStep, ...] = field("The updates in a safe order; none where no order is safe.", default=())
    reasons: tuple[str, ...] = field("Why the order matters, or why there is none.", default=())

    @property
    @documented("Whether there is a safe order.", path="safe")
    def is_safe(self) -> bool:
        return bool(self.steps)


@record(definition="clusterImpact", layout=("changes", "steps", "gates", ...))
class ClusterImpact(Record):
    """The impact of the change on one cluster, and on all that are equal to it."""

    operators: tuple[OperatorImpact, ...] = field(
        "The subscriptions and extensions that get another bundle.", default=()
    )
    failures: tuple[ImpactFailure, ...] = field("The new failures.", default=())
    mended: tuple[ImpactFailure, ...] = field("The failures that are gone.", default=())
    lasting: tuple[ImpactFailure, ...] = field("The failures before and after.", default=())
    held_back: tuple[HeldBackImpact, ...] = field("The bundles that are held back with the new catalogs.", default=())
    stranded: tuple[StrandedOperator, ...] = field("Operators that the catalog no longer offers.", default=())
    orphaned: tuple[OrphanedOperator, ...] = field("Operators whose subscription is deleted.", default=())
    waiting: tuple[WaitingBundles, ...] = field("The bundles that newly wait for approval.", default=())
    blocking: tuple[BlockingImpact, ...] = field(
        "The bundles that keep the cluster from its next minor version.", default=()
    )
    rollouts: tuple[Rollout, ...] = field("The orders of updates in namespaces that share APIs.", default=())
    steps: int = field("The number of rounds until the cluster is at rest with the new catalogs.", default=0)

    @classmethod
    def of_parts(cls, parts: Iterable[ClusterImpact]) -> ClusterImpact:
        """Return the impact on a cluster from the impacts on its *parts*, which go through their rounds together.

        Each list is sorted by the fields of its elements, because parts have no order.
        """
        several = tuple(parts)
        names = (field.name for field in attrs.fields(cls) if field.name != "steps")
        lists = {name: tuple(sorted(one for part in several for one in getattr(part, name))) for name in names}
        return cls(**lists, steps=max(part.steps for part in several))

    @property
    @documented("Whether anything is different with the new catalogs.")
    def changes(self) -> bool:
        return bool(self.operators or self.failures or self.mended or self.stranded or self.orphaned or self.waiting)

    @property
    @documented("The gates that are not passed.", written=_sorted_gates)
    def gates(self) -> frozenset[Gate]:
        signs = {
            Gate.NEW_FAILURES: self.failures,
            Gate.DOWNGRADES: any(operator.is_downgrade for operator in self.operators),
            Gate.STRANDED: self.stranded,
            Gate.ORPHANED: self.orphaned,
            Gate.WAITING: self.waiting,
            Gate.MAJOR: any(operator.is_major for operator in self.operators),
            Gate.BLOCKING: self.blocking,
            Gate.UNORDERED: any(not rollout.is_safe for rollout in self.rollouts),
        }
        return frozenset(gate for gate, is_closed in signs.items() if is_closed)


@record(definition="impactClass")
class ClusterClass(Record):
    """Clusters that are equal in everything that matters."""

    key: str = field("The digest of the parts that they share.")
    count: int = field("How many clusters the class has.")
    names: tuple[str, ...] = field("The names of the first clusters.", path="clusters")
    impact: ClusterImpact = field("The impact on each cluster of the class.")


@record
class UnreadableCluster(Record):
    """A cluster of which no situation could be read."""

    name: str = field("Its name.")
    reason: str = field("The fault, with file and object.")


@record
class RefusingCluster(Record):
    """A cluster whose API server refuses a change, so that nothing of the change reaches it."""

    name: str = field("Its name.")
    reason: str = field("Why it refuses the change, with the object.")


@record
class ReachedClusters(Record):
    """A change of an object, and how many clusters have it applied."""

    kind: str = field("The kind of the object.")
    namespace: str = field("Its namespace, empty for an object of the whole cluster.")
    name: str = field("Its name.")
    clusters: int = field("How many clusters it is applied to.")
    is_deletion: bool = field("Whether the object is deleted.", path="deletion", default=False, empty="absent")
    near: str = field("The namespace that was probably meant, where no cluster has it.", default="", empty="absent")

    @property
    def is_unapplied(self) -> bool:
        """Whether no cluster gets the object: its namespace may be misspelt. Deletions of nothing do not count."""
        return not self.clusters and not self.is_deletion


@record
class SkippedKind(Record):
    """A kind of objects that no change applies, such as ConfigMap."""

    kind: str = field("The kind.")
    count: int = field("How many objects of the kind were skipped.")


@record(
    definition=SCHEMA,
    title="What other catalogs or objects change on all clusters of a fleet",
    about="docs/impact.md explains it.",
    layout=(
        "clusters",
        "parts",
        "changed",
        "gates",
        "reached",
        "skipped",
        "charts",
        "classes",
        "refusing_count",
        "refusing",
        "unreadable_count",
        "unreadable",
    ),
    groups={"refusing": "The clusters that refuse a change.", "unreadable": "The clusters that cannot be read."},
)
class ImpactReport(Record):
    """The impact of a change on a fleet; each part of a cluster is simulated once.

    >>> import olmsolve
    >>> before = {"olm/community": "olmsolve/examples/plan/community.yaml"}
    >>> report = olmsolve.impact(["olmsolve/examples/plan/cluster.yaml"], before=before, after=before)
    >>> report.clusters, report.changed
    (1, 0)
    """

    classes: tuple[ClusterClass, ...] = field("The classes of equal clusters, the largest first.")
    unreadable: tuple[UnreadableCluster, ...] = field(
        "The first unreadable clusters, by name.", path="unreadable.clusters", default=()
    )
    unreadable_count: int = field("How many clusters cannot be read.", path="unreadable.count", default=0)
    parts: int = field("How many different parts of clusters the classes are made of.", default=0)
    reached: tuple[ReachedClusters, ...] = field(
        "The changes of objects, in the order in which they were given.", default=()
    )
    skipped: tuple[SkippedKind, ...] = field("The kinds among the changes that are not applied.", default=())
    charts: tuple[str, ...] = field("Folders with charts of Helm, whose templates are not read.", default=())
    refusing: tuple[RefusingCluster, ...] = field(
        "The first refusing clusters, by name.", path="refusing.clusters", default=()
    )
    refusing_count: int = field("How many clusters refuse a change.", path="refusing.count", default=0)

    @property
    @documented("How many clusters were answered.")
    def clusters(self) -> int:
        return sum(class_.count for class_ in self.classes)

    @property
    @documented("How many clusters change.")
    def changed(self) -> int:
        return sum(class_.count for class_ in self.classes if class_.impact.changes)

    @property
    @documented("The gates that the change does not pass.", written=_sorted_gates)
    def gates(self) -> frozenset[Gate]:
        gates = frozenset[Gate]().union(*(class_.impact.gates for class_ in self.classes))
        gates |= {Gate.UNREADABLE} if self.unreadable_count else frozenset()
        is_unapplied = self.refusing_count or any(object_.is_unapplied for object_ in self.reached)
        return gates | {Gate.UNAPPLIED} if is_unapplied else gates

    def of(self, key: str) -> ClusterImpact:
        """Return the impact on the class *key*. Raises KeyError if there is no such class."""
        for class_ in self.classes:
            if class_.key == key:
                return class_.impact
        raise KeyError(key)
