"""House rules: what the author of a request forbids, demands and prefers, in his own words wherever it matters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve import (
    AtLeastOne,
    Bundles,
    Installed,
    Never,
    Prefer,
    Property,
    Request,
    RequestError,
    Semantics,
    Subscription,
    Unsatisfiable,
)
from olmsolve.answers.explain import LiftRule
from olmsolve.answers.reducing import anonymised, reduced, same_core
from olmsolve.catalog import UnreadableSource
from olmsolve.classic import ClassicProblem, HouseRule, as_eligibility, resolve_together
from olmsolve.eligibility import CandidateFacts
from olmsolve.predicates import GVK
from olmsolve.requests import catalog_of, package, read_house_rules, request_document, request_for
from olmsolve.semver import BlangRange
from tests.certificates.forging import relabelled

API = "mesh.example.com/v1/Mesh"
CATALOG = catalog_of(
    package("shop").channel("stable", "1.0.0 < 1.1.0 < 2.0.0").requires_api(API),
    package("mesh-a").channel("stable", "1.0.0 < 2.0.0").provides(API),
    package("mesh-b").channel("stable", "1.0.0").provides(API).labelled("certified"),
    package("monitor").channel("stable", "1.0.0"),
    package("chat").channel("stable", "1.0.0").requires("bridge"),
    package("bridge").channel("stable", "1.0.0"),
)


def request(*wishes: str, rules: list[HouseRule], **fields: Any) -> Request:
    return attrs.evolve(request_for(CATALOG, *wishes), house_rules=rules, **fields)


def names(ruled: Request, **given: Any) -> list[str]:
    return [install.name for install in olmsolve.resolve(ruled, **given).installs]


def failure(ruled: Request) -> Unsatisfiable:
    with pytest.raises(Unsatisfiable) as raised:
        olmsolve.resolve(ruled)
    return raised.value


@pytest.mark.parametrize("semantics", list(Semantics))
def test_never_forbids_whoever_asks(semantics: Semantics) -> None:
    """A requirement takes the next provider; the rule need not know who requires it."""
    rules: list[HouseRule] = [Never("mesh-a", name="no licence for mesh-a")]
    assert names(request("shop", rules=rules), semantics=semantics) == ["shop.v2.0.0", "mesh-b.v1.0.0"]


@pytest.mark.parametrize("semantics", list(Semantics))
def test_never_beside_forbids_the_pair_alone(semantics: Semantics) -> None:
    """Each of the two may be there without the other."""
    rules: list[HouseRule] = [Never("mesh-a", "monitor", name="they share a port")]
    assert names(request("shop", rules=rules), semantics=semantics) == ["shop.v2.0.0", "mesh-a.v2.0.0"]
    both = request("shop", "monitor", rules=rules)
    assert names(both, semantics=semantics) == ["shop.v2.0.0", "monitor.v1.0.0", "mesh-b.v1.0.0"]


def test_beside_the_same_bundles_at_most_one_is_left() -> None:
    """A bundle is not beside itself."""
    rule = Never(Bundles(api=API), Bundles(api=API), name="one mesh")
    assert names(request("mesh-a", rules=[rule])) == ["mesh-a.v2.0.0"]


def test_at_least_one_is_one_more_wish() -> None:
    """It comes last, takes the first candidate in the order of requirements, and the plan says for whom."""
    plan = olmsolve.resolve(request("shop", rules=[AtLeastOne("monitor", name="the SLA")]))
    assert [install.name for install in plan.installs] == ["shop.v2.0.0", "monitor.v1.0.0", "mesh-a.v2.0.0"]
    wanted = plan.installs[1].wanted_by[0]
    assert (str(wanted), wanted.to_dict()) == ("house rule 'the SLA'", {"houseRule": "the SLA"})
    why = olmsolve.why(plan, "monitor.v1.0.0")
    assert str(why) == "house rule 'the SLA' selects monitor.v1.0.0 (stable, olm/catalog)"


def test_what_a_subscription_gets_meets_a_demand() -> None:
    """Then nothing more is installed for it."""
    rule = AtLeastOne(Bundles(constraint={"any": {"constraints": [{"gvk": gvk()}]}}), name="a mesh")
    assert names(request("mesh-b", rules=[rule])) == ["mesh-b.v1.0.0"]


def gvk() -> dict[str, str]:
    return dict(zip(("group", "version", "kind"), API.split("/"), strict=True))


def test_prefer_reorders_wishes_and_requirements() -> None:
    """Of several preferences the first counts most; what is possible stays possible."""
    old, certified = Bundles("shop", versions="<1.1.0"), Bundles(constraint={"gvk": gvk(), "failureMessage": ""})
    assert names(request("shop", rules=[Prefer(old, name="old")])) == ["shop.v1.0.0", "mesh-a.v2.0.0"]
    assert names(request("shop", rules=[Prefer("mesh-b", name="b")])) == ["shop.v2.0.0", "mesh-b.v1.0.0"]
    first: list[HouseRule] = [Prefer("mesh-b", name="b"), Prefer(Bundles(name="mesh-a.v1.0.0"), name="a")]
    assert names(request("shop", rules=first)) == ["shop.v2.0.0", "mesh-b.v1.0.0"]
    assert names(request("shop", rules=first[::-1])) == ["shop.v2.0.0", "mesh-a.v1.0.0"]
    assert names(request("shop", rules=[Prefer(certified, name="all alike")])) == ["shop.v2.0.0", "mesh-a.v2.0.0"]


def test_a_preferred_operator_stays() -> None:
    """An installed operator is the last choice of its subscription, unless a preference names it."""
    operator = Installed("shop.v1.0.0", "1.0.0", tuple(CATALOG.packages["shop"].bundles["shop.v1.0.0"].properties))
    wish = Subscription("shop", "operators", "shop", installed_csv="shop.v1.0.0")
    ruled = request("shop", rules=[], subscriptions=[wish], installed=[operator])
    assert names(ruled)[0] == "shop.v1.1.0"
    stay = attrs.evolve(ruled, house_rules=[Prefer(Bundles("shop", versions="<1.1.0"), name="freeze")])
    plan = olmsolve.resolve(stay)
    assert [candidate.name for candidate in plan.kept] == ["shop.v1.0.0"]
    answer = olmsolve.why_not(plan, "shop", version="1.1.0")
    assert "house rule 'freeze' says prefer package shop in <1.1.0" in str(answer)
    assert answer.change == LiftRule("freeze")


def test_rules_speak_of_operators_that_stay() -> None:
    """What must stay and is forbidden cannot both hold, and lifting the rule or removing the operator helps."""
    operator = Installed(
        "old.v1", "1.0.0", (olmsolve.Property("olm.package", {"packageName": "old", "version": "1.0.0"}),)
    )
    ruled = request(rules=[Never("old", name="retired")], installed=[operator])
    explanation = olmsolve.explanation(failure(ruled))
    assert [str(fix) for fix in explanation.fixes or ()] == [
        "lift the house rule 'retired'",
        "remove the installed operator old.v1",
    ]
    assert not names(request(rules=[AtLeastOne("old", name="keep")], installed=[operator]))


def test_a_demand_still_holds_once_it_is_carried_out() -> None:
    """An operator is from the catalog that its subscription names, so what a rule brought in keeps the rule."""
    demand = AtLeastOne(Bundles("monitor", catalog="olm/catalog"), name="ours")
    properties = tuple(CATALOG.packages["monitor"].bundles["monitor.v1.0.0"].properties)
    operator = Installed("monitor.v1.0.0", "1.0.0", properties, "m")
    wish = Subscription("m", "operators", "monitor", source="catalog", source_namespace="olm")
    ruled = request(rules=[demand], subscriptions=[wish], installed=[operator])
    assert [candidate.name for candidate in olmsolve.resolve(ruled).kept] == ["monitor.v1.0.0"]
    elsewhere = attrs.evolve(wish, source="other")
    other = attrs.evolve(ruled, sources=[*ruled.sources, attrs.evolve(ruled.sources[0], name="other")])
    assert not olmsolve.is_satisfiable(attrs.evolve(other, subscriptions=[elsewhere]))
    assert failure(attrs.evolve(other, subscriptions=[elsewhere])).core[0].kind == "SubscriptionWants"


def test_cores_name_the_rule_in_its_authors_words() -> None:
    """The core is minimal, and says nothing of rules that do not matter."""
    idle = Never("monitor", name="idle")
    apart = Never(Bundles("chat"), "bridge", name="security review 7")
    (root, requires, kept) = failure(request("chat", rules=[idle, apart])).core
    assert (root.kind, requires.kind, kept.kind) == ("SubscriptionWants", "Requires", "RuleKeepsApart")
    assert str(kept) == (
        "chat.v1.0.0 (stable, olm/catalog) may not be selected together with bridge.v1.0.0 (stable, olm/catalog):"
        " house rule 'security review 7' says never package chat together with package bridge"
    )
    (demand,) = failure(request(rules=[AtLeastOne("nothing", name="a dream")])).core
    assert (demand.kind, demand.candidates_named()) == ("RuleDemands", ())
    banned = failure(request("bridge", rules=[Never("bridge", name="no bridges")])).core[-1]
    assert banned.sentence(banned.candidates_named()[0]) == (
        "it may not be selected: house rule 'no bridges' says never package bridge"
    )


def test_explanations_tell_the_rule_and_offer_to_lift_it() -> None:
    """Each way out was resolved."""
    rules: list[HouseRule] = [AtLeastOne("monitor", name="the SLA"), Never("monitor", "chat", name="ports")]
    explanation = olmsolve.explanation(failure(request("chat", rules=rules)))
    (conflict,) = explanation.conflicts
    assert str(conflict) == "house rule 'the SLA' cannot be kept together with subscription chat"
    assert [node.kind.value for node in conflict.nodes] == [
        "subscription", "bundles", "kept-apart", "demand", "bundles", "kept-apart",
    ]  # fmt: skip
    assert [str(location) for location in conflict.nodes[3].locations] == ["houseRules[0]"]
    fixes = {str(fix): [install.name for install in fix.resolution.installs] for fix in explanation.fixes or ()}
    assert fixes["lift the house rule 'the SLA'"] == ["chat.v1.0.0", "bridge.v1.0.0"]
    assert "monitor.v1.0.0" in fixes["lift the house rule 'ports'"]
    text = olmsolve.render.explanation_text(explanation)
    assert "house rule 'ports' says never package monitor together with package chat" in " ".join(text.split())


def test_a_misspelt_demand_gets_a_hint() -> None:
    """A name in a rule can be wrong like any other."""
    explanation = olmsolve.explanation(failure(request(rules=[AtLeastOne("moniter", name="the SLA")])))
    (node,) = explanation.conflicts[0].nodes
    assert any("monitor" in note.text for note in node.notes)


def test_why_not_says_the_rule_and_lifts_it() -> None:
    """The change is resolved before it is offered."""
    plan = olmsolve.resolve(request("shop", rules=[Never("mesh-a", name="no licence")]))
    answer = olmsolve.why_not(plan, "mesh-a", version="2.0.0")
    assert answer.verdict.value == "impossible"
    assert answer.change == LiftRule("no licence")
    held_back = olmsolve.held_back(
        olmsolve.resolve(request("shop", rules=[Never(Bundles("shop", versions="2.0.0"), name="x")]))
    )
    assert held_back[0].newer[0].reason == "it may not be selected: house rule 'x' says never package shop in 2.0.0"
    assert held_back[0].newer[0].because.value == "refused"


def test_certificates_prove_and_a_plan_that_breaks_a_rule_is_refused() -> None:
    """The checker reads the rules itself."""
    ruled = request("shop", "monitor", rules=[Never("mesh-a", "monitor", name="ports"), Prefer("mesh-a", name="a")])
    proof = olmsolve.certificate(olmsolve.resolve(ruled))
    assert olmsolve.verify(proof, ruled)
    assert len(proof["rejected"]) == 2, "both versions of mesh-a are proved impossible"
    without = attrs.evolve(ruled, house_rules=())
    assert not olmsolve.verify(olmsolve.certificate(olmsolve.resolve(without)), ruled)
    impossible = attrs.evolve(ruled, house_rules=[Never("shop", "monitor", name="never")])
    refuted = olmsolve.certificate(failure(impossible))
    assert olmsolve.verify(refuted, impossible)
    assert str(olmsolve.verify(refuted, without).reason).startswith("it is for a request with other")
    with pytest.raises(RequestError, match="has no requirement number"):
        olmsolve.verify(relabelled(refuted, without, Semantics.DOCUMENTED), without)


def test_clauses_come_from_the_rules() -> None:
    """Other solvers keep them as well, and the symbol table names a demand."""
    rules: list[HouseRule] = [Never("mesh-a", "monitor", name="ports"), AtLeastOne(Bundles(api=API), name="a mesh")]
    compiled = olmsolve.compile(request("monitor", rules=rules))
    reasons = [(clause.literals, compiled.reason(clause)) for clause in compiled.clauses()]
    pairs = [literals for literals, reason in reasons if reason.kind == "RuleKeepsApart"]
    assert [[str(compiled.variable(abs(literal)).stands_for) for literal in pair] for pair in pairs] == [
        ["mesh-a.v2.0.0 (stable, olm/catalog)", "monitor.v1.0.0 (stable, olm/catalog)"],
        ["mesh-a.v1.0.0 (stable, olm/catalog)", "monitor.v1.0.0 (stable, olm/catalog)"],
    ]
    assert [literals for literals, reason in reasons if reason.kind == "RuleDemands"] == [(2, 3, 4)]
    assert [place.get("houseRule") for place in compiled.to_dict()["places"]] == ["a mesh"] * 2
    assert "a mesh" in "".join(compiled.to_wcnf())


def test_sets_of_bits_stay_where_no_rule_speaks() -> None:
    """Dense requests keep their speed: only what a rule restricts or reorders becomes ordinary."""
    plain = request("shop", rules=[])
    banned = ClassicProblem.of_request(
        attrs.evolve(plain, house_rules=[Never("mesh-b", name="x")]), Semantics.DOCUMENTED
    )
    numbers = {banned.candidate(number).name: number for number in range(banned.visible.size)}
    assert banned.families.masked_needs(numbers["mesh-b.v1.0.0"]) is None
    assert banned.families.masked_needs(numbers["chat.v1.0.0"]) is not None
    old = Bundles("mesh-a", versions="<2.0.0")
    reordered = ClassicProblem.of_request(
        attrs.evolve(plain, house_rules=[Prefer(old, name="x")]), Semantics.DOCUMENTED
    )
    assert reordered.families.family_of(numbers["mesh-a.v1.0.0"]) is None
    assert reordered.families.family_of(numbers["bridge.v1.0.0"]) is not None
    assert reordered.families.masked_needs(numbers["chat.v1.0.0"]) is not None


def test_namespaces_resolved_together_keep_their_rules() -> None:
    """Each namespace has rules of its own."""
    one = request("shop", rules=[Never("mesh-a", name="x")])
    other = attrs.evolve(
        request("monitor", rules=[Never("monitor", name="y")]),
        namespaces=("second", "olm"),
        subscriptions=[Subscription("monitor", "second", "monitor")],
    )
    with pytest.raises(olmsolve.classic.UnsatisfiableTogether, match="house rule 'y'"):
        resolve_together([one, other])
    plans = resolve_together([one, attrs.evolve(other, house_rules=[AtLeastOne("bridge", name="z")])])
    assert [install.name for install in plans["operators"].installs] == ["shop.v2.0.0", "mesh-b.v1.0.0"]
    assert [install.name for install in plans["second"].installs] == ["monitor.v1.0.0", "bridge.v1.0.0"]


def test_resolvers_take_rules() -> None:
    """Each request brings its own, over one index."""
    resolver = olmsolve.Resolver([olmsolve.Source("main", "olm", 0, CATALOG)])
    wish = Subscription("m", "ns", "monitor")
    rule = Never("monitor", name="x")
    assert resolver.is_satisfiable([wish], namespaces=["ns", "olm"])
    assert not resolver.is_satisfiable([wish], namespaces=["ns", "olm"], house_rules=[rule])


def test_a_demand_may_depend_on_an_unreadable_catalog() -> None:
    """Under the policy "referenced" nothing is resolved that the catalog could change."""
    gone = UnreadableSource("gone", "olm", 0, "no such image")
    ruled = request("monitor", rules=[AtLeastOne("bridge", name="x")], unreadable=[gone], health_policy="referenced")
    ruled = attrs.evolve(
        ruled, subscriptions=[attrs.evolve(ruled.subscriptions[0], source="catalog", source_namespace="olm")]
    )
    assert str(failure(ruled).core[0]).endswith("cannot be read, and house rule 'x' considers it")
    named = attrs.evolve(ruled, house_rules=[AtLeastOne(Bundles("bridge", catalog="olm/catalog"), name="x")])
    assert names(named) == ["monitor.v1.0.0", "bridge.v1.0.0"]


RULES: list[HouseRule] = [
    Never(Bundles("mesh-a", versions=">=2.0.0"), Bundles(api=API, catalog="olm/catalog"), name="one"),
    AtLeastOne(Bundles(name="monitor.v1.0.0"), name="two"),
    Prefer(Bundles(constraint={"cel": {"rule": "properties.exists(p, p.type == 'olm.label')"}}), name="three"),
    Never("chat", name="four"),
]


def test_rules_are_documents_and_back(tmp_path: Path) -> None:
    """In a request document, and in a file of their own for the command line."""
    ruled = request("shop", rules=RULES)
    assert olmsolve.read_request(ruled.to_dict()) == ruled
    assert olmsolve.read_request(request_document(ruled)).house_rules == tuple(RULES)
    document = {"houseRules": [{"name": "a", "never": "chat", "beside": {"package": "shop"}}]}
    assert read_house_rules(document) == (Never("chat", "shop", name="a"),)
    assert read_house_rules({"houseRules": [rule.to_dict() for rule in RULES]}) == tuple(RULES)
    assert hash(ruled) == hash(olmsolve.read_request(ruled.to_dict()))


@pytest.mark.parametrize(
    ("make", "field", "reason"),
    [
        (lambda: Bundles(), "bundles", "nothing is given"),
        (lambda: Bundles(versions=">1.0.0"), "versions", "need a package"),
        (lambda: Bundles("a", versions="one"), "versions", "version range"),
        (lambda: Bundles("a", versions=3), "versions", "must be a range of versions"),  # type: ignore[arg-type]
        (lambda: Bundles(api="Kind"), "api", "is not an API"),
        (lambda: Bundles(constraint={"cel": {"rule": "1"}}), "constraint", "a rule must be a bool"),
        (lambda: Bundles(constraint="x"), "constraint", "the value of an olm.constraint"),  # type: ignore[arg-type]
        (lambda: Never(3, name="x"), "bundles", "the name of a package, or a function of a candidate"),  # type: ignore[arg-type]
        (lambda: Never("a", name=" "), "name", "must not be empty"),
        (lambda: request(rules=["x"]), "house_rules[0]", "Never, AtLeastOne, Prefer or TotalAtMost"),  # type: ignore[list-item]
        (lambda: request(rules=Never("a", name="x")), "house_rules", "a list of rules"),  # type: ignore[arg-type]
        (lambda: request(rules=3), "house_rules", "a list of rules"),  # type: ignore[arg-type]
        (lambda: request(rules=[Never("a", name="x"), Prefer("b", name="x")]), "house_rules", "given 2 times"),
    ],
)
def test_wrong_rules_are_refused_when_they_are_made(make: Callable[[], object], field: str, reason: str) -> None:
    """The error names the field."""
    with pytest.raises(RequestError) as raised:
        make()
    assert raised.value.field == field
    assert reason in raised.value.reason


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ({"name": "x"}, "houseRules[0]"),
        ({"name": "x", "never": "a", "prefer": "b"}, "houseRules[0]"),
        ({"name": "x", "prefer": "a", "beside": "b"}, "houseRules[0].beside"),
        ({"name": "x", "never": {"pakage": "a"}}, "houseRules[0].never.pakage"),
        ({"name": "x", "never": {}}, "houseRules[0].never"),
        ({"name": "x", "never": {"package": "a", "versions": "one"}}, "houseRules[0].never.versions"),
        ({"name": "x", "never": {"constraint": {"cel": 1}}}, "houseRules[0].never.constraint"),
        ({"never": "a"}, "houseRules[0].name"),
    ],
)
def test_documents_name_the_wrong_field(rule: dict[str, Any], field: str) -> None:
    """As in the rest of a request document."""
    with pytest.raises(RequestError) as raised:
        read_house_rules({"houseRules": [rule]})
    assert raised.value.field == field


def test_an_extension_takes_only_rules_about_single_bundles() -> None:
    """OLM v1 resolves each extension by itself: one bundle can be forbidden, and the rest is refused by name."""
    document = {"extension": {"packageName": "shop"}, "catalogs": []}
    with pytest.raises(RequestError, match="OLM v1 resolves each extension by itself"):
        olmsolve.read_extension_request({**document, "houseRules": []} | {"houseRules": [{"name": "x", "never": "a"}]})
    extension = olmsolve.v1.ExtensionRequest(
        olmsolve.v1.Extension("monitor"), [olmsolve.v1.ClusterCatalog("main", catalog=CATALOG)]
    )
    policy = olmsolve.Policy(house_rules=[Never("monitor", name="quiet")])
    with pytest.raises(olmsolve.ResolutionError):
        olmsolve.resolve(policy.applied_to_extension(extension))
    [constraint] = as_eligibility(policy.house_rules)
    facts = [CandidateFacts(f"{name}.v1", name) for name in ("monitor", "shop")]
    assert [constraint(fact) for fact in facts] == ["house rule 'quiet' says never package monitor", ""]
    with pytest.raises(RequestError, match="house rule 'x' is about several bundles"):
        olmsolve.Policy(house_rules=[Prefer("monitor", name="x")]).applied_to_extension(extension)


def test_reductions_keep_the_rules_that_matter_and_rename_them() -> None:
    """A request that is reported shows neither idle rules nor the words of a company."""
    ruled = request("chat", "shop", rules=[Never("monitor", name="idle"), Never("chat", "bridge", name="secret")])
    small = reduced(ruled, same_core(ruled))
    assert isinstance(small, Request)
    assert [rule.name for rule in small.house_rules] == ["secret"]
    renamed = anonymised(small)
    assert isinstance(renamed, Request)
    assert [str(rule) for rule in renamed.house_rules] == ["never package package-2 together with package package-1"]
    assert renamed.house_rules[0].name == "rule-1"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"constraint": Property("olm.label", {"label": "l"})}, "constraint"),
        ({"constraint": "certified"}, "constraint"),
        ({"constraint": {"all": {}}}, "constraint"),
        ({"api": "g/K"}, "api"),
        ({"api": "g//K"}, "api"),
        ({"package": "a", "versions": 1}, "versions"),
        ({"package": "a", "versions": "no range"}, "versions"),
        ({"versions": ">=1.0.0"}, "versions"),
        ({}, "bundles"),
    ],
    ids=str,
)
def test_bundles_name_the_field_that_is_wrong(given: dict[str, Any], field: str) -> None:
    """A rule that says something else than its author means is worse than none."""
    with pytest.raises(RequestError) as caught:
        Bundles(**given)
    assert caught.value.field == field


@pytest.mark.parametrize("name", ["", " ", 3])
def test_a_rule_has_a_name_in_words(name: Any) -> None:
    """Cores and plans tell of a rule by its name."""
    with pytest.raises(RequestError) as caught:
        Never("a", name=name)
    assert caught.value.field == "name"


def test_a_constraint_is_a_value_or_its_property() -> None:
    """Both say the same; what such a property holds is read at once."""
    value = {"gvk": {"group": "g", "version": "v1", "kind": "K"}}
    assert Bundles(constraint=value) == Bundles(constraint=Property("olm.constraint", value))


def test_bundles_are_made_of_texts_or_values() -> None:
    """An index finds them by what they have in common, of which a package is a part."""
    parsed = Bundles("a", versions=BlangRange.parse("<2.0.0"), api=GVK(*API.split("/")))
    assert parsed == Bundles("a", versions="<2.0.0", api=API)
    assert parsed.as_predicates() == parsed.predicates != ()
    assert [str(predicate) for predicate in Bundles("a").as_predicates()] == ["package a in >=0.0.0-0"]
    assert Bundles(name="a.v1").as_predicates() == ()
    assert "predicates" not in repr(parsed)
