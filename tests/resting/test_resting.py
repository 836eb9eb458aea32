"""Plans followed to rest: what a cluster comes to, if nobody does anything else."""

from __future__ import annotations

from typing import Any

import pytest

import olmsolve
from olmsolve import Request, Semantics, Unsatisfiable
from olmsolve.answers import Rest, followed
from olmsolve.solver.backends import DEFAULT
from tests.recorded import VENDORED, records, request_of
from tests.scale import sampled, scaled
from tests.scenarios.notation import request_document


def rest_of(scenario: dict[str, Any], most: int = 50) -> Rest:
    request = olmsolve.read_request(request_document(scenario))
    plan = olmsolve.resolve(request)
    return followed(request, plan, semantics=Semantics.DOCUMENTED, backend=DEFAULT, most=most)


def chain(length: int) -> dict[str, Any]:
    """An operator at the beginning of a chain of updates."""
    entries = " > ".join(f"app.v{number}.0.0" for number in range(length, 0, -1))
    return {
        "catalogs": {"olm/main": {"packages": {"app": {"channels": {"stable": entries}}}}},
        "installed": [{"name": "app.v1.0.0", "owner": "app"}],
        "subscriptions": [{"package": "app", "channel": "stable"}],
    }


def test_updates_come_one_after_the_other() -> None:
    """A chain is walked to its head, one plan for each update, and the last plan has nothing to do."""
    rest = rest_of(chain(4))
    assert [[install.name for install in plan.installs] for plan in rest.plans] == [
        ["app.v2.0.0"],
        ["app.v3.0.0"],
        ["app.v4.0.0"],
        [],
    ]
    assert rest.is_sound
    assert [operator.name for operator in rest.request.installed] == ["app.v4.0.0"]


def test_long_chains_are_cut() -> None:
    """A question may not take a thousand plans; that there would be more is said."""
    rest = rest_of(chain(20), most=5)
    assert (len(rest.plans), rest.is_cut) == (6, True)


def test_what_a_requirement_brought_in_is_updated_too() -> None:
    """OLM subscribes to dependencies in the channel that they came from."""
    packages = {
        "app": {"channels": {"stable": "app.v1.0.0"}, "bundles": {"app.v1.0.0": [{"needs-package": "db <2.0.0"}]}},
        "db": {"channels": {"stable": "db.v1.0.0"}},
    }
    rest = rest_of({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [{"package": "app"}]})
    assert [wish.name for wish in rest.request.subscriptions] == ["app", "db-stable-main-olm"]
    assert {operator.name: operator.subscription for operator in rest.request.installed} == {
        "app.v1.0.0": "app",
        "db.v1.0.0": "db-stable-main-olm",
    }


def test_a_way_can_lead_to_a_lower_version() -> None:
    """A skipRange that contains higher versions leads back, which nobody wants."""
    stable = [{"name": "app.v1.0.0", "skipRange": "<3.0.0"}]
    rest = rest_of(
        {
            "catalogs": {"olm/main": {"packages": {"app": {"channels": {"stable": stable, "old": "app.v2.0.0"}}}}},
            "installed": [{"name": "app.v2.0.0", "owner": "app"}],
            "subscriptions": [{"package": "app", "channel": "stable"}],
        },
        most=3,
    )
    assert next((before.name, after.name) for before, after in rest.downgrades) == ("app.v2.0.0", "app.v1.0.0")
    assert not rest.is_sound


@pytest.mark.parametrize("semantics", list(Semantics))
def test_rest_is_rest(semantics: Semantics) -> None:
    """On recorded requests: a row that ends without a failure ends in a request whose plan installs nothing.

    The long run takes one request in eight, the short run one in 24.
    """
    ended = 0
    for record in sampled(records(VENDORED / "classic_random.jsonl.gz")[::8], 3):
        request = request_of(record)
        try:
            plan = olmsolve.resolve(request, semantics=semantics)
        except (Unsatisfiable, olmsolve.CatalogError):
            continue
        rest = followed(request, plan, semantics=semantics, backend=DEFAULT, most=20)
        assert isinstance(rest.request, Request)
        if rest.failure is None and not rest.is_cut:
            assert olmsolve.resolve(rest.request, semantics=semantics).installs == (), record["name"]
            ended += 1
    assert ended > scaled(50, 3)
