"""Versions of other packages, ``semantic_version`` and ``packaging``, as the text of ours, and made of ours.

They are recognised by their attributes, so that neither package is loaded for a caller who has none of its versions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from olmsolve._arguments import type_with_article
from olmsolve.errors import VersionError

# The pre-releases of PEP 440 by ours. Their texts are in the same order: "alpha" < "beta" < "rc".
_PHASES: Final = {"a": "alpha", "b": "beta", "rc": "rc"}
_PACKAGED_PHASES: Final = {"a": "a", "alpha": "a", "b": "b", "beta": "b", "rc": "rc"}


def text_of(value: object) -> str:
    """Return the semantic version that *value*, a version of another package, stands for; see :meth:`.Version.of`."""
    foreign: Any = value
    if _has(value, "major", "minor", "patch", "prerelease", "build"):
        return _from_semantic_version(foreign)
    if _has(value, "epoch", "release", "pre", "post", "dev", "local"):
        return _from_packaging(foreign)
    raise VersionError(str(value), f"{type_with_article(value)} is not a version")


def semantic_version_of(text: str) -> Any:
    """Return the version *text* as one of the package ``semantic_version``."""
    import semantic_version  # 27 ms on a busy machine, more than most requests take

    return semantic_version.Version(text)


def packaging_version_of(text: str, release: str, pre: Sequence[str], build: Sequence[str]) -> Any:
    """Return the version *text* as one of the package ``packaging``; see :meth:`.Version.to_packaging`.

    *release* ("1.2.3"), *pre* and *build* are its parts.
    """
    try:
        import packaging.version
    except ImportError:
        raise VersionError(text, "the package packaging is missing: pip install packaging") from None
    packaged = release
    if pre:
        phase = _PACKAGED_PHASES.get(pre[0])
        if phase is None or len(pre) != 2 or not pre[1].isdecimal():
            raise VersionError(text, "packaging has alpha.N, beta.N and rc.N as pre-releases only", len(release))
        packaged += f"{phase}{pre[1]}"
    if build:
        packaged += f"+{'.'.join(build)}"
    try:
        return packaging.version.Version(packaged)
    except packaging.version.InvalidVersion:
        raise VersionError(text, "its build metadata is not a local label of packaging") from None


def _from_semantic_version(foreign: Any) -> str:
    numbers = f"{foreign.major}.{foreign.minor or 0}.{foreign.patch or 0}"
    pre, build = ".".join(foreign.prerelease or ()), ".".join(foreign.build or ())
    return f"{numbers}{f'-{pre}' if pre else ''}{f'+{build}' if build else ''}"


def _from_packaging(foreign: Any) -> str:
    release: tuple[int, ...] = foreign.release
    odd = ["epoch"] if foreign.epoch else [name for name in ("post", "dev") if getattr(foreign, name) is not None]
    if odd or any(release[3:]):
        what = f"its {odd[0]} part" if odd else "its fourth number"
        raise VersionError(str(foreign), f"{what} has no counterpart in a semantic version")
    text = ".".join(map(str, (*release, 0, 0)[:3]))
    if foreign.pre is not None:
        text += f"-{_PHASES[foreign.pre[0]]}.{foreign.pre[1]}"
    return f"{text}+{foreign.local}" if foreign.local else text


def _has(value: object, *names: str) -> bool:
    return all(hasattr(value, name) for name in names)
