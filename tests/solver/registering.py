"""Backends as other packages register them, and an older python-sat: what is installed is read once in a process.

So a test cannot install a package while it runs, and puts the entry points where the reader keeps them.
"""

from __future__ import annotations

import pytest

from olmsolve.solver.backends import pysat, registry

__all__ = ["python_sat_has", "register"]


def register(monkeypatch: pytest.MonkeyPatch, entries: dict[str, tuple[object, ...]]) -> None:
    """Let other packages have registered these *entries*, and no others, by the name of the backend."""
    monkeypatch.setattr(registry, "_registered", lambda: entries)


def python_sat_has(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let the python-sat that is installed have solvers of these *names* alone."""
    monkeypatch.setattr(pysat, "names", lambda: frozenset(names))
