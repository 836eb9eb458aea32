"""Laws of OLM v1: what cannot matter to an extension leaves its bundle as it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve.catalog import Catalog, Package
from olmsolve.requests import catalog_of, package, read_extension_request, request_document
from olmsolve.testing.laws.answers import turned_catalog
from olmsolve.testing.laws.outcomes import compare

_UNRELATED: Final = ("0-unrelated", "zz-unrelated")


def check_extension_order(request: v1.ExtensionRequest) -> None:
    """Check that the answer does not change when catalogs, packages, channels, bundles and entries are turned around.

    Raises:
        AssertionError: the answers differ.
    """
    turned = _with_catalogs(request, turned_catalog)
    turned = attrs.evolve(turned, catalogs=tuple(reversed(turned.catalogs)))
    _same("the answer depends on the order of writing", request, turned, "turned")


def check_extension_unrelated(request: v1.ExtensionRequest) -> None:
    """Check that other packages change nothing, in whichever catalog they are.

    Raises:
        AssertionError: the answers differ.
    """
    extra = catalog_of(*(package(name).channel("stable", "1.0.0") for name in _UNRELATED)).packages
    changed = _with_catalogs(request, lambda catalog: Catalog({**catalog.packages, **extra}))
    _same("an unrelated package changes the answer", request, changed, "with unrelated packages")


def check_extension_repeated(request: v1.ExtensionRequest) -> None:
    """Check that catalogs, repeated under other names at a priority below all others, change nothing.

    A selector chooses catalogs by labels, which the copies have too.

    Raises:
        AssertionError: the answers differ.
    """
    lowest = min((catalog.priority for catalog in request.catalogs), default=0) - 1
    copies = [attrs.evolve(catalog, name=f"{catalog.name}-repeated", priority=lowest) for catalog in request.catalogs]
    changed = attrs.evolve(request, catalogs=(*request.catalogs, *copies))
    _same("a repeated catalog changes the answer", request, changed, "twice")


def check_extension_unselected(request: v1.ExtensionRequest) -> None:
    """Check that the bundle stays without all others, whose channel entries stay: these are the updates.

    The installed bundle stays too.

    Raises:
        AssertionError: the answers differ.
    """
    answer = _answer(request)
    if not isinstance(answer, v1.ExtensionResolution):
        return
    kept = {answer.bundle} if request.installed is None else {answer.bundle, request.installed.name}

    def smaller(catalog: Catalog) -> Catalog:
        return Catalog({package.name: _only(package, kept) for package in catalog})

    _same("a bundle that is not selected matters", request, _with_catalogs(request, smaller), "without the others")


def _only(package: Package, kept: set[str]) -> Package:
    return attrs.evolve(package, bundles={name: bundle for name, bundle in package.bundles.items() if name in kept})


def check_extension_rest(request: v1.ExtensionRequest) -> None:
    """Check that the bundle of a first installation, once it is installed, is the answer again.

    Raises:
        AssertionError: it is another one.
    """
    answer = _answer(request)
    if request.installed is not None or not isinstance(answer, v1.ExtensionResolution):
        return
    installed = v1.InstalledBundle(answer.bundle, answer.version, answer.release if request.release_support else None)
    _same("a plan does not rest", request, attrs.evolve(request, installed=installed), "installed")


def check_extension_document(request: v1.ExtensionRequest) -> None:
    """Check that *request*, written as a JSON document and read again, has the same answer.

    Raises:
        AssertionError: it has another.
    """
    reread = read_extension_request(json.loads(json.dumps(request_document(request))))
    _same("a document has another answer", request, reread, "read again")


EXTENSION_LAWS: Final[tuple[Callable[[v1.ExtensionRequest], None], ...]] = (
    check_extension_order,
    check_extension_unrelated,
    check_extension_repeated,
    check_extension_unselected,
    check_extension_rest,
    check_extension_document,
)
"""Every law of requests to OLM v1."""


def _answer(request: v1.ExtensionRequest) -> v1.ExtensionResolution | v1.ResolutionError:
    try:
        return v1.resolve(request)
    except v1.ResolutionError as error:
        return error


def _outcome_text(request: v1.ExtensionRequest) -> str:
    answer = _answer(request)
    if isinstance(answer, v1.ExtensionResolution):
        return f"{answer.bundle} {answer.full_version} of {answer.catalog}"
    # Messages list catalogs in their order, and copies as well.
    return type(answer).__name__


def _same(law: str, request: v1.ExtensionRequest, changed: v1.ExtensionRequest, how: str) -> None:
    compare(law, request, ("as it is", _outcome_text(request)), (how, _outcome_text(changed)))


def _with_catalogs(request: v1.ExtensionRequest, change: Callable[[Catalog], Catalog]) -> v1.ExtensionRequest:
    catalogs = [
        catalog if catalog.catalog is None else attrs.evolve(catalog, catalog=change(catalog.catalog))
        for catalog in request.catalogs
    ]
    return attrs.evolve(request, catalogs=tuple(catalogs))
