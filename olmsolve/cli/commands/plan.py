"""``olmsolve plan``: what OLM would write for a cluster."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from textwrap import indent
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.answering import alone_text, complain_of_missing, missing_content, tell_objects_alone, title
from olmsolve.cli.options import ANSWER_FORMS, add_backend, add_output, add_situation
from olmsolve.cli.output import Exit, complain, exit_of, laid_out, write, write_data
from olmsolve.cli.pages import about_page
from olmsolve.cli.situation import backend_of, situation_of

_TEXTS: Final = ("text", "markdown")

DESCRIPTION: Final = """\
Print what OLM would write for a cluster: for subscriptions, the InstallPlan with its steps, and the Subscriptions that
change (docs/install-plans.md); for ClusterExtensions, the bundles that OLM v1 would install, and what else they need
(docs/v1.md). Nothing is sent anywhere."""

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
    add_output(parser, *ANSWER_FORMS, "html", shown=shown)


def run(options: argparse.Namespace) -> int:
    """Plan for the situation of *options*, print what OLM would write, and return the exit code."""
    situation = situation_of(options)
    if not situation.questions:
        raise olmsolve.RequestError(
            "no subscriptions and no extensions", field="--cluster", hint="there is nothing to plan for"
        )
    try:
        situation_plan = olmsolve.plan(situation, backend=backend_of(options))
    except olmsolve.requests.MissingContentError as error:
        return tell_objects_alone(options, situation, [(situation.questions[0], error)])
    missing = [
        (failure.question, lack)
        for failure in situation_plan.errors
        if (lack := missing_content(failure.error)) is not None
    ]
    if len(missing) == len(situation.questions):
        return tell_objects_alone(options, situation, missing)
    complain_of_missing(situation, missing)
    failed = situation_plan.extensions.failed if situation_plan.extensions is not None else ()
    is_one = len(situation.questions) == 1
    for failure in situation_plan.errors:
        if missing_content(failure.error) is None:
            complain(str(failure.error) if is_one else f"{title(failure.question)}: {failure.error}")
    for extension_failure in failed:
        # The objects to write say nothing of an extension that fails, and bad input is reported in any case.
        if options.output not in _TEXTS or exit_of(extension_failure.error) == Exit.BAD_INPUT:
            complain(
                str(extension_failure.error)
                if is_one
                else f"ClusterExtension {extension_failure.extension}: {extension_failure.error}"
            )
    if options.output in _TEXTS:
        write(laid_out(partial(_text, situation_plan, situation), options.output))
    elif options.output == "html":
        explained = olmsolve.lifecycle.planning.explained_failures(situation_plan, situation)
        write(render.situation_plan_html(situation_plan, explained, about=about_page(options, situation)).rstrip("\n"))
    else:
        for plan in situation_plan.namespaces:
            # The objects say what OLM writes, and not what keeps it from writing more.
            reasons = [str(plan.fault.error())] if plan.fault is not None else [plan.prospect] if plan.prospect else []
            for reason in (
                *reasons,
                *map(str, (hindrance for hindrance in plan.hindrances if hindrance != plan.fault)),
            ):
                complain(reason if is_one else f"Namespace {plan.namespace}: {reason}")
        from olmsolve.cli.documents import WrittenObjects

        write_data(WrittenObjects(tuple(situation_plan.manifests())).to_dict(), options.output)
    codes = [exit_of(failure.error) for failure in situation_plan.errors if failure.error is not None]
    codes += [exit_of(failure.error) for failure in failed]
    return max(codes, default=Exit.PLAN if situation_plan.is_whole else Exit.UNSATISFIABLE)


def _misnamed(
    plan: olmsolve.lifecycle.planning.NamespacePlan,
    situation_plan: olmsolve.SituationPlan,
    situation: olmsolve.Situation,
    width: int,
) -> Iterator[str]:
    """Yield which name in a subscription of a failing namespace does not exist: OLM's message does not ask what it was.

    The words of OLM come first, since they are what the status will say.
    """
    if not plan.failures or plan.fault is not None:
        return
    from olmsolve.answers.explain import Misnamed

    only = situation.only(namespace=plan.namespace)
    for answer in olmsolve.lifecycle.planning.explained_failures(situation_plan, only, fixes=0):
        for conflict in answer.value.conflicts if answer.value is not None else ():
            if isinstance(conflict.summary, Misnamed):
                yield from render.paragraph(conflict.statement, width, indent="  - ", hanging="    ")


def _text(situation_plan: olmsolve.SituationPlan, situation: olmsolve.Situation, *, width: int, colour: bool) -> str:
    return "\n\n".join(_texts(situation_plan, situation, render.Style(width, colour)))


def _texts(
    situation_plan: olmsolve.SituationPlan, situation: olmsolve.Situation, layout: render.Style
) -> Iterator[str]:
    for namespace in situation_plan.namespaces:
        text = render.namespace_plan_text(namespace, width=layout.width, colour=layout.colour)
        yield "\n".join((text, *_misnamed(namespace, situation_plan, situation, layout.width)))
    if situation_plan.extensions is not None:
        yield render.extension_plan_text(situation_plan.extensions.to_dict(), width=layout.width, colour=layout.colour)
    if situation_plan.collision is not None:
        yield "\n".join(render.paragraph(f"Each planned separately, because {situation_plan.collision}", layout.width))
    planned = {namespace.namespace for namespace in situation_plan.namespaces}
    for error in situation_plan.errors:
        if isinstance(error.question, olmsolve.requests.ClassicQuestion) and error.question.name in planned:
            continue  # the plan of the namespace reports it
        if (missing := missing_content(error.error)) is not None:
            text = alone_text(error.question, situation, missing, width=layout.width - 2, colour=layout.colour)
            yield f"{layout.bold(title(error.question))}\n{indent(text, '  ')}"
            continue
        yield f"{layout.bold(title(error.question))}\n  {render.plain(str(error.error))}"
