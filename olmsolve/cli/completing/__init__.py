"""Completion in shells: what can follow the words of a command line that somebody is typing.

Reading order: ``lines`` (the options and positional arguments of the words so far, and which of them comes next),
``values`` (the values that an argument can have), ``shells`` (how shells ask), ``scripts`` (what they run).

A shell's script is small and asks olmsolve on each press of the tab key, so that it knows the installed version, the
packages of a catalog and the backends. An answer takes as long as ``olmsolve COMMAND --help``: one command is imported.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cli.completing.lines import Completions as Completions
    from olmsolve.cli.completing.shells import SHELLS as SHELLS
    from olmsolve.cli.completing.shells import answer as answer
    from olmsolve.cli.completing.shells import completions as completions
    from olmsolve.cli.completing.shells import script as script
else:
    __getattr__, __dir__ = lazily(__name__)
