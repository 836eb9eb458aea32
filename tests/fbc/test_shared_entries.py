"""Equal entries in channels of a package are one object, and others stay what they are."""

from __future__ import annotations

from typing import Any

from olmsolve.catalog import ChannelEntry
from olmsolve.catalog.fbc import from_blobs


def _channel(name: str, *entries: dict[str, Any], package: str = "p") -> dict[str, Any]:
    return {"schema": "olm.channel", "package": package, "name": name, "entries": list(entries)}


def _entries(*blobs: dict[str, Any]) -> list[tuple[ChannelEntry, ...]]:
    return [channel.entries for package in from_blobs(blobs) for channel in package.channels.values()]


def test_channels_share_their_equal_entries() -> None:
    written: list[dict[str, Any]] = [
        {"name": "a"},
        {"name": "b", "replaces": "a"},
        {"name": "c", "replaces": "b", "skips": ["a"], "skipRange": "<1.0.0"},
    ]

    first, second, third = _entries(*(_channel(name, *written) for name in ("x", "y", "z")))

    assert first == (ChannelEntry("a"), ChannelEntry("b", "a"), ChannelEntry("c", "b", ("a",), "<1.0.0"))
    assert all(one is other is another for one, other, another in zip(first, second, third, strict=True))


def test_an_entry_that_differs_is_another() -> None:
    """In each field, and from either side: the fast way is for entries of two texts."""
    variants: list[dict[str, Any]] = [
        {"name": "b", "replaces": "a"},
        {"name": "b", "replaces": "z"},
        {"name": "b", "replaces": "a", "skips": ["z"]},
        {"name": "b", "replaces": "a", "skipRange": "<1.0.0"},
        {"name": "b"},
        {"name": "b", "skips": ["z"]},
    ]
    alone = [_entries(_channel("x", variant))[0][0] for variant in variants]
    assert len(set(alone)) == len(variants)

    for first in variants:
        channels = _entries(
            _channel("first", first), *(_channel(str(n), variant) for n, variant in enumerate(variants))
        )
        assert [entries[0] for entries in channels[1:]] == alone


def test_packages_share_no_entries() -> None:
    one, other = _entries(_channel("x", {"name": "a"}), _channel("x", {"name": "a"}, package="q"))

    assert one == other
    assert one[0] is not other[0]


def test_what_an_entry_was_written_as_is_kept() -> None:
    """An entry with an empty field is written back with it, though the model has one entry for both."""
    plain, empty = _channel("x", {"name": "a"}), _channel("y", {"name": "a", "replaces": ""})
    (package,) = from_blobs([plain, empty])

    assert package.channels["x"].entries == package.channels["y"].entries
    assert package.channels["x"].written != package.channels["y"].written
