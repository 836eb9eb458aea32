"""Mutants of a good catalog, 2,000 from seeds: the verdict is what the rules of ``opm validate`` say of each change.

The rules are those of the recorded answers (``tests/conformance``): each change names the code of the fault that it
makes, or none where ``opm`` does not look. A mutant has one to three changes of different parts of the catalog.
"""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import yaml

from olmsolve.authoring.checks import Severity, validate
from tests.scale import scaled

Blobs = list[dict[str, Any]]
MUTANTS: Final = 2_000
PACKAGE, CHANNEL, OLD, MIDDLE, NEW, DEPRECATIONS = range(6)


def catalog() -> Blobs:
    versions = ("1.0.0", "1.1.0", "1.2.0")
    bundles = [
        {
            "schema": "olm.bundle",
            "package": "p",
            "name": f"p.v{version}",
            "image": "quay.io/p/p:1",
            "relatedImages": [{"name": "operator", "image": "quay.io/p/p:1"}],
            "properties": [
                {"type": "olm.package", "value": {"packageName": "p", "version": version}},
                {"type": "olm.gvk", "value": {"group": "p.io", "version": "v1", "kind": "P"}},
            ],
        }
        for version in versions
    ]
    entries: list[dict[str, Any]] = [{"name": f"p.v{version}"} for version in versions]
    for newer, older in zip(entries[1:], entries, strict=False):
        newer["replaces"] = older["name"]
    deprecated = {"reference": {"schema": "olm.bundle", "name": "p.v1.0.0"}, "message": "old"}
    return [
        {"schema": "olm.package", "name": "p", "defaultChannel": "c"},
        {"schema": "olm.channel", "package": "p", "name": "c", "entries": entries[::-1]},
        *bundles,
        {"schema": "olm.deprecations", "package": "p", "entries": [deprecated]},
    ]


def at(*path: Any, value: Any) -> Callable[[Blobs], None]:
    """Return the change that sets the value at *path*."""

    def change(blobs: Blobs) -> None:
        target: Any = blobs
        for step in path[:-1]:
            target = target[step]
        target[path[-1]] = copy.deepcopy(value)

    return change


def without(*path: Any) -> Callable[[Blobs], None]:
    """Return the change that takes out what is at *path*."""

    def change(blobs: Blobs) -> None:
        target: Any = blobs
        for step in path[:-1]:
            target = target[step]
        del target[path[-1]]

    return change


def repeating(blob: int) -> Callable[[Blobs], None]:
    """Return the change that repeats a blob."""
    return lambda blobs: blobs.append(copy.deepcopy(blobs[blob]))


def more(*path: Any, value: Any) -> Callable[[Blobs], None]:
    """Return the change that appends to the list at *path*."""

    def change(blobs: Blobs) -> None:
        target: Any = blobs
        for step in path:
            target = target[step]
        target.append(copy.deepcopy(value))

    return change


