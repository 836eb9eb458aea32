"""Hostile input takes linear time, and importing the room stays cheap."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from olmsolve.errors import RangeError, VersionError
from olmsolve.semver import BlangRange, MastermindsRange, Version, VersionRelease

SIZE = 64 * 1024
HOSTILE = {
    "digits": "1" * SIZE,
    "spaces": " " * SIZE,
    "a comparator and spaces": ">" + " " * SIZE + "!",
    "dots": "." * SIZE,
    "identifiers": "1.0.0-" + "a." * (SIZE // 2),
    "a long number": "1.0.0-" + "9" * SIZE,
    "a late fault": "1.0.0-" + "a" * SIZE + "!",
    "build": "1.0.0+" + "a." * (SIZE // 2) + "!",
    "terms": ">=1.0.0 " * (SIZE // 8),
    "holes": " ".join(f"!=1.0.{patch}" for patch in range(SIZE // 10)),
    "alternatives": " || ".join(f"1.0.{patch}" for patch in range(SIZE // 10)),
    "nested alternatives": " || ".join(f">=1.0.{patch} <3.0.0" for patch in range(SIZE // 20)),
    "wildcards": ("1.x " * (SIZE // 4)).strip(),
    "a chain of wildcards": "1" + ".x" * (SIZE // 2),
    "dropped tokens": "1 " * (SIZE // 2) + "1.0.0",
    "comparators": ">" * SIZE,
    "comparators and spaces": "> " * (SIZE // 2) + "1.0.0",
    "bars": "|" * SIZE,
    "hyphens": "1 - " * (SIZE // 4),
    "surrogates": "\ud800" * SIZE,
}
# What Masterminds accepts is short, so its own worst cases are too.
HOSTILE_SHORT = {
    "spaces": " " * 511 + "!",
    "parts": "1" * 511 + "!",
    "identifiers": "1-" + "a-" * 254 + "!",
    "dotted identifiers": "1-" + "a." * 254 + "!",
    "hyphens": "1 - " * 128,
    "same hyphens": "1 - 2 " * 85,
    "operators": ">" * 512,
    "spaced terms": "1    " * 102,
}
PARSERS: list[Callable[[str], object]] = [
    Version.parse,
    Version.parse_tolerant,
    VersionRelease.parse,
    BlangRange.parse,
    MastermindsRange.parse,
]


@pytest.mark.parametrize("text", [*HOSTILE.values(), *HOSTILE_SHORT.values()], ids=[*HOSTILE, *HOSTILE_SHORT])
def test_time(text: str) -> None:
    """64 KiB of anything are read in a moment: nobody can stop a controller with a catalog."""
    for parse in PARSERS:
        start = time.process_time()
        with suppress(RangeError, VersionError):
            parse(text)
        # Far above what they take: this tells work that ends from work that does not, on any machine.
        assert time.process_time() - start < 10


def test_import_is_cheap() -> None:
    """Reading a version must not cost the import of a solver, of CEL or of another version library."""
    code = (
        "import sys, olmsolve.semver, olmsolve.semver.blang, olmsolve.semver.masterminds;"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    output = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not {"semantic_version", "celpy", "pysat", "yaml", "lark"} & set(output.stdout.split())


def test_wildcards_count_up_to_the_greatest_number() -> None:
    """The version above a wildcard is made in 64 bits with a sign; one further, upstream's own text does not parse."""
    wanted = BlangRange.parse("<=9223372036854775806.x")
    assert Version.parse("9223372036854775806.5.0") in wanted
    assert Version.parse("9223372036854775807.0.0") not in wanted
    with pytest.raises(RangeError):
        BlangRange.parse("<=9223372036854775807.x")


def test_the_greatest_number_is_a_number_like_others() -> None:
    """What is below 1.MAX is not above it: only one more than MAX carries over to the number before."""
    wanted = MastermindsRange.parse("~1.18446744073709551614")
    assert Version.parse("1.18446744073709551614.9") in wanted
    assert Version.parse("1.18446744073709551615.0") not in wanted
    assert not any(Version.parse("1.18446744073709551615.0") in interval for interval in wanted.intervals)
