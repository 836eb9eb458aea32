"""The base of every action of ``olmsolve catalog``, and the names of a package's parts."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from olmsolve._named_tuples import NamedTuple


class Action(NamedTuple):
    """An action: its help line, functions that declare its options and answer them, and its examples and exit codes.

    ``examples`` is a text like the ``EXAMPLES`` of a command.
    """

    help: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    examples: str


def add_package(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the package that an action is about."""
    meaning = {"help": "the package to change"} if required else {"default": "", "help": "show only this package"}
    parser.add_argument("--package", required=required, metavar="PACKAGE", **meaning)
