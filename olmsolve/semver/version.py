"""Semantic versions as OLM reads, orders and prints them.

The grammar is blang/semver v4's, which every part of OLM uses for the version of a bundle: Semantic Versioning 2.0.0
with numbers of 64 bits, unsigned. The order is Semantic Versioning 2.0.0's, section 11: build metadata counts neither
for order nor for equality nor for the hash.

``VersionError.reason`` is worded as OLM prints it, so that what a user has seen on a cluster can be found.

Grammar and order are our own. The package semantic_version finds versions unequal that differ in build metadata, knows
no limit of 64 bits, and takes longer to import than most requests take to resolve.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NoReturn, Self, TypeAlias, cast

import olmsolve._attrs as attrs
from olmsolve._arguments import must_be
from olmsolve._attrs import unchecked
from olmsolve._patterns import pattern
from olmsolve.errors import VersionError
from olmsolve.semver.quoting import quote

Key: TypeAlias = tuple[int | str, ...]
"""A version as a flat tuple that orders like the version; see :attr:`Version.key`."""

MAX_NUMBER: Final = 2**64 - 1
"""The greatest number that a version may hold."""

# At most 20 digits, as 2**64 - 1 has: int() never meets a long text, on which it takes quadratic time.
_NUMBER: Final = "(0|[1-9][0-9]{0,19})"
_VERSION: Final = pattern(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?")
_DIGITS: Final = pattern(r"[0-9]*")
_IDENTIFIER: Final = pattern(r"[0-9A-Za-z-]*")
# Not str.strip(): that also takes the four ASCII separators 1C to 1F.
SPACES: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""The characters that Go's ``strings.TrimSpace`` removes."""
_TOO_BIG: Final = "number {} does not fit in 64 bits"


class OrderedByKey:
    """A value that is hashed, and compared with others of its class, by its ``key``."""

    __slots__ = ()
    key: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key)

    def __lt__(self, other: Self) -> bool:
        return self.key < other.key if isinstance(other, type(self)) else NotImplemented

    def __le__(self, other: Self) -> bool:
        return self.key <= other.key if isinstance(other, type(self)) else NotImplemented

    def __gt__(self, other: Self) -> bool:
        return self.key > other.key if isinstance(other, type(self)) else NotImplemented

    def __ge__(self, other: Self) -> bool:
        return self.key >= other.key if isinstance(other, type(self)) else NotImplemented


