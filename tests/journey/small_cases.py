"""Small cases for journeys, drawn from a seed, and the clusters and catalogs of olmsolve that they stand for."""

from __future__ import annotations

import random
from typing import Any

import olmsolve
from olmsolve import Catalog, Installed, Situation, Source, Subscription
from olmsolve.requests import PackageBuilder, package
from olmsolve.testing import catalog_of, catalog_source, cluster_service_version, operator_group, subscription_object
from tests.journey.brute_force import ALWAYS, Case, ExtensionCase, Package, Wish

FIRST = 18
CHANNELS = ("a", "b", "c")


def drawn(seed: int, *, namespaces: int = 1, hard: bool = False) -> Case:
    """A case: two to four stages, one to three packages with up to five versions in up to three channels.

    *hard* ones have operators without a subscription, too, and operators that refuse to be replaced.
    """
    draw = random.Random(f"journey {seed}")
    count = draw.randint(2, 4)
    wishes: list[Wish] = []
    stages: list[dict[str, Package]] = [{} for _ in range(count)]
    for number in range(draw.randint(1, 3)):
        name = f"p{number}"
        history = _package(draw)
        limits = {version: draw.randint(0, count) for version in range(1, 6) if draw.random() < 0.45}
        for stage in range(count):
            if stage and draw.random() < 0.3:
                history = _changed(draw, history)
            if stage and draw.random() < 0.04:
                continue
            stages[stage][name] = Package(dict(history), {v: min(limit, ALWAYS) for v, limit in limits.items()})
        channel = draw.choice(sorted(history))
        first = stages[0][name].channels
        channel = channel if channel in first else min(first)
        wishes.append(
            Wish(f"n{draw.randrange(namespaces)}", name, draw.random() < 0.25, channel, draw.choice(first[channel]))
        )
    passed = frozenset(range(1, count - 1, 2)) if draw.random() < 0.2 else frozenset()
    if hard:
        wishes = [wish._replace(is_orphan=draw.random() < 0.25) for wish in wishes]
        waits = {wish.namespace for wish in wishes if wish.is_manual and not wish.is_orphan}
        # Where updates wait for nobody, what the first one leaves behind is a fault of the start.
        wishes = [
            wish._replace(refuses=not wish.is_orphan and wish.namespace in waits and draw.random() < 0.4)
            for wish in wishes
        ]
    return Case(tuple(stages), tuple(wishes), passed)


def _package(draw: random.Random) -> dict[str, tuple[int, ...]]:
    channels = {}
    for channel in CHANNELS[: draw.randint(1, 3)]:
        length = draw.randint(1, 4)
        channels[channel] = tuple(sorted(draw.sample(range(1, 6), length)))
    return channels


