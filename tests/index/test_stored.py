"""An index as a file: it comes back as it was, in pieces of any size, and every number is checked."""

from __future__ import annotations

import random
import threading
import zlib
from array import array
from pathlib import Path

import attrs
import pytest

from olmsolve import limited
from olmsolve.catalog.fbc import from_blobs
from olmsolve.catalog.index import (
    COLUMNS,
    NONE,
    Packed,
    Stored,
    index_of,
    is_something_else,
    read_chunk,
    read_stored,
    stored,
    stored_bytes,
)
from olmsolve.errors import CatalogError, Incomplete
from olmsolve.testing import catalog_of, package

DIGEST = bytes(range(32))
CATALOG = catalog_of(
    package("app").channel("stable", "1.0.0 < 1.1.0").channel("beta", "2.0.0").requires("db").labelled("certified"),
    package("db")
    .channel("stable", "1.0.0 < 2.0.0")
    .provides("db.example.com/v1/Db")
    .having("olm.package", {"packageName": "other", "version": "1.0.0"}),
)
CHUNKS = (b"first " * 100, random.Random(1).randbytes(300))

# As the documentation of each column has it, and as no table of the code is asked for.
OR_NONE = {
    "bundle_rank", "bundle_version", "gvk_package", "gvk_table", "label_table", "name_table", "package_default",
    "packages_version", "slot_bundle",
}  # fmt: skip
OR_END = {"channel_end", "channel_first", "channel_start", "channel_stop", "package_bundles", "package_channels"}
OR_END |= {f"package_{part}" for part in ("strings", "texts", "groups", "requires", "requirements", "gvks")}


def _stored(chunks: tuple[bytes, ...]) -> Stored:
    columns = index_of(CATALOG).columns
    bundles, channels = len(columns.bundle_name), len(columns.channel_name)
    return Stored(
        digest=DIGEST,
        columns=columns,
        bundle_files=array("I", [0] * bundles),
        bundle_positions=array("Q", range(bundles)),
        channel_files=array("I", [NONE] * channels),
        channel_positions=array("Q", range(channels)),
        notes=b"{}",
        chunks=array("Q", [0, len(chunks[0]), sum(map(len, chunks))]),
    )


def _written(path: Path) -> Path:
    compressed = tuple(map(zlib.compress, CHUNKS))
    path.write_bytes(b"".join(stored_bytes(_stored(compressed), compressed)))
    return path


@pytest.mark.parametrize("piece", [64, 1 << 20])
def test_a_file_is_its_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    """Files are read in pieces, between which limits are looked at; their size changes nothing."""
    monkeypatch.setattr(stored, "_PIECE", piece)
    file = _written(tmp_path / "index")
    read_index, expected = read_stored(file, DIGEST), _stored(tuple(map(zlib.compress, CHUNKS)))
    assert all(getattr(read_index.columns, name) == getattr(expected.columns, name) for name in COLUMNS)
    assert (read_index.columns.text, read_index.columns.packages) == (expected.columns.text, 2)
    for field in ("digest", "bundle_files", "bundle_positions", "channel_files", "channel_positions", "chunks"):
        assert getattr(read_index, field) == getattr(expected, field)
    assert [read_chunk(file, read_index, number, most=10_000) for number in (0, 1)] == list(CHUNKS)
    assert read_chunk(file, read_index, 1, most=300) == CHUNKS[1]
    with pytest.raises(ValueError, match="damaged"):
        read_chunk(file, read_index, 1, most=100)
    for chunks in ([0, 0, 9], [0, 5, 9], [9, 0, 9]):
        # What ends too early is no chunk, and nobody waits for the rest of it.
        with pytest.raises(ValueError, match="damaged"):
            read_chunk(file, attrs.evolve(read_index, chunks=array("Q", chunks)), 0, most=10_000)
    assert read_index.columns.size == sum(4 * len(getattr(expected.columns, name)) for name in COLUMNS) + len(
        expected.columns.text
    )


