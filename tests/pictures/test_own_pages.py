"""Every page that olmsolve writes, seen by a browser: what it looks like, and whether everybody can use it.

The pictures in ``references`` are a quarter as large as the pages, and their letters are blocks (``block_font``). A
page that has changed its layout or its colours differs from its picture; the same page on another machine does not.
``UPDATE_SNAPSHOTS=1`` takes the pictures anew; look at each of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from olmsolve.testing import timing
from olmsolve.testing.timing import BackendCounts, BenchReport, PhaseTimes, RequestTimes
from tests.browser import AXE, CHROMIUM, Browser, opened, serious_faults
from tests.pictures.block_font import font
from tests.pictures.shots import SHOTS, fleet_page, made_in, printed

REFERENCES: Final = Path(__file__).parent / "references"
PHONE, DESKTOP = 390, 1280

# Edges of slanted and round lines may differ between machines, and the rest of a page must not.
_BOUND: Final = 0.25

_BOTH: Final = "--catalog olm/orchard=demo/catalogs/orchard --catalog olm/commons=demo/catalogs/commons"
_BEFORE: Final = "--before olm/commons=demo/catalogs/commons/courier.yaml"


def _of(command: str) -> str:
    return printed(*command.split(), "-o", "html")


def _bench() -> str:
    """Return the page of two backends, one phase of which has become slower."""
    backends = {"deciding": 1.0, "cadical195": 0.7}
    phases = {"load": 0.017, "first": 0.001, "repeated": 0.0005}

    def report(factor: float) -> BenchReport:
        return BenchReport(
            version="1",
            python="3.14",
            semantics="documented",
            catalogs=(),
            yardstick=(1.0, 1.0),
            phases=tuple(
                PhaseTimes(phase, backend, 3, (seconds * share * factor, seconds * share * factor * 1.01))
                for phase, seconds in phases.items()
                for backend, share in backends.items()
            ),
            counts=tuple(BackendCounts(backend, 30, 1, 0, 0) for backend in backends),
            requests=tuple(
                RequestTimes(
                    f"package-{number}", "plan", {name: 4e-5 * number * share for name, share in backends.items()}
                )
                for number in range(1, 9)
            ),
        )

    now, before = report(1.5), report(1.0)
    return timing.bench_html(now, timing.changes(now, before), about=["catalog commons"])


PAGES: Final[Mapping[str, Callable[[], str]]] = {
    **{name: shot.page for name, shot in SHOTS.items()},
    "fleet": partial(fleet_page, 24),
    "installation": partial(_of, "resolve demo/install.yaml"),
    "conflict": partial(_of, "explain --cluster demo/conflict.yaml --namespace shop"),
    "graphs": partial(_of, "graph demo/catalogs/commons"),
    "comparison": partial(_of, f"impact --clusters demo/cluster.yaml {_BOTH} {_BEFORE}"),
    "journey": partial(_of, f"journey --cluster demo/cluster.yaml --openshift 4.18 --to 4.20 {_BOTH}"),
    "audit": partial(_of, "audit olm/orchard=demo/catalogs/orchard"),
    "bench": _bench,
}
"""A page of each kind, and of some the other outcome too."""

_UNFOLD: Final = "for (const each of document.querySelectorAll('details')) each.open = true;"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all pages."""
    if CHROMIUM is None:
        pytest.skip("no Chromium")
    with opened(tmp_path_factory.mktemp("browser")) as opened_browser:
        yield opened_browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The text of each page."""
    folder = tmp_path_factory.mktemp("pages")
    return {name: made_in(folder / name, page) for name, page in PAGES.items()}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_looks_as_it_did(name: str, pages: dict[str, str], browser: Browser) -> None:
    """On a desktop in the light, and on a phone in the dark."""
    for width, dark in ((DESKTOP, False), (PHONE, True)):
        picture = browser.sketched(pages[name], font(), width=width, dark=dark)
        reference = REFERENCES / f"{name}-{width}-{'dark' if dark else 'light'}.png"
        if "UPDATE_SNAPSHOTS" in os.environ:
            REFERENCES.mkdir(exist_ok=True)
            if not reference.exists() or browser.unlike(picture, reference.read_bytes()) > _BOUND / 10:
                reference.write_bytes(picture)
        unlike = browser.unlike(picture, reference.read_bytes())
        assert unlike <= _BOUND, f"{reference.name}: in some square {unlike:.0%} of the pixels differ"


_ADD: Final = "document.adoptedStyleSheets.push(sheet);"


@pytest.mark.parametrize(
    "change",
    [
        ".about { display: none; }",
        ".mark { border-color: transparent; padding: 0; }",
        "h2 { margin: 2rem 0 0.4rem; }",
        ":root { --ground: #e8e8e8; }",
    ],
)
def test_a_page_that_has_changed_is_seen(change: str, pages: dict[str, str], browser: Browser) -> None:
    """Or the bound would let everything pass."""
    page = pages["plan"]
    script = f"const sheet = new CSSStyleSheet(); sheet.replaceSync('{change}'); {_ADD}"
    before = browser.sketched(page, font(), width=DESKTOP, dark=False)
    assert browser.unlike(before, browser.sketched(page, font(), width=DESKTOP, dark=False)) == 0
    assert browser.unlike(before, browser.sketched(page, font(), width=DESKTOP, dark=False, script=script)) > _BOUND


def test_no_picture_is_left_over() -> None:
    """Of a page that is gone."""
    assert {path.name.rsplit("-", 2)[0] for path in REFERENCES.glob("*.png")} == PAGES.keys()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits(name: str, pages: dict[str, str], browser: Browser, tmp_path: Path) -> None:
    """With all of it unfolded, no page scrolls sideways, on no screen."""
    (tmp_path / "page.html").write_text(pages[name], "utf-8")
    for width in (PHONE, DESKTOP):
        script = f"{_UNFOLD} document.documentElement.scrollWidth"
        assert browser.visited((tmp_path / "page.html").as_uri(), script, width=width) <= width


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: make docs-test fetches it")
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious(name: str, pages: dict[str, str], browser: Browser, tmp_path: Path) -> None:
    """Contrast, names and keys, light and dark, on a desktop and on a phone, with all of the page unfolded."""
    (tmp_path / "page.html").write_text(pages[name], "utf-8")
    faults_at = {}
    for width in (PHONE, DESKTOP):
        for dark in (False, True):
            browser.visited((tmp_path / "page.html").as_uri(), _UNFOLD, width=width, dark=dark)
            faults_at[width, dark] = browser.resized(serious_faults(), width=width)
    assert {where: faults for where, faults in faults_at.items() if faults} == {}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_what_made_it(name: str, pages: dict[str, str]) -> None:
    """Its inputs come first, and the version last."""
    about = re.search(r'<ul class="about">(.*?)</ul>', pages[name])
    assert about is not None
    assert re.match(r"<li>(request|cluster|clusters|catalog) \S", about[1])
    assert re.search(r"<li>olmsolve [\d.]+\S*</li>$", about[1])
