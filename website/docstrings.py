"""Docstrings as Markdown.

Our docstrings are written for ``help()`` and editors, in plain text with a few marks of reStructuredText: roles
(``:func:`load```), blocks behind ``::``, doctests and tables. The site shows them with links, fences and tables.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Final

from website import api

PathOf = Callable[[str], str]
"""A function from a name as a docstring writes it to the path that the reference documents, "" for none."""

_ROLE: Final = re.compile(r":(\w+):`(~?)([^`]+)`")
_RULE: Final = re.compile(r"\s*=+( +=+)+\s*")


def as_markdown(text: str, path_of: PathOf = lambda name: api.paths().get(name, "")) -> str:
    """Return a docstring as Markdown; *path_of* finds what its roles name."""
    lines = inspect.cleandoc(text).split("\n")
    return "\n".join(_blocks(lines, path_of))


def _blocks(lines: list[str], path_of: PathOf) -> Iterator[str]:
    position = 0
    while position < len(lines):
        line = lines[position]
        indent = len(line) - len(line.lstrip())
        if line.lstrip().startswith(">>> "):
            end = next((at for at in range(position, len(lines)) if not lines[at].strip()), len(lines))
            yield from _fenced(lines[position:end], "pycon", indent)
            position = end
        elif _RULE.fullmatch(line):
            end = next((at for at in range(position, len(lines)) if not lines[at].strip()), len(lines))
            yield from _table(lines[position:end], path_of)
            position = end
        elif line.rstrip().endswith("::"):
            yield _prose(line.rstrip().removesuffix("::").rstrip() + (":" if line.strip() != "::" else ""), path_of)
            start = position + 1
            while start < len(lines) and not lines[start].strip():
                start += 1
            end = _end(lines, start, " " * (indent + 1))
            yield ""
            yield from _fenced(lines[start:end], "", indent)
            yield ""
            position = end
        else:
            yield _prose(line, path_of)
            position += 1


def _end(lines: list[str], start: int, inside: str) -> int:
    """Return where the block ends that begins at *start*: at the first line that does not begin with *inside*."""
    outside = (at for at in range(start, len(lines)) if lines[at].strip() and not lines[at].startswith(inside))
    return next(outside, len(lines))


def _fenced(lines: list[str], language: str, indent: int) -> Iterator[str]:
    """Yield *lines* as a fenced block; without a *language* it is Python's where it parses, and else none."""
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    code = inspect.cleandoc("\n".join(lines))
    if not language:
        language = "python"
        try:
            ast.parse(code)
        except SyntaxError:
            language = "text"
    yield from (f"{' ' * indent}{line}".rstrip() for line in (f"```{language}", *code.split("\n"), "```"))


def _table(lines: list[str], path_of: PathOf) -> Iterator[str]:
    """Yield a simple table of reStructuredText, whose columns the rules of "=" give, as one of Markdown."""
    starts = [found.start() for found in re.finditer("=+", lines[0])]
    cells = [
        [line[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=True)]
        for line in lines
        if not _RULE.fullmatch(line)
    ]
    heads = cells.pop(0) if len([line for line in lines if _RULE.fullmatch(line)]) > 2 else [""] * len(starts)
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(starts) + "|"
    for first, *others in cells:
        # The first column has names: links, where the reference has them.
        names = re.sub(r"``(\w+)``", lambda found: _named(found[1], path_of), first)
        yield f"| {' | '.join((names, *(_prose(cell, path_of) for cell in others)))} |"


def _named(name: str, path_of: PathOf) -> str:
    path = path_of(name)
    return f"[`{name}`][{path}]" if path else f"`{name}`"


def _prose(line: str, path_of: PathOf) -> str:
    """Return a line of text with links for roles, and without what Markdown would take for a tag."""
    parts = re.split(r"(``.+?``|:\w+:`[^`]+`|`[^`]+`)", line)
    for at, part in enumerate(parts):
        role = _ROLE.fullmatch(part)
        if role:
            parts[at] = _link(role[3], bool(role[2]), path_of)
        elif at % 2 == 0:
            # "[package][version]" would be a reference to "version".
            parts[at] = re.sub(r"<(?=[A-Za-z/!])", "&lt;", part).replace("][", r"]\[")
    return "".join(parts)


def _link(target: str, short: bool, path_of: PathOf) -> str:
    """Return a link to what a role names, or its name as code where the reference has no entry for it."""
    target = target.removesuffix("()")
    shown = target.rpartition(".")[2] if short or target.startswith(".") else target
    path = path_of(target)
    return f"[`{shown}`][{path}]" if path else f"`{shown}`"
