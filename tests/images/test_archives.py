"""Archives and packed data, byte by byte: what tarfile, gzip and zstd write is read as they read it, or is damaged."""

from __future__ import annotations

import gzip
import io
import random
import sys
import tarfile
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any

import pytest

from olmsolve.catalog.archives import ArchiveMembers, EntryKind, TarHeader, gzip_pieces, tar_entries, zstd_pieces
from olmsolve.errors import CatalogError
from tests.scale import scaled

_KINDS = {
    tarfile.REGTYPE: EntryKind.FILE,
    tarfile.DIRTYPE: EntryKind.FOLDER,
    tarfile.SYMTYPE: EntryKind.SYMLINK,
    tarfile.LNKTYPE: EntryKind.HARD_LINK,
    tarfile.FIFOTYPE: EntryKind.OTHER,
}


def _every(_: TarHeader) -> bool:
    return True


def _random_archive(generator: random.Random, format_: int) -> tuple[bytes, list[tuple[str, EntryKind, str, bytes]]]:
    """Return an archive in one of tarfile's formats, and its entries: name, kind, target and content."""
    entries = []
    out = io.BytesIO()
    # A name of more than 100 bytes is split, has a header of its own, or is a line of an extended header.
    with tarfile.open(fileobj=out, mode="w", format=format_) as archive:
        for number in range(generator.randint(0, 6)):
            part = generator.choice(["a", "b" * 90, "é"])
            member = tarfile.TarInfo("/".join([part] * generator.choice([1, 2])) + str(number))
            member.type = generator.choice(list(_KINDS))
            link = member.type in (tarfile.SYMTYPE, tarfile.LNKTYPE)
            member.linkname = generator.choice(["a/b", "c" * 90]) if link else ""
            is_file = member.type == tarfile.REGTYPE
            data = generator.randbytes(generator.choice([0, 1, 511, 512, 513])) if is_file else b""
            member.size = len(data)
            member.pax_headers = {"comment": "ignored"} if generator.random() < 0.3 else {}
            archive.addfile(member, io.BytesIO(data))
            name = member.name + "/" * (member.type == tarfile.DIRTYPE)
            entries.append((name.rstrip("/"), _KINDS[member.type], member.linkname, data))
    return out.getvalue(), entries


def test_entries_are_those_that_tarfile_wrote() -> None:
    """Three formats are in use, each with its own way to write long names."""
    for number in range(scaled(800)):
        generator = random.Random(number)
        data, expected = _random_archive(generator, number % 3)
        ours = [
            (header.name.rstrip("/"), header.kind, header.target, content)
            for header, content in tar_entries(io.BytesIO(data), "x.tar", _every)
        ]
        assert ours == expected, number
        members = ArchiveMembers(io.BytesIO(data), "x.tar")
        for name, kind, _, content in expected:
            if kind is EntryKind.FILE:
                assert (members.size(name), members.open(name).read(1000)) == (len(content), content)


