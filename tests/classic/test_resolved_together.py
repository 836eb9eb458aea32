"""Several namespaces resolved at once agree on the definitions of the APIs that they share."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import pytest

from olmsolve import CatalogError, Property, Request, ResolutionFailure, Semantics, TotalAtMost, Unsatisfiable, resolve
from olmsolve.answers.verification import AnyCandidate, PlainCandidate, Wish, World, roots_of, wishes_of
from olmsolve.catalog import UnreadableSource
from olmsolve.classic import Agreement, CannotStayBeside, UnsatisfiableTogether, resolve_together
from olmsolve.errors import RequestError
from olmsolve.testing import (
    COMPOUND,
    DENSE,
    SMALL,
    ReferenceSearch,
    Selected,
    TooLarge,
    catalog_of,
    classic_request,
    package,
    random_document,
    random_house_rules,
    request_for,
)
from tests.scale import scaled


def _blobs(**packages: dict[str, list[str]]) -> list[dict[str, Any]]:
    """Packages whose versions, each replacing the one before, provide versions of the kind ``E``."""
    blobs: list[dict[str, Any]] = []
    for package_name, versions in packages.items():
        entries: list[dict[str, Any]] = []
        for number, served in versions.items():
            entry = {"name": f"{package_name}.v{number}"}
            if entries:
                entry["replaces"] = entries[-1]["name"]
            entries.append(entry)
            gvks = [{"group": "example.com", "version": version, "kind": "E"} for version in served]
            properties = [{"type": "olm.package", "value": {"packageName": package_name, "version": number}}]
            properties += [{"type": "olm.gvk", "value": gvk} for gvk in gvks]
            blobs.append(
                {"schema": "olm.bundle", "package": package_name, "name": entry["name"], "properties": properties}
            )
        blobs.append({"schema": "olm.package", "name": package_name, "defaultChannel": "stable"})
        blobs.append({"schema": "olm.channel", "package": package_name, "name": "stable", "entries": entries})
    return blobs


def _request(namespace: str, blobs: list[dict[str, Any]], *packages: str, **installed: str) -> Request:
    """Subscriptions of *namespace* to *packages*; ``e="1.0.0"`` installs that version of package e."""
    properties = {blob["name"]: blob["properties"] for blob in blobs if blob["schema"] == "olm.bundle"}
    return classic_request(
        {
            "namespaces": [namespace],
            "catalogs": [{"name": "main", "namespace": namespace, "blobs": blobs}],
            "installed": [
                {"name": f"{name}.v{v}", "version": v, "properties": properties[f"{name}.v{v}"], "subscription": name}
                for name, v in installed.items()
            ],
            "subscriptions": [{"name": name, "namespace": namespace, "package": name} for name in packages],
        }
    )


NEWER = _blobs(e={"1.0.0": ["v1alpha1"], "2.0.0": ["v1alpha1", "v1"]})
OLDER = _blobs(e={"1.0.0": ["v1alpha1"]})


def _names(plans: Any) -> dict[str, list[str]]:
    return {name: [install.name for install in plan.installs] for name, plan in plans.items()}


def test_an_update_waits_until_the_other_namespace_can_follow() -> None:
    """Resolved alone, the first namespace would update, and break the definition that the second's operator knows."""
    one = _request("one", NEWER, "e", e="1.0.0")
    assert [install.name for install in resolve(one).installs] == ["e.v2.0.0"]
    assert _names(resolve_together([one, _request("two", OLDER, "e", e="1.0.0")])) == {"one": [], "two": []}


def test_all_are_updated_at_once_where_all_can_be() -> None:
    """Neither update is possible before the other; together they are."""
    together = resolve_together([_request("one", NEWER, "e", e="1.0.0"), _request("two", NEWER, "e", e="1.0.0")])
    assert _names(together) == {"one": ["e.v2.0.0"], "two": ["e.v2.0.0"]}
    assert [old.name for old, _ in together["two"].replaced] == ["e.v1.0.0"]


def test_versions_agree_where_bundles_need_not() -> None:
    """Two versions of an operator with the same versions of its API are supported; one may ask for more."""
    patched = _blobs(e={"1.0.0": ["v1"], "1.0.1": ["v1"]})
    requests = [_request("one", patched, "e", e="1.0.0"), _request("two", _blobs(e={"1.0.0": ["v1"]}), "e")]
    assert _names(resolve_together(requests)) == {"one": ["e.v1.0.1"], "two": ["e.v1.0.0"]}
    strict = resolve_together(requests, agreement=Agreement.BUNDLE)
    assert _names(strict) == {"one": [], "two": ["e.v1.0.0"]}


