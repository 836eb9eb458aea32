"""The command line without its commands, and how they are added."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve._version import __version__

__all__ = ["add_command", "add_output", "root_parser"]

_DESCRIPTION: Final = "What would Operator Lifecycle Manager install, and if nothing, why not?"


def root_parser() -> tuple[argparse.ArgumentParser, argparse._SubParsersAction[argparse.ArgumentParser]]:
    """The parser, and what commands are added to."""
    root = argparse.ArgumentParser(
        prog="olmsolve",
        description=_DESCRIPTION,
        epilog="example:\n  olmsolve resolve request.yaml",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root.add_argument("--version", action="version", version=f"olmsolve {__version__}")
    return root, root.add_subparsers(title="commands", metavar="COMMAND", required=True)


def add_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, short: str, description: str, epilog: str
) -> argparse.ArgumentParser:
    """Add the command *name* to *commands*: *short* in their list; *description* and *epilog* keep their lines."""
    return commands.add_parser(
        name,
        help=short,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_output(command: argparse.ArgumentParser, *names: str) -> None:
    """Add the form of the answer, words or data, as the option *names*."""
    command.add_argument(
        *names,
        choices=("text", "json", "yaml"),
        default="text",
        help="the form of the answer (default: text)",
    )
