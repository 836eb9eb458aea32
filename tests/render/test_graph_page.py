"""Update graphs as an HTML page: what it says, that names cannot get out of it, and that it works in a browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve.catalog import Package
from olmsolve.catalog.fbc import from_blobs
from olmsolve.catalog.update_graph import bundle_version
from olmsolve.render import update_graph_html, update_picture
from olmsolve.render.update_picture import Arc, Picture, pictures
from olmsolve.semver import Version
from tests.browser import Browser
from tests.cli.commands import runner
from tests.render.pages import parsed
from tests.render.test_dot import ENTRIES, NAMES, blobs

COMMONS = Path(__file__).parents[2] / "olmsolve" / "examples" / "catalogs" / "commons"

# v1 <- v2 <- v4; v4 skips v3, and its skipRange holds v1 to v3; v3 replaces v0, of which there is no bundle.
CHANNEL: list[dict[str, Any]] = [
    {"name": "p.v1"},
    {"name": "p.v2", "replaces": "p.v1"},
    {"name": "p.v3", "replaces": "p.v0"},
    {"name": "p.v4", "replaces": "p.v2", "skips": ["p.v3"], "skipRange": "<1.0.3"},
]

FRAME = {"html", "head", "meta", "title", "style", "body", "header", "h1", "main", "script"}
CONTROLS = {"button", "details", "summary"}
TEXTS = {"ul", "li", "p", "div", "strong"}
SHAPES = {"svg", "defs", "marker", "g", "circle", "path", "rect", "text"}
ELEMENTS = FRAME | CONTROLS | TEXTS | SHAPES


def entries(page: str) -> dict[str, dict[str, str]]:
    return {at["data-name"]: at for tag, at in parsed(page).found if tag == "g" and "data-name" in at}


def edges(page: str) -> list[tuple[str, str, str]]:
    found = (at for tag, at in parsed(page).found if tag == "path" and "data-to" in at)
    return [(at["class"], at["data-from"], at["data-to"]) for at in found]


def picture(found: list[dict[str, Any]]) -> Picture:
    return pictures(from_blobs(blobs(found)))[0]


def test_versions_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry that skips hundreds of others names each of them, and reading all properties of a bundle takes long."""
    read: list[str] = []

    def counted(package: Package, name: str) -> Version | None:
        read.append(name)
        return bundle_version(package, name)

    monkeypatch.setattr(update_picture, "bundle_version", counted)
    picture(CHANNEL)
    assert sorted(read) == ["p.v0", "p.v1", "p.v2", "p.v3", "p.v4"]


def test_what_is_marked() -> None:
    """Heads, skipped and missing entries look different, and each says what follows it."""
    drawn = entries(update_graph_html(from_blobs(blobs(CHANNEL))))
    assert {name: at["class"] for name, at in drawn.items()} == {
        "p.v0": "entry missing",
        "p.v1": "entry",
        "p.v2": "entry",
        "p.v3": "entry skipped",
        "p.v4": "entry head",
    }
    # p.v4 can follow all of them; it is nearest to the head, so OLM goes there at once.
    assert {name: at["data-next"] for name, at in drawn.items()} == {
        "p.v0": "",
        "p.v1": "p.v4",
        "p.v2": "p.v4",
        "p.v3": "p.v4",
        "p.v4": "",
    }


def test_dead_and_deprecated_bundles_say_why() -> None:
    """Every mark has its reason; without it, people would have to read the catalog."""
    deprecation = {"reference": {"schema": "olm.bundle", "name": "p.v1"}, "message": "use v4"}
    catalog = from_blobs([*blobs(CHANNEL), {"schema": "olm.deprecations", "package": "p", "entries": [deprecation]}])
    drawn = entries(update_graph_html(catalog, dead={"p": {"p.v2": "nothing provides an API"}}))
    assert (drawn["p.v1"]["class"], drawn["p.v1"]["data-notes"]) == ("entry deprecated", "deprecated: use v4")
    assert (drawn["p.v2"]["class"], drawn["p.v2"]["data-notes"]) == ("entry dead", "nothing provides an API")


def test_edges_are_told_apart() -> None:
    """Columns: v0 stands just before what replaces it, so v1, v2, v0, v3, v4 are 0 to 4."""
    assert sorted(edges(update_graph_html(from_blobs(blobs(CHANNEL))))) == [
        ("edge replaces", "0", "1"),
        ("edge replaces", "1", "4"),
        ("edge replaces", "2", "3"),
        ("edge skipRange", "0-1 3", "4"),
        ("edge skips", "3", "4"),
    ]


