"""The playground: olmsolve in the browser."""

from __future__ import annotations

import base64
import functools
import http.server
import json
import threading
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.browser import AXE, CHROMIUM, opened, serious_faults
from tests.scale import LONG
from website import playground_files

SOURCE: Final = Path(playground_files.__file__).parent / "playground"


@pytest.fixture
def python() -> dict[str, Any]:
    """The names of the page's Python."""
    names: dict[str, Any] = {}
    exec(compile((SOURCE / "answering.py").read_text("utf-8"), "answering.py", "exec"), names)  # noqa: S102
    return names


@pytest.mark.parametrize(
    ("shown", "outcome", "summary"),
    [
        ("install.yaml", "plan", "install.yaml: 5 bundles to install"),
        ("unsatisfiable.yaml", "failure", "unsatisfiable.yaml: there is no plan"),
        # Whoever edits a catalog wants to see what that does to the request.
        ("catalogs/commons/ember.yaml", "failure", "unsatisfiable.yaml: there is no plan"),
    ],
)
def test_a_request_is_answered(python: dict[str, Any], tmp_path: Path, shown: str, outcome: str, summary: str) -> None:
    """The page is the one that ``resolve --output html`` writes."""
    reply = json.loads(python["answer"](shown, json.dumps(python["example"]()), str(tmp_path / "files")))
    assert (reply["outcome"], reply["summary"]) == (outcome, summary)
    assert reply["page"].startswith("<!DOCTYPE html>")


def test_a_fault_is_told_with_its_file(python: dict[str, Any], tmp_path: Path) -> None:
    """Somebody types, and half of a document is no reason to lose the rest."""
    files = python["example"]()
    files["install.yaml"] = files["install.yaml"].partition("subscriptions:")[0] + "subscriptions: <b>\n"
    reply = json.loads(python["answer"]("install.yaml", json.dumps(files), str(tmp_path / "files")))
    assert reply["outcome"] == "fault"
    assert "install.yaml: subscriptions: must be a list, not a string" in reply["page"]
    assert "<b>" not in reply["page"]
    assert str(tmp_path) not in reply["page"]


def test_too_little_time_is_no_fault_of_the_files(python: dict[str, Any], tmp_path: Path) -> None:
    """Somebody pastes a large catalog; the request is fine."""
    python["_SECONDS"] = 1e-9
    reply = json.loads(python["answer"]("install.yaml", json.dumps(python["example"]()), str(tmp_path / "files")))
    assert (reply["outcome"], reply["summary"]) == ("fault", "install.yaml: there is no answer in time")
    assert "cannot be read" not in reply["page"]


def test_a_linked_request_ends_with_its_limit(python: dict[str, Any], tmp_path: Path) -> None:
    """Somebody sent the link, and a tab that reads for ever cannot be told to stop."""
    files = python["example"]()
    files["install.yaml"] = "a: [" + "1.5, " * 1_000_000
    python["_SECONDS"] = 0.05
    reply = json.loads(python["answer"]("install.yaml", json.dumps(files), str(tmp_path / "files")))
    assert (reply["outcome"], reply["summary"]) == ("fault", "install.yaml: there is no answer in time")


@pytest.mark.parametrize(("wishes", "count"), [(1, "1 bundle to install"), (0, "nothing to install")])
def test_one_bundle_is_told_in_the_singular(python: dict[str, Any], tmp_path: Path, wishes: int, count: str) -> None:
    """The request for the cache alone needs no other bundle."""
    files = python["example"]()
    wish = "subscriptions:\n  - {name: cache, package: ember, channel: stable}\n" if wishes else "subscriptions: []\n"
    files["install.yaml"] = files["install.yaml"].partition("subscriptions:")[0] + wish
    reply = json.loads(python["answer"]("install.yaml", json.dumps(files), str(tmp_path / "files")))
    assert reply["summary"] == f"install.yaml: {count}"


