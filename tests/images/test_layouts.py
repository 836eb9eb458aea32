"""Images in OCI layouts and archives: wherever one is, its catalog is the same."""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
from pathlib import Path

import pytest

import olmsolve
from olmsolve.errors import CatalogError
from tests.images.building import (
    CATALOG,
    CONFIGS,
    BuiltImage,
    Entry,
    catalog_image,
    descriptor,
    digest,
    docker_files,
    layout_files,
    named,
    tar,
    write_files,
)

TWO = BuiltImage(tar({"configs/two.json": b'{"schema": "olm.package", "name": "two", "defaultChannel": ""}'}))


@pytest.fixture
def expected(tmp_path: Path) -> olmsolve.Catalog:
    """The catalog of the images, from a plain folder."""
    return olmsolve.load(write_files(tmp_path / "plain", {"etcd/catalog.json": CATALOG}))


def forms(folder: Path) -> dict[str, Path]:
    """One image in every form that tools write, by the form."""
    image = catalog_image()
    layout = layout_files([named(image, "v1")], image)
    docker = docker_files({"registry.example/catalog:v1": image})
    archives = {
        "oci-archive.tar": tar(layout),
        "oci-archive.tar.gz": gzip.compress(tar(layout)),
        "docker-archive.tar": tar(docker),
        "docker-archive.tar.gz": gzip.compress(tar(docker)),
        # docker save writes both lists.
        "docker-save.tar": tar({**layout, **docker}),
    }
    write_files(folder, archives)
    return {"layout": write_files(folder / "layout", layout), **{name: folder / name for name in archives}}


def test_one_catalog_in_every_form(tmp_path: Path, expected: olmsolve.Catalog) -> None:
    """A catalog that is exported with another tool is the same catalog."""
    for form, path in forms(tmp_path).items():
        assert olmsolve.load(path) == expected, form
        with path.open("rb") if path.is_file() else io.BytesIO(tar({})) as file:
            if path.is_file():
                assert olmsolve.load(file) == expected, form
        findings = olmsolve.validate(path)
        assert [finding.code for finding in findings if finding.severity is olmsolve.Severity.ERROR] == [], form


def test_origins_name_the_file_in_the_image(tmp_path: Path) -> None:
    """A fault is looked for in the image's sources, so its path in the image is what helps."""
    path = forms(tmp_path)["docker-archive.tar"]
    bundle = olmsolve.load(path).packages["etcd"].bundles["etcd.v1.0.0"]
    assert str(bundle.origin) == f"{path}/configs/etcd/catalog.json:3"


def test_an_index_beside_a_layout_is_used(tmp_path: Path, expected: olmsolve.Catalog) -> None:
    """An index saves most for an image, whose layers need not be unpacked then."""
    from olmsolve.catalog.index_files import write_index

    path = forms(tmp_path)["layout"]
    write_index(path)
    catalog = olmsolve.load(path)
    assert repr(catalog.packages).endswith("not read yet>")
    assert catalog == expected


def test_an_image_that_a_tag_chooses_has_no_index(tmp_path: Path) -> None:
    """The index is of a whole file or folder; that there is no such file would be wrong."""
    from olmsolve.catalog.index_files import write_index

    path = forms(tmp_path)["layout"]
    with pytest.raises(olmsolve.CatalogError, match="cannot have an index: only a file or a folder"):
        write_index(f"{path}#v1")
    with pytest.raises(olmsolve.CatalogError, match="No such file"):
        write_index(f"{path}-2#v1")


@pytest.mark.parametrize("form", ["layout", "archive", "docker"])
def test_several_images_are_chosen_by_tag(tmp_path: Path, form: str) -> None:
    """Without a tag the answer would depend on the order in which images were saved."""
    one = catalog_image()
    layout = layout_files([named(one, "v1"), named(TWO, "v2")], one, TWO)
    if form == "layout":
        path = write_files(tmp_path / "images", layout)
    else:
        files = layout if form == "archive" else docker_files({"x.example/a:v1": one, "x.example/a:v2": TWO})
        path = tmp_path / "images"
        path.write_bytes(tar(files))
    assert list(olmsolve.load(f"{path}#v1").packages) == ["etcd"]
    assert list(olmsolve.load(f"{path}#v2").packages) == ["two"]
    with pytest.raises(CatalogError, match="2 images: name one with #TAG"):
        olmsolve.load(path)
    with pytest.raises(CatalogError, match=r"there is no image called v3; there are .*v1"):
        olmsolve.load(f"{path}#v3")
    if form != "docker":
        assert list(olmsolve.load(f"{path}#{digest(TWO.manifest)}").packages) == ["two"]


