"""The verdicts on a new CustomResourceDefinition: of classic OLM, whose check is here, and of OLM v1 (``v1_upgrade``).

As recorded, classic OLM wants every stored version in the new definition, and every object of a version that both
definitions serve must be valid under its new schema. Where the new definition converts by webhook, an invalid object
is only a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._records import Record, documented, evolve, field, record
from olmsolve.cluster.crds.definition_versions import parts_of, version_key
from olmsolve.cluster.crds.object_validation import Violation, validator
from olmsolve.cluster.crds.v1_upgrade import SchemaChange, upgrade_faults
from olmsolve.cluster.go_text import aggregated
from olmsolve.cluster.objects import CustomResourceDefinition

_OVERRIDDEN: Final = """\
Validation of existing CRs against the new CRD's schema failed, but a webhook conversion strategy was specified in \
the new CRD.
The new webhook will only start after the bundle is upgraded, so we must assume that it will successfully convert \
existing CRs to a format that would have passed validation.

CRD: "{crd}"
Validation Error: {invalid}
"""

Resource = Mapping[str, Any]
"""The manifest of an object whose kind a CustomResourceDefinition defines."""


@attrs.frozen
class InvalidObject:
    """The first object that the new schema refuses: its API, its *key* (``namespace/name``), and the *violations*."""

    api_version: str
    kind: str
    key: str
    violations: tuple[Violation, ...]

    def __str__(self) -> str:
        """Return OLM's message."""
        described = f'{self.api_version}, Kind={self.kind} "{self.key}"'
        reasons = aggregated([str(violation) for violation in self.violations])
        return f"error validating {described}: updated validation is too restrictive: {reasons}"


@record
class ClassicVerdict(Record):
    """The verdict of classic OLM on the new definition *crd*.

    *missing_version* is a stored version that the new definition lacks, "" where it has all; *invalid* is an object
    that its schema refuses. Where the new definition *converts* by webhook, *invalid* is a warning instead.
    """

    crd: str
    missing_version: str = ""
    invalid: InvalidObject | None = None
    converts: bool = False

    @property
    @documented("Whether OLM classic allows the new definition.")
    def allowed(self) -> bool:
        """Whether classic OLM allows the upgrade, perhaps with a :attr:`warning`."""
        return not self.missing_version and (self.invalid is None or self.converts)

    @property
    @documented('Why it refuses the definition, "" where it does not.')
    def reason(self) -> str:
        """OLM's message why the upgrade is refused; "" where it is allowed."""
        if self.missing_version:
            return f'risk of data loss updating "{self.crd}": {missing_version_message(self.missing_version)}'
        if self.invalid is None or self.converts:
            return ""
        return f'error validating existing CRs against new CRD\'s schema for "{self.crd}": {self.invalid}'

    @property
    @documented('What it warns of, "" for nothing.')
    def warning(self) -> str:
        """The text of OLM's event about an invalid object that the webhook is trusted to convert; "" without one."""
        if self.missing_version or self.invalid is None or not self.converts:
            return ""
        return _OVERRIDDEN.format(crd=self.crd, invalid=self.invalid)


def missing_stored_version(stored: Iterable[str], new: Iterable[str]) -> str:
    """Return the least of the *stored* versions that the *new* ones lack, "" where all are there.

    Least means first in the order of API versions, v1alpha1 before v1: Kubernetes gives the two lists no order.
    """
    return min(set(stored) - set(new), key=version_key, default="")


def missing_version_message(version: str) -> str:
    """Return OLM's message about a stored *version* that the new definition lacks."""
    return f"new CRD removes version {version} that is listed as a stored version on the existing CRD"


