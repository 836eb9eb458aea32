"""Journeys in every form: what a value says is said, whoever made it."""

from __future__ import annotations

from os import PathLike
from typing import Final

import pytest

import olmsolve
from olmsolve import Catalog, Journey, render
from olmsolve.lifecycle.journey import (
    CatalogReplacement,
    ChannelOutlook,
    ExtensionChannelChange,
    ExtensionRemoval,
    FleetJourneys,
    JourneyConflict,
    JourneyGroup,
    JourneyOperator,
    JourneyReason,
    JourneyRule,
    JourneyStage,
    JourneyStop,
    JourneyUpdate,
    JourneyWayOut,
    MadeChange,
    ManualApproval,
    OperatorAdoption,
    OperatorRemoval,
    PackageReplacement,
    PlanApproval,
    RangeRemoval,
    SubscriptionChannelChange,
    UnreadJourney,
    UpgradeableOverride,
    stages_between,
)
from olmsolve.requests import package
from olmsolve.testing import catalog_of

_UPDATE: Final = JourneyUpdate("", "books", "ledger", "ledger.v1", "ledger.v2")
_OPERATOR: Final = JourneyOperator(
    "", "books", "ledger", "ledger.v2", "next", "main", notes=("ledger.v2 is deprecated: x",)
)
_NEW: Final = JourneyUpdate("shop", "vault", "vault", "", "vault.v1")
_WAYS: Final = (OperatorRemoval("shop", "", "a"), OperatorRemoval("shop", "b.v1"))
_STOPPED: Final = Journey(
    "4.18",
    "4.21",
    "4.20",
    (
        JourneyStage(
            "4.18",
            "1.31",
            arrival=(_NEW,),
            changes=(MadeChange(ExtensionChannelChange("books", "ledger", (), "next"), (_UPDATE,)),),
            operators=(
                JourneyOperator("shop", "vault", "vault", "vault.v1", "stable", "olm/main", "", "Failed"),
                _OPERATOR,
            ),
        ),
        JourneyStage("4.19", "1.32", passed=True, catalogs=("olm/main",), operators=(_OPERATOR,)),
        JourneyStage("4.20", "1.33", operators=(_OPERATOR,)),
    ),
    (JourneyConflict((JourneyReason("4.21", JourneyRule.WORKS, "shop/a"),), jointly=_WAYS), JourneyConflict(())),
    undecided=("lab",),
    standing=("operator shop/old is Failed",),
    digest="abc",
)


def test_text_says_all_of_it() -> None:
    """Conflicts that only several removals free, faults that stay, parts that nobody knows of."""
    text = render.journey_text(_STOPPED)
    for words in (
        "it gets as far as 4.20.",
        "  shop/a has to run at OpenShift 4.21\n    then: OpenShift can be updated, but the newest operator of shop/a",
        "  way out, which was tried: all of\n    - remove subscription shop/a\n",
        "    - remove operator shop/b.v1\n",
        "Conflict 2\n  no way out was found\n",
        "No changes that free the whole cluster were found.",
        "  by itself: shop/vault gets vault.v1\n",
        "  1. change extension books to channel next\n     then books is updated from ledger.v1 to ledger.v2\n",
        "  note: ledger.v2 is deprecated: x\n",
        "At OpenShift 4.19, without a stop\n  nothing changes\n",
        "Faults that the cluster already has, and that stay\n  operator shop/old is Failed",
        "The search gave up for lab.",
    ):
        assert words in text
    freed = olmsolve.evolve(_STOPPED, ways=_WAYS[:1])
    assert "Together, these changes lead to OpenShift 4.21:\n  - remove subscription shop/a\n" in render.journey_text(
        freed
    )


