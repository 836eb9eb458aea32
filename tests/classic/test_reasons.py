"""Reasons: what a request that cannot be met says first, and how its lists are shortened."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve import (
    Bundles,
    Catalog,
    CatalogError,
    Installed,
    Never,
    Request,
    RequestError,
    Semantics,
    Unsatisfiable,
    resolve,
)
from olmsolve.catalog import Package, Source, UnreadableSource
from olmsolve.catalog.fbc import from_blobs
from olmsolve.classic import (
    Broken,
    CatalogsUnreadable,
    ClassicProblem,
    HealthPolicy,
    Influence,
    Requires,
    SubscriptionWants,
    UnknownChannel,
    UnknownPackage,
    UnknownStartingCSV,
    opposed,
    reason_against,
    reason_for,
)
from olmsolve.predicates import HasLabel
from olmsolve.solver import AtMost, Branch, Choice, Dependency, Mandatory, Prohibited
from olmsolve.testing import catalog_of, package, request_for

CATALOG = catalog_of(
    package("db").channel("stable", "1.0.0 < 1.1.0"),
    package("web").channel("stable", "1.0.0").requires("db", "<1.0.0"),
)


def reasons(request: Request) -> list[Any]:
    with pytest.raises(Unsatisfiable) as caught:
        resolve(request)
    return list(caught.value.core)


def wished(package_: str, **fields: Any) -> Request:
    request = request_for(CATALOG, package_)
    return attrs.evolve(request, subscriptions=[attrs.evolve(request.subscriptions[0], **fields)])


def test_what_a_subscription_names_wrongly_is_told() -> None:
    """Its package, its channel or the bundle it starts at: with the names that there are."""
    [unknown] = reasons(wished("dp"))
    assert isinstance(unknown, UnknownPackage)
    assert "package dp" in str(unknown)
    assert unknown.sentence() == str(unknown)
    [unknown] = reasons(wished("db", channel="beta"))
    assert isinstance(unknown, UnknownChannel)
    assert "stable" in str(unknown)
    [unknown] = reasons(wished("db", starting_csv="db.v1.2.0"))
    assert isinstance(unknown, UnknownStartingCSV)
    assert "db.v1.1.0" in str(unknown)


@pytest.mark.parametrize("count", [5, 6, 7])
def test_long_lists_are_shortened(count: int) -> None:
    """Five candidates are shown, and how many more there are."""
    versions = [f"1.{number}.0" for number in range(count)]
    catalog = catalog_of(
        package("web").channel("stable", "1.0.0").requires("db", ">=1.0.0"),
        package("db").channel("stable", " < ".join(versions)).requires("gone", ">=1.0.0"),
    )
    with pytest.raises(Unsatisfiable) as caught:
        resolve(request_for(catalog, "web"))
    [listed] = [
        str(reason) for reason in caught.value.core if "web.v1.0.0" in str(reason) and "requires" in str(reason)
    ]
    assert listed.count("db.v1.") == 5
    assert (f"and {count - 5} more" in listed) is (count > 5)


def test_system_constraints_never_refuse_what_is_installed() -> None:
    """An operator that runs may stay, even the first one by name, if no bundle of a catalog would be let in."""
    operators = [Installed("a.v1", "1.0.0"), Installed("b.v1", "1.0.0")]
    request = attrs.evolve(
        request_for(CATALOG, "db"), installed=operators, eligibility=[lambda facts: f"{facts.name} is refused"]
    )
    problem = ClassicProblem.of_request(request, Semantics.DOCUMENTED)
    size = problem.visible.size
    assert [bool(problem.refusal(number)) for number in range(size + 2)] == [True] * size + [False] * 2
    assert not problem.can_be_met(HasLabel("nobody has it"))
    assert ClassicProblem.of_request(attrs.evolve(request, eligibility=[]), Semantics.DOCUMENTED).refusal(0) == ""


def test_a_bundle_that_cannot_be_read_is_the_catalogs_fault() -> None:
    """Where it decides the request, no other reason is told than the fault."""
    broken = catalog_of(package("db").channel("stable", "1.0.0").constrained({"nothing": "known"}))
    with pytest.raises(CatalogError, match="nothing"):
        resolve(request_for(broken, "db"))


def test_a_channel_without_an_order_serves_nobody() -> None:
    """Its fault is told where it decides; a subscription that another catalog serves does not care."""
    forked = from_blobs(
        [
            {"schema": "olm.channel", "package": "db", "name": "stable", "entries": [{"name": "a"}, {"name": "b"}]},
            *({"schema": "olm.bundle", "package": "db", "name": name, "properties": []} for name in "ab"),
        ]
    )
    with pytest.raises(CatalogError, match="2 chains"):
        resolve(request_for(forked, "db"))
    request = request_for(CATALOG, "db")
    sources = [*request.sources, attrs.evolve(request.sources[0], name="forked", catalog=forked)]
    assert [install.name for install in resolve(attrs.evolve(request, sources=sources)).installs] == ["db.v1.1.0"]


def test_the_slot_of_a_channel_without_an_order_is_no_bundle_to_refuse() -> None:
    """A system constraint looks at bundles, and none can be selected there."""
    entries = [{"name": "a"}, {"name": "b"}]
    forked = from_blobs(
        [
            {"schema": "olm.channel", "package": "db", "name": "stable", "entries": entries},
            *({"schema": "olm.bundle", "package": "db", "name": name, "properties": []} for name in "ab"),
        ]
    )
    request = attrs.evolve(request_for(forked, "db"), eligibility=[lambda facts: f"{facts.name} is refused"])
    problem = ClassicProblem.of_request(request, Semantics.DOCUMENTED)
    assert [problem.refusal(number) for number in range(problem.visible.size)] == ["", "a is refused", "b is refused"]


def test_a_refused_bundle_is_told_with_its_refusal() -> None:
    """Nobody finds out otherwise why a bundle of the catalog is left out."""
    refusing = attrs.evolve(wished("db"), eligibility=[lambda facts: f"{facts.name} is too new"])
    [_, *refused] = reasons(refusing)
    assert [candidate.refusal for candidate in refused] == ["db.v1.1.0 is too new", "db.v1.0.0 is too new"]
    problem = ClassicProblem.of_request(refusing, Semantics.DOCUMENTED)
    origins = [
        str(constraint.origin)
        for number in (0, 1)
        for constraint in problem.constraints(number)
        if isinstance(constraint, Prohibited)
    ]
    assert origins == [candidate.refusal for candidate in refused]


def test_a_package_without_channels_is_told_as_such() -> None:
    """There is no channel that the subscription could have named wrongly."""
    silent = Catalog({"db": Package("db", "", {}, {})})
    [unknown] = reasons(attrs.evolve(request_for(CATALOG, "db"), sources=[Source("main", "olm", 0, silent)]))
    assert isinstance(unknown, UnknownChannel)
    assert str(unknown) == "subscription db names package db, which has no channel"


def test_two_near_names_are_enough() -> None:
    """A longer list is read by nobody, and the best are first."""
    catalog = catalog_of(*(package(f"storefront-{letter}").channel("stable", "1.0.0") for letter in "abc"))
    [unknown] = reasons(request_for(catalog, "storefront"))
    assert isinstance(unknown, UnknownPackage)
    assert len(unknown.near) == 2


def test_a_broken_bundle_is_a_reason_of_its_own() -> None:
    """Reasons are made one by one where a core is read; the catalog's fault is raised later, by whoever resolves."""
    broken = catalog_of(package("db").channel("stable", "1.0.0").constrained({"nothing": "known"}))
    problem = ClassicProblem.of_request(request_for(broken, "db"), Semantics.DOCUMENTED)
    [prohibited] = problem.constraints(0)
    reason = reason_for(problem, prohibited)
    assert isinstance(reason, Broken)
    assert str(reason).startswith("db.v1.0.0")
    assert "cannot be selected" in str(reason)


