"""Random draws that are the same on every machine and with every version of Python."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

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
