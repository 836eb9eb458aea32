"""What lint reports on a catalog, where, and in which order."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve import load
from olmsolve.authoring.checks import CODES, Finding, Severity, lint
from olmsolve.authoring.checks.lints import KNOWN_TYPES, meant_type
from olmsolve.catalog.fbc import from_blobs, linking
from olmsolve.cli.topics import finding_guides
from olmsolve.predicates import REQUIREMENT_TYPES
from tests.recorded import real_catalog, shared

RULE = "properties.exists(p, p.type == 'a' && p.type == 'b')"
GVK = {"gvk": {"group": "g", "version": "v1", "kind": "K"}}


def package(name: str, versions: dict[str, list[dict[str, Any]]], skip_range: str = "") -> list[dict[str, Any]]:
    """A package with one channel and a bundle for each version, with its properties."""
    names = [f"{name}.v{version}" for version in versions]
    entries: list[dict[str, Any]] = [{"name": bundle_name} for bundle_name in names]
    if skip_range:
        entries[-1]["skipRange"] = skip_range
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": name, "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": name, "name": "stable", "entries": entries},
    ]
    for bundle, (version, properties) in zip(names, versions.items(), strict=True):
        own = {"type": "olm.package", "value": {"packageName": name, "version": version}}
        blobs.append({"schema": "olm.bundle", "package": name, "name": bundle, "properties": [own, *properties]})
    return blobs


def required(versions: str) -> dict[str, Any]:
    return {"type": "olm.package.required", "value": {"packageName": "q", "versionRange": versions}}


def constraint(value: dict[str, Any]) -> dict[str, Any]:
    return {"type": "olm.constraint", "value": value}


def in_package(name: str, versions: str) -> dict[str, Any]:
    return {"package": {"packageName": name, "versionRange": versions}}


def compound(kind: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {kind: {"constraints": list(parts)}}


def linted(*properties: dict[str, Any], skip_range: str = "") -> list[tuple[str, str, str]]:
    """Severity, code and place of the findings on one bundle and its channel."""
    catalog = linking.from_blobs(package("p", {"1.0.0": list(properties)}, skip_range))
    return [(finding.severity.value, finding.code, finding.property) for finding in lint(catalog)]


def test_a_good_bundle_has_no_findings() -> None:
    """People turn off what complains about everything."""
    good = constraint(compound("any", in_package("q", ">=1.0.0 <2.0.0"), GVK))
    types: list[dict[str, Any]] = [
        {"type": known, "value": {}} for known in KNOWN_TYPES if known not in REQUIREMENT_TYPES
    ]
    assert (
        linted(good, required("<1.0.0 || >=2.0.0"), *types, {"type": "certified", "value": 1}, skip_range="<1.0.0")
        == []
    )


LINTS: list[tuple[dict[str, Any], str, str, str]] = [
    (required(">=1.0.0 2"), "warning", "range-warning", ": versionRange"),
    (required(">2.0.0 <1.0.0"), "error", "empty-range", ": versionRange"),
    (required("^1"), "error", "requirement-syntax", ": versionRange"),
    (constraint({"cel": {"rule": "1 +"}}), "error", "requirement-syntax", ": cel.rule"),
    (constraint({"cel": {"rule": RULE}}), "error", "rule-never-matches", ": cel.rule"),
    (
        constraint(compound("any", {"cel": {"rule": RULE}}, GVK)),
        *("warning", "rule-never-matches", ": any.constraints[0].cel.rule"),
    ),
    (
        constraint(compound("any", GVK, compound("any", in_package("q", "!=1.x")))),
        *("warning", "empty-range", ": any.constraints[1].any.constraints[0].package.versionRange"),
    ),
    (constraint({}), "error", "requirement-syntax", ""),
    ({"type": "olm.gvk.require", "value": 1}, "warning", "property-type", ""),
    (constraint(compound("all", GVK, GVK)), "note", "semantics-differ", ""),
]


@pytest.mark.parametrize(
    ("item", "severity", "code", "path"), LINTS, ids=[f"{lint_case[2]}{lint_case[3]}" for lint_case in LINTS]
)
def test_each_lint_names_the_field(item: dict[str, Any], severity: str, code: str, path: str) -> None:
    """A finding that does not lead to the place costs the reader the time that it was to save."""
    assert (severity, code, f"properties[1] ({item['type']}){path}") in linted(item)


def test_every_code_is_said_in_advance() -> None:
    """Programs select by code."""
    codes = {code for _, _, code, _ in LINTS} | {"api-name", "skip-range-syntax", "excludes-itself", "second-opinion"}
    codes |= {"v1-bundle", "v1-channel", "v1-update", "requirements-circular"}
    assert codes == set(CODES)


@pytest.mark.parametrize(
    ("skip_range", "code"),
    [("<v1.4.0", "skip-range-syntax"), (">=1.7.0 <1.7.0", "empty-range"), (">=1.0.0 <1.0.5+b", "range-warning")],
)
def test_skip_ranges(skip_range: str, code: str) -> None:
    """Catalogs of today have all of these ranges, which quietly skip nothing, or other versions than meant."""
    assert linted(skip_range=skip_range) == [("warning", code, "entries[0].skipRange")]


@pytest.mark.parametrize(
    ("forbidden", "consequence"),
    [
        (compound("not", in_package("p", "<2.0.0")), "it can never be selected"),
        (compound("all", GVK, compound("not", in_package("p", "<2.0.0"))), "it can never be selected"),
        (compound("any", GVK, compound("not", in_package("p", "<2.0.0"))), "it can never meet this alternative"),
        (compound("not", in_package("p", ">=2.0.0")), ""),
    ],
)
def test_bundles_that_exclude_themselves(forbidden: dict[str, Any], consequence: str) -> None:
    """An author who excludes older versions of the bundle easily excludes the bundle itself."""
    catalog = linking.from_blobs(package("p", {"1.0.0": [constraint(forbidden)]}))
    messages = [finding.message for finding in lint(catalog) if finding.code == "excludes-itself"]
    assert len(messages) == bool(consequence)
    assert all(message.endswith(consequence) for message in messages)


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("olm.gvk.require", "olm.gvk.required"),
        ("olm.GVK", "olm.gvk"),
        ("olm.gvks", "olm.gvk"),
        ("olm.skiprange", "olm.skipRange"),
        ("olm.package-required", "olm.package.required"),
        ("gvk.required", "olm.gvk.required"),
        ("olm.maxOpenshiftVersion", "olm.maxOpenShiftVersion"),
        ("olm.constraints", "olm.constraint"),
        ("Olm.Constraint", "olm.constraint"),
        ("olm.package", ""),
        ("package", ""),
        ("certified", ""),
        ("features.example.com/tier", ""),
        ("olm.maturity", ""),
        ("", ""),
    ],
)
def test_near_misses_of_types(written: str, wanted: str) -> None:
    """A misspelt type has no effect, and nobody is told; a type of the author's own is fine."""
    assert meant_type(written) == wanted


