"""Documents about images that strangers wrote: each that cannot be is one clear error, and no list is followed far."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import olmsolve
from olmsolve.errors import CatalogError
from tests.images.building import (
    CATALOG,
    BuiltImage,
    catalog_image,
    descriptor,
    digest,
    docker_files,
    layout_files,
    named,
    tar,
    write_files,
)

_INDEX = "application/vnd.oci.image.index.v1+json"
IMAGE = catalog_image()
OTHER = BuiltImage(tar({"configs/two.json": CATALOG}))

DESCRIPTORS: dict[str, tuple[Any, str]] = {
    "no object": (["x"], "a descriptor that is not an object"),
    "no digest": ({"size": 1}, "a digest that is neither SHA-256 nor SHA-512"),
    "a digest of another kind": ({"digest": "md5:" + "0" * 32, "size": 1}, "a digest that is neither"),
    "a digest that leads elsewhere": ({"digest": "sha256:../../x", "size": 1}, "a digest that is neither"),
    "no size": ({"digest": digest(b"")}, "no size of sha256:"),
    "a size that is true": ({"digest": digest(b""), "size": True}, "no size of sha256:"),
    "a size below zero": ({"digest": digest(b""), "size": -1}, "no size of sha256:"),
}


def _load(folder: Path, files: dict[str, bytes], tag: str = "") -> olmsolve.Catalog:
    path = write_files(folder / "layout", files)
    return olmsolve.load(f"{path}#{tag}" if tag else path)


@pytest.mark.parametrize(("written", "message"), DESCRIPTORS.values(), ids=list(DESCRIPTORS))
def test_a_descriptor_that_cannot_be(tmp_path: Path, written: Any, message: str) -> None:
    """A digest is the name of a file, so its form is what keeps a reader inside the layout."""
    with pytest.raises(CatalogError, match=message):
        _load(tmp_path, layout_files([written], IMAGE))


INDEXES: dict[str, tuple[bytes, str]] = {
    "no JSON": (b"{", "a document that is not JSON"),
    "too deep": (b"[" * 100_000, "a document that is not JSON"),
    "a list": (b"[]", "a document that is not an object"),
    "images that are no list": (b'{"manifests": {}}', "manifests is not a list"),
    "no image": (b'{"manifests": []}', "there is no image"),
    "nothing": (b"{}", "there is no image"),
    "too many images": (json.dumps({"manifests": [named(IMAGE, "v1")] * 1001}).encode(), "more than 1,000 images"),
}


@pytest.mark.parametrize(("index", "message"), INDEXES.values(), ids=list(INDEXES))
def test_an_index_that_cannot_be(tmp_path: Path, index: bytes, message: str) -> None:
    """The first file of a layout that is read."""
    with pytest.raises(CatalogError, match=message):
        _load(tmp_path, {**layout_files([], IMAGE), "index.json": index})


def test_lists_in_lists_end_somewhere(tmp_path: Path) -> None:
    """A list may name lists for platforms; one for no platform, and a tower of them, hold no image."""
    nested: list[bytes] = [json.dumps({"manifests": []}).encode()]
    with pytest.raises(CatalogError, match="the image is for no platform"):
        _load(tmp_path / "empty", layout_files([descriptor(nested[0], _INDEX)], more=nested))
    nested = [IMAGE.manifest]
    for _ in range(6):
        nested.append(json.dumps({"manifests": [descriptor(nested[-1], _INDEX)]}).encode())
    files = layout_files([descriptor(nested[2], _INDEX)], IMAGE, more=nested)
    assert list(_load(tmp_path / "two", files).packages) == ["etcd"]
    with pytest.raises(CatalogError, match="a list of images inside of too many others"):
        _load(tmp_path / "six", layout_files([descriptor(nested[-1], _INDEX)], IMAGE, more=nested))


def test_a_tag_that_is_not_there_lists_some_that_are(tmp_path: Path) -> None:
    """Twenty names help as much as a thousand; images without names are told by their digests."""
    listed = [named(IMAGE, f"v{number:02}") for number in range(30)]
    with pytest.raises(CatalogError, match=r"there is no image called v99; there are .*v00.* and \d+ more"):
        _load(tmp_path, layout_files(listed, IMAGE), "v99")
    with pytest.raises(CatalogError, match=r"30 images: name one with #TAG after the path"):
        _load(tmp_path, layout_files(listed, IMAGE))
    (tmp_path / "docker.tar").write_bytes(tar(_docker(lambda listed: listed.append({**listed[0], "RepoTags": None}))))
    with pytest.raises(CatalogError, match=r"there is no image called other; there are registry\.example/a:b"):
        olmsolve.load(f"{tmp_path / 'docker.tar'}#other")


def test_an_image_in_a_packed_archive_has_its_tag_too(tmp_path: Path) -> None:
    """The same name leads to the same image, whether the archive is packed or not."""
    layout = tar(layout_files([named(IMAGE, "v1"), named(OTHER, "v2")], IMAGE, OTHER))
    for name, data in {"plain.tar": layout, "packed.tar.gz": gzip.compress(layout)}.items():
        (tmp_path / name).write_bytes(data)
        assert list(olmsolve.load(f"{tmp_path / name}#v1").packages) == ["etcd"]
        with pytest.raises(CatalogError, match="there is no image called v3"):
            olmsolve.load(f"{tmp_path / name}#v3")
    for name, data in {"text": b"x", "packed": gzip.compress(b"x"), "empty": gzip.compress(b"")}.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(CatalogError, match=r"#v1"):
            olmsolve.load(f"{tmp_path / name}#v1")


def _docker(change: Callable[[list[dict[str, Any]]], None]) -> dict[str, bytes]:
    files = docker_files({"registry.example/a:b": IMAGE})
    listed = json.loads(files["manifest.json"])
    change(listed)
    return {**files, "manifest.json": json.dumps(listed).encode()}


def _configured(value: Any) -> dict[str, bytes]:
    files = docker_files({"registry.example/a:b": IMAGE})
    return {**files, json.loads(files["manifest.json"])[0]["Config"]: json.dumps(value).encode()}


_TWO_LAYERS = {"rootfs": {"diff_ids": ["md5:1", "md5:2"]}}
DOCKER: dict[str, tuple[dict[str, bytes], str]] = {
    "a layer less": (
        _docker(lambda listed: listed[0]["Layers"].pop()),
        "not have the layers that its configuration names",
    ),
    "a layer that is missing": (_docker(lambda listed: listed[0].update(Layers=["x", "y"])), "x is missing"),
    "a layer that is no name": (_docker(lambda listed: listed[0].update(Layers=[1, 2])), "1 is missing"),
    "no configuration": (_docker(lambda listed: listed[0].pop("Config")), "its configuration is missing"),
    "a configuration that is missing": (_docker(lambda listed: listed[0].update(Config="x")), "x is missing"),
    "layers that are no list": (_docker(lambda listed: listed[0].update(Layers="x")), "Layers is not a list"),
    "a configuration that is a list": (_configured([]), "a document that is not an object"),
    "a configuration without layers": (_configured({}), "not have the layers that its configuration names"),
    "layers with other digests": (_configured(_TWO_LAYERS), "a layer without a SHA-256 or SHA-512 digest"),
    "too many layers": (_docker(lambda listed: listed[0].update(Layers=["x"] * 9_999)), "an image of more than"),
}


@pytest.mark.parametrize(("files", "message"), DOCKER.values(), ids=list(DOCKER))
def test_a_docker_archive_that_cannot_be(tmp_path: Path, files: dict[str, bytes], message: str) -> None:
    """What another tool has exported is checked like what comes from a registry."""
    (tmp_path / "docker.tar").write_bytes(tar(files))
    with pytest.raises(CatalogError, match=message):
        olmsolve.load(tmp_path / "docker.tar")


def _with_digests(*digests: Any) -> BuiltImage:
    """Return the image whose configuration says that its layers unpack to *digests*."""
    image = BuiltImage(*IMAGE.layers)
    configuration = json.loads(image.configuration)
    configuration["rootfs"]["diff_ids"] = list(digests)
    del image.blobs[digest(image.configuration)], image.blobs[digest(image.manifest)]
    image.configuration = json.dumps(configuration).encode()
    manifest = json.loads(image.manifest)
    manifest["config"] = descriptor(image.configuration, "application/vnd.oci.image.config.v1+json")
    image.manifest = json.dumps(manifest).encode()
    image.blobs |= {digest(blob): blob for blob in (image.configuration, image.manifest)}
    return image


_DIGESTS = [digest(layer) for layer in IMAGE.layers]


@pytest.mark.parametrize(
    ("digests", "message"),
    [
        ([*_DIGESTS[:-1], digest(b"")], "does not match its digest and size"),
        (_DIGESTS[::-1] if len(_DIGESTS) > 1 else [digest(b"x")], "does not match its digest and size"),
        (_DIGESTS[:-1], "not have the layers that its configuration names"),
        ([], "not have the layers that its configuration names"),
        ([1] * len(_DIGESTS), "a layer without a SHA-256 or SHA-512 digest"),
        (["sha256:x"] * len(_DIGESTS), "a layer without a SHA-256 or SHA-512 digest"),
        ("x" * len(_DIGESTS), "a layer without a SHA-256 or SHA-512 digest"),
    ],
)
def test_layers_unpack_to_what_the_configuration_names(digests: Any, message: str, tmp_path: Path) -> None:
    """A runtime compares them and would not run such an image; neither is a catalog taken from it."""
    for number, image in enumerate((_with_digests(*digests), _with_digests(*_DIGESTS))):
        folder = tmp_path / str(number)
        write_files(folder, layout_files([named(image, "v1")], image))
        if number:
            assert list(olmsolve.load(folder).packages) == ["etcd"]
        else:
            with pytest.raises(CatalogError, match=message):
                olmsolve.load(folder)


@pytest.mark.parametrize("listed", [b"{", b"{}", b"[1]", b'[{"Name": "x"}]'])
def test_only_a_list_of_layers_makes_an_archive_one_of_images(tmp_path: Path, listed: bytes) -> None:
    """A catalog may call a file of its own like that list; then it is read as a catalog, which says what is wrong."""
    (tmp_path / "c.tar").write_bytes(tar({"manifest.json": listed, "c.json": CATALOG}))
    with pytest.raises(CatalogError, match=r"c\.tar/manifest\.json:1: (not valid JSON|the document has no|a list;)"):
        olmsolve.load(tmp_path / "c.tar")
