"""Pictures of the documentation: each is made by a script, is on its page, and shows the pages as they are now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture import drawing
from tests.pages.blocks import PAGES, ROOT
from tests.pictures import concepts, solving, speed, terminals
from tests.pictures.shots import SHOTS, Shot, page_of
from tests.pictures.stamps import digest, stamped, stamps
from tests.scale import LONG

DRAWN = {
    drawing.PICTURE: "tests/architecture/test_layers.py holds it to the imports",
    solving.PICTURE: "below",
    speed.PICTURE: "below",
    **dict.fromkeys(map(concepts.path_of, concepts.CONCEPTS), "below"),
    **dict.fromkeys((terminals.IMAGES / name for name in terminals.PICTURES), "test_terminals.py"),
}
MEASURED = {ROOT / "docs/growth.svg": "python -m benchmarks growth"}
# A fleet of four hundred clusters takes seconds.
QUICK = sorted(SHOTS.keys() - {"fleet"})


def test_every_picture_has_a_script() -> None:
    """A picture that nobody can make again shows what was, and nothing says so."""
    pictures = {path for ending in ("png", "svg", "jpg", "gif") for path in (ROOT / "docs").rglob(f"*.{ending}")}
    expected = {ROOT / "docs/images" / file for name in SHOTS for file in Shot.files(name)}
    assert pictures - expected - DRAWN.keys() - MEASURED.keys() == set()


def test_every_picture_is_shown() -> None:
    """And pages show no others."""
    shown = {
        (page.parent / target).resolve()
        for page in PAGES
        for target in re.findall(r"!\[[^\]]*\]\((?!https?:)([^)#]+)\)", page.read_text("utf-8"))
    }
    for name, shot in SHOTS.items():
        assert f"images/{name}.png)" in (ROOT / "docs" / shot.shown_by).read_text("utf-8")
    assert all(path.is_file() for path in shown), shown


@pytest.mark.parametrize("name", QUICK)
def test_a_page_can_be_made_again(name: str, tmp_path: Path) -> None:
    """Without the names of folders of this machine, or nobody could tell whether its picture is old."""
    page = page_of(name, tmp_path / "page")
    assert page.startswith("<!DOCTYPE html>")
    assert str(tmp_path) not in page


@pytest.mark.skipif(not LONG, reason="who changes a page need not have Chromium: only with OLMSOLVE_TESTS=long")
@pytest.mark.parametrize("name", SHOTS if LONG else QUICK[:1])
def test_a_picture_shows_the_page_as_it_is(name: str, tmp_path: Path) -> None:
    """`python -m tests.pictures NAME` takes the picture anew."""
    shown = digest(page_of(name, tmp_path / "page"))
    for file in Shot.files(name):
        assert stamps((ROOT / "docs/images" / file).read_bytes()) == [shown], file


def test_the_picture_of_solving_is_as_it_is_drawn() -> None:
    """And leads to modules that are there."""
    assert solving.PICTURE.read_text("utf-8") == solving.drawn()
    modules = [box.module for box in solving.BOXES.values() if box.module]
    assert [module for module in modules if not (ROOT / "olmsolve" / module).exists()] == []


def test_a_stamp_is_read_back() -> None:
    """It stands behind the header of the picture, whose other chunks stay."""
    picture = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\x0dIHDR" + bytes(13 + 4) + b"\0\0\0\0IEND" + bytes(4)
    assert stamps(picture) == []
    assert stamps(stamped(picture, "page")) == [digest("page")]
    assert stamped(picture, "page").endswith(b"IEND" + bytes(4))


def test_the_chart_has_the_figures_of_its_page() -> None:
    """Who measures anew changes the tables of docs/performance.md, and `python -m tests.pictures speed` follows."""
    assert speed.PICTURE.read_text("utf-8") == speed.drawn()
    assert all(pair.ours <= pair.theirs for pair in speed.bars())


@pytest.mark.parametrize("name", concepts.CONCEPTS)
def test_the_picture_of_a_concept_is_as_it_is_drawn(name: str) -> None:
    """And is on the page that speaks of it, and every part of it is inside."""
    concept = concepts.CONCEPTS[name]
    assert concepts.path_of(name).read_text("utf-8") == concept.drawn()
    assert f"(images/{name}.svg)" in (ROOT / "docs" / concept.page).read_text("utf-8")
    assert max(box.y + box.height for box in concept.boxes) < concept.height
