"""``olmsolve completion``: the script with which a shell completes command lines, and the answers that it asks for."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve.cli import completing
from olmsolve.cli.completing import SHELLS
from olmsolve.cli.output import Exit, write
from olmsolve.cli.parsers import one_of

_INSTALLED: Final = {
    "bash": 'eval "$(olmsolve completion bash)" in ~/.bashrc',
    "zsh": 'eval "$(olmsolve completion zsh)" in ~/.zshrc, after compinit',
    "fish": "olmsolve completion fish > ~/.config/fish/completions/olmsolve.fish",
}
"""How each shell gets its script."""
_LINES: Final = [f"{shell}: {how}" for shell, how in _INSTALLED.items()]

_DESCRIPTION: Final = """\
Print the script with which a shell completes the commands, options and values of olmsolve: files, backends, codes of
findings, and the packages, channels and bundles of the catalogs on the line (docs/terminal.md)."""

DESCRIPTION: Final = "\n\n".join([_DESCRIPTION, *_LINES])

EXAMPLES: Final = """\
examples:
  olmsolve completion bash
  olmsolve completion fish > olmsolve.fish

exit codes:
  0  the script is printed
  2  bad input: there is no script for this shell"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the shell; its script asks for words, which nobody types."""
    # Its absence has a message of its own, which argparse cannot give: it lets a "?" pass, and the usage alone has
    # `required`.
    shell = parser.add_argument(
        "shell", metavar="SHELL", nargs="?", type=one_of(SHELLS), choices=SHELLS, help="the shell: bash, zsh or fish"
    )
    shell.required = True
    parser.add_argument("--words", nargs=argparse.REMAINDER, default=None, help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Print the script of the shell in *options*, or the answer to it, and return the exit code."""
    if options.shell is None:
        options.refuse("\n  ".join(["a SHELL is needed. Its script is set up once:", *_LINES]))
    if options.words is None:
        write(completing.script(options.shell).removesuffix("\n"))
    else:
        write(completing.answer(options.shell, options.words, options.all_commands))
    return Exit.PLAN
