"""Written catalogs read back as they were: to the last field, in its order, in every format."""

from __future__ import annotations

import io
import json
import stat
from pathlib import Path
from typing import Any

import attrs
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from olmsolve.catalog import Bundle, Catalog, ChannelEntry, Deprecation
from olmsolve.catalog.fbc import blobs, from_blobs, load, rendered, split, write
from olmsolve.catalog.fbc.writing import Format, indented
from olmsolve.catalog.fbc.yaml_writing import yaml_text
from olmsolve.errors import CatalogError
from olmsolve.predicates import Property
from tests.recorded import real_catalog, shared
from tests.scale import sampled, scaled

FORMATS: tuple[Format, ...] = ("json", "jsonl", "yaml")

# As hardly anybody writes them: fields in odd orders, empty ones, unknown ones at every level, blobs mixed up.
ODD: list[dict[str, Any]] = [
    {"schema": "example.com/other", "package": "p", "zz": [{"b": 1, "a": None}]},
    {
        "properties": [
            {"value": {"z": 1, "a": [True, None, 1.5, "on"]}, "type": "t", "note": "after"},
            {"type": "u"},
            {"value": 1},
            {"type": None, "value": 2},
            {"type": "t", "value": {"z": 1, "a": [True, None, 1.5, "on"]}},
        ],
        "name": "p.v1",
        "image": None,
        "relatedImages": [{"image": "i", "name": "", "more": {}}],
        "package": "p",
        "schema": "olm.bundle",
    },
    {
        "schema": "olm.channel",
        "entries": [
            {"skipRange": "<1.0.0", "name": "p.v1", "skips": [], "replaces": "", "note": {"k": 1}},
            {"name": "p.v2", "replaces": None},
            {"name": "p.v2"},
            {},
        ],
        "name": "c",
        "package": "p",
        "tags": ["x"],
    },
    {
        "schema": "olm.deprecations",
        "since": 2024,
        "entries": [
            {"message": "old\nvery", "reference": {"schema": "olm.package", "name": None, "x": 1}, "by": "us"},
            {"reference": {"name": "c", "schema": "olm.channel"}},
        ],
        "package": "p",
    },
    {
        "schema": "olm.package",
        "description": "",
        "properties": [5, {"value": 1}],
        "icon": {"base64data": "", "mediatype": ""},
        "name": "p",
    },
    {"schema": "olm.bundle", "package": "q", "name": "q.v1", "properties": None},
    {"schema": "olm.package", "name": "q", "defaultChannel": ""},
    {"schema": "olm.bundle", "package": "q", "name": "q.v2", "image": "", "properties": []},
]


def _texts(documents: Any) -> list[str]:
    """With the order of fields, and with types: as values alone, ``1`` and ``true`` would be equal."""
    return [json.dumps(blob) for blob in documents]


@pytest.mark.parametrize("format_", FORMATS)
def test_odd_blobs_come_back_whole(format_: Format) -> None:
    """Authors keep notes in fields of their own; a tool that loses or moves them is no tool for authors."""
    catalog = from_blobs(ODD)
    assert _texts(blobs(catalog)) == _texts(ODD)
    text = "".join(rendered(catalog, format_))
    reloaded = load(io.StringIO(text))
    assert reloaded == catalog
    assert _texts(blobs(reloaded)) == _texts(ODD)
    assert "".join(rendered(reloaded, format_)) == text


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 64) - 1)  # what opm's YAML holds: larger ones become doubles
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.text(" \n\t:#-?&*!|>'\"%@`{}[],yn0159.eE+_~=<\\ab\x85\u2028\ufeff\x7f", max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3) | st.text("<: \n-ny0", max_size=200), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=scaled(400), deadline=None)
@given(value=json_values)
@example(value={"k" * 2_000: {"a": [{"b": "c"}]}, "é" * 130: [1], '"' * 200: "x\ny\n"})
@example(value=["y", "1e5", "0x1f", "1:20", "2024-01-01", "=", "<<", "~", "null", "Null", "1_000", "1.0.0", ".5", "-"])
@example(
    value=["a\n", "a\n\n", "\na", "a\n b", " a\nb", "a\n \nb", "a\nb ", "a:\nb", "# a\nb", "a\n\tb", "---\n", "...\nx"]
)
def test_yaml_means_what_it_was_made_of(value: Any) -> None:
    """Written YAML means the same to our reader and to one that follows YAML 1.1 to the letter."""
    text = yaml_text({"schema": "x", "value": value})
    (blob,) = load(io.StringIO(f"---\n{text}")).others
    assert json.dumps(blob.value) == json.dumps({"schema": "x", "value": value})
    assert _same(yaml.load(text, yaml.CSafeLoader)["value"], value)


