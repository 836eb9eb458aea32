"""Names of packages, and names of objects that are nearly those of others."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from olmsolve._patterns import pattern
from olmsolve.errors import VersionError
from olmsolve.semver import Version

PACKAGE_NAMES: Final = (
    "at most 63 lower-case letters, digits and hyphens; no dots, and no hyphen at the beginning or end"
)
"""The names that packages may have: DNS labels (RFC 1123)."""

_LABEL: Final = pattern(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_LABEL_LENGTH: Final = 63
_SIMILAR: Final = 0.75
_LONGEST: Final = 200
_MOST_COMPARED: Final = 100


def is_package_name(name: str) -> bool:
    """Return whether a package may have this *name*: :data:`PACKAGE_NAMES` says the rule."""
    return len(name) <= _LABEL_LENGTH and _LABEL.fullmatch(name) is not None


def nearest(name: str, names: Collection[str]) -> str:
    """Return the one of *names* that *name* probably stands for; "" if none is near, or several equally."""
    if not name or len(name) > _LONGEST or len(names) > _MOST_COMPARED:
        return ""
    import difflib  # slow to load, and few need it

    near = difflib.get_close_matches(name, names, n=2, cutoff=_SIMILAR)
    if len(near) == 2 and _ratio(name, near[0]) == _ratio(name, near[1]):
        return ""
    # Of two versions of a bundle, neither is a slip of the pen for the other.
    return near[0] if near and not _are_versions(name, near[0]) else ""


def _ratio(one: str, other: str) -> float:
    import difflib  # slow to load, and few need it

    return difflib.SequenceMatcher(None, other, one).ratio()


def _are_versions(one: str, other: str) -> bool:
    return one.rpartition(".v")[0] == other.rpartition(".v")[0] and _is_version(one) and _is_version(other)


def _is_version(name: str) -> bool:
    try:
        Version.parse(name.rpartition(".v")[2])
    except VersionError:
        return False
    return True
