"""The second opinion on ranges: which of them it judges, and how it reads each comparator and wildcard."""

from __future__ import annotations

import pytest

from olmsolve.semver import BlangRange, MastermindsRange, Version, range_difference, range_opinion

VERSIONS = tuple(
    map(Version.parse, ["0.9.9", "1.0.0", "1.0.1", "1.1.0", "1.2.3", "1.3.0", "2.0.0", "2.1.0", "3.0.0", "1.2.3+build"])
)


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        *((BlangRange, text) for text in (
            "1.2.3", "=1.2.3", "==1.2.3", "!1.2.3", "!=1.2.3", ">1.0.0", ">=1.0.0 <2.0.0", "<= 1.2.3", "1.x", "1.2.x",
            ">=1.2.x", "=1.x", "<1.0.0 || >=2.0.0 <3.0.0 || 1.2.3", "2.0.0-rc.1", ">1.0.0 !2.0.0",
        )),
        *((MastermindsRange, text) for text in (
            "1.2.3", "=1.2.3", ">1.0.0, <2.0.0", ">=1.0.0 <2.0.0", "~1.2.3", "^1.2.3", "~1.2", "^1", "1.x", "1.2.*",
            "1.X", "1", "<=1.2", ">1.2", "<1.0.0 || ^2.0.0", "~ 1.2.0 , <1.2.3",
        )),
    ],
    ids=str,
)  # fmt: skip
def test_ranges_that_both_read_contain_the_same_versions(
    grammar: type[BlangRange | MastermindsRange], text: str
) -> None:
    """Releases are in both or in neither: known differences are about pre-releases alone."""
    wanted = grammar.parse(text)
    assert [range_opinion(wanted, version) for version in VERSIONS] == [version in wanted for version in VERSIONS]
    assert not any(range_difference(wanted, version) for version in VERSIONS)


@pytest.mark.parametrize(
    "wanted",
    [
        BlangRange.parse(" || ".join(["1.2.3"] * 110) + " || 10000.22.33"),
        BlangRange.parse("1.2.3+build"),
        BlangRange.parse("1.2.3 || 1.2.3+build"),
        MastermindsRange.parse("!=1.2.3"),
        MastermindsRange.parse("*"),
        MastermindsRange.parse("1.0.0 - 2.0.0"),
    ],
    ids=["long", "build", "build in a part", "not", "everything", "hyphen"],
)
def test_ranges_of_other_forms_get_no_opinion(wanted: BlangRange | MastermindsRange) -> None:
    """A wrong opinion would be reported as a fault of the catalog; of 1,000 characters, a range is still judged."""
    assert range_opinion(wanted, Version.parse("1.2.3")) is None
    longest = BlangRange.parse(" || ".join(["1.2.3"] * 110) + " || 10000.22.3")
    assert len(longest.text) == 1000
    assert range_opinion(longest, Version.parse("1.2.3")) is True


@pytest.mark.parametrize(
    ("wanted", "version", "name"),
    [
        (BlangRange.parse("<1.0.0"), "1.0.0-rc.1", "prerelease-of-bound"),
        (BlangRange.parse("1.x"), "2.0.0-rc.1", "prerelease-of-bound"),
        (BlangRange.parse("1.2.x"), "1.3.0-rc.1", "prerelease-of-bound"),
        (BlangRange.parse("<1.0.0"), "1.0.1-rc.1", None),
        (BlangRange.parse("<1.0.0"), "1.0.0", None),
        (MastermindsRange.parse(">=1.0.0-0"), "2.0.0-rc.1", "prerelease-rule"),
        (MastermindsRange.parse("<=2.0.0-beta"), "2.0.0", "release-beside-prerelease"),
        (MastermindsRange.parse("<=2.0.0"), "2.0.0", None),
    ],
    ids=str,
)
def test_differences_are_known_by_their_form(
    wanted: BlangRange | MastermindsRange, version: str, name: str | None
) -> None:
    """What no entry of the list is about stays a finding."""
    known = range_difference(wanted, Version.parse(version))
    assert (known.name if known else None) == name