def _same(read: Any, value: Any) -> bool:
    """Equal where YAML 1.1 has the value: it takes ``1e+16`` for text."""
    if isinstance(value, dict):
        return list(read) == list(value) and all(_same(read[key], inner) for key, inner in value.items())
    if isinstance(value, list):
        return len(read) == len(value) and all(map(_same, read, value))
    return bool(read == value or (isinstance(value, float) and read == repr(value)))


@settings(max_examples=scaled(100), deadline=None)
@given(extra=st.dictionaries(st.sampled_from("abc"), json_values, max_size=2), chance=st.randoms())
def test_any_order_of_fields_is_kept(extra: dict[str, Any], chance: Any) -> None:
    """Fields keep any order, in every kind of blob."""
    documents = []
    for blob in ODD:
        fields = [*blob.items(), *extra.items()]
        chance.shuffle(fields)
        documents.append(dict(fields))
    assert _texts(blobs(from_blobs(documents))) == _texts(documents)


def test_what_is_changed_in_the_model_is_changed_in_the_blob() -> None:
    """The blob of an edited bundle or channel has the new values, and keeps the fields that the edit did not touch."""
    package = from_blobs(ODD).packages["p"]
    channel, bundle = package.channels["c"], package.bundles["p.v1"]
    entries = (*channel.entries[:1], ChannelEntry("p.v3", "p.v1"), attrs.evolve(channel.entries[1], replaces="p.v1"))
    changed = attrs.evolve(
        package,
        description="new",
        channels={"c": attrs.evolve(channel, entries=entries)},
        bundles={"p.v1": attrs.evolve(bundle, image="i", properties=(*bundle.properties[:-1], Property("v", [])))},
        deprecations=(attrs.evolve(package.deprecations[1], message="m"), Deprecation("olm.bundle", "p.v1", "n")),
    )
    by_schema = {blob["schema"]: blob for blob in blobs(Catalog({"p": changed}))}
    assert by_schema["olm.package"] == {**ODD[4], "description": "new"}
    assert list(by_schema["olm.package"]) == list(ODD[4])
    assert by_schema["olm.channel"] == {
        **ODD[2],
        "entries": [ODD[2]["entries"][0], {"name": "p.v3", "replaces": "p.v1"}, {"name": "p.v2", "replaces": "p.v1"}],
    }
    assert by_schema["olm.bundle"] == {
        **ODD[1],
        "image": "i",
        "properties": [*ODD[1]["properties"][:-1], {"type": "v", "value": []}],
    }
    assert by_schema["olm.deprecations"]["entries"] == [
        {"reference": {"name": "c", "schema": "olm.channel"}, "message": "m"},
        {"reference": {"schema": "olm.bundle", "name": "p.v1"}, "message": "n"},
    ]
    nothing = attrs.evolve(package, deprecations=())
    assert "olm.deprecations" not in {blob["schema"] for blob in blobs(Catalog({"p": nothing}))}


