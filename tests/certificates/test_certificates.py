"""Certificates: every answer has one, the checker confirms it alone, and nothing forged gets past it.

How often a bundle is read shows in no verdict, so one test counts behind the door.
"""

from __future__ import annotations

import ast
import copy
import importlib
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import olmsolve
from olmsolve import CatalogError, Request, RequestError, Resolution, Semantics, Unsatisfiable, certificate, verify
from olmsolve.answers.plain_reading import PlainFacts, facts
from olmsolve.answers.verification import WORK, Work, refutes, world
from olmsolve.catalog import UnreadableSource
from olmsolve.classic import HealthPolicy
from olmsolve.eligibility import CandidateFacts
from olmsolve.predicates import Property
from olmsolve.testing import reference
from tests.certificates.forging import edited
from tests.cli.commands import runner
from tests.recorded import VENDORED, Record, records, request_of
from tests.scale import LONG, sampled
from tests.scenarios.notation import request_document

EXAMPLES = Path(olmsolve.__file__).parent / "examples"
PACKAGE = Path(olmsolve.__file__).parent


def recorded() -> Sequence[Record]:
    """The recorded requests, read when a test asks for them."""
    return records(VENDORED / "classic_random.jsonl.gz")


def outcome_of(request: Request, semantics: Semantics) -> Resolution | Unsatisfiable | None:
    try:
        return olmsolve.resolve(request, semantics=semantics)
    except Unsatisfiable as failure:
        return failure
    except CatalogError:
        return None


def certified(
    records: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[Request, Resolution | Unsatisfiable, dict[str, Any]]]:
    for number, record in enumerate(records):
        request = request_of(record)
        outcome = outcome_of(request, list(Semantics)[number % 2])
        if outcome is not None:
            # Through text, as it is handed on.
            yield request, outcome, json.loads(json.dumps(certificate(outcome)))


def names(plan: Resolution) -> set[tuple[str, str]]:
    return {(install.catalog, install.name) for install in plan.installs} | {
        ("@existing", kept.name) for kept in plan.kept
    }


def test_every_answer_is_confirmed() -> None:
    """Recorded requests (a sixteenth in the short run): the verdict says the answer's kind, and its bundles."""
    for request, outcome, written in certified(sampled(recorded(), 16)):
        verdict = verify(written, request)
        assert verdict.valid, str(verdict)
        assert verdict.kind == ("plan" if isinstance(outcome, Resolution) else "unsatisfiable")
        if isinstance(outcome, Resolution):
            assert {(candidate.catalog, candidate.name) for candidate in verdict.selected} == names(outcome)


def test_a_plan_is_valid_for_its_own_semantics_and_no_other_plan_is() -> None:
    """A certificate proves what the brute-force reference finds: the one preferred plan, in its order."""
    for request, outcome, written in certified(recorded()[1 :: 12 if LONG else 16]):
        if isinstance(outcome, Resolution):
            verdict = verify(written, request)
            expected = reference.resolve(request, verdict.semantics)
            assert expected is not None
            assert [candidate.name for candidate in verdict.selected] == [candidate.name for candidate in expected]


@given(st.randoms(use_true_random=False))
def test_what_is_forged_proves_nothing_else(chance: random.Random) -> None:
    """A changed certificate is refused, or still proves the same: never another plan, never another kind."""
    record = chance.choice(recorded())
    for request, _, written in certified([record]):
        honest = verify(written, request)
        forged = copy.deepcopy(written)
        for _ in range(chance.randrange(1, 4)):
            edited(forged, chance)
        try:
            verdict = verify(forged, request)
        except (RequestError, CatalogError):
            return
        if verdict.valid and verdict.semantics is honest.semantics:
            assert (verdict.kind, verdict.selected) == (honest.kind, honest.selected)


def test_a_worse_plan_has_no_certificate() -> None:
    """Leaving out what is wanted most gives another valid plan, and its certificate must not pass for this request."""
    request = olmsolve.read_request(EXAMPLES / "install.yaml")
    plan = olmsolve.resolve(request)
    wish = request.subscriptions[0]
    worse = olmsolve.Request(
        request.namespaces,
        request.sources,
        [olmsolve.Subscription(wish.name, wish.namespace, wish.package, "1.x"), *request.subscriptions[1:]],
    )
    other = olmsolve.resolve(worse)
    assert names(other) != names(plan)
    with pytest.raises(RequestError, match="not"):
        certificate(other, request)
    assert not verify(certificate(other), request)