def test_the_way_of_an_installed_version_is_lit() -> None:
    """Without a script too: pages are printed, and mailed."""
    page = update_graph_html(from_blobs(blobs(CHANNEL[:2])), installed="p.v1")
    assert {name: at["class"] for name, at in entries(page).items()} == {
        "p.v1": "entry installed lit",
        "p.v2": "entry head lit",
    }
    assert edges(page) == [("edge replaces lit", "0", "1")]


def test_arcs_keep_apart() -> None:
    """Overlapping arcs of two entries are on two levels, other arcs share a level."""
    found = picture(
        [
            {"name": "a"},
            {"name": "b"},
            {"name": "c", "replaces": "a"},
            {"name": "d"},
            {"name": "e", "replaces": "b"},
            {"name": "f", "replaces": "d"},
        ]
    )
    assert found.rows[0].arcs == (
        Arc("replaces", (0,), 2, 1),
        Arc("replaces", (3,), 5, 1),
        Arc("replaces", (1,), 4, 2),
    )
    assert (found.rows[0].above, found.rows[0].below) == (2, 0)


@given(ENTRIES, NAMES)
def test_names_stay_text(found: list[dict[str, Any]], channel: str) -> None:
    """Names come from strangers: none may open an element, an attribute or a script."""
    page = update_graph_html(from_blobs(blobs(found, channel)))
    tags = {tag for tag, _ in parsed(page).found}
    assert tags <= ELEMENTS
    assert page.count("<script>") == 1


@given(st.text(max_size=8))
def test_any_package_name(name: str) -> None:
    """Title, attributes and texts have the name as it is, except for characters that cannot be printed."""
    renamed = [
        {**blob, "name" if blob["schema"] == "olm.package" else "package": name or "p"} for blob in blobs(CHANNEL)
    ]
    sections = [at for tag, at in parsed(update_graph_html(from_blobs(renamed))).found if tag == "details"]
    assert len(sections) == 1
    if name.isprintable():
        assert sections[0]["data-package"] == (name or "p")


def test_nothing_is_loaded() -> None:
    """The page works without a network, and its policy forbids one."""
    page = update_graph_html(from_blobs(blobs(CHANNEL)))
    assert not re.search(r"""(src|href)=|url\((?!#)|@import|https?:""", page)
    assert "default-src &#x27;none&#x27;" in page


def test_the_command_prints_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    """Bundles that nothing can select are looked for unless told otherwise."""
    olmsolve = runner(capsys)
    audited = olmsolve("graph", COMMONS, "-o", "html", "--installed", "courier.v3.1.0")
    assert (audited.code, audited.err) == (0, "")
    assert entries(audited.out)["courier.v3.1.0"]["class"].endswith("installed lit")
    plain = olmsolve("graph", COMMONS, "-o", "html", "--no-audit", "--package", "ember")
    assert [at["data-package"] for tag, at in parsed(plain.out).found if tag == "details"] == ["ember"]
    nothing = olmsolve("graph", COMMONS, "-o", "html", "--package", "nonesuch")
    assert (nothing.code, nothing.out) == (2, "")
    assert "package nonesuch: the catalog has no such package" in nothing.err


def test_the_page_works_in_a_browser(browser: Browser) -> None:
    """Choosing an entry by keyboard lights its way and says it; the policy lets the page's own script run."""
    page = update_graph_html(from_blobs(blobs(CHANNEL[:2])))
    told = browser.dumped(
        page,
        """
        const entry = document.querySelector('[data-name="p.v1"]');
        entry.focus();
        entry.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
        """,
    )
    assert "From p.v1. stable: 1.0.1." in told
    assert re.search(r'class="edge replaces lit"', told)


def test_packages_are_filtered(browser: Browser) -> None:
    """A catalog of hundreds of packages is looked through by name."""
    two = [*blobs(CHANNEL), *({**blob, **_renamed(blob)} for blob in blobs(CHANNEL))]
    told = browser.dumped(
        update_graph_html(from_blobs(two)),
        """
        const field = document.getElementById("filter");
        field.value = "Q";
        field.dispatchEvent(new Event("input"));
        """,
    )
    hidden = {at["data-package"]: "hidden" in at for tag, at in parsed(told).found if tag == "details"}
    assert hidden == {"p": True, "q": False}


def _renamed(blob: dict[str, Any]) -> dict[str, str]:
    return {"name": "q"} if blob["schema"] == "olm.package" else {"package": "q"}
