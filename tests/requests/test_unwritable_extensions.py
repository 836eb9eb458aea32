"""Objects and documents that no API server takes are refused before anything is resolved, in the server's words."""

from __future__ import annotations

from typing import Any

import pytest

import olmsolve
from olmsolve import RequestError, v1
from olmsolve.requests import request_document

BLOBS: list[dict[str, Any]] = [
    {"schema": "olm.channel", "package": "p", "name": "Stable", "entries": [{"name": "p.v1.0.0"}]},
    {
        "schema": "olm.bundle",
        "package": "p",
        "name": "p.v1.0.0",
        "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}],
    },
]


def document(**wish: Any) -> dict[str, Any]:
    return {"catalogs": [{"name": "cat", "blobs": BLOBS}], "extension": {"packageName": "p", **wish}}


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"channels": ["Stable"]}, 'channels[0]: Invalid value: "Stable": channels entries must be valid DNS1123'),
        ({"channels": ["c"] * 257}, "channels: Too many: 257: must have at most 256 items"),
        ({"version": "1.0.0 - 2.0.0"}, 'version: Invalid value: "1.0.0 - 2.0.0": invalid version expression'),
        ({"version": "01.2.3"}, "invalid version expression"),
        ({"version": ">=1.0.0 " * 9}, "version: Too long: may not be more than 64 bytes"),
        ({"packageName": "P"}, 'packageName: Invalid value: "P": packageName must be a valid DNS1123 subdomain'),
    ],
)
def test_a_wish_that_cannot_be_written(wish: dict[str, Any], words: str) -> None:
    """Real catalogs have such channels: the bundle is there, and nobody can ask for it this way."""
    with pytest.raises(RequestError, match="no API server accepts this extension") as refused:
        olmsolve.read_extension_request(document(**wish))
    assert words in str(refused.value)
    # Who asks the resolver alone may wish for anything, and what is written can be read.
    bare = olmsolve.read_extension_request({**document(**wish), "validations": ["no_dependency"]})
    assert olmsolve.read_extension_request(request_document(bare)).extension == bare.extension


def test_an_unreadable_range_says_where() -> None:
    """The server has one message for every range, and the resolver a position."""
    request = olmsolve.read_extension_request(document(version="1.0.0 && 2"))
    with pytest.raises(v1.VersionRangeError):
        v1.resolve(request)


def test_an_object_that_somebody_wrote() -> None:
    """One that is on a cluster was taken by its server, whose version may know more fields."""
    spec = {"namespace": "p", "install": {}, "source": {"sourceType": "Catalog", "catalog": {"packageName": "p"}}}
    written = {
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterExtension",
        "metadata": {"name": "p"},
        "spec": spec,
    }
    with pytest.raises(RequestError, match=r"at least one of \[preflight\] are required when install is specified"):
        olmsolve.read_extension_request({"kind": "List", "apiVersion": "v1", "items": [written]})
    there = {**written, "metadata": {"name": "p", "uid": "1"}}
    request = olmsolve.read_extension_request({"kind": "List", "apiVersion": "v1", "items": [there]})
    assert request.settings.namespace == "p"
