"""``olmsolve resolve --all-namespaces``: every namespace and every extension of a cluster, each by itself."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NamedTuple

from olmsolve.cli.cluster import GivenCluster
from olmsolve.cli.exits import Exit
from olmsolve.cli.resolving import resolved
from olmsolve.cli.streams import style, write, write_data
from olmsolve.errors import Incomplete, OlmsolveError, RequestError
from olmsolve.requests import extensions_of_cluster, namespaces_with_subscriptions
from olmsolve.resolution import SCHEMA_VERSION

if TYPE_CHECKING:
    from olmsolve import v1  # loaded only for a cluster with extensions


class NamespaceAnswer(NamedTuple):
    """The answer for one namespace or extension: its exit code, and its text or data, whichever is wanted."""

    code: Exit
    shown: str | dict[str, Any]


def resolve_all(options: argparse.Namespace) -> int:
    """Resolve each namespace and each extension by itself, print the answers, and return the worst exit code.

    An error in one of them is its answer, and keeps no other from being resolved.
    """
    cluster = GivenCluster.of(options)
    namespaces = {
        namespace: _answer(namespace, cluster, options) for namespace in namespaces_with_subscriptions(cluster.state)
    }
    extensions = {
        request.name: _answer(request, cluster, options)
        for request in extensions_of_cluster(cluster.state, cluster.contents)
    }
    answers = [*namespaces.values(), *extensions.values()]
    if not answers:
        raise RequestError("no subscriptions and no extensions", field="--cluster", hint="there is nothing to resolve")
    if options.output == "text":
        titled = [
            *((f"Namespace {name}", answer) for name, answer in namespaces.items()),
            *((f"ClusterExtension {name}", answer) for name, answer in extensions.items()),
        ]
        layout = style()
        write("\n\n".join(f"{layout.bold(title)}\n\n{answer.shown}" for title, answer in titled))
    else:
        document = {
            "schema": "olmsolve.cluster",
            "schemaVersion": SCHEMA_VERSION,
            "namespaces": {name: answer.shown for name, answer in namespaces.items()},
            "extensions": {name: answer.shown for name, answer in extensions.items()},
        }
        write_data(document, options.output)
    return max(answer.code for answer in answers)


def _answer(wanted: str | v1.ExtensionRequest, cluster: GivenCluster, options: argparse.Namespace) -> NamespaceAnswer:
    """Resolve a namespace, whose objects may contradict each other, or the request of an extension."""
    is_text = options.output == "text"
    try:
        answer = resolved(cluster.request(wanted) if isinstance(wanted, str) else wanted, options)
        layout = style()
        shown = answer.text(width=layout.width, colour=layout.colour) if is_text else answer.data()
    except OlmsolveError as error:
        code = Exit.OUT_OF_BUDGET if isinstance(error, Incomplete) else Exit.BAD_INPUT
        return NamespaceAnswer(code, str(error) if is_text else {"error": str(error)})
    return NamespaceAnswer(answer.code, shown)