def test_text_says_what_is_not_known() -> None:
    """A search that gave up is no verdict; a cluster that cannot even leave stays."""
    unknown = Journey("4.18", "4.19", "4.18", (JourneyStage("4.18", "1.31"),), undecided=("lab",))
    assert render.journey_text(unknown).startswith("It is not known whether the cluster gets to OpenShift 4.19: the")
    stays = olmsolve.evolve(unknown, undecided=())
    assert render.journey_text(stays).startswith(
        "The cluster does not get from OpenShift 4.18 to 4.19 with all of its operators;\nit stays there."
    )
    there = Journey("4.18", "4.19", "4.19", (JourneyStage("4.18", "1.31"), JourneyStage("4.19", "1.32")))
    assert " ".join(render.journey_text(there).split()).startswith(
        "The cluster gets from OpenShift 4.18 to 4.19 without a change by hand; OLM updates nothing."
    )


def test_a_runbook_waits_for_extensions_and_not_for_what_fails() -> None:
    """An operator that is going to fail would be waited for in vain."""
    text = render.journey_markdown(_STOPPED)
    wait = "oc wait clusterextensions.olm.operatorframework.io/books --timeout=15m"
    extension = "oc patch clusterextensions.olm.operatorframework.io books --type merge -p"
    for words in (
        "- The cluster has these faults today, and nothing below mends them:\n    - operator shop/old is Failed\n",
        "- shop/a has to run at OpenShift 4.21. Then: OpenShift can be updated, but the newest operator",
        "- no way out was found\n",
        "| 4.18 | change extension books to channel next | shop/vault gets vault.v1 |\n",
        "| 4.19 (without a stop) | nothing | nothing |\n",
        "- part of the way out: remove subscription shop/a\n",
        "OLM makes these updates by itself:\n\n- shop/vault gets vault.v1\n\nWait until they are done:\n",
        f"""   $ {extension} '{{"spec": {{"source": {{"catalog": {{"channels": ["next"]}}}}}}}}'\n""",
        f"   $ {wait} --for=jsonpath='{{.status.install.bundle.name}}'=ledger.v2\n",
        "$ oc get clusterextensions.olm.operatorframework.io -o custom-columns=EXTENSION:.metadata.name,INSTALLED:",
        "| books | ledger.v2 |\n",
        "- Note: ledger.v2 is deprecated: x\n",
        "These catalogs have other content from 4.19 on: `olm/main`. OpenShift changes its own\ncatalogs by",
        "What follows leads to OpenShift 4.20.\n",
    ):
        assert words in text
    assert "clusterserviceversions.operators.coreos.com/vault.v1" not in text


_ENDED: Final = Journey("4.18", "4.19", "4.18", (JourneyStage("4.18", "1.31"),))
_SUBSCRIPTION: Final = "subscriptions.operators.coreos.com"