def test_the_first_namespace_chooses_first() -> None:
    """Where two namespaces cannot both have what they prefer, the earlier request has it."""
    one = _request("one", _blobs(e={"1.0.0": ["v1alpha1"], "2.0.0": ["v1"]}), "e")
    two = _request("two", _blobs(e={"1.0.0": ["v1"], "2.0.0": ["v1alpha1"]}), "e")
    assert _names(resolve_together([one, two])) == {"one": ["e.v2.0.0"], "two": ["e.v1.0.0"]}
    assert _names(resolve_together([two, one])) == {"two": ["e.v2.0.0"], "one": ["e.v1.0.0"]}


def test_a_failure_names_the_namespaces() -> None:
    """The reasons: what each namespace wants, the definitions that this means, and that a cluster has one."""
    with pytest.raises(UnsatisfiableTogether) as caught:
        resolve_together([_request("one", OLDER, "e"), _request("two", _blobs(f={"1.0.0": ["v1"]}), "f")])
    failed = caught.value
    assert failed.namespaces == ("one", "two")
    assert str(failed).splitlines() == [
        "the namespaces cannot be resolved together (one and two); these cannot hold together:",
        "  - one: subscription e needs one of e.v1.0.0 (stable, one/main)",
        "  - two: subscription f needs one of f.v1.0.0 (stable, two/main)",
        "  - one: e.v1.0.0 (stable, one/main) defines example.com/E in v1alpha1",
        "  - two: f.v1.0.0 (stable, two/main) defines example.com/E in v1",
        "  - the cluster has one definition of example.com/E, either in v1 or in v1alpha1",
    ]
    document = failed.to_dict()
    assert document["unsatisfiable"] is True
    assert document["namespaces"] == ["one", "two"]
    assert [item["namespace"] for item in document["constraints"]] == ["one", "two", "one", "two", ""]


def test_what_fails_alone_fails_for_that_reason() -> None:
    """The core names no other namespace."""
    with pytest.raises(UnsatisfiableTogether) as caught:
        resolve_together([_request("one", OLDER, "e"), _request("two", OLDER, "unknown")])
    assert caught.value.namespaces == ("two",)


def test_two_requests_for_one_namespace_are_refused() -> None:
    """Subscriptions of one namespace belong in one request."""
    with pytest.raises(RequestError, match="two requests"):
        resolve_together([_request("one", OLDER, "e"), _request("one", OLDER, "e")])


def test_a_fault_of_a_catalog_is_raised() -> None:
    """The same fault as where the namespace is resolved alone."""
    blobs = _blobs(e={"1.0.0": ["v1"]})
    blobs[0]["properties"].append({"type": "olm.constraint", "value": {}})
    with pytest.raises(CatalogError):
        resolve_together([_request("one", OLDER, "e"), _request("two", blobs, "e")])


class _Joint(ReferenceSearch):
    """The definition's search over several worlds, in which a kind has one definition."""

    def __init__(
        self, worlds: Sequence[World], semantics: Semantics, roots: Iterable[AnyCandidate], *, bundle: bool
    ) -> None:
        super().__init__(worlds[0], semantics, roots, 20_000)
        self._parts = [ReferenceSearch(world, semantics, (), 0) for world in worlds]
        self._place: dict[PlainCandidate, int] = {}
        for place, world in enumerate(worlds):
            self._place.update(dict.fromkeys((*world.existing, *world.selectable), place))
        self._bundle = bundle
        self.named: list[tuple[int, str, str, str]] = []

    def place(self, candidate: PlainCandidate) -> int:
        return self._place[candidate]

    def exclude_each_other(self, one: PlainCandidate, other: PlainCandidate) -> bool:
        if self.place(one) == self.place(other) and self._parts[self.place(one)].exclude_each_other(one, other):
            return True
        mine, theirs = self._definitions(one), self._definitions(other)
        return any(mine[kind] != theirs[kind] for kind in mine.keys() & theirs.keys())

    def wishes_of(self, candidate: PlainCandidate) -> tuple[Wish, ...]:
        part = self._parts[self.place(candidate)]
        return wishes_of(part.world, candidate, self._semantics)

    def _definitions(self, candidate: PlainCandidate) -> dict[tuple[str, str], object]:
        served_versions: dict[tuple[str, str], set[str]] = {}
        for gvk in candidate.published.gvks:
            served_versions.setdefault((gvk.group, gvk.kind), set()).add(gvk.version)
        if self._bundle:
            packages = candidate.published.packages
            package = candidate.package or (packages[0][0] if packages else "")
            return dict.fromkeys(served_versions, (package, str(candidate.published.version)))
        return dict(served_versions)

    def described(self, candidate: PlainCandidate) -> Selected:
        # The namespace is recorded beside each value, which has no field for it.
        self.named.append((self.place(candidate), candidate.catalog, candidate.channel, candidate.name))
        return super().described(candidate)


