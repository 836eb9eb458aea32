"""A new version of a file is compared with its segments piece by piece: unusual texts, files that change meanwhile."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest

from olmsolve import Catalog, load
from olmsolve.catalog import made_of
from olmsolve.catalog.fbc import CatalogParts, Comparison, PropertyTable, UncutError, comparing, files_at, segments
from olmsolve.catalog.fbc.comparing import KnownRun, TextAhead, compared
from olmsolve.catalog.fbc.segments import SegmentedFile, hash_digest, sha256_digest
from olmsolve.errors import CatalogError
from tests.fbc.test_reloading import json_lines, package_blobs


def _text(**versions: int) -> str:
    return "".join(json_lines(package_blobs(name, count)) for name, count in versions.items())


def _segments_of(path: Path, catalog: Catalog) -> SegmentedFile:
    parts = made_of(catalog, CatalogParts)
    assert parts is not None
    return parts.files[str(path)]


@pytest.mark.parametrize("seed", range(5))
def test_pieces_of_any_size_are_the_text(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However bytes are looked at, taken and given back, they come in their order and none is lost."""
    monkeypatch.setattr(comparing, "_AHEAD", 7)
    rng = random.Random(seed)
    data = bytes(rng.randrange(256) for _ in range(500))
    text, position = TextAhead(io.BytesIO(data)), 0
    while position < len(data):
        size = rng.randrange(1, 20)
        if rng.random() < 0.5:
            assert text.look(size) == data[position : position + size]
            continue
        piece = text.take(size)
        assert piece == data[position : position + size]
        if rng.random() < 0.4:
            text.give_back(piece)
        else:
            position += len(piece)
    assert text.take(1) == text.look(1) == b""


def test_what_did_not_change_is_told_as_runs(tmp_path: Path) -> None:
    """A catalog of thousands of packages is two runs and the documents between, and each run says where it is now."""
    path = tmp_path / "c.json"
    path.write_text(_text(a=1, b=1, c=1, d=2))
    before = _segments_of(path, load(path, before=Catalog({})))
    now = _text(a=1, b=2, c=1, d=2)
    parts = list(compared(io.BytesIO(now.encode()), before, made_digest(before), PropertyTable()))
    runs = [(part.first, part.end, part.document, part.line) for part in parts if isinstance(part, KnownRun)]
    assert runs == [(0, 1, 0, 0), (2, 4, 7, 7)]
    assert [part.moved for part in parts if isinstance(part, KnownRun)] == [0, 1 << 32 | 1]


def made_digest(file: SegmentedFile) -> segments.DigestFunction:
    """Return the function that made the digests of *file*."""
    return sha256_digest if isinstance(file.digests[0], bytes) else hash_digest


@pytest.mark.parametrize("seed", range(8))
def test_segments_are_those_of_a_file_read_whole(seed: int, tmp_path: Path) -> None:
    """Packages grow before, behind and around what was known, and the segments are cut as from scratch."""
    rng = random.Random(seed)
    path = tmp_path / "c.json"
    blobs = [blob for name in "abcd" for blob in package_blobs(name, 3)]
    catalog = Catalog({})
    for _ in range(8):
        path.write_text(json_lines(blobs))
        catalog = load(path, before=catalog)
        assert _segments_of(path, catalog) == _segments_of(path, load(path, before=Catalog({})))
        # A whole stretch moves, so that parts of a package come together that stood apart, or the other way round.
        first, size = rng.randrange(len(blobs)), rng.randrange(1, 5)
        stretch = blobs[first : first + size]
        del blobs[first : first + size]
        at = rng.randrange(len(blobs) + 1)
        blobs[at:at] = stretch


def test_a_file_that_changes_meanwhile_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A known segment whose text is wanted after all is not taken from another version than was compared."""
    path = tmp_path / "c.json"
    blobs = package_blobs("a", 3)
    other = package_blobs("b", 1)
    path.write_text(json_lines([*blobs[:2], *other, *blobs[2:]]))
    before = load(path, before=Catalog({}))
    # The first part of a is as it was, the second has changed: so both are read.
    path.write_text(json_lines([*blobs[:2], *other, *blobs[2:4]]))
    later = json_lines([*package_blobs("a", 1)[:1], *other])
    taken_over = Comparison._taken_over

    def changing(comparison: Comparison) -> dict[str, int]:
        path.write_text(later)
        return taken_over(comparison)

    monkeypatch.setattr(Comparison, "_taken_over", changing)
    assert load(path, before=before) == load(path)
    assert path.read_text() == later


def test_a_file_that_is_gone_meanwhile(tmp_path: Path) -> None:
    """Whoever wants the text of an unchanged package later gets an error, not the text of another one."""
    path = tmp_path / "c.json"
    path.write_text(_text(a=1, b=1))
    parts = made_of(load(path, before=Catalog({})), CatalogParts)
    assert parts is not None
    path.write_text(_text(a=1, b=2))
    files = files_at(str(path))
    assert files is not None
    comparison = Comparison(str(path), files, parts)
    assert comparison.package("a").name == "a"
    path.write_text(_text(x=1, b=2))
    with pytest.raises(UncutError):
        comparison.package("a")
    path.unlink()
    with pytest.raises(CatalogError):
        comparison.package("a")


def test_white_space_at_the_end_of_a_file_that_grew(tmp_path: Path) -> None:
    """The last line had no end: what is between it and the new package belongs to no segment that is known."""
    path = tmp_path / "c.json"
    path.write_text(_text(a=1, b=1).rstrip("\n"))
    before = load(path, before=Catalog({}))
    for end in ("\n", " \r\n\n"):
        path.write_text(_text(a=1, b=1).rstrip("\n") + end + _text(c=1))
        after = load(path, before=before)
        assert after == load(path)
        assert _segments_of(path, after) == _segments_of(path, load(path, before=Catalog({})))


def test_digests_of_large_texts() -> None:
    """Texts of more than a piece are hashed piece by piece, and differ where any byte does."""
    data = bytes(segments.PIECE + 5)
    for digest_of in (hash_digest, sha256_digest):
        assert digest_of(data) == digest_of(bytes(len(data)))
        assert (
            len({digest_of(data), digest_of(data[:-1]), digest_of(data[:-1] + b"x"), digest_of(b"x" + data[1:])}) == 4
        )


def test_a_known_hash_seed_needs_a_stronger_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever knows the key of Python's hash can write two texts that share one, of which the second is not read."""
    for seed in ("0", "1234"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        assert segments.digest_within_process() is sha256_digest
    for unknown in ("", "random"):
        monkeypatch.setenv("PYTHONHASHSEED", unknown)
        assert segments.digest_within_process() is hash_digest
    monkeypatch.delenv("PYTHONHASHSEED")
    assert segments.digest_within_process() is hash_digest
