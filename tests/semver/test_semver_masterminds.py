"""Ranges of OLM v1, by example: its documentation's tables, the pre-release rule, warnings and refusals."""

from __future__ import annotations

import pickle

import pytest

from olmsolve.errors import RangeError
from olmsolve.semver import MastermindsRange, Version
from olmsolve.semver.masterminds import MAX_ALTERNATIVES, MAX_LENGTH

# "Support for version ranges" in the OLM v1 documentation: a comparison and what it says that this matches.
DOCUMENTED = [
    ("1.11.x", ">=1.11.0, <1.12.0"),
    (">=1.12.X", ">=1.12.0"),
    ("<=2.x", "<3"),
    ("*", ">=0.0.0"),
    ("~1.11.0", ">=1.11.0, <1.12.0"),
    ("~1", ">=1, <2"),
    ("~1.12", ">=1.12, <1.13"),
    ("~1.12.x", ">=1.12.0, <1.13.0"),
    ("~1.x", ">=1, <2"),
    ("^0", ">=0.0.0, <1.0.0"),
    ("^0.0", ">=0.0.0, <0.1.0"),
    ("^0.0.3", ">=0.0.3, <0.0.4"),
    ("^0.2", ">=0.2.0, <0.3.0"),
    ("^0.2.3", ">=0.2.3, <0.3.0"),
    ("^1.2.x", ">= 1.2.0, < 2.0.0"),
    ("^1.2.3", ">= 1.2.3, < 2.0.0"),
    ("^2.x", ">= 2.0.0, < 3"),
    ("^2.3", ">= 2.3, < 3"),
]
NUMBERS = [0, 1, 2, 3, 4, 10, 11, 12, 13]
RELEASES = [Version(major, minor, patch) for major in range(5) for minor in NUMBERS for patch in (0, 1, 2, 3, 4)]


@pytest.mark.parametrize(("text", "matching"), DOCUMENTED)
def test_documented(text: str, matching: str) -> None:
    """The documentation's tables hold for every release around them."""
    left, right = MastermindsRange.parse(text), MastermindsRange.parse(matching)
    assert [version for version in RELEASES if version in left] == [version for version in RELEASES if version in right]
    assert left.warnings == ()


@pytest.mark.parametrize(
    ("text", "intervals"),
    [
        (">=1.11, <1.13", [">=1.11.0 <1.13.0"]),
        ("1.0 - 1.5", [">=1.0.0 <1.6.0-0"]),
        (">1", [">=2.0.0-0"]),
        (">1.2", [">=1.3.0-0"]),
        ("<=1", ["<2.0.0-0"]),
        ("!=1.2", ["<1.2.0-0", ">=1.3.0-0"]),
        ("!=1", ["<1.0.0-0", ">=2.0.0-0"]),
        ("=>1.0.0 =<1.0.0", ["=1.0.0"]),
        ("1.0.0 || 2.0.0", ["=1.0.0", "=2.0.0"]),
        ("~0.0.0", [">=0.0.0"]),
        ("^*", [">=0.0.0 <0.0.1-0"]),
        ("<=*", ["<0.1.0-0"]),
        ("x.2.3", [">=0.0.0"]),
        ("01.2.3", ["=1.2.3"]),
        ("v1.2.3", ["=1.2.3"]),
        ("~>1.2", [">=1.2.0 <1.3.0-0"]),
        (">18446744073709551615", []),
        ("~1.18446744073709551615", [">=1.18446744073709551615.0 <2.0.0-0"]),
        ("^0.0.18446744073709551615", [">=0.0.18446744073709551615 <0.1.0-0"]),
    ],
)
def test_meaning(text: str, intervals: list[str]) -> None:
    """Forms beyond the documentation, as recorded."""
    assert [str(interval) for interval in MastermindsRange.parse(text).intervals] == intervals


@pytest.mark.parametrize(
    ("text", "version", "inside"),
    [
        ("*", "1.0.0-rc.1", False),
        (">=1.0.0", "2.0.0-rc.1", False),
        (">=1.0.0-0", "2.0.0-rc.1", True),
        (">=1.0.0-0 <2.0.0", "2.0.0-rc.1", True),
        (">=1.0.0-0 || <2.0.0", "0.1.0-rc.1", False),
        ("!=1.2.x-rc.1", "1.2.7-rc.1", False),
        ("!=1.2.x-rc.1", "1.2.7-rc.2", True),
        ("!=1.2.x-rc.1", "1.2.7", True),
        ("!=1.2.x >=1.0.0-0", "1.2.7-rc.1", True),
        ("!=1.2.x >=1.0.0-0", "1.2.7", False),
        ("!=1.x >=1.0.0-0", "1.2.7-rc.1", False),
        (">1.0.0-99999999999999999999", "1.0.0-99", False),
        (">1.0.0-99999999999999999999", "1.0.0-a", True),
    ],
)
def test_prerelease_rule(text: str, version: str, inside: bool) -> None:
    """Only an alternative in which a term names a pre-release contains any; then all its terms count."""
    wanted = MastermindsRange.parse(text)
    assert (Version.parse(version) in wanted) is inside
    assert wanted.contains_key(Version.parse(version).key) is inside


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("1.x.3", "numbers after the wildcard"),
        ("x.2.3", "numbers after the wildcard"),
        ("01.2.3", "leading zeros"),
        ("=1.0.0+2", "build metadata"),
        ("^*", "read as 0.0.0"),
        ("!=*", "read as 0.0.0"),
        ("<=*", "read as 0.0"),
        ("~0.0.0", "no upper bound"),
    ],
)
def test_warnings(text: str, warning: str) -> None:
    """A text that upstream reads in a surprising way keeps upstream's meaning, with a warning about it."""
    (message,) = MastermindsRange.parse(text).warnings
    assert warning in message


