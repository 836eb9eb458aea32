"""Recorded clusters become answers: the work that is done in this process, or sent to the workers of an executor."""

from __future__ import annotations

import pickle
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, Final, TypeAlias

import attrs

from olmsolve._limits import checked
from olmsolve.answers.fleet import Work
from olmsolve.catalog import Catalog
from olmsolve.cluster.objects import CatalogSource, ClusterCatalogObject
from olmsolve.errors import Incomplete, OlmsolveError, RequestError
from olmsolve.lifecycle.impact.comparing import compared
from olmsolve.lifecycle.impact.forms import Manifest, form_key, normal_form
from olmsolve.lifecycle.impact.model import ClusterImpact
from olmsolve.requests import Policy, RecordedCluster, Situation, read_cluster, read_situation, recorded_clusters
from olmsolve.solver.backends import BackendLike

Catalogs: TypeAlias = Mapping[str, Catalog]
"""Catalogs by the key of the cluster's catalog: ``namespace/name``, or the name of a ClusterCatalog."""

# Answers that one worker keeps: more classes than a fleet has, and bounded where every cluster is its own class.
_KEPT: Final = 4096
# Clusters that are told together: one file may hold a million of them.
_TOGETHER: Final = 256


@attrs.frozen
class AnsweredCluster:
    """A cluster, called *name*, of the class *key*, or *unreadable* for the reason given."""

    name: str
    key: str = ""
    unreadable: str = ""


@attrs.frozen
class AnsweredItems:
    """Some *clusters*, and the *answers* to all their classes; *items* is how many items ended with them."""

    clusters: tuple[AnsweredCluster, ...]
    answers: Mapping[str, ClusterImpact]
    items: int


@attrs.frozen
class Change:
    """The change of a fleet: its catalogs *before* and *after*, and how clusters are simulated."""

    before: Catalogs = attrs.field(repr=False)
    after: Catalogs = attrs.field(repr=False)
    policy: Policy
    approve: bool
    openshift: str
    backend: BackendLike

    def answer(self, form: Iterable[Manifest]) -> ClusterImpact:
        """Return the impact on the cluster in its normal *form*.

        Raises:
            RequestError: the objects cannot be read, or contradict each other (a ManifestError).
            VersionError, BackendError, Incomplete: as in :func:`~olmsolve.lifecycle.impact.comparing.compared`.
        """
        objects = list(form)
        before, after = (self._situation(objects, each) for each in (self.before, self.after))
        return compared(before, after, approve=self.approve, openshift=self.openshift, backend=self.backend)

    def _situation(self, objects: list[Manifest], catalogs: Catalogs) -> Situation:
        there = set(_catalogs_in(objects))
        # Clusters of one fleet have different catalogs, and a situation takes the contents of its own alone.
        given = {key: catalog for key, catalog in catalogs.items() if key in there}
        document = {"apiVersion": "v1", "kind": "List", "items": objects}
        return read_situation(document, catalogs=given, policy=self.policy)


def _catalogs_in(objects: Iterable[Manifest]) -> Iterator[str]:
    for each in objects:
        metadata = each.get("metadata")
        if isinstance(metadata, Mapping) and each.get("kind") == CatalogSource.KIND:
            yield f"{metadata.get('namespace')}/{metadata.get('name')}"
        elif isinstance(metadata, Mapping) and each.get("kind") == ClusterCatalogObject.KIND:
            yield str(metadata.get("name"))


class Answering:
    """The work itself: it reads clusters, and answers each class once, as long as it keeps the answer."""

    def __init__(self, change: Change) -> None:
        self._change = change
        # A class whose objects cannot be read has the reason in place of an answer.
        self._known: OrderedDict[str, ClusterImpact | str] = OrderedDict()

    def __call__(self, items: tuple[Any, ...]) -> Iterator[AnsweredItems]:
        """Yield the clusters of *items* (paths, or recorded clusters) with the answers to their classes."""
        for item in items:
            clusters: list[AnsweredCluster] = []
            answers: dict[str, ClusterImpact] = {}
            for cluster in checked(recorded_clusters(item)):
                key, answer = self._answer(cluster)
                if isinstance(answer, str):
                    clusters.append(AnsweredCluster(cluster.name, unreadable=_located(answer, cluster)))
                else:
                    clusters.append(AnsweredCluster(cluster.name, key))
                    answers[key] = answer
                if len(clusters) == _TOGETHER:
                    yield AnsweredItems(tuple(clusters), answers, 0)
                    clusters, answers = [], {}
            yield AnsweredItems(tuple(clusters), answers, 1)

    def _answer(self, cluster: RecordedCluster) -> tuple[str, ClusterImpact | str]:
        """Return the key and the answer of *cluster*, or the reason why there is none."""
        try:
            form = normal_form(cluster.documents())
            key = form_key(form)
        except Incomplete:
            raise
        except OlmsolveError as error:
            return "", str(error)
        if key not in self._known:
            self._known[key] = self._computed(form)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return key, self._known[key]

    def _computed(self, form: tuple[Manifest, ...]) -> ClusterImpact | str:
        try:
            return self._change.answer(form)
        except RequestError as error:
            return str(error)


def _located(reason: str, cluster: RecordedCluster) -> str:
    """Return *reason*, which the normal form of *cluster* gave, with file and object where the files still say so."""
    if cluster.name in reason:
        return reason
    if cluster.sources and all(isinstance(each, str | PathLike) for each in cluster.sources):
        try:
            read_cluster(*cluster.sources)
        except RequestError as error:
            return str(error)
    return f"{cluster.name}: {reason}"


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
