"""Update graphs as an HTML page: what it says, that names cannot get out of it, and that it works in a browser.

Lanes and rows are compared as values, which the page has only as coordinates.
"""

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
    return {at["data-name"]: at for tag, at in parsed(page).elements if tag == "g" and "data-name" in at}


def edges(page: str) -> list[tuple[str, str, str]]:
    paths = (at for tag, at in parsed(page).elements if tag == "path" and "data-to" in at)
    return [(at["class"], at["data-from"], at["data-to"]) for at in paths]


def picture(entries: list[dict[str, Any]]) -> Picture:
    return pictures(from_blobs(blobs(entries)))[0]


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
    assert edges(page) == [("edge replaces", "0", "1")]
    assert page.count('class="way"') == 1


def test_arcs_keep_apart() -> None:
    """Overlapping arcs of two entries are on two levels, other arcs share a level."""
    drawing = picture(
        [
            {"name": "a"},
            {"name": "b"},
            {"name": "c", "replaces": "a"},
            {"name": "d"},
            {"name": "e", "replaces": "b"},
            {"name": "f", "replaces": "d"},
        ]
    )
    assert drawing.rows[0].arcs == (
        Arc("replaces", (0,), 2, 1),
        Arc("replaces", (3,), 5, 1),
        Arc("replaces", (1,), 4, 2),
    )
    assert (drawing.rows[0].above, drawing.rows[0].below) == (2, 0)


@given(ENTRIES, NAMES)
def test_names_stay_text(entries: list[dict[str, Any]], channel: str) -> None:
    """Names come from strangers: none may open an element, an attribute or a script."""
    page = update_graph_html(from_blobs(blobs(entries, channel)))
    tags = {tag for tag, _ in parsed(page).elements}
    assert tags <= ELEMENTS
    assert page.count("<script>") == 1


@given(st.text(max_size=8))
def test_any_package_name(name: str) -> None:
    """Title, attributes and texts have the name as it is, except for characters that cannot be printed."""
    renamed = [
        {**blob, "name" if blob["schema"] == "olm.package" else "package": name or "p"} for blob in blobs(CHANNEL)
    ]
    sections = [at for tag, at in parsed(update_graph_html(from_blobs(renamed))).elements if tag == "details"]
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
    assert [at["data-package"] for tag, at in parsed(plain.out).elements if tag == "details"] == ["ember"]
    nothing = olmsolve("graph", COMMONS, "-o", "html", "--package", "nonesuch")
    assert (nothing.code, nothing.out) == (2, "")
    assert "package nonesuch: the catalog has no such package" in nothing.err


def test_the_page_works_in_a_browser(browser: Browser) -> None:
    """Choosing an entry by keyboard lights its way and says it; the policy lets the page's own script run."""
    page = update_graph_html(from_blobs(blobs(CHANNEL[:2])))
    dumped = browser.dumped(
        page,
        """
        const entry = document.querySelector('[data-name="p.v1"]');
        entry.focus();
        entry.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
        """,
    )
    assert "From p.v1. stable: 1.0.1." in dumped
    assert re.search(r'<path class="way"', dumped)


def test_packages_are_filtered(browser: Browser) -> None:
    """A catalog of hundreds of packages is looked through by name."""
    two = [*blobs(CHANNEL), *({**blob, **_renamed(blob)} for blob in blobs(CHANNEL))]
    dumped = browser.dumped(
        update_graph_html(from_blobs(two)),
        """
        const field = document.getElementById("filter");
        field.value = "Q";
        field.dispatchEvent(new Event("input"));
        """,
    )
    hidden = {at["data-package"]: "hidden" in at for tag, at in parsed(dumped).elements if tag == "details"}
    assert hidden == {"p": True, "q": False}


def _renamed(blob: dict[str, Any]) -> dict[str, str]:
    return {"name": "q"} if blob["schema"] == "olm.package" else {"package": "q"}


def versioned(*channels: list[dict[str, Any]], default: str = "") -> list[dict[str, Any]]:
    """A package with channels c0, c1, ... and a bundle for each entry, called p.v1.2.0 for version 1.2.0."""
    names = sorted({entry["name"] for entries in channels for entry in entries})
    all_blobs: list[dict[str, Any]] = [{"schema": "olm.package", "name": "p", "defaultChannel": default or "c0"}]
    for number, entries in enumerate(channels):
        all_blobs.append({"schema": "olm.channel", "package": "p", "name": f"c{number}", "entries": entries})
    for name in names:
        own = {"type": "olm.package", "value": {"packageName": "p", "version": name.removeprefix("p.v")}}
        all_blobs.append({"schema": "olm.bundle", "package": "p", "name": name, "image": "q/p:1", "properties": [own]})
    return all_blobs


def line(*versions: str) -> list[dict[str, Any]]:
    names = [f"p.v{version}" for version in versions]
    return [
        {"name": name} | ({"replaces": before} if before else {})
        for name, before in zip(names, ["", *names], strict=False)
    ]


