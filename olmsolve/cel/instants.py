"""Timestamps and durations, in nanoseconds, read and printed as Go does."""

from __future__ import annotations

import datetime
import zoneinfo
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve.cel.values import INT_MAX, INT_MIN, Failure

_SECOND: Final = 10**9
_FIRST: Final = -62135596800  # 0001-01-01T00:00:00Z, in seconds since 1970
_LAST: Final = 253402300799  # 9999-12-31T23:59:59Z
_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


@attrs.frozen(order=True)
class Duration:
    """A length of time in *nanoseconds*, within 64 bit. Raises :class:`Failure` outside."""

    nanoseconds: int = attrs.field()

    @nanoseconds.validator
    def _within(self, _: object, value: int) -> None:
        if not INT_MIN <= value <= INT_MAX:
            raise Failure("duration out of range")

    def __str__(self) -> str:
        # Go prints the seconds as a double.
        whole, fraction = divmod(abs(self.nanoseconds), _SECOND)
        text = format(Decimal(repr(whole + fraction / _SECOND)), "f").removesuffix(".0")
        return f"{'-' if self.nanoseconds < 0 else ''}{text}s"


@attrs.frozen(order=True)
class Timestamp:
    """A moment in *nanoseconds* since 1970, UTC, in the years 1 to 9999. Raises :class:`Failure` outside.

    *offset* (seconds east of UTC) is how it was written; only printing uses it.
    """

    nanoseconds: int = attrs.field()
    offset: int = attrs.field(default=0, eq=False, order=False)

    @nanoseconds.validator
    def _within(self, _: object, value: int) -> None:
        if not _FIRST <= value // _SECOND <= _LAST:
            raise Failure("timestamp out of range")

    def __str__(self) -> str:
        seconds, fraction = divmod(self.nanoseconds, _SECOND)
        try:
            local = _EPOCH + datetime.timedelta(seconds=seconds + self.offset)
        except OverflowError:
            raise Failure("timestamp out of range") from None
        text = f"{local.year:04}-{local:%m-%dT%H:%M:%S}{_fraction(fraction)}"
        if not self.offset:
            return text + "Z"
        hours, minutes = divmod(abs(self.offset) // 60, 60)
        return f"{text}{'-' if self.offset < 0 else '+'}{hours:02}:{minutes:02}"

    def at(self, zone: str) -> datetime.datetime:
        """Return the wall clock in *zone* (``UTC``, ``Europe/Oslo``, ``-02:00``), without fractions of a second."""
        seconds = self.nanoseconds // _SECOND
        moment = _EPOCH + datetime.timedelta(seconds=seconds)
        try:
            if ":" in zone:
                return moment + datetime.timedelta(minutes=_minutes(zone))
            if zone in ("", "UTC"):
                return moment
            return moment.astimezone(zoneinfo.ZoneInfo(zone))
        except (ValueError, OSError, OverflowError, zoneinfo.ZoneInfoNotFoundError):
            raise Failure(f"there is no time zone {zone[:80]!r}") from None


def _fraction(nanoseconds: int) -> str:
    return f".{nanoseconds:09}".rstrip("0").rstrip(".")


# cel-go reads both numbers with strconv.Atoi, which takes a sign before either.
_OFFSET: Final = pattern(r"([+-]?[0-9]{1,6}):([+-]?[0-9]{1,6})")


def _minutes(zone: str) -> int:
    match = _OFFSET.fullmatch(zone)
    if match is None:
        raise Failure(f"there is no time zone {zone[:80]!r}")
    minutes = int(match[2])
    # The sign before the hours counts for both: -02:30 is 150 minutes west, -00:30 is 30.
    return int(match[1]) * 60 + (-minutes if zone.startswith("-") else minutes)


# Go's time.Parse accepts an hour of one digit, and a comma before the fraction, which RFC 3339 does not allow.
_RFC3339: Final = pattern(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)


def parse_timestamp(text: str) -> Timestamp:
    """Read a time of RFC 3339 as Go's ``time.Parse`` does. Raises :class:`Failure`."""
    match = _RFC3339.fullmatch(text)
    if match is not None:
        year, month, day, hour, minute, second = (int(match[group]) for group in range(1, 7))
        offset = 0
        if match[8]:
            hours, minutes = int(match[9]), int(match[10])
            if hours > 24 or minutes >= 60:
                raise Failure(f"{text[:80]!r} is not a timestamp")
            offset = (hours * 3600 + minutes * 60) * (-1 if match[8] == "-" else 1)
        # Python has no year 0, which is refused below; year 4 stands in for it, a leap year as well.
        try:
            moment = datetime.datetime(year or 4, month, day, hour, minute, second, tzinfo=datetime.UTC)
        except ValueError:
            raise Failure(f"{text[:80]!r} is not a timestamp") from None
        if year:
            seconds = round((moment - _EPOCH).total_seconds()) - offset
            return Timestamp(seconds * _SECOND + int((match[7] or "0")[:9].ljust(9, "0")), offset)
    raise Failure(f"{text[:80]!r} is not a timestamp")


_LONGEST: Final = 1000
"""Characters of a duration; Go reads any number of parts, such as a thousand times ``1ns``."""

_UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,
    "\u03bcs": 10**3,
    "ms": 10**6,
    "s": _SECOND,
    "m": 60 * _SECOND,
    "h": 3600 * _SECOND,
}
_PART: Final = pattern("([0-9]*)(?:\\.([0-9]*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)")


def parse_duration(text: str) -> Duration:
    """Read ``1h30m``, ``-1.5s`` or ``0`` as Go's ``time.ParseDuration`` does. Raises :class:`Failure`."""
    body = text[1:] if text[:1] in ("+", "-") else text
    if body == "0":
        return Duration(0)
    if len(body) > _LONGEST:
        raise Failure(f"{text[:80]!r} is not a duration")
    total = 0
    position = 0
    while position < len(body):
        match = _PART.match(body, position)
        # Sixty digits are more than 64 bit can hold, and keep int() from quadratic time.
        if match is None or not (match[1] or match[2]) or len(match[1].lstrip("0")) > 60:
            raise Failure(f"{text[:80]!r} is not a duration")
        unit = _UNITS[match[3]]
        fraction = (match[2] or "")[:20]
        total += int(match[1][-60:] or "0") * unit + int(fraction or "0") * unit // 10 ** len(fraction)
        position = match.end()
    if not body:
        raise Failure(f"{text[:80]!r} is not a duration")
    return Duration(-total if text[0] == "-" else total)


CALENDAR: Final[Mapping[str, Callable[[Timestamp, datetime.datetime], int]]] = {
    "getFullYear": lambda _, wall: wall.year,
    "getMonth": lambda _, wall: wall.month - 1,
    "getDayOfYear": lambda _, wall: wall.timetuple().tm_yday - 1,
    "getDayOfMonth": lambda _, wall: wall.day - 1,
    "getDate": lambda _, wall: wall.day,
    "getDayOfWeek": lambda _, wall: wall.isoweekday() % 7,
    "getHours": lambda _, wall: wall.hour,
    "getMinutes": lambda _, wall: wall.minute,
    "getSeconds": lambda _, wall: wall.second,
    "getMilliseconds": lambda moment, _: moment.nanoseconds % _SECOND // 10**6,
}
"""The methods of a timestamp: functions of the timestamp and of its wall clock in the zone of the call."""

CLOCK: Final = {
    "getHours": 3600 * _SECOND,
    "getMinutes": 60 * _SECOND,
    "getSeconds": _SECOND,
    "getMilliseconds": 10**6,
}
"""The methods of a duration: the unit that each counts in, rounding towards zero."""
