"""Several extensions with what they require: scenarios, and every random plan against all subsets of bundles."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve import RequestError, v1
from olmsolve.catalog import fbc
from olmsolve.render import extension_plan_text
from olmsolve.semver import BlangRange, Version
from olmsolve.v1 import wish_of
from olmsolve.v1.offers import ExtensionWish
from tests.growing import times_as_long

Blob = dict[str, Any]


def bundle(package: str, version: str, *properties: Blob) -> Blob:
    own = {"type": "olm.package", "value": {"packageName": package, "version": version}}
    name = f"{package}.v{version}"
    return {"schema": "olm.bundle", "package": package, "name": name, "properties": [own, *properties]}


def needs(package: str, versions: str) -> Blob:
    return {"type": "olm.package.required", "value": {"packageName": package, "versionRange": versions}}


def gvk(kind: str, *, required: bool = False) -> Blob:
    value = {"group": "example.com", "version": "v1", "kind": kind}
    return {"type": "olm.gvk.required" if required else "olm.gvk", "value": value}


def catalogs(*blobs: Blob) -> list[v1.ClusterCatalog]:
    return [v1.ClusterCatalog("a", fbc.from_blobs(blobs))]


def wish(known: list[v1.ClusterCatalog], package: str, version: str = "") -> v1.ExtensionRequest:
    return v1.ExtensionRequest(v1.Extension(package, version), known)


CHAIN = [
    {
        "schema": "olm.channel",
        "package": "app",
        "name": "stable",
        "entries": [
            {"name": "app.v1.0.0"},
            {"name": "app.v2.0.0", "replaces": "app.v1.0.0"},
            {"name": "app.v3.0.0", "replaces": "app.v2.0.0"},
        ],
    },
    *(bundle("app", version) for version in ("1.0.0", "2.0.0", "3.0.0")),
]


def names(plan: v1.Plan) -> list[str]:
    return [planned.bundle for planned in plan.planned]


def test_further_extensions_are_planned_and_say_for_whom() -> None:
    """The highest version is preferred, for requested packages and for further ones alike."""
    known = catalogs(
        bundle("app", "1.0.0"),
        bundle("app", "2.0.0", needs("db", "<3.0.0"), gvk("Cert", required=True)),
        bundle("db", "1.0.0"),
        bundle("db", "2.0.0"),
        bundle("db", "3.0.0"),
        bundle("certs", "0.1.0", gvk("Cert")),
    )
    plan = v1.plan([wish(known, "app")])
    assert names(plan) == ["app.v2.0.0", "db.v2.0.0", "certs.v0.1.0"]
    assert [further.bundle for further in plan.further] == ["db.v2.0.0", "certs.v0.1.0"]
    assert plan.planned[1].to_dict() == {
        "package": "db",
        "bundle": "db.v2.0.0",
        "version": "2.0.0",
        "catalog": "a",
        "further": True,
        "extension": None,
        "installed": None,
        "requiredBy": ["app.v2.0.0"],
        "requirements": [
            {
                "bundle": "app.v2.0.0",
                "requirement": "package db in <3.0.0",
                "text": "app.v2.0.0 requires package db in <3.0.0",
            }
        ],
        "refusal": None,
        "passedOver": [],
        "heldBack": [],
    }
    assert [str(requirement) for requirement in plan.planned[2].requirements] == [
        "app.v2.0.0 requires the API example.com/v1/Cert"
    ]
    assert "currently not supported" in plan.planned[0].refusal


def test_further_extensions_are_chosen_as_selected_ones_are() -> None:
    """What is not deprecated comes first, then releases, then the catalog of higher priority, then the name."""
    early = bundle("early", "2.0.0-rc.1", gvk("Cert"))
    plain = [bundle(name, "1.0.0", gvk("Cert")) for name in ("dear", "near")]
    reference = {"schema": "olm.bundle", "name": "dear.v1.0.0"}
    old = {"schema": "olm.deprecations", "package": "dear", "entries": [{"reference": reference, "message": "old"}]}
    app = bundle("app", "1.0.0", gvk("Cert", required=True))

    def first(blobs: list[Blob], *others: v1.ClusterCatalog) -> str:
        (further,) = v1.plan([wish([*catalogs(app, *blobs), *others], "app")]).further
        return f"{further.bundle} ({further.catalog})"

    high = v1.ClusterCatalog("high", fbc.from_blobs([bundle("zeta", "1.0.0", gvk("Cert"))]), priority=1)
    unknown = v1.ClusterCatalog("away", available=False)
    assert first([early, *plain], unknown) == "dear.v1.0.0 (a)"
    assert first([early, *plain, old]) == "near.v1.0.0 (a)"
    assert first([early, plain[0], old]) == "early.v2.0.0-rc.1 (a)"
    assert first([early, *plain], high) == "zeta.v1.0.0 (high)"
    dropped = {**old, "package": "zeta", "entries": [{"reference": {**reference, "name": "zeta.v1.0.0"}}]}
    worse = fbc.from_blobs([bundle("zeta", "1.0.0", gvk("Cert")), dropped])
    assert first([early, *plain], v1.ClusterCatalog("high", worse, priority=1)) == "dear.v1.0.0 (a)"


def test_requests_bind_what_others_require() -> None:
    """A requested package is met by its request's own candidates only, so that the other gives way."""
    known = catalogs(
        bundle("app", "1.0.0", needs("db", "<2.0.0")),
        bundle("app", "2.0.0", needs("db", ">=2.0.0")),
        bundle("db", "1.0.0"),
        bundle("db", "2.0.0"),
    )
    assert names(v1.plan([wish(known, "app"), wish(known, "db", "1.x")])) == ["app.v1.0.0", "db.v1.0.0"]
    assert v1.plan([wish(known, "app"), wish(known, "db")]).further == ()


