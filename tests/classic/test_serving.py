"""The candidates of one subscription: which slots of which channels can serve it."""

from __future__ import annotations

import pytest

from olmsolve import Semantics, Source, Subscription
from olmsolve.catalog.fbc import from_blobs
from olmsolve.catalog.index import Visible
from olmsolve.classic.subscriptions import serve
from olmsolve.predicates import published

ENTRIES = {
    "forked": [{"name": "b", "replaces": "old"}, {"name": "c"}],
    "stable": [{"name": "c", "replaces": "b"}, {"name": "b", "replaces": "old"}],
    "other": [{"name": "c", "replaces": "b"}, {"name": "b", "replaces": "old"}],
}
WISH = Subscription("s", "team", "db", source="cat", source_namespace="team")


@pytest.mark.parametrize(
    ("channel", "installed", "names"),
    [
        ("stable", None, ["c", "b"]),
        ("stable", "old", ["b"]),
        ("stable", "b", ["c"]),
        ("stable", "c", []),
        ("forked", None, [""]),
        ("forked other", "old", ["", "b"]),
        ("forked other", "c", []),
    ],
)
def test_a_broken_channel_stands_for_all_that_it_would_serve(
    channel: str, installed: str | None, names: list[str]
) -> None:
    """One slot without a bundle names the fault in a core; where the channel would serve nothing, it has no part.

    An installed operator is served although one of its channels is broken, as long as another has an order.
    """
    catalog = from_blobs(
        [
            *({"schema": "olm.channel", "package": "db", "name": n, "entries": ENTRIES[n]} for n in channel.split()),
            *({"schema": "olm.bundle", "package": "db", "name": name, "properties": []} for name in "bc"),
        ]
    )
    visible = Visible((Source("cat", "team", 0, catalog),), ("team",))
    current = None if installed is None else (installed, published("", []))
    served = serve(WISH, current, visible, Semantics.DOCUMENTED)
    assert [visible.indexes[0].bundle(slot) for slot in served.candidates] == names
    assert served.unknown is None
