"""Recordings of single rules around resolution, read where they are; nothing where they are not."""

from __future__ import annotations

import functools
import os
from pathlib import Path

from tests.recorded import Record, records, shared

_DEFAULT = Path(__file__).parents[2] / "shared"


@functools.cache
def rule_records(name: str) -> tuple[Record, ...]:
    """The generated recordings of *name* and those of upstream's own tests; skips where there are none."""
    conformance = shared() / "conformance"
    recorded = [record for path in _paths(conformance, name) for record in records(path)]
    assert recorded, f"no recordings of {name}"
    return tuple(recorded)


def rule_ids(name: str) -> list[str]:
    """The ids of :func:`rule_records`, [] where there are none: what tests are parametrized with."""
    conformance = Path(os.environ.get("OLMSOLVE_SHARED", _DEFAULT)) / "conformance"
    return [record["id"] for path in _paths(conformance, name) for record in records(path)]


def _paths(conformance: Path, name: str) -> list[Path]:
    folders = (conformance / "cluster", conformance / "upstream" / "cluster")
    return [path for folder in folders for path in folder.glob(f"{name}.jsonl*")]
