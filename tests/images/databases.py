"""Index databases made as the tools before file-based catalogs made them, with ``sqlite3`` alone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

SCHEMA = """
CREATE TABLE operatorbundle (name TEXT PRIMARY KEY, csv TEXT, bundle TEXT, bundlepath TEXT, version TEXT,
  skiprange TEXT, replaces TEXT, skips TEXT, substitutesfor TEXT);
CREATE TABLE package (name TEXT PRIMARY KEY, default_channel TEXT, add_mode TEXT);
CREATE TABLE channel (name TEXT, package_name TEXT, head_operatorbundle_name TEXT, PRIMARY KEY (name, package_name));
CREATE TABLE channel_entry (entry_id INTEGER PRIMARY KEY, channel_name TEXT, package_name TEXT,
  operatorbundle_name TEXT, replaces INTEGER, depth INTEGER);
CREATE TABLE api (group_name TEXT, version TEXT, kind TEXT, plural TEXT NOT NULL);
CREATE TABLE api_provider (group_name TEXT, version TEXT, kind TEXT, operatorbundle_name TEXT,
  operatorbundle_version TEXT, operatorbundle_path TEXT);
CREATE TABLE api_requirer (group_name TEXT, version TEXT, kind TEXT, operatorbundle_name TEXT,
  operatorbundle_version TEXT, operatorbundle_path TEXT);
CREATE TABLE related_image (image TEXT, operatorbundle_name TEXT);
CREATE TABLE dependencies (type TEXT, value TEXT, operatorbundle_name TEXT, operatorbundle_version TEXT,
  operatorbundle_path TEXT);
CREATE TABLE properties (type TEXT, value TEXT, operatorbundle_name TEXT, operatorbundle_version TEXT,
  operatorbundle_path TEXT);
CREATE TABLE deprecated (operatorbundle_name TEXT PRIMARY KEY);
CREATE TABLE schema_migrations (version INTEGER NOT NULL);
"""


def write_database(
    path: Path, blobs: Iterable[Mapping[str, Any]], csvs: Mapping[str, Mapping[str, Any]] | None = None
) -> Path:
    """Write the database of a catalog with these *blobs* to *path*; *csvs* are manifests by the names of bundles."""
    blobs = list(blobs)
    with closing(sqlite3.connect(path)) as connection, connection:
        # Nobody needs these files after a loss of power.
        connection.executescript(f"PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; {SCHEMA}")
        for blob in blobs:
            if blob["schema"] == "olm.package":
                connection.execute(
                    "INSERT INTO package VALUES (?, ?, 'replaces')", (blob["name"], blob["defaultChannel"])
                )
            elif blob["schema"] == "olm.bundle":
                _write_bundle(connection, blob, blobs, csvs or {})
            elif blob["schema"] == "olm.channel":
                _write_channel(connection, blob)
    return path


def _write_bundle(
    connection: sqlite3.Connection,
    blob: Mapping[str, Any],
    blobs: list[Mapping[str, Any]],
    csvs: Mapping[str, Mapping[str, Any]],
) -> None:
    name, image = blob["name"], blob.get("image", "")
    version = next(
        property_["value"]["version"] for property_ in blob["properties"] if property_["type"] == "olm.package"
    )
    ranges = [
        entry.get("skipRange")
        for channel in blobs
        if channel["schema"] == "olm.channel"
        for entry in channel["entries"]
        if entry["name"] == name
    ]
    csv = json.dumps(csvs[name]) if name in csvs else ""
    row = (name, csv, "" if image else csv, image, version, next(iter(ranges), None), "", "", "")
    connection.execute("INSERT INTO operatorbundle VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    key = (name, version, image)
    for property_ in blob["properties"]:
        kind, value = property_["type"], property_["value"]
        if kind == "olm.package.required":
            dependency = json.dumps({"packageName": value["packageName"], "version": value["versionRange"]})
            connection.execute("INSERT INTO dependencies VALUES ('olm.package', ?, ?, ?, ?)", (dependency, *key))
        elif kind == "olm.gvk.required":
            api = (value["group"], value["version"], value["kind"])
            connection.execute("INSERT INTO api_requirer VALUES (?, ?, ?, ?, ?, ?)", (*api, *key))
        elif kind != "olm.bundle.object":
            connection.execute("INSERT INTO properties VALUES (?, ?, ?, ?, ?)", (kind, json.dumps(value), *key))
        if kind == "olm.gvk":
            api = (value["group"], value["version"], value["kind"])
            connection.execute("INSERT INTO api_provider VALUES (?, ?, ?, ?, ?, ?)", (*api, *key))
    for related in blob.get("relatedImages", ()):
        connection.execute("INSERT INTO related_image VALUES (?, ?)", (related["image"], name))


def _write_channel(connection: sqlite3.Connection, blob: Mapping[str, Any]) -> None:
    """Write the rows of a channel from its head down: one for each entry of the chain, and two for each skip."""
    entries = {entry["name"]: entry for entry in blob["entries"]}
    passed = {name for entry in entries.values() for name in (entry.get("replaces"), *entry.get("skips", ()))}
    head = next(name for name in entries if name not in passed)
    connection.execute("INSERT INTO channel VALUES (?, ?, ?)", (blob["name"], blob["package"], head))

    def add(name: str, depth: int, replaces: int | None = None) -> int:
        row = (blob["name"], blob["package"], name, replaces, depth)
        cursor = connection.execute("INSERT INTO channel_entry VALUES (NULL, ?, ?, ?, ?, ?)", row)
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    depth, name, above = 0, head, 0
    while name:
        number = add(name, depth)
        if above:
            connection.execute("UPDATE channel_entry SET replaces = ? WHERE entry_id = ?", (number, above))
        for skipped in entries.get(name, {}).get("skips", ()):
            depth += 1
            add(name, depth, replaces=add(skipped, depth))
        depth += 1
        name, above = entries.get(name, {}).get("replaces", ""), number