def test_a_path_with_a_number_sign_is_a_path(tmp_path: Path) -> None:
    """What is there is meant, whatever its name looks like."""
    path = write_files(tmp_path / "images#v1", {"c.json": CATALOG})
    assert list(olmsolve.load(path).packages) == ["etcd"]


def test_platforms_of_one_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An image for several platforms is one image; the machine's own is taken, and attached records are none."""
    images = {
        name: BuiltImage(tar({f"configs/{name}.json": CATALOG}), architecture=name) for name in ("arm64", "amd64")
    }
    record = BuiltImage(tar({}), labels={})
    listed = [image.described() | {"platform": image.platform} for image in images.values()]
    listed.append(record.described(vnd_docker_reference_type="attestation-manifest"))
    nested = layout_files(listed, *images.values(), record)["index.json"]
    inner = descriptor(nested, "application/vnd.oci.image.index.v1+json")
    flat = write_files(tmp_path / "flat", layout_files(listed, *images.values(), record))
    deep = write_files(tmp_path / "deep", layout_files([inner], *images.values(), record, more=[nested]))
    for machine, wanted in {"aarch64": "arm64", "x86_64": "amd64", "s390x": "amd64"}.items():
        monkeypatch.setattr("platform.machine", lambda machine=machine: machine)
        for path in (flat, deep):
            origin = olmsolve.load(path, index=False).packages["etcd"].origin
            assert str(origin).endswith(f"configs/{wanted}.json:1"), machine


def test_layers_replace_and_remove(tmp_path: Path) -> None:
    """A later layer replaces, removes and hides what is below it, and nothing of its own."""
    package = '{{"schema": "olm.package", "name": "{}", "defaultChannel": ""}}'

    def blob(name: str) -> bytes:
        return package.format(name).encode()

    image = BuiltImage(
        tar({"configs/a.json": blob("a"), "configs/b.json": blob("b"), "configs/old/c.json": blob("c")}),
        tar({"configs/old/d.json": blob("d"), "configs/gone/e.json": blob("e"), "configs/f": blob("f")}),
        tar(
            [("./configs/b.json", blob("bb")), ("./configs/old/x.json", blob("x")), ("./configs/old/.wh..wh..opq", b"")]
        ),
        tar(
            {
                "configs/.wh.a.json": b"",
                "configs/.wh.gone": b"",
                "configs/f": Entry(tarfile.DIRTYPE),
                "configs/f/g": blob("g"),
            }
        ),
        tar({"configs/h.json": Entry(tarfile.LNKTYPE, "configs/b.json"), "configs/.wh.b.json": b""}),
    )
    path = write_files(tmp_path / "layout", layout_files([named(image, "x")], image))
    assert sorted(olmsolve.load(path).packages) == ["bb", "g", "x"]


def test_indexignore_in_images(tmp_path: Path) -> None:
    """The files of an image are a catalog's folder, with its rules."""
    image = BuiltImage(tar({"configs/c.json": CATALOG, "configs/README.md": b"#", "configs/.indexignore": b"*.md"}))
    path = write_files(tmp_path / "layout", layout_files([named(image, "x")], image))
    assert list(olmsolve.load(path).packages) == ["etcd"]


def test_zstd_layers(tmp_path: Path, expected: olmsolve.Catalog) -> None:
    """Newer tools compress layers with zstd."""
    module = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    zstd = pytest.importorskip(module, reason="zstd layers need Python 3.14 or backports.zstd")
    image = catalog_image(packed=zstd.compress)
    assert olmsolve.load(write_files(tmp_path / "layout", layout_files([named(image, "x")], image))) == expected


def load_image(folder: Path, image: BuiltImage) -> olmsolve.Catalog:
    return olmsolve.load(write_files(folder / "layout", layout_files([named(image, "x")], image)))


HOSTILE = {
    "a link among the files": ({"configs/l": Entry(tarfile.SYMTYPE, "/etc/passwd")}, "l is a symbolic link"),
    "a folder that is a link": ({"configs": Entry(tarfile.SYMTYPE, "/etc")}, "/configs is a symbolic link"),
    "a hard link outwards": ({"configs/l": Entry(tarfile.LNKTYPE, "etc/passwd")}, "l is a hard link"),
    "a device": ({"configs/d": Entry(tarfile.CHRTYPE)}, "d is a device"),
    "a way out": ({"configs/../../x": b""}, "which leaves it"),
    "nothing at all": ({"etc/x": b""}, "no file in /configs"),
}


