"""An index that is updated is the file that writing it whole gives, byte by byte; where it cannot be, that is said."""

from __future__ import annotations

import gzip
import json
import random
import sqlite3
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from olmsolve.catalog import write_index
from olmsolve.catalog.fbc import Comparison
from olmsolve.catalog.index import COLUMNS, Packed, read_stored, stored_bytes
from olmsolve.catalog.index_files import SUFFIX, storing, updating
from olmsolve.errors import CatalogError
from olmsolve.testing.synthetic import lines, realistic_blobs
from tests.fbc.test_reloading import FORMATS, edited, json_lines, package_blobs
from tests.images.databases import write_database
from tests.recorded import shared
from tests.scale import scaled

_ORIGINS = ("bundle_files", "bundle_positions", "channel_files", "channel_positions")


def _updated(catalog: Path) -> str:
    """Update the index beside *catalog*, hold it against writing it whole, and return what the update said."""
    notes: list[str] = []
    file = write_index(catalog, update=True, note=notes.append)
    whole = write_index(catalog, file.with_name("whole"))
    assert file.read_bytes() == whole.read_bytes()
    (line,) = notes
    return line


def _beside(catalog: Path) -> Path:
    return catalog.with_name(catalog.name + SUFFIX)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("seed", range(3))
def test_random_versions_of_a_file(tmp_path: Path, form: str, seed: int) -> None:
    """Blobs come, go, change and move, from version to version; nothing may pile up on the way."""
    rng = random.Random(seed)
    blobs = [blob for number in range(8) for blob in package_blobs(f"p{number}", rng.randrange(1, 5))]
    if seed == 2:  # the blobs of a package need not stand together
        rng.shuffle(blobs)
    file = tmp_path / "catalog"
    kinds: set[str] = set()
    for _ in range(scaled(30)):
        file.write_text(FORMATS[form](blobs))
        note = _updated(file)
        kinds.add("whole" if note.startswith("written whole") else "updated")
        blobs = edited(blobs, rng) or package_blobs("p0", 1)
    assert "updated" in kinds


@pytest.mark.parametrize("form", FORMATS)
def test_random_versions_of_a_folder(tmp_path: Path, form: str) -> None:
    """Files come, change, go, and get other names; a package may be in another file now."""
    rng = random.Random(form)
    folder = tmp_path / "catalog"
    folder.mkdir()
    files = {f"f{number}.json": package_blobs(f"p{number}", 3) for number in range(5)}
    files["two.json"] = [
        *package_blobs("p5", 2),
        *package_blobs("p6", 2),
        {"schema": "other", "package": "p5", "name": "o"},
    ]
    for turn in range(scaled(20)):
        for file in folder.iterdir():
            file.unlink()
        for name, blobs in files.items():
            (folder / name).write_text(FORMATS[form](blobs))
        note = _updated(folder)
        assert turn == 0 or not note.startswith("written whole")
        name = rng.choice([*files])
        if turn % 3 == 2:
            files[f"new{turn}.json"] = files.pop(name)
        elif turn % 3 == 1:
            files[f"split{turn}.json"] = package_blobs(f"q{turn}", 2)
        else:
            files[name] = edited(files[name], rng) or package_blobs(f"r{turn}", 1)


@pytest.mark.parametrize("name", ["community-prod", "upstream-2021"])
def test_versions_of_real_catalogs(tmp_path: Path, name: str) -> None:
    """A bundle more here, a package less there, blobs that swap their places."""
    rng = random.Random(name)
    file = tmp_path / "catalog.jsonl"
    file.write_bytes(gzip.decompress((shared() / "catalogs" / f"{name}.jsonl.gz").read_bytes()))
    write_index(file)
    text = file.read_text().splitlines(keepends=True)
    for _ in range(2):
        for _ in range(3):
            del text[rng.randrange(len(text))]
            at = rng.randrange(len(text) - 1)
            text[at : at + 2] = text[at : at + 2][::-1]
        file.write_text("".join(text))
        _updated(file)


