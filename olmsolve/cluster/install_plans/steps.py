"""From selected bundles to the steps of an install plan: one step an object, and a lookup for each packed bundle.

A bundle with known manifests becomes steps: its objects, and the roles and bindings for the permissions in its
ClusterServiceVersion. A bundle that is only known by its image becomes a lookup. A bundle that no subscription wants
(a dependency) brings a Subscription of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._records import evolve
from olmsolve.cluster.go_text import go_json
from olmsolve.cluster.hindrances import RequirementUnmet
from olmsolve.cluster.objects import OLM_GROUP, BundleLookup, Condition, Step, SubscriptionObject
from olmsolve.cluster.properties_annotation import PROPERTIES_ANNOTATION, WrittenProperty, properties_to_annotation
from olmsolve.cluster.rbac import RBAC_GROUP, PermissionRequests, operator_permissions
from olmsolve.fields import Fields, ManifestLocation

# A manifest's kind is a stranger's text: a megabyte of it would fill the message about the manifest.
_LONGEST_SHOWN: Final = 100
_CSV: Final = "ClusterServiceVersion"
_CRD: Final = "CustomResourceDefinition"
_FIRST: Final = (_CSV, _CRD)

# The order of ObjectMeta in Go: a step holds its manifest as text, so that the order of fields counts.
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
# Fields after `replaces` where OLM writes the spec of a ClusterServiceVersion, in the order of its Go struct.
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
    """A selected bundle that is not installed yet.

    *replaces* is the installed operator that gives way to the bundle, or what its channel entry replaces. *objects*
    are its manifests, the ClusterServiceVersion among them, () where they are not known; *image* then holds them.
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
    """The work that a resolution means: ordered *steps*, *lookups*, and the subscriptions whose currentCSV changes.

    *unmet* are the requirements of installed operators that the steps would meet, where they make no plan.
    """

    steps: tuple[Step, ...] = ()
    lookups: tuple[BundleLookup, ...] = ()
    updated: tuple[SubscriptionObject, ...] = ()
    unmet: tuple[RequirementUnmet, ...] = ()


def ordered(steps: Iterable[_S]) -> tuple[_S, ...]:
    """Sort *steps* (or other values with a ``kind``): ClusterServiceVersions, then CRDs, then the rest.

    Within each of the three, the given order stays.
    """
    # As recorded (order_steps). A definition has to be there before the objects of its kind among the rest.
    position_of = {kind: position for position, kind in enumerate(_FIRST)}
    return tuple(sorted(steps, key=lambda step: position_of.get(step.kind, len(_FIRST))))


def planned_steps(
    operators: Iterable[NewOperator],
    subscriptions: Sequence[SubscriptionObject],
    installed: Iterable[str],
    namespace: str,
) -> PlannedSteps:
    """Return the steps that bring *operators* into *namespace*.

    *subscriptions* are the namespace's subscriptions, *installed* the names of its ClusterServiceVersions. An operator
    needs no steps where it is installed and is the current one of every subscription that wants it.

    Raises:
        ManifestError: an object of a bundle is not a manifest, or its permissions cannot be read.
    """
    present = frozenset(installed)
    steps: list[Step] = []
    lookups: list[BundleLookup] = []
    changed: dict[str, SubscriptionObject] = {}
    for operator in checked(operators):
        wanting = [subscription for subscription in subscriptions if _wants(subscription, operator)]
        behind = [csv for csv in wanting if csv.current_csv != operator.name or operator.name not in present]
        if wanting and not behind:
            continue
        if operator.objects:
            steps += _steps_of(operator, namespace)
        else:
            lookups.append(
                BundleLookup(
                    identifier=operator.name,
                    path=operator.image,
                    replaces=operator.replaces,
                    source=operator.source,
                    source_namespace=operator.source_namespace,
                    properties=properties_to_annotation(operator.properties),
                    conditions=_WAITING,
                )
            )
        if not wanting:
            steps.append(_subscription_step(operator, namespace))
        for subscription in behind:
            # An operator that somebody deleted is installed once more, but its subscriptions name it already.
            if subscription.current_csv != operator.name:
                changed[subscription.name] = evolve(subscription, current_csv=operator.name)
    updated = tuple(changed[wish.name] for wish in subscriptions if wish.name in changed)
    return PlannedSteps(ordered(steps), tuple(lookups), updated)


def _wants(subscription: SubscriptionObject, operator: NewOperator) -> bool:
    """Return whether *subscription* wants the package of *operator*, from its channel and its catalog."""
    source = (subscription.source, subscription.source_namespace)
    return (
        subscription.package == operator.package
        and subscription.channel in ("", operator.channel)
        and source in (("", ""), (operator.source, operator.source_namespace))
    )


