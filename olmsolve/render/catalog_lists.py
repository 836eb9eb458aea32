"""Lists of what catalogs hold: packages, channels and bundles, and the verdicts of OLM v1 on bundles.

The table of SAT solvers is here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from olmsolve._limits import checked
from olmsolve._patterns import pattern
from olmsolve.render.layout import Style, counted, in_markdown, paragraph, plain, table

if TYPE_CHECKING:  # each list has a caller that has loaded its room
    from olmsolve.authoring import InstallableBundle, InstallableList, Listed
    from olmsolve.solver.backends import Backend


_COLUMNS: Final[Mapping[str, Mapping[str, str]]] = {
    "packages": {
        "NAME": "name",
        "DISPLAY NAME": "displayName",
        "DEFAULT CHANNEL": "defaultChannel",
        "HEAD": "head",
        "CHANNELS": "channels",
        "BUNDLES": "bundles",
        "DEPRECATED": "deprecated",
    },
    "channels": {
        "PACKAGE": "package",
        "CHANNEL": "name",
        "HEAD": "head",
        "ENTRIES": "entries",
        "DEFAULT": "isDefault",
        "DEPRECATED": "deprecated",
    },
    "bundles": {
        "PACKAGE": "package",
        "CHANNEL": "channel",
        "BUNDLE": "name",
        "VERSION": "version",
        "REPLACES": "replaces",
        "SKIPS": "skips",
        "SKIP RANGE": "skipRange",
        "IMAGE": "image",
        "DEPRECATED": "deprecated",
    },
}
# Eight digits of a digest distinguish images, and the other 56 would fill the line.
_DIGEST: Final = pattern(r"(@sha\d+:[0-9a-f]{8})[0-9a-f]+")
_DISPENSABLE: Final = ("DISPLAY NAME", "IMAGE", "SKIP RANGE", "SKIPS", "REPLACES", "DEPRECATED", "PACKAGE")
"""The columns that go where a table is too wide, the first of them first; PACKAGE only if there is one alone."""
_WIDEST: Final = 300
"""The most characters that a column is padded to: one long cell would make every line of its table as long."""
_OPTIONAL: Final = frozenset({"DISPLAY NAME", "SKIPS", "SKIP RANGE", "DEPRECATED"})


def catalog_list_text(
    rows: Sequence[Mapping[str, Any]], what: Listed, *, width: int = 80, colour: bool = False, wider: str | None = ""
) -> str:
    """Return *rows*, which :func:`olmsolve.authoring.listing` gives for *what*, as a table that fits *width*.

    Columns that would be empty are left out. A table that is too wide has numbers in place of long lists, digests cut,
    and fewer columns, which the last line names, with *wider*,
    the way to see all; with None for it, the table has everything. Names are never cut.
    """
    style = Style(width, colour)
    if not rows:
        return f"There are no {what}."
    cells = {
        heading: [_cell(row[field]) for row in checked(rows, every=64)]
        for heading, field in _COLUMNS[what].items()
        if heading not in _OPTIONAL or any(row[field] for row in rows)
    }
    left_out: list[str] = []
    if wider is not None and _width(cells) > width:
        _shorten(cells, rows)
        for heading in _DISPENSABLE:
            # With one package, the column says the same on each line.
            if heading == "PACKAGE" and len(set(cells.get(heading, ()))) > 1:
                continue
            if heading in cells and _width(cells) > width:
                left_out.append(heading)
                del cells[heading]
    lines = columns_of([list(cells), *zip(*cells.values(), strict=True)])
    lines[0] = style.bold(lines[0])
    if left_out:
        lines.append(style.dim(f"Left out: {', '.join(left_out)}{wider and f' ({wider})'}."))
    return "\n".join(lines)


def columns_of(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a line for each of *rows*, in columns as wide as their widest cell of up to 300 characters."""
    columns = checked(zip(*rows, strict=True))
    widths = [max(filter(_WIDEST.__ge__, map(len, column))) for column in columns]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in checked(rows, every=64)]


def _width(cells: Mapping[str, Sequence[str]]) -> int:
    return sum(max(len(heading), *map(len, column)) + 2 for heading, column in cells.items()) - 2


def _shorten(cells: dict[str, list[str]], rows: Sequence[Mapping[str, Any]]) -> None:
    """Put shorter texts into *cells* where they say nearly as much."""
    if "SKIPS" in cells:
        cells["SKIPS"] = [
            f"{len(row['skips'])} bundles" if len(row["skips"]) > 1 else cell
            for row, cell in checked(zip(rows, cells["SKIPS"], strict=True), every=64)
        ]
    if "IMAGE" in cells:
        cells["IMAGE"] = [_DIGEST.sub(r"\1...", cell) for cell in checked(cells["IMAGE"], every=64)]
    if "DEPRECATED" in cells:
        cells["DEPRECATED"] = ["yes" if cell else "" for cell in cells["DEPRECATED"]]


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return plain(", ".join(value) if isinstance(value, list) else str(value))


_HEADINGS = ("NAME", "ASSUMPTIONS", "CORES", "LIMITS", "PROOFS")


def backends_text(backends: Iterable[Backend], *, width: int = 80, colour: bool = False) -> str:
    """Return a line for each backend, and below the table why some cannot answer; *width* is in characters."""
    style = Style(width, colour)
    listed = list(backends)
    rows = [(backend.name, *_abilities(backend)) for backend in listed if not backend.missing]
    lines = table(_HEADINGS, rows, style.width) or ["  ".join(row) for row in (_HEADINGS, *rows)]
    lines[0] = style.bold(lines[0])
    for backend in listed:
        if backend.missing:
            lines.extend(paragraph(f"{backend.name} cannot be used: {backend.missing}", style.width, hanging="  "))
    return "\n".join(lines)


def _abilities(backend: Backend) -> tuple[str, str, str, str]:
    limits = "late" if backend.limits and not backend.punctual else _yes_or_no(backend.limits)
    return _yes_or_no(backend.assumptions), _yes_or_no(backend.cores), limits, _yes_or_no(backend.proofs)


def _yes_or_no(can: bool) -> str:
    return "yes" if can else "no"


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
