"""Texts near those that parsers meet: seeds, cut up, spliced, repeated and sprinkled with tokens."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final

__all__ = ["LONGEST", "ByteMutator", "Mutator", "shrunk"]

LONGEST: Final = 64 * 1024
"""The length of the longest input, in characters: the size limit of a constraint."""

_SHORT: Final = 200
_CORPUS: Final = 2000
# What parsers treat specially and people do not type: ends of ranges, scripts, halves of characters.
_ODD: Final = (
    "\0", "\t", "\n", "\r", "\x1c", "\x7f", "\x85", "\xa0", "é", "²", "٣", "\u2028", "\ud800", "\udfff", "日", "𝟙",
    "\U0010ffff", "0", "00", "9", "18446744073709551615", "18446744073709551616", "9223372036854775807",
    "-9223372036854775808", "1e400", "'", '"', "\\", "`", "#", "%", "$", "@", ";", "//",
)  # fmt: skip


class Mutator:
    """An endless source of texts. The same *seed* gives the same texts for the same calls of :meth:`learn`."""

    def __init__(self, seed: str, seeds: Sequence[str], tokens: Sequence[str]) -> None:
        self._random = random.Random(seed)
        self._corpus = list(seeds)
        self._tokens = [*tokens, *_ODD]
        self._steps: tuple[Callable[[str], str], ...] = (
            self._insert, self._insert, self._insert, self._delete, self._delete, self._replace, self._replace,
            self._duplicate, self._splice, self._swap, self._number,
        )  # fmt: skip

    def short(self) -> str:
        """Return a text of some hundred characters at most."""
        text = self._random.choice(self._corpus)
        for _ in range(self._random.choice((1, 1, 1, 2, 2, 3, 5, 8))):
            text = self._random.choice(self._steps)(text)
        return text[:_SHORT]

    def long(self) -> str:
        """Return a text of up to 64 KiB in which a few short ones repeat, which exposes quadratic time."""
        draw = self._random
        unit = draw.choice((self.short, self._token, self._pair))() or "a"
        unit = unit[: draw.choice((1, 2, 8, _SHORT))]
        before = draw.choice(("", self.short(), self._token()))
        after = draw.choice(("", self.short(), self._token()))
        room = draw.choice((LONGEST, LONGEST, LONGEST // 4, 2000)) - len(before) - len(after)
        text = before + unit * (room // len(unit)) + after
        if draw.random() < 0.3:
            # Brackets open first and close later.
            text = before + unit * (room // len(unit) // 2) + after + self._token() * (room // len(unit) // 2)
        return text[:LONGEST]

    def learn(self, text: str) -> None:
        """Take *text*, whose outcome was a new one, for a seed."""
        if len(text) > _SHORT:
            return
        if len(self._corpus) < _CORPUS:
            self._corpus.append(text)
        else:
            self._corpus[self._random.randrange(_CORPUS)] = text

    def _token(self) -> str:
        return self._random.choice(self._tokens)

    def _pair(self) -> str:
        return self._token() + self._token()

    def _place(self, text: str) -> int:
        return int(self._random.random() * (len(text) + 1))

    def _slice(self, text: str) -> tuple[int, int]:
        start = self._place(text)
        return start, start + self._random.choice((1, 1, 1, 2, 3, 5, 10, 30))

    def _insert(self, text: str) -> str:
        place = self._place(text)
        return text[:place] + self._token() + text[place:]

    def _delete(self, text: str) -> str:
        start, end = self._slice(text)
        return text[:start] + text[end:]

    def _replace(self, text: str) -> str:
        start, end = self._slice(text)
        return text[:start] + self._token() + text[end:]

    def _duplicate(self, text: str) -> str:
        start, end = self._slice(text)
        return text[:end] + text[start:end] * self._random.choice((1, 1, 2, 7)) + text[end:]

    def _splice(self, text: str) -> str:
        other = self._random.choice(self._corpus)
        return text[: self._place(text)] + other[self._place(other) :]

    def _swap(self, text: str) -> str:
        first, second = sorted((self._place(text), self._place(text)))
        middle = (first + second) // 2
        return text[:first] + text[middle:second] + text[first:middle] + text[second:]

    def _number(self, text: str) -> str:
        place = self._place(text)
        return text[:place] + str(self._random.getrandbits(self._random.choice((1, 4, 31, 64, 70)))) + text[place:]


def shrunk(text: str, fails: Callable[[str], bool]) -> str:
    """Return *text* with all parts taken out without which it still *fails*."""
    size = max(1, len(text) // 2)
    while size:
        start = 0
        while start < len(text):
            shorter = text[:start] + text[start + size :]
            if fails(shorter):
                text = shorter
            else:
                start += size
        size //= 2
    return text


class ByteMutator:
    """A *whole* file with a few bytes changed, taken out or repeated; a byte that is no UTF-8 is half a character."""

    def __init__(self, seed: str, whole: bytes) -> None:
        self._random = random.Random(seed)
        self._whole = whole

    def short(self) -> str:
        """Return a file with one to four changes."""
        draw, data = self._random, bytearray(self._whole)
        for _ in range(draw.choice((1, 1, 2, 4))):
            position = draw.randrange(len(data))
            match draw.randrange(3):
                case 0:
                    data[position] = draw.randrange(256)
                case 1:
                    del data[position : position + draw.choice((1, 8, 100))]
                case _:
                    data[position:position] = data[position : position + draw.choice((1, 8))]
        return bytes(data).decode("utf-8", "surrogateescape")

    def long(self) -> str:
        """Return a file like any other: a file does not get longer by itself."""
        return self.short()

    def learn(self, text: str) -> None:
        """Forget *text*: files near the whole one go furthest."""
