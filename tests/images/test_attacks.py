"""Attacks on the readers: within 0.2 s of a limit, and within their memory, whatever the input claims or repeats.

Each runs in a process whose address space is limited, by the clock of ``tests.attacks``.
"""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import tarfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from tests.attacks import attacked, check_ended, check_late, check_refused
from tests.images.building import (
    CATALOG,
    BuiltImage,
    catalog_image,
    descriptor,
    digest,
    layout_files,
    named,
    tar,
    write_files,
)
from tests.images.databases import write_database


@pytest.mark.parametrize("command", [("validate", "-"), ("resolve", "-"), ("render", "-"), ("explain", "-")])
def test_standard_input_that_is_silent(command: tuple[str, ...]) -> None:
    """A pipe whose writer has forgotten it ends with the limit, and so does one that has said something."""
    for beginning in (b"", b'{"schema": "olm.package",'):
        reading, writing = os.pipe()
        try:
            os.write(writing, beginning)
            check_late(*command, stdin=reading, limit=0.3)
        finally:
            os.close(reading)
            os.close(writing)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no FIFOs")
@pytest.mark.parametrize("command", ["resolve", "plan"])
def test_fifos_that_nobody_writes_to(command: str, tmp_path: Path) -> None:
    """Opening a FIFO waits for its writer, before any read: that ends with the limit as well."""
    os.mkfifo(tmp_path / "request.yaml")
    check_late(command, str(tmp_path / "request.yaml"), limit=0.3)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="the system names no descriptors")
def test_documents_through_pipes(tmp_path: Path) -> None:
    """``<(command)`` of a shell is a path of a pipe: it is read once, its keys are checked, and the answer comes."""
    request = {"namespaces": ["a"], "catalogs": [{"name": "c", "file": str(tmp_path)}], "subscriptions": []}
    write_files(tmp_path, {"c.json": CATALOG})
    for text, code in ((json.dumps(request), 0), (json.dumps(request)[:-1] + ', "namespaces": ["b"]}', 2)):
        reading, writing = os.pipe()
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(text.encode())
        try:
            run = attacked("resolve", "/dev/stdin", stdin=reading, timeout=5.0)
        finally:
            os.close(reading)
        assert run.code == code, run
        assert ("occurs twice in one object" in run.err) == bool(code)


def deep_paths(count: int, levels: int, *, prefix: str = "") -> bytes:
    """Return a layer with *count* files at the end of paths with so many *levels*, no two of which are alike."""
    names = (f"{prefix}{number:x}/" + "a/" * (levels - 2) + "f" for number in range(count))
    return tar([(name, b"") for name in names])


