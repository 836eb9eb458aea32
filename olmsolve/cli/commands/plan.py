"""``olmsolve plan``: what OLM would write for a cluster."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.answering import title
from olmsolve.cli.exits import Exit, exit_of
from olmsolve.cli.options import add_backend, add_output, add_situation
from olmsolve.cli.situation import backend_of, situation_of
from olmsolve.cli.streams import complain, style, write, write_data

DESCRIPTION: Final = """\
Print what Operator Lifecycle Manager classic would write for the subscriptions of a cluster: the InstallPlan with its
steps, and the Subscriptions that change, with their status (docs/install-plans.md); and what OLM v1 would install for
the ClusterExtensions, with what they need besides (docs/v1.md). Nothing is sent anywhere."""

EXAMPLES: Final = """\
examples:
  olmsolve plan --cluster dump.yaml --catalog olm/community=catalogs/community
  olmsolve plan --cluster dump.yaml --catalog olm/community=catalogs/community --namespace shop --output yaml
  olmsolve plan --cluster dump.yaml --catalog olm/community=catalogs/community --output html > cluster.html

exit codes:
  0  a plan, or nothing to do
  1  a namespace or an extension cannot be resolved
  2  bad input: a file, an object, a catalog or an argument"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation and the form of the answer."""
    add_situation(parser)
    add_backend(parser)
    shown = "the form of the answer: what changes in words, the objects, or a page of everything"
    add_output(parser, "text", "yaml", "json", "html", shown=shown)


def run(options: argparse.Namespace) -> int:
    """Plan for the situation of *options*, print what OLM would write, and return the exit code."""
    situation = situation_of(options)
    if not situation.questions:
        raise olmsolve.RequestError(
            "no subscriptions and no extensions", field="--cluster", hint="there is nothing to plan for"
        )
    found = olmsolve.plan(situation, backend=backend_of(options))
    for each in found.errors:
        complain(f"{title(each.question)}: {each.error}")
    if options.output == "text":
        write("\n\n".join(_texts(found)))
    elif options.output == "html":
        explained = olmsolve.lifecycle.planning.explained_failures(found, situation)
        write(render.situation_plan_html(found, explained).rstrip("\n"))
    else:
        for failure in found.extensions.failed if found.extensions is not None else ():
            complain(f"ClusterExtension {failure.extension}: {failure.error}")
        write_data({"apiVersion": "v1", "kind": "List", "items": list(found.manifests())}, options.output)
    codes = [exit_of(each.error) for each in found.errors if each.error is not None]
    return max(codes, default=Exit.PLAN if found.is_whole else Exit.UNSATISFIABLE)


def _texts(found: olmsolve.SituationPlan) -> Iterator[str]:
    layout = style()
    for each in found.namespaces:
        yield render.namespace_plan_text(each, width=layout.width, colour=layout.colour)
    if found.extensions is not None:
        yield render.extension_plan_text(found.extensions.to_dict(), width=layout.width, colour=layout.colour)
    if found.collision is not None:
        yield "\n".join(render.paragraph(f"Planned each by itself, because together: {found.collision}", layout.width))
    for error in found.errors:
        yield f"{layout.bold(title(error.question))}\n  {render.plain(str(error.error))}"
