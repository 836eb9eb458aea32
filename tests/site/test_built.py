"""The built site in a browser: every page fits a phone, asks no other host for anything, and leads nowhere wrong."""

from __future__ import annotations

import functools
import html
import importlib.util
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from olmsolve._public import PUBLIC
from tests.browser import AXE, CHROMIUM, Browser, opened, serious_faults
from tests.scale import LONG
from website import api
from website.repository import ROOT

pytestmark = [
    pytest.mark.skipif(not LONG, reason="building the site takes a minute (OLMSOLVE_TESTS=long, or make docs-test)"),
    pytest.mark.skipif(
        importlib.util.find_spec("mkdocs") is None, reason="the group docs is not installed: make docs-test"
    ),
]
PHONE, LAPTOP, DESKTOP = 390, 1280, 1400


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` does."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True)
    assert built.returncode == 0, built.stderr.decode()
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where a server of this machine has the site."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all pages."""
    if CHROMIUM is None:
        pytest.skip("no Chromium")
    with opened(tmp_path_factory.mktemp("browser")) as opened_browser:
        yield opened_browser


def _files(site: Path) -> list[Path]:
    # A folder may end with ".html", too: olmsolve.render.html is a module.
    return [path for path in site.rglob("*.html") if path.is_file()]


def _pages(site: Path) -> list[str]:
    return sorted(path.relative_to(site).as_posix().removesuffix("index.html") for path in _files(site))


def test_pages_fit_screens_and_load_nothing_from_elsewhere(site: Path, address: str, browser: Browser) -> None:
    """A page that scrolls sideways is no page for phones; a font from elsewhere tells somebody who reads what."""
    loaded = 'performance.getEntriesByType("resource").map(entry => entry.name)'
    wide, foreign = [], []
    # The search takes seconds to begin on each page; it has a test of its own.
    with browser.without("*/search/search_index.json"):
        for page in _pages(site):
            urls = browser.visited(address + page, loaded, width=PHONE)
            foreign += [(page, url) for url in urls if not url.startswith((address, "data:", "blob:"))]
            for width in (PHONE, DESKTOP):
                needed = browser.resized("document.documentElement.scrollWidth", width=width)
                wide += [(page, width, needed)] if needed > width else []
    assert wide == []
    assert foreign == []


def test_no_block_is_cut(site: Path, address: str, browser: Browser) -> None:
    """The operative words end lines. Tables alone may scroll, with keys as well, and on phones alone."""
    script = """[...document.querySelectorAll("pre")].filter(block => {
        const wide = Math.max(...[block, ...block.children].map(each => each.scrollWidth - each.clientWidth));
        const isTable = block.querySelector(".row") && block.tabIndex === 0 && block.ariaLabel;
        return wide > 1 && !(isTable && innerWidth < 600);
    }).map(block => block.textContent.slice(0, 80))"""
    cut = []
    with browser.without("*/search/search_index.json"):
        for page in _pages(site):
            browser.visited(address + page, "1", width=LAPTOP)
            for width in (LAPTOP, PHONE):
                cut += [(page, width, text) for text in browser.resized(script, width=width)]
    assert cut == []


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: make docs-test fetches it")
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(dark: bool, address: str, browser: Browser) -> None:
    """Contrast, names and keys, on a page of each kind: front page, tutorial, guides, tables, references."""
    guides = ("find-out-why-nothing-happens", "check-a-catalog-in-ci", "ask-about-a-fleet")
    references = ("commands/olmsolve-explain", "python/olmsolve.Resolver", "schemas/olmsolve.resolution", "findings")
    pages = ("", "tutorial/", "explain/", "solving/", "performance/", *(f"how-to/{name}/" for name in guides))
    script = serious_faults()
    faults_at = {}
    for page in (*pages, *(f"reference/{name}/" for name in references)):
        for width in (LAPTOP, PHONE):
            browser.visited(address + page, "1", width=width, dark=dark)
            faults_at[page, width] = browser.resized(script, width=width)
    assert {where: faults for where, faults in faults_at.items() if faults} == {}


@pytest.mark.parametrize(("dark", "theme"), [(False, "light"), (True, "dark")])
def test_pictures_are_those_of_the_readers_theme(
    dark: bool, theme: str, site: Path, address: str, browser: Browser
) -> None:
    """A page has each picture of a page twice, and shows one of the two, in the gallery as well."""
    script = """[...document.querySelectorAll('img[src*="#only-"]')]
        .map(picture => [picture.src.split("#only-")[1], picture.getClientRects().length])"""
    pages = [page for page in _pages(site) if page.endswith("/") or not page]
    pages = [page for page in pages if "#only-" in (site / page / "index.html").read_text("utf-8")]
    assert {"", "pages/", "graph/", "impact/"} <= set(pages)
    for page in pages:
        shown = [
            picture for picture, boxes in browser.visited(address + page, script, width=LAPTOP, dark=dark) if boxes
        ]
        assert set(shown) == {theme}, page


def test_buttons_that_stay_cover_no_line(address: str, browser: Browser) -> None:
    """Without a mouse, the button that copies a block is always there. Rows of tables scroll below it."""
    # Spaces at the end of a line hang over its edge: words are what can be covered.
    script = """[...document.querySelectorAll("pre:has(.md-code__nav)")].flatMap(block => {
        const nav = block.querySelector(".md-code__nav"), button = nav.getBoundingClientRect();
        const text = document.createRange(), covered = [];
        const nodes = document.createNodeIterator(block.querySelector("code"), NodeFilter.SHOW_TEXT);
        for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
            for (const word of node.parentElement.closest(".line") ? node.data.matchAll(/\\S+/g) : []) {
                text.setStart(node, word.index);
                text.setEnd(node, word.index + word[0].length);
                const isUnder = box => box.right > button.left + 1 && box.bottom > button.top + 1
                    && box.top < button.bottom - 1;
                if (getComputedStyle(nav).opacity !== "0" && [...text.getClientRects()].some(isUnder))
                    covered.push(word[0]);
            }
        }
        return covered;
    })"""
    covered = []
    for page in ("", "tutorial/", "terminal/", "testing/", "how-to/find-out-why-nothing-happens/"):
        for width in (PHONE, LAPTOP):
            covered += [(page, width, word) for word in browser.visited(address + page, script, width=width)]
    assert covered == []


def test_lines_of_blocks_begin_at_the_edge(address: str, browser: Browser) -> None:
    """Only what goes on below is further in, however far the last column of the line is."""
    script = """[...document.querySelectorAll("pre .line")].map(line => getComputedStyle(line))
        .map(style => parseFloat(style.paddingLeft) + parseFloat(style.textIndent))"""
    offsets = browser.visited(f"{address}loading/", script, width=PHONE)
    assert offsets
    assert max(map(abs, offsets)) < 1


def test_copies_of_blocks_have_their_lines(address: str, browser: Browser) -> None:
    """A command that a block wraps is copied as one line."""
    script = """[...document.querySelectorAll("pre > code")].map(code => [code.innerText, code.textContent])"""
    for copied, written in browser.visited(f"{address}tutorial/", script, width=PHONE):
        assert copied.rstrip("\n") == written.rstrip("\n")


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("channel-stranded", "/reference/findings/#channel-stranded"),
        ("why-not", "/reference/commands/olmsolve-why-not/"),
        ("kubeconfig", "/how-to/ask-a-running-cluster/"),
    ],
)
def test_the_search_finds_codes_and_commands(words: str, page: str, address: str, browser: Browser) -> None:
    """People look for the code that a command has printed, and for commands, also those of common words."""
    script = """new Promise(found => {
        const look = () => {
            const links = [...document.querySelectorAll(".md-search-result__link")].map(link => link.href);
            links.length ? found(links) : setTimeout(look, 50);
        };
        look();
    })"""
    links = browser.visited(f"{address}?q={words}", script, width=DESKTOP)
    assert page in [re.sub(r"\?h=[^#]*", "", link)[len(address) - 1 :] for link in links[:10]]


class _Links(HTMLParser):
    """The links and anchors of one page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = {""}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note where *tag* leads, and what leads to it."""
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def test_links_lead_to_pages_files_and_anchors(site: Path) -> None:
    """MkDocs checks what it reads as Markdown; references from docstrings and the hook's links are checked here."""
    base = "http://site/"
    pages = [page for page in _pages(site) if not page.endswith(".html")]
    links = {page: _Links((site / page / "index.html").read_text("utf-8")) for page in pages}
    wrong = []
    for page, page_links in links.items():
        for link in page_links.links:
            target = urlsplit(urljoin(base + page, link))
            if target.scheme != "http" or target.netloc != "site":
                continue
            path = unquote(target.path).lstrip("/")
            if path in links:
                wrong += [(page, link)] if unquote(target.fragment) not in links[path].anchors else []
            elif not (site / path).is_file():
                wrong.append((page, link))
    assert wrong == []


def test_the_reference_shows_what_is_made_when_classes_are(site: Path) -> None:
    """attrs writes constructors at run time, enumerations have members, and methods come from bases."""
    pages = {"Subscription": "requests", "Semantics": "requests", "Resolver": "olmsolve.Resolver"}
    described = {}
    for name, page in pages.items():
        shown = (site / f"reference/python/{page}/index.html").read_text("utf-8")
        text = html.unescape(re.sub(r"<[^>]+>", "", shown))
        described[name] = re.split(rf"olmsolve\.{name}\s+¶", text)[1][:20_000]
    assert re.search(r"Subscription\(\s+name: str,.*starting_csv: str = \"\"", described["Subscription"], re.DOTALL)
    assert re.search(r"CONTROLLER\s+'controller'", described["Semantics"])
    for method in ("resolve", "is_satisfiable", "explanation", "request", "warm"):
        assert re.search(rf"\b{method}\(", described["Resolver"]), method


def test_no_link_is_inside_of_another(site: Path) -> None:
    """Browsers take such links apart, and the text behind the inner one loses its target."""

    class Nested(HTMLParser):
        depth, links_in_links = 0, 0

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            """Count the links that begin in a link."""
            self.depth += tag == "a"
            self.links_in_links += tag == "a" and self.depth > 1

        def handle_endtag(self, tag: str) -> None:
            """Note the end of a link."""
            self.depth -= tag == "a"

    def nested(page: Path) -> int:
        parser = Nested()
        parser.feed(page.read_text("utf-8"))
        return parser.links_in_links

    assert [page for page in _files(site) if nested(page)] == []


def test_defaults_are_values(site: Path) -> None:
    """A signature that says "fixes: int = FIXES" leaves the reader to guess."""
    pages = [
        (site / "reference/python" / api.subject_page(subject).rpartition("/")[2]) for subject in PUBLIC["olmsolve"]
    ]
    shown = "".join((page.with_suffix("") / "index.html").read_text("utf-8") for page in pages)
    text = " ".join(html.unescape(re.sub(r"<[^>]+>", "", shown)).split())
    assert "fixes: int = 5, tries: int = 100," in text
    assert "max_bytes: int = 64 * 1024," in text
    assert re.search(r"\w+: int = [A-Z]", text) is None


def test_no_marks_of_the_source_are_left(site: Path) -> None:
    """What the generator did not understand stays in the text as it is written."""
    marks = re.compile(r":(class|func|mod|meth|data):`|\]\[olmsolve|^::: ", re.MULTILINE)
    leftovers = []
    for page in _files(site):
        text = re.sub(r"<(pre|code|script)\b.*?</\1>", "", page.read_text("utf-8"), flags=re.DOTALL)
        leftovers += [(page.relative_to(site), match[0]) for match in marks.finditer(text)]
    assert leftovers == []
