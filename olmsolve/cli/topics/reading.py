"""The topics: Markdown files, whose marks the code replaces by what it knows better."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from typing import Final

from olmsolve.cli.exits import MEANINGS

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
        yield from (f"- `{command}`: {', '.join(sorted(found))}" for command, found in codes.items())
    else:
        raise ValueError(f"no text for {mark}")
