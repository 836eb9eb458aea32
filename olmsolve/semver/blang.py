"""Version ranges as blang/semver v4 reads them: the ranges of classic OLM, and every ``skipRange``.

A range is alternatives separated by ``||``, each a list of terms that must all hold, separated by spaces.
A term is a comparator (``=`` ``==`` ``!=`` ``!`` ``>`` ``>=`` ``<`` ``<=``, or none for equality) and a
version, where a trailing ``x`` (``1.x``, ``1.2.x``) stands for the numbers left out. Pre-releases are
ordinary versions: ``<1.0.0`` contains ``1.0.0-rc.1``.

Upstream rewrites wildcards as text, and silently drops some tokens. This module gives the same results, and says in
``BlangRange.warnings`` where they differ from what the text seems to say. Ranges on which upstream would crash are
refused.

A text goes through four steps, each a function below::

    "1.x || >3.0.0"
    _tokens              [["1.x"], [">3.0.0"]]
    _without_wildcards   [[">=1.0.0", "<2.0.0"], [">3.0.0"]]
    _comparison          [[(">=", key), ("<", key)], [(">", key)]]
    _any_of              cuts

Ordinary texts take a short cut over the first two steps (``_ordinary_alternatives``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final, Self, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._arguments import must_be
from olmsolve._limits import check, checked
from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.errors import RangeError, VersionError
from olmsolve.semver.intervals import (
    BOTTOM,
    TOP,
    Cuts,
    Interval,
    after,
    first_prerelease,
    first_release,
    intervals,
    spans,
    union,
    without,
)
from olmsolve.semver.quoting import quote
from olmsolve.semver.version import SPACES, Key, Version

# Characters of a range between two looks at the limits: no real range has as many, so that none looks.
_LONG: Final = 4096

# A space after a comparator stays inside the token: "> 1.0.0" is one.
_TOKEN: Final = pattern(r"(?:[<>=] *|[^ <>=])+")
_SIMPLE_TERM: Final = pattern(r"(?:((?:==?|!=|[<>]=?) *|!?)([0-9][0-9A-Za-wyz.-]*)|\|\|)(?: +|\Z)")
# Upstream looks for unicode.IsDigit: \d, which has the digits of all scripts, as well.
_FIRST_DIGIT: Final = pattern(r"\d")
_WILDCARD: Final = pattern(r"[^.x]*(?:\.[^.x]*)?\.x|[^.x]*\.x\.x")
_COMPARATORS: Final = frozenset(["", "=", "==", "!", "!=", ">", ">=", "<", "<="])
# At most 19 digits: more cannot be a number of 64 bits, and int() of a long text takes quadratic time.
_INTEGER: Final = pattern(r"([+-]?)0*([0-9]{1,19})")
_MAX_INT64: Final = 2**63 - 1


@attrs.frozen
class BlangRange:
    """A set of versions, written in blang's grammar. Ranges are equal, and hash, by their text.

    ``cuts`` is the set in the form of :mod:`olmsolve.semver.intervals`: bisecting sorted keys at each cut finds where
    the versions of the range begin and end. Each of ``warnings`` is a sentence about a part of the text that upstream
    silently reads differently from how it looks.

    >>> wanted = BlangRange.parse(">=1.0.0 <2.0.0 !=1.5.0")
    >>> Version.parse("1.4.0") in wanted, Version.parse("1.5.0") in wanted
    (True, False)
    >>> [str(interval) for interval in wanted.intervals]
    ['>=1.0.0 <1.5.0', '>1.5.0 <2.0.0']
    """

    text: str
    cuts: Cuts = attrs.field(eq=False, repr=False)
    warnings: tuple[str, ...] = attrs.field(eq=False, repr=False)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read *text* as a range. Raises :class:`~olmsolve.errors.RangeError`, worded as OLM words it."""
        try:
            groups = _ordinary_alternatives(text)
        # The expression refuses what is no text by itself; a look beforehand would take 0.4 of 2.2 µs.
        except TypeError:
            must_be(text, "str", "text")
            raise
        if groups is not None:
            return cls(text, _any_of(groups), ())
        must_be(text, "str", "text")
        # Upstream's way, with everything that it drops or rewrites.
        warnings: list[str] = []
        tokens, bars = _tokens(text, warnings)
        terms = [
            [term for token in group for term in _without_wildcards(text, token, warnings)]
            for group in checked(tokens, every=64)
        ]
        groups = [[_comparison(text, term) for term in group] for group in checked(terms, every=64)]
        for group, bar in zip(groups[1:], bars, strict=True):
            if not group:
                raise RangeError(text, "nothing between '||' and '||' (OLM crashes on such a range)", bar)
        return cls(text, _any_of(groups), tuple(dict.fromkeys(warnings)))

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """The range as disjoint, ascending intervals; () where no version is in the range."""
        return intervals(self.cuts)

    @property
    def is_empty(self) -> bool:
        """Whether no version at all can be in the range."""
        # Two cuts can enclose nothing: between 1.0.0-0 and 1.0.0-0.0 there is no version.
        return all(min(first_release(start), first_prerelease(start)) >= end for start, end in spans(self.cuts))

    def contains_key(self, key: Key) -> bool:
        """Return True if the version with this :attr:`Version.key` is in the range."""
        # An odd number of cuts below the key: the last of them begins a part of the set.
        return bisect_right(self.cuts, key) % 2 == 1

    def __contains__(self, version: object) -> bool:
        """Return True if *version* is in the range; anything that :meth:`Version.of` takes."""
        key = version.key if isinstance(version, Version) else Version.of(version).key
        return bisect_right(self.cuts, key) % 2 == 1

    def __str__(self) -> str:
        return self.text


