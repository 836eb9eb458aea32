"""Requests from a cluster's objects: the one that is asked for, or those of all namespaces and extensions."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any

import attrs

import olmsolve
from olmsolve.catalog import Catalog
from olmsolve.classic import HealthPolicy, Request
from olmsolve.cli.clusters import catalog_contents, cluster_of, version_constraints
from olmsolve.cli.exits import Exit
from olmsolve.cli.settings import search_settings
from olmsolve.cli.streams import style, write, write_data
from olmsolve.cluster import ClusterState, group_eligibility
from olmsolve.cluster.objects import ClusterExtension
from olmsolve.cluster.operator_groups import ClusterGroups, settled
from olmsolve.eligibility import Eligibility
from olmsolve.errors import CatalogError, Incomplete, OlmsolveError, RequestError
from olmsolve.render import failure_text, plan_text
from olmsolve.requests import (
    extensions_of_cluster,
    namespaces_with_subscriptions,
    of_cluster,
    only_namespace,
)
from olmsolve.resolution import SCHEMA_VERSION, ResolutionFailure

__all__ = ["cluster_request", "run_all"]


@attrs.frozen
class _Given:
    """A cluster as the command line gives it."""

    state: ClusterState
    contents: Mapping[str, Catalog | CatalogError]
    policy: HealthPolicy
    global_namespace: str
    versions: tuple[Eligibility, ...]
    heeds_groups: bool

    @cached_property
    def groups(self) -> ClusterGroups:
        """The operator groups, prepared once for all namespaces."""
        return ClusterGroups(settled(self.state))

    def request(self, namespace: str) -> Request:
        groups = group_eligibility(self.groups, namespace) if self.heeds_groups else ()
        return of_cluster(
            self.state,
            self.contents,
            namespace,
            global_namespace=self.global_namespace,
            health_policy=self.policy,
            eligibility=(*groups, *self.versions),
        )


@attrs.frozen
class _Answer:
    """What came out for one namespace or extension: its exit code, as data, and in words."""

    code: Exit
    data: dict[str, Any]
    words: str


def cluster_request(options: argparse.Namespace) -> Request | Any:
    """The request of the namespace that *options* name, or of the only one; else that of the only extension."""
    if options.all_namespaces:
        options.refuse("--all-namespaces is for resolve")
    given = _given(options)
    extensions = given.state.all(ClusterExtension)
    if not options.namespace and extensions and not namespaces_with_subscriptions(given.state):
        if len(extensions) > 1:
            names = ", ".join(extension.name for extension in extensions[:10])
            raise RequestError(f"holds {len(extensions)} ClusterExtensions: {names}", hint="use --all-namespaces")
        return extensions_of_cluster(given.state, given.contents)[0]
    return given.request(options.namespace or only_namespace(given.state))


def run_all(options: argparse.Namespace) -> int:
    """Resolve each namespace and each extension by itself, print the answers, and return the worst exit code.

    What is wrong with one of them is its answer, and keeps nobody else from being resolved.
    """
    given = _given(options)
    settings = search_settings(options)
    namespaces = {
        namespace: _answer(partial(_namespace, given, namespace, settings))
        for namespace in namespaces_with_subscriptions(given.state)
    }
    extensions: dict[str, _Answer] = {}
    if given.state.all(ClusterExtension):
        for request in extensions_of_cluster(given.state, given.contents):
            extensions[request.name] = _answer(partial(_extension, request))
    if not namespaces and not extensions:
        raise RequestError("no subscriptions and no extensions", field="--cluster", hint="there is nothing to resolve")
    if options.output == "text":
        titled = [
            *((f"Namespace {name}", answer) for name, answer in namespaces.items()),
            *((f"ClusterExtension {name}", answer) for name, answer in extensions.items()),
        ]
        layout = style()
        write("\n\n".join(f"{layout.bold(title)}\n\n{answer.words}" for title, answer in titled))
    else:
        document: dict[str, Any] = {
            "schema": "olmsolve.cluster",
            "schemaVersion": SCHEMA_VERSION,
            "namespaces": {name: answer.data for name, answer in namespaces.items()},
            "extensions": {name: answer.data for name, answer in extensions.items()},
        }
        write_data(document, options.output)
    return max(answer.code for answer in (*namespaces.values(), *extensions.values()))


def _answer(work: Callable[[], _Answer]) -> _Answer:
    try:
        return work()
    except OlmsolveError as error:
        code = Exit.OUT_OF_BUDGET if isinstance(error, Incomplete) else Exit.BAD_INPUT
        return _Answer(code, {"error": str(error)}, str(error))


def _namespace(given: _Given, namespace: str, settings: dict[str, Any]) -> _Answer:
    layout = style()
    try:
        plan = olmsolve.resolve(given.request(namespace), **settings)
    except ResolutionFailure as failed:
        words = failure_text(failed, width=layout.width, colour=layout.colour)
        return _Answer(Exit.UNSATISFIABLE, failed.to_dict(), words)
    return _Answer(Exit.PLAN, plan.to_dict(), plan_text(plan, width=layout.width, colour=layout.colour))


def _extension(request: Any) -> _Answer:
    # Whoever asks classic OLM should not wait for OLM v1 to load.
    from olmsolve import v1
    from olmsolve.render import extension_failure_text, extension_text

    layout = style()
    try:
        document = v1.resolve(request).to_dict()
    except v1.ResolutionError as failed:
        document = failed.to_dict()
        words = extension_failure_text(document, width=layout.width, colour=layout.colour)
        return _Answer(Exit.UNSATISFIABLE, document, words)
    return _Answer(Exit.PLAN, document, extension_text(document, width=layout.width, colour=layout.colour))


def _given(options: argparse.Namespace) -> _Given:
    if options.document is not None or options.subscriptions or options.installed:
        options.refuse("--cluster excludes a request document, --subscribe and --installed")
    state = cluster_of(options)
    policy = HealthPolicy(options.unreadable)
    versions = version_constraints(options)
    contents = catalog_contents(options.catalogs, policy)
    return _Given(state, contents, policy, options.global_namespace, versions, options.operator_groups)
