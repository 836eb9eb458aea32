"""Merging two catalogs: packages are united, and contradictions name both places."""

from __future__ import annotations

import pytest

from olmsolve.authoring.compose import (
    deprecate,
    merge_catalogs,
    promote,
)
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import blobs, from_blobs
from olmsolve.errors import CatalogError
from tests.compose.generated import errors
from tests.compose.notation import LINE, Blob, bundle, bundles, chain, channel, entries, entry, package

ONE = [package(description="one"), chain("stable", "1.0.0"), *bundles("1.0.0")]


def both(*other: Blob) -> Catalog:
    return merge_catalogs(from_blobs(ONE, origin="one.yaml"), from_blobs(other, origin="other.yaml"))


def test_packages_of_two_catalogs_are_united() -> None:
    """The result has channels, bundles and entries of both; description and icon come from the first."""
    merged = both(
        package(description="two", icon={"mediatype": "x"}),
        channel("stable", entry("p.v1.1.0", "p.v1.0.0")),
        chain("beta", "2.0.0"),
        *bundles("1.1.0", "2.0.0"),
    )
    assert errors(merged) == []
    united = merged.packages["p"]
    assert (united.description, united.extra) == ("one", {"icon": {"mediatype": "x"}})
    assert entries(merged) == {"p.v1.0.0": ("", ()), "p.v1.1.0": ("p.v1.0.0", ())}
    assert set(united.channels) == {"stable", "beta"}
    assert set(united.bundles) == {"p.v1.0.0", "p.v1.1.0", "p.v2.0.0"}


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ([package(default="beta"), chain("beta", "1.0.0")], "default channel is 'beta', but 'stable' at one.yaml, doc"),
        ([package(), bundle("p.v1.0.0", image="quay.io/p/q:1")], r"not the same at one.yaml, document 3 \(its image\)"),
        (
            [package(), channel("stable", entry("p.v1.0.0", "x"))],
            r"entry is not the same at one.yaml, .* \(its replaces",
        ),
        (
            [package(), bundle("p.v1.0.0") | {"name": "p.v1"}],
            "version 1.0.0, which p.v1.0.0 also has at one.yaml, document 3",
        ),
        ([package(), chain("stable", "2.0.0"), *bundles("2.0.0")], "invalid: the channel has 2 heads"),
    ],
)
def test_contradictions_name_both_places(other: list[Blob], reason: str) -> None:
    """Whichever of the two is right, it is found by the message alone."""
    with pytest.raises(CatalogError, match=reason) as caught:
        both(*other)
    assert caught.value.package == "p"
    assert "one.yaml" in str(caught.value) or caught.value.origin


def test_deprecations_are_united_unless_they_contradict() -> None:
    """Two reasons for one thing cannot be told in one blob."""
    one = deprecate(LINE, "p", "old", bundle="p.v1.0.0")
    other = deprecate(LINE, "p", "old too", channel="stable")
    assert len(merge_catalogs(one, other).packages["p"].deprecations) == 2
    with pytest.raises(CatalogError, match="another message"):
        merge_catalogs(one, deprecate(LINE, "p", "older", bundle="p.v1.0.0"))


def test_releases_of_one_version_are_no_contradiction() -> None:
    """Bundles of one version and different releases make a valid catalog, whether they come together or apart."""

    def release(number: str) -> Blob:
        blob = bundle("p.v1.0.0") | {"name": f"p-v1.0.0-{number}"}
        blob["properties"][0]["value"]["release"] = number
        return blob

    first = [package(), channel("stable", entry("p-v1.0.0-1")), release("1")]
    second = [package(), channel("stable", entry("p-v1.0.0-2", "p-v1.0.0-1")), release("2")]
    merged = merge_catalogs(from_blobs(first), from_blobs([*second, release("1")]))
    assert errors(merged) == []
    assert list(merged.packages["p"].bundles) == ["p-v1.0.0-1", "p-v1.0.0-2"]


def _written(catalog: Catalog, schema: str, name: str = "") -> Blob:
    return next(blob for blob in blobs(catalog) if blob["schema"] == schema and blob.get("name", "") == name)


@pytest.mark.parametrize("note", [{}, {"note": 1}])
@pytest.mark.parametrize("beside", [{}, {"tags": ["x"], "properties": []}])
def test_entries_that_move_keep_what_is_written_in_them(note: Blob, beside: Blob) -> None:
    """Authors keep notes in fields of their own; merging and promoting must not lose them."""
    low, high = entry("p.v1.0.0") | note, entry("p.v1.1.0", "p.v1.0.0") | {"by": {"team": "us"}, "skips": []}
    fast = channel("fast", low, high) | beside
    catalog = from_blobs([package(), channel("stable", low) | beside, fast, *bundles("1.0.0", "1.1.0")])
    promoted = promote(promote(catalog, "p", "", "fast", "stable"), "p", "", "fast", "new")
    assert _written(promoted, "olm.channel", "fast") == fast
    assert _written(promoted, "olm.channel", "stable") == fast | {"name": "stable"}
    assert list(_written(promoted, "olm.channel", "stable")) == list(fast)
    assert _written(promoted, "olm.channel", "new")["entries"] == [low, high]
    merged = merge_catalogs(catalog, promoted)
    assert _written(merged, "olm.channel", "stable") == fast | {"name": "stable"}


def test_deprecations_that_are_united_keep_what_is_written_in_them() -> None:
    """So that a catalog put together from parts says whatever its parts say."""
    about = [
        {"reference": {"schema": "olm.channel", "name": "stable", "x": 1}, "message": "a", "by": "us"},
        {"reference": {"schema": "olm.bundle", "name": "p.v1.0.0"}, "message": "b", "since": 2},
    ]
    parts = [
        from_blobs([*ONE, {"schema": "olm.deprecations", "package": "p", "entries": [deprecation]} | more])
        for deprecation, more in zip(about, [{"one": 1}, {"other": 2}], strict=True)
    ]
    united = _written(merge_catalogs(from_blobs(ONE), *parts), "olm.deprecations")
    assert united == {"schema": "olm.deprecations", "package": "p", "entries": about, "one": 1, "other": 2}
