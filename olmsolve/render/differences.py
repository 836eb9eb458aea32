"""Differences as text: of two catalogs, and of classic OLM and OLM v1 for subscriptions and for a package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from olmsolve import v1
from olmsolve.render.layout import Style, counted, in_markdown, paragraph, plain

if TYPE_CHECKING:  # each difference has a caller that has loaded its room
    from olmsolve.authoring.compose import CatalogChange, CatalogDiff, StrandedUsers, UpgradeChange
    from olmsolve.lifecycle import Migration, Migrations

_MARKS = {"added": "+", "removed": "-", "changed": "~"}
_NAMES = {"classic": "OLM classic", "v1": "OLM v1"}


def catalog_diff_text(found: CatalogDiff) -> str:
    """Return *found* as text, by package: a line for each change, then the changed upgrades.

    ``+`` marks added, ``-`` removed and ``~`` changed objects, ``>`` upgrades, ``!`` the users of removed
    bundles that no update reaches. Lines that would be equal for OLM classic and OLM v1 are printed once.
    """
    lines: list[str] = []
    packages = sorted({change.package for change in found.changes} | {other.package for other in found.upgrades})
    for package in packages:
        lines.append(f"package {package}:" if package else "blobs of no package:")
        lines += [f"  {_change_line(change)}" for change in found.changes if change.package == package]
        lines += _upgrade_lines([upgrade for upgrade in found.upgrades if upgrade.package == package])
        lines += [
            f"  ! {line}"
            for line in _stranded_lines(operator for operator in found.stranded if operator.package == package)
        ]
    if not lines:
        return "The catalogs are the same."
    return "\n".join(map(plain, lines))


def stranded_sentences(stranded: Iterable[StrandedUsers]) -> list[str]:
    """Return a sentence about each removed bundle whose users no update reaches, with what would reach them."""
    return list(map(plain, _stranded_lines(stranded)))


def _stranded_lines(stranded: Iterable[StrandedUsers]) -> Iterator[str]:
    by_fate: dict[tuple[tuple[str, ...], bool, bool], dict[str, list[str]]] = {}
    for operator in stranded:
        fate = operator.channels, operator.is_gone, operator.is_kept
        by_fate.setdefault(fate, {}).setdefault(operator.bundle, []).append(_NAMES[operator.generation])
    for (channels, is_gone, is_kept), bundles in by_fate.items():
        where = f"channel {channels[0]}" if len(channels) == 1 else f"channels {', '.join(channels)}"
        for names, alike in groupby(bundles.items(), key=lambda item: item[1]):
            gone = [bundle for bundle, _ in alike]
            which, is_ = _bundle_names(tuple(gone)), "is" if len(gone) == 1 else "are"
            olm = " and ".join(names)
            if is_kept:
                stays = "clusters that come from another channel stay until an entry there replaces or skips it"
                yield f"{which} {is_} no longer updated by {where} ({olm}): {stays}"
            elif is_gone:
                yield f"{which} {is_} gone with {where}: clusters with it have no channel to follow ({olm})"
            else:
                until = "until an entry of a higher version skips it"
                yield f"{which} {is_} gone: clusters with it get no update in {where} ({olm}), {until}"


def catalog_diff_markdown(found: CatalogDiff) -> str:
    """Return *found* as Markdown for a review: for each package a table of changes, then updates and warnings."""
    packages = sorted(
        {change.package for change in found.changes} | {listed_upgrade.package for listed_upgrade in found.upgrades}
    )
    blocks: list[str] = []
    for package in packages:
        blocks.append(f"### Package {in_markdown(package)}" if package else "### Blobs of no package")
        rows = [_change_row(change) for change in found.changes if change.package == package]
        if rows:
            blocks.append("\n".join(("| | what | before | after |", "|---|---|---|---|", *rows)))
        upgrades = _upgrade_lines([upgrade for upgrade in found.upgrades if upgrade.package == package])
        if upgrades:
            lines = (f"- {in_markdown(line.removeprefix('  > '))}" for line in upgrades)
            blocks.append("\n".join(("Next updates that change:", "", *lines)))
        stranded = list(_stranded_lines(bundle for bundle in found.stranded if bundle.package == package))
        if stranded:
            blocks.append("\n".join(f"- **Warning:** {in_markdown(line)}" for line in stranded))
    return "\n\n".join(blocks) or "The catalogs are the same."


def _change_row(change: CatalogChange) -> str:
    cells = (
        _MARKS[change.what],
        in_markdown(_named_change(change)),
        in_markdown(change.before),
        in_markdown(change.after),
    )
    return f"| {' | '.join(cells)} |"


def _change_line(change: CatalogChange) -> str:
    text = f"{_MARKS[change.what]} {_named_change(change)}"
    if change.what == "changed":
        if change.before or change.after:
            text += f": {change.before or 'nothing'} -> {change.after or 'nothing'}"
    elif change.before or change.after:
        text += f": {change.after or change.before}"
    return text


def _named_change(change: CatalogChange) -> str:
    where = f" of channel {change.channel}" if change.channel and change.kind in ("entry", "field") else ""
    field = f" {change.field}" if change.field else ""
    names = {
        "default": "default channel",
        "field": change.field,
        "deprecation": f"deprecation of {change.field} {change.name}",
        "blob": f"{change.field} {change.name}".rstrip(),
    }
    named = names.get(change.kind, f"{change.kind} {change.name}{field}")
    return f"{named}{where}"


def _upgrade_lines(upgrades: list[UpgradeChange]) -> list[str]:
    lines = []
    for channel, of_channel in groupby(upgrades, key=lambda upgrade: upgrade.channel):
        generations: dict[tuple[tuple[str, ...], str, str, bool], list[str]] = {}
        for upgrade in of_channel:
            key = upgrade.installed, upgrade.before, upgrade.after, upgrade.is_gone
            generations.setdefault(key, []).append(_NAMES[upgrade.generation])
        for (installed, before, after, is_gone), names in generations.items():
            text = _bundle_names(installed)
            now = "has no channel to follow any more" if is_gone else f"-> {after or 'stays'} (was {before or 'stays'})"
            lines.append(f"  > {text} in {channel}, {' and '.join(names)}: {now}")
    return lines


def _bundle_names(names: tuple[str, ...]) -> str:
    if len(names) == 1:
        return names[0]
    return f"{names[0]} to {names[-1]} ({len(names)})"


def migrations_text(moves: Migrations, *, width: int = 80, colour: bool = False) -> str:
    """Return for each subscription what both generations of OLM do, and what is different; *width* is in characters."""
    style = Style(width, colour)
    blocks = []
    for subscription in moves.subscriptions:
        heading = f"subscription {subscription.subscription} as an extension of OLM v1:"
        lines = [*map(style.bold, paragraph(heading, width))]
        for text in _sentences(subscription):
            lines += paragraph(f"- {text}", width, indent="  ", hanging="    ")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) or "No subscription."


def _sentences(migration: Migration) -> Iterator[str]:
    if isinstance(migration.v1_error, v1.InstallationError):
        yield f"nothing: OLM v1 selects {migration.v1} and does not install it"
    elif migration.v1 and migration.v1 == migration.classic:
        yield f"the same bundle: {migration.v1}"
    elif migration.v1:
        yield f"{migration.v1}, where classic OLM has {migration.classic or 'no plan'}"
    else:
        yield f"nothing, where classic OLM has {migration.classic or 'no plan either'}"
    for remark in migration.remarks:
        yield str(remark)
    if migration.further:
        yield f"also needed, each as an extension of its own: {', '.join(migration.further)}"
    if migration.v1_error:
        yield f"OLM v1: {migration.v1_error}"
    if migration.classic_reason:
        yield f"classic OLM: {migration.classic_reason}"


def differences_text(entries: Sequence[v1.Difference], *, width: int = 80, colour: bool = False) -> str:
    """Return the updates of a package that differ, by channel: *entries* is the answer of ``v1.differences``."""
    style = Style(width, colour)
    if not entries:
        return "Classic OLM and OLM v1 update every version to the same bundle."
    lines = [style.bold(f"{counted(len(entries), 'installed version')} with another next update:")]
    channel = None
    for entry in entries:
        if entry.channel != channel:
            channel = entry.channel
            lines += ["", *paragraph(f"channel {channel}", width)]
        text = f"{entry.installed}: classic {entry.classic or 'stays'}, v1 {entry.v1 or 'stays'}"
        lines += paragraph(text, width, indent="  ", hanging="      ")
        lines += [style.dim(line) for line in paragraph(str(entry.reason), width, indent="    ")]
    return "\n".join(lines)
