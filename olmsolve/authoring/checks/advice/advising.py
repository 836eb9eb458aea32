"""All advice on a catalog, in one order and without repeats."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from olmsolve._records import evolve
from olmsolve.authoring.checks.advice.channels import on_channels
from olmsolve.authoring.checks.advice.facts import PublishedFacts
from olmsolve.authoring.checks.advice.ownership import on_apis, on_names, on_names_of_packages
from olmsolve.authoring.checks.advice.unmet import UnmetRequirements
from olmsolve.authoring.checks.finding import Finding, Severity
from olmsolve.authoring.checks.lints import lint
from olmsolve.authoring.upgrades import VersionKey
from olmsolve.catalog import Catalog, Package


def advise(catalog: Catalog, *, leaving_out: Collection[str] = (), is_complete: bool = True) -> Iterator[Finding]:
    """Yield the advice on *catalog*: package by package, sorted by name, then the advice on several packages.

    Packages in *leaving_out* get no advice (their errors come first), but others may require them. If the catalog is
    not *is_complete*, because a file could not be read, nothing is reported as missing.
    """
    facts = PublishedFacts(catalog)
    unmet = UnmetRequirements(catalog, facts) if is_complete else None
    linted: dict[str, list[Finding]] = {}
    for finding in lint(catalog):
        # In validation, an error is a fault that opm refuses.
        softer = Severity.WARNING if finding.severity is Severity.ERROR else finding.severity
        linted.setdefault(finding.package, []).append(evolve(finding, severity=softer))
    for name, package in sorted(catalog.packages.items()):
        if name in leaving_out or (package.origin is None and not package.default_channel):
            continue
        yield from _on_package(package, facts, unmet, linted.get(name, []))
    yield from on_names_of_packages(catalog)
    yield from on_apis(catalog, facts)


def _on_package(
    package: Package, facts: PublishedFacts, unmet: UnmetRequirements | None, linted: list[Finding]
) -> Iterator[Finding]:
    version_key = facts.version_key(package)
    yield from on_channels(package, facts)
    yield from on_names(package)
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
