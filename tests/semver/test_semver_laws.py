"""Laws that hold for all versions and ranges, on values drawn so that they often meet.

The oracles below are written from the definition of each grammar, version by version, and share nothing with
the intervals that the library computes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Final

import semantic_version
from hypothesis import given, settings
from hypothesis import strategies as st

from olmsolve.errors import RangeError, VersionError
from olmsolve.semver import BlangRange, MastermindsRange, Version, VersionRelease
from olmsolve.testing import versions as drawn_versions
from tests.scale import scaled

GREATEST: Final = 2**64 - 1

numbers = st.integers(0, 3) | st.sampled_from([9, 10, GREATEST - 1, GREATEST])
identifiers = st.sampled_from(["0", "1", "2", "10", "a", "b", "-", "-1", "1a", "rc", "RC", str(GREATEST)])
versions = st.builds(
    Version,
    numbers,
    numbers,
    numbers,
    st.lists(identifiers, max_size=3).map(tuple),
    st.lists(st.sampled_from(["0", "01", "a", "-"]), max_size=2).map(tuple),
)
small_numbers = st.integers(0, 2)
small_versions = drawn_versions(most=2)


@given(versions)
def test_text_round_trip(version: Version) -> None:
    """Printing a version and parsing it gives the same version, and printing is canonical."""
    reparsed = Version.parse(str(version))
    assert (reparsed, reparsed.build, reparsed.key, str(reparsed)) == (
        version,
        version.build,
        version.key,
        str(version),
    )
    assert str(Version.parse_tolerant(f" v{version}\t")) == str(version)
    assert Version.from_key(version.key) == version


@given(versions, versions, versions)
def test_total_order(a: Version, b: Version, c: Version) -> None:
    """Trichotomy, transitivity, and operators, hash and key that agree with each other."""
    assert [a < b, a == b, a > b].count(True) == 1
    assert (a <= b, a >= b, a != b) == (not a > b, not a < b, a.key != b.key)
    assert (a == b) == (a.key == b.key)
    assert (a < b) == (a.key < b.key)
    if a == b:
        assert hash(a) == hash(b)
    low, middle, high = sorted([a, b, c])
    assert low <= middle <= high
    assert low <= high


@given(versions, versions)
def test_order_of_semantic_version(a: Version, b: Version) -> None:
    """An independent implementation has the same order, but for build metadata."""
    theirs = [semantic_version.Version(str(version).partition("+")[0]) for version in (a, b)]
    assert (a < b, a == b) == (theirs[0] < theirs[1], theirs[0] == theirs[1])


@given(st.from_regex(r"[01]{1,2}\.[01x]{0,2}\.[01]{1,2}(-[01a.]{0,4})?(\+[01a.-]{0,4})?", fullmatch=True))
def test_grammar_of_semantic_version(text: str) -> None:
    """An independent implementation accepts the same texts, as far as numbers are small."""
    try:
        Version.parse(text)
    except VersionError:
        assert not semantic_version.validate(text)
    else:
        assert semantic_version.validate(text)


@given(small_versions, st.none() | st.lists(identifiers.filter(lambda parts: len(parts) < 5), max_size=3))
def test_release_round_trip(version: Version, release: list[str] | None) -> None:
    """The fields that OLM v1 stores for an installed bundle are read back as the same pair, either way."""
    pair = VersionRelease(version, None if release is None else tuple(release))
    for support in (True, False):
        stored = pair.metadata_for("any", release_support=support)
        reparsed = VersionRelease.parse(stored["version"], stored.get("release"), release_support=support)
        assert reparsed == pair
        assert hash(reparsed) == hash(pair)
        assert reparsed.release == (pair.release if support else pair.release or None)


# --- blang -----------------------------------------------------------------------------------------------

BLANG: Final[dict[str, Callable[[Version, Version], bool]]] = {
    "": lambda v, bound: v == bound,
    "=": lambda v, bound: v == bound,
    "==": lambda v, bound: v == bound,
    "!": lambda v, bound: v != bound,
    "!=": lambda v, bound: v != bound,
    "<": lambda v, bound: v < bound,
    "<=": lambda v, bound: v <= bound,
    ">": lambda v, bound: v > bound,
    ">=": lambda v, bound: v >= bound,
}
blang_terms = st.tuples(st.sampled_from(sorted(BLANG)), small_versions)
blang_groups = st.lists(st.lists(blang_terms, min_size=1, max_size=4), min_size=1, max_size=3)


@given(blang_groups, st.lists(small_versions, min_size=1, max_size=8))
def test_blang_definition(groups: list[list[tuple[str, Version]]], probes: list[Version]) -> None:
    """A version is in a range if all terms of some alternative hold; intervals and bisection agree."""
    wanted = BlangRange.parse(" || ".join(" ".join(f"{op}{v}" for op, v in group) for group in groups))
    keys = sorted(probe.key for probe in probes)
    chosen = {
        key
        for start, end in zip(wanted.cuts[::2], wanted.cuts[1::2], strict=True)
        for key in keys[bisect_left(keys, start) : bisect_left(keys, end)]
    }
    for probe in [*probes, *(bound for group in groups for _, bound in group)]:
        expected = any(all(BLANG[op](probe, bound) for op, bound in group) for group in groups)
        assert (probe in wanted) == expected
        assert wanted.contains_key(probe.key) == expected
        assert [probe in interval for interval in wanted.intervals].count(True) == expected
        assert not (expected and wanted.is_empty)
        if probe in probes:
            assert (probe.key in chosen) == expected
    assert list(wanted.cuts) == sorted(set(wanted.cuts))


@given(
    st.sampled_from([">", ">=", "<", "<=", "", "=", "==", "!", "!="]),
    numbers,
    st.none() | numbers,
    small_versions,
)
def test_blang_wildcards(op: str, major: int, minor: int | None, probe: Version) -> None:
    """A wildcard stands for the releases from its first one up to, not including, the next one's."""
    if GREATEST in (major, minor) or GREATEST - 1 in (major, minor):
        return  # Upstream counts wildcards in 63 bits: recorded vectors have these.
    text = f"{op}{major}.x" if minor is None else f"{op}{major}.{minor}.x"
    low = Version(major, minor or 0, 0)
    high = Version(major + 1, 0, 0) if minor is None else Version(major, minor + 1, 0)
    expected = {
        ">": probe >= high,
        ">=": probe >= low,
        "<": probe < low,
        "<=": probe < high,
        "!": False,
        "!=": False,
    }.get(op, low <= probe < high)
    assert (probe in BlangRange.parse(text)) == expected


