"""System constraints that follow from a cluster: from its operator groups and its versions.

Missing information refuses no candidate: a bundle whose properties do not hold its operator (CSV) is not refused for
its install modes.
"""

from __future__ import annotations

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve._arguments import must_be, wrong_type
from olmsolve.cluster.apis import Api, Apis
from olmsolve.cluster.objects import ClusterServiceVersion
from olmsolve.cluster.openshift import max_openshift_version, minor_text, normalised
from olmsolve.cluster.operator_groups import (
    NO_TARGETS,
    ApiChange,
    ClusterGroups,
    GroupReason,
    GroupSurface,
    Refusal,
    apis_among,
    group_of,
    groups_as_written,
    mode_refusal,
)
from olmsolve.cluster.snapshot import bundle_csv
from olmsolve.cluster.state import ClusterState
from olmsolve.eligibility import CandidateFacts, Eligibility, Remedy
from olmsolve.errors import VersionError
from olmsolve.predicates import GVK, published
from olmsolve.semver import Version

# All constraints judge one candidate before the next, and reading its operator takes a quarter of a millisecond. The
# last one read serves them all. It is one tuple, so that threads replace it as a whole.
_last_read: tuple[CandidateFacts, ClusterServiceVersion | None] | None = None


def candidate_csv(candidate: CandidateFacts) -> ClusterServiceVersion | None:
    """Return the operator that *candidate* would put on the cluster, None where its properties do not say.

    Raises:
        ManifestError: the properties hold a value of the wrong type.
    """
    global _last_read
    last = _last_read
    if last is not None and last[0] is candidate:
        return last[1]
    csv = bundle_csv(candidate.name, candidate.properties)
    _last_read = candidate, csv
    return csv


def candidate_apis(candidate: CandidateFacts) -> Apis:
    """Return the APIs that *candidate* provides, by its ``olm.gvk`` properties."""
    return frozenset(map(Api.from_gvk, published(candidate.package, candidate.properties).gvks))


def _version(value: str | Version) -> Version:
    """Return *value* as a version, text read tolerantly; raise a VersionError where it cannot be read."""
    if isinstance(value, Version):
        return value
    if not isinstance(value, str):
        raise wrong_type(value, "a version or its text", "cluster_version")
    return Version.parse_tolerant(value)


@attrs.frozen
class NothingMayAct:
    """The constraint of *namespace*, where no operator may act: it refuses every candidate for one *refusal*."""

    refusal: Refusal
    namespace: str = ""

    def __call__(self, candidate: CandidateFacts, /) -> str:
        return str(self.refusal)

    def remedy(self, candidate: CandidateFacts, /) -> Remedy | None:
        """Return the group to create or change; None where one of several groups has to be chosen."""
        if self.refusal.reason is GroupReason.SEVERAL_GROUPS:
            return None
        verb = "create an" if self.refusal.reason is GroupReason.NO_GROUP else "let the"
        return _group_remedy(verb, candidate, self.namespace)


@attrs.frozen
class SupportsTargets:
    """The constraint that install modes support *targets*, the targets of the operator group in *namespace*."""

    namespace: str
    targets: tuple[str, ...]

    def __call__(self, candidate: CandidateFacts, /) -> str:
        csv = candidate_csv(candidate)
        if csv is None:
            return ""
        refusal = mode_refusal(csv, self.namespace, self.targets)
        return str(refusal) if refusal is not None else ""

    def remedy(self, candidate: CandidateFacts, /) -> Remedy | None:
        """Return the targets that the operator of *candidate* supports; None if it supports no mode."""
        return _group_remedy("let the", candidate, self.namespace)


