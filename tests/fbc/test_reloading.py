"""A new version of a catalog, loaded by what changed, is what loading the whole gives: values, origins and faults.

How much was read and hashed again shows in no answer, so two tests count behind the door.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import random
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from olmsolve import Catalog, load
from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve.catalog import Origin, Package, made_of
from olmsolve.catalog.fbc import (
    CatalogParts,
    UncutError,
    reload,
    reloading,
    segments_from,
    segments_text,
    sha256_digest,
)
from olmsolve.catalog.fbc.moved_lines import MovedPackages
from olmsolve.errors import CatalogError, Incomplete, RequestError
from tests.attacks import called, in_time
from tests.scale import LONG

Blob = dict[str, Any]


def package_blobs(name: str, versions: int) -> list[Blob]:
    bundles = [f"{name}.v1.{number}.0" for number in range(versions)]
    entries = [{"name": bundle, **({"replaces": bundles[at - 1]} if at else {})} for at, bundle in enumerate(bundles)]
    return [
        {"schema": "olm.package", "name": name, "defaultChannel": "stable"},
        {"schema": "olm.channel", "name": "stable", "package": name, "entries": entries},
        *(
            {
                "schema": "olm.bundle",
                "name": bundle,
                "package": name,
                "image": f"example.com/{name}@sha256:{number:064x}",
                "properties": [
                    {"type": "olm.gvk", "value": {"group": name, "kind": "K", "version": "v1"}},
                    {"type": "olm.package", "value": {"packageName": name, "version": f"1.{number}.0"}},
                ],
            }
            for number, bundle in enumerate(bundles)
        ),
    ]


def json_lines(blobs: list[Blob]) -> str:
    return "".join(json.dumps(blob, separators=(",", ":")) + "\n" for blob in blobs)


def _indented(blobs: list[Blob]) -> str:
    return "".join(json.dumps(blob, indent=2) + "\n" for blob in blobs)


def _mixed(blobs: list[Blob]) -> str:
    """Return documents with blank lines between some, and two on one line now and then."""
    text = "".join(json.dumps(blob) + ("\n\n" if number % 5 == 0 else "\n") for number, blob in enumerate(blobs))
    return text.rstrip("\n")


def _yaml(blobs: list[Blob]) -> str:
    return "---\n".join(yaml.safe_dump(blob) for blob in blobs)


FORMATS: Mapping[str, Callable[[list[Blob]], str]] = {
    "lines": json_lines,
    "indented": _indented,
    "mixed": _mixed,
    "yaml": _yaml,
}


def _origins(catalog: Catalog) -> list[list[Origin | None]]:
    def of(package: Package) -> list[Origin | None]:
        blobs = [package, *package.channels.values(), *package.bundles.values()]
        if package.deprecations_blob is not None:
            blobs.append(package.deprecations_blob)
        return [blob.origin for blob in blobs]

    return [*map(of, catalog), [blob.origin for blob in catalog.others]]


def _check(path: Path, before: Catalog) -> Catalog:
    """Load the catalog by what changed, and hold it against loading the whole; return the former."""
    whole, catalog = load(path), load(path, before=before)
    assert catalog == whole
    assert list(catalog.packages) == list(whole.packages)
    assert _origins(catalog) == _origins(whole)
    return catalog


def _taken_over(catalog: Catalog) -> set[str]:
    parts = made_of(catalog, CatalogParts)
    assert parts is not None
    return set(parts.taken_over)


def edited(blobs: list[Blob], rng: random.Random) -> list[Blob]:
    """Return *blobs* with one change: a blob is gone, changed, moved or new, or a package is."""
    blobs = json.loads(json.dumps(blobs))
    at = rng.randrange(len(blobs))
    change = rng.randrange(7)
    if change == 0:
        del blobs[at]
    elif change == 1:
        blobs[at]["description" if blobs[at]["schema"] == "olm.package" else "extra"] = rng.randrange(9) * "long\n"
    elif change == 2:
        blobs.insert(rng.randrange(len(blobs)), blobs.pop(at))
    elif change == 3:
        blobs[at:at] = package_blobs(f"new{rng.randrange(1000)}", rng.randrange(3))
    elif change == 4:
        name = blobs[at].get("package", blobs[at]["name"])
        blobs = [blob for blob in blobs if name not in (blob.get("package"), blob["name"])]
    elif change == 5:
        blobs.insert(at, {"schema": "example.com/other", "package": "p1", "name": f"o{rng.random()}", "value": at})
    else:
        entry = {"reference": {"schema": "olm.package"}, "message": "old"}
        package = f"p{rng.randrange(6)}"
        if not any(blob["schema"] == "olm.deprecations" and blob["package"] == package for blob in blobs):
            blobs.insert(at, {"schema": "olm.deprecations", "package": package, "name": "d", "entries": [entry]})
    return blobs


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("seed", range(6))
def test_versions_of_a_file(tmp_path: Path, form: str, seed: int) -> None:
    """Twelve versions, each loaded from the one before: nothing may pile up on the way."""
    rng = random.Random(seed)
    blobs = [blob for number in range(6) for blob in package_blobs(f"p{number}", rng.randrange(1, 5))]
    if seed % 3 == 2:  # the blobs of a package need not stand together
        rng.shuffle(blobs)
    file = tmp_path / "catalog"
    catalog = Catalog({})
    for _ in range(12):
        file.write_text(FORMATS[form](blobs) or " ")
        catalog = _check(file, catalog)
        blobs = edited(blobs, rng) or package_blobs("p0", 1)


@pytest.mark.parametrize("form", FORMATS)
def test_versions_of_a_folder(tmp_path: Path, form: str) -> None:
    """Files come, change and go; each has a package, and one file has two."""
    rng = random.Random(form)
    catalog = Catalog({})
    files = {f"f{number}": package_blobs(f"p{number}", 3) for number in range(5)}
    files["f5"] = [*package_blobs("p5", 2), *package_blobs("p6", 2), {"schema": "other", "package": "p5"}]
    for turn in range(10):
        for file in tmp_path.iterdir():
            file.unlink()
        for name, blobs in files.items():
            (tmp_path / name).write_text(FORMATS[form](blobs))
        catalog = _check(tmp_path, catalog)
        if turn:
            assert len(_taken_over(catalog)) >= 4
        name = rng.choice([*files])
        if turn % 4 == 3:
            files[f"new{turn}"] = files.pop(name)  # the same blobs in another file stand elsewhere
        else:
            files[name] = [*files[name], {**files[name][-1], "schema": "other", "name": f"o{turn}"}]


def test_only_what_changed_is_read(tmp_path: Path) -> None:
    """The objects of other packages are the same ones, or wait until somebody asks where they stand now."""
    file = tmp_path / "catalog.json"
    blobs = [package_blobs(f"p{number}", 3) for number in range(5)]
    file.write_text(json_lines([blob for package in blobs for blob in package]))
    before = load(file, before=Catalog({}))
    blobs[2] = package_blobs("p2", 4)
    file.write_text(json_lines([blob for package in blobs for blob in package]))
    after = _check(file, before)

    assert _taken_over(after) == {"p0", "p1", "p3", "p4"}
    assert after.packages["p0"] is before.packages["p0"]
    assert after.packages["p3"] == before.packages["p3"]
    assert after.packages["p3"] is after.packages["p3"]
    (old,), (new,) = (
        [bundle.origin for bundle in list(c.packages["p3"].bundles.values())[:1]] for c in (before, after)
    )
    assert old is not None
    assert new is not None
    assert (new.document, new.line) == (old.document + 1, (old.line or 0) + 1)


def test_a_fault_is_told_as_ever(tmp_path: Path) -> None:
    """Wrong JSON and a blob that is there twice are refused in the words of loading the whole."""
    file = tmp_path / "catalog.json"
    blobs = [blob for number in range(3) for blob in package_blobs(f"p{number}", 2)]
    for text in (
        json_lines(blobs)[:-5],
        json_lines([*blobs, blobs[2]]),
        json_lines(blobs) + "---\n",
        "\0",
        json_lines(blobs) + "{}\n",
    ):
        file.write_text(json_lines(blobs))
        before = load(file, before=Catalog({}))
        file.write_text(text)
        with pytest.raises(CatalogError) as whole:
            load(file)
        with pytest.raises(CatalogError) as raised:
            load(file, before=before)
        assert str(raised.value) == str(whole.value)


def test_no_catalog_is_told_as_ever(tmp_path: Path) -> None:
    """A folder without documents is refused at the first load and at a later one."""
    (tmp_path / "catalog.json").write_text(json_lines(package_blobs("p", 1)))
    before = load(tmp_path, before=Catalog({}))
    (tmp_path / "catalog.json").write_text("")
    for version in (before, Catalog({})):
        with pytest.raises(CatalogError, match="there is no catalog here"):
            load(tmp_path, before=version)


def test_a_file_that_is_gone_after_a_first_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may remove it between two looks: an error of the catalog, as for a file that never was."""
    file = tmp_path / "catalog.json"
    with pytest.raises(CatalogError) as missing:
        load(file)
    monkeypatch.setattr(reloading, "is_file", str(file).__eq__)
    with pytest.raises(CatalogError) as gone:
        load(file, before=Catalog({}))
    assert str(gone.value) == str(missing.value)


