"""The verdict of ``opm validate`` (operator-registry 1.73.0): valid or not, at which stage, and for which fault.

Of a message in upstream's words it is tested that one of our findings has its code, and names what it names.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from olmsolve.authoring.checks import Finding, Severity, validate
from olmsolve.authoring.checks.validation import stage
from tests.scale import grouped

SHARED: Final = Path(os.environ.get("OLMSOLVE_SHARED", Path(__file__).parents[2].parent / "shared"))
OURS: Final = Path(__file__).parent / "opm_validate.jsonl.gz"
UPSTREAM: Final = SHARED / "conformance" / "upstream" / "opm_validate.jsonl.gz"

LOAD: Final = (
    (r"^read bundle objects: ", "bundle-object"),
    (r"illegal base64 .*|cannot unmarshal \w+ into Go struct field Package.icon", "icon-data field-type"),
    (r"^object '' is missing root schema field", "unreadable"),
    (r"is missing root schema field", "schema-missing"),
    (r'^expected value for key "|^parse \w+: json: cannot unmarshal', "field-type"),
    (r"error unmarshaling JSON: while decoding JSON: expected value", "field-type"),
    (r"error unmarshaling JSON|error converting YAML to JSON|^invalid character|unexpected EOF", "unreadable"),
)

# The groups are names that the finding has to show.
CONVERT: Final = (
    (r"config contains package with no name", "package-name-missing"),
    (r'invalid package name "(.*)": \[.*', "package-name-invalid"),
    (r'duplicate package "(.*)"', "package-duplicate"),
    (r'unknown package "(.*)" for (?:channel|bundle) ".*"', "package-unknown"),
    (r'package "(.*)" contains channel with no name', "channel-name-missing"),
    (r'package "(.*)" has duplicate channel "(.*)"', "channel-duplicate"),
    (r'invalid package "(.*)", channel "(.*)": duplicate entry "(.*)"', "entry-duplicate"),
    (r'package name must be set for bundle "(.*)"', "bundle-package-missing"),
    (r'package "(.*)" has duplicate bundle "(.*)"', "bundle-duplicate"),
    (r'parse properties for bundle "(.*)": parse property\[(\d+)\] of type "(.*)": .*', "property-value"),
    (r'package "(.*)" bundle "(.*)" must have exactly 1 .* found \d+', "package-property-count"),
    (r'package "(.*)" does not match "olm.package" property "(.*)"', "package-property-mismatch"),
    (r'error parsing bundle "(.*)" version "(.*)": .*', "version-invalid"),
    (r'error parsing bundle "(.*)" release version "(.*)": .*', "release-invalid"),
    (r'package "(.*)" bundle "(.*)" ((?:relatedImages\[\d+\]\.)?image): invalid image .*', "image-invalid"),
    (r'package "(.*)", bundle "(.*)" not found in any channel entries', "bundle-without-channel"),
    (r'no olm.bundle blobs found in package "(.*)" for olm.channel entries \[(\S*).*\]', "entry-without-bundle"),
    (r"package name must be set for deprecation item \d+", "deprecation-package-missing"),
    (r'cannot apply deprecations to an unknown package "(.*)"', "package-unknown"),
    (r'expected a maximum of one deprecation per package: "(.*)"', "deprecation-duplicate"),
    (r'schema must be set for deprecation entry (\[\d+\]) for package "(.*)"', "deprecation-schema-missing"),
    (r'duplicate deprecation entry .*Name:"(.*)"} for package "(.*)"', "deprecation-entry-duplicate"),
    (r'cannot deprecate (?:bundle|channel) "(.*)" for package "(.*)": .* not found', "deprecation-unknown"),
    (r'cannot deprecate object .*Schema:"(.*)", .* package "(.*)": .*', "deprecation-schema-unknown"),
    (r"invalid deprecation: message must be set", "deprecation-message-missing"),
    (r"default channel must be set", "default-channel-missing"),
    (r"package must contain at least one channel", "package-empty"),
    (r"channel must contain at least one bundle", "channel-empty default-channel-unknown"),
    (r"(?:multiple channel heads|no channel head) found in graph.*", "channel-heads"),
    (r"detected cycle in replaces chain of upgrade graph: (\S+) -> .*", "channel-cycle"),
    (r"channel contains one or more stranded bundles: (\S+?)(?:,.*)?", "channel-stranded"),
    (r"skip\[(\d+)\] is empty", "skip-empty"),
    (r'invalid skipRange "(.*?)": .*', "skip-range-invalid"),
    (r"bundle image must be set", "image-missing entry-without-bundle"),
    (r'must be exactly one property with type "olm.package"', "entry-without-bundle"),
    (r"name must be set", "entry-name-missing"),
    (r'name "(.*)" does not match normalized name "(.*)"', "release-name"),
    (r"cannot use build metadata in version with a release version", "release-build-metadata"),
    (r"duplicate versions found in bundles: \[\{(.*?): \[(.*?),.*\].*", "version-duplicate"),
)


@cache
def vectors(file: Path) -> dict[str, dict[str, Any]]:
    if not file.exists():
        return {}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return {vector["name"]: vector for vector in map(json.loads, lines)}


def errors(vector: dict[str, Any], root: Path) -> list[Finding]:
    root.mkdir(exist_ok=True)
    for name, text in vector["files"].items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    return [finding for finding in validate(root) if finding.severity is Severity.ERROR]


def leaves(message: str) -> Iterator[tuple[dict[str, str], str]]:
    """The faults in upstream's tree of *message*, each with the package, channel and bundle above it."""
    above: list[tuple[str, str]] = []
    for line in message.split("\n"):
        text = line.lstrip("│├└─ ")
        del above[max(0, (len(line) - len(text)) // 4 - 1) :]
        if named := re.fullmatch(r'invalid (package|channel|bundle) "(.*)":', text):
            above.append((named[1], named[2]))
        elif text != "invalid index:":
            yield dict(above), text


def is_named(finding: Finding, above: dict[str, str], groups: Iterable[str | None]) -> bool:
    """Whether *finding* is about the objects *above*; what is wrong with a bundle need not name a channel."""
    names = {"package": finding.package, "channel": finding.channel, "bundle": finding.bundle}
    if any(names[kind] != name for kind, name in above.items() if names[kind] or kind != "channel"):
        return False
    words = " ".join([*finding.to_dict().values(), str(finding)])
    return all(name in words for name in groups if name)


def is_recognised(message: str, findings: list[Finding]) -> bool:
    if "load" in {stage(finding) for finding in findings}:
        codes = next((codes for pattern, codes in LOAD if re.search(pattern, message)), None)
        assert codes is not None, f"a message of a new kind: {message}"
        return any(finding.code in codes.split() for finding in findings)
    for above, text in leaves(message):
        kinds = ((re.fullmatch(pattern, text, re.DOTALL), codes) for pattern, codes in CONVERT)
        match, codes = next(((match, codes) for match, codes in kinds if match), (None, ""))
        assert match is not None, f"a message of a new kind: {text}"
        if not any(finding.code in codes.split() and is_named(finding, above, match.groups()) for finding in findings):
            return False
    return True


def check(group: Sequence[dict[str, Any]], folder: Path) -> None:
    """See that each vector of *group*, written into a folder of its own, is judged as recorded."""
    for number, vector in enumerate(group):
        findings = errors(vector, folder / str(number))
        assert (not findings) == vector["ok"], vector["name"]
        if findings:
            expected = "load" if "load" in {stage(finding) for finding in findings} else "convert"
            assert expected == vector["stage"], vector["name"]
            messages = vector.get("messages") or [vector["message"]]
            context = vector["name"], messages, list(map(str, findings))
            assert any(is_recognised(message, findings) for message in messages), context


OURS_IN_GROUPS: Final = grouped(list(vectors(OURS).values()), 25)
UPSTREAM_IN_GROUPS: Final = grouped(list(vectors(UPSTREAM).values()), 25)


def test_there_are_as_many_vectors_as_recorded() -> None:
    """A truncated file must not pass as full agreement."""
    assert len(vectors(OURS)) == 250
    assert len(vectors(UPSTREAM)) in (0, 85)


@pytest.mark.parametrize("group", OURS_IN_GROUPS.values(), ids=OURS_IN_GROUPS)
def test_verdict_is_that_of_opm(group: Sequence[dict[str, Any]], tmp_path: Path) -> None:
    """What opm accepts must be accepted, and what it refuses be refused for the same fault."""
    check(group, tmp_path)


@pytest.mark.skipif(not UPSTREAM.exists(), reason="the inputs of upstream's own tests are not part of this repository")
@pytest.mark.parametrize("group", UPSTREAM_IN_GROUPS.values(), ids=UPSTREAM_IN_GROUPS)
def test_verdict_on_upstreams_own_tests(group: Sequence[dict[str, Any]], tmp_path: Path) -> None:
    """The same for what upstream's authors thought of."""
    check(group, tmp_path)