LAYERS: dict[str, tuple[Callable[[], bytes], str]] = {
    "paths of 2,041 levels": (lambda: deep_paths(1_000, 2_041), "a name of more than 256 levels"),
    "8,000 paths of 250 levels": (lambda: deep_paths(8_000, 250), ""),
    "8,000 wanted paths of 250 levels": (
        lambda: deep_paths(8_000, 250, prefix="configs/"),
        "whose paths take more than",
    ),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_with_deep_paths(name: str, tmp_path: Path) -> None:
    """A layer of 30 KB made a table of all folders above its files, of 6 GB."""
    make, message = LAYERS[name]
    honest = catalog_image()
    image = BuiltImage(*honest.layers, make())
    write_files(tmp_path, layout_files([named(image, "v1")], image))
    run = attacked("render", str(tmp_path), timeout=5.0)
    if message:
        check_refused(run, message)
    else:
        assert run.code == 0, run


@pytest.mark.parametrize("sign", ["\\x41", "\\n", "''"])
def test_escapes_in_text(sign: str, tmp_path: Path) -> None:
    """Each escape of a string once took 380 bytes: fifteen million in a layer of 71 KB took 5.6 GB."""
    quote = "'" if sign == "''" else '"'
    text = f"schema: x\nname: {quote}{sign * 4_000_000}{quote}\n"
    (tmp_path / "c.yaml").write_text(text)
    # A hundred megabytes, and ten times the input.
    run = attacked("render", str(tmp_path / "c.yaml"), megabytes=100 + 10 * len(text) // (1 << 20), timeout=2.0)
    check_ended(run)
    assert run.code in (0, 3), run


def shared_pages(path: Path) -> Path:
    """Write a database to *path* in which all pointers of a page lead to the same page below it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.execute("VACUUM")
    write_database(path, [])
    with closing(sqlite3.connect(path)) as connection, connection:
        rows = ((f"b{number:06}", "x" * 300) for number in range(3_000))
        connection.executemany("INSERT INTO operatorbundle (name, csv) VALUES (?, ?)", rows)
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        [root] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'operatorbundle'").fetchone()
    data = bytearray(path.read_bytes())
    # The interior pages of tables, in any order: each becomes a level above the next, the last above one leaf.
    interior = [page for page in range(1, len(data) // size + 1) if data[(page - 1) * size] == 5 and page != root]
    chain = [root, *interior[:4]]
    leaves = (page for page in range(2, len(data) // size + 1) if data[(page - 1) * size] == 13)
    leaf = next(page for page in leaves if b"x" * 100 in data[(page - 1) * size : page * size])
    for page, below in zip(chain, [*chain[1:], leaf], strict=True):
        start = (page - 1) * size
        cells = int.from_bytes(data[start + 3 : start + 5], "big")
        offsets = [int.from_bytes(data[start + 12 + 2 * n : start + 14 + 2 * n], "big") for n in range(cells)]
        for pointer in [*(start + offset for offset in offsets), start + 8]:
            data[pointer : pointer + 4] = below.to_bytes(4, "big")
    path.write_bytes(data)
    return path


def test_pages_of_a_database_that_share_their_children(tmp_path: Path) -> None:
    """Each value of a table is in its file once; a database whose tree leads to one page again and again is none."""
    path = shared_pages(tmp_path / "index.db")
    check_refused(attacked("render", str(path), timeout=5.0), "whose rows hold more than its file")


def test_a_bundle_of_a_database_in_thousands_of_packages(tmp_path: Path) -> None:
    """A bundle of one megabyte that ten thousand packages claim would be ten gigabytes of text."""
    path = write_database(tmp_path / "index.db", [])
    with closing(sqlite3.connect(path)) as connection, connection:
        csv = json.dumps({"metadata": {"name": "b"}, "spec": {"description": "x" * 1_000_000}})
        bundle = (csv, csv)
        connection.execute("INSERT INTO operatorbundle (name, csv, bundle) VALUES ('b', ?, ?)", bundle)
        for number in range(3_000):
            name = f"p{number}"
            connection.execute("INSERT INTO package VALUES (?, 'a', '')", (name,))
            connection.execute("INSERT INTO channel VALUES ('a', ?, 'b')", (name,))
            connection.execute("INSERT INTO channel_entry VALUES (?, 'a', ?, 'b', NULL, 0)", (number, name))
    check_refused(attacked("render", str(path), timeout=5.0), "in many packages at once")


def test_ignore_rules_of_many_stars(tmp_path: Path) -> None:
    """A megabyte of patterns that nearly match took 70 seconds over a limit of one."""
    (tmp_path / ".indexignore").write_text(("*" + "a" * 120 + "b\n") * 8_000)
    (tmp_path / ("a" * 250)).write_text('{"schema": "x"}')
    check_late("render", str(tmp_path), limit=0.5)
    (tmp_path / ".indexignore").write_text("*a" * 8_000 + "*b\n")
    assert attacked("render", str(tmp_path), timeout=5.0).code == 0


def test_empty_members_of_a_file(tmp_path: Path) -> None:
    """Twenty bytes that say nothing, again and again, are no catalog."""
    (tmp_path / "c.json.gz").write_bytes(gzip.compress(b"", mtime=0) * 400_000)
    check_refused(attacked("render", str(tmp_path / "c.json.gz"), timeout=5.0), "empty members")


def index_of(*descriptors: Mapping[str, object]) -> bytes:
    """Return an OCI index of *descriptors*."""
    media_type = "application/vnd.oci.image.index.v1+json"
    return json.dumps({"schemaVersion": 2, "mediaType": media_type, "manifests": descriptors}).encode()


def indexes_in_indexes(levels: int) -> dict[str, bytes]:
    """Return a layout whose index leads to another one, and so on, to the image."""
    image = catalog_image()
    files = layout_files([named(image, "v1")], image)
    inner = index_of(image.described())
    for _ in range(levels):
        files[f"blobs/sha256/{digest(inner).partition(':')[2]}"] = inner
        inner = index_of(descriptor(inner, "application/vnd.oci.image.index.v1+json"))
    return {**files, "index.json": inner}


def one_layer_again_and_again(times: int) -> dict[str, bytes]:
    """Return a layout with a small layer of 20 MB of nothing, which the manifest lists so many times."""
    image = BuiltImage(*catalog_image().layers, *[tar({"configs/zeros.bin": bytes(20 << 20)})] * times)
    return layout_files([named(image, "v1")], image)


def manifests_without_end(count: int) -> dict[str, bytes]:
    """Return a layout whose index names one image so many times, each for another platform."""
    image = catalog_image()
    platforms = [{**image.described(), "platform": {"os": "linux", "architecture": f"a{at}"}} for at in range(count)]
    return {**layout_files([named(image, "v1")], image), "index.json": index_of(*platforms)}


LAYOUTS = {
    "a chain of 3,000 indexes": lambda: indexes_in_indexes(3_000),
    "a layer 60 times": lambda: one_layer_again_and_again(60),
    "100,000 platforms": lambda: manifests_without_end(100_000),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_that_repeat(name: str, tmp_path: Path) -> None:
    """Manifests and indexes of a stranger name each other and their layers as often as they like."""
    write_files(tmp_path, LAYOUTS[name]())
    check_ended(attacked("render", str(tmp_path), timeout=1.0))


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK])
@pytest.mark.parametrize("size", [200 << 20, (8 << 30) - 1])
def test_headers_of_an_archive_that_claim_to_be_large(kind: bytes, size: int, tmp_path: Path) -> None:
    """Names and attributes of the next entry are kept in memory: of a small packed file, and of what is not there."""
    head = tarfile.TarInfo("x")
    head.type, head.size = kind, size
    body = bytes(200 << 20) if size == 200 << 20 else b""
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(head.tobuf(tarfile.GNU_FORMAT) + body, 1))
    run = attacked("render", str(tmp_path / "a.tar.gz"), timeout=2.0)
    check_ended(run)
    assert run.code != 0, run
