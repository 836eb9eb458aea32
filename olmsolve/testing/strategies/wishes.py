"""Strategies for requests, over generated catalogs or over variations of somebody's own, and for whole clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hypothesis import note
from hypothesis import strategies as st

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve._named_tuples import NamedTuple
from olmsolve.answers.reducing import Reach
from olmsolve.catalog import Catalog, Package, Source
from olmsolve.classic import Installed, Request, Subscription
from olmsolve.predicates import published
from olmsolve.requests import CATALOG_NAMESPACE, NAMESPACE
from olmsolve.testing.fleets import (
    Manifest,
    catalog_source,
    cluster_service_version,
    operator_group,
    subscription_object,
)
from olmsolve.testing.strategies.content import Outlined, draw_catalog, element, several, vocabulary_of
from olmsolve.testing.strategies.grammars import masterminds_ranges
from olmsolve.testing.varying import ALTERNATIVE_NESTED, MOST, Variation, varied
from olmsolve.testing.vocabulary import INVENTED

_NAMESPACES: Final = st.sampled_from([CATALOG_NAMESPACE, NAMESPACE])
_PRIORITIES: Final = st.sampled_from([0, 0, 5, -5])
_OWNED: Final = st.sampled_from([True, True, True, False])
_POLICIES: Final = st.sampled_from(["", v1.SELF_CERTIFIED])


@st.composite
def requests(
    draw: st.DrawFn,
    *,
    catalog: Catalog | None = None,
    most_packages: int = 4,
    most_bundles: int = 3,
    most_catalogs: int = 2,
    most_subscriptions: int = 2,
    most_installed: int = 1,
) -> Request:
    """Draw requests to classic OLM, with and without a solution, and note each as an outline.

    With *catalog*, each request is about a variation of it (:func:`variations`): the packages that the wishes can
    reach, with a few changes, which the name of the request says. *most_packages*, *most_bundles* and *most_catalogs*
    bound generated catalogs.
    """
    if catalog is not None:
        variation = draw(variations(catalog, most_packages=most_subscriptions))
        sources = [Source("catalog", CATALOG_NAMESPACE, 0, variation.catalog)]
        wished, name = iter(variation.wished), str(variation)
    else:
        sources = [
            Source(
                f"cat{number}",
                draw(_NAMESPACES),
                draw(_PRIORITIES),
                draw_catalog(draw, INVENTED, most_packages, most_bundles),
            )
            for number in several(draw, range(most_catalogs), most_catalogs)
        ]
        names = tuple(dict.fromkeys(package.name for source in sources for package in source.catalog))
        wished, name = several(draw, names, most_subscriptions), ""
    subscriptions = [_subscription(draw, package, sources) for package in wished]
    made = Request(
        namespaces=(NAMESPACE, CATALOG_NAMESPACE),
        sources=sources,
        subscriptions=subscriptions,
        installed=_installed(draw, sources, [subscription.package for subscription in subscriptions], most_installed),
        name=name,
    )
    note(Outlined(made))
    return made


def _subscription(draw: st.DrawFn, package: str, sources: Sequence[Source]) -> Subscription:
    """Draw a subscription to *package*: in most cases from a channel and a catalog that have it."""
    holding = [source for source in sources if package in source.catalog.packages]
    fields: dict[str, Any] = {}
    if bool(holding) and draw(st.booleans()):
        source = element(draw, holding)
        fields = {"source": source.name, "source_namespace": source.namespace}
        holding = [source]
    channels = [channel for source in holding for channel in source.catalog.packages[package].channels.values()]
    if bool(channels) and draw(st.booleans()):
        channel = element(draw, channels)
        fields["channel"] = channel.name
        entries = [entry.name for entry in channel.entries]
        fields["starting_csv"] = element(draw, ["", "", "", *entries])
    return Subscription(package, NAMESPACE, package, **fields)


def _installed(draw: st.DrawFn, sources: Sequence[Source], wished: Sequence[str], most: int) -> tuple[Installed, ...]:
    """Draw installed operators, each of another package; nearly all of those wished for have an owner."""
    candidates: dict[str, Package] = {package.name: package for source in sources for package in source.catalog}
    candidates = {name: package for name, package in candidates.items() if package.bundles}
    if not candidates:
        return ()
    names = draw(st.lists(st.sampled_from(list(candidates)), max_size=most, unique=True))
    installed: dict[str, Installed] = {}
    for name in names:
        bundle = element(draw, list(candidates[name].bundles.values()))
        is_owned = name in wished and draw(_OWNED)
        version = published(name, bundle.properties).version
        text = "" if version is None else str(version)
        installed[bundle.name] = Installed(bundle.name, text, bundle.properties, name if is_owned else None)
    return tuple(installed.values())


@st.composite
def extension_requests(
    draw: st.DrawFn,
    *,
    catalog: Catalog | None = None,
    most_packages: int = 2,
    most_bundles: int = 3,
    most_catalogs: int = 2,
) -> v1.ExtensionRequest:
    """Draw requests to OLM v1: one extension over one or more catalogs, and note each as an outline.

    The parameters are those of :func:`requests`.
    """
    if catalog is not None:
        contents = [draw(variations(catalog, most_packages=1)).catalog]
    else:
        count = draw(st.integers(1, most_catalogs))
        contents = [draw_catalog(draw, INVENTED, most_packages, most_bundles, most_properties=1) for _ in range(count)]
    sources = [
        v1.ClusterCatalog(f"cat{number}", content, {v1.METADATA_NAME: f"cat{number}"}, draw(_PRIORITIES))
        for number, content in enumerate(contents)
    ]
    names = [package.name for content in contents for package in content] or list(vocabulary_of(catalog).packages)
    name = element(draw, names)
    holding = [content.packages[name] for content in contents if name in content.packages]
    bundles = [bundle for package in holding for bundle in package.bundles.values()]
    texts = [str(version) for bundle in bundles if (version := published(name, bundle.properties).version)]
    extension = v1.Extension(
        name,
        draw(st.just("") | masterminds_ranges(texts)),
        draw(st.lists(st.sampled_from([channel for package in holding for channel in package.channels]), max_size=1))
        if any(package.channels for package in holding)
        else (),
        None,
        draw(_POLICIES),
    )
    installed = None
    if bool(bundles) and draw(st.booleans()):
        bundle = element(draw, bundles)
        installed = v1.InstalledBundle(bundle.name, str(published(name, bundle.properties).version or ""))
    made = v1.ExtensionRequest(extension, sources, installed)
    note(Outlined(made))
    return made


@st.composite
def variations(draw: st.DrawFn, catalog: Catalog, *, most_packages: int = 2) -> Variation:
    """Draw variations of *catalog* for wishes of one to *most_packages* of its packages.

    The packages that these can need come along whole, but for a few bundles: one in twenty is dropped, and as many are
    deprecated, or require a narrower range. No constraint with two meanings is added, so a test that compares both
    semantics fails for the catalog's own constraints alone. A failing example shrinks towards few packages and few
    bundles.
    """
    reaching, words = catalog.derived(__name__, lambda: (Reach([catalog]), vocabulary_of(catalog)))
    wished = draw(st.lists(st.sampled_from(list(words.packages)), min_size=1, max_size=most_packages, unique=True))
    newest = {name: versions[-1] for name, versions in words.packages.items() if versions}
    names = dict.fromkeys((*wished, *sorted(reaching.reached_from(wished))))
    numbers = st.sampled_from([number for number in range(MOST + 1) if number != ALTERNATIVE_NESTED])
    return varied(catalog, wished, names, newest, lambda: draw(numbers))


class DrawnCluster(NamedTuple):
    """A cluster: its *objects* as kubectl prints them, and the *contents* of its catalogs by ``namespace/name``."""

    objects: list[Manifest]
    contents: dict[str, Catalog]


@st.composite
def clusters(
    draw: st.DrawFn,
    *,
    catalog: Catalog | None = None,
    most_namespaces: int = 2,
    most_subscriptions: int = 2,
    most_installed: int = 1,
) -> DrawnCluster:
    """Draw clusters with classic OLM: in each namespace an operator group, subscriptions, and operators in any phase.

    *catalog* is what requests are drawn from (:func:`~olmsolve.testing.requests`); without it, each namespace has
    generated catalogs of its own.
    """
    objects: list[Manifest] = []
    contents: dict[str, Catalog] = {}
    for number in range(draw(st.integers(1, most_namespaces))):
        request = draw(requests(catalog=catalog, most_subscriptions=most_subscriptions, most_installed=most_installed))
        namespace = f"{NAMESPACE}-{number}"
        named = {NAMESPACE: namespace}
        for source in request.sources:
            home = named.get(source.namespace, source.namespace)
            renamed = attrs.evolve(source, name=f"{source.name}-{number}", namespace=home)
            objects.append(catalog_source(renamed))
            contents[renamed.key] = renamed.catalog
        targets = draw(st.sampled_from([[namespace], [""]]))
        objects.append(operator_group("group", namespace, targets))
        owners = {owner.name: operator for operator, owner in request.owners().items()}
        for operator in request.installed:
            phase = draw(st.sampled_from(["Succeeded", "Succeeded", "Succeeded", "Failed", "Pending"]))
            objects.append(cluster_service_version(operator, namespace, phase=phase))
        for subscription in request.subscriptions:
            source_namespace = named.get(subscription.source_namespace, subscription.source_namespace)
            own_wish = attrs.evolve(
                subscription,
                source=subscription.source and f"{subscription.source}-{number}",
                source_namespace=source_namespace,
                installed_csv=owners.get(subscription.name, ""),
            )
            approval = draw(st.sampled_from(["Automatic", "Automatic", "Manual"]))
            objects.append(subscription_object(own_wish, namespace, approval=approval))
    return DrawnCluster(objects, contents)
