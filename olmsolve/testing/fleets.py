"""Fleets of recorded clusters, drawn from a seed: clusters that age on a catalog's own history, most of them alike."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final

import attrs

from olmsolve.catalog import Catalog, Channel, Package, Source
from olmsolve.classic import Installed, Subscription
from olmsolve.errors import RequestError
from olmsolve.predicates import published
from olmsolve.requests import RecordedCluster
from olmsolve.testing.manifests import catalog_source, cluster_service_version, operator_group, subscription_object

_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
_OLM: Final = "operators.coreos.com/v1alpha1"


@attrs.frozen(kw_only=True)
class FleetShape:
    """The shape of a fleet of so many *clusters*.

    A cluster is built like one of so many *templates*, and lags behind the head of each channel by up to *lag* updates,
    which is the same for all clusters of a template but for the share *drift*. A template has up to *namespaces* with
    up to *subscriptions* each. *manual* is the share of subscriptions that wait for approval, *failed* of operators
    that do not work, *ungrouped* of namespaces without an operator group.
    """

    clusters: int
    templates: int = 10
    namespaces: int = 3
    subscriptions: int = 3
    lag: int = 3
    drift: float = 0.02
    manual: float = 0.1
    failed: float = 0.05
    ungrouped: float = 0.03


@attrs.frozen
class _AgingWish:
    """A subscription of a template: what it is installed from, and how far it lags behind."""

    package: Package
    channel: Channel
    lag: int
    is_manual: bool
    is_failed: bool


_Template = dict[str, tuple[bool, tuple[_AgingWish, ...]]]
"""Whether there is an operator group, and the wishes, by namespace."""


def fleet(
    catalog: Catalog, shape: FleetShape, *, seed: int = 1, name: str = "main", namespace: str = "olm"
) -> Iterator[RecordedCluster]:
    """Yield the clusters of a fleet of the given *shape*, whose CatalogSource *name* in *namespace* has *catalog*.

    Installed operators are bundles of the catalog. Each cluster has its own uids, times, resource versions and names of
    install plans, as recorded clusters have. The same arguments give the same clusters.

    Raises:
        RequestError: no channel of *catalog* has a bundle.
    """
    draw = random.Random(f"{seed}")  # noqa: S311 - fleets for tests
    packages = [each for each in catalog if any(_history(each, channel) for channel in _channels(each))]
    if not packages:
        raise RequestError("no channel has a bundle", field="catalog")
    source = Source(name, namespace, 0, catalog)
    templates = [_template(packages, shape, draw) for _ in range(shape.templates)]
    for number in range(shape.clusters):
        own = random.Random(f"{seed} {number}")  # noqa: S311
        template = own.choice(templates)
        drifted = {
            each: (grouped, tuple(attrs.evolve(wish, lag=own.randint(0, shape.lag)) for wish in wishes))
            if own.random() < shape.drift
            else (grouped, wishes)
            for each, (grouped, wishes) in template.items()
        }
        objects = [catalog_source(source)]
        for each, (grouped, wishes) in drifted.items():
            objects += _namespace(each, source, wishes, own, is_grouped=grouped)
        own.shuffle(objects)
        marked = [_recorded(each, own) for each in objects]
        yield RecordedCluster(f"cluster-{number:06}", ({"apiVersion": "v1", "kind": "List", "items": marked},))


def _channels(package: Package) -> list[Channel]:
    return sorted(package.channels.values(), key=lambda channel: channel.name)


def _template(packages: list[Package], shape: FleetShape, draw: random.Random) -> _Template:
    found: _Template = {}
    for number in range(draw.randint(1, shape.namespaces)):
        chosen = draw.sample(packages, min(len(packages), draw.randint(1, shape.subscriptions)))
        wishes = tuple(
            _AgingWish(
                package,
                draw.choice([each for each in _channels(package) if _history(package, each)]),
                draw.randint(0, shape.lag),
                draw.random() < shape.manual,
                draw.random() < shape.failed,
            )
            for package in chosen
        )
        found[f"team-{number}"] = (draw.random() >= shape.ungrouped, wishes)
    return found


def _history(package: Package, channel: Channel) -> list[str]:
    """Return the bundles of *channel* from its head down the chain of ``replaces``."""
    replaced = {name for entry in channel.entries for name in (entry.replaces, *entry.skips) if name}
    entries = {entry.name: entry for entry in channel.entries}
    name = next((each for each in entries if each not in replaced), "")
    found: list[str] = []
    while name in entries and name not in found:
        found.append(name)
        name = entries[name].replaces or ""
    return [each for each in found if each in package.bundles]


def _namespace(
    name: str, source: Source, wishes: tuple[_AgingWish, ...], draw: random.Random, *, is_grouped: bool
) -> Iterator[dict[str, Any]]:
    if is_grouped:
        yield operator_group("group", name, [name])
    for wish in wishes:
        history = _history(wish.package, wish.channel)
        bundle = wish.package.bundles[history[min(wish.lag, len(history) - 1)]]
        package = wish.package.name
        facts = published(package, bundle.properties)
        subscription = Subscription(
            name=package,
            namespace=name,
            package=package,
            channel=wish.channel.name,
            source=source.name,
            source_namespace=source.namespace,
            installed_csv=bundle.name,
        )
        approval = "Manual" if wish.is_manual else "Automatic"
        manifest = subscription_object(subscription, name, approval=approval)
        plan = "install-" + "".join(draw.choices(_LETTERS, k=5))
        manifest["status"]["installPlanRef"] = {"kind": "InstallPlan", "name": plan, "namespace": name}
        yield manifest
        yield _complete_plan(plan, name, bundle.name)
        version = "" if facts.version is None else str(facts.version)
        installed = Installed(name=bundle.name, version=version, properties=bundle.properties, subscription=package)
        yield cluster_service_version(installed, name, phase="Failed" if wish.is_failed else "Succeeded")


def _complete_plan(name: str, namespace: str, bundle: str) -> dict[str, Any]:
    return {
        "apiVersion": _OLM,
        "kind": "InstallPlan",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "clusterServiceVersionNames": [bundle],
            "approval": "Automatic",
            "approved": True,
            "generation": 1,
        },
        "status": {"phase": "Complete"},
    }


def _recorded(manifest: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """Return *manifest* with what a cluster adds to it, and what tells nothing."""
    moment = f"2026-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}T{draw.randint(0, 23):02}:00:00Z"
    added = {
        "uid": f"{draw.getrandbits(128):032x}",
        "resourceVersion": str(draw.randint(1, 10**9)),
        "creationTimestamp": moment,
        "generation": draw.randint(1, 9),
    }
    return {**manifest, "metadata": {**manifest["metadata"], **added}}
