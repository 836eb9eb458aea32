"""``olmsolve diff``: what changes between the plans of two situations."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.answering import Answer, answer_questions
from olmsolve.cli.catalogs import catalog_name, content_paths, load
from olmsolve.cli.change_options import GivenChanges, add_changes, given_changes
from olmsolve.cli.options import add_backend, add_output, add_situation
from olmsolve.cli.output import Exit
from olmsolve.cli.parsers import CommandParser
from olmsolve.cli.situation import backend_of, cluster_of, given_among, refuse_idle, search_settings, situation_of

DESCRIPTION: Final = """\
Compare what two requests, or two dumps of a cluster, leave on the cluster: what is gained, lost and changed
when a catalog, a subscription or a priority changes. With --compare-semantics, compare the two semantics on one
request or dump (docs/why.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve diff install.yaml upgrade.yaml
  olmsolve diff install.yaml --compare-semantics

exit codes:
  0  nothing differs
  1  something differs
  2  bad input: a request, a catalog or an argument"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the two situations, which differ in their documents, their catalogs or their semantics."""
    add_situation(parser, "BEFORE", "a request document or a dump")
    add_backend(parser)
    parser.add_argument(
        "other", metavar="AFTER", nargs="?", help="the document or dump to compare with (default: the same)"
    )
    parser.add_argument(
        "--then-catalog",
        dest="later_catalogs",
        action="append",
        default=[],
        metavar="[NAMESPACE/]NAME=PATH[:PRIORITY]",
        help="the content of a catalog afterwards, in place of --catalog (example: olm/community=catalogs/new)",
    )
    parser.add_argument(
        "--compare-semantics",
        dest="semantics_compared",
        action="store_true",
        help="compare documented and controller semantics of one request or dump",
    )
    add_changes(parser)
    parser.add_argument(
        "--before",
        action="append",
        default=[],
        metavar="[NAMESPACE/NAME=]PATH",
        help="the manifests before the change, with --after (example: apps-old)",
    )
    add_output(parser)
    if isinstance(parser, CommandParser):
        parser.synonyms = {"--against": "--then-catalog", "--then": "--then-catalog"}


def run(options: argparse.Namespace) -> int:
    """Compare the answers to the questions of *options*, and return 0 where nothing differs, else 1."""
    if "-" in (options.document, options.other, *options.cluster) and not options.semantics_compared:
        options.refuse('standard input ("-") can be read once; give a file to compare with')
    other = [] if options.other is None else [f"the other document {options.other}"]
    other += given_among(options, ["later_catalogs", "change", "after"])
    if not options.semantics_compared and not other:
        needed = "another request or dump, --then-catalog, --change, or --compare-semantics"
        options.refuse(f"nothing to compare with: give {needed}")
    if options.semantics_compared:
        if other:
            options.refuse(f"--compare-semantics compares one request or dump, and {' and '.join(other)} makes another")
        refuse_idle(options, ["semantics"], "--compare-semantics takes both")
        return answer_questions(options, situation_of(options), partial(_semantics, options))
    before, later = situation_of(options), "the later catalogs"
    with given_changes(options, options.before) as changes:
        if changes:
            if options.other is not None:
                options.refuse("AFTER and --change exclude each other: the change makes the later objects")
            after, later = _changed(options, before, changes), "the change"
        else:
            after = situation_of(_later_options(options))
    names = f"for {options.document or 'now'}", f"for {options.other or later}"
    return answer_questions(options, _asking_both(before, after), partial(_difference, options, before, after, names))


def _changed(options: argparse.Namespace, before: olmsolve.Situation, changes: GivenChanges) -> olmsolve.Situation:
    """Return the situation *before* with *changes* applied to its objects, and with the contents of its catalogs.

    Raises:
        RequestError: there are no objects, a change cannot be read, or the cluster lacks the namespace of one.
    """
    from olmsolve.lifecycle.impact import changed_objects, read_changes

    cluster = cluster_of(before, "--change")
    objects = changed_objects([manifest.raw for manifest in cluster.state], read_changes(changes.after, changes.before))
    contents: dict[str, Path | olmsolve.Catalog | olmsolve.CatalogError] = {}
    for key in cluster.contents:
        try:
            contents[key] = cluster.contents[key]
        except olmsolve.CatalogError as error:
            contents[key] = error
    for name, path in content_paths(options.later_catalogs, "--then-catalog").items():
        contents |= dict.fromkeys(olmsolve.requests.catalogs_named(cluster.state, name) or [name], path)
    state = olmsolve.read_cluster({"apiVersion": "v1", "kind": "List", "items": objects})
    kinds = olmsolve.cluster.objects
    there = {source.key for source in state.all(kinds.CatalogSource)}
    there |= {source.name for source in state.all(kinds.ClusterCatalogObject)}
    given = olmsolve.requests.CatalogFiles({key: contents[key] for key in contents if key in there}, load)
    changed = olmsolve.Situation.of_cluster(state, given, cluster.policy)
    if not (options.namespace or options.extension):
        return changed
    # The change may delete the object that was asked about.
    wanted = (options.namespace, options.extension)
    return changed.asking(question for question in changed.questions if question.name in wanted)


def _later_options(options: argparse.Namespace) -> argparse.Namespace:
    """Return *options* with the document and the catalogs of the later situation."""
    changed = {catalog_name(text, "--then-catalog") for text in options.later_catalogs}
    kept = [text for text in options.catalogs if catalog_name(text) not in changed]
    later = {"catalogs": [*kept, *options.later_catalogs], "document": options.other or options.document}
    return argparse.Namespace(**{**vars(options), **later})


def _asking_both(before: olmsolve.Situation, after: olmsolve.Situation) -> olmsolve.Situation:
    """Return the situation *before* with the questions of both; two documents ask the same question."""
    if _are_documents(before, after):
        return before
    return before.asking(dict.fromkeys((*before.questions, *after.questions)))


def _are_documents(*situations: olmsolve.Situation) -> bool:
    return all(len(situation.questions) == 1 and situation.questions[0].is_document for situation in situations)


def _semantics(options: argparse.Namespace, question: olmsolve.requests.Question, _: olmsolve.Situation) -> Answer:
    request = question.request()
    if not isinstance(request, olmsolve.Request):
        same = olmsolve.diff(request, request)
        return Answer(Exit.PLAN, lambda *, width, colour: "OLM v1 has one semantics of constraints.", same.to_dict)
    compared = olmsolve.compare_semantics(request, backend=backend_of(options))
    return _answer_of(compared, ("under documented semantics", "under controller semantics"))


def _difference(
    options: argparse.Namespace,
    before: olmsolve.Situation,
    after: olmsolve.Situation,
    names: tuple[str, str],
    question: olmsolve.requests.Question,
    _: olmsolve.Situation,
) -> Answer:
    earlier = next((candidate for candidate in before.questions if candidate == question), None)
    later = next((candidate for candidate in after.questions if candidate == question), None)
    if _are_documents(before, after):
        earlier, later = before.questions[0], after.questions[0]
    if earlier is None or later is None:
        from olmsolve.cli.documents import OnlyOnOneSide

        side = "afterwards" if earlier is None else "before"
        text = f"It is only there {side}."
        return Answer(Exit.UNSATISFIABLE, lambda *, width, colour: text, OnlyOnOneSide(side).to_dict)
    one, other = earlier.request(), later.request()
    if isinstance(one, olmsolve.Request) and isinstance(other, olmsolve.Request):
        return _answer_of(olmsolve.diff(one, other, **search_settings(options, later.semantics)), names)
    if isinstance(one, olmsolve.Request) or isinstance(other, olmsolve.Request):
        hint = "olmsolve migrate compares classic OLM with OLM v1"
        raise olmsolve.RequestError("one request is for subscriptions, the other for OLM v1", hint=hint)
    difference = olmsolve.diff(one, other)
    code = Exit.UNSATISFIABLE if difference else Exit.PLAN
    return Answer(code, partial(render.extension_diff_text, difference, names=names), difference.to_dict)


def _answer_of(difference: olmsolve.classic.PlanDiff, names: tuple[str, str]) -> Answer:
    answers = (difference.before, difference.after)
    # Both answers mostly fail on the same fault.
    faults = tuple({str(answer): answer for answer in answers if isinstance(answer, olmsolve.CatalogError)}.values())
    code = Exit.UNSATISFIABLE if difference else Exit.PLAN
    code = Exit.BAD_INPUT if faults else code
    text = partial(render.plan_diff_text, difference, names=names)
    markdown = partial(render.plan_diff_markdown, difference, names=names)
    return Answer(code, text, difference.to_dict, faults, markdown)
