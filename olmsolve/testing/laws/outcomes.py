"""The parts that laws share: the content of a request, requests with another content, and the outcome, whichever it is.

An outcome is a plan, a failure, or a broken catalog.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import olmsolve._attrs as attrs
from olmsolve import classic, v1
from olmsolve.catalog import Bundle, Catalog, Package, Source
from olmsolve.classic import Request, Semantics, Unsatisfiable
from olmsolve.errors import CatalogError
from olmsolve.predicates import Property
from olmsolve.resolution import Resolution
from olmsolve.testing.outlining import outline

Outcome: TypeAlias = Resolution | Unsatisfiable | CatalogError
"""A plan, the failure with its core, or the fault of a catalog that decides the request."""


def outcome_of(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> Outcome:
    """Return what :func:`olmsolve.resolve` returns, or the failure that it raises.

    Raises:
        Incomplete: a limit was reached.
    """
    try:
        return classic.resolve(request, semantics=semantics)
    except (Unsatisfiable, CatalogError) as failure:
        return failure


def broken(law: str, request: Request | v1.ExtensionRequest, faults: list[str]) -> AssertionError:
    """Return the error of a broken *law*: each of *faults*, and below them the request."""
    return AssertionError("\n".join([f"{law}:", *(f"  {fault}" for fault in faults), "the request:", outline(request)]))


def outcome_text(outcome: Outcome) -> str:
    """Return *outcome* as a text that distinguishes answers: the bundles of a plan in their order, or the core."""
    if isinstance(outcome, Resolution):
        return bundles_text([str(install.candidate) for install in outcome.installs])
    # Which of several faults of a catalog comes first may depend on their order.
    return "a broken catalog" if isinstance(outcome, CatalogError) else str(outcome)


def bundles_text(names: list[str] | None) -> str:
    """Return the *names* of the bundles that a plan installs as a text; None stands for no plan."""
    return "no plan" if names is None else ", ".join(names) or "nothing to install"


def compare(law: str, request: Request | v1.ExtensionRequest, first: tuple[str, str], second: tuple[str, str]) -> None:
    """Raise the error of a broken *law* where two answers differ; each is a label and what :func:`outcome_text` says.

    Raises:
        AssertionError: they differ.
    """
    if first[1] != second[1]:
        width = max(len(first[0]), len(second[0]))
        raise broken(law, request, [f"{label:{width}} {answer}" for label, answer in (first, second)])


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
        lambda source: Catalog(
            {package.name: change(source, package) for package in source.catalog}, scheme=source.catalog.scheme
        ),
    )


def with_catalogs(request: Request, change: Callable[[Source], Catalog]) -> Request:
    """Return *request* with each catalog as *change* returns it."""
    sources = [attrs.evolve(source, catalog=change(source)) for source in request.sources]
    return attrs.evolve(request, sources=sources)
