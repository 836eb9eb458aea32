"""``olmsolve plan``: what OLM classic would write for a cluster."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

import olmsolve
from olmsolve import render
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_output, add_situation
from olmsolve.cli.situation import cluster_of, situation_of
from olmsolve.cli.streams import complain, style, write, write_data

if TYPE_CHECKING:
    from olmsolve.lifecycle.planning import NamespacePlan

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
    plans: dict[str, NamespacePlan] = {}
    errors: dict[str, str] = {}
    for name in namespaces:
        try:
            plans[name] = plan_cluster_namespace(
                cluster.state,
                cluster.contents,
                name,
                semantics=cluster.semantics,
                global_namespace=cluster.global_namespace,
                health_policy=cluster.health_policy,
                eligibility=cluster.eligibility(name),
            )
        except olmsolve.OlmsolveError as error:
            if len(namespaces) == 1:
                raise
            complain(f"Namespace {name}: {error}")
            errors[name] = str(error)
    if options.output == "text":
        layout = style()
        texts = {
            name: render.namespace_plan_text(plan, width=layout.width, colour=layout.colour)
            for name, plan in plans.items()
        }
        texts |= {name: f"{layout.bold(render.plain(f'Namespace {name}'))}\n  {text}" for name, text in errors.items()}
        write("\n\n".join(texts[name] for name in namespaces))
    else:
        objects = [manifest for plan in plans.values() for manifest in plan.manifests()]
        write_data({"apiVersion": "v1", "kind": "List", "items": objects}, options.output)
    if errors:
        return Exit.BAD_INPUT
    return Exit.UNSATISFIABLE if any(plan.failures for plan in plans.values()) else Exit.PLAN
