"""Validation judges once what bundles share, and follows no updates in plain chains: its findings stay as they are."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from olmsolve.authoring.checks import Finding, validate
from olmsolve.authoring.checks.advice import advise, advising
from olmsolve.catalog.fbc import PropertyTable, from_blobs, json_fast, json_text
from tests.checks.test_mutants import FAULTS, Blobs, at, catalog
from tests.scale import scaled

FIELDS = ("schema", "name", "package", "image", "properties", "relatedImages")
"""The fields of a usual bundle, in the order in which ``opm`` writes them."""


@pytest.fixture(autouse=True)
def _from_the_first_line(monkeypatch: pytest.MonkeyPatch) -> None:
    if not json_fast.usual_objects():
        pytest.skip("msgspec is not installed")
    monkeypatch.setattr(json_text, "_LONG", 0)


def _lines(blobs: Blobs) -> str:
    """Return *blobs* as ``opm`` writes them on lines, bundles with their fields in its order."""
    ordered = [
        {name: blob[name] for name in FIELDS if name in blob} | blob if blob.get("schema") == "olm.bundle" else blob
        for blob in blobs
    ]
    return "".join(json.dumps(blob, separators=(",", ":"), ensure_ascii=False) + "\n" for blob in ordered)


def _findings(file: Path, *, is_usual: bool, advice: bool = True) -> tuple[Finding, ...]:
    """Return the findings on *file*; without *is_usual*, each bundle is read and checked as an unusual one is."""
    with pytest.MonkeyPatch.context() as patch:
        if not is_usual:
            patch.setattr(PropertyTable, "usual_bundle", lambda *_: None)
        return validate(file, advice=advice)


ODD: list[Callable[[Blobs], object]] = [
    *(change for changes in FAULTS.values() for _, change in changes),
    at(2, "properties", 1, "value", value=None),
    at(2, "properties", 1, "type", value="olm.gvk.require"),
    at(2, "properties", 1, "value", "Group", value="p.io"),
    at(2, "properties", 1, "value", "group", value="P.io"),
    at(2, "properties", 0, "value", "release", value="1"),
    at(2, "properties", 0, "value", "version", value="1.0.0+1"),
    at(2, "properties", 0, "value", "version", value="1.0.0+a_b"),
    at(2, "image", value=f"quay.io/p/p@sha256:{'0a' * 32}"),
    at(2, "image", value=f"quay.io/P/p@sha256:{'0a' * 32}"),
    at(2, "package", value="q"),
    at(2, "name", value=""),
    at(2, "more", value=1),
    lambda blobs: blobs[2]["properties"].insert(0, {"type": "olm.package", "value": {"packageName": "p"}}),
    lambda blobs: blobs[3]["properties"].append({"type": "olm.gvk.required", "value": {"kind": "Q"}}),
]


def test_usual_bundles_are_judged_as_all_others(tmp_path: Path) -> None:
    """Each fault, alone and among others: the same findings as where no list of properties is shared."""
    file = tmp_path / "catalog.json"
    for seed in range(len(ODD) + scaled(800)):
        chosen, blobs = random.Random(seed), catalog()
        for change in [ODD[seed]] if seed < len(ODD) else chosen.sample(ODD, 2):
            try:
                change(blobs)
            except (LookupError, TypeError, AttributeError):
                continue  # the change before has taken its field out
        file.write_text(_lines(json.loads(json.dumps(blobs))), "utf-8")

        assert _findings(file, is_usual=True) == _findings(file, is_usual=False), seed
        verdict = _findings(file, is_usual=True, advice=False)
        assert verdict == _findings(file, is_usual=False, advice=False), seed


def _package(chosen: random.Random) -> Blobs:
    """Return a package of one channel, mostly a chain, some with skips, ranges, missing bundles or odd versions."""
    count = chosen.randint(1, 5)
    names = [f"p.v{number}" for number in range(count)]
    versions = [f"1.{number}.0" for number in range(count)]
    if chosen.random() < 0.3:
        chosen.shuffle(versions)
    if chosen.random() < 0.2:
        versions[0] = chosen.choice(versions)
    entries: list[dict[str, Any]] = []
    for number, name in enumerate(names):
        entry: dict[str, Any] = {"name": name}
        if number:
            entry["replaces"] = names[number - 1] if chosen.random() < 0.9 else chosen.choice(names)
        if chosen.random() < 0.15:
            entry["skips"] = [chosen.choice(names)]
        if chosen.random() < 0.25:
            entry["skipRange"] = f"{chosen.choice(('<', '<=', '>=', '>'))}{chosen.choice(versions)}"
        entries.append(entry)
    if chosen.random() < 0.1:
        entries.append(chosen.choice(entries))
    chosen.shuffle(entries)
    bundles = [
        {
            "schema": "olm.bundle",
            "package": "p",
            "name": name,
            "image": "quay.io/p/p:1",
            "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": version}}],
        }
        for name, version in zip(names, versions, strict=True)
        if chosen.random() < 0.95
    ]
    deprecated = [
        {"reference": {"schema": "olm.bundle", "name": name}, "message": "old"}
        for name in names
        if chosen.random() < 0.1
    ]
    return [
        {"schema": "olm.package", "name": "p", "defaultChannel": "c"},
        {"schema": "olm.channel", "package": "p", "name": "c", "entries": entries},
        {"schema": "olm.deprecations", "package": "p", "entries": deprecated},
        *bundles,
    ]


def test_plain_chains_need_no_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The advice on channels is the same where the updates of every bundle are followed to their ends."""
    catalogs = [from_blobs(_package(random.Random(seed))) for seed in range(scaled(3_000))]
    quick = [list(advise(catalog)) for catalog in catalogs]

    chains = 0

    def walked(*_: object) -> bool:
        nonlocal chains
        chains += 1
        return False

    monkeypatch.setattr(advising, "_is_chain", walked)
    assert [list(advise(catalog)) for catalog in catalogs] == quick
    assert chains == len(catalogs)
    assert {"upgrade-stranded-v1", "upgrade-circle"} <= {finding.code for findings in quick for finding in findings}
