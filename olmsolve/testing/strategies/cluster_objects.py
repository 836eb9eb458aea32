"""Strategies for clusters: the objects of a few namespaces, and what their catalogs contain."""

from __future__ import annotations

from typing import NamedTuple

import attrs
from hypothesis import strategies as st

from olmsolve.catalog import Catalog
from olmsolve.requests import NAMESPACE
from olmsolve.testing.manifests import (
    Manifest,
    catalog_source,
    cluster_service_version,
    operator_group,
    subscription_object,
)
from olmsolve.testing.strategies.wishes import requests


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
