"""Cluster updates that installed bundles block, as OLM's documentation tells them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from olmsolve import classic, v1
from olmsolve.catalog import fbc
from olmsolve.cluster import blocks_cluster_update, extensions_block_cluster_update, next_minor
from olmsolve.errors import VersionError
from olmsolve.predicates import Property
from olmsolve.semver import Version

MAX = "olm.maxOpenShiftVersion"


def installed(name: str, *values: object) -> classic.Installed:
    return classic.Installed(name, properties=tuple(Property(MAX, value) for value in values))


@pytest.mark.parametrize("current", ["4.18.0", "4.18.0-rc1", "4.18.27", "4.18"])
def test_only_major_and_minor_count(current: str) -> None:
    """The documentation's example: the next minor version of 4.18.0 and of 4.18.0-rc1 is 4.19."""
    assert str(next_minor(Version.parse_tolerant(current))) == "4.19.0"
    (blocking,) = blocks_cluster_update([installed("a", "4.18"), installed("b", "4.19"), installed("c")], current)
    assert (blocking.name, blocking.maximum, blocking.update) == ("a", "4.18", "4.19")
    assert str(blocking) == "a works up to OpenShift 4.18, and blocks the update to 4.19"


@pytest.mark.parametrize("value", ["", "soon", "4.18.1", "4.18.0-rc.1", None, {}, True, ["4.18"]])
def test_malformed_values_are_named_and_block(value: object) -> None:
    """A value that cannot be read might forbid the update."""
    (blocking,) = blocks_cluster_update([installed("a", value)], "4.17.0")
    assert blocking.maximum == ""
    assert blocking.reason in str(blocking)
    assert blocking.to_dict() == {"name": "a", "update": "4.18", "reason": blocking.reason}


def test_two_properties_are_one_too_many() -> None:
    """Even if they agree."""
    (blocking,) = blocks_cluster_update([installed("a", "4.18", "4.18")], "4.17.0")
    assert "more than one" in blocking.reason


def test_numbers_keep_their_zeros_where_they_come_as_decimals() -> None:
    """4.10 is later than 4.9; as a float it is 4.1, which blocks and so errs to the safe side."""
    assert blocks_cluster_update([installed("a", Decimal("4.10"))], "4.9.0") == ()
    assert len(blocks_cluster_update([installed("a", 4.10)], "4.9.0")) == 1


def test_a_cluster_needs_a_version() -> None:
    """Text that is not a version is refused, not ignored."""
    with pytest.raises(VersionError):
        blocks_cluster_update([], "stable-4.18")


def test_extensions_are_looked_up_in_their_catalogs() -> None:
    """OLM v1 records only the name and version of what is installed; the rest is in the catalogs."""
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "p", "defaultChannel": "c"},
        {"schema": "olm.channel", "package": "p", "name": "c", "entries": [{"name": "p.v1"}]},
        {
            "schema": "olm.bundle",
            "package": "p",
            "name": "p.v1",
            "properties": [
                {"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}},
                {"type": MAX, "value": "4.18"},
            ],
        },
    ]
    catalogs = [v1.ClusterCatalog("none"), v1.ClusterCatalog("a", fbc.from_blobs(blobs))]
    known = v1.ExtensionRequest(v1.Extension("p"), catalogs, v1.InstalledBundle("p.v1", "1.0.0"))
    unknown = v1.ExtensionRequest(v1.Extension("p"), catalogs, v1.InstalledBundle("p.v0", "0.1.0"))
    fresh = v1.ExtensionRequest(v1.Extension("p"), catalogs)
    blocking, lost = extensions_block_cluster_update([known, unknown, fresh], "4.18.3")
    assert blocking.name == "p.v1"
    # A bundle that no catalog has any more may block or not; leaving it out would allow the update.
    assert (lost.name, lost.maximum) == ("p.v0", "")
    assert extensions_block_cluster_update([known], "4.17.9") == ()
