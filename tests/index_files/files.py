"""Catalogs as files, with and without indexes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from olmsolve import Catalog
from olmsolve.catalog.index_files import load, write_index

__all__ = ["BLOBS", "entries", "loaded_through_index", "write_blobs"]


def entries(*names: str) -> list[dict[str, str]]:
    """Channel entries, the head last."""
    return [{"name": name, **({"replaces": names[n - 1]} if n else {})} for n, name in enumerate(names)]


def _bundle(package: str, version: str, *properties: dict[str, Any]) -> dict[str, Any]:
    own = {"type": "olm.package", "value": {"packageName": package, "version": version}}
    return {
        "schema": "olm.bundle",
        "name": f"{package}.v{version}",
        "package": package,
        "properties": [own, *properties],
    }


BLOBS: list[dict[str, Any]] = [
    {"schema": "olm.package", "name": "app", "defaultChannel": "stable"},
    {"schema": "olm.channel", "name": "stable", "package": "app", "entries": entries("app.v1.0.0", "app.v1.1.0")},
    {
        "schema": "olm.channel",
        "name": "forked",
        "package": "app",
        "entries": [{"name": "app.v1.0.0"}, {"name": "app.v1.1.0"}],
    },
    _bundle("app", "1.0.0", {"type": "olm.gvk", "value": {"group": "g", "version": "v1", "kind": "App"}}),
    _bundle(
        "app",
        "1.1.0",
        {"type": "olm.package.required", "value": {"packageName": "db", "versionRange": ">=1.0.0 <3.0.0"}},
        {"type": "olm.constraint", "value": {"cel": {"rule": "properties.exists(p, p.type == 'tier' && p.value > 1)"}}},
    ),
    {"schema": "olm.package", "name": "db", "defaultChannel": "stable"},
    {
        "schema": "olm.channel",
        "name": "stable",
        "package": "db",
        "entries": entries("db.v1.0.0", "db.v2.0.0", "db.v2.1.0"),
    },
    _bundle("db", "1.0.0", {"type": "olm.label", "value": {"label": "old"}}, {"type": "tier", "value": 2}),
    _bundle("db", "2.0.0", {"type": "tier", "value": 3}, {"type": "ä", "value": ["\u2028", None, 1.5]}),
    _bundle("db", "2.1.0", {"type": "olm.package.required", "value": {"packageName": "x", "versionRange": "none"}}),
    {"schema": "olm.channel", "name": "emptied", "package": "db", "entries": entries("db.v0.8.0", "db.v0.9.0")},
    {
        "schema": "olm.deprecations",
        "package": "db",
        "entries": [
            {"reference": {"schema": "olm.package"}, "message": "use another database\nsoon"},
            {"reference": {"schema": "olm.channel", "name": "emptied"}, "message": ""},
            {"reference": {"schema": "olm.bundle", "name": "db.v0.9.0"}, "message": "ä"},
        ],
    },
    {"schema": "custom", "name": "c", "package": "db", "value": [1, {"a": "b"}]},
]
"""A small catalog: broken channels and requirements, a rule, deprecations, and a blob of another schema."""


def write_blobs(file: Path, blobs: Iterable[Mapping[str, Any]]) -> Path:
    """Write *blobs* as a file of JSON lines."""
    file.write_text("".join(json.dumps(blob) + "\n" for blob in blobs), "utf-8")
    return file


def loaded_through_index(path: Path) -> Catalog:
    """Return the catalog at *path*, from an index that is written beside it first."""
    write_index(path)
    complaints: list[str] = []
    catalog = load(path, note=complaints.append)
    assert complaints == []
    assert "not read yet" in repr(catalog.packages)
    return catalog
