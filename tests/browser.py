"""Pages in a headless browser, as readers see them; tests that need one skip where there is none."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

__all__ = ["CHROMIUM", "Browser", "opened"]

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
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
# A debugged Chromium reads commands from file 3 and writes answers to file 4, and nobody else can connect to it.
_WITH_PIPES: Final = ("sh", "-c", 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1', "sh")
_SECONDS: Final = 60


class Browser:
    """One Chromium for many pages, because starting it takes longer than looking at a page.

    It is driven by the Chrome DevTools Protocol: JSON objects, each followed by a zero byte. *commands* and *answers*
    are the file descriptors of the two pipes, and *folder* is where the pages are written that it shows.
    """

    def __init__(self, folder: Path, commands: int, answers: int) -> None:
        self._file = folder / "page.html"
        self._commands = commands
        self._answers = answers
        self._unread = b""
        self._count = 0
        self._loaded: set[str] = set()
        self._session: dict[str, str] = {}
        target = self._command("Target.createTarget", url="about:blank")["targetId"]
        self._session["sessionId"] = self._command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._command("Page.enable")
        self._command("Page.setLifecycleEventsEnabled", enabled=True)

    def dumped(self, page: str, script: str = "", *, width: int = 1200) -> str:
        """Return the document after the browser has loaded *page*, *width* pixels wide, and run *script* in it.

        The page's own content security policy stays in force for the page's own text.
        """
        self._show(page, width=width, height=800, dark=False)
        function = f"(() => {{ {script}\nreturn document.documentElement.outerHTML; }})()"
        text: str = self._evaluated(function)
        return text

    def photographed(self, page: str, *, width: int, height: int, dark: bool) -> bytes:
        """Return a picture (PNG) of *page*, as a window of this size in pixels shows it to a reader of either theme."""
        self._show(page, width=width, height=height, dark=dark)
        return base64.b64decode(self._command("Page.captureScreenshot")["data"])

    def visited(self, url: str, script: str, *, width: int, height: int = 800, dark: bool = False) -> Any:
        """Return what *script*, an expression, is after the browser has loaded the page at *url*."""
        self._go(url, width=width, height=height, dark=dark)
        return self._evaluated(script)

    def resized(self, script: str, *, width: int, height: int = 800) -> Any:
        """Return what *script* is after the window with the same page has got another size."""
        self._resize(width, height)
        return self._evaluated(script)

    @contextlib.contextmanager
    def without(self, *patterns: str) -> Iterator[None]:
        """Keep what has an address of these *patterns* from the pages inside of the block."""
        self._command("Network.enable")
        self._command("Network.setBlockedURLs", urls=list(patterns))
        try:
            yield
        finally:
            self._command("Network.setBlockedURLs", urls=[])
            self._command("Network.disable")

    def _evaluated(self, script: str) -> Any:
        found = self._command("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def _resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._command("Emulation.setDeviceMetricsOverride", **size)

    def _show(self, page: str, *, width: int, height: int, dark: bool) -> None:
        """Load *page*, and return when its load event has been handled."""
        self._file.write_text(page, "utf-8")
        self._go(self._file.as_uri(), width=width, height=height, dark=dark)

    def _go(self, url: str, *, width: int, height: int, dark: bool) -> None:
        """Load the page at *url*, and return when its load event has been handled."""
        self._resize(width, height)
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._command("Emulation.setEmulatedMedia", features=[theme])
        loader = self._command("Page.navigate", url=url)["loaderId"]
        while loader not in self._loaded:
            self._message()

    def _command(self, method: str, **parameters: object) -> Any:
        """Send a command, and return its result."""
        self._count += 1
        command = {"id": self._count, "method": method, "params": parameters, **self._session}
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while (answer := self._message()).get("id") != self._count:
            pass
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    def _message(self) -> dict[str, Any]:
        """Return the next message; remember which document it says to be loaded."""
        parts = [self._unread]
        while b"\0" not in parts[-1]:
            assert select.select([self._answers], [], [], _SECONDS)[0], "the browser does not answer"
            parts.append(os.read(self._answers, 1 << 20))
            assert parts[-1], "the browser has ended"
        text, _, self._unread = b"".join(parts).partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        if message.get("method") == "Page.lifecycleEvent" and message["params"]["name"] == "load":
            self._loaded.add(message["params"]["loaderId"])
        return message


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[Browser]:
    """Start a browser whose profile and pages are in *folder*, and end it with the block."""
    assert CHROMIUM is not None
    command = (*_WITH_PIPES, CHROMIUM, *_FLAGS, f"--user-data-dir={folder / 'profile'}")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield Browser(folder, process.stdin.fileno(), process.stdout.fileno())
        finally:
            # Chromium ends when nobody can send it commands any more.
            process.stdin.close()
            try:
                process.wait(_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