def test_an_unsatisfiable_request_needs_its_contradiction() -> None:
    """Steps may be left out only where they are not needed: the facts alone must contradict."""
    failure = outcome_of(olmsolve.read_request(EXAMPLES / "unsatisfiable.yaml"), Semantics.DOCUMENTED)
    assert isinstance(failure, Unsatisfiable)
    written = certificate(failure)
    assert verify(written, failure.context.request)  # type: ignore[union-attr,arg-type]
    for position in range(len(written["facts"])):
        facts = [fact for i, fact in enumerate(written["facts"]) if i != position]
        assert not verify({**written, "facts": facts}, failure.context.request)  # type: ignore[union-attr,arg-type]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"schema": "x"}, "schema"),
        ({"schemaVersion": 1}, "schemaVersion"),
        ({"schemaVersion": 3}, "schemaVersion"),
        ({"schemaVersion": 2.0}, "schemaVersion"),
        ({"schemaVersion": True}, "schemaVersion"),
        ({"request": None}, "request"),
        ({"catalogs": {}}, "catalogs"),
        ({"catalogs": ["olm/main"]}, "catalogs[0]"),
        ({"catalogs": [{"namespace": "olm", "name": "main"}]}, "catalogs[0].content"),
        ({"catalogs": [{"namespace": "olm", "name": "main", "content": ""}] * 2}, "catalogs[1]"),
        ({"semantics": "mine"}, "semantics"),
        ({"semantics": []}, "semantics"),
        ({"kind": None}, "kind"),
        ({"taken": "all"}, "taken"),
        ({"taken": [True]}, "taken"),
        ({"rejected": {}}, "rejected"),
        ({"rejected": [3]}, "rejected[0]"),
        ({"rejected": [{"choice": 0, "way": -1}]}, "rejected[0].way"),
        ({"rejected": [{"choice": 0, "way": 0, "facts": [{}], "steps": []}]}, "rejected[0].facts[0]"),
        (
            {"rejected": [{"choice": 0, "way": 0, "facts": [{"wanted": 99}], "steps": []}]},
            "rejected[0].facts[0].wanted",
        ),
        (
            {"rejected": [{"choice": 0, "way": 0, "facts": [{"never": ["a", "b", "c", "d"]}], "steps": []}]},
            "rejected[0].facts[0].never",
        ),
        ({"rejected": [{"choice": 0, "way": 0, "facts": [], "steps": [[0]]}]}, "rejected[0].steps[0]"),
        ({"rejected": [{"choice": 0, "way": 0, "facts": [], "steps": []}] * 2}, "rejected[1]"),
        (
            {"rejected": [{"choice": 0, "way": 0, "facts": [{"onePer": "api", "name": "g/v1/K"}], "steps": []}]},
            "rejected[0].facts[0].name",
        ),
    ],
)
def test_a_malformed_certificate_is_named_by_its_field(change: dict[str, Any], field: str) -> None:
    """They come from elsewhere: one clear error, and no traceback."""
    request = olmsolve.read_request(EXAMPLES / "install.yaml")
    written = certificate(olmsolve.resolve(request))
    with pytest.raises(RequestError) as refused:
        verify({**written, **change}, request)
    assert refused.value.field == field


def test_facts_must_be_true() -> None:
    """A fact that the request does not have is refused where it is read, whatever it would prove."""
    request = olmsolve.read_request(EXAMPLES / "install.yaml")
    written = certificate(olmsolve.resolve(request))
    shop = ["olm/orchard", "storefront", "2.x", "storefront.v2.1.0"]
    ledger = ["olm/commons", "ledgerdb", "stable", "ledgerdb.v5.3.0"]
    false = [
        {"never": shop},
        {"onePer": "package", "name": "storefront", "members": [shop, ledger]},
        {"replaces": shop, "operator": ledger},
        {"requires": ledger, "wish": 7},
    ]
    for fact in false:
        forged = {**written, "kind": "unsatisfiable", "facts": [fact], "steps": []}
        with pytest.raises(RequestError):
            verify(forged, request)