# --- Masterminds -----------------------------------------------------------------------------------------

Term = tuple[str, tuple[int, ...], tuple[str, ...]]


def _bound(term: Term) -> Version:
    major, minor, patch = (*term[1], 0, 0, 0)[:3]
    return Version(major, minor, patch, term[2])


def _holds(term: Term, v: Version) -> bool:
    """Return True if *v* fulfils the term, which has an operator, up to three numbers, and a pre-release."""
    op, given_numbers, pre = term
    count = len(given_numbers)
    low = _bound(term)
    major, minor, patch = bound = low.major, low.minor, low.patch
    same = (v.major, v.minor, v.patch)[:count] == given_numbers
    if op in ("", "="):
        if count == 3:
            return v == low
        op = "~"
    match op:
        case "!=":
            if count == 1:
                return not same
            return not (same and v.pre == pre) if count == 2 else v != low
        case ">":
            return (v.major, v.minor, v.patch)[:count] > given_numbers if count in (1, 2) else v > low
        case ">=" | "=>":
            return v >= low
        case "<":
            return v < low
        case "<=" | "=<":
            if count == 3:
                return v <= low
            return (v.major, v.minor)[: count or 2] <= (bound[:2] if count != 1 else (major,))
        case "^":
            if major > 0 or count == 1:
                return v >= low and v.major == major
            if minor > 0 or count == 2:
                return v >= low and (v.major, v.minor) == (0, minor)
            return v >= low and (v.major, v.minor, v.patch) == (0, 0, patch)
    assert op in ("~", "~>")
    if count in (1, 2):
        return v >= low and same
    return v >= low and (bound == (0, 0, 0) or (v.major, v.minor) == (major, minor))


