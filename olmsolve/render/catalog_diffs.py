"""Differences of catalogs, as text."""

from __future__ import annotations

from itertools import groupby

from olmsolve.authoring.compose import CatalogChange, CatalogDiff, UpgradeChange
from olmsolve.render.layout import plain

_MARKS = {"added": "+", "removed": "-", "changed": "~"}
_NAMES = {"classic": "OLM classic", "v1": "OLM v1"}


def catalog_diff_text(found: CatalogDiff) -> str:
    """Return *found* as text, by package: a line for each change, then the changed upgrades.

    ``+`` marks added, ``-`` removed and ``~`` changed objects, ``>`` upgrades. An upgrade that changes equally in OLM
    classic and OLM v1 is one line.
    """
    lines: list[str] = []
    packages = sorted({change.package for change in found.changes} | {each.package for each in found.upgrades})
    for package in packages:
        lines.append(f"package {package}:" if package else "blobs of no package:")
        lines += [f"  {_change_line(change)}" for change in found.changes if change.package == package]
        lines += _upgrade_lines([upgrade for upgrade in found.upgrades if upgrade.package == package])
    if not lines:
        return "The catalogs are the same."
    return "\n".join(map(plain, lines))


def _change_line(change: CatalogChange) -> str:
    where = f" of channel {change.channel}" if change.channel and change.kind in ("entry", "field") else ""
    field = f" {change.field}" if change.field else ""
    names = {
        "default": "default channel",
        "field": change.field,
        "deprecation": f"deprecation of {change.field} {change.name}",
        "blob": f"{change.field} {change.name}".rstrip(),
    }
    named = names.get(change.kind, f"{change.kind} {change.name}{field}")
    text = f"{_MARKS[change.what]} {named}{where}"
    if change.what == "changed":
        if change.before or change.after:
            text += f": {change.before or 'nothing'} -> {change.after or 'nothing'}"
    elif change.before or change.after:
        text += f": {change.after or change.before}"
    return text


def _upgrade_lines(upgrades: list[UpgradeChange]) -> list[str]:
    lines = []
    for channel, of_channel in groupby(upgrades, key=lambda each: each.channel):
        generations: dict[tuple[tuple[str, ...], str, str, bool], list[str]] = {}
        for each in of_channel:
            key = each.installed, each.before, each.after, each.is_gone
            generations.setdefault(key, []).append(_NAMES[each.generation])
        for (installed, before, after, is_gone), names in generations.items():
            text = _bundle_names(installed)
            now = "has no channel to follow any more" if is_gone else f"-> {after or 'stays'} (was {before or 'stays'})"
            lines.append(f"  > {text} in {channel}, {' and '.join(names)}: {now}")
    return lines


def _bundle_names(names: tuple[str, ...]) -> str:
    if len(names) == 1:
        return names[0]
    return f"{names[0]} to {names[-1]} ({len(names)})"
