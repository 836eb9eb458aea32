"""A long index is opened by its head alone, and each page is checked when it is read: the answers stay the same.

Pages change no answer, so columns and texts that consist of pages are also read by themselves.
"""

from __future__ import annotations

import os
import random
from array import array
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from olmsolve import CatalogError, load
from olmsolve.catalog import fbc
from olmsolve.catalog.index import COLUMNS, NONE, Packed, StoredColumns, index_of, read_stored, stored_bytes
from olmsolve.catalog.index.paged import PAGE, PagedColumn, PagedText
from olmsolve.catalog.index_files import catalog_from_index, content_digest, write_index
from olmsolve.testing.synthetic import lines, realistic_blobs
from tests.index_files.files import BLOBS, write_blobs
from tests.index_files.test_files_are_checked import said_by


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat each file as a long one, and each part as too long to be read whole."""
    monkeypatch.setattr("olmsolve.catalog.index.stored._SHORT", -1)
    monkeypatch.setattr("olmsolve.catalog.index.paged._WHOLE", 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_blobs(tmp_path / "catalog.jsonl", BLOBS)


def _digest(path: Path) -> bytes:
    digest = content_digest(str(path))
    assert digest is not None
    return digest


@pytest.mark.usefixtures("long")
def test_pages_say_what_arrays_say(path: Path) -> None:
    """Every answer of the index is the same, however its columns are read."""
    catalog = catalog_from_index(str(path), write_index(path), _digest(path))
    assert said_by(index_of(catalog)) == said_by(index_of(fbc.load(path)))


@pytest.mark.usefixtures("long")
def test_what_opening_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalog of many pages is opened, and asked for one package: few pages of the file are read."""
    path = tmp_path / "catalog.jsonl"
    path.write_text("".join(lines(realistic_blobs(300))))
    file = write_index(path)
    read: list[int] = []
    pread = os.pread

    def counted(descriptor: int, size: int, start: int) -> bytes:
        read.append(size)
        return pread(descriptor, size, start)

    monkeypatch.setattr("os.pread", counted)
    catalog = catalog_from_index(str(path), file, _digest(path))
    opened = sum(read)
    index = index_of(catalog)
    name = index.package_names()[7]
    slots = index.channel(name, index.channel_names(name)[0])
    assert index.bundle(slots.ordered[0])
    assert opened < file.stat().st_size / 20
    assert sum(read) < file.stat().st_size / 3


@pytest.mark.usefixtures("long")
def test_every_damaged_byte_of_a_long_file(tmp_path: Path) -> None:
    """Damage is found when a page is read: the index is then made of the catalog, which is told, and says the same."""
    path = write_blobs(tmp_path / "catalog.jsonl", BLOBS[5:9])
    digest, expected = _digest(path), said_by(index_of(fbc.load(path)))
    file = write_index(path)
    good = file.read_bytes()
    mended = 0
    for offset in range(0, len(good), 7):
        damaged = bytearray(good)
        damaged[offset] ^= 1 << (offset % 8)
        file.unlink()  # emptying it would write it to the disk at once
        file.write_bytes(damaged)
        notes: list[str] = []
        try:
            catalog = catalog_from_index(str(path), file, digest, note=notes.append)
        except CatalogError:
            continue
        assert said_by(index_of(catalog)) == expected
        if notes:
            mended += 1
            assert notes == [f"the index is no longer used: {file}: a damaged index: its checksum does not match"]
    assert mended > 20


@pytest.mark.usefixtures("long")
@pytest.mark.parametrize("change", ["replaced", "cut", "overwritten"])
def test_a_file_that_changes_while_it_is_used(path: Path, change: str) -> None:
    """A new index takes the place of the old one, whose reader keeps it; whatever else happens to it is noticed."""
    file = write_index(path)
    notes: list[str] = []
    catalog = catalog_from_index(str(path), file, _digest(path), note=notes.append)
    if change == "replaced":
        other = file.with_name("other")
        other.write_bytes(b"something else")
        other.replace(file)
    elif change == "cut":
        os.truncate(file, 3000)
    else:
        file.write_bytes(bytes(file.stat().st_size))
    assert said_by(index_of(catalog)) == said_by(index_of(fbc.load(path)))
    assert len(notes) == (change != "replaced")


