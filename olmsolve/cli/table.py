"""The commands: one table of their names, help lines and modules, and the parser that is made from it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, NoReturn, Protocol

from olmsolve._version import __version__
from olmsolve.cli import commands
from olmsolve.cli.choices import invalid_choice, meant, nearest
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_timeout


class CommandModule(Protocol):
    """A module of a command: its texts, its options and its answer."""

    @property
    def DESCRIPTION(self) -> str:  # noqa: N802 - a module's constant
        """What the command does, shown by ``--help`` above the options with its lines as they are."""

    @property
    def EXAMPLES(self) -> str:  # noqa: N802 - a module's constant
        """Example calls and the meanings of the exit codes 0 to 2, shown by ``--help`` below the options."""

    def arguments(self, parser: argparse.ArgumentParser, /) -> None:
        """Declare the options of the command on *parser*."""

    def run(self, options: argparse.Namespace, /) -> int:
        """Answer what *options* ask for and return the exit code."""


class Command(NamedTuple):
    """A command: its line in ``olmsolve --help``, and a function that imports its module."""

    help: str
    module: Callable[[], CommandModule]


COMMANDS: Final[Mapping[str, Command]] = {
    "resolve": Command("what is to be installed for a request, or why nothing can be", lambda: commands.resolve),
    "explain": Command(
        "why a request cannot be satisfied and what would help, or what is held back",
        lambda: commands.explain,
    ),
    "why": Command("why a bundle is in a plan", lambda: commands.why),
    "why-not": Command("why something is not in a plan", lambda: commands.why_not),
    "diff": Command("what changes between the plans of two requests", lambda: commands.diff),
    "reduce": Command("the smallest request that still shows the same", lambda: commands.reduce),
    "lint": Command("what in a catalog is probably not what its authors meant", lambda: commands.lint),
    "validate": Command("whether a catalog is valid, and everything that is wrong with it", lambda: commands.validate),
    "path": Command("the updates from an installed bundle to the newest or a wanted one", lambda: commands.path),
    "graph": Command("the update graphs of a catalog, as mermaid, DOT or an HTML page", lambda: commands.graph),
    "render": Command(
        "catalogs and bundle folders as one text, or as a folder for each package", lambda: commands.render
    ),
    "catalog": Command("merge, cut, edit and compare catalogs", lambda: commands.catalog),
    "template": Command("the catalog that a template stands for", lambda: commands.template),
    "composite": Command(
        "a catalog of other catalogs and templates, built, validated and compared", lambda: commands.composite
    ),
    "index": Command("write a catalog's index to a file, so that resolving starts at once", lambda: commands.index),
    "audit": Command("what in whole catalogs cannot be installed, updated or selected", lambda: commands.audit),
    "bench": Command("how long each phase of resolution takes, and what has become slower", lambda: commands.bench),
    "fuzz": Command("random requests over catalogs, and what their author should know", lambda: commands.fuzz),
    "plan": Command(
        "what OLM would write for a cluster: install plans, status, new bundles of extensions", lambda: commands.plan
    ),
    "simulate": Command("what a cluster will look like, step by step, until it is at rest", lambda: commands.simulate),
    "blocking": Command(
        "what keeps a cluster from its next minor version, and which updates free it", lambda: commands.blocking
    ),
    "impact": Command("what other catalogs change on all clusters of a fleet", lambda: commands.impact),
    "groups": Command("operator groups, and the operators that may not act in theirs", lambda: commands.groups),
    "metrics": Command("the metrics that OLM would export for a cluster", lambda: commands.metrics),
    "migrate": Command("what OLM v1 would do in place of classic OLM", lambda: commands.migrate),
    "crd-check": Command("whether new CustomResourceDefinitions may replace old ones", lambda: commands.crd_check),
    "backends": Command("the SAT solvers that can answer, and what each can do", lambda: commands.backends),
    "certify": Command("the answer to a request, with its proof", lambda: commands.certify),
    "verify": Command("whether a certificate proves an answer", lambda: commands.verify),
    "cnf": Command("a request as clauses, for SAT solvers and optimisers", lambda: commands.cnf),
    "demo": Command("the example that comes with olmsolve, resolved or written to a folder", lambda: commands.demo),
    "schema": Command("the JSON Schemas of what commands write and read", lambda: commands.schema),
}
"""The commands, in the order of ``olmsolve --help``."""

_DESCRIPTION: Final = "What would Operator Lifecycle Manager install, and if nothing, why not?"


def _with_time_limit(examples: str) -> str:
    """Return *examples*, which end with the exit codes, with the code of a time limit if it is not listed."""
    line = f"\n  {Exit.OUT_OF_BUDGET.value}  "
    return examples if line in examples else f"{examples}{line}no answer within --timeout"


def declare(module: CommandModule, parser: argparse.ArgumentParser) -> None:
    """Declare on *parser* the options of the command *module*, and those of every command."""
    module.arguments(parser)
    add_timeout(parser)


class CommandParser(argparse.ArgumentParser):
    """A parser that shows its own usage for an unknown argument, and the nearest name that it knows.

    argparse itself would show the usage of olmsolve, which says nothing about the options of a command.
    """

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Return the options and no unknown arguments: these end with a message and the usage."""
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.refuse_unknown(unknown)
        return options, []

    def refuse_unknown(self, unknown: Sequence[str]) -> NoReturn:
        """End with a message about the arguments *unknown*, and the usage."""
        names = [text.partition("=")[0] for text in unknown if text.startswith("-")]
        known = self.option_names()
        near = [nearest(name, known) for name in names]
        self.error(f"unrecognized arguments: {' '.join(unknown)}{meant(near)}")

    def knows(self, option: str) -> bool:
        """Return whether *option* is an option of this parser, or the beginning of one."""
        return any(name.startswith(option) for name in self.option_names())

    def option_names(self) -> list[str]:
        """Return the names of all options, short ones too, in the order of the help, where argparse publishes them."""
        # "  -o {text,json}, --output {text,json}  the form of ...": the help begins two blanks after the names.
        heads = (each.partition("  ")[0] for each in re.findall("^  (-.*)", self.format_help(), re.MULTILINE))
        return [name for head in heads for name in re.findall(r"(?<!\S)--?[a-z][a-z0-9-]*", head)]


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options in *arguments*; ``run`` among them answers them, ``refuse`` ends with a message and the usage.

    Raises SystemExit as argparse does, for ``--help``, ``--version`` and arguments that do not parse.
    """
    called = arguments[0] if arguments else ""
    if called in COMMANDS:
        root, parser = _parsers(called)
        actions: Sequence[str] = parser.get_default("actions") or ()
        if actions and len(arguments) > 1 and not arguments[1].startswith("-") and arguments[1] not in actions:
            parser.error(f"argument ACTION: {invalid_choice(arguments[1], actions)}")
        return root.parse_args(arguments)
    root, subparsers = _root()
    if called.startswith("-") and not root.knows(called):
        root.refuse_unknown([called])
    if called and not called.startswith("-"):
        root.error(f"argument COMMAND: {invalid_choice(called, list(COMMANDS))}")
    for name, command in COMMANDS.items():
        subparsers.add_parser(name, help=command.help)
    return root.parse_args(arguments)


@cache
def _parsers(called: str) -> tuple[CommandParser, CommandParser]:
    """Return the parser of olmsolve and, in it, the one of the command *called*.

    Only this command is set up and imported, because parsers for all commands take longer to make than resolving over
    a catalog that has an index takes::

        olmsolve resolve request.yaml    one parser, one module
        olmsolve --help                  a parser without options for each command, no module

    Programs that call :func:`olmsolve.cli.main` often, as tests do, set up each command once.
    """
    root, subparsers = _root()
    module = COMMANDS[called].module()
    parser = subparsers.add_parser(
        called,
        description=module.DESCRIPTION,
        epilog=_with_time_limit(module.EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=module.run, refuse=parser.error)
    declare(module, parser)
    return root, parser


def _root() -> tuple[CommandParser, argparse._SubParsersAction[CommandParser]]:
    """Return the parser of olmsolve, and where the parsers of commands are added to it."""
    root = CommandParser(
        prog="olmsolve",
        description=_DESCRIPTION,
        epilog="example:\n  olmsolve resolve request.yaml",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root.add_argument("--version", action="version", version=f"olmsolve {__version__}")
    root.set_defaults(refuse=root.error)
    subparsers = root.add_subparsers(title="commands", metavar="COMMAND", required=True)
    return root, subparsers