def many() -> list[dict[str, Any]]:
    bad = [required(">=1.0.0 2"), {"type": "olm.gvk.require", "value": 1}, constraint(compound("not", GVK))]
    packages = [package(name, {"1.0.0": bad, "0.9.0": bad}, ">1.0.0 <1.0.0") for name in ("b", "a", "c")]
    return [blob for blobs in packages for blob in blobs]


def test_the_order_does_not_depend_on_files() -> None:
    """Reports are compared from day to day."""
    blobs = many()
    expected = lint(linking.from_blobs(blobs))
    assert [finding.package for finding in expected] == sorted(finding.package for finding in expected)
    assert len(expected) == 3 * (1 + 2 * 3)
    random.Random(1).shuffle(blobs)
    assert lint(linking.from_blobs(blobs)) != ()
    assert [attributes(finding) for finding in lint(linking.from_blobs(blobs))] == [attributes(f) for f in expected]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["gvk", "package", "cel", "not"]), inner, max_size=3)
    ),
    max_leaves=8,
)
WORDS = [">=1.0.0 2", ">1.0.0 <1.0.0", "1.x", "", RULE, "true", "p", "\ud800"]
LEAVES = [
    in_package("p", "<2.0.0"),
    in_package("p", "!=1.x"),
    {"cel": {"rule": RULE}},
    {"cel": {"rule": "true"}},
    GVK,
    {},
]
CONSTRAINTS = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.builds(
        lambda kind, parts: compound(kind, *parts), st.sampled_from(["all", "any", "not"]), st.lists(inner, max_size=3)
    ),
    max_leaves=6,
)
PROPERTIES = st.fixed_dictionaries(
    {
        "type": st.sampled_from([*KNOWN_TYPES, "olm.gvk.require", "", "x"]),
        "value": CONSTRAINTS
        | JSON
        | st.dictionaries(
            st.sampled_from(["packageName", "versionRange", "group", "version", "kind", "label", "cel"]),
            JSON | st.sampled_from(WORDS),
        ),
    }
)


@given(st.lists(PROPERTIES, max_size=4), st.sampled_from(WORDS))
def test_whatever_a_catalog_holds_is_linted(properties: list[dict[str, Any]], skip_range: str) -> None:
    """Lints are for broken catalogs above all."""
    catalog = linking.from_blobs(package("p", {"1.0.0": properties}, skip_range))
    for finding in lint(catalog):
        assert finding.code in CODES
        assert str(finding)
        assert finding.to_dict()["severity"] == finding.severity


