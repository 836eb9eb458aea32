"""``olmsolve plan``: what OLM would write for a cluster."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from textwrap import indent
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.answering import tell_objects_alone, title
from olmsolve.cli.exits import Exit, exit_of
from olmsolve.cli.objects_alone import alone_text, complain_of_missing, missing_content
from olmsolve.cli.options import add_backend, add_output, add_situation
from olmsolve.cli.situation import backend_of, situation_of
from olmsolve.cli.streams import complain, style, write, write_data

DESCRIPTION: Final = """\
Print what OLM would write for a cluster: for subscriptions the InstallPlan with its steps, and the
Subscriptions that change (docs/install-plans.md); for ClusterExtensions what OLM v1 would install, and what
they need besides (docs/v1.md). Nothing is sent anywhere."""

EXAMPLES: Final = """\
examples:
  olmsolve plan --cluster cluster.yaml \\
                --catalog olm/orchard=catalogs/orchard \\
                --catalog olm/commons=catalogs/commons
  olmsolve plan --cluster cluster.yaml \\
                --catalog olm/orchard=catalogs/orchard \\
                --catalog olm/commons=catalogs/commons --namespace shop \\
                --output yaml
  olmsolve plan --cluster cluster.yaml \\
                --catalog olm/orchard=catalogs/orchard \\
                --catalog olm/commons=catalogs/commons --output html \\
                > cluster.html

exit codes:
  0  a plan, or nothing to do
  1  a namespace or an extension cannot be resolved
  2  bad input: a file, an object, a catalog or an argument"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation and the form of the answer."""
    add_situation(parser, objects_needed=True)
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
    try:
        found = olmsolve.plan(situation, backend=backend_of(options))
    except olmsolve.requests.MissingContentError as error:
        return tell_objects_alone(options, situation, [(situation.questions[0], error)])
    missing = [(each.question, lack) for each in found.errors if (lack := missing_content(each.error)) is not None]
    if len(missing) == len(situation.questions):
        return tell_objects_alone(options, situation, missing)
    complain_of_missing(situation, missing)
    failed = found.extensions.failed if found.extensions is not None else ()
    is_one = len(situation.questions) == 1
    for each in found.errors:
        if missing_content(each.error) is None:
            complain(str(each.error) if is_one else f"{title(each.question)}: {each.error}")
    for failure in failed:
        # The objects to write say nothing of an extension that fails, and bad input is told in any case.
        if options.output != "text" or exit_of(failure.error) == Exit.BAD_INPUT:
            complain(str(failure.error) if is_one else f"ClusterExtension {failure.extension}: {failure.error}")
    if options.output == "text":
        write("\n\n".join(_texts(found, situation)))
    elif options.output == "html":
        explained = olmsolve.lifecycle.planning.explained_failures(found, situation)
        write(render.situation_plan_html(found, explained).rstrip("\n"))
    else:
        for plan in found.namespaces:
            # The objects say what OLM writes, and not what keeps it from writing more.
            reasons = [str(plan.fault.error())] if plan.fault is not None else [plan.prospect] if plan.prospect else []
            for reason in (*reasons, *map(str, (each for each in plan.hindrances if each != plan.fault))):
                complain(reason if is_one else f"Namespace {plan.namespace}: {reason}")
        from olmsolve.cli.documents import WrittenObjects

        write_data(WrittenObjects(tuple(found.manifests())).to_dict(), options.output)
    codes = [exit_of(each.error) for each in found.errors if each.error is not None]
    codes += [exit_of(each.error) for each in failed]
    return max(codes, default=Exit.PLAN if found.is_whole else Exit.UNSATISFIABLE)


def _misnamed(
    plan: olmsolve.lifecycle.planning.NamespacePlan,
    found: olmsolve.SituationPlan,
    situation: olmsolve.Situation,
    width: int,
) -> Iterator[str]:
    """Yield which name in a subscription of a failing namespace does not exist: OLM's message does not ask what it was.

    The words of OLM stand above, since they are what the status will say.
    """
    if not plan.failures or plan.fault is not None:
        return
    from olmsolve.answers.explain import Misnamed

    only = situation.only(namespace=plan.namespace)
    for answer in olmsolve.lifecycle.planning.explained_failures(found, only, fixes=0):
        for conflict in answer.value.conflicts if answer.value is not None else ():
            if isinstance(conflict.summary, Misnamed):
                yield from render.paragraph(conflict.statement, width, indent="  - ", hanging="    ")


def _texts(found: olmsolve.SituationPlan, situation: olmsolve.Situation) -> Iterator[str]:
    layout = style()
    for each in found.namespaces:
        text = render.namespace_plan_text(each, width=layout.width, colour=layout.colour)
        yield "\n".join((text, *_misnamed(each, found, situation, layout.width)))
    if found.extensions is not None:
        yield render.extension_plan_text(found.extensions.to_dict(), width=layout.width, colour=layout.colour)
    if found.collision is not None:
        yield "\n".join(render.paragraph(f"Planned each by itself, because {found.collision}", layout.width))
    planned = {each.namespace for each in found.namespaces}
    for error in found.errors:
        if isinstance(error.question, olmsolve.requests.ClassicQuestion) and error.question.name in planned:
            continue  # the plan of the namespace tells it
        if (missing := missing_content(error.error)) is not None:
            text = alone_text(error.question, situation, missing, width=layout.width - 2, colour=layout.colour)
            yield f"{layout.bold(title(error.question))}\n{indent(text, '  ')}"
            continue
        yield f"{layout.bold(title(error.question))}\n  {render.plain(str(error.error))}"