def test_moved_packages_say_how_many_there_are(tmp_path: Path) -> None:
    """Printing all packages of a real catalog would take pages."""
    file = tmp_path / "catalog.json"
    file.write_text(json_lines([*package_blobs("a", 1), *package_blobs("b", 1)]))
    before = load(file, before=Catalog({}))
    file.write_text(json_lines([*package_blobs("a", 2), *package_blobs("b", 1)]))
    after = load(file, before=before)
    assert repr(after.packages) == "<2 packages, 1 of them on other lines than before>"
    assert "b" in after.packages
    assert len(after.packages) == 2


def test_json_that_becomes_yaml_is_yaml(tmp_path: Path) -> None:
    """From a first or second document that is no JSON on, the text is YAML, and documents end where YAML says."""
    file = tmp_path / "catalog"
    first = json_lines(package_blobs("a", 1)[:1])
    file.write_text(first + "{schema: olm.package, name: b}\n")
    before = _check(file, Catalog({}))
    file.write_text(first + "{schema: olm.package, name: b}\n" + json_lines(package_blobs("c", 1)))
    # YAML passes over what stands behind its document; the package c is none.
    assert [*_check(file, before).packages] == ["a", "b"]


@pytest.mark.parametrize("between", ["", " "])
def test_packages_on_one_line_are_not_cut(tmp_path: Path, between: str) -> None:
    """A segment of no bytes would be found again and again at one place of the next version, without end."""
    file = tmp_path / "catalog"
    usual = json_lines([*package_blobs("a", 1), *package_blobs("b", 1)])
    line = json_lines(package_blobs("c", 1)[1:2]).rstrip() + between + json_lines(package_blobs("d", 1)[:1])
    file.write_text(usual + line)
    before = _check(file, Catalog({}))
    file.write_text(usual + line.replace('"d"', '"e"'))
    assert [*_check(file, before).packages] == ["a", "b", "c", "e"]


