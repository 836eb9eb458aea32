"""Versions, and the two grammars of version ranges.

:class:`Version` is the version of a bundle, :class:`VersionRelease` the pair that OLM v1 orders bundles by.
:class:`BlangRange` is a range of classic OLM and every ``skipRange``; :class:`MastermindsRange` is the range of
versions that an OLM v1 extension accepts.

Read :mod:`.version` (the order of versions as tuples), then :mod:`.intervals` (sets of versions as cuts between such
tuples), then the grammars :mod:`.blang` and :mod:`.masterminds`. :mod:`.release` and :mod:`.quoting` stand alone.
:mod:`.scheme` has versions that are not semantic ones, for other worlds than OLM.
:mod:`.second_opinion` asks semantic-version what it finds in a range.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.semver.blang import BlangRange as BlangRange
    from olmsolve.semver.intervals import Interval as Interval
    from olmsolve.semver.intervals import contains as contains
    from olmsolve.semver.masterminds import MastermindsRange as MastermindsRange
    from olmsolve.semver.quoting import GO_ESCAPES as GO_ESCAPES
    from olmsolve.semver.quoting import quote as quote
    from olmsolve.semver.quoting import well_formed as well_formed
    from olmsolve.semver.reading import read_range as read_range
    from olmsolve.semver.reading import read_version as read_version
    from olmsolve.semver.reading import reading_by as reading_by
    from olmsolve.semver.reading import scheme_in_use as scheme_in_use
    from olmsolve.semver.release import VersionRelease as VersionRelease
    from olmsolve.semver.scheme import NAMED_SCHEMES as NAMED_SCHEMES
    from olmsolve.semver.scheme import SchemeRange as SchemeRange
    from olmsolve.semver.scheme import SchemeVersion as SchemeVersion
    from olmsolve.semver.scheme import UnreadRange as UnreadRange
    from olmsolve.semver.scheme import VersionScheme as VersionScheme
    from olmsolve.semver.second_opinion import RANGE_DIFFERENCES as RANGE_DIFFERENCES
    from olmsolve.semver.second_opinion import KnownDifference as KnownDifference
    from olmsolve.semver.second_opinion import range_difference as range_difference
    from olmsolve.semver.second_opinion import range_opinion as range_opinion
    from olmsolve.semver.version import Key as Key
    from olmsolve.semver.version import Version as Version
else:
    __getattr__, __dir__ = lazily(__name__)