def _steps_of(operator: NewOperator, namespace: str) -> Iterator[Step]:
    """Yield the steps for the manifests of *operator*, and after its ClusterServiceVersion the steps for its rights."""
    for given in operator.objects:
        kind = given.get("kind")
        location = ManifestLocation("", kind[:_LONGEST_SHOWN] if isinstance(kind, str) else "object", operator.name)
        fields = Fields.read(given, "", location)
        if fields.required_text("kind") != _CSV:
            # OLM holds other manifests as maps, whose keys Go sorts, and a ClusterServiceVersion as a struct, whose
            # fields keep their order. Steps are compared as text.
            yield _step(operator, fields, go_json(given, sort_keys=True))
            continue
        csv = _installed_csv(operator, fields, namespace)
        yield _step(operator, fields, go_json(csv))
        yield from _permission_steps(operator, attrs.evolve(fields, values=csv))


def _step(operator: NewOperator, manifest: Fields, text: str) -> Step:
    metadata = manifest.part("metadata")
    group, _, version = manifest.text("apiVersion").rpartition("/")
    kind = manifest.text("kind")
    # OLM gives Secrets of a bundle their own kind of step, apart from Secrets of the cluster.
    step_kind = "BundleSecret" if kind == "Secret" else kind
    name = metadata.text("name") or metadata.text("generateName")
    return _new_step(operator, step_kind, name, group, version, text)


def _new_step(operator: NewOperator, kind: str, name: str, group: str, version: str, text: str) -> Step:
    """Return a step that OLM has not carried out yet; *text* is the manifest."""
    return Step(
        resolving=operator.name,
        kind=kind,
        name=name,
        group=group,
        version=version,
        # Go's encoder of JSON ends each text with a newline.
        manifest=f"{text}\n",
        source=operator.source,
        source_namespace=operator.source_namespace,
        status="Unknown",
    )


def _installed_csv(operator: NewOperator, csv: Fields, namespace: str) -> dict[str, Any]:
    """Return *csv* as OLM installs it: in *namespace*, with the properties and *replaces* of *operator*."""
    given = csv.part("metadata")
    annotations = {
        **given.text_mapping("annotations"),
        PROPERTIES_ANNOTATION: properties_to_annotation(operator.properties),
    }
    metadata = {**given.values, "namespace": namespace, "annotations": dict(sorted(annotations.items()))}
    return {
        **csv.values,
        "metadata": dict(sorted(metadata.items(), key=_metadata_position)),
        "spec": _with_replaces(csv.raw("spec"), operator.replaces),
    }


def _metadata_position(field: tuple[str, Any]) -> int:
    return _METADATA_ORDER.index(field[0]) if field[0] in _METADATA_ORDER else len(_METADATA_ORDER)


def _with_replaces(spec: Mapping[str, Any], replaces: str) -> dict[str, Any]:
    """Return *spec* with the field *replaces* in its place (the order of fields counts: the text is compared)."""
    kept = {key: value for key, value in spec.items() if key != "replaces"}
    if not replaces:
        return kept
    before = {key: value for key, value in kept.items() if key not in _AFTER_REPLACES}
    return {**before, "replaces": replaces, **{key: kept[key] for key in kept if key in _AFTER_REPLACES}}


def _permission_steps(operator: NewOperator, csv: Fields) -> Iterator[Step]:
    """Yield the steps for the service accounts, roles and bindings that *csv* requires."""
    for account, granted in operator_permissions(PermissionRequests.of(csv)).items():
        # Every namespace has the account "default" already.
        if account != "default":
            yield _rbac_step(operator, "", "ServiceAccount", granted.account.name, granted.account.to_dict())
        for role in (*granted.roles, *granted.cluster_roles):
            yield _rbac_step(operator, RBAC_GROUP, role.kind, role.name, role.to_dict())
        for binding in (*granted.bindings, *granted.cluster_bindings):
            yield _rbac_step(operator, RBAC_GROUP, binding.kind, binding.role.name, binding.to_dict())


def _rbac_step(operator: NewOperator, group: str, kind: str, name: str, manifest: Mapping[str, Any]) -> Step:
    return _new_step(operator, kind, name, group, "v1", go_json(manifest))


def _subscription_step(operator: NewOperator, namespace: str) -> Step:
    """Return the step for the Subscription that a dependency brings; its name is as OLM generates it."""
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
        # Go writes the empty time of the struct as null.
        "status": {"lastUpdated": None},
    }
    return _new_step(operator, "Subscription", name, OLM_GROUP, "v1alpha1", go_json(manifest))