@attrs.frozen(eq=False, order=False)
class Version(OrderedByKey):
    """One version. Build one with :meth:`parse`; the constructor checks its arguments too.

    ``pre`` and ``build`` hold the dot-separated identifiers as text. ``key`` is a flat tuple that compares as
    the version does, in C: ``(major, minor, patch, 1)`` for a release and ``(major, minor, patch, 0, *ids)``
    for a pre-release, where a numeric identifier n contributes ``0, n`` and any other s contributes ``1, s``.

    >>> Version.parse("1.0.0-rc.1") < Version.parse("1.0.0")
    True
    >>> Version.parse("1.0.0-rc.1").key
    (1, 0, 0, 0, 1, 'rc', 0, 1)
    >>> Version.parse("1.0.0+a") == Version.parse("1.0.0+b")
    True
    """

    major: int
    minor: int
    patch: int
    pre: tuple[str, ...] = ()
    build: tuple[str, ...] = ()
    # Held, not made at each comparison: sorting 10,000 versions takes 9 ms, sorting their keys 3.
    key: Key = attrs.field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        try:
            text = str(self)
        except TypeError:
            raise VersionError(f"{self.pre}, {self.build}", "pre and build must be tuples of texts") from None
        # Printing and parsing the parts checks them with the one grammar that there is.
        checked = Version.parse(text)
        if (checked.major, checked.minor, checked.patch) != (self.major, self.minor, self.patch):
            raise VersionError(str(self), "major, minor and patch must be integers")
        if (checked.pre, checked.build) != (self.pre, self.build):
            raise VersionError(str(self), "pre and build must be tuples of single identifiers")
        object.__setattr__(self, "key", checked.key)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read *text* as a version, strictly: three numbers, no spaces, no ``v``.

        Raises :class:`~olmsolve.errors.VersionError`.
        """
        try:
            parsed: Self = _parsed(cls, text)  # type: ignore[arg-type]
        except TypeError:
            # A look at each text first takes 0.4 µs, four times as long as to find a version that was read before.
            must_be(text, "str", "text")
            raise
        return parsed

    @classmethod
    def parse_tolerant(cls, text: str) -> Self:
        """Read *text* like :meth:`parse`, but forgivingly, as blang's ``ParseTolerant`` does.

        Spaces around the text, one ``v`` in front, and leading zeros of the three numbers are dropped; missing numbers
        are 0. A version of fewer than three numbers may have neither pre-release nor build metadata. Raises
        :class:`~olmsolve.errors.VersionError`, whose text is *text*.

        >>> str(Version.parse_tolerant(" v1.02"))
        '1.2.0'
        """
        try:
            normal = text if _VERSION.fullmatch(text) else _strict_form(text)
        except TypeError:
            must_be(text, "str", "text")
            raise
        try:
            return cls.parse(normal)
        except VersionError as error:
            # The fault's position is in the strict form; it means nothing where that form is no part of the text.
            start = text.find(normal)
            position = start + error.position if start >= 0 else 0
            raise VersionError(text, error.reason, position) from None

    @classmethod
    def from_key(cls, key: Key) -> Self:
        """Return the version, without build metadata, whose :attr:`key` is *key*."""
        major, minor, patch = cast("tuple[int, int, int]", key[:3])
        version: Self = _unchecked(cls, major, minor, patch, tuple(map(str, key[5::2])), (), key)
        return version

    @classmethod
    def of(cls, value: object) -> Version:
        """Return *value* as a version: one of ours, text, or a version of ``semantic_version`` or ``packaging``.

        A version of ``packaging`` is a release of at most three numbers, perhaps an alpha, beta or candidate of one
        (``1.2rc1`` is 1.2.0-rc.1) with a local label; others have no counterpart that keeps their order.

        Raises:
            VersionError: *value* is no version, or has no counterpart.

        >>> from packaging.version import Version as Packaged
        >>> str(Version.of(Packaged("1.2rc1")))
        '1.2.0-rc.1'
        """
        if isinstance(value, Version):
            return value
        if isinstance(value, str):
            return cls.parse(value)
        from olmsolve.semver.foreign import text_of

        return cls.parse(text_of(value))

    def to_semantic_version(self) -> Any:
        """Return the same version of the package ``semantic_version``."""
        from olmsolve.semver.foreign import semantic_version_of

        return semantic_version_of(str(self))

    def to_packaging(self) -> Any:
        """Return the same version of the package ``packaging``, which must be installed.

        Raises:
            VersionError: it is a pre-release other than ``alpha.N``, ``beta.N`` and ``rc.N`` (or ``a``, ``b``), or the
                package is missing.
        """
        from olmsolve.semver.foreign import packaging_version_of

        release = f"{self.major}.{self.minor}.{self.patch}"
        return packaging_version_of(str(self), release, self.pre, self.build)

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        if self.pre:
            text += "-" + ".".join(self.pre)
        if self.build:
            text += "+" + ".".join(self.build)
        return text


# Nearly all versions are parsed, which checks the text; printing and parsing the parts once more would take as long.
_unchecked: Final = unchecked(Version)


# Each part of olmsolve reads the versions of bundles for itself, and packages share theirs: 0.1 instead of 4 µs.
@lru_cache(maxsize=8192)
def _parsed(cls: type[Version], text: str) -> Any:
    """Return the version of *cls* that :meth:`Version.parse` reads."""
    match = _VERSION.fullmatch(text)
    if match is None:
        _raise_first_fault(text)
    major_text, minor_text, patch_text, pre_text, build_text = match.groups()
    major, minor, patch = int(major_text), int(minor_text), int(patch_text)
    # A number past 64 bits has at least 20 digits, so shorter texts need no check.
    if len(text) > 20 and max(major, minor, patch) > MAX_NUMBER:
        _raise_first_fault(text)
    build = tuple(build_text.split(".")) if build_text else ()
    if "" in build:
        _raise_first_fault(text)
    if pre_text is None:
        release: Version = _unchecked(cls, major, minor, patch, (), build, (major, minor, patch, 1))
        return release
    pre = tuple(pre_text.split("."))
    key = (major, minor, patch, 0, *identifiers_key(text, pre))
    prerelease: Version = _unchecked(cls, major, minor, patch, pre, build, key)
    return prerelease


def identifier_fault(identifier: str) -> str | None:
    """Return the reason why *identifier* is not a pre-release identifier, or None if it is one."""
    if not identifier:
        return "Prerelease is empty"
    if _DIGITS.fullmatch(identifier):
        if identifier[0] == "0" and identifier != "0":
            return f"Numeric PreRelease version must not contain leading zeroes {quote(identifier)}"
        if len(identifier) > 20 or int(identifier) > MAX_NUMBER:
            return _TOO_BIG.format(quote(identifier))
        return None
    if not _IDENTIFIER.fullmatch(identifier):
        return f"Invalid character(s) found in prerelease {quote(identifier)}"
    return None


def identifiers_key(text: str, pre: tuple[str, ...]) -> list[int | str]:
    """Return the end of a version's key, made of the identifiers *pre*: ``("rc", "1")`` gives ``[1, "rc", 0, 1]``.

    Raises :class:`~olmsolve.errors.VersionError` about the version *text* for an identifier that is not valid.
    """
    key: list[int | str] = []
    for identifier in pre:
        if identifier.isdigit():
            if (identifier[0] == "0" and identifier != "0") or len(identifier) > 20:
                _raise_first_fault(text)
            number = int(identifier)
            if number > MAX_NUMBER:
                _raise_first_fault(text)
            key += (0, number)
        elif identifier:
            key += (1, identifier)
        else:
            _raise_first_fault(text)
    return key


def _strict_form(text: str) -> str:
    """Rewrite *text* so that :meth:`Version.parse` takes it. Raises VersionError for a short version with a suffix."""
    parts = text.strip(SPACES).removeprefix("v").split(".", 2)
    for index, part in enumerate(parts):
        # Upstream counts bytes here, and takes a digit of another script for "no digit".
        if len(part) > 1 or not part.isascii():
            stripped = part.lstrip("0")
            parts[index] = stripped if "1" <= stripped[:1] <= "9" else f"0{stripped}"
    if len(parts) < 3:
        if "+" in parts[-1] or "-" in parts[-1]:
            position = min(text.find(sign) for sign in "+-" if sign in text)
            raise VersionError(text, "Short version cannot contain PreRelease/Build meta data", position)
        parts += ["0"] * (3 - len(parts))
    return ".".join(parts)


def _raise_first_fault(text: str) -> NoReturn:
    """Raise the first fault of *text*, from left to right but build metadata last, as OLM reports it."""
    if not text:
        raise VersionError(text, "Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise VersionError(text, "No Major.Minor.Patch elements found", len(text))
    major, minor, patch_text = parts
    patch_text, plus, build = patch_text.partition("+")
    patch, minus, pre = patch_text.partition("-")
    position = 0
    for name, number in (("Major", major), ("Minor", minor), ("Patch", patch)):
        _check_number(text, position, name, number)
        position += len(number) + 1
    for identifier in pre.split(".") if minus else ():
        if (fault := identifier_fault(identifier)) is not None:
            raise VersionError(text, fault, position)
        position += len(identifier) + 1
    for identifier in build.split(".") if plus else ():
        if not identifier:
            raise VersionError(text, "Build meta data is empty", position)
        if not _IDENTIFIER.fullmatch(identifier):
            reason = f"Invalid character(s) found in build meta data {quote(identifier)}"
            raise VersionError(text, reason, position)
        position += len(identifier) + 1
    raise AssertionError(f"{text!r} is a version")


def _check_number(text: str, position: int, name: str, number: str) -> None:
    # In the order of blang's Parse, whose first fault is OLM's message: an empty number passes the first two checks.
    if not _DIGITS.fullmatch(number):
        reason = f"Invalid character(s) found in {name.lower()} number {quote(number)}"
        raise VersionError(text, reason, position)
    if len(number) > 1 and number[0] == "0":
        raise VersionError(text, f"{name} number must not contain leading zeroes {quote(number)}", position)
    if not number:
        raise VersionError(text, f"{name} number is empty", position)
    if len(number) > 20 or int(number) > MAX_NUMBER:
        raise VersionError(text, _TOO_BIG.format(quote(number)), position)
