"""Validation: all faults at once, each where it is, and nothing that a file holds can stop it."""

from __future__ import annotations

import base64
import json
import os
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from olmsolve.authoring.checks import Finding, Severity, validate
from olmsolve.authoring.checks.validation import STAGES, stage, verdict
from olmsolve.catalog import fbc
from olmsolve.catalog.images import image_fault
from olmsolve.errors import CatalogError

SHARED: Final = Path(os.environ.get("OLMSOLVE_SHARED", Path(__file__).parents[2].parent / "shared"))
DIGITS: Final = "0123456789abcdef" * 4


def package(**fields: Any) -> dict[str, Any]:
    return {"schema": "olm.package", "name": "p", "defaultChannel": "stable"} | fields


def channel(*entries: Any, **fields: Any) -> dict[str, Any]:
    return {"schema": "olm.channel", "package": "p", "name": "stable", "entries": list(entries)} | fields


def bundle(version: str = "1.0.0", *properties: Any, **fields: Any) -> dict[str, Any]:
    own = {"type": "olm.package", "value": {"packageName": "p", "version": version}}
    blob = {"schema": "olm.bundle", "package": "p", "name": f"p.v{version}", "image": "quay.io/p/p:1"}
    return blob | {"properties": [own, *properties]} | fields


def entry(version: str, **fields: Any) -> dict[str, Any]:
    return {"name": f"p.v{version}"} | fields


def priority(value: Any) -> dict[str, Any]:
    return {"type": "olm.channel", "value": {"channelName": "stable", "priority": value}}


VALID: Final = (package(), channel(entry("1.0.0")), bundle())


def findings_of(folder: Path, *blobs: Any) -> list[Finding]:
    (folder / "catalog.json").write_text("\n".join(map(json.dumps, blobs)), "utf-8")
    return list(validate(folder))


def codes(findings: Iterable[Finding]) -> list[str]:
    return [finding.code for finding in findings]


def test_all_faults_at_once_with_their_places(tmp_path: Path) -> None:
    """Whoever repairs a catalog wants to read it through once, not once per fault."""
    (tmp_path / "a.yaml").write_text(
        "schema: olm.package\nname: q\n---\nhello: world\n---\nschema: olm.bundle\nname: 5\n"
    )
    (tmp_path / "b.json").write_text("{]")
    lines = [json.dumps(package(icon={"base64data": "?"})), json.dumps(channel(entry("1.0.0", skips=["", "x"])))]
    (tmp_path / "c.json").write_text("\n".join(lines))
    findings = validate(tmp_path)
    icon, skip = lines[0].index('"base64data"') + 1, lines[1].index('""') + 1
    places = [(finding.code, str(finding.origin).rpartition("/")[2], finding.property) for finding in findings]
    assert places == [
        ("schema-missing", "a.yaml:4", ""),
        ("field-type", "a.yaml:7:1", "name"),
        ("unreadable", "b.json:1", ""),
        ("icon-data", f"c.json:1:{icon}", "icon.base64data"),
        ("skip-empty", f"c.json:2:{skip}", "entries[0].skips[0]"),
        ("default-channel-missing", "a.yaml:1", ""),
    ]
    assert {finding.severity for finding in findings} == {Severity.ERROR}
    assert [stage(finding) for finding in findings] == ["load"] * 4 + ["convert"] * 2


def test_what_cannot_be_read_is_not_said_to_be_missing(tmp_path: Path) -> None:
    """One broken file must not turn all that refers to it into findings; repaired, the rest is judged."""
    blobs = (package(), channel(entry("1.0.0"), entry("1.1.0", replaces="p.v1.0.0")), bundle())
    (tmp_path / "z.json").write_text('{"schema": "olm.bundle"')
    assert codes(findings_of(tmp_path, *blobs)) == ["unreadable"]
    (tmp_path / "z.json").unlink()
    assert codes(findings_of(tmp_path, *blobs)) == ["entry-without-bundle"]
    assert codes(findings_of(tmp_path, *blobs, bundle("1.1.0", image=5))) == ["field-type"]