def test_what_changed_is_said_in_one_line(tmp_path: Path) -> None:
    """Packages that changed, that are new and that are gone; no more than five of them by name."""
    file = tmp_path / "catalog"

    def said_of(packages: dict[str, int]) -> str:
        file.write_text(json_lines([blob for name, count in packages.items() for blob in package_blobs(name, count)]))
        return _updated(file)

    packages = dict.fromkeys("abcdefgh", 2)
    assert said_of(packages) == "written whole: there is no index yet"
    assert said_of(packages) == "nothing has changed"
    assert said_of(packages | {"c": 3}) == "1 of 8 packages changed: c"
    assert said_of(dict.fromkeys("bcdefghx", 2)) == "1 of 8 packages changed: c; 1 is new: x; 1 is gone: a"
    assert said_of(dict.fromkeys("bcdefgh", 5)) == "7 of 7 packages changed: b, c, d, e, f and 2 more; 1 is gone: x"
    assert said_of(dict.fromkeys("bcdefghyz", 5)) == "0 of 9 packages changed; 2 are new: y, z"


def test_only_what_changed_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 40 packages, one changed: the others are not made."""
    file = tmp_path / "catalog"
    blobs = [blob for number in range(40) for blob in package_blobs(f"p{number:02}", 3)]
    file.write_text(json_lines(blobs))
    write_index(file)
    file.write_text(json_lines([*blobs, {**blobs[-1], "name": "p39.v9"}]))
    read: set[str] = set()
    package = Comparison.package

    def counted(comparison: Comparison, name: str) -> object:
        read.add(name)
        return package(comparison, name)

    monkeypatch.setattr(Comparison, "package", counted)
    notes: list[str] = []
    write_index(file, update=True, note=notes.append)
    assert notes == ["1 of 40 packages changed: p39"]
    assert read == {"p39"}


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-9])


def _flip(offset: int) -> Callable[[Path], None]:
    def flip(file: Path) -> None:
        content = bytearray(file.read_bytes())
        content[offset] ^= 1
        file.write_bytes(content)

    return flip


@pytest.mark.parametrize(
    ("harm", "note"),
    [
        (_cut, "a damaged index: it has the wrong size"),
        (_flip(20), "an index of another version of olmsolve"),
        (_flip(60), "a damaged index: its checksum does not match"),
        (_flip(4500), "a damaged index: its checksum does not match"),
        (
            lambda file: file.chmod(0o666),
            "other users may change it; olmsolve index writes one that only you may change",
        ),
        (Path.unlink, "there is no index yet"),
    ],
    ids=["cut", "version", "head", "page", "foreign", "none"],
)
def test_an_index_that_cannot_be_trusted_is_written_whole(
    tmp_path: Path, harm: Callable[[Path], None], note: str
) -> None:
    """Its numbers would be copied into the new one."""
    file = tmp_path / "catalog"
    blobs = [blob for number in range(9) for blob in package_blobs(f"p{number}", 3)]
    file.write_text(json_lines(blobs))
    harm(write_index(file))
    file.write_text(json_lines(blobs[:-1]))
    assert _updated(file) == f"written whole: {note}"


@pytest.mark.parametrize("name", [*COLUMNS, *_ORIGINS, "chunks"])
def test_numbers_made_to_harm(tmp_path: Path, name: str) -> None:
    """With the right checksums over numbers that do not fit together an index may lie, but its update ends as any."""
    file = tmp_path / "catalog"
    blobs = [blob for number in range(9) for blob in package_blobs(f"p{number}", 3)]
    file.write_text(json_lines(blobs))
    index = write_index(file)
    stored, rng = read_stored(index, None), random.Random(name)
    chunks = index.read_bytes()[stored.chunks_start :]
    assert stored.parts is not None
    columns = {column: getattr(stored.columns, column) for column in COLUMNS}
    parts = {field: getattr(stored, field) for field in (*_ORIGINS, "chunks")}
    parts |= {field: stored.parts.whole(field) for field in ("chunk_digests", "segments")}
    file.write_text(json_lines(blobs[:-1]))
    values = columns[name] if name in columns else parts[name]
    end = 1 << 8 * values.itemsize
    if name in columns and COLUMNS[name].row_of:
        end = stored.columns.row_count(COLUMNS[name].row_of) + COLUMNS[name].or_end
    for draw in (lambda _: 0, lambda _: end - 1, lambda _: rng.randrange(end), lambda value: rng.choice([value, 0])):
        harmed = array(values.typecode, map(draw, values) if end else ())
        table = Packed({**columns, name: harmed} if name in columns else columns, stored.columns.text)
        changed = attrs.evolve(stored, columns=table, **parts if name in columns else {**parts, name: harmed})
        index.write_bytes(b"".join(stored_bytes(changed, [chunks])))
        index.chmod(0o644)
        said: list[str] = []
        write_index(file, update=True, note=said.append)
        assert len(said) == 1


def test_an_index_without_its_notes_is_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its checksum fits, so somebody wrote it so; its files cannot be told."""
    file = tmp_path / "catalog"
    blobs = [blob for number in range(9) for blob in package_blobs(f"p{number}", 3)]
    file.write_text(json_lines(blobs))
    with monkeypatch.context() as patch:
        patch.setattr(storing, "notes_of", lambda *_: b"[]")
        write_index(file)
    file.write_text(json_lines(blobs[:-1]))
    assert _updated(file) == "written whole: a damaged index: its list of files cannot be read"


