"""Intervals say what ranges say, right where it is easiest to be wrong: at every boundary and one step beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import attrs
from hypothesis import given
from hypothesis import strategies as st

from olmsolve.errors import RangeError, VersionError
from olmsolve.semver import BlangRange, MastermindsRange, Version

NUMBERS = st.sampled_from([0, 1, 2, 9, 2**64 - 2, 2**64 - 1])
IDENTIFIERS = st.lists(st.sampled_from(["0", "1", "a", "-", "x", str(2**64 - 1)]), max_size=2).map(tuple)
VERSIONS = st.builds(Version, NUMBERS, NUMBERS, NUMBERS, IDENTIFIERS)
WILDCARDS = st.builds(
    lambda text, parts: ".".join([*text.split(".")[:parts], "x"]), VERSIONS.map(str), st.integers(1, 2)
)
TERMS = st.builds(str.__add__, st.sampled_from(["", "=", "!=", ">", ">=", "<", "<="]), VERSIONS.map(str) | WILDCARDS)
MASTERMINDS_TERMS = st.builds(str.__add__, st.sampled_from(["~", "^"]), VERSIONS.map(str)) | TERMS


def ranges(terms: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(st.lists(terms, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=3).map(" || ".join)


def neighbours(version: Version) -> Iterator[Version]:
    """Yield *version* and its neighbours in the order, on both sides and at every number."""
    yield version
    for pre in ((), ("0",), (*version.pre, "0"), (*version.pre, "a"), version.pre[:-1]):
        for field in ("major", "minor", "patch"):
            for step in (-1, 0, 1):
                with suppress(VersionError):
                    yield attrs.evolve(version, pre=pre, **{field: getattr(version, field) + step})


def boundaries(wanted: BlangRange | MastermindsRange) -> Iterator[Version]:
    intervals = wanted.intervals
    if isinstance(wanted, MastermindsRange):
        intervals += wanted.prerelease_intervals
    for interval in intervals:
        for bound in (interval.lower, interval.upper):
            if bound is not None:
                yield from neighbours(bound)


@given(ranges(TERMS))
def test_blang_intervals(text: str) -> None:
    """Candidates are found by bisection, so an interval that is wrong by one version is a wrong plan."""
    with suppress(RangeError):
        wanted = BlangRange.parse(text)
        assert BlangRange.parse(str(wanted)) == wanted
        for version in boundaries(wanted):
            assert (version in wanted) == any(version in interval for interval in wanted.intervals)


@given(ranges(MASTERMINDS_TERMS))
def test_masterminds_intervals(text: str) -> None:
    """Releases and pre-releases have intervals of their own."""
    with suppress(RangeError):
        wanted = MastermindsRange.parse(text)
        assert MastermindsRange.parse(str(wanted)) == wanted
        for version in boundaries(wanted):
            intervals = wanted.prerelease_intervals if version.pre else wanted.intervals
            inside = any(version in interval for interval in intervals)
            assert (version in wanted) == inside or (inside and version.pre and wanted.exceptions)


@given(ranges(TERMS), ranges(MASTERMINDS_TERMS))
def test_a_range_that_is_not_empty_has_a_version(classic: str, wanted_by_v1: str) -> None:
    """`is_empty` is what a lint reports, so it must be neither more nor less than the truth."""
    for text, parse in ((classic, BlangRange.parse), (wanted_by_v1, MastermindsRange.parse)):
        with suppress(RangeError):
            wanted = parse(text)
            versions = [version for version in (*boundaries(wanted), Version(0, 0, 0)) if version in wanted]
            assert bool(versions) != wanted.is_empty
