"""The command line without its commands."""

from __future__ import annotations

import argparse
from typing import Final

from olmsolve._version import __version__

__all__ = ["root_parser"]

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