def test_what_is_made_in_memory_is_written_in_the_usual_order() -> None:
    """Fields that say nothing are left out, as opm leaves them out."""
    bundle = Bundle("p", "p.v1", (Property("t", 1),), extra={"note": 1})
    catalog = from_blobs([{"schema": "olm.package", "name": "p"}])
    package = attrs.evolve(catalog.packages["p"], bundles={"p.v1": bundle})
    assert list(rendered(Catalog({"p": package}), "jsonl")) == [
        '{"schema":"olm.package","name":"p"}\n',
        '{"schema":"olm.bundle","name":"p.v1","package":"p","properties":[{"type":"t","value":1}],"note":1}\n',
    ]


def test_formats() -> None:
    """People read this text, so it is written out here: opm's indentation, YAML as Go writes it, a blob on a line."""
    blob = {"schema": "olm.channel", "name": "1.0", "package": "p", "entries": [{"name": "p.v1", "skips": ["a", "no"]}]}
    assert "".join(rendered([blob], "jsonl")) == json.dumps(blob, separators=(",", ":")) + "\n"
    assert "".join(rendered([blob], "json")) == json.dumps(blob, indent=4) + "\n"
    assert "".join(rendered([{**blob, "text": "a\nb\n", "empty": {}}], "yaml")) == (
        "---\n"
        "schema: olm.channel\n"
        'name: "1.0"\n'
        "package: p\n"
        "entries:\n"
        "- name: p.v1\n"
        "  skips:\n"
        "  - a\n"
        '  - "no"\n'
        "text: |\n"
        "  a\n"
        "  b\n"
        "empty: {}\n"
    )


@given(json_values)
@example({"a": [], "b": {}, "{": "[,:]", '"': "\n\x00\x7f\u2028", "c": [1e-07, -0.0, 10**40]})
def test_the_quick_way_to_indent_changes_no_byte(value: Any) -> None:
    """Python's encoder with an indent is slow, and what it writes is the definition."""
    compact = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    for _ in range(101):  # the first ones are written before msgspec is loaded
        assert indented(value, compact) == json.dumps(value, indent=4, ensure_ascii=False)


def test_sorting() -> None:
    """Two catalogs with the same blobs in other orders are the same text; package, channels, bundles, rest."""
    text = "".join(rendered(ODD, is_sorted=True))
    assert "".join(rendered(reversed(ODD), is_sorted=True)) == text
    order = [(blob["schema"], blob.get("name")) for blob in blobs(load(io.StringIO(text)))]
    assert order == [
        ("olm.package", "p"),
        ("olm.channel", "c"),
        ("olm.bundle", "p.v1"),
        ("example.com/other", None),
        ("olm.deprecations", None),
        ("olm.package", "q"),
        ("olm.bundle", "q.v1"),
        ("olm.bundle", "q.v2"),
    ]


def test_half_characters_are_escaped_and_replaced() -> None:
    """Text in memory can hold what UTF-8 cannot; JSON can, as an escape, which readers replace."""
    for format_ in FORMATS:
        text = "".join(rendered([{"schema": "x", "v": "a\ud800é"}], format_))
        assert load(io.StringIO(text)).others[0].value["v"] == "a\ufffdé"