def test_what_cannot_be_planned_says_which_requirements_collide() -> None:
    """The reasons name the requests' packages and the bundles that collide."""
    known = catalogs(bundle("app", "2.0.0", needs("db", ">=2.0.0")), bundle("db", "1.0.0"))
    with pytest.raises(v1.PlanError) as failure:
        v1.plan([wish(known, "app")])
    assert len(failure.value.reasons) == 2
    assert str(failure.value).startswith("the extension cannot be installed: ")
    assert "app.v2.0.0 requires" in str(failure.value)
    assert failure.value.to_dict()["reasons"][1] == {
        "kind": "requirement",
        "text": "app.v2.0.0 requires package db in >=2.0.0, which nothing meets",
        "bundle": "app.v2.0.0",
        "requirement": "package db in >=2.0.0",
        "candidates": [],
    }


def test_two_providers_of_an_api_exclude_each_other() -> None:
    """A cluster has one owner of a custom resource definition."""
    known = catalogs(bundle("one", "1.0.0", gvk("Cert")), bundle("two", "1.0.0", gvk("Cert")))
    with pytest.raises(v1.PlanError, match=r"^the extensions cannot be installed together: .*at most one of"):
        v1.plan([wish(known, "one"), wish(known, "two")])


def test_what_stays_and_what_is_replaced() -> None:
    """Each planned bundle says what it follows; one that nothing is above stays."""
    known = [v1.ClusterCatalog("a", fbc.from_blobs([*CHAIN, bundle("db", "1.0.0")]))]
    app = v1.ExtensionRequest(v1.Extension("app"), known, v1.InstalledBundle("app.v1.0.0", "1.0.0"), name="shop")
    db = v1.ExtensionRequest(v1.Extension("db"), known, v1.InstalledBundle("db.v1.0.0", "1.0.0"))
    first, second = v1.plan([app, db]).planned
    assert (first.extension, first.installed, first.bundle, first.stays) == ("shop", "app.v1.0.0", "app.v2.0.0", False)
    assert (second.bundle, second.stays) == ("db.v1.0.0", True)
    assert [str(held_back) for held_back in first.held_back] == [
        "app.v3.0.0 (a): comes after app.v2.0.0, one update at a time"
    ]


