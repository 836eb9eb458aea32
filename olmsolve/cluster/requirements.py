"""The requirements of an operator that OLM checks on the cluster, before it installs the operator and ever after.

OLM asks the API server for each definition that the operator owns or requires. It must exist and be established, and a
required one must serve the version that the operator names. A definition that OLM has installed names the operators
that it came with. If it names an older one, an operator that replaces this one and also owns the definition waits until
it is named itself: before that, its own step of the plan has not been carried out.

Objects show missing definitions only if the definitions of a cluster were dumped; such a dump has OLM's own, too. No
dump has rights and accounts: they are assumed to be in order unless OLM has written that they are not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final

from olmsolve._records import evolve
from olmsolve.cluster.objects import (
    OLM_GROUP,
    ClusterServiceVersion,
    CrdDescription,
    CustomResourceDefinition,
    RequirementStatus,
    condition_of,
)
from olmsolve.errors import VersionError
from olmsolve.semver import Version

REQUIREMENTS_NOT_MET: Final = "RequirementsNotMet"
"""OLM's reason for an operator that is Pending because of a requirement."""

NOT_PRESENT: Final = "NotPresent"
NOT_SATISFIED: Final = "PresentNotSatisfied"
_ALONGSIDE: Final = "operatorframework.io/installed-alongside-"
_FINE: Final = frozenset({"Present", "DeploymentFound", "Satisfied"})


class Definitions:
    """The definitions of a cluster by name, and whether all of them are known."""

    def __init__(self, crds: Iterable[CustomResourceDefinition]) -> None:
        self._crds = {crd.name: crd for crd in crds}
        # By name and namespace: see `_installed_with`, which reads all annotations of a definition.
        self._operators: dict[tuple[str, str], list[str]] = {}
        self.is_complete: bool = any(crd.group == OLM_GROUP for crd in self._crds.values())
        """Whether a definition that is not among them is not on the cluster."""

    def serves(self, group: str, kind: str) -> bool:
        """Return whether a definition of the kind is there, or may be because not all are known."""
        present = any((crd.group, crd.resource_kind) == (group, kind) for crd in self._crds.values())
        return present or not self.is_complete

    def fault(
        self,
        name: str,
        owner: ClusterServiceVersion | None = None,
        older: Callable[[], Collection[str]] = tuple,
        versions: Collection[str] = (),
    ) -> RequirementStatus | None:
        """Return OLM's finding on the definition *name* where it does not do: it must serve each of the *versions*.

        *owner* is the operator that installs it, None where it is only required. *older* finds the operators of the
        namespace that *owner* replaces, where they matter.
        """
        crd = self._crds.get(name)
        kind = CustomResourceDefinition.KIND
        if crd is None:
            return RequirementStatus(kind, name, NOT_PRESENT) if self.is_complete else None
        established = condition_of(crd.conditions, "Established")
        if established is not None and established.status != "True":
            return RequirementStatus(kind, name, NOT_SATISFIED, "it is not established")
        served = {version.name for version in crd.versions if version.served}
        if served and not served.issuperset(versions):
            return RequirementStatus(kind, name, NOT_PRESENT, "CRD version not served")
        if owner is None:
            return None
        # 0.1 µs, in place of 0.5 for a definition with one operator and 1.3 with five: each pass asks for each
        # operator.
        key = name, owner.namespace
        owner_names = self._operators.get(key)
        if owner_names is None:
            owner_names = self._operators[key] = _installed_with(crd, owner.namespace)
        if not owner_names or owner.name in owner_names:
            return None
        replaced = older()
        others = [other for other in owner_names if other in replaced]
        if others:
            message = f"CRD installed alongside other CSV(s): {', '.join(others)}"
            return RequirementStatus(kind, name, NOT_SATISFIED, message)
        return None


def installed_with(crd: CustomResourceDefinition, namespace: str, *names: str) -> CustomResourceDefinition:
    """Return *crd* as OLM leaves it after it has installed it with the operators *names* of *namespace*."""
    present = _installed_with(crd, namespace)
    values = [f"{namespace}/{name}" for name in names if name not in present]
    # OLM's own keys end in another digest; what counts is the value.
    added = {f"{_ALONGSIDE}{hashlib.sha256(value.encode()).hexdigest()[:16]}": value for value in values}
    annotations = {**crd.metadata.annotations, **added}
    return evolve(crd, metadata=evolve(crd.metadata, annotations=annotations)) if added else crd


def _installed_with(crd: CustomResourceDefinition, namespace: str) -> list[str]:
    """Return the operators of *namespace* that *crd* says it was installed with."""
    names = (value for key, value in crd.metadata.annotations.items() if key.startswith(_ALONGSIDE))
    return sorted(name for home, _, name in (value.partition("/") for value in names) if home == namespace)


def unmet_on_cluster(
    csv: ClusterServiceVersion,
    definitions: Definitions,
    kubernetes: Version | None,
    older: Callable[[], Collection[str]],
) -> Iterator[RequirementStatus]:
    """Yield the requirements of *csv* that the cluster does not meet: definitions, and the version of Kubernetes.

    *older* finds the operators of its namespace that *csv* replaces, directly or one after the other. Where OLM has
    found requirements of other kinds unmet, they are yielded as OLM wrote them.
    """
    faults = [
        definitions.fault(name, csv, older) for name in dict.fromkeys(owned_crd.name for owned_crd in csv.owned_crds)
    ]
    faults += [definitions.fault(name, versions=versions) for name, versions in _versions(csv.required_crds).items()]
    yield from (fault for fault in faults if fault is not None)
    if kubernetes is not None and csv.min_kube_version and _is_below(kubernetes, csv.min_kube_version):
        message = f"minKubeVersion ({csv.min_kube_version}) is above the version of the cluster ({kubernetes})"
        yield RequirementStatus(ClusterServiceVersion.KIND, csv.name, NOT_SATISFIED, message)
    if csv.reason == REQUIREMENTS_NOT_MET:
        for requirement in csv.requirements:
            judged = requirement.kind == CustomResourceDefinition.KIND
            judged = judged or (requirement.kind == ClusterServiceVersion.KIND and kubernetes is not None)
            if is_unmet(requirement) and not judged:
                yield requirement


def _versions(described: Iterable[CrdDescription]) -> dict[str, list[str]]:
    """Map the name of each definition that is *described* to the versions that an operator names of it."""
    versions: dict[str, list[str]] = {}
    for version in described:
        versions.setdefault(version.name, []).append(version.version)
    return versions


def is_unmet(requirement: RequirementStatus) -> bool:
    """Return whether OLM's finding *requirement* keeps an operator from being installed."""
    # An operator that states no version of Kubernetes gets NotPresent for it, which counts as met.
    states_nothing = requirement.kind == ClusterServiceVersion.KIND and requirement.status == NOT_PRESENT
    return requirement.status not in _FINE and not states_nothing


def _is_below(kubernetes: Version, minimum: str) -> bool:
    """Return whether *kubernetes* is below *minimum*; only the three numbers count, as in ``v1.30.0-eks-1``."""
    try:
        needed = Version.parse_tolerant(minimum)
    except VersionError:
        # OLM cannot compare with it either, and counts it as unmet.
        return True
    return (kubernetes.major, kubernetes.minor, kubernetes.patch) < (needed.major, needed.minor, needed.patch)
