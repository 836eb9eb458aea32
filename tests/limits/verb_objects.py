"""What verbs are called on: requests, a catalog and a cluster, made anew for each call."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import attrs

import olmsolve
from olmsolve import Request
from olmsolve.catalog import Catalog
from olmsolve.solver import Cancellation
from olmsolve.testing import synthetic
from tests.cli.small_cluster import blobs, catalog_source, cluster_catalog, extension, namespace

Verb: TypeAlias = Callable[[Cancellation | None], Any]
"""A call with a flag that cancels it; it may be called again, on the same objects."""

Made: TypeAlias = Callable[[Path], Verb]
"""Makes the objects of a call in an empty folder."""

NEWER: Final = {"type": "olm.maxOpenShiftVersion", "value": "4.18"}
RULE: Final = {
    "type": "olm.constraint",
    "value": {"failureMessage": "f", "cel": {"rule": "properties.exists(p, p.type == 'olm.package')"}},
}


@cache
def _dense(*, satisfiable: bool) -> Request:
    return synthetic.request(synthetic.DenseShape(30, 6, 2, 4), "hard", seed=2, satisfiable=satisfiable)


def dense(*, satisfiable: bool = True) -> Request:
    """A request with conflicts to learn from, over a catalog without an index."""
    request = _dense(satisfiable=satisfiable)
    return attrs.evolve(
        request, sources=[attrs.evolve(source, catalog=cold(source.catalog)) for source in request.sources]
    )


def cold(catalog: Catalog) -> Catalog:
    """The same catalog without anything that was worked out."""
    return attrs.evolve(catalog)


def answer(request: Request) -> Any:
    """The plan of *request*, or its failure."""
    try:
        return olmsolve.resolve(request)
    except olmsolve.ResolutionFailure as failure:
        return failure


def failed(call: Callable[[], Any]) -> Any:
    """What *call* returns, or the failure that it raises, as text."""
    try:
        return call()
    except olmsolve.ResolutionFailure as failure:
        return str(failure)


@cache
def catalog_text() -> str:
    """A catalog of three packages, one with an old version that other rules refuse."""
    all_blobs = [*blobs("etcd", 4, v1=[NEWER]), *blobs("db", 3, v2=[RULE], v3=[RULE]), *blobs("queue", 3)]
    return "\n".join(map(json.dumps, all_blobs))


def catalog() -> Catalog:
    """The catalog of :func:`catalog_text`."""
    return olmsolve.fbc.from_blobs([json.loads(line) for line in catalog_text().split("\n")])


def objects() -> list[dict[str, Any]]:
    """A cluster with two namespaces and two extensions."""
    return [
        *namespace(),
        *namespace("lab", "db"),
        catalog_source(),
        extension(),
        extension("queue", 0),
        cluster_catalog(),
    ]


def situation() -> olmsolve.Situation:
    """The situation of :func:`objects`."""
    content = catalog()
    return olmsolve.read_situation(*objects(), catalogs={"olm/cat": content, "main": content})