def test_a_newer_bundle_that_is_passed_over_says_why() -> None:
    """The constraints that cannot hold beside it are the reasons, earlier extensions' choices among them."""
    known = catalogs(
        bundle("app", "1.0.0"),
        bundle("app", "2.0.0", needs("db", ">=2.0.0")),
        bundle("db", "1.0.0"),
        bundle("db", "2.0.0"),
    )
    db, app = v1.plan([wish(known, "db", "1.x"), wish(known, "app")]).planned
    (passed,) = app.passed_over
    assert (app.bundle, passed.bundle) == ("app.v1.0.0", "app.v2.0.0")
    (reason,) = passed.because
    assert str(reason) == "app.v2.0.0 requires package db in >=2.0.0, which nothing meets"
    assert [held_back.because for held_back in db.held_back] == [v1.HeldBackBy.VERSION]
    known = catalogs(bundle("one", "1.0.0", gvk("Cert")), bundle("two", "1.0.0"), bundle("two", "2.0.0", gvk("Cert")))
    _, two = v1.plan([wish(known, "one"), wish(known, "two")]).planned
    assert {str(reason) for reason in two.passed_over[0].because} == {
        "one.v1.0.0 is chosen before it",
        "at most one of one.v1.0.0 or two.v2.0.0 can be installed, because they provide the API example.com/v1/Cert",
    }


def test_failing_extensions_are_left_out_on_demand() -> None:
    """On a cluster each extension is resolved by itself, and one that fails keeps no other from its bundle."""
    known = catalogs(bundle("app", "1.0.0", needs("db", ">=1.0.0")), bundle("db", "1.0.0"))
    requests = [wish(known, "app", "9.x"), wish(known, "app"), wish(known, "app"), wish(known, "db", "banana")]
    plan = v1.plan(requests, keep_going=True)
    assert names(plan) == ["app.v1.0.0", "db.v1.0.0"]
    assert [type(extension.error).__name__ for extension in plan.failed] == [
        "NoBundlesError",
        "RequestError",
        "VersionRangeError",
    ]
    assert "9.x" in plan.to_dict()["failed"][0]["error"]


def test_colliding_extensions_are_left_out_on_demand() -> None:
    """What nothing can meet fails alone; of two that exclude each other, the first keeps its bundle."""
    known = catalogs(
        bundle("one", "1.0.0", gvk("Cert")),
        bundle("two", "1.0.0", gvk("Cert")),
        bundle("app", "1.0.0", needs("nosuch", ">=1.0.0")),
    )
    plan = v1.plan([wish(known, "app"), wish(known, "one"), wish(known, "two")], keep_going=True)
    assert names(plan) == ["one.v1.0.0"]
    assert [extension.package for extension in plan.failed] == ["app", "two"]
    assert "requires package nosuch" in str(plan.failed[0].error)
    assert "they provide the API example.com/v1/Cert" in str(plan.failed[1].error)


def test_as_many_as_fit_are_planned_in_order() -> None:
    """The third fits beside the first: that it collides with the second is no matter once that is left out."""
    known = catalogs(
        bundle("one", "1.0.0", gvk("Cert")),
        bundle("two", "1.0.0", gvk("Cert"), gvk("Key")),
        bundle("three", "1.0.0", gvk("Key")),
    )
    plan = v1.plan([wish(known, package) for package in ("one", "two", "three")], keep_going=True)
    assert names(plan) == ["one.v1.0.0", "three.v1.0.0"]
    (failed,) = plan.failed
    assert failed.package == "two"


