"""The check by which classic OLM lets one CustomResourceDefinition replace another.

As recorded: the new definition must have every stored version, and every object of a version that both definitions
serve must be valid under its new schema. Where the new definition converts by webhook, an invalid object is only
a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._records import Record, documented, record
from olmsolve.cluster.crds.object_validation import Violation, validator
from olmsolve.cluster.crds.schema_tree import parts_of
from olmsolve.cluster.crds.version_order import version_key
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
        listed = ", ".join(map(str, self.violations))
        reasons = f"[{listed}]" if len(self.violations) > 1 else listed
        described = f'{self.api_version}, Kind={self.kind} "{self.key}"'
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
