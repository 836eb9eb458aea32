"""The verdicts of OLM v1 on the bundles of a catalog, as text for terminals and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from olmsolve.authoring import InstallableBundle, InstallableList
from olmsolve.render.layout import Style, counted, in_markdown, paragraph


def installable_text(listing: InstallableList, *, width: int = 80, colour: bool = False) -> str:
    """Return the counts, and then what OLM v1 refuses, by package; *width* is in characters."""
    style = Style(width, colour)
    lines = [*map(style.bold, paragraph(_summary(listing), width))]
    package = None
    for name, text in _refusals(listing):
        if name != package:
            package = name
            lines += ["", *paragraph(f"package {name}", width)]
        lines += paragraph(text, width, indent="  ", hanging="      ")
    return "\n".join(lines)


def installable_markdown(listing: InstallableList) -> str:
    """Return the same as a page in Markdown."""
    lines = ["# What OLM v1 installs", "", _summary(listing)]
    package = None
    for name, text in _refusals(listing):
        if name != package:
            package = name
            lines += ["", f"## {in_markdown(name)}", ""]
        lines.append(f"- {in_markdown(text)}")
    return "\n".join(lines)


def _summary(listing: InstallableList) -> str:
    counts = {
        verdict: sum(bundle.verdict == verdict for bundle in listing.bundles) for verdict in ("installable", "unknown")
    }
    parts = [
        f"{counted(len(listing.bundles), 'bundle')}: OLM v1 installs {counts['installable']}",
        f"refuses {len(listing.refused)}",
    ]
    if counts["unknown"]:
        parts.append(f"and of {counts['unknown']} the catalog does not say enough")
    # Webhooks, definitions and the rest of the manifests may refuse what the metadata of a bundle lets pass.
    without = sum(bundle.verdict == "installable" and bool(bundle.unknown) for bundle in listing.bundles)
    more = f" What the manifests of {without} decide is not known." if without else ""
    return f"{', '.join(parts)}.{more}"


def _refusals(listing: InstallableList) -> Iterator[tuple[str, str]]:
    """Yield each refusal with its package, by package: channels, bundles, updates."""
    rows = [
        (channel.package, 0, f"channel {channel.channel}: {channel.reason}; {channel.note}")
        for channel in listing.channels
    ]
    rows += [(refused.package, 1, _refusal_text(refused)) for refused in listing.refused]
    befores: dict[tuple[str, str, str, str], list[str]] = {}
    for update in listing.updates:
        befores.setdefault((update.package, update.bundle, update.reason, update.note), []).append(update.before)
    rows += [
        (package, 2, f"update from {', '.join(names)} to {bundle}: {reason}; {note}")
        for (package, bundle, reason, note), names in befores.items()
    ]
    for package, _, text in sorted(rows, key=lambda row: row[:2]):
        yield package, text


def _refusal_text(refused: InstallableBundle) -> str:
    return f"{refused.bundle}: {refused.reason}; {refused.note}"