@attrs.frozen
class ApisFitGroup:
    """The constraint that an operator's APIs fit *group*, the operator group of its namespace.

    It refuses operators with an API that one of *others*, the intersecting groups, provides, and operators for which a
    static group would have to change. An API in the group's own annotation is allowed: the group has it for an
    operator that is there.
    """

    group: GroupSurface
    others: tuple[GroupSurface, ...] = ()
    is_static: bool = False

    def __call__(self, candidate: CandidateFacts, /) -> str:
        verdict = apis_among(candidate_apis(candidate), self.group, self.others, is_static=self.is_static)
        if verdict.refusal is None:
            return ""
        if verdict.change is ApiChange.CONFLICT:
            named = sorted(f"{api} (group {other.key})" for api, other in verdict.contested)
        else:
            named = sorted(map(str, verdict.changed))
        return f"{verdict.refusal}: {', '.join(named)}"


@attrs.frozen
class WorksOnOpenShift:
    """The constraint that ``olm.maxOpenShiftVersion`` is at least the minor version of the cluster."""

    cluster_version: Version = attrs.field(converter=_version)

    def __call__(self, candidate: CandidateFacts, /) -> str:
        try:
            maximum = max_openshift_version(candidate.properties)
        except VersionError as error:
            return f"invalid olm.maxOpenShiftVersion: {error.reason}"
        cluster = normalised(self.cluster_version)
        if maximum is None or normalised(maximum) >= cluster:
            return ""
        return f"it works up to OpenShift {minor_text(maximum)}, and the cluster has {minor_text(self.cluster_version)}"


@attrs.frozen
class WorksOnKubernetes:
    """The constraint that ``minKubeVersion`` is at most the Kubernetes version of the cluster.

    Only the three numbers count: ``v1.30.0-eks-1`` and ``1.30.0+k3s1`` are 1.30.0.
    """

    cluster_version: Version = attrs.field(converter=_version)

    def __call__(self, candidate: CandidateFacts, /) -> str:
        csv = candidate_csv(candidate)
        if csv is None or not csv.min_kube_version:
            return ""
        try:
            minimum = Version.parse_tolerant(csv.min_kube_version)
        except VersionError as error:
            return f"invalid minKubeVersion {csv.min_kube_version!r}: {error.reason}"
        if _numbers(minimum) <= _numbers(self.cluster_version):
            return ""
        has = ".".join(map(str, _numbers(self.cluster_version)))
        return f"it needs Kubernetes {csv.min_kube_version}, and the cluster has {has}"

    def remedy(self, candidate: CandidateFacts, /) -> Remedy | None:
        """Return the update of the cluster that *candidate* needs; None if its version cannot be read."""
        csv = candidate_csv(candidate)
        if csv is None:
            return None
        try:
            needed = WorksOnKubernetes(csv.min_kube_version)
        except VersionError:
            return None
        return Remedy(f"update the cluster to Kubernetes {csv.min_kube_version}", needed)


@attrs.frozen
class PackageIsTaken:
    """The constraint on an extension whose package *extension* has already: OLM v1 installs no package twice.

    As documented for OLM v1, an object such as a CustomResourceDefinition is owned by a single ClusterExtension. A
    bundle whose definitions are named is not refused: :class:`olmsolve.cluster.extensions.ObjectsAreOwned` judges them.
    As recorded, two bundles that share nothing are both installed.
    """

    extension: str

    def __call__(self, candidate: CandidateFacts, /) -> str:
        if v1.bundle_content(candidate).spec is not None:
            return ""  # the definitions that the bundles share are known, and decide
        return (
            f"ClusterExtension {self.extension} has package {candidate.package} already;"
            " that extension has to give up the objects of its bundle first"
        )


@attrs.frozen
class ApisAreTaken:
    """The constraint on an extension whose bundles would provide an API that somebody else on the cluster *owns*.

    *owners* are pairs of an API and its owner in words. As documented for OLM v1, an object such as a
    CustomResourceDefinition is owned by a single ClusterExtension.
    """

    owners: tuple[tuple[GVK, str], ...]

    def __call__(self, candidate: CandidateFacts, /) -> str:
        if v1.bundle_content(candidate).spec is not None:
            return ""  # the names of its definitions are known, and decide
        provided = published(candidate.package, candidate.properties).gvks
        for gvk, owner in self.owners:
            if gvk in provided:
                reason = f"{owner} provides the API {gvk}, and its definition belongs to one owner"
                return f"{reason}, who has to give it up first"
        return ""


