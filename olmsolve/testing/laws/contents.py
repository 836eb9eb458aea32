"""The contents of a request: its bundles, what these and installed operators say, and requests with other contents."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import attrs

from olmsolve.catalog import Bundle, Catalog, Package, Source
from olmsolve.classic import Request
from olmsolve.predicates import Property


def bundles_of(request: Request) -> Iterator[tuple[Source, Bundle]]:
    """Yield each bundle of *request* with the source that has it."""
    for source in request.sources:
        for package in source.catalog:
            yield from ((source, bundle) for bundle in package.bundles.values())


def statements_of(request: Request) -> Iterator[tuple[Property, ...]]:
    """Yield the properties of each bundle and of each installed operator."""
    yield from (bundle.properties for _, bundle in bundles_of(request))
    yield from (operator.properties for operator in request.installed)


def with_packages(request: Request, change: Callable[[Source, Package], Package]) -> Request:
    """Return *request* with each package as *change* returns it."""
    return with_catalogs(
        request,
        lambda source: Catalog({package.name: change(source, package) for package in source.catalog}),
    )


def with_catalogs(request: Request, change: Callable[[Source], Catalog]) -> Request:
    """Return *request* with each catalog as *change* returns it."""
    sources = [attrs.evolve(source, catalog=change(source)) for source in request.sources]
    return attrs.evolve(request, sources=sources)
