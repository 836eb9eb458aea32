"""Entries whose names are misspelt: nearly those of bundles that no entry names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from olmsolve.authoring.checks.finding import Finding, error_finding, shortened
from olmsolve.authoring.checks.fix import Edit, FieldFix, path_steps
from olmsolve.authoring.checks.validation.channels import CheckedChannel
from olmsolve.authoring.checks.validation.names import nearest

_MOST_COMPARED: Final = 100


def misspelt_entries(channels: Mapping[str, CheckedChannel], bundles: Collection[str]) -> dict[str, str]:
    """Map the entries that have no bundle to the bundles that have no entry, where their names are nearly equal.

    >>> from olmsolve.catalog import Origin
    >>> misspelt_entries({"c": CheckedChannel("c", Origin("f"), {"p.v1.0.O": 0}, ())}, ["p.v1.0.0"])
    {'p.v1.0.O': 'p.v1.0.0'}
    """
    listed = {name for channel in channels.values() for name in channel.entries}
    homeless = sorted(name for name in bundles if name and name not in listed)
    empty = sorted(name for name in listed if name and name not in bundles)
    if not homeless or not empty or len(empty) > _MOST_COMPARED:
        return {}
    found = {name: nearest(name, homeless) for name in empty}
    values = list(found.values())
    return {entry: bundle for entry, bundle in found.items() if bundle and values.count(bundle) == 1}


def on_misspelt_entry(package: str, channels: Mapping[str, CheckedChannel], entry: str, bundle: str) -> Finding:
    """Return the finding on *bundle*, which all *channels* that have it call *entry*."""
    having = [channel for _, channel in sorted(channels.items()) if entry in channel.entries]
    index = having[0].entries[entry]
    fixes = [
        FieldFix(Edit.SET, path_steps(f"entries[{channel.entries[entry]}].name"), bundle, channel.origin)
        for channel in having
    ]
    return error_finding(
        "bundle-without-channel",
        f"the bundle is in no channel, but the entry {shortened(entry)!r} has no bundle",
        f"did you mean {shortened(bundle)}?",
        package=package,
        channel=having[0].name,
        bundle=bundle,
        property=f"entries[{index}].name",
        origin=having[0].origin,
        fixes=tuple(fixes),
    )
