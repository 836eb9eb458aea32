"""Versions of other packages: ``semantic_version`` and ``packaging``, to ours and back.

They are told by their attributes, so that neither package is loaded for a caller who has none of its versions.
"""

from __future__ import annotations

from typing import Any, Final

from olmsolve.errors import VersionError
from olmsolve.semver.version import Version

# The pre-releases of PEP 440 by ours. Their texts are in the same order: "alpha" < "beta" < "rc".
_PHASES: Final = {"a": "alpha", "b": "beta", "rc": "rc"}
_PACKAGED_PHASES: Final = {"a": "a", "alpha": "a", "b": "b", "beta": "b", "rc": "rc"}


def version_of(value: object) -> Version:
    """Return *value* as a version; see :meth:`.Version.of`."""
    if isinstance(value, Version):
        return value
    if isinstance(value, str):
        return Version.parse(value)
    foreign: Any = value
    if _has(value, "major", "minor", "patch", "prerelease", "build"):
        return _from_semantic_version(foreign)
    if _has(value, "epoch", "release", "pre", "post", "dev", "local"):
        return _from_packaging(foreign)
    raise VersionError(str(value), f"a {type(value).__name__} is no version")


def to_semantic_version(version: Version) -> Any:
    """Return *version* as one of the package ``semantic_version``."""
    import semantic_version

    return semantic_version.Version(str(version))


def to_packaging(version: Version) -> Any:
    """Return *version* as one of the package ``packaging``; see :meth:`.Version.to_packaging`."""
    try:
        import packaging.version
    except ImportError:
        raise VersionError(str(version), "the package packaging is missing: pip install packaging") from None
    text = f"{version.major}.{version.minor}.{version.patch}"
    if version.pre:
        phase = _PACKAGED_PHASES.get(version.pre[0])
        if phase is None or len(version.pre) != 2 or not version.pre[1].isdecimal():
            raise VersionError(str(version), "packaging has alpha.N, beta.N and rc.N as pre-releases only", len(text))
        text += f"{phase}{version.pre[1]}"
    if version.build:
        text += f"+{'.'.join(version.build)}"
    try:
        return packaging.version.Version(text)
    except packaging.version.InvalidVersion:
        raise VersionError(str(version), "its build metadata is no local label of packaging") from None


def _from_semantic_version(foreign: Any) -> Version:
    numbers = f"{foreign.major}.{foreign.minor or 0}.{foreign.patch or 0}"
    pre, build = ".".join(foreign.prerelease or ()), ".".join(foreign.build or ())
    return Version.parse(f"{numbers}{f'-{pre}' if pre else ''}{f'+{build}' if build else ''}")


def _from_packaging(foreign: Any) -> Version:
    release: tuple[int, ...] = foreign.release
    odd = ["epoch"] if foreign.epoch else [name for name in ("post", "dev") if getattr(foreign, name) is not None]
    if odd or any(release[3:]):
        what = f"its {odd[0]} part" if odd else "its fourth number"
        raise VersionError(str(foreign), f"{what} has no counterpart in a semantic version")
    text = ".".join(map(str, (*release, 0, 0)[:3]))
    if foreign.pre is not None:
        text += f"-{_PHASES[foreign.pre[0]]}.{foreign.pre[1]}"
    return Version.parse(f"{text}+{foreign.local}" if foreign.local else text)


def _has(value: object, *names: str) -> bool:
    return all(hasattr(value, name) for name in names)
