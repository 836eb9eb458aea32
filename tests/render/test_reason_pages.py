"""Plans and explanations as HTML pages: complete, foldable, bounded in depth, and safe with any name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import olmsolve
from olmsolve import Candidate, Install, Resolution, WantedBy
from olmsolve.answers import Phrase
from olmsolve.answers.explain import (
    Conflict,
    DeprecatedFact,
    Explanation,
    Node,
    NodeKind,
    NodeLocation,
    OnlyOneFact,
    OtherApiVersions,
    RefusedFact,
    RequirementFact,
    Unserved,
    WishFact,
)
from olmsolve.catalog.index import Group
from olmsolve.classic import Subscription
from olmsolve.predicates import HasLabel
from olmsolve.predicates.model import has_label_of
from olmsolve.render import explanation_html, plan_html
from tests.browser import Browser
from tests.cli.commands import runner
from tests.render.clusters import small
from tests.render.pages import parsed
from tests.scenarios.dumps.files import cluster_arguments

EXAMPLES = Path(olmsolve.__file__).parent / "examples"


def candidate(name: str, package: str = "p") -> Candidate:
    return Candidate(name, package, "stable", "olm/main", "1.0.0")


def install(name: str, *wanted: WantedBy) -> Install:
    return Install(candidate(name, name), "", wanted)


def resolution(*installs: Install) -> Resolution:
    return Resolution(installs, (), (), (), "documented")


def explanation(*nodes: Node, roots: tuple[int, ...] = (1,)) -> Explanation:
    return Explanation((Conflict(Unserved(("wish",), ()), roots, nodes),))


def wish(name: str) -> WishFact:
    return WishFact(Subscription(name, "n", "p"), "", 1)


def requirement(label: str, message: str = "") -> RequirementFact:
    needed = has_label_of(HasLabel, label, message)
    return RequirementFact(needed, (needed,), provided=False)


SMALL = explanation(
    Node(1, NodeKind.SUBSCRIPTION, wish("wish"), (2,)),
    Node(2, NodeKind.BUNDLES, Phrase(tuple(candidate(f"p.v1.{i}.0") for i in range(6)), ()), (3,)),
    Node(
        3,
        NodeKind.REQUIREMENT,
        requirement("lightweight", "install the provider"),
        notes=(OtherApiVersions(("g/v2/K",)),),
        locations=(NodeLocation("olm/main", "p.v1.0.0", "catalog.yaml:12", "properties[1] (olm.gvk.required)"),),
    ),
)


def test_a_plan_says_everything() -> None:
    """The page is what people get instead of the text: nothing of that may be missing."""
    plan = olmsolve.resolve(olmsolve.read_request(EXAMPLES / "upgrade.yaml"))
    text = parsed(plan_html(plan)).text
    for install in plan.installs:
        assert all(fact in text for fact in (install.name, install.version, install.channel, install.catalog))
    for kept in plan.kept:
        assert kept.name in text
    assert "subscription shop" in text
    assert "also for storefront.v2.0.0, which requires package courier" in text


def test_a_bundle_stands_below_the_one_that_brought_it() -> None:
    """The tree is read from the top: what is asked for, and what that needs."""
    needed = WantedBy(bundle="a", requirement=HasLabel("light"))
    page = plan_html(resolution(install("a", WantedBy(subscription="wish")), install("b", needed)))
    tree = page[page.index('class="tree"') :]
    assert re.search(r"<details open><summary><code>a</code>.*<code>b</code> to meet: the label light", tree)


def test_a_deep_plan_is_not_nested_deeper_than_browsers_go() -> None:
    """Chains of hundreds of requirements exist; parsers flatten what is nested too deep, and trees fall apart."""
    chain = [install("b0", WantedBy(subscription="wish"))]
    chain += [install(f"b{i}", WantedBy(bundle=f"b{i - 1}", requirement=HasLabel(f"b{i}"))) for i in range(1, 400)]
    parsed_page = parsed(plan_html(resolution(*chain)))
    assert parsed_page.deepest < 40
    assert all(f"b{i}" in parsed_page.text for i in range(400))


def test_an_explanation_says_everything() -> None:
    """Statements, the author's message, near misses, places and every candidate."""
    text = parsed(explanation_html(SMALL)).text
    for node in SMALL.conflicts[0].nodes:
        assert node.statement in text
        assert all(candidate.name in text for candidate in node.candidates)
    assert "install the provider" in text
    assert "only another version of this API is provided: g/v2/K" in text
    assert "catalog.yaml:12, p.v1.0.0, properties[1] (olm.gvk.required)" in text


