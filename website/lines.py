"""Lines of code blocks, so that none is cut: a line that is too long goes on below itself, further in.

The text stays as it was recorded, and is copied so; the style sheet of the site wraps what does not fit a window.
Rows of tables keep their shape instead, and the block that has them can be scrolled, with keys as well.
"""

from __future__ import annotations

import html
import re
from itertools import groupby
from typing import Final

__all__ = ["hanging", "rows_of", "with_whole_options", "wrapped"]

_FURTHER: Final = 2
"""How much further in a line goes on (columns)."""
_WIDEST: Final = 34
"""From which column on the text of a last column goes on below its line's beginning instead of below itself."""

# Blanks, the branches of a tree, and the mark of a list.
_LEAD: Final = re.compile(r"[\s│├└─╰╭]*(?:(?:[-*•✓✗] |\d+\. )\s*)?")
_COLUMN: Final = re.compile(r"(?<=\S)\s{2,}(?=\S)")
_DRAWING: Final = re.compile(r"[┌┐┘┬┴┼▶►▼]|─{4,}")
_BLOCK: Final = re.compile(r"<pre\b[^>]*>.*?</pre>", re.DOTALL)
_LINE: Final = re.compile(r'<span id="[^"]*__span-[\d-]+">')
_CODE: Final = re.compile(r"<code\b[^>]*>.*?</code>", re.DOTALL)
# Text that is no tag: an option of up to 30 letters, behind a blank, a bracket or a tag.
_OPTION: Final = re.compile(r"(?P<before>[\s>\[(|])(?P<option>--?[a-z][a-z0-9-]{0,30})(?![\w-])(?=[^<>]*<)")
_LONG_WORD: Final = 36
_OPENED: Final = re.compile(r"<pre\b")
_SCROLLED: Final = '<pre class="scrolls" tabindex="0" role="region" aria-label="A block that scrolls sideways"'


def wrapped(page: str) -> str:
    """Return the HTML of *page* with a style for each line of its blocks: where it goes on, or that it is a row."""
    return _BLOCK.sub(lambda found: _block(found[0]), page)


def with_whole_options(page: str) -> str:
    """Return the HTML of *page* with the options of commands, in blocks and in sentences, whole at ends of lines."""
    return _CODE.sub(lambda found: _OPTION.sub(r'\g<before><span class="whole">\g<option></span>', found[0]), page)


def _block(block: str) -> str:
    first, *lines = _LINE.split(block)
    if not lines:
        return block
    texts = [html.unescape(re.sub(r"<[^>]+>", "", line)).rstrip() for line in lines]
    rows = rows_of(texts)
    if any(rows):
        first = _OPENED.sub(_SCROLLED, first, count=1)
    styles = [
        'class="row"'
        if row
        else f'class="line{" unbroken" if _is_unbroken(text) else ""}" style="--hang:{hanging(text)}"'
        for row, text in zip(rows, texts, strict=True)
    ]
    # The line feed stands behind its line, or whoever copies the block gets it twice.
    ended = (line.replace("\n</span>", "</span>\n") for line in lines)
    return first + "".join(f"<span {style}>{line}" for style, line in zip(styles, ended, strict=True))


def hanging(text: str) -> int:
    """Return the column at which the line *text* goes on: below its last column, or a little behind its beginning.

    ::

        hanging("- one sentence")               4
        hanging("name      what it means")     10
    """
    begin = _lead(text)
    columns = [found.end() for found in _COLUMN.finditer(text, begin)]
    return columns[-1] if columns and columns[-1] <= _WIDEST else min(begin + _FURTHER, _WIDEST)


def rows_of(texts: list[str]) -> list[bool]:
    """Return which of the lines *texts* are rows: of a table of three columns or more, or of a drawing.

    A table has two rows at least before the next empty line; what stands between its rows may be sentences.
    """
    found: list[bool] = []
    for _, group in groupby(texts, key=bool):
        lines = list(group)
        rows = [not line.startswith("$ ") and len(_COLUMN.findall(line, _lead(line))) > 1 for line in lines]
        is_table = sum(rows) > 1
        found += [bool(_DRAWING.search(line)) or (is_table and row) for line, row in zip(lines, rows, strict=True)]
    return found


def _is_unbroken(text: str) -> bool:
    """Return whether the line begins with a word that no phone has room for: it would go below, and leave a gap."""
    word = re.match(r"\S*", text[_lead(text) :].removeprefix(">>> "))
    return word is not None and len(word[0]) > _LONG_WORD


def _lead(text: str) -> int:
    lead = _LEAD.match(text)
    return lead.end() if lead else 0
