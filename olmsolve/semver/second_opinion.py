"""A second opinion on ranges: whether semantic-version, which shares no code with olmsolve, finds a version in them.

Two of its grammars are read in most ways like OLM's: ``SimpleSpec`` like the ranges of classic OLM, ``NpmSpec`` like
the ranges of OLM v1. Where they are not, there is no opinion: on build metadata, and on what OLM reads otherwise than
it is written (``BlangRange.warnings``). The remaining differences are in :data:`RANGE_DIFFERENCES`.

A text is put together anew from terms that our own grammar has accepted, each of a closed form and a bounded length, so
nothing that semantic-version would stumble over or work long on reaches it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve.semver.blang import BlangRange
from olmsolve.semver.masterminds import MastermindsRange
from olmsolve.semver.version import Version

# semantic-version's time grows with the square of the length: 1.4 ms for 900 characters, 110 for 9,900.
_LONGEST: Final = 1000
"""The longest range that is judged, in characters."""

_NUMBER: Final = "(?:0|[1-9][0-9]{0,18})"
_FULL: Final = rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-[0-9A-Za-z.-]{{1,80}})?"
_BLANG_TERM: Final = pattern(
    rf"(==?|!=?|[<>]=?|) *({_FULL})(?: +|\Z)|(==?|[<>]=?|) *({_NUMBER}(?:\.{_NUMBER})?\.x)(?: +|\Z)"
)
_PARTIAL: Final = rf"{_NUMBER}(?:\.{_NUMBER})?(?:\.[xX*])?"
_MASTERMINDS_TERM: Final = pattern(rf"(=|[<>]=?|[~^]|) *(?:({_FULL})|({_PARTIAL}))(?: *, *| +|\Z)")


@attrs.frozen
class KnownDifference:
    """A difference between olmsolve and a second opinion that has an explanation.

    *text* says what it is, and what OLM does; *applies* takes the two arguments of the opinion and says whether they
    are a case of it; *example* is such a pair, as text.
    """

    name: str
    text: str
    example: tuple[str, str]
    applies: Callable[[Any, Any], bool] = attrs.field(eq=False, repr=False)


def range_opinion(wanted: BlangRange | MastermindsRange, version: Version) -> bool | None:
    """Return whether semantic-version finds *version* in the range *wanted*; None where it has no opinion.

    >>> from olmsolve.semver import BlangRange, Version, range_opinion
    >>> range_opinion(BlangRange.parse(">=1.0.0 <2.0.0"), Version.parse("1.5.0"))
    True
    """
    spec = _spec(wanted)
    if spec is None:
        return None
    import semantic_version

    # Neither grammar compares build metadata.
    plain = semantic_version.Version(str(version).partition("+")[0])
    return any(bool(comparator.match(plain)) for comparator in spec)


def range_difference(wanted: BlangRange | MastermindsRange, version: Version) -> KnownDifference | None:
    """Return the difference of :data:`RANGE_DIFFERENCES` that explains a differing opinion; None if none does."""
    return next((difference for difference in RANGE_DIFFERENCES if difference.applies(wanted, version)), None)


# A lint asks about one range with many versions: the other library takes 11 µs to read it each time.
@lru_cache(maxsize=1024)
def _spec(wanted: BlangRange | MastermindsRange) -> tuple[Any, ...] | None:
    """Return *wanted* in the other grammar, a specification for each alternative; None if it has no counterpart."""
    if len(wanted.text) > _LONGEST or wanted.warnings:
        return None
    alternatives = [_terms(wanted, text) for text in wanted.text.split("||")]
    if not all(alternatives):
        return None
    import semantic_version

    if isinstance(wanted, BlangRange):
        return tuple(semantic_version.SimpleSpec(",".join(map("".join, terms or ()))) for terms in alternatives)
    return tuple(semantic_version.NpmSpec(" ".join(map("".join, terms or ()))) for terms in alternatives)


def _terms(wanted: BlangRange | MastermindsRange, text: str) -> list[tuple[str, str]] | None:
    """Return the comparators and versions of the alternative *text*, in the other grammar; None if it has none."""
    pattern, written = (
        (_BLANG_TERM, _blang_term) if isinstance(wanted, BlangRange) else (_MASTERMINDS_TERM, _masterminds_term)
    )
    text = text.strip(" ")
    terms: list[tuple[str, str]] = []
    position = 0
    while position < len(text):
        match = pattern.match(text, position)
        if match is None:
            return None
        terms.append(written(match))
        position = match.end()
    return terms


def _blang_term(match: re.Match[str]) -> tuple[str, str]:
    comparator, version = match[1] or match[3] or "==", match[2] or match[4]
    return {"=": "==", "!": "!="}.get(comparator, comparator), version.replace(".x", ".*") if match[4] else version


def _masterminds_term(match: re.Match[str]) -> tuple[str, str]:
    comparator, full, partial = match.groups()
    return comparator, full or partial


# The known differences, and why they exist.


def _bounds(wanted: BlangRange | MastermindsRange) -> Iterator[tuple[int, int, int]]:
    """Yield the three numbers of each bound of *wanted*, and of the version above each wildcard."""
    for numbers in re.findall(r"([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?", wanted.text):
        given = [int(number) for number in numbers if number]
        yield tuple((*given, 0, 0)[:3])  # type: ignore[misc]
        if len(given) < 3:
            above = [*given[:-1], given[-1] + 1, 0, 0][:3]
            yield tuple(above)  # type: ignore[misc]


def _is_prerelease_of_a_bound(wanted: Any, version: Version) -> bool:
    numbers = (version.major, version.minor, version.patch)
    return isinstance(wanted, BlangRange) and bool(version.pre) and numbers in _bounds(wanted)


def _is_prerelease(wanted: Any, version: Version) -> bool:
    return isinstance(wanted, MastermindsRange) and bool(version.pre)


def _is_beside_a_prerelease(wanted: Any, version: Version) -> bool:
    return (
        isinstance(wanted, MastermindsRange) and not version.pre and bool(re.search(r"[0-9]-[0-9A-Za-z-]", wanted.text))
    )


RANGE_DIFFERENCES: Final = (
    KnownDifference(
        "prerelease-of-bound",
        "Classic ranges order pre-releases like other versions: <1.0.0 and !=1.0.0 contain 1.0.0-rc.1, and 1.x contains"
        " 2.0.0-rc.1. semantic-version leaves the pre-releases of a bound out.",
        ("<1.0.0", "1.0.0-rc.1"),
        _is_prerelease_of_a_bound,
    ),
    KnownDifference(
        "prerelease-rule",
        "A pre-release is in a range of OLM v1 if any term of the alternative names one. npm, whose grammar"
        " semantic-version reads, wants a term with a pre-release of the same three numbers.",
        (">=1.0.0-0", "2.0.0-rc.1"),
        _is_prerelease,
    ),
    KnownDifference(
        "release-beside-prerelease",
        "semantic-version compares a release with the bounds of an npm range as if these named no pre-release: it finds"
        " 2.0.0 in <=2.0.0-beta. npm and OLM v1 do not.",
        ("<=2.0.0-beta", "2.0.0"),
        _is_beside_a_prerelease,
    ),
)
"""All differences between olmsolve and semantic-version that are known, on ranges that both read."""