@pytest.mark.parametrize("kind", list(NodeKind))
def test_every_kind_of_fact_has_a_page(kind: NodeKind) -> None:
    """Rare kinds of facts are the ones that people need explained most."""
    page = explanation_html(explanation(Node(1, kind, RefusedFact("it is too new"))))
    assert f'class="leaf node {kind.value}"' in page
    assert "may not be selected here: it is too new" in parsed(page).text


def test_what_has_a_plan_is_not_called_without_one() -> None:
    """The command explains whatever it is given; a page titled "No plan" about a request with a plan is false."""
    page = explanation_html(Explanation((), ()))
    assert "<title>There is a plan</title>" in page
    assert "No plan" not in page
    assert "What would help" not in page


def test_what_is_reached_twice_is_written_once() -> None:
    """A shared tree would otherwise grow without end; a link leads to where it stands."""
    shared = explanation(
        Node(1, NodeKind.SUBSCRIPTION, wish("one"), (3,)),
        Node(2, NodeKind.SUBSCRIPTION, wish("two"), (3,)),
        Node(3, NodeKind.ONLY_ONE, OnlyOneFact(Group("package", "p"))),
        roots=(1, 2),
    )
    page = parsed(explanation_html(shared))
    assert [at["id"] for _, at in page.elements if at.get("id", "").startswith("n")] == ["n1", "n3", "n2"]
    assert [at["href"] for tag, at in page.elements if tag == "a"] == ["#n3"]


def test_branches_meet_in_links() -> None:
    """Two branches that compete each have a link to the other."""
    competing = explanation(
        Node(1, NodeKind.ONLY_ONE, OnlyOneFact(Group("package", "p")), against=(2,)),
        Node(2, NodeKind.BUNDLES, Phrase((candidate("p.v2.0.0"),), ())),
    )
    page = parsed(explanation_html(competing))
    assert "against 2: p.v2.0.0" in page.text
    assert [at["href"] for tag, at in page.elements if tag == "a"] == ["#n2"]


def test_a_deep_explanation_goes_on_below() -> None:
    """A deep chain of reasons goes on in a tree of its own; every node is there once."""
    chain = [Node(i, NodeKind.REQUIREMENT, requirement(str(i)), (i + 1,)) for i in range(1, 300)]
    page = parsed(explanation_html(explanation(*chain, Node(300, NodeKind.DEPRECATED, DeprecatedFact()))))
    assert page.deepest < 40
    ids = [at["id"] for _, at in page.elements if at.get("id", "").startswith("n")]
    assert ids == [f"n{i}" for i in range(1, 301)]


@given(st.text(max_size=10))
def test_strangers_names_stay_text(name: str) -> None:
    """Names and messages of catalogs must not become elements."""
    twice = (candidate(name), candidate(name))
    places = (NodeLocation(name, name),)
    bundles = Node(1, NodeKind.BUNDLES, Phrase(twice, ()), (2,), locations=places)
    fact = Node(2, NodeKind.REQUIREMENT, requirement(name, name), locations=places)
    page = explanation_html(explanation(bundles, fact)) + plan_html(
        resolution(install(name, WantedBy(subscription=name)))
    )
    assert page.count("<script>") == 2
    tags = {tag for tag, _ in parsed(page).elements}
    assert not tags & {"img", "a", "iframe", "object", "link", "base", "form"}


@pytest.mark.parametrize("page", [explanation_html(SMALL), plan_html(resolution())])
def test_nothing_is_loaded(page: str) -> None:
    """These pages are mailed and kept for years."""
    assert not re.search(r"""src=|url\((?!#)|@import|https?:""", page)


def test_folding_and_filtering_in_a_browser(browser: Browser) -> None:
    """Folding is for long trees; a candidate that is looked for is unfolded, the others are hidden."""
    dumped = browser.dumped(
        explanation_html(SMALL),
        """
        document.querySelector("[data-action=fold]").click();
        const field = document.querySelector("input[data-filters]");
        field.value = "V1.3";
        field.dispatchEvent(new Event("input"));
        """,
    )
    parsed_page = parsed(dumped)
    shown: dict[str, Any] = {
        at["data-filter"].split()[0]: "hidden" not in at for tag, at in parsed_page.elements if "data-filter" in at
    }
    assert [name for name, visible in shown.items() if visible] == ["p.v1.3.0"]
    assert all("open" in at for tag, at in parsed_page.elements if tag == "details" and at["class"] == "candidates")