@pytest.mark.parametrize(
    ("text", "reason", "position"),
    [
        ("", 'improper constraint: ""', 0),
        (" ", 'improper constraint: " "', 0),
        (">=1.0.0 || ", 'improper constraint: " "', 10),
        ("1.0.0,", 'improper constraint: "1.0.0,"', 6),
        ("1.0.0,,2.0.0", 'improper constraint: "1.0.0,,2.0.0"', 6),
        (">=1<2", 'improper constraint: ">=1<2"', 3),
        ("1.2.3.4", 'improper constraint: "1.2.3.4"', 5),
        ("==1.0.0", 'improper constraint: "==1.0.0"', 0),
        ("1.0.0\v", 'improper constraint: "1.0.0\\v"', 5),
        ("1.0.0 || 1|2", "constraint parser error", 9),
        ("1.2.3-01", "constraint parser error", 5),
        (">18446744073709551616", "constraint parser error", 1),
        ("~1 2 - 3", 'improper constraint: "~1>= 2, <= 3 "', 2),
        ("1.0.0-" + "a" * 251, "constraint parser error", 0),
        (" " * 513, "constraint string is too long (max 512 bytes)", 512),
        ("é" * 257, "constraint string is too long (max 512 bytes)", 257),
    ],
)
def test_refused(text: str, reason: str, position: int) -> None:
    """The reason is worded as in the status of a ClusterExtension; the caret is below the fault."""
    with pytest.raises(RangeError) as caught:
        MastermindsRange.parse(text)
    assert (caught.value.text, caught.value.reason, caught.value.position) == (text, reason, position)
    assert str(caught.value).endswith("^")


def test_limits() -> None:
    """At the limits it is still a range."""
    assert Version.parse("1.2.3") in MastermindsRange.parse(" " * (MAX_LENGTH - 1) + "1")
    assert MastermindsRange.parse("1||" * (MAX_ALTERNATIVES - 1) + "1")
    with pytest.raises(RangeError, match="too many constraint groups") as caught:
        MastermindsRange.parse("1||" * MAX_ALTERNATIVES + "1")
    assert caught.value.position == 3 * MAX_ALTERNATIVES - 2
    assert MastermindsRange.parse("1.0.0-" + "a" * 250)
    # A word may begin with a zero, a number may not.
    assert Version.parse("1.0.0-0abc") in MastermindsRange.parse(">=1.0.0-0abc")
    # Upstream reads 1.2.x as 1.2.0, and only that text has to fit into its 256 bytes.
    assert MastermindsRange.parse("1.2.x-" + "a" * 250)
    with pytest.raises(RangeError, match="constraint parser error"):
        MastermindsRange.parse("1.2.x-" + "a" * 251)


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        ("*", False),
        (">1.0.0 <1.0.1", True),
        (">1.0.0 <1.0.1-0", True),
        (">1.0.0 <1.0.1-1", False),
        (">2 <1", True),
        (">=1.0.0-0 <1.0.0-1", False),
        ("=1.2.3-rc !=1.2.x-rc", True),
        (">=1.2.3-rc <=1.2.3-rc.0 !=1.2.x-rc", False),
        ("<0.0.0", True),
        ("<=0.0.0", False),
        ("<0.0.1", False),
        ("<0.0.0-0", True),
        ("<0.0.0-1", False),
        (">18446744073709551615", True),
    ],
)
def test_empty(text: str, empty: bool) -> None:
    """No version can be in such a range, though its bounds do not always show it."""
    assert MastermindsRange.parse(text).is_empty is empty


def test_value_semantics() -> None:
    """Ranges are dictionary keys, and travel to other processes."""
    wanted = MastermindsRange.parse(">=1.0.0 !=1.2.x-rc.1")
    assert str(wanted) == ">=1.0.0 !=1.2.x-rc.1"
    assert wanted != MastermindsRange.parse(">=1.0.0")
    twin = pickle.loads(pickle.dumps(wanted))  # noqa: S301
    assert (twin, hash(twin), twin.exceptions) == (wanted, hash(wanted), wanted.exceptions)
