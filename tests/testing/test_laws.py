"""Laws hold for random requests, and each of them finds the fault that it is there for."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from olmsolve import (
    Installed,
    Request,
    Resolution,
    Semantics,
    Source,
    Subscription,
    Unsatisfiable,
    classic,
    evolve,
    explanation,
    resolve,
)
from olmsolve.answers.verification import Flaw, Objection, Verdict
from olmsolve.catalog import fbc
from olmsolve.solver import AtMost, Constraint, Dependency, Mandatory, Prohibited
from olmsolve.testing import (
    LAWS,
    assert_unsatisfiable,
    broken_constraints,
    catalog_of,
    check_backends,
    check_certificate,
    check_constraints,
    check_core,
    check_fixes,
    check_laws,
    check_order,
    check_preferred,
    package,
    request_for,
    requests,
)
from olmsolve.testing.laws import agreement, can_hold, clauses_of, core_faults
from tests.scale import scaled

CATALOG = catalog_of(
    package("shop").channel("stable", "1.0.0 < 2.0.0").requires("broker", ">=3.0.0", at="2.0.0"),
    package("broker").channel("stable", "3.0.0 < 3.1.0"),
    package("rival").channel("stable", "1.0.0").requires("broker", "<3.0.0"),
)
SERVED = request_for(CATALOG, "shop")
# The laws of agreement and of changes are tested in ``test_changed_answers``.
ANSWERS = LAWS[: LAWS.index(check_backends)]
FAILING = request_for(CATALOG, "shop@stable=shop.v2.0.0", "rival")


@pytest.mark.parametrize("semantics", Semantics)
def test_all_laws_hold(semantics: Semantics) -> None:
    """The project's own answers, by the kit that others judge theirs with; the short run takes a tenth."""

    @settings(max_examples=scaled(400, 16), deadline=None, suppress_health_check=list(HealthCheck))
    @given(requests(most_packages=5, most_subscriptions=3))
    def hold(request: Request) -> None:
        for law in ANSWERS:
            law(request, semantics)

    hold()


def test_a_sound_request_breaks_no_law() -> None:
    """Both a plan and a failure pass, each under all laws."""
    for law in LAWS:
        law(SERVED, Semantics.DOCUMENTED)
        law(FAILING, Semantics.DOCUMENTED)
    check_laws(SERVED)


def test_an_operator_that_is_chosen_once_more_breaks_no_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """A head whose own skipRange holds its version is chosen, and installed already: nothing is installed.

    The laws of preferred plans and of bundles that are not selected took this for two answers.
    """
    entry = {"name": "shop.v2.0.0", "skipRange": "<3.0.0"}
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "shop", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "shop", "name": "stable", "entries": [entry]},
        {"schema": "olm.bundle", "package": "shop", "name": "shop.v2.0.0"},
    ]
    source = Source("cat", "olm", 0, fbc.from_blobs(blobs))
    wish = Subscription("shop", "ns", "shop", installed_csv="shop.v2.0.0")
    request = Request(["ns", "olm"], [source], [wish], [Installed("shop.v2.0.0", "2.0.0", (), "shop")])
    assert [install.name for install in classic.resolve(request).up_to_date] == ["shop.v2.0.0"]
    check_laws(request)
    resolved_as(monkeypatch, lambda plan: evolve(plan, up_to_date=()))
    with pytest.raises(AssertionError, match=r"by definition shop\.v2\.0\.0"):
        check_preferred(request)


def resolved_as(monkeypatch: pytest.MonkeyPatch, change: Callable[[Resolution], Resolution]) -> None:
    """Let every plan be one that *change* has damaged."""
    real = classic.resolve

    def damaged(request: Request, **settings: Any) -> Resolution:
        return change(real(request, **settings))

    monkeypatch.setattr(classic, "resolve", damaged)


def test_a_missing_bundle_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan that leaves out what a bundle requires does not meet every constraint."""
    resolved_as(monkeypatch, lambda plan: evolve(plan, installs=plan.installs[:1]))
    with pytest.raises(AssertionError, match=r"shop\.v2\.0\.0 .* lacks package broker in >=3\.0\.0") as failure:
        check_constraints(SERVED)
    assert "wish shop: package shop" in str(failure.value)


def test_a_superfluous_order_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of selection is part of the definition."""
    resolved_as(monkeypatch, lambda plan: evolve(plan, installs=plan.installs[::-1]))
    with pytest.raises(AssertionError, match=r"by definition shop\.v2\.0\.0, broker\.v3\.1\.0"):
        check_preferred(SERVED)


