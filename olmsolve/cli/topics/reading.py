"""The topics: Markdown files, whose marks the code replaces by what it knows better, and their text for terminals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources
from itertools import groupby
from typing import TYPE_CHECKING, Final

from olmsolve._patterns import pattern
from olmsolve._reader import with_addresses
from olmsolve.cli.exits import MEANINGS

if TYPE_CHECKING:
    from olmsolve.render import Style

TOPICS: Final = (
    "situations",
    "catalogs",
    "constraints",
    "semantics",
    "findings",
    "output forms",
    "exit codes",
    "limits",
    "backends",
)
"""The names of the topics, in the order in which ``olmsolve help`` lists them."""


def topic_markdown(name: str) -> str:
    """Return the text of the topic *name*, one of :data:`TOPICS`, in Markdown; its links start at the folder docs."""
    lines = _source(name).split("\n")
    return "\n".join("\n".join(_additions(line)) if line.startswith("<!-- ") else line for line in lines)


def topic_summaries() -> dict[str, str]:
    """Return what each topic is about, by its name."""
    # "# Exit codes: what scripts can tell"
    titles = {name: _source(name).partition("\n")[0] for name in TOPICS}
    return {name: title.partition(": ")[2] for name, title in titles.items()}


def _source(name: str) -> str:
    file = f"{name.replace(' ', '-')}.md"
    return resources.files("olmsolve.cli.topics").joinpath(file).read_text("utf-8")


def _additions(mark: str) -> Iterator[str]:
    """Yield the lines that stand in place of *mark*, a comment of its own line."""
    from olmsolve.cli.topics.remedies import finding_guides

    if mark == "<!-- exit codes -->":
        yield from (f"- `{code.value}`: {meaning}" for code, meaning in MEANINGS.items())
    elif mark == "<!-- findings -->":
        codes: dict[str, list[str]] = {}
        for guide in finding_guides().values():
            codes.setdefault(guide.command, []).append(guide.code)
        yield from (f"- `{command}`: {', '.join(sorted(own))}" for command, own in codes.items())
    else:
        raise ValueError(f"no text for {mark}")


_LINK: Final = pattern(r"\[([^]]+)\]\(([^)]+)\)")
_FENCE: Final = "```"


def markdown_text(markdown: str, style: Style) -> str:
    """Return *markdown* as text of the width of *style*, with bold headings where it has colours.

    Headings, paragraphs, lists and blocks of commands are understood, and ``code`` and links in them: a link becomes
    its text and the address of the page that it leads to.
    """
    return "\n".join(_lines(markdown.strip().split("\n"), style))


def _lines(lines: list[str], style: Style) -> Iterator[str]:
    # A fence belongs to neither the text before it nor the one behind it.
    parts = "\n".join(lines).split(_FENCE)
    for number, part in enumerate(parts):
        if number % 2:
            yield from (f"  {line}" for line in part.strip("\n").split("\n"))
        else:
            yield from _prose(part, style)


def _prose(text: str, style: Style) -> Iterator[str]:
    """Yield the lines of *text*, which has no blocks of commands; empty lines stay between its paragraphs."""
    from olmsolve.render import paragraph

    lines = [re.sub(r"^ +", "", line) for line in text.split("\n")]
    numbers = [sum(_begins(line) for line in lines[: end + 1]) for end in range(len(lines))]
    for _, group in groupby(zip(numbers, lines, strict=True), key=lambda numbered: (numbered[0], not numbered[1])):
        joined = " ".join(line for _, line in group)
        if not joined.strip():
            yield ""
        elif joined.startswith("# "):
            yield style.bold(_plain(joined[2:]))
        elif joined.startswith("- "):
            yield from paragraph(_plain(joined[2:]), style.width, indent="  - ", hanging="    ")
        else:
            yield from paragraph(_plain(joined), style.width)


def _begins(line: str) -> bool:
    """Return whether *line* begins a heading or an element of a list."""
    return line.startswith(("# ", "- "))


def _plain(text: str) -> str:
    linked = _LINK.sub(lambda link: f"{link[1]} ({with_addresses(f'docs/{link[2]}')})", text)
    return linked.replace("`", "")
