"""Cluster updates that installed operators and extensions block, by the property ``olm.maxOpenShiftVersion``.

A bundle may publish the last minor version of OpenShift that it works with. A cluster must not be updated to the next
minor version while an installed bundle ends before it. Patch levels and pre-releases of the cluster's version are
ignored. OpenShift 4.23 and 5.0 are the same minor version: 5.1 follows both.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any, Final, Protocol, TypeVar

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve._records import Record, field, record
from olmsolve.cluster.objects import ClusterServiceVersion
from olmsolve.cluster.properties_annotation import PROPERTIES_ANNOTATION, ProjectionError, annotation_to_properties
from olmsolve.errors import VersionError
from olmsolve.predicates import Property
from olmsolve.semver import Version

PROPERTY: Final = "olm.maxOpenShiftVersion"

# The one minor version with two names: 4.23 is 5.0.
_LAST_OF_FOUR: Final = (4, 23)
# OLM's own sentence, with both names of the next version.
_BLOCKED: Final = "ClusterServiceVersions blocking minor version upgrades to 4.23 or major version upgrades to 5.0:"


class HasProperties(Protocol):
    """An installed bundle: a bundle of a catalog, or an installed operator of a classic request."""

    @property
    def name(self) -> str: ...

    @property
    def properties(self) -> tuple[Property, ...]: ...


_T = TypeVar("_T", HasProperties, ClusterServiceVersion)


@record(layout=("name", "namespace", "update", "maximum", "reason"))
class Blocking(Record):
    """An installed bundle that blocks the update to a minor version (``4.19``): by its *maximum*, or for a *reason*."""

    name: str = field("The operator, or the bundle of an extension.")
    update: str = field("The version that it blocks.")
    maximum: str = field("The last minor version that it works with.", empty="absent", default="")
    reason: str = field("Why that is not known: the property cannot be read.", empty="absent", default="")
    namespace: str = field("The namespace of the operator.", empty="absent", default="")

    @property
    def key(self) -> str:
        """``namespace/name``, or the name alone where the namespace is not known."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def __str__(self) -> str:
        if self.maximum:
            return f"{self.key} works up to OpenShift {self.maximum}, and blocks the update to {self.update}"
        return f"{self.key} blocks the update to {self.update}: {self.reason}"


def blocks_cluster_update(installed: Iterable[HasProperties], cluster_version: str | Version) -> tuple[Blocking, ...]:
    """Return the members of *installed* that block the cluster's update to its next minor version, in their order.

    A property that cannot be read blocks as well: it might forbid the update. *cluster_version* is the version that
    the cluster has, or to which it is being updated (read tolerantly).

    Raises:
        VersionError: *cluster_version* is not a version.
    """
    return _blocking(((bundle, "") for bundle in installed), _published_maximum, cluster_version)


def operators_blocking_update(
    csvs: Iterable[ClusterServiceVersion], cluster_version: str | Version
) -> tuple[Blocking, ...]:
    """Return the operators in *csvs* that block the cluster's update to its next minor version, in their order.

    The property is in each operator's annotation of properties; an annotation that cannot be read blocks. Copies are
    passed over: the operators that they show are judged themselves.

    Raises:
        VersionError: *cluster_version* is not a version.
    """
    return _blocking(((csv, csv.namespace) for csv in csvs if not csv.is_copied), _written_maximum, cluster_version)


def blocking_message(blocking: Sequence[Blocking]) -> str:
    """Return the message of the cluster's ``Upgradeable`` condition about *blocking*; "" where nothing blocks.

    As recorded: operators whose property cannot be read come first, then the others from the last to the first; and
    the versions in the first line are the same whatever the cluster's version is.
    """
    if not blocking:
        return ""
    unreadable = [
        f"- {operator.key} has invalid {PROPERTY} properties: {operator.reason}"
        for operator in blocking
        if not operator.maximum
    ]
    limited = [
        f"- maximum supported OCP version for {operator.key} is {operator.maximum}"
        for operator in blocking
        if operator.maximum
    ]
    return "\n".join((_BLOCKED, *unreadable, *reversed(limited)))


def next_minor(version: Version) -> Version:
    """Return the minor version after *version*: 4.19.0 after 4.18.0, and also after 4.18.0-rc.1."""
    major, minor = _minor(version)
    return Version(major, minor + 1, 0)


def next_update(cluster_version: str | Version) -> str:
    """Return the minor version to which a cluster of *cluster_version* is updated next: ``4.19`` after 4.18.3.

    Raises:
        VersionError: *cluster_version* is not a version.
    """
    return minor_text(_following(cluster_version))


