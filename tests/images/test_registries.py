"""Images from registries: by tag and digest, with credentials, cached, and without a registry to be found."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import olmsolve
from olmsolve.catalog.images import ImageReference, image_reference
from olmsolve.errors import CatalogError
from tests.images.building import CATALOG, BuiltImage, catalog_image, digest, layout_files, named, tar, write_files
from tests.images.registries import PASSWORD, USER, SmallRegistry, debian_registry, push, serving


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without credentials, and with a cache of their own."""
    for name in ("REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR", "DOCKER_CONFIG", "OLMSOLVE_IMAGE_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path


@pytest.fixture
def expected(tmp_path: Path) -> olmsolve.Catalog:
    """The catalog of the images, from a plain folder."""
    return olmsolve.load(write_files(tmp_path / "plain", {"etcd/catalog.json": CATALOG}))


@pytest.mark.skipif(shutil.which("docker-registry") is None, reason="Debian's docker-registry is not installed")
def test_a_real_registry(tmp_path: Path, expected: olmsolve.Catalog) -> None:
    """A catalog that was pushed to a registry is the catalog, by tag and by digest, and requests resolve over it."""
    image = catalog_image()
    with debian_registry(tmp_path) as host:
        push(host, "orchard/catalog", "v4.17", image)
        by_tag, by_digest = f"{host}/orchard/catalog:v4.17", f"{host}/orchard/catalog@{digest(image.manifest)}"
        assert olmsolve.load(by_tag) == olmsolve.load(f"docker://{by_digest}") == expected
        assert [finding for finding in olmsolve.validate(by_tag) if finding.severity is olmsolve.Severity.ERROR] == []
        request = {
            "namespaces": ["operators"],
            "catalogs": [{"name": "orchard", "file": by_tag}],
            "subscriptions": [{"name": "etcd", "package": "etcd", "source": "orchard", "sourceNamespace": "operators"}],
        }
        assert [install.name for install in olmsolve.resolve(olmsolve.read_request(request)).installs] == [
            "etcd.v1.0.0"
        ]
        with pytest.raises(CatalogError, match="the registry has no such image"):
            olmsolve.load(f"{host}/orchard/catalog:v9")


@pytest.mark.skipif(
    shutil.which("skopeo") is None or shutil.which("docker-registry") is None,
    reason="skopeo and Debian's docker-registry are not installed",
)
def test_what_skopeo_copies(tmp_path: Path, expected: olmsolve.Catalog) -> None:
    """The forms that another tool writes, and not only those that tests write."""
    image = catalog_image()
    layout = write_files(tmp_path / "source", layout_files([named(image, "v1")], image))
    with debian_registry(tmp_path) as host:
        targets = {
            f"docker://{host}/a/b:v1": f"{host}/a/b:v1",
            f"oci:{tmp_path}/oci:v1": f"{tmp_path}/oci#v1",
            f"oci-archive:{tmp_path}/oci.tar:v1": f"{tmp_path}/oci.tar",
            f"docker-archive:{tmp_path}/docker.tar:x.example/a:v1": f"{tmp_path}/docker.tar#v1",
        }
        for target, path in targets.items():
            copy = ["skopeo", "copy", "-q", "--insecure-policy", "--dest-tls-verify=false", f"oci:{layout}:v1", target]
            subprocess.run(
                copy, check=True, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path)}
            )
            assert olmsolve.load(path) == expected, target


@pytest.fixture
def registry(request: pytest.FixtureRequest) -> Iterator[SmallRegistry]:
    """A small registry, with the challenge that the test is parametrized with."""
    with serving(SmallRegistry(catalog_image(), challenge=getattr(request, "param", ""))) as small_registry:
        yield small_registry


def test_blobs_are_fetched_once(registry: SmallRegistry, expected: olmsolve.Catalog) -> None:
    """A tag may move, so it is looked up each time; what a digest names never changes."""
    path = f"{registry.host}/a/b:v1"
    assert olmsolve.load(path) == expected
    registry.requests.clear()
    assert olmsolve.load(path) == expected
    assert registry.requests == ["/v2/a/b/manifests/v1"]
    registry.requests.clear()
    assert olmsolve.load(f"{registry.host}/a/b@{digest(registry.tags['v1'])}") == expected
    assert registry.requests == []