def test_an_archive_that_is_cut_or_changed_is_damaged_or_shorter() -> None:
    """Entries are never invented: what is left of the archive is read, or one error says that it ends too early."""
    generator = random.Random(3)
    data, expected = _random_archive(generator, tarfile.PAX_FORMAT)
    while len(expected) < 4:
        data, expected = _random_archive(generator, tarfile.PAX_FORMAT)
    names = [entry[0] for entry in expected]
    for end in range(0, len(data), 256):
        entry_names: list[str] = []
        message = ""
        try:
            entry_names.extend(
                header.name.rstrip("/") for header, _ in tar_entries(io.BytesIO(data[:end]), "x.tar", _every)
            )
        except CatalogError as error:
            message = str(error)
        assert message in ("", "x.tar: a tar archive that ends too early")
        assert entry_names == names[: len(entry_names)]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ((124, 136), b"notanumber\0\0", "a size that is not a number"),
        ((257, 262), b"other", "a header was expected"),
        ((124, 136), b"77777777777\0", "ends too early"),
        ((124, 136), b"\x80" + bytes(7) + b"\1\0\0\0", "ends too early"),
    ],
)
def test_a_damaged_header_is_one_clear_error(field: tuple[int, int], value: bytes, message: str) -> None:
    """A size in octal digits or, as GNU writes large ones, in binary."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        archive.addfile(tarfile.TarInfo("a"))
    header = out.getvalue()
    damaged = header[: field[0]] + value + header[field[1] :]
    with pytest.raises(CatalogError, match=message):
        list(tar_entries(io.BytesIO(damaged), "x.tar", _every))


def test_a_size_in_an_extended_header_counts() -> None:
    """Files of more than eight gibibytes have their size there; one that is no number is damage."""
    data = b"content"
    for size, contents in (("7", [data]), ("+7", None), ("9" * 20, None)):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
            member = tarfile.TarInfo("a")
            member.size, member.pax_headers = len(data), {"size": size}
            archive.addfile(member, io.BytesIO(data))
        entries = tar_entries(io.BytesIO(out.getvalue()), "x.tar", _every)
        if contents is not None:
            assert [content for _, content in entries] == contents
        else:
            with pytest.raises(CatalogError, match="a size that is not a number"):
                list(entries)


def test_links_of_an_archive_stand_for_what_they_lead_to() -> None:
    """``docker save`` writes a layer once and links to it; circles and ways out lead to nothing."""
    links = {
        "here/layer.tar": "../there/layer.tar",
        "again/./layer.tar": "../here/layer.tar",
        "hard": "there/layer.tar",
        "circle": "circle",
        "out": "../../there/layer.tar",
        "nowhere": "missing",
    }
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo("there/layer.tar")
        member.size = 3
        archive.addfile(member, io.BytesIO(b"abc"))
        for name, target in links.items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = (tarfile.LNKTYPE if name == "hard" else tarfile.SYMTYPE), target
            archive.addfile(member)
    members = ArchiveMembers(out, "x.tar")
    for name in ("there/layer.tar", "here/layer.tar", "again/layer.tar", "hard", "./hard"):
        assert name in members
        assert members.size(name) == 3
        stream = members.open(name)
        assert [stream.read(2), stream.read(2), stream.read(2)] == [b"ab", b"c", b""]
    for name in ("circle", "out", "nowhere", "missing", "../there/layer.tar", ""):
        assert name not in members
        for method in (members.size, members.open):
            with pytest.raises(KeyError):
                method(name)


def _zstd() -> Any:
    module = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    return pytest.importorskip(module, reason="zstd data needs Python 3.14 or backports.zstd")


@pytest.fixture(params=["gzip", "zstd"])
def packing(request: pytest.FixtureRequest) -> tuple[Callable[[bytes], bytes], Callable[..., Iterator[bytes]], str]:
    """A packer, our reader of what it packs, and the name in messages."""
    if request.param == "gzip":
        return partial(gzip.compress, mtime=0), gzip_pieces, "gzip"
    return _zstd().compress, zstd_pieces, "zstd"


def _read(pieces: Callable[..., Iterator[bytes]], data: bytes, head: int) -> bytes:
    rest = io.BytesIO(data[head:])
    return b"".join(pieces(lambda size: rest.read(min(size, 100)), data[:head], "x"))


def test_packed_data_is_what_was_packed(packing: Any) -> None:
    """Members and frames follow each other, pieces come in any size, and zeros may fill the end of gzip data."""
    pack, pieces, name = packing
    generator = random.Random(9)
    parts = [b"", b"a", generator.randbytes(5000), b"z" * 600_000]
    for head in (1, 10, 10_000):
        data = b"".join(map(pack, parts))
        assert _read(pieces, data, head) == b"".join(parts)
        if name == "gzip":
            assert _read(pieces, data + bytes(100), head) == b"".join(parts)


def test_packed_data_that_is_cut_or_changed_is_damaged(packing: Any) -> None:
    """Half of a catalog must never be taken for a catalog."""
    pack, pieces, name = packing
    content = random.Random(9).randbytes(400)
    data = pack(content)
    for end in range(1, len(data)):
        with pytest.raises(CatalogError, match=f"x: (truncated {name} data: it ends too early|damaged {name} data)"):
            _read(pieces, data[:end], 10)
    with pytest.raises(CatalogError, match=f"x: damaged {name} data"):
        _read(pieces, data + b"something else", 10)


def test_zstd_without_a_reader_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python before 3.14 has none of its own."""

    def missing(name: str) -> Any:
        if "zstd" in name:
            raise ImportError(name)
        return import_module(name)

    monkeypatch.setattr("importlib.import_module", missing)
    with pytest.raises(CatalogError, match=r"pip install 'olmsolve\[images\]'"):
        list(zstd_pieces(io.BytesIO().read, b"(\xb5/\xfd", "x"))
