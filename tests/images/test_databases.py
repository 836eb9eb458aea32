"""Index databases in SQLite: the catalog of the tables is the catalog of the files, and nothing in one is run."""

from __future__ import annotations

import base64
import json
import random
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

import olmsolve
from olmsolve.catalog.fbc import blobs
from olmsolve.errors import CatalogError
from tests.cli.commands import runner
from tests.images.building import BLOBS, DATABASE, BuiltImage, layout_files, named, tar, write_files
from tests.images.databases import write_database
from tests.scale import scaled


def bundle(name: str, version: str, *properties: tuple[str, Any]) -> dict[str, Any]:
    pairs = [("olm.package", {"packageName": "etcd", "version": version}), *properties]
    return {
        "schema": "olm.bundle",
        "package": "etcd",
        "name": name,
        "image": f"x.example/{name}",
        "properties": [
            {"type": kind, "value": value} for kind, value in sorted(pairs, key=lambda property_: property_[0])
        ],
    }


API = {"group": "etcd.io", "kind": "Etcd", "version": "v1"}
WHOLE: list[dict[str, Any]] = [
    {"schema": "olm.package", "name": "etcd", "defaultChannel": "stable"},
    {
        "schema": "olm.channel",
        "package": "etcd",
        "name": "alpha",
        "entries": [
            {"name": "etcd.v1"},
            {"name": "etcd.v2", "replaces": "etcd.v1"},
            {"name": "etcd.v3"},
            {"name": "etcd.v4", "replaces": "etcd.v2", "skips": ["etcd.v3"], "skipRange": ">=1.0.0 <4.0.0"},
        ],
    },
    {
        "schema": "olm.channel",
        "package": "etcd",
        "name": "stable",
        "entries": [{"name": "etcd.v1"}, {"name": "etcd.v2", "replaces": "etcd.v1"}],
    },
    bundle("etcd.v1", "1.0.0", ("olm.gvk", API)),
    bundle("etcd.v2", "2.0.0", ("olm.gvk", API), ("olm.gvk.required", API | {"kind": "Other"})),
    bundle("etcd.v3", "3.0.0", ("olm.package.required", {"packageName": "a", "versionRange": ">1.0.0"})),
    bundle("etcd.v4", "4.0.0", ("olm.maxOpenShiftVersion", "4.17")),
]


def loaded(folder: Path, blobs: list[dict[str, Any]]) -> olmsolve.Catalog:
    return olmsolve.load(write_files(folder, {"c.json": "\n".join(map(json.dumps, blobs)).encode()}))


def test_the_catalog_of_a_database(tmp_path: Path) -> None:
    """Old indexes were made of the same packages, so their databases are the same catalogs."""
    expected = loaded(tmp_path / "files", WHOLE)
    path = write_database(tmp_path / "index.db", WHOLE)
    assert olmsolve.load(path) == expected
    with path.open("rb") as file:
        assert olmsolve.load(file) == expected
    image = BuiltImage(tar({"database/index.db": path.read_bytes()}), labels=DATABASE)
    layout = write_files(tmp_path / "layout", layout_files([named(image, "v1")], image))
    assert olmsolve.load(layout) == expected
    assert [finding.code for finding in olmsolve.validate(path) if finding.severity is olmsolve.Severity.ERROR] == []


def test_origins_name_the_package(tmp_path: Path) -> None:
    """A database has no lines; the package and the number of the blob are what helps."""
    path = write_database(tmp_path / "index.db", BLOBS)
    assert str(olmsolve.load(path).packages["etcd"].bundles["etcd.v1.0.0"].origin) == f"{path}/etcd:3"


