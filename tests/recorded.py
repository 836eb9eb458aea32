"""Recorded answers of the shipped controller, and what they are compared with."""

from __future__ import annotations

import functools
import gc
import gzip
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from olmsolve import (
    Catalog,
    CatalogError,
    Request,
    Resolution,
    Semantics,
    Unsatisfiable,
    load,
    read_request,
    resolve,
)

VENDORED = Path(__file__).parent / "conformance"
_REQUEST_FIELDS = ("name", "namespaces", "catalogs", "installed", "subscriptions")

Record = Mapping[str, Any]
Answer = tuple[str, ...] | frozenset[tuple[str, str, str, str, str]]


def shared() -> Path:
    """The folder of data that may be read but not committed; skips the test where there is none."""
    default = Path(__file__).parents[2] / "shared"
    folder = Path(os.environ.get("OLMSOLVE_SHARED", default))
    if not (folder / "conformance").is_dir():
        pytest.skip(f"no conformance data at OLMSOLVE_SHARED ({folder.name}), which may not be committed")
    return folder


@functools.cache
def records(path: Path) -> list[Record]:
    """The records of a file, one a line; read once, so nobody may change them."""
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    recorded = [json.loads(line) for line in text.decode().splitlines()]
    _keep_from_collector()
    return recorded


@functools.cache
def real_catalog(name: str) -> Catalog:
    """The real catalog in the file *name*, loaded once for all tests: reading it takes longer than most of them."""
    catalog = load(shared() / "catalogs" / name)
    _keep_from_collector()
    return catalog


def _keep_from_collector() -> None:
    # What is read once stays until the end, and each full collection would walk its million objects in half a second.
    gc.freeze()


def request_of(record: Record) -> Request:
    """The request of a record; the files that it names are real catalogs."""
    document = {field: record[field] for field in _REQUEST_FIELDS if field in record}
    return read_request(document, load=lambda path: real_catalog(path.name))


def with_properties(record: Record) -> Record:
    """Return *record* with the properties of its operators, which are those of a bundle in the catalog ``bundleOf``."""
    files = {catalog["name"]: catalog["file"] for catalog in record["catalogs"]}
    operators = []
    for operator in record["installed"]:
        package = real_catalog(files[operator["bundleOf"]]).packages[operator["package"]]
        properties = [
            {"type": property_.type, "value": property_.value}
            for property_ in package.bundles[operator["name"]].properties
        ]
        kept = {key: operator[key] for key in ("name", "version", "subscription")}
        operators.append({**kept, "properties": properties})
    return {**record, "installed": operators}


def recorded_answers(record: Record) -> set[Answer]:
    """What counts as right: any of the recorded outcomes, or the preferred one where the controller's is not."""
    if "preferred" in record:
        return {_recorded_installs(record["preferred"])}
    return {_recorded(outcome) for outcome in record["outcomes"]}


def _recorded(outcome: Mapping[str, Any]) -> Answer:
    if "installs" in outcome:
        return _recorded_installs(outcome["installs"])
    return ("unsatisfiable",) if outcome.get("unsatisfiable") else ("error",)


def _recorded_installs(installs: list[Mapping[str, str]]) -> Answer:
    return _installs([{**item, "catalog": recorded_key(item["catalog"])} for item in installs])


def recorded_key(key: str) -> str:
    """The key of a catalog or a group, which the records write as ``name/namespace``."""
    name, _, namespace = key.partition("/")
    return f"{namespace}/{name}"


def _installs(installs: list[Mapping[str, str]]) -> Answer:
    return frozenset(
        (item["name"], item["package"], item["channel"], item["catalog"], item.get("replaces", "")) for item in installs
    )


def our_answer(request: Request, *, semantics: Semantics = Semantics.CONTROLLER, backend: str = "minisat22") -> Answer:
    """What olmsolve answers, in the form of :func:`recorded_answers`."""
    try:
        plan: Resolution = resolve(request, semantics=semantics, backend=backend)
    except Unsatisfiable:
        return ("unsatisfiable",)
    except CatalogError:
        return ("error",)
    return _installs(plan.to_dict()["installs"])
