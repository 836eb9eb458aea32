"""Whether a command printed what its page shows, and the difference as people read it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

__all__ = ["difference", "is_shown"]


def is_shown(shown: Sequence[str], printed: Sequence[str]) -> bool:
    """Return whether the lines *shown* stand for *printed*: three dots for any text of a line, alone for any lines."""
    pattern = "".join(r"(?:[^\n]*\n)*" if line.strip() == "..." else _line(line) + r"\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def _line(shown: str) -> str:
    return "[^\n]*".join(map(re.escape, shown.split("...")))


def difference(shown: Sequence[str], printed: Sequence[str]) -> str:
    """Return a diff from the lines *shown* to *printed*; a line that dots make equal is no difference."""
    patterns = [(line, re.compile(_line(line))) for line in shown if "..." in line and line.strip() != "..."]
    as_shown = [
        next((line for line, pattern in patterns if pattern.fullmatch(line_printed)), line_printed)
        for line_printed in printed
    ]
    return "\n".join(difflib.unified_diff(shown, as_shown, "page", "printed", n=2, lineterm=""))
