"""System constraints against an older rule: a refused bundle is treated as one that declares itself deprecated.

``olm.deprecated`` keeps a bundle from being selected and changes nothing else; it is a property of the catalog and
takes another way through index and problem. The requests are random, with fixed seeds.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from olmsolve import CatalogError, Request, Semantics, Unsatisfiable, resolve
from olmsolve.classic import Deprecated, NotEligible, Reason
from olmsolve.eligibility import CandidateFacts
from olmsolve.testing import COMPOUND, DENSE, WIDE, classic_request, random_document
from tests.scale import scaled

PER_SHAPE = scaled(250, 6)
SHAPES = {"dense": DENSE, "compound": COMPOUND, "wide": WIDE}


def refused(seed: str, catalog: str, name: str) -> bool:
    """Return True for the third of the bundles that is refused: a function of name and catalog."""
    return random.Random(f"{seed} {catalog} {name}").random() < 0.3


def deprecating(document: dict[str, Any], seed: str) -> dict[str, Any]:
    """Return *document* with the refused bundles of its catalogs deprecated; installed operators stay as they are."""
    # Through text, since installed operators share their properties with the bundles that they came from.
    changed: dict[str, Any] = json.loads(json.dumps(document))
    for catalog in changed["catalogs"]:
        key = f"{catalog['namespace']}/{catalog['name']}"
        for blob in catalog["blobs"]:
            if blob["schema"] == "olm.bundle" and refused(seed, key, blob["name"]):
                blob["properties"].append({"type": "olm.deprecated", "value": {}})
    return changed


def words(reason: Reason) -> str:
    """Return a reason as text; a refusal and a deprecation, which must agree, are named after the bundle alone."""
    return f"no {reason.candidate}" if isinstance(reason, Deprecated | NotEligible) else str(reason)


def outcome(request: Request, semantics: Semantics) -> list[str]:
    """Return the installs in their order, or the core."""
    try:
        return [str(install.candidate) for install in resolve(request, semantics=semantics).installs]
    except Unsatisfiable as failure:
        return ["cannot hold together", *map(words, failure.core)]
    except CatalogError as error:
        return ["broken", str(error)]


@pytest.mark.parametrize("name", SHAPES)
def test_a_refused_bundle_is_treated_as_a_deprecated_one(name: str) -> None:
    """Plans, cores and the order in both, under both semantics."""
    plans = refusals = 0
    for number in range(PER_SHAPE):
        seed = f"{name} {number}"
        document = random_document(random.Random(seed), SHAPES[name])
        plain = classic_request(document)

        def constraint(candidate: CandidateFacts, seed: str = seed) -> str:
            return "refused" if refused(seed, candidate.catalog, candidate.name) else ""

        refusing = Request(
            namespaces=plain.namespaces,
            sources=plain.sources,
            subscriptions=plain.subscriptions,
            installed=plain.installed,
            eligibility=[constraint],
        )
        expected_of = classic_request(deprecating(document, seed))
        for semantics in Semantics:
            lines = outcome(refusing, semantics)
            assert lines == outcome(expected_of, semantics), seed
            plans += lines[:1] != ["cannot hold together"]
            refusals += any(line.startswith("no ") for line in lines)
    assert plans > PER_SHAPE // 5
    assert refusals > PER_SHAPE // 5
