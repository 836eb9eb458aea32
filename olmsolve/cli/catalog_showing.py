"""Actions that show what is in catalogs: lists, update edges, differences."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final

from olmsolve import authoring, render, v1
from olmsolve.cli.catalogs import catalog_path, load
from olmsolve.cli.options import ANSWER_FORMS, add_catalog, add_feature_gates, add_output, add_package
from olmsolve.cli.output import Exit, complain, show, write, write_data, write_json
from olmsolve.cli.parsers import Action, nearest, one_of
from olmsolve.cli.situation import policy_of

_WIDER: Final = "--output wide shows all"
_LISTED: Final = ("packages", "channels", "bundles")


def _listed(name: str) -> str:
    """Return *name*, which says what to list; a type for argparse."""
    if name in _LISTED or nearest(name, _LISTED):
        return one_of(_LISTED)(name)
    raise argparse.ArgumentTypeError(f"{name!r} is not one of these; name what to list before the catalog")


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", type=_listed, choices=_LISTED, metavar="|".join(_LISTED), help="what to list")
    add_catalog(parser)
    add_package(parser, required=False)
    parser.add_argument("--channel", default="", metavar="CHANNEL", help="show only channels of this name")
    add_output(parser, *ANSWER_FORMS, "wide", shown="the form of the list; wide is a table with all columns")


def _list(options: argparse.Namespace) -> int:
    catalog = load(options.catalog, index=False)
    document = authoring.catalog_list(catalog, options.what, options.package, options.channel).to_dict()
    is_wide = options.output == "wide"
    show(
        "text" if is_wide else options.output,
        text=partial(render.catalog_list_text, document[options.what], options.what, wider=None if is_wide else _WIDER),
        data=lambda: document,
    )
    return Exit.PLAN


def _edges_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog(parser)
    add_package(parser, required=False)
    parser.add_argument("--taken", action="store_true", help="show only the updates that OLM classic or OLM v1 takes")
    add_output(parser, *ANSWER_FORMS, "jsonl")


def _edges(options: argparse.Namespace) -> int:
    catalog = load(options.catalog, index=False)
    edges = authoring.compose.catalog_edges(catalog, options.package, taken_only=options.taken)
    if options.output == "jsonl":
        for edge in edges:
            write_json(edge.to_dict())
        return Exit.PLAN
    from olmsolve.cli.documents import UpdateEdgeList

    show(options.output, text=lambda **_: _edges_text(edges), data=lambda: UpdateEdgeList(tuple(edges)).to_dict())
    return Exit.PLAN


def _edges_text(edges: Iterable[authoring.UpdateEdge]) -> str:
    lines: list[str] = []
    for edge in edges:
        takers = [name for name, taken in (("classic", edge.is_classic), ("v1", edge.is_v1)) if taken]
        taken_by = f", taken by {' and '.join(takers)}" if takers else ""
        channel = f"{edge.package}/{edge.channel}"
        line = f"{channel}: {edge.installed} -> {edge.target} ({', '.join(edge.kinds)}{taken_by})"
        lines.append(render.plain(line))
    return "\n".join(lines) or "The channels offer no updates."


def _diff_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", metavar="OLD", type=catalog_path, help="the catalog before, as PATH or NAME=PATH")
    parser.add_argument("new", metavar="NEW", type=catalog_path, help="the catalog after, as PATH or NAME=PATH")
    add_output(parser)
    parser.add_argument("--exit-code", action="store_true", help="exit with 1 if the catalogs differ")
    parser.add_argument(
        "--immutable",
        action="store_true",
        help="show only bundles of OLD whose content has changed in NEW or that NEW no longer has, and exit with 1 if"
        " there are any",
    )


def _diff(options: argparse.Namespace) -> int:
    old, new = load(options.old, index=False), load(options.new, index=False)
    difference = authoring.compose.diff_catalogs(old, new)
    if options.immutable:
        changes = (*difference.republished, *difference.withdrawn)
        ordered = tuple(change for change in difference.changes if change in changes)
        difference = authoring.CatalogDiff(ordered, (), difference.stranded)
    if options.output in ("json", "yaml"):
        write_data(difference.to_dict(), options.output)
    elif options.immutable and not difference:
        write("No bundle of the old catalog has changed or is gone.")
    elif options.output == "markdown":
        write(render.catalog_diff_markdown(difference))
    else:
        write(render.catalog_diff_text(difference))
    for finding in authoring.newly_unmet(old, new):
        complain(str(finding))
    return Exit.UNSATISFIABLE if difference and (options.exit_code or options.immutable) else Exit.PLAN


def _v1_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog(parser)
    add_package(parser, required=False)
    add_feature_gates(parser)
    add_output(parser, *ANSWER_FORMS, "sarif")


def _v1(options: argparse.Namespace) -> int:
    catalog = load(options.catalog, index=False)
    gates = v1.FeatureGates(policy_of(options).feature_gates)
    listing = authoring.installable(catalog, options.package, feature_gates=gates)
    if options.output == "markdown":
        write(render.installable_markdown(listing))
    elif options.output == "sarif":
        from olmsolve.authoring.checks import CODES, installing_findings
        from olmsolve.authoring.checks.validation import at_fields
        from olmsolve.cli.findings import as_sarif

        write(as_sarif(at_fields(installing_findings(listing, catalog), catalog), CODES))
    else:
        show(options.output, text=partial(render.installable_text, listing), data=listing.to_dict)
    return Exit.PLAN if listing.is_clean else Exit.UNSATISFIABLE


_LIST_EXAMPLES: Final = """\
examples:
  olmsolve catalog list packages catalogs/commons
  olmsolve catalog list bundles catalogs/orchard --package storefront \\
                        --output json

exit codes:
  0  the list
  2  bad input: the catalog cannot be read"""
_EDGES_EXAMPLES: Final = """\
examples:
  olmsolve catalog edges catalogs/orchard --package storefront
  olmsolve catalog edges catalogs/orchard --taken --output jsonl

exit codes:
  0  the updates
  2  bad input: the catalog cannot be read"""
_V1_EXAMPLES: Final = """\
examples:
  olmsolve catalog v1 catalogs/orchard
  olmsolve catalog v1 catalogs/orchard --package storefront \\
                      --output markdown

exit codes:
  0  OLM v1 accepts everything, as far as the catalog says
  1  OLM v1 refuses a bundle, a channel or an update
  2  bad input: the catalog cannot be read"""
_DIFF_EXAMPLES: Final = """\
examples:
  olmsolve catalog diff catalogs/orchard catalogs/commons
  olmsolve catalog diff catalogs/commons catalogs/commons -o markdown
  olmsolve catalog diff catalogs/commons catalogs/commons --immutable

exit codes:
  0  the differences, or none
  1  with --exit-code, the catalogs differ; with --immutable, a published bundle has changed or is gone
  2  bad input: a catalog cannot be read"""

SHOWING: Final[Mapping[str, Action]] = {
    "list": Action("list the packages, channels or bundles of a catalog", _list_arguments, _list, _LIST_EXAMPLES),
    "edges": Action(
        "print every update that the channels offer, and which of them OLM takes",
        _edges_arguments,
        _edges,
        _EDGES_EXAMPLES,
    ),
    "v1": Action(
        "print which bundles OLM v1 installs, and what has to change in the others", _v1_arguments, _v1, _V1_EXAMPLES
    ),
    "diff": Action(
        "print what changed, and how the next update of each bundle changes", _diff_arguments, _diff, _DIFF_EXAMPLES
    ),
}