def test_a_wish_for_what_another_requires_differently_stays() -> None:
    """Nothing is wrong with the wish for db: app is what cannot be met beside it, although it comes first."""
    known = catalogs(bundle("app", "1.0.0", needs("db", "2.0.0")), bundle("db", "1.0.0"), bundle("db", "2.0.0"))
    plan = v1.plan([wish(known, "app"), wish(known, "db", "1.0.0")], keep_going=True)
    assert names(plan) == ["db.v1.0.0"]
    assert [extension.package for extension in plan.failed] == ["app"]


def test_what_collided_with_one_that_has_to_leave_later_returns() -> None:
    """A chain of three: app keeps tool out, and the wish for db then keeps app out, so that tool fits again."""
    known = catalogs(
        bundle("app", "1.0.0", needs("db", "2.0.0"), gvk("Shared")),
        bundle("tool", "1.0.0", gvk("Shared")),
        bundle("db", "1.0.0"),
        bundle("db", "2.0.0"),
    )
    plan = v1.plan([wish(known, "app"), wish(known, "tool"), wish(known, "db", "1.0.0")], keep_going=True)
    assert sorted(names(plan)) == ["db.v1.0.0", "tool.v1.0.0"]
    assert [extension.package for extension in plan.failed] == ["app"]


def test_a_further_extension_gets_a_release_before_a_pre_release() -> None:
    """A range that an administrator would write for it leaves pre-releases out."""
    known = catalogs(bundle("app", "1.0.0", needs("db", ">=1.0.0")), bundle("db", "1.0.0"), bundle("db", "2.0.0-rc1"))
    assert names(v1.plan([wish(known, "app")])) == ["app.v1.0.0", "db.v1.0.0"]
    only = catalogs(bundle("app", "1.0.0", needs("db", ">=1.0.0")), bundle("db", "2.0.0-rc1"))
    assert names(v1.plan([wish(only, "app")])) == ["app.v1.0.0", "db.v2.0.0-rc1"]


def test_a_plan_as_text(snapshot: Callable[[str, str], None]) -> None:
    """What is replaced, what stays, what is new, what is needed besides, and what fails."""
    blobs = [*CHAIN, bundle("db", "1.0.0"), bundle("certs", "0.1.0", gvk("Cert"))]
    blobs += [bundle("web", "1.0.0"), bundle("web", "2.0.0", needs("db", ">=2.0.0"))]
    blobs += [bundle("mail", "3.0.0", gvk("Cert", required=True))]
    known = [v1.ClusterCatalog("a", fbc.from_blobs(blobs))]
    plan = v1.plan(
        [
            v1.ExtensionRequest(v1.Extension("app"), known, v1.InstalledBundle("app.v1.0.0", "1.0.0"), name="shop"),
            v1.ExtensionRequest(v1.Extension("db", "1.x"), known, v1.InstalledBundle("db.v1.0.0", "1.0.0")),
            wish(known, "web"),
            wish(known, "mail"),
            wish(known, "nosuch"),
        ],
        keep_going=True,
    )
    snapshot("extension-plan.txt", extension_plan_text(plan.to_dict()))


def test_requirements_that_do_not_parse_prohibit_their_bundle_alone() -> None:
    """An older version whose requirements parse can still be planned."""
    broken = {"type": "olm.package.required", "value": "db"}
    known = catalogs(bundle("app", "1.0.0"), bundle("app", "2.0.0", broken))
    assert names(v1.plan([wish(known, "app")])) == ["app.v1.0.0"]


def test_installed_extensions_are_updated_along_edges() -> None:
    """Each request filters as it does alone."""
    known = catalogs(bundle("app", "1.0.0"), bundle("app", "2.0.0"))
    installed = v1.ExtensionRequest(v1.Extension("app"), known, v1.InstalledBundle("app.v1.0.0", "1.0.0"))
    assert names(v1.plan([installed])) == ["app.v1.0.0"]


def test_a_package_is_asked_for_once() -> None:
    """Two wishes for one package would hide each other."""
    known = catalogs(bundle("app", "1.0.0"))
    with pytest.raises(RequestError, match="two requests"):
        v1.plan([wish(known, "app"), wish(known, "app")])


