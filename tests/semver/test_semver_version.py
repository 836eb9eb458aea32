"""Single versions: what is accepted, what is refused and where, and what a value of this class can do."""

from __future__ import annotations

import copy
import pickle

import attrs
import pytest

from olmsolve.errors import VersionError
from olmsolve.semver import Version, quote

GREATEST = 2**64 - 1


def test_parts() -> None:
    """Every part is kept, so that a version can be shown as its author wrote it."""
    version = Version.parse("1.20.3-rc.1+build.007")
    assert attrs.asdict(version) == {
        "major": 1,
        "minor": 20,
        "patch": 3,
        "pre": ("rc", "1"),
        "build": ("build", "007"),
        "key": (1, 20, 3, 0, 1, "rc", 0, 1),
    }
    assert str(version) == "1.20.3-rc.1+build.007"


def test_numbers_have_64_bits() -> None:
    """Versions made of dates and hashes come near the limit; past it OLM refuses them."""
    text = f"{GREATEST}.{GREATEST}.{GREATEST}-{GREATEST}"
    assert str(Version.parse(text)) == text
    for place in range(4):
        numbers = [GREATEST] * 4
        numbers[place] += 1
        with pytest.raises(VersionError, match="64 bits"):
            Version.parse("{}.{}.{}-{}".format(*numbers))


def test_specification_order() -> None:
    """The example of Semantic Versioning 2.0.0, section 11."""
    texts = [
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.beta",
        "1.0.0-beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0-rc.1",
        "1.0.0",
    ]
    versions = [Version.parse(text) for text in texts]
    backwards = versions[::-1]
    assert sorted(backwards) == versions
    assert len(set(versions)) == len(versions)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        ("1.2", 3),
        ("v1.2.3", 0),
        ("1.x.3", 2),
        ("1.2.03", 4),
        ("1.2.3-rc..1", 9),
        ("1.2.3-rc.01", 9),
        ("1.2.3+a.b_c", 8),
        ("1.2.3-a+b+c", 8),
        ("1.2.3 ", 4),
        ("1.2.99999999999999999999", 4),
        ("1.2.3-99999999999999999999", 6),
        ("1..3", 2),
    ],
)
def test_caret_below_the_fault(text: str, position: int) -> None:
    """An error must say where, for versions are often generated and long."""
    with pytest.raises(VersionError) as caught:
        Version.parse(text)
    assert (caught.value.text, caught.value.position) == (text, position)
    assert str(caught.value).endswith(" " * (position + 2) + "^")


def test_tolerant_position_is_in_the_given_text() -> None:
    """The caret must fit the text that the user wrote, not its strict form."""
    with pytest.raises(VersionError) as caught:
        Version.parse_tolerant("  v1.2.3-é")
    assert (caught.value.text, caught.value.position) == ("  v1.2.3-é", 9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" v1.2 ", "1.2.0"),
        ("007", "7.0.0"),
        ("v01.02.03-rc", "1.2.3-rc"),
        ("\u00a01.2.3\n", "1.2.3"),
        ("0", "0.0.0"),
    ],
)
def test_tolerant(text: str, expected: str) -> None:
    """Cluster versions and CEL rules are written by hand."""
    assert str(Version.parse_tolerant(text)) == expected


@pytest.mark.parametrize("text", ["vv1.0.0", "V1.0.0", "1.2-rc", "1.2+build", "1.0.0-01", "\x1c1.0.0", "1.2.3.4"])
def test_tolerant_has_limits(text: str) -> None:
    """Tolerant means what upstream tolerates, and nothing more."""
    with pytest.raises(VersionError):
        Version.parse_tolerant(text)


def test_constructor_checks() -> None:
    """A version that cannot be written must not be built, whichever way."""
    assert Version(1, 2, 3, ("rc", "1"), ("b",)) == Version.parse("1.2.3-rc.1")
    with pytest.raises(VersionError):
        Version(-1, 0, 0)
    with pytest.raises(VersionError):
        Version(1, 0, 0, ("01",))
    with pytest.raises(VersionError, match="integers"):
        Version("1", 0, 0)  # type: ignore[arg-type]
    with pytest.raises(VersionError, match="tuples"):
        Version(1, 0, 0, ("a.b",))
    with pytest.raises(VersionError, match="tuples"):
        Version(1, 0, 0, ["a"])  # type: ignore[arg-type]


def test_value_semantics() -> None:
    """Versions travel to other processes and are shared between threads."""
    version = Version.parse("1.2.3-rc.1+b")
    for twin in (pickle.loads(pickle.dumps(version)), copy.deepcopy(version)):  # noqa: S301
        assert twin == version
        assert (str(twin), twin.key, hash(twin)) == (str(version), version.key, hash(version))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        version.major = 2  # type: ignore[misc]


def test_other_types() -> None:
    """Comparing with text is a mistake that must show, as ``"1.10.0" < "1.9.0"`` does not."""
    version = Version.parse("1.2.3")
    assert version != "1.2.3"
    for operator in ("__lt__", "__le__", "__gt__", "__ge__"):
        assert getattr(version, operator)("1.2.3") is NotImplemented


def test_from_key() -> None:
    """The bounds of intervals are made from keys."""
    for text in ("0.0.0", "1.2.3-rc.1", "1.2.3-0.a.10"):
        assert str(Version.from_key(Version.parse(text).key)) == text


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("1.x é", '"1.x é"'),
        ('a"b\\', r'"a\"b\\"'),
        ("\t\n\x00\x7f", r'"\t\n\x00\x7f"'),
        ("\u00a0\u200b\U000e0001\ud800", r'"\u00a0\u200b\U000e0001\ufffd"'),
    ],
)
def test_quote(text: str, quoted: str) -> None:
    """Go's %q: reasons are compared word for word with what a cluster prints."""
    assert quote(text) == quoted
