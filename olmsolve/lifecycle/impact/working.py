"""Recorded clusters become answers: the work that is done in this process, or sent to the workers of an executor."""

from __future__ import annotations

import io
import pickle
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve.answers import Work
from olmsolve.catalog import Catalog
from olmsolve.cluster.objects import CatalogSource, ClusterCatalogObject
from olmsolve.errors import Incomplete, OlmsolveError
from olmsolve.lifecycle.impact.changes import ObjectChange, RefusedChangeError
from olmsolve.lifecycle.impact.comparing import compared_sides
from olmsolve.lifecycle.impact.dividing import Dividing, PartAnswer
from olmsolve.lifecycle.impact.footprints import footprint, simulated
from olmsolve.lifecycle.impact.forms import Manifest
from olmsolve.lifecycle.impact.model import ClusterImpact
from olmsolve.lifecycle.impact.tallies import AnsweredItem, Tally
from olmsolve.requests import Policy, RecordedCluster, Situation, read_cluster, read_situation, recorded_clusters
from olmsolve.solver.backends import BackendLike

Catalogs: TypeAlias = Mapping[str, Catalog]
"""Catalogs by the key of the cluster's catalog: ``namespace/name``, or the name of a ClusterCatalog."""

Numbered: TypeAlias = tuple[int, str | RecordedCluster]
"""An item (a path, or a recorded cluster) with its position in the stream of all items."""


@attrs.frozen
class Change:
    """The change of a fleet: its catalogs *before* and *after*, the policies of both sides, and how it is simulated.

    So many *names* of each class are kept. *objects* are the changes of the clusters' objects.
    """

    before: Catalogs = attrs.field(repr=False)
    after: Catalogs = attrs.field(repr=False)
    policy_before: Policy
    policy: Policy
    approve: bool
    openshift: str
    backend: BackendLike
    names: int
    objects: tuple[ObjectChange, ...] = ()

    def answer(self, old_form: Iterable[Manifest], new_form: Iterable[Manifest]) -> PartAnswer:
        """Return the impact on the cluster, or on the part of one, with the objects of these normal forms.

        Raises:
            RequestError: the objects cannot be read, or contradict each other (a ManifestError).
            VersionError, BackendError, Incomplete: as in :func:`~olmsolve.lifecycle.impact.comparing.compared`.
        """
        sides = ((old_form, self.before, self.policy_before), (new_form, self.after, self.policy))
        situations = (self._situation(list(form), catalogs, policy) for form, catalogs, policy in sides)
        old, new = (simulated(situation, self.approve, self.backend) for situation in situations)
        impact = compared_sides(old, new, openshift=self.openshift, backend=self.backend)
        return PartAnswer(impact, footprint(old, new))

    def _situation(self, objects: list[Manifest], catalogs: Catalogs, policy: Policy) -> Situation:
        # Clusters of one fleet have different catalogs, and a situation takes the contents of its own alone.
        catalogs_by_key = {
            key: catalogs.get(key, catalogs.get(key.rpartition("/")[2])) for key in _catalogs_in(objects)
        }
        given = {key: catalog for key, catalog in catalogs_by_key.items() if catalog is not None}
        document = {"apiVersion": "v1", "kind": "List", "items": objects}
        return read_situation(document, catalogs=given, policy=policy)


def _catalogs_in(objects: Iterable[Manifest]) -> Iterator[str]:
    for object_ in objects:
        metadata = object_.get("metadata")
        if isinstance(metadata, Mapping) and object_.get("kind") == CatalogSource.KIND:
            yield f"{metadata.get('namespace')}/{metadata.get('name')}"
        elif isinstance(metadata, Mapping) and object_.get("kind") == ClusterCatalogObject.KIND:
            yield str(metadata.get("name"))


class Answering:
    """The work itself: it reads clusters, and answers each part once, as long as it keeps the answer."""

    def __init__(self, change: Change) -> None:
        # The rule that operator groups constrain candidates looks at groups of other namespaces for each candidate.
        is_divisible = not (change.policy_before.operator_groups or change.policy.operator_groups)
        self._dividing = Dividing(change.answer, is_divisible=is_divisible, changes=change.objects)
        self._names = change.names

    def __call__(self, items: tuple[Numbered, ...]) -> Iterator[AnsweredItem]:
        """Yield the counts of *items*, with the answers to all parts of their clusters."""
        for position, item in items:
            tally = Tally(self._names)
            answers: dict[str, ClusterImpact] = {}
            for cluster in checked(recorded_clusters(item)):
                try:
                    divided = self._dividing.answers(cluster.documents())
                except Incomplete:
                    raise
                except RefusedChangeError as error:
                    tally.add_refusing(cluster.name, f"{cluster.name}: {error}")
                except OlmsolveError as error:
                    tally.add_unreadable(cluster.name, _located(str(error), cluster))
                else:
                    tally.add(cluster.name, tuple(divided.parts), divided.reached, divided.near)
                    answers.update(divided.parts)
            yield AnsweredItem(position, tally.counts(), answers)


def _located(reason: str, cluster: RecordedCluster) -> str:
    """Return *reason*, which the normal form of *cluster* gave, with file and object as its reader names them."""
    if cluster.name not in reason and cluster.sources:
        for source in cluster.sources:
            if isinstance(source, io.IOBase):
                source.seek(0)
        try:
            read_cluster(*cluster.sources)
        except OlmsolveError as error:
            reason = str(error)
    return reason if cluster.name in reason else f"{cluster.name}: {reason}"


@attrs.frozen
class ChangeCargo:
    """A change on its way to workers that do not share this process's memory."""

    payload: bytes = attrs.field(repr=False)

    @classmethod
    def of(cls, change: Change) -> ChangeCargo:
        """Pack *change*."""
        return cls(zlib.compress(pickle.dumps(change, pickle.HIGHEST_PROTOCOL), 1))

    def unpacked(self) -> Work:
        """Return the work on clusters under this change. Never unpack a stranger's bytes: pickles can run code."""
        return Answering(pickle.loads(zlib.decompress(self.payload)))  # noqa: S301 - see above
