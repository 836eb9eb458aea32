"""The commands: one table of their names, help lines and modules, and the parser that is made from it.

``--version`` prints the versions of olmsolve, Python, and the packages that answers come from.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, Protocol

from olmsolve._named_tuples import NamedTuple
from olmsolve._version import __version__
from olmsolve.cli import commands
from olmsolve.cli.options import add_timeout
from olmsolve.cli.output import Exit, write
from olmsolve.cli.parsers import CommandParser as CommandParser
from olmsolve.cli.parsers import CommandSet, epilog, invalid_choice, meant, nearest


class CommandModule(Protocol):
    """A module of a command: its texts, its options and its answer."""

    @property
    def DESCRIPTION(self) -> str:  # noqa: N802 - a module's constant
        """The purpose of the command, shown by ``--help`` above the options."""

    @property
    def EXAMPLES(self) -> str:  # noqa: N802 - a module's constant
        """Example calls and the meanings of the exit codes 0 to 2, shown by ``--help`` below the options."""

    def arguments(self, parser: argparse.ArgumentParser, /) -> None:
        """Declare the options of the command on *parser*."""

    def run(self, options: argparse.Namespace, /) -> int:
        """Answer what *options* ask for and return the exit code."""


class Command(NamedTuple):
    """A command: its line in ``olmsolve --help``, of at most 65 characters, and a function that imports its module."""

    help: str
    module: Callable[[], CommandModule]


_LISTS: Final[Mapping[str, Mapping[str, Command]]] = {
    "begin here": {
        "demo": Command("resolve the bundled example, or write it to a folder", lambda: commands.demo),
        "help": Command("explain a topic, a finding or a command", lambda: commands.help),
        "completion": Command("print the completion script of a shell", lambda: commands.completion),
    },
    "requests and clusters: plans, and their reasons": {
        "resolve": Command("print what would be installed, or why nothing can be", lambda: commands.resolve),
        "explain": Command("explain why there is no plan and what would help", lambda: commands.explain),
        "why": Command("say why a bundle is in a plan", lambda: commands.why),
        "why-not": Command("say why a package or a version is not in a plan", lambda: commands.why_not),
        "diff": Command("compare the plans of two requests", lambda: commands.diff),
        "path": Command("show the updates from an installed bundle to a newer one", lambda: commands.path),
        "reduce": Command("write the smallest request that still shows the same", lambda: commands.reduce),
    },
    "clusters and fleets: what comes next": {
        "plan": Command("print what OLM would write for a cluster", lambda: commands.plan),
        "simulate": Command("show what a cluster will look like once it is at rest", lambda: commands.simulate),
        "impact": Command("report what a change does to all clusters of a fleet", lambda: commands.impact),
        "blocking": Command("name what keeps a cluster from its next minor version", lambda: commands.blocking),
        "journey": Command("plan the way to another OpenShift, or say why not", lambda: commands.journey),
        "groups": Command("show operator groups, and operators that may not act", lambda: commands.groups),
        "metrics": Command("print the metrics that OLM would export", lambda: commands.metrics),
        "migrate": Command("show what OLM v1 would install in place of classic OLM", lambda: commands.migrate),
        "crd-check": Command(
            "check whether new CustomResourceDefinitions may replace old ones", lambda: commands.crd_check
        ),
    },
    "catalogs: checks and pictures": {
        "validate": Command("check whether catalogs are valid, and report every fault", lambda: commands.validate),
        "lint": Command("report what authors of a catalog probably did not mean", lambda: commands.lint),
        "audit": Command("find what cannot be installed, updated or selected", lambda: commands.audit),
        "fuzz": Command("try random requests, and report what authors should know", lambda: commands.fuzz),
        "graph": Command("draw update graphs: mermaid, DOT or an HTML page", lambda: commands.graph),
    },
    "catalogs: making and editing": {
        "catalog": Command("list, compare, merge, cut and edit catalogs", lambda: commands.catalog),
        "render": Command("print catalogs and bundles as one text, or split them", lambda: commands.render),
        "bundle": Command("unpack the image of a bundle", lambda: commands.bundle),
        "template": Command("render a template to a catalog", lambda: commands.template),
        "composite": Command("build, validate and compare a catalog of others", lambda: commands.composite),
        "serve": Command("serve a catalog as clusters read it: gRPC and HTTP", lambda: commands.serve),
        "index": Command("write a catalog's index, so that resolving starts at once", lambda: commands.index),
    },
    "proofs, solvers and speed": {
        "certify": Command("write an answer with its proof", lambda: commands.certify),
        "verify": Command("check whether a certificate proves its answer", lambda: commands.verify),
        "cnf": Command("write a request as clauses for SAT solvers and optimisers", lambda: commands.cnf),
        "backends": Command("list the SAT solvers that can answer", lambda: commands.backends),
        "bench": Command("measure each phase of resolution", lambda: commands.bench),
    },
    "programs": {
        "where": Command("show which catalogs and settings are taken, and from where", lambda: commands.where),
        "schema": Command("print the JSON Schemas of what commands write and read", lambda: commands.schema),
    },
}

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {title: tuple(listed) for title, listed in _LISTS.items()}
"""The names of the commands under the titles of ``olmsolve --help``."""

COMMANDS: Final[Mapping[str, Command]] = {
    name: command for listed in _LISTS.values() for name, command in listed.items()
}
"""The commands, in the order of ``olmsolve --help``."""

_DESCRIPTION: Final = "What would Operator Lifecycle Manager install, and if nothing, why not?"
_EXAMPLES: Final = """\
examples:
  olmsolve demo
  olmsolve resolve install.yaml
  olmsolve resolve --help"""


def declare(module: CommandModule, parser: argparse.ArgumentParser) -> None:
    """Declare on *parser* the options of the command *module*, and the options of every command."""
    module.arguments(parser)
    add_timeout(parser)


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
    root = _root()[0]
    if called.startswith("-") and not root.knows(called):
        root.refuse_unknown([called])
    if called and not called.startswith("-"):
        near = meant([nearest(called, COMMANDS)]) or " (olmsolve help lists them)"
        root.error(f"no command is called {called!r}{near}")
    if not arguments:
        # As ruff and git do it: the help, and an exit code by which a script notices its empty variable.
        root.print_help(sys.stderr)
        root.exit(Exit.BAD_INPUT)
    return root.parse_args(arguments)


def parser_of(name: str) -> CommandParser:
    """Return the parser of the command *name*, whose options are declared."""
    return _parsers(name)[1]


# Making the parser of `resolve` takes 275 µs.
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
    parser = subparsers.add_parser(called, description=module.DESCRIPTION, epilog=epilog(module.EXAMPLES))
    parser.set_defaults(run=module.run, refuse=parser.error, typed_as=parser.typed_as, all_commands=ALL)
    declare(module, parser)
    return root, parser


def _root() -> tuple[CommandParser, argparse._SubParsersAction[CommandParser]]:
    """Return the parser of olmsolve, and where the parsers of commands are added to it."""
    root = CommandParser(
        prog="olmsolve",
        usage="olmsolve [-h] [--version] COMMAND ...",
        description=f"{_DESCRIPTION}\n\n{ALL}",
        epilog=_EXAMPLES,
    )
    root.add_argument("--version", action=ShowVersions, help="show the versions of olmsolve and of what it uses")
    root.set_defaults(refuse=root.error)
    # The list above has groups, which argparse has not.
    subparsers = root.add_subparsers(prog="olmsolve", metavar="COMMAND", required=True, help=argparse.SUPPRESS)
    return root, subparsers


ALL: Final = CommandSet(
    {title: {name: command.help for name, command in listed.items()} for title, listed in _LISTS.items()}, parser_of
)
"""The commands as a value, which ``options.all_commands`` gives to every command: none of them imports this table."""


class ShowVersions(argparse.Action):
    """The option ``--version``; the packages are looked up when it is used."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "nargs": 0, "default": argparse.SUPPRESS})

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Print the versions, and end."""
        write("\n".join(_lines()))
        parser.exit()


def _lines() -> Iterator[str]:
    # Modules of the standard library that no other command needs.
    import platform
    from importlib import metadata

    yield f"olmsolve {__version__}"
    yield f"{platform.python_implementation()} {platform.python_version()} on {sys.platform}"
    try:
        required = metadata.requires("olmsolve") or []
    except metadata.PackageNotFoundError:  # run from a folder, without an installation
        return
    for text in required:
        # "google-re2>=1.1", or for an extra "rich>=13.7; extra == 'cli'".
        name = re.match(r"[\w.-]+", text)
        if name is None or "extra ==" in text:
            continue
        try:
            yield f"{name[0]} {metadata.version(name[0])}"
        except metadata.PackageNotFoundError:
            yield f"{name[0]} is not installed"
