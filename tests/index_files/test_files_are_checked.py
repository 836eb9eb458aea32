"""A file that is stale, damaged or made to harm is noticed: it is not used, or replaced where that was asked for."""

from __future__ import annotations

import os
import random
import tarfile
import threading
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from olmsolve import CatalogError
from olmsolve.catalog import fbc
from olmsolve.catalog.fbc import from_blobs
from olmsolve.catalog.index import COLUMNS, CatalogIndex, Fault, Packed, Stored, index_of, read_stored, stored_bytes
from olmsolve.catalog.index_files import CACHE_VARIABLE, SUFFIX, catalog_from_index, content_digest, load, write_index
from olmsolve.errors import OlmsolveError
from tests.index_files.files import BLOBS, write_blobs
from tests.scale import LONG


def said_by(index: CatalogIndex) -> list[object]:
    """Return all answers of an index, so that all of its numbers are followed."""
    answers: list[object] = [index.package_names(), *map(index.family, range(len(index.columns.name_string)))]
    for package in (*index.package_names(), "no such package"):
        answers += [package in index, index.declares(package)]
        for channel in (*index.channel_names(package), "no such channel"):
            slots = index.channel(package, channel)
            answers += [slots, index.named(slots.all, "db.v1.0.0"), list(index.updates(slots.all, "db.v1.0.0", None))]
    for number in range(len(index)):
        answers += [index.package(number), index.channel_name(number), index.bundle(number), index.origin(number)]
        answers += [index.replaces(number), index.fault(number), index.version_text(number), index.rank(number)]
        requires = index.requires(number)
        answers += [requires, index.family_of(number), index.other_groups(number), needs := index.needs(number)]
        for name, first, end in needs or ():
            answers.append(index.slots_meeting(name, first, end))
            family = index.family(name)
            if family is not None:
                answers.append(family.prefixes[end] ^ family.prefixes[first])
        if index.has_bundle(number):
            facts = index.published(number)
            answers += [facts, facts.properties, index.groups(number), index.deprecated(number)]
        if not isinstance(requires, Fault):
            answers += [(index.candidates(requirement.predicate)) for requirement in requires]
    return answers


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_blobs(tmp_path / "catalog.jsonl", BLOBS)


def test_a_catalog_without_versions_that_count_is_not_damaged(tmp_path: Path) -> None:
    """No bundle of it has a rank: that is how it is, and no reason to read the catalog itself."""
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "db", "defaultChannel": "stable"},
        {"schema": "olm.channel", "name": "stable", "package": "db", "entries": [{"name": "db.v1"}]},
        {
            "schema": "olm.bundle",
            "name": "db.v1",
            "package": "db",
            "properties": [{"type": "olm.package", "value": {"packageName": "db", "version": "v1"}}],
        },
    ]
    path = write_blobs(tmp_path / "catalog.jsonl", blobs)
    digest = content_digest(str(path))
    assert digest is not None
    catalog = catalog_from_index(str(path), write_index(path), digest)
    assert not index_of(catalog).columns.rank_string
    assert said_by(index_of(catalog)) == said_by(index_of(fbc.load(path)))


def test_every_damaged_byte(tmp_path: Path) -> None:
    """One bit is flipped in each byte in turn: the file is refused, or says what it said before."""
    path = write_blobs(tmp_path / "catalog.jsonl", BLOBS[5:9])
    digest = content_digest(str(path))
    assert digest is not None
    expected = said_by(index_of(fbc.load(path)))
    file = write_index(path)
    good = file.read_bytes()
    used = 0
    for place in range(len(good)):
        # In place: a disk takes 3 ms to write a file anew that was emptied, and there are 7,000 bytes.
        _write_byte(file, place, good[place] ^ (1 << (place % 8)))
        try:
            catalog = catalog_from_index(str(path), file, digest)
        except CatalogError:
            pass
        else:
            used += 1
            assert said_by(index_of(catalog)) == expected
        _write_byte(file, place, good[place])
    assert file.read_bytes() == good
    # Only the properties at the end of the file may be damaged unnoticed when it is opened.
    assert used < 200


def _write_byte(file: Path, position: int, value: int) -> None:
    with file.open("r+b") as stream:
        stream.seek(position)
        stream.write(bytes([value]))


def test_every_length(path: Path) -> None:
    """A file that was cut off, or got longer, is refused."""
    digest = content_digest(str(path))
    assert digest is not None
    file = write_index(path)
    good = file.read_bytes()
    for length in [*range(0, len(good), 13), len(good) - 1]:
        file.unlink()  # emptying it would write it to the disk at once
        file.write_bytes(good[:length])
        with pytest.raises(CatalogError):
            catalog_from_index(str(path), file, digest)
    file.write_bytes(good + b"\0")
    with pytest.raises(CatalogError, match="size"):
        catalog_from_index(str(path), file, digest)


