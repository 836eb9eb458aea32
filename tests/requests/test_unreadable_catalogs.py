"""Catalogs that cannot be read: what is resolved in spite of them under each policy, and what is said."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Iterable, Sequence

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve import Prefer, RequestError, Resolver, Unsatisfiable, explanation, is_satisfiable, read_request, resolve
from olmsolve.catalog import Catalog, Source, UnreadableSource, fbc
from olmsolve.classic import CatalogsUnreadable, HealthPolicy, Installed, Request, Subscription
from olmsolve.render import plan_markdown, plan_text

GVK = {"group": "g.example.com", "version": "v1", "kind": "Thing"}


def catalog(*bundles: Made) -> Catalog:
    """A catalog of *bundles* (package, name, properties): one channel each package, in the order given."""
    blobs: list[dict[str, object]] = []
    packages = dict.fromkeys(package for package, _, _ in bundles)
    for package in packages:
        names = [name for p, name, _ in bundles if p == package]
        entries = [
            {"name": name, **({"replaces": before} if before else {})}
            for before, name in itertools.pairwise(["", *names])
        ]
        blobs.append({"schema": "olm.package", "name": package, "defaultChannel": "stable"})
        blobs.append({"schema": "olm.channel", "package": package, "name": "stable", "entries": entries})
    for place, (package, name, properties) in enumerate(bundles):
        own = {"type": "olm.package", "value": {"packageName": package, "version": f"1.{place}.0"}}
        more = [{"type": kind, "value": value} for kind, value in properties]
        blobs.append(
            {"schema": "olm.bundle", "package": package, "name": name, "image": "q", "properties": [own, *more]}
        )
    return fbc.from_blobs(blobs)


Made = tuple[str, str, Sequence[tuple[str, object]]]

PROVIDER: Made = ("thing", "thing.v1", [("olm.gvk", GVK)])
REQUIRER: Made = ("app", "app.v1", [("olm.gvk.required", GVK)])
OLDER: Made = ("app", "app.v0", [])
BAD = UnreadableSource("bad", "olm", 0, "connection refused")


def wish(package: str = "app", source: str = "good") -> Subscription:
    return Subscription(package, "ns", package, "stable", source, "olm" if source else "")


def ask(
    policy: str,
    content: Catalog,
    *,
    bad: UnreadableSource = BAD,
    wishes: Iterable[Subscription] = (wish(),),
    others: Iterable[Source] = (),
) -> Request:
    return Request(
        namespaces=("ns", "olm"),
        sources=(Source("good", "olm", 0, content), *others),
        subscriptions=wishes,
        unreadable=(bad,),
        health_policy=HealthPolicy(policy),
    )


def refusal(request: Request) -> CatalogsUnreadable:
    """The reason that speaks of unreadable catalogs in the failure of *request*."""
    assert not is_satisfiable(request)
    with pytest.raises(Unsatisfiable) as failed:
        resolve(request)
    return next(reason for reason in failed.value.core if isinstance(reason, CatalogsUnreadable))


def test_strict_resolves_nothing() -> None:
    """As OLM: what is in the catalog is unknown, so no plan is known to be right."""
    reason = refusal(ask("strict", catalog(OLDER)))
    assert str(reason) == (
        "catalog olm/bad (connection refused) cannot be read, "
        "and nothing is resolved while a visible catalog cannot be read"
    )
    assert reason.to_dict()["kind"] == "CatalogsUnreadable"


def test_strict_is_the_default() -> None:
    """Whoever says nothing gets what a cluster would do."""
    assert Request(("ns",), (), ()).health_policy is HealthPolicy.STRICT


@pytest.mark.parametrize("policy", list(HealthPolicy))
def test_catalogs_that_the_namespace_does_not_see_do_not_matter(policy: HealthPolicy) -> None:
    """Visibility comes first: another namespace's catalog is nobody's business here."""
    elsewhere = attrs.evolve(BAD, namespace="elsewhere")
    plan = resolve(ask(policy.value, catalog(OLDER), bad=elsewhere))
    assert [install.name for install in plan.installs] == ["app.v0"]
    assert plan.unreadable == ()
    assert "unreadable" not in plan.to_dict()


def test_referenced_resolves_what_cannot_depend_on_the_catalog() -> None:
    """The subscription names another catalog, and needs nothing else; the plan says what it does without."""
    plan = resolve(ask("referenced", catalog(OLDER)))
    assert [install.name for install in plan.installs] == ["app.v0"]
    assert plan.to_dict()["unreadable"] == {
        "policy": "referenced",
        "catalogs": [{"catalog": "olm/bad", "error": "connection refused"}],
    }
    assert pickle.loads(pickle.dumps(plan)) == plan  # noqa: S301 - our own


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("bad", "subscription app names it"),
        ("", "subscription app considers every visible catalog"),
    ],
)
def test_referenced_fails_what_subscribes_to_it(source: str, expected: str) -> None:
    """A subscription to the catalog, or to any, depends on what is in it."""
    assert refusal(ask("referenced", catalog(OLDER), wishes=[wish(source=source)])).what == expected


def test_referenced_resolves_requirements_met_at_home() -> None:
    """The requiring bundle's own catalog comes before all others, whatever their priority."""
    first = attrs.evolve(BAD, priority=9)
    plan = resolve(ask("referenced", catalog(REQUIRER, PROVIDER), bad=first))
    assert [install.name for install in plan.installs] == ["app.v1", "thing.v1"]