def test_a_requirement_met_by_what_is_there_anyway_is_certain() -> None:
    """A catalog that no one can read might have offered something better, but nobody would have asked for it."""
    catalog = catalog_of(
        package("db").channel("stable", "1.0.0 < 1.1.0"),
        package("web").channel("stable", "1.0.0").requires("db", ">=1.0.0"),
    )
    request = request_for(catalog, "db", "web")
    [own] = request.sources
    first, second = (
        attrs.evolve(wish, source=own.name, source_namespace=own.namespace) for wish in request.subscriptions
    )
    first = attrs.evolve(first, starting_csv="db.v1.0.0")
    lost = UnreadableSource("lost", own.namespace, 0, "no route")
    request = attrs.evolve(request, subscriptions=[first, second], unreadable=[lost])
    plan = resolve(attrs.evolve(request, health_policy=HealthPolicy.REFERENCED))
    assert [install.name for install in plan.installs] == ["db.v1.0.0", "web.v1.0.0"]


def test_a_subscription_owns_one_operator() -> None:
    """Two would both be replaced by its next bundle, which OLM never does."""
    request = request_for(CATALOG, "db")
    two = [Installed(f"db.v1.{minor}.0", f"1.{minor}.0", subscription="db") for minor in range(2)]
    with pytest.raises(RequestError, match="subscription 'db' owns two operators"):
        attrs.evolve(request, installed=two).owners()


