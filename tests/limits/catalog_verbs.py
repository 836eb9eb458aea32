"""The verbs that read, write, check or join catalogs."""

from __future__ import annotations

import gzip
import json
import shutil
import tarfile
from pathlib import Path
from typing import Any, Final

import olmsolve
from olmsolve import Source, limited
from olmsolve.authoring import compose
from olmsolve.catalog.index import index_of
from olmsolve.catalog.index_files import write_index
from olmsolve.solver import Cancellation
from tests.cli.small_cluster import blobs
from tests.limits.verb_objects import Made, Verb, catalog, catalog_text
from tests.yaml_files import yaml_text


def _load(folder: Path, name: str = "c.json", **settings: Any) -> Verb:
    path = folder / name
    text = catalog_text()
    if ".yaml" in name:
        text = "---\n".join(yaml_text(json.loads(line)) for line in text.split("\n"))
    if name.endswith(".tar"):
        (folder / "part").mkdir()
        (folder / "part" / "c.json").write_text(text)
        with tarfile.open(path, "w") as archive:
            archive.add(folder / "part", "c")
    else:
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return lambda cancel: olmsolve.load(path, cancel=cancel, **settings).packages


def _load_indexed(folder: Path) -> Verb:
    load = _load(folder)
    load(None)
    write_index(folder / "c.json")
    return load


def _index(folder: Path) -> Verb:
    content = catalog()

    def ask(cancel: Cancellation | None) -> Any:
        with limited(cancel=cancel):
            return index_of(content).package_names()

    return ask


def _index_file(folder: Path) -> Verb:
    path = folder / "c.json"
    path.write_text(catalog_text())

    def ask(cancel: Cancellation | None) -> Any:
        try:
            return write_index(path, cancel=cancel).read_bytes()
        except olmsolve.Incomplete:
            assert [file.name for file in folder.iterdir()] == ["c.json"]
            raise

    return ask


def _written(folder: Path) -> Verb:
    content = catalog()

    def ask(cancel: Cancellation | None) -> Any:
        shutil.rmtree(folder / "split", ignore_errors=True)
        (folder / "all.json").unlink(missing_ok=True)
        try:
            with limited(cancel=cancel):
                olmsolve.fbc.write(content, folder / "all.json")
                olmsolve.fbc.split(content, folder / "split")
        except olmsolve.Incomplete:
            assert not [path for path in (folder / "split").rglob("*") if path.is_file()]
            raise
        return (folder / "all.json").read_text(), olmsolve.load(folder / "split")

    return ask


def _validate(folder: Path) -> Verb:
    path = folder / "c.json"
    path.write_text(f"{catalog_text()}\n{json.dumps({'schema': 'olm.channel', 'package': 'etcd', 'name': 'none'})}")
    return lambda cancel: str(olmsolve.validate(path, cancel=cancel)).replace(str(folder), "")


def _second_opinions(folder: Path) -> Verb:
    # Without rules: how often the limits are looked at while a process works is a matter of time.
    needs = {"type": "olm.package.required", "value": {"packageName": "etcd", "versionRange": ">=1.0.0 <3.0.0"}}
    content = olmsolve.fbc.from_blobs([*blobs("etcd", 4), *blobs("db", 3, v2=[needs], v3=[needs])])
    return lambda cancel: olmsolve.lint(content, second_opinion=True, cancel=cancel)


def _lint(folder: Path) -> Verb:
    content = catalog()
    return lambda cancel: olmsolve.lint(content, cancel=cancel)


def _audit(folder: Path) -> Verb:
    sources = [Source("cat", "olm", 0, catalog())]
    return lambda cancel: olmsolve.audit(sources, cancel=cancel)


def _merge(folder: Path) -> Verb:
    one, other = catalog(), olmsolve.fbc.from_blobs(blobs("cache"))

    def ask(cancel: Cancellation | None) -> Any:
        with limited(cancel=cancel):
            return compose.merge_catalogs(one, other)

    return ask


CATALOG_VERBS: Final[dict[str, Made]] = {
    "load": _load,
    "load, yaml": lambda folder: _load(folder, "c.yaml"),
    "load, gzip": lambda folder: _load(folder, "c.yaml.gz"),
    "load, archive": lambda folder: _load(folder, "c.tar"),
    "load, indexed": _load_indexed,
    "load, writing the index": lambda folder: _load(folder, index=folder / "new.olmindex"),
    "index": _index,
    "write_index": _index_file,
    "write and split": _written,
    "validate": _validate,
    "lint": _lint,
    "lint, second opinion": _second_opinions,
    "audit": _audit,
    "merge": _merge,
}
"""The verbs by name; a remark behind the comma says on what."""
