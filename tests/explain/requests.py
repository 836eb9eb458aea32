"""Requests that fail, which the tests of explanations share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve import Request, Unsatisfiable
from olmsolve.catalog import UnreadableSource
from tests.scenarios.notation import request_document

EXAMPLE = "olmsolve/examples/unsatisfiable.yaml"


def request_from(scenario: dict[str, Any]) -> Request:
    request = olmsolve.read_request(request_document(scenario))
    assert isinstance(request, Request)
    return request


def failure_of(request: Request) -> Unsatisfiable:
    with pytest.raises(Unsatisfiable) as failed:
        olmsolve.resolve(request)
    return failed.value


def example() -> Request:
    request = olmsolve.read_request(Path(__file__).parents[2] / EXAMPLE)
    assert isinstance(request, Request)
    return request


def chain(length: int) -> Request:
    """A chain of packages, each of which requires the next; the last requires one that does not exist."""
    names = [f"p{number:04}" for number in range(length)]
    packages = {
        name: {
            "channels": {"stable": f"{name}.v1.0.0"},
            "bundles": {f"{name}.v1.0.0": [{"needs-package": f"{following} >=1.0.0"}]},
        }
        for name, following in zip(names, [*names[1:], "gone"], strict=True)
    }
    return request_from({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [{"package": names[0]}]})


def wide(count: int) -> Request:
    """One package, each version of which requires another package that does not exist."""
    versions = [f"app.v1.{number}.0" for number in range(count)]
    package = {
        "channels": {"stable": " > ".join(reversed(versions))},
        "bundles": {name: [{"needs-label": f"label{number}"}] for number, name in enumerate(versions)},
    }
    return request_from(
        {"catalogs": {"olm/main": {"packages": {"app": package}}}, "subscriptions": [{"package": "app"}]}
    )


def unreadable(policy: str) -> Request:
    """A request over a catalog that can be read and one that cannot."""
    app = {"channels": {"stable": "app.v1.0.0"}, "bundles": {"app.v1.0.0": [{"needs-label": "fast"}]}}
    request = request_from(
        {
            "catalogs": {"olm/main": {"packages": {"app": app, "web": {"channels": {"stable": "web.v1.0.0"}}}}},
            "subscriptions": [{"package": "web"}] if policy == "strict" else [{"package": "app"}],
        }
    )
    broken = UnreadableSource("broken", "olm", 0, "connection refused")
    return attrs.evolve(request, unreadable=[broken], health_policy=policy)
