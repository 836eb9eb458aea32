"""``olmsolve migrate``: what OLM v1 would do in place of classic OLM."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve.cli.answering import Answer, answer_questions
from olmsolve.cli.catalogs import load
from olmsolve.cli.options import add_backend, add_output, add_situation
from olmsolve.cli.output import Exit, show, write_file
from olmsolve.cli.situation import (
    RESOLVING,
    refuse_idle,
    refuse_situation,
    search_settings,
    situation_of,
    take_package,
)

DESCRIPTION: Final = """\
Compare classic OLM with OLM v1: for each subscription, the bundle that an extension in its place would get, and
what differs then, such as dependencies and install modes; or for a package of a catalog, the installed versions
whose next update differs (docs/v1.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve migrate --cluster cluster.yaml \\
                   --catalog olm/orchard=catalogs/orchard \\
                   --catalog olm/commons=catalogs/commons
  olmsolve migrate catalogs/orchard storefront
  olmsolve migrate catalogs/commons ledgerdb --channel stable

exit codes:
  0  nothing differs
  1  something differs
  2  bad input: a catalog, a request or an argument"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the catalog and the package, or the situation."""
    add_situation(parser, "CATALOG|REQUEST", "a catalog with PACKAGE, or a request document")
    parser.add_argument("package", metavar="PACKAGE", nargs="?", help="the package, if a catalog is given")
    parser.add_argument(
        "--channel", default="", metavar="CHANNEL", help="compare only this channel of PACKAGE (default: each)"
    )
    parser.add_argument(
        "--write",
        default="",
        metavar="FOLDER",
        help="write a folder for each subscription that can move: the ClusterExtension, its rights, the commands in"
        " their order, and the way back",
    )
    add_backend(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Compare both generations of OLM for what *options* describe, and return 0 where nothing differs, else 1."""
    take_package(options)
    if options.package is not None:
        return _of_package(options)
    refuse_idle(options, ["channel"], "a subscription names its own channel")
    return answer_questions(options, situation_of(options), partial(_answer, options))


def _answer(options: argparse.Namespace, question: olmsolve.requests.Question, situation: olmsolve.Situation) -> Answer:
    request = question.request()
    if not isinstance(request, olmsolve.Request):
        data = {"schema": "olmsolve.migration", "schemaVersion": 1, "subscriptions": []}
        return Answer(Exit.PLAN, lambda *, width, colour: "Is an extension of OLM v1 already.", lambda: data)
    state = None if situation.cluster is None else situation.cluster.state
    migrations = olmsolve.lifecycle.migrations(request, state=state, **search_settings(options, question.semantics))
    if options.write:
        for subscription in migrations.subscriptions:
            move = olmsolve.lifecycle.move_to_v1(subscription, request, state)
            if move is not None:
                _write(Path(options.write), move)
    code = Exit.PLAN if migrations.is_same else Exit.UNSATISFIABLE
    faults = () if migrations.fault is None else (migrations.fault,)
    return Answer(
        Exit.BAD_INPUT if faults else code, partial(render.migrations_text, migrations), migrations.to_dict, faults
    )


def _write(folder: Path, move: olmsolve.lifecycle.Move) -> None:
    """Write the objects and the steps of *move* into a folder of its own, named after namespace and subscription."""
    from olmsolve.catalog.fbc import block_lines
    from olmsolve.errors import RequestError

    target = folder / f"{move.namespace}-{move.subscription}"
    if target.is_symlink():
        raise RequestError("cannot be written: a link, which may lead anywhere", source=str(target))
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RequestError(f"cannot be written: {error.strerror}", source=str(target)) from None
    for name, objects in move.to_dict()["files"].items():
        lines = [line for manifest in objects for line in ("---", *block_lines(manifest))]
        write_file(str(target / name), [f"{line}\n" for line in lines], is_named=False)
    write_file(str(target / "steps.md"), [olmsolve.lifecycle.move_text(move)], is_named=False)


def _of_package(options: argparse.Namespace) -> int:
    refuse_situation(options)
    idle = (*RESOLVING, "backend", "namespace", "extension", "write")
    refuse_idle(options, idle, "updates in a catalog follow only its edges")
    differences = olmsolve.v1.Differences(
        olmsolve.v1.differences(load(options.document), options.package, channel=options.channel)
    )
    show(options.output, text=partial(render.differences_text, differences.differences), data=differences.to_dict)
    return Exit.UNSATISFIABLE if differences.differences else Exit.PLAN
