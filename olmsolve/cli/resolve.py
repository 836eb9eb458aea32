"""``olmsolve resolve``."""

from __future__ import annotations

import argparse

import olmsolve
from olmsolve.classic import Request
from olmsolve.cli.asking import asked
from olmsolve.cli.exits import Exit
from olmsolve.cli.explain_files import explain, show, targets_of
from olmsolve.cli.settings import search_settings
from olmsolve.cli.streams import style, write, write_data
from olmsolve.errors import CatalogError
from olmsolve.render import failure_text, plan_text
from olmsolve.resolution import ResolutionFailure

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Resolve what *options* ask for, print the answer, and return the exit code."""
    targets = targets_of(options)
    if options.cluster and options.all_namespaces:
        from olmsolve.cli.cluster import run_all

        if targets:
            options.refuse("--explain is for one namespace: --namespace says which")
        return run_all(options)
    request = asked(options)
    if not isinstance(request, Request):
        # Whoever asks classic OLM should not wait for OLM v1 to load.
        from olmsolve.cli.extension import run_extension

        return run_extension(request, options, targets)
    layout = style()
    try:
        resolution = olmsolve.resolve(request, **search_settings(options))
    except ResolutionFailure as failed:
        if options.output == "text":
            write(failure_text(failed, width=layout.width, colour=layout.colour))
        else:
            write_data(failed.to_dict(), options.output)
        explain(failed, targets, options.timeout)
        return Exit.UNSATISFIABLE
    except CatalogError as fault:
        # What is broken in a catalog is bad input; the request that failed on it can still be explained.
        if isinstance(fault.__cause__, ResolutionFailure):
            explain(fault, targets, options.timeout)
        raise
    if options.output == "text":
        write(plan_text(resolution, width=layout.width, colour=layout.colour))
    else:
        write_data(resolution.to_dict(), options.output)
    show(resolution, targets)
    return Exit.PLAN