@pytest.mark.parametrize(
    ("blobs", "expected"),
    [
        (VALID, []),
        ((*VALID, package(name="a" * 64)), ["default-channel-unknown", "package-empty", "package-name-invalid"]),
        ((*VALID, package()), ["package-duplicate"]),
        ((package(), channel(entry("1.0.0"), None), bundle()), ["channel-heads", "entry-name-missing"]),
        ((package(), channel(entry("1.0.0", skipRange=">=1.0.0 || || <2.0.0")), bundle()), ["skip-range-empty-part"]),
        ((package(), channel(entry("1.0.0", skipRange="<2.0.0 || ||")), bundle()), ["skip-range-invalid"]),
        ((package(), channel(entry("1.0.0")), bundle("1.0.0", {"type": "x"})), ["property-value"]),
        ((package(), channel(entry("1.0.0")), bundle("1.0.0", None)), ["property-value"]),
        ((package(), channel(entry("1.0.0")), bundle("1.0.0", priority("1"))), ["property-value"]),
        ((package(), channel(entry("1.0.0")), bundle("1.0.0", priority(1))), []),
        ((package(), channel(entry("1.0.0")), bundle("1.0.0", {"type": "olm.bundle.object"})), ["bundle-object"]),
        ((package(), channel(entry("1.0.0")), bundle(relatedImages=[{"image": "A"}, None])), ["image-invalid"]),
        ((*VALID, {"schema": "olm.deprecations", "package": "p", "entries": [None]}), ["deprecation-schema-missing"]),
        ((*VALID, {"schema": "my.own", "Schema": "x"}), ["field-case", "key-twice"]),
        ((*VALID, {"schema": "my.own", "package": None}), ["field-type"]),
    ],
)
def test_faults_beside_the_recorded_ones(tmp_path: Path, blobs: tuple[Any, ...], expected: list[str]) -> None:
    """Neighbours of recorded cases, from the rules that these taught."""
    assert sorted(set(codes(findings_of(tmp_path, *blobs)))) == sorted(set(expected))


def test_manifests_inside_of_bundles_are_read_as_text_only(tmp_path: Path) -> None:
    """A tag or an alias bomb in a manifest has no effect; invalid YAML is an error of loading."""
    cases: list[tuple[bytes | list[int | None], list[str]]] = [
        (b"kind: ConfigMap", []),
        (b'{"kind":\t"ConfigMap"}', ["v1-bundle"]),
        (b"!!python/object/apply:os.abort []", []),
        (b"a: b: c", ["bundle-object"]),
        (b"\xff\xfe\xfa", ["bundle-object"]),
        (b"{" * 100_000, ["bundle-object"]),
        # Go takes a list of numbers for bytes; null is zero, a sign that YAML does not allow.
        ([123, 125], []),
        ([1], ["bundle-object"]),
        ([None], ["bundle-object"]),
    ]
    for text, expected in cases:
        data = text if isinstance(text, list) else base64.b64encode(text).decode()
        item = {"type": "olm.bundle.object", "value": {"data": data}}
        assert codes(findings_of(tmp_path, package(), channel(entry("1.0.0")), bundle("1.0.0", item))) == expected


def test_numbers_beyond_a_double(tmp_path: Path) -> None:
    """Text to opm in YAML, which is worth a remark, and a fault in JSON lines."""
    (tmp_path / "catalog").write_text("---\nschema: x\nn: 1e400\n---\nschema: olm.package\nname: p\n")
    assert codes(list(validate(tmp_path))) == ["yaml-dialect", "default-channel-missing", "package-empty"]
    (tmp_path / "catalog").write_text('{"schema":"x"}\n' * 2 + '{"schema":"x","n":1e400,"s":"1e400"}')
    assert codes(list(validate(tmp_path))) == ["unreadable"]


@pytest.mark.parametrize(
    ("reference", "is_valid"),
    [
        ("localhost:5000/x", True),
        ("quay.io/a__b/c-d.e:V_1", True),
        ("[::1]:5000/x", True),
        (f"q.io/x:1@sha256:{DIGITS}", True),
        (f"q.io/x@sha256:{DIGITS.upper()}", False),
        (f"q.io/x@sha512:{DIGITS}", False),
        (f"q.io/x@md5:{DIGITS[:32]}", False),
        ("q.io/x:" + "a" * 129, False),
        ("q.io/" + "a" * 256, False),
        ("q.io/X", False),
        ("q.io//x", False),
        ("q.io/x\n", False),
        (DIGITS, False),
        (("a" * 5_000) + "!", False),
    ],
)
def test_image_references(reference: str, is_valid: bool) -> None:
    """The grammar of the distribution project, to which opm leaves the judgement."""
    assert (image_fault(reference) == "") is is_valid


