"""Small catalogs for audits, in the short notation of the scenarios."""

from __future__ import annotations

from typing import Any, Final

from olmsolve import Source, read_request
from tests.scenarios.notation import request_document

__all__ = ["FAULTY", "sources"]

FAULTY: Final[dict[str, Any]] = {
    "blocked": {
        "channels": {"stable": "blocked.v3.0.0 > blocked.v2.0.0 > blocked.v1.0.0"},
        "bundles": {"blocked.v3.0.0": [{"needs-package": "nowhere >=1.0.0"}]},
    },
    "broken": {"channels": {"stable": [{"name": "broken.v1.0.0"}, {"name": "broken.v2.0.0"}]}},
    "fine": {"channels": {"beta": "fine.v1.1.0 > fine.v1.0.0", "stable": "fine.v1.0.0"}},
}
"""A package whose head needs what nothing gives, one whose channel has two heads, and one that is fine."""


def sources(**packages: Any) -> tuple[Source, ...]:
    """Return a catalog ``olm/main`` of *packages* (see tests/scenarios/README.md)."""
    document = request_document({"catalogs": {"olm/main": {"packages": packages}}})
    return read_request(document).sources
