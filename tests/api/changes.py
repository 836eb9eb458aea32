"""How the public API differs from that of the last release, and which changes CHANGELOG.md names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
RELEASED: Final = Path(__file__).parent / "released.txt"
CHANGELOG: Final = ROOT / "CHANGELOG.md"


class Change(NamedTuple):
    """What happened to a public name; *before* and *after* are its lines, None where there is none."""

    path: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        if self.before is None:
            return f"new      {self.path}: {self.after}"
        if self.after is None:
            return f"gone     {self.path}: {self.before}"
        return f"changed  {self.path}\n    was {self.before}\n    is  {self.after}"


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[Change]:
    """Return the changes from *before* to *after*; what came or went with its class or room is not listed beside it."""
    all_changes = [
        Change(path, before.get(path), after.get(path))
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    ]
    whole = {change.path for change in all_changes if None in (change.before, change.after)}
    return [change for change in all_changes if change.path.rpartition(".")[0] not in whole]


def unnamed(all_changes: list[Change], notes: str) -> list[Change]:
    """Return the changes that *notes* do not name: each needs the last part of its path, inside of backticks."""
    words = {word for quoted in re.findall(r"`([^`]+)`", notes) for word in re.findall(r"\w+", quoted)}
    # A constructor is called by the name of its class.
    named = (change.path.removesuffix(".__init__").rpartition(".")[2] for change in all_changes)
    return [change for change, name in zip(all_changes, named, strict=True) if name not in words]


def unreleased(changelog: str) -> str:
    """Return the notes below the heading "Unreleased". Raises ValueError without this heading."""
    _, heading, rest = changelog.partition("\n## Unreleased\n")
    if not heading:
        raise ValueError('CHANGELOG.md has no heading "## Unreleased"')
    return re.split(r"^## ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def released() -> dict[str, str]:
    """Return the public API of the last release."""
    lines = RELEASED.read_text("utf-8").splitlines()
    return {path: text for path, _, text in (line.partition(": ") for line in lines if not line.startswith("#"))}


def write_released(api: Mapping[str, str], version: str) -> None:
    """Write *api* as that of the release *version*."""
    head = f"# The public API of olmsolve {version}, written by python -m tests.api\n"
    RELEASED.write_text(head + "".join(f"{path}: {text}\n" for path, text in api.items()), "utf-8")