def test_deep_and_long_documents_end() -> None:
    """Steps are checked one by one with a bound on the work, so nothing hangs."""
    request = olmsolve.read_request(EXAMPLES / "install.yaml")
    written = certificate(olmsolve.resolve(request))
    steps = [[-1] * 1000] * 1000
    forged = {**written, "kind": "unsatisfiable", "facts": [{"wanted": 0}], "steps": steps}
    assert not verify(forged, request)


LITERALS = st.integers(-4, 4).filter(bool)
CLAUSES = st.lists(st.lists(LITERALS, max_size=3), max_size=8)


@given(CLAUSES, st.lists(st.lists(st.integers(1, 4), max_size=3, unique=True), max_size=2), CLAUSES)
def test_a_refutation_is_never_accepted_where_there_is_a_model(
    clauses: list[list[int]], groups: list[list[int]], steps: list[list[int]]
) -> None:
    """Soundness of the propagation, against all sixteen assignments."""
    models = [model for model in range(16) if satisfied(model, clauses, groups)]
    if models:
        assert not refutes(clauses, groups, (), steps, work=Work(10_000))
    elif not any(satisfied(model, clauses[:], groups) for model in range(16)) and [] in clauses:
        assert refutes(clauses, groups, (), (), work=Work(10_000))


def satisfied(model: int, clauses: list[list[int]], groups: list[list[int]]) -> bool:
    true = {variable if model >> (variable - 1) & 1 else -variable for variable in range(1, 5)}
    return all(true & set(clause) for clause in clauses) and all(len(true & set(group)) <= 1 for group in groups)


def test_the_checker_stands_alone() -> None:
    """It may read requests and catalogs; it takes nothing from the indexes, the encoding or the search."""
    modules = sorted((PACKAGE / "answers" / "verification").glob("*.py"))
    assert len(modules) > 5
    for module in modules:
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                assert not any(alias.name.startswith("olmsolve") for alias in node.names)
            if not isinstance(node, ast.ImportFrom):
                continue
            for alias in node.names:
                name = node.module or ""
                # Rooms are entered through their doors, so what counts is where a value was defined.
                value = getattr(importlib.import_module(name), alias.name, None)
                home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", name)
                assert not home.startswith(("olmsolve.solver", "olmsolve.catalog.index", "olmsolve.answers.certifying"))
                # The values of requests; how their house rules apply to a candidate, the checker works out itself.
                values = ("olmsolve.classic.request", "olmsolve.classic.request_parts", "olmsolve.classic.house_rules")
                assert not home.startswith("olmsolve.classic") or home in values


def test_other_answers_have_none() -> None:
    """An extension of OLM v1 is resolved without a search, and a pickled answer has lost its request."""
    with pytest.raises(RequestError, match="not an answer to a classic request"):
        certificate("plan")  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="does not know its request"):
        certificate(Unsatisfiable(()))


