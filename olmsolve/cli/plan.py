"""``olmsolve plan``."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from olmsolve.catalog import Catalog
from olmsolve.cli.clusters import cluster_of, readable_contents, version_constraints
from olmsolve.cli.exits import Exit
from olmsolve.cli.streams import style, write, write_data
from olmsolve.cluster import ClusterState, group_eligibility
from olmsolve.cluster.install_plans import NamespaceSync, install_plan_manifest, subscription_manifest
from olmsolve.cluster.objects import CatalogSource, InstallPlan, SubscriptionObject
from olmsolve.cluster.operator_groups import ClusterGroups
from olmsolve.eligibility import Eligibility
from olmsolve.errors import RequestError
from olmsolve.lifecycle.planning import plan_cluster_namespace
from olmsolve.render import plain

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Plan for the cluster that *options* give, print what OLM would write, and return the exit code."""
    state = cluster_of(options)
    namespaces = _namespaces(state, options.namespace)
    contents = _contents(state, options.catalogs)
    constraints = _constraints(state, options)
    done = {
        name: plan_cluster_namespace(
            state, contents, name, global_namespace=options.global_namespace, eligibility=constraints(name)
        )
        for name in namespaces
    }
    if options.output == "text":
        write("\n\n".join("\n".join(_words(name, state, sync)) for name, sync in done.items()))
    else:
        written = [item for name, sync in done.items() for item in _objects(name, state, sync)]
        write_data({"apiVersion": "v1", "kind": "List", "items": written}, options.output)
    failed = any(sync.error or _failures(sync) for sync in done.values())
    return Exit.UNSATISFIABLE if failed else Exit.PLAN


def _constraints(state: ClusterState, options: argparse.Namespace) -> Callable[[str], tuple[Eligibility, ...]]:
    """By namespace, what its operator group and the versions of the cluster forbid, as far as *options* ask."""
    versions = version_constraints(options)
    if not options.operator_groups:
        return lambda namespace: versions
    groups = ClusterGroups(state)
    return lambda namespace: (*group_eligibility(groups, namespace), *versions)


def _namespaces(state: ClusterState, wanted: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(subscription.namespace for subscription in state.all(SubscriptionObject)))
    if wanted and wanted not in found:
        raise RequestError(
            f"no subscription is in {wanted!r}", field="--namespace", hint=f"there are {', '.join(found)}"
        )
    if not found:
        raise RequestError("no subscriptions", field="--cluster", hint="there is nothing to plan for")
    return (wanted,) if wanted else found


def _contents(state: ClusterState, catalogs: list[str]) -> dict[str, Catalog]:
    known = [catalog.key for catalog in state.all(CatalogSource)]
    contents = readable_contents(catalogs)
    for name in contents:
        if name not in known:
            hint = f"the cluster has {', '.join(known[:10]) or 'none'}"
            raise RequestError("no catalog of the cluster has this name", field=f"--catalog {name}", hint=hint)
    return contents


def _changed(namespace: str, state: ClusterState, sync: NamespaceSync) -> list[SubscriptionObject]:
    before = {item.name: item for item in state.all(SubscriptionObject, namespace)}
    return [item for item in sync.subscriptions if item != before[item.name]]


def _objects(namespace: str, state: ClusterState, sync: NamespaceSync) -> Iterator[dict[str, Any]]:
    if sync.plan is not None:
        yield install_plan_manifest(sync.plan)
    yield from map(subscription_manifest, _changed(namespace, state, sync))


def _failures(sync: NamespaceSync) -> list[str]:
    """What the subscriptions say of a resolution that failed, each once."""
    found = [
        condition.message
        for item in sync.subscriptions
        for condition in item.conditions
        if sync.resolved and condition.type == "ResolutionFailed" and condition.status == "True"
    ]
    return list(dict.fromkeys(found))


def _words(namespace: str, state: ClusterState, sync: NamespaceSync) -> Iterator[str]:
    yield style().bold(plain(f"Namespace {namespace}"))
    for message in dict.fromkeys(filter(None, (sync.error, *_failures(sync)))):
        yield plain(f"  not resolved: {message}")
    if sync.plan is not None:
        yield from _plan_words(sync.plan)
    changed = _changed(namespace, state, sync)
    for item in changed:
        yield plain(f"  subscription {item.name}: {item.state or 'no state'}, currentCSV {item.current_csv or 'none'}")
    if sync.plan is None and not changed and not sync.error:
        yield "  nothing to do"


def _plan_words(plan: InstallPlan) -> Iterator[str]:
    yield plain(f"  install plan {plan.spec_generation}: {plan.phase}, approval {plan.approval}")
    counts = Counter((step.resolving, step.kind) for step in plan.steps)
    for name in dict.fromkeys(step.resolving for step in plan.steps):
        kinds = ", ".join(f"{count} {kind}" for (whose, kind), count in counts.items() if whose == name)
        yield plain(f"    {name}: {kinds}")
    for lookup in plan.bundle_lookups:
        after = f", replaces {lookup.replaces}" if lookup.replaces else ""
        yield plain(f"    {lookup.identifier}: to be unpacked from {lookup.path}{after}")
