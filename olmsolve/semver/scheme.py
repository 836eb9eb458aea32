"""Version schemes: versions and ranges that are not semantic versions, for catalogs of other worlds than OLM.

A scheme gives the order of its versions, and says which of them a range contains. A catalog names its scheme
(:attr:`olmsolve.Catalog.scheme`), and the ranges of its requirements follow it.

>>> PEP440.contains("~=1.4", "1.10"), PEP440.contains("~=1.4", "2.0")
(True, False)
>>> sorted(["24.04", "9.10", "24.04.1"], key=CALENDAR.key)
['9.10', '24.04', '24.04.1']
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve.errors import RangeError, RequestError, VersionError
from olmsolve.semver.blang import BlangRange
from olmsolve.semver.version import Version

_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
    "==": operator.eq,
    "=": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
    "": operator.eq,
}
_TERM: Final = pattern(r"(>=|<=|!=|==|=|>|<|)\s*([^\s<>=!,|]+)")
_GAP: Final = pattern(r"[\s,]*")


class VersionScheme:
    """A kind of versions: *name*, the order of its versions (:meth:`key`), and its ranges (:meth:`contains`).

    A subclass defines ``name`` and ``key``. Ranges are comparisons (``>=1.0 <2.0``, all of which hold; ``||`` between
    alternatives; ``*`` for all versions) unless it defines ``contains`` as well. Schemes of one name are the same.

    >>> class Letters(VersionScheme):
    ...     name = "letters"
    ...     def key(self, version):
    ...         return [ord(letter) for letter in version]
    >>> Letters().contains(">=b <d || x", "c")
    True
    """

    name: str

    def key(self, version: str) -> Any:
        """Return the sort key of *version*. Raises ValueError if it is no version of the scheme."""
        raise NotImplementedError

    def contains(self, versions: str, version: str) -> bool:
        """Return whether *version* is in the range *versions*. Raises ValueError for a text that is not a range."""
        key = self.key(version)
        return any(all(test(key) for test in tests) for tests in self._alternatives(versions))

    def range(self, versions: str) -> BlangRange:
        """Return a range of the scheme, for ``olmsolve.Bundles(versions=...)`` and predicates.

        Raises:
            RangeError: *versions* is no range of the scheme.
        """
        try:
            if versions.strip() != "*":
                self.check(versions)
        except ValueError as error:
            raise RangeError(versions, f"no range of {self.name} versions: {error}") from None
        return SchemeRange(versions, (), (), self)

    def read(self, version: str) -> Version | None:
        """Return *version* as a value that orders as the scheme says; None for a text that is not a version of it."""
        try:
            return SchemeVersion(self, version)
        except VersionError:
            return None

    def check(self, versions: str) -> None:
        """Raise ValueError unless *versions* is a range of the scheme."""
        list(self._alternatives(versions))

    def _alternatives(self, versions: str) -> Iterator[list[Callable[[Any], bool]]]:
        for alternative in versions.split("||"):
            yield list(self._tests(alternative.strip()))

    def _tests(self, text: str) -> Iterator[Callable[[Any], bool]]:
        if not text:
            raise ValueError("a part of it is empty")
        position = 0
        while position < len(text):
            match = _TERM.match(text, position)
            if match is None:
                raise ValueError(f"{text[position:]!r:.40} is not a comparison")
            compare, bound = _COMPARE[match[1]], self.key(match[2])
            # As defaults: a closure would see the comparison of the last term, since the tests run after the loop.
            yield lambda own, compare=compare, bound=bound: compare(own, bound)  # type: ignore[misc]
            position = _GAP.match(text, match.end()).end()  # type: ignore[union-attr]

    def __eq__(self, other: object) -> bool:
        return self.name == other.name if isinstance(other, VersionScheme) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<VersionScheme {self.name}>"


class _Pep440(VersionScheme):
    """Versions of Python packages, by the package ``packaging``: epochs, candidates, post-releases, ``~=1.4``."""

    name = "pep440"

    def key(self, version: str) -> Any:
        return _packaging("version").Version(version)

    def contains(self, versions: str, version: str) -> bool:
        is_in: bool = _packaging("specifiers").SpecifierSet(versions).contains(self.key(version))
        return is_in

    def check(self, versions: str) -> None:
        _packaging("specifiers").SpecifierSet(versions)


def _packaging(module: str) -> Any:
    import importlib

    try:
        return importlib.import_module(f"packaging.{module}")
    except ImportError:
        raise RequestError("needs the package packaging", field="pep440", hint="pip install packaging") from None


class _Calendar(VersionScheme):
    """Calendar versions: numbers between dots or dashes, such as 24.04.1 or 2026-11-28."""

    name = "calendar"

    def key(self, version: str) -> tuple[int, ...]:
        parts = re.split(r"[.-]", version)
        if not all(part.isascii() and part.isdigit() and len(part) <= 20 for part in parts):
            raise ValueError(f"{version!r:.40} is not numbers between dots or dashes")
        return tuple(map(int, parts))


PEP440: Final[VersionScheme] = _Pep440()
CALENDAR: Final[VersionScheme] = _Calendar()
NAMED_SCHEMES: Final[dict[str, VersionScheme]] = {scheme.name: scheme for scheme in (PEP440, CALENDAR)}
"""The schemes that a catalog in a file can name."""


class _SchemeKey(tuple[Any, ...]):
    """The key of a version of a scheme: (name, key of the scheme). It comes before all keys of semantic versions.

    So no range of semantic versions contains it: a range begins and ends at cuts, and none comes before.
    """

    __slots__ = ()

    def __lt__(self, other: tuple[Any, ...]) -> bool:
        if not isinstance(other, _SchemeKey):
            return True
        return bool(self[1] < other[1]) if self[0] == other[0] else bool(self[0] < other[0])

    def __gt__(self, other: tuple[Any, ...]) -> bool:
        return isinstance(other, _SchemeKey) and other < self

    def __le__(self, other: tuple[Any, ...]) -> bool:
        return not self > other

    def __ge__(self, other: tuple[Any, ...]) -> bool:
        return not self < other


class SchemeVersion(Version):
    """A version of a *scheme*, which is no semantic one: it has a *text* and a key, and no major, minor and patch."""

    __slots__ = ("scheme", "text")
    scheme: VersionScheme
    text: str

    def __init__(self, scheme: VersionScheme, text: str) -> None:
        try:
            key = _SchemeKey((scheme.name, scheme.key(text)))
        except ValueError as error:
            raise VersionError(text, f"no {scheme.name} version: {error}") from None
        # Not by the constructor of Version, which would parse the parts as a semantic version, and make their key.
        parts = {"major": 0, "minor": 0, "patch": 0, "pre": (), "build": (), "key": key, "scheme": scheme, "text": text}
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        return hash((self.scheme.name, self.text))

    def __repr__(self) -> str:
        return f"SchemeVersion({self.scheme.name}, {self.text!r})"

    def __str__(self) -> str:
        return self.text


@attrs.frozen
class SchemeRange(BlangRange):
    """A range of versions of a *scheme*; it has no cuts."""

    scheme: VersionScheme

    def __contains__(self, version: object) -> bool:
        """Return True if *version* is one of the scheme, and in the range."""
        return isinstance(version, SchemeVersion) and version.scheme == self.scheme and self.contains(version.text)

    @property
    def is_empty(self) -> bool:
        """False: only the scheme knows which versions there are, and it is asked about one at a time."""
        return False

    def contains(self, version: str) -> bool:
        """Return True if the version of the scheme that is written so is in the range. Raises ValueError."""
        return self.text.strip() == "*" or self.scheme.contains(self.text, version)


@attrs.frozen(eq=False)
class UnreadRange(BlangRange):
    """A range as a program wrote it, before its catalog, and so its scheme, is known.

    Until then it is read as a range of semantic versions; a text of another scheme is empty.
    """

    @classmethod
    def of(cls, text: str) -> UnreadRange:
        """Return *text* as a range. Raises RangeError if neither OLM nor a scheme that catalogs can name accepts it."""
        try:
            read = BlangRange.parse(text)
        except RangeError:
            if not any(_reads(scheme, text) for scheme in NAMED_SCHEMES.values()):
                raise
            return cls(text, (), ())
        return cls(read.text, read.cuts, read.warnings)

    def read_by(self, scheme: VersionScheme | None) -> BlangRange:
        """Return the range of versions of a *scheme*, None for semantic ones. Raises RangeError."""
        return BlangRange.parse(self.text) if scheme is None else scheme.range(self.text)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BlangRange) or isinstance(other, SchemeRange):
            return NotImplemented
        return (self.text, self.cuts) == (other.text, other.cuts)

    def __hash__(self) -> int:
        return hash(BlangRange(self.text, self.cuts, self.warnings))


def _reads(scheme: VersionScheme, text: str) -> bool:
    try:
        scheme.range(text)
    except (RangeError, RequestError):  # the package that a scheme needs may be missing
        return False
    return True
