"""``olmsolve explain``: why a request fails, and what would have to change."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import olmsolve
from olmsolve import render
from olmsolve.cli import pages
from olmsolve.cli.answering import Answer, answer_questions
from olmsolve.cli.catalogs import catalog_of_text, load, name_of_path
from olmsolve.cli.options import ANSWER_FORMS, add_backend, add_output, add_situation, whole_number
from olmsolve.cli.output import Exit, fenced
from olmsolve.cli.pages import about_page
from olmsolve.cli.resolving import resolved
from olmsolve.cli.situation import hindrances_of, situation_of

DESCRIPTION: Final = """\
Explain why a request cannot be satisfied: every independent conflict as a tree of facts, and changes to the request
after which it has a plan, each resolved to make sure. If there is a plan, say what is held back (docs/explain.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve explain unsatisfiable.yaml
  olmsolve explain unsatisfiable.yaml --output markdown
  olmsolve explain unsatisfiable.yaml --known spare=catalogs/commons \\
                   --fixes 2

exit codes:
  0  there is a plan
  1  the request cannot be satisfied
  2  bad input: a catalog, a request or an argument"""


_MOST: Final = 999_999
_MARKDOWN_WIDTH: Final = 100  # characters: a block of code in Markdown does not wrap


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the situation, the search, and how much to look for."""
    add_situation(parser)
    add_backend(parser)
    parser.add_argument(
        "--known",
        action="append",
        default=[],
        metavar="NAME=PATH[:PRIORITY]",
        help="a catalog that could be added to the cluster (example: partners=catalogs/partners)",
    )
    parser.add_argument(
        "--fixes",
        type=whole_number(0, _MOST),
        default=5,
        metavar="N",
        help="the most ways out to look for (default: 5; 0 for none)",
    )
    parser.add_argument(
        "--tries",
        type=whole_number(0, _MOST),
        default=100,
        metavar="N",
        help="the most changed requests to resolve in search of ways out (default: 100)",
    )
    add_output(parser, *ANSWER_FORMS, "mermaid", "html", shown="the form of the explanation")


def run(options: argparse.Namespace) -> int:
    """Say of each question of *options* why it has no answer, and return the exit code of ``resolve``."""
    # A page and a diagram show one request.
    alone = f"--output {options.output}" if options.output in ("html", "mermaid") else ""
    situation = situation_of(options)
    if options.known and not any(
        isinstance(question, olmsolve.requests.ClassicQuestion) for question in situation.questions
    ):
        options.refuse("--known is for subscriptions: an extension sees all ClusterCatalogs")
    # Read before anything is resolved: a wrong path is an error, whether or not there is something to explain.
    known_sources = [
        olmsolve.Source(name or name_of_path(path), "", priority, load(path))
        for name, path, priority in (catalog_of_text(text, "--known") for text in options.known)
    ]
    return answer_questions(options, situation, partial(_answer, options, known_sources), alone=alone)


def _answer(
    options: argparse.Namespace,
    known_sources: Sequence[olmsolve.Source],
    question: olmsolve.requests.Question,
    situation: olmsolve.Situation,
) -> Answer:
    try:
        request = question.request()
    except olmsolve.errors.NamespaceError as error:
        return _unresolvable(error, question, situation)
    try:
        answer = resolved(request, options, question.semantics)
    except olmsolve.CatalogError as error:
        # A fault in a catalog is bad input; where it decided a request, the request can still be explained.
        if not isinstance(error.__cause__, olmsolve.Unsatisfiable):
            raise
        explained = _answer_with(_explanation(error, request, options, known_sources), Exit.BAD_INPUT, options.output)
        return explained._replace(faults=(error,))
    explanation = _explanation(answer.outcome, request, options, known_sources)
    hindrances = hindrances_of(question, situation, answer.outcome)
    fixes = explanation.fixes or ()
    ways = _ways_out(question, situation, hindrances, fixes) if options.fixes else ()
    about = about_page(options, situation) if options.output == "html" else ()
    # Without objects of a cluster nothing is reported above, and loading their room would take 40 ms.
    closing = _closing(answer.outcome, hindrances) if hindrances else ""
    is_cluster = isinstance(request, olmsolve.Request) and situation.cluster is not None and not question.is_document
    return _answer_with(
        explanation,
        answer.code,
        options.output,
        hindrances,
        ways,
        closing=closing,
        is_cluster=is_cluster,
        about=about,
        has_others=len(situation.questions) > 1,
    )


def _ways_out(
    question: olmsolve.requests.Question,
    situation: olmsolve.Situation,
    hindrances: Sequence[olmsolve.cluster.Hindrance],
    fixes: Sequence[olmsolve.Fix] = (),
) -> tuple[olmsolve.lifecycle.ways_out.ClusterWayOut, ...]:
    """Return the ways out of *hindrances*, which the objects of a cluster report, and of the *fixes* that help."""
    is_classic = isinstance(question, olmsolve.requests.ClassicQuestion) and not question.is_document
    if situation.cluster is None or not is_classic or not (hindrances or fixes):
        return ()
    return olmsolve.lifecycle.ways_out.cluster_ways_out(situation.cluster, question.name, hindrances, fixes)


def _unresolvable(
    error: olmsolve.OlmsolveError, question: olmsolve.requests.Question, situation: olmsolve.Situation
) -> Answer:
    """Return why the objects of a namespace keep it from being resolved, and the ways out."""
    hindrances = hindrances_of(question, situation, None)
    ways = _ways_out(question, situation, hindrances)
    # The error says the fault.
    others = [
        hindrance for hindrance in hindrances if not isinstance(hindrance, olmsolve.cluster.NamespaceUnresolvable)
    ]

    def text(*, width: int, colour: bool) -> str:
        error_text = "\n".join(render.paragraph(str(error), width))
        hindrance_text = render.hindrances_text(others, width=width, colour=colour)
        out = render.cluster_ways_out_text(ways, width=width, colour=colour, has_others=len(situation.questions) > 1)
        return "\n\n".join(filter(None, (error_text, hindrance_text, out)))

    def data() -> dict[str, Any]:
        from olmsolve.cli.documents import NoAnswer

        return NoAnswer(str(error), cluster_ways_out=ways).to_dict()

    return Answer(Exit.UNSATISFIABLE, text, data)


def _documented(ways: Sequence[olmsolve.lifecycle.ways_out.ClusterWayOut]) -> dict[str, Any]:
    return {"clusterWaysOut": [way.to_dict() for way in ways]} if ways else {}


def _explanation(
    answer: olmsolve.OlmsolveError | olmsolve.Resolution | olmsolve.v1.ExtensionResolution,
    request: olmsolve.Request | olmsolve.v1.ExtensionRequest,
    options: argparse.Namespace,
    known_sources: Sequence[olmsolve.Source],
) -> olmsolve.Explanation:
    if not isinstance(request, olmsolve.Request):
        return olmsolve.explanation(answer, fixes=options.fixes, tries=options.tries)
    import olmsolve._attrs as attrs  # help should not wait for it

    catalogs = [attrs.evolve(source, namespace=request.namespaces[-1]) for source in known_sources]
    return olmsolve.explanation(answer, catalogs=catalogs, fixes=options.fixes, tries=options.tries)


def _closing(answer: object, hindrances: Sequence[olmsolve.cluster.Hindrance]) -> str:
    """Return what comes of the resolution *answer* despite *hindrances*: "nothing to explain" would be wrong."""
    selected = [install.name for install in answer.installs] if isinstance(answer, olmsolve.Resolution) else []
    nothing = olmsolve.lifecycle.planning.comes_to_nothing(hindrances)
    under_way = {
        name
        for hindrance in hindrances
        if isinstance(hindrance, olmsolve.cluster.PlanUnderWay)
        for name in hindrance.operators
    }
    if selected and under_way.issuperset(selected):
        return f"This request can be satisfied: the install plan that is under way brings {', '.join(selected)}."
    planned = [name for name in selected if name not in nothing]
    if planned:
        return f"This request can be satisfied: OLM will write an install plan for {', '.join(planned)}."
    if selected:
        return "This request can be satisfied, but OLM writes no install plan for now, as said above."
    return "This request can be satisfied, and nothing new is to be installed."


def _is_gentle(ways: Sequence[olmsolve.lifecycle.ways_out.ClusterWayOut]) -> bool:
    """Return whether the first of *ways* deletes nothing, so that it may be printed above a long tree of reasons."""
    return bool(ways) and ways[0].change.harm < olmsolve.lifecycle.ways_out.Harm.REMOVE


def _answer_with(
    explanation: olmsolve.Explanation,
    code: Exit,
    form: str,
    hindrances: Sequence[olmsolve.cluster.Hindrance] = (),
    ways: Sequence[olmsolve.lifecycle.ways_out.ClusterWayOut] = (),
    *,
    closing: str = "",
    is_cluster: bool = False,
    about: Sequence[str] = (),
    has_others: bool = False,
) -> Answer:
    def text(*, width: int, colour: bool) -> str:
        if form == "text":
            hindrance_text = render.hindrances_text(hindrances, width=width, colour=colour)
            out = ""
            if ways:
                out = render.cluster_ways_out_text(ways, width=width, colour=colour, has_others=has_others)
            if hindrance_text and not explanation.conflicts and not explanation.held_back:
                return "\n\n".join(filter(None, (hindrance_text, out, "\n".join(render.paragraph(closing, width)))))
            note = render.unreported_text(hindrances, width=width)
            if not (is_cluster and explanation.conflicts):
                return "\n\n".join(filter(None, (hindrance_text, out, pages.on_terminal(explanation), note)))
            from olmsolve._records import evolve  # help should not wait for it

            # The ways out of the cluster have the fixes of the request among them, as far as the objects let them help.
            tree = pages.on_terminal(evolve(explanation, fixes=None))
            advice = render.provider_hint(explanation)
            if not out and explanation.fixes is not None:
                advice = render.nothing_found(evolve(explanation, fixes=()))
            hint = "\n".join(render.paragraph(advice, width)) if advice else ""
            # A tree can be long, so the ways out follow the hindrances at once, unless they delete something.
            parts = (
                (hindrance_text, out, tree, hint, note)
                if hindrance_text and _is_gentle(ways)
                else (hindrance_text, tree, out, hint, note)
            )
            return "\n\n".join(filter(None, parts))
        if form == "html":
            return render.explanation_html(explanation, hindrances=hindrances, ways=ways, about=about).rstrip("\n")
        return pages.FORMS[form](explanation).rstrip("\n")

    def data() -> dict[str, Any]:
        document = explanation.to_dict()
        hindrance_field = {"hindrances": [hindrance.to_dict() for hindrance in hindrances]} if hindrances else {}
        return {**document, **hindrance_field, **_documented(ways)}

    def markdown() -> str:
        shown = explanation
        if is_cluster and explanation.conflicts and ways:
            from olmsolve._records import evolve  # help should not wait for it

            shown = evolve(explanation, fixes=None)  # they are among the ways out of the cluster
        hindrance_text = render.hindrances_markdown(hindrances)
        out = ""
        if ways:  # as a block of text, from which their commands can be copied
            out = fenced(render.cluster_ways_out_text(ways, width=_MARKDOWN_WIDTH, colour=False, has_others=has_others))
        is_closed = hindrance_text and not shown.conflicts and not shown.held_back
        tree = render.in_markdown(closing) if is_closed else render.explanation_markdown(shown)
        parts = (hindrance_text, out, tree) if is_closed or _is_gentle(ways) else (hindrance_text, tree, out)
        return "\n\n".join(part.rstrip("\n") for part in parts if part)

    return Answer(code, text, data, markdown=markdown)
