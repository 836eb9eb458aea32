"""Versions, and the two grammars of version ranges.

:class:`Version` is what every bundle has. Ranges are read by :mod:`olmsolve.semver.blang` (classic OLM, and
``skipRange`` everywhere) and :mod:`olmsolve.semver.masterminds` (the wanted version of an OLM v1 extension).
A :class:`VersionRelease` is what OLM v1 orders bundles by.
"""

from olmsolve.semver.intervals import Interval
from olmsolve.semver.release import VersionRelease
from olmsolve.semver.version import Key, Version

__all__ = ["Interval", "Key", "Version", "VersionRelease"]
