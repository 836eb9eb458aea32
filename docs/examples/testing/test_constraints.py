"""Whatever our operators are wished for together, their constraints mean the same to OLM and to its documentation."""

from hypothesis import given

from olmsolve import Request, compare_semantics, load
from olmsolve.testing import requests

CATALOG = load("catalogs")


@given(requests(catalog=CATALOG))
def test_constraints_have_one_meaning(request: Request) -> None:
    """The shipped controller reads compound constraints otherwise than the documentation."""
    assert not compare_semantics(request)
