"""Bundles that hold their image as a repository and a digest are what bundles with the whole text are."""

from __future__ import annotations

import copy
import io
import json
import pickle
from typing import Any

import attrs
import pytest

from olmsolve.catalog import Bundle, Catalog, Repository, held_image
from olmsolve.catalog.fbc import blobs, from_blobs, json_text, load

DIGEST = "00c2e056" * 8
IMAGE = f"example.com:5000/team/b@sha256:{DIGEST}"


@pytest.fixture(autouse=True)
def _from_the_first_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("msgspec", reason="msgspec is not installed")
    monkeypatch.setattr(json_text, "_LONG", 0)


def _blob(name: str, image: str) -> dict[str, Any]:
    return {"schema": "olm.bundle", "name": name, "package": "p", "image": image, "properties": []}


def _loaded(*blobs: dict[str, Any]) -> Catalog:
    return load(io.StringIO("".join(json.dumps(blob, separators=(",", ":")) + "\n" for blob in blobs)))


def _bundle(image: str) -> Bundle:
    return _loaded(_blob("b", image)).packages["p"].bundles["b"]


def test_images_share_their_repository() -> None:
    """The reason for all of it: of ten images of a repository, each takes 32 bytes."""
    images = [f"example.com/b@sha256:{number:064x}" for number in range(10)]

    bundles = _loaded(*(_blob(f"b{n}", image) for n, image in enumerate(images))).packages["p"].bundles.values()

    assert len({id(held_image(bundle)[0]) for bundle in bundles}) == 1
    assert [held_image(bundle)[1] for bundle in bundles] == [number.to_bytes(32, "big") for number in range(10)]
    assert [bundle.image for bundle in bundles] == images


def test_a_bundle_is_its_image() -> None:
    """Equal, hashed, printed, copied, pickled and changed as one that was made in memory."""
    read, constructed = _bundle(IMAGE), Bundle("p", "b", (), IMAGE)

    assert isinstance(held_image(read)[0], Repository)
    assert held_image(constructed) == (IMAGE, None)
    assert read == constructed == read
    assert hash(read) == hash(constructed)
    assert repr(read) == repr(constructed)
    assert read != _bundle(IMAGE.replace("00c2", "00c3"))
    pickled = pickle.loads(pickle.dumps(read))  # noqa: S301 - made here
    for other in (copy.copy(read), copy.deepcopy(read), pickled, attrs.evolve(read)):
        assert other == constructed
        assert other.origin == read.origin
    assert attrs.evolve(read, name="other").image == IMAGE
    assert attrs.evolve(read, image="example.com/c:1").image == "example.com/c:1"
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        read.image = ""  # type: ignore[misc]


@pytest.mark.parametrize(
    "image",
    [
        IMAGE,
        IMAGE.replace("b@", "b:v1@"),
        IMAGE.upper(),
        IMAGE.replace("c2e0", "C2E0"),
        IMAGE.replace("c2e0", "_2e0"),
        IMAGE[:-1],
        IMAGE + "0",
        IMAGE + " ",
        f"example.com/b@{IMAGE}",
        f"@sha256:{DIGEST}",
        f"b@sha512:{DIGEST}{DIGEST}",
        f"b sha256:{DIGEST}",
        f"é@sha256:{DIGEST}",
        f'"@sha256:{DIGEST}',
        "example.com/b:v1",
        "b@",
        "",
    ],
)
def test_every_image_is_written_as_it_was_read(image: str) -> None:
    blob = _blob("b", image)

    loaded = _loaded(blob)

    assert loaded == from_blobs([blob])
    assert loaded.packages["p"].bundles["b"].image == image
    assert list(blobs(loaded)) == [blob]
