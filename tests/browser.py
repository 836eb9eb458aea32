"""Pages in a headless browser, as readers see them; tests that need one skip where there is none."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Final

__all__ = ["CHROMIUM", "dumped", "photographed"]

CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

# Nothing is to leave the machine, and nothing of its owner's browser is to be touched.
_FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_SECONDS: Final = 60


def dumped(folder: Path, page: str, script: str = "", *, width: int = 1200) -> str:
    """The document after the browser has loaded *page*, *width* pixels wide, and run *script* in it.

    *script* gets into the page by a second policy-free document that holds the first in a frame of the same file
    origin; so the page's own content security policy stays in force for the page's own text.
    """
    assert CHROMIUM is not None
    inner = folder / "page.html"
    inner.write_text(page, "utf-8")
    outer = folder / "outer.html"
    outer.write_text(
        f"<!DOCTYPE html><iframe src='page.html' width={width} height=800></iframe><pre id=out></pre><script>"
        "const frame = document.querySelector('iframe');"
        "frame.addEventListener('load', () => {"
        "const document = frame.contentDocument; const { KeyboardEvent, Event, MouseEvent } = frame.contentWindow;"
        f"{script}"
        "window.document.getElementById('out').textContent = document.documentElement.outerHTML;"
        "});</script>",
        "utf-8",
    )
    result = subprocess.run(
        [
            CHROMIUM,
            *_FLAGS,
            f"--user-data-dir={folder / 'profile'}",
            "--allow-file-access-from-files",
            "--virtual-time-budget=5000",
            "--dump-dom",
            outer.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=True,
    )
    text = result.stdout.split('<pre id="out">', 1)[1].split("</pre>", 1)[0]
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def photographed(folder: Path, page: str, file: Path, *, width: int, height: int, dark: bool) -> None:
    """Write a picture of *page* to *file*, as a window of this size in pixels shows it to a reader of either theme."""
    assert CHROMIUM is not None
    source = folder / "page.html"
    source.write_text(page, "utf-8")
    subprocess.run(
        [
            CHROMIUM,
            *_FLAGS,
            f"--user-data-dir={folder / 'profile'}",
            "--hide-scrollbars",
            "--virtual-time-budget=3000",
            f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            f"--window-size={width},{height}",
            f"--screenshot={file}",
            source.as_uri(),
        ],
        capture_output=True,
        timeout=_SECONDS,
        check=True,
    )