def test_further_extensions_come_from_the_catalog_of_highest_priority() -> None:
    """Priority comes before the version, as in OLM v1."""
    app = v1.ClusterCatalog("a", fbc.from_blobs([bundle("app", "1.0.0", needs("db", ">=0.0.0"))]))
    low = v1.ClusterCatalog("low", fbc.from_blobs([bundle("db", "9.0.0")]))
    high = v1.ClusterCatalog("high", fbc.from_blobs([bundle("db", "1.0.0")]), priority=1)
    plan = v1.plan([wish([app, low, high], "app")])
    assert [(further.bundle, further.catalog) for further in plan.further] == [("db.v1.0.0", "high")]


def test_catalogs_that_cannot_be_read_fail_a_plan() -> None:
    """A plan fails as a resolution does."""
    known = catalogs(bundle("app", "1.0.0"))
    with pytest.raises(v1.CatalogReadError, match="boom"):
        v1.plan([wish([*known, v1.ClusterCatalog("b", error="boom")], "app")])
    with pytest.raises(v1.ListingError, match="boom"):
        v1.plan([v1.ExtensionRequest(v1.Extension("app"), known, listing_error="boom")])


def test_a_name_means_one_catalog() -> None:
    """Different contents under one name would hide each other; equal ones are one catalog read twice."""
    one, second = catalogs(bundle("app", "1.0.0")), catalogs(bundle("app", "1.0.0"))
    other = catalogs(bundle("db", "1.0.0"))
    with pytest.raises(RequestError, match="two different catalogs"):
        v1.plan([wish(one, "app"), wish(other, "db")])
    both = [bundle("app", "1.0.0"), bundle("db", "1.0.0")]
    assert names(v1.plan([wish(catalogs(*both), "app"), wish(catalogs(*both), "db")])) == ["app.v1.0.0", "db.v1.0.0"]
    assert one[0] == second[0]


def test_a_request_that_nothing_is_left_for_is_explained() -> None:
    """The failure has the funnels of that request, as if resolved alone; requests that collide have none."""
    known = catalogs(bundle("app", "1.0.0"), bundle("db", "1.0.0"))
    with pytest.raises(v1.PlanError) as failure:
        v1.plan([wish(known, "db"), wish(known, "app", "9.x")])
    (funnel,) = failure.value.explanation.funnels
    assert (funnel.emptied_by, funnel.nearest.below) == ("version", "1.0.0")


PACKAGES = ["p", "q", "r"]
KINDS = ["A", "B"]
Offered = tuple[str, str, list[tuple[str, str]], list[str], list[str]]


@st.composite
def bundles(draw: st.DrawFn) -> list[Offered]:
    """Packages with versions, requirements on packages and kinds, and provided kinds."""
    kinds = st.lists(st.sampled_from(KINDS), max_size=1)
    ranges = st.sampled_from(["1.0.0", "2.0.0", ">=1.0.0"])
    one = st.tuples(
        st.sampled_from(PACKAGES),
        st.sampled_from(["1.0.0", "2.0.0"]),
        st.lists(st.tuples(st.sampled_from(PACKAGES), ranges), max_size=2),
        kinds,
        kinds,
    )
    drawn: list[Offered] = draw(st.lists(one, max_size=6, unique_by=lambda offer: offer[:2]))
    return drawn


def blob(offered: Offered) -> Blob:
    """The bundle of *offered* as a catalog has it."""
    package, version, required, kinds, provided = offered
    return bundle(
        package,
        version,
        *(needs(*need) for need in required),
        *(gvk(kind, required=True) for kind in kinds),
        *(gvk(kind) for kind in provided),
    )