@pytest.mark.parametrize(("priority", "touched"), [(0, False), (1, True)])
def test_referenced_knows_the_order_of_catalogs(priority: int, touched: bool) -> None:
    """A requirement met by another catalog is safe only if the unreadable one comes after that."""
    bad = attrs.evolve(BAD, name="zz", priority=priority)
    helper = Source("helper", "olm", 0, catalog(PROVIDER))
    request = ask("referenced", catalog(REQUIRER), bad=bad, others=[helper])
    if touched:
        assert "requires and that comes before thing.v1" in refusal(request).what
    else:
        assert [install.name for install in resolve(request).installs] == ["app.v1", "thing.v1"]


def test_referenced_fails_where_a_better_candidate_was_passed_over() -> None:
    """The head of the channel needs what nothing readable gives: the catalog might."""
    reason = refusal(ask("referenced", catalog(OLDER, REQUIRER)))
    assert reason.what == (
        "it could make app.v1 (stable, olm/good) possible, which was passed over for app.v0 (stable, olm/good)"
    )


def test_referenced_says_what_might_have_helped() -> None:
    """Unsatisfiable for want of something: the catalog that cannot be read is one of the reasons."""
    with pytest.raises(Unsatisfiable) as failed:
        resolve(ask("referenced", catalog(REQUIRER)))
    assert [reason.kind for reason in failed.value.core] == ["SubscriptionWants", "Requires", "CatalogsUnreadable"]


def test_referenced_leaves_other_failures_alone() -> None:
    """No catalog can help a subscription to a package that its own catalog does not have."""
    with pytest.raises(Unsatisfiable) as failed:
        resolve(ask("referenced", catalog(OLDER), wishes=[wish("absent")]))
    assert [reason.kind for reason in failed.value.core] == ["UnknownPackage"]


def test_ignore_resolves_as_if_it_were_not_there() -> None:
    """Also where the catalog could have been better; the plan records that it was left out."""
    plan = resolve(ask("ignore", catalog(OLDER, REQUIRER), wishes=[wish(source="")]))
    assert [install.name for install in plan.installs] == ["app.v0"]
    assert (plan.health_policy, plan.unreadable) == ("ignore", (BAD,))


def test_ignore_does_not_serve_what_names_the_catalog() -> None:
    """That it cannot be read is said, rather than that there is no such catalog."""
    assert refusal(ask("ignore", catalog(OLDER), wishes=[wish(source="bad")])).what == "subscription app names it"


def test_a_catalog_cannot_be_both() -> None:
    """Either its content is there or it is not."""
    with pytest.raises(RequestError, match="given 2 times"):
        ask("strict", catalog(OLDER), bad=UnreadableSource("good", "olm", 0, "x"))


SECOND: Made = ("second", "second.v1", [("olm.gvk.required", GVK)])

kinds = st.sampled_from([OLDER, REQUIRER, PROVIDER, SECOND, ("thing", "thing.v2", []), ("app", "app.v2", [])])


