"""Values as notebooks and terminals show them: by the pages and texts of ``olmsolve.render``.

That room stands above the rooms of the values, so a value knows no page. It looks here when IPython or rich asks it,
and no program loads a page that shows none.
"""

from __future__ import annotations

import importlib
from typing import Any, Final

_ROOM: Final = "olmsolve.render.notebook"


def counted(count: int, noun: str) -> str:
    """Return *count* and *noun*, in the plural unless *count* is 1: ``1 bundle``, ``1,200 bundles``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


class Displayed:
    """The base of values that notebooks and rich consoles show as pictures or texts, where there is one."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """Return the picture of the value for a notebook; None for a value that has none, which IPython then prints."""
        html: str | None = importlib.import_module(_ROOM).html_of(self)
        return html

    def __rich__(self) -> Any:
        """Return what ``rich`` prints: the text for people where the value has one, else its fields."""
        return importlib.import_module(_ROOM).rich_of(self)
