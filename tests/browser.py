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

__all__ = ["AXE", "CHROMIUM", "Browser", "opened", "serious_faults"]

CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE: Final = Path(os.environ.get("OLMSOLVE_AXE", Path(__file__).parents[1] / "build/axe/package/axe.min.js"))
"""The checker of accessibility, a package of npm, which `make docs-test` fetches."""

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
    # Letters are as wide as the font says, and not as the pixels of a machine would have them.
    "--font-render-hinting=none",
    "--remote-debugging-pipe",
)
# A debugged Chromium reads commands from file 3 and writes answers to file 4, and nobody else can connect to it.
_WITH_PIPES: Final = ("sh", "-c", 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1', "sh")
_SECONDS: Final = 60
# Lists have markers of their own fonts, and fields a blinking caret.
_IN_FONT: Final = """async (letters, change) => {
    const face = new FontFace("Blocks", Uint8Array.from(atob(letters), letter => letter.charCodeAt(0)).buffer);
    document.fonts.add(await face.load());
    const sheet = new CSSStyleSheet();
    const style = "font-family: Blocks !important; text-rendering: geometricPrecision; caret-color: transparent;"
        + "content-visibility: visible !important; animation: none !important; transition: none !important;";
    sheet.replaceSync(`*, ::before, ::after, ::marker { ${style} }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    change();
    await document.fonts.ready;
    await new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    return document.documentElement.scrollHeight;
}"""
# A pixel is 4 bytes; edges of slanted lines are a few shades lighter or darker on another machine.
_UNLIKE: Final = """async (...pictures) => {
    const drawn = await Promise.all(pictures.map(async text => {
        const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
        return await createImageBitmap(new Blob([bytes], {type: "image/png"}));
    }));
    const width = Math.max(...drawn.map(each => each.width)), height = Math.max(...drawn.map(each => each.height));
    const [one, other] = drawn.map(picture => {
        const context = new OffscreenCanvas(width, height).getContext("2d");
        context.drawImage(picture, 0, 0);
        return context.getImageData(0, 0, width, height).data;
    });
    const across = Math.ceil(width / 20), counts = new Uint16Array(across * Math.ceil(height / 20));
    for (let at = 0; at < one.length; at += 4) {
        const x = at / 4 % width, y = Math.floor(at / 4 / width);
        if ([0, 1, 2, 3].some(part => Math.abs(one[at + part] - other[at + part]) > 16))
            counts[Math.floor(y / 20) * across + Math.floor(x / 20)] += 1;
    }
    return Math.max(...counts) / 400;
}"""


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

    def sketched(self, page: str, font: bytes, *, width: int, dark: bool, script: str = "") -> bytes:
        """Return a picture (PNG) of the whole of *page* at a quarter of its size, with all texts in *font*.

        *script* runs before the picture is taken. With a font that the tests bring along, lines break at the same words
        on every machine.
        """
        self._command("Page.setBypassCSP", enabled=True)
        try:
            self._show(page, width=width, height=900, dark=dark)
            letters = base64.b64encode(font).decode()
            height = self._evaluated(f"({_IN_FONT})('{letters}', () => {{ {script} }})")
        finally:
            self._command("Page.setBypassCSP", enabled=False)
        part = {"x": 0, "y": 0, "width": width, "height": height, "scale": 0.25}
        return base64.b64decode(self._command("Page.captureScreenshot", captureBeyondViewport=True, clip=part)["data"])

    def unlike(self, one: bytes, other: bytes) -> float:
        """Return how unlike two pictures (PNG) are: 0 if alike, 1 if somewhere all pixels differ clearly.

        This is the part of the pixels that differ, in the square of 20 pixels in which it is the largest: a mark is
        small beside its page. Where one picture ends before the other, the rest differs.
        """
        pictures = ", ".join(f"'{base64.b64encode(picture).decode()}'" for picture in (one, other))
        share: float = self._evaluated(f"({_UNLIKE})({pictures})")
        return share

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
        answer = self._command("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

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


def serious_faults() -> str:
    """Return a script whose value lists what axe calls serious: its rule, how many elements, and the first of them."""
    check = """axe.run(document, {resultTypes: ["violations"]}).then(found => found.violations
        .filter(each => ["serious", "critical"].includes(each.impact))
        .map(each => [each.id, each.nodes.length, each.nodes[0].html.slice(0, 120)]))"""
    return f"{AXE.read_text('utf-8')};{check}"


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
