"""The common root of all objects of a cluster: metadata, conditions, the manifest as read and where it was read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import attrs

from olmsolve._records import Record, field, record
from olmsolve.catalog import Origin
from olmsolve.fields import Fields, Raw

OLM_GROUP: Final = "operators.coreos.com"
"""The API group of classic OLM."""

OLM_API_VERSION: Final[str] = f"{OLM_GROUP}/v1alpha1"
"""The API version of ClusterServiceVersions, Subscriptions, InstallPlans and CatalogSources."""

OLM_V1_GROUP: Final = "olm.operatorframework.io"
"""The API group of OLM v1."""

_NONE: Final[Mapping[str, Any]] = {}


@record(definition="ownerReference", layout=("api_version", ...))
class OwnerReference(Record):
    """The object that another one belongs to, and with which it is deleted."""

    kind: str = field("The kind of the owner.")
    name: str = field("The name of the owner.")
    uid: str = field("The identifier that the cluster gave to the owner.", default="")
    api_version: str = field("The API of the owner.", default="")
    controller: bool = field("Whether the owner controls the object.", default=False)
    block_owner_deletion: bool = field("Whether the owner is kept until the object is gone.", default=False)


@attrs.frozen
class Metadata:
    """An object's ``metadata``; *namespace* is "" for an object of the whole cluster.

    *deletion_timestamp* is "" unless the object is being deleted.
    """

    name: str
    namespace: str = ""
    uid: str = ""
    labels: Mapping[str, str] = _NONE
    annotations: Mapping[str, str] = _NONE
    generation: int = 0
    owner_references: tuple[OwnerReference, ...] = ()
    deletion_timestamp: str = ""
    creation_timestamp: str = ""


@attrs.frozen
class Condition:
    """One of an object's ``status.conditions``; *status* is ``"True"``, ``"False"`` or ``"Unknown"``.

    *observed_generation* is 0 where the condition names no generation.
    """

    type: str
    status: str = ""
    reason: str = ""
    message: str = ""
    last_transition_time: str = ""
    observed_generation: int = 0


@attrs.frozen(kw_only=True)
class ClusterObject:
    """The base of all kinds of objects.

    *raw* is the manifest as read, for values without a field here. It is neither copied nor compared, must not be
    changed, and is empty for objects that were made from fields. *origin* is where the manifest was read.
    """

    KIND: ClassVar[str] = ""
    GROUP: ClassVar[str] = ""
    NAMESPACED: ClassVar[bool] = True

    metadata: Metadata
    raw: Raw = attrs.field(default=_NONE, eq=False, repr=False)
    origin: Origin | None = attrs.field(default=None, eq=False, repr=False)

    @property
    def name(self) -> str:
        return self.metadata.name

    @property
    def namespace(self) -> str:
        return self.metadata.namespace

    @property
    def key(self) -> str:
        """``namespace/name``, or the name alone for an object of the whole cluster."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def __str__(self) -> str:
        return f"{self.KIND} {self.key}"


@attrs.frozen(kw_only=True)
class OtherObject(ClusterObject):
    """An object of a kind that olmsolve does not interpret, kept whole in *raw*."""

    api_version: str
    kind: str

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


def metadata_of(fields: Fields) -> Metadata:
    """Return the metadata of the manifest *fields*, which must have a name."""
    metadata = fields.part("metadata")
    return Metadata(
        name=metadata.required_text("name"),
        namespace=metadata.text("namespace"),
        uid=metadata.text("uid"),
        labels=metadata.text_mapping("labels"),
        annotations=metadata.text_mapping("annotations"),
        generation=metadata.integer("generation"),
        owner_references=tuple(map(_owner, metadata.parts("ownerReferences"))),
        deletion_timestamp=metadata.text("deletionTimestamp"),
        creation_timestamp=metadata.text("creationTimestamp"),
    )


def _owner(fields: Fields) -> OwnerReference:
    return OwnerReference(
        kind=fields.text("kind"),
        name=fields.text("name"),
        uid=fields.text("uid"),
        api_version=fields.text("apiVersion"),
        controller=fields.flag("controller"),
        block_owner_deletion=fields.flag("blockOwnerDeletion"),
    )


def conditions_of(fields: Fields, name: str = "conditions") -> tuple[Condition, ...]:
    """Return the conditions in the list *name* of *fields*."""
    return tuple(
        Condition(
            type=part.text("type"),
            status=part.text("status"),
            reason=part.text("reason"),
            message=part.text("message"),
            last_transition_time=part.text("lastTransitionTime"),
            observed_generation=part.integer("observedGeneration"),
        )
        for part in fields.parts(name)
    )
