"""The commands, one module each: ``arguments(parser)`` declares the options, ``run(options)`` answers them.

A module is imported when its command is called. :mod:`olmsolve.cli.table` lists them all.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cli.commands import audit as audit
    from olmsolve.cli.commands import backends as backends
    from olmsolve.cli.commands import bench as bench
    from olmsolve.cli.commands import blocking as blocking
    from olmsolve.cli.commands import bundle as bundle
    from olmsolve.cli.commands import catalog as catalog
    from olmsolve.cli.commands import certify as certify
    from olmsolve.cli.commands import cnf as cnf
    from olmsolve.cli.commands import completion as completion
    from olmsolve.cli.commands import composite as composite
    from olmsolve.cli.commands import crd_check as crd_check
    from olmsolve.cli.commands import demo as demo
    from olmsolve.cli.commands import diff as diff
    from olmsolve.cli.commands import explain as explain
    from olmsolve.cli.commands import fuzz as fuzz
    from olmsolve.cli.commands import graph as graph
    from olmsolve.cli.commands import groups as groups
    from olmsolve.cli.commands import help as help  # noqa: A004 - the name of the command
    from olmsolve.cli.commands import impact as impact
    from olmsolve.cli.commands import index as index
    from olmsolve.cli.commands import journey as journey
    from olmsolve.cli.commands import lint as lint
    from olmsolve.cli.commands import metrics as metrics
    from olmsolve.cli.commands import migrate as migrate
    from olmsolve.cli.commands import path as path
    from olmsolve.cli.commands import plan as plan
    from olmsolve.cli.commands import reduce as reduce
    from olmsolve.cli.commands import render as render
    from olmsolve.cli.commands import resolve as resolve
    from olmsolve.cli.commands import schema as schema
    from olmsolve.cli.commands import serve as serve
    from olmsolve.cli.commands import simulate as simulate
    from olmsolve.cli.commands import template as template
    from olmsolve.cli.commands import validate as validate
    from olmsolve.cli.commands import verify as verify
    from olmsolve.cli.commands import where as where
    from olmsolve.cli.commands import why as why
    from olmsolve.cli.commands import why_not as why_not
else:
    __getattr__, __dir__ = lazily(__name__)
