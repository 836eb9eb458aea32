"""From selected bundles to the steps of an install plan: one step an object, and lookups for what is still packed.

A bundle whose manifests are known becomes steps: its objects, and the rights that its ClusterServiceVersion asks
for. Another becomes a lookup of its image. A bundle that no subscription asked for brings a Subscription of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

import attrs

from olmsolve.cluster.go_json import go_json
from olmsolve.cluster.objects import (
    OLM_GROUP,
    BundleLookup,
    Condition,
    Fields,
    ManifestLocation,
    Step,
    SubscriptionObject,
)
from olmsolve.cluster.properties_annotation import PROPERTIES_ANNOTATION, WrittenProperty, properties_to_annotation
from olmsolve.cluster.rbac import RBAC_GROUP, PermissionRequests, operator_permissions

__all__ = ["NewOperator", "PlannedSteps", "ordered", "planned_steps"]

_LONGEST_SHOWN: Final = 100
_CSV: Final = "ClusterServiceVersion"
_CRD: Final = "CustomResourceDefinition"
_FIRST: Final = (_CSV, _CRD)

_METADATA_ORDER: Final = (
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
)
# What comes after `replaces` where the shipped program writes the spec of a ClusterServiceVersion.
_AFTER_REPLACES: Final = ("labels", "annotations", "selector", "cleanup", "skips", "relatedImages")

_WAITING: Final = (
    Condition(
        "BundleLookupNotPersisted",
        "True",
        "BundleNotUnpacked",
        "bundle contents have not yet been persisted to installplan status",
    ),
    Condition("BundleLookupPending", "True", "JobNotStarted", "unpack job not yet started"),
)


class _HasKind(Protocol):
    @property
    def kind(self) -> str: ...


_S = TypeVar("_S", bound=_HasKind)


@attrs.frozen
class NewOperator:
    """A bundle that was selected and is not installed yet.

    *replaces* is the installed operator that gives way to it, or what its channel entry replaces. *objects* are its
    manifests where they are known, the ClusterServiceVersion among them; *image* is where they are otherwise.
    """

    name: str
    package: str
    channel: str
    source: str
    source_namespace: str
    replaces: str = ""
    properties: tuple[WrittenProperty, ...] = attrs.field(default=(), repr=False)
    image: str = ""
    objects: tuple[Mapping[str, Any], ...] = attrs.field(default=(), repr=False)


@attrs.frozen
class PlannedSteps:
    """What a resolution comes to: ordered *steps*, *lookups*, and the subscriptions whose currentCSV changed."""

    steps: tuple[Step, ...] = ()
    lookups: tuple[BundleLookup, ...] = ()
    updated: tuple[SubscriptionObject, ...] = ()


def ordered(steps: Iterable[_S]) -> tuple[_S, ...]:
    """*steps*, or whatever has a ``kind``: ClusterServiceVersions, then CRDs, then the rest, each as they came."""
    position_of = {kind: position for position, kind in enumerate(_FIRST)}
    return tuple(sorted(steps, key=lambda step: position_of.get(step.kind, len(_FIRST))))


def planned_steps(
    operators: Iterable[NewOperator],
    subscriptions: Sequence[SubscriptionObject],
    installed: Iterable[str],
    namespace: str,
) -> PlannedSteps:
    """The steps that bring *operators* into *namespace*.

    *subscriptions* are those of the namespace, *installed* the names of its ClusterServiceVersions. An operator is
    passed over where it is there, and every subscription that asks for it has it as its current one already.

    Raises:
        ManifestError: an object of a bundle is none, or its permissions cannot be read.
    """
    present = frozenset(installed)
    steps: list[Step] = []
    lookups: list[BundleLookup] = []
    changed: dict[str, SubscriptionObject] = {}
    for operator in operators:
        asking = [subscription for subscription in subscriptions if _asks_for(subscription, operator)]
        behind = [item for item in asking if item.current_csv != operator.name or operator.name not in present]
        if asking and not behind:
            continue
        if operator.objects:
            steps += _steps_of(operator, namespace)
        else:
            lookups.append(_lookup(operator))
        if not asking:
            steps.append(_subscription_step(operator, namespace))
        for subscription in behind:
            if subscription.current_csv != operator.name:
                changed[subscription.name] = attrs.evolve(subscription, current_csv=operator.name)
    updated = tuple(changed[item.name] for item in subscriptions if item.name in changed)
    return PlannedSteps(ordered(steps), tuple(lookups), updated)


def _asks_for(subscription: SubscriptionObject, operator: NewOperator) -> bool:
    wanted = (subscription.source, subscription.source_namespace)
    return (
        subscription.package == operator.package
        and subscription.channel in ("", operator.channel)
        and wanted in (("", ""), (operator.source, operator.source_namespace))
    )


def _steps_of(operator: NewOperator, namespace: str) -> Iterator[Step]:
    for given in operator.objects:
        kind = given.get("kind")
        location = ManifestLocation("", kind[:_LONGEST_SHOWN] if isinstance(kind, str) else "object", operator.name)
        fields = Fields.of(given, "", location)
        if fields.required_text("kind") != _CSV:
            yield _step(operator, fields, go_json(given, sort_keys=True))
            continue
        csv = _finished(operator, fields, namespace)
        yield _step(operator, fields, go_json(csv))
        yield from _rights(operator, attrs.evolve(fields, values=csv))


def _step(operator: NewOperator, manifest: Fields, text: str) -> Step:
    metadata = manifest.part("metadata")
    group, _, version = manifest.text("apiVersion").rpartition("/")
    kind = manifest.text("kind")
    # Secrets of a bundle are told from those of the cluster by their own kind of step.
    step_kind = "BundleSecret" if kind == "Secret" else kind
    name = metadata.text("name") or metadata.text("generateName")
    return _new_step(operator, step_kind, name, group, version, text)


def _new_step(operator: NewOperator, kind: str, name: str, group: str, version: str, text: str) -> Step:
    """A step that nothing has been done about yet; *text* is the manifest."""
    return Step(
        resolving=operator.name,
        kind=kind,
        name=name,
        group=group,
        version=version,
        manifest=f"{text}\n",
        source=operator.source,
        source_namespace=operator.source_namespace,
        status="Unknown",
    )


def _finished(operator: NewOperator, csv: Fields, namespace: str) -> dict[str, Any]:
    """The ClusterServiceVersion as it is installed: in its namespace, with its properties and what it replaces."""
    given = csv.part("metadata")
    annotations = {
        **given.text_mapping("annotations"),
        PROPERTIES_ANNOTATION: properties_to_annotation(operator.properties),
    }
    metadata = {**given.values, "namespace": namespace, "annotations": dict(sorted(annotations.items()))}
    return {
        **csv.values,
        "metadata": dict(sorted(metadata.items(), key=_metadata_position)),
        "spec": _replacing(csv.raw("spec"), operator.replaces),
    }


def _metadata_position(item: tuple[str, Any]) -> int:
    return _METADATA_ORDER.index(item[0]) if item[0] in _METADATA_ORDER else len(_METADATA_ORDER)


def _replacing(spec: Mapping[str, Any], replaces: str) -> dict[str, Any]:
    kept = {key: value for key, value in spec.items() if key != "replaces"}
    if not replaces:
        return kept
    before = {key: value for key, value in kept.items() if key not in _AFTER_REPLACES}
    return {**before, "replaces": replaces, **{key: kept[key] for key in kept if key in _AFTER_REPLACES}}


def _rights(operator: NewOperator, csv: Fields) -> Iterator[Step]:
    for account, granted in operator_permissions(PermissionRequests.of(csv)).items():
        # Every namespace has this account already.
        if account != "default":
            yield _rbac_step(operator, "", "ServiceAccount", granted.account.name, granted.account.to_dict())
        for role in (*granted.roles, *granted.cluster_roles):
            yield _rbac_step(operator, RBAC_GROUP, role.kind, role.name, role.to_dict())
        for binding in (*granted.bindings, *granted.cluster_bindings):
            yield _rbac_step(operator, RBAC_GROUP, binding.kind, binding.role.name, binding.to_dict())


def _rbac_step(operator: NewOperator, group: str, kind: str, name: str, written: Mapping[str, Any]) -> Step:
    return _new_step(operator, kind, name, group, "v1", go_json(written))


def _lookup(operator: NewOperator) -> BundleLookup:
    return BundleLookup(
        identifier=operator.name,
        path=operator.image,
        replaces=operator.replaces,
        source=operator.source,
        source_namespace=operator.source_namespace,
        properties=properties_to_annotation(operator.properties),
        conditions=_WAITING,
    )


def _subscription_step(operator: NewOperator, namespace: str) -> Step:
    name = f"{operator.package}-{operator.channel}-{operator.source}-{operator.source_namespace}"
    manifest = {
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "source": operator.source,
            "sourceNamespace": operator.source_namespace,
            "name": operator.package,
            "channel": operator.channel,
            "startingCSV": operator.name,
            "installPlanApproval": "Automatic",
        },
        "status": {"lastUpdated": None},
    }
    return _new_step(operator, "Subscription", name, OLM_GROUP, "v1alpha1", go_json(manifest))