def test_a_bundle_with_two_meanings_is_listed_once() -> None:
    """However many of its requirements mean something else under the other semantics."""
    either = {
        "all": {"constraints": [{"package": {"packageName": n, "versionRange": ">=1.0.0"}} for n in ("db", "kv")]}
    }
    catalog = catalog_of(
        package("web").channel("stable", "1.0.0").constrained(either).constrained({**either, "failureMessage": "x"}),
        package("db").channel("stable", "1.0.0"),
        package("kv").channel("stable", "1.0.0"),
    )
    assert [candidate.name for candidate in resolve(request_for(catalog, "web")).differing] == ["web.v1.0.0"]


def test_what_rules_out_a_candidate_is_told_as_a_core_tells_it() -> None:
    """An observer hears the reasons of a core, one candidate at a time; what brings in a branch is no reason."""
    problem = ClassicProblem.of_request(
        attrs.evolve(wished("db"), eligibility=[lambda facts: "too new"]), Semantics.DOCUMENTED
    )
    [prohibited] = [constraint for constraint in problem.constraints(0) if isinstance(constraint, Prohibited)]
    assert reason_against(problem, 0, prohibited) == reason_for(problem, prohibited)
    branch = Branch(Choice((0,)))
    assert reason_against(problem, 0, Dependency(branch, (0,), "part")) is None
    assert reason_against(problem, 0, "something else") is None


def test_a_choice_that_must_be_made_speaks_against_nobody() -> None:
    """Only what excludes a candidate does: so what remains of a compound requirement can be told."""
    assert opposed([Mandatory(3, "wish"), AtMost(1, (1, 2)), Prohibited(4, "gone")]) == {1, 2, 4}


@pytest.mark.parametrize("policy", HealthPolicy)
def test_a_compound_requirement_depends_on_what_no_one_can_read(policy: HealthPolicy) -> None:
    """An unreadable catalog may hold a bundle that a "not" forbids, so a plan is uncertain where it is referred to."""
    chosen = {"not": {"constraints": [{"package": {"packageName": "db", "versionRange": "<1.0.0"}}]}}
    catalog = catalog_of(package("web").channel("stable", "1.0.0").constrained(chosen))
    request = request_for(catalog, "web")
    [own], [wish] = request.sources, request.subscriptions
    wish = attrs.evolve(wish, source=own.name, source_namespace=own.namespace)
    lost = UnreadableSource("lost", own.namespace, 0, "no route")
    request = attrs.evolve(request, health_policy=policy, subscriptions=[wish], unreadable=[lost])
    if policy is HealthPolicy.REFERENCED:
        [reason] = reasons(request)
        assert isinstance(reason, CatalogsUnreadable)
        assert reason.influence is Influence.COMPOUND
    elif policy is HealthPolicy.IGNORE:
        assert [install.name for install in resolve(request).installs] == ["web.v1.0.0"]
    else:
        assert reasons(request)