def group_eligibility(cluster: ClusterState | ClusterGroups, namespace: str) -> tuple[Eligibility, ...]:
    """Return the constraints that the operator group of *namespace* puts on its operators.

    A group whose status has no targets counts with the targets of its specification, as in
    :func:`~olmsolve.cluster.operator_groups.check_operator_groups`; a :class:`ClusterGroups` is taken as it is. Unless
    *namespace* has exactly one group, and that group has targets, every candidate is refused.

    >>> import olmsolve
    >>> state = olmsolve.read_cluster("olmsolve/examples/plan/cluster.yaml")
    >>> [type(constraint).__name__ for constraint in olmsolve.group_eligibility(state, "shop")]
    ['SupportsTargets', 'ApisFitGroup']
    """
    must_be(namespace, "str", "namespace")
    if not isinstance(cluster, ClusterState | ClusterGroups):
        raise wrong_type(cluster, "a ClusterState or a ClusterGroups", "cluster")
    groups = cluster if isinstance(cluster, ClusterGroups) else groups_as_written(cluster)
    group = group_of(namespace, groups)
    if isinstance(group, Refusal):
        return (NothingMayAct(group, namespace),)
    if not group.namespaces:
        return (NothingMayAct(NO_TARGETS, namespace),)
    surface = groups.surface(group)
    return (
        SupportsTargets(namespace, tuple(sorted(group.namespaces))),
        ApisFitGroup(surface, groups.intersecting(surface), group.static_provided_apis),
    )


def cluster_eligibility(
    cluster: ClusterState | ClusterGroups | None,
    namespace: str,
    *,
    kubernetes: str | Version | None = None,
    openshift: str | Version | None = None,
) -> tuple[Eligibility, ...]:
    """Return all constraints on *namespace*: from its operator group and from the cluster's versions.

    Without a *cluster*, operator groups constrain nothing; without a version, that version constrains nothing.

    Raises:
        VersionError: *kubernetes* or *openshift* is not a version.

    >>> import olmsolve
    >>> state = olmsolve.read_cluster("olmsolve/examples/plan/cluster.yaml")
    >>> len(olmsolve.cluster_eligibility(state, "shop", kubernetes="1.30"))
    3
    """
    must_be(namespace, "str", "namespace")
    constraints = [] if cluster is None else list(group_eligibility(cluster, namespace))
    if kubernetes is not None:
        constraints.append(WorksOnKubernetes(kubernetes))
    if openshift is not None:
        constraints.append(WorksOnOpenShift(openshift))
    return tuple(constraints)


def _group_remedy(verb: str, candidate: CandidateFacts, namespace: str) -> Remedy | None:
    """Return the remedy that *verb* operator group of *namespace* targets what *candidate* supports; None if nothing.

    A bundle whose properties do not hold its operator is not refused for its install modes.
    """
    csv = candidate_csv(candidate)
    supported = {mode.type for mode in csv.install_modes if mode.supported} if csv is not None else {"AllNamespaces"}
    for mode, targets, description in (
        ("AllNamespaces", ("",), "all namespaces"),
        ("OwnNamespace", (namespace,), f"{namespace} alone"),
        ("SingleNamespace", None, "one other namespace"),
        ("MultiNamespace", None, "several namespaces"),
    ):
        if mode in supported:
            where = f"in namespace {namespace} that targets" if verb.startswith("create") else f"of {namespace} target"
            constraint = None if targets is None else SupportsTargets(namespace, targets)
            return Remedy(f"{verb} operator group {where} {description}", constraint)
    return None


def _numbers(version: Version) -> tuple[int, int, int]:
    return version.major, version.minor, version.patch