def test_a_brace_at_the_margin_need_not_begin_a_document(tmp_path: Path) -> None:
    """The text of a package that ends in the middle of another line is not taken over without its end."""
    file = tmp_path / "catalog"
    usual = [json_lines(package_blobs(name, 1)[:1]) for name in "abcd"]
    odd = '{"schema":"olm.package","name":"o","odd":\n{"x":1}} '
    file.write_text("".join([*usual[:2], odd, *usual[2:]]))
    before = _check(file, Catalog({}))
    assert [*before.packages] == ["a", "b", "o", "c", "d"]
    file.write_text("".join([*usual[:2], odd.partition("\n")[0] + "\n", usual[3]]))
    with pytest.raises(CatalogError) as whole:
        load(file)
    with pytest.raises(CatalogError) as raised:
        load(file, before=before)
    assert str(raised.value) == str(whole.value)


def test_files_whose_names_look_the_same(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 are shown as one character, and each file counts all the same."""
    names = [os.fsdecode(bytes(tmp_path) + b"/" + name) for name in (b"\xff.json", b"\xfe.json")]
    Path(names[0]).write_text(json_lines(package_blobs("a", 1)))
    Path(names[1]).write_text(json_lines(package_blobs("b", 1)))
    before = _check(tmp_path, Catalog({}))
    assert {*_check(tmp_path, before).packages} == {"a", "b"}
    Path(names[0]).write_text(json_lines(package_blobs("a", 2)))
    assert {*_check(tmp_path, before).packages} == {"a", "b"}


@pytest.mark.parametrize("is_asked", [False, True], ids=["unasked", "asked"])
def test_pickled_versions_are_plain(tmp_path: Path, is_asked: bool) -> None:
    """A catalog that has moved crosses to another process with the lines on which it stands now, alone."""
    file = tmp_path / "catalog.json"
    file.write_text(json_lines([*package_blobs("a", 1), *package_blobs("b", 2)]))
    before = load(file, before=Catalog({}))
    file.write_text(json_lines([*package_blobs("a", 2), *package_blobs("b", 2)]))
    after, whole = load(file, before=before), load(file)
    assert isinstance(after.packages, MovedPackages)
    if is_asked:
        assert after.packages["b"].origin == whole.packages["b"].origin
    document = pickle.loads(pickle.dumps(after))  # noqa: S301 (own data)
    assert document == after == whole
    assert type(document.packages) is dict
    assert _origins(document) == _origins(whole)
    assert made_of(document, CatalogParts) is None
    assert _check(file, document) == whole


def test_other_properties_dropped_make_another_catalog(tmp_path: Path) -> None:
    """A version that was loaded with all properties has the wrong bundles for one without some."""
    file = tmp_path / "catalog.json"
    file.write_text(json_lines(package_blobs("p", 2)))
    before = load(file, before=Catalog({}))
    light = load(file, before=before, drop=["olm.gvk"])
    assert light == load(file, drop=["olm.gvk"])
    assert _taken_over(light) == set()
    assert _taken_over(load(file, before=light, drop=["olm.gvk"])) == {"p"}


def test_before_is_a_catalog() -> None:
    with pytest.raises(RequestError, match="before"):
        load("anywhere", before="catalog.json")  # type: ignore[arg-type]


def _catalog_text(number: int, version: int, indent: int | None = None) -> str:
    """Return a catalog of so many packages, each with one bundle of this *version*."""
    blobs: list[Blob] = []
    for at in range(number):
        package, bundle = f"p{at:05}", f"p{at:05}.v{version}.0.0"
        properties = [{"type": "olm.package", "value": {"packageName": package, "version": f"{version}.0.0"}}]
        blobs += [
            {"schema": "olm.package", "name": package, "defaultChannel": "stable"},
            {"schema": "olm.channel", "name": "stable", "package": package, "entries": [{"name": bundle}]},
            {"schema": "olm.bundle", "name": bundle, "package": package, "image": "x", "properties": properties},
        ]
    return "".join(json.dumps(blob, indent=indent) + "\n" for blob in blobs)


@pytest.mark.parametrize("indent", [None, 1])
def test_catalogs_in_which_everything_has_changed(indent: int | None, tmp_path: Path) -> None:
    """A stranger may begin all documents alike, and change them all: no part is compared with all parts before.

    Hashing each part with each one before took 46 s for 4,000 packages whose texts were indented.
    """
    path = tmp_path / "c.json"
    number, hashed = 600, 0

    def counted(data: bytes) -> bytes:
        nonlocal hashed
        hashed += 1
        return sha256_digest(data)

    path.write_text(_catalog_text(number, 1, indent))
    before = reload(str(path), Catalog({}), progress=None, drop=(), digest_of=counted)
    path.write_text(_catalog_text(number, 2, indent))
    hashed = 0
    reloaded = load(str(path), before=before)
    assert reloaded.packages["p00599"].bundles["p00599.v2.0.0"].origin is not None
    assert hashed < 20 * number


@pytest.fixture
def as_most_programs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The tests have frozen what they share; programs mostly have not, and docs/limits.md tells the others."""
    gc.unfreeze()
    monkeypatch.setattr(COLLECTOR_PAUSE, "_program_freezes", False)
    yield
    gc.freeze()


@pytest.mark.usefixtures("as_most_programs")
def test_limits_end_the_comparison_of_large_catalogs(tmp_path: Path) -> None:
    """Everything has changed, in another order: whatever the comparison is doing, the limit ends it in time."""
    path = tmp_path / "c.json"
    number = 60_000 if LONG else 10_000
    path.write_text(_catalog_text(number, 1))
    before = load(str(path), before=load(str(path)))
    path.write_text("".join(sorted(_catalog_text(number, 2).splitlines(keepends=True), key=hash_of_line)))
    whole = called(lambda: load(str(path), before=before), 0.0).late
    for part in (0.2, 0.4, 0.6, 0.8):
        limit = part * whole
        end = in_time(partial(load, str(path), before=before, timeout=limit), limit, f"{part} of the whole")
        assert end.raised is None or isinstance(end.raised, Incomplete)


def hash_of_line(line: str) -> str:
    """Return a text by which lines are in an order that is another one than theirs, and the same in each run."""
    return line[::-1]


@pytest.mark.parametrize("padding", ["behind", "between"])
def test_a_gap_of_megabytes_between_documents(padding: str, tmp_path: Path) -> None:
    """White space is passed over in large pieces, and the limits are looked at meanwhile."""
    path = tmp_path / "c.json"
    path.write_text(_catalog_text(3, 1))
    before = load(str(path), before=load(str(path)))
    first, *others = _catalog_text(3, 2).splitlines(keepends=True)
    gap = (" " * 1000 + "\n") * 40_000
    path.write_text("".join([first, gap, *others] if padding == "between" else [first, *others, gap]))
    end = in_time(lambda: load(str(path), before=before, timeout=0.3), 0.3)
    assert end.raised is None or isinstance(end.raised, Incomplete)


_DIGEST = "00" * 32


@pytest.mark.parametrize(
    "columns",
    [
        [True, ["p"], ["{"], [0], _DIGEST, [1], [1]],
        [True, ["p"], ["{"], [-1], _DIGEST, [1], [1]],
        [True, ["p"], ["{"], [9], _DIGEST, [-1], [1]],
        [True, ["p"], ["{"], [9], _DIGEST, [1], [-1]],
        [True, ["p"], ["{"], [9], _DIGEST, [10], [1]],
        [True, ["p"], ["{"], [9], _DIGEST, [1], [10]],
        [True, ["p"], ["{"], [1 << 40], _DIGEST, [1], [1]],
        [True, ["p"], ["{"], [9.5], _DIGEST, [1], [1]],
        [True, ["p"], ["{"], [1e400], _DIGEST, [1], [1]],
        [True, ["p"], ["{"], [9], _DIGEST[2:], [1], [1]],
        [True, ["p"], ["{"], [9], "x" * 64, [1], [1]],
        [True, ["p"], ["\u0100"], [9], _DIGEST, [1], [1]],
        [True, [3], ["{"], [9], _DIGEST, [1], [1]],
        [True, [], ["{"], [9], _DIGEST, [1], [1]],
        [True, ["p"], [], [9], _DIGEST, [1], [1]],
        [True, ["p"], ["{"], [9], "", [1], [1]],
        [True, ["p"], ["{"], [9], _DIGEST, [], [1]],
        [True, ["p"], ["{"], [9], _DIGEST, [1], []],
        [True, [], [], [], "", [], []],
        [-9, ["p"], ["{"], [0], _DIGEST, [1], [1]],
        [True, ["p"], ["{"], [9], _DIGEST, [1]],
    ],
)
def test_segments_made_to_harm(columns: list[Any]) -> None:
    """An index file is somebody's: a segment of no bytes would be found at one position for ever."""
    with pytest.raises(UncutError):
        segments_from(json.dumps({"c.json": columns}).encode(), "")


def test_segments_are_read_as_they_were_written() -> None:
    """The two functions are the two ways, for files that are cut, and for those that are not."""
    columns = [["p", ""], ["{", "\xff"], [5, 9], _DIGEST * 2, [1, 0], [0, 1]]
    for written in (
        [True, *columns],
        [False, ["p", "q"], ["x"], [7], _DIGEST, [2], [3]],
        [False, [], [""], [0], _DIGEST, [0], [0]],
    ):
        text = json.dumps({"c.json": written}, separators=(",", ":")).encode()
        assert segments_text(segments_from(text, "a/"), "a/") == text


def test_whole_files_have_one_segment() -> None:
    """A file that is not cut is one segment; an index may say otherwise."""
    for count in (0, 2):
        columns = [False, ["p"] * count, ["{"] * count, [9] * count, _DIGEST * count, [1] * count, [1] * count]
        with pytest.raises(UncutError):
            segments_from(json.dumps({"c.json": columns}).encode(), "")
