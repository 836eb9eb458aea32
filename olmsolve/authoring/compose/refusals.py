"""Refusals that name the object and its location, the promise that an edit breaks nothing, and what it worsens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NoReturn

from olmsolve._arguments import must_be
from olmsolve._near_names import did_you_mean, near_names, similar_names
from olmsolve._reader import for_reader
from olmsolve.authoring.checks import Finding, Severity, validate
from olmsolve.catalog import Catalog, Channel, ChannelEntry, Origin, Package
from olmsolve.catalog.update_graph import bundle_version, channel_order
from olmsolve.errors import CatalogError

_ABOUT_OTHERS: Final = frozenset({"api-owners", "requirement-unmet"})


def refuse(
    reason: str, *, package: str = "", channel: str = "", bundle: str = "", origin: Origin | None = None
) -> NoReturn:
    """Raise a :class:`~olmsolve.errors.CatalogError` about the object that the arguments name."""
    where = str(origin) if origin is not None else ""
    raise CatalogError(reason, origin=where, package=package, channel=channel, bundle=bundle)


def _question(near: Sequence[str]) -> str:
    """Return the question whether one of *near* was meant, in parentheses to follow a sentence; "" without any."""
    return f" ({did_you_mean(near)})" if near else ""


def package_of(catalog: Catalog, name: str) -> Package:
    """Return the package *name*. Raises :class:`~olmsolve.errors.CatalogError` if it does not exist."""
    must_be(name, "str", "package")
    must_be(catalog, "Catalog", "catalog")
    listed = catalog.packages.get(name)
    if listed is None:
        near = _question(similar_names(name, sorted(catalog.packages)))
        refuse(f"the catalog has no such package{near}", package=name)
    return listed


def channel_of(package: Package, name: str, argument: str = "channel") -> Channel:
    """Return the channel *name*, which a caller passed as *argument*.

    Raises :class:`~olmsolve.errors.CatalogError` if it does not exist.
    """
    must_be(package, "Package", "package")
    must_be(name, "str", argument)
    listed = package.channels.get(name)
    if listed is None:
        existing = ", ".join(sorted(package.channels)) or "none"
        refuse(f"the package has no such channel (its channels are {existing})", package=package.name, channel=name)
    return listed


def entry_of(channel: Channel, name: str) -> ChannelEntry:
    """Return the entry *name*. Raises :class:`~olmsolve.errors.CatalogError` if *channel* has no such entry."""
    entries = {entry.name: entry for entry in channel.entries}
    if name not in entries:
        near = _question(near_names(name, entries))
        refuse(f"the channel has no such entry{near}", package=channel.package, channel=channel.name, bundle=name)
    return entries[name]


def refuse_bundle(package: Package, name: str) -> NoReturn:
    """Raise the :class:`~olmsolve.errors.CatalogError` that *package* has no bundle *name*."""
    near = _question(near_names(name, package.bundles))
    refuse(f"the package has no such bundle{near}", package=package.name, bundle=name)


def faults(package: Package) -> list[Finding]:
    """Return the errors of a catalog with *package* alone."""
    findings = validate(Catalog({package.name: package}), advice=False)
    return [finding for finding in findings if finding.severity is Severity.ERROR]


def new_faults(after: Package, *before: Package) -> list[Finding]:
    """Return the errors of *after* that none of *before* has: old faults may stay, to be repaired step by step."""
    old = {_identity(finding) for package in before for finding in faults(package)}
    return [finding for finding in faults(after) if _identity(finding) not in old]


def refuse_new_faults(after: Package, *before: Package) -> None:
    """Raise :class:`~olmsolve.errors.CatalogError` for a fault of *after* that none of *before* has."""
    new = new_faults(after, *before)
    if new:
        first = new[0]
        more = f" (and {len(new) - 1} more fault{'s' if len(new) > 2 else ''})" if len(new) > 1 else ""
        way = _one_head(after, first)
        hint = f" ({way or first.hint})" if way or first.hint else ""
        refuse(
            f"this would make the catalog invalid: {first.message}{hint}{more}",
            package=first.package or after.name,
            channel=first.channel,
            bundle=first.bundle,
            origin=first.origin,
        )


def _one_head(package: Package, fault: Finding) -> str:
    """Return how the channel of *fault* gets one head again, if that is its highest version; else ""."""
    channel = package.channels.get(fault.channel)
    heads = channel_order(channel.entries).heads if channel is not None and fault.code == "channel-heads" else ()
    versions = {name: bundle_version(package, name) for name in heads}
    if len(heads) < 2 or None in versions.values():
        return ""
    *others, newest = sorted(heads, key=lambda name: versions[name].key)  # type: ignore[union-attr]
    which = "it" if len(others) == 1 else "one of them"
    way = for_reader(python="", option=" (--skips of catalog edge, --skipped-by of catalog add)")
    return f"let {newest} skip {', '.join(others)}, or replace {which}, so that it is the only head{way}"


def new_advice(before: Catalog, after: Catalog) -> list[Finding]:
    """Return the warnings about packages of *after* that *before* did not have, by package.

    Each package is judged alone, so that warnings about what other packages provide are left out.
    """
    new: list[Finding] = []
    for name, package in after.packages.items():
        earlier = before.packages.get(name)
        # A package that the edit left alone is the same object, and its advice is the same.
        if earlier is not package:
            old = {_identity(finding) for finding in _warnings(earlier)} if earlier is not None else set()
            new += [finding for finding in _warnings(package) if _identity(finding) not in old]
    return new


def newly_unmet(before: Catalog, after: Catalog) -> list[Finding]:
    """Return the requirements that are unmet in *after* alone; none where *after* has all bundles of *before*."""
    staying = {name: package.bundles.keys() for name, package in after.packages.items()}
    if all(package.bundles.keys() <= staying.get(name, frozenset()) for name, package in before.packages.items()):
        return []
    # Imported for edits that remove bundles: it takes an index of the catalog.
    from olmsolve.authoring.checks.advice import unmet_requirements

    old = {(finding.package, finding.bundle, finding.property) for finding in unmet_requirements(before)}
    return [
        finding
        for finding in unmet_requirements(after)
        if (finding.package, finding.bundle, finding.property) not in old
    ]


def _warnings(package: Package) -> list[Finding]:
    findings = validate(Catalog({package.name: package}))
    return [
        warning for warning in findings if warning.severity is Severity.WARNING and warning.code not in _ABOUT_OTHERS
    ]


def _identity(finding: Finding) -> tuple[str, ...]:
    return finding.code, finding.channel, finding.bundle, finding.message
