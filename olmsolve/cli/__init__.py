"""The command line: commands, the options that they share, and the one place where errors become exit codes.

Reading order: ``table`` (the commands and how arguments find theirs), ``commands`` (one module each: its options and
its answer), ``options`` (what several commands take), ``situation`` (what those options mean), ``answering`` (one
answer to each question), ``catalogs`` (input) and ``output`` (texts, progress, exit codes).

A module of this room imports at its top only what is cheap, such as the library's lazy doors; what loads a solver, a
parser or attrs is imported in the function that needs it. So ``olmsolve --help`` takes about as long as Python itself.
"""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from olmsolve._limits import limited
from olmsolve._reader import naming_options
from olmsolve.cli.catalogs import settle_catalogs, take_project
from olmsolve.cli.output import MEANINGS, Exit, complain, exit_of
from olmsolve.cli.table import COMMANDS, GROUPS, parse, parser_of

if TYPE_CHECKING:
    import argparse

__all__ = ["COMMANDS", "GROUPS", "MEANINGS", "Exit", "main", "parser_of"]

# No room, a quota, a limit on sizes, a disk that fails: nothing that the input or olmsolve is to blame for.
_UNWRITABLE: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})

# New objects between two collections of cyclic garbage. At every 700 of them, as by default, the collector takes a
# tenth of a short command's time, most of it while modules load. Resolving over a catalog of 330 packages makes 46,000,
# and validating it 120,000, most of which the collector would walk twice.
_OBJECTS_BETWEEN_COLLECTIONS: Final = 200_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with *arguments*, by default the arguments of the process, and return its exit code.

    Raises SystemExit only as argparse does, for ``--help``, ``--version`` and arguments that do not parse.
    """
    if arguments is None:
        # The process is the command's own; a program that gives arguments keeps its collector as it is.
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
        gc.enable()
        # The objects that are left at the end go with the process: looking for cycles among them takes a twentieth of
        # the time.
        atexit.register(gc.freeze)
        arguments = sys.argv[1:]
        if not _has_output():
            return _unwritable("standard output is closed")
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has gone. Python flushes once more at exit, which must not fail again.
        _forget(sys.stdout)
        return Exit.BROKEN_PIPE
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        _forget(sys.stdout)
        return _unwritable(error.strerror)


def _has_output() -> bool:
    """Return whether standard output is open; give the process an empty input, and an error output, if it has none.

    Python has None in place of a stream that was closed before it started (``olmsolve ... >&-``).
    """
    sys.stdin = sys.stdin or _closed_input()
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    return sys.stdout is not None


def _closed_input() -> TextIO:
    """Return an input that cannot be read, which messages call as Python calls its own."""
    return io.TextIOWrapper(io.BufferedReader(_ClosedInput()), encoding="utf-8")


class _ClosedInput(io.RawIOBase):
    """The standard input of a process that was started without one (``olmsolve ... <&-``)."""

    name: Final = "<stdin>"

    def readable(self) -> bool:
        """Return True, so that a reader tries to read, and gets the error that says why there is no content."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Raise OSError."""
        raise OSError("it is closed")


def _unwritable(reason: str | None) -> Exit:
    """Say why the output cannot be written, and return the exit code of that."""
    try:
        complain(f"the output cannot be written: {reason}")
    except OSError:
        # Both may be on the full disk, and Python would exit with 1, which says "unsatisfiable".
        _forget(sys.stderr)
    return Exit.UNWRITABLE


def _forget(stream: TextIO) -> None:
    """Let *stream* write to nowhere, what it still holds included."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _run(arguments: Sequence[str]) -> int:
    options = None
    try:
        options = parse(arguments)
        keeps_timeout = getattr(options, "keeps_timeout", False)
        with naming_options(), limited(timeout=None if keeps_timeout else options.timeout):
            take_project(options)
            settle_catalogs(options)
            code: int = options.run(options)
    except KeyboardInterrupt:
        complain("interrupted")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _UNWRITABLE:
            raise
        return _reported(_as_typed(error, options))
    return code


def _as_typed(error: Exception, options: argparse.Namespace | None) -> Exception:
    """Return *error* with an option as its field, if a command takes the argument of this name as an option.

    The library calls the wanted bundle of a path ``to``; whoever types knows ``--to``.
    """
    # The errors are attrs classes, and help should not wait for attrs to load.
    import olmsolve._attrs as attrs
    from olmsolve.errors import RequestError

    typed_as: Callable[[str], str] | None = getattr(options, "typed_as", None)
    if typed_as is None or not isinstance(error, RequestError) or error.source or not error.field.isidentifier():
        return error
    typed = typed_as(error.field)
    return attrs.evolve(error, field=typed) if typed else error


def _reported(error: Exception) -> Exit:
    """Write the message of *error* and return its exit code; raise it where somebody debugs olmsolve itself."""
    # The errors are attrs classes, and help should not wait for attrs to load.
    from olmsolve.errors import OlmsolveError

    if isinstance(error, OlmsolveError):
        complain(str(error))
        return exit_of(error)
    # Python itself would exit with 1, which says "unsatisfiable".
    if "OLMSOLVE_TRACEBACK" in os.environ:
        raise error
    complain(f"a fault of olmsolve itself, please report it: {type(error).__name__}: {error}")
    complain("OLMSOLVE_TRACEBACK=1 in the environment shows where it happened")
    return Exit.FAULT
