"""Fleets of recorded clusters, drawn from a seed: clusters that age on a catalog's own history, most of them alike.

Also here: next versions of the catalog, to ask what they would do to the fleet, and the objects of a cluster that a
request of classic OLM stands for, as kubectl prints them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._arguments import is_number
from olmsolve.catalog import Bundle, Catalog, Channel, Package, Source, fbc
from olmsolve.classic import Installed, Subscription
from olmsolve.errors import RequestError
from olmsolve.predicates import published
from olmsolve.requests import RecordedCluster

Manifest: TypeAlias = dict[str, Any]

_OLM: Final = "operators.coreos.com/v1alpha1"
_MODES: Final = ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")


def catalog_source(source: Source) -> Manifest:
    """Return the CatalogSource of *source*."""
    about = {"name": source.name, "namespace": source.namespace}
    spec = {"sourceType": "grpc", "priority": source.priority}
    return {"apiVersion": _OLM, "kind": "CatalogSource", "metadata": about, "spec": spec}


def operator_group(name: str, namespace: str, targets: Sequence[str]) -> Manifest:
    """Return an OperatorGroup that serves the namespaces *targets*; [""] stands for all."""
    spec: Manifest = {"upgradeStrategy": "Default"}
    if list(targets) != [""]:
        spec["targetNamespaces"] = list(targets)
    return {
        "apiVersion": "operators.coreos.com/v1",
        "kind": "OperatorGroup",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
        "status": {"namespaces": list(targets)},
    }


def subscription_object(subscription: Subscription, namespace: str, *, approval: str = "Automatic") -> Manifest:
    """Return the Subscription of *subscription* in *namespace*, whose status names the operator that it owns."""
    owned = subscription.installed_csv
    return {
        "apiVersion": _OLM,
        "kind": "Subscription",
        "metadata": {"name": subscription.name, "namespace": namespace},
        "spec": {
            "name": subscription.package,
            "channel": subscription.channel,
            "source": subscription.source,
            "sourceNamespace": subscription.source_namespace,
            "startingCSV": subscription.starting_csv,
            "installPlanApproval": approval,
        },
        "status": {"installedCSV": owned, "currentCSV": owned, "state": "AtLatestKnown" if owned else ""},
    }


def cluster_service_version(operator: Installed, namespace: str, *, phase: str = "Succeeded") -> Manifest:
    """Return the ClusterServiceVersion of *operator* in *namespace*, in a *phase*, with every install mode."""
    properties = [{"type": property_.type, "value": property_.value} for property_ in operator.properties]
    owned = [
        {"name": f"{api.kind.lower()}s.{api.group}", "version": api.version, "kind": api.kind}
        for api in published("", operator.properties).gvks
    ]
    annotations = {"operatorframework.io/properties": json.dumps({"properties": properties})}
    return {
        "apiVersion": _OLM,
        "kind": "ClusterServiceVersion",
        "metadata": {"name": operator.name, "namespace": namespace, "annotations": annotations},
        "spec": {
            "version": operator.version,
            "installModes": [{"type": mode, "supported": True} for mode in _MODES],
            "customresourcedefinitions": {"owned": owned},
        },
        "status": {"phase": phase},
    }


# Kubernetes' own for generated names (apimachinery, util/rand): no vowel, 0, 1 or 3, so that no word comes up.
_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
# Shares of the changes of a next version.
_WITHDRAWN: Final = 0.1
_MAJOR: Final = 0.25
_BROKEN: Final = 0.125
_MISSING: Final = {"group": "nobody.example.com", "version": "v1", "kind": "Missing"}


def _is_count(shape: object, field: attrs.Attribute[Any], value: object) -> None:
    is_number(shape, field, value)
    if value < 0:  # type: ignore[operator]
        raise RequestError("must not be negative", field=field.name)


def _is_share(_: object, field: attrs.Attribute[Any], value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise RequestError(f"must be a share from 0 to 1, not {value!r:.40}", field=field.name)


@attrs.frozen(kw_only=True)
class FleetShape:
    """The shape of a fleet of so many *clusters*.

    A cluster is built like one of so many *templates*, and lags behind the head of each channel by up to *lag* updates,
    which is the same for all clusters of a template but for the share *drift*. A template has up to *namespaces* with
    up to *subscriptions* each. *manual* is the share of subscriptions that wait for approval, *failed* of operators
    that do not work, *ungrouped* of namespaces without an operator group.
    """

    clusters: int = attrs.field(validator=_is_count)
    templates: int = attrs.field(default=10, validator=_is_count)
    namespaces: int = attrs.field(default=3, validator=_is_count)
    subscriptions: int = attrs.field(default=3, validator=_is_count)
    lag: int = attrs.field(default=3, validator=_is_count)
    drift: float = attrs.field(default=0.02, validator=_is_share)
    manual: float = attrs.field(default=0.1, validator=_is_share)
    failed: float = attrs.field(default=0.05, validator=_is_share)
    ungrouped: float = attrs.field(default=0.03, validator=_is_share)


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

    >>> from olmsolve.testing import FleetShape, catalog_of, fleet, package
    >>> catalog = catalog_of(package("ledger").channel("stable", "1.0.0 < 1.1.0"))
    >>> len([*fleet(catalog, FleetShape(clusters=3, templates=1, namespaces=1))])
    3
    """
    draw = random.Random(f"{seed}")  # noqa: S311 - fleets for tests
    packages = [package for package in catalog if any(_history(package, channel) for channel in _channels(package))]
    if not packages:
        raise RequestError("no channel has a bundle", field="catalog")
    source = Source(name, namespace, 0, catalog)
    templates = [_template(packages, shape, draw) for _ in range(shape.templates)]
    for number in range(shape.clusters):
        cluster_draw = random.Random(f"{seed} {number}")  # noqa: S311
        template = cluster_draw.choice(templates)
        drifted = {
            group: (grouped, tuple(attrs.evolve(wish, lag=cluster_draw.randint(0, shape.lag)) for wish in wishes))
            if cluster_draw.random() < shape.drift
            else (grouped, wishes)
            for group, (grouped, wishes) in template.items()
        }
        objects = [catalog_source(source)]
        for group, (grouped, wishes) in drifted.items():
            objects += _namespace(group, source, wishes, cluster_draw, is_grouped=grouped)
        cluster_draw.shuffle(objects)
        marked = [_recorded(object_, cluster_draw) for object_ in objects]
        yield RecordedCluster(f"cluster-{number:06}", ({"apiVersion": "v1", "kind": "List", "items": marked},))


