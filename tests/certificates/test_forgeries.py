"""Forged certificates are refused, each by a rule without which it would be accepted (docs/certificates.md).

The forgeries here are made by hand, rule by rule: a state that contradicts itself, and what it would let pass. The
laws at the end take them from a generator of forgeries and a brute force that knows the truth (``forging``,
``brute_force``).

Each rule of the checker is left out behind the door, which lets no caller leave one out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import attrs
import pytest

import olmsolve
from olmsolve import CatalogError, Request, RequestError, Semantics, certificate, verify
from olmsolve.answers.verification import QueuedWish, Refutation, World, document, replaying, roots_of, solution_rules
from olmsolve.answers.verification.replaying import ChoiceWalk, _State
from olmsolve.answers.verification.solution_rules import RULES, ClaimedPlan, SolutionRule, roots_met
from olmsolve.testing import reference
from tests.certificates.brute_force import truth
from tests.certificates.false_claims import Tally, false_claims, refusal
from tests.certificates.forging import WAYS, honest_certificate, relabelled
from tests.certificates.trapped_requests import Question, questions
from tests.scale import scaled
from tests.scenarios.notation import request_document

Scenario = dict[str, Any]
Candidate = list[str]


def request_of(scenario: Scenario, **fields: Any) -> Request:
    request = olmsolve.read_request({**request_document(scenario), **fields})
    assert isinstance(request, Request)
    return request


def any_of(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"any": {"constraints": list(parts)}}


def all_of(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"all": {"constraints": list(parts)}}


def none_of(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"not": {"constraints": list(parts)}}


def package(name: str, versions: str = ">=0.0.0") -> dict[str, Any]:
    return {"package": {"packageName": name, "versionRange": versions}}


def candidate(name: str) -> Candidate:
    return ["olm/main", name.partition(".v")[0], "stable", name]


def installed(name: str) -> Candidate:
    return ["@existing", "", "", name]


def forged(
    request: Request,
    selected: Sequence[Candidate],
    taken: Sequence[int],
    rejected: Sequence[dict[str, Any]] = (),
    semantics: Semantics = Semantics.DOCUMENTED,
) -> dict[str, Any]:
    """Return a plan's certificate that claims *selected*, under the right digests."""
    heading = {"schema": "olmsolve.certificate", "schemaVersion": 2, "kind": "plan"}
    written = {**heading, "selected": list(selected), "taken": list(taken), "rejected": list(rejected)}
    return relabelled(written, request, semantics)


def refuted(choice: int, *facts: dict[str, Any], way: int = 0, steps: Sequence[list[int]] = ()) -> dict[str, Any]:
    return {"choice": choice, "way": way, "facts": list(facts), "steps": list(steps)}


def honest(request: Request) -> dict[str, Any]:
    """Return the certificate of the answer, which the checker confirms."""
    written = certificate(olmsolve.resolve(request))
    assert verify(written, request)
    return written


# -- the two forgeries that were accepted once

TWO_VERSIONS: Final = {"channels": {"stable": "p.v2.0.0 > p.v1.0.0"}}
EITHER_OR: Final = any_of(all_of(none_of(package("x")), package("y")), package("z"))


