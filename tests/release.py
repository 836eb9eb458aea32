"""``python -m tests.release TAG``: whether the source is what the tag says; prints the release's notes."""

from __future__ import annotations

import re
import sys

from olmsolve import __version__
from tests.api.changes import CHANGELOG, RELEASED, unreleased


def notes(changelog: str, version: str) -> str:
    """Return the notes of *version*. Raises ValueError where there are none."""
    match = re.search(rf"^## {re.escape(version)}(?: [^\n]*)?\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if match is None or not match[1].strip():
        raise ValueError(f"CHANGELOG.md has no notes of {version}")
    # The page of a release stands outside of the repository, so its links name the tag.
    address = f"https://github.com/olmsolve/olmsolve/blob/v{version}/"
    return re.sub(r"\]\((?!https?:|#)", f"]({address}", match[1].strip())


def faults(tag: str, changelog: str) -> list[str]:
    """Return what keeps the source from being released under *tag*."""
    messages = []
    if tag != f"v{__version__}":
        messages.append(f"the tag is {tag}, and the version of the source {__version__}")
    if unreleased(changelog).strip():
        messages.append('CHANGELOG.md has notes under "Unreleased": move them to the version')
    if not re.search(rf"^## {re.escape(__version__)} \(\d{{4}}-\d\d-\d\d\)$", changelog, re.MULTILINE):
        messages.append(f"CHANGELOG.md does not date {__version__}: ## {__version__} (YYYY-MM-DD)")
    if not RELEASED.read_text("utf-8").startswith(f"# The public API of olmsolve {__version__},"):
        messages.append("tests/api/released.txt is of another version: python -m tests.api --released")
    return messages


def main() -> None:
    """Print the notes, or end with what is wrong."""
    (tag,) = sys.argv[1:]
    changelog = CHANGELOG.read_text("utf-8")
    if messages := faults(tag, changelog):
        sys.exit("\n".join(messages))
    print(notes(changelog, __version__))


if __name__ == "__main__":
    main()