def next_version(catalog: Catalog, packages: int, *, seed: int = 1) -> Catalog:
    """Return *catalog* with a change of the default channels of so many *packages*, as a next version of it has.

    Most of them get one bundle more, which replaces the head: the next minor version, or a major one. One in eight new
    bundles requires an API that nothing provides. One in ten packages loses its head instead.

    Raises:
        RequestError: *catalog* has fewer packages with a version at the head of their default channel.

    >>> from olmsolve.testing import catalog_of, next_version, package
    >>> catalog = catalog_of(package("ledger").channel("stable", "1.0.0 < 1.1.0"))
    >>> newer = next_version(catalog, 1)
    >>> len(newer.packages["ledger"].bundles) - len(catalog.packages["ledger"].bundles)
    1
    """
    draw = random.Random(f"next {seed}")  # noqa: S311 - catalogs for tests
    heads = {package.name: head for package in catalog if (head := _default_head(package)) is not None}
    if len(heads) < packages:
        raise RequestError(f"too few packages have a version to follow: {len(heads)}", field="packages")
    changes = {
        name: _change(catalog.packages[name].bundles[heads[name]], draw)
        for name in draw.sample(sorted(heads), packages)
    }
    return fbc.from_blobs(package for blob in fbc.blobs(catalog) for package in _changed(blob, catalog, heads, changes))


@attrs.frozen
class _NewBundle:
    """A bundle of a next version; one that *is_broken* requires an API that nothing provides."""

    name: str
    version: str
    is_broken: bool