@pytest.mark.parametrize(
    ("way", "sentence", "commands"),
    [
        (
            ManualApproval("shop", "a"),
            "let updates of subscription shop/a wait for approval",
            [
                (
                    f"oc patch {_SUBSCRIPTION} a -n shop --type merge -p "
                    """'{"spec": {"installPlanApproval": "Manual"}}'"""
                )
            ],
        ),
        (
            CatalogReplacement("shop", "a", "fast", "olm/other"),
            "let subscription shop/a follow channel fast of olm/other",
            [
                (
                    f"oc patch {_SUBSCRIPTION} a -n shop --type merge -p "
                    """'{"spec": {"channel": "fast", "source": "other", "sourceNamespace": "olm"}}'"""
                )
            ],
        ),
        (
            PackageReplacement("shop", "a.v1", "a", "b", "stable", "olm/main"),
            "replace subscription shop/a by package b, channel stable of olm/main",
            [
                f"oc delete {_SUBSCRIPTION} a -n shop",
                "oc delete clusterserviceversions.operators.coreos.com a.v1 -n shop",
                (
                    """echo '{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": """
                    """{"name": "b", "namespace": "shop"}, "spec": {"name": "b", "channel": "stable", "source": """
                    """"main", "sourceNamespace": "olm"}}' | oc apply -f -"""
                ),
            ],
        ),
        (
            OperatorAdoption("shop", "a.v1", "a", "stable", "olm/main"),
            (
                "remove operator shop/a.v1, and install it again by a subscription to package a, channel stable of"
                " olm/main"
            ),
            [
                "oc delete clusterserviceversions.operators.coreos.com a.v1 -n shop",
                (
                    """echo '{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": """
                    """{"name": "a", "namespace": "shop"}, "spec": {"name": "a", "channel": "stable", "source": """
                    """"main", "sourceNamespace": "olm", "startingCSV": "a.v1"}}' | oc apply -f -"""
                ),
            ],
        ),
        (
            UpgradeableOverride("shop", "a.v1"),
            "override the Upgradeable condition of shop/a.v1 with True, once its operator is done",
            [
                (
                    "oc patch operatorconditions.operators.coreos.com a.v1 -n shop --type merge -p "
                    """'{"spec": {"overrides": [{"type": "Upgradeable", "status": "True", "reason": "Accepted", """
                    """"message": "for the update"}]}}'"""
                ),
            ],
        ),
        (
            RangeRemoval("books", "1.0.0"),
            "take the version 1.0.0 out of extension books",
            [
                (
                    "oc patch clusterextensions.olm.operatorframework.io books --type merge -p "
                    """'{"spec": {"source": {"catalog": {"version": null}}}}'"""
                ),
            ],
        ),
        (
            ExtensionRemoval("books"),
            "delete extension books",
            ["oc delete clusterextensions.olm.operatorframework.io books"],
        ),
    ],
)
def test_a_runbook_has_the_commands_of_ways_out(way: JourneyWayOut, sentence: str, commands: list[str]) -> None:
    """What frees the cluster can be typed, and what is lost by it is said before."""
    text = render.journey_markdown(olmsolve.evolve(_ENDED, conflicts=(JourneyConflict((), (way,)),), ways=(way,)))
    assert str(way) == sentence
    assert f"- way out: {sentence}\n" in text
    block = "\n".join(f"$ {command}" for command in commands)
    assert f"```console\n{block}\n```\n" in text
    removes = isinstance(way, (PackageReplacement, OperatorAdoption))
    assert ("What an operator has made" in text) == removes
    assert ("An extension takes along everything" in text) == isinstance(way, ExtensionRemoval)


def test_a_reason_says_what_follows_where_it_is_not_kept() -> None:
    """Only a limit keeps OpenShift itself from being updated."""
    effects = {rule: JourneyReason("4.20", rule, "shop").effect for rule in JourneyRule}
    assert effects == {
        JourneyRule.SUPPORTS: "OpenShift refuses the update to 4.20",
        JourneyRule.SETTLES: "OpenShift can be updated, but OLM replaces operators again and again, or by older ones",
        JourneyRule.RESOLVES: "OpenShift can be updated, and installed operators stay, but shop gets no updates",
        JourneyRule.INSTALLS: "OpenShift can be updated, but shop lacks objects that the failed plan has not made",
        JourneyRule.WORKS: "OpenShift can be updated, but the newest operator of shop does not run",
    }


def test_a_runbook_waits_for_a_plan_and_for_catalogs() -> None:
    """Until OLM has made the plan, the subscription names the one before; a chain of updates takes longer."""
    approved = MadeChange(
        PlanApproval("shop", "install-1", ("vault.v2",)),
        (JourneyUpdate("shop", "vault", "vault", "vault.v1", "vault.v2"),),
    )
    chain = tuple(JourneyUpdate("shop", "a", "a", f"a.v{n}", f"a.v{n + 1}") for n in range(3))
    stages = (
        JourneyStage("4.18", "1.31", changes=(approved,)),
        JourneyStage("4.19", "1.32", catalogs=("olm/main", "community"), arrival=chain),
    )
    text = render.journey_markdown(Journey("4.18", "4.19", "4.19", stages))
    for words in (
        (
            f"   $ oc wait {_SUBSCRIPTION}/vault -n shop --timeout=15m "
            "--for=jsonpath='{.status.currentCSV}'=vault.v2\n"
            f"   $ plan=$(oc get {_SUBSCRIPTION} vault -n shop -o jsonpath='{{.status.installPlanRef.name}}')\n"
        ),
        (
            "$ oc wait catalogsources.operators.coreos.com/main -n olm --timeout=15m "
            "--for=jsonpath='{.status.connectionState.lastObservedState}'=READY\n"
        ),
        "$ oc wait clustercatalogs.olm.operatorframework.io/community --timeout=15m --for=condition=Serving\n",
        "- shop/a is updated from a.v0 to a.v3 in 3 steps\n",
        f"$ oc wait {_SUBSCRIPTION}/a -n shop --timeout=45m --for=jsonpath='{{.status.installedCSV}}'=a.v3\n",
    ):
        assert words in text