def test_files(tmp_path: Path) -> None:
    """The suffix tells the format; an existing file is replaced as a whole, with the mode of any new file."""
    for name in ("c.json", "c.jsonl", "c.yaml", "new/folder/c.YML"):
        write(ODD, tmp_path / name)
        write(from_blobs(ODD), tmp_path / name)
        assert load(tmp_path / name) == from_blobs(ODD)
    (tmp_path / "plain").touch()
    assert stat.S_IMODE((tmp_path / "c.json").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    write(ODD, tmp_path / "plain", "yaml")
    assert load(tmp_path / "plain") == from_blobs(ODD)
    before = (tmp_path / "c.json").read_bytes()
    with pytest.raises(CatalogError, match=r"v is nan"):
        write([{"schema": "x", "v": float("nan")}], tmp_path / "c.json")
    assert (tmp_path / "c.json").read_bytes() == before
    assert not list(tmp_path.glob(".*"))


def test_what_cannot_be_written(tmp_path: Path) -> None:
    """One clear error that names the file."""
    with pytest.raises(CatalogError, match="does not show the format"):
        write(ODD, tmp_path / "catalog")
    with pytest.raises(CatalogError, match=r"/proc/nowhere/c.json: cannot be written"):
        write(ODD, "/proc/nowhere/c.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(CatalogError, match="cannot be written"):
        write(ODD, tmp_path / "folder.json")


@pytest.mark.parametrize("format_", FORMATS)
def test_splitting_and_joining(tmp_path: Path, format_: Format) -> None:
    """A folder for each package, as the documentation lays catalogs out, is the catalog again when it is loaded."""
    catalog = from_blobs([*ODD, {"schema": "free", "v": 1}])
    files = split(catalog, tmp_path / "out", format_)
    assert [str(file.relative_to(tmp_path)) for file in files] == [
        f"out/p/catalog.{format_}",
        f"out/q/catalog.{format_}",
        f"out/catalog.{format_}",
    ]
    reloaded = load(tmp_path / "out")
    assert reloaded.packages == catalog.packages
    assert sorted(_texts(blobs(reloaded))) == sorted(_texts(blobs(catalog)))


def test_fields_in_another_letter_case_name_the_folder_too(tmp_path: Path) -> None:
    """opm honours ``Schema`` as ``schema``; a package would otherwise be parted from its channels, and sorted last."""
    odd: list[dict[str, Any]] = [
        {"schema": "olm.channel", "package": "p", "name": "stable", "entries": [{"name": "p.v1"}]},
        {"Schema": "olm.package", "NAME": "p", "defaultChannel": "stable"},
    ]
    assert split(odd, tmp_path / "out", "jsonl", is_sorted=True) == [tmp_path / "out" / "p" / "catalog.jsonl"]
    lines = (tmp_path / "out" / "p" / "catalog.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == odd[::-1]


@pytest.mark.parametrize("name", ["..", ".", "a/b", "/etc", "a\\b", "a\0b", "catalog.yaml", ".indexignore", "c:"])
def test_names_that_are_no_folders(tmp_path: Path, name: str) -> None:
    """A package's name comes from a file that a stranger wrote; it must not lead out of the folder."""
    with pytest.raises(CatalogError):
        split([{"schema": "olm.package", "name": name}], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_folders_that_are_in_use(tmp_path: Path) -> None:
    """Files that are left there would be part of the catalog; names that differ in case are one on some systems."""
    (tmp_path / "old.yaml").touch()
    with pytest.raises(CatalogError, match="the folder is not empty"):
        split(ODD, tmp_path)
    with pytest.raises(CatalogError, match='"A" and "a"'):
        split([{"schema": "olm.package", "name": name} for name in ("A", "a")], tmp_path / "new")


def test_a_value_that_is_too_deep_is_refused() -> None:
    """Values made in memory have no bound until they are written."""
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(CatalogError, match="nested more than"):
        "".join(rendered([{"schema": "x", "v": value}], "yaml"))
    deep = Catalog({}, from_blobs([{"schema": "x"}]).others)
    assert list(blobs(deep))


def test_real_catalogs_come_back() -> None:
    """Every catalog at hand, through text, blob by blob and field by field.

    The short run takes a ninth of the packages as JSON, and one in 36 as YAML.
    """
    for path in sorted((shared() / "catalogs").glob("*.gz")):
        catalog = real_catalog(path.name)
        packages = list(catalog.packages.items())
        _comes_back(attrs.evolve(catalog, packages=dict(sampled(packages, 9))), "json")
        _comes_back(attrs.evolve(catalog, packages=dict(sampled(packages, 36))), "yaml")


def _comes_back(catalog: Catalog, format_: Format) -> None:
    reloaded = load(io.StringIO("".join(rendered(catalog, format_))))
    assert reloaded == catalog, catalog.origin
    assert _texts(blobs(reloaded)) == _texts(blobs(catalog)), catalog.origin
