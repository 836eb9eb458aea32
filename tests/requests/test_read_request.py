"""Reading request documents: from every kind of source, with every field, and with defaults."""

from __future__ import annotations

import io
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
import yaml

import olmsolve
from olmsolve import (
    Catalog,
    Installed,
    Property,
    RequestError,
    Source,
    Subscription,
    read_extension_request,
    read_request,
    request_document,
)
from olmsolve._records import members
from olmsolve.catalog import fbc
from olmsolve.requests import extension
from olmsolve.requests.extension_documents import SortedBlobs
from tests.schemas import faults

BLOBS: list[dict[str, Any]] = [
    {"schema": "olm.package", "name": "blue", "defaultChannel": "stable"},
    {"schema": "olm.channel", "package": "blue", "name": "stable", "entries": [{"name": "blue.v1.0.0"}]},
    {"schema": "olm.bundle", "package": "blue", "name": "blue.v1.0.0", "properties": []},
]
DOCUMENT: dict[str, Any] = {
    "name": "everything",
    "namespaces": ["team", "olm"],
    "catalogs": [{"name": "main", "namespace": "olm", "priority": -3, "blobs": BLOBS}],
    "installed": [
        {
            "name": "blue.v0.9.0",
            "version": "0.9.0",
            "properties": [{"type": "color", "value": {"rgb": [0, 0, 255]}}],
            "subscription": "wish",
        }
    ],
    "subscriptions": [
        {
            "name": "wish",
            "namespace": "team",
            "package": "blue",
            "channel": "stable",
            "source": "main",
            "sourceNamespace": "olm",
            "startingCSV": "blue.v0.8.0",
            "installedCSV": "blue.v0.9.0",
        }
    ],
}


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_every_field_is_read() -> None:
    """A field that is read into the wrong place changes plans silently."""
    request = read_request(DOCUMENT)
    assert request.name == "everything"
    assert request.namespaces == ("team", "olm")
    assert request.sources == (Source("main", "olm", -3, fbc.from_blobs(BLOBS)),)
    assert request.installed == (Installed("blue.v0.9.0", "0.9.0", (Property("color", {"rgb": [0, 0, 255]}),), "wish"),)
    assert request.subscriptions == (
        Subscription("wish", "team", "blue", "stable", "main", "olm", "blue.v0.8.0", "blue.v0.9.0"),
    )


def test_defaults() -> None:
    """What people leave out has one meaning: the target namespace, priority 0, all channels and catalogs."""
    request = read_request(
        {
            "namespaces": ["team"],
            "catalogs": [{"name": "main", "blobs": []}],
            "subscriptions": [{"name": "wish", "package": "blue"}],
        }
    )
    assert request.name == ""
    assert request.installed == ()
    assert request.sources == (Source("main", "team", 0, fbc.from_blobs([])),)
    assert request.subscriptions == (Subscription("wish", "team", "blue"),)


@pytest.mark.parametrize("field", ["name", "installed"])
def test_null_is_absent(field: str) -> None:
    """Go programs write null for empty lists, and YAML for a key with nothing behind it."""
    assert read_request(DOCUMENT | {"installed": [], "name": ""}) == read_request(
        DOCUMENT | {"installed": [], "name": ""} | {field: None}
    )


def test_the_form_of_the_document_does_not_matter(tmp_path: Path) -> None:
    """JSON, YAML and mappings, by path or open in either mode, are one document."""
    as_json, as_yaml = json.dumps(DOCUMENT), yaml.safe_dump(DOCUMENT)
    path = write(tmp_path / "request", as_json)
    sources: list[Any] = [
        path,
        str(path),
        write(tmp_path / "request.yaml", as_yaml),
        io.StringIO(as_json),
        io.StringIO(as_yaml),
        io.BytesIO(as_yaml.encode()),
        io.BytesIO(b"\xef\xbb\xbf" + as_json.encode()),
    ]
    expected = read_request(DOCUMENT)
    for source in sources:
        assert read_request(source) == expected
    with path.open() as text, path.open("rb") as binary:
        assert read_request(text) == read_request(binary) == expected