@pytest.mark.parametrize("name", [*COLUMNS, "text", "notes", "bundle_files", "bundle_positions", "chunks"])
def test_numbers_made_to_harm(path: Path, name: str) -> None:
    """With the right checksum over wrong numbers a file may lie, but nothing crashes, hangs or reads elsewhere.

    The short run harms each column six times, the long run twelve.
    """
    digest = content_digest(str(path))
    assert digest is not None
    file = write_index(path)
    stored = read_stored(file, digest)
    chunks = [file.read_bytes()[stored.chunks_start :]]
    chosen = random.Random(name)
    for _ in range(12 if LONG else 6):
        file.write_bytes(b"".join(stored_bytes(_with_harm(stored, name, chosen), chunks)))
        try:
            said_by(index_of(catalog_from_index(str(path), file, digest)))
        except OlmsolveError:
            continue


def _with_harm(stored: Stored, name: str, chosen: random.Random) -> Stored:
    columns = {column: getattr(stored.columns, column) for column in COLUMNS}
    text = stored.columns.text
    if name in ("text", "notes"):
        value = bytearray(text if name == "text" else stored.notes)
        for _ in range(3):
            value[chosen.randrange(len(value))] = chosen.randrange(256)
        if name == "notes":
            return attrs.evolve(stored, notes=bytes(value))
        text = bytes(value)
    else:
        given: array[int] = columns[name] if name in columns else getattr(stored, name)
        column = array(given.typecode, given)
        kind = chosen.randrange(4)
        if kind == 0 or not column:
            column.extend([0] * chosen.randrange(1, 3))
        elif kind == 1:
            column.pop()
        else:
            column[chosen.randrange(len(column))] = chosen.choice([0, 1, 2, len(column), 2**31, 2**32 - 1])
        if name not in columns:
            changed: dict[str, Any] = {name: column}
            return attrs.evolve(stored, **changed)
        columns[name] = column
    return attrs.evolve(stored, columns=Packed(columns, text))


def test_a_stale_index_is_told_and_left(path: Path) -> None:
    """Beside a catalog nothing is written unless asked for: the old index stays, and does not count."""
    file = write_index(path)
    old = file.read_bytes()
    write_blobs(path, BLOBS[:5])
    notes: list[str] = []
    assert load(path, note=notes.append) == fbc.load(path)
    assert len(notes) == 1
    assert "the catalog has changed since" in notes[0]
    assert file.read_bytes() == old


def test_a_file_that_is_asked_for_is_kept_up(tmp_path: Path, path: Path) -> None:
    """With ``index=`` it is written when missing, replaced when stale or damaged, and otherwise used."""
    file = tmp_path / "my.index"
    notes: list[str] = []

    def is_used() -> bool:
        """Return whether the file was used."""
        catalog = load(path, index=file, note=notes.append)
        used = "not read yet" in repr(catalog.packages)
        assert catalog == fbc.load(path)
        return used

    assert [is_used(), is_used()] == [False, True]
    write_blobs(path, BLOBS[:5])
    assert [is_used(), is_used()] == [False, True]
    file.write_bytes(file.read_bytes()[:-3])
    assert [is_used(), is_used()] == [False, True]
    assert len(notes) == 2
    assert not path.with_name(path.name + SUFFIX).exists()


def test_other_files_are_never_overwritten(tmp_path: Path, path: Path) -> None:
    """A mistyped argument must not cost somebody a file."""
    precious = tmp_path / "precious.yaml"
    precious.write_text("mine", "utf-8")
    for attempt in (lambda: write_index(path, precious), lambda: load(path, index=precious)):
        with pytest.raises(CatalogError, match="is not an index, so it is not overwritten"):
            attempt()
    assert precious.read_text("utf-8") == "mine"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_an_index_is_not_written_to_a_fifo(tmp_path: Path, path: Path) -> None:
    """Looking whether there is an index to replace must not wait for somebody who writes."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with pytest.raises(CatalogError, match="is not an index, so it is not overwritten"):
        write_index(path, fifo)


def test_what_cannot_be_written(tmp_path: Path, path: Path) -> None:
    """The error names the file, and nothing is left behind."""
    with pytest.raises(CatalogError, match=r"cannot be written: No such file.*"):
        write_index(path, tmp_path / "no such folder" / "index")
    assert sorted(child.name for child in tmp_path.iterdir()) == [path.name]


def test_a_folder_for_indexes(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable names a folder, made if need be, where indexes are kept by content: nothing there is ever stale."""
    cache = tmp_path / "made" / "cache"
    monkeypatch.setenv(CACHE_VARIABLE, str(cache))
    assert isinstance(load(path).packages, dict)
    first = sorted(cache.iterdir())
    assert len(first) == 1
    assert "not read yet" in repr(load(path).packages)
    write_blobs(path, BLOBS[:5])
    assert isinstance(load(path).packages, dict)
    assert len(sorted(cache.iterdir())) == 2
    (damaged,) = first
    damaged.write_bytes(b"")
    write_blobs(path, BLOBS)
    notes: list[str] = []
    load(path, note=notes.append)
    # Empty is what a crash leaves; it is no index, so it is told and not overwritten.
    assert len(notes) == 2
    assert isinstance(load(path, index=False).packages, dict)


