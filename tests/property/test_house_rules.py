"""House rules on random requests: the defined answer, on every backend, with cores, fixes and proofs that hold.

Two oracles judge: the brute-force reference, which reads the rules itself, and a filter written here, which
takes the valid selections of the request *without* its rules and keeps those that obey them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import attrs
import pytest

import olmsolve
from olmsolve import AtLeastOne, Bundles, CatalogError, Never, Prefer, Request, Semantics
from olmsolve.answers.plain_reading import PlainRange, constraint
from olmsolve.answers.verification import PlainCandidate
from olmsolve.classic import ClassicProblem
from olmsolve.solver import Core, Dependency, solve
from olmsolve.testing import (
    COMPOUND,
    DENSE,
    SMALL,
    WIDE,
    RequestShape,
    classic_request,
    random_document,
    random_house_rules,
    reference,
)
from olmsolve.testing.laws import check_laws
from tests.scale import scaled

SHAPES = {"small": SMALL, "dense": DENSE, "compound": COMPOUND}
# Brute force looks at every subset of so many candidates.
MOST = 9


def requests(name: str, count: int, shape: RequestShape) -> Iterator[Request]:
    """Random requests with house rules about what they have."""
    for seed in range(count):
        generator = random.Random(f"{name} {seed}")
        document = random_document(generator, shape)
        document["houseRules"] = random_house_rules(generator, document, shape)
        yield classic_request(document)


def resolved(request: Request, semantics: Semantics, backend: str = "deciding", *, dense: bool = False) -> object:
    """The selection, or the core as text, or that a catalog is broken."""
    try:
        problem = ClassicProblem.of_request(request, semantics)
        problem.dense = dense
        answer = solve(problem, backend=backend)
    except CatalogError:
        return "broken"
    if isinstance(answer, Core):
        return [str(member) for member in answer.constraints]
    return [
        (candidate.catalog, candidate.channel, candidate.name) for candidate in map(problem.candidate, answer.selected)
    ]


@pytest.mark.parametrize("name", SHAPES)
def test_the_answer_is_the_defined_one(name: str) -> None:
    """The reference follows the definition sentence by sentence, rules included."""
    plans = none = 0
    for request in requests(f"rules {name}", scaled(240), SHAPES[name]):
        for semantics in Semantics:
            try:
                defined = reference.resolve(request, semantics, max_steps=20_000)
            except reference.TooLarge:
                continue
            except CatalogError:
                defined = None
            answer = resolved(request, semantics)
            if defined is None:
                assert answer == "broken" or isinstance(answer, list), request.house_rules
                assert not olmsolve.is_satisfiable(request, semantics=semantics), request.house_rules
                none += 1
            else:
                assert answer == [(candidate.catalog, candidate.channel, candidate.name) for candidate in defined], (
                    request.house_rules
                )
                assert olmsolve.is_satisfiable(request, semantics=semantics)
                plans += 1
    assert plans > scaled(240) // 4
    assert none > scaled(240) // 4


def obeys(rules: tuple[olmsolve.classic.HouseRule, ...], chosen: list[PlainCandidate], offered: set[int]) -> bool:
    """Whether a selection obeys *rules*; *offered* are the identities of what requirements could be met by."""
    for rule in rules:
        named = [candidate for candidate in chosen if is_named(rule.bundles, candidate)]
        if isinstance(rule, AtLeastOne) and not any(id(candidate) in offered for candidate in named):
            return False
        if isinstance(rule, Never) and rule.beside is None and named:
            return False
        if isinstance(rule, Never) and rule.beside is not None:
            others = [candidate for candidate in chosen if is_named(rule.beside, candidate)]
            if any(one is not other for one in named for other in others):
                return False
    return True


def is_named(bundles: Bundles, candidate: PlainCandidate) -> bool:
    """Whether everything that *bundles* say is true of *candidate*."""
    facts = candidate.published
    packages = {name for name, _ in facts.packages} | {facts.package}
    stated = {version for _, version in facts.packages} | {facts.version}
    versions = None if bundles.versions is None else PlainRange.read(bundles.versions.text)
    conditions = [
        not bundles.name or bundles.name == candidate.name,
        not bundles.catalog or bundles.catalog in (candidate.catalog, candidate.came_from),
        not bundles.package or bundles.package in packages,
        versions is None or any(version is not None and versions.contains(version) for version in stated),
        bundles.api is None or bundles.api in facts.gvks,
        bundles.constraint is None or constraint(bundles.constraint.value).test(facts),
    ]
    return all(conditions)


@pytest.mark.parametrize("semantics", list(Semantics))
def test_rules_keep_those_selections_that_obey_them(semantics: Semantics) -> None:
    """A rule takes selections away and adds none, and there is a plan if and only if some selection is left."""
    compared = plans = 0
    for request in requests("filter", scaled(240), SMALL):
        rules = request.house_rules
        try:
            search = reference.prepare(attrs.evolve(request, house_rules=()), semantics, 0)
        except CatalogError:
            continue
        if search is None or len(search.world.selectable) > MOST:
            continue
        compared += 1
        candidates, offered = list(search.world.selectable), {id(candidate) for candidate in search.world.ordered("")}
        obedient = set()
        for bits in product((False, True), repeat=len(candidates)):
            chosen = [candidate for candidate, bit in zip(candidates, bits, strict=True) if bit]
            if obeys(rules, chosen, offered) and search.grants(chosen):
                obedient.add(frozenset((candidate.catalog, candidate.channel, candidate.name) for candidate in chosen))
        assert olmsolve.is_satisfiable(request, semantics=semantics) == bool(obedient), rules
        if obedient:
            plans += 1
            plan = olmsolve.resolve(request, semantics=semantics)
            selected = [*plan.kept, *(install.candidate for install in plan.installs)]
            assert (
                frozenset((candidate.catalog, candidate.channel, candidate.name) for candidate in selected) in obedient
            ), rules
            decoded = olmsolve.compile(request, semantics=semantics)
            numbers = {variable.stands_for: variable.number for variable in decoded.variables()}
            assert decoded.decode([numbers[candidate] for candidate in selected]).plan == plan
    assert compared > scaled(240) // 3
    assert plans > scaled(240) // 12


def test_a_preference_moves_candidates_to_the_front_and_changes_nothing_else() -> None:
    """Every choice of the problem is the choice without the rules, sorted by the first rule, then the second."""
    moved = 0
    for request in requests("order", scaled(300), DENSE):
        preferred = [rule for rule in request.house_rules if isinstance(rule, Prefer)]
        rules = [rule for rule in request.house_rules if not isinstance(rule, Never | Prefer)]
        try:
            plain = ClassicProblem.of_request(attrs.evolve(request, house_rules=rules), Semantics.CONTROLLER)
            sorted_ = ClassicProblem.of_request(
                attrs.evolve(request, house_rules=[*rules, *preferred]), Semantics.CONTROLLER
            )
        except CatalogError:
            continue
        assert sorted_.ruled is not None or not preferred
        for before, after in zip(choices(plain), choices(sorted_), strict=True):
            expected = sorted(before, key=lambda number: [not included(plain, rule, number) for rule in preferred])
            assert list(after) == expected, request.house_rules
            moved += list(before) != expected
    assert moved > 10


def choices(problem: ClassicProblem) -> list[tuple[int, ...]]:
    """The candidates of every choice, wherever it comes from."""
    size = problem.visible.size + len(problem.installed.names)
    dependencies = [root for root in problem.roots if isinstance(root, Dependency)]
    dependencies += [
        dependency
        for number in range(size)
        for dependency in problem.constraints(number)
        if isinstance(dependency, Dependency)
    ]
    return [
        tuple(candidate for candidate in choice.candidates if isinstance(candidate, int)) for choice in dependencies
    ]


def included(problem: ClassicProblem, rule: Prefer, number: int) -> bool:
    facts, candidate = problem.facts(number), problem.candidate(number)
    owner = problem.request.owners().get(candidate.name) if problem.is_installed(number) else None
    catalogs = [candidate.catalog, "" if owner is None else owner.catalog]
    return facts is not None and rule.bundles.include(candidate.name, catalogs, facts)


def test_every_backend_gives_the_same_plans_and_cores() -> None:
    """Sets of bits, which know no rules, are not used where a rule speaks."""
    for request in requests("backends", scaled(60), WIDE):
        for semantics in Semantics:
            answer = resolved(request, semantics)
            assert resolved(request, semantics, dense=True) == answer, request.house_rules
            assert resolved(request, semantics, "python") == answer, request.house_rules
            assert resolved(request, semantics, "cadical195") == answer, request.house_rules


def test_answers_obey_all_laws() -> None:
    """Cores are minimal, fixes work and need each change, certificates are confirmed, and order of writing is idle."""
    for number, request in enumerate(requests("laws", scaled(72), DENSE)):
        check_laws(request, list(Semantics)[number % 2])
