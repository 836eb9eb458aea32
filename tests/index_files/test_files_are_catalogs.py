"""A catalog that comes from an index answers as the catalog that comes from its own files."""

from __future__ import annotations

import json
import pickle
import random
import shutil
from pathlib import Path
from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve import CatalogError, Request, Subscription, Unsatisfiable, v1
from olmsolve.catalog import Source, fbc
from olmsolve.catalog.fbc import loading
from olmsolve.catalog.index import Fault, index_of
from olmsolve.catalog.index_files import load, write_index
from olmsolve.predicates import Predicate
from olmsolve.testing import COMPOUND, DENSE, WIDE, RequestShape, random_document
from tests.index.plain_index import check_candidates, check_channels, check_objects, check_slots, check_updates
from tests.index_files.files import BLOBS, loaded_through_index, write_blobs
from tests.recorded import VENDORED, our_answer, real_catalog, recorded_answers, records, shared
from tests.scale import LONG, sampled

_RECORDED = ("community-2021", "community-prod", "fbc-v4.12", "fbc-v4.20", "upstream-2021")


def _check_everything(path: Path, *, most: int = 40) -> None:
    through, plain = loaded_through_index(path), fbc.load(path)
    index = index_of(through)
    assert index.columns.size == index_of(plain).columns.size
    slots = check_slots(index, plain)
    check_channels(index, plain, slots)
    predicates: dict[Predicate, None] = {}
    for number in range(len(index)):
        requires = index.requires(number)
        if not isinstance(requires, Fault):
            predicates.update(dict.fromkeys(requirement.predicate for requirement in requires))
    chosen = random.Random(1)
    for predicate in chosen.sample(list(predicates), min(len(predicates), most)):
        check_candidates(index, slots, predicate)
    for number in chosen.sample(range(len(slots)), min(len(slots), 4)):
        check_updates(index, slots, index.bundle(number), index.version(number))
    assert "not read yet" in repr(through.packages), "asking the index must not read the catalog"
    check_objects(index, slots)
    assert through == plain
    assert plain == through
    assert list(through.packages) == list(plain.packages)


def test_a_file_with_something_of_everything(tmp_path: Path) -> None:
    """Broken channels, broken requirements, rules, labels and blobs of other schemas."""
    path = write_blobs(tmp_path / "catalog.jsonl", BLOBS)
    _check_everything(path)
    assert [blob.schema for blob in load(path).others] == ["custom"]
    assert load(path).others[0].origin == fbc.load(path).others[0].origin


def test_a_folder(tmp_path: Path) -> None:
    """Origins name the files below the folder, as it was given; files that are ignored do not count."""
    folder = tmp_path / "catalog"
    (folder / "deep").mkdir(parents=True)
    write_blobs(folder / "app.json", BLOBS[:5])
    write_blobs(folder / "deep" / "db.json", BLOBS[5:])
    (folder / "notes.txt").write_text("not JSON", "utf-8")
    (folder / ".indexignore").write_text("*.txt\n", "utf-8")
    _check_everything(folder)
    (folder / "notes.txt").write_text("changed", "utf-8")
    assert "not read yet" in repr(load(folder).packages)


def test_an_archive(tmp_path: Path) -> None:
    """An archive is one file, whose members are named in origins."""
    folder = tmp_path / "catalog"
    folder.mkdir()
    write_blobs(folder / "all.json", BLOBS)
    _check_everything(Path(shutil.make_archive(str(tmp_path / "packed"), "gztar", folder)))


@pytest.mark.parametrize("given", ["catalog", "./catalog/", "../home/catalog", "."])
def test_origins_are_as_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    """An index written under one name of a folder serves under another, and faults then name that."""
    folder = tmp_path / "home" / "catalog"
    folder.mkdir(parents=True)
    write_blobs(folder / "all.json", BLOBS)
    write_index(folder)
    monkeypatch.chdir(folder if given == "." else folder.parent)
    through, plain = index_of(load(given)), index_of(fbc.load(given))
    assert "not read yet" in repr(through.catalog.packages)
    assert [through.origin(n) for n in range(len(through))] == [plain.origin(n) for n in range(len(plain))]


