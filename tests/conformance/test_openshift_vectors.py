"""Recorded verdicts on ``olm.maxOpenShiftVersion``: which operators block the update of a cluster."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from olmsolve.classic import Installed
from olmsolve.cluster import blocks_cluster_update, max_openshift_version, next_minor
from olmsolve.errors import VersionError
from olmsolve.predicates import Property
from olmsolve.semver import Version
from tests.scale import grouped

HERE = Path(__file__).parent / "cluster"
SHARED = Path(os.environ.get("OLMSOLVE_SHARED", Path(__file__).parents[2].parent / "shared"))
UPSTREAM = SHARED / "conformance" / "upstream" / "cluster"
ANNOTATION = "operatorframework.io/properties"


def records(name: str) -> Iterator[dict[str, Any]]:
    """The recordings of *name*: those in the repository, and upstream's own where they are."""
    for folder in (HERE, UPSTREAM):
        path = folder / f"{name}.jsonl.gz"
        if path.exists():
            with gzip.open(path, "rt", encoding="utf-8") as file:
                yield from map(json.loads, file)


def properties(annotation: str | None) -> tuple[Property, ...] | None:
    """The properties of an annotation, None if it cannot be read: reading it is not what is tested here."""
    if annotation is None:
        return ()
    try:
        items = json.loads(annotation, parse_float=Decimal).get("properties") or ()
    except ValueError:
        return None
    return tuple(Property(item["type"], item["value"]) for item in items)


def same(message: str, recorded: str) -> bool:
    """Texts of the Go standard library change between its releases: compared up to there."""
    head, separator, _ = recorded.partition("strconv.")
    return message.startswith(head) if separator else message == recorded


PROPERTIES = grouped(list(records("max_openshift_version")))
COMPATIBILITY = grouped(list(records("openshift_compat")))


@pytest.mark.parametrize("group", PROPERTIES.values(), ids=PROPERTIES)
def test_the_property_is_read_as_recorded(group: Sequence[dict[str, Any]]) -> None:
    """Same version, or same reason why it is none."""
    for record in group:
        _check_property(record)


def _check_property(record: dict[str, Any]) -> None:
    """Assert that the property of *record* is read as recorded."""
    given = properties(record["in"]["annotation"])
    if given is None:
        assert record["out"]["error"].startswith("failed to unmarshal")
    elif record["out"]["error"] is not None:
        with pytest.raises(VersionError) as refused:
            max_openshift_version(given)
        assert same(refused.value.reason, record["out"]["error"])
    else:
        version = max_openshift_version(given)
        assert (None if version is None else str(version)) == record["out"]["version"]


@pytest.mark.parametrize("record", list(records("openshift_next_minor")), ids=lambda record: record["id"])
def test_the_next_minor_version_is_as_recorded(record: dict[str, Any]) -> None:
    """Where the numbering passes from 4.23 to 5.0, too."""
    assert str(next_minor(Version.parse(record["in"]["current"]))) == record["out"]["next"]


@pytest.mark.parametrize("group", COMPATIBILITY.values(), ids=COMPATIBILITY)
def test_operators_block_as_recorded(group: Sequence[dict[str, Any]]) -> None:
    """The same operators, each with its maximum or the reason why that cannot be read."""
    for record in group:
        _check_blocking(record)


def _check_blocking(record: dict[str, Any]) -> None:
    """Assert that the operators of *record* block the update as recorded."""
    current = record["in"]["current"]
    if isinstance(current, dict):
        _, _, reason = current["error"].partition("invalid desired release version: ")
        if reason:
            with pytest.raises(VersionError) as refused:
                blocks_cluster_update((), "junk")
            assert refused.value.reason == reason
        return
    unreadable, operators = [], []
    for csv in record["in"]["csvs"]:
        # A copy stands for an operator of another namespace, which is asked itself.
        if "olm.copiedFrom" in (csv["labels"] or {}):
            continue
        parsed = properties((csv["annotations"] or {}).get(ANNOTATION))
        if parsed is None:
            unreadable.append(csv["name"])
        else:
            operators.append(Installed(csv["name"], properties=parsed))
    blocking = {operator.name: operator for operator in blocks_cluster_update(operators, current)}
    recorded = {entry["name"]: entry for entry in record["out"]["incompatible"]}
    assert set(blocking) | set(unreadable) == set(recorded)
    for name, operator in blocking.items():
        assert operator.maximum == recorded[name]["max"]
        assert same(operator.reason, recorded[name]["error"] or "")