def test_an_answer_by_order_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resolver that takes the package which is written first would differ here."""
    real = classic.resolve

    def by_order(request: Request, **settings: Any) -> Resolution:
        plan: Resolution = real(request, **settings)
        first = next(iter(request.sources[0].catalog)).name
        return evolve(plan, installs=tuple(install for install in plan.installs if install.package != first))

    monkeypatch.setattr(classic, "resolve", by_order)
    with pytest.raises(AssertionError, match="depends on the order of writing"):
        check_order(SERVED)


def test_a_certificate_that_proves_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The law is about the verdict of the checker."""
    refused = Verdict("plan", Semantics.DOCUMENTED, reason=Objection(Flaw.NO_CONTRADICTION))
    monkeypatch.setattr(agreement, "verify", lambda proof, request: refused)
    with pytest.raises(AssertionError, match="its steps do not lead to a contradiction"):
        check_certificate(SERVED)


def test_a_fix_that_does_not_work_is_found() -> None:
    """The changes of a fix are applied and resolved once more."""
    failure = assert_unsatisfiable(FAILING)
    explained = explanation(failure)
    check_fixes(FAILING, explained=explained)
    assert explained.fixes
    first = explained.fixes[0]
    wrong = evolve(explained, fixes=(evolve(first, changes=()),))
    with pytest.raises(AssertionError, match="does not give its plan"):
        check_fixes(FAILING, explained=wrong)
    with pytest.raises(AssertionError, match="there is no fix"):
        check_fixes(FAILING, explained=evolve(explained, fixes=()))


def test_a_core_with_too_much_or_too_little_is_found() -> None:
    """By plain clauses: x is wanted and forbidden; that y needs z matters to nobody."""
    core: list[Constraint] = [Mandatory("x"), Prohibited("x")]
    assert core_faults(core) == []
    assert core_faults([*core, Dependency("y", ("z",))]) == ["not needed: y requires at least one of z"]
    assert core_faults(core[:1]) == ["its constraints can hold together"]
    check_core(FAILING)


def test_broken_constraints_of_any_selection() -> None:
    """A selection need not come from a plan."""
    plan = resolve(SERVED)
    selected = [install.candidate for install in plan.installs]
    assert broken_constraints(SERVED, selected) == []
    older = evolve(selected[1], name="broker.v3.0.0")
    both = broken_constraints(SERVED, [*selected, older])
    assert both == ["broker.v3.1.0 (stable, olm/catalog) and broker.v3.0.0 (stable, olm/catalog) exclude each other"]
    assert broken_constraints(SERVED, [evolve(older, name="nonesuch")])[0].endswith("is in no catalog")


def test_clauses_are_decided() -> None:
    """Where nothing follows from single literals, both values have to be tried."""
    assert can_hold([[1, 2], [-1, 2], [1, -2]])
    assert not can_hold([[1, 2], [-1, 2], [1, -2], [-1, -2]])
    assert can_hold(clauses_of([Dependency(None, ("a", "b"))]))
    assert not can_hold(clauses_of([Dependency(None, ())]))


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_a_group_lets_one_of_its_members_be_selected(size: int) -> None:
    """Counted along the members; every choice of members is tried."""
    members = tuple(f"member {number}" for number in range(size))
    for chosen in itertools.product([True, False], repeat=size):
        facts = [
            Mandatory(name) if selected else Prohibited(name) for name, selected in zip(members, chosen, strict=True)
        ]
        assert can_hold(clauses_of([AtMost(1, members, "package p"), *facts])) == (sum(chosen) < 2), chosen


def test_a_group_of_thousands_is_judged() -> None:
    """A real package has 2,000 candidates in its channels: a clause for each pair would be two million."""
    members = tuple(f"member {number}" for number in range(2_000))
    group = AtMost(1, members, "package p")
    core: list[Constraint] = [Mandatory(members[-1]), Dependency(None, members[:30]), group]
    assert len(clauses_of(core)) < 6_010
    assert core_faults(core) == []


def test_failures_are_failures() -> None:
    """The two requests of this module are what their names say."""
    assert resolve(SERVED).installs
    with pytest.raises(Unsatisfiable):
        resolve(FAILING)