def test_reading_ends_with_the_callers_patience(tmp_path: Path) -> None:
    """A chunk can be long, and so can the other parts of a file: who cancels does not wait for their ends."""
    file = _written(tmp_path / "index")
    stored, cancelled = read_stored(file, DIGEST), threading.Event()
    cancelled.set()
    with limited(cancel=cancelled):
        with pytest.raises(Incomplete):
            read_chunk(file, stored, 0, most=10_000)
        with pytest.raises(Incomplete):
            read_stored(file, DIGEST)


def test_another_file_in_its_place_is_noticed(tmp_path: Path) -> None:
    """An index may be replaced while it is in use: chunks of the new file belong to the new index."""
    file = _written(tmp_path / "index")
    stored = read_stored(file, DIGEST)
    other = stored_bytes(attrs.evolve(_stored((b"", b"")), digest=bytes(32)), [])
    file.write_bytes(b"".join(other))
    with pytest.raises(ValueError, match="the file was replaced"):
        read_chunk(file, stored, 0, most=10_000)
    with pytest.raises(CatalogError, match="another content"):
        read_stored(file, DIGEST)


@pytest.mark.parametrize(
    ("at", "message"), [(0, "not an index"), (60, "damaged"), (-700, "checksum"), (9, "version"), (12, "order")]
)
def test_a_changed_byte_is_noticed(tmp_path: Path, at: int, message: str) -> None:
    """Files are cut short and overwritten; a wrong plan would be the worst answer to that."""
    file = _written(tmp_path / "index")
    content = bytearray(file.read_bytes())
    if at == -700:
        at = len(content) - sum(len(zlib.compress(chunk)) for chunk in CHUNKS) - 40
    content[at] ^= 1
    file.write_bytes(content)
    with pytest.raises(CatalogError, match=message):
        read_stored(file, DIGEST)
    file.write_bytes(content[:50])
    with pytest.raises(CatalogError):
        read_stored(file, DIGEST)


@pytest.mark.parametrize("name", [name for name, rule in COLUMNS.items() if rule.row_of])
def test_numbers_beyond_their_rows_are_refused(tmp_path: Path, name: str) -> None:
    """Each column says what its numbers count, and whether NONE or the end is one of them."""
    stored = _stored((b"", b""))
    columns = {column: array("I", getattr(stored.columns, column)) for column in COLUMNS}
    assert columns[name], "the catalog has such rows"
    limit = stored.columns.row_count(COLUMNS[name].row_of)
    is_end = name in OR_END or name.endswith("_starts")
    for number, is_fine in [(limit, is_end), (limit + 1, False), (NONE, name in OR_NONE)]:
        columns[name][-1] = number
        changed = attrs.evolve(stored, columns=Packed(columns, stored.columns.text), chunks=array("Q", [0, 0, 0]))
        file = tmp_path / f"{number}"
        file.write_bytes(b"".join(stored_bytes(changed, [])))
        if is_fine:
            read_stored(file, DIGEST)
        else:
            with pytest.raises(CatalogError, match="numbers contradict"):
                read_stored(file, DIGEST)


def test_more_packages_than_names_are_refused(tmp_path: Path) -> None:
    """Packages have the first names, so their count is no count of rows that a column's rule could check."""
    stored = _stored((b"", b""))
    columns = {column: array("I", getattr(stored.columns, column)) for column in COLUMNS}
    names = len(columns["name_string"])
    for packages, is_fine in ((names, True), (names + 1, False)):
        while len(columns["package_default"]) < packages:
            for name in (
                "package_default",
                *(column for column in COLUMNS if COLUMNS[column].along == "package_default"),
            ):
                columns[name].append(columns[name][-1])
        chunks = array("Q", [0] * (packages + 1))
        changed = attrs.evolve(stored, columns=Packed(columns, stored.columns.text), chunks=chunks)
        file = tmp_path / f"{packages}"
        file.write_bytes(b"".join(stored_bytes(changed, [])))
        if is_fine:
            assert read_stored(file, DIGEST).columns.packages == names
        else:
            with pytest.raises(CatalogError, match="numbers contradict"):
                read_stored(file, DIGEST)


