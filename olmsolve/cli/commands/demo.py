"""``olmsolve demo``: the example that comes with the package, resolved or written to a folder."""

from __future__ import annotations

import argparse
import shlex
import stat
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve._paths import folders_at_and_below
from olmsolve._whole_files import write_whole
from olmsolve.cli.output import Exit, harmless, style, write

DESCRIPTION: Final = """\
Resolve the three requests of the example that comes with olmsolve: a shop and the operators that it needs. The
third request has no solution. With --write, write the example to a folder instead, for trying the other
commands (docs/terminal.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve demo
  olmsolve demo --write
  olmsolve demo --write shop

exit codes:
  0  the answers are printed, or the example is written
  2  bad input: the folder holds other files, or cannot be written"""

_REQUESTS: Final = ("install.yaml", "upgrade.yaml", "unsatisfiable.yaml")
_FOLDER: Final = "olmsolve-demo"
_SOURCE: Final = Path(olmsolve.__file__).parent / "examples"
_IN_CHECKOUT: Final = Path("olmsolve/examples")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the example is written."""
    parser.add_argument(
        "--write",
        nargs="?",
        const=_FOLDER,
        metavar="FOLDER",
        help=f"write the example to this folder, new or empty (default: {_FOLDER})",
    )


def run(options: argparse.Namespace) -> int:
    """Print the answers to the example's requests, or write the example, and return the exit code."""
    if options.write == "":
        options.refuse("argument --write: the name of the folder is empty")
    if options.write is not None:
        _write_example(Path(options.write))
        write(_next_steps(Path(options.write)))
        return Exit.PLAN
    # In a checkout the commands below run as they are printed; elsewhere, once the example is written.
    is_checkout = _IN_CHECKOUT.is_dir() and _IN_CHECKOUT.samefile(_SOURCE)
    shown = _IN_CHECKOUT if is_checkout else Path(_FOLDER)
    for number, name in enumerate(_REQUESTS):
        if number:
            write("")
        write(style().bold(f"$ olmsolve resolve {(shown / name).as_posix()}"))
        _resolve(_SOURCE / name)
    if not is_checkout:
        write(f"\nolmsolve demo --write writes the folder {_FOLDER}, where these commands can be tried.")
    return Exit.PLAN


def _resolve(request: Path) -> None:
    """Print what ``olmsolve resolve`` prints for *request*; a request without a solution is part of the demo."""
    from olmsolve.cli.commands import resolve

    parser = argparse.ArgumentParser()
    resolve.arguments(parser)
    parser.set_defaults(refuse=parser.error)
    resolve.run(parser.parse_args([str(request)]))


def _write_example(folder: Path) -> None:
    """Copy the example into *folder*, which may hold files of the example already, but no others.

    Raises:
        RequestError: *folder* is a file, holds other files, or cannot be written.
    """
    files = {path.relative_to(_SOURCE): path.read_bytes() for path in _SOURCE.rglob("*") if _is_example(path)}
    try:
        held = folders_at_and_below(folder) if folder.exists() else ()
        for path in (inner / name for inner, names in held for name in names):
            if not _has(path, files.get(path.relative_to(folder))):
                raise olmsolve.RequestError(
                    "the folder holds a file that is not of the example",
                    source=str(path),
                    hint="olmsolve demo --write FOLDER writes to another folder",
                )
        for name, content in files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                write_whole(target, [content])
    except OSError as error:
        raise olmsolve.RequestError(f"cannot be written: {error.strerror}", source=str(folder)) from None


def _has(path: Path, content: bytes | None) -> bool:
    """Return whether *path* is a plain file with this *content*; neither a pipe nor a huge file is read to find out.

    A link does not count: its target may be outside of the folder, and writing would change it.
    """
    status = path.lstat()
    if content is None or not stat.S_ISREG(status.st_mode) or status.st_size != len(content):
        return False
    return path.read_bytes() == content


def _is_example(path: Path) -> bool:
    return path.suffix in (".yaml", ".md")


def _next_steps(folder: Path) -> str:
    def shown(name: str) -> str:
        return harmless(shlex.quote(str(folder / name)))

    return f"""\
The example is written; {shown("README.md")} says what each file shows. Try:

  olmsolve resolve {shown("upgrade.yaml")}
  olmsolve explain {shown("unsatisfiable.yaml")}
  olmsolve why {shown("install.yaml")} keyring.v1.0.2"""
