"""The order of a channel: from its one head down the chain of ``replaces``, or the reason why there is none."""

from __future__ import annotations

import pytest

from olmsolve.catalog import ChannelEntry
from olmsolve.catalog.update_graph import channel_order


def entries(chains: str) -> list[ChannelEntry]:
    """The entries of chains such as ``v3 > v2 > v1, w1``, each replacing the next; a name may come back at the end."""
    by_name: dict[str, ChannelEntry] = {}
    for part in chains.split(", "):
        names = part.split(" > ")
        for name, below in zip(names, [*names[1:], ""], strict=True):
            by_name.setdefault(name, ChannelEntry(name, replaces=below))
    return list(by_name.values())


def test_a_chain_begins_with_its_head() -> None:
    """However the entries are written; what an entry replaces need not be in the channel."""
    for written in (entries("v3 > v2 > v1"), entries("v3 > v2 > v1")[::-1]):
        order = channel_order(written)
        assert (order.chain, order.heads, order.fault) == (("v3", "v2", "v1"), ("v3",), "")
    assert channel_order([ChannelEntry("v2", replaces="gone")]).chain == ("v2",)


def test_skipped_entries_are_stepped_over() -> None:
    """They stay in the chain of ``replaces``, and are no heads either."""
    chain = [ChannelEntry("v3", replaces="v2", skips=("v2", "w")), *entries("v2 > v1, w")]
    order = channel_order(chain)
    assert (order.chain, order.heads, order.fault) == (("v3", "v1"), ("v3",), "")


def test_an_empty_channel_has_an_empty_order() -> None:
    """It has no fault: nobody can be wronged by its order."""
    order = channel_order([])
    assert (order.chain, order.heads, order.fault) == ((), (), "")


@pytest.mark.parametrize(
    ("written", "heads", "fault"),
    [
        ("v1 > v2 > v1", (), "no head: each of its entries is replaced or skipped by another"),
        ("v3 > v2 > v1 > v2", ("v3",), "a cycle of replacements below v3, back to v2"),
        ("b > a, c", ("b", "c"), "2 chains where there must be one: b > a; c"),
        ("c > b > a, e", ("c", "e"), "2 chains where there must be one: c > b > a; e"),
        ("d > c > b > a, e", ("d", "e"), "2 chains where there must be one: d > ... > a; e"),
        ("a, b, c, d, e", tuple("abcde"), "5 chains where there must be one: a; b; c; d; e"),
        ("a, b, c, d, e, f", tuple("abcdef"), "6 chains where there must be one: a; b; c; d; e; and 1 more"),
        ("a, b, c, d, e, f, g", tuple("abcdefg"), "7 chains where there must be one: a; b; c; d; e; and 2 more"),
    ],
)
def test_a_channel_without_an_order_says_why(written: str, heads: tuple[str, ...], fault: str) -> None:
    """OLM classic refuses such channels; of many chains the first five are shown, of long ones the ends."""
    order = channel_order(entries(written))
    assert (order.chain, order.heads, order.fault) == ((), heads, fault)