@pytest.mark.parametrize("chunks", [[0, 0], [0, 0, 0, 0], [0, 0, 1], [0, 1, 0]], ids=str)
def test_chunks_that_do_not_fit_are_refused(tmp_path: Path, chunks: list[int]) -> None:
    """There is one for each package, and none is behind the end of the file."""
    changed = attrs.evolve(_stored((b"", b"")), chunks=array("Q", chunks))
    (tmp_path / "index").write_bytes(b"".join(stored_bytes(changed, [])))
    with pytest.raises(CatalogError, match="numbers contradict"):
        read_stored(tmp_path / "index", DIGEST)


def test_an_index_of_nothing_is_no_damaged_one(tmp_path: Path) -> None:
    """A catalog without packages has no text and no rows."""
    none, positions = array("I"), array("Q")
    empty_index = Stored(
        DIGEST, index_of(from_blobs([])).columns, none, positions, none, positions, b"{}", array("Q", [0])
    )
    (tmp_path / "index").write_bytes(b"".join(stored_bytes(empty_index, [])))
    stored = read_stored(tmp_path / "index", DIGEST)
    assert (stored.columns.packages, stored.columns.text) == (0, b"")
    columns = {column: getattr(empty_index.columns, column) for column in COLUMNS}
    for name in (column for column in COLUMNS if column.endswith("_starts")):
        # Each table of lists has at least the end of its last list.
        changed = attrs.evolve(empty_index, columns=Packed({**columns, name: array("I")}, b""))
        (tmp_path / "index").write_bytes(b"".join(stored_bytes(changed, [])))
        with pytest.raises(CatalogError, match="numbers contradict"):
            read_stored(tmp_path / "index", DIGEST)
    assert (stored.columns.name("db"), stored.columns.label("l"), stored.columns.gvk("g", "v1", "K")) == (-1, -1, -1)


def test_without_versions_all_other_numbers_are_checked(tmp_path: Path) -> None:
    """Where no bundle has a version there are no ranks to check; what stands after them in the file is."""
    loose = {"type": "olm.package", "value": {"packageName": "app", "version": "v1"}}
    bare = from_blobs(
        [
            {"schema": "olm.channel", "name": "stable", "package": "app", "entries": [{"name": "app.v1"}]},
            {"schema": "olm.bundle", "name": "app.v1", "package": "app", "properties": [loose]},
        ]
    )
    stored = attrs.evolve(_stored((b"", b"")), columns=index_of(bare).columns)
    assert not stored.columns.rank_string
    stored = attrs.evolve(
        stored,
        bundle_files=array("I", [0]),
        bundle_positions=array("Q", [0]),
        channel_files=array("I", [0]),
        channel_positions=array("Q", [0]),
        chunks=array("Q", [0, 0]),
    )
    file = tmp_path / "index"
    file.write_bytes(b"".join(stored_bytes(stored, [])))
    read_stored(file, DIGEST)
    after = [*COLUMNS][[*COLUMNS].index("name_ranks") + 1 :]
    names = [name for name in after if COLUMNS[name].row_of and getattr(stored.columns, name)]
    assert names
    for name in names:
        columns = {column: array("I", getattr(stored.columns, column)) for column in COLUMNS}
        columns[name][-1] = stored.columns.row_count(COLUMNS[name].row_of) + 1
        file.write_bytes(b"".join(stored_bytes(attrs.evolve(stored, columns=Packed(columns, stored.columns.text)), [])))
        with pytest.raises(CatalogError, match="numbers contradict"):
            read_stored(file, DIGEST)


def test_what_cannot_be_opened_says_so(tmp_path: Path) -> None:
    """A folder in the place of an index is no damaged index."""
    with pytest.raises(CatalogError, match="cannot be read: Is a directory") as refused:
        read_stored(tmp_path, DIGEST)
    assert refused.value.origin == str(tmp_path)


def test_only_an_index_may_be_replaced(tmp_path: Path) -> None:
    """Whatever else is at the path belongs to somebody."""
    (tmp_path / "text").write_text("mine")
    assert [is_something_else(tmp_path / name) for name in ("text", ".")] == [True, True]
    _written(tmp_path / "index")
    assert [is_something_else(tmp_path / name) for name in ("index", "nothing", "text/below")] == [False] * 3