def _following(cluster_version: str | Version) -> Version:
    return next_minor(Version.parse_tolerant(cluster_version) if isinstance(cluster_version, str) else cluster_version)


def minor_text(version: Version) -> str:
    """Return *version* as a minor version in messages: ``4.19``."""
    return f"{version.major}.{version.minor}"


def normalised(version: Version) -> Version:
    """Return the minor version that *version* belongs to; 4.23 is 5.0.0."""
    return Version(*_minor(version), 0)


def max_openshift_version(properties: Iterable[Property]) -> Version | None:
    """Return the last minor version of OpenShift that a bundle with *properties* works with; None without the property.

    The value is text or a number: ``"4.18"``, 4.18, and ``4`` for 4.0. JSON's 4.10 must come as
    :class:`~decimal.Decimal` to stay 4.10: as a float it has lost the zero and is read as 4.1, which errs to the
    safe side.

    Raises:
        VersionError: the value is not a minor version, or the property is there twice.
    """
    return _maximum([_text(property_.value) for property_ in properties if property_.type == PROPERTY])


def _blocking(
    installed: Iterable[tuple[_T, str]], maximum_of: Callable[[_T], Version | None], cluster_version: str | Version
) -> tuple[Blocking, ...]:
    """Return the blocking members of *installed*, pairs of a bundle and its namespace; *maximum_of* reads a maximum."""
    following = _following(cluster_version)
    update = minor_text(following)
    result = []
    for csv, namespace in installed:
        try:
            maximum = maximum_of(csv)
        except (ProjectionError, VersionError) as error:
            result.append(Blocking(csv.name, update, reason=error.reason, namespace=namespace))
            continue
        if maximum is not None and _minor(maximum) < (following.major, following.minor):
            result.append(Blocking(csv.name, update, maximum=minor_text(maximum), namespace=namespace))
    return tuple(result)


def _published_maximum(bundle: HasProperties) -> Version | None:
    return max_openshift_version(bundle.properties)


def _written_maximum(csv: ClusterServiceVersion) -> Version | None:
    """Return the maximum in the annotation of *csv*, where a number is still text: 4.10 stays 4.10."""
    annotation = csv.metadata.annotations.get(PROPERTIES_ANNOTATION)
    if annotation is None:
        return None
    return _maximum(
        [property_.text.strip('"') for property_ in annotation_to_properties(annotation) if property_.type == PROPERTY]
    )


def _maximum(texts: Sequence[str]) -> Version | None:
    if not texts:
        return None
    if len(texts) > 1:
        raise VersionError("", f'defining more than one "{PROPERTY}" property is not allowed')
    text = texts[0]
    if not text:
        raise VersionError("", 'value cannot be "" (an empty string)')
    try:
        version = Version.parse_tolerant(text)
    except VersionError as error:
        raise VersionError(text, f'failed to parse "{text}" as semver: {error.reason}', error.position) from None
    if version.patch or version.pre:
        reason = f"property {PROPERTY} must specify only <major>.<minor> version, got invalid value {version}"
        raise VersionError(text, reason)
    # Build metadata is allowed and ignored.
    return attrs.evolve(version, build=())


def _text(value: Any) -> str:
    """Return the JSON text of *value* without quotation marks around it."""
    if isinstance(value, Decimal):
        return str(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str).strip('"')


def _minor(version: Version) -> tuple[int, int]:
    """Return the major and minor number of *version*, with 4.23 as 5.0."""
    numbers = (version.major, version.minor)
    return (5, 0) if numbers == _LAST_OF_FOUR else numbers


_UNKNOWN: Final = "unknown, since no catalog of the request has the bundle"


def extensions_block_cluster_update(
    requests: Iterable[v1.ExtensionRequest], cluster_version: str | Version
) -> tuple[Blocking, ...]:
    """Return the installed bundles of *requests* that block the cluster's update to its next minor version.

    The properties of a bundle are looked up in all catalogs of its request. A bundle that is in none of them any more
    blocks as well, as unknown: its property might forbid the update. See :func:`blocks_cluster_update`.

    Raises:
        VersionError: *cluster_version* is not a version.
        SelectorError: Kubernetes refuses the selector of a request.
    """
    following = _following(cluster_version)
    result: list[Blocking] = []
    for request in requests:
        bundle = v1.installed_bundle(request)
        if bundle is not None:
            result.extend(blocks_cluster_update([bundle], cluster_version))
        elif request.installed is not None:
            result.append(Blocking(request.installed.name, minor_text(following), reason=_UNKNOWN))
    return tuple(result)
