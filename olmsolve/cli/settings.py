"""How to resolve, as the options of a command say it."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["refuse_search_settings", "search_settings"]


def search_settings(options: argparse.Namespace) -> dict[str, Any]:
    """The keywords of :func:`olmsolve.resolve`: semantics, time limit (seconds), and the backend that was asked for."""
    settings = {"semantics": options.semantics, "timeout": options.timeout}
    return settings if options.backend is None else {**settings, "backend": options.backend}


def refuse_search_settings(options: argparse.Namespace) -> None:
    """Refuse the options about a search, which OLM v1 does without."""
    if options.backend is not None or options.semantics != "documented":
        options.refuse("--backend and --semantics are for subscriptions: OLM v1 has no dependencies to solve")