def test_a_folder_that_cannot_be_written(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller whose index cannot be written still gets the catalog."""
    no_folder = tmp_path / "file"
    no_folder.write_text("not a folder", "utf-8")
    monkeypatch.setenv(CACHE_VARIABLE, str(no_folder))
    notes: list[str] = []
    assert load(path, note=notes.append) == fbc.load(path)
    assert len(notes) == 1
    assert "no index was kept" in notes[0]


def test_several_write_at_once(tmp_path: Path, path: Path) -> None:
    """The file is there whole or not at all, however many write it while others read it."""
    file = tmp_path / "shared.olmindex"
    write_index(path, file)
    failures: list[BaseException] = []

    def work(writes: bool) -> None:
        try:
            for _ in range(25):
                if writes:
                    write_index(path, file)
                else:
                    notes: list[str] = []
                    load(path, index=file, note=notes.append)
                    assert notes == []
        except BaseException as error:  # noqa: BLE001 (a thread has to hand over what it met)
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number % 2 == 0,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sorted(child.name for child in tmp_path.iterdir()) == ["catalog.jsonl", "shared.olmindex"]


@pytest.mark.parametrize("given", ["-", "", "nowhere"])
def test_what_has_no_index(given: str) -> None:
    """A stream can be read once, and an index needs the digest of its catalog."""
    with pytest.raises(CatalogError):
        write_index(given)


def test_dropped_properties_take_no_index(path: Path) -> None:
    """An index is of the whole catalog; with parts left out rules would see something else."""
    write_index(path)
    catalog = load(path, drop=("tier",))
    assert catalog == fbc.load(path, drop=("tier",))
    assert isinstance(catalog.packages, dict)


def test_indexes_among_a_catalogs_files(tmp_path: Path) -> None:
    """A folder can still be loaded with the index of one of its files, or its own, inside."""
    folder = tmp_path / "catalog"
    folder.mkdir()
    first = write_blobs(folder / "app.jsonl", BLOBS[:5])
    write_blobs(folder / "db.jsonl", BLOBS[5:])
    plain, digest = fbc.load(folder), content_digest(str(folder))
    write_index(first)
    own = write_index(folder, folder / "whatever it is called")
    assert content_digest(str(folder)) == digest
    assert fbc.load(folder) == plain
    through = load(folder, index=own)
    assert "not read yet" in repr(through.packages)
    assert through == plain
    # A damaged one is no catalog file either.
    own.write_bytes(own.read_bytes()[:40])
    assert fbc.load(folder) == plain


def test_an_index_in_an_archive(tmp_path: Path) -> None:
    """An archive of such a folder is the same catalog."""
    file = write_blobs(tmp_path / "catalog.jsonl", BLOBS)
    write_index(file)
    archive = tmp_path / "catalog.tar"
    with tarfile.open(archive, "w") as opened:
        for child in (file, file.with_name(file.name + SUFFIX)):
            opened.add(child, child.name)
    assert fbc.load(archive).packages.keys() == {"app", "db"}


def test_an_index_is_no_catalog(path: Path) -> None:
    """A mistaken argument is an error, not a catalog without packages."""
    file = write_index(path)
    with pytest.raises(CatalogError, match="a binary file, not JSON or YAML"):
        load(file)
    with pytest.raises(CatalogError, match="cannot have an index"):
        write_index(file)


@pytest.mark.parametrize("order", [(2, 0, 1), (1, 1, 2)])
def test_families_made_to_harm(order: tuple[int, int, int]) -> None:
    """Every slot is found in its family: slots out of order, or twice, are no family."""
    catalog = from_blobs(BLOBS)
    columns = {column: getattr(index_of(catalog).columns, column) for column in COLUMNS}
    index = CatalogIndex(catalog)
    name = index.name_number("db")
    family, start = index.family(name), index.columns.name_starts[name]
    assert family is not None
    assert family.slots == tuple(columns["name_slots"][start : start + 3])
    forged = array("I", [family.slots[place] for place in order])
    for column, part in (("name_slots", forged), ("name_ranked_slots", forged[::-1])):
        columns[column] = array("I", columns[column])
        columns[column][start : start + 3] = part
    index = CatalogIndex(catalog, Packed(columns, index.columns.text))
    assert index.family(name) is None
    assert {index.family_of(number) for number in family.slots} == {-1}


@pytest.mark.parametrize(
    ("name", "first", "end"),
    [(9, 0, 1), (2**32 - 2, 0, 0), (1, 0, 4), (1, 2, 1), (1, 2**32 - 1, 2**32 - 1), (0, 0, 3)],
)
def test_intervals_made_to_harm(path: Path, name: int, first: int, end: int) -> None:
    """An interval that leaves its package, or is of no package, counts as missing, and nothing is read there."""
    digest = content_digest(str(path))
    assert digest is not None
    file = write_index(path)
    stored = read_stored(file, digest)
    columns = {column: getattr(stored.columns, column) for column in COLUMNS}
    size = len(columns["requirement_name"])
    for column, value in (("requirement_name", name), ("requirement_first", first), ("requirement_end", end)):
        columns[column] = array("I", [value]) * size
    changed = attrs.evolve(stored, columns=Packed(columns, stored.columns.text))
    file.write_bytes(b"".join(stored_bytes(changed, [file.read_bytes()[stored.chunks_start :]])))
    index = index_of(catalog_from_index(str(path), file, digest))
    assert {index.needs(number) for number in range(len(index))} == {(), None}


def test_an_index_that_another_process_removes_meanwhile_is_written_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking whether a file is there and then what it is would take a file that goes in between for something else."""
    file = write_index(path)
    look = Path.stat

    def vanishing(looked_at: Path, **options: bool) -> os.stat_result:
        status = look(looked_at, **options)
        if looked_at == file:
            file.unlink()
        return status

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", vanishing)
        write_index(path)
    assert file.exists()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="the system has no owners of files")
