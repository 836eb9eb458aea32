"""Words to choose from: what is not among them ends with the nearest one, where argparse would list them all."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the one of *names* that looks most like *name*, "" if none does."""
    from olmsolve._near_names import similar_names  # few calls need it, and help should not wait for it

    return next(iter(similar_names(name, names)), "")


def meant(near: Sequence[str]) -> str:
    """Return the end of a message that asks whether the names *near* were meant, "" if all are empty."""
    names = " or ".join(dict.fromkeys(filter(None, near)))
    return f" (did you mean {names}?)" if names else ""


def invalid_choice(name: str, names: Sequence[str]) -> str:
    """Return the message about *name*, which is none of *names*: with the nearest of them, or all."""
    known = ", ".join(map(repr, names))
    return f"invalid choice: {name!r}{meant([nearest(name, names)]) or f' (choose from {known})'}"


def one_of(names: Sequence[str]) -> Callable[[str], str]:
    """Return a type for argparse that takes one of *names*; ``choices`` beside it shows them in help texts."""

    def chosen(name: str) -> str:
        if name not in names:
            raise argparse.ArgumentTypeError(invalid_choice(name, names))
        return name

    return chosen
