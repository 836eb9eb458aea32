"""All packages together: what their documents say of each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import attrs

from olmsolve.authoring.checks.finding import Finding, Severity, shortened
from olmsolve.authoring.checks.validation.blobs import CheckedBlob
from olmsolve.authoring.checks.validation.bundles import CheckedBundle, checked_bundle
from olmsolve.authoring.checks.validation.channels import CheckedChannel, checked_channel
from olmsolve.authoring.checks.validation.field_types import field
from olmsolve.catalog import Origin

__all__ = ["PackageChecks"]

_LABEL: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_LABEL_LENGTH: Final = 63
_SHOWN: Final = 10

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
class _PackageDocuments:
    """What is known of a package while its documents arrive, in any order."""

    name: str
    origin: Origin | None = None
    default_channel: str = ""
    channels: dict[str, CheckedChannel] = attrs.field(factory=dict)
    bundles: dict[str, CheckedBundle] = attrs.field(factory=dict)
    deprecations: CheckedBlob | None = None
    loose: list[Finding] = attrs.field(factory=list)
    is_incomplete: bool = False


class PackageChecks:
    """Documents in, findings out."""

    def __init__(self) -> None:
        self._drafts: dict[str, _PackageDocuments] = {}
        self._is_incomplete = False

    def miss(self, package: str = "") -> None:
        """Take note that a document of *package* could not be used; without a name, one of any package."""
        if package:
            self._draft(package).is_incomplete = True
        else:
            self._is_incomplete = True

    def add(self, blob: CheckedBlob) -> None:
        """Take a usable *blob* of a known schema."""
        add: dict[str, Callable[[_PackageDocuments, CheckedBlob], None]] = {
            "olm.package": self._package,
            "olm.channel": self._channel,
            "olm.bundle": self._bundle,
            "olm.deprecations": self._deprecations,
        }
        if blob.schema in add:
            add[blob.schema](self._draft(blob.package), blob)

    def findings(self) -> Iterator[Finding]:
        """Everything that is wrong, package by package, by their names.

        What follows from the absence of a document is left out where documents could not be used.
        """
        for _, draft in sorted(self._drafts.items()):
            is_incomplete = self._is_incomplete or draft.is_incomplete
            for finding in self._of_package(draft):
                if not (is_incomplete and finding.code in _ON_ABSENCE):
                    yield finding

    def _draft(self, name: str) -> _PackageDocuments:
        if name not in self._drafts:
            self._drafts[name] = _PackageDocuments(name)
        return self._drafts[name]

    def _package(self, draft: _PackageDocuments, blob: CheckedBlob) -> None:
        def refuse(code: str, message: str, hint: str = "") -> None:
            draft.loose.append(Finding(Severity.ERROR, code, message, hint, package=draft.name, origin=blob.origin))

        if not draft.name:
            refuse("package-name-missing", "the package has no name")
        elif draft.origin is not None:
            refuse("package-duplicate", f"the package is defined twice: first at {draft.origin}", "remove one of them")
            return
        elif not _LABEL.fullmatch(draft.name) or len(draft.name) > _LABEL_LENGTH:
            reason = f"{shortened(draft.name)!r} cannot name a package"
            hint = "at most 63 lower-case letters, digits and hyphens; no dots, and no hyphen at the beginning or end"
            refuse("package-name-invalid", reason, hint)
        draft.origin = blob.origin
        draft.default_channel = field(blob.value, "defaultChannel") or ""

    def _channel(self, draft: _PackageDocuments, blob: CheckedBlob) -> None:
        channel = checked_channel(blob)
        draft.loose.extend(channel.findings)
        place: dict[str, Any] = {"package": draft.name, "channel": channel.name, "origin": blob.origin}
        if not channel.name:
            draft.loose.append(_error("channel-name-missing", "the channel has no name", **place))
        elif channel.name in draft.channels:
            reason = f"the channel is defined twice: first at {draft.channels[channel.name].origin}"
            draft.loose.append(_error("channel-duplicate", reason, "merge the two", **place))
            return
        draft.channels[channel.name] = channel

    def _bundle(self, draft: _PackageDocuments, blob: CheckedBlob) -> None:
        bundle = checked_bundle(blob)
        draft.loose.extend(bundle.findings)
        place: dict[str, Any] = {"package": draft.name, "bundle": bundle.name, "origin": blob.origin}
        if not draft.name:
            draft.loose.append(_error("bundle-package-missing", "the bundle names no package", **place))
        elif bundle.name in draft.bundles:
            reason = f"the bundle is defined twice: first at {draft.bundles[bundle.name].origin}"
            draft.loose.append(_error("bundle-duplicate", reason, "remove one of them", **place))
            return
        draft.bundles[bundle.name] = bundle

    def _deprecations(self, draft: _PackageDocuments, blob: CheckedBlob) -> None:
        place: dict[str, Any] = {"package": draft.name, "origin": blob.origin}
        if not draft.name:
            draft.loose.append(_error("deprecation-package-missing", "the deprecations name no package", **place))
        elif draft.deprecations is not None:
            reason = f"the package has two olm.deprecations: the first at {draft.deprecations.origin}"
            draft.loose.append(_error("deprecation-duplicate", reason, "merge their entries", **place))
        else:
            draft.deprecations = blob

    def _of_package(self, draft: _PackageDocuments) -> Iterator[Finding]:
        yield from draft.loose
        if draft.origin is None:
            if draft.channels or draft.bundles or draft.deprecations is not None:
                yield self._unknown(draft)
        elif draft.name:
            yield from _default(draft)
        if draft.name:
            yield from _memberships(draft)
            yield from _versions(draft)
            yield from _deprecated(draft)

    def _unknown(self, draft: _PackageDocuments) -> Finding:
        parts: list[CheckedChannel | CheckedBundle | CheckedBlob] = [*draft.channels.values(), *draft.bundles.values()]
        first = next(iter(parts), draft.deprecations)
        named = f"the package {shortened(draft.name)!r}" if draft.name else "a package without a name"
        return _error(
            "package-unknown",
            f"{named} has channels, bundles or deprecations, but no olm.package",
            "is the package name misspelt, or its olm.package left out?",
            package=draft.name,
            origin=first.origin if first is not None else None,
        )


def _default(draft: _PackageDocuments) -> Iterator[Finding]:
    place: dict[str, Any] = {"package": draft.name, "origin": draft.origin}
    name = draft.default_channel
    if not name:
        listed = _listed(sorted(draft.channels))
        hint = f"defaultChannel names one of its channels{': ' + listed if listed else ''}"
        yield _error("default-channel-missing", "the package has no default channel", hint, **place)
    elif name not in draft.channels:
        hint = f"its channels are {_listed(sorted(draft.channels))}" if draft.channels else "it has no channels"
        reason = "the default channel does not exist"
        yield _error("default-channel-unknown", reason, hint, channel=name, **place)
    if not draft.channels:
        yield _error("package-empty", "the package has no channels", **place)


def _memberships(draft: _PackageDocuments) -> Iterator[Finding]:
    listed: set[str] = set()
    for _, channel in sorted(draft.channels.items()):
        listed.update(channel.entries)
        for index, name in enumerate(channel.entries):
            if name not in draft.bundles and name:
                yield _error(
                    "entry-without-bundle",
                    "the entry has no olm.bundle",
                    "is the name misspelt, or the bundle in another package?",
                    package=draft.name,
                    channel=channel.name,
                    bundle=name,
                    property=f"entries[{index}]",
                    origin=channel.origin,
                )
    for name, bundle in sorted(draft.bundles.items()):
        if name not in listed:
            reason = "the bundle is in no channel"
            hint = "add an entry for it to a channel" if name else "the bundle has no name"
            place: dict[str, Any] = {"package": draft.name, "bundle": name, "origin": bundle.origin}
            yield _error("bundle-without-channel", reason, hint, **place)


def _versions(draft: _PackageDocuments) -> Iterator[Finding]:
    bundles: dict[str, list[CheckedBundle]] = {}
    for _, bundle in sorted(draft.bundles.items()):
        if bundle.version:
            bundles.setdefault(bundle.version, []).append(bundle)
    for version, same in sorted(bundles.items()):
        if len(same) > 1:
            reason = (
                f"{len(same)} bundles have the version {shortened(version)}: {_listed([each.name for each in same])}"
            )
            hint = "give each a version of its own"
            yield _error("version-duplicate", reason, hint, package=draft.name, origin=same[1].origin)


def _deprecated(draft: _PackageDocuments) -> Iterator[Finding]:
    if draft.deprecations is None:
        return
    seen: set[tuple[str, str]] = set()
    for index, item in enumerate(field(draft.deprecations.value, "entries") or ()):
        item = item or {}
        reference = field(item, "reference") or {}
        schema, name = field(reference, "schema") or "", field(reference, "name") or ""
        place: dict[str, Any] = {
            "package": draft.name,
            "origin": draft.deprecations.origin,
            "property": f"entries[{index}].reference",
        }
        if schema in ("olm.bundle", "olm.channel"):
            place[schema.removeprefix("olm.")] = name
        if not schema:
            yield _error("deprecation-schema-missing", "it does not say what is deprecated", **place)
            continue
        if (schema, name) in seen:
            reason = f"a second entry for {schema} {shortened(name)}".rstrip()
            yield _error("deprecation-entry-duplicate", reason, "remove it", **place)
            continue
        seen.add((schema, name))
        if schema == "olm.package":
            if name:
                reason = f"the name {shortened(name)!r}, where a package is deprecated"
                yield _error("deprecation-package-name", reason, "leave the name out", **place)
        elif schema in ("olm.bundle", "olm.channel"):
            kind = schema.removeprefix("olm.")
            # A default channel counts as a channel even where it does not exist (which is a fault of its own).
            known = draft.bundles if kind == "bundle" else {*draft.channels, draft.default_channel}
            if name not in known:
                reason = f"the {kind} {shortened(name)!r} is deprecated, and does not exist"
                yield _error("deprecation-unknown", reason, **place)
        else:
            reason = f"the schema {shortened(schema)!r} cannot be deprecated"
            hint = "only olm.package, olm.channel and olm.bundle can"
            yield _error("deprecation-schema-unknown", reason, hint, **place)
            continue
        if not field(item, "message"):
            place["property"] = f"entries[{index}].message"
            what = f"the deprecation of {schema} {shortened(name)}".rstrip()
            yield _error("deprecation-message-missing", f"{what} has no message", "say what to use instead", **place)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(shortened, names[:_SHOWN])) + more


def _error(code: str, message: str, hint: str = "", **place: Any) -> Finding:
    return Finding(Severity.ERROR, code, message, hint, **place)