def trapped_request() -> Request:
    """Return a request with a part that x makes impossible, and with old and new versions of packages p and z."""
    needs = [{"constraint": EITHER_OR}, {"needs-package": "p >=0.0.0"}, {"needs-package": "z >=0.0.0"}]
    packages: Scenario = {
        "a": {"channels": {"stable": "a.v1.0.0"}, "bundles": {"a.v1.0.0": needs}},
        **{name: {"channels": {"stable": f"{name}.v1.0.0"}} for name in ("x", "y")},
        **{name: {"channels": {"stable": f"{name}.v2.0.0 > {name}.v1.0.0"}} for name in ("p", "q", "z")},
    }
    packages["y"]["bundles"] = {"y.v1.0.0": [{"needs-package": "q >=0.0.0"}]}
    wishes = [{"package": name, "channel": "stable"} for name in ("a", "x")]
    return request_of({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": wishes})


def trapped_forgery(request: Request) -> dict[str, Any]:
    """Return a plan of six bundles with old versions: the state holds "no x" and x, by which everything is refuted."""
    contradiction = {"requires": candidate("a.v1.0.0"), "wish": 0}
    names = ("a.v1.0.0", "x.v1.0.0", "p.v1.0.0", "z.v1.0.0", "y.v1.0.0", "q.v1.0.0")
    proofs = [refuted(choice, contradiction) for choice in (3, 4, 6)]
    return forged(request, list(map(candidate, names)), [0, 0, 0, 1, 1, 0, 1], proofs)


def test_a_part_that_was_taken_and_is_false_proves_nothing() -> None:
    """The other part of the disjunction holds in the end, so the plan is a solution, but not the preferred one."""
    request = trapped_request()
    written = honest(request)
    assert [path[-1] for path in written["selected"]] == ["a.v1.0.0", "x.v1.0.0", "p.v2.0.0", "z.v2.0.0"]
    assert "0 candidates" in str(verify(written, request)), "a part of a disjunction is no candidate"
    verdict = verify(trapped_forgery(request), request)
    assert str(verdict.reason) == "part 1 of a requirement of a.v1.0.0 is taken but does not hold"


ALIKE: Final = [{"group": "g", "version": "v/x", "kind": "K"}, {"group": "g/v", "version": "x", "kind": "K"}]


def alike_request() -> Request:
    """Return a request for two packages, whose APIs differ and are written alike."""
    packages = {
        name: {
            "channels": {"stable": f"{name}.v1.0.0"},
            "bundles": {f"{name}.v1.0.0": [{"type": "olm.gvk", "value": api}]},
        }
        for name, api in zip("ab", ALIKE, strict=True)
    }
    return request_of(
        {"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [{"package": name} for name in "ab"]}
    )


def test_apis_that_are_written_alike_are_two() -> None:
    """The plan with both is right, and no fact says that they exclude each other."""
    request = alike_request()
    assert [path[-1] for path in honest(request)["selected"]] == ["a.v1.0.0", "b.v1.0.0"]
    both = [candidate("a.v1.0.0"), candidate("b.v1.0.0")]
    names = ["g/v/x/K", list(ALIKE[0].values()), list(ALIKE[1].values())]
    for name in names:
        fact = {"onePer": "api", "name": name, "members": both}
        facts = [{"wanted": 0}, {"wanted": 1}, fact]
        written = {**forged(request, [], []), "kind": "unsatisfiable", "facts": facts, "steps": []}
        with pytest.raises(RequestError) as refused:
            verify(written, request)
        assert refused.value.field == f"certificate.facts[2].{'name' if isinstance(name, str) else 'members'}"


# -- rule by rule: what each refuses, and what would be accepted without it


@attrs.frozen
class Attack:
    """A forgery, and the *objection* that refuses it where nothing is weakened.

    *weakened* takes one rule out of the checker, which then accepts the forgery.
    """

    request: Request
    forgery: Mapping[str, Any]
    objection: str
    weakened: Callable[[pytest.MonkeyPatch], None]


def without(rule: SolutionRule) -> Callable[[pytest.MonkeyPatch], None]:
    """Return what takes *rule* out of those that a plan keeps."""
    others = tuple(other for other in RULES if other is not rule)
    return lambda patch: patch.setattr(solution_rules, "RULES", others)


def believing_proofs(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Refutation, "refutes", lambda *_: True)


def believing_steps(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_State, "follows", lambda *_: True)


def believing_facts(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(document, "falsehood", lambda *_: "")


def false_part() -> Attack:
    """A part with ``not`` is taken although what it excludes is selected."""
    request = trapped_request()
    return Attack(
        request,
        trapped_forgery(request),
        "part 1 of a requirement of a.v1.0.0 is taken but does not hold",
        without(solution_rules.taken_parts_hold),
    )


def two_of_a_group() -> Attack:
    """A part wants two versions of one package, so the state contradicts itself; then the old z is "preferred"."""
    part = all_of(package("y", "<2.0.0"), package("y", ">=2.0.0"))
    needs = [{"constraint": any_of(part, none_of(package("x")))}, {"needs-package": "z >=0.0.0"}]
    packages: Scenario = {
        "a": {"channels": {"stable": "a.v1.0.0"}, "bundles": {"a.v1.0.0": needs}},
        "x": {"channels": {"stable": "x.v1.0.0"}},
        **{name: {"channels": {"stable": f"{name}.v2.0.0 > {name}.v1.0.0"}} for name in "yz"},
    }
    request = request_of({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [{"package": "a"}]})
    assert [path[-1] for path in honest(request)["selected"]] == ["a.v1.0.0", "z.v2.0.0"]
    group = {"onePer": "package", "name": "y", "members": [candidate("y.v1.0.0"), candidate("y.v2.0.0")]}
    proof = refuted(2, {"requires": candidate("a.v1.0.0"), "wish": 0}, group)
    names = ("a.v1.0.0", "z.v1.0.0", "y.v1.0.0", "y.v2.0.0")
    written = forged(request, list(map(candidate, names)), [0, 0, 1, 0, 0], [proof])
    return Attack(
        request, written, "2 of the selected bundles have the package y", without(solution_rules.one_per_group)
    )


def beside_a_house_rule() -> Attack:
    """A house rule keeps x from y; the forger takes both, and passes over the new z, which nothing makes impossible."""
    needs = [{"needs-package": "z >=0.0.0"}]
    packages: Scenario = {
        "x": {"channels": {"stable": "x.v1.0.0"}, "bundles": {"x.v1.0.0": needs}},
        "y": {"channels": {"stable": "y.v2.0.0 > y.v1.0.0"}},
        "z": {"channels": {"stable": "z.v2.0.0 > z.v1.0.0"}},
    }
    rule = {"name": "ports", "never": "x", "beside": {"package": "y", "versions": ">=2.0.0"}}
    request = request_of(
        {"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [{"package": "x"}, {"package": "y"}]},
        houseRules=[rule],
    )
    assert [path[-1] for path in honest(request)["selected"]] == ["x.v1.0.0", "y.v1.0.0", "z.v2.0.0"]
    # The rule stands behind the requirements of x: it is its second wish.
    proof = refuted(2, {"requires": candidate("x.v1.0.0"), "wish": 1})
    written = forged(request, list(map(candidate, ("x.v1.0.0", "y.v2.0.0", "z.v1.0.0"))), [0, 0, 1], [proof])
    objection = "a requirement of x.v1.0.0, or a house rule about it, is not met"
    return Attack(request, written, objection, without(solution_rules.requirements_met))


def an_exclusion_that_is_no_choice() -> Attack:
    """Nobody chooses for a ``not`` that stands alone, so that the walk never meets it."""
    packages: Scenario = {
        "x": {"channels": {"stable": "x.v1.0.0"}, "bundles": {"x.v1.0.0": [{"constraint": none_of(package("y"))}]}},
        "y": {"channels": {"stable": "y.v1.0.0"}},
        "z": {"channels": {"stable": "z.v1.0.0"}, "bundles": {"z.v1.0.0": [{"constraint": any_of(package("y"))}]}},
    }
    wishes = [{"package": name} for name in "xz"]
    request = request_of({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": wishes})
    with pytest.raises(olmsolve.Unsatisfiable):
        olmsolve.resolve(request)
    written = forged(request, list(map(candidate, ("x.v1.0.0", "z.v1.0.0", "y.v1.0.0"))), [0, 0, 0])
    objection = "a requirement of x.v1.0.0, or a house rule about it, is not met"
    return Attack(request, written, objection, without(solution_rules.requirements_met))


def a_deprecated_operator() -> Attack:
    """An installed operator that may not stay is the last candidate of its subscription, and there is no other one."""
    deprecated = {"type": "olm.deprecated", "value": {}}
    packages = {"a": {"channels": {"stable": "a.v1.0.0"}}}
    operator = {"name": "a.v1.0.0", "owner": "a", "publishes": [deprecated]}
    scenario = {
        "catalogs": {"olm/main": {"packages": packages}},
        "installed": [operator],
        "subscriptions": [{"package": "a"}],
    }
    request = request_of(scenario)
    with pytest.raises(olmsolve.Unsatisfiable):
        olmsolve.resolve(request)
    written = forged(request, [installed("a.v1.0.0")], [0])
    return Attack(request, written, "a.v1.0.0 can never be selected", without(solution_rules.only_selectable))


def an_update_beside_what_it_replaces() -> Attack:
    """The installed operator meets the requirement of b, although its update goes first; they share no group."""
    api = "cache.example.com/v1/Cache"
    packages: Scenario = {
        "a": {"channels": {"stable": "a.v2.0.0 > a.v1.0.0"}},
        "b": {"channels": {"stable": "b.v1.0.0"}, "bundles": {"b.v1.0.0": [{"needs": api}]}},
        "c": {"channels": {"stable": "c.v1.0.0"}, "bundles": {"c.v1.0.0": [{"provides": api}]}},
    }
    document = request_document(
        {"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [{"package": "a"}, {"package": "b"}]}
    )
    group, version, kind = api.split("/")
    provided = {"type": "olm.gvk", "value": {"group": group, "version": version, "kind": kind}}
    document["installed"] = [{"name": "a.v1.0.0", "version": "1.0.0", "subscription": "a", "properties": [provided]}]
    request = olmsolve.read_request(document)
    assert isinstance(request, Request)
    assert [path[-1] for path in honest(request)["selected"]] == ["a.v2.0.0", "b.v1.0.0", "c.v1.0.0"]
    selected = [candidate("a.v2.0.0"), candidate("b.v1.0.0"), installed("a.v1.0.0")]
    return Attack(
        request,
        forged(request, selected, [0, 0, 0]),
        "a.v2.0.0 replaces a.v1.0.0, which is kept",
        without(solution_rules.replaced_operators_go),
    )


def worse_request() -> Request:
    packages = {"a": {"channels": {"stable": "a.v2.0.0 > a.v1.0.0"}}, "b": {"channels": {"stable": "b.v1.0.0"}}}
    return request_of({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [{"package": "a"}]})


WRONG: Final = "the proof that choice 1 passes over a.v2.0.0 does not hold"


def an_empty_proof() -> Attack:
    """The better version is passed over, and the proof says nothing."""
    request = worse_request()
    written = forged(request, [candidate("a.v1.0.0")], [1], [refuted(0)])
    return Attack(request, written, WRONG, believing_proofs)


def a_step_that_does_not_follow() -> Attack:
    """The better version is impossible because a step says so, which follows from nothing."""
    request = worse_request()
    fact = {"onePer": "package", "name": "a", "members": [candidate("a.v2.0.0")]}
    written = forged(request, [candidate("a.v1.0.0")], [1], [refuted(0, fact, steps=[[-1]])])
    return Attack(request, written, WRONG, believing_steps)


def a_false_fact(fact: dict[str, Any], *more: dict[str, Any]) -> Attack:
    """The better version is impossible by a fact that exists, and does not hold."""
    request = worse_request()
    written = forged(request, [candidate("a.v1.0.0")], [1], [refuted(0, fact, *more)])
    return Attack(request, written, "", believing_facts)


def an_early_end() -> Attack:
    """The walk ends before the requirement of a is met, as if nothing more were to be chosen."""
    packages: Scenario = {
        "a": {"channels": {"stable": "a.v1.0.0"}, "bundles": {"a.v1.0.0": [{"needs-package": "b >=0.0.0"}]}},
        "b": {"channels": {"stable": "b.v1.0.0"}},
    }
    request = request_of({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [{"package": "a"}]})

    def ending_early(patch: pytest.MonkeyPatch) -> None:
        without(solution_rules.requirements_met)(patch)
        whole = replaying.replay
        patch.setattr("olmsolve.answers.verification.verifying.replay", lambda *given: _cut(whole, *given))

    written = forged(request, [candidate("a.v1.0.0")], [0])
    return Attack(request, written, "it ends before choice 2", ending_early)


def _cut(replay: Any, world: Any, semantics: Any, roots: Any, take: Any, rejected: Any) -> ChoiceWalk:
    """Walk on without the complaint that there are too few choices."""

    def cut(number: int, queued: QueuedWish) -> int | None:
        return take(number, queued) if number < 1 else None

    walk: ChoiceWalk = replay(world, semantics, roots, cut, rejected)
    return walk


def beside_a_starting_bundle() -> Attack:
    """A skipped entry that only a startingCSV reaches is excluded like every other bundle."""
    needs = [{"constraint": none_of(package("y"))}]
    entries = [{"name": "y.v2.0.0", "skips": ["y.v1.0.0"]}, {"name": "y.v1.0.0"}]
    packages: Scenario = {
        "x": {"channels": {"stable": "x.v1.0.0"}, "bundles": {"x.v1.0.0": needs}},
        "y": {"channels": {"stable": entries}},
    }
    wishes = [{"package": "x"}, {"package": "y", "startingCSV": "y.v1.0.0"}]
    request = request_of({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": wishes})
    with pytest.raises(olmsolve.Unsatisfiable):
        olmsolve.resolve(request)
    written = forged(request, list(map(candidate, ("x.v1.0.0", "y.v1.0.0"))), [0, 0])
    objection = "a requirement of x.v1.0.0, or a house rule about it, is not met"
    return Attack(request, written, objection, without(solution_rules.requirements_met))


ATTACKS: Final[Mapping[str, Callable[[], Attack]]] = {
    "a part taken holds": false_part,
    "one of a group": two_of_a_group,
    "house rules": beside_a_house_rule,
    "requirements": an_exclusion_that_is_no_choice,
    "exclusions know all bundles": beside_a_starting_bundle,
    "what can be selected": a_deprecated_operator,
    "updates": an_update_beside_what_it_replaces,
    "a proof for each way": an_empty_proof,
    "steps follow": a_step_that_does_not_follow,
    "never": lambda: a_false_fact({"never": candidate("a.v2.0.0")}),
    "replaces": lambda: a_false_fact(
        {"replaces": candidate("a.v2.0.0"), "operator": candidate("b.v1.0.0")},
        {"onePer": "package", "name": "b", "members": [candidate("b.v1.0.0")]},
        {"replaces": candidate("a.v2.0.0"), "operator": candidate("a.v2.0.0")},
    ),
    "onePer": lambda: a_false_fact(
        {"onePer": "package", "name": "a", "members": [candidate("a.v2.0.0"), candidate("b.v1.0.0")]},
        {"never": candidate("a.v2.0.0")},
    ),
    "the walk ends with the queue": an_early_end,
}


@pytest.mark.parametrize("name", ATTACKS)
def test_each_rule_refuses_what_would_be_accepted_without_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A forgery that keeps all rules but one is refused by it alone, and the brute force calls its claim false."""
    attack = ATTACKS[name]()
    claimed = [tuple(path) for path in attack.forgery["selected"]]
    preferred = truth(attack.request, Semantics.DOCUMENTED).preferred
    assert preferred is None or claimed != list(preferred)
    if attack.objection:
        assert str(verify(attack.forgery, attack.request).reason) == attack.objection
    else:
        with pytest.raises(RequestError):
            verify(attack.forgery, attack.request)
    with monkeypatch.context() as patch:
        attack.weakened(patch)
        assert verify(attack.forgery, attack.request), "the rule is not what refused it"


def test_a_root_that_is_not_met_is_no_plan() -> None:
    """The walk meets every root, so that no forgery comes here: the rule is tested on a walk that met none."""
    request = worse_request()
    world = World(request)
    [root] = roots_of(request, world)
    assert root is not None
    plan = ClaimedPlan(world, Semantics.DOCUMENTED, [root], ChoiceWalk((), (), 0))
    assert str(roots_met(plan)).startswith("a subscription or a demand is not served")
    assert roots_met(attrs.evolve(plan, walk=ChoiceWalk(root.candidates[:1], (), 1))) is None


def test_what_a_valid_certificate_says_was_checked() -> None:
    """A reader takes its choices and refutations for true, so none may stand there that the checker never read."""
    request = worse_request()
    written = honest(request)
    more = {**written, "taken": [*written["taken"], 0]}
    assert str(verify(more, request).reason) == "it names 2 choices, but the request has only 1"
    for way in (0, 1):
        unasked = {**written, "rejected": [refuted(0, way=way)]}
        assert str(verify(unasked, request).reason) == f"it refutes way {way} of choice 1, which was not passed over"


def rivals(*wanted: str) -> Request:
    """Return a request for these packages; the operators of a and b are of one package and provide what c requires."""
    api = "cache.example.com/v1/Cache"
    packages: Scenario = {
        "a": {"channels": {"stable": "a.v2.0.0 > a.v1.0.0"}},
        "b": {"channels": {"stable": "b.v2.0.0 > b.v1.0.0"}},
        "c": {"channels": {"stable": "c.v1.0.0"}, "bundles": {"c.v1.0.0": [{"needs": api}]}},
        "d": {"channels": {"stable": "d.v1.0.0"}, "bundles": {"d.v1.0.0": [{"provides": api}]}},
    }
    own = {"type": "olm.package", "value": {"packageName": "old", "version": "1.0.0"}}
    owned = [{"name": f"{name}.v1.0.0", "owner": name, "package": "old"} for name in wanted if name in "ab"]
    published = [own, {"provides": api}]
    return request_of(
        {
            "catalogs": {"olm/main": {"packages": packages}},
            "installed": [{**owner, "publishes": published} for owner in owned],
            "subscriptions": [{"package": name} for name in wanted],
        }
    )


def test_where_the_controller_fails_no_plan_is_right() -> None:
    """It cannot order two operators of one package that meet a requirement, and then it resolves nothing."""
    request = rivals("a", "b", "c")
    written = honest(request)
    with pytest.raises(CatalogError, match="no order"):
        olmsolve.resolve(request, semantics=Semantics.CONTROLLER)
    verdict = verify(relabelled(written, request, Semantics.CONTROLLER), request)
    assert str(verdict.reason).startswith("a.v1.0.0 and b.v1.0.0 are of one package")


@pytest.mark.parametrize("wanted", ["ac", "ab"])
def test_operators_that_no_requirement_compares_need_no_order(wanted: str) -> None:
    """One operator alone has no rival, and what nobody looks at stops nobody."""
    request = rivals(*wanted)
    plan = olmsolve.resolve(request, semantics=Semantics.CONTROLLER)
    assert verify(certificate(plan), request)


def test_steps_speak_of_what_the_facts_mention() -> None:
    """A variable without a meaning could be anything; numbers past the last one end the proof."""
    request = worse_request()
    fact = {"onePer": "package", "name": "a", "members": [candidate("a.v2.0.0"), candidate("a.v1.0.0")]}
    proofs: list[list[list[int]]] = [[[3]], [[-3], [3]], [[10**9]], [[]]]
    for steps in proofs:
        written = forged(request, [candidate("a.v1.0.0")], [1], [refuted(0, fact, steps=steps)])
        assert str(verify(written, request).reason) == WRONG


# -- laws: the generator of forgeries against a brute force


def test_the_brute_force_knows_the_answers_of_the_resolver() -> None:
    """Two readings of the definition, and the resolver with its certificate, give one answer to each request."""
    for number, (_, question) in enumerate(questions(random.Random(7))):
        if number == scaled(1_000, 25):
            break
        request, semantics = question.request, question.semantics
        named = question.truth.preferred
        other = reference.resolve(request, semantics)
        assert named == (other if other is None else tuple(path[:4] for path in other))
        written = honest_certificate(request, semantics)
        if written is not None:
            verdict = verify(written, request, semantics=semantics)
            assert verdict.valid, str(verdict)
            assert verdict.kind == ("plan" if named is not None else "unsatisfiable")
            assert named is None or [tuple(path) for path in written["selected"]] == list(named)


def test_no_false_claim_is_accepted() -> None:
    """100,000 of them in the long run: whatever states they hold, facts they name, and steps they take."""
    tally = Tally.of(false_claims(2, scaled(100_000, 400)))
    assert not tally.accepted, tally.accepted[0]
    assert {way for way, _ in tally.counts} == WAYS.keys(), "some way of forging made no false claim"


MISSING: Final[Mapping[str, tuple[Callable[[pytest.MonkeyPatch], None], str]]] = {
    "what can be selected": (without(solution_rules.only_selectable), "a selection that breaks a rule"),
    "one of a group": (without(solution_rules.one_per_group), "a selection that breaks a rule"),
    "updates": (without(solution_rules.replaced_operators_go), "a selection that breaks a rule"),
    "requirements": (without(solution_rules.requirements_met), "a selection that breaks a rule"),
    "a part taken holds": (without(solution_rules.taken_parts_hold), "parts that do not hold"),
    "a proof for each way": (believing_proofs, "a worse solution"),
    "steps follow": (believing_steps, "a failure that is none"),
    "facts hold": (believing_facts, "false facts"),
}


@pytest.mark.parametrize("name", MISSING)
def test_the_generator_finds_each_rule_that_is_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So the law above says something about each of them. (Nothing but the walk meets the roots: see above.)"""

    def is_accepted(question: Question, written: Mapping[str, Any]) -> bool:
        try:
            return not refusal(question, written)
        except IndexError:
            return False  # a wish that the request does not have, which nobody refused any more

    weakened, way = MISSING[name]
    weakened(monkeypatch)
    assert any(is_accepted(question, written) for _, question, written in false_claims(2, 20_000, [way]))