_Comparison: TypeAlias = tuple[str, Key]
"""A comparator and the key of the version to compare with."""


class _RangeToken(NamedTuple):
    """A piece of a range, and where in the range it begins (0-based)."""

    text: str
    position: int


def _ordinary_alternatives(text: str) -> list[list[_Comparison]] | None:
    """Return the comparisons of each alternative, or None where *text* has a wildcard or any other peculiarity."""
    # Nearly all ranges of real catalogs are ordinary: one expression reads ">=1.2.0 <2.0.0" in 2.2 µs, where the four
    # steps take 5.7.
    groups: list[list[_Comparison]] = [[]]
    position, looked = 0, 0
    while position < len(text):
        if position - looked > _LONG:
            check()
            looked = position
        match = _SIMPLE_TERM.match(text, position)
        if match is None:
            return None
        comparator, version = match.groups()
        if version is None:
            groups.append([])
        else:
            try:
                groups[-1].append((comparator.rstrip(), Version.parse(version).key))
            except VersionError:
                return None
        position = match.end()
    return groups if all(groups) else None


def _tokens(text: str, warnings: list[str]) -> tuple[list[list[_RangeToken]], list[int]]:
    """Split *text* at its bars; return the tokens of each alternative, and the position of each bar."""
    groups: list[list[_RangeToken]] = [[]]
    bars: list[int] = []
    for match in checked(_TOKEN.finditer(text), every=256):
        raw = match[0]
        if len(raw) == 1 and raw.isascii():
            warnings.append(f"{quote(raw)} is ignored, as is every token of one character")
        elif raw == "||":
            if not bars and not groups[0]:
                raise RangeError(text, "First element in range is '||'", match.start())
            bars.append(match.start())
            groups.append([])
        else:
            groups[-1].append(_RangeToken(raw.replace(" ", ""), match.start()))
    if not groups[-1]:
        raise RangeError(text, "Last element in range is '||'", bars[-1] if bars else 0)
    return groups, bars