@pytest.mark.parametrize("named", [True, False], ids=["catalog and channel", "channel"])
def test_a_channel_without_an_order_decides_where_nothing_else_can(named: bool) -> None:
    """A subscription that names catalog and channel has no other candidates, so nobody needs to search."""
    entries = [{"name": "a.v1.0.0", "replaces": "a.v2.0.0"}, {"name": "a.v2.0.0", "replaces": "a.v1.0.0"}]
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "a", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "a", "name": "stable", "entries": entries},
    ]
    for name in ("a.v1.0.0", "a.v2.0.0"):
        value = {"packageName": "a", "version": name.removeprefix("a.v")}
        properties = [{"type": "olm.package", "value": value}]
        blobs.append({"schema": "olm.bundle", "package": "a", "name": name, "properties": properties})
    request = request_for(from_blobs(blobs), "a@stable")
    source = request.sources[0]
    wish = attrs.evolve(request.subscriptions[0], source=source.name, source_namespace=source.namespace)
    request = attrs.evolve(request, subscriptions=[wish]) if named else request
    if named:
        with pytest.raises(CatalogError, match="no head"):
            ClassicProblem.of_request(request, Semantics.DOCUMENTED)
    else:
        assert ClassicProblem.of_request(request, Semantics.DOCUMENTED).roots
    with pytest.raises(CatalogError, match="no head"):
        resolve(request)


@pytest.mark.parametrize(("count", "more"), [(50, ""), (51, "and 1 more"), (60, "and 10 more")])
def test_a_long_failure_is_shortened(count: int, more: str) -> None:
    """A terminal shows fifty reasons, and how many are left out; the values are all there."""
    [reason] = reasons(wished("dp"))
    failed = Unsatisfiable((reason,) * count)
    first, *lines = str(failed).splitlines()
    assert first.startswith("the request cannot be satisfied")
    assert [line for line in lines if "names package dp" in line] == [f"  - {reason}"] * 50
    assert lines[50:] == ([f"  - {more}; an explanation groups bundles that fail alike"] if more else [])


def test_a_subscription_without_candidates_is_told_as_such() -> None:
    """No list of candidates ends in nothing."""
    [wish] = wished("db").subscriptions
    assert str(SubscriptionWants(wish, ())) == "subscription db cannot be served: its channel has no candidate"


def test_a_prohibition_names_what_it_rules_out() -> None:
    """It is not told as something that nothing gives."""
    no_db = {"not": {"constraints": [{"package": {"packageName": "db", "versionRange": ">=0.0.0"}}]}}
    catalog = catalog_of(
        package("app").channel("stable", "1.0.0").constrained(no_db), package("db").channel("stable", "1.0.0")
    )
    *_, requires = reasons(request_for(catalog, "app", "db"))
    assert str(requires) == (
        "app.v1.0.0 (stable, olm/catalog) excludes package db in >=0.0.0, "
        "which rules out db.v1.0.0 (stable, olm/catalog)"
    )


def test_alternatives_that_one_bundle_meets_are_one_requirement() -> None:
    """Any of some packages is a choice among bundles: no part of it is told as missing, nor has variables."""
    either = {"any": {"constraints": [{"package": {"packageName": n, "versionRange": "<9.0.0"}} for n in ("db", "no")]}}
    catalog = catalog_of(
        package("app").channel("stable", "1.0.0").constrained(either), package("db").channel("stable", "9.0.0 < 10.0.0")
    )
    *_, requires = reasons(request_for(catalog, "app"))
    assert isinstance(requires, Requires)
    assert (requires.candidates, requires.missing) == ((), ())
    assert str(requires).endswith("which no bundle provides")


def test_a_named_channel_without_an_order_is_told_with_its_file() -> None:
    """The author of the catalog looks there; nothing else can serve a subscription that names catalog and channel."""
    forked = from_blobs(
        [
            {"schema": "olm.channel", "package": "db", "name": "stable", "entries": [{"name": "a"}, {"name": "b"}]},
            *({"schema": "olm.bundle", "package": "db", "name": name, "properties": []} for name in "ab"),
        ],
        origin="db.yaml",
    )
    request = request_for(forked, "db@stable")
    [wish] = request.subscriptions
    request = attrs.evolve(request, subscriptions=[attrs.evolve(wish, source="catalog", source_namespace="olm")])
    with pytest.raises(CatalogError, match="without an order") as caught:
        resolve(request)
    assert caught.value.origin.startswith("db.yaml")
    # Its slot is no bundle, which a house rule could mean.
    rule = Never(Bundles(catalog="olm/catalog"), name="nothing of this")
    problem = ClassicProblem.of_request(
        attrs.evolve(request, subscriptions=(), house_rules=[rule]), Semantics.DOCUMENTED
    )
    assert problem.ruled is not None
    banned = [problem.ruled.ban(number) for number in range(problem.visible.size)]
    assert banned == [None, rule, rule]


