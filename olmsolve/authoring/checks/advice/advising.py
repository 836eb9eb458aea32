"""All advice on a catalog, in one order and without repeats."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve._limits import checked
from olmsolve._records import evolve
from olmsolve.authoring.checks.advice.channels import on_channels
from olmsolve.authoring.checks.advice.facts import PublishedFacts
from olmsolve.authoring.checks.finding import Finding, Severity, shortlist
from olmsolve.authoring.checks.lints import lint, requires_anything
from olmsolve.authoring.upgrades import VersionKey
from olmsolve.catalog import Catalog, Package
from olmsolve.predicates import GVK

if TYPE_CHECKING:
    from olmsolve.authoring.checks.advice.unmet import UnmetRequirements


def advise(catalog: Catalog, *, leaving_out: Collection[str] = (), is_complete: bool = True) -> Iterator[Finding]:
    """Yield the advice on *catalog*: package by package, sorted by name, then the advice on several packages.

    Packages in *leaving_out* get no advice (their errors come first), but others may require them. If the catalog is
    not *is_complete*, because a file could not be read, nothing is reported as missing.
    """
    facts = PublishedFacts(catalog)
    unmet = _unmet_requirements(catalog, facts) if is_complete and requires_anything(catalog) else None
    linted: dict[str, list[Finding]] = {}
    for finding in lint(catalog):
        # In validation, an error is a fault that opm refuses.
        softer = Severity.WARNING if finding.severity is Severity.ERROR else finding.severity
        linted.setdefault(finding.package, []).append(evolve(finding, severity=softer))
    for name, package in sorted(catalog.packages.items()):
        COLLECTOR_PAUSE.make_up()
        if name in leaving_out or (package.origin is None and not package.default_channel):
            continue
        yield from _on_package(package, facts, unmet, linted.get(name, []))
    yield from _on_names_of_packages(catalog)
    yield from _on_apis(catalog, facts)


def _unmet_requirements(catalog: Catalog, facts: PublishedFacts) -> UnmetRequirements:
    # Imported on first use, with the index, which only requirements are looked up in.
    from olmsolve.authoring.checks.advice.unmet import UnmetRequirements

    return UnmetRequirements(catalog, facts)


def _on_package(
    package: Package, facts: PublishedFacts, unmet: UnmetRequirements | None, linted: list[Finding]
) -> Iterator[Finding]:
    version_key = facts.version_key(package)
    yield from on_channels(package, facts)
    yield from _on_names(package)
    if unmet is not None:
        yield from _merged(unmet.findings(package), version_key)
    yield from _merged(linted, version_key)


def _merged(findings: Iterable[Finding], version_key: VersionKey) -> Iterator[Finding]:
    """Merge findings that differ only in their bundle: most faults live on from version to version.

    The merged finding is on the highest version. Groups come in the order of their first findings.
    """
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        key = finding.severity, finding.code, finding.message, finding.hint, finding.channel
        groups.setdefault(key, []).append(finding)
    for group in groups.values():
        newest = max(group, key=lambda finding: version_key(finding.bundle))
        others = {finding.bundle for finding in group} - {newest.bundle}
        fixes = tuple(fix for finding in group for fix in finding.fixes)
        yield evolve(newest.repeated_in(sorted(others, key=version_key)), fixes=fixes)


def _on_names(package: Package) -> Iterator[Finding]:
    """Yield the channels, then the bundles, of *package* whose names differ only in case."""
    for kind, objects in (("channel", package.channels), ("bundle", package.bundles)):
        for names in _alike(objects):
            location: dict[str, Any] = {kind: names[1], "package": package.name, "origin": objects[names[1]].origin}
            yield _alike_finding(f"{kind}s", names, **location)


def _on_names_of_packages(catalog: Catalog) -> Iterator[Finding]:
    """Yield the packages whose names differ only in case."""
    for names in _alike(catalog.packages):
        yield _alike_finding("packages", names, package=names[1], origin=catalog.packages[names[1]].origin)


def _on_apis(catalog: Catalog, facts: PublishedFacts) -> Iterator[Finding]:
    """Yield the APIs that several packages provide; APIs with the same owners are one finding."""
    owners: dict[GVK, set[str]] = {}
    for package in checked(catalog):
        for gvk in facts.apis(package.name):
            owners.setdefault(gvk, set()).add(package.name)
    shared: dict[tuple[str, ...], list[GVK]] = {}
    for gvk, packages in owners.items():
        if len(packages) > 1:
            shared.setdefault(tuple(sorted(packages)), []).append(gvk)
    for names, gvks in sorted(shared.items()):
        count = len(gvks)
        what = "API" if count == 1 else f"{count} APIs"
        reason = (
            f"the packages {', '.join(names)} provide the same {what}: {shortlist([str(gvk) for gvk in sorted(gvks)])}"
        )
        hint = "OLM classic installs bundles of one of them only; where an API is required, any of them may be chosen"
        first = catalog.packages[names[0]]
        yield Finding(Severity.NOTE, "api-owners", reason, hint, package=first.name, origin=first.origin)


def _alike(names: Iterable[str]) -> Iterator[list[str]]:
    """Yield the groups of *names* that differ only in case, each group and all groups sorted."""
    groups: dict[str, list[str]] = {}
    for name in sorted(names):
        groups.setdefault(name.casefold(), []).append(name)
    return (group for group in groups.values() if len(group) > 1)


def _alike_finding(what: str, names: list[str], **location: Any) -> Finding:
    reason = f"{what} whose names differ only in case: {shortlist(names)}"
    return Finding(Severity.WARNING, "name-case", reason, "are they the same name, written in two ways?", **location)