def _without_wildcards(text: str, token: _RangeToken, warnings: list[str]) -> Iterator[_RangeToken]:
    """Write *token* as one or two terms without wildcards, as upstream does: ``1.x`` is ``>=1.0.0 <2.0.0``.

    Upstream takes the letter x anywhere, build metadata included, for a wildcard, and works on text: a part that is
    not a number cannot be counted up and leaves a comparator without a version, which :func:`_comparison` refuses.
    """
    if "+" in token.text:
        warnings.append(f"the build metadata of {quote(token.text)} is ignored")
    if "x" not in token.text:
        yield token
        return
    comparator, version = _split(text, token)
    start = version.replace(".x.x", ".x", 1).replace(".x", ".0", 1)
    if start.count(".") == 1:
        start += ".0"
    if ".x" in version and not _WILDCARD.fullmatch(version):
        warnings.append(f"the x in {quote(token.text)} is read as 0")
    if version.endswith(".x.x"):
        warnings.append(f"{quote(token.text)} is read as {comparator}{start[:-1]}x")
    if comparator in (">", "<="):
        yield token._replace(text=(">=" if comparator == ">" else "<") + _counted_up(version, start))
    elif comparator in ("", "=", "=="):
        yield token._replace(text=">=" + start)
        yield token._replace(text="<" + _counted_up(version, start))
    elif comparator in ("!", "!="):
        warnings.append(f"{quote(token.text)} contains no version: it is read as below and above it at once")
        yield token._replace(text="<" + start)
        yield token._replace(text=">=" + _counted_up(version, start))
    elif comparator in (">=", "<"):
        yield token._replace(text=comparator + start)
    else:
        warnings.append(f"{quote(comparator)} in {quote(token.text)} is ignored: it is read as ={start}")
        yield token._replace(text=start)


def _counted_up(version: str, start: str) -> str:
    """Return *start* with the number before the wildcard of *version* counted up; "" if that is impossible."""
    parts = version.split(".")
    # 1.x.x counts as a wildcard of the patch number, so only the minor number goes up.
    counted = len(parts) - 2
    if parts[-1] != "x" or counted not in (0, 1):
        return ""
    numbers = start.split(".")
    match = _INTEGER.fullmatch(numbers[counted])
    if match is None or int(match[2]) > _MAX_INT64:
        return ""
    number = int(match[1] + match[2]) + 1
    # Upstream counts in 64 bits with a sign: the number after the greatest is the lowest.
    numbers[counted] = str(number if number <= _MAX_INT64 else -number)
    return ".".join(numbers)


def _split(text: str, token: _RangeToken) -> tuple[str, str]:
    """Split *token* into its comparator and its version, before the first digit. Raises RangeError for none."""
    match = _FIRST_DIGIT.search(token.text)
    if match is None:
        reason = f"Could not get version from string: {quote(token.text)}"
        raise RangeError(text, reason, token.position)
    return token.text[: match.start()].strip(SPACES), token.text[match.start() :]


def _comparison(text: str, term: _RangeToken) -> _Comparison:
    """Read *term* of the range *text*. Raises RangeError with the position in *text*."""
    comparator, version = _split(text, term)
    if comparator not in _COMPARATORS:
        where = quote(comparator + version)
        reason = f"Could not parse comparator {quote(comparator)} in {where}"
        raise RangeError(text, f"Could not parse Range {quote(term.text)}: {reason}", term.position)
    try:
        return comparator, Version.parse(version).key
    except VersionError as error:
        where = quote(comparator + version)
        reason = f"Could not parse version {quote(version)} in {where}: {error.reason}"
        position = text.find(version, term.position)
        position = term.position if position < 0 else position + error.position
        raise RangeError(text, f"Could not parse Range {quote(term.text)}: {reason}", position) from None


def _any_of(groups: list[list[_Comparison]]) -> Cuts:
    # Nearly all ranges have one alternative, which needs no union: 0.44 instead of 0.71 µs.
    return _all_of(groups[0]) if len(groups) == 1 else union(map(_all_of, checked(groups, every=256)))


def _all_of(comparisons: Iterable[_Comparison]) -> Cuts:
    """Return the versions that fulfil every comparison: one interval, less a hole for each ``!=``."""
    start, end = BOTTOM, TOP
    holes: list[tuple[Key, Key]] = []
    for comparator, key in comparisons:
        if comparator in ("!", "!="):
            holes.append((key, after(key)))
            continue
        # "=" and a version alone narrow both sides.
        if comparator[:1] != "<":
            start = max(start, after(key) if comparator == ">" else key)
        if comparator[:1] != ">":
            end = min(end, key if comparator == "<" else after(key))
    if holes:
        return without(start, end, holes)
    return (start, end) if start < end else ()
