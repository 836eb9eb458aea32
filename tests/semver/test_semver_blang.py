"""Ranges of classic OLM, by example: what each form means, what is warned of, what is refused and where."""

from __future__ import annotations

import pickle

import pytest

from olmsolve.errors import RangeError
from olmsolve.semver import BlangRange, Version


@pytest.mark.parametrize(
    ("text", "intervals"),
    [
        ("1.2.3", ["=1.2.3"]),
        (">=1.0.0 <2.0.0", [">=1.0.0 <2.0.0"]),
        (">1.0.0 <=2.0.0", [">1.0.0 <=2.0.0"]),
        (">= 1.0.0 < 2.0.0", [">=1.0.0 <2.0.0"]),
        ("!=1.2.3", ["<1.2.3", ">1.2.3"]),
        ("!1.2.3 !=1.2.4 >=1.0.0", [">=1.0.0 <1.2.3", ">1.2.3 <1.2.4", ">1.2.4"]),
        ("<=1.0.0 || >=1.0.0", [">=0.0.0-0"]),
        ("1.0.0 || 2.0.0", ["=1.0.0", "=2.0.0"]),
        (">=2.0.0 || >=1.0.0 <3.0.0", [">=1.0.0"]),
        (">=1.0.0 !=1.0.0", [">1.0.0"]),
        ("<=1.0.0 !=1.0.0", ["<1.0.0"]),
        (">2.0.0 <1.0.0", []),
        ("1.x", [">=1.0.0 <2.0.0"]),
        ("1.2.x", [">=1.2.0 <1.3.0"]),
        ("1.x.x", [">=1.0.0 <1.1.0"]),
        (">1.x", [">=2.0.0"]),
        (">=1.2.x", [">=1.2.0"]),
        ("<1.2.x", ["<1.2.0"]),
        ("<=1.x", ["<2.0.0"]),
        (">\t1.0.0", [">1.0.0"]),
    ],
)
def test_meaning(text: str, intervals: list[str]) -> None:
    """The forms that OLM's documentation and catalogs use."""
    assert [str(interval) for interval in BlangRange.parse(text).intervals] == intervals


def test_prereleases_are_ordinary() -> None:
    """Unlike in most package managers: <1.0.0 admits the release candidates of 1.0.0."""
    assert Version.parse("1.0.0-rc.1") in BlangRange.parse("<1.0.0")
    assert Version.parse("2.0.0-alpha") in BlangRange.parse("1.x")
    assert Version.parse("1.0.0-alpha") not in BlangRange.parse("1.x")


@pytest.mark.parametrize(
    ("text", "same_as", "warning"),
    [
        (">=1.0.0 2", ">=1.0.0", '"2" is ignored'),
        ("! 1.2.3", "1.2.3", '"!" is ignored'),
        ("=>1.x", "1.0.0", '"=>" in "=>1.x" is ignored'),
        ("^1.2.x", "1.2.0", '"^" in "^1.2.x" is ignored'),
        (">=1.x.3", ">=1.0.3", "is read as 0"),
        (">=1.0.0-rc.x", ">=1.0.0-rc.0", "is read as 0"),
        ("!=1.x", "<1.0.0 >2.0.0", "contains no version"),
        ("1.x.x", ">=1.0.0 <1.1.0", "is read as 1.0.x"),
        (">=1.0.0+build", ">=1.0.0", "build metadata"),
    ],
)
def test_warnings(text: str, same_as: str, warning: str) -> None:
    """A text that upstream reads in a surprising way keeps upstream's meaning, with a warning about it."""
    wanted = BlangRange.parse(text)
    assert wanted.cuts == BlangRange.parse(same_as).cuts
    assert len(wanted.warnings) == 1
    assert warning in wanted.warnings[0]


@pytest.mark.parametrize("text", [">=1.0.0 <2.0.0", "1.x || 2.3.x", "!= 1.2.3"])
def test_no_warnings(text: str) -> None:
    """Ordinary ranges have no warnings: a lint that cries at good ranges is soon switched off."""
    assert BlangRange.parse(text).warnings == ()


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        (">", 0),
        ("x", 0),
        ("|| 1.0.0", 0),
        ("1.0.0 ||", 6),
        (">=1.0.0 ~2.0.0", 8),
        (">=1.0.0 <2.0.03", 13),
        ("1.0.0||2.0.0", 4),
        ("1.0.0 && 2.0.0", 6),
        ("1.0.0,2.0.0", 4),
        (">=1.0.0\t<2.0.0", 6),
        ("v1.0.0", 0),
        ("1.X", 3),
        ("*  ", 0),
        (">1.0.0 <=1.x.3", 7),
        ("1.0.0 || || 2.0.0", 6),
        ("1.0.0 || 2 || 2.0.0", 6),
    ],
)
def test_refused(text: str, position: int) -> None:
    """The error shows the text, with a caret below the fault."""
    with pytest.raises(RangeError) as caught:
        BlangRange.parse(text)
    assert (caught.value.text, caught.value.position) == (text, position)
    assert str(caught.value).endswith("^")


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        (">=1.0.0", False),
        ("<0.0.0", False),
        ("<0.0.0-0", True),
        (">1.0.0 <1.0.1-0", True),
        (">1.0.0 <=1.0.1-0", False),
        (">1.0.0-a <1.0.0-a.0", True),
        (">1.0.0-a <1.0.0", False),
        (">18446744073709551615.18446744073709551615.18446744073709551615", True),
        ("!=1.x", True),
        ("!=1.x || 1.0.0", False),
    ],
)
def test_empty(text: str, empty: bool) -> None:
    """No version can be in such a range, though its bounds do not always show it."""
    assert BlangRange.parse(text).is_empty is empty


def test_value_semantics() -> None:
    """Ranges are dictionary keys of the index, and travel to other processes."""
    wanted = BlangRange.parse(">=1.0.0 2")
    assert str(wanted) == ">=1.0.0 2"
    assert wanted == BlangRange.parse(">=1.0.0 2")
    assert wanted != BlangRange.parse(">=1.0.0")
    twin = pickle.loads(pickle.dumps(wanted))  # noqa: S301
    assert (twin, hash(twin), twin.cuts, twin.warnings) == (
        wanted,
        hash(wanted),
        wanted.cuts,
        wanted.warnings,
    )
