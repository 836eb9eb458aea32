"""Findings on everything that OLM v1 refuses in a package: bundles, channels, and updates of definitions.

A report of ``olmsolve catalog v1`` has each by itself. A lint has one finding for all bundles of a package that are
refused alike, and for all updates to one bundle, because most faults live on from version to version. It leaves out
bundles with dependencies, which OLM classic serves and whose authors mean them::

    package etcd, bundle etcd.v3: OLM v1 refuses it: ...; the same in 2 other bundles: etcd.v1, etcd.v2
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from olmsolve.authoring.checks.finding import Finding, Severity, shortened, shortlist
from olmsolve.authoring.installability import (
    InstallableBundle,
    InstallableList,
    UnsafeUpdate,
    UnwritableChannel,
    refused_bundles,
    unsafe_updates,
    unwritable_channels,
)
from olmsolve.catalog import Catalog, Package
from olmsolve.v1 import PackageOffers

_BUNDLE, _CHANNEL, _UPDATE = "v1-bundle", "v1-channel", "v1-update"
_RULES: Final = {
    "api-service": "its operator brings an API service",
    "dependency": "it declares a dependency",
    "install-mode": "its operator does not serve all namespaces",
    "manifests": "it brings no operator",
    "validator": "its manifests break a rule",
    "webhook": "its operator brings webhooks",
}


def installing_lints(package: Package, offers: PackageOffers) -> Iterator[Finding]:
    """Yield what OLM v1 refuses in *package*: channels, then bundles by their fault, then updates by their bundle."""
    yield from (_of_channel(package, channel) for channel in unwritable_channels(package))
    by_fault: dict[tuple[str, str], list[InstallableBundle]] = {}
    for refusal in refused_bundles(package, offers):
        by_fault.setdefault((refusal.rule, refusal.note), []).append(refusal)
    for bundles in by_fault.values():
        # The newest comes first.
        others = sorted(bundle.bundle for bundle in bundles[1:])
        yield _of_bundle(package, bundles[0]).repeated_in(others)
    by_bundle: dict[tuple[str, str], list[UnsafeUpdate]] = {}
    for update in unsafe_updates(package, offers):
        by_bundle.setdefault((update.bundle, update.reason), []).append(update)
    for updates in by_bundle.values():
        yield _of_updates(package, updates)


def installing_findings(verdicts: InstallableList, catalog: Catalog) -> Iterator[Finding]:
    """Yield a finding for each channel, bundle and update of *catalog* that OLM v1 refuses by *verdicts*."""
    for channel in verdicts.channels:
        yield _of_channel(catalog.packages[channel.package], channel)
    for bundle in verdicts.refused:
        yield _of_bundle(catalog.packages[bundle.package], bundle)
    for update in verdicts.updates:
        yield _of_updates(catalog.packages[update.package], [update])


def _of_channel(package: Package, channel: UnwritableChannel) -> Finding:
    origin = package.channels[channel.channel].origin
    location: dict[str, Any] = {"package": package.name, "channel": channel.channel, "origin": origin}
    # The words of Kubernetes (each.reason) end with a regular expression of two lines.
    message = "no extension of OLM v1 can name the channel, whose name is not a lower-case DNS subdomain (RFC 1123)"
    return Finding(Severity.WARNING, _CHANNEL, message, channel.note, **location)


def _of_bundle(package: Package, bundle: InstallableBundle) -> Finding:
    reason = _RULES[bundle.rule]
    if bundle.rule == "validator":
        reason = f"{reason}: {shortened(bundle.reason)}"
    return _finding(package, _BUNDLE, bundle.bundle, f"OLM v1 refuses the bundle, because {reason}", bundle.note)


def _of_updates(package: Package, updates: Iterable[UnsafeUpdate]) -> Finding:
    given = list(updates)
    befores = shortlist([update.before for update in given])
    message = f"OLM v1 refuses the update from {befores}: {shortened(given[0].reason)}"
    return _finding(package, _UPDATE, given[0].bundle, message, given[0].note)


def _finding(package: Package, code: str, bundle: str, message: str, hint: str) -> Finding:
    location: dict[str, Any] = {"package": package.name, "bundle": bundle, "origin": package.bundles[bundle].origin}
    return Finding(Severity.WARNING, code, message, hint, **location)
