"""Messages of the kit for tests of others that no other test produces: laws that are broken on purpose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

import olmsolve
from olmsolve import Candidate, Semantics, evolve
from olmsolve.answers.explain import DropSubscription
from olmsolve.catalog import Bundle, Catalog, Channel, Package, UnreadableSource
from olmsolve.classic import Bundles, Never, Request
from olmsolve.errors import CatalogError, RequestError
from olmsolve.predicates import Property
from olmsolve.solver import AtMost
from olmsolve.solver.backends import Backend
from olmsolve.testing import (
    assert_unsatisfiable,
    backends,
    broken_constraints,
    catalog_of,
    check_core,
    check_fixes,
    outline,
    package,
    pytest_plugin,
    request_for,
)
from olmsolve.testing.fuzzing import findings, reports, shrinking, working
from olmsolve.testing.laws import agreement, changes, clauses_of, outcomes
from olmsolve.testing.synthetic import DenseProblem
from tests.messages.test_rare_cases import stub

CATALOG: Final = catalog_of(
    package("shop").channel("stable", "1.0.0 < 2.0.0").requires("broker", ">=3.0.0", at="2.0.0"),
    package("broker").channel("stable", "3.0.0 < 3.1.0"),
    package("rival").channel("stable", "1.0.0").requires("broker", "<3.0.0"),
)
SERVED: Final = request_for(CATALOG, "shop")
FAILING: Final = request_for(CATALOG, "shop@stable=shop.v2.0.0", "rival")


def message(kind: type[Exception], call: Callable[[], object]) -> str:
    """Return the text of the error of this *kind* that *call* raises."""
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def bundle(name: str) -> Candidate:
    """Return a bundle of the catalog as a candidate."""
    return Candidate(name, name.partition(".")[0], "stable", "olm/c", "")


def broken(request: Request, *names: str) -> list[str]:
    """Return the constraints of *request* that selecting these bundles breaks."""
    return broken_constraints(
        request, [Candidate(name, name.partition(".")[0], "stable", SOURCE, "") for name in names]
    )


SOURCE: Final = SERVED.sources[0].key


def test_constraints_that_a_selection_breaks() -> None:
    """Each fault is a sentence: who is deprecated, forbidden, beside what a rule does not want, or missing."""
    old = catalog_of(package("shop").channel("stable", "1.0.0").having("olm.deprecated", {}))
    assert "it is deprecated" in broken(request_for(old, "shop"), "shop.v1.0.0")[0]
    rule = Never(Bundles(package="shop"), name="no shops")
    ruled = evolve(SERVED, house_rules=(rule,))
    assert broken(ruled, "shop.v1.0.0")[0].endswith("can never be selected: house rule 'no shops' forbids it")
    apart = evolve(
        SERVED, house_rules=(Never(Bundles(package="shop"), beside=Bundles(package="broker"), name="apart"),)
    )
    assert any(
        sentence.endswith("is selected together with a bundle that a house rule keeps apart from it")
        for sentence in broken(apart, "shop.v1.0.0", "broker.v3.1.0")
    )


def test_cores_that_are_not_minimal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The law lists what is not needed, and translates no constraint that no core has."""
    monkeypatch.setattr("olmsolve.testing.laws.answers.core_faults", lambda _: ["not needed: x"])
    assert message(AssertionError, lambda: check_core(FAILING)).startswith("the core is not minimal")
    assert message(TypeError, lambda: clauses_of([AtMost(2, ("a", "b", "c"))])).startswith("no core has an AtMost: ")


def test_fixes_that_are_wrong() -> None:
    """Each fault of a fix has its words."""
    explained = olmsolve.explanation(assert_unsatisfiable(FAILING))
    assert explained.fixes is not None
    first = explained.fixes[0]
    drops = (DropSubscription("shop"), DropSubscription("rival"))
    both = evolve(
        first, changes=(*first.changes, *(subscription for subscription in drops if subscription not in first.changes))
    )
    text = message(AssertionError, lambda: check_fixes(FAILING, explained=evolve(explained, fixes=(both, first))))
    assert "the fixes do not begin with the smallest" in text
    assert "works without " in text


