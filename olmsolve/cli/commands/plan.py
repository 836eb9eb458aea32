"""``olmsolve plan``: what OLM classic would write for a cluster."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from olmsolve import render
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_eligibility, add_global_namespace, add_objects, add_output
from olmsolve.cli.streams import style, write, write_data

if TYPE_CHECKING:
    from olmsolve.cluster import ClusterState
    from olmsolve.cluster.install_plans import NamespaceSync
    from olmsolve.cluster.objects import InstallPlan, SubscriptionObject

DESCRIPTION: Final = """\
Print what Operator Lifecycle Manager classic would write for the subscriptions of a cluster: the InstallPlan with its
steps, and the Subscriptions that change, with their status (docs/install-plans.md). Nothing is sent anywhere."""

EXAMPLES: Final = """\
examples:
  olmsolve plan --cluster dump.yaml --catalog olm/community=catalogs/community
  olmsolve plan --cluster dump.yaml --catalog olm/community=catalogs/community --namespace shop --output yaml

exit codes:
  0  a plan, or nothing to do
  1  a namespace cannot be resolved
  2  bad input: a file, an object, a catalog or an argument"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the cluster, the namespace, and what may not be installed."""
    add_objects(parser)
    parser.add_argument(
        "--namespace", default="", metavar="NAME", help="whose subscriptions to plan for (default: those of all)"
    )
    add_global_namespace(parser)
    add_eligibility(parser)
    add_output(parser, "text", "yaml", "json", shown="the form of the answer: what changes in words, or the objects")


def run(options: argparse.Namespace) -> int:
    """Plan for the cluster of *options*, print what OLM would write, and return the exit code."""
    from olmsolve.classic import HealthPolicy
    from olmsolve.cli.cluster import catalog_contents, cluster_state, namespace_constraints, planned_namespaces
    from olmsolve.lifecycle.planning import plan_cluster_namespace
    from olmsolve.requests import refuse_unknown_contents

    state = cluster_state(options)
    namespaces = planned_namespaces(state, options.namespace)
    contents = catalog_contents(options.catalogs, HealthPolicy.STRICT)
    refuse_unknown_contents(contents, state, classic_only=True)
    constraints = namespace_constraints(state, options)
    syncs = {
        name: plan_cluster_namespace(
            state, contents, name, global_namespace=options.global_namespace, eligibility=constraints(name)
        )
        for name in namespaces
    }
    if options.output == "text":
        write("\n\n".join("\n".join(_lines(name, state, sync)) for name, sync in syncs.items()))
    else:
        objects = [manifest for name, sync in syncs.items() for manifest in _manifests(name, state, sync)]
        write_data({"apiVersion": "v1", "kind": "List", "items": objects}, options.output)
    has_failed = any(sync.error or _failures(sync) for sync in syncs.values())
    return Exit.UNSATISFIABLE if has_failed else Exit.PLAN


def _changed(namespace: str, state: ClusterState, sync: NamespaceSync) -> Sequence[SubscriptionObject]:
    """Return the subscriptions of *namespace* that OLM would write, because they differ from those in *state*."""
    from olmsolve.cluster.objects import SubscriptionObject

    before = {subscription.name: subscription for subscription in state.all(SubscriptionObject, namespace)}
    return [subscription for subscription in sync.subscriptions if subscription != before[subscription.name]]


def _manifests(namespace: str, state: ClusterState, sync: NamespaceSync) -> Iterator[dict[str, Any]]:
    from olmsolve.cluster.install_plans import install_plan_manifest, subscription_manifest

    if sync.plan is not None:
        yield install_plan_manifest(sync.plan)
    yield from map(subscription_manifest, _changed(namespace, state, sync))


def _failures(sync: NamespaceSync) -> list[str]:
    """Return the messages of the subscriptions about a resolution that failed, each once."""
    messages = (
        condition.message
        for subscription in sync.subscriptions
        for condition in subscription.conditions
        if sync.resolved and condition.type == "ResolutionFailed" and condition.status == "True"
    )
    return list(dict.fromkeys(messages))


def _lines(namespace: str, state: ClusterState, sync: NamespaceSync) -> Iterator[str]:
    plain = render.plain
    yield style().bold(plain(f"Namespace {namespace}"))
    for message in dict.fromkeys(filter(None, (sync.error, *_failures(sync)))):
        yield plain(f"  not resolved: {message}")
    if sync.plan is not None:
        yield from _plan_lines(sync.plan)
    changed = _changed(namespace, state, sync)
    for each in changed:
        yield plain(f"  subscription {each.name}: {each.state or 'no state'}, currentCSV {each.current_csv or 'none'}")
    if sync.plan is None and not changed and not sync.error:
        yield "  nothing to do"


def _plan_lines(plan: InstallPlan) -> Iterator[str]:
    plain = render.plain
    yield plain(f"  install plan {plan.spec_generation}: {plan.phase}, approval {plan.approval}")
    counts = Counter((step.resolving, step.kind) for step in plan.steps)
    for bundle in dict.fromkeys(step.resolving for step in plan.steps):
        kinds = ", ".join(f"{count} {kind}" for (owner, kind), count in counts.items() if owner == bundle)
        yield plain(f"    {bundle}: {kinds}")
    for lookup in plan.bundle_lookups:
        after = f", replaces {lookup.replaces}" if lookup.replaces else ""
        yield plain(f"    {lookup.identifier}: to be unpacked from {lookup.path}{after}")