def test_the_archive_has_what_is_imported(tmp_path: Path) -> None:
    """Nothing compiled, and the same bytes each time."""
    playground_files.archive(tmp_path / "one.zip")
    playground_files.archive(tmp_path / "two.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as packed:
        names = packed.namelist()
    assert {"olmsolve/__init__.py", "olmsolve/examples/install.yaml", "attr/__init__.py", "yaml/__init__.py"} <= {
        *names
    }
    assert [name for name in names if name.endswith((".so", ".pyc"))] == []


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of a server with the playground alone."""
    if CHROMIUM is None:
        pytest.skip("no Chromium")
    if not playground_files.write(tmp_path / "site/playground"):
        pytest.skip("Pyodide is not there: make docs fetches it")
    handler = functools.partial(_Quiet, directory=str(tmp_path / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {  # noqa: RUF012 - the class above declares it
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


_ANSWERED: Final = """new Promise(done => {
    const look = () => document.body.dataset.answered ? then() : setTimeout(look, 100);
    const then = () => { %s };
    look();
})"""
_STATE: Final = """done({
    answered: document.body.dataset.answered,
    status: document.getElementById("status").textContent,
    page: document.getElementById("answer").srcdoc,
    address: location.href,
    loaded: performance.getEntriesByType("resource").map(entry => entry.name),
})"""


_ODD_LINKS: Final = {
    json.dumps({"shown": "toString", "asked": "valueOf", "files": {"constructor": "x", "../evil.yaml": "x"}}): "",
    # 20 KB in the address, 20 MB in the page.
    json.dumps({"shown": "install.yaml", "files": {"install.yaml": " " * 20_000_000}}): (
        "The link is damaged, so this is the example. "
    ),
}


def _packed(text: str) -> str:
    """Return *text* as the page packs it into a link."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.urlsafe_b64encode(packer.compress(text.encode()) + packer.flush()).decode().rstrip("=")


@pytest.mark.skipif(not LONG, reason="Python takes seconds to load in a browser (OLMSOLVE_TESTS=long)")
def test_the_page_answers_in_a_browser(address: str, tmp_path: Path) -> None:
    """Python, olmsolve and the example come from the site alone; a link brings the edited request to somebody else."""
    edit = """
        const editor = document.getElementById("editor");
        editor.value = editor.value.replace("2.x", "1.x");
        document.getElementById("share").click();
        setTimeout(() => { const found = location.href; done(found); }, 1500);
    """
    with opened(tmp_path) as browser:
        first = browser.visited(f"{address}playground/", _ANSWERED % _STATE, width=1280)
        assert first["answered"] == "failure", first["status"]
        assert "cannot be served together" in first["page"]
        assert [url for url in first["loaded"] if not url.startswith((address, "data:", "blob:"))] == []
        shared = browser.visited(f"{address}playground/", _ANSWERED % edit, width=1280)
        assert "/playground/#" in shared
        # Another file is answered when it is chosen, and so is the example when it is taken anew.
        chosen = """(async () => {
            const said = async (change) => {
                delete document.body.dataset.answered;
                change();
                while (!document.body.dataset.answered) await new Promise(soon => setTimeout(soon, 50));
                return document.getElementById("status").textContent;
            };
            const file = document.getElementById("file");
            const choose = (name) => { file.value = name; file.dispatchEvent(new Event("change")); };
            const link = %r, entries = history.length;
            done([
                await said(() => choose("install.yaml")),
                await said(() => choose("catalogs/commons/ember.yaml")),
                await said(() => document.getElementById("reset").click()),
                await said(() => { location.hash = link; }),
                await said(() => history.back()),
                await said(() => {
                    const editor = document.getElementById("editor");
                    editor.value = "a: [";
                    editor.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true }));
                }),
                await said(() => history.forward()),
                history.length - entries,
            ]);
        })()"""
        chosen %= shared.partition("#")[2]
        installed, catalog, anew, linked, back, broken, forward, entries = browser.visited(
            f"{address}playground/index.html?chosen", _ANSWERED % chosen, width=1280
        )
        assert installed.startswith("install.yaml: 5 bundles to install")
        # A catalog is edited for the sake of the request that was looked at.
        assert catalog.startswith("install.yaml: 5 bundles to install")
        assert anew.startswith("unsatisfiable.yaml: there is no plan")
        # A link that is opened in the same window, and the ways back and forward.
        assert linked.startswith("unsatisfiable.yaml: 5 bundles to install")
        assert back.startswith("unsatisfiable.yaml: there is no plan")
        assert broken.startswith("unsatisfiable.yaml: it cannot be read")
        assert forward.startswith("unsatisfiable.yaml: 5 bundles to install")
        # No answer is a step of the way back, but the link is one.
        assert entries == 1
        if AXE.is_file():
            assert browser.resized(serious_faults(), width=1280) == []
        damaged = browser.visited(f"{address}playground/index.html?damaged#nonsense", _ANSWERED % _STATE, width=1280)
        assert damaged["status"].startswith("The link is damaged, so this is the example. unsatisfiable.yaml: there is")
        for number, (linked, status) in enumerate(_ODD_LINKS.items()):
            page = f"{address}playground/index.html?odd{number}#{_packed(linked)}"
            odd = browser.visited(page, _ANSWERED % _STATE, width=1280)
            assert odd["status"].startswith(f"{status}unsatisfiable.yaml: there is no plan"), linked[:80]
        second = browser.visited(
            shared.replace("/playground/#", "/playground/index.html#"), _ANSWERED % _STATE, width=500
        )
        assert second["answered"] == "plan", second["status"]
