"""Hypothesis strategies for small catalogs and requests; they need the ``testing`` extra.

They draw from :mod:`olmsolve.testing.random_requests`, so property tests and seeded generators reach the same requests.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from olmsolve.catalog import Catalog
from olmsolve.classic import Request
from olmsolve.predicates import Predicate, parse_constraint
from olmsolve.testing.random_requests import DENSE, RequestShape, classic_request, random_constraint, random_document


def _generators() -> st.SearchStrategy[Any]:
    return st.randoms(use_true_random=False, note_method_calls=False)


def request_documents(shape: RequestShape = DENSE) -> st.SearchStrategy[dict[str, Any]]:
    """Draw request documents with their catalogs in them."""
    return _generators().map(lambda generator: random_document(generator, shape))


def requests(shape: RequestShape = DENSE) -> st.SearchStrategy[Request]:
    """Draw requests, with and without a solution in about equal shares."""
    return request_documents(shape).map(classic_request)


def catalogs(shape: RequestShape = DENSE) -> st.SearchStrategy[Catalog]:
    """Draw catalogs of a few packages."""
    return requests(shape).map(lambda request: request.sources[0].catalog)


def constraints(shape: RequestShape = DENSE, *, levels: int = 3) -> st.SearchStrategy[dict[str, Any]]:
    """Draw values of ``olm.constraint`` properties with at most *levels* levels."""
    return _generators().map(lambda generator: random_constraint(generator, shape, levels=levels))


def predicates(shape: RequestShape = DENSE, *, levels: int = 3) -> st.SearchStrategy[Predicate]:
    """Draw the predicates that :func:`constraints` state."""
    return constraints(shape, levels=levels).map(parse_constraint)