@pytest.mark.parametrize("shape", [COMPOUND, DENSE, WIDE], ids=["compound", "dense", "wide"])
@pytest.mark.parametrize("seed", range(6))
def test_generated_catalogs(tmp_path: Path, seed: int, shape: RequestShape) -> None:
    """The same comparison as for indexes in memory."""
    document = random_document(random.Random(seed), attrs.evolve(shape, odd=0.3))
    for number, catalog in enumerate(document["catalogs"]):
        _check_everything(write_blobs(tmp_path / f"{number}.jsonl", catalog["blobs"]))


@pytest.mark.parametrize("name", sampled(_RECORDED, 2, 1))
def test_recorded_catalogs(tmp_path: Path, name: str) -> None:
    """Real catalogs, gzipped as they are. The short run takes those that indexes in memory leave out."""
    path = tmp_path / f"{name}.jsonl.gz"
    shutil.copyfile(shared() / "catalogs" / path.name, path)
    if name == "community-prod":
        assert index_of(loaded_through_index(path)).columns.size == index_of(real_catalog(path.name)).columns.size
    else:
        _check_everything(path, most=10)


def _with_files(catalogs: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    """Catalogs of a document with their blobs in files, each with its index."""
    with_paths = []
    for number, catalog in enumerate(catalogs):
        blobs = catalog.get("blobs") or [blob for kind in catalog["fbc"].values() for blob in kind or ()]
        path = write_blobs(folder / f"{number}.jsonl", blobs)
        write_index(path)
        with_paths.append({**{k: v for k, v in catalog.items() if k not in ("blobs", "fbc")}, "file": path.name})
    return with_paths


def test_recorded_classic_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The controller's answers come from indexes alone: nothing reads their text. The short run takes one in 24."""
    monkeypatch.chdir(tmp_path)
    fields = ("name", "namespaces", "installed", "subscriptions")
    wrong, resolved = [], 0
    for record in records(VENDORED / "classic_random.jsonl.gz")[:: 6 if LONG else 24]:
        if any(not catalog["blobs"] for catalog in record["catalogs"]):
            continue
        catalogs = _with_files(record["catalogs"], tmp_path)
        with monkeypatch.context() as patched:
            patched.setattr(loading, "_load_path", _refuse)
            request = olmsolve.read_request({**{f: record[f] for f in fields if f in record}, "catalogs": catalogs})
            answer = our_answer(request)
        resolved += 1
        if answer not in recorded_answers(record):
            wrong.append(record["name"])
    assert wrong == []
    assert resolved > (150 if LONG else 37)


def _refuse(*arguments: object) -> None:
    raise AssertionError("the catalog's text was read")


def test_recorded_requests_of_olm_v1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OLM v1 asks for the packages themselves, which are read then."""
    monkeypatch.chdir(tmp_path)
    given = ("name", "catalogs", "extension", "installed", "feature_gates", "validations")
    compared = 0
    for record in records(VENDORED / "v1_resolve.jsonl.gz")[::8]:
        document = {field: record[field] for field in given}
        if not all(any((catalog.get("fbc") or {}).values()) for catalog in document["catalogs"] or [{}]):
            continue
        answers = []
        try:
            stored = _with_files(document["catalogs"], tmp_path)
        except CatalogError:
            # Some recordings are about catalogs that nobody can load.
            continue
        for form in (document, {**document, "catalogs": stored}):
            try:
                request = olmsolve.read_extension_request(form)
                answers.append(v1.resolve(request).to_dict())
            except v1.ResolutionError as error:
                answers.append({"error": error.to_dict()["error"]})
        assert answers[0] == answers[1], record["name"]
        compared += 1
    assert compared > 50


def _request(catalog: olmsolve.Catalog, starting: str = "") -> Request:
    wish = Subscription("app", "here", "app", "stable", "main", "here", starting)
    return Request(("here",), [Source("main", "here", 0, catalog)], [wish])


def test_rules_read_properties_from_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules see all properties of bundles, without the catalog's text: they are in the index as well."""
    path = write_blobs(tmp_path / "catalog.jsonl", BLOBS)
    catalog = loaded_through_index(path)
    monkeypatch.setattr(loading, "_load_path", _refuse)
    plan = olmsolve.resolve(_request(catalog))
    # db.v2.1.0 requires what does not parse; db.v2.0.0 is of the tier that app.v1.1.0 asks for.
    assert sorted(install.name for install in plan.installs) == ["app.v1.1.0", "db.v2.0.0"]


def test_properties_survive_their_file(tmp_path: Path) -> None:
    """A loaded catalog stays whole, even if its index is replaced or removed before a rule reads properties."""
    path = write_blobs(tmp_path / "catalog.jsonl", BLOBS)
    file = write_index(path)
    for change in (b"", b"something else", None):
        catalog = load(path, index=file)
        if change is None:
            file.unlink()
        else:
            file.write_bytes(change)
        assert len(olmsolve.resolve(_request(catalog)).installs) == 2
        file.unlink(missing_ok=True)
        write_index(path)


def test_packages_of_a_catalog_that_changed(tmp_path: Path) -> None:
    """Half of an old and half of a new catalog would be neither: that is an error."""
    path = write_blobs(tmp_path / "catalog.jsonl", BLOBS)
    catalog = loaded_through_index(path)
    write_blobs(path, BLOBS[:5])
    with pytest.raises(CatalogError, match="changed after its index was read"):
        list(catalog.packages)
    with pytest.raises(CatalogError, match="changed after its index was read"):
        catalog.packages["db"]


def test_catalogs_travel(tmp_path: Path) -> None:
    """A catalog that is sent to another process is sent whole."""
    catalog = loaded_through_index(write_blobs(tmp_path / "catalog.jsonl", BLOBS))
    copied = pickle.loads(pickle.dumps(catalog))  # noqa: S301
    assert type(copied.packages) is dict
    assert copied == catalog
    assert attrs.evolve(catalog, origin="elsewhere") == catalog


def test_failures_name_the_same_places(tmp_path: Path) -> None:
    """A core over an index says what a core over the catalog says, word by word."""
    blobs = [blob for blob in BLOBS if blob.get("name") not in ("db.v1.0.0", "db.v2.0.0")]
    path = write_blobs(tmp_path / "catalog.jsonl", blobs)
    messages = []
    for catalog in (loaded_through_index(path), fbc.load(path)):
        with pytest.raises((Unsatisfiable, CatalogError)) as failed:
            olmsolve.resolve(_request(catalog, "app.v1.1.0"))
        messages.append(str(failed.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("kind", ["file", "folder", "yaml"])
def test_the_first_package_is_read_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """OLM v1 needs the bundles of one package: no other is linked for it, and whoever asks for more gets all."""
    path = tmp_path / ("catalog.yaml" if kind == "yaml" else "catalog")
    if kind == "folder":
        path.mkdir()
    text = ("\n---\n" if kind == "yaml" else "\n").join(map(json.dumps, BLOBS))
    (path / "all.json" if kind == "folder" else path).write_text(text, "utf-8")
    through, plain = loaded_through_index(path), fbc.load(path)
    assert "db" in through.packages
    assert "no such package" not in through.packages
    assert len(through.packages) == 2
    with monkeypatch.context() as patched:
        patched.setattr(fbc, "load", _refuse)
        package = through.packages["db"]
        assert through.packages.get("no such package") is None
        assert package == plain.packages["db"] == through.packages["db"]
        assert package.deprecations_blob == plain.packages["db"].deprecations_blob
        assert "only db read" in repr(through.packages)
    assert through == plain
    assert list(through.packages) == list(plain.packages)
    assert through.packages["db"] is package


def test_names_in_another_letter_case_belong_to_the_package(tmp_path: Path) -> None:
    """A package that is read alone has all that it has beside the others, however its fields are written."""
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "Name": "db", "defaultChannel": "stable"},
        {"schema": "olm.channel", "name": "stable", "PACKAGE": "db", "entries": [{"name": "db.v1.0.0"}]},
        {"Schema": "olm.bundle", "name": "db.v1.0.0", "package": "db", "properties": []},
        {"schema": "olm.package", "name": "app", "defaultChannel": ""},
    ]
    path = write_blobs(tmp_path / "catalog.jsonl", blobs)
    assert fbc.load_package(path, "db") == fbc.load(path).packages["db"]
    assert fbc.load_package(path, "no such package") is None
