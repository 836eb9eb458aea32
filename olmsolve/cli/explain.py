"""``olmsolve explain``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import olmsolve
from olmsolve.answers.explain import Explanation, explanation
from olmsolve.catalog import Source, fbc
from olmsolve.classic import Request, Unsatisfiable
from olmsolve.cli.asking import asked
from olmsolve.cli.exits import Exit
from olmsolve.cli.explanations import FORMS, on_terminal
from olmsolve.cli.progress import Progress
from olmsolve.cli.settings import refuse_search_settings, search_settings
from olmsolve.cli.streams import write
from olmsolve.cli.wishes import named_path
from olmsolve.errors import CatalogError
from olmsolve.resolution import ResolutionFailure

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Resolve what *options* ask for, print why it fails, and return the exit code of ``resolve``."""
    request = asked(options)
    settings: dict[str, Any] = {}
    if isinstance(request, Request):
        settings = search_settings(options)
    else:
        refuse_search_settings(options)
    fault: CatalogError | None = None
    try:
        olmsolve.resolve(request, **settings)
        told, code = Explanation((), ()), Exit.PLAN
    except ResolutionFailure as failed:
        told, code = _explained(failed, request, options), Exit.UNSATISFIABLE
    except CatalogError as error:
        # What is broken in a catalog is bad input; where it decided a request, the request can still be explained.
        if not isinstance(error.__cause__, Unsatisfiable):
            raise
        told, code, fault = _explained(error, request, options), Exit.BAD_INPUT, error
    if options.output == "text":
        write(on_terminal(told))
    else:
        write(FORMS[options.output](told).rstrip("\n"))
    if fault is not None:
        raise fault
    return code


def _explained(failure: olmsolve.OlmsolveError, request: Any, options: argparse.Namespace) -> Explanation:
    if not isinstance(request, Request):
        return explanation(failure)
    return explanation(
        failure, catalogs=_known(options, request), fixes=options.fixes, tries=options.tries, timeout=options.timeout
    )


def _known(options: argparse.Namespace, request: Request) -> list[Source]:
    """The catalogs of ``--known``, as they would be if somebody added them beside the others."""
    namespace = request.namespaces[-1]
    sources = []
    with Progress(sys.stderr) as progress:
        for text in options.known:
            name, path, priority = named_path(text, "--known")
            catalog = fbc.load(Path(path), progress=progress.reporter(str(path)))
            sources.append(Source(name, namespace, priority, catalog))
    return sources
