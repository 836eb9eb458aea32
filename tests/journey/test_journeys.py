"""Scenes of a journey: what stops a version, what is done about it, and what is said where nothing helps."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

import olmsolve
from olmsolve import Catalog, Installed, Journey, Situation, Source, Subscription
from olmsolve.requests import PackageBuilder, package
from olmsolve.testing import catalog_of, catalog_source, cluster_service_version, operator_group, subscription_object

MAXIMUM = "olm.maxOpenShiftVersion"


def cluster(
    catalog: Catalog,
    *wishes: tuple[str, str, str],
    manual: Iterable[str] = (),
    orphans: Iterable[str] = (),
    more: Iterable[Mapping[str, Any]] = (),
    phase: str = "Succeeded",
    other: Catalog | None = None,
) -> Situation:
    """A cluster whose namespace shop has *wishes* (package, channel, version); *orphans* have no subscription.

    With *other*, there is a second catalog beside main.
    """
    objects: list[Any] = [catalog_source(Source("main", "olm", 0, catalog)), operator_group("group", "shop", ["shop"])]
    for name, channel, version in wishes:
        bundle = catalog.packages[name].bundles[f"{name}.v{version}"]
        if name not in orphans:
            subscription = Subscription(
                name=name,
                namespace="shop",
                package=name,
                channel=channel,
                source="main",
                source_namespace="olm",
                installed_csv=bundle.name,
            )
            approval = "Manual" if name in manual else "Automatic"
            objects.append(subscription_object(subscription, "shop", approval=approval))
        operator = Installed(bundle.name, version, bundle.properties, name)
        objects.append(cluster_service_version(operator, "shop", phase=phase))
    catalogs = {"olm/main": catalog}
    if other is not None:
        objects.append(catalog_source(Source("other", "olm", 0, other)))
        catalogs["olm/other"] = other
    document = {"apiVersion": "v1", "kind": "List", "items": [*objects, *more]}
    return olmsolve.read_situation(document, catalogs=catalogs)


def journey(situation: Situation, to: str, catalogs: Mapping[str, Catalog] | None = None, **options: Any) -> Journey:
    """The journey from 4.18, with the content of the catalog at later versions."""
    later = {version: {"olm/main": catalog} for version, catalog in (catalogs or {}).items()}
    return olmsolve.journey(situation, openshift=options.pop("openshift", "4.18"), to=to, catalogs=later, **options)


def happenings(journey: Journey) -> dict[str, list[str]]:
    """What happens by version, in words."""
    return {
        stage.version: [str(act) for act in stage.arrival]
        + [str(act) for made in stage.changes for act in (made.change, *made.updates)]
        for stage in journey.stages
    }


def limited(name: str, chain: str, until: Mapping[str, str]) -> PackageBuilder:
    """A package with the channel stable, whose versions work up to an OpenShift."""
    built = package(name).channel("stable", chain)
    for version, maximum in until.items():
        built = built.having(MAXIMUM, maximum, at=version)
    return built


def test_a_channel_is_changed_where_it_ends_the_way() -> None:
    """The operator of channel stable works up to 4.18; the channel beside it leads to one that works later."""
    ledger = limited("ledger", "1.0.0", {"1.0.0": "4.18"}).channel("next", "1.0.0 < 2.0.0")
    answer = journey(cluster(catalog_of(ledger), ("ledger", "stable", "1.0.0")), "4.20")
    assert answer.is_reached
    assert (answer.changes, answer.updates) == (1, 1)
    assert happenings(answer) == {
        "4.18": [
            "change subscription shop/ledger to channel next",
            "shop/ledger is updated from ledger.v1.0.0 to ledger.v2.0.0",
        ],
        "4.19": [],
        "4.20": [],
    }


def test_a_change_waits_for_the_version_that_needs_it() -> None:
    """A channel that is renamed with the version can be changed only where the new name is served."""
    now = catalog_of(package("ledger").channel("stable-4.18", "1.0.0"))
    then = catalog_of(package("ledger").channel("stable-4.19", "1.0.0 < 2.0.0"))
    answer = journey(cluster(now, ("ledger", "stable-4.18", "1.0.0")), "4.20", {"4.19": then})
    assert answer.is_reached
    assert happenings(answer)["4.18"] == []
    assert happenings(answer)["4.19"][0] == "change subscription shop/ledger to channel stable-4.19"


def test_an_update_is_approved_only_where_it_is_needed() -> None:
    """Manual subscriptions keep their version as long as it works with the next OpenShift."""
    ledger = limited("ledger", "1.0.0 < 1.1.0 < 1.2.0", {"1.0.0": "4.19"})
    answer = journey(cluster(catalog_of(ledger), ("ledger", "stable", "1.0.0"), manual=["ledger"]), "4.20")
    assert [len(stage.changes) for stage in answer.stages] == [0, 1, 0]
    assert answer.stages[1].operators[0].bundle == "ledger.v1.1.0"


def test_an_operator_without_a_way_is_the_conflict() -> None:
    """The reason names the operator and the version, and what its channels lead to; its removal was tried."""
    ledger = limited("ledger", "1.0.0 < 1.1.0", {"1.0.0": "4.18", "1.1.0": "4.19"})
    answer = journey(
        cluster(catalog_of(ledger, package("vault").channel("stable", "1.0.0")), ("ledger", "stable", "1.0.0")), "4.21"
    )
    assert not answer.is_reached
    assert answer.furthest == "4.19"
    (conflict,) = answer.conflicts
    (reason,) = conflict.reasons
    assert (str(reason), reason.cause) == (
        "shop/ledger has to work with OpenShift 4.20",
        "ledger.v1.1.0 works up to OpenShift 4.19",
    )
    assert [str(outlook) for outlook in reason.outlook] == [
        "at 4.19, channel stable leads to ledger.v1.1.0, which works up to 4.19"
    ]
    assert [str(way) for way in answer.ways] == ["remove subscription shop/ledger and operator shop/ledger.v1.0.0"]
    assert "".join(stage.version for stage in answer.stages) == "4.184.19"


def test_a_package_that_is_withdrawn_stops_its_namespace() -> None:
    """OLM resolves nothing in a namespace with a subscription to a package that is gone."""
    both = catalog_of(package("ledger").channel("stable", "1.0.0"), package("vault").channel("stable", "1.0.0"))
    less = catalog_of(package("vault").channel("stable", "1.0.0 < 1.1.0"))
    answer = journey(cluster(both, ("ledger", "stable", "1.0.0"), ("vault", "stable", "1.0.0")), "4.20", {"4.20": less})
    (reason,) = answer.conflicts[0].reasons
    assert str(reason) == "shop has to be resolved at OpenShift 4.20"
    assert "names package ledger, which is not in olm/main" in reason.cause
    assert [str(way) for way in answer.conflicts[0].ways] == [
        "remove subscription shop/ledger and operator shop/ledger.v1.0.0"
    ]
    assert answer.furthest == "4.19"


def test_two_withdrawn_packages_go_together() -> None:
    """Neither removal frees the namespace alone."""
    all_three = catalog_of(*(package(name).channel("stable", "1.0.0") for name in ("a", "b", "c")))
    answer = journey(
        cluster(all_three, ("a", "stable", "1.0.0"), ("b", "stable", "1.0.0"), ("c", "stable", "1.0.0")),
        "4.19",
        {"4.19": catalog_of(package("c").channel("stable", "1.0.0"))},
    )
    (conflict,) = answer.conflicts
    assert conflict.ways == ()
    assert {getattr(act, "subscription", "") for act in conflict.jointly} == {"a", "b"}
    assert answer.ways == conflict.jointly


def test_a_cause_is_told_of_a_way_that_keeps_the_earlier_rules() -> None:
    """Two namespaces lose a package each: each is told its own, and no channel that was changed before."""
    old = package("vault").channel("old", "1.0.0").provides("shop.example.com/v1/Account")
    new = package("vault").channel("new", "1.0.0").provides("shop.example.com/v1/Account")
    gone = [package(name).channel("stable", "1.0.0") for name in ("x", "y")]
    now, between, then = catalog_of(old, *gone), catalog_of(new, *gone), catalog_of(new)
    objects: list[Any] = [catalog_source(Source("main", "olm", 0, now))]
    for space, names in (("shop", ("vault", "x")), ("lab", ("vault", "y"))):
        objects.append(operator_group("group", space, [space]))
        for name in names:
            bundle = now.packages[name].bundles[f"{name}.v1.0.0"]
            channel = "old" if name == "vault" else "stable"
            wish = Subscription(
                name=name,
                namespace=space,
                package=name,
                channel=channel,
                source="main",
                source_namespace="olm",
                installed_csv=bundle.name,
            )
            objects.append(subscription_object(wish, space))
            objects.append(cluster_service_version(Installed(bundle.name, "1.0.0", bundle.properties, name), space))
    there = olmsolve.read_situation({"apiVersion": "v1", "kind": "List", "items": objects}, catalogs={"olm/main": now})
    answer = journey(there, "4.20", {"4.19": between, "4.20": then})
    causes = {reason.subject: reason.cause for conflict in answer.conflicts for reason in conflict.reasons}
    assert "names package x, which is not in olm/main" in causes["shop"]
    assert "names package y, which is not in olm/main" in causes["lab"]


def test_a_version_that_is_passed_asks_for_less() -> None:
    """With extended support, nobody stops at 4.19: what its catalog lacks there is back at 4.20."""
    catalog = catalog_of(package("ledger").channel("stable", "1.0.0"))
    gone = {"4.19": catalog_of(package("vault").channel("stable", "1.0.0")), "4.20": catalog}
    there = cluster(catalog, ("ledger", "stable", "1.0.0"))
    assert not journey(there, "4.20", gone).is_reached
    answer = journey(there, "4.20", gone, eus=True)
    assert answer.is_reached
    assert [stage.passed for stage in answer.stages] == [False, True, False]


def test_an_operator_without_a_subscription_is_adopted_or_removed() -> None:
    """Nothing updates it, so it stops the cluster where its own word ends."""
    ledger = limited("ledger", "1.0.0 < 2.0.0", {"1.0.0": "4.18"})
    there = cluster(catalog_of(ledger), ("ledger", "stable", "1.0.0"), orphans=["ledger"])
    answer = journey(there, "4.19")
    (conflict,) = answer.conflicts
    assert str(conflict.reasons[0]) == "shop/ledger.v1.0.0 has to work with OpenShift 4.19"
    anew = "and install it again by a subscription to package ledger, channel stable of olm/main"
    assert [str(way) for way in conflict.ways] == [
        f"remove operator shop/ledger.v1.0.0, {anew}",
        "remove operator shop/ledger.v1.0.0",
    ]


def test_another_package_takes_the_place_of_one_that_ends() -> None:
    """A package that provides the same APIs is tried as well."""
    ledger = limited("ledger", "1.0.0", {"1.0.0": "4.18"}).provides("shop.example.com/v1/Account")
    heir = package("heir").channel("stable", "3.0.0").provides("shop.example.com/v1/Account")
    answer = journey(cluster(catalog_of(ledger, heir), ("ledger", "stable", "1.0.0")), "4.19")
    assert "replace subscription shop/ledger by package heir, channel stable of olm/main" in [
        str(way) for way in answer.conflicts[0].ways
    ]


def test_an_operator_that_refuses_to_be_replaced_is_overridden() -> None:
    """Upgradeable=False keeps the newer operator pending, and with it the namespace."""
    ledger = limited("ledger", "1.0.0", {"1.0.0": "4.18"}).channel("next", "1.0.0 < 2.0.0")
    condition = {
        "apiVersion": "operators.coreos.com/v2",
        "kind": "OperatorCondition",
        "metadata": {"name": "ledger.v1.0.0", "namespace": "shop"},
        "spec": {"conditions": [{"type": "Upgradeable", "status": "False", "message": "closing the books"}]},
    }
    answer = journey(cluster(catalog_of(ledger), ("ledger", "stable", "1.0.0"), more=[condition]), "4.19")
    assert not answer.is_reached
    assert str(answer.conflicts[0].ways[0]) == (
        "override the Upgradeable condition of shop/ledger.v1.0.0 with True, once its operator is done"
    )
    assert answer.ways[:1] == answer.conflicts[0].ways[:1]


def test_an_update_that_asks_for_a_newer_kubernetes_is_not_taken() -> None:
    """OpenShift 4.18 has Kubernetes 1.31; the bundle of the other channel waits for 1.32, which comes with 4.19."""
    csv = {"minKubeVersion": "1.32.0", "installModes": [{"type": "OwnNamespace", "supported": True}]}
    ledger = limited("ledger", "1.0.0", {"1.0.0": "4.19"}).channel("next", "1.0.0 < 2.0.0")
    ledger = ledger.having("olm.csv.metadata", csv, at="2.0.0")
    answer = journey(cluster(catalog_of(ledger), ("ledger", "stable", "1.0.0")), "4.20")
    assert [len(stage.changes) for stage in answer.stages] == [0, 1, 0]
    earlier = limited("ledger", "1.0.0", {"1.0.0": "4.18"}).channel("next", "1.0.0 < 2.0.0")
    earlier = earlier.having("olm.csv.metadata", csv, at="2.0.0")
    assert not journey(cluster(catalog_of(earlier), ("ledger", "stable", "1.0.0")), "4.20").is_reached


def holding(built: PackageBuilder, at: str, *manifests: Mapping[str, Any]) -> PackageBuilder:
    """The package, whose bundle *at* has *manifests* in the catalog."""
    for manifest in manifests:
        data = base64.b64encode(json.dumps(manifest).encode()).decode()
        built = built.having("olm.bundle.object", {"data": data}, at=at)
    return built


@pytest.mark.parametrize(
    ("version", "kind", "minor", "kubernetes"),
    [
        ("policy/v1beta1", "PodDisruptionBudget", 12, "1.25"),
        ("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition", 9, "1.22"),
    ],
)
def test_objects_that_a_new_kubernetes_no_longer_serves_stop_the_update(
    version: str, kind: str, minor: int, kubernetes: str
) -> None:
    """As recorded on a cluster: the plan fails where it comes to the object.

    Before the version at which the API goes, the same update is made.
    """
    old = {"apiVersion": version, "kind": kind, "metadata": {"name": "accounts.shop.example.com"}}
    start, last, at = (f"4.{minor - 2 + number}" for number in range(3))
    now = package("ledger").channel("stable", "1.0.0").provides("shop.example.com/v1/Account")
    ledger = package("ledger").channel("stable", "1.0.0 < 1.1.0").provides("shop.example.com/v1/Account")
    newer = catalog_of(holding(ledger, "1.1.0", old))
    there = cluster(catalog_of(now), ("ledger", "stable", "1.0.0"))
    assert journey(there, last, {last: newer}, openshift=start).is_reached
    answer = journey(there, at, {at: newer}, openshift=start)
    assert answer.furthest == last
    (reason,) = answer.conflicts[0].reasons
    assert str(reason) == f"the newest install plan of shop has to be carried out at OpenShift {at}"
    assert f"Kubernetes {kubernetes} and later do not serve {version} {kind}" in reason.cause
    assert reason.effect == "OpenShift can be updated, but shop lacks objects that the failed plan has not made"
    assert str(answer.conflicts[0].ways[0]) == "let updates of subscription shop/ledger wait for approval"
    # Where the update is there early enough, it is made before the API goes.
    assert journey(there, at, {last: newer}, openshift=start).is_reached


def test_a_package_that_moves_to_another_catalog_is_followed() -> None:
    """As recorded on a cluster: OLM updates an operator from whatever catalog its subscription names."""
    both = catalog_of(package("ledger").channel("stable", "1.0.0"), package("vault").channel("stable", "1.0.0"))
    less = catalog_of(package("vault").channel("stable", "1.0.0"))
    heir = catalog_of(package("ledger").channel("fast", "1.0.0 < 1.1.0"))
    there = cluster(both, ("ledger", "stable", "1.0.0"), other=heir)
    answer = journey(there, "4.19", {"4.19": less})
    assert [str(way) for way in answer.conflicts[0].ways] == [
        "let subscription shop/ledger follow channel fast of olm/other",
        "remove subscription shop/ledger and operator shop/ledger.v1.0.0",
    ]
    assert answer.ways == answer.conflicts[0].ways[:1]


def test_deprecations_are_notes() -> None:
    """They warn at the version whose catalog has them, and stop nothing."""
    now = catalog_of(package("ledger").channel("stable", "1.0.0"))
    then = catalog_of(package("ledger").channel("stable", "1.0.0").deprecated(message="use the vault"))
    answer = journey(cluster(now, ("ledger", "stable", "1.0.0")), "4.19", {"4.19": then})
    notes = [stage.operators[0].notes for stage in answer.stages]
    assert notes == [(), ("package ledger is deprecated: use the vault",)]


def test_updates_that_go_round_stop_the_way() -> None:
    """At 4.19, a careless skipRange leads back to the version before; OLM would go round for ever."""
    now = catalog_of(package("ledger").channel("stable", "1.0.0 < 2.0.0"))
    then = catalog_of(package("ledger").channel("stable", "2.0.0 < 1.0.0", skip_range=">=1.0.0 <3.0.0"))
    answer = journey(cluster(now, ("ledger", "stable", "2.0.0")), "4.19", {"4.19": then})
    (conflict,) = answer.conflicts
    assert str(conflict.reasons[0]) == "shop has to come to rest at OpenShift 4.19, without a step back"
    assert conflict.reasons[0].cause == "shop/ledger is updated from ledger.v2.0.0 to ledger.v1.0.0, an older version"
    assert answer.furthest == "4.18"


def test_what_is_broken_from_the_start_stays_and_is_told() -> None:
    """An operator that has failed today is no reason against the journey, and stands in it."""
    there = cluster(
        catalog_of(package("ledger").channel("stable", "1.0.0")), ("ledger", "stable", "1.0.0"), phase="Failed"
    )
    answer = journey(there, "4.19")
    assert answer.is_reached
    assert answer.standing == ("operator shop/ledger.v1.0.0 is Failed",)


def extension(version: str = "") -> dict[str, Any]:
    catalog = {"packageName": "ledger", **({"version": version} if version else {})}
    return {
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterExtension",
        "metadata": {"name": "books"},
        "spec": {
            "namespace": "books",
            "serviceAccount": {"name": "books"},
            "source": {"sourceType": "Catalog", "catalog": catalog},
        },
        "status": {"install": {"bundle": {"name": "ledger.v1.0.0", "version": "1.0.0"}}},
    }


def test_an_extension_is_held_by_its_range() -> None:
    """OLM v1 keeps to the range; without it, the extension is updated before the cluster is."""
    content = catalog_of(limited("ledger", "1.0.0 < 2.0.0", {"1.0.0": "4.18"}))
    catalog = {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": "main"}}

    def gone(version: str) -> Journey:
        document = {"apiVersion": "v1", "kind": "List", "items": [catalog, extension(version)]}
        situation = olmsolve.read_situation(document, catalogs={"main": content})
        return olmsolve.journey(situation, openshift="4.18", to="4.19", catalogs={})

    assert happenings(gone(""))["4.18"] == ["books is updated from ledger.v1.0.0 to ledger.v2.0.0"]
    answer = gone("1.0.0")
    assert str(answer.conflicts[0].reasons[0]) == "books has to work with OpenShift 4.19"
    assert [str(way) for way in answer.conflicts[0].ways] == [
        "take the version 1.0.0 out of extension books",
        "delete extension books",
    ]


def test_an_extension_gets_another_channel() -> None:
    """Without a channel, OLM v1 takes the newest of all; limited to one, it can be let into another."""
    ledger = limited("ledger", "1.0.0", {"1.0.0": "4.18"}).channel("next", "1.0.0 < 2.0.0")
    limited_to = extension()
    limited_to["spec"]["source"]["catalog"]["channels"] = ["stable"]
    catalog = {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": "main"}}
    document = {"apiVersion": "v1", "kind": "List", "items": [catalog, limited_to]}
    situation = olmsolve.read_situation(document, catalogs={"main": catalog_of(ledger)})
    planned_journey = olmsolve.journey(situation, openshift="4.18", to="4.19", catalogs={})
    assert happenings(planned_journey)["4.18"] == [
        "change extension books to channel next",
        "books is updated from ledger.v1.0.0 to ledger.v2.0.0",
    ]


def test_an_extension_is_what_it_was_where_a_catalog_has_lost_it() -> None:
    """Nobody stops at 4.19, whose catalog lacks the bundle: what it works with is known from the catalog before."""
    kept = catalog_of(limited("ledger", "1.0.0", {"1.0.0": "4.20"}))
    lost = catalog_of(package("vault").channel("stable", "1.0.0"))
    catalog = {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": "main"}}
    document = {"apiVersion": "v1", "kind": "List", "items": [catalog, extension()]}
    situation = olmsolve.read_situation(document, catalogs={"main": kept})
    content = {"4.19": {"main": lost}, "4.20": {"main": kept}}
    assert olmsolve.journey(situation, openshift="4.18", to="4.20", catalogs=content, eus=True).is_reached
    planned_journey = olmsolve.journey(situation, openshift="4.18", to="4.20", catalogs=content)
    assert str(planned_journey.conflicts[0].reasons[0]) == "books has to be resolved at OpenShift 4.19"


def test_an_extension_is_never_taken_back() -> None:
    """SelfCertified lets OLM v1 install an older version; no journey leads there, though that one would work."""
    ledger = limited("ledger", "2.0.0", {"2.0.0": "4.18"}).channel("old", "1.0.0")
    certified = extension()
    certified["spec"]["source"]["catalog"] |= {"channels": ["stable"], "upgradeConstraintPolicy": "SelfCertified"}
    certified["status"]["install"]["bundle"] = {"name": "ledger.v2.0.0", "version": "2.0.0"}
    catalog = {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": "main"}}
    document = {"apiVersion": "v1", "kind": "List", "items": [catalog, certified]}
    situation = olmsolve.read_situation(document, catalogs={"main": catalog_of(ledger)})
    planned_journey = olmsolve.journey(situation, openshift="4.18", to="4.19", catalogs={})
    assert not planned_journey.is_reached
    rules = {reason.rule.value for conflict in planned_journey.conflicts for reason in conflict.reasons}
    assert rules == {"settles", "supports"}
    causes = [reason.cause for conflict in planned_journey.conflicts for reason in conflict.reasons]
    assert "ledger.v2.0.0 is replaced by ledger.v1.0.0, an older version" in causes


def test_the_digest_covers_all_that_is_read() -> None:
    """The schema of a definition and a deprecation are no part of what an object or a catalog shows of itself."""

    def definition(kind: str) -> dict[str, Any]:
        version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": kind}}}
        names = {"kind": "Account", "plural": "accounts"}
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "accounts.example.com"},
            "spec": {"group": "example.com", "names": names, "scope": "Namespaced", "versions": [version]},
        }

    ledger = package("ledger").channel("stable", "1.0.0")
    digests = [
        journey(cluster(catalog_of(content), ("ledger", "stable", "1.0.0"), more=[definition(kind)]), "4.19").digest
        for content in (ledger, ledger.deprecated(message="x"))
        for kind in ("object", "string")
    ]
    assert len(set(digests)) == 4


def test_the_cluster_says_its_own_version() -> None:
    """The ClusterVersion has completed 4.18; what it is working on does not count."""
    history = [{"state": "Partial", "version": "4.19.1"}, {"state": "Completed", "version": "4.18.7"}]
    version = {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "metadata": {"name": "version"},
        "status": {"history": history},
    }
    catalog = catalog_of(package("ledger").channel("stable", "1.0.0"))
    answer = journey(cluster(catalog, ("ledger", "stable", "1.0.0"), more=[version]), "4.19", openshift="")
    assert [stage.version for stage in answer.stages] == ["4.18", "4.19"]
    assert [stage.kubernetes for stage in answer.stages] == ["1.31", "1.32"]


def test_the_digest_tells_what_was_asked() -> None:
    """The same objects, catalogs and options have one digest; another catalog at one version has another."""
    catalog = catalog_of(package("ledger").channel("stable", "1.0.0"))
    there = cluster(catalog, ("ledger", "stable", "1.0.0"))
    newer = {"4.19": catalog_of(package("ledger").channel("stable", "1.0.0 < 1.1.0"))}
    digests = [journey(there, "4.19").digest, journey(there, "4.19").digest, journey(there, "4.19", newer).digest]
    assert digests[0] == digests[1] != digests[2]


def test_a_search_that_gives_up_says_so() -> None:
    """With one state at most, nobody knows; that is no verdict."""
    ledger = limited("ledger", "1.0.0", {"1.0.0": "4.18"}).channel("next", "1.0.0 < 2.0.0")
    answer = journey(cluster(catalog_of(ledger), ("ledger", "stable", "1.0.0")), "4.20", most=1)
    assert (answer.is_reached, answer.undecided, answer.conflicts) == (False, ("shop",), ())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"to": "4.18"}, "to: 4.18 is not above 4.18 (a cluster is never taken back to an older version)"),
        ({"to": "soon"}, "to soon: not a version of OpenShift (for example 4.20)"),
        ({"to": "4.99"}, "to 4.99: there is no such version (4.23 is 5.0, and 5.1 follows it)"),
        ({"to": "5.99"}, "to: 5.99 is more than 30 minor versions above 4.18 (name a version that is nearer)"),
        (
            {"to": "4.20", "openshift": "3.11"},
            "openshift 3.11: older than OpenShift 4.3 (a journey starts at 4.3 or later)",
        ),
        ({"to": "4.20", "openshift": ""}, "openshift: no ClusterVersion among the objects gives today's version"),
        (
            {"to": "4.20", "catalogs": {"4.21": catalog_of(package("a").channel("b", "1.0.0"))}},
            "catalogs 4.21: this version is not on the way (the way is 4.18, 4.19, 4.20)",
        ),
    ],
)
def test_bad_versions_are_refused(options: dict[str, Any], words: str) -> None:
    """One clear error names the argument and what to do."""
    there = cluster(catalog_of(package("ledger").channel("stable", "1.0.0")), ("ledger", "stable", "1.0.0"))
    with pytest.raises(olmsolve.RequestError) as caught:
        journey(there, **options)
    assert words in str(caught.value)


def test_a_request_has_no_journey() -> None:
    """A journey is about a cluster's objects."""
    request = olmsolve.read_request("olmsolve/examples/install.yaml")
    with pytest.raises(olmsolve.RequestError, match="journey needs a cluster's objects"):
        olmsolve.journey(Situation.of(request), to="4.20", catalogs={})
    with pytest.raises(olmsolve.RequestError, match="must be a Situation"):
        olmsolve.journey(request, to="4.20", catalogs={})  # type: ignore[arg-type]


def test_channels_and_bundles_are_deprecated_by_themselves() -> None:
    """A note stands where the operator has the channel, or is the bundle."""
    blobs = package("ledger").channel("stable", "1.0.0").deprecated(at="1.0.0", message="use the vault").blobs()
    entry = {"reference": {"schema": "olm.channel", "name": "stable"}, "message": "use next"}
    blobs[-1]["entries"].append(entry)
    now = catalog_of(package("ledger").channel("stable", "1.0.0"))
    answer = journey(cluster(now, ("ledger", "stable", "1.0.0")), "4.19", {"4.19": olmsolve.from_blobs(blobs)})
    assert answer.stages[1].operators[0].notes == (
        "ledger.v1.0.0 is deprecated: use the vault",
        "channel stable is deprecated: use next",
    )


def test_a_limit_that_cannot_be_read_stops_the_cluster() -> None:
    """OpenShift takes it for one that forbids the update, and so does a journey."""
    ledger = limited("ledger", "1.0.0", {"1.0.0": "soon"})
    answer = journey(cluster(catalog_of(ledger), ("ledger", "stable", "1.0.0")), "4.19")
    assert answer.conflicts[0].reasons[0].cause == "ledger.v1.0.0 has a limit that cannot be read"
