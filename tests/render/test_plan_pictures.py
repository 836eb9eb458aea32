"""Drawn plans: who brought what in, from left to right, bounded in size, and usable by keyboard."""

from __future__ import annotations

import re

import pytest

from olmsolve import Candidate, Install, Resolution, WantedBy
from olmsolve.answers.verification import EXISTING
from olmsolve.predicates import HasLabel
from olmsolve.render import plan_html
from olmsolve.render.plan_picture import PlanEdge, PlanPicture, plan_picture
from tests.browser import Browser
from tests.render.pages import parsed


def candidate(name: str, catalog: str = "olm/main") -> Candidate:
    return Candidate(name, name, "stable", catalog, "1.0.0")


def install(name: str, *wanted: WantedBy | str) -> Install:
    """An install; a text stands for a bundle that requires it."""
    parties = (
        WantedBy(bundle=party, requirement=HasLabel(name)) if isinstance(party, str) else party for party in wanted
    )
    return Install(candidate(name), "", tuple(parties))


def wish(name: str) -> WantedBy:
    return WantedBy(subscription=name)


def resolution(*installs: Install, kept: tuple[str, ...] = (), replaced: tuple[str, ...] = ()) -> Resolution:
    old = tuple(
        (candidate(f"old-{installed.name}", EXISTING), installed)
        for installed in installs
        if installed.name in replaced
    )
    return Resolution(installs, tuple(candidate(name, EXISTING) for name in kept), old, (), "documented")


def places(picture: PlanPicture) -> dict[str, tuple[str, int, int]]:
    return {node.name: (node.kind, node.column, node.row) for node in picture.nodes}


def edges(picture: PlanPicture) -> set[tuple[str, str, bool]]:
    names = [node.name for node in picture.nodes]
    return {(names[edge.source], names[edge.target], edge.first) for edge in picture.edges}


def test_a_bundle_stands_right_of_whoever_brought_it_in() -> None:
    """The docstring's example: the first requirement on the same row, the next on a row of its own."""
    picture = plan_picture(
        resolution(
            install("storefront", wish("shop")),
            install("courier", "storefront"),
            install("ember", "storefront"),
            install("cache", "ember", "courier"),
        )
    )
    assert places(picture) == {
        "shop": ("wish", 0, 0),
        "storefront": ("new", 1, 0),
        "courier": ("new", 2, 0),
        "ember": ("new", 2, 1),
        "cache": ("new", 3, 1),
    }
    assert edges(picture) == {
        ("shop", "storefront", True),
        ("storefront", "courier", True),
        ("storefront", "ember", True),
        ("ember", "cache", True),
        ("courier", "cache", False),
    }


def test_new_replacing_and_kept_are_told_apart() -> None:
    """Who updates a cluster looks for these three first."""
    plan = resolution(install("a", "b"), install("c", wish("w"), "b"), kept=("b",), replaced=("c",))
    kinds = {node.name: (node.kind, node.details[0]) for node in plan_picture(plan).nodes}
    assert kinds == {
        "b": ("kept", "stays"),
        "a": ("new", "1.0.0"),
        "w": ("wish", "subscription"),
        "c": ("replacing", "replaces old-c"),
    }


def test_bundles_without_dependencies_are_left_to_the_table() -> None:
    """Five hundred boxes without a line would hide the few that have some."""
    lonely = [install(f"lonely-{number}", wish(f"wish-{number}")) for number in range(500)]
    picture = plan_picture(resolution(*lonely, install("a", wish("w")), install("b", "a")))
    assert places(picture).keys() == {"w", "a", "b"}
    assert plan_picture(resolution(*lonely)) == PlanPicture((), ())


def test_a_circle_is_drawn_once() -> None:
    """Bundles may require each other."""
    picture = plan_picture(resolution(install("a", wish("w"), "b"), install("b", "a")))
    assert edges(picture) == {("w", "a", True), ("a", "b", True), ("b", "a", False)}
    lost = plan_picture(resolution(install("a", "b"), install("b", "a")))
    assert lost.omitted == len({"a", "b"}) - len(lost.nodes)


def test_a_picture_has_a_bounded_size() -> None:
    """Each of 900 bundles requires the 30 before it: what is not drawn is counted, and the tree has it."""
    dense = [install("b0", wish("w"))]
    dense += [
        install(f"b{number}", *(f"b{earlier}" for earlier in range(max(0, number - 30), number)))
        for number in range(1, 900)
    ]
    picture = plan_picture(resolution(*dense))
    assert len(picture.nodes) <= 600
    assert len(picture.edges) <= 2_000
    assert picture.size[0] <= 24
    drawn = sum(node.kind == "new" for node in picture.nodes)
    assert picture.omitted == 900 - drawn
    page = plan_html(resolution(*dense))
    assert f"Not drawn, for their number: {picture.omitted} further bundles" in parsed(page).text
    assert len(page) < 4_000_000


def test_a_chain_wider_than_the_picture_goes_on_in_the_tree() -> None:
    """A drawing of 500 columns would be a hundred metres wide."""
    chain = [install("b0", wish("w")), *(install(f"b{number}", f"b{number - 1}") for number in range(1, 500))]
    picture = plan_picture(resolution(*chain))
    assert picture.size == (24, 1)
    assert picture.omitted == 500 - 23
    text = parsed(plan_html(resolution(*chain))).text
    assert all(f"b{number}" in text for number in range(500))


def test_requirements_are_said_with_the_lines() -> None:
    """A line alone does not say why; its title does, and the box says it when it is chosen."""
    page = plan_html(resolution(install("a", wish("w")), install("b", "a")))
    assert re.search(r"<title>a requires the label b: b</title>", page)
    labels = [at["data-told"] for _, at in parsed(page).elements if "data-told" in at]
    assert "b; 1.0.0; stable; olm/main; for a, which requires the label b" in labels
    assert plan_picture(resolution(install("a", wish("w")), install("b", "a"))).edges[1] == PlanEdge(
        1, 2, "the label b", True
    )


@pytest.mark.parametrize("size", [3, 500])
def test_a_chosen_box_lights_up_its_way(size: int, browser: Browser) -> None:
    """By keyboard: arrow keys go from box to box, Enter lights up whoever brought it in and what it brings."""
    roots = [install(f"root{number}", wish(f"wish{number}")) for number in range(size // 2)]
    needed = [install(f"need{number}", f"root{number}") for number in range(size // 2)]
    page = plan_html(resolution(*roots, *needed))
    parsed_page = parsed(
        browser.dumped(
            page,
            """
            const press = (key) =>
              document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
            document.querySelector('.node[tabindex="0"]').focus();
            press("ArrowRight");
            press("Enter");
            document.body.dataset.said = document.getElementById("told").textContent;
            """,
        )
    )
    assert next(at for tag, at in parsed_page.elements if tag == "body")["data-said"].startswith("root0; ")
    lit = [
        at["data-told"].split(";")[0]
        for _, at in parsed_page.elements
        if "data-told" in at and "lit" in at["class"].split()
    ]
    assert lit == ["wish0", "root0", "need0"]
    assert sum(at.get("tabindex") == "0" for _, at in parsed_page.elements if "data-told" in at) == 1