def test_channels_come_in_the_order_of_their_versions() -> None:
    """The newest is on top, and of two with the same head the default; 3.10 is newer than 3.9."""
    rows = pictures(
        from_blobs(versioned(line("3.9.0"), line("3.10.0"), line("3.8.0", "3.10.0"), line("3.9.1"), default="c2"))
    )[0].rows
    assert [row.channel for row in rows] == ["c2", "c1", "c3", "c0"]


def test_names_stand_beside_the_drawing() -> None:
    """No entry is covered by a name, and each row says how many versions it has, wherever they are."""
    page = update_graph_html(
        from_blobs(versioned(line("1.0.0", "1.1.0", "1.2.0-nightly-2026-08-01-and-more"), line("1.0.0")))
    )
    channels, _, updates = page.partition('class="channels"')[2].partition('class="updates"')
    assert ">c0 ★<" in channels
    assert ">3: 1.0.0 to 1.2.0-ni…-and-more<" in channels
    assert ">1.0.0<" in channels
    assert "c0 ★" not in updates.partition("</svg>")[0]


def test_the_tab_key_stops_once_in_a_row() -> None:
    """Two hundred stops in a row keep everybody from the next one; arrow keys go along it."""
    catalog = from_blobs(versioned(line("1.0.0", "1.1.0", "1.2.0"), line("1.0.0", "1.1.0")))
    for installed, stops in (("", ["p.v1.2.0", "p.v1.1.0"]), ("p.v1.0.0", ["p.v1.0.0", "p.v1.0.0"])):
        elements = parsed(update_graph_html(catalog, installed=installed)).elements
        assert [at["data-name"] for _, at in elements if at.get("tabindex") == "0"] == stops


def test_no_more_than_the_way_is_lit() -> None:
    """An arrow for many versions is not lit as a whole, and of two arrows for one update none twice."""
    entries_ = [
        *line("1.0.0", "1.1.0"),
        {"name": "p.v1.2.0", "replaces": "p.v1.1.0", "skips": ["p.v1.1.0", "p.v1.0.0"], "skipRange": "<1.2.0"},
    ]
    page = update_graph_html(from_blobs(versioned(entries_)), installed="p.v1.0.0")
    assert page.count('class="way"') == 1
    assert "lit" not in " ".join(kind for kind, _, _ in edges(page))


def test_sizes_marks_and_stops_in_a_browser(browser: Browser) -> None:
    """Fit shows all, marks lead to what is outside, and the tab stop moves with the arrow keys."""
    versions = [f"1.{minor}.0" for minor in range(60)]
    older = [*line("1.0.0", "1.1.0"), {"name": "p.v1.2.0", "skips": ["p.v1.1.0", "p.v1.0.0"], "skipRange": "<1.2.0"}]
    page = update_graph_html(from_blobs(versioned(line(*versions), older)))
    dumped = browser.dumped(
        page,
        """
        const box = document.querySelector(".scroll");
        const say = (name, value) => document.body.setAttribute(`data-${name}`, value);
        const marks = () => [...document.querySelectorAll("text.hidden")].map((each) => each.textContent).join("|");
        box.scrollLeft = box.scrollWidth;
        box.dispatchEvent(new Event("scroll"));
        say("right", marks());
        say("beside", document.querySelectorAll("svg.channels text.hidden").length);
        const bands = () => [...document.querySelectorAll(".band")];
        const heights = () => bands().map((each) => each.getAttribute("height")).join("|");
        const below = () => document.querySelectorAll(".lane")[1].getAttribute("transform");
        say("folded", `${heights()} ${below()}`);
        const head = document.querySelector('[data-name="p.v1.59.0"]');
        head.focus();
        head.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowLeft", bubbles: true}));
        say("stop", document.querySelector('.lane .entry[tabindex="0"]').dataset.name);
        document.querySelector('[data-zoom="fit"]').click();
        say("fitted", box.scrollWidth <= box.clientWidth + 1);
        say("all", marks());
        document.querySelector('[data-zoom="in"]').click();
        document.querySelector('[data-zoom="older"]').click();
        say("left", box.scrollLeft);
        box.dispatchEvent(new Event("scroll"));
        say("unfolded", `${heights()} ${below()}`);
        """,
        width=900,
    )
    (body,) = [at for tag, at in parsed(dumped).elements if tag == "body"]
    assert "← 3 older" in body["data-right"]
    assert body["data-beside"] == "2", "marks stand behind the names, where they cover no entry"
    # The skips of the older channel need room over its line, but only where its entries are seen.
    first, second = body["data-unfolded"].partition(" ")[0].split("|")
    assert int(second) > 31
    assert body["data-folded"] == f"{first}|31 translate(0 0)"
    assert body["data-unfolded"] == f"{first}|{second} translate(0 0)"
    assert body["data-stop"] == "p.v1.58.0"
    assert (body["data-fitted"], body["data-all"], body["data-left"]) == ("true", "", "0")


