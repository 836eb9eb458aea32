"""``olmsolve crd-check``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from olmsolve.cli.exits import Exit
from olmsolve.cli.streams import style, write, write_data
from olmsolve.cluster import ClusterState
from olmsolve.cluster.crds import UpgradeCheck, check_upgrades
from olmsolve.cluster.objects import CustomResourceDefinition
from olmsolve.errors import ManifestError
from olmsolve.render import plain
from olmsolve.requests import read_cluster

__all__ = ["run"]

_MOST_SHOWN: Final = 2_000


def run(options: argparse.Namespace) -> int:
    """Compare the definitions that *options* name, print the verdicts, and return the exit code."""
    if [options.old, options.new, *options.resources].count("-") > 1:
        raise ManifestError("standard input can be read only once", field="arguments")
    old, new = _definitions(options.old), _definitions(options.new)
    checks = check_upgrades(old, new, _resources(options.resources))
    known = {check.crd for check in checks}
    added = [crd.name for crd in new if crd.name not in known]
    allowed = all(_allowed(check, options.olm) for check in checks)
    if options.output == "json":
        found = [check.to_dict() for check in checks]
        written = {"schema": "olmsolve.crdCheck", "schemaVersion": 1, "allowed": allowed, "crds": found, "added": added}
        write_data(written, "json")
    else:
        _print(checks, added, options.olm)
    return Exit.PLAN if allowed else Exit.UNSATISFIABLE


def _allowed(check: UpgradeCheck, olm: str) -> bool:
    classic, v1 = check.classic.allowed, not check.faults
    return {"classic": classic, "v1": v1, "both": classic and v1}[olm]


def _definitions(path: str) -> tuple[CustomResourceDefinition, ...]:
    found = _state(path).all(CustomResourceDefinition)
    if not found:
        raise ManifestError("holds no CustomResourceDefinition", source="standard input" if path == "-" else path)
    return found


def _resources(paths: Sequence[str]) -> list[Mapping[str, Any]]:
    """All objects in the files at *paths*: any of them may be of a kind that a definition defines."""
    return [item.raw for path in paths for state in [_state(path)] for item in (*state, *state.others)]


def _state(path: str) -> ClusterState:
    return read_cluster(sys.stdin.buffer if path == "-" else path)


def _print(checks: Sequence[UpgradeCheck], added: Sequence[str], olm: str) -> None:
    layout = style()
    for check in checks:
        write(layout.bold(plain(check.crd)))
        for note in check.notes:
            write(plain(f"  note: {note}"))
        if olm != "v1":
            verdict = check.classic
            write(plain(f"  classic OLM: {'allows it' if verdict.allowed else 'refuses it'}"))
            for words in filter(None, (verdict.reason, verdict.warning and f"warning: {verdict.warning}")):
                for line in words.rstrip("\n").split("\n"):
                    write(f"    {plain(line[:_MOST_SHOWN])}".rstrip())
        if olm != "classic":
            write(f"  OLM v1: {'refuses it' if check.faults else 'allows it'}")
            for fault in check.faults:
                write(f"    {plain(str(fault)[:_MOST_SHOWN])}")
    for name in added:
        write(f"{plain(name)}: replaces nothing that was given")
