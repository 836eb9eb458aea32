"""``olmsolve crd-check``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final, cast

from olmsolve.cli.exits import Exit
from olmsolve.cli.streams import style, write, write_data
from olmsolve.cluster.crds import UpgradeCheck, check_upgrades
from olmsolve.cluster.objects import ClusterObject, CustomResourceDefinition, read_manifest
from olmsolve.errors import CatalogError, ManifestError
from olmsolve.fbc import text
from olmsolve.fbc.source import Meter, Readable, Source
from olmsolve.render.layout import plain

__all__ = ["run"]

_MOST_SHOWN: Final = 2_000


def run(options: argparse.Namespace) -> int:
    """Compare the definitions that *options* name, print the verdicts, and return the exit code."""
    if [options.old, options.new, *options.resources].count("-") > 1:
        raise ManifestError("standard input can be read only once", field="arguments")
    old, new = _definitions(options.old), _definitions(options.new)
    resources = [item.raw for path in options.resources for item in _objects(path)]
    checks = check_upgrades(old, new, resources)
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


def _definitions(path: str) -> list[CustomResourceDefinition]:
    found = [item for item in _objects(path) if isinstance(item, CustomResourceDefinition)]
    if not found:
        raise ManifestError("holds no CustomResourceDefinition", source=_shown(path))
    return found


def _shown(path: str) -> str:
    return "standard input" if path == "-" else path


def _objects(path: str) -> Iterator[ClusterObject]:
    """The objects in the file at *path*, Lists opened."""
    if path == "-":
        yield from _read(cast("BinaryIO", sys.stdin.buffer), _shown(path))
        return
    try:
        with Path(path).open("rb") as file:
            yield from _read(file, path)
    except (OSError, ValueError) as error:
        if isinstance(error, ManifestError):
            raise
        reason = error.strerror if isinstance(error, OSError) else None
        raise ManifestError(f"cannot be read: {reason or error}", source=path) from None


def _read(file: BinaryIO, name: str) -> Iterator[ClusterObject]:
    try:
        for document in text.documents(Source(cast("Readable", file), name, Meter(0, None)), name):
            yield from read_manifest(document.value, document.origin)
    except CatalogError as error:
        raise ManifestError(error.reason, source=error.origin) from None


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
