"""Markdown from plain text: what must be escaped, tables, fences and anchors; and pictures that follow the theme."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

_FILE: Final = re.compile(r"^<!-- file: (?P<name>\S+) -->\n(?P<fence>```\w+)$", re.MULTILINE)
# A picture of a page in the light, of which there is one in the dark as well.
_IN_THE_LIGHT: Final = re.compile(r'<img ([^>]*)\bsrc="([^"#]*images/([\w-]+))\.png"([^>]*?) ?/?>')


def plain(text: str) -> str:
    """Return *text* as Markdown that shows each character as it is, and parts in backticks as code.

    A name like ``__init__`` or a range like ``<1.0.0`` would be read as markup. Backticks are left, because the texts
    of schemas and findings use them as Markdown does::

        plain("a `not` in <1.0.0")    "a `not` in &lt;1.0.0"
    """
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(part if part.startswith("`") and len(part) > 1 else _escaped(part) for part in parts)


def _escaped(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|#~^{}])", r"\\\1", text)


def code(text: str) -> str:
    """Return *text* as inline code, also where it holds backticks."""
    fence = "``" if "`" in text else "`"
    blank = " " if "`" in text else ""
    return f"{fence}{blank}{text}{blank}{fence}"


def anchored(text: str, anchor: str) -> str:
    """Return *text* as inline code that links can name by *anchor*."""
    return f"{code(text)}{{ #{anchor} }}"


def block(text: str, language: str = "text") -> str:
    """Return *text* as a fenced block."""
    return f"```{language}\n{text.rstrip()}\n```"


def with_file_names(text: str) -> str:
    """Return the Markdown *text* with the name of each file that a block makes above the block.

    In the repository the name is a comment, which tests read::

        <!-- file: rules.yaml -->
        ```yaml                       becomes ```yaml title="rules.yaml"
    """
    return _FILE.sub(r'\g<fence> title="\g<name>"', text)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells that are Markdown already; a bar in a cell is escaped, so that it ends no cell."""
    lines = (f"| {' | '.join(map(_cell, row))} |" for row in (heads, *rows))
    return "\n".join((next(lines), f"|{'---|' * len(heads)}", *lines))


def _cell(text: str) -> str:
    # Tables take "\|" for a bar in code as well, where an entity would be shown as it is written.
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))


def anchor_of(*names: str) -> str:
    """Return an anchor for things that *names* name, from the outermost to the innermost.

    ::

        anchor_of("catalog add", "--bundle")    "catalog-add--bundle"
    """
    return "-".join(re.sub(r"[^\w.-]+", "-", name) for name in names)


def page(title: str, *parts: str) -> str:
    """Return a page with its *title* and the *parts* that are not empty, a blank line between them."""
    return "\n\n".join((f"# {title}", *filter(None, parts))) + "\n"


def in_both_themes(content: str, images: Path) -> str:
    """Show pictures of pages as the theme of the reader has them, where the folder *images* has them in the dark.

    The theme hides the one of the other theme, which is not loaded then.
    """

    def both(found: re.Match[str]) -> str:
        before, path, name, behind = found.groups()
        if not (images / f"{name}-dark.png").is_file():
            return found[0]
        light, dark = f"{path}.png#only-light", f"{path}-dark.png#only-dark"
        return "".join(f'<img {before}src="{src}"{behind} loading="lazy">' for src in (light, dark))

    return _IN_THE_LIGHT.sub(both, content)
