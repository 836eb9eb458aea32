"""All generated pages: the reference, and the pages that stand at the root of the repository."""

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