@pytest.mark.parametrize(("entries", "message"), HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_layers(tmp_path: Path, entries: dict[str, bytes | Entry], message: str) -> None:
    """An image is a folder that a stranger packed: nothing in it may point elsewhere."""
    with pytest.raises(CatalogError, match=message):
        load_image(tmp_path, BuiltImage(tar(entries)))


def test_links_outside_the_catalog_are_passed_over(tmp_path: Path) -> None:
    """Every base image is full of links, which lead nowhere that is read."""
    image = BuiltImage(
        tar({"bin": Entry(tarfile.SYMTYPE, "usr/bin"), "dev/n": Entry(tarfile.CHRTYPE), "configs/c": CATALOG})
    )
    assert list(load_image(tmp_path, image).packages) == ["etcd"]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({}, "neither a catalog nor a bundle.*nor any other"),
        ({"maintainer": "x"}, "its labels: maintainer"),
        ({next(iter(CONFIGS)): "/"}, "must name a folder"),
        ({next(iter(CONFIGS)): "/../x"}, "leads out of the image"),
        ({"operators.operatorframework.io.bundle.package.v1": "etcd"}, "no file in /manifests"),
    ],
)
def test_labels_that_lead_nowhere(tmp_path: Path, labels: dict[str, str], message: str) -> None:
    """An image that is no catalog is named as what it is."""
    with pytest.raises(CatalogError, match=message):
        load_image(tmp_path, BuiltImage(tar({"configs/c": CATALOG}), labels=labels))


def test_damaged_blobs(tmp_path: Path) -> None:
    """A digest is a promise: other bytes, or none, are one clear error for each blob."""
    image = catalog_image()
    files = layout_files([named(image, "x")], image)
    for number, name in enumerate(name for name in files if name.startswith("blobs/")):
        changed = {**files, name: files[name][:-1] + bytes([files[name][-1] ^ 1])}
        with pytest.raises(CatalogError, match=r"does not match its digest|damaged gzip data"):
            olmsolve.load(write_files(tmp_path / f"changed{number}", changed))
        missing = {key: value for key, value in files.items() if key != name}
        with pytest.raises(CatalogError, match="is missing"):
            olmsolve.load(write_files(tmp_path / f"missing{number}", missing))
    docker = docker_files({"a:b": image})
    other = next(name for name in docker if name.endswith("layer.tar") and CATALOG in docker[name])
    docker[other] = docker[other].replace(b"etcd", b"etce")
    (tmp_path / "docker.tar").write_bytes(tar(docker))
    with pytest.raises(CatalogError, match="does not match its digest"):
        olmsolve.load(tmp_path / "docker.tar")


def test_a_layer_that_grows_beyond_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small layer must not keep the process busy for hours."""
    monkeypatch.setattr("olmsolve.catalog.images.contents._FREE_BYTES", 1 << 20)
    image = BuiltImage(tar({"x": bytes(3 << 20)}))
    with pytest.raises(CatalogError, match="grows to more than 200 times"):
        load_image(tmp_path, image)


def test_links_out_of_a_layout(tmp_path: Path) -> None:
    """A layout is a folder of strangers too, whose blobs might be links to the reader's own files."""
    image = catalog_image()
    path = write_files(tmp_path / "layout", layout_files([named(image, "x")], image))
    (tmp_path / "elsewhere").write_bytes(image.configuration)
    blob = path / "blobs" / digest(image.configuration).replace(":", "/")
    blob.unlink()
    blob.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CatalogError, match="a symbolic link that leaves the layout"):
        olmsolve.load(path)


def test_a_bundle_is_no_catalog(tmp_path: Path) -> None:
    """Who names a bundle's image for a catalog is told what to do with it."""
    labels = {"operators.operatorframework.io.bundle.package.v1": "etcd"}
    with pytest.raises(CatalogError, match="a bundle's image, not a catalog: olmsolve render"):
        load_image(tmp_path, BuiltImage(tar({"manifests/c.yaml": b""}), labels=labels))


def test_a_catalog_with_a_file_called_manifest(tmp_path: Path) -> None:
    """Only a list makes an archive one of images; a catalog may call its files what it likes."""
    (tmp_path / "c.tar").write_bytes(tar({"manifest.json": CATALOG}))
    assert list(olmsolve.load(tmp_path / "c.tar").packages) == ["etcd"]


def test_images_are_not_changed_in_place(tmp_path: Path) -> None:
    """A layout is a folder as well, and a file that an edit puts into it would be in no image."""
    from olmsolve import authoring

    for path in forms(tmp_path).values():
        before = olmsolve.load(path)
        after = authoring.deprecate(before, "etcd", "gone")
        with pytest.raises(CatalogError, match="the catalog is in an archive, an image or a database"):
            authoring.changed_files(before, after, path)
