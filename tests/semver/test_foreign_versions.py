"""Versions of semantic_version and packaging are taken by ranges, and ours become theirs, in the same order."""

from __future__ import annotations

from typing import Any

import packaging.version
import pytest
import semantic_version
from hypothesis import given
from hypothesis import strategies as st

from olmsolve import BlangRange, MastermindsRange, Version, VersionError

RANGES = [BlangRange.parse(">=1.2.0-rc.1 <2.0.0"), MastermindsRange.parse(">=1.2.0-rc.1, <2.0.0")]


@pytest.mark.parametrize("versions", RANGES, ids=["blang", "masterminds"])
def test_ranges_take_versions_of_other_packages(versions: Any) -> None:
    """A program that uses such a package should not have to print and parse its versions."""
    for text, inside in {
        "1.2.3": True,
        "1.1.9": False,
        "2.0.0": False,
        "1.2.0-rc.2": True,
        "1.2.0-rc.0": False,
    }.items():
        assert (semantic_version.Version(text) in versions) is inside
        assert (packaging.version.Version(text) in versions) is inside
        assert (Version.parse(text) in versions) is inside
        assert (text in versions) is inside


@pytest.mark.parametrize("value", [None, 5, 1.2, "1.x", object(), packaging.version.Version("1.2.3.4")])
def test_what_is_no_version_is_refused(value: object) -> None:
    """A False would be taken for an answer."""
    with pytest.raises(VersionError):
        _ = value in BlangRange.parse(">=1.0.0")


def test_what_has_no_counterpart_is_refused() -> None:
    """Parts that Semantic Versioning cannot order the same way."""
    for text in ("1.0.post1", "1!1.0", "1.0.dev3", "1.0a1.dev0", "1.2.3.4"):
        with pytest.raises(VersionError, match="no counterpart"):
            Version.of(packaging.version.Version(text))
    for text in ("1.0.0-x.1", "1.0.0-rc", "1.0.0-rc.x"):
        with pytest.raises(VersionError, match="pre-releases only"):
            Version.parse(text).to_packaging()
    assert str(Version.of(packaging.version.Version("1.2rc1+local.5"))) == "1.2.0-rc.1+local.5"
    assert str(Version.of(semantic_version.Version("1.2.3-rc.1+local.5"))) == "1.2.3-rc.1+local.5"
    assert str(Version.parse("1.2.3-rc.1+local.5").to_packaging()) == "1.2.3rc1+local.5"
    assert [str(Version.of(packaging.version.Version(text))) for text in ("1", "1.2.0.0")] == ["1.0.0", "1.2.0"]


_numbers = st.integers(0, 30)
_texts = st.builds(
    "{}.{}.{}{}".format,
    _numbers,
    _numbers,
    _numbers,
    st.sampled_from(["", "-alpha.1", "-alpha.10", "-beta.2", "-rc.1", "-rc.2"]),
)


@given(_texts, _texts)
def test_conversions_keep_the_order(one: str, other: str) -> None:
    """Both ways, for both packages."""
    first, second = Version.parse(one), Version.parse(other)
    for back in (Version.to_semantic_version, Version.to_packaging):
        theirs, its = back(first), back(second)
        assert (theirs < its, theirs == its) == (first < second, first == second)
        assert Version.of(theirs) == first
