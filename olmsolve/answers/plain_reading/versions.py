"""Versions (Semantic Versioning 2.0.0) and the ranges of classic OLM, compared one by one.

A range is alternatives between ``||``; each is comparisons that must all hold. Nothing is made of it but a list: a
version is in the range where all comparisons of some alternative hold.
"""

from __future__ import annotations

import re
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._patterns import pattern

# The grammar at the end of semver.org; numbers have no leading zero.
_NUMBER: Final = r"(0|[1-9][0-9]*)"
_IDENTIFIERS: Final = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_VERSION: Final = pattern(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_IDENTIFIERS}))?(?:\+({_IDENTIFIERS}))?")
# OLM keeps numbers in 64 bits.
_DIGITS: Final = 20
_GREATEST: Final = 2**64 - 1
_GREATEST_SIGNED: Final = 2**63 - 1
_SPACES: Final = " \t\n\v\f\r\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_AROUND: Final = pattern(rf"[{_SPACES}]*(.*?)[{_SPACES}]*", re.DOTALL)
_COUNTED: Final = pattern(r"[+-]?[0-9]+")


@attrs.frozen
class PlainVersion:
    """A version; ``str()`` is its canonical text. Comparisons ignore build metadata."""

    numbers: tuple[int, int, int]
    prerelease: tuple[str, ...] = ()
    build: tuple[str, ...] = attrs.field(default=(), eq=False)

    @classmethod
    def strict(cls, text: object) -> PlainVersion | None:
        """Return the version of *text* as Semantic Versioning has it; None for a text without a version."""
        match = _VERSION.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            return None
        prerelease = tuple(match[4].split(".")) if match[4] else ()
        counted = [match[1], match[2], match[3], *filter(str.isdigit, prerelease)]
        if any(len(number) > _DIGITS or int(number) > _GREATEST for number in counted):
            return None
        if any(identifier.isdigit() and len(identifier) > 1 and identifier[0] == "0" for identifier in prerelease):
            return None
        build = tuple(match[5].split(".")) if match[5] else ()
        return cls((int(match[1]), int(match[2]), int(match[3])), prerelease, build)

    @classmethod
    def tolerant(cls, text: object) -> PlainVersion | None:
        """Return the version of *text*, which may begin with "v" and zeros, and have fewer than three numbers."""
        if not isinstance(text, str):
            return None
        around = _AROUND.fullmatch(text)
        assert around is not None
        parts = around[1].removeprefix("v").split(".", 2)
        for position, part in enumerate(parts):
            digits = part.lstrip("0")
            if len(part) > 1:
                parts[position] = digits if digits[:1].isascii() and digits[:1].isdigit() else f"0{digits}"
        if len(parts) < 3:
            if "+" in parts[-1] or "-" in parts[-1]:
                return None
            parts += ["0"] * (3 - len(parts))
        return cls.strict(".".join(parts))

    def __str__(self) -> str:
        text = ".".join(map(str, self.numbers))
        text += f"-{'.'.join(self.prerelease)}" if self.prerelease else ""
        return text + (f"+{'.'.join(self.build)}" if self.build else "")


def order(one: PlainVersion, other: PlainVersion) -> int:
    """Return -1, 0 or 1 if *one* is lower than, equal to or higher than *other* (semver.org, 11)."""
    for left, right in zip(one.numbers, other.numbers, strict=True):
        if left != right:
            return -1 if left < right else 1
    if not one.prerelease or not other.prerelease:
        # A pre-release is before its release.
        return bool(other.prerelease) - bool(one.prerelease)
    for name, rival in zip(one.prerelease, other.prerelease, strict=False):
        if name == rival:
            continue
        if name.isdigit() and rival.isdigit():
            return -1 if int(name) < int(rival) else 1
        if name.isdigit() or rival.isdigit():
            return -1 if name.isdigit() else 1
        return -1 if name < rival else 1
    return (len(one.prerelease) > len(other.prerelease)) - (len(one.prerelease) < len(other.prerelease))


_HOLDS: Final = {
    "": lambda sign: sign == 0,
    "=": lambda sign: sign == 0,
    "==": lambda sign: sign == 0,
    "!": lambda sign: sign != 0,
    "!=": lambda sign: sign != 0,
    ">": lambda sign: sign > 0,
    ">=": lambda sign: sign >= 0,
    "<": lambda sign: sign < 0,
    "<=": lambda sign: sign <= 0,
}