def test_long_texts_are_cut() -> None:
    """A range can be as long as a file, and each of its terms worth a warning."""
    terms = " ".join(f">=1.0.0+b{number}" for number in range(5000))
    findings = lint(
        linking.from_blobs(package("p", {"1.0.0": [required(terms), {"type": "olm.gvk" * 9999, "value": 1}]}))
    )
    assert len(findings) == 5000
    assert max(len(str(finding)) for finding in findings) < 1000


def attributes(finding: Finding) -> dict[str, Any]:
    return {name: value for name, value in finding.to_dict().items() if name != "origin"}


def test_findings_say_themselves(tmp_path: Path) -> None:
    """In text for people and as data for programs, with the line of the file."""
    file = tmp_path / "catalog.jsonl"
    file.write_text("\n".join(map(json.dumps, package("p", {"1.0.0": [{"type": "olm.gvk.require", "value": 1}]}))))
    (finding,) = lint(load(file))
    assert finding.severity is Severity.WARNING
    assert str(finding) == (
        f"{file}:3: package p, bundle p.v1.0.0, properties[1] (olm.gvk.require): warning: the type 'olm.gvk.require'"
        " means nothing to Operator Lifecycle Manager (did you mean olm.gvk.required?)"
    )
    assert finding.to_dict() == {
        "severity": "warning",
        "code": "property-type",
        "message": "the type 'olm.gvk.require' means nothing to Operator Lifecycle Manager",
        "hint": "did you mean olm.gvk.required?",
        "package": "p",
        "bundle": "p.v1.0.0",
        "property": "properties[1] (olm.gvk.require)",
        "origin": f"{file}:3",
        "fix": "write olm.gvk.required",
    }


def test_real_catalogs_take_seconds() -> None:
    """The largest catalog has 6,890 bundles; people have read all its findings and found them true."""
    catalogs = [real_catalog(file.name) for file in sorted((shared() / "catalogs").glob("*.gz"))]
    started = time.process_time()
    findings = [finding for catalog in catalogs for finding in lint(catalog)]
    assert time.process_time() - started < 10
    assert {finding.code for finding in findings} <= set(CODES)
    meant = [(finding.code, finding.bundle, finding.channel) for finding in findings if finding.code[:3] != "v1-"]
    assert meant == [("empty-range", "datadog-operator.v1.7.0", "stable")]
    unwritable = {(finding.package, finding.channel) for finding in findings if finding.code == "v1-channel"}
    assert unwritable == {
        *(("aws-neuron-operator", name) for name in ("Fast", "Stable")),
        *(("postgresql", f"original_{number}") for number in (40, 41, 42, 43)),
    }
    refused = {finding.package for finding in findings if finding.code == "v1-bundle"}
    assert refused == {
        *("cat-facts-operator", "koku-metrics-operator", "kubernaut-operator", "multicluster-global-hub-operator"),
        *("rsct-operator", "visionone-containersecurity"),
    }
    assert not any(finding.code == "v1-update" for finding in findings)


def test_every_code_and_field_is_described() -> None:
    """People look up a code that they meet in a report."""
    page = (Path(__file__).parents[2] / "docs" / "lint.md").read_text("utf-8")
    fields = {"severity", "code", "message", "hint", "package", "channel", "bundle", "property", "origin"}
    assert [word for word in {*fields, *Severity} if f"`{word}`" not in page] == []
    guides = finding_guides()
    assert [code for code in CODES if not (guides[code].means and guides[code].do and guides[code].severity)] == []


@pytest.mark.parametrize(
    ("api", "fields"),
    [
        ({"group": "example.com", "version": "v1beta1", "kind": "Widget"}, []),
        ({"group": "", "version": "v1", "kind": "Pod"}, []),
        ({"Group": "a-1.b", "VERSION": "v1", "kind": "X9"}, []),
        ({"group": "Example.com", "version": "v1", "kind": "W"}, ["group"]),
        ({"group": "a..b", "version": "v1", "kind": "W"}, ["group"]),
        ({"group": "a/b", "version": "v1", "kind": "W"}, ["group"]),
        ({"group": "a" * 64, "version": "v1", "kind": "W"}, ["group"]),
        ({"group": "a", "version": "1", "kind": "W"}, ["version"]),
        ({"group": "a", "version": "v1.0", "kind": "W"}, ["version"]),
        ({"group": "a", "version": "V1", "kind": "W w"}, ["version", "kind"]),
        ({"group": "a", "kind": "1W"}, ["kind"]),
    ],
)
@pytest.mark.parametrize("type_", ["olm.gvk", "olm.gvk.required"])
def test_names_of_apis(api: dict[str, str], fields: list[str], type_: str) -> None:
    """An API whose name no API server accepts is provided by nothing, however the catalog resolves."""
    bundle = {"schema": "olm.bundle", "package": "p", "name": "p.v1", "properties": [{"type": type_, "value": api}]}
    findings = [finding for finding in lint(from_blobs([bundle])) if finding.code == "api-name"]
    assert [finding.property for finding in findings] == [f"properties[0] ({type_}): {field}" for field in fields]
