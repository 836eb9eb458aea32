"""Version and release of OLM v1, by example."""

from __future__ import annotations

import pickle

import pytest

from olmsolve.errors import VersionError
from olmsolve.semver import VersionRelease


def test_build_metadata_is_a_release_if_it_can_be() -> None:
    """Bundles have long been released again by build metadata; that orders them, where it can."""
    assert VersionRelease.parse("1.0.0+2") > VersionRelease.parse("1.0.0+1") > VersionRelease.parse("1.0.0")
    assert VersionRelease.parse("1.0.0+10") > VersionRelease.parse("1.0.0+9")
    leading_zero = VersionRelease.parse("1.0.0+02")
    assert (str(leading_zero.version), leading_zero.release) == ("1.0.0+02", None)
    assert leading_zero == VersionRelease.parse("1.0.0")
    too_long = VersionRelease.parse("1.0.0+" + "a" * 21)
    assert too_long.release is None


def test_release_field_needs_the_gate() -> None:
    """Without BundleReleaseSupport the field is as good as absent, even where it is wrong."""
    assert VersionRelease.parse("1.0.0", "a..b").release is None
    assert VersionRelease.parse("1.0.0", "3", release_support=True).release == ("3",)
    assert VersionRelease.parse("1.0.0", "", release_support=True).release == ()
    both = VersionRelease.parse("1.0.0+2", "3", release_support=True)
    assert (str(both.version), both.release, both.kubernetes_safe) == ("1.0.0+2", ("3",), "1.0.0-2-3")


def test_unset_and_empty_differ_only_in_what_is_stored() -> None:
    """An empty release was given on purpose and is stored; it does not order."""
    unset, empty = VersionRelease.parse("1.0.0"), VersionRelease.parse("1.0.0", "", release_support=True)
    assert unset == empty
    assert "release" not in unset.metadata_for("a", release_support=True)
    assert empty.metadata_for("a", release_support=True)["release"] == ""


@pytest.mark.parametrize(
    ("version", "release", "text", "position"),
    [
        ("1.0.0", "a..b", "a..b", 2),
        ("1.0.0", "a.01", "a.01", 2),
        ("1.0.0", "a" * 21, "a" * 21, 20),
        ("1.0.0", "é" * 11, "é" * 11, 11),
        ("1.0.0", "1.é", "1.é", 2),
        ("1.0", "1", "1.0", 3),
    ],
)
def test_refused(version: str, release: str, text: str, position: int) -> None:
    """The error names the field that is wrong, with a caret in it."""
    with pytest.raises(VersionError) as caught:
        VersionRelease.parse(version, release, release_support=True)
    assert (caught.value.text, caught.value.position) == (text, position)


def test_constructor_checks() -> None:
    """A pair that cannot be written must not be built, whichever way."""
    version = VersionRelease.parse("1.0.0").version
    with pytest.raises(VersionError, match="leading zeroes"):
        VersionRelease(version, ("01",))
    with pytest.raises(VersionError, match="tuple"):
        VersionRelease(version, ("a.b",))


def test_value_semantics() -> None:
    """Pairs are compared, hashed and sent to other processes like versions."""
    pair = VersionRelease.parse("1.0.0+2")
    twin = pickle.loads(pickle.dumps(pair))  # noqa: S301
    assert (twin, hash(twin), twin.release) == (pair, hash(pair), pair.release)
    assert pair != "1.0.0+2"
    for operator in ("__lt__", "__le__", "__gt__", "__ge__"):
        assert getattr(pair, operator)("1.0.0+2") is NotImplemented
    assert pair <= twin
    assert pair >= twin
