"""The navigation: every page has one place in it."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterator
from typing import Any

import yaml

from tests.architecture.wings import PUBLIC_DOORS
from website import api
from website.repository import ROOT, SHOWN

CONFIG = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), yaml.CSafeLoader)


def _entries(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    else:
        for entry in nav.values() if isinstance(nav, dict) else nav:
            yield from _entries(entry)


def test_every_page_has_one_place() -> None:
    """A page that no menu leads to is not read."""
    pages = sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))
    entries = [*_entries(CONFIG["nav"])]
    assert [page for page in pages if not any(fnmatch.fnmatch(page, entry) for entry in entries)] == []
    assert [entry for entry, count in Counter(entries).items() if count > 1] == []


def test_the_kinds_of_pages() -> None:
    """Somebody who learns, does, looks up or wants to understand goes to another part each."""
    titles = [*map(str, (title for part in CONFIG["nav"] for title in part))]
    assert titles == ["Home", "Tutorial", "How-to guides", "Reference", "Explanation", "Project"]


def test_the_python_reference_is_as_long_as_there_are_wings() -> None:
    """Forty names below each other are not read; each page has one place, and its title is what programs import."""
    navigation = api.navigation()
    assert len(navigation) <= len({door.split(".")[1] for door in PUBLIC_DOORS[1:]}) + 3
    entries = [*_entries(navigation)]
    pages = [path for path, _ in api.pages() if path != f"{api.FOLDER}/index.md"]
    assert sorted(entries) == sorted(pages)
    names, facade, *doors = navigation
    assert ([*names], [*facade]) == (["All names"], ["olmsolve"])
    titled = [pair for door in doors for pair in _titled(door)]
    assert [pair for pair in titled if pair[1] != f"{api.FOLDER}/olmsolve.{pair[0]}.md"] == []


def _titled(nav: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for title, inside in nav.items():
        if isinstance(inside, str):
            yield title, inside
        else:
            for entry in inside:
                yield from _titled(entry)


def test_pages_from_outside_are_there() -> None:
    """A file that was renamed would silently leave the site."""
    assert [source for source in SHOWN if not (ROOT / source).is_file()] == []