def _random(seed: str) -> list[Request]:
    generator = random.Random(seed)
    shape = attrs.evolve(SMALL, bundles=3, odd=0.0, requirement=0.3)
    requests = []
    for name in ("one", "two"):
        document = random_document(generator, shape)
        for catalog in document["catalogs"]:
            for blob in catalog["blobs"]:
                # Versions of one package's API, so that there is something to disagree about.
                for item in blob.get("properties", ()):
                    if item["type"] == "olm.gvk" and generator.random() < 0.4:
                        item["value"]["version"] = "v2"
        request = classic_request(document)
        requests.append(
            attrs.evolve(
                request,
                namespaces=(name, "olm"),
                sources=[attrs.evolve(s, namespace=name if s.namespace == "ns" else "olm") for s in request.sources],
                subscriptions=[
                    attrs.evolve(
                        s, namespace=name, source_namespace=name if s.source_namespace == "ns" else s.source_namespace
                    )
                    for s in request.subscriptions
                ],
            )
        )
    return requests


def _defined(requests: list[Request], semantics: Semantics, *, bundle: bool) -> list[tuple[int, str, str, str]] | None:
    worlds = [World(request, semantics) for request in requests]
    roots: list[AnyCandidate] = []
    for world, request in zip(worlds, requests, strict=True):
        for root in roots_of(request, world):
            if root is None:
                return None
            roots.append(root)
    joint = _Joint(worlds, semantics, roots, bundle=bundle)
    return None if joint.preferred() is None else joint.named


@pytest.mark.parametrize("agreement", list(Agreement))
def test_the_plans_are_the_defined_ones(agreement: Agreement) -> None:
    """On random pairs of requests, an exhaustive search over both namespaces selects the same bundles."""
    plans = none = apart = 0
    for seed in range(scaled(300)):
        requests = _random(f"together {seed}")
        semantics = random.Random(seed).choice(list(Semantics))
        try:
            expected = _defined(requests, semantics, bundle=agreement is Agreement.BUNDLE)
        except (CatalogError, TooLarge):
            continue
        try:
            together = resolve_together(requests, agreement=agreement, semantics=semantics)
        except UnsatisfiableTogether:
            assert expected is None, seed
            none += 1
            continue
        selected = {
            (place, candidate.catalog, candidate.channel, candidate.name)
            for place, plan in enumerate(together.values())
            for candidate in plan.selected
        }
        assert expected is not None, seed
        assert selected == set(expected), seed
        plans += 1
        try:
            alone = [resolve(request, semantics=semantics) for request in requests]
        except ResolutionFailure:
            raise AssertionError(f"{seed}: what is possible together is possible alone") from None
        apart += [plan.installs for plan in alone] != [plan.installs for plan in together.values()]
    assert plans > scaled(60)
    assert none > scaled(30)
    assert apart > scaled(12), "agreeing must make a difference now and then"


def _answer(requests: list[Request], backend: str) -> object:
    try:
        plans = resolve_together(requests, backend=backend)
    except UnsatisfiableTogether as failed:
        return failed.core
    return {name: (plan.installs, plan.kept) for name, plan in plans.items()}


def test_the_answer_does_not_depend_on_the_backend() -> None:
    """Neither the plans nor the reasons against them."""
    for seed in range(scaled(60, 2)):
        requests = _random(f"backends {seed}")
        try:
            first = _answer(requests, "minisat22")
        except CatalogError:
            continue
        assert first == _answer(requests, "python") == _answer(requests, "cadical153"), seed


