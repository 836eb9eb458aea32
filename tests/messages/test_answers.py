"""Messages of answers that no other test produces: the words of single facts, and refusals of the verbs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import attrs
import pytest

import olmsolve
from olmsolve import Candidate
from olmsolve.answers import Phrase
from olmsolve.answers.bundle_filter import Absence, BundleFilter, Missing
from olmsolve.answers.explain import DemandFact, PrereleasesOnly, WishFact
from olmsolve.answers.explain.extension import extension_explanation
from olmsolve.answers.extensions import AllowChannel
from olmsolve.answers.held_back import ImpossibleBeside, NoUpdatePath
from olmsolve.answers.questions import DoesNotFit, WhyNot, WhyNotVerdict
from olmsolve.answers.reducing import without_eligibility
from olmsolve.answers.rerunning import SelectedBefore, rerun_of
from olmsolve.answers.verification.document import CertificateReader
from olmsolve.classic import AtLeastOne, Bundles, RuleDemands, Subscription
from olmsolve.errors import OlmsolveError
from olmsolve.testing import catalog_of, package, request_for
from olmsolve.v1 import ClusterCatalog, Extension, ExtensionDiff, ExtensionRequest

SHOP: Final = catalog_of(package("shop").channel("stable", "1.0.0 < 1.1.0"))
REQUEST: Final = request_for(SHOP, "shop")
EXTENSION: Final = ExtensionRequest(Extension("shop"), (ClusterCatalog("main", SHOP),))


def refused(call: Callable[[], object]) -> str:
    """Return the text of the error that *call* raises."""
    with pytest.raises(OlmsolveError) as caught:
        call()
    return str(caught.value)


def candidate(name: str) -> Candidate:
    """Return a candidate of the package shop."""
    return Candidate(name, "shop", "stable", "olm/cat", "1.0.0")


DEMAND: Final = AtLeastOne(Bundles(package="till"), name="no shop without a till")
WISH: Final = Subscription(name="shop", namespace="shop", package="shop")
WORDS: Final[list[tuple[object, str]]] = [
    (
        PrereleasesOnly(names=("1.0.0-a", "1.0.0-b"), package="shop"),
        "1.0.0-a and 1.0.0-b of package shop are pre-releases, which come before the release that the range asks for",
    ),
    (
        WishFact(WISH, "", 0),
        "subscription shop wants package shop from any channel of any visible catalog, which has no bundle",
    ),
    (DemandFact(DEMAND, 0), f"house rule 'no shop without a till' demands {DEMAND}, and no visible catalog has one"),
    (AllowChannel(""), "remove channels, which allows all of them"),
    (ExtensionDiff(()), "nothing changes"),
    (
        NoUpdatePath("shop.v1", "stable", "shop.v2"),
        "no update leads to it from shop.v1 in channel stable; updates end at shop.v2",
    ),
    (
        ImpossibleBeside(candidate("shop.v2"), (RuleDemands(DEMAND, (candidate("till.v1"),)),)),
        "conflicts with house rule 'no shop without a till'",
    ),
    (DoesNotFit(), "it does not fit the way in which a compound constraint before it is met"),
    (SelectedBefore(candidate("shop.v2")), f"{candidate('shop.v2')} is selected before it"),
    (
        Absence(BundleFilter("etcd.v1", None, "", ""), Missing.ONE_PACKAGE, ("etcd", "etcd-alpha")),
        "etcd.v1 is a bundle of the packages etcd and etcd-alpha: ask about one of them, and its version",
    ),
    (
        Absence(BundleFilter("etcd", None, "beta", ""), Missing.BUNDLE),
        "package etcd has no bundle in channel beta in any visible catalog",
    ),
]


@pytest.mark.parametrize(("value", "words"), WORDS, ids=[type(value).__name__ for value, _ in WORDS])
def test_words_of_facts(value: object, words: str) -> None:
    """A fact is a value, and its words are a whole sentence or the end of one."""
    assert str(value) == words


def test_what_nothing_asks_for() -> None:
    """A bundle without a wish may be selected all the same."""
    answer = WhyNot(WhyNotVerdict.NOT_ASKED_FOR, phrase=Phrase((candidate("shop.v2"),), (("2.0.0",),)))
    assert answer.reason == f"{answer.phrase} could be selected, but nothing asks for it"


def test_plans_of_other_requests() -> None:
    """A plan whose request has changed since is no answer to it."""
    plan = olmsolve.resolve(REQUEST)
    other = request_for(catalog_of(package("shop").channel("stable", "2.0.0")), "shop")
    assert refused(lambda: rerun_of(plan, other)) == "request: the plan is not one of this request"
    nothing = request_for(catalog_of(package("till").channel("stable", "2.0.0")), "shop")
    assert refused(lambda: rerun_of(plan, nothing)) == "request: the plan is not one of this request"
    assert (
        refused(lambda: olmsolve.certificate(plan, request=nothing)) == "request: the plan is not one of this request"
    )


def test_certificates_of_what_is_not_so() -> None:
    """A failure that has a plan, and a plan that is not the preferred one, cannot be proved."""
    nothing = request_for(catalog_of(package("till").channel("stable", "2.0.0")), "shop")
    with pytest.raises(olmsolve.Unsatisfiable) as caught:
        olmsolve.resolve(nothing)
    assert (
        refused(lambda: olmsolve.certificate(caught.value, request=REQUEST)) == "request: the request can be satisfied"
    )
    older = attrs.evolve(REQUEST, subscriptions=(attrs.evolve(REQUEST.subscriptions[0], starting_csv="shop.v1.0.0"),))
    plan = olmsolve.resolve(older)
    message = refused(lambda: olmsolve.certificate(plan, request=REQUEST))
    assert message == "request: the plan is not the preferred one of this request"


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda reader: reader.candidate(["a"], "at"), "at: must be a list of catalog, package, channel and name"),
        (lambda reader: reader._one_per({"onePer": "x"}, "at"), "at.onePer: must be package or api"),
        (
            lambda reader: reader._one_per({"onePer": "api", "name": ["x"]}, "at"),
            "at.name: must be a list of group, version and kind",
        ),
    ],
)
def test_certificates_that_cannot_be_read(read: Callable[[CertificateReader], object], message: str) -> None:
    """A certificate comes from elsewhere; the field is named."""
    reader: Any = CertificateReader(None, olmsolve.Semantics.DOCUMENTED, 1)  # type: ignore[arg-type]
    assert refused(lambda: read(reader)) == message


def test_requests_of_the_wrong_kind() -> None:
    """A verb says what it was given."""
    plan: Any = olmsolve.resolve(REQUEST)
    number: Any = 5
    assert refused(lambda: olmsolve.explanation(plan, request=number)) == "request: an int is not a classic request"
    assert (
        refused(lambda: extension_explanation(plan, fixes=1, tries=1))
        == "a Resolution is not an answer of olmsolve.resolve"
    )
    wish: Any = attrs.evolve(EXTENSION, eligibility=(lambda _: "",))
    assert refused(lambda: without_eligibility(wish)) == (
        "the system constraints of an extension cannot be reduced (leave out the versions of Kubernetes and OpenShift)"
    )