def test_hostile_files_are_one_finding_each(tmp_path: Path) -> None:
    """No hang and no exception, and what stands beside them is still judged."""
    (tmp_path / "bomb.yaml").write_text(
        "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(f"a{n}: &a{n} [{f'*a{n - 1},' * 9}]\n" for n in range(1, 12))
    )
    (tmp_path / "deep.json").write_text('{"schema":"x","a":' + "[" * 100_000)
    # Looked for numbers beyond a double, these must cost no more than their length: the square would be hours.
    (tmp_path / "digits.json").write_text('{"schema":"x","a":' + "9" * 2_000_000)
    (tmp_path / "escapes.json").write_text('{"schema":"x","a":"' + '\\"' * 2_000_000)
    (tmp_path / "latin.yaml").write_bytes(b"schema: \xe9\n")
    (tmp_path / "nul.json").write_bytes(b"\0\0")
    (tmp_path / "v.json").write_text("".join(map(json.dumps, VALID)))
    findings = validate(tmp_path)
    assert [finding.code for finding in findings] == ["unreadable"] * 6
    assert [str(finding.origin).rpartition("/")[2].split(":")[0].split(",")[0] for finding in findings] == [
        "bomb.yaml",
        "deep.json",
        "digits.json",
        "escapes.json",
        "latin.yaml",
        "nul.json",
    ]