def _alone(request: Request, backend: str) -> object:
    """The plan, or the reasons with the parts of requirements that fail, or the fault."""
    try:
        plan = resolve(request, backend=backend)
    except Unsatisfiable as failed:
        return {(reason, str(reason), getattr(reason, "failing", ())) for reason in failed.core}
    except CatalogError as fault:
        return str(fault)
    return plan.installs, plan.kept, plan.replaced


def _together(request: Request, backend: str, agreement: Agreement) -> object:
    [name, *_] = request.namespaces
    try:
        plans = resolve_together([request], backend=backend, agreement=agreement)
    except UnsatisfiableTogether as failed:
        return {(reason, str(reason), getattr(reason, "failing", ())) for owner, reason in failed.core if owner == name}
    except CatalogError as fault:
        return str(fault)
    return plans[name].installs, plans[name].kept, plans[name].replaced


def _one(_: object) -> int:
    """operators"""
    return 1


def test_a_single_namespace_together_is_the_namespace_alone() -> None:
    """Every kind of constraint goes into the shared problem and comes back as it was: plans, reasons and faults.

    All random bundles give a kind in the same version, so that agreeing on definitions changes nothing.
    """
    kinds: set[str] = set()
    plans = 0
    for seed in range(scaled(400, 3)):
        generator = random.Random(f"single {seed}")
        shapes = (SMALL, DENSE, COMPOUND)
        document = random_document(generator, generator.choice(shapes))
        if generator.random() < 0.5:
            document["houseRules"] = random_house_rules(generator, document)
        request = classic_request(document)
        if generator.random() < 0.3:
            few = TotalAtMost(limit=generator.randrange(3), of=_one, name="few")
            request = attrs.evolve(request, house_rules=[*request.house_rules, few])
        alone = _alone(request, "python")
        assert _together(request, "python", Agreement.VERSIONS) == alone, seed
        if isinstance(alone, set):
            kinds |= {reason.kind for reason, _, _ in alone}
        plans += isinstance(alone, tuple)
    assert plans > scaled(100, 3)
    assert kinds >= {"Requires", "SubscriptionWants", "RuleKeepsApart", "RuleDemands", "RuleLimits", "MustStay"}
    assert "OnePerPackage" in kinds


def test_what_a_requirement_rules_out_is_named() -> None:
    """The reason tells which bundle is in the way, as it does where the namespace is resolved alone."""
    catalog = catalog_of(
        package("app").channel("stable", "1.0.0").constrained({"not": {"constraints": [{"package": _range("db")}]}}),
        package("db").channel("stable", "1.0.0"),
    )
    other = _request("other", OLDER, "e")
    with pytest.raises(UnsatisfiableTogether, match=r"which rules out db\.v1\.0\.0 \(stable"):
        resolve_together([other, request_for(catalog, "app", "db")])


def _range(name: str) -> dict[str, str]:
    return {"packageName": name, "versionRange": ">=0.0.0"}


def test_an_operator_cannot_stay_beside_its_update() -> None:
    """Somebody needs what only the installed version provides, and somebody else its update: both are told."""
    catalog = catalog_of(
        package("e").channel("stable", "1.0.0 < 2.0.0"),
        package("user").channel("stable", "1.0.0").requires_api("old.example.com/v1/Old"),
        package("newer").channel("stable", "1.0.0").requires("e", ">=2.0.0"),
    )
    request = request_for(catalog, "e", "user", "newer", installed="e.v1.0.0")
    [operator] = request.installed
    old = Property("olm.gvk", {"group": "old.example.com", "version": "v1", "kind": "Old"})
    # Of no package by its properties: nothing else keeps it from staying.
    request = attrs.evolve(request, installed=[attrs.evolve(operator, properties=(old,))])
    with pytest.raises(UnsatisfiableTogether) as caught:
        resolve_together([_request("other", OLDER, "e"), request])
    beside = [reason for _, reason in caught.value.core if isinstance(reason, CannotStayBeside)]
    assert [(reason.candidate.name, reason.operator.name) for reason in beside] == [("e.v2.0.0", "e.v1.0.0")]
    assert _together(request, "python", Agreement.VERSIONS) == _alone(request, "python")