def test_fixes_that_give_up_or_do_not_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelt name is corrected and not deleted; and a plan that leads nowhere is no way out."""
    misspelt = request_for(CATALOG, "shopp")
    explained = olmsolve.explanation(assert_unsatisfiable(misspelt))
    fix = evolve(explained.ways_out[0] if explained.ways_out else FIX, changes=(DropSubscription("shopp"),))
    text = message(AssertionError, lambda: check_fixes(misspelt, explained=evolve(explained, fixes=(fix,))))
    assert "corrects no name: " in text
    monkeypatch.setattr("olmsolve.testing.laws.answers._lasts", lambda *_: False)
    assert "its plan leads to a request without a plan: " in message(AssertionError, lambda: check_fixes(FAILING))


FIX: Final = (olmsolve.explanation(assert_unsatisfiable(FAILING)).ways_out or ())[0]


def test_readers_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each fault of one of two readers has its words."""
    catalog = catalog_of(package("shop").channel("stable", "1.0.0", skip_range="<1.0.0").requires("till", "1.0.0"))
    request = request_for(catalog, "shop")
    for name, returned, words in (
        ("_facts", object, "shop.v1.0.0 states different facts"),
        ("_tests", lambda _: None, "the requirements of shop.v1.0.0 parse for only one reader"),
        ("skip_range", lambda _: None, "the range <1.0.0 parses for only one reader"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(agreement, name, (lambda _: object()) if name == "_facts" else returned)
            assert words in message(AssertionError, lambda: agreement.check_reading(request))


def test_outcomes_in_words() -> None:
    """Two outcomes that differ are told by what they are."""
    fault = CatalogError("no head")
    assert outcomes.outcome_text(fault).startswith("a broken catalog")
    assert outcomes.bundles_text(None) == "no plan"
    assert changes._positions(SERVED, fault) == "a broken catalog"
    assert changes._bundles_text(fault) == "no plan"


def test_requests_in_outline() -> None:
    """An outline has everything that matters to an answer, also what is broken."""
    odd = (
        Property("olm.package", {"packageName": "other", "version": "1.0.0"}),
        Property("olm.package.required", {"packageName": 5}),
    )
    shop = Package(
        "shop", "stable", {"stable": Channel("shop", "stable", ())}, {"shop.v1": Bundle("shop", "shop.v1", odd)}
    )
    lost = UnreadableSource("lost", "olm", 0, CatalogError("no route to host"))
    text = outline(evolve(request_for(Catalog({"shop": shop}), "shop"), unreadable=(lost,)))
    for words in (
        "catalog olm/lost cannot be read: no route to host",
        "stable: no entry",
        "shop.v1 has a broken requirement: ",
        "shop.v1 is also of package other 1.0.0",
    ):
        assert words in text
    many = catalog_of(*(package(f"p{number}").channel("stable", "1.0.0") for number in range(60)))
    text = message(AssertionError, lambda: assert_unsatisfiable(request_for(many, "p1")))
    assert "more lines" in text


def test_builders_that_are_misused() -> None:
    """A builder names what was forgotten, with an example."""
    assert message(RequestError, package("shop").blobs) == (
        "package shop: has no channel (add one, such as .channel('stable', '1.0.0'))"
    )
    shop = package("shop").channel("stable", "1.0.0")
    assert (
        message(RequestError, lambda: shop.provides("Shop").blobs()) == "api: is written group/version/Kind, not 'Shop'"
    )


SOLVER: Any = object


def test_backends_that_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof is checked step by step, and answers are compared with two others."""
    monkeypatch.setattr(backends, "_models", lambda _: [])
    monkeypatch.setattr(backends, "_drawn", lambda *_, **__: [(1, 2)])
    wild: Any = Backend("wild", SOLVER, prove=lambda _: [[99]])
    assert message(backends.NonconformanceError, lambda: backends._proofs(wild, 1)).startswith(
        "its step [99] does not follow for "
    )
    short: Any = Backend("short", SOLVER, prove=lambda _: [])
    assert message(backends.NonconformanceError, lambda: backends._proofs(short, 1)).startswith(
        "its proof ends without a contradiction for "
    )
    monkeypatch.setattr(backends, "_answer", lambda *_: ["x"])
    monkeypatch.setattr(backends, "_default_answer", lambda *_: ["y"])
    wrong = message(backends.NonconformanceError, lambda: backends._requests(wild, 1))
    assert wrong == "random request 0, documented: ['x'], and not ['y']"
    monkeypatch.setattr(backends, "_default_answer", lambda *_: ["x"])
    monkeypatch.setattr(backends, "_reference_answer", lambda *_: ["z"])
    wrong = message(backends.NonconformanceError, lambda: backends._requests(wild, 1))
    assert wrong == "random request 0, documented: installs ['x'], and not ['z']"


def test_fuzzing_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Findings say what differs, how to see it again, and how many showed the same."""
    two = findings.TwoMeanings(1, SERVED, packages=())
    assert str(two) == "documented and controller semantics differ in whether there is a plan"
    assert reports.command(evolve(two, file="a.yaml"), "controller") == (
        "olmsolve fuzz --semantics controller --replay a.yaml"
    )
    report = findings.FuzzReport(
        catalogs=("olm/c",),
        semantics="documented",
        seed=1,
        cases=3,
        outcomes={"broken catalog": 2},
        checks={},
        findings=(evolve(two, file="a.yaml"),),
        repeated=1,
    )
    text = reports.fuzz_text(report)
    assert text.endswith("1 more case showed the same.")
    assert "olmsolve fuzz --replay a.yaml" in text
    assert "2 broken catalogs" in text
    monkeypatch.setattr(working, "outcome_of", lambda *_: CatalogError("no head"))
    work: Any = working.FuzzWork.__new__(working.FuzzWork)
    work.settings = working.FuzzSettings((), (), 0)
    assert work.outcome(SERVED)[0] == "broken catalog"


def test_synthetic_problems() -> None:
    """A problem says what a selection lacks."""
    assert DenseProblem([[[]]], [0]).faults({}) == ["root 0 is missing"]


def test_a_fixture_without_a_catalog() -> None:
    """Whoever asks for the catalog of the fixture learns how to name one."""
    config: Any = type("Config", (), {"getoption": lambda *_: "", "getini": lambda *_: ""})()
    fixture: Any = pytest_plugin.olmsolve_catalog
    with pytest.raises(pytest.skip.Exception) as caught:
        fixture.__wrapped__(config)
    assert (
        str(caught.value) == "no catalog: give --olmsolve-catalog PATH, or olmsolve_catalog in pytest's configuration"
    )


def test_strategies_without_hypothesis(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has not installed the extra learns its name."""
    from olmsolve.testing import strategies

    def missing(_: str) -> object:
        raise ModuleNotFoundError(name="hypothesis")

    monkeypatch.setattr(strategies, "_imported", missing)
    door: Any = strategies
    assert message(ModuleNotFoundError, lambda: door.nothing) == (
        "olmsolve.testing.nothing needs Hypothesis: pip install 'olmsolve[testing]'"
    )


def test_an_answer_of_a_finding_in_a_line() -> None:
    """Nothing is an answer too."""
    request = request_for(catalog_of(package("a").channel("stable", "1.0.0")))
    assert shrinking._answer(olmsolve.resolve(request)) == "nothing to install"


def test_a_kind_of_finding_that_nothing_shows() -> None:
    """Whoever adds a kind and forgets its document is told which."""
    strange = stub(kind="Strange")
    with pytest.raises(TypeError, match="no title for findings of the kind Strange"):
        reports.title(strange)
    with pytest.raises(TypeError, match="no request shows findings of the kind Strange"):
        reports._Requests(stub(wish=None), (), Semantics.DOCUMENTED)._wishes(strange)
