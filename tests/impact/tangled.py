"""Random clusters whose namespaces get into each other's way: shared definitions, targets, copies, and broken rests."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from olmsolve.catalog import Catalog
from olmsolve.requests import RecordedCluster
from tests.simulation.small_clusters import OLM, Version, catalog, installed, operator, subscription

SOURCE = {"apiVersion": OLM, "kind": "CatalogSource", "metadata": {"name": "main", "namespace": "olm"}}
_PACKAGES = ("ledger", "cache", "queue", "vault", "mirror")
_SPACES = ("attic", "lab", "shop", "web")


def _version(number: int, **fields: Any) -> Version:
    return Version(f"{number}.0.0", replaces=f"{number - 1}.0.0" if number > 1 else "", **fields)


@cache
def sides() -> tuple[Catalog, Catalog]:
    """The old catalog and the new one: packages that share APIs, change them, and require each other's."""
    shared = ("Ledger.v1",)
    old = catalog(
        ledger=[_version(number, owns=shared) for number in (1, 2)],
        cache=[_version(number, owns=("Cache.v1",)) for number in (1, 2, 3)],
        queue=[_version(number) for number in (1, 2)],
        vault=[_version(1, owns=shared), _version(2, owns=("Vault.v1",), requires=("Cache.v1",))],
        mirror=[_version(1, requires=("Ledger.v1",))],
    )
    new = catalog(
        ledger=[*(_version(number, owns=shared) for number in (1, 2)), _version(3, owns=("Ledger.v2",))],
        cache=[_version(number, owns=("Cache.v1", "Ledger.v1")[: number - 2 or 1]) for number in (1, 2, 3, 4)],
        queue=[*(_version(number) for number in (1, 2)), _version(3, requires=("Nothing.v1",))],
        vault=[_version(1, owns=shared), _version(2, owns=("Vault.v1",), requires=("Cache.v1",)), _version(3)],
        mirror=[_version(1, requires=("Ledger.v2",))],
    )
    return old, new


def tangled(seed: int) -> RecordedCluster:
    """A cluster of up to four namespaces; the same seed gives the same cluster."""
    draw = random.Random(seed)
    spaces = draw.sample(_SPACES, draw.randint(1, 4))
    objects: list[dict[str, Any]] = [SOURCE]
    for space in spaces:
        objects += _namespace(space, spaces, draw)
    objects += [_definition(kind, draw) for kind in ("Ledger", "Cache", "Vault") if draw.random() < 0.4]
    named = [*spaces, "default", "kube-system", f"team-{seed}"]
    if draw.random() < 0.6:
        objects += [_named(space, draw) for space in named]
    if draw.random() < 0.15:
        objects += [_copy(space, "cache", spaces[0]) for space in named if space not in spaces]
    draw.shuffle(objects)
    listed = {"apiVersion": "v1", "kind": "List", "items": objects}
    return RecordedCluster(f"tangled-{seed}", (listed,))


def _namespace(space: str, spaces: list[str], draw: random.Random) -> list[dict[str, Any]]:
    objects: list[dict[str, Any]] = []
    if draw.random() < 0.93:
        objects.append(_group(space, spaces, draw))
    for package in draw.sample(_PACKAGES, draw.randint(1, 3)):
        approval = "Manual" if draw.random() < 0.15 else "Automatic"
        kind = draw.random()
        number = draw.randint(1, len(sides()[0].packages[package].bundles))
        owns = {"ledger": ("Ledger.v1",), "cache": ("Cache.v1",), "vault": ("Ledger.v1", "Vault.v1")[number - 1 :][:1]}
        has = Version(f"{number}.0.0", owns=owns.get(package, ()))
        if kind < 0.6:
            subscribed, csv = installed(space, package, has, approval=approval)
            phase = draw.choice(["Succeeded"] * 8 + ["Failed", "Pending", "Installing", ""])
            objects += [subscribed, {**csv, "status": {"phase": phase} if phase else {}}]
        elif kind < 0.9:
            objects.append(subscription(space, package, approval=approval))
        else:
            objects.append(operator(space, package, has))
    return objects


def _group(space: str, spaces: list[str], draw: random.Random) -> dict[str, Any]:
    group: dict[str, Any] = {
        "apiVersion": "operators.coreos.com/v1",
        "kind": "OperatorGroup",
        "metadata": {"name": "og", "namespace": space},
    }
    shape = draw.random()
    if shape < 0.6:
        return {**group, "spec": {"targetNamespaces": [space]}, "status": {"namespaces": [space]}}
    if shape < 0.75:
        targets = sorted(draw.sample(spaces, draw.randint(1, len(spaces))))
        return {**group, "spec": {"targetNamespaces": targets}, "status": {"namespaces": targets}}
    if shape < 0.9:
        return {**group, "spec": {}, "status": {"namespaces": [""]} if draw.random() < 0.5 else {}}
    return {**group, "spec": {"selector": {"matchLabels": {"team": "a"}}}}


def _definition(kind: str, draw: random.Random) -> dict[str, Any]:
    stored = draw.choice(["v1", "v1", "v0"])
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": draw.choice([f"{kind.lower()}s.example.com"] * 3 + [f"all{kind.lower()}.example.com"])},
        "spec": {
            "group": "example.com",
            "names": {"kind": kind, "plural": f"{kind.lower()}s"},
            "versions": [{"name": stored, "served": True, "storage": True}],
        },
        "status": {"storedVersions": [stored]},
    }


def _named(name: str, draw: random.Random) -> dict[str, Any]:
    labels = {"team": draw.choice("ab")}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def _copy(space: str, package: str, home: str) -> dict[str, Any]:
    copied = operator(space, package, Version("1.0.0", owns=("Cache.v1",)), reason="Copied")
    copied["metadata"]["labels"] = {"olm.copiedFrom": home}
    return copied
