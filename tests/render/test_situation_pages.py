"""Pages of whole situations and of simulations: complete, safe with any name, bounded, and usable in a browser."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Final

import pytest

import olmsolve
from olmsolve import render
from olmsolve.cli import main
from olmsolve.lifecycle.planning import explained_failures
from tests.browser import Browser
from tests.cli.commands import runner
from tests.render.clusters import HOSTILE, hostile_arguments, large, small
from tests.render.pages import Elements, parsed
from tests.scale import LONG, scaled
from tests.scenarios.dumps.files import cluster_arguments

VERBS: Final = ("plan", "simulate")
SUBSCRIPTIONS: Final = scaled(300, 3)
EXTENSIONS: Final = scaled(500, 3)
# Of a third of the objects: closer to what the pages take, because what grows with the square has grown less.
MOST_BYTES_OF_LARGE: Final = 2_000_000 if LONG else 400_000
# Ten times the text of the same answer would be an explosion; this is about twice.
MOST_BYTES: Final = 2_000_000


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pages of the small cluster, as the commands write them."""
    arguments = cluster_arguments(small(), tmp_path_factory.mktemp("small"))
    written = {}
    for verb in VERBS:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            main([verb, *arguments, "--output", "html"])
        written[verb] = output.getvalue()
    return written


@pytest.fixture(scope="module")
def large_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pages of 300 subscriptions and 500 extensions; the short run takes a third of them."""
    return pages_of(tmp_path_factory.mktemp("large"), SUBSCRIPTIONS, EXTENSIONS)


@pytest.fixture(scope="module")
def long_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Pages that are longer than a window: of 40 subscriptions and 60 extensions, with every state among them."""
    return pages_of(tmp_path_factory.mktemp("long"), 40, 60)


def pages_of(folder: Path, subscriptions: int, extensions: int) -> dict[str, str]:
    """Return the pages of a cluster of this size."""
    _, dump, *rest = cluster_arguments(large(subscriptions, extensions), folder)
    catalogs = dict(argument.split("=", 1) for argument in rest[1::2])
    situation = olmsolve.read_situation(dump, catalogs=catalogs)
    plan = olmsolve.plan(situation)
    return {
        "plan": render.situation_plan_html(plan, explained_failures(plan, situation)),
        "simulate": render.simulation_html(olmsolve.simulate(situation)),
    }


def states(page: Elements) -> dict[str, str]:
    """The state of each operator and extension on a page, by the first word of its title."""
    return {
        at["data-filter"]: at["data-state"] for _, at in page.elements if "data-filter" in at and "data-state" in at
    }


def test_every_operator_and_extension_has_its_state(pages: dict[str, str]) -> None:
    """The states follow from the cluster in clusters.py: what has failed, waits, is updated, held back, at rest."""
    assert states(parsed(pages["plan"])) == {
        "subscription ledger ledger.v1.0.0 ledger.v1.1.0 stable, olm/community": "update",
        "new dependency  keyring.v1.1.0 ": "update",
        "subscription binder binder.v2.1.0  stable, olm/community": "broken",
        "subscription press press.v3.0.0  stable, olm/community": "held",
        "subscription press press.v2.0.0 press.v3.0.0 stable, olm/community": "waits",
        "subscription billing billing.v1.0.0  stable, olm/community": "unresolved",
        "subscription orders   stable, olm/community": "unresolved",
        "cache   ": "unresolved",
        "database etcd.v1.0.0 etcd.v1.1.0 operatorhub": "update",
        "secrets vault.v1.1.0  operatorhub": "rest",
    }


def test_each_explanation_is_on_the_page(pages: dict[str, str]) -> None:
    """One click away: the conflict with its facts and ways out, the failed operator, the plan that waits."""
    text = parsed(pages["plan"]).text
    for words in (
        "Nothing is resolved here: subscription orders cannot be served",
        "requires the API queue.example.com/v1/Broker, which no bundle provides",
        "delete subscription orders",
        "deployment binder not ready",
        "install plan print/install-8xk2p waits for approval: press.v3.0.0",
        "in channel fast, and the subscription names channel stable",
        'no bundles found for package "redis" matching version "9.x"',
        "operator group global-operators for all namespaces",
        "READY",
    ):
        assert words in text


@pytest.mark.parametrize(("verb", "heading"), [("plan", "Not planned"), ("simulate", "Not simulated")])
def test_a_document_beside_a_cluster_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, verb: str, heading: str
) -> None:
    """It has no objects to plan for: the page says so, and shows the cluster all the same."""
    document = Path(olmsolve.__file__).parent / "examples/install.yaml"
    arguments = cluster_arguments(small(), tmp_path)
    outcome = runner(capsys)(verb, document, *arguments, "--output", "html")
    page = parsed(outcome.out)
    assert outcome.code == 2
    assert heading in page.text
    assert "needs a cluster's objects" in page.text
    assert "ledger.v1.1.0" in page.text