@given(
    mine=st.lists(kinds, unique_by=lambda b: b[1], max_size=5),
    hidden=st.lists(kinds, unique_by=lambda b: b[1], max_size=5),
    other=st.lists(kinds, unique_by=lambda b: b[1], max_size=5),
    priority=st.integers(-1, 1),
    own=st.booleans(),
    installed=st.booleans(),
    second=st.booleans(),
)
def test_what_referenced_resolves_does_not_depend_on_the_hidden_content(
    mine: list[Made],
    hidden: list[Made],
    other: list[Made],
    priority: int,
    own: bool,
    installed: bool,
    second: bool,
) -> None:
    """The law of the policy: an answer in spite of a catalog is the answer with the catalog, whatever it holds."""
    request = Request(
        namespaces=("ns", "olm"),
        sources=(Source("good", "olm", 0, catalog(*mine)), Source("other", "olm", 0, catalog(*other))),
        subscriptions=[wish(), *([wish("thing")] if own else []), *([wish("second", "other")] if second else [])],
        installed=[Installed("app.v0", "0.1.0", subscription="app")] if installed else [],
        unreadable=(attrs.evolve(BAD, priority=priority),),
        health_policy=HealthPolicy.REFERENCED,
    )
    known = attrs.evolve(
        request, sources=(*request.sources, Source("bad", "olm", priority, catalog(*hidden))), unreadable=()
    )
    try:
        plan = resolve(request)
    except Unsatisfiable as failed:
        if not any(isinstance(reason, CatalogsUnreadable) for reason in failed.core):
            with pytest.raises(Unsatisfiable):
                resolve(known)
        return
    same = resolve(known)
    assert (same.installs, same.kept, same.replaced) == (plan.installs, plan.kept, plan.replaced)


def test_documents_name_what_cannot_be_read() -> None:
    """A catalog with an error in the place of its content, and the policy."""
    document = {
        "namespaces": ["ns", "olm"],
        "unreadable": "ignore",
        "catalogs": [{"name": "bad", "namespace": "olm", "priority": 3, "error": "connection refused"}],
        "subscriptions": [],
    }
    request = read_request(document)
    assert request.unreadable == (attrs.evolve(BAD, priority=3),)
    assert request.health_policy is HealthPolicy.IGNORE
    assert read_request({**document, "unreadable": None}).health_policy is HealthPolicy.STRICT


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"unreadable": "sometimes"}, "unreadable: there is no policy 'sometimes' (known: strict, referenced, ignore)"),
        (
            {"catalogs": [{"name": "c", "error": "gone", "blobs": []}]},
            "catalogs[0]: holds an error, and content too (a catalog that cannot be read has none)",
        ),
    ],
)
def test_documents_that_contradict_themselves_are_refused(changed: dict[str, object], words: str) -> None:
    """With the field, and what is known."""
    with pytest.raises(RequestError) as refused:
        read_request({"namespaces": ["ns"], "catalogs": [], "subscriptions": [], **changed})
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("policy", "heading"),
    [
        ("ignore", "Left out, because they cannot be read:"),
        ("referenced", "Cannot be read, and cannot change this plan:"),
    ],
)
def test_plans_say_what_they_did_without(policy: str, heading: str) -> None:
    """In the text that people read as well."""
    plan = resolve(ask(policy, catalog(OLDER)))
    assert plan_text(plan).endswith(f"{heading}\n  olm/bad: connection refused")
    assert plan_markdown(plan).endswith(f"## {heading.rstrip(':')}\n\n- olm/bad: connection refused\n")


def test_resolvers_know_what_cannot_be_read() -> None:
    """The catalogs of a resolver are those of all its requests, the unreadable ones too."""
    resolver = Resolver(
        [Source("good", "olm", 0, catalog(OLDER))], unreadable=[BAD], health_policy=HealthPolicy.REFERENCED
    )
    assert resolver.resolve([wish()], namespaces=("ns", "olm")).unreadable == (BAD,)
    with pytest.raises(Unsatisfiable, match="subscription app names it"):
        resolver.resolve([wish(source="bad")], namespaces=("ns", "olm"))


