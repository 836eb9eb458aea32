"""Operators and extensions that keep the cluster of a situation from its next minor version."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from olmsolve import events, v1
from olmsolve._limits import Cancellation, scoped
from olmsolve.cluster import Blocking, blocks_cluster_update, extensions_block_cluster_update, next_update
from olmsolve.errors import Incomplete, OlmsolveError
from olmsolve.lifecycle.cluster_updates import BlockingExtension, BlockingOperator, ClusterUpdate, cluster_update
from olmsolve.lifecycle.simulation import Rules
from olmsolve.requests import ClassicQuestion, ClusterSituation, ExtensionQuestion, Situation
from olmsolve.solver.backends import DEFAULT, BackendLike


def situation_update(
    situation: Situation,
    openshift: str,
    *,
    backend: BackendLike = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> ClusterUpdate:
    """Return what in *situation* blocks the update from *openshift* to its next minor version, each with its way out.

    A way out of an operator is looked for where the situation has the contents of its catalogs (see
    :func:`cluster_update`); an extension is freed by the updates that OLM v1 makes by itself. Request documents say
    what they have installed. A question that cannot be read blocks as well, as unknown. *timeout*, *conflicts*,
    *cancel* and *observer* are as in :func:`olmsolve.resolve`.

    Raises:
        VersionError: *openshift* is not a version.
        RequestError, ManifestError: as in :func:`cluster_update`.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.
    """
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        return _update(situation, openshift, backend)


def _update(situation: Situation, openshift: str, backend: BackendLike) -> ClusterUpdate:
    update = next_update(openshift)
    operators: list[BlockingOperator] = []
    extensions: list[BlockingExtension] = []
    namespaces: list[str] = []
    for question in situation.questions:
        try:
            if isinstance(question, ExtensionQuestion):
                extensions += _blocking_extensions(question.name, question.request(), openshift)
            elif question.is_document:
                operators += map(BlockingOperator, blocks_cluster_update(question.request().installed, openshift))
            else:
                namespaces.append(question.name)
        except Incomplete:
            raise
        except OlmsolveError as error:
            unknown = Blocking(question.name, update, reason=f"unknown: {error}")
            if isinstance(question, ClassicQuestion):
                operators.append(BlockingOperator(unknown))
            else:
                extensions.append(BlockingExtension(question.name, unknown))
    cluster = situation.cluster
    if cluster is not None and (namespaces or not situation.is_part):
        found = cluster_update(cluster.state, openshift, cluster.contents or None, _rules(cluster, backend)).operators
        # Operators of namespaces without subscriptions count where nothing was chosen.
        is_whole = not situation.is_part
        operators += [each for each in found if is_whole or each.blocking.namespace in namespaces]
    return ClusterUpdate(update, tuple(operators), tuple(extensions))


def _blocking_extensions(name: str, request: v1.ExtensionRequest, openshift: str) -> Iterator[BlockingExtension]:
    for blocking in extensions_block_cluster_update([request], openshift):
        updates: list[str] = []

        def is_free(resolution: v1.ExtensionResolution, updates: list[str] = updates) -> bool:
            updates.append(resolution.bundle)
            installed = v1.installed_after(request, resolution)
            return not extensions_block_cluster_update([attrs.evolve(request, installed=installed)], openshift)

        walk = v1.walk(request, is_free)
        is_freed = walk.stays is None and walk.stopped is None
        yield BlockingExtension(name, blocking, tuple(updates) if is_freed else ())


def _rules(cluster: ClusterSituation, backend: BackendLike) -> Rules:
    policy = cluster.policy
    return Rules(
        approve=True,
        semantics=cluster.semantics,
        global_namespace=cluster.global_namespace,
        health_policy=cluster.health_policy,
        operator_groups=policy.operator_groups,
        kubernetes=policy.kubernetes,
        eligibility=policy.eligibility,
        house_rules=policy.house_rules,
        backend=backend,
    )