def test_a_damaged_cache_is_mended(registry: SmallRegistry, tmp_path: Path, expected: olmsolve.Catalog) -> None:
    """A disk may fail, and a cache is nothing that a person should have to repair."""
    path = f"{registry.host}/a/b:v1"
    olmsolve.load(path)
    for blob in (tmp_path / "cache" / "olmsolve" / "images" / "blobs" / "sha256").iterdir():
        blob.write_bytes(b"x")
    assert olmsolve.load(path) == expected


def test_no_cache(registry: SmallRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who sets the variable to nothing wants nothing kept."""
    monkeypatch.setenv("OLMSOLVE_IMAGE_CACHE", "")
    olmsolve.load(f"{registry.host}/a/b:v1")
    assert not (tmp_path / "cache").exists()


def auths(host: str, **entry: str) -> str:
    return json.dumps({"auths": {host: entry}})


FILES = {
    "podman's file of the session": ("XDG_RUNTIME_DIR", "containers/auth.json"),
    "podman's file of the user": ("XDG_CONFIG_HOME", "containers/auth.json"),
    "docker's file": ("DOCKER_CONFIG", "config.json"),
    "docker's file at home": ("HOME", ".docker/config.json"),
    "a file that is named": ("REGISTRY_AUTH_FILE", ""),
}


@pytest.mark.parametrize("registry", ["basic", "token"], indirect=True)
@pytest.mark.parametrize(("variable", "name"), FILES.values(), ids=list(FILES))
def test_credentials_of_the_user(
    registry: SmallRegistry, variable: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has logged in with podman or docker has logged in."""
    root = tmp_path / "credentials"
    file = root / name if name else root
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(auths(registry.host, auth=base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()))
    monkeypatch.setenv(variable, str(root))
    assert list(olmsolve.load(f"{registry.host}/a/b:v1").packages) == ["etcd"]


@pytest.mark.parametrize("registry", ["anonymous"], indirect=True)
def test_tokens_for_everybody(registry: SmallRegistry) -> None:
    """Public registries give a token to whoever asks."""
    assert list(olmsolve.load(f"{registry.host}/a/b:v1").packages) == ["etcd"]


@pytest.mark.parametrize("registry", ["basic", "token"], indirect=True)
def test_wrong_credentials(registry: SmallRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to do, and holds no secret."""
    with pytest.raises(CatalogError, match="asks for other credentials: log in"):
        olmsolve.load(f"{registry.host}/a/b:v1")
    (tmp_path / "auth.json").write_text(auths(registry.host, username="me", password="secret"))  # noqa: S106
    monkeypatch.setenv("REGISTRY_AUTH_FILE", str(tmp_path / "auth.json"))
    with pytest.raises(CatalogError) as caught:
        olmsolve.load(f"{registry.host}/a/b:v1")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("registry", ["basic"], indirect=True)
def test_the_nearest_credentials_count(
    registry: SmallRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Podman keeps other credentials for a path than for its host."""
    entries = {registry.host: {"username": "x", "password": "y"}}
    entries[f"{registry.host}/a"] = {"username": USER, "password": PASSWORD}
    (tmp_path / "auth.json").write_text(json.dumps({"auths": entries}))
    monkeypatch.setenv("REGISTRY_AUTH_FILE", str(tmp_path / "auth.json"))
    assert list(olmsolve.load(f"{registry.host}/a/b:v1").packages) == ["etcd"]


@pytest.mark.parametrize("registry", ["basic"], indirect=True)
def test_credential_helpers(registry: SmallRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Desktops keep passwords in a key ring, which a program of the user reads."""
    helper = tmp_path / "bin" / "docker-credential-keys"
    helper.parent.mkdir()
    helper.write_text(f'#!/bin/sh\necho \'{{"Username": "{USER}", "Secret": "{PASSWORD}"}}\'\n')
    helper.chmod(0o755)
    monkeypatch.setenv("PATH", str(helper.parent), prepend=":")
    (tmp_path / "auth.json").write_text(json.dumps({"credHelpers": {registry.host: "keys"}}))
    monkeypatch.setenv("REGISTRY_AUTH_FILE", str(tmp_path / "auth.json"))
    assert list(olmsolve.load(f"{registry.host}/a/b:v1").packages) == ["etcd"]


@pytest.mark.parametrize("text", ["{", "[]", '{"auths": {"HOST": {"auth": "%%"}}}'])
def test_damaged_credentials(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged file is named, and nothing of it is shown."""
    with serving(SmallRegistry(catalog_image(), challenge="basic")) as registry:
        (tmp_path / "auth.json").write_text(text.replace("HOST", registry.host))
        monkeypatch.setenv("REGISTRY_AUTH_FILE", str(tmp_path / "auth.json"))
        with pytest.raises(CatalogError, match=r"auth\.json: credentials"):
            olmsolve.load(f"{registry.host}/a/b:v1")


def test_a_registry_that_lies(registry: SmallRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a digest names is checked before it is kept, so that a lie is not found in the cache later."""
    name = f"{registry.host}/a/b:v1"
    honest = dict(registry.blobs)
    for key in honest:
        if honest[key] not in registry.tags.values():
            registry.blobs = {**honest, key: b"something else"}
            monkeypatch.setenv("OLMSOLVE_IMAGE_CACHE", str(tmp_path / key))
            with pytest.raises(CatalogError, match="the registry sends content that does not match sha256:"):
                olmsolve.load(name)
    registry.blobs = honest
    assert list(olmsolve.load(name).packages) == ["etcd"]


def test_a_manifest_without_end(registry: SmallRegistry) -> None:
    """Memory is not for the registry to take."""
    registry.tags["v1"] = bytes(5 << 20)
    with pytest.raises(CatalogError, match="sends more than 4,194,304 bytes"):
        olmsolve.load(f"{registry.host}/a/b:v1")


def test_no_registry_there() -> None:
    """A wrong host is reported at once, not after minutes."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{closed.getsockname()[1]}"
    started = time.monotonic()
    with pytest.raises(CatalogError, match="the registry cannot be reached: Connection refused"):
        olmsolve.load(f"{host}/a/b:v1")
    assert time.monotonic() - started < 10


def test_a_registry_that_says_nothing() -> None:
    """A limit of the caller ends the wait."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        path = f"127.0.0.1:{silent.getsockname()[1]}/a/b:v1"
        started = time.monotonic()
        with pytest.raises(olmsolve.Incomplete):
            olmsolve.load(path, timeout=0.2)
        assert time.monotonic() - started < 10


def test_two_processes_may_fetch_at_once(registry: SmallRegistry, expected: olmsolve.Catalog) -> None:
    """Files of the cache appear whole, whoever writes them."""
    loaded: list[olmsolve.Catalog] = []
    load = [threading.Thread(target=lambda: loaded.append(olmsolve.load(f"{registry.host}/a/b:v1"))) for _ in range(4)]
    for thread in load:
        thread.start()
    for thread in load:
        thread.join()
    assert loaded == [expected] * 4


REFERENCES = {
    "quay.io/a/b:v1": ImageReference("quay.io", "a/b", "v1"),
    "docker://quay.io/a/b": ImageReference("quay.io", "a/b", "latest"),
    "docker:/quay.io/a": ImageReference("quay.io", "a", "latest"),
    "localhost/a:1": ImageReference("localhost", "a", "1"),
    "localhost:5000/a@sha256:" + "a" * 64: ImageReference("localhost:5000", "a", "", "sha256:" + "a" * 64),
    "quay.io/a:v1@sha256:" + "a" * 64: ImageReference("quay.io", "a", "v1", "sha256:" + "a" * 64),
    # Paths, and short names, whose registry every machine sets otherwise.
    "quay.io/a/b": None,
    "catalogs/a:10": None,
    "./quay.io/a:v1": None,
    "/quay.io/a:v1": None,
    "a.yaml": None,
    "etcd:latest": None,
    "docker://etcd": None,
    "https://quay.io/a:v1": None,
    "": None,
}


@pytest.mark.parametrize(("path", "reference"), REFERENCES.items())
def test_which_paths_are_images(path: str, reference: ImageReference | None) -> None:
    """A mistyped path must not become a request to a stranger's registry."""
    assert image_reference(path) == reference


def test_half_a_name() -> None:
    """opm takes a name without a tag; who types one here is told what is missing."""
    with pytest.raises(CatalogError, match=r"No such file or directory \(an image needs a tag, a digest or docker://"):
        olmsolve.load("quay.io/orchard/catalog")
    with pytest.raises(CatalogError, match=r"No such file or directory$"):
        olmsolve.load("catalogs/orchard")


def test_the_image_of_several_layers(registry: SmallRegistry) -> None:
    """A new tag in the same repository shares the layers that it repeats."""
    shared = BuiltImage(*catalog_image().layers, tar({"configs/x.json": b'{"schema": "x"}'}))
    registry.blobs |= shared.blobs
    registry.tags["v2"] = shared.manifest
    olmsolve.load(f"{registry.host}/a/b:v1")
    registry.requests.clear()
    olmsolve.load(f"{registry.host}/a/b:v2")
    assert len(registry.requests) == 3  # the manifest, the configuration, and one layer