def _change(head: Bundle, draw: random.Random) -> _NewBundle | None:
    """Return the bundle that follows *head*, None where *head* is taken back."""
    version = published(head.package, head.properties).version
    assert version is not None, "heads without a version are left out"
    is_withdrawn, is_major, is_broken = (draw.random() < share for share in (_WITHDRAWN, _MAJOR, _BROKEN))
    number = f"{version.major + 1}.0.0" if is_major else f"{version.major}.{version.minor + 1}.0"
    return None if is_withdrawn else _NewBundle(f"{head.package}.v{number}", number, is_broken)


def _changed(
    blob: dict[str, Any], catalog: Catalog, heads: dict[str, str], changes: dict[str, _NewBundle | None]
) -> Iterator[dict[str, Any]]:
    """Yield *blob* as the next version of its catalog has it; after the bundle of a head, the new bundle follows."""
    package, name = blob.get("package"), blob.get("name")
    if package not in changes:
        yield blob
        return
    head, new = heads[package], changes[package]
    if blob["schema"] == "olm.channel":
        entries = blob["entries"]
        if new is None:
            # A channel without entries would be another fault.
            entries = [entry for entry in entries if entry["name"] != head] or entries
        elif name == catalog.packages[package].default_channel:
            entries = [*entries, {"name": new.name, "replaces": head}]
        yield {**blob, "entries": entries}
        return
    yield blob
    if blob["schema"] == "olm.bundle" and name == head and new is not None:
        properties = [property_ for property_ in blob["properties"] if property_["type"] != "olm.package"]
        properties.append({"type": "olm.package", "value": {"packageName": package, "version": new.version}})
        if new.is_broken:
            properties.append({"type": "olm.gvk.required", "value": _MISSING})
        yield {**blob, "name": new.name, "properties": properties}


def _default_head(package: Package) -> str | None:
    """Return the head of the default channel of *package*, None where there is none with a version."""
    channel = package.channels.get(package.default_channel)
    history = _history(package, channel) if channel is not None else []
    if not history or published(package.name, package.bundles[history[0]].properties).version is None:
        return None
    return history[0]


def _channels(package: Package) -> list[Channel]:
    return sorted(package.channels.values(), key=lambda channel: channel.name)


def _template(packages: list[Package], shape: FleetShape, draw: random.Random) -> _Template:
    template: _Template = {}
    for number in range(draw.randint(1, shape.namespaces)):
        chosen = draw.sample(packages, min(len(packages), draw.randint(1, shape.subscriptions)))
        wishes = tuple(
            _AgingWish(
                package,
                draw.choice([channel for channel in _channels(package) if _history(package, channel)]),
                draw.randint(0, shape.lag),
                draw.random() < shape.manual,
                draw.random() < shape.failed,
            )
            for package in chosen
        )
        template[f"team-{number}"] = (draw.random() >= shape.ungrouped, wishes)
    return template


def _history(package: Package, channel: Channel) -> list[str]:
    """Return the bundles of *channel* from its head down the chain of ``replaces``."""
    replaced = {name for entry in channel.entries for name in (entry.replaces, *entry.skips) if name}
    entries = {entry.name: entry for entry in channel.entries}
    name = next((listed_entry for listed_entry in entries if listed_entry not in replaced), "")
    names: list[str] = []
    while name in entries and name not in names:
        names.append(name)
        name = entries[name].replaces or ""
    return [listed_name for listed_name in names if listed_name in package.bundles]


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
        # As the API server names an object with generateName: five random letters.
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
    """Return *manifest* with the fields that a cluster adds to each object, which say nothing about operators."""
    moment = f"2026-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}T{draw.randint(0, 23):02}:00:00Z"
    added = {
        "uid": f"{draw.getrandbits(128):032x}",
        "resourceVersion": str(draw.randint(1, 10**9)),
        "creationTimestamp": moment,
        "generation": draw.randint(1, 9),
    }
    return {**manifest, "metadata": {**manifest["metadata"], **added}}