def _text(term: Term, wildcard: str) -> str:
    op, given_numbers, pre = term
    parts = [*map(str, given_numbers), *([wildcard] if wildcard or not given_numbers else [])][:3]
    return op + ".".join(part or "*" for part in parts) + (f"-{'.'.join(pre)}" if pre else "")


masterminds_terms: st.SearchStrategy[Term] = st.tuples(
    st.sampled_from(["", "=", "!=", ">", ">=", "=>", "<", "<=", "=<", "~", "~>", "^"]),
    st.lists(small_numbers, max_size=3).map(tuple),
    st.just(()) | st.just(()) | st.lists(st.sampled_from(["0", "1", "a"]), min_size=1, max_size=2).map(tuple),
)
masterminds_groups = st.lists(st.lists(masterminds_terms, min_size=1, max_size=3), min_size=1, max_size=3)


@settings(max_examples=scaled(300))
@given(masterminds_groups, st.lists(small_versions, min_size=4, max_size=8), st.sampled_from(["", "x", "X", "*"]))
def test_masterminds_definition(groups: list[list[Term]], probes: list[Version], wildcard: str) -> None:
    """All terms of some alternative hold, and for a pre-release one of them names a pre-release."""
    text = " || ".join(", ".join(_text(term, wildcard) for term in group) for group in groups)
    wanted = MastermindsRange.parse(text)
    bounds = [_bound(term) for group in groups for term in group]
    for probe in [*probes, *bounds]:
        expected = any(
            all(_holds(term, probe) for term in group) and (not probe.pre or any(pre for _, _, pre in group))
            for group in groups
        )
        assert (probe in wanted) == expected, text
        assert not (expected and wanted.is_empty)
        intervals = wanted.prerelease_intervals if probe.pre else wanted.intervals
        inside = any(probe in interval for interval in intervals)
        assert inside == expected or (inside and probe.pre and wanted.exceptions)


# --- Anything at all -------------------------------------------------------------------------------------

pieces = st.lists(
    st.sampled_from(
        [
            *"0123 .x*X-+<>=!~^|,v\t\v",
            "||",
            " || ",
            "1.2.3",
            "1.x",
            ">=",
            " - ",
            "é",
            "１",
            "\ud800",
            "99999999999999999999",
        ]
    ),
    max_size=20,
).map("".join)


@settings(max_examples=scaled(500))
@given(pieces | st.text(max_size=40))
def test_nothing_but_our_own_errors(text: str) -> None:
    """Catalogs are written by strangers: whatever stands there is read or refused, never a stack trace."""
    for parse in (Version.parse, Version.parse_tolerant, VersionRelease.parse, _release):
        version = _outcome(parse, text)
        if isinstance(version, VersionError):
            assert str(version)
            assert (version.text, 0 <= version.position <= len(text)) == (text, True)
        else:
            assert str(version)
    for parse_range in (BlangRange.parse, MastermindsRange.parse):
        wanted = _outcome(parse_range, text)
        if isinstance(wanted, RangeError):
            assert str(wanted)
            assert (wanted.text, 0 <= wanted.position <= len(text)) == (text, True)
        else:
            assert isinstance(wanted, BlangRange | MastermindsRange)
            assert str(wanted) == text
            assert wanted.is_empty in (True, False)
            assert all(map(str, wanted.intervals))


def _release(text: str) -> VersionRelease:
    return VersionRelease.parse("1.0.0", text, release_support=True)


def _outcome(parse: Callable[[str], object], text: str) -> object:
    try:
        return parse(text)
    except (RangeError, VersionError) as error:
        return error
