"""Random draws that are the same on every machine and with every version of Python, and what they fill blobs with.

A filling has a given size, and resolution never reads it. Blobs are written as the lines of JSON that are read
quickest.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

_Value = TypeVar("_Value")

_CONSONANTS = "bcdfghklmnprstvz"
_VOWELS = "aeiou"


class Draws:
    """A seeded source of draws, made of ``random.Random.random`` alone.

    Python promises to keep the sequence of ``random()``, and no other method's: ``sample`` and ``gauss`` may change
    between versions. Everything made of it here is arithmetic that IEEE 754 fixes.
    """

    def __init__(self, seed: int) -> None:
        self.fraction: Callable[[], float] = random.Random(seed).random  # noqa: S311 - nothing here is secret

    def below(self, limit: int) -> int:
        """Return an integer from 0 to *limit* - 1, each as likely."""
        return int(self.fraction() * limit)

    def chance(self, likelihood: float) -> bool:
        """Return True with *likelihood* (0 to 1)."""
        return self.fraction() < likelihood

    def one_of(self, values: Sequence[_Value]) -> _Value:
        """Return one of *values*, each as likely."""
        return values[int(self.fraction() * len(values))]

    def distinct(self, first: int, stop: int, count: int) -> list[int]:
        """Return *count* different integers from *first* to *stop* - 1. *count* is at most their number."""
        distinct: dict[int, None] = {}
        while len(distinct) < count:
            distinct[first + self.below(stop - first)] = None
        return list(distinct)

    def bell(self) -> float:
        """Return a number around 0 with standard deviation 1, near a normal distribution.

        It is the sum of three uniform draws, so at most 3 away from 0.
        """
        fraction = self.fraction
        return 2 * (fraction() + fraction() + fraction()) - 3

    def shuffled(self, values: Sequence[_Value]) -> list[_Value]:
        """Return *values* in random order."""
        shuffled = list(values)
        for end in range(len(shuffled) - 1, 0, -1):
            other = self.below(end + 1)
            shuffled[end], shuffled[other] = shuffled[other], shuffled[end]
        return shuffled

    def weighted(self, weights: Sequence[tuple[_Value, float]]) -> _Value:
        """Return one of the values, as likely as its weight beside the sum of all weights."""
        threshold = self.fraction() * sum(weight for _, weight in weights)
        for value, weight in weights:
            threshold -= weight
            if threshold < 0:
                return value
        return weights[-1][0]

    def quantile(self, quantiles: Sequence[float]) -> float:
        """Return a value distributed as *quantiles* say, which are evenly spaced from the least to the largest."""
        return at_quantile(quantiles, self.fraction())

    def word(self, length: int) -> str:
        """Return *length* small letters that can be spoken."""
        # As with one_of, without a call for each letter: catalogs hold megabytes of them.
        fraction, vowels, consonants = self.fraction, len(_VOWELS), len(_CONSONANTS)
        letters = [
            _VOWELS[int(fraction() * vowels)] if number % 2 else _CONSONANTS[int(fraction() * consonants)]
            for number in range(max(1, length))
        ]
        return "".join(letters)


def at_quantile(quantiles: Sequence[float], share: float) -> float:
    """Return the value that the *share* (0 to below 1) of all values is below, between the two nearest *quantiles*."""
    position = share * (len(quantiles) - 1)
    below = int(position)
    return quantiles[below] + (quantiles[below + 1] - quantiles[below]) * (position - below)


_SENTENCES: Final = 30  # kept and used again: real descriptions repeat each other too
_EXAMPLE: Final = {
    "apiVersion": "example.com/v1",
    "kind": "Example",
    "metadata": {"name": "example"},
    "spec": {"size": 3},
}
_WRITTEN_EXAMPLE: Final = json.dumps(_EXAMPLE, indent=1).replace("\n", "\n ")
_COMPACT: Final = json.JSONEncoder(separators=(",", ":"))
_IMAGE: Final = "registry.example.com/operators/related@sha256:" + "0123456789abcdef" * 4


def filled_property(draws: Draws, kind: str, size: int, bundle: str) -> dict[str, Any]:
    """Return a property of *kind* with about *size* bytes of compact JSON, with a value that only *bundle* has."""
    if kind == "olm.maxOpenShiftVersion":
        return {"type": kind, "value": f"4.{8 + draws.below(14)}"}
    if kind == "olm.csv.metadata":
        return {"type": kind, "value": _metadata(draws, size, bundle)}
    return {"type": kind, "value": _text(draws, size - _size({"type": kind, "value": ""}))}


def filled_field(draws: Draws, name: str, size: int) -> Any:
    """Return a value for the field *name* of a blob, with about *size* bytes of compact JSON."""
    if name == "icon":
        empty = {"base64data": "", "mediatype": "image/svg+xml"}
        # Letters alone are base64 too, where their number is a multiple of four.
        return {**empty, "base64data": draws.word(max(4, (size - _size(empty)) // 4 * 4))}
    if name == "relatedImages":
        one = {"name": "", "image": _IMAGE}
        return [{**one, "name": draws.word(8)} for _ in range(max(1, round(size / (_size(one) + 9))))]
    return _text(draws, size - 2)


def _metadata(draws: Draws, size: int, bundle: str) -> dict[str, Any]:
    """Return what a manifest says about itself: half of it examples, which are JSON in a text, half prose."""
    value: dict[str, Any] = {
        "annotations": {"alm-examples": "", "capabilities": "Basic Install", "containerImage": f"example.com/{bundle}"},
        "apiServiceDefinitions": {},
        "description": "",
        "displayName": bundle.partition(".")[0],
        "keywords": [draws.word(7) for _ in range(3)],
        "maintainers": [{"email": "people@example.com", "name": "People"}],
        "provider": {"name": "People"},
    }
    room = max(0, size - _size({"type": "olm.csv.metadata", "value": value}))
    # Quotes and line ends in the text of the examples are escaped in JSON, each with one more byte.
    example = _size(json.dumps(_EXAMPLE, indent=2))
    value["annotations"]["alm-examples"] = _examples(room // 2 // example)
    value["description"] = _text(draws, size - _size({"type": "olm.csv.metadata", "value": value}))
    return value


def _examples(count: int) -> str:
    """Return a JSON list of *count* examples as people write it, with line ends; the text of one is made once."""
    return "[\n " + ",\n ".join([_WRITTEN_EXAMPLE] * count) + "\n]" if count else "[]"


def _text(draws: Draws, size: int) -> str:
    """Return prose of about *size* letters, one sentence a line; long texts repeat sentences."""
    sentences: list[str] = []
    parts: list[str] = []
    length = 0
    while length < size:
        if len(sentences) < _SENTENCES:
            words = [draws.word(2 + draws.below(9)) for _ in range(3 + draws.below(18))]
            sentences.append(" ".join(words) + ".\n")
            part = sentences[-1]
        else:
            part = draws.one_of(sentences)
        parts.append(part)
        length += len(part)
    return "".join(parts)[: max(0, size)].strip()


def _size(value: Any) -> int:
    return len(_COMPACT.encode(value))


def lines(blobs: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield each blob as compact JSON that ends with a line feed; the order of fields is kept.

    >>> list(lines([{"schema": "olm.package", "name": "blue"}]))
    ['{"schema":"olm.package","name":"blue"}\\n']
    """
    for blob in blobs:
        yield json.dumps(blob, separators=(",", ":"), ensure_ascii=False) + "\n"