def invalid_object(
    old: CustomResourceDefinition, new: CustomResourceDefinition, resources: Iterable[Resource]
) -> InvalidObject | None:
    """Return the first of *resources* that the schema of *new* refuses, in the versions that both definitions serve.

    Within a version, objects are judged by namespace and name, as a cluster lists them; objects without a namespace
    come first.

    Raises:
        ManifestError: a schema nests too deep, or a part of it is not a schema.
    """
    served = {version.name for version in old.versions if version.served}
    by_api: dict[str, list[Resource]] = {}
    for resource in resources:
        api_version = resource.get("apiVersion")
        if resource.get("kind") == old.resource_kind and isinstance(api_version, str):
            by_api.setdefault(api_version, []).append(resource)
    for version in new.versions:
        if not version.served or version.name not in served:
            continue
        api_version = f"{old.group}/{version.name}"
        if api_version not in by_api:
            continue
        # Raises where a part is not a schema, with the definition's name.
        parts_of(version, new)
        refused = validator(version.schema)
        for resource in sorted(by_api[api_version], key=_names):
            refusal = refused(resource)
            if refusal:
                return InvalidObject(api_version, old.resource_kind, "/".join(filter(None, _names(resource))), refusal)
    return None


def _names(resource: Resource) -> tuple[str, str]:
    metadata = resource.get("metadata")
    given = metadata if isinstance(metadata, Mapping) else {}
    namespace, name = given.get("namespace"), given.get("name")
    return namespace if isinstance(namespace, str) else "", name if isinstance(name, str) else ""


def upgrade_step(
    old: CustomResourceDefinition, new: CustomResourceDefinition, resources: Iterable[Resource] = ()
) -> ClassicVerdict:
    """Return the verdict of classic OLM when *new* replaces *old* while *resources* exist."""
    return ClassicVerdict(
        new.name,
        missing_stored_version(old.stored_versions, (version.name for version in new.versions)),
        invalid_object(old, new, resources),
        new.conversion == "Webhook",
    )


@record(
    definition="crdUpgradeCheck",
    layout=("crd", "allowed", "classic", "allowed_by_v1", ...),
    groups={"v1": "What OLM v1 says."},
)
class UpgradeCheck(Record):
    """The verdicts of classic OLM and of OLM v1 when a definition replaces another."""

    crd: str = field("The definition.", path="name")
    classic: ClassicVerdict = field("What OLM classic says.")
    faults: tuple[SchemaChange, ...] = field("The changes that it refuses.", path="v1.faults", default=())
    notes: tuple[str, ...] = field("Which input was missing and what stood in for it, a sentence each.", default=())

    @property
    @documented("Whether both generations allow it.")
    def allowed(self) -> bool:
        return self.classic.allowed and self.allowed_by_v1

    @property
    @documented("Whether OLM v1 allows the new definition.", path="v1.allowed")
    def allowed_by_v1(self) -> bool:
        return not self.faults


def check_crd_upgrade(
    old: CustomResourceDefinition, new: CustomResourceDefinition, resources: Iterable[Resource] = ()
) -> UpgradeCheck:
    """Return both verdicts when *new* replaces *old* while *resources*, objects of its kind, exist.

    Where *old* lacks ``status.storedVersions`` (a cluster writes it, a manifest in a bundle has none), its storage
    version stands in.

    Raises:
        ManifestError: a schema nests too deep, or a part of it is not a schema.

    >>> import olmsolve
    >>> from olmsolve.cluster.objects import CustomResourceDefinition
    >>> states = [olmsolve.read_cluster(f"olmsolve/examples/crd/{name}.yaml") for name in ("old", "new")]
    >>> old, new = (state.all(CustomResourceDefinition)[0] for state in states)
    >>> olmsolve.check_crd_upgrade(old, new).faults[0].rule
    'existingFieldRemoval'
    """
    notes: tuple[str, ...] = ()
    if not old.stored_versions:
        stored = tuple(version.name for version in old.versions if version.storage)
        taken = ", ".join(stored) or "none"
        notes = (f"the old definition has no status.storedVersions; its storage version is taken: {taken}",)
        old = evolve(old, stored_versions=stored)
    return UpgradeCheck(new.name, upgrade_step(old, new, resources), upgrade_faults(old, new), notes)


def check_upgrades(
    old: Iterable[CustomResourceDefinition], new: Iterable[CustomResourceDefinition], resources: Sequence[Resource] = ()
) -> tuple[UpgradeCheck, ...]:
    """Return the verdicts on the definitions in *new* that replace one of *old* by name, in the order of *new*."""
    before = {crd.name: crd for crd in old}
    return tuple(check_crd_upgrade(before[crd.name], crd, resources) for crd in new if crd.name in before)
