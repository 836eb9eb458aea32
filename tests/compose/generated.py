"""Catalogs that opm accepts, made at random, with everything that makes channels hard to take apart."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

from olmsolve.authoring.checks import Finding, Severity, validate
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import from_blobs

__all__ = ["blobs_of", "catalog_of", "errors", "random_catalog"]

Blob = dict[str, Any]


def errors(catalog: Catalog) -> list[Finding]:
    """Return why *catalog* is not valid."""
    findings = validate(catalog, advice=False)
    return [finding for finding in findings if finding.severity is Severity.ERROR]


def random_catalog(generator: random.Random, prefix: str = "p", packages: int = 3) -> Catalog:
    """A catalog of at most *packages* packages, whose names begin with *prefix*; valid, whatever is drawn."""
    return catalog_of(blobs_of(generator, prefix, packages))


def catalog_of(blobs: list[Blob]) -> Catalog:
    return from_blobs(blobs)


def blobs_of(generator: random.Random, prefix: str = "p", packages: int = 3) -> list[Blob]:
    blobs: list[Blob] = []
    names = [f"{prefix}{number}" for number in range(generator.randint(1, packages))]
    for name in names:
        blobs += _package(generator, name, names)
    return blobs


def _package(generator: random.Random, name: str, names: list[str]) -> list[Blob]:
    versions = sorted({(generator.randint(0, 2), generator.randint(0, 3), generator.randint(0, 2)) for _ in range(8)})
    bundles = [f"{name}.v{major}.{minor}.{patch}" for major, minor, patch in versions]
    channels: list[Blob] = []
    used: set[str] = set()
    for channel in generator.sample(["stable", "fast", "candidate", "1.x"], generator.randint(1, 3)):
        members = [bundle for bundle in bundles if generator.random() < 0.8] or [bundles[-1]]
        used.update(members)
        channels.append(
            {"schema": "olm.channel", "package": name, "name": channel, "entries": _entries(generator, members)}
        )
    default = generator.choice(channels)["name"]
    blobs: list[Blob] = [{"schema": "olm.package", "name": name, "defaultChannel": default}, *channels]
    blobs += [_bundle(generator, name, bundle, names) for bundle in bundles if bundle in used]
    if generator.random() < 0.4:
        blobs.append(_deprecations(generator, name, channels, sorted(used)))
    if generator.random() < 0.3:
        blobs.append({"schema": "my.own", "package": name, "note": "kept"})
    generator.shuffle(blobs)
    return blobs


def _entries(generator: random.Random, members: list[str]) -> list[Blob]:
    """Return entries with one chain through some of *members* (lowest first), which skip all others."""
    chain = [member for member in members[:-1] if generator.random() < 0.7] + [members[-1]]
    if generator.random() < 0.1:
        generator.shuffle(chain)
    beside = [member for member in members if member not in chain]
    entries: dict[str, Blob] = {member: {"name": member} for member in members}
    for lower, upper in pairwise(chain):
        entries[upper]["replaces"] = lower
    if generator.random() < 0.4:
        entries[chain[0]]["replaces"] = "gone.v0.0.1"
    skipped: list[str] = []
    for member in beside:
        # An entry of the chain skips it, or another entry that is skipped itself.
        skipper = generator.choice(chain + skipped)
        entries[skipper].setdefault("skips", []).append(member)
        skipped.append(member)
        if generator.random() < 0.5:
            entries[member]["replaces"] = generator.choice(
                [other for other in members[:-1] if other != chain[-1]] or [""]
            )
    # The end of the chain may be skipped too, and then replace anything.
    if len(chain) > 1 and generator.random() < 0.2:
        entries[generator.choice(chain[1:])].setdefault("skips", []).append(chain[0])
        entries[chain[0]]["replaces"] = generator.choice([member for member in members if member != chain[-1]])
    for entry in entries.values():
        if generator.random() < 0.2:
            entry["skipRange"] = generator.choice(["<1.0.0", ">=0.0.1", ">=0.1.0 <1.2.0"])
        if generator.random() < 0.1:
            entry.setdefault("skips", []).append("gone.v0.0.2")
    listed = list(entries.values())
    generator.shuffle(listed)
    return listed


def _bundle(generator: random.Random, package: str, name: str, packages: list[str]) -> Blob:
    properties: list[Blob] = [
        {"type": "olm.package", "value": {"packageName": package, "version": name.partition(".v")[2]}}
    ]
    kinds = ["A", "B", "C"]
    if generator.random() < 0.5:
        properties.append({"type": "olm.gvk", "value": _gvk(generator.choice(kinds))})
    if generator.random() < 0.3:
        properties.append({"type": "olm.gvk.required", "value": _gvk(generator.choice(kinds))})
    if generator.random() < 0.3:
        value = {"packageName": generator.choice([*packages, "absent"]), "versionRange": ">=0.1.0"}
        properties.append({"type": "olm.package.required", "value": value})
    if generator.random() < 0.2:
        parts = [{"gvk": _gvk(kind)} for kind in generator.sample(kinds, 2)]
        kind = generator.choice(["all", "any", "not"])
        properties.append({"type": "olm.constraint", "value": {kind: {"constraints": parts}}})
    return {
        "schema": "olm.bundle",
        "package": package,
        "name": name,
        "image": "quay.io/p/p:1",
        "properties": properties,
    }


def _gvk(kind: str) -> Blob:
    return {"group": "g", "version": "v1", "kind": kind}


def _deprecations(generator: random.Random, package: str, channels: list[Blob], bundles: list[str]) -> Blob:
    references: list[Blob] = [
        {"schema": "olm.package"},
        {"schema": "olm.channel", "name": generator.choice(channels)["name"]},
        {"schema": "olm.bundle", "name": generator.choice(bundles)},
    ]
    chosen = generator.sample(references, generator.randint(1, 3))
    entries = [{"reference": reference, "message": "old"} for reference in chosen]
    return {"schema": "olm.deprecations", "package": package, "entries": entries}
