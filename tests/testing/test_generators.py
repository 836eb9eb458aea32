"""Generated requests are worth testing with: readable, repeatable, and rich in both answers."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from olmsolve.classic import Semantics
from olmsolve.errors import CatalogError
from olmsolve.predicates import parse_constraint
from olmsolve.testing import (
    COMPOUND,
    DENSE,
    SMALL,
    WIDE,
    RequestShape,
    random_constraint,
    random_document,
    random_request,
    reference,
)
from tests.scale import scaled


@pytest.mark.parametrize("shape", [SMALL, DENSE, COMPOUND, WIDE], ids=["small", "dense", "compound", "wide"])
def test_seeds_repeat(shape: RequestShape) -> None:
    """A failing seed must show the same request again, as a document that can be kept."""
    for seed in range(20):
        document = random_document(random.Random(seed), shape)
        assert document == random_document(random.Random(seed), shape)
        assert json.loads(json.dumps(document)) == document


@pytest.mark.parametrize("shape", [SMALL, DENSE, COMPOUND], ids=["small", "dense", "compound"])
def test_both_answers_are_common(shape: RequestShape) -> None:
    """A generator that only makes one kind of answer proves little."""
    answers: Counter[str] = Counter()
    for seed in range(scaled(300)):
        try:
            solution = reference.resolve(random_request(random.Random(seed), shape))
        except CatalogError:
            continue
        answers["no solution" if solution is None else "several" if len(solution) > 1 else "one"] += 1
    assert min(answers[key] for key in ("no solution", "one", "several")) >= scaled(30)


def test_meanings_of_compound_constraints_differ_often() -> None:
    """Otherwise tests of one meaning would pass for the other."""
    differing = 0
    for seed in range(scaled(300)):
        request = random_request(random.Random(seed), COMPOUND)
        answers = []
        for semantics in Semantics:
            try:
                answers.append(reference.resolve(request, semantics))
            except CatalogError:
                answers.append(None)
        differing += answers[0] != answers[1]
    assert differing > scaled(10)


def test_all_kinds_of_things_occur() -> None:
    """Every kind of part is generated now and then; a kind that never is would never be tested."""
    text = json.dumps([random_document(random.Random(seed)) for seed in range(300)])
    for word in (
        "skips",
        "skipRange",
        "startingCSV",
        "installedCSV",
        "olm.deprecated",
        "olm.gvk.required",
        "olm.package.required",
        "olm.label.required",
        "elsewhere",
        "unknown",
        *(f'"{kind}": {{' for kind in ("all", "any", "not", "gvk", "package", "cel")),
    ):
        assert word in text, word


def test_constraints_parse() -> None:
    """Random constraints parse at every depth."""
    for seed in range(200):
        generator = random.Random(seed)
        parse_constraint(random_constraint(generator, COMPOUND, levels=1 + seed % 9))
