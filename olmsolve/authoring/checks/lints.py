"""The lints of a whole catalog, and the order in which they report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from olmsolve.authoring.checks.finding import Finding, Severity, shortened
from olmsolve.authoring.checks.property_types import meant
from olmsolve.authoring.checks.requirements import RequirementLints
from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry
from olmsolve.errors import RangeError
from olmsolve.semver import BlangRange

__all__ = ["CODES", "lint"]

CODES: Final = {
    "empty-range": "a version range in which no version is",
    "excludes-itself": "a `not` that the requiring bundle itself breaks, with documented semantics",
    "property-type": "a property type that is nearly one that has a meaning",
    "range-warning": "a version range that is read otherwise than it is written",
    "requirement-syntax": "a requirement that does not parse, so that the bundle can never be selected",
    "rule-never-matches": "a CEL rule that no bundle can satisfy",
    "semantics-differ": "a constraint for which documented and controller semantics differ",
    "skip-range-syntax": "a skipRange that does not parse, and so skips nothing",
}
"""Every code of :func:`lint`, with what it reports."""

_HINTS: Final = {"olm.skipRange": "the field skipRange of a channel's entry", "olm.skips": "the field skips of one"}


def lint(catalog: Catalog) -> tuple[Finding, ...]:
    """Everything in *catalog* that is probably not what its authors meant.

    The findings are sorted by package, then channels before bundles, by their names; inside these they follow
    the document. They depend on what the catalog holds alone, not on files or their order. Never raises for
    what a catalog holds.
    """
    return tuple(_findings(catalog))


def _findings(catalog: Catalog) -> Iterator[Finding]:
    skip_ranges: dict[str, tuple[Finding, ...]] = {}
    requirements = RequirementLints()
    types: dict[str, str] = {}
    for _, package in sorted(catalog.packages.items()):
        for _, channel in sorted(package.channels.items()):
            for index, entry in enumerate(channel.entries):
                if entry.skip_range:
                    if entry.skip_range not in skip_ranges:
                        skip_ranges[entry.skip_range] = tuple(_skip_range(entry.skip_range))
                    for finding in skip_ranges[entry.skip_range]:
                        yield _in_channel(finding, channel, index, entry)
        for _, bundle in sorted(package.bundles.items()):
            yield from _property_types(bundle, types)
            yield from requirements.findings(bundle)


def _skip_range(text: str) -> Iterator[Finding]:
    """The findings on a ``skipRange``, without a place."""
    try:
        versions = BlangRange.parse(text)
    except RangeError as error:
        reason = f"{shortened(text)} does not parse, so nothing is skipped: {shortened(error.reason)}"
        yield Finding(Severity.WARNING, "skip-range-syntax", reason)
        return
    for warning in versions.warnings:
        yield Finding(Severity.WARNING, "range-warning", f"in {shortened(text)}: {shortened(warning)}")
    if versions.is_empty:
        yield Finding(Severity.WARNING, "empty-range", f"no version is in {shortened(text)}")


def _in_channel(finding: Finding, channel: Channel, index: int, entry: ChannelEntry) -> Finding:
    return Finding(
        finding.severity,
        finding.code,
        finding.message,
        package=channel.package,
        channel=channel.name,
        bundle=entry.name,
        property=f"entries[{index}].skipRange",
        origin=channel.origin,
    )


def _property_types(bundle: Bundle, known: dict[str, str]) -> Iterator[Finding]:
    for index, item in enumerate(bundle.properties):
        if item.type not in known:
            known[item.type] = meant(item.type)
        if wanted := known[item.type]:
            yield Finding(
                Severity.WARNING,
                "property-type",
                f"the type {item.type[:80]!r} means nothing to Operator Lifecycle Manager",
                f"did you mean {_HINTS.get(wanted, wanted)}?",
                package=bundle.package,
                bundle=bundle.name,
                property=f"properties[{index}] ({item.type[:80]})",
                origin=bundle.origin,
            )