@pytest.mark.parametrize("place", ["beside", "cache"])
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda file: file.chmod(0o664), "other users may change it"),
        (lambda file: file.chmod(0o646), "other users may change it"),
        (lambda file: os.chown(file, os.geteuid() + 1, -1), "it belongs to another user"),
    ],
    ids=["group", "world", "owner"],
)
def test_an_index_of_somebody_else_is_left_aside(
    place: str,
    change: Callable[[Path], None],
    reason: str,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Its digests are right in whatever hands it was made: it says what another wants, about a catalog of ours."""
    if place == "cache":
        monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
        load(path)
        [file] = (tmp_path / "cache").iterdir()
    else:
        file = write_index(path)
    notes: list[str] = []
    assert "not read yet" in repr(load(path, note=notes.append).packages)
    try:
        change(file)
    except PermissionError:
        monkeypatch.setattr(os, "geteuid", lambda: 12_345)
    assert "not read yet" not in repr(load(path, note=notes.append).packages)
    [note] = notes
    assert note.startswith(f"the index is not used: {file}: {reason}")
    # Whoever names the file has decided; and a new one is written so that it will be used.
    assert "not read yet" in repr(load(path, index=file).packages)
    if reason.startswith("others"):
        write_index(path, file)
        assert "not read yet" in repr(load(path).packages)


def test_an_index_of_root_is_anybodys(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Images bring catalogs with indexes, which root has written."""
    file = write_index(path)
    monkeypatch.setattr("olmsolve.catalog.index.stored.os.geteuid", lambda: file.stat().st_uid + 7)
    used = "not read yet" in repr(load(path).packages)
    assert used == (file.stat().st_uid == 0)


def test_a_link_that_leads_nowhere_is_not_followed(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whoever may write beside a catalog would have a file written wherever the user may write."""
    target = tmp_path / "elsewhere"
    link = path.with_name(path.name + SUFFIX)
    link.symlink_to(target)
    for write in (lambda: load(path, index=link), lambda: write_index(path)):
        with pytest.raises(CatalogError, match="exists and is not an index"):
            write()
    assert "not read yet" not in repr(load(path).packages)
    cache = tmp_path / "cache"
    cache.mkdir()
    digest = content_digest(str(path))
    assert digest is not None
    (cache / f"{digest.hex()}{SUFFIX}").symlink_to(target)
    monkeypatch.setenv(CACHE_VARIABLE, str(cache))
    notes: list[str] = []
    load(path, note=notes.append)
    assert "no index was kept" in notes[0]
    assert not target.exists()
