"""The request that the options of a command describe, and how its answer is searched for."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import olmsolve
from olmsolve.cli.catalogs import load

TARGET_NAMESPACE: Final = "operators"
CATALOG_NAMESPACE: Final = "olm"

_SUBSCRIPTION: Final = re.compile(r"(?P<package>[^@=]+)(@(?P<channel>[^=]+))?(=(?P<starting>.+))?")
_PRIORITY: Final = re.compile(r"(?P<path>.+):(?P<priority>-?[0-9]{1,10})")
_NAMES_COMPARED: Final = 20_000


def request_of(options: argparse.Namespace) -> olmsolve.Request | olmsolve.v1.ExtensionRequest:
    """Return the request of *options*: a document, the options that stand for one, or a cluster's objects.

    Raises:
        OlmsolveError: the document, a catalog or the objects cannot be read, or contradict each other.
    """
    if options.cluster:
        # Whoever has a document should not wait for the objects of clusters to load.
        from olmsolve.cli.cluster import cluster_request

        return cluster_request(options)
    if options.all_namespaces or options.namespace:
        options.refuse("--namespace and --all-namespaces are for --cluster")
    has_wishes = bool(options.catalogs or options.subscriptions or options.installed)
    if options.document is not None and has_wishes:
        options.refuse("a request document and --catalog, --subscribe or --installed exclude each other")
    if options.document is None and not (options.catalogs and options.subscriptions):
        options.refuse("a request document is needed, or --catalog and --subscribe, or --cluster")
    return _wished_request(options) if options.document is None else read_document(options.document)


def classic_request_of(options: argparse.Namespace, refusal: str, hint: str = "") -> olmsolve.Request:
    """Return the request of *options*. Raises RequestError with *refusal* and *hint* where it is for OLM v1."""
    request = request_of(options)
    if not isinstance(request, olmsolve.Request):
        raise olmsolve.RequestError(refusal, hint=hint)
    return request


def read_document(document: str) -> olmsolve.Request | olmsolve.v1.ExtensionRequest:
    """Read the request at the path *document*, "-" being standard input."""
    return olmsolve.read_request(sys.stdin.buffer if document == "-" else document, load=load)


def search_settings(options: argparse.Namespace) -> dict[str, Any]:
    """Return the keywords of :func:`olmsolve.resolve`: semantics, time limit (seconds), and the backend, if any."""
    settings = {"semantics": options.semantics, "timeout": options.timeout}
    return settings if options.backend is None else {**settings, "backend": options.backend}


def refuse_search_settings(options: argparse.Namespace) -> None:
    """Refuse the options about a search, which OLM v1 does without."""
    if options.backend is not None or options.semantics != "documented":
        options.refuse("--backend and --semantics are for subscriptions: OLM v1 has no dependencies to solve")


def catalog_sources(texts: Iterable[str]) -> list[olmsolve.Source]:
    """Load the catalogs that *texts* name (``NAME=PATH[:PRIORITY]``), as catalogs of the global namespace ``olm``."""
    named = [named_catalog(text) for text in texts]
    return [olmsolve.Source(name, CATALOG_NAMESPACE, priority, load(path)) for name, path, priority in named]


def named_catalog(text: str, option: str = "--catalog") -> tuple[str, Path, int]:
    """Return the name, the path and the priority in *text*, the value of an *option*. Raises RequestError."""
    name, _, rest = text.partition("=")
    if not name or not rest:
        raise olmsolve.RequestError(
            "not of the form NAME=PATH[:PRIORITY]",
            field=f"{option} {text}",
            hint="for example community=catalogs/community:10",
        )
    match = _PRIORITY.fullmatch(rest)
    # A file may really be called catalog:10.
    if match is None or Path(rest).exists():
        return name, Path(rest), 0
    return name, Path(match["path"]), int(match["priority"])


def _wished_request(options: argparse.Namespace) -> olmsolve.Request:
    """Make a request of the namespace ``operators`` from ``--catalog``, ``--subscribe`` and ``--installed``.

    Subscriptions are named after their packages and consider all catalogs.
    """
    subscriptions = [_subscription(text) for text in options.subscriptions]
    sources = catalog_sources(options.catalogs)
    owners = {subscription.package: subscription.name for subscription in subscriptions}
    return olmsolve.Request(
        namespaces=(TARGET_NAMESPACE, CATALOG_NAMESPACE),
        sources=sources,
        subscriptions=subscriptions,
        installed=[_installed(name, sources, owners) for name in options.installed],
    )


def _subscription(text: str) -> olmsolve.Subscription:
    match = _SUBSCRIPTION.fullmatch(text)
    if match is None:
        raise olmsolve.RequestError(
            "not of the form PACKAGE[@CHANNEL][=STARTING]",
            field=f"--subscribe {text}",
            hint="for example storefront@stable=storefront.v1.4.0",
        )
    return olmsolve.Subscription(
        name=match["package"],
        namespace=TARGET_NAMESPACE,
        package=match["package"],
        channel=match["channel"] or "",
        starting_csv=match["starting"] or "",
    )


def _installed(name: str, sources: Sequence[olmsolve.Source], owners: dict[str, str]) -> olmsolve.Installed:
    """Return the operator that the bundle *name* became.

    Several catalogs, and packages, may have a bundle of that name. One of a package with a subscription (*owners*, by
    package) comes first, then the one from the catalog with the highest priority.
    """
    by_priority = sorted(sources, key=lambda source: -source.priority)
    packages = [package for source in by_priority for package in source.catalog if name in package.bundles]
    if not packages:
        raise _unknown_bundle(name, by_priority)
    package = next((package for package in packages if package.name in owners), packages[0])
    bundle = package.bundles[name]
    return olmsolve.Installed(
        name=bundle.name,
        version=_version(bundle),
        properties=bundle.properties,
        subscription=owners.get(bundle.package),
    )


def _unknown_bundle(name: str, sources: Iterable[olmsolve.Source]) -> olmsolve.RequestError:
    import difflib
    from itertools import islice

    names = (bundle for source in sources for package in source.catalog for bundle in package.bundles)
    near = difflib.get_close_matches(name, dict.fromkeys(islice(names, _NAMES_COMPARED)), n=1)
    hint = f"did you mean {near[0]}?" if near else ""
    return olmsolve.RequestError("no catalog has this bundle", field=f"--installed {name}", hint=hint)


def _version(bundle: olmsolve.catalog.Bundle) -> str:
    """Return the text of the version that *bundle* publishes for its package, "" if none."""
    for published in bundle.properties:
        if published.type == "olm.package" and isinstance(published.value, dict):
            version = published.value.get("version")
            if isinstance(version, str):
                return version
    return ""
