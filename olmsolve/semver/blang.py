"""Version ranges as blang/semver v4 reads them: those of classic OLM, and every ``skipRange``.

A range is alternatives separated by ``||``, each a list of terms that must all hold, separated by spaces.
A term is a comparator (``=`` ``==`` ``!=`` ``!`` ``>`` ``>=`` ``<`` ``<=``, or none for equality) and a
version, where a trailing ``x`` (``1.x``, ``1.2.x``) stands for the numbers left out. Pre-releases are
ordinary versions: ``<1.0.0`` contains ``1.0.0-rc.1``.

Upstream rewrites wildcards as text, and drops some tokens without a word; what follows has the same
results, and says in ``BlangRange.warnings`` where these are not what the text seems to say. Ranges on which
upstream would crash are refused.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, Self, TypeAlias

import attrs

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

__all__ = ["BlangRange"]

# A space after a comparator does not end a token.
_TOKEN: Final = re.compile(r"(?:[<>=] *|[^ <>=])+")
_SIMPLE_TERM: Final = re.compile(r"(?:((?:==?|!=|[<>]=?) *|!?)([0-9][0-9A-Za-wyz.-]*)|\|\|)(?: +|\Z)")
_FIRST_DIGIT: Final = re.compile(r"\d")
_WILDCARD: Final = re.compile(r"[^.x]*(?:\.[^.x]*)?\.x|[^.x]*\.x\.x")
_COMPARATORS: Final = frozenset(["", "=", "==", "!", "!=", ">", ">=", "<", "<="])
_INTEGER: Final = re.compile(r"([+-]?)0*([0-9]{1,19})")
_MAX_INT64: Final = 2**63 - 1


@attrs.frozen
class BlangRange:
    """A set of versions. Ranges are equal, and hash, by their text.

    ``cuts`` is the set in the form of :mod:`olmsolve.semver.intervals`: bisecting sorted keys at each cut
    finds where the versions of the range begin and end. ``warnings`` says, in a sentence each, what upstream
    silently reads otherwise than it is written.

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
        """The range that *text* is. Raises :class:`~olmsolve.errors.RangeError`."""
        groups = _simple(text)
        if groups is not None:
            return cls(text, _any_of(groups), ())
        warnings: list[str] = []
        tokens, bars = _alternatives(text, warnings)
        terms = [[term for token in group for term in _expanded(text, token, warnings)] for group in tokens]
        groups = [[_comparison(text, term) for term in group] for group in terms]
        for group, bar in zip(groups[1:], bars, strict=True):
            if not group:
                raise RangeError(text, "nothing between '||' and '||' (OLM crashes on such a range)", bar)
        return cls(text, _any_of(groups), tuple(dict.fromkeys(warnings)))

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """The same set as disjoint intervals, ascending; empty where no version is in the range."""
        return intervals(self.cuts)

    @property
    def is_empty(self) -> bool:
        """Whether no version at all can be in the range."""
        return all(min(first_release(start), first_prerelease(start)) >= end for start, end in spans(self.cuts))

    def contains_key(self, key: Key) -> bool:
        """Whether the version with this :attr:`Version.key` is in the range."""
        return bisect_right(self.cuts, key) % 2 == 1

    def __contains__(self, version: Version) -> bool:
        return bisect_right(self.cuts, version.key) % 2 == 1

    def __str__(self) -> str:
        return self.text


_Comparison: TypeAlias = tuple[str, Key]
"""A comparator and the key of the version to compare with."""


class _RangeToken(NamedTuple):
    text: str
    position: int


def _simple(text: str) -> list[list[_Comparison]] | None:
    """The comparisons of each alternative if nothing in *text* is out of the ordinary, else None.

    Nearly all ranges of real catalogs are of this kind, and reading them so is several times faster.
    """
    groups: list[list[_Comparison]] = [[]]
    position = 0
    while position < len(text):
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


def _alternatives(text: str, warnings: list[str]) -> tuple[list[list[_RangeToken]], list[int]]:
    """The tokens between the bars, and where the bars are."""
    groups: list[list[_RangeToken]] = [[]]
    bars: list[int] = []
    for match in _TOKEN.finditer(text):
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


def _expanded(text: str, token: _RangeToken, warnings: list[str]) -> Iterator[_RangeToken]:
    """The one or two terms without wildcards that *token* stands for.

    Upstream decides by the letter x anywhere, build metadata included, and works on text: what is not a
    number cannot be counted up and leaves a comparator without a version, which is refused later.
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
        yield token._replace(text=(">=" if comparator == ">" else "<") + _next(version, start))
    elif comparator in ("", "=", "=="):
        yield token._replace(text=">=" + start)
        yield token._replace(text="<" + _next(version, start))
    elif comparator in ("!", "!="):
        warnings.append(f"{quote(token.text)} contains no version: it is read as below and above it at once")
        yield token._replace(text="<" + start)
        yield token._replace(text=">=" + _next(version, start))
    elif comparator in (">=", "<"):
        yield token._replace(text=comparator + start)
    else:
        warnings.append(f"{quote(comparator)} in {quote(token.text)} is ignored: it is read as ={start}")
        yield token._replace(text=start)


def _next(version: str, start: str) -> str:
    """*start* with the number before the wildcard of *version* counted up; empty if that is impossible."""
    parts = version.split(".")
    # 1.x.x counts as a wildcard of the patch number, so only the minor number goes up.
    place = len(parts) - 2
    if parts[-1] != "x" or place not in (0, 1):
        return ""
    numbers = start.split(".")
    match = _INTEGER.fullmatch(numbers[place])
    if match is None or int(match[2]) > _MAX_INT64:
        return ""
    number = int(match[1] + match[2]) + 1
    # Upstream counts in 64 bits with a sign, and goes round.
    numbers[place] = str(number if number <= _MAX_INT64 else -number)
    return ".".join(numbers)


def _split(text: str, token: _RangeToken) -> tuple[str, str]:
    match = _FIRST_DIGIT.search(token.text)
    if match is None:
        reason = f"Could not get version from string: {quote(token.text)}"
        raise RangeError(text, reason, token.position)
    return token.text[: match.start()].strip(SPACES), token.text[match.start() :]


def _comparison(text: str, term: _RangeToken) -> _Comparison:
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
    return _all_of(groups[0]) if len(groups) == 1 else union(map(_all_of, groups))


def _all_of(comparisons: Iterable[_Comparison]) -> Cuts:
    """The versions that fulfil every comparison."""
    start, end = BOTTOM, TOP
    holes: list[tuple[Key, Key]] = []
    for comparator, key in comparisons:
        if comparator in ("!", "!="):
            holes.append((key, after(key)))
            continue
        if comparator[:1] != "<":
            start = max(start, after(key) if comparator == ">" else key)
        if comparator[:1] != ">":
            end = min(end, key if comparator == "<" else after(key))
    if holes:
        return without(start, end, holes)
    return (start, end) if start < end else ()
