"""Checks across documents: duplicates, missing packages, channels and bundles, equal versions, deprecations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._records import evolve
from olmsolve.authoring.checks.findings import (
    Edit,
    FieldFix,
    Finding,
    error_finding,
    listed_names,
    path_steps,
    shortened,
)
from olmsolve.authoring.checks.validation.blobs import CheckedBlob
from olmsolve.authoring.checks.validation.bundles import CheckedBundle, checked_bundle
from olmsolve.authoring.checks.validation.channels import (
    CheckedChannel,
    checked_channel,
    misspelt_entries,
    on_misspelt_entry,
)
from olmsolve.authoring.checks.validation.spelling import PACKAGE_NAMES, is_package_name, nearest
from olmsolve.catalog import Origin

_MOST_COMPARED: Final = 100  # packages without olm.package that are compared with all others

# Findings that say that a document is missing: not to be trusted where a document could not be read.
_ON_ABSENCE: Final = frozenset(
    {
        "bundle-without-channel",
        "default-channel-unknown",
        "deprecation-unknown",
        "entry-without-bundle",
        "package-empty",
        "package-unknown",
    }
)


@attrs.define
class _PackageContent:
    """The documents of a package so far: they arrive in any order."""

    name: str
    origin: Origin | None = None
    default_channel: str = ""
    channels: dict[str, CheckedChannel] = attrs.field(factory=dict)
    bundles: dict[str, CheckedBundle] = attrs.field(factory=dict)
    deprecations: CheckedBlob | None = None
    findings: list[Finding] = attrs.field(factory=list)
    is_incomplete: bool = False
    is_hollow: bool = False
    """Whether its only document is its ``olm.package``, and documents with another package name are meant for it."""

    def report(self, code: str, message: str, hint: str = "", **location: Any) -> None:
        """Add an error about the package, or about a *location* in it."""
        self.findings.append(error_finding(code, message, hint, package=self.name, **location))

    def belongs_to(self, other: _PackageContent) -> bool:
        """Return whether an entry of one of the packages has its bundle in the other, or one of them has neither."""
        return (
            not (self.channels or self.bundles)
            or not (other.channels or other.bundles)
            or any(
                not one.bundles.keys().isdisjoint(channel.entries)
                for one, another in ((self, other), (other, self))
                for channel in another.channels.values()
            )
        )

    def adopt(self, other: _PackageContent) -> None:
        """Take the documents of *other*, a misspelt package, where this one has none of their names."""
        self.is_hollow = not (self.channels or self.bundles)
        self.channels = other.channels | self.channels
        self.bundles = other.bundles | self.bundles
        self.deprecations = self.deprecations or other.deprecations


class PackageChecks:
    """The packages of a catalog: :meth:`add` takes documents in any order, :meth:`findings` judges them together."""

    def __init__(self) -> None:
        self._packages: dict[str, _PackageContent] = {}
        self._is_incomplete = False
        self.torn: set[str] = set()
        """Packages some of whose documents have a misspelt name, known after :meth:`findings`."""

    def miss(self, package: str = "") -> None:
        """Remember that a document of *package* could not be used; "" stands for any package."""
        if package:
            self._content_of(package).is_incomplete = True
        else:
            self._is_incomplete = True

    def add(self, blob: CheckedBlob) -> None:
        """Check a usable *blob* alone, and file it under its package; blobs of other schemas have no faults."""
        add: dict[str, Callable[[_PackageContent, CheckedBlob], None]] = {
            "olm.package": self._add_package,
            "olm.channel": self._add_channel,
            "olm.bundle": lambda content, blob: _add_checked_bundle(content, checked_bundle(blob)),
            "olm.deprecations": self._add_deprecations,
        }
        if blob.schema in add:
            add[blob.schema](self._content_of(blob.package), blob)

    def add_bundle(self, package: str, bundle: CheckedBundle) -> None:
        """File a *bundle*, checked alone, under its *package*."""
        _add_checked_bundle(self._content_of(package), bundle)

    def findings(self) -> Iterator[Finding]:
        """Yield all findings, package by package, sorted by name.

        Where documents could not be used, findings that a document is missing are left out. Documents with a misspelt
        package name count for the package that is meant, so that one fault is one finding.
        """
        misspelt = _misspelt_packages(self._packages)
        self.torn.update(misspelt.values())
        for name, meant in misspelt.items():
            self._packages[meant].adopt(self._packages[name])
        for name, content in checked(sorted(self._packages.items())):
            if name in misspelt:
                yield from _findings_on_misspelt(content, self._packages[misspelt[name]])
                continue
            is_incomplete = self._is_incomplete or content.is_incomplete
            for finding in self._package_findings(content):
                if not (is_incomplete and finding.code in _ON_ABSENCE):
                    yield finding

    def _content_of(self, name: str) -> _PackageContent:
        if name not in self._packages:
            self._packages[name] = _PackageContent(name)
        return self._packages[name]

    def _add_package(self, content: _PackageContent, blob: CheckedBlob) -> None:
        report = partial(content.report, origin=blob.origin)
        if not content.name:
            report("package-name-missing", "the package has no name")
        elif content.origin is not None:
            reason = f"the package is defined twice: first at {content.origin}"
            report("package-duplicate", reason, "remove one of them")
            return
        elif not is_package_name(content.name):
            reason = f"{shortened(content.name)!r} cannot name a package"
            report("package-name-invalid", reason, PACKAGE_NAMES)
        content.origin = blob.origin
        content.default_channel = blob.value.get("defaultChannel") or ""

    def _add_channel(self, content: _PackageContent, blob: CheckedBlob) -> None:
        channel = checked_channel(blob)
        content.findings.extend(channel.findings)
        report = partial(content.report, channel=channel.name, origin=blob.origin)
        if not channel.name:
            report("channel-name-missing", "the channel has no name")
        elif channel.name in content.channels:
            reason = f"the channel is defined twice: first at {content.channels[channel.name].origin}"
            report("channel-duplicate", reason, "merge the two")
            return
        content.channels[channel.name] = channel

    def _add_deprecations(self, content: _PackageContent, blob: CheckedBlob) -> None:
        report = partial(content.report, origin=blob.origin)
        if not content.name:
            report("deprecation-package-missing", "the deprecations name no package")
        elif content.deprecations is not None:
            reason = f"the package has two olm.deprecations: the first at {content.deprecations.origin}"
            report("deprecation-duplicate", reason, "merge their entries")
        else:
            content.deprecations = blob

    def _package_findings(self, content: _PackageContent) -> Iterator[Finding]:
        yield from content.findings
        if content.origin is None:
            if content.channels or content.bundles or content.deprecations is not None:
                yield _package_unknown(content, "is the package name misspelt, or is its olm.package missing?")
        elif content.name:
            yield from _default_channel_findings(content)
        if content.name:
            yield from _membership_findings(content)
            yield from _version_findings(content)
            yield from _deprecation_findings(content)


def _add_checked_bundle(content: _PackageContent, bundle: CheckedBundle) -> None:
    content.findings.extend(bundle.findings)
    if not content.name:
        content.report(
            "bundle-package-missing", "the bundle names no package", bundle=bundle.name, origin=bundle.origin
        )
    elif bundle.name in content.bundles:
        reason = f"the bundle is defined twice: first at {content.bundles[bundle.name].origin}"
        content.report("bundle-duplicate", reason, "remove one of them", bundle=bundle.name, origin=bundle.origin)
        return
    content.bundles[bundle.name] = bundle


def _package_unknown(content: _PackageContent, hint: str) -> Finding:
    parts: list[CheckedChannel | CheckedBundle] = [*content.channels.values(), *content.bundles.values()]
    first = next(iter(parts), content.deprecations)
    named = f"the package {shortened(content.name)!r}" if content.name else "a package without a name"
    reason = f"{named} has channels, bundles or deprecations, but no olm.package"
    origin = first.origin if first is not None else None
    return error_finding("package-unknown", reason, hint, package=content.name, origin=origin)


def _misspelt_packages(packages: Mapping[str, _PackageContent]) -> dict[str, str]:
    """Map the name of each package without ``olm.package`` to the package that is meant, as far as that is clear.

    Another package is meant if the bundles state it in their property, if it has nearly the same name, or if it has the
    bundle of an entry; and if an entry of one of the two has its bundle in the other, or one of them has nothing else.
    """
    declared = [name for name, content in packages.items() if content.origin is not None and name]
    undeclared = [name for name, content in packages.items() if content.origin is None and name][:_MOST_COMPARED]
    if not undeclared:
        return {}
    owner_of = {bundle: name for name in declared for bundle in packages[name].bundles}
    hollow = [name for name in declared if not (packages[name].channels or packages[name].bundles)]
    meant: dict[str, str] = {}
    for name in undeclared:
        content = packages[name]
        stated = {bundle.stated_package for bundle in content.bundles.values()} - {name}
        owners = {
            owner_of[entry] for channel in content.channels.values() for entry in channel.entries if entry in owner_of
        }
        import difflib  # slow to load, and few need it

        others = [*sorted(stated), *difflib.get_close_matches(name, declared, n=1), *sorted(owners)]
        if len(hollow) == 1 and len(undeclared) == 1 and content.channels and content.bundles:
            others += hollow
        for other in others:
            if other in packages and packages[other].origin is not None and content.belongs_to(packages[other]):
                meant[name] = other
                break
    return meant


def _findings_on_misspelt(content: _PackageContent, meant: _PackageContent) -> Iterator[Finding]:
    """Yield what is wrong with a package whose name stands for the package *meant*."""
    for finding in content.findings:
        bundle = content.bundles.get(finding.bundle)
        if finding.code != "package-property-mismatch" or bundle is None or bundle.stated_package != meant.name:
            yield finding
    if meant.is_hollow:
        # All its documents have the other name, so it is the olm.package that is misspelt.
        hint = f"olm.package has the name {shortened(meant.name)}: did you mean {shortened(content.name)}?"
        unknown = _package_unknown(content, hint)
        fix = FieldFix(Edit.SET, path_steps("name"), content.name, meant.origin)
        yield evolve(unknown, origin=meant.origin, property="name", fixes=(fix,))
        return
    unknown = _package_unknown(content, f"did you mean {shortened(meant.name)}?")
    own_bundles = [bundle for bundle in content.bundles.values() if bundle.stated_package != meant.name]
    origins = [channel.origin for channel in content.channels.values()]
    origins += [bundle.origin for bundle in content.bundles.values()]
    if content.deprecations is not None:
        origins.append(content.deprecations.origin)
    # A bundle whose property says the same is no slip of the pen.
    fixes = (
        ()
        if own_bundles
        else tuple(FieldFix(Edit.SET, path_steps("package"), meant.name, origin) for origin in origins)
    )
    yield evolve(unknown, fixes=fixes)


def _default_channel_findings(content: _PackageContent) -> Iterator[Finding]:
    location: dict[str, Any] = {"package": content.name, "origin": content.origin}
    name = content.default_channel
    if not name:
        listed = listed_names(sorted(content.channels))
        hint = f"defaultChannel names one of its channels{': ' + listed if listed else ''}"
        yield error_finding("default-channel-missing", "the package has no default channel", hint, **location)
    elif name not in content.channels:
        hint = (
            f"its channels are {listed_names(sorted(content.channels))}" if content.channels else "it has no channels"
        )
        near = nearest(name, content.channels)
        if near:
            hint = f"did you mean {shortened(near)}? {hint}"
            location["fixes"] = (FieldFix(Edit.SET, path_steps("defaultChannel"), near, content.origin),)
        reason = "the default channel does not exist"
        yield error_finding("default-channel-unknown", reason, hint, channel=name, **location)
        location.pop("fixes", None)
    if not content.channels:
        yield error_finding("package-empty", "the package has no channels", **location)


def _membership_findings(content: _PackageContent) -> Iterator[Finding]:
    listed: set[str] = set()
    meant = misspelt_entries(content.channels, content.bundles)
    bundles_of = {bundle: entry for entry, bundle in meant.items()}
    for _, channel in sorted(content.channels.items()):
        listed.update(channel.entries)
        for name, index in channel.entries.items():
            if name not in content.bundles and name and name not in meant:
                hint = "is the name misspelt, or is the bundle in another package?"
                at_entry: dict[str, Any] = {"package": content.name, "channel": channel.name, "origin": channel.origin}
                at_entry |= {"bundle": name, "property": f"entries[{index}]"}
                yield error_finding("entry-without-bundle", "the entry has no olm.bundle", hint, **at_entry)
    for name, bundle in sorted(content.bundles.items()):
        if name in bundles_of:
            yield on_misspelt_entry(content.name, content.channels, bundles_of[name], name)
        elif name not in listed:
            reason = "the bundle is in no channel"
            hint = "add an entry for it to a channel" if name else "the bundle has no name"
            location: dict[str, Any] = {"package": content.name, "bundle": name, "origin": bundle.origin}
            yield error_finding("bundle-without-channel", reason, hint, **location)


def _version_findings(content: _PackageContent) -> Iterator[Finding]:
    bundles: dict[str, list[CheckedBundle]] = {}
    for _, bundle in sorted(content.bundles.items()):
        if bundle.version:
            bundles.setdefault(bundle.version, []).append(bundle)
    for version, same in sorted(bundles.items()):
        if len(same) > 1:
            names = listed_names([folder.name for folder in same])
            reason = f"{len(same)} bundles have the version {shortened(version)}: {names}"
            hint = "give each bundle a version of its own"
            yield error_finding("version-duplicate", reason, hint, package=content.name, origin=same[1].origin)


def _deprecation_findings(content: _PackageContent) -> Iterator[Finding]:
    if content.deprecations is None:
        return
    seen: set[tuple[str, str]] = set()
    for index, entry in enumerate(content.deprecations.value.get("entries") or ()):
        entry = entry or {}
        reference = entry.get("reference") or {}
        schema, name = reference.get("schema") or "", reference.get("name") or ""
        location: dict[str, Any] = {
            "package": content.name,
            "origin": content.deprecations.origin,
            "property": f"entries[{index}].reference",
        }
        if schema and name:
            location["property"] += ".name"
        if schema in ("olm.bundle", "olm.channel"):
            location[schema.removeprefix("olm.")] = name
        if not schema:
            yield error_finding("deprecation-schema-missing", "it does not say what is deprecated", **location)
            continue
        if (schema, name) in seen:
            reason = f"a second entry for {schema} {shortened(name)}".rstrip()
            yield error_finding("deprecation-entry-duplicate", reason, "remove it", **location)
            continue
        seen.add((schema, name))
        if schema == "olm.package":
            if name:
                reason = f"the name {shortened(name)!r}, where a package is deprecated"
                yield error_finding("deprecation-package-name", reason, "leave the name out", **location)
        elif schema in ("olm.bundle", "olm.channel"):
            kind = schema.removeprefix("olm.")
            # A default channel counts as a channel even where it does not exist (which is a fault of its own).
            existing = content.bundles if kind == "bundle" else {*content.channels, content.default_channel}
            if name not in existing:
                reason = f"the {kind} {shortened(name)!r} is deprecated, but does not exist"
                near = nearest(name, existing)
                if near:
                    path = path_steps(f"entries[{index}].reference.name")
                    location["fixes"] = (FieldFix(Edit.SET, path, near, content.deprecations.origin),)
                hint = f"did you mean {shortened(near)}?" if near else ""
                yield error_finding("deprecation-unknown", reason, hint, **location)
                location.pop("fixes", None)
        else:
            reason = f"the schema {shortened(schema)!r} cannot be deprecated"
            hint = "only olm.package, olm.channel and olm.bundle can"
            near = nearest(schema, ("olm.package", "olm.channel", "olm.bundle"))
            if near:
                path = path_steps(f"entries[{index}].reference.schema")
                location["fixes"] = (FieldFix(Edit.SET, path, near, content.deprecations.origin),)
                hint = f"did you mean {near}? {hint}"
            location["property"] = f"entries[{index}].reference.schema"
            yield error_finding("deprecation-schema-unknown", reason, hint, **location)
            continue
        if not entry.get("message"):
            location["property"] = f"entries[{index}].message"
            what = f"the deprecation of {schema} {shortened(name)}".rstrip()
            yield error_finding(
                "deprecation-message-missing", f"{what} has no message", "say what to use instead", **location
            )
