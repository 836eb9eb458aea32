"""A page run in this process: quick enough for every run of the tests, and less like what a reader does.

``olmsolve`` is called as a function, and examples run with the modules of the tests. Programs that would start an
interpreter of their own, and lists of commands with ``olmsolve`` in them, are left to the processes of ``make pages``.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from olmsolve.cli import main
from tests.pages.examples import Failure, run_examples
from tests.pages.processes import Printed, Processes

__all__ = ["InProcess", "in_process"]

_LEFT_OUT: Final = frozenset({"pip", "pytest", "python", "python3", "time"})
_SLOW: Final = frozenset({"bench"})
_LETTERS: Final = frozenset("|&;<>()")


class InProcess:
    """What runs the blocks of one page here; shell commands other than ``olmsolve`` go to a shell."""

    def __init__(self, shell: Processes) -> None:
        """Take the shell of the page, which keeps folder and variables."""
        self._shell = shell
        self._names: dict[str, Any] = {"__name__": "__main__"}
        self._code = 0
        """What ``$?`` stands for."""

    def command(self, text: str) -> Printed | None:
        """Run a command; return None where it is left out."""
        tokens = shlex.shlex(text, posix=True, punctuation_chars=True)
        tokens.whitespace_split = True  # but for signs, words are cut as the shell cuts them
        words = list(tokens)
        if words[0] in _LEFT_OUT:
            return None
        if text == "echo $?":
            printed, self._code = Printed(f"{self._code}\n", 0), 0
        elif words[0] == "olmsolve":
            signs = [word for word in words if _LETTERS.issuperset(word)]
            if words[1] in _SLOW or signs not in ([], [">"], ["|"]):
                return None
            arguments, sign, rest = text.removeprefix("olmsolve").partition(f" {signs[0]} " if signs else "\0")
            printed = self._olmsolve(arguments, sign.strip(), rest)
        else:
            printed = self._shell.command(text)
            os.chdir(self._shell.command("pwd").text.strip())
            if words[0] == "export":
                exported = self._shell.command("env -0").text.split("\0")
                os.environ.update(
                    variable.partition("=")[::2] for variable in exported if variable.startswith("OLMSOLVE_")
                )
        self._code = printed.code
        return printed

    def examples(self, text: str, line: int) -> list[Failure]:
        """Run Python examples and return what differs."""
        return run_examples(text, line, self._names)

    def _olmsolve(self, arguments: str, sign: str, rest: str) -> Printed:
        """Run ``olmsolve`` with *arguments*; after the *sign* ``>`` or ``|``, *rest* takes its standard output."""
        words = self._shell.command(f"printf '%s\\0' {arguments}").text.split("\0")[:-1]
        both = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
        with contextlib.ExitStack() as stack:
            target = stack.enter_context(tempfile.NamedTemporaryFile("w", encoding="utf-8")) if sign else both
            stack.enter_context(contextlib.redirect_stdout(target))
            stack.enter_context(contextlib.redirect_stderr(both))
            try:
                code = main(words)
            except SystemExit as exit_:  # how argparse ends
                code = int(exit_.code or 0)
            target.flush()
            both.seek(0)
            if not sign:
                return Printed(both.read(), code)
            printed = self._shell.command(f"cat {target.name} {sign} {rest}")
            return Printed(both.read() + printed.text, printed.code if sign == "|" else code)


@contextlib.contextmanager
def in_process(folder: Path) -> Iterator[InProcess]:
    """Yield what runs a page here, with *folder* as the working directory and the first place for modules."""
    before, modules, variables = Path.cwd(), set(sys.modules), dict(os.environ)
    os.environ.pop("COLUMNS", None)
    sys.path.insert(0, str(folder))
    os.chdir(folder)
    try:
        with Processes(folder, {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder)}, seconds=30) as shell:
            yield InProcess(shell)
    finally:
        os.chdir(before)
        sys.path.remove(str(folder))
        os.environ.clear()
        os.environ.update(variables)
        for name in set(sys.modules) - modules:
            # Another page may have a module of the same name.
            if str(getattr(sys.modules[name], "__file__", "")).startswith(f"{folder}{os.sep}"):
                del sys.modules[name]