CONSTRAINT: Final = {"type": "olm.constraint", "value": {"failureMessage": "m", "cel": {"rule": "1 +"}}}
FAULTS: Final[dict[str, list[tuple[str, Callable[[Blobs], None]]]]] = {
    # by the part of the catalog that changes: the code of the fault, "" where opm accepts, and the change
    "package": [
        ("default-channel-missing", without(PACKAGE, "defaultChannel")),
        ("default-channel-missing", at(PACKAGE, "defaultChannel", value="")),
        ("default-channel-missing", at(PACKAGE, "defaultChannel", value=None)),
        ("default-channel-unknown", at(PACKAGE, "defaultChannel", value="elsewhere")),
        ("field-type", at(PACKAGE, "defaultChannel", value=1)),
        ("icon-data", at(PACKAGE, "icon", value={"base64data": "x", "mediatype": "image/png"})),
        ("field-type", at(PACKAGE, "icon", value={"base64data": {}})),
        ("", at(PACKAGE, "icon", value={"base64data": "eHg=", "mediatype": 'no "media" type'})),
        ("", at(PACKAGE, "DESCRIPTION", value="any case")),
        ("", at(PACKAGE, "whatever", value=[{"a": 1}])),
        ("package-duplicate", repeating(PACKAGE)),
        ("key-twice", at(PACKAGE, "NAME", value="p")),
    ],
    "channel": [
        ("channel-duplicate", repeating(CHANNEL)),
        ("channel-empty", at(CHANNEL, "entries", value=[])),
        ("channel-empty", without(CHANNEL, "entries")),
        ("field-type", at(CHANNEL, "entries", value={})),
        ("field-type", at(CHANNEL, "entries", 0, "skips", value="p.v1.0.0")),
        ("entry-duplicate", more(CHANNEL, "entries", value={"name": "p.v1.0.0"})),
        ("entry-name-missing", more(CHANNEL, "entries", value={"replaces": "p.v1.2.0"})),
        ("channel-heads", without(CHANNEL, "entries", 0, "replaces")),
        ("channel-heads", at(CHANNEL, "entries", 2, "replaces", value="p.v1.2.0")),
        ("channel-heads", at(CHANNEL, "entries", 0, "skips", value=["p.v1.2.0"])),
        ("channel-stranded", at(CHANNEL, "entries", 0, "skips", value=["p.v1.1.0"])),
        ("channel-cycle", at(CHANNEL, "entries", 2, "replaces", value="p.v1.1.0")),
        ("entry-without-bundle", at(CHANNEL, "entries", 2, "name", value="other.v0")),
        ("skip-empty", at(CHANNEL, "entries", 0, "skips", value=[""])),
        ("skip-range-invalid", at(CHANNEL, "entries", 0, "skipRange", value=">>1")),
        ("skip-range-invalid", at(CHANNEL, "entries", 0, "skipRange", value="^1.0.0")),
        ("", at(CHANNEL, "entries", 0, "skipRange", value=">=1.0.0 <1.2.0")),
        ("", at(CHANNEL, "entries", 0, "skipRange", value="<=1.2.0")),
        ("", at(CHANNEL, "entries", 2, "replaces", value="p.v0.9.0")),
        ("", at(CHANNEL, "entries", 0, "skips", value=["p.v1.1.5"])),
        ("", at(CHANNEL, "entries", 0, "Skips", value=["p.v1.0.0"])),
        ("", at(CHANNEL, "entries", 0, "whatever", value=1)),
        ("bundle-without-channel", without(CHANNEL, "entries", 2)),
    ],
    "bundle": [
        ("bundle-duplicate", repeating(NEW)),
        ("image-missing", without(NEW, "image")),
        ("image-missing", at(NEW, "image", value="")),
        ("image-invalid", at(NEW, "image", value="quay.io/P:1")),
        ("image-invalid", at(NEW, "relatedImages", 0, "image", value="a b")),
        ("", at(NEW, "relatedImages", 0, "image", value="")),
        ("", without(NEW, "relatedImages")),
        ("field-type", at(NEW, "relatedImages", value="x")),
        ("field-type", at(NEW, "image", value=[])),
        ("package-property-count", at(NEW, "properties", value=[])),
        ("package-property-count", lambda blobs: blobs[NEW]["properties"].append(blobs[NEW]["properties"][0])),
        ("package-property-mismatch", at(NEW, "properties", 0, "value", "packageName", value="q")),
        ("version-invalid", at(NEW, "properties", 0, "value", "version", value="v1.2.0")),
        ("version-invalid", at(NEW, "properties", 0, "value", "version", value="1.2")),
        ("version-duplicate", at(NEW, "properties", 0, "value", "version", value="1.1.0")),
        ("property-value", at(NEW, "properties", 0, "value", "version", value=1.5)),
        ("property-value", without(NEW, "properties", 1, "value")),
        ("property-value", at(NEW, "properties", 1, "value", value=["a"])),
        ("", more(NEW, "properties", value=CONSTRAINT)),
        ("", more(NEW, "properties", value={"type": "mine", "value": {}})),
        ("", more(NEW, "properties", value={"value": 1})),
        ("", more(NEW, "properties", value={"type": "olm.package.required", "value": {"versionRange": "what"}})),
        ("bundle-object", more(NEW, "properties", value={"type": "olm.bundle.object", "value": {"data": "?"}})),
        ("", more(NEW, "properties", value={"type": "olm.bundle.object", "value": {"data": "e30="}})),
    ],
    "deprecations": [
        ("deprecation-duplicate", repeating(DEPRECATIONS)),
        ("deprecation-unknown", at(DEPRECATIONS, "entries", 0, "reference", "name", value="nothing")),
        ("deprecation-schema-missing", at(DEPRECATIONS, "entries", 0, "reference", value={"name": "p.v1.0.0"})),
        ("deprecation-schema-unknown", at(DEPRECATIONS, "entries", 0, "reference", "schema", value="mine")),
        ("deprecation-message-missing", without(DEPRECATIONS, "entries", 0, "message")),
        (
            "deprecation-entry-duplicate",
            lambda blobs: blobs[DEPRECATIONS]["entries"].append(blobs[DEPRECATIONS]["entries"][0]),
        ),
        ("", at(DEPRECATIONS, "entries", value=[])),
        ("", at(DEPRECATIONS, "name", value="x")),
        ("", without(DEPRECATIONS)),
    ],
    "documents": [
        ("schema-missing", lambda blobs: blobs.append({"name": "x"})),
        ("schema-missing", lambda blobs: blobs.append({"schema": ""})),
        ("field-type", lambda blobs: blobs.append({"schema": 1})),
        ("", lambda blobs: blobs.append({"schema": "mine", "package": "elsewhere"})),
        ("package-unknown", lambda blobs: blobs.append({"schema": "olm.deprecations", "package": "elsewhere"})),
        ("package-empty", lambda blobs: blobs.append({"schema": "olm.package", "name": "q", "defaultChannel": "c"})),
        ("package-name-invalid", lambda blobs: blobs.append({"schema": "olm.package", "name": "Q.q"})),
    ],
}
LAST: Final = ("documents", "deprecations", "bundle", "channel", "package")
"""The order of changes: those that take a blob out come after those that count on its place."""