def test_faults_beyond_number_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of empty objects would take a hundred times its length in findings that nobody reads."""
    monkeypatch.setattr(verdict, "_MOST", 3)
    (tmp_path / "empty.json").write_text("{}\n" * 10)
    (tmp_path / "v.json").write_text("".join(map(json.dumps, VALID)))
    findings = validate(tmp_path)
    assert codes(findings) == ["schema-missing"] * 4
    assert [finding.origin.line for finding in findings if finding.origin] == [1, 2, 3, 10]
    assert findings[-1].message.startswith("7 more")
    assert findings[-1].severity is Severity.ERROR


def test_links_and_special_files_are_findings(tmp_path: Path) -> None:
    """Such files make the whole folder unreadable, which is a verdict on the catalog and not an accident."""
    (tmp_path / "loop").symlink_to("loop")
    assert codes(list(validate(tmp_path))) == ["unreadable"]
    (tmp_path / "loop").unlink()
    os.mkfifo(tmp_path / "fifo")
    assert codes(list(validate(tmp_path))) == ["unreadable"]


def test_a_path_that_cannot_be_opened_is_no_verdict(tmp_path: Path) -> None:
    """A path without a catalog must not look like an invalid catalog, nor like a valid one."""
    for path in (tmp_path / "absent", "", "a\0b"):
        with pytest.raises(CatalogError):
            validate(path)


def test_files_archives_and_models_get_one_verdict(tmp_path: Path) -> None:
    """However a catalog arrives, it is the same catalog."""
    blobs = (package(), channel(entry("1.0.0"), entry("1.1.0")), bundle(), bundle("1.1.0", image=""))
    expected = codes(findings_of(tmp_path, *blobs))
    assert expected == ["channel-heads", "image-missing"]
    file = tmp_path / "catalog.json"
    assert codes(list(validate(file))) == expected
    with tarfile.open(tmp_path / "c.tar", "w") as archive:
        archive.add(file, "folder/catalog.json")
    assert codes(list(validate(tmp_path / "c.tar"))) == expected
    assert codes(list(validate(fbc.load(file)))) == expected
    assert codes(list(validate(fbc.from_blobs(blobs)))) == expected


JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "p", "stable", "p.v1.0.0", "1.0.0", "="]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "type", "value", "Skips"]), inner)
    ),
    max_leaves=5,
)
PLACES: Final[list[tuple[Any, ...]]] = [
    *[(0, name) for name in ("schema", "name", "defaultChannel", "icon", "DESCRIPTION", "properties")],
    *[(1, name) for name in ("schema", "package", "name", "entries", "properties")],
    *[(1, "entries", 0, name) for name in ("name", "replaces", "skips", "skipRange", "SkipRange")],
    *[(2, name) for name in ("schema", "package", "name", "image", "properties", "relatedImages")],
    *[(2, "properties", 0, name) for name in ("type", "value", "Value")],
    *[(2, "properties", 0, "value", name) for name in ("packageName", "version", "release")],
    *[(3, name) for name in ("schema", "package", "entries")],
    *[(3, "entries", 0, name) for name in ("reference", "message")],
    (3, "entries", 0, "reference", "schema"),
]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(st.sampled_from(PLACES), JSON), max_size=3))
def test_mutants_never_raise_and_never_vary(tmp_path: Path, changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    """Whatever a document holds is a finding; loading accepts no more than validation does."""
    reference = {"schema": "olm.channel", "name": "stable"}
    blobs = [*json.loads(json.dumps(VALID)), {"schema": "olm.deprecations", "package": "p"}]
    blobs[3]["entries"] = [{"reference": reference, "message": "old"}]
    for path, value in changes:
        target: Any = blobs
        for step in path[:-1]:
            try:
                target = target[step]
            except (KeyError, IndexError, TypeError):
                break
        else:
            if isinstance(target, dict):
                target[path[-1]] = value
    findings = findings_of(tmp_path, *blobs)
    assert findings == findings_of(tmp_path, *blobs)
    assert all(finding.code in STAGES and str(finding) for finding in findings)
    if not any(stage(finding) == "load" and finding.severity is Severity.ERROR for finding in findings):
        try:
            catalog = fbc.load(tmp_path)
        except CatalogError:
            return
        validate(catalog)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\ufeff" + "".join(json.dumps(blob) + "\n" for blob in VALID), 2),
        ("---\nschema: x\n...\n# comment\n\nschema: y\n---\nschema: z\n", 6),
        ("{schema: x}\n{schema: y}\n", 2),
        ("---\nschema: x\n...\n# comment\n\n---\nschema: z\n", 0),
        ("---\n{schema: x} # comment\n", 0),
    ],
)
def test_text_that_nobody_reads(tmp_path: Path, text: str, line: int) -> None:
    """Of what stands between two separators, opm reads the first document alone, and says nothing."""
    (tmp_path / "a").write_text(text, "utf-8")
    ignored = [str(finding.origin) for finding in validate(tmp_path) if finding.code == "text-ignored"]
    assert ignored == ([f"{tmp_path}/a:{line}"] if line else [])


@pytest.mark.parametrize("schema", ["olm.channel", "olm.bundle", "olm.deprecations"])
def test_a_misspelt_package_is_one_finding(tmp_path: Path, schema: str) -> None:
    """A wrong package in one document used to be told four times: there, and wherever the document is missed."""
    deprecated = [{"reference": {"schema": "olm.channel", "name": "stable"}, "message": "m"}]
    deprecations: dict[str, Any] = {"schema": "olm.deprecations", "package": "proms", "entries": deprecated}
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "proms", "defaultChannel": "stable"},
        {**channel(entry("1.0.0"), entry("1.1.0", replaces="p.v1.0.0")), "package": "proms"},
        *({**bundle(version), "package": "proms"} for version in ("1.0.0", "1.1.0")),
        deprecations,
    ]
    for blob in blobs:
        for item in blob.get("properties", ()):
            item["value"]["packageName"] = "proms"
    assert findings_of(tmp_path, *blobs) == []
    wrong = next(blob for blob in blobs if blob["schema"] == schema)
    wrong["package"] = "prms"
    (finding,) = findings_of(tmp_path, *blobs)
    assert (finding.code, finding.hint) == ("package-unknown", "did you mean proms?")
    assert finding.origin is not None
    assert (finding.origin.line, finding.origin.column) == (
        blobs.index(wrong) + 1,
        json.dumps(wrong).index('"pack') + 1,
    )