def test_what_is_supposed_of_catalogs_is_said() -> None:
    """Catalogs that lack the same versions share a sentence; three versions in a row are a span."""
    supposed = {"4.19": ("a/b", "c"), "4.20": ("a/b", "c"), "4.21": ("a/b", "c", "d"), "4.22": ("d",)}
    stages = [JourneyStage("4.18", "1.31")]
    stages += [JourneyStage(version, "1.32", supposed=names) for version, names in supposed.items()]
    text = " ".join(render.journey_text(Journey("4.18", "4.22", "4.22", tuple(stages))).split())
    assert "No content of a/b and c was given for 4.19 to 4.21: there, they are assumed to have the same" in text
    assert "No content of d was given for 4.21 and 4.22: there, it is assumed to have the same" in text


def test_a_runbook_keeps_the_letters_of_names() -> None:
    """Channels of different letter case are different channels."""
    change = SubscriptionChannelChange("shop", "vault", "vault", "a", "Fast-4.19")
    stages = (JourneyStage("4.18", "1.31", changes=(MadeChange(change),)), JourneyStage("4.19", "1.32"))
    text = render.journey_markdown(Journey("4.18", "4.19", "4.19", stages))
    assert "1. Change subscription shop/vault to channel Fast-4.19.\n" in text


def test_names_end_no_code_of_a_runbook() -> None:
    """A runbook becomes a comment, and a name in a dump may have the signs of Markdown."""
    stages = (JourneyStage("4.18", "1.31"), JourneyStage("4.19", "1.32", catalogs=("olm/a` @team <b>",)))
    text = render.journey_markdown(Journey("4.18", "4.19", "4.19", stages))
    (line,) = (line for line in text.splitlines() if line.startswith("These catalogs have other content"))
    assert "`olm/a' @team <b>`. OpenShift" in line


def test_a_page_shows_all_of_it() -> None:
    """The same value, as a page."""
    page = render.journey_html(olmsolve.evolve(_STOPPED, ways=_WAYS))
    for words in (
        "4.19 (without a stop)",
        "part of the way out",
        "by itself: shop/vault gets vault.v1",
        "Faults that the cluster already has, and that stay",
        "Together, these lead to 4.21",
        "nothing → v1",
        "then: OpenShift can be updated, but the newest operator of shop/a does not run",
        '<span class="hand">channel next</span>',
    ):
        assert words in page


def test_patches_have_extensions() -> None:
    """A repository has ClusterExtensions as well."""
    ((_, manifest),) = render.journey_patches(_STOPPED)
    assert manifest == {
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterExtension",
        "metadata": {"name": "books"},
        "spec": {"source": {"catalog": {"channels": ["next"]}}},
    }


def test_groups_of_a_fleet_say_what_is_known() -> None:
    """What stops clusters, whether anything helps, and what nobody knows."""
    rules = (
        (JourneyRule.SUPPORTS, "does not get to a version that works with OpenShift 4.20: a"),
        (JourneyRule.SETTLES, "updates go in a circle or back at OpenShift 4.20: a"),
        (JourneyRule.INSTALLS, "an install plan fails at OpenShift 4.20: a"),
        (JourneyRule.WORKS, "does not run at OpenShift 4.20: a"),
    )
    stops = tuple(JourneyStop("4.20", rule, "a") for rule, _ in rules)
    assert [str(stop) for stop in stops] == [words for _, words in rules]
    groups = (
        JourneyGroup(
            stops, undecided=False, freed=False, furthest="4.19", changes=0, count=5, names=("c1", "c2", "c3", "c4")
        ),
        JourneyGroup((), undecided=True, freed=False, furthest="4.18", changes=0, count=1, names=("c9",)),
    )
    text = render.fleet_journeys_text(FleetJourneys("4.20", groups, (UnreadJourney("c0", "no JSON"),)))
    for words in (
        "0 of 6 clusters get to OpenShift 4.20.",
        "5 clusters:\n  c1, c2, c3, ...\n",
        "get as far as 4.19; no ways out of everything were found",
        "1 cluster:\n  c9\n  not known: the search gave up",
        "1 cluster without an answer:\n  c0: no JSON",
    ):
        assert words in text