def test_the_window_begins_between_two_columns(browser: Browser) -> None:
    """An entry that the names cover by half is neither seen nor counted, however wide the window is."""
    page = update_graph_html(from_blobs(versioned(line(*(f"1.{minor}.0" for minor in range(60))))))
    dumped = browser.dumped(
        page,
        """
        const box = document.querySelector(".scroll");
        const [begin, end] = ["p.v1.0.0", "p.v1.59.0"].map((name) => document.querySelector(`[data-name="${name}"]`));
        const place = (entry) => entry.querySelector("circle").getBoundingClientRect();
        const cut = () => {
            const [edges, entries] = [box.getBoundingClientRect(), [...document.querySelectorAll(".entry")].map(place)];
            return entries.filter((each) => each.left < edges.left && edges.left < each.right).length;
        };
        const found = [cut()];
        for (const action of ["in", "out"]) {
            document.querySelector(`[data-zoom="${action}"]`).click();
            for (let width = 300; width < 350; width += 5) {
                box.style.flex = `0 0 ${width}px`;
                document.querySelector('[data-zoom="newer"]').click();
                found.push(cut());
                if (place(end).right > box.getBoundingClientRect().right || place(begin).right > 0) found.push("far");
            }
        }
        document.body.setAttribute("data-cut", found.join(""));
        """,
        width=900,
    )
    (body,) = [at for tag, at in parsed(dumped).elements if tag == "body"]
    assert body["data-cut"] == "0" * 21


def test_hundreds_of_columns_fit_and_can_be_read(browser: Browser) -> None:
    """203 columns were shrunk to letters of two pixels; now the columns move together, and nothing else shrinks."""
    versions = [f"1.{minor}.0" for minor in range(203)]
    page = update_graph_html(from_blobs(versioned(line(*versions), line(*versions[:3]))))
    script = """
        const say = (name, value) => document.body.setAttribute(`data-${name}`, value);
        const box = document.querySelector(".scroll");
        const drawing = document.querySelector("svg.updates");
        const beside = document.querySelector("svg.channels");
        const labels = () => [...document.querySelectorAll(".version")].filter((each) => each.style.display !== "none");
        const before = beside.clientWidth;
        const tall = drawing.clientHeight;
        say("share", before / document.querySelector(".drawing").clientWidth);
        document.querySelector('[data-zoom="fit"]').click();
        say("fits", box.scrollWidth <= box.clientWidth + 1);
        say("beside", beside.clientWidth === before);
        say("tall", drawing.clientHeight >= tall);
        say("labels", labels().length);
        const places = labels().map((each) => each.getBoundingClientRect().left);
        say("apart", Math.min(...places.slice(1).map((place, position) => place - places[position])));
        const circle = document.querySelector(".entry circle").getBoundingClientRect();
        say("round", Math.abs(circle.width - circle.height) < 1.5);
        document.querySelector('[data-zoom="in"]').click();
        say("again", labels().length);
        say("overview", drawing.classList.contains("overview"));
        """
    for width in (1280, 500):
        (body,) = [at for tag, at in parsed(browser.dumped(page, script, width=width)).elements if tag == "body"]
        assert (body["data-fits"], body["data-beside"], body["data-tall"], body["data-round"]) == ("true",) * 4
        assert 5 <= int(body["data-labels"]) < 203
        assert float(body["data-apart"]) >= 12
        assert (body["data-again"], body["data-overview"]) == ("203", "false")
        assert float(body["data-share"]) < 0.55


def test_many_packages_come_as_data(browser: Browser, tmp_path: Path) -> None:
    """A catalog of hundreds of packages is a page of a megabyte; what is opened is unpacked."""
    many: list[dict[str, Any]] = []
    for number in range(21):
        name = f"p{number}"
        many += [
            {**blob, "name" if blob["schema"] == "olm.package" else "package": name}
            | (
                {"properties": [{"type": "olm.package", "value": {"packageName": name, "version": "1.0.0"}}]}
                if blob["schema"] == "olm.bundle"
                else {}
            )
            for blob in versioned(line("1.0.0"))
        ]
    page = update_graph_html(from_blobs(many))
    assert page.count("data-drawing=") == 21
    assert "tabindex" not in page.partition("<script>")[0]
    (tmp_path / "many.html").write_text(page, "utf-8")
    opened = """(async () => {
        document.querySelector("details").open = true;
        for (let i = 0; i < 200 && !document.querySelector("details svg.updates"); i++)
            await new Promise((wake) => setTimeout(wake, 10));
        return document.querySelectorAll("details svg.updates").length;
    })()"""
    assert browser.visited((tmp_path / "many.html").as_uri(), opened, width=900) == 1
