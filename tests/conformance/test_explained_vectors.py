"""Explanations of all recorded unsatisfiable requests: true, not too long, stable, and with ways out that are some."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence

import attrs
import pytest

from olmsolve import Request, Semantics
from olmsolve.answers.explain import Explanation, NodeKind, root_key
from olmsolve.answers.explain.conflicts import conflicting, without
from olmsolve.catalog import Catalog
from olmsolve.classic import ClassicProblem
from olmsolve.render import explanation_markdown, explanation_mermaid, explanation_text
from olmsolve.render.explanation_outline import outline
from olmsolve.solver import Solution, solve
from olmsolve.testing import check_fixes
from olmsolve.testing.laws import core_faults
from tests.explained import check, check_text, explained
from tests.recorded import VENDORED, Record, records, request_of, shared
from tests.scale import LONG, sampled


def _unsatisfiable(record: Record) -> bool:
    return any(outcome.get("unsatisfiable") for outcome in record["outcomes"])


@functools.cache
def random_records() -> Sequence[Record]:
    unsatisfiable = list(filter(_unsatisfiable, records(VENDORED / "classic_random.jsonl.gz")))
    assert len(unsatisfiable) == 802
    return unsatisfiable


def requests(sample: Iterable[Record]) -> Iterator[tuple[str, Request]]:
    """Make a request of each record when its turn comes: that takes as long as solving it."""
    return ((record["name"], request_of(record)) for record in sample)


@functools.cache
def some_requests() -> Sequence[tuple[str, Request]]:
    """One in nine of them, made once for both semantics; all of them in the long run."""
    return list(requests(sampled(random_records(), 9)))


def real_records() -> Iterator[Record]:
    for path in ("classic/real.jsonl.gz", "upstream/classic.jsonl.gz"):
        yield from filter(_unsatisfiable, records(shared() / "conformance" / path))


def test_random_requests(random_part: Sequence[tuple[Record, Request]]) -> None:
    """A tree that is not a reason, or that is longer than one, misleads; a way out that is none is worse."""
    for number, (record, request) in enumerate(pair for pair in random_part if _unsatisfiable(pair[0])):
        name = record["name"]
        # Fixes are resolved twice here, so a part of them has to do; `python -m benchmarks explain` counts them all.
        fixed = LONG or number % 32 == 0
        explanation = explained(request, fixes=5 if fixed else 0)
        assert explanation is not None
        check(name, explanation)
        _names_only_what_it_explains(name, request, explanation)
        if fixed:
            check_fixes(request, Semantics.CONTROLLER, explained=explanation)


def test_real_requests() -> None:
    """The same on the community's own catalogs and on the scenarios of the controller's unit tests."""
    count = 0
    for name, request in requests(real_records()):
        explanation = explained(request)
        assert explanation is not None
        check(name, explanation)
        check_fixes(request, Semantics.CONTROLLER, explained=explanation)
        count += 1
    assert count == 35


def test_documented_semantics() -> None:
    """Compound constraints become formulas there, whose trees are told in part; references must hold all the same.

    The short run explains one request in eighteen.
    """
    for _, request in requests(sampled(random_records(), 18)):
        explanation = explained(request, Semantics.DOCUMENTED, fixes=0)
        if explanation is not None:
            check_text("", explanation)
            assert explanation_mermaid(explanation).count("subgraph") == len(explanation.conflicts)


@pytest.mark.parametrize("semantics", list(Semantics))
def test_conflicts_are_independent_cores(semantics: Semantics) -> None:
    """Under both semantics: each conflict alone is minimal, none shares a root, and nothing is left beside them.

    The short run takes one request in nine.
    """
    for name, request in some_requests():
        problem = ClassicProblem.of_request(request, semantics)
        cores = conflicting(problem, (), backend="minisat22")
        names = [root_key(problem, constraint) for core in cores for constraint in core.constraints]
        roots = [root for root in names if root is not None]
        assert len(roots) == len(set(roots)), name
        assert isinstance(solve(without(problem, roots)), Solution), name
        for core in cores:
            assert core_faults(core.constraints) == [], name
        if cores:
            # The core that the failure brings along saves a search and changes nothing.
            repeated = conflicting(problem, cores[0].constraints, backend="cadical153")
            # Branches of formulas are told apart by identity, so the values are compared by what they say.
            assert repr(repeated) == repr(cores), name


def _names_only_what_it_explains(name: str, request: Request, explanation: Explanation) -> None:
    """Assert that the text explains every bundle that it names; other names send the reader searching."""
    for conflict in explanation.conflicts:
        known_names = {candidate.name for node in conflict.nodes for candidate in node.candidates}
        known_names.update(operator.name for operator in request.installed)
        known_names.update(wish.starting_csv for wish in request.subscriptions)
        known_names.update(noted for node in conflict.nodes for note in node.notes for noted in note.names)
        unknown = [node.statement for node in conflict.nodes if node.kind is NodeKind.UNKNOWN]
        shown = "\n".join(line.text for line in outline(conflict) if line.text not in unknown)
        for bundle in re.findall(r"\bp\d+\.v[0-9][\w.+-]*", shown):
            assert bundle in known_names, (name, bundle)


@pytest.mark.parametrize(("backend", "first"), [("cadical153", 0), ("glucose4", 40), ("python", 80)])
def test_backends_tell_the_same(backend: str, first: int) -> None:
    """Which solver answers must not be seen. The short run takes one request in 160, for each solver others."""
    for name, request in requests(sampled(random_records(), 160, first)):
        one, other = explained(request), explained(request, backend=backend)
        assert one is not None
        assert other is not None
        assert one.to_dict() == other.to_dict(), name
        assert (explanation_text(one), explanation_markdown(one)) == (
            explanation_text(other),
            explanation_markdown(other),
        ), name


def test_the_order_of_input_changes_nothing() -> None:
    """Catalogs and installed operators come from a cluster in any order; only subscriptions have one.

    The short run turns one request in eighty.
    """
    for name, request in requests(sampled(random_records(), 80)):
        turned = attrs.evolve(
            request,
            sources=[attrs.evolve(s, catalog=_turned(s.catalog)) for s in reversed(request.sources)],
            installed=request.installed[::-1],
        )
        one, other = explained(request), explained(turned)
        assert one is not None
        assert other is not None
        assert explanation_text(one) == explanation_text(other), name


def _turned(catalog: Catalog) -> Catalog:
    packages = {
        package.name: attrs.evolve(
            package,
            channels=dict(list(package.channels.items())[::-1]),
            bundles=dict(list(package.bundles.items())[::-1]),
        )
        for package in list(catalog.packages.values())[::-1]
    }
    return attrs.evolve(catalog, packages=packages)
