"""The common root of all objects of a cluster: metadata, conditions, the manifest as read and where it was read.

A status has at most one condition of each type, and a new one keeps the position of the old.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any, ClassVar, Final

import olmsolve._attrs as attrs
from olmsolve._records import Record, evolve, field, record
from olmsolve.catalog import Origin
from olmsolve.fields import Raw

OLM_GROUP: Final = "operators.coreos.com"
"""The API group of classic OLM."""

OLM_API_VERSION: Final[str] = f"{OLM_GROUP}/v1alpha1"
"""The API version of ClusterServiceVersions, Subscriptions, InstallPlans and CatalogSources."""

OLM_V1_GROUP: Final = "olm.operatorframework.io"
"""The API group of OLM v1."""

# One empty mapping for all objects: thousands of them have no labels, annotations or manifest. Nobody changes it.
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


@record
class Metadata(Record):
    """An object's ``metadata``."""

    name: str = field("The name of the object.", empty="refused")
    namespace: str = field('The namespace of the object; "" for one of the whole cluster.', default="")
    uid: str = field("The identifier that the cluster gave to the object.", default="")
    labels: Mapping[str, str] = field("The labels, by which objects are selected.", default=_NONE)
    annotations: Mapping[str, str] = field("What tools note on the object.", default=_NONE)
    generation: int = field("How often the object has changed.", default=0)
    owner_references: tuple[OwnerReference, ...] = field("The owners of the object.", default=())
    deletion_timestamp: str = field('When its deletion was requested; "" unless it is being deleted.', default="")
    creation_timestamp: str = field("When the object was made.", default="")


@record(definition="condition", about="A condition in a status.")
class Condition(Record):
    """One of an object's ``status.conditions``."""

    type: str = field("What the condition is about.", empty="absent")
    status: str = field("True, False or Unknown.", empty="absent", default="")
    reason: str = field("Why, in one word.", empty="absent", default="")
    message: str = field("Why, in a sentence.", empty="absent", default="")
    last_transition_time: str = field("When the status last changed.", empty="absent", default="")
    observed_generation: int = field(
        "The generation of the object that it is about; 0 where it names none.", empty="absent", default=0
    )


@record(kw_only=True)
class ClusterObject:
    """The base of all kinds of objects, whose fields say where they are in the manifest.

    *raw* is the manifest as read, for values without a field here. It is neither copied nor compared, must not be
    changed, and is empty for objects that were made from fields. *origin* is where the manifest was read.
    """

    # It is no Record, since its fields are a part of the manifest, which the cluster has whole.
    __attrs_attrs__: ClassVar[Any]

    KIND: ClassVar[str] = ""
    GROUP: ClassVar[str] = ""
    NAMESPACED: ClassVar[bool] = True

    metadata: Metadata = field("The name of the object, and what all kinds have beside it.")
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


@record(kw_only=True)
class OtherObject(ClusterObject):
    """An object of a kind that olmsolve does not interpret, kept whole in *raw*."""

    api_version: str
    kind: str

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


def condition_of(conditions: Iterable[Condition], type: str) -> Condition | None:  # noqa: A002 - the field's name
    """Return the first condition of *type*."""
    return next((condition for condition in conditions if condition.type == type), None)


def with_condition(conditions: Iterable[Condition], new: Condition) -> tuple[Condition, ...]:
    """Return *conditions* with *new* in the position of the condition of its type, or at the end.

    The time of transition stays as long as the status stays.
    """
    result, placed = [], False
    for condition in conditions:
        if condition.type != new.type:
            result.append(condition)
        elif not placed:
            placed = True
            time = condition.last_transition_time if condition.status == new.status else new.last_transition_time
            result.append(evolve(new, last_transition_time=time))
    return tuple(result) if placed else (*result, new)


def without_conditions(conditions: Iterable[Condition], types: Container[str]) -> tuple[Condition, ...]:
    """Return *conditions* without the conditions of *types*."""
    return tuple(condition for condition in conditions if condition.type not in types)