@pytest.mark.parametrize("installed", [False, True])
def test_ignoring_a_catalog_and_leaving_it_out_come_to_the_same(installed: bool) -> None:
    """The subscriptions that name it fail by either road, each of them, and all others are resolved as without it."""
    operators = [Installed("app.v0", "1.0.0", (), "named")] if installed else []
    wishes = [
        attrs.evolve(wish("app", "bad"), name="named"),
        attrs.evolve(wish("thing", "bad"), name="other"),
        attrs.evolve(wish("app"), name="free", package="app"),
    ]
    sources = [Source("good", "olm", 0, catalog(OLDER, PROVIDER))]
    base = Request(namespaces=["ns", "olm"], sources=sources, subscriptions=wishes, installed=operators)
    ignoring = attrs.evolve(base, unreadable=[BAD], health_policy="ignore")
    failing = []
    for request in (ignoring, base):
        with pytest.raises(Unsatisfiable) as failed:
            resolve(request)
        conflicts = explanation(failed.value, fixes=0).conflicts
        statements = [node.statement for conflict in conflicts for node in conflict.nodes]
        failing.append(
            {name for name in ("named", "other") for text in statements if f"subscription {name} names" in text}
        )
    assert failing == [{"named", "other"}] * 2
    without = [attrs.evolve(request, subscriptions=wishes[2:], installed=()) for request in (ignoring, base)]
    assert resolve(without[0]).installs == resolve(without[1]).installs


def test_several_catalogs_are_named_in_one_reason() -> None:
    """All that cannot be read are told at once, the preferred one first: repairing one would not help."""
    worse = UnreadableSource("worse", "olm", 5, "no such image")
    request = attrs.evolve(ask("strict", catalog(OLDER)), unreadable=(BAD, worse))
    sentence = (
        "catalogs olm/worse (no such image) and olm/bad (connection refused) cannot be read, and nothing is resolved"
    )
    assert str(refusal(request)).startswith(sentence)


def test_the_namespace_has_its_own_catalogs_first() -> None:
    """Of two catalogs with one priority, the one in the namespace itself comes first, whatever their names."""
    own = Source("zz", "ns", 0, catalog(PROVIDER))
    assert len(resolve(ask("referenced", catalog(REQUIRER), others=[own])).installs) == 2
    helper = Source("aa", "olm", 0, catalog(PROVIDER))
    request = ask("referenced", catalog(REQUIRER), bad=UnreadableSource("zz", "ns", 0, "gone"), others=[helper])
    assert "requires and that comes before thing.v1" in refusal(request).what
    both = attrs.evolve(ask("strict", catalog(OLDER)), unreadable=(BAD, UnreadableSource("zz", "ns", 0, "gone")))
    assert [source.key for source in refusal(both).catalogs] == ["ns/zz", "olm/bad"]


def test_a_preference_could_be_for_what_the_catalog_has() -> None:
    """The catalog comes after the helper, but a house rule puts some bundles first, wherever they are."""
    helper = Source("helper", "olm", 0, catalog(PROVIDER))
    request = ask("referenced", catalog(REQUIRER), bad=attrs.evolve(BAD, name="zz"), others=[helper])
    assert len(resolve(request).installs) == 2
    preferring = attrs.evolve(request, house_rules=[Prefer("other-thing", name="x")])
    assert "requires and that comes before thing.v1" in refusal(preferring).what


def test_what_is_there_anyway_hides_no_other_requirement() -> None:
    """A requirement that a subscription's own bundle meets is certain; the next one may still depend on the catalog."""
    base = ("olm.package.required", {"packageName": "base", "versionRange": ">=0.0.0"})
    content = catalog(("app", "app.v1", [base, ("olm.gvk.required", GVK)]), ("base", "base.v1", []))
    first, helper = attrs.evolve(BAD, priority=1), Source("helper", "olm", 0, catalog(PROVIDER))
    request = ask("referenced", content, bad=first, wishes=[wish(), wish("base")], others=[helper])
    assert "requires and that comes before thing.v1" in refusal(request).what


def test_only_a_catalog_that_counts_might_have_helped() -> None:
    """None is named that the policy ignores, and none where all can be read."""
    ignoring = ask("ignore", catalog(REQUIRER))
    reading = attrs.evolve(ask("referenced", catalog(REQUIRER)), unreadable=())
    for request in (ignoring, reading):
        with pytest.raises(Unsatisfiable) as failed:
            resolve(request)
        assert [reason.kind for reason in failed.value.core] == ["SubscriptionWants", "Requires"]
