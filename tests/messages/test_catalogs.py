"""Messages about files of catalogs, archives and images that no other test produces."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from olmsolve.catalog import Origin, images
from olmsolve.catalog.archives import shown
from olmsolve.catalog.fbc import load, plain, read_bundle, read_package
from olmsolve.catalog.images import keep
from olmsolve.catalog.index_files import content_digest
from olmsolve.catalog.index_files.writing import store
from olmsolve.errors import CatalogError
from tests.images.building import BuiltImage, layout_files, tar, write_files
from tests.images.databases import write_database

CATALOG = b'{"schema": "olm.package", "name": "a", "defaultChannel": "c"}\n'
IN_FBC, IN_IMAGES = "olmsolve.catalog.fbc", "olmsolve.catalog.images"


def refused(call: Callable[[], object]) -> str:
    """Return the text of the error that *call* raises."""
    with pytest.raises(CatalogError) as caught:
        call()
    return str(caught.value)


def archive(path: Path, files: dict[str, bytes]) -> Path:
    """Write a tar archive of *files*."""
    path.write_bytes(tar(files))
    return path


@pytest.mark.parametrize(
    ("files", "limit", "most", "message"),
    [
        (
            {"a.yaml": CATALOG, "b.json": b""},
            "olmsolve.catalog.archives.tar.ENTRIES",
            1,
            "archive of more than 1 entries",
        ),
        ({"a.json": CATALOG * 2}, f"{IN_FBC}.packed.ARCHIVE_BYTES", 9, "an archive of more than 9 bytes of files"),
        (
            {"a.json": CATALOG, ".indexignore": b"one\ntwo\n"},
            f"{IN_FBC}.packed.IGNORE_BYTES",
            3,
            "more than 3 bytes of .indexignore files",
        ),
        (
            {"a.json": CATALOG, ".indexignore": b"one\ntwo\n"},
            f"{IN_FBC}.packed.IGNORE_RULES",
            1,
            "more than 1 rules in .indexignore files",
        ),
        ({"x" * 5000: CATALOG}, "", 0, "the archive holds a name that is too long"),
        (
            {"x" * 90: CATALOG, "y" * 120: CATALOG},
            "olmsolve.catalog.archives.tar.HEADER_BYTES",
            9,
            "header that is too long",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_archives_that_are_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes], limit: str, most: int, message: str
) -> None:
    """An archive comes from elsewhere, and tells its sizes itself."""
    path = archive(tmp_path / "catalog.tar", files)
    if limit:
        monkeypatch.setattr(limit, most)
    assert message in refused(lambda: load(path))


def test_a_small_file_behind_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file is within the limit, and all of them are not."""
    path = archive(tmp_path / "catalog.tar", {f"{number}.json": CATALOG for number in range(3)})
    monkeypatch.setattr(f"{IN_FBC}.packed.ARCHIVE_BYTES", len(CATALOG) * 2)
    assert "an archive of more than 124 bytes of files" in refused(lambda: load(path))


@pytest.mark.parametrize(
    ("text", "limit", "most", "message"),
    [
        (b" " * 3_000_000 + CATALOG, f"{IN_FBC}.text.DOCUMENT", 9, "more than 9 characters of white space"),
        (CATALOG + b"\n" * 9_000_000 + b"{}", f"{IN_FBC}.json_text.DOCUMENT", 1 << 20, "characters of white space"),
        (CATALOG * 3, f"{IN_FBC}.text.TOTAL_BYTES", 70, "a catalog of more than 70 bytes of text"),
    ],
)
def test_texts_that_are_too_large(
    monkeypatch: pytest.MonkeyPatch, text: bytes, limit: str, most: int, message: str
) -> None:
    """White space is read as well, and nothing comes of it."""
    monkeypatch.setattr(limit, most)
    assert message in refused(lambda: load(io.BytesIO(text)))


def test_an_ignore_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read before any file of the catalog."""
    write_files(tmp_path, {"catalog.json": CATALOG, ".indexignore": b"one\ntwo\n"})
    monkeypatch.setattr(f"{IN_FBC}.folder.IGNORE_BYTES", 3)
    assert ".indexignore: larger than 3 bytes" in refused(lambda: load(tmp_path))


def test_a_database_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its size bounds the memory that its rows take."""
    write_database(tmp_path / "index.db", [])
    monkeypatch.setattr(f"{IN_FBC}.database.TOTAL_BYTES", 99)
    assert "a database of more than 99 bytes" in refused(lambda: load(tmp_path / "index.db"))


def test_a_key_that_is_no_text() -> None:
    """The value itself is at fault, and no field of it."""
    odd: Any = {5: "olm.package"}
    assert (
        refused(lambda: plain(odd, Origin("memory", 1))) == "memory, document 1: the blob has the key 5, not a string"
    )


BUNDLE: dict[str, Any] = {
    "metadata/annotations.yaml": {
        "annotations": {
            "operators.operatorframework.io.bundle.package.v1": "etcd",
            "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
        }
    },
    "manifests/csv.yaml": {
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "etcd.v1.2.0"},
        "spec": {"version": "1.2.0"},
    },
}


def write_bundle(root: Path, changed: dict[str, Any]) -> Path:
    """Write the folder of a bundle, with some files *changed*; None leaves one out."""
    for name, value in {**BUNDLE, **changed}.items():
        if value is not None:
            write_files(root, {name: yaml.safe_dump(value).encode()})
    return root


def stated(**given: Any) -> dict[str, Any]:
    """Return a bundle's annotations with the ones *given*."""
    named = {f"operators.operatorframework.io.bundle.{key}.v1": value for key, value in given.items()}
    return {
        "metadata/annotations.yaml": {"annotations": {"operators.operatorframework.io.bundle.package.v1": "e"} | named}
    }