def test_what_is_not_asked_is_not_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Beside one chosen namespace, the operators of others would look as if nothing happened to them."""
    arguments = cluster_arguments(small(), tmp_path)
    text = parsed(runner(capsys)("plan", *arguments, "--namespace", "bank", "--output", "html").out).text
    assert "ledger.v1.1.0" in text
    assert "binder" not in text


def test_a_simulation_shows_each_step_and_the_end(pages: dict[str, str]) -> None:
    """Step by step: what changed, what waits, what failed; then what is left."""
    page = parsed(pages["simulate"])
    assert [at["data-step"] for _, at in page.elements if "data-step" in at] == ["1", "2", "1", "2"]
    for words in (
        "operator ledger.v1.2.0: new > Pending > InstallReady > Succeeded",
        "subscription ledger: has ledger.v1.1.0 > ledger.v1.2.0",
        "cannot be resolved, because these cannot hold together:",
        "still as in step 1",
        "install plan print/install-8xk2p waits for approval: press.v3.0.0",
        "operator books/binder.v2.1.0 is Failed",
        "database: etcd.v1.1.0 → etcd.v1.2.0",
    ):
        assert words in page.text


def test_the_timeline_has_no_gap(pages: dict[str, str]) -> None:
    """Each row says for every step what is installed: its spans follow each other from now to the end."""
    ends: list[list[tuple[int, int]]] = []
    for tag, at in parsed(pages["simulate"]).elements:
        if tag == "tr":
            ends.append([])
        elif "data-from" in at:
            ends[-1].append((int(at["data-from"]), int(at["data-to"])))
    rows = [row for row in ends if row]
    assert len(rows) >= 6
    for row in rows:
        assert [first for first, _ in row] == [0, *(last + 1 for _, last in row[:-1])]
        assert row[-1][1] == 2


@pytest.mark.parametrize("verb", VERBS)
def test_strangers_names_stay_text(capsys: pytest.CaptureFixture[str], tmp_path: Path, verb: str) -> None:
    """Names, channels and messages with markup and with marks that turn the direction of text."""
    arguments = hostile_arguments(tmp_path)
    page = runner(capsys)(verb, *arguments, "--output", "html").out
    assert "onerror" in page
    assert HOSTILE not in page
    assert "\u202e" not in page
    assert page.count("<script>") == page.count("</script>") == 1
    assert "img" not in {tag for tag, _ in parsed(page).elements}


@pytest.mark.parametrize("verb", VERBS)
def test_nothing_is_loaded(pages: dict[str, str], verb: str) -> None:
    """These pages are mailed and kept for years."""
    assert not re.search(r"""src=|url\((?!#)|@import|https?:""", pages[verb])


@pytest.mark.parametrize("verb", VERBS)
def test_large_clusters_have_pages_of_bounded_size(large_pages: dict[str, str], verb: str) -> None:
    """Hundreds of subscriptions and extensions: each of them is there, and the page is no larger than pictures are."""
    page = large_pages[verb]
    assert len(page.encode()) < MOST_BYTES_OF_LARGE
    text = parsed(page).text
    assert all(f"operator-{number:03}" in text for number in range(SUBSCRIPTIONS))
    assert all(f"extension-{number:03}" in text for number in range(EXTENSIONS))


def test_a_long_simulation_has_a_bounded_page(tmp_path: Path) -> None:
    """A simulation may have thousands of steps; what is left out is said, and the timeline ends where the steps do."""
    _, dump, *rest = cluster_arguments(small(), tmp_path)
    catalogs = dict(argument.split("=", 1) for argument in rest[1::2])
    simulation = olmsolve.simulate(olmsolve.read_situation(dump, catalogs=catalogs))
    steps = tuple(olmsolve.evolve(simulation.steps[0], number=number) for number in range(1, 1001))
    page = render.simulation_html(olmsolve.evolve(simulation, steps=steps, extensions=None))
    parsed_page = parsed(page)
    assert [at["data-step"] for _, at in parsed_page.elements if "data-step" in at] == [
        str(step) for step in range(1, 201)
    ]
    assert "Steps 201 to 1,000 are in the JSON form only." in parsed_page.text
    assert max(int(at["data-to"]) for _, at in parsed_page.elements if "data-to" in at) == 200
    # The namespace that cannot be resolved says why once, and then that it still is so.
    assert parsed_page.text.count("cannot be resolved, because these cannot hold together") == 1
    assert parsed_page.text.count("still as in step 1") == 199
    assert len(page.encode()) < MOST_BYTES


def test_a_simulation_without_a_step_says_what_is_left(tmp_path: Path) -> None:
    """No timeline where nothing changes: the end is all there is to show."""
    scenario = small()
    scenario["subscriptions"] = {"books/binder": scenario["subscriptions"]["books/binder"]}
    del scenario["extensions"]
    _, dump, *rest = cluster_arguments(scenario, tmp_path)
    situation = olmsolve.read_situation(dump, catalogs=dict(argument.split("=", 1) for argument in rest[1::2]))
    parsed_page = parsed(render.simulation_html(olmsolve.simulate(situation)))
    assert "operator books/binder.v2.1.0 is Failed" in parsed_page.text
    assert not any("data-player" in at for _, at in parsed_page.elements)


@pytest.mark.parametrize("size", ["small", "long"])
def test_items_are_chosen_by_state_and_name(
    pages: dict[str, str], long_pages: dict[str, str], size: str, browser: Browser
) -> None:
    """A button shows the items of its state alone, with their namespaces; a name narrows them down."""
    page = pages["plan"] if size == "small" else long_pages["plan"]
    expected = sum(state == "unresolved" for state in states(parsed(page)).values())
    parsed_page = parsed(
        browser.dumped(
            page,
            """
            document.querySelector("button[data-state=unresolved]").click();
            document.body.dataset.first = document.getElementById("shown").textContent;
            const field = document.getElementById("search");
            field.value = "ORDERS";
            field.dispatchEvent(new Event("input"));
            """,
        )
    )
    items = [at for _, at in parsed_page.elements if "data-filter" in at and "data-state" in at]
    total = len(items)
    assert next(at for tag, at in parsed_page.elements if tag == "body")["data-first"] == f"{expected} of {total} shown"
    shown = [at["data-filter"] for at in items if "hidden" not in at]
    assert shown == (["subscription orders   stable, olm/community"] if size == "small" else [])
    groups = [at for _, at in parsed_page.elements if at.get("class") == "group"]
    assert sum("hidden" not in at for at in groups) == len(shown)


def test_a_link_to_a_step_shows_it(long_pages: dict[str, str], browser: Browser) -> None:
    """Whoever passes a link on means that step: it is shown, and stands at the top of the window."""
    parsed_page = parsed(
        browser.dumped(
            long_pages["simulate"],
            """
            const view = document.defaultView;
            view.location.hash = "#round-3";
            view.dispatchEvent(new Event("hashchange"));
            const shown = [...document.querySelectorAll("[id^=round-]")].filter((each) => !each.hidden);
            shown[0].scrollIntoView();
            document.body.dataset.heard = shown.map((each) => each.id).join(" ");
            document.body.dataset.top = Math.round(shown[0].getBoundingClientRect().top);
            """,
        )
    )
    body = next(at for tag, at in parsed_page.elements if tag == "body")
    assert (body["data-heard"], body["data-top"]) == ("round-3", "0")


@pytest.mark.parametrize("size", ["small", "long"])
def test_arrow_keys_go_from_step_to_step(
    pages: dict[str, str], long_pages: dict[str, str], size: str, browser: Browser
) -> None:
    """Right and left, and no further than the ends; the step and its column are marked."""
    page = pages["simulate"] if size == "small" else long_pages["simulate"]
    parsed_page = parsed(
        browser.dumped(
            page,
            """
            const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
            const said = document.querySelector(".at-step");
            const heard = [said.textContent];
            for (const key of ["ArrowLeft", "ArrowRight", "ArrowRight", "End", "ArrowRight", "ArrowLeft"]) {
              press(key);
              heard.push(said.textContent);
            }
            document.body.dataset.heard = heard.map((each) => each.split(" ")[1]).join(" ");
            """,
        )
    )
    last = 2 if size == "small" else 5
    third = min(3, last)
    heard = next(at for tag, at in parsed_page.elements if tag == "body")["data-heard"]
    assert heard == f"1 1 2 {third} {last} {last} {last - 1}"
    shown = [
        at["data-step"] for _, at in parsed_page.elements if at.get("id", "").startswith("step-") and "hidden" not in at
    ]
    assert shown == [str(last - 1)]
    assert next(at["data-column"] for _, at in parsed_page.elements if at.get("aria-current") == "step") == str(
        last - 1
    )


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("verb", VERBS)
def test_no_page_is_wider_than_its_window(long_pages: dict[str, str], verb: str, width: int, browser: Browser) -> None:
    """On a phone nobody wants to push a page from side to side; tables scroll by themselves."""
    script = "document.body.dataset.over = document.documentElement.scrollWidth - innerWidth;"
    parsed_page = parsed(browser.dumped(long_pages[verb], script, width=width))
    assert int(next(at for tag, at in parsed_page.elements if tag == "body")["data-over"]) <= 0
