"""Documents that are refused: the error names the field by its path, and what was probably meant."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve import (
    CatalogError,
    OlmsolveError,
    RequestError,
    load,
    read_cluster,
    read_extension_request,
    read_request,
    read_situation,
)

CATALOG: dict[str, Any] = {"name": "main", "namespace": "olm", "blobs": []}
SUBSCRIPTION: dict[str, Any] = {"name": "wish", "package": "blue"}
INSTALLED: dict[str, Any] = {"name": "blue.v1.0.0", "version": "1.0.0", "properties": []}
OWNED = {"subscription": "wish"}
DOCUMENT: dict[Any, Any] = {
    "namespaces": ["team", "olm"],
    "catalogs": [CATALOG],
    "installed": [INSTALLED],
    "subscriptions": [SUBSCRIPTION],
}


def refusal(source: Any) -> RequestError:
    with pytest.raises(RequestError) as refused:
        read_request(source)
    return refused.value


def subscribing(**fields: Any) -> dict[str, Any]:
    return DOCUMENT | {"subscriptions": [SUBSCRIPTION, SUBSCRIPTION | {"name": "other"} | fields]}


def having(**fields: Any) -> dict[str, Any]:
    return DOCUMENT | {"catalogs": [CATALOG | fields]}


def running(**fields: Any) -> dict[str, Any]:
    return DOCUMENT | {"installed": [INSTALLED | fields]}


# The document, the field that the error names, a part of its reason, and of its hint.
REFUSED: list[tuple[dict[Any, Any], str, str, str]] = [
    (DOCUMENT | {"subscription": []}, "subscription", "unknown field", "did you mean subscriptions?"),
    (DOCUMENT | {"outcomes": []}, "outcomes", "unknown field", "known here: name, namespaces"),
    (DOCUMENT | {3: []}, "3", "unknown field", "known here"),
    (subscribing(chanel="stable"), "subscriptions[1].chanel", "unknown field", "did you mean channel?"),
    (subscribing(starting_csv="x"), "subscriptions[1].starting_csv", "unknown field", "mean startingCSV?"),
    (subscribing(INSTALLEDCSV="x"), "subscriptions[1].INSTALLEDCSV", "unknown field", "mean installedCSV?"),
    (subscribing(channel=1.5), "subscriptions[1].channel", "must be a string, not the number 1.5", "in quotes"),
    (subscribing(channel=True), "subscriptions[1].channel", "must be a string, not the boolean true", ""),
    # Half a name of a catalog would be served from anywhere, or from nowhere, without a word.
    (subscribing(sourceNamespace="olm"), "subscriptions[1].source", "but no catalog", "leave out sourceNamespace"),
    (subscribing(source="main"), "subscriptions[1].sourceNamespace", "without its namespace", "did you mean olm?"),
    # A plan is for one namespace; the wishes of another are not its business.
    (subscribing(namespace="other"), "subscriptions[1].namespace", "this request is for 'team'", "its own"),
    (subscribing(package=""), "subscriptions[1].package", "must not be empty", ""),
    (subscribing(package=None), "subscriptions[1].package", "must not be null", ""),
    (DOCUMENT | {"subscriptions": [{"package": "blue"}]}, "subscriptions[0].name", "is missing", ""),
    (DOCUMENT | {"subscriptions": {}}, "subscriptions", "must be a list, not an object", ""),
    (DOCUMENT | {"subscriptions": ["blue"]}, "subscriptions[0]", "must be an object, not a string", ""),
    (DOCUMENT | {"namespaces": "team"}, "namespaces", "must be a list, not a string", ""),
    (DOCUMENT | {"namespaces": []}, "namespaces", "at least", ""),
    (DOCUMENT | {"namespaces": ["team", 3]}, "namespaces[1]", "must be a string", ""),
    ({"catalogs": [], "subscriptions": []}, "namespaces", "is missing", ""),
    (DOCUMENT | {"name": []}, "name", "must be a string, not a list", ""),
    (having(priority="high"), "catalogs[0].priority", "must be a whole number, not a string", ""),
    (having(priority=1.5), "catalogs[0].priority", "must be a whole number, not the number 1.5", ""),
    (having(priority=True), "catalogs[0].priority", "must be a whole number, not the boolean true", ""),
    (having(priority=10**20), "catalogs[0].priority", "must be from -9223372036854775808 to 9223372036854775807", ""),
    (having(priority=-1e300), "catalogs[0].priority", "must be from -9223372036854775808", ""),
    (having(file="x"), "catalogs[0]", "both blobs and file", "exactly one"),
    (having(blobs=None), "catalogs[0]", "neither blobs nor file", "exactly one"),
    (having(blobs=None, file=""), "catalogs[0].file", "must not be empty", ""),
    (having(blobs={}), "catalogs[0].blobs", "must be a list", ""),
    (having(blobs=["x"]), "catalogs[0].blobs[0]", "must be an object", ""),
    (DOCUMENT | {"catalogs": [CATALOG, CATALOG]}, "catalogs", "'olm/main' is given 2 times", ""),
    (running(properties=[{"type": "a"}]), "installed[0].properties[0].value", "is missing", ""),
    (running(properties=[{"value": 1}]), "installed[0].properties[0].type", "is missing", ""),
    (running(properties=[{"type": "a", "value": {1}}]), "installed[0].properties[0]", "not a JSON value", ""),
    (running(version=1), "installed[0].version", "must be a string, not the number 1", "in quotes"),
    (
        DOCUMENT | {"installed": [INSTALLED | OWNED, INSTALLED | OWNED | {"name": "b"}]},
        "installed[1].subscription",
        "owns two operators",
        "",
    ),
]


@pytest.mark.parametrize(("document", "field", "reason", "hint"), REFUSED, ids=[row[1] for row in REFUSED])
def test_the_error_names_the_field(document: dict[str, Any], field: str, reason: str, hint: str) -> None:
    """Documents are long; an error without its place sends people searching."""
    error = refusal(document)
    assert error.field == field
    assert reason in error.reason
    assert hint in error.hint


def test_the_error_names_the_file(tmp_path: Path) -> None:
    """Scripts resolve many documents."""
    path = tmp_path / "request.json"
    path.write_text(json.dumps(subscribing(chanel="stable")))
    text = str(refusal(path))
    assert text == f"{path}: subscriptions[1].chanel: unknown field (did you mean channel?)"


def alias_bomb() -> str:
    """Ten levels of lists, each ten times the one before: ten lines, and ten billion values."""
    lines = ["a: &a [x]"]
    for old, new in zip("abcdefghi", "bcdefghij", strict=True):
        lines.append(f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]")
    return "\n".join(lines)


# The text of a document, and what the error says about it.
UNREADABLE = {
    "empty": ("", "is empty"),
    "blank": (" \n\n", "is empty"),
    "two documents": ("{}\n{}", "a second document"),
    "two YAML documents": ("a: 1\n---\nb: 2\n", "a second document"),
    "a list": ("[]", "list"),
    "a YAML list": ("- 1", "list"),
    "text": ("hello", "string"),
    "cut off": ('{"namespaces": ["team"', "not valid JSON"),
    "broken YAML": ("namespaces: [team", "not valid YAML"),
    "deep JSON": ('{"namespaces":' + "[" * 10_000 + "]" * 10_000 + "}", "levels deep"),
    "deep YAML": ("namespaces: " + "[" * 10_000 + "]" * 10_000, "levels deep"),
    "alias bomb": (alias_bomb(), "alias"),
    # The tag is dropped, as kubectl drops it: nothing is called, and an empty list is left.
    "a Python object": ("namespaces: !!python/object/apply:os.getcwd []", "at least"),
    "not a number": ("name: .nan", "the number .nan"),
}


@pytest.mark.parametrize(("text", "reason"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_unreadable_documents_are_refused(text: str, reason: str) -> None:
    """No text may hang the reader, exhaust memory, run code or surface an error of a parser."""
    error = refusal(io.StringIO(text))
    assert reason in error.reason
    assert error.source.startswith("request")


def test_bytes_that_are_no_text() -> None:
    """The place of the byte says more than the name of a codec."""
    error = refusal(io.BytesIO(b'{"name": "\xff"}'))
    assert "not UTF-8" in error.reason


def test_missing_files(tmp_path: Path) -> None:
    """Of the document it is a fault of the request, of a catalog one of the catalog."""
    assert "No such file" in refusal(tmp_path / "request.yaml").reason
    assert "the folder has no YAML or JSON file" in refusal(tmp_path).reason
    assert "null byte" in refusal("request\0.yaml").reason
    with pytest.raises(CatalogError, match="No such file"):
        read_request(having(blobs=None, file=str(tmp_path / "nowhere")))


def test_names_that_are_too_long(tmp_path: Path) -> None:
    """A text that was meant as something else ends up as a path, and no system error may come of it."""
    name = "x" * 5000
    assert "too long" in refusal(name).reason
    for read in (read_situation, read_cluster, read_extension_request):
        with pytest.raises(RequestError, match="too long"):
            read(name)
    with pytest.raises(CatalogError, match="too long"):
        read_request(having(blobs=None, file=name))
    with pytest.raises(CatalogError, match="too long"):
        load(name)
    (tmp_path / "catalog.json").write_text('{"schema": "olm.package", "name": "a"}')
    with pytest.raises(CatalogError, match="too long"):
        load(tmp_path / "catalog.json", index=name)


def test_something_else_is_refused_alike() -> None:
    """Programs that pass on what they were given have one kind of error to handle."""
    with pytest.raises(RequestError, match="a mapping, a path or an open file"):
        read_request(3)  # type: ignore[arg-type]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
FIELDS = st.sampled_from(
    ["name", "namespaces", "catalogs", "installed", "subscriptions", "package", "blobs", "properties"]
)
ALMOST_DOCUMENTS = st.recursive(
    JSON | st.just("x"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(FIELDS, inner, max_size=5),
    max_leaves=20,
)


@given(st.dictionaries(FIELDS, ALMOST_DOCUMENTS))
def test_no_mapping_raises_anything_else(document: dict[str, Any]) -> None:
    """Whatever stands where, it is a request or one of our errors."""
    with contextlib.suppress(OlmsolveError):
        read_request(document)
