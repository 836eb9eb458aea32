"""The edges of update graphs: which entries of a channel are updates of an installed bundle."""

from __future__ import annotations

import pytest

from olmsolve.catalog import ChannelEntry
from olmsolve.catalog.update_graph import follows, skip_range
from olmsolve.semver import Version

INSTALLED = ("etcd.v1.0.0", Version.parse("1.0.0"))


@pytest.mark.parametrize(
    ("entry", "is_update"),
    [
        (ChannelEntry("etcd.v2.0.0", replaces="etcd.v1.0.0"), True),
        (ChannelEntry("etcd.v2.0.0", skips=("etcd.v0.9.0", "etcd.v1.0.0")), True),
        (ChannelEntry("etcd.v2.0.0", skip_range=">=1.0.0 <2.0.0"), True),
        (ChannelEntry("etcd.v2.0.0"), False),
        (ChannelEntry("etcd.v2.0.0", replaces="etcd.v0.9.0", skips=("etcd.v1.0.1",), skip_range="<1.0.0"), False),
        (ChannelEntry("etcd.v2.0.0", skip_range="no range"), False),
        (ChannelEntry("etcd.v1.0.0", skip_range="<2.0.0"), False),
    ],
    ids=["replaces", "skips", "skipRange", "the head alone", "others are named", "a broken range", "itself"],
)
def test_each_field_of_an_entry_makes_an_edge_of_its_own(entry: ChannelEntry, is_update: bool) -> None:
    """One of ``replaces``, ``skips`` and ``skipRange`` is enough, and each names other bundles."""
    assert follows(entry, *INSTALLED, skip_range) is is_update


def test_a_bundle_without_a_version_is_in_no_range() -> None:
    """A range is about versions; names still make edges."""
    entry = ChannelEntry("etcd.v2.0.0", skips=("old",), skip_range=">=0.0.0")
    assert follows(entry, "old", None, skip_range)
    assert not follows(entry, "older", None, skip_range)