def _changed(draw: random.Random, channels: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """The channels at a later version: one goes, one comes, or one grows."""
    changed = dict(channels)
    kind = draw.randrange(3)
    if kind == 0 and len(changed) > 1:
        del changed[draw.choice(sorted(changed))]
    elif kind == 1:
        changed[draw.choice(CHANNELS)] = tuple(sorted(draw.sample(range(1, 6), draw.randint(1, 4))))
    else:
        channel = draw.choice(sorted(changed))
        changed[channel] = tuple(sorted({*changed[channel], draw.randint(1, 5)}))
    return changed


def catalog(stage: dict[str, Package] | Any) -> Catalog:
    """The catalog of one stage."""
    return catalog_of(*(_builder(name, package) for name, package in sorted(stage.items())))


def _builder(name: str, content: Package) -> PackageBuilder:
    built = package(name)
    for channel, chain in sorted(content.channels.items()):
        built = built.channel(channel, " < ".join(f"{version}.0.0" for version in chain))
    versions = {version for chain in content.channels.values() for version in chain}
    for version, limit in sorted(content.limits.items()):
        if version in versions:
            built = built.having("olm.maxOpenShiftVersion", f"4.{FIRST + limit}", at=f"{version}.0.0")
    return built


def situation(case: Case) -> Situation:
    """The cluster of *case* at its first stage."""
    first = catalog(case.stages[0])
    objects = [catalog_source(Source("main", "olm", 0, first))]
    objects += [
        operator_group("group", namespace, [namespace])
        for namespace in sorted({wish.namespace for wish in case.wishes})
    ]
    for wish in case.wishes:
        bundle = first.packages[wish.package].bundles[f"{wish.package}.v{wish.version}.0.0"]
        subscription = Subscription(
            name=wish.package,
            namespace=wish.namespace,
            package=wish.package,
            channel=wish.channel,
            source="main",
            source_namespace="olm",
            installed_csv=bundle.name,
        )
        approval = "Manual" if wish.is_manual else "Automatic"
        operator = Installed(bundle.name, f"{wish.version}.0.0", bundle.properties, wish.package)
        if not wish.is_orphan:
            objects.append(subscription_object(subscription, wish.namespace, approval=approval))
        if wish.refuses:
            objects.append(_refusal(bundle.name, wish.namespace))
        objects.append(cluster_service_version(operator, wish.namespace))
    return olmsolve.read_situation({"apiVersion": "v1", "kind": "List", "items": objects}, catalogs={"olm/main": first})


def _refusal(name: str, namespace: str) -> dict[str, Any]:
    return {
        "apiVersion": "operators.coreos.com/v2",
        "kind": "OperatorCondition",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"conditions": [{"type": "Upgradeable", "status": "False", "message": "busy"}]},
    }


def later(case: Case) -> dict[str, dict[str, Catalog]]:
    """The catalogs of all stages but the first, by version."""
    return {f"4.{FIRST + number}": {"olm/main": catalog(stage)} for number, stage in enumerate(case.stages) if number}


def drawn_extension(seed: int) -> ExtensionCase:
    """An extension whose package changes from stage to stage, and is gone at some."""
    draw = random.Random(f"extension {seed}")
    count = draw.randint(2, 4)
    history = _package(draw)
    limits = {version: draw.randint(0, count) for version in range(1, 6) if draw.random() < 0.45}
    stages: list[Package | None] = []
    for stage in range(count):
        if stage and draw.random() < 0.35:
            history = _changed(draw, history)
        stages.append(None if stage and draw.random() < 0.05 else Package(dict(history), limits))
    first = stages[0]
    assert first is not None
    channel = draw.choice(["", *sorted(first.channels)])
    version = draw.choice(first.channels[channel or min(first.channels)])
    most = draw.randint(version, 5) if draw.random() < 0.3 else 5
    passed = frozenset(range(1, count - 1, 2)) if draw.random() < 0.2 else frozenset()
    return ExtensionCase(tuple(stages), channel, version, most, passed)


def extension_situation(case: ExtensionCase) -> Situation:
    """The cluster of the extension at its first stage."""
    served = {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": "main"}}
    source: dict[str, Any] = {"packageName": "p"}
    if case.channel:
        source["channels"] = [case.channel]
    if case.most < 5:
        source["version"] = f"<={case.most}.0.0"
    extension = {
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterExtension",
        "metadata": {"name": "p"},
        "spec": {
            "namespace": "p",
            "serviceAccount": {"name": "p"},
            "source": {"sourceType": "Catalog", "catalog": source},
        },
        "status": {"install": {"bundle": {"name": f"p.v{case.version}.0.0", "version": f"{case.version}.0.0"}}},
    }
    document = {"apiVersion": "v1", "kind": "List", "items": [served, extension]}
    return olmsolve.read_situation(document, catalogs={"main": extension_catalog(case, 0)})


def extension_catalog(case: ExtensionCase, stage: int) -> Catalog:
    """The catalog of one stage; something else where the package is gone."""
    content = case.stages[stage]
    return catalog({"p": content} if content is not None else {"q": Package({"a": (1,)}, {})})