@pytest.mark.usefixtures("long")
def test_a_damaged_index_of_a_catalog_that_changed(path: Path) -> None:
    """Nothing tells any more what the index said: that is an error, not another answer."""
    file = write_index(path)
    catalog = catalog_from_index(str(path), file, _digest(path))
    os.truncate(file, 3000)
    write_blobs(path, BLOBS[:5])
    with pytest.raises(CatalogError, match="changed after its index was read; load it again"):
        said_by(index_of(catalog))


@pytest.mark.usefixtures("long")
def test_numbers_beyond_their_rows_in_a_page(path: Path) -> None:
    """The digests of a file made to harm are right; its numbers are looked at all the same, page by page."""
    file = write_index(path)
    stored = read_stored(file, _digest(path))
    assert isinstance(stored.columns, StoredColumns)
    sound = stored.columns.in_memory()
    columns = {name: array("I", getattr(sound, name)) for name in COLUMNS}
    columns["slot_channel"][0] = len(columns["channel_name"])
    parts = stored.parts
    assert parts is not None
    whole = attrs.evolve(
        stored,
        columns=Packed(columns, sound.text),
        segments=parts.whole("segments"),
        chunk_digests=parts.whole("chunk_digests"),
        bundle_files=parts.in_array("bundle_files"),
        bundle_positions=parts.in_array("bundle_positions", "Q"),
        channel_files=parts.in_array("channel_files"),
        channel_positions=parts.in_array("channel_positions", "Q"),
        chunks=parts.in_array("chunks", "Q"),
    )
    chunks = file.read_bytes()[stored.chunks_start :]
    file.write_bytes(b"".join(stored_bytes(whole, [chunks])))
    notes: list[str] = []
    catalog = load(path, note=notes.append)
    assert said_by(index_of(catalog)) == said_by(index_of(fbc.load(path)))
    assert [note.rpartition(": ")[2] for note in notes] == ["its numbers contradict each other"]
    with pytest.raises(CatalogError, match="numbers contradict"):
        _ = read_stored(file, _digest(path)).columns.slot_channel[0]


@pytest.mark.parametrize("typecode", ["I", "Q"])
def test_a_paged_column_is_its_array(typecode: str) -> None:
    """Numbers, slices and ends of a column are those of an array, over the borders of pages too."""
    rng = random.Random(typecode)
    per_page = PAGE // array(typecode).itemsize
    whole = array(typecode, [rng.randrange(NONE) for _ in range(2 * per_page + 3)])
    load_page: Callable[[int], array[int]] = lambda page: whole[page * per_page : (page + 1) * per_page]  # noqa: E731
    column = PagedColumn(typecode, len(whole), load_page)
    near = [0, 1, per_page - 1, per_page, 2 * per_page, len(whole) - 1, -1, -4, -len(whole)]
    assert [column[number] for number in near] == [whole[number] for number in near]
    for _ in range(200):
        start, stop = (rng.choice([None, *near, len(whole) + 9]) for _ in range(2))
        part = slice(start, stop, rng.choice([None, 1, 3, -1]))
        assert column[part] == whole[part]
    assert (column.tolist(), [*column], column.tobytes()) == (whole.tolist(), [*whole], whole.tobytes())
    for number in (len(whole), 3 * per_page, -len(whole) - 1):
        with pytest.raises(IndexError):
            _ = column[number]


def test_a_paged_text_is_its_bytes() -> None:
    """Strings may begin in one page and end in the next."""
    whole = bytes(random.Random(1).choices(b"ab", k=2 * PAGE + 5))
    text = PagedText(len(whole), lambda page: whole[page * PAGE : (page + 1) * PAGE])
    assert len(text) == len(whole)
    for start, stop in ((0, 5), (PAGE - 3, PAGE + 3), (2 * PAGE, 2 * PAGE + 99), (5, 2), (0, len(whole))):
        assert text[start:stop] == whole[start:stop]
        assert text.find(b"abba", start, stop) == whole.find(b"abba", start, stop)
