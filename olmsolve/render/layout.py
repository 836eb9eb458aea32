"""Lines, tables and lists of plain text that keep to a width."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._arguments import counted as counted

_GAP: Final = "  "
_MARKUP: Final = r"([\\`*_{}\[\]<>#|!~])"
# GitHub and GitLab send a message to whoever @name names: a name in a catalog must not do that from a comment.
_MENTION: Final = r"(?<!\w)@(?=[A-Za-z0-9])"


@attrs.frozen
class Style:
    """The width of lines, in characters, and whether they may have ANSI colours."""

    width: int = 80
    colour: bool = False

    def bold(self, text: str) -> str:
        """Return *text* in bold, or as it is without colours."""
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def dim(self, text: str) -> str:
        """Return *text* in a paler colour, or as it is without colours."""
        return f"\x1b[2m{text}\x1b[0m" if self.colour else text


def plain(text: str) -> str:
    """Return *text* on one line, without characters that a terminal obeys: strangers write catalogs.

    >>> plain("first\\nsecond \\x1b[31m")
    'first second \\\\x1b[31m'
    """
    # Nearly all texts are printable: asking takes 0.09 µs, and looking at each character of a name 1.2.
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return " " if character.isspace() else character.encode("unicode_escape").decode("ascii")


def shell_word(text: str) -> str:
    """Return *text* as one word of a shell's command, and as no option of a program: strangers name objects.

    No object of Kubernetes has a name that begins with a hyphen, but a dump may: ``kubectl delete`` would take
    ``--all`` for an option.

    >>> shell_word("a b"), shell_word("--all")
    ("'a b'", "'\\\\x2d-all'")
    """
    import shlex  # few answers have commands

    shown = plain(text)
    return shlex.quote(f"\\x2d{shown[1:]}" if shown.startswith("-") else shown)


def in_markdown(text: str) -> str:
    """Return *text* as one line of Markdown without markup that mentions nobody: strangers write catalogs.

    GitHub looks for mentions in what it has made of the text, so that a backslash before the sign does not help; a
    character without width after it does.

    >>> in_markdown("*a* of @team, b@sha256:00")
    '\\\\*a\\\\* of @&#8288;team, b@sha256:00'
    """
    import re  # few texts are for Markdown

    return re.sub(_MENTION, "@&#8288;", re.sub(_MARKUP, r"\\\1", plain(text).replace("&", "&amp;")))


def paragraph(text: str, width: int, *, indent: str = "", hanging: str | None = None) -> list[str]:
    """Wrap *text* to lines of at most *width* characters (a longer word has its own); *hanging* indents later lines."""
    text, width = plain(text), max(width, len(indent) + 20)
    # Most sentences fit into a line: 0.4 µs, where textwrap takes 31 to find that nothing is to be wrapped.
    if text and not text[-1].isspace() and len(indent) + len(text) <= width:
        return [indent + text]
    # As textwrap does it without breaks at hyphens: names of bundles have many, and cannot be copied from two halves.
    # That module takes as long to load as a short answer takes to find. Spaces are the only white space in plain texts.
    lines: list[str] = []
    margin, start, size = indent, 0, len(text)
    while start < size:
        room = max(width - len(margin), 0)
        end = size if size - start <= room else text.rfind(" ", start, start + room + 1)
        if end < 0:
            # A word that is longer than a line; it may be the last one.
            end = text.find(" ", start) % (size + 1)
        if line := text[start:end].rstrip(" "):
            lines.append(margin + line)
            margin = indent if hanging is None else hanging
            start += len(line)
        while start < size and text[start] == " ":
            start += 1
    return lines


def listed(words: Sequence[str]) -> str:
    """Return *words* as a list in a sentence: ``a, b and c``."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def quoted(text: str) -> str:
    """Return *text* in double quotes, as mermaid and DOT read it."""
    # Graphviz reads escapes in labels (\N is the name of the node), so backslashes are doubled.
    escaped = plain(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def numbered(texts: Sequence[str], width: int) -> list[str]:
    """Return a numbered list, each text wrapped beside its number."""
    margin = len(str(len(texts))) + 4
    lines: list[str] = []
    for number, text in enumerate(texts, start=1):
        label = f"{number}. ".rjust(margin)
        lines.extend(paragraph(text, width, indent=label, hanging=" " * margin))
    return lines


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], width: int) -> list[str] | None:
    """Return aligned columns under their headings, or None if they do not fit into *width*.

    Columns that are empty in every row are left out.
    """
    cells = [[plain(cell) for cell in row] for row in rows]
    used = [column for column in range(len(headings)) if any(row[column] for row in cells)]
    lines = [[headings[column] for column in used]]
    lines.extend([row[column] for column in used] for row in cells)
    widths = [max(len(line[position]) for line in lines) for position in range(len(used))]
    if sum(widths) + len(_GAP) * (len(widths) - 1) > width:
        return None
    return [_GAP.join(map(str.ljust, line, widths)).rstrip() for line in lines]
