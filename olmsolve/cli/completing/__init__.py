"""Completion in shells: what can follow the words of a command line that somebody is typing.

Reading order: ``words`` (the options and arguments of the words so far, which of them comes next, and the values that
it can have), ``shells`` (how shells ask). The scripts that shells run are files beside these modules.

A shell's script is small and asks olmsolve on each press of the tab key, so that it knows the installed version, the
packages of a catalog and the backends. An answer takes as long as ``olmsolve COMMAND --help``: one command is imported.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cli.completing.shells import SHELLS as SHELLS
    from olmsolve.cli.completing.shells import answer as answer
    from olmsolve.cli.completing.shells import completions as completions
    from olmsolve.cli.completing.shells import script as script
    from olmsolve.cli.completing.words import Completions as Completions
else:
    __getattr__, __dir__ = lazily(__name__)
