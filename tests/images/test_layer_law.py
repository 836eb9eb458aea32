"""Layers one above the other, held to a folder tree that is built entry by entry as a container runtime builds it."""

from __future__ import annotations

import io
import random
import tarfile
from functools import partial
from typing import Any

import pytest

from olmsolve.catalog.archives import EntryKind, tar_entries
from olmsolve.catalog.images.contents import image_files
from olmsolve.catalog.images.image import Image, Layer
from tests.images.building import Entry, digest, tar
from tests.scale import scaled

NAMES = ("a", "b", "c")
Tree = dict[str, Any]


class Bytes:
    """A layer's bytes, as a stream that ends."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, size: int, /) -> bytes:
        data, self._data = self._data[:size], self._data[size:]
        return data

    def close(self) -> None:
        pass


def drawn(chance: random.Random) -> list[tuple[str, bytes | Entry]]:
    """The entries of one layer: files, folders and whiteouts, none of which contradicts another of the same layer."""
    entries: list[tuple[str, bytes | Entry]] = []
    files: set[str] = set()
    folders: set[str] = set()
    for _ in range(chance.randrange(1, 8)):
        path = "/".join(chance.choice(NAMES) for _ in range(chance.randrange(1, 4)))
        above = ["/".join(path.split("/")[:length]) for length in range(1, path.count("/") + 1)]
        if any(prefix in files for prefix in (path, *above)) or path in folders:
            continue
        kind = chance.randrange(5)
        folder = path.rpartition("/")[0]
        if kind <= 1:
            files.add(path)
            entries.append((path, str(chance.randrange(1000)).encode()))
        elif kind == 2:
            folders.add(path)
            entries.append((path, Entry(tarfile.DIRTYPE)))
        else:
            name = ".wh..wh..opq" if kind == 3 and folder else f".wh.{path.rpartition('/')[2]}"
            entries.append((f"{folder}/{name}" if folder else name, b""))
        folders.update(above)
    return entries


def applied(tree: Tree, entries: list[tuple[str, bytes | Entry]]) -> Tree:
    """The folder *tree* after a layer: what it hides goes first, whatever its order; then its entries come."""
    for name, _ in entries:
        folder, leaf = name.split("/")[:-1], name.split("/")[-1]
        inside = below(tree, folder)
        if inside is None or not leaf.startswith(".wh."):
            continue
        if leaf == ".wh..wh..opq":
            inside.clear()
        else:
            inside.pop(leaf.removeprefix(".wh."), None)
    for name, content in entries:
        folder, leaf = name.split("/")[:-1], name.split("/")[-1]
        inside = tree
        for part in folder:
            if not isinstance(inside.get(part), dict):
                inside[part] = {}
            inside = inside[part]
        if leaf.startswith(".wh."):
            continue
        if isinstance(content, bytes):
            inside[leaf] = content
        elif not isinstance(inside.get(leaf), dict):
            inside[leaf] = {}
    return tree


def below(tree: Tree, folder: list[str]) -> Tree | None:
    for part in folder:
        inner = tree.get(part)
        if not isinstance(inner, dict):
            return None
        tree = inner
    return tree


def files_of(tree: Tree, above: tuple[str, ...] = ()) -> dict[tuple[str, ...], bytes]:
    files: dict[tuple[str, ...], bytes] = {}
    for name, content in tree.items():
        path = (*above, name)
        files |= files_of(content, path) if isinstance(content, dict) else {path: content}
    return files


@pytest.mark.parametrize("seed", range(4))
def test_layers_leave_what_a_runtime_would_see(seed: int) -> None:
    """A file that a layer removes must not come back, and no other may go."""
    chance = random.Random(seed)
    for _ in range(scaled(600)):
        tree: Tree = {}
        layers = []
        for _ in range(chance.randrange(1, 5)):
            entries = drawn(chance)
            data = tar(entries)
            layers.append(Layer(partial(Bytes, data), digest(data), len(data), digest(data)))
            tree = applied(tree, entries)
        wanted = tuple(chance.choice(NAMES) for _ in range(chance.randrange(3)))
        expected = {path: data for path, data in files_of(tree).items() if path[: len(wanted)] == wanted}
        assert image_files(Image("i", {}, tuple(layers)), [wanted]) == expected


def long_name(chance: random.Random, number: int, most: int) -> str:
    """A path of at most so many bytes."""
    parts = [str(number), *(chance.choice("abcé") * chance.randrange(1, 40) for _ in range(chance.randrange(9)))]
    return "/".join(parts).encode()[:most].decode("utf-8", "ignore").rstrip("/")


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_entries_are_those_of_another_reader(form: int) -> None:
    """Names and links that are long, or no ASCII, are written in three ways, and each of them is in use."""
    chance = random.Random(form)
    # The oldest of the three has room for 100 bytes.
    most = 90 if form == tarfile.USTAR_FORMAT else 400
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for number in range(scaled(300)):
            member = tarfile.TarInfo(long_name(chance, number, most))
            member.type = chance.choice((*[tarfile.REGTYPE] * 2, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE))
            data = b"x" * chance.choice((0, 1, 511, 512, 513)) if member.type == tarfile.REGTYPE else b""
            member.size = len(data)
            if member.type in (tarfile.SYMTYPE, tarfile.LNKTYPE):
                member.linkname = member.name[: most - 10]
            archive.addfile(member, io.BytesIO(data))
    kinds = {
        tarfile.REGTYPE: EntryKind.FILE,
        tarfile.SYMTYPE: EntryKind.SYMLINK,
        tarfile.LNKTYPE: EntryKind.HARD_LINK,
        tarfile.DIRTYPE: EntryKind.FOLDER,
    }
    with tarfile.open(fileobj=io.BytesIO(out.getvalue())) as archive:
        expected = [
            (member.name, kinds[member.type], member.linkname, b"x" * member.size) for member in archive.getmembers()
        ]
    entries = tar_entries(io.BytesIO(out.getvalue()), "f", lambda _: True)
    assert [(entry.name.rstrip("/"), entry.kind, entry.target, data) for entry, data in entries] == expected
