"""``olmsolve resolve``: the plan of a request, or why it has none.

``--together`` resolves the namespaces of a cluster at once (docs/shared-definitions.md).
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Final

import olmsolve
from olmsolve import render
from olmsolve.cli import pages
from olmsolve.cli.answering import Answer, answer_questions
from olmsolve.cli.options import ANSWER_FORMS, add_backend, add_output, add_situation
from olmsolve.cli.output import Exit
from olmsolve.cli.pages import about_page
from olmsolve.cli.resolving import answered, extension_page, resolved
from olmsolve.cli.situation import search_settings, situation_of

if TYPE_CHECKING:
    from olmsolve.cli.answering import AnswerQuestion

DESCRIPTION: Final = """\
Resolve a request: print what would be installed, or why nothing can be.

The request is a document in JSON or YAML (docs/documents.md, for OLM v1 docs/v1.md); or --catalog, --subscribe
and --installed make it; or the objects of a cluster do (docs/cluster.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve resolve install.yaml
  olmsolve resolve upgrade.yaml --output json
  olmsolve resolve --catalog orchard=catalogs/orchard:10 \\
                   --catalog commons=catalogs/commons \\
                   --subscribe storefront@2.x --installed keyring.v1.0.2
  olmsolve resolve --cluster cluster.yaml \\
                   --catalog olm/orchard=catalogs/orchard \\
                   --catalog olm/commons=catalogs/commons --namespace shop

exit codes:
  0  a plan
  1  the request cannot be satisfied
  2  bad input: a catalog, a request or an argument"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation, the search, and the forms of the answer and of its explanation."""
    add_situation(parser)
    add_backend(parser)
    add_output(parser, *ANSWER_FORMS, "html", shown="the form of the answer; html is a page about one request")
    parser.add_argument(
        "--together",
        action="store_true",
        help="resolve all namespaces of a cluster at once: operators then agree on the APIs that they share",
    )
    parser.add_argument(
        "--core",
        action="store_true",
        help="show the core of a failure: a minimal set of constraints that cannot hold together, as json and yaml do",
    )
    parser.add_argument(
        "--explain",
        action="append",
        default=[],
        metavar="FORM=FILE",
        help="write the explanation of a failure to FILE as well; FORM is text, markdown, json, mermaid or html; html"
        " also shows a plan; can be repeated (example: html=answer.html)",
    )


def run(options: argparse.Namespace) -> int:
    """Resolve the questions of *options*, print the answers, and return the exit code."""
    targets = [pages.form_and_file(text) for text in options.explain]
    situation = situation_of(options)
    is_page = options.output == "html"
    if is_page and options.core:
        options.refuse("--core is for text: a page has the whole explanation")
    if options.together:
        given = [*(["--explain"] if targets else []), *(["--core"] if options.core else [])]
        if given := [*given, *(["--output html"] if is_page else [])]:
            options.refuse(f"--together gives one failure for all namespaces: {' and '.join(given)} cannot show it")
        from olmsolve.cli.commands.resolve import together

        return answer_questions(options, situation, together(situation, options))

    def answer(question: olmsolve.requests.Question, situation: olmsolve.Situation) -> Answer:
        try:
            reply = answered(question, situation, options)
        except olmsolve.CatalogError as error:
            # A fault in a catalog is bad input; the request that failed on it can still be explained.
            if isinstance(error.__cause__, olmsolve.ResolutionFailure):
                pages.write_explanation(error, targets)
            raise
        if isinstance(reply.outcome, olmsolve.ResolutionFailure):
            pages.write_explanation(reply.outcome, targets)
        elif reply.is_classic:
            pages.write_page(reply.page, targets)
        if is_page:
            about = about_page(options, situation)
            page = reply.page(about) if reply.is_classic else extension_page(situation, question, about)
            return Answer(reply.code, lambda *, width, colour: page.rstrip("\n"), reply.data)
        if options.core:
            return Answer(reply.code, reply.core, reply.data)
        return Answer(reply.code, reply.text, reply.data, markdown=reply.markdown)

    alone = "--output html" if is_page else "--explain"
    return answer_questions(options, situation, answer, alone=alone if targets or is_page else "")


def together(situation: olmsolve.Situation, options: argparse.Namespace) -> AnswerQuestion:
    """Resolve all namespaces of *situation* at once; return the answer to each question.

    A namespace that cannot be asked for is left out, and its error is its own answer. Extensions are resolved each by
    itself, because OLM v1 knows nothing else.

    Raises:
        RequestError: there are not several namespaces.
        Incomplete: the time limit was reached.
    """
    questions = [other for other in situation.questions if isinstance(other, olmsolve.requests.ClassicQuestion)]
    if len(questions) < 2 or any(other.is_document for other in questions):
        raise olmsolve.RequestError(
            "needs a cluster with several namespaces", field="--together", hint="a request has one namespace"
        )
    answers = situation.asking(questions).ask(lambda question: question.request())
    errors = {answer.question.name: answer.error for answer in answers if answer.error is not None}
    requests = [answer.value for answer in answers if isinstance(answer.value, olmsolve.Request)]
    plans: dict[str, olmsolve.Resolution] = {}
    failure: olmsolve.ResolutionFailure | None = None
    try:
        plans = olmsolve.classic.resolve_together(requests, **search_settings(options, questions[0].semantics))
    except olmsolve.ResolutionFailure as error:
        failure = error
    failed: list[str] = []

    def answer(question: olmsolve.requests.Question, _: olmsolve.Situation) -> Answer:
        if isinstance(question, olmsolve.requests.ExtensionQuestion):
            alone = resolved(question.request(), options, question.semantics)
            return Answer(alone.code, alone.text, alone.data, markdown=alone.markdown)
        if question.name in errors:
            raise errors[question.name]
        if failure is None:
            plan = plans[question.name]
            markdown = partial(render.plan_markdown, plan)
            return Answer(Exit.PLAN, partial(render.plan_text, plan), plan.to_dict, markdown=markdown)
        failed.append(question.name)
        text = str(failure) if failed[0] == question.name else f"See namespace {failed[0]}."
        return Answer(Exit.UNSATISFIABLE, lambda *, width, colour: _wrapped(text, width), failure.to_dict)

    return answer


def _wrapped(text: str, width: int) -> str:
    lines = text.splitlines()
    return "\n".join(part for line in lines for part in render.paragraph(line.strip(), width, hanging="    "))