def csv(**fields: Any) -> dict[str, Any]:
    """Return the bundle's CSV with other *fields*."""
    return {"manifests/csv.yaml": {**BUNDLE["manifests/csv.yaml"], **fields}}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (stated(manifests=5), "manifests.v1 must be a path, not the number 5"),
        (stated(manifests="elsewhere"), "not a bundle: it has no folder of manifests"),
        (csv(metadata={"name": 7}), "metadata.name must be a string, not the number 7 (ClusterServiceVersion)"),
        (csv(metadata={}), "metadata.name is missing (ClusterServiceVersion)"),
        (
            csv(spec={"version": "1.0.0", "relatedImages": ["db"]}),
            "spec.relatedImages[0] must be an object, not a string (ClusterServiceVersion)",
        ),
        (
            csv(metadata={"name": "etcd.v1", "annotations": {"olm.properties": '[{"type": "x"}]'}}),
            "olm.properties[0] must be an object with a type and a value",
        ),
    ],
)
def test_bundles_that_make_no_sense(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    """The message says which file, which object and which field."""
    assert message in refused(lambda: read_bundle(write_bundle(tmp_path, changed)))


def test_packages_that_make_no_sense(tmp_path: Path) -> None:
    """A folder in the format before file-based catalogs has one manifest of its package, and that one document."""
    manifest = yaml.safe_dump({"packageName": "a", "channels": []}).encode()
    write_files(tmp_path, {"a.package.yaml": manifest, "b.package.yaml": manifest})
    assert "2 package manifests, where one is needed" in refused(lambda: read_package(tmp_path))
    (tmp_path / "b.package.yaml").unlink()
    write_files(tmp_path, {"a.package.yaml": manifest + b"---\n" + manifest})
    assert "2 documents, where one is needed" in refused(lambda: read_package(tmp_path))


def layout(root: Path, image: BuiltImage) -> Path:
    """Write the OCI layout of *image*."""
    return write_files(root, layout_files([image.described()], image))


def test_images_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Layers are unpacked no further than to the limits."""
    image = BuiltImage(tar({"configs/a.json": CATALOG}))
    path = layout(tmp_path / "layout", image)
    packed = archive(tmp_path / "image.tar", layout_files([image.described()], image))
    compressed = tmp_path / "image.tar.gz"
    with tarfile.open(compressed, "w:gz") as file:
        file.add(path, ".")
    for limit, most, source, message in (
        ("blobs.MANIFEST_BYTES", 9, path, "a document about an image of more than 9 bytes"),
        ("contents.ARCHIVE_BYTES", 9, path, "an image with more than 9 bytes of files to read"),
        ("contents.TOTAL_BYTES", 9, packed, "an image of more than 9 bytes"),
        ("opening.TOTAL_BYTES", 9, compressed, "an archive of more than 9 bytes"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(f"{IN_IMAGES}.{limit}", most)
            assert message in refused(partial(images.image_content, str(source)))


def test_what_an_image_lacks(tmp_path: Path) -> None:
    """The label of a database names a file; and images without names can only be told by their digests."""
    database = BuiltImage(
        tar({"db/i.db/note": b""}), labels={"operators.operatorframework.io.index.database.v1": "/db/i.db"}
    )
    path = layout(tmp_path / "one", database)
    assert "the image has no file /db/i.db, which its label names" in refused(lambda: load(path))
    nameless = archive(
        tmp_path / "two.tar", {"manifest.json": json.dumps([{"Layers": [], "Config": "c"}] * 2).encode()}
    )
    assert "2 images: name one with #TAG after the path; there are none with a name" in refused(lambda: load(nameless))


def test_a_file_of_a_bundle_that_cannot_be_laid_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name may be one on Linux and a path elsewhere."""
    content = images.ImageContent(images.ContentKind.BUNDLE, "image", "", {("manifests", "a/b"): b""})
    monkeypatch.setattr(images, "image_content", lambda _: content)
    (tmp_path / "image.tar").write_bytes(tar({"a": b""}))
    message = refused(lambda: read_bundle(tmp_path / "image.tar"))
    assert message == "image: cannot be laid out: 'manifests/a/b' cannot name a file here"


def test_an_image_that_cannot_be_kept(tmp_path: Path) -> None:
    """Without a place for its blobs an image cannot be read; the variable that names another is told."""
    (tmp_path / "file").write_bytes(b"")
    message = refused(lambda: keep(tmp_path / "file" / "blob", [b"x"], "example.com/a"))
    assert f"the image cannot be kept in {tmp_path / 'file'}: " in message
    assert "OLMSOLVE_IMAGE_CACHE names another folder" in message


def test_a_catalog_that_changes_while_its_index_is_made(tmp_path: Path) -> None:
    """Such an index would be of neither content."""
    file = tmp_path / "catalog.json"
    file.write_bytes(CATALOG)
    digest = content_digest(str(file))
    assert digest is not None
    catalog = load(file)
    file.write_bytes(CATALOG + b"\n")
    message = refused(lambda: store(str(file), catalog, digest, tmp_path / "index"))
    assert message == f"{file}: changed while its index was made"


def test_a_file_that_cannot_be_read_for_its_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest of a catalog is that of all its bytes."""
    file = tmp_path / "catalog.json"
    file.write_bytes(CATALOG)

    class Failing(io.BytesIO):
        def read(self, *_: Any) -> bytes:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr("olmsolve.catalog.index_files.content.open_plain", lambda *_: Failing())
    assert refused(lambda: content_digest(str(file))) == f"{shown(file)}: cannot be read: Input/output error"
