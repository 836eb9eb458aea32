"""Versions and ranges agree with every recorded answer of blang/semver 4.0.0 and Masterminds/semver 3.5.0.

Each test gathers all disagreements, so that one failure shows the whole rule that is wrong.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any, Protocol

import pytest

from olmsolve.errors import RangeError, VersionError
from olmsolve.semver import BlangRange, MastermindsRange, Version, VersionRelease

_HERE = Path(__file__).parent


class _Range(Protocol):
    def __contains__(self, version: Version, /) -> bool: ...


def _vectors(name: str, count: int) -> list[dict[str, Any]]:
    with gzip.open(_HERE / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        vectors = [json.loads(line) for line in lines]
    assert len(vectors) == count
    return vectors


def _says_the_same(reason: str, message: str) -> bool:
    """Word for word, but for what Go's standard library says of numbers: that changes between releases."""
    before, strconv, after = message.partition("strconv.")
    if not strconv:
        return reason == message
    ours = "does not fit in 64 bits" if "value out of range" in after else "number is empty"
    return reason.startswith(before) and reason.endswith(ours)


def test_order_of_versions() -> None:
    """Everything that is newest, next or in range rests on this order."""
    wrong = []
    for vector in _vectors("blang_versions", 1550):
        if vector["kind"] != "compare":
            continue
        a, b = Version.parse(vector["a"]), Version.parse(vector["b"])
        if ((a > b) - (a < b), a == b) != (vector["cmp"], vector["cmp"] == 0):
            wrong.append(vector)
    assert wrong == []


@pytest.mark.parametrize(("mode", "parse"), [("strict", Version.parse), ("tolerant", Version.parse_tolerant)])
def test_text_of_versions(mode: str, parse: Any) -> None:
    """Both parsers are in use: the strict one for bundles, the tolerant one for clusters and in CEL rules."""
    wrong = []
    for vector in _vectors("blang_versions", 1550):
        if vector["kind"] != "parse":
            continue
        expected = vector[mode]
        try:
            version = parse(vector["input"])
        except VersionError as error:
            right = not expected["ok"] and _says_the_same(error.reason, expected["message"])
        else:
            right = expected == {
                "ok": True,
                "string": str(version),
                "major": str(version.major),
                "minor": str(version.minor),
                "patch": str(version.patch),
                "pre": list(version.pre),
                "build": list(version.build),
            }
        if not right:
            wrong.append(vector)
    assert wrong == []


def _check_range(vector: dict[str, Any], parse: Any) -> bool:
    try:
        wanted: _Range = parse(vector["range"])
    except RangeError as error:
        return "error" in vector and _says_the_same(error.reason, vector["message"])
    return "error" not in vector and (Version.parse(vector["version"]) in wanted) == vector.get("match")


def test_blang_ranges() -> None:
    """Upstream crashes on an alternative without terms, if it comes to test it; we refuse it at once."""
    crashing = re.compile(r"\|\| +(?:[^ <>=] +)*\|\|")
    wrong = []
    for vector in _vectors("blang_ranges", 3646):
        if "error" not in vector and crashing.search(vector["range"]):
            with pytest.raises(RangeError, match="crashes"):
                BlangRange.parse(vector["range"])
        elif "panic" in vector or not _check_range(vector, BlangRange.parse):
            wrong.append(vector)
    assert wrong == []


def test_blang_intervals() -> None:
    """Candidates are found by bisection over the intervals, so these must say what the range says."""
    wrong = []
    for vector in _vectors("blang_ranges", 3646):
        if "match" not in vector:
            continue
        version = Version.parse(vector["version"])
        try:
            wanted = BlangRange.parse(vector["range"])
        except RangeError:
            continue
        if any(version in interval for interval in wanted.intervals) != vector["match"]:
            wrong.append(vector)
    assert wrong == []


def test_masterminds_ranges() -> None:
    """OLM v1 prints the reason in the status of an extension, so it is compared word for word."""
    assert [
        vector for vector in _vectors("masterminds_ranges", 3779) if not _check_range(vector, MastermindsRange.parse)
    ] == []


def test_masterminds_intervals() -> None:
    """As for blang, but that releases and pre-releases each have intervals of their own."""
    wrong = []
    for vector in _vectors("masterminds_ranges", 3779):
        if "error" in vector:
            continue
        version, wanted = Version.parse(vector["version"]), MastermindsRange.parse(vector["range"])
        intervals = wanted.prerelease_intervals if version.pre else wanted.intervals
        inside = any(version in interval for interval in intervals)
        if inside != vector["match"] and not (inside and version.pre and wanted.exceptions):
            wrong.append(vector)
    assert wrong == []


def _pair(package: dict[str, str], gate: bool) -> VersionRelease:
    return VersionRelease.parse(package["version"], package.get("release"), release_support=gate)


def test_version_and_release() -> None:
    """The pair decides what OLM v1 takes for an upgrade, and is stored on the cluster."""
    wrong = []
    for vector in _vectors("v1_version_release", 397):
        if vector["kind"] != "parse":
            continue
        gate = vector["gate"]
        answer: dict[str, Any]
        try:
            pair = _pair(vector["package"], gate)
        except VersionError as error:
            answer = {"error": error.reason}
        else:
            answer = {
                "version": str(pair.version),
                "release": pair.release_text,
                "release_is_nil": pair.release is None,
                "metadata_for": pair.metadata_for("foo.x", release_support=gate),
                "kubernetes_safe": pair.kubernetes_safe,
            }
        if vector != vector | answer or ("error" in vector) != ("error" in answer):
            wrong.append((vector, answer))
    assert wrong == []


def test_order_of_version_and_release() -> None:
    """The recorded sort is descending, with what does not parse below everything."""
    wrong = []
    for vector in _vectors("v1_version_release", 397):
        if vector["kind"] != "compare":
            continue
        ranks: list[tuple[VersionRelease, ...]] = []
        for package in (vector["a"], vector["b"]):
            try:
                ranks.append((_pair(package, vector["gate"]),))
            except VersionError:
                ranks.append(())
        a, b = ranks
        if (a < b) - (a > b) != vector["sort_cmp"]:
            wrong.append(vector)
    assert wrong == []