def test_the_page_is_dark_where_the_reader_is(browser: Browser) -> None:
    """By the system's setting at first, by the button from then on; the keyboard reaches the button."""
    dumped = browser.dumped(
        plan_html(resolution()),
        """
        const button = document.querySelector("[data-action=theme]");
        button.focus();
        document.activeElement.click();
        document.documentElement.dataset.ground = getComputedStyle(document.body).backgroundColor;
        """,
    )
    root = parsed(dumped).elements[0][1]
    grounds = {"dark": "rgb(20, 24, 29)", "light": "rgb(252, 252, 253)"}
    assert root["data-ground"] == grounds[root["data-theme"]]


@pytest.mark.parametrize(
    ("name", "code", "title"), [("install", 0, "Plan: 5 bundles"), ("unsatisfiable", 1, "No plan")]
)
def test_resolve_writes_the_page_of_its_answer(
    name: str, code: int, title: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One option for whatever comes out: a pipeline does not know beforehand whether there will be a plan."""
    file = tmp_path / "answer.html"
    outcome = runner(capsys)("resolve", EXAMPLES / f"{name}.yaml", "--explain", f"html={file}")
    assert (outcome.code, outcome.err) == (code, "")
    assert title in parsed(file.read_text("utf-8")).text


@pytest.mark.parametrize(
    ("name", "code", "title"), [("install", 0, "Plan: 5 bundles"), ("unsatisfiable", 1, "No plan")]
)
def test_resolve_prints_the_page_of_its_answer(
    name: str, code: int, title: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """``--output html`` means the same in every command: the answer as one page."""
    outcome = runner(capsys)("resolve", EXAMPLES / f"{name}.yaml", "--output", "html")
    assert (outcome.code, outcome.err) == (code, "")
    assert title in parsed(outcome.out).text


def test_the_only_question_of_a_cluster_has_a_page(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has to choose where there is no choice."""
    monkeypatch.chdir(EXAMPLES)
    run = runner(capsys)
    for command in ("resolve", "explain"):
        outcome = run(command, "--cluster", "conflict.yaml", "--output", "html")
        assert (outcome.code, outcome.err) == (1, "")
        assert "cannot be served together" in parsed(outcome.out).text


def test_a_page_is_about_one_question(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Of a cluster with several, one is chosen; an extension has a page as well; what cannot matter is refused."""
    run = runner(capsys)
    arguments = cluster_arguments(small(), tmp_path)
    several = run("resolve", *arguments, "--output", "html")
    assert (several.code, several.out) == (2, "")
    assert "--output html is for one question, not " in several.err
    assert ": bank, " in several.err
    assert "(--namespace or --extension chooses one)" in several.err
    bank = run("resolve", *arguments, "--namespace", "bank", "--output", "html")
    assert (bank.code, bank.err) == (0, "")
    assert "ledger.v1.0.0" in parsed(bank.out).text
    database = run("resolve", *arguments, "--extension", "database", "--output", "html")
    assert (database.code, database.err) == (0, "")
    assert "etcd.v1.1.0" in parsed(database.out).text
    cache = run("resolve", *arguments, "--extension", "cache", "--output", "html")
    assert (cache.code, cache.err) == (1, "")
    assert "no bundles found" in parsed(cache.out).text
    refused = run("resolve", EXAMPLES / "install.yaml", "--output", "html", "--core")
    assert (refused.code, refused.out) == (2, "")
    assert "--core is for text" in refused.err


def test_what_would_help_comes_before_the_reasons() -> None:
    """Who wants to go on reads what fails, then what to do; the trees are for who wants to know why."""
    request = olmsolve.read_request(EXAMPLES / "unsatisfiable.yaml")
    with pytest.raises(olmsolve.Unsatisfiable) as failure:
        olmsolve.resolve(request)
    page = explanation_html(olmsolve.explanation(failure.value))
    texts = ("cannot be served together", "What would help", "switch subscription shop", ">Conflict<")
    positions = [page.index(text) for text in texts]
    assert positions == sorted(positions)