@pytest.mark.parametrize("name", ["install", "upgrade", "unsatisfiable"])
def test_the_commands(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One command writes, the other confirms; the exit codes tell the answer and the verdict."""
    run = runner(capsys)
    file, request = tmp_path / "certificate.json", EXAMPLES / f"{name}.yaml"
    outcome = run("certify", request, "--to", file)
    assert (outcome.code, outcome.out, outcome.err) == (int(name == "unsatisfiable"), "", "")
    verified = run("verify", file, request)
    assert (verified.code, verified.err) == (0, "")
    assert verified.out.startswith("valid: ")
    wrong = run("verify", file, EXAMPLES / ("install.yaml" if name != "install" else "unsatisfiable.yaml"))
    assert wrong.code in (1, 2)
    assert (wrong.out + wrong.err).count("\n") <= 3


def several_refuted() -> tuple[Request, dict[str, Any]]:
    """Return a plan that passes over several heads, each with a proof."""
    versions = [f"app.v1.{number}.0" for number in range(5)]
    bundles = {name: [{"needs-package": "gone >=1.0.0"}] for name in versions[1:]}
    app = {"channels": {"stable": " > ".join(reversed(versions))}, "bundles": bundles}
    scenario = {"catalogs": {"olm/main": {"packages": {"app": app}}}, "subscriptions": [{"package": "app"}]}
    request = olmsolve.read_request(request_document(scenario))
    assert isinstance(request, Request)
    return request, certificate(olmsolve.resolve(request))


def test_the_work_is_bounded_for_all_proofs_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many proofs, each just within the bound, would hang a checker all the same, so they share one bound."""
    request, written = several_refuted()
    counted: list[Work] = []

    def counting(allowance: int) -> Work:
        counted.append(Work(allowance))
        return counted[-1]

    monkeypatch.setattr("olmsolve.answers.verification.verifying.Work", counting)
    assert verify(written, request).refuted == 4
    (work,) = counted
    used = WORK - work.literals_left
    monkeypatch.setattr("olmsolve.answers.verification.verifying.WORK", used - 1)
    assert str(verify(written, request).reason) == "checking it would take too long"
    monkeypatch.setattr("olmsolve.answers.verification.verifying.WORK", used)
    assert verify(written, request)


def test_repeated_facts_cost_nothing() -> None:
    """A certificate may repeat a fact a million times; the checker adds its clauses once."""
    request, written = several_refuted()
    first = written["rejected"][0]
    first["facts"] = first["facts"] * 50
    assert verify(written, request)


@pytest.mark.parametrize("policy", list(HealthPolicy))
def test_what_cannot_be_read_is_not_certified(policy: HealthPolicy) -> None:
    """An unreadable catalog could change the answer: the verdict names it, and is invalid if OLM resolves nothing."""
    request, written = several_refuted()
    lost = UnreadableSource("lost", "olm", priority=0, error="no route")
    hidden = UnreadableSource("hidden", "elsewhere", priority=0, error="no route")
    changed = attrs.evolve(request, unreadable=[lost, hidden], health_policy=policy)
    verdict = verify(written, changed)
    assert verdict.valid == (policy is not HealthPolicy.STRICT)
    assert verdict.unreadable == ("olm/lost",)
    assert "olm/lost" in str(verdict)
    with pytest.raises(RequestError, match="a failure that unreadable catalogs cause has no proof"):
        certificate(outcome_of(attrs.evolve(changed, health_policy=HealthPolicy.STRICT), Semantics.DOCUMENTED))  # type: ignore[arg-type]


def test_what_the_cluster_refuses_is_never_selected() -> None:
    """A refusal is a fact of the request like any other: it proves that a head was rightly passed over."""
    versions = {"channels": {"stable": "app.v2.0.0 > app.v1.0.0"}}
    scenario = {"catalogs": {"olm/main": {"packages": {"app": versions}}}, "subscriptions": [{"package": "app"}]}
    request = olmsolve.read_request(request_document(scenario))
    assert isinstance(request, Request)

    def refused(candidate: CandidateFacts) -> str:
        return "too new" if candidate.version == "2.0.0" else ""

    limited = attrs.evolve(request, eligibility=[refused])
    written = certificate(olmsolve.resolve(limited))
    verdict = verify(written, limited)
    assert [candidate.name for candidate in verdict.selected] == ["app.v1.0.0"]
    assert not verify(certificate(olmsolve.resolve(request)), limited)
    assert not verify(written, request)


def test_a_broken_catalog_is_repaired_and_not_proved() -> None:
    """A broken catalog leaves nothing to certify; the error says to repair it."""
    broken = CatalogError("2 chains where there must be one", package="app", channel="beta")
    with pytest.raises(RequestError, match="a failure that a broken catalog causes has no proof"):
        certificate(broken)  # type: ignore[arg-type]


def test_a_catalog_is_read_once_for_all_answers_over_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulation verifies many answers over the same catalogs; the refusals of one request must not touch others."""
    request = olmsolve.read_request(EXAMPLES / "install.yaml")
    read: list[str] = []

    def counted(package: str, properties: Iterable[Property], *, version: str | None = None) -> PlainFacts:
        read.append(package)
        return facts(package, properties, version=version)

    def nothing_may_be_installed(candidate: CandidateFacts) -> str:
        return f"{candidate.name} is not welcome"

    monkeypatch.setattr(world, "facts", counted)
    refusing = attrs.evolve(request, eligibility=[nothing_may_be_installed])
    assert not world.World(refusing).selectable
    assert len(read) == sum(len(package.bundles) for source in request.sources for package in source.catalog)
    read.clear()
    assert world.World(request).selectable
    assert verify(certificate(olmsolve.resolve(request)), request)
    assert not read
