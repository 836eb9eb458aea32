"""Links that leave docs/, and the files outside of it that the site shows as pages.

In the repository a page links to ``../benchmarks/README.md``, and the link works there. On the site it becomes a link
to the page that shows this file, where there is one, and else to the file in the repository.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
"""The checkout."""

SHOWN: Final = {
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "CODE_OF_CONDUCT.md": "project/code-of-conduct.md",
    "benchmarks/README.md": "project/benchmarks.md",
}
"""Files of the repository that are pages of the site, with their paths below docs/; some may not be there."""

_DOCS: Final = "docs/"
# Code is matched first, and left as it is.
_LINK: Final = re.compile(r"`[^`]+`|(?<=\]\()(?!#)(?P<target>[^()\s:]+?)(?P<anchor>#[^()\s]*)?(?=\))")
_FENCE: Final = re.compile(r" *(`{3,}|~{3,})")


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each page that stands outside of docs/."""
    for source, path in SHOWN.items():
        if (ROOT / source).is_file():
            yield path, (ROOT / source).read_text("utf-8")


def source_of(path: str) -> str:
    """Return the file of the repository that the page at *path* (below docs/) shows."""
    shown = {page: source for source, page in SHOWN.items()}
    return shown.get(path, f"{_DOCS}{path}")


def with_site_links(text: str, path: str, url: str) -> str:
    """Return the Markdown *text* of the page at *path* (below docs/) with links that work on the site.

    *url* is the repository's. Links inside of docs/ stay as they are, so that MkDocs checks them.

    Raises:
        LookupError: a link leads to a file that the repository has not.
    """
    folder, source = posixpath.dirname(path), source_of(path)

    def linked(target: str, anchor: str) -> str:
        if target.startswith("/"):
            return f"{target}{anchor}"
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        is_page = file in SHOWN or (file.startswith(_DOCS) and not (ROOT / file).is_dir())
        if is_page:
            page = SHOWN.get(file, file.removeprefix(_DOCS))
            return f"{posixpath.relpath(page, folder or '.')}{anchor}"
        if not (ROOT / file).exists():
            raise LookupError(f"{source}: a link leads to {file}, which is not there")
        return f"{url}/{'tree' if (ROOT / file).is_dir() else 'blob'}/main/{file}{anchor}"

    return _each_link(text, linked)


def _each_link(text: str, change: Callable[[str, str], str]) -> str:
    """Return *text* with the target of each relative link changed; code stays as it is."""

    def changed(found: re.Match[str]) -> str:
        return change(found["target"], found["anchor"] or "") if found["target"] else found[0]

    lines, fence = [], ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            line = _LINK.sub(changed, line)
        lines.append(line)
    return "".join(lines)
