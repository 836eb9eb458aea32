"""Names that are nearly the same, and APIs that belong to several packages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from olmsolve._limits import checked
from olmsolve.authoring.checks.advice.facts import PublishedFacts
from olmsolve.authoring.checks.finding import Finding, Severity, shortlist
from olmsolve.catalog import Catalog, Package
from olmsolve.predicates import GVK


def on_names(package: Package) -> Iterator[Finding]:
    """Yield the channels, then the bundles, of *package* whose names differ only in case."""
    for kind, objects in (("channel", package.channels), ("bundle", package.bundles)):
        for names in _alike(objects):
            location: dict[str, Any] = {kind: names[1], "package": package.name, "origin": objects[names[1]].origin}
            yield _alike_finding(f"{kind}s", names, **location)


def on_names_of_packages(catalog: Catalog) -> Iterator[Finding]:
    """Yield the packages whose names differ only in case."""
    for names in _alike(catalog.packages):
        yield _alike_finding("packages", names, package=names[1], origin=catalog.packages[names[1]].origin)


def on_apis(catalog: Catalog, facts: PublishedFacts) -> Iterator[Finding]:
    """Yield the APIs that several packages provide; APIs with the same owners are one finding."""
    owners: dict[GVK, set[str]] = {}
    for package in checked(catalog):
        for name in checked(package.bundles, every=64):
            for gvk in facts.of(package.name, name).gvks:
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
    reason = f"{what} whose names differ in nothing but case: {shortlist(names)}"
    return Finding(Severity.WARNING, "name-case", reason, "is it the same one, written in two ways?", **location)