def mutant(seed: int) -> tuple[str, set[str]]:
    """Return the text of a mutant, and the codes of its faults."""
    chosen = random.Random(seed)
    blobs = catalog()
    codes = set()
    parts = chosen.sample(LAST, chosen.choice((1, 1, 2, 3)))
    # Repeats come last, so that they repeat what has changed.
    for part in sorted(parts, key=LAST.index, reverse=True):
        code, change = chosen.choice(FAULTS[part])
        change(blobs)
        codes.add(code)
    # The same objects again would be written as anchors.
    blobs = json.loads(json.dumps(blobs))
    chosen.shuffle(blobs)
    if chosen.random() < 0.5:
        return "\n".join(map(json.dumps, blobs)), codes - {""}
    return "---\n".join(
        yaml.dump(blob, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper)) for blob in blobs
    ), codes - {""}


def test_verdicts_on_mutants(tmp_path: Path) -> None:
    """Valid exactly where no change breaks a rule; a single broken rule is among the findings by its code."""
    file = tmp_path / "catalog.yaml"
    met: Counter[str] = Counter()
    for seed in range(scaled(MUTANTS)):
        text, codes = mutant(seed)
        file.write_text(text)
        error_codes = {finding.code for finding in validate(file, advice=False) if finding.severity is Severity.ERROR}
        assert bool(error_codes) == bool(codes), (seed, codes, error_codes)
        if len(codes) == 1:
            assert codes <= error_codes, (seed, codes, error_codes)
        met.update(codes or {"valid"})
    assert len(met) > 30
    assert met["valid"] > scaled(MUTANTS) // 10