def test_a_file_is_relative_to_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests travel with their catalogs; where the process stands matters only without a document."""
    write(tmp_path / "catalogs/main.json", "\n".join(map(json.dumps, BLOBS)))
    document = DOCUMENT | {"catalogs": [{"name": "main", "namespace": "olm", "file": "catalogs/main.json"}]}
    path = write(tmp_path / "request.json", json.dumps(document))
    expected = fbc.from_blobs(BLOBS)

    assert read_request(path).sources[0].catalog == expected
    with path.open() as file:
        assert read_request(file).sources[0].catalog == expected

    monkeypatch.chdir(tmp_path)
    assert read_request(document).sources[0].catalog == expected
    assert read_request(io.StringIO(json.dumps(document))).sources[0].catalog == expected
    assert read_request("request.json").sources[0].catalog == expected


def test_one_file_is_loaded_once(tmp_path: Path) -> None:
    """Catalogs are large: one under two names is loaded, and indexed, once."""
    loaded: list[Path] = []

    def load(path: Path) -> Catalog:
        loaded.append(path)
        return fbc.from_blobs(BLOBS)

    catalogs = [{"name": name, "file": "main.json"} for name in ("one", "two")]
    request = read_request(DOCUMENT | {"catalogs": [*catalogs, {"name": "three", "file": "other"}]}, load=load)
    assert loaded == [Path("main.json"), Path("other")]
    assert request.sources[0].catalog is request.sources[1].catalog
    assert request.sources[0].catalog is not request.sources[2].catalog


def test_load_can_share_catalogs_between_requests(tmp_path: Path) -> None:
    """What callers need for many requests over the same files."""
    shared = fbc.from_blobs(BLOBS)
    document = DOCUMENT | {"catalogs": [{"name": "main", "namespace": "olm", "file": "main.json"}]}
    requests = [read_request(document, load=lambda path: shared) for _ in range(2)]
    assert all(request.sources[0].catalog is shared for request in requests)


def test_a_request_is_independent_of_its_mapping() -> None:
    """A request is immutable, so what happens to the mapping afterwards must not reach it."""
    document = json.loads(json.dumps(DOCUMENT))
    request = read_request(document)
    document["installed"][0]["properties"][0]["value"]["rgb"][0] = 255
    document["catalogs"][0]["blobs"][1]["entries"].clear()
    assert request == read_request(DOCUMENT)


def test_requests_can_be_pickled() -> None:
    """Requests are sent to other processes."""
    request = read_request(DOCUMENT)
    assert pickle.loads(pickle.dumps(request)) == request  # noqa: S301


def test_each_reader_refuses_the_documents_of_the_other() -> None:
    """Whoever reads a request knows its type, and the error says which function reads the other kind."""
    extension = {"extension": {"packageName": "p"}, "catalogs": []}
    with pytest.raises(RequestError, match=r"is a request to OLM v1 .*read_extension_request"):
        read_request(extension)
    with pytest.raises(RequestError, match=r"is a request to classic OLM .*read_request"):
        read_extension_request(DOCUMENT)


def test_blobs_that_come_sorted_have_the_names_that_the_schema_has() -> None:
    """The reader knows the schema of each list, and the record the meaning."""
    assert [member.keys[0] for member in members(SortedBlobs)] == list(extension.FBC)


def test_an_operator_that_gives_way_is_written_as_it_is_read() -> None:
    """Its update may be under way or stalled: the written request has the same plan and the same ways out."""
    going = olmsolve.Installed("a.v1", "1.0.0", gives_way=True, replaced_by="a.v2", stalled_by="a.v3", stall="refused")
    request = olmsolve.Request(namespaces=["ns"], sources=[], subscriptions=[], installed=[going])
    document = request_document(request)
    assert olmsolve.read_request(document).installed == (going,)
    assert faults("olmsolve.request", document) == []