def test_manifests_icons_and_related_images(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What only the manifests in a database say is in the blobs too, as opm render writes them."""
    csv = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "etcd.v1.0.0"},
        "spec": {
            "icon": [{"base64data": "e A==", "mediatype": "image/png"}],
            "relatedImages": [{"name": "db", "image": "x.example/db"}],
        },
    }
    blobs = [dict(blob) for blob in BLOBS]
    del blobs[2]["image"]
    blobs[2]["relatedImages"] = [{"name": "", "image": "x.example/a"}, {"name": "db", "image": "x.example/db"}]
    path = write_database(tmp_path / "index.db", blobs, {"etcd.v1.0.0": csv})
    package, _, rendered = map(json.loads, runner(capsys)("render", path, "-o", "jsonl").out.splitlines())
    assert package["icon"] == {"base64data": "eA==", "mediatype": "image/png"}
    assert rendered["relatedImages"] == blobs[2]["relatedImages"]
    data = next(
        property_["value"]["data"] for property_ in rendered["properties"] if property_["type"] == "olm.bundle.object"
    )
    assert json.loads(base64.b64decode(data)) == csv


def changed(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return path


def test_a_database_of_an_older_version(tmp_path: Path) -> None:
    """Columns and tables came one after the other; what an old database lacks, its manifests say."""
    csv = {"metadata": {"annotations": {"olm.skipRange": "<1.0.0"}}, "spec": {"version": "1.0.0"}}
    path = write_database(tmp_path / "index.db", BLOBS, {"etcd.v1.0.0": csv})
    changed(
        path,
        "DROP TABLE properties",
        "DROP TABLE dependencies",
        "DROP TABLE related_image",
        "DROP TABLE api_requirer",
        "DROP TABLE api_provider",
        "ALTER TABLE operatorbundle DROP COLUMN version",
        "ALTER TABLE operatorbundle DROP COLUMN skiprange",
        "CREATE TABLE api_provider (group_name TEXT, version TEXT, kind TEXT, channel_entry_id INTEGER)",
        "INSERT INTO api_provider VALUES ('etcd.io', 'v1', 'Etcd', 1)",
    )
    package = olmsolve.load(path).packages["etcd"]
    loaded = package.bundles["etcd.v1.0.0"]
    assert [(property_.type, property_.value) for property_ in loaded.properties] == [
        ("olm.gvk", API),
        ("olm.package", {"packageName": "etcd", "version": "1.0.0"}),
    ]
    assert package.channels["stable"].entries[0].skip_range == "<1.0.0"


ENDLESS = (
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS name, x AS default_channel FROM n"
)


def _dependency(kind: str, value: str) -> str:
    return f"INSERT INTO dependencies VALUES ('{kind}', '{value}', 'etcd.v1.0.0', NULL, NULL)"  # noqa: S608 - our own text


REFUSED = {
    "no index": (["DROP TABLE package"], "the database has no table package"),
    "a view without end": (["DROP TABLE package", f"CREATE VIEW package AS {ENDLESS}"], "has no table package"),
    "a virtual table": (
        ["DROP TABLE package", "CREATE VIRTUAL TABLE package USING fts5(name)"],
        "has no table package",
    ),
    "a value that is not JSON": (["UPDATE properties SET value = '{'"], "bundle etcd.v1.0.0: a value that is not JSON"),
    "a manifest that is a list": (
        ["UPDATE operatorbundle SET csv = '[]'"],
        "a ClusterServiceVersion that is not an object",
    ),
    "a manifest that is no JSON": (["UPDATE operatorbundle SET csv = '{'"], "a value that is not JSON"),
    "manifests that are lists": (["UPDATE operatorbundle SET bundle = '{}[]'"], "a manifest that is not a JSON object"),
    "manifests that are no JSON": (
        ["UPDATE operatorbundle SET bundle = '{} x'"],
        "a manifest that is not a JSON object",
    ),
    "a dependency that is a list": ([_dependency("olm.package", "[]")], "a dependency that is not an object"),
    "a dependency that is no JSON": ([_dependency("olm.gvk", "{")], "a value that is not JSON"),
    "text that is none": (["UPDATE package SET name = CAST(x'ff' AS TEXT)"], "[Cc]ould not decode to UTF-8"),
    "bytes that are no text": (["UPDATE operatorbundle SET csv = x'ff'"], "text that is not UTF-8"),
}


@pytest.mark.parametrize(("statements", "message"), REFUSED.values(), ids=list(REFUSED))
def test_hostile_databases(tmp_path: Path, statements: list[str], message: str) -> None:
    """The schema of a database is a program of whoever wrote it, and none of it is run."""
    path = changed(write_database(tmp_path / "index.db", BLOBS), *statements)
    with pytest.raises(CatalogError, match=message):
        olmsolve.load(path, timeout=10)


def test_dependencies_of_all_kinds(tmp_path: Path) -> None:
    """The table has both kinds that OLM knows; a row for another version or path belongs to another bundle."""
    path = changed(
        write_database(tmp_path / "index.db", BLOBS),
        _dependency("olm.gvk", json.dumps({**API, "more": 1})),
        _dependency("olm.package", json.dumps({"packageName": "a", "version": ">1.0.0"})),
        _dependency("olm.package", json.dumps({"packageName": "b", "versionRange": ">2.0.0"})),
        _dependency("olm.other", "{}"),
        _dependency("olm.package", "{}").replace("NULL, NULL", "'9.9.9', NULL"),
        _dependency("olm.package", "{}").replace("NULL, NULL", "NULL, 'elsewhere'"),
    )
    loaded = olmsolve.load(path).packages["etcd"].bundles["etcd.v1.0.0"]
    assert [
        (property_.type, property_.value) for property_ in loaded.properties if property_.type.endswith("required")
    ] == [
        ("olm.gvk.required", API),
        ("olm.package.required", {"packageName": "a", "versionRange": ">1.0.0"}),
        ("olm.package.required", {"packageName": "b", "versionRange": ">2.0.0"}),
    ]


@pytest.mark.parametrize(
    ("icon", "written"),
    [
        ([{"base64data": "eA=="}], {"base64data": "eA==", "mediatype": ""}),
        ([{"base64data": "not base64"}], None),
        ([{"base64data": 1}], None),
        ([{}], None),
        (["x"], None),
        ("x", None),
    ],
)
def test_an_icon_that_is_none_is_left_out(tmp_path: Path, icon: Any, written: dict[str, str] | None) -> None:
    """An icon is no reason to refuse a catalog, and what is no base64 would be none for its next reader."""
    csv = {"metadata": {"name": "etcd.v1.0.0"}, "spec": {"icon": icon}}
    path = write_database(tmp_path / "index.db", BLOBS, {"etcd.v1.0.0": csv})
    package = next(blob for blob in blobs(olmsolve.load(path)) if blob["schema"] == "olm.package")
    assert package.get("icon") == written


def test_a_column_that_computes(tmp_path: Path) -> None:
    """A generated column is a program; it counts as one that is not there."""
    computing = "CREATE TABLE package (name TEXT, default_channel AS (upper(name)))"
    path = write_database(tmp_path / "index.db", BLOBS)
    changed(path, "DROP TABLE package", computing, "INSERT INTO package VALUES ('etcd')")
    assert olmsolve.load(path).packages["etcd"].default_channel == ""


def test_a_database_is_not_changed(tmp_path: Path) -> None:
    """A catalog may be on a disk that nobody may write to, and other tools read it at the same time."""
    path = write_database(tmp_path / "index.db", BLOBS)
    before = path.read_bytes(), sorted(tmp_path.iterdir())
    olmsolve.load(path)
    assert (path.read_bytes(), sorted(tmp_path.iterdir())) == before


def test_damaged_databases(tmp_path: Path) -> None:
    """Any bytes give a catalog or one clear error."""
    data = write_database(tmp_path / "index.db", WHOLE).read_bytes()
    chance = random.Random(7)
    path = tmp_path / "damaged.db"
    for _ in range(scaled(60)):
        damaged = bytearray(data)
        for _ in range(chance.randrange(1, 30)):
            damaged[chance.randrange(100, len(data))] = chance.randrange(256)
        path.write_bytes(damaged[: chance.choice([len(data), chance.randrange(512, len(data))])])
        with suppress(CatalogError):
            olmsolve.load(path, timeout=5)
    shutil.copy(tmp_path / "index.db", path)
    assert olmsolve.load(path) == loaded(tmp_path / "files", WHOLE)


def test_migrating_an_old_index(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Old indexes hold the manifests of the heads of channels whole, and newer catalogs one property made of them."""
    csv = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "etcd.v1.0.0"},
        "spec": {"displayName": "etcd"},
    }
    path = write_database(tmp_path / "index.db", BLOBS, {"etcd.v1.0.0": csv})
    changed(path, "UPDATE operatorbundle SET bundle = csv")
    for option, kind in ((), "olm.bundle.object"), (("--migrate",), "olm.csv.metadata"):
        rendered = json.loads(runner(capsys)("render", path, *option, "-o", "jsonl").out.splitlines()[-1])
        assert [property_["type"] for property_ in rendered["properties"]] == ["olm.package", kind]
