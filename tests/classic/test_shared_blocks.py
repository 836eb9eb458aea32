"""The blocks that the search keeps together when several requests share a cluster: they change its time, no answer."""

from __future__ import annotations

from olmsolve import Semantics
from olmsolve.classic import ClassicProblem
from olmsolve.classic.sharing import SharedProblem
from tests.classic.test_resolved_together import NEWER, _request


def test_a_search_keeps_the_packages_of_each_namespace_together() -> None:
    """Blocks are the packages of one namespace, or the definitions of one kind."""
    requests = [_request(name, NEWER, "e") for name in ("one", "two")]
    shared = SharedProblem(
        [ClassicProblem.of_request(request, Semantics.DOCUMENTED) for request in requests], by_bundle=False
    )
    blocks = [[shared.block((position, number)) for number in (0, 1)] for position in (0, 1)]
    assert [len(set(block)) for block in blocks] == [1, 1]
    assert blocks[0][0] != blocks[1][0]
    kinds = [("example.com", "E"), ("example.com", "F"), ("example.org", "E")]
    others = {shared.block((2, (*kind, ("v1",)))) for kind in kinds}
    assert len(others) == 3
    assert not others & {blocks[0][0], blocks[1][0]}
    assert shared.block((2, ("example.com", "E", ("v1", "v2")))) in others
