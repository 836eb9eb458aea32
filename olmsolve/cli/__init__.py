"""The command line: one function a command, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Final

from olmsolve.cli.exits import Exit
from olmsolve.cli.streams import complain
from olmsolve.errors import Incomplete, OlmsolveError

__all__ = ["Exit", "main"]

# No room, a quota, a limit on sizes, a disk that fails: nothing that the input or olmsolve is to blame for.
_UNWRITABLE: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with *arguments* (default: those of the process) and return its exit code.

    Raises SystemExit only as argparse does, for ``--help``, ``--version`` and arguments that do not parse.
    """
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has gone. Python flushes once more at exit, which must not fail again.
        _forget_output()
        return Exit.BROKEN_PIPE
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        _forget_output()
        complain(f"the output cannot be written: {error.strerror}")
        return Exit.UNWRITABLE


def _forget_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of the whole command line, or of the one command that requests are resolved by.

    Setting up all commands takes longer than resolving over a catalog that has an index.
    """
    if arguments[:1] == ["resolve"]:
        from olmsolve.cli.resolve_options import add_resolve
        from olmsolve.cli.root import root_parser

        root, commands = root_parser()
        add_resolve(commands)
        return root
    from olmsolve.cli.parser import parser

    return parser()


def _run(arguments: Sequence[str] | None) -> int:
    try:
        options = _parser(sys.argv[1:] if arguments is None else arguments).parse_args(arguments)
        # Help, and arguments that do not parse, should not wait for the solvers to load.
        command = importlib.import_module(f"olmsolve.cli.{options.command}")
        code: int = command.run(options)
    except Incomplete as error:
        complain(str(error))
        return Exit.OUT_OF_BUDGET
    except OlmsolveError as error:
        complain(str(error))
        return Exit.BAD_INPUT
    except KeyboardInterrupt:
        complain("interrupted")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _UNWRITABLE:
            raise
        # Python itself would exit with 1, which says "unsatisfiable".
        if "OLMSOLVE_TRACEBACK" in os.environ:
            raise
        complain(f"a fault of olmsolve itself, please report it: {type(error).__name__}: {error}")
        complain("OLMSOLVE_TRACEBACK=1 in the environment shows where it happened")
        return Exit.FAULT
    return code
