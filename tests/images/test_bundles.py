"""Bundles in images: the blob is the one of the bundle's folder, wherever the image is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from olmsolve.authoring import render_template, templates
from olmsolve.catalog.fbc import is_bundle, read_bundle
from olmsolve.errors import CatalogError
from tests.cli.commands import runner
from tests.images.building import BUNDLE, BuiltImage, catalog_image, docker_files, layout_files, named, tar, write_files
from tests.images.registries import SmallRegistry, serving

FILES = {
    "metadata/annotations.yaml": json.dumps({"annotations": BUNDLE}).encode(),
    "metadata/dependencies.yaml": b'dependencies:\n- type: olm.package\n  value: {packageName: a, version: ">1.0.0"}\n',
    "manifests/csv.yaml": json.dumps(
        {
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "ClusterServiceVersion",
            "metadata": {"name": "etcd.v1.2.0"},
            "spec": {"version": "1.2.0", "displayName": "etcd"},
        }
    ).encode(),
}


def bundle_image(files: dict[str, bytes] = FILES) -> BuiltImage:
    return BuiltImage(tar({"etc/passwd": b"root"}), tar(files), labels=BUNDLE)


def test_a_bundle_in_every_form(tmp_path: Path) -> None:
    """Who has the image has the bundle; its sources need not be at hand."""
    folder = write_files(tmp_path / "folder", FILES)
    image = bundle_image()
    layout = layout_files([named(image, "v1")], image)
    archives = {"a.tar": tar(layout), "d.tar": tar(docker_files({"x.example/etcd:v1": image}))}
    write_files(tmp_path, archives)
    expected = read_bundle(folder, image="quay.io/etcd:1")
    assert expected["name"] == "etcd.v1.2.0"
    for path in (write_files(tmp_path / "layout", layout), tmp_path / "a.tar", f"{tmp_path}/d.tar#v1"):
        assert is_bundle(path)
        assert read_bundle(path, image="quay.io/etcd:1") == expected
    assert not is_bundle(tmp_path)


def test_errors_name_the_file_in_the_image(tmp_path: Path) -> None:
    """The private folder is gone when somebody reads the message."""
    image = bundle_image({**FILES, "metadata/dependencies.yaml": b"dependencies: 1"})
    path = write_files(tmp_path / "layout", layout_files([named(image, "v1")], image))
    with pytest.raises(CatalogError) as caught:
        read_bundle(path)
    assert caught.value.origin == f"{path}/metadata/dependencies.yaml:1"


def test_a_catalog_is_no_bundle(tmp_path: Path) -> None:
    """The one thing is not taken for the other."""
    image = BuiltImage(tar({"configs/a": b"{}"}))
    path = write_files(tmp_path / "layout", layout_files([named(image, "v1")], image))
    assert not is_bundle(path)
    with pytest.raises(CatalogError, match="no bundle: a catalog's image"):
        read_bundle(path)


def test_render_and_templates_pull(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``render IMAGE`` and templates that name images need nothing but the registry."""
    monkeypatch.setenv("OLMSOLVE_IMAGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("REGISTRY_AUTH_FILE", str(tmp_path / "none.json"))
    run = runner(capsys)
    with serving(SmallRegistry(bundle_image())) as registry:
        name = f"{registry.host}/a/etcd:v1"
        expected = read_bundle(write_files(tmp_path / "folder", FILES), image=name)
        assert read_bundle(name) == expected
        assert json.loads(run("render", name).out) == expected
        template = {"schema": "olm.semver", "stable": {"bundles": [{"image": name}]}, "generateMajorChannels": True}
        rendered = render_template(template, templates.bundles_from_registries())
        assert [bundle["name"] for bundle in rendered.bundles] == ["etcd.v1.2.0"]
        (tmp_path / "t.yaml").write_text(json.dumps(template))
        assert run("template", str(tmp_path / "t.yaml")).code == 2
        shutil.rmtree(tmp_path / "cache")
        answer = run("template", str(tmp_path / "t.yaml"), "--pull", "--folder", str(tmp_path), "-o", "jsonl")
        assert [json.loads(line)["name"] for line in answer.out.splitlines()] == ["etcd", "stable-v1", "etcd.v1.2.0"]


ICON = {"base64data": "aQ==", "mediatype": "image/png"}


@pytest.mark.parametrize("objects", [False, True])
@pytest.mark.parametrize("way", ["--pull", "--folder", "--bundle", "--bundle of an image"])
def test_a_package_looks_like_its_bundle_wherever_that_is(
    way: str, objects: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The blob of a bundle holds no icon: it has to be taken from the manifests, which only the bundle has."""
    monkeypatch.setenv("OLMSOLVE_IMAGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("REGISTRY_AUTH_FILE", str(tmp_path / "none.json"))
    csv = json.loads(FILES["manifests/csv.yaml"])
    csv["spec"] |= {"description": "Keys & values", "icon": [ICON]}
    files = {**FILES, "manifests/csv.yaml": json.dumps(csv).encode()}
    image = bundle_image(files)
    with serving(SmallRegistry(image)) as registry:
        name = "etcd" if way == "--folder" else f"{registry.host}/a/etcd:v1"
        write_files(tmp_path / "etcd", files)
        (tmp_path / "etcd.tar").write_bytes(tar(layout_files([named(image, "v1")], image)))
        options = {
            "--pull": ["--pull"],
            "--folder": ["--folder", str(tmp_path)],
            "--bundle": ["--bundle", f"{name}={tmp_path}/etcd"],
            "--bundle of an image": ["--bundle", f"{name}={tmp_path}/etcd.tar"],
        }[way] + ["--bundle-objects"] * objects
        (tmp_path / "t.yaml").write_text(json.dumps({"schema": "olm.semver", "stable": {"bundles": [{"image": name}]}}))
        answer = runner(capsys)("template", str(tmp_path / "t.yaml"), *options, "-o", "jsonl")
    package, _, bundle = map(json.loads, answer.out.splitlines())
    expected = {"schema": "olm.package", "name": "etcd", "defaultChannel": "stable-v1.2"}
    assert package == {**expected, "icon": ICON, "description": "Keys & values"}
    assert bundle == read_bundle(tmp_path / "etcd", image=name, with_objects=objects)


def test_renderers_around_renderers_keep_the_manifests(tmp_path: Path) -> None:
    """A bundle is found by the last of several renderers, whoever made the first; a stranger's has blobs alone."""
    csv = json.loads(FILES["manifests/csv.yaml"])
    csv["spec"]["description"] = "Keys and values"
    write_files(tmp_path / "etcd", {**FILES, "manifests/csv.yaml": json.dumps(csv).encode()})
    template = {"schema": "olm.semver", "stable": {"bundles": [{"image": "etcd"}]}}
    inner = templates.bundles_in_folder(tmp_path)
    rendered = render_template(template, templates.bundles_by_image([], templates.bundles_by_path({}, inner)))
    assert rendered.packages[0]["description"] == "Keys and values"
    assert "description" not in render_template(template, lambda image: inner(image)).packages[0]
    whole = templates.bundles_in_folder(tmp_path, with_objects=True)
    assert render_template(template, lambda image: whole(image)).packages[0]["description"] == "Keys and values"


def test_the_image_of_a_bundle_is_unpacked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is a bundle again, with the files that the labels name and nothing else of the image."""
    monkeypatch.chdir(tmp_path)
    image = bundle_image()
    write_files(tmp_path, {"a.tar": tar(layout_files([named(image, "v1")], image))})
    outcome = runner(capsys)("bundle", "unpack", "a.tar", "etcd")
    assert (outcome.code, outcome.out.splitlines()) == (0, sorted(FILES))
    folder = tmp_path / "etcd"
    assert {name: (folder / name).read_bytes() for name in FILES} == FILES
    assert sum(path.is_file() for path in folder.rglob("*")) == len(FILES)
    assert read_bundle(folder, image="x.example/etcd:1") == read_bundle(tmp_path / "a.tar", image="x.example/etcd:1")


def test_what_is_no_image_of_a_bundle_is_not_unpacked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each with a reason, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    image = bundle_image()
    write_files(tmp_path, {"a.tar": tar(layout_files([named(image, "v1")], image)), "full/file": b""})
    catalog = catalog_image()
    write_files(tmp_path, {"c.tar": tar(layout_files([named(catalog, "v1")], catalog))})
    write_files(tmp_path / "folder", FILES)
    for path, folder, reason in (
        ("a.tar", "full", "full: must be a new or empty folder"),
        ("a.tar", "full/file", "must be a new or empty folder"),
        ("folder", "new", "cannot be unpacked: a bundle's folder, not an image"),
        ("full/file", "new", "cannot be unpacked: no image"),
        ("c.tar", "new", "no bundle: a catalog's image"),
        ("a.tar", "full/file/new", "cannot be written"),
    ):
        outcome = runner(capsys)("bundle", "unpack", path, folder)
        assert outcome.code == 2
        assert reason in outcome.err
    assert not (tmp_path / "new").exists()