def test_damaged_properties_are_not_copied(tmp_path: Path) -> None:
    """The properties of a package are compressed behind all else; rules would read them from the new file."""
    file = tmp_path / "catalog"
    blobs = [blob for number in range(9) for blob in package_blobs(f"p{number}", 3)]
    file.write_text(json_lines(blobs))
    _flip(-4)(write_index(file))
    file.write_text(json_lines([*blobs[:1], *blobs[2:]]))
    assert _updated(file) == "written whole: the catalog cannot be compared with it"


def test_a_catalog_with_something_unusual_is_written_whole(tmp_path: Path) -> None:
    """Labels are one of the things of which the columns are not moved."""
    file = tmp_path / "catalog"
    blobs = [*package_blobs("a", 2), *package_blobs("b", 2)]
    blobs[2]["properties"].append({"type": "olm.label", "value": {"label": "x"}})
    file.write_text(json_lines(blobs))
    write_index(file)
    file.write_text(json_lines(blobs[:-1]))
    assert _updated(file) == "written whole: the catalog has more than an update can take over"


def test_a_database_is_written_whole(tmp_path: Path) -> None:
    """Its bytes are no text; the index of it can be updated where nothing has changed, and else is made anew."""
    file = tmp_path / "catalog.db"
    write_database(file, package_blobs("a", 2))
    assert _updated(file) == "written whole: there is no index yet"
    assert _updated(file) == "nothing has changed"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE further (a TEXT)")
    assert _updated(file) == "written whole: the catalog cannot be compared with it"


def test_what_has_no_index_is_refused_as_ever(tmp_path: Path) -> None:
    """Updating takes no other path for a stream, for nothing, and for another file in the place of the index."""
    for given in ("-", str(tmp_path / "nowhere")):
        with pytest.raises(CatalogError):
            write_index(given, update=True)
    file = tmp_path / "catalog"
    file.write_text(json_lines(package_blobs("a", 1)))
    _beside(file).write_text("mine")
    with pytest.raises(CatalogError, match="exists and is not an index"):
        write_index(file, update=True)
    assert _beside(file).read_text() == "mine"


def test_a_catalog_moved_with_its_index_is_updated(tmp_path: Path) -> None:
    """The segments name files without the folder in which the catalog is."""
    folder = tmp_path / "here"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.json").write_text(json_lines(package_blobs(name, 2)))
    index = write_index(folder)
    there = tmp_path / "there"
    folder.rename(there)
    index.rename(_beside(there))
    (there / "b.json").write_text(json_lines(package_blobs("b", 3)))
    assert _updated(there) == "1 of 3 packages changed: b"


def test_empty_files_are_updated(tmp_path: Path) -> None:
    """A folder may keep an empty file for git, and a package that is gone may leave one behind."""
    folder = tmp_path / "catalog"
    folder.mkdir()
    (folder / ".gitkeep").write_text("")
    for name in "abc":
        (folder / f"{name}.json").write_text(json_lines(package_blobs(name, 2)))
    write_index(folder)
    (folder / "b.json").write_text("")
    assert _updated(folder) == "0 of 2 packages changed; 1 is gone: b"
    (folder / "b.json").write_text(json_lines(package_blobs("b", 1)))
    assert _updated(folder) == "0 of 3 packages changed; 1 is new: b"


def test_an_index_in_its_own_folder_counts_for_nothing(tmp_path: Path) -> None:
    """The index of the same content is the same file, whichever indexes are there when it is written."""
    folder = tmp_path / "catalog"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.json").write_text(json_lines(package_blobs(name, 2)))
    alone = write_index(folder).read_bytes()
    within = folder / "index"
    for _ in range(2):
        assert write_index(folder, within).read_bytes() == alone
    (folder / "a.json").write_text(json_lines(package_blobs("a", 1)))
    assert _updated(folder) == "1 of 3 packages changed: a"
    within.write_text("{}\n")
    with pytest.raises(CatalogError):
        write_index(folder, update=True)
    within.write_text(json_lines(package_blobs("d", 2)))
    assert _updated(folder) == "0 of 4 packages changed; 1 is new: d"
    within.write_bytes(alone)
    assert _updated(folder) == "0 of 3 packages changed; 1 is gone: d"


