"""Messages about texts, archives and hosts that no other test produces: YAML to the letter, versions, CEL rules."""

from __future__ import annotations

import gzip
import io
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from olmsolve.catalog.archives import KeptNames, checked_path, refuse_file
from olmsolve.catalog.fbc import load, read_bundle
from olmsolve.catalog.images import registry
from olmsolve.cel import compiled_pattern
from olmsolve.errors import OlmsolveError, VersionError
from olmsolve.semver import Version
from tests.images.building import write_files
from tests.images.databases import write_database


def refused(call: Callable[[], object]) -> str:
    """Return the text of the error that *call* raises."""
    with pytest.raises(OlmsolveError) as caught:
        call()
    return str(caught.value)


# A text, and what is wrong with it where opm reads it.
YAML = {
    "%YAML 1.1\n%YAML 1.1\n---\na: b\n": "found duplicate %YAML directive",
    "%TAG !e! a:\n%TAG !e! b:\n---\na: b\n": "found duplicate %TAG directive",
    "schema: !e!x y\n": "found undefined tag handle (while parsing a node)",
    'schema: "a\n... b"\n': "found unexpected document indicator (while scanning a quoted scalar)",
    "schema: !<tag:a b\n": "did not find the expected '>' (while parsing a tag)",
    "%TAG# a\n---\na: b\n": "found unexpected non-alphabetical character (while scanning a directive)",
    "%TAG e! a:\n---\na: b\n": "did not find expected '!' (while parsing a %TAG directive)",
    "%TAG !e a:\n---\na: b\n": "did not find expected '!' (while parsing a %TAG directive)",
    "%TAG !e!a:\n---\na: b\n": "did not find expected whitespace (while parsing a %TAG directive)",
    "schema: !<%ff> b\n": "found an incorrect UTF-8 octet (while parsing a tag)",
}


@pytest.mark.parametrize(("text", "message"), YAML.items())
def test_yaml_that_opm_refuses(text: str, message: str) -> None:
    """opm's reader says it so; the name of the file, the document and the line stand before it."""
    assert f"not valid YAML: {message}" in refused(lambda: load(io.StringIO(text)))


def test_compressed_files_in_a_folder(tmp_path: Path) -> None:
    """opm reads none, so that the catalog would be another one there."""
    (tmp_path / "catalog.yaml").write_bytes(gzip.compress(b"schema: olm.package\n"))
    assert refused(lambda: load(tmp_path)).endswith(
        "catalog.yaml: gzip data, which opm does not read in a catalog's folder: decompress it"
    )


def test_paths_in_archives(monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive with very many long or deep paths would fill the memory, whatever its files hold."""
    monkeypatch.setattr("olmsolve.catalog.archives.tar.PATH_DEPTH", 3)
    assert refused(lambda: checked_path("a/b/c/d", "x.tar")) == "x.tar: the archive holds a name of more than 3 levels"
    monkeypatch.setattr("olmsolve.catalog.archives.tar.NAME_BYTES", 999)
    names = KeptNames("an archive", "x.tar")
    assert refused(lambda: names.keep(("x" * 4000,))) == "x.tar: an archive whose paths take more than 999 bytes"


def test_a_container_that_is_none(tmp_path: Path) -> None:
    """A deployment stands in a ClusterServiceVersion, which the message names."""
    deployment = {"kind": 5, "spec": {"template": {"spec": {"containers": ["x"]}}}}
    csv = {
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "a.v1"},
        "spec": {"version": "1.0.0", "install": {"spec": {"deployments": [deployment]}}},
    }
    annotations = b"annotations: {operators.operatorframework.io.bundle.package.v1: a}"
    write_files(tmp_path, {"metadata/annotations.yaml": annotations, "manifests/a.yaml": yaml.safe_dump(csv).encode()})
    message = refused(lambda: read_bundle(tmp_path))
    assert "spec.template.spec.containers[0] must be an object, not a string (ClusterServiceVersion)" in message


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("_bytes_left", "a database whose rows hold more than its file"),
        ("_rows_left", "a database of far more rows than an index has"),
    ],
)
def test_databases_with_repeated_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, message: str
) -> None:
    """A tree that names one page many times has more rows than the file has bytes."""
    from olmsolve.catalog.fbc import database

    count = database.IndexDatabase._count
    write_database(tmp_path / "index.db", [{"schema": "olm.package", "name": "a", "defaultChannel": "c"}])

    def counted(self: Any, values: Any) -> None:
        setattr(self, limit, 0)
        count(self, values)

    monkeypatch.setattr(database.IndexDatabase, "_count", counted)
    assert message in refused(lambda: load(tmp_path / "index.db"))


def test_what_is_neither_a_file_nor_a_folder(tmp_path: Path) -> None:
    """A kind of file that has no name of its own here."""
    from olmsolve.catalog.fbc.folder import _kind

    assert _kind(stat.S_IFDIR) == "something else"
    assert refused(lambda: refuse_file(tmp_path, "something else, not a plain file")).endswith(
        "something else, not a plain file"
    )


def helper(folder: Path, script: str) -> None:
    """Write the helper docker-credential-x, a program."""
    program = folder / "docker-credential-x"
    program.write_text(f"#!{sys.executable}\n{script}\n", "utf-8")
    program.chmod(0o755)


@pytest.mark.parametrize(
    ("script", "seconds", "message"),
    [
        ("", 60, "docker-credential-x answers without a user and a password"),
        ("import time; time.sleep(99)", 0.1, "docker-credential-x gave no answer within 0 seconds"),
        (None, 60, "docker-credential-x cannot be run: No such file or directory"),
    ],
)
def test_helpers_for_credentials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, seconds: float, message: str
) -> None:
    """A helper is somebody else's program; the file that names it is told."""
    if script is not None:
        helper(tmp_path, script)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(registry, "_HELPER_SECONDS", seconds)
    path = tmp_path / "auth.json"
    assert refused(lambda: registry._from_helper("x", "example.com", path)) == f"{path}: {message}"


def test_a_pattern_that_is_no_text() -> None:
    """The argument of matches() is only known when the rule runs; its fault is told where it is used."""
    assert compiled_pattern(5)._fault == "a regular expression is a string"


def test_versions_of_packaging(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not every version has a counterpart, and the package is an extra."""
    with pytest.raises(VersionError, match="its build metadata is not a local label of packaging"):
        Version.parse("1.0.0+a-b--").to_packaging()
    monkeypatch.setitem(sys.modules, "packaging.version", None)
    with pytest.raises(VersionError, match="the package packaging is missing: pip install packaging"):
        Version.parse("1.0.0").to_packaging()
