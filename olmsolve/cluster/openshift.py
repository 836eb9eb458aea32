"""Cluster updates that installed operators block: ``olm.maxOpenShiftVersion``.

A bundle may say up to which minor version of OpenShift it works. A cluster must not be updated to the next
minor version while a bundle is installed that does not reach so far. Patch levels and pre-releases of the
cluster's version count for nothing.

OpenShift 4.23 and 5.0 are the same minor version: 5.1 follows both.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final, Protocol

import attrs

from olmsolve.catalog import Property
from olmsolve.errors import VersionError
from olmsolve.semver import Version

__all__ = ["Blocking", "HasProperties", "blocks_cluster_update", "max_openshift_version", "next_minor"]

PROPERTY: Final = "olm.maxOpenShiftVersion"

_LAST_OF_FOUR: Final = (4, 23)


class HasProperties(Protocol):
    """What is installed: a bundle of a catalog, or an operator of a classic request."""

    @property
    def name(self) -> str: ...

    @property
    def properties(self) -> tuple[Property, ...]: ...


@attrs.frozen
class Blocking:
    """The installed bundle *name* blocks the update to *update*, a minor version (``4.19``).

    *maximum* is the last minor version that it works with; where it is "", *reason* says why the property
    cannot be read.
    """

    name: str
    update: str
    maximum: str = ""
    reason: str = ""

    def __str__(self) -> str:
        if self.maximum:
            return f"{self.name} works up to OpenShift {self.maximum}, and blocks the update to {self.update}"
        return f"{self.name} blocks the update to {self.update}: {self.reason}"

    def to_dict(self) -> dict[str, str]:
        what = {"maximum": self.maximum} if self.maximum else {"reason": self.reason}
        return {"name": self.name, "update": self.update, **what}


def blocks_cluster_update(installed: Iterable[HasProperties], cluster_version: str | Version) -> tuple[Blocking, ...]:
    """Those of *installed*, in the order given, that block the cluster's update to its next minor version.

    A property that cannot be read blocks as well: nobody knows what it allows. *cluster_version* is the
    version that the cluster has, or is being updated to at the moment (read tolerantly).

    Raises:
        VersionError: *cluster_version* is none.
    """
    if isinstance(cluster_version, str):
        cluster_version = Version.parse_tolerant(cluster_version)
    following = next_minor(cluster_version)
    update = _shown(following)
    result = []
    for bundle in installed:
        try:
            maximum = max_openshift_version(bundle.properties)
        except VersionError as error:
            result.append(Blocking(bundle.name, update, reason=error.reason))
            continue
        if maximum is not None and _minor(maximum) < (following.major, following.minor):
            result.append(Blocking(bundle.name, update, maximum=_shown(maximum)))
    return tuple(result)


def next_minor(version: Version) -> Version:
    """The minor version after that of *version*: of 4.18.0 and of 4.18.0-rc.1 alike it is 4.19.0."""
    major, minor = _minor(version)
    return Version(major, minor + 1, 0)


def max_openshift_version(properties: Iterable[Property]) -> Version | None:
    """The last minor version of OpenShift that a bundle with *properties* works with; None if it names none.

    The value is text or a number: ``"4.18"``, 4.18, and ``4`` for 4.0. JSON's 4.10 must come as
    :class:`~decimal.Decimal` to stay what it is: a float has forgotten the zero, and is read as 4.1, which
    errs to the safe side.

    Raises:
        VersionError: the value is no minor version, or there are several such properties.
    """
    values = [item.value for item in properties if item.type == PROPERTY]
    if not values:
        return None
    if len(values) > 1:
        raise VersionError("", f'defining more than one "{PROPERTY}" property is not allowed')
    text = _text(values[0])
    if not text:
        raise VersionError("", 'value cannot be "" (an empty string)')
    try:
        version = Version.parse_tolerant(text)
    except VersionError as error:
        raise VersionError(text, f'failed to parse "{text}" as semver: {error.reason}', error.position) from None
    if version.patch or version.pre:
        reason = f"property {PROPERTY} must specify only <major>.<minor> version, got invalid value {version}"
        raise VersionError(text, reason)
    return attrs.evolve(version, build=())


def _text(value: Any) -> str:
    """The JSON text of *value* without quotation marks around it."""
    if isinstance(value, Decimal):
        return str(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str).strip('"')


def _minor(version: Version) -> tuple[int, int]:
    """Major and minor number, 4.23 as 5.0."""
    numbers = (version.major, version.minor)
    return (5, 0) if numbers == _LAST_OF_FOUR else numbers


def _shown(version: Version) -> str:
    return f"{version.major}.{version.minor}"
