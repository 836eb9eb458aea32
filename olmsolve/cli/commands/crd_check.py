"""``olmsolve crd-check``: whether new CustomResourceDefinitions may replace old ones."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import olmsolve
from olmsolve import render
from olmsolve.cli.options import add_output
from olmsolve.cli.output import Exit, show
from olmsolve.cli.parsers import one_of

if TYPE_CHECKING:
    from olmsolve.cluster import ClusterState
    from olmsolve.cluster.crds import UpgradeCheck
    from olmsolve.cluster.objects import CustomResourceDefinition

DESCRIPTION: Final = """\
Check whether new CustomResourceDefinitions may replace old ones, by the rules of classic OLM and of OLM v1, in
their own words (docs/crd-upgrades.md). Definitions are compared by name; a file may hold several, as documents
or as a List.

Classic OLM looks at the objects that exist: give them as RESOURCES, in any number of files. OLM v1 looks only at the
definitions."""

EXAMPLES: Final = """\
examples:
  olmsolve crd-check crd/old.yaml crd/new.yaml
  olmsolve crd-check crd/old.yaml crd/new.yaml crd/shops.yaml --olm classic
  olmsolve crd-check crd/old.yaml crd/new.yaml --output json

exit codes:
  0  the new definitions may replace the old ones
  1  one of them may not
  2  bad input: a file, an object or an argument"""

_MOST_SHOWN: Final = 2_000  # characters of one line: the reasons quote values from objects

_GENERATIONS: Final = ("classic", "v1", "both")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the definitions, the objects that exist, and whose verdict decides."""
    parser.add_argument("old", metavar="OLD", help='the definitions as they are, "-" for stdin')
    parser.add_argument("new", metavar="NEW", help="the definitions that should replace them")
    parser.add_argument(
        "resources",
        metavar="RESOURCES",
        nargs="*",
        default=[],
        help='files with existing objects of the definitions, "-" for stdin',
    )
    parser.add_argument(
        "--olm",
        type=one_of(_GENERATIONS),
        choices=_GENERATIONS,
        default="both",
        help="whose verdict decides the exit code (default: both)",
    )
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Compare the definitions of *options*, print the verdicts, and return the exit code."""
    from olmsolve.cluster.crds import check_upgrades

    if [options.old, options.new, *options.resources].count("-") > 1:
        raise olmsolve.ManifestError("standard input can be read only once", field="arguments")
    old, new = _definitions(options.old), _definitions(options.new, may_lack=True)
    checks = check_upgrades(old, new, _resources(options.resources))
    compared = {check.crd for check in checks}
    added = [crd.name for crd in new if crd.name not in compared]
    is_allowed = all(_is_allowed(check, options.olm) for check in checks)
    from olmsolve.cli.documents import CrdCheckReport

    show(
        options.output,
        text=partial(_text, checks, added, options.olm),
        data=CrdCheckReport(is_allowed, tuple(checks), tuple(added)).to_dict,
    )
    return Exit.PLAN if is_allowed else Exit.UNSATISFIABLE


def _is_allowed(check: UpgradeCheck, olm: str) -> bool:
    classic, v1 = check.classic.allowed, not check.faults
    return {"classic": classic, "v1": v1, "both": classic and v1}[olm]


def _definitions(path: str, *, may_lack: bool = False) -> tuple[CustomResourceDefinition, ...]:
    """Return the definitions in the file at *path*; one that *may_lack* them needs any other object."""
    from olmsolve.cluster.objects import CustomResourceDefinition

    state = _state(path)
    definitions = state.all(CustomResourceDefinition)
    if not definitions and not (may_lack and (any(True for _ in state) or state.others)):
        source = "standard input" if path == "-" else path
        raise olmsolve.ManifestError("holds no CustomResourceDefinition", source=source)
    return definitions


def _resources(paths: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return all objects in the files at *paths*: any of them may be of a kind that a definition defines."""
    states = map(_state, paths)
    return [resource.raw for state in states for resource in (*state, *state.others)]


def _state(path: str) -> ClusterState:
    return olmsolve.read_cluster(sys.stdin.buffer if path == "-" else path)


def _text(checks: Sequence[UpgradeCheck], added: Sequence[str], olm: str, *, width: int, colour: bool) -> str:
    return "\n".join(_lines(checks, added, olm, render.Style(width, colour)))


def _lines(checks: Sequence[UpgradeCheck], added: Sequence[str], olm: str, layout: render.Style) -> Iterator[str]:
    plain = render.plain
    for check in checks:
        yield layout.bold(plain(check.crd))
        for note in check.notes:
            yield plain(f"  note: {note}")
        if olm != "v1":
            verdict = check.classic
            yield plain(f"  classic OLM: {'allows it' if verdict.allowed else 'refuses it'}")
            for text in filter(None, (verdict.reason, verdict.warning and f"warning: {verdict.warning}")):
                for line in text.rstrip("\n").split("\n"):
                    yield f"    {plain(line[:_MOST_SHOWN])}".rstrip()
        if olm != "classic":
            yield f"  OLM v1: {'refuses it' if check.faults else 'allows it'}"
            for fault in check.faults:
                yield f"    {plain(str(fault)[:_MOST_SHOWN])}"
    for name in added:
        yield f"{plain(name)}: replaces nothing that was given"
    if not (checks or added):
        yield "The new objects have no CustomResourceDefinition, so there is nothing to refuse."