@attrs.frozen
class PlainRange:
    """A range of versions; ranges are equal by their text."""

    text: str
    alternatives: tuple[tuple[tuple[str, PlainVersion], ...], ...] = attrs.field(eq=False, repr=False)

    @classmethod
    def read(cls, text: str) -> PlainRange | None:
        """Return the range that *text* states; None for a text without a range."""
        alternatives: list[list[str]] = [[]]
        for term in checked(_terms(text), every=256):
            if term != "||":
                alternatives[-1].append(term)
            elif alternatives[-1]:
                alternatives.append([])
            else:
                return None
        if not alternatives[-1]:
            return None
        read = [
            [_comparison(comparison) for term in terms for comparison in _without_x(term)]
            for terms in checked(alternatives, every=64)
        ]
        comparisons = tuple(tuple(comparison for comparison in terms if comparison is not None) for terms in read)
        return None if any(None in terms for terms in read) else cls(text, comparisons)

    def contains(self, version: PlainVersion) -> bool:
        """Return whether *version* is in the range."""
        alternatives = checked(self.alternatives, every=256)
        return any(all(_HOLDS[sign](order(version, bound)) for sign, bound in terms) for terms in alternatives)

    def __str__(self) -> str:
        return self.text


def _terms(text: str) -> list[str]:
    """Return the terms between spaces; spaces after a comparator belong to its term. A term of one byte is dropped."""
    terms: list[str] = []
    term = ""
    last = ""
    for character in checked(text, every=4096):
        if character == " " and last not in tuple("<>="):
            terms.append(term)
            term = ""
        else:
            term += character
        if character != " ":
            last = character
    return [part.replace(" ", "") for part in (*terms, term) if len(part.encode("utf-8", "surrogatepass")) > 1]


def _split(term: str) -> tuple[str, str] | None:
    """Return the sign of *term* and its version, which begins at the first digit; None without a digit."""
    first = next((position for position, character in enumerate(term) if character.isdecimal()), None)
    if first is None:
        return None
    around = _AROUND.fullmatch(term[:first])
    assert around is not None
    return around[1], term[first:]


def _comparison(term: str) -> tuple[str, PlainVersion] | None:
    parts = _split(term)
    version = None if parts is None else PlainVersion.strict(parts[1])
    return None if parts is None or version is None or parts[0] not in _HOLDS else (parts[0], version)


def _without_x(term: str) -> list[str]:
    """Return *term*, or the terms that stand for its x: ``1.x`` is ``>=1.0.0`` and ``<2.0.0``, ``<=1.x`` ``<2.0.0``.

    An x counts where it is the second or third number. OLM works on text, so that ``1.x.x`` is read as ``1.0.x``, and
    what cannot be counted up leaves a sign alone, which is no term.
    """
    if "x" not in term:
        return [term]
    parts = _split(term)
    if parts is None:
        return [""]
    sign, version = parts
    start = version.replace(".x.x", ".x", 1).replace(".x", ".0", 1)
    start += ".0" if start.count(".") == 1 else ""
    numbers = version.split(".")
    end = ""
    if numbers[-1] == "x" and len(numbers) in (2, 3):
        end = _next(start, len(numbers) - 2)
    meanings = {
        "": [f">={start}", f"<{end}"],
        "=": [f">={start}", f"<{end}"],
        "==": [f">={start}", f"<{end}"],
        "!": [f"<{start}", f">={end}"],
        "!=": [f"<{start}", f">={end}"],
        ">": [f">={end}"],
        ">=": [f">={start}"],
        "<": [f"<{start}"],
        "<=": [f"<{end}"],
    }
    # Anything else before the version is ignored.
    return meanings.get(sign, [start])


def _next(version: str, place: int) -> str:
    """Return *version* with the number at *place* counted up, "" where it is no number of 64 bits."""
    numbers = version.split(".")
    if not _COUNTED.fullmatch(numbers[place]) or len(numbers[place].lstrip("+-0")) > _DIGITS:
        return ""
    number = int(numbers[place])
    if not -_GREATEST_SIGNED - 1 <= number <= _GREATEST_SIGNED:
        return ""
    numbers[place] = str(number + 1 if number < _GREATEST_SIGNED else -_GREATEST_SIGNED - 1)
    return ".".join(numbers)
