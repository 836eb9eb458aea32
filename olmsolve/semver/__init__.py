"""Versions, and the two grammars of version ranges.

:class:`Version` is what every bundle has. Ranges are read by :mod:`olmsolve.semver.blang` (classic OLM, and
``skipRange`` everywhere) and :mod:`olmsolve.semver.masterminds` (the wanted version of an OLM v1 extension).
A :class:`VersionRelease` is what OLM v1 orders bundles by.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.semver import blang as blang
    from olmsolve.semver import masterminds as masterminds
    from olmsolve.semver.intervals import Interval as Interval
    from olmsolve.semver.intervals import contains as contains
    from olmsolve.semver.quoting import quote as quote
    from olmsolve.semver.release import VersionRelease as VersionRelease
    from olmsolve.semver.version import Key as Key
    from olmsolve.semver.version import Version as Version
else:
    __getattr__, __dir__ = lazily(__name__)
