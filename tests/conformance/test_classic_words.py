"""OLM's own words for an unsatisfiable namespace, as it writes them into the condition ``ResolutionFailed``."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from olmsolve import Request, Unsatisfiable, resolve
from olmsolve.lifecycle.planning import unsatisfiable_words
from olmsolve.predicates import Predicate, parse_constraint
from tests.recorded import Record

_BEGINNING = "constraints not satisfiable: "

RED = {"cel": {"rule": 'properties.exists(p, p.type == "color" && p.value == "red")'}}
RED_WORDS = r'with constraint: "properties.exists(p, p.type == \"color\" && p.value == \"red\")" and message: ""'
P0 = {"package": {"packageName": "p0", "versionRange": ">= 0.3.0 !0.3.0"}}
P0_WORDS = "with package: p0 and with version in range: >= 0.3.0 !0.3.0"
K0 = {"gvk": {"group": "g0.example.com", "version": "v1", "kind": "K0"}}
K0_WORDS = "providing an API with group: g0.example.com, version: v1, kind: K0"


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (P0, P0_WORDS),
        (K0, K0_WORDS),
        (RED, RED_WORDS),
        ({"all": {"constraints": [K0, P0]}}, f"{K0_WORDS} and {P0_WORDS}"),
        ({"any": {"constraints": [K0, P0]}}, f"{K0_WORDS} or {P0_WORDS}"),
        # As recorded: OLM's words hide the first "not".
        ({"all": {"constraints": [K0, {"not": {"constraints": [P0]}}]}}, f"{K0_WORDS} and {P0_WORDS}"),
        (
            {"all": {"constraints": [K0, {"not": {"constraints": [P0, RED]}}]}},
            f"{K0_WORDS} and {P0_WORDS} and not {RED_WORDS}",
        ),
    ],
)
def test_the_words_of_requirements(constraint: dict[str, object], words: str) -> None:
    """The recorded sentences of the controller, one for each kind of constraint."""
    predicate: Predicate = parse_constraint(constraint)
    assert predicate.as_olm_says == f"an operator {words}"


def test_recorded_messages(random_part: Sequence[tuple[Record, Request]]) -> None:
    """Our message says what one of the recorded ones says, wherever OLM blamed the same constraints.

    It may blame others, where there are several minimal sets, and it names all bundles of its candidates for a package
    or an API where the core needs some: both are a quarter of the failures.
    """
    equal, failures = 0, 0
    for record, request in random_part:
        recorded = [outcome["constraints"] for outcome in record["outcomes"] if outcome.get("unsatisfiable")]
        if not recorded:
            continue
        failures += 1
        with pytest.raises(Unsatisfiable) as failed:
            resolve(request, semantics="controller")
        message = unsatisfiable_words(failed.value, request.namespaces[0])
        equal += message in {f"{_BEGINNING}{', '.join(sorted(constraints))}" for constraints in recorded}
    assert failures >= 20
    assert equal >= 0.65 * failures
