"""DIMACS, WCNF and OPB hold the same clauses, and weights in the order of the subscriptions."""

from __future__ import annotations

import random

import olmsolve
from olmsolve import CatalogError
from olmsolve.testing import WIDE, random_request, synthetic
from tests.classic.clause_texts import clauses_of, read_opb, read_wcnf
from tests.scale import scaled


def test_all_formats_are_about_the_same_clauses() -> None:
    """OPB and WCNF add weights and the variables of places; the clauses stay the same."""
    for seed in range(scaled(300, 18)):
        request = random_request(random.Random(f"formats {seed}"), WIDE)
        try:
            compiled = olmsolve.compile(request)
        except CatalogError:
            continue
        clauses = [list(clause.literals) for clause in compiled.clauses()]
        assert clauses_of(compiled.to_dimacs()) == clauses_of(compiled.to_dimacs(comments=False)) == clauses
        variables, hard, costs = read_wcnf(compiled.to_wcnf())
        assert hard[: len(clauses)] == clauses
        assert read_wcnf(compiled.to_wcnf(comments=False)) == (variables, hard, costs)
        # OPB has no problems without variables.
        expected = (max(variables, 1), hard, costs)
        assert read_opb(compiled.to_opb()) == read_opb(compiled.to_opb(comments=False)) == expected
        assert len(costs) == compiled.counts.places == variables - compiled.counts.variables


def test_weights_stop_where_63_bits_are_full() -> None:
    """Optimisers calculate with 64 bits; who needs more than the first subscriptions is told that there is not more."""
    compiled = olmsolve.compile(synthetic.request(synthetic.DenseShape(60, 20, 1, 20)))
    weighted, choosing = compiled.preferences
    assert (weighted, choosing) == (14, 20)
    lines = compiled.to_wcnf()
    assert [next(lines) for _ in range(2)] == [
        "c olmsolve: the candidates that the request reaches, documented semantics\n",
        (
            "c weights: the order of the first 14 of 20 subscriptions with a choice; "
            "the weights of the others would not fit into 63 bits\n"
        ),
    ]
    highest = next(line for line in lines if line.startswith("p")).split()[-1]
    assert 20**14 == int(highest) < 2**63


def test_names_from_strangers_cannot_end_a_comment() -> None:
    """A bundle's name with a line end would otherwise write clauses of its own."""
    blobs = [
        {"schema": "olm.package", "name": "etcd", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "etcd", "name": "stable", "entries": [{"name": "etcd\n-1 0"}]},
        {
            "schema": "olm.bundle",
            "name": "etcd\n-1 0",
            "package": "etcd",
            "image": "x",
            "properties": [{"type": "olm.package", "value": {"packageName": "etcd", "version": "1.0.0"}}],
        },
    ]
    request = olmsolve.read_request(
        {
            "namespaces": ["ns"],
            "catalogs": [{"name": "cat", "namespace": "ns", "blobs": blobs}],
            "subscriptions": [{"name": "etcd", "package": "etcd"}],
        }
    )
    compiled = olmsolve.compile(request)
    assert clauses_of(compiled.to_dimacs()) == [[1]]
    assert "c 1 etcd\\n-1 0 (stable, ns/cat)\n" in list(compiled.to_dimacs())


def test_text_is_made_line_by_line() -> None:
    """The first lines of a large problem are there before the last ones are made, and a second text is the same."""
    compiled = olmsolve.compile(synthetic.request("S"))
    lines = compiled.to_dimacs()
    assert iter(lines) is lines
    assert list(lines) == list(compiled.to_dimacs())
