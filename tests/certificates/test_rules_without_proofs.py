"""Rules that certificates do not state are refused by both sides, in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

import olmsolve
from olmsolve import Bundles, Never, Prefer, RequestError, TotalAtMost
from olmsolve.testing import catalog_of, package, request_for


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (
            TotalAtMost(limit=9, of="size", name="room"),
            "house_rules: house rule 'room' uses numbers, which a certificate cannot hold",
        ),
        (
            Prefer(name="small", smallest="size"),
            "house_rules: house rule 'small' uses numbers, which a certificate cannot hold",
        ),
        (
            Never(Bundles("b", where=lambda candidate: False), name="mine"),
            "house_rules: house rule 'mine' has a function, which a certificate cannot hold",
        ),
    ],
)
def test_rules_that_certificates_do_not_state(rule: Any, message: str) -> None:
    """Neither is a certificate made, nor one of the request without the rule taken for one with it."""
    request = request_for(catalog_of(package("a").channel("stable", "1.0.0").having("size", 5)), "a")
    certificate = olmsolve.certificate(olmsolve.resolve(request))
    ruled = olmsolve.evolve(request, house_rules=[rule])
    plan = olmsolve.resolve(ruled)
    for refused in (lambda: olmsolve.certificate(plan), lambda: olmsolve.verify(certificate, ruled)):
        with pytest.raises(RequestError) as error:
            refused()
        assert str(error.value) == message
