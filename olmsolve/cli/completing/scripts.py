"""The scripts of the shells, which are files beside this module."""

from __future__ import annotations

from typing import Final

SHELLS: Final = ("bash", "zsh", "fish")
"""The shells that have a script."""


def script(shell: str) -> str:
    """Return the completion script of *shell*, one of :data:`SHELLS`."""
    from importlib import resources

    return resources.files("olmsolve.cli.completing").joinpath(f"olmsolve.{shell}").read_text("utf-8")