@pytest.mark.parametrize("indent", [None, 2], ids=["lines", "indented"])
@pytest.mark.parametrize("between", ["", " ", "\n "])
def test_documents_that_begin_inside_of_a_line_are_not_cut(tmp_path: Path, indent: int | None, between: str) -> None:
    """Behind another document, or behind a blank: wherever the new one is, in front of known ones or behind them."""
    file = tmp_path / "catalog"
    texts = ["".join(json.dumps(blob, indent=indent) + "\n" for blob in package_blobs(name, 2)) for name in "abc"]
    for number in range(4):
        file.write_text("".join(texts))
        write_index(file)
        new = [*texts[:number], "".join(texts[:1]).replace('"a', '"x'), *texts[number:]]
        joined = new[number].rstrip() + between
        file.write_text("".join([*new[:number], joined, *new[number + 1 :]]))
        _updated(file)
        before = new[number - 1].rstrip() + between if number else ""
        file.write_text("".join([*new[: max(number - 1, 0)], before, *new[number:]]))
        _updated(file)


def test_documents_that_become_the_first_ones_are_looked_at(tmp_path: Path) -> None:
    """The first two documents tell whether a file is cut, and half a character is for the careful reader."""
    file = tmp_path / "catalog"
    blobs = [package_blobs(name, 1) for name in "ab"]
    # It shares nothing with the others, or it would be read because they have changed.
    own = json_lines(package_blobs("c", 1)).replace("stable", "own").replace("1.0.0", "3.0.0")
    odd = own.replace('"defaultChannel"', '"description":"half a character: \\ud800","defaultChannel"')
    for number in range(3):
        file.write_text(json_lines([*blobs[0], *blobs[1]]) + odd)
        write_index(file)
        file.write_text(json_lines([blob for listed in blobs[number:] for blob in listed]) + odd)
        _updated(file)
        file.write_text(json_lines(blobs[0][:number]) + odd)
        _updated(file)


def test_an_index_inside_the_folder_does_not_count(tmp_path: Path) -> None:
    """What is compared is hashed on the way: without the indexes among it, whether they changed or not."""
    folder = tmp_path / "catalog"
    folder.mkdir()
    (folder / "a.json").write_text(json_lines(package_blobs("a", 2)))
    (folder / "b.json").write_text(json_lines(package_blobs("b", 2)))
    inside = folder / f"a{SUFFIX}"
    inside.write_bytes(write_index(folder / "a.json", tmp_path / "first").read_bytes())
    assert _updated(folder) == "written whole: there is no index yet"
    (folder / "b.json").write_text(json_lines(package_blobs("b", 3)))
    assert _updated(folder) == "1 of 2 packages changed: b"
    inside.write_bytes(write_index(folder / "b.json", tmp_path / "second").read_bytes())
    assert _updated(folder) == "nothing has changed"
    inside.unlink()
    assert _updated(folder) == "nothing has changed"


@pytest.mark.parametrize("size", ["as before", "another"])
def test_a_catalog_that_changes_while_its_index_is_updated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: str
) -> None:
    """The index is of the text that was compared, by its digest too, so nobody takes it for one of the next text."""
    file = tmp_path / "catalog"
    blobs = [blob for number in range(9) for blob in package_blobs(f"p{number}", 3)]
    file.write_text(json_lines(blobs))
    write_index(file)
    now = json_lines(blobs[:-1]) if size == "another" else json_lines(blobs).replace("p8.v1", "p8.x1")
    file.write_text(now)
    made_of = updating._made_of

    def changed_meanwhile(*arguments: Any) -> updating.Update:
        file.write_text(json_lines(blobs[:-3]))
        return made_of(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(updating, "_made_of", changed_meanwhile)
        index = write_index(file, update=True)
    updated = index.read_bytes()
    file.write_text(now)
    assert updated == write_index(file).read_bytes()


def test_a_large_synthetic_catalog(tmp_path: Path) -> None:
    """Like a real one, with many packages that share versions, APIs and requirements."""
    file = tmp_path / "catalog.jsonl"
    file.write_text("".join(lines(realistic_blobs(60))))
    write_index(file)
    cut = file.read_text().splitlines(keepends=True)
    file.write_text("".join(cut[:50] + cut[51:]))
    assert not _updated(file).startswith("written whole")
