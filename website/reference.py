"""All generated pages: the reference, and the files from outside of docs/ that are pages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from website import api, codes, commands, repository, schemas


@cache
def pages() -> Mapping[str, str]:
    """Return the text of every generated file by its path below docs/, in the order of the navigation."""
    found: dict[str, str] = {}
    for make in (commands.pages, schemas.pages, codes.pages, api.pages, repository.pages):
        found.update(make())
    return found


def contents() -> str:
    """Return the end of docs/reference/index.md on the site: links to generated pages, which the repository has not."""
    return """\
## On this site

- [Commands](commands/index.md), by what they are for, and [exit codes](exit-codes.md)
- [Python](python/index.md), by module and subject: [every public name](python/names.md) with its use, and pages of
  the main classes
- [JSON documents](schemas/index.md), with their schemas as files, and the [parts](schemas/parts.md) that they share
- [Finding codes](findings.md) of `validate`, `lint`, `audit` and `fuzz`, with what to do about each
- [Topics](topics.md), as `olmsolve help` explains them
"""
