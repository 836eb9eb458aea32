"""The facts that bundles publish, read once for all advice, and the requirements that none of them meets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import chain
from typing import Final, assert_never

from olmsolve._limits import checked
from olmsolve.authoring.checks.findings import Finding, Severity, on_bundle, shortened
from olmsolve.authoring.upgrades import VersionKey
from olmsolve.catalog import Bundle, Catalog, Package, PerList, has_requirement
from olmsolve.catalog.update_graph import bundle_version
from olmsolve.errors import ConstraintError
from olmsolve.predicates import (
    GVK,
    REQUIREMENT_TYPES,
    Conjunction,
    Disjunction,
    Negative,
    NormalForm,
    Positive,
    Property,
    normalise,
    published,
    requirements,
)
from olmsolve.semver import BlangRange, Version
from olmsolve.v1 import PackageOffers, offers_of


class PublishedFacts:
    """The versions and APIs that the bundles of one catalog publish."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._versions: dict[str, dict[str, Version | None]] = {}
        self._apis: dict[str, frozenset[GVK]] = {}
        apis_of = PerList(_apis)
        for package in catalog:
            versions = self._versions[package.name] = {}
            apis: dict[int, tuple[GVK, ...]] = {}
            for name, bundle in checked(package.bundles.items(), every=16):
                versions[name] = bundle_version(package, name, catalog.scheme)
                of_list = apis_of(bundle)
                # By identity: bundles of a package mostly share one list, which then counts once.
                apis[id(of_list)] = of_list
            self._apis[package.name] = frozenset(chain.from_iterable(apis.values()))

    def offers(self, package: Package) -> PackageOffers | None:
        """Return *package* as OLM v1 sees it."""
        return offers_of(self._catalog, package.name, release_support=False)

    def apis(self, package: str) -> frozenset[GVK]:
        """Return the APIs that bundles of *package* provide."""
        return self._apis[package]

    def version(self, package: str, bundle: str) -> Version | None:
        """Return the version of *bundle*; None if it has no readable version, or does not exist."""
        return self._versions.get(package, {}).get(bundle)

    def version_key(self, package: Package) -> VersionKey:
        """Return the sort key of the bundles of *package*."""
        return VersionKey(self._versions.get(package.name, {}).get)


def _apis(bundle: Bundle) -> tuple[GVK, ...]:
    return published(bundle.package, bundle.properties).gvks


_HINT: Final = "another catalog of the cluster has to provide it, or the bundle cannot be installed"


def unmet_requirements(catalog: Catalog) -> Iterator[Finding]:
    """Yield the requirements in *catalog* that nothing in it meets, package by package."""
    unmet = UnmetRequirements(catalog, PublishedFacts(catalog))
    for package in catalog:
        yield from unmet.findings(package)


class UnmetRequirements:
    """The requirements of one catalog that nothing in it meets; equal requirements are searched once."""

    def __init__(self, catalog: Catalog, facts: PublishedFacts) -> None:
        # Imported on first use: only requirements are looked up in the index, and most small catalogs have none.
        from olmsolve.catalog.index import index_of

        self._facts = facts
        self._catalog = catalog
        self._index = index_of(catalog)
        self._requires = PerList(has_requirement)
        self._reasons_of: dict[tuple[str, str], tuple[str, ...]] = {}

    def findings(self, package: Package) -> Iterator[Finding]:
        """Yield the unmet requirements of *package*, sorted by bundle, then in the order of properties."""
        for _, bundle in checked(sorted(package.bundles.items()), every=16):
            if not self._requires(bundle):
                continue
            for index, property_ in enumerate(bundle.properties):
                if property_.type not in REQUIREMENT_TYPES:
                    continue
                for reason in self._reasons(property_):
                    path = f"properties[{index}] ({property_.type})"
                    yield on_bundle(Severity.WARNING, "requirement-unmet", reason, bundle, path, _HINT)

    def _reasons(self, property_: Property) -> tuple[str, ...]:
        try:
            (requirement,) = requirements((property_,))
        except ConstraintError:
            # The lint "requirement-syntax" reports it.
            return ()
        key = property_.type, str(requirement.predicate)
        if key not in self._reasons_of:
            self._reasons_of[key] = tuple(self._missing(normalise(requirement.predicate)))
        return self._reasons_of[key]

    def _missing(self, form: NormalForm) -> Iterator[str]:
        """Yield why nothing meets *form*, a sentence for each part to blame; nothing if *form* can be met."""
        match form:
            case Positive():
                if not any(map(self._is_selectable, self._index.candidates(form.predicate))):
                    yield self._why(form)
            case Negative():
                return
            case Conjunction():
                for part in form.parts:
                    yield from self._missing(part)
            case Disjunction():
                reasons = [tuple(self._missing(part)) for part in form.parts]
                if all(reasons):
                    yield f"no bundle in the catalog meets {shortened(form)}"
            case _:
                assert_never(form)

    def _is_selectable(self, number: int) -> bool:
        """Return whether candidate *number* can be installed.

        The candidate that stands for a broken channel counts: whoever repairs the channel may be offered its bundles.
        """
        if self._index.slots[number].bundle < 0:
            return True
        return self._index.fault(number) is None and not self._index.published(number).deprecated

    def _why(self, form: Positive) -> str:
        leaf = form.predicate
        if leaf.package_range is not None:
            return self._why_no_package(*leaf.package_range)
        fact = leaf.fact if leaf.is_fact else None
        if fact is not None and isinstance(fact.value, GVK):
            wanted = fact.value
            near = sorted(gvk.version for gvk in self._apis.get((wanted.group, wanted.kind), ()))
            reason = f"no bundle that can be installed provides the API {shortened(wanted)}"
            return (
                f"{reason}; only version {', '.join(near)} is provided"
                if near and wanted.version not in near
                else reason
            )
        if fact is not None and fact.kind == "label":
            return f"no bundle that can be installed has the label {shortened(fact.value)}"
        return f"no bundle that can be installed has {shortened(leaf)}"

    def _why_no_package(self, name: str, wanted: BlangRange) -> str:
        package = self._catalog.packages.get(name)
        if package is None:
            return f"the catalog has no package {shortened(name)}"
        listed = [self._facts.version(package.name, bundle) for bundle in package.bundles]
        versions = sorted(version for version in listed if version is not None)
        has = f"its versions are {versions[0]} to {versions[-1]}" if versions else "it has no versions"
        if len(set(versions)) == 1:
            has = f"its only version is {versions[0]}"
        if any(version in wanted for version in versions):
            has = "channels skip the versions in the range"
        return f"no bundle of package {name} that can be installed is in {shortened(wanted)}: {has}"

    @cached_property
    def _apis(self) -> dict[tuple[str, str], set[GVK]]:
        """The provided APIs, all versions, by group and kind."""
        apis: dict[tuple[str, str], set[GVK]] = {}
        for package in self._catalog:
            for gvk in self._facts.apis(package.name):
                apis.setdefault((gvk.group, gvk.kind), set()).add(gvk)
        return apis
