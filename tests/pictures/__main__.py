"""``python -m tests.pictures [NAME ...]``: make the pictures in docs/images anew, all of them or those named.

Pages are photographed in Chromium. ``wings`` is drawn from the imports, ``solving`` and ``concepts`` from lists,
``speed`` from the figures of docs/performance.md, and ``terminals`` (of README.md) from what commands print. The
pictures of measurements are drawn by the benchmarks that measure (docs/growth.svg: ``python -m benchmarks growth``,
which takes minutes).
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from tests.architecture import drawing
from tests.browser import CHROMIUM, opened
from tests.pages.blocks import ROOT
from tests.pictures import concepts, solving, speed, terminals
from tests.pictures.shots import SHOTS, page_of
from tests.pictures.stamps import stamped

_DRAWN: Final[Mapping[str, Callable[[], object]]] = {
    "wings": lambda: drawing.PICTURE.write_text(drawing.picture(), "utf-8"),
    "solving": solving.write,
    "concepts": concepts.write,
    "speed": speed.write,
    "terminals": terminals.write,
}
"""The pictures that need no browser, with what writes them."""


def main(names: list[str]) -> None:
    """Make the pictures *names*."""
    if unknown := sorted(set(names) - {*SHOTS, *_DRAWN}):
        raise SystemExit(f"no pictures: {', '.join(unknown)}; there are {', '.join((*_DRAWN, *SHOTS))}")
    for name in sorted(_DRAWN.keys() & set(names)):
        _DRAWN[name]()
    photographed = [name for name in names if name not in _DRAWN]
    if not photographed:
        return
    if CHROMIUM is None:
        raise SystemExit("needs Chromium")
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as browser:
        for name in photographed:
            shot, page = SHOTS[name], page_of(name, Path(folder, name))
            for file, dark in shot.files(name).items():
                picture = browser.photographed(page, width=shot.width, height=shot.height, dark=dark)
                (ROOT / "docs/images" / file).write_bytes(stamped(picture, page))


if __name__ == "__main__":
    main(sys.argv[1:] or [*_DRAWN, *SHOTS])