def holds(chosen: tuple[Offered, ...], wanted: list[str]) -> bool:
    """Whether *chosen* is a plan: one bundle a package, one provider a kind, everything required is there."""
    packages = [offer[0] for offer in chosen]
    provided = [kind for offer in chosen for kind in offer[4]]
    if len(set(packages)) < len(packages) or len(set(provided)) < len(provided):
        return False
    if not set(wanted) <= set(packages):
        return False
    for _, _, required, kinds, _ in chosen:
        for package, versions in required:
            contained = BlangRange.parse(versions)
            if not any(offer[0] == package and Version.parse(offer[1]) in contained for offer in chosen):
                return False
        if not set(kinds) <= set(provided):
            return False
    return True


@given(bundles(), st.lists(st.sampled_from(PACKAGES), min_size=1, max_size=2, unique=True))
def test_there_is_a_plan_where_some_subset_is_one(offered: list[Offered], wanted: list[str]) -> None:
    """Brute force over all subsets finds a plan exactly where planning does, and the plan is among them."""
    known = catalogs(*map(blob, offered))
    subsets = (chosen for size in range(len(offered) + 1) for chosen in combinations(offered, size))
    possible = any(holds(chosen, wanted) for chosen in subsets)
    try:
        plan = v1.plan([wish(known, package) for package in wanted])
    except v1.PlanError:
        assert not possible
        return
    chosen = tuple(offer for offer in offered if f"{offer[0]}.v{offer[1]}" in names(plan))
    assert holds(chosen, wanted)
    assert len(chosen) == len(plan.planned)
    assert [planned.package for planned in plan.planned][: len(wanted)] == wanted
    for position, planned in enumerate(plan.planned[: len(wanted)]):
        earlier = [one.bundle for one in plan.planned[:position]]
        for passed in planned.passed_over:
            beside = [*earlier, passed.bundle]
            subsets = (chosen for size in range(len(offered) + 1) for chosen in combinations(offered, size))
            named = ([f"{one[0]}.v{one[1]}" for one in chosen] for chosen in subsets if holds(chosen, wanted))
            assert not any(set(beside) <= set(subset) for subset in named)


@given(bundles(), st.lists(st.sampled_from(PACKAGES), min_size=1, max_size=3, unique=True))
def test_what_is_left_out_fails_beside_what_is_planned(offered: list[Offered], wanted: list[str]) -> None:
    """Whatever is planned can be planned without keeping going, and each failure has an answer of its own."""
    known = catalogs(*map(blob, offered))
    plan = v1.plan([wish(known, package) for package in wanted], keep_going=True)
    failed = {extension.package for extension in plan.failed}
    met = [package for package in wanted if package not in failed]
    assert names(v1.plan([wish(known, package) for package in met])) == names(plan)
    assert all(str(extension.error) for extension in plan.failed)


def test_leaving_many_out_takes_small_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each extension needs another version of one package; the filters of each are asked a few times."""
    versions = [f"1.0.{number}" for number in range(40)]
    apps = [bundle(f"app{version}", "1.0.0", needs("db", version)) for version in versions]
    known = catalogs(*apps, *(bundle("db", version) for version in versions))
    filtered: list[str] = []

    def counted(request: v1.ExtensionRequest) -> ExtensionWish:
        filtered.append(request.extension.package)
        return wish_of(request)

    monkeypatch.setattr("olmsolve.v1.planning.wish_of", counted)
    plan = v1.plan([wish(known, f"app{version}") for version in versions], keep_going=True)
    assert names(plan) == ["app1.0.0.v1.0.0", "db.v1.0.0"]
    assert len(plan.failed) == 39
    assert len(filtered) < 5 * len(versions)


def test_extensions_that_need_nothing_of_each_other_are_planned_in_linear_time() -> None:
    """Sixteen times as many take about sixteen times as long, where squares take 256."""
    known = catalogs(*(bundle(f"p{number}", "1.0.0") for number in range(400)))
    assert times_as_long(lambda count: v1.plan([wish(known, f"p{number}") for number in range(count)]), 25, 400) < 64