def test_a_journey_of_one_cluster_is_told_in_the_singular() -> None:
    """Who asks about their own cluster counts no clusters."""
    there = JourneyGroup((), undecided=False, freed=False, furthest="4.20", changes=1, count=1, names=("home",))
    assert render.fleet_journeys_text(FleetJourneys("4.20", (there,))) == (
        "Cluster home gets to OpenShift 4.20.\n  gets there with 1 change by hand"
    )
    stop = JourneyStop("4.20", JourneyRule.SETTLES, "a")
    short = JourneyGroup((stop,), undecided=False, freed=True, furthest="4.19", changes=0, count=1, names=("home",))
    assert render.fleet_journeys_text(FleetJourneys("4.20", (short,))) == (
        f"Cluster home does not get to OpenShift 4.20.\n  - {stop}\n"
        "  gets as far as 4.19; ways out that were tried lead to 4.20"
    )


def test_a_channel_that_nothing_leads_to_says_so() -> None:
    """The outlook of an operator names the head that it does not come to."""
    assert str(ChannelOutlook("4.19", "next", "ledger.v9", "", "")) == (
        "at 4.19, no update leads into channel next (head ledger.v9)"
    )
    assert str(ChannelOutlook("4.19", "next", "", "", "")).endswith("(head none)")


def test_catalogs_share_what_they_have_in_common() -> None:
    """A package that is as it was is the same object, and so is a bundle of one that has grown."""
    ledger, vault = package("ledger").channel("stable", "1.0.0"), package("vault").channel("stable", "1.0.0")
    old = catalog_of(ledger, vault)

    def load(path: str | PathLike[str]) -> Catalog:
        return catalog_of(package("ledger").channel("stable", "1.0.0 < 2.0.0"), vault)

    first, second = stages_between("4.18", "4.19", {"olm/main": old}, {"4.19": {"olm/main": "grown"}}, load, eus=False)
    new = second.contents["olm/main"]
    assert first.contents["olm/main"] is old
    assert isinstance(new, Catalog)
    assert new.packages["vault"] is old.packages["vault"]
    assert new.packages["ledger"] is not old.packages["ledger"]
    assert new.packages["ledger"].bundles["ledger.v1.0.0"] is old.packages["ledger"].bundles["ledger.v1.0.0"]
    assert list(new.packages["ledger"].bundles) == ["ledger.v1.0.0", "ledger.v2.0.0"]


def test_a_bundle_that_says_something_else_later_is_another() -> None:
    """The image decides nothing where a catalog has changed what it says of the bundle."""
    plain, limited = package("ledger").channel("stable", "1.0.0"), package("ledger").channel("stable", "1.0.0")
    old, limited = catalog_of(plain), limited.having("olm.maxOpenShiftVersion", "4.19")
    stages = stages_between(
        "4.18", "4.20", {"olm/main": old}, {"4.19": {"olm/main": "new"}}, lambda _: catalog_of(limited), eus=False
    )
    catalogs = [stage.contents["olm/main"] for stage in stages]
    bundles = [
        catalog.packages["ledger"].bundles["ledger.v1.0.0"] for catalog in catalogs if isinstance(catalog, Catalog)
    ]
    assert bundles[0] is old.packages["ledger"].bundles["ledger.v1.0.0"]
    assert bundles[1] is bundles[2]
    assert [len(bundle.properties) for bundle in bundles] == [1, 2, 2]