def test_a_plan_that_an_unreadable_catalog_could_change_is_refused() -> None:
    """The policy of a namespace is kept: its first choice fails for something that the catalog may have."""
    catalog = catalog_of(package("app").channel("stable", "1.0.0 < 2.0.0").requires("db", at="2.0.0"))
    request = request_for(catalog, "app")
    [wish] = request.subscriptions
    request = attrs.evolve(request, subscriptions=[attrs.evolve(wish, source="catalog", source_namespace="olm")])
    gone = UnreadableSource("gone", "olm", 0, "no such image")
    request = attrs.evolve(request, unreadable=[gone], health_policy="referenced")
    with pytest.raises(UnsatisfiableTogether, match=r"app.v2.0.0 .* was passed over for app.v1.0.0") as caught:
        resolve_together([_request("other", OLDER, "e"), request])
    assert caught.value.namespaces == (request.namespaces[0],)


def test_a_failure_names_the_catalog_that_might_have_helped() -> None:
    """As for the namespace alone: what nothing readable gives could be in a catalog that cannot be read."""
    request = request_for(catalog_of(package("app").channel("stable", "1.0.0").requires("db")), "app")
    [wish] = request.subscriptions
    gone = UnreadableSource("gone", "olm", 0, "no such image")
    request = attrs.evolve(
        request,
        subscriptions=[attrs.evolve(wish, source="catalog", source_namespace="olm")],
        unreadable=[gone],
        health_policy="referenced",
    )
    with pytest.raises(UnsatisfiableTogether) as caught:
        resolve_together([_request("other", OLDER, "e"), request])
    kinds = [(name, reason.kind) for name, reason in caught.value.core]
    assert kinds == [("operators", kind) for kind in ("SubscriptionWants", "Requires", "CatalogsUnreadable")]
    assert _together(request, "python", Agreement.VERSIONS) == _alone(request, "python")
    strict = attrs.evolve(request, health_policy="strict")
    assert _together(strict, "python", Agreement.VERSIONS) == _alone(strict, "python")
    ignoring = attrs.evolve(request, health_policy="ignore")
    assert _together(ignoring, "python", Agreement.VERSIONS) == _alone(ignoring, "python")


def test_each_kind_in_the_way_is_told() -> None:
    """Whichever version of f the second namespace takes, another kind has two definitions: both are named."""
    blobs = _blobs(f={"1.0.0": ["v1"], "2.0.0": []})
    later = next(blob for blob in blobs if blob["name"] == "f.v2.0.0")
    later["properties"].append({"type": "olm.gvk", "value": {"group": "example.com", "version": "v2", "kind": "F"}})
    first = _blobs(e={"1.0.0": ["v1alpha1"]})
    kind = {"type": "olm.gvk", "value": {"group": "example.com", "version": "v1", "kind": "F"}}
    first[0]["properties"].append(kind)
    with pytest.raises(UnsatisfiableTogether) as caught:
        resolve_together([_request("one", first, "e"), _request("two", blobs, "f")])
    clashes = {str(reason).partition(",")[0] for name, reason in caught.value.core if not name}
    assert clashes == {
        "the cluster has one definition of example.com/E",
        "the cluster has one definition of example.com/F",
    }


def test_a_channel_without_an_order_is_the_catalogs_fault_together_too() -> None:
    """It stands in the problem for a bundle, but has no APIs to define."""
    blobs = _blobs(e={"1.0.0": ["v1"], "2.0.0": ["v1"]})
    for entry in blobs[-1]["entries"]:
        entry.pop("replaces", None)
    request = _request("two", blobs, "e")
    with pytest.raises(CatalogError) as alone:
        resolve(request)
    with pytest.raises(CatalogError) as together:
        resolve_together([_request("one", OLDER, "e"), request])
    assert str(together.value) == str(alone.value)


def test_a_sum_that_a_house_rule_limits_is_named() -> None:
    """The limit is of one namespace, as is a group of an API; but its origin is the rule, and not a group."""
    apps = [package(name).channel("stable", "1.0.0").having("cpu", 3) for name in ("app", "web")]
    alone = attrs.evolve(
        request_for(catalog_of(*apps), "app", "web"), house_rules=[TotalAtMost(limit=5, of="cpu", name="one machine")]
    )
    with pytest.raises(Unsatisfiable) as failed:
        resolve(alone)
    other = attrs.evolve(
        request_for(catalog_of(*apps), "app"), namespaces=("other", *alone.namespaces[1:]), subscriptions=()
    )
    with pytest.raises(UnsatisfiableTogether) as failed_together:
        resolve_together([other, alone])
    assert failed_together.value.core == tuple((alone.namespaces[0], reason) for reason in failed.value.core)
