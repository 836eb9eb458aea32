"""One content in every form that a catalog can have on disk gives equal catalogs."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import from_blobs, load
from olmsolve.errors import CatalogError
from tests.recorded import real_catalog
from tests.scale import scaled

SHARED = Path(os.environ.get("OLMSOLVE_SHARED", Path(__file__).parents[2].parent / "shared"))
BLOBS: list[dict[str, Any]] = [
    {"schema": "olm.package", "name": "etcd", "defaultChannel": "stable", "description": "zwei\nZeilen: ü"},
    {
        "schema": "olm.channel",
        "package": "etcd",
        "name": "stable",
        "entries": [{"name": "etcd.v1"}, {"name": "etcd.v2", "replaces": "etcd.v1", "skips": ["etcd.v0"]}],
    },
    *(
        {
            "schema": "olm.bundle",
            "package": "etcd",
            "name": f"etcd.v{number}",
            "image": "",
            "properties": [
                {"type": "olm.package", "value": {"packageName": "etcd", "version": f"{number}.0.0"}},
                {
                    "type": "example.com/any",
                    "value": [1, 2.5, True, None, "yes", "2024-01-01", "1.5", "~", ""],
                },
            ],
        }
        for number in (1, 2)
    ),
    {"schema": "example.com/other", "name": "kept"},
]
EXPECTED = from_blobs(BLOBS)
LINES = "\n".join(map(json.dumps, BLOBS))
YAML = yaml.safe_dump_all(BLOBS, allow_unicode=True, explicit_start=True)
TEXTS = {
    "lines": LINES,
    "lines with CRLF": LINES.replace("\n", "\r\n") + "\r\n",
    "concatenated": "".join(json.dumps(blob, ensure_ascii=False) for blob in BLOBS),
    "pretty": "\n".join(json.dumps(blob, indent=4) for blob in BLOBS),
    "json, then yaml": json.dumps(BLOBS[0]) + "\n" + yaml.safe_dump_all(BLOBS[1:], explicit_start=True),
    "byte-order mark": "\ufeff" + YAML,
    "space before and after": f" \n\n{LINES}\n\n \t",
    "yaml": YAML,
    "yaml with separators too many": YAML.replace("\n---\n", "\n---\n--- # twice\n") + "---",
    "yaml flow": yaml.safe_dump_all(BLOBS, default_flow_style=True, explicit_start=True).replace("--- ", "---\n"),
    "json in yaml documents": "---\n" + "\n---\n".join(map(json.dumps, BLOBS)),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_files(tmp_path: Path, text: str, pack: Any) -> None:
    """The format and the name of a file do not change its meaning."""
    file = tmp_path / "any name"
    file.write_bytes(pack(text.encode()))
    assert load(file) == EXPECTED
    if pack is bytes:
        assert load(str(tmp_path)) == EXPECTED


def test_layouts(tmp_path: Path) -> None:
    """A folder may spread its blobs over any files and folders, each in its own format."""
    for number, blob in enumerate(BLOBS):
        folder = tmp_path / "/".join("abc"[:number])
        folder.mkdir(parents=True, exist_ok=True)
        text = yaml.safe_dump(blob) if number % 2 else json.dumps(blob)
        (folder / f"{number}.x").write_text(text, "utf-8")
    assert load(tmp_path) == EXPECTED


def test_origins_name_file_document_and_line(tmp_path: Path) -> None:
    """Every later error about a blob names its line, so the line must be right in both formats."""
    (tmp_path / "a.json").write_text('{"schema": "x",\n "n": 1}\n\n{"schema": "y"}', "utf-8")
    (tmp_path / "b.yaml").write_text("---\n# note\nschema: z\n---\n\nschema: w\n", "utf-8")
    assert [str(blob.origin) for blob in load(tmp_path).others] == [
        f"{tmp_path}/a.json:1",
        f"{tmp_path}/a.json:4",
        f"{tmp_path}/b.yaml:3",
        f"{tmp_path}/b.yaml:6",
    ]
    assert [blob.origin.document for blob in load(tmp_path).others if blob.origin] == [1, 2, 1, 2]


@pytest.mark.parametrize("mode", ["w", "w:gz"])
@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_archives(tmp_path: Path, mode: Any, form: int) -> None:
    """A tar archive of a catalog's folder is the folder, its .indexignore included."""
    long = "/".join(["folder-of-a-package-with-a-long-name"] * 4)
    with tarfile.open(tmp_path / "catalog", mode, format=form) as archive:
        for name, text in (
            (f"./{long}/x.yaml", YAML),
            ("./.indexignore", "*.md"),
            ("./README.md", "no catalog"),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    catalog = load(tmp_path / "catalog")
    assert catalog == EXPECTED
    assert str(catalog.others[0].origin).startswith(f"{tmp_path}/catalog/{long}/x.yaml:")


def test_open_files(tmp_path: Path) -> None:
    """Callers that already have the content open need no file name; text and bytes will do."""
    (tmp_path / "c.json").write_text(LINES, "utf-8")
    assert load(io.BytesIO(LINES.encode())) == EXPECTED
    assert load(io.StringIO(YAML)) == EXPECTED
    with (tmp_path / "c.json").open("rb") as file:
        assert load(file).origin == str(tmp_path / "c.json")


def test_standard_input() -> None:
    """A dash reads what another program prints, gzip included."""
    code = "import olmsolve.catalog.fbc; print(olmsolve.catalog.fbc.load('-'))"
    run = subprocess.run([sys.executable, "-c", code], input=gzip.compress(LINES.encode()), capture_output=True)
    assert run.stdout.decode().strip() == "<Catalog <stdin>: 1 package, 1 channel, 2 bundles>"


@settings(max_examples=scaled(30), deadline=None)
@given(
    sizes=st.lists(st.integers(1, 40), min_size=1),
    name=st.sampled_from(["lines", "pretty", "json, then yaml", "yaml with separators too many", "yaml"]),
)
def test_the_cut_of_the_pieces_changes_nothing(sizes: list[int], name: str) -> None:
    """Pipes give pieces of any length, which may cut a document, a word or a character in two."""
    assert load(_Dribble(TEXTS[name].encode(), sizes)) == EXPECTED


class _Dribble:
    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self._file = io.BytesIO(data)
        self._sizes = sizes
        self._calls = 0

    def read(self, size: int, /) -> bytes:
        self._calls += 1
        return self._file.read(self._sizes[self._calls % len(self._sizes)])


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc<-0y", max_size=3), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=scaled(150), deadline=None)
@given(value=json_values)
def test_json_is_yaml_with_the_same_meaning(value: Any) -> None:
    """Every JSON value, written as JSON and read by either reader, is the same value of the same type."""
    text = json.dumps({"schema": "x", "value": value}, ensure_ascii=False)
    as_json = load(io.StringIO(text)).others[0].value
    as_yaml = load(io.StringIO("---\n" + text)).others[0].value
    assert repr(as_json) == repr({"schema": "x", "value": value})
    assert as_yaml == as_json


def test_progress(tmp_path: Path) -> None:
    """A progress bar needs calls in between, never backwards, and an end that is the whole."""
    (tmp_path / "c.json").write_text(LINES.replace("zwei", "x" * 1_000_000), "utf-8")
    (tmp_path / "d.json").write_text(json.dumps({"schema": "x", "v": "y" * 3_000_000}), "utf-8")
    calls: list[tuple[int, int]] = []
    load(tmp_path, progress=lambda done, total: calls.append((done, total)))
    total = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert len(calls) >= 4
    assert calls == sorted(calls)
    assert calls[-1] == (total, total)


@pytest.mark.parametrize("start", ["", "---\n"])
def test_what_progress_raises_ends_the_load(tmp_path: Path, start: str) -> None:
    """A callback that raises cancels the load, so its error must come out unchanged, even through a parser in C."""
    blobs = [json.dumps({"schema": "x", "v": "y" * 1_000_000}) for _ in range(4)]
    (tmp_path / "c.json").write_text(start + "\n---\n".join(blobs), "utf-8")

    def cancel(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load(tmp_path, progress=cancel)


def test_importing_costs_nothing_that_json_does_not_need() -> None:
    """YAML and archives are imported where they are met: reading JSON must not pay for them."""
    code = "import sys, olmsolve.catalog.fbc; print({'yaml', 'gzip', 'tarfile', 'celpy'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def _real(name: str) -> Path:
    path = SHARED / "catalogs" / name
    if not path.exists():
        pytest.skip("the shared catalogs are not here (set OLMSOLVE_SHARED)")
    return path


def test_real_catalogs_load() -> None:
    """The catalogs' own description gives the same counts."""
    expected = {
        "community-prod.jsonl.gz": (333, 654, 6890),
        "upstream-2021.jsonl.gz": (193, 250, 1007),
        "community-2021.jsonl.gz": (146, 206, 897),
        "fbc-v4.12.jsonl.gz": (10, 17, 164),
        "fbc-v4.16.jsonl.gz": (18, 27, 221),
        "fbc-v4.20.jsonl.gz": (37, 85, 803),
        "fbc-v4.22.jsonl.gz": (29, 68, 666),
        "fbc-v4.20-full.tar.gz": (37, 85, 803),
    }
    assert {name: _counts(real_catalog(name)) for name in expected} == expected


def _counts(catalog: Catalog) -> tuple[int, int, int]:
    return (
        len(catalog.packages),
        sum(len(package.channels) for package in catalog),
        sum(len(package.bundles) for package in catalog),
    )


def test_yaml_and_its_rendering_by_opm_agree() -> None:
    """One is what opm rendered from the other, less some fields: an independent reader's answer."""
    ours, rendered = real_catalog("fbc-v4.20-full.tar.gz"), real_catalog("fbc-v4.20.jsonl.gz")
    heavy = {"olm.csv.metadata", "olm.bundle.object"}
    for package in rendered:
        for name, channel in package.channels.items():
            assert ours.packages[package.name].channels[name].entries == channel.entries
        for name, bundle in package.bundles.items():
            properties = ours.packages[package.name].bundles[name].properties
            assert tuple(item for item in properties if item.type not in heavy) == bundle.properties


def test_a_large_catalog_takes_little_memory() -> None:
    """6,890 bundles are everyday input: no more than a few times their text, and little besides what is kept."""
    path = _real("community-prod.jsonl.gz")
    # What the first load of a process leaves behind, such as imported modules, is not the catalog's.
    load(_real("fbc-v4.12.jsonl.gz"))
    tracemalloc.start()
    catalog = load(path)
    size, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(catalog.packages) == 333
    assert peak < 8 * 7_265_910
    assert peak - size < 16 << 20


def test_documents_of_nothing_are_no_catalog(tmp_path: Path) -> None:
    """A wrong path must not pass for a catalog without packages."""
    (tmp_path / "empty.json").touch()
    for path in (tmp_path, tmp_path / "empty.json"):
        with pytest.raises(CatalogError, match="there is no catalog here"):
            load(path)
