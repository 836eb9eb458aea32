"""What all pages have in common: landmarks, labels, headings in order, and colours that can be read."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

import olmsolve
from olmsolve import render
from olmsolve.lifecycle.planning import explained_failures
from tests.render.clusters import small
from tests.scenarios.dumps.files import cluster_arguments

EXAMPLES: Final = Path(olmsolve.__file__).parent / "examples"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A page of each kind."""
    plan = olmsolve.resolve(olmsolve.read_request(EXAMPLES / "upgrade.yaml"))
    with pytest.raises(olmsolve.Unsatisfiable) as failure:
        olmsolve.resolve(olmsolve.read_request(EXAMPLES / "unsatisfiable.yaml"))
    _, dump, *rest = cluster_arguments(small(), tmp_path_factory.mktemp("cluster"))
    catalogs = dict(argument.split("=", 1) for argument in rest[1::2])
    situation = olmsolve.read_situation(dump, catalogs=catalogs)
    situation_plan = olmsolve.plan(situation)
    return {
        "plan": render.plan_html(plan, held_back=olmsolve.held_back(plan)),
        "explanation": render.explanation_html(olmsolve.explanation(failure.value)),
        "situation": render.situation_plan_html(situation_plan, explained_failures(situation_plan, situation)),
        "simulation": render.simulation_html(olmsolve.simulate(situation)),
        "graph": render.update_graph_html(olmsolve.load(EXAMPLES / "catalogs/commons")),
    }


KINDS: Final = ("plan", "explanation", "situation", "simulation", "graph")


class Outline(HTMLParser):
    """The landmarks, headings, ids and unlabelled controls of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.landmarks: list[str] = []
        self.headings: list[int] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.unlabelled: list[str] = []
        self._open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {key: value or "" for key, value in attrs}
        if tag in ("header", "main"):
            self.landmarks.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if attributes.get("href", "").startswith("#"):
            self.links.append(attributes["href"][1:])
        if tag == "input" and "label" not in self._open and "aria-label" not in attributes:
            self.unlabelled.append(str(attributes))
        if tag == "svg" and not {"aria-label", "aria-hidden"} & attributes.keys():
            self.unlabelled.append(str(attributes))
        if tag not in ("meta", "input"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_can_be_read_aloud(pages: dict[str, str], kind: str) -> None:
    """Landmarks, one title, headings without a missing level, and a name for each control and drawing."""
    outline = Outline(pages[kind])
    assert outline.landmarks == ["header", "main"]
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    assert [pair for pair in pairwise(outline.headings) if pair[1] > pair[0] + 1] == []
    assert outline.unlabelled == []


@pytest.mark.parametrize("kind", KINDS)
def test_links_lead_to_one_place_on_the_page(pages: dict[str, str], kind: str) -> None:
    """Several explanations on a page number their facts alike, so each has a prefix."""
    outline = Outline(pages[kind])
    assert len(set(outline.ids)) == len(outline.ids)
    assert set(outline.links) <= set(outline.ids)


def palettes() -> dict[str, dict[str, str]]:
    """The colours of both themes, as the style of every page defines them."""
    style = resources.files("olmsolve.render.html").joinpath("page.css").read_text("utf-8")
    blocks = re.findall(r"--ground:[^}]*", style)
    colours = [dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block)) for block in blocks]
    light, dark, chosen_dark = colours
    assert dark == chosen_dark
    return {"light": light, "dark": dark}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("colour", ["ink", "soft", "accent", "good", "bad", "warn"])
def test_text_has_enough_contrast(theme: str, colour: str) -> None:
    """At least 4.5 to 1 on both grounds (WCAG 2, level AA)."""
    colours = palettes()[theme]
    for ground in ("ground", "raised"):
        lighter, darker = sorted((_luminance(colours[colour]), _luminance(colours[ground])), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5


def _luminance(colour: str) -> float:
    """Return the relative luminance of *colour*, ``#rrggbb``, as WCAG 2 defines it."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
