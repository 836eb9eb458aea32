"""What type checkers refuse: each line is an error that an editor shows before anything runs.

Strict mypy fails on an ``ignore`` that nothing needs, so a type that gets vaguer fails this file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import olmsolve
from olmsolve import v1

if TYPE_CHECKING:
    request: olmsolve.Request = Any  # type: ignore[assignment]
    extension: v1.ExtensionRequest = Any  # type: ignore[assignment]
    source: olmsolve.Source = Any  # type: ignore[assignment]

    olmsolve.resolv(request)  # type: ignore[attr-defined]
    print(olmsolve.resolve(extension).installs)  # type: ignore[attr-defined]
    print(olmsolve.resolve(request).bundle)  # type: ignore[attr-defined]
    olmsolve.resolve("request.yaml")  # type: ignore[call-overload]
    olmsolve.resolve(request, 5)  # type: ignore[call-overload]
    olmsolve.resolve(request, semantics="upstream")  # type: ignore[call-overload]
    olmsolve.resolve(request, backend=5)  # type: ignore[call-overload]
    olmsolve.resolve(request, backend=dict)  # type: ignore[arg-type]
    olmsolve.resolve(request, cancel=lambda: False)  # type: ignore[call-overload]
    olmsolve.resolve(request, observer=print)  # type: ignore[call-overload]
    olmsolve.why(olmsolve.resolve(request))  # type: ignore[call-overload]
    olmsolve.Resolver([source]).resolve([])  # type: ignore[call-arg]
    olmsolve.Source("main", "olm", catalog=olmsolve.Catalog({}))  # type: ignore[call-arg]
    olmsolve.Source("main", "olm", "5", olmsolve.Catalog({}))  # type: ignore[arg-type]
    olmsolve.Request(["shop"], [olmsolve.Catalog({})], [])  # type: ignore[list-item]
    olmsolve.Request(["shop"], [source], [{"name": "blue"}])  # type: ignore[list-item]
    olmsolve.Request(["shop"], [source], [], eligibility=[lambda candidate: True])  # type: ignore[list-item]
    olmsolve.Request(["shop"], [source], [], house_rules=[{"name": "x", "never": "blue"}])  # type: ignore[list-item]
    olmsolve.Never("blue")  # type: ignore[call-arg]
    olmsolve.Prefer(["blue"], name="x")  # type: ignore[arg-type]
    olmsolve.Bundles("blue", ">=1.0.0")  # type: ignore[call-arg]
    source.priority = 5  # type: ignore[misc]
    olmsolve.load(None)  # type: ignore[arg-type]


def test_the_lines_above_are_for_type_checkers() -> None:
    """They are never run; mypy and pyright read them (tests/typing/test_checkers.py)."""
    assert not TYPE_CHECKING