def test_a_subscription_is_given_once() -> None:
    """Reasons and plans name it, so two of one name could not be told apart."""
    request = request_for(CATALOG, "db")
    with pytest.raises(RequestError, match="'db' is given 2 times") as caught:
        attrs.evolve(request, subscriptions=request.subscriptions * 2)
    assert caught.value.field == "subscriptions"


def test_a_request_has_a_namespace() -> None:
    """Its first namespace is the target, whose catalogs come first."""
    with pytest.raises(RequestError, match="at least the target namespace"):
        Request((), (), ())


def test_a_bundle_that_a_range_has_removed_is_told_with_its_channel() -> None:
    """Or with all of them, where the subscription names none."""
    [wish] = wished("db", starting_csv="db.v1.0.0").subscriptions
    removed = UnknownStartingCSV(wish, (), ("db.v1.1.0",))
    beginning = "subscription db starts with db.v1.0.0, which the skipRange of db.v1.1.0 removes from"
    assert str(removed) == f"{beginning} every channel"
    assert str(olmsolve.evolve(removed, subscription=attrs.evolve(wish, channel="stable"))) == f"{beginning} stable"


def test_only_the_parts_that_fail_have_their_messages_told() -> None:
    """Beside the blue bundle the prohibition fails, and nothing meets the other alternative; db could be had."""

    def part(name: str, message: str) -> dict[str, Any]:
        return {"failureMessage": message, "package": {"packageName": name, "versionRange": ">=0.0.0"}}

    no_blue = {"failureMessage": "no blue", "not": {"constraints": [part("blue", "")]}}
    either = {
        "any": {"constraints": [{"all": {"constraints": [part("db", "needs db"), no_blue]}}, part("no", "no no")]}
    }
    catalog = catalog_of(
        package("app").channel("stable", "1.0.0").constrained(either),
        package("blue").channel("stable", "1.0.0"),
        package("db").channel("stable", "1.0.0"),
    )
    failed = reasons(request_for(catalog, "app", "blue"))
    [requires] = [reason for reason in failed if isinstance(reason, Requires)]
    assert requires.message == "no blue; no no"
    # Certificates and copies compare reasons, and may not know which parts fail.
    assert olmsolve.evolve(requires, failing=()) == requires
    assert Unsatisfiable(tuple(failed)).to_dict()["unsatisfiable"] is True


def test_what_only_several_bundles_could_meet_is_told_as_such() -> None:
    """The shipped controller takes a compound requirement for one of a single bundle."""
    parts = [{"package": {"packageName": name, "versionRange": ">=0.0.0"}} for name in ("db", "kv")]
    catalog = catalog_of(
        package("app").channel("stable", "1.0.0").constrained({"all": {"constraints": parts}}),
        package("db").channel("stable", "1.0.0"),
        package("kv").channel("stable", "1.0.0"),
    )
    with pytest.raises(Unsatisfiable, match="which no single bundle meets"):
        resolve(request_for(catalog, "app"), semantics="controller")


def test_a_bundle_to_start_with_is_looked_for_in_the_channel() -> None:
    """Which is told, or that there was none to be found in any."""
    [wish] = wished("db", starting_csv="db.v1.2.0").subscriptions
    beginning = "subscription db starts with db.v1.2.0, which is not in"
    assert str(UnknownStartingCSV(wish)) == f"{beginning} any channel of package db"
    assert str(UnknownStartingCSV(attrs.evolve(wish, channel="beta"))) == f"{beginning} beta of package db"


def test_a_view_serves_only_who_sees_its_catalogs() -> None:
    """It is shared by questions about one request; another namespace sees other catalogs."""
    request = request_for(CATALOG, "db")
    view = ClassicProblem.of_request(request, Semantics.DOCUMENTED).visible
    assert ClassicProblem.of_request(request, Semantics.CONTROLLER, view).visible is view
    elsewhere = attrs.evolve(request, namespaces=("operators", "other"))
    assert not ClassicProblem.of_request(elsewhere, Semantics.DOCUMENTED, view).visible.sources
