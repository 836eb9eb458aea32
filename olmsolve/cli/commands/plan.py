"""``olmsolve plan``: what OLM classic would write for a cluster."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import olmsolve
from olmsolve import render
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_output, add_situation
from olmsolve.cli.situation import cluster_of, situation_of
from olmsolve.cli.streams import complain, style, write, write_data

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
    """Declare the situation and the form of the answer."""
    add_situation(parser)
    add_output(parser, "text", "yaml", "json", shown="the form of the answer: what changes in words, or the objects")


def run(options: argparse.Namespace) -> int:
    """Plan for the cluster of *options*, print what OLM would write, and return the exit code."""
    from olmsolve.lifecycle.planning import plan_cluster_namespace

    situation = situation_of(options)
    cluster = cluster_of(situation, "plan")
    namespaces = [each.name for each in situation.questions if isinstance(each, olmsolve.requests.ClassicQuestion)]
    if not namespaces:
        raise olmsolve.RequestError("no subscriptions", field="--cluster", hint="there is nothing to plan for")
    syncs: dict[str, NamespaceSync] = {}
    errors: dict[str, str] = {}
    for name in namespaces:
        try:
            syncs[name] = plan_cluster_namespace(
                cluster.state,
                cluster.contents,
                name,
                global_namespace=cluster.global_namespace,
                eligibility=cluster.eligibility(name),
            )
        except olmsolve.OlmsolveError as error:
            if len(namespaces) == 1:
                raise
            complain(f"Namespace {name}: {error}")
            errors[name] = str(error)
    if options.output == "text":
        texts = {name: "\n".join(_lines(name, cluster.state, sync)) for name, sync in syncs.items()}
        texts |= {name: f"{style().bold(render.plain(f'Namespace {name}'))}\n  {text}" for name, text in errors.items()}
        write("\n\n".join(texts[name] for name in namespaces))
    else:
        objects = [manifest for name, sync in syncs.items() for manifest in _manifests(name, cluster.state, sync)]
        write_data({"apiVersion": "v1", "kind": "List", "items": objects}, options.output)
    if errors:
        return Exit.BAD_INPUT
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
