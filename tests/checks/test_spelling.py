"""What opm passes over without a word: misspelt names, and what the documented schemas do not allow."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

import olmsolve
from olmsolve.authoring.checks import Finding, Severity
from olmsolve.authoring.checks.validation import checked_blob
from olmsolve.catalog import Origin, write
from olmsolve.catalog.fbc import Document

PACKAGE: Final[dict[str, Any]] = {"schema": "olm.package", "name": "p", "defaultChannel": "c"}
CHANNEL: Final[dict[str, Any]] = {"schema": "olm.channel", "package": "p", "name": "c", "entries": [{"name": "p.v1"}]}
BUNDLE: Final[dict[str, Any]] = {
    "schema": "olm.bundle",
    "package": "p",
    "name": "p.v1",
    "image": "q.io/p:1",
    "properties": [{"type": "mine", "value": {"nme": 1, "Name": 2}}],
    "relatedImages": [{"name": "", "image": "q.io/p:1"}],
}
DEPRECATIONS: Final[dict[str, Any]] = {
    "schema": "olm.deprecations",
    "package": "p",
    "entries": [{"reference": {"schema": "olm.package"}, "message": "m"}],
}


def findings(blob: dict[str, Any]) -> tuple[Finding, ...]:
    return checked_blob(Document(blob, Origin("f", 1, 1))).findings


@pytest.mark.parametrize("blob", [PACKAGE, CHANNEL, BUNDLE, DEPRECATIONS, {"schema": "my.own", "nmae": 1}])
def test_documented_names_are_silent(blob: dict[str, Any]) -> None:
    """So are values of properties and blobs of others, which may have any fields."""
    assert findings(blob) == ()


@pytest.mark.parametrize(
    ("blob", "path", "meant"),
    [
        ({**PACKAGE, "defaultChanel": "c"}, "defaultChanel", "defaultChannel"),
        ({**PACKAGE, "icon": {"base64Data": ""}}, "icon.base64Data", "base64data"),
        ({**CHANNEL, "entries": [{}, {"replace": "a"}]}, "entries[1].replace", "replaces"),
        ({**CHANNEL, "entries": [{"skiprRange": "a"}]}, "entries[0].skiprRange", "skipRange"),
        ({**CHANNEL, "entries": [{"skiprange": "a"}]}, "entries[0].skiprange", "skipRange"),
        ({**CHANNEL, "Entries": []}, "Entries", "entries"),
        ({**BUNDLE, "relatedImage": []}, "relatedImage", "relatedImages"),
        ({**BUNDLE, "properties": [{"typ": "a"}]}, "properties[0].typ", "type"),
        ({**DEPRECATIONS, "entries": [{"mesage": "a"}]}, "entries[0].mesage", "message"),
        ({**DEPRECATIONS, "entries": [{"reference": {"shema": "a"}}]}, "entries[0].reference.shema", "schema"),
        ({"schema": "olm.packge", "name": "p"}, "schema", "olm.package"),
        ({"schema": "OLM.Bundle", "name": "p"}, "schema", "olm.bundle"),
    ],
)
def test_did_you_mean(blob: dict[str, Any], path: str, meant: str) -> None:
    """Each misspelling gets one warning, at the name, with the name that was meant."""
    misspelt = [
        finding for finding in findings(blob) if finding.code in ("field-case", "field-unknown", "schema-unknown")
    ]
    assert [(finding.property, finding.severity) for finding in misspelt] == [(path, Severity.WARNING)]
    assert meant in misspelt[0].hint


@pytest.mark.parametrize(
    ("blob", "path"),
    [
        ({**CHANNEL, "entries": [{"name": "a", "replaces": ""}]}, "entries[0].replaces"),
        ({**CHANNEL, "entries": [{"name": "a", "skipRange": ""}]}, "entries[0].skipRange"),
        ({**BUNDLE, "properties": [{"value": 1}]}, "properties[0].type"),
        ({**BUNDLE, "properties": [{"type": "a", "value": None}]}, "properties[0].value"),
        ({**BUNDLE, "relatedImages": [{"name": "a"}]}, "relatedImages[0].image"),
        ({**DEPRECATIONS, "name": "a"}, "name"),
        ({**DEPRECATIONS, "entries": []}, "entries"),
    ],
)
def test_the_rules_of_the_documented_schemas(blob: dict[str, Any], path: str) -> None:
    """opm accepts these, and the next reader need not."""
    broken_rules = [finding for finding in findings(blob) if finding.code == "schema-rule"]
    assert [(finding.property, finding.severity) for finding in broken_rules] == [(path, Severity.WARNING)]


def test_reserved_schemas() -> None:
    """A schema of one's own that begins with olm. may get a meaning one day."""
    (finding,) = findings({"schema": "olm.mine", "name": "x"})
    assert (finding.code, finding.severity) == ("schema-unknown", Severity.WARNING)


@pytest.mark.parametrize("scheme", ["pep440", "calendar"])
def test_versions_of_ones_own_are_judged_as_opm_does(tmp_path: Path, scheme: str) -> None:
    """The verdict is the one of opm, which refuses 24.04: one line says so, and no line calls the scheme misspelt."""
    catalog = olmsolve.catalog_of(olmsolve.package("draw").channel("stable", "24.04 < 24.10"), scheme=scheme)
    write(catalog, tmp_path / "catalog.json")
    for judged in (catalog, tmp_path / "catalog.json"):
        named, *others = olmsolve.validate(judged)
        assert (named.code, named.severity, named.property) == ("schema-unknown", Severity.WARNING, "schema")
        assert f"as {scheme} versions" in named.message
        assert named.message.endswith("findings about versions follow opm")
        assert {finding.code for finding in others} == {"version-invalid"}
