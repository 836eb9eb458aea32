"""A cluster as the command line gives it: objects, the contents of their catalogs, and what its versions forbid."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from olmsolve.catalog import Catalog
from olmsolve.classic import HealthPolicy, Request
from olmsolve.cli.catalogs import load
from olmsolve.cluster import ClusterState, cluster_eligibility, group_eligibility
from olmsolve.cluster.objects import ClusterExtension
from olmsolve.cluster.operator_groups import ClusterGroups, settled
from olmsolve.eligibility import Eligibility
from olmsolve.errors import CatalogError, RequestError
from olmsolve.requests import (
    Contents,
    extensions_of_cluster,
    namespaces_with_subscriptions,
    of_cluster,
    only_namespace,
    read_cluster,
)

if TYPE_CHECKING:
    from olmsolve import v1  # loaded only for a cluster with extensions


@attrs.frozen
class GivenCluster:
    """A cluster and the rules that options set for it, from which every namespace has its request."""

    state: ClusterState
    contents: Contents
    policy: HealthPolicy
    global_namespace: str
    constraints: Callable[[str], tuple[Eligibility, ...]]

    @classmethod
    def of(cls, options: argparse.Namespace) -> GivenCluster:
        """Read the objects and the catalogs that *options* of a request name."""
        if options.document is not None or options.subscriptions or options.installed:
            options.refuse("--cluster excludes a request document, --subscribe and --installed")
        policy = HealthPolicy(options.unreadable)
        state = cluster_state(options)
        # The constraints come first: a malformed version should be refused before catalogs are read.
        constraints = namespace_constraints(settled(state) if options.operator_groups else state, options)
        contents = catalog_contents(options.catalogs, policy)
        return cls(state, contents, policy, options.global_namespace, constraints)

    def request(self, namespace: str) -> Request:
        """Return the request of *namespace*. Raises RequestError."""
        return of_cluster(
            self.state,
            self.contents,
            namespace,
            global_namespace=self.global_namespace,
            health_policy=self.policy,
            eligibility=self.constraints(namespace),
        )


def cluster_request(options: argparse.Namespace) -> Request | v1.ExtensionRequest:
    """Return the request of one namespace: the one that *options* name, or the only one with subscriptions.

    A cluster without subscriptions may have a ClusterExtension instead, whose request is returned then.

    Raises:
        RequestError: there are several to choose from, or none.
    """
    if options.all_namespaces:
        options.refuse("--all-namespaces is for resolve")
    cluster = GivenCluster.of(options)
    extensions = cluster.state.all(ClusterExtension)
    if not options.namespace and extensions and not namespaces_with_subscriptions(cluster.state):
        if len(extensions) > 1:
            names = ", ".join(extension.name for extension in extensions[:10])
            raise RequestError(f"holds {len(extensions)} ClusterExtensions: {names}", hint="use --all-namespaces")
        return extensions_of_cluster(cluster.state, cluster.contents)[0]
    return cluster.request(options.namespace or only_namespace(cluster.state))


def cluster_state(options: argparse.Namespace) -> ClusterState:
    """Read the objects of ``--cluster``, "-" being standard input."""
    return read_cluster(*(sys.stdin.buffer if file == "-" else file for file in options.cluster))


def catalog_contents(texts: Iterable[str], policy: HealthPolicy) -> dict[str, Catalog | CatalogError]:
    """Load the catalogs that *texts* (``NAMESPACE/NAME=PATH``) name; the keys are the parts before the equals signs.

    Under the strict *policy* a catalog that cannot be read raises its CatalogError; under the others the error stands
    for its content.
    """
    contents: dict[str, Catalog | CatalogError] = {}
    for name, path in map(_named_path, texts):
        try:
            contents[name] = load(path)
        except CatalogError as error:
            if policy is HealthPolicy.STRICT:
                raise
            contents[name] = error
    return contents


def planned_namespaces(state: ClusterState, wanted: str) -> tuple[str, ...]:
    """Return the namespace *wanted*, or, for "", every namespace with subscriptions.

    Raises:
        RequestError: no subscription is there.
    """
    namespaces = namespaces_with_subscriptions(state)
    if wanted and wanted not in namespaces:
        hint = f"there are {', '.join(namespaces)}"
        raise RequestError(f"no subscription is in {wanted!r}", field="--namespace", hint=hint)
    if not namespaces:
        raise RequestError("no subscriptions", field="--cluster", hint="there is nothing to plan for")
    return (wanted,) if wanted else namespaces


def namespace_constraints(state: ClusterState, options: argparse.Namespace) -> Callable[[str], tuple[Eligibility, ...]]:
    """Return a function from a namespace to what must not be installed there.

    ``--kubernetes`` and ``--openshift`` constrain every namespace alike, ``--operator-groups`` each by its own group in
    *state*. The groups are prepared once for all namespaces.

    Raises:
        VersionError: a version is malformed.
    """
    versions = cluster_eligibility(None, "", kubernetes=options.kubernetes, openshift=options.openshift)
    if not options.operator_groups:
        return lambda namespace: versions
    groups = ClusterGroups(state)
    return lambda namespace: (*group_eligibility(groups, namespace), *versions)


def _named_path(text: str) -> tuple[str, Path]:
    name, _, path = text.partition("=")
    if not name or not path:
        raise RequestError(
            "not of the form NAMESPACE/NAME=PATH",
            field=f"--catalog {text}",
            hint="for example olm/community=catalogs/community; priorities come from the cluster",
        )
    return name, Path(path)
