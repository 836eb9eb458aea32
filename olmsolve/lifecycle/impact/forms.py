"""The normal form of a cluster: its objects without what no answer depends on, so that alike clusters are equal.

An answer is computed from the normal form alone, so equal forms have equal answers. Parts that are left out must
therefore not matter to resolution and simulation: kinds that olmsolve does not interpret, the moments of changes,
resource versions, managed fields, and the random parts of names. The rest stays as it was read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve.cluster.objects import (
    KINDS,
    CatalogSource,
    ClusterCatalogObject,
    InstallPlan,
    OperatorCondition,
    SubscriptionObject,
)
from olmsolve.errors import ManifestError

Manifest: TypeAlias = Mapping[str, Any]

Identity: TypeAlias = tuple[str, str, str, str]
"""The group, kind, namespace and name of an object."""

_READ: Final = frozenset((kind.GROUP, kind.KIND) for kind in KINDS)

_TIMES: Final = frozenset(
    {
        "creationTimestamp",
        "deletionTimestamp",
        "lastTransitionTime",
        "lastUpdateTime",
        "lastUpdated",
        "lastConnect",
        "startTime",
        "createdAt",
        "certsLastUpdated",
        "certsRotateAt",
    }
)
# A moment says that something has happened; no rule of OLM that is simulated compares two of them.
_SOME_TIME: Final = "2000-01-01T00:00:00Z"
_DROPPED: Final = frozenset({"managedFields", "resourceVersion", "selfLink"})
_UIDS: Final = frozenset({"uid", "uuid"})
# Only conditions of operators are compared with the generation of their object.
_GENERATIONS: Final = frozenset({"generation", "observedGeneration"})
_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_GROUP_LABEL: Final = "olm.operatorgroup.uid/"
# Ranges of user ids, drawn for each namespace of an OpenShift cluster.
_DRAWN_ANNOTATIONS: Final = "openshift.io/sa.scc."
_GENERATED_PLAN: Final = pattern("install-[a-z0-9]{5}")  # names of InstallPlans, which OLM creates with generateName


def normal_form(documents: Iterable[Manifest]) -> tuple[dict[str, Any], ...]:
    """Return the objects in *documents* (Lists as their items) in their normal form, by group, kind and name.

    Whatever has no kind, or a broken shape, stays as it is, so that reading it names the fault.
    """
    by_identity: dict[Identity, list[Manifest]] = {}
    for manifest in manifests_in(documents):
        if is_interpreted(manifest):
            by_identity.setdefault(identity_of(manifest), []).append(manifest)
    plans = _plan_names(part for several in by_identity.values() for part in several)
    uids = _Uids()
    form: list[dict[str, Any]] = []

    def position(identity: Identity) -> Identity:
        group, kind, namespace, name = identity
        return group, kind, namespace, plans.get((namespace, name), name) if kind == InstallPlan.KIND else name

    for identity in sorted(by_identity, key=position):
        several = by_identity[identity]
        if any(part != several[0] for part in several):
            # Two different objects of one name are refused, and their forms could be equal.
            form.extend(dict(part) for part in several)
        else:
            form.append(_normal(several[0], uids, plans))
    return tuple(form)


def form_key(form: Iterable[Manifest]) -> str:
    """Return a digest (hexadecimal) of a normal *form*: equal for equal forms alone.

    Raises:
        ManifestError: a value of the form is no JSON.
    """
    digest = hashlib.sha256()
    try:
        for piece in form:
            digest.update(json.dumps(piece, sort_keys=True, separators=(",", ":")).encode())
            digest.update(b"\n")
    except (TypeError, ValueError, RecursionError) as error:
        raise ManifestError(f"a value is not JSON: {error}") from None
    return digest.hexdigest()


def manifests_in(documents: Iterable[Manifest]) -> Iterator[Manifest]:
    """Yield *documents*, with the items of a List in place of the List."""
    for document in documents:
        waiting = [document]
        while waiting:
            value = waiting.pop()
            kind, items = value.get("kind"), value.get("items")
            is_list = isinstance(kind, str) and kind.endswith("List") and isinstance(items, list)
            if not is_list or not all(isinstance(item, Mapping) for item in items or ()):
                yield value
                continue
            assert isinstance(kind, str)
            assert isinstance(items, list)
            implied = (
                {} if kind == "List" else {"kind": kind.removesuffix("List"), "apiVersion": value.get("apiVersion")}
            )
            # A stack instead of recursion, since Lists may be nested; reversed, because the last one in is the next one
            # out.
            waiting += [item if "kind" in item else {**implied, **item} for item in reversed(items)]


def is_interpreted(manifest: Manifest) -> bool:
    """Return whether olmsolve interprets the kind of *manifest*, or has to say that it has none."""
    api_version, kind = manifest.get("apiVersion"), manifest.get("kind")
    if not (isinstance(api_version, str) and isinstance(kind, str) and api_version and kind):
        return True
    return kind.endswith("List") or (api_version.rpartition("/")[0], kind) in _READ


def identity_of(manifest: Manifest) -> Identity:
    """Return the identity of the object in *manifest*, "" for what it lacks."""
    metadata = mapping(manifest.get("metadata"))
    group = str(manifest.get("apiVersion")).rpartition("/")[0]
    return group, str(manifest.get("kind")), str(metadata.get("namespace") or ""), str(metadata.get("name") or "")


def mapping(value: object) -> Mapping[str, Any]:
    """Return *value* if it is a mapping, else an empty one: whoever reads the object names the fault."""
    return value if isinstance(value, Mapping) else {}


class _Uids:
    """Numbers in place of uids, in the order of their first appearance: equal uids stay equal, others different."""

    def __init__(self) -> None:
        self._numbers: dict[str, str] = {}

    def number(self, uid: str) -> str:
        """Return the text in place of *uid*; "" stays, because it means that there is none."""
        return self._numbers.setdefault(uid, f"uid-{len(self._numbers) + 1}") if uid else ""


_PlanNames: TypeAlias = Mapping[tuple[str, str], str]
"""New names of install plans, by namespace and name."""


def _normal(manifest: Manifest, uids: _Uids, plans: _PlanNames) -> dict[str, Any]:
    kind = manifest.get("kind")
    has_generations = kind == OperatorCondition.KIND
    form = dict(manifest)
    for part in ("metadata", "status", *(["spec"] if has_generations else [])):
        if part in form:
            form[part] = _without_moments(form[part], uids, has_generations=has_generations)
    metadata = form.get("metadata")
    if isinstance(metadata, dict):
        namespace = metadata.get("namespace")
        _normalise_metadata(metadata, uids)
        if kind == InstallPlan.KIND:
            _rename(metadata, namespace, plans)
        status = form.get("status")
        if kind == SubscriptionObject.KIND and isinstance(status, dict):
            for reference in _plan_references(status):
                _rename(reference, namespace, plans)
    return form


def _without_moments(value: Any, uids: _Uids, *, has_generations: bool) -> Any:
    """Return a copy of *value* without moments, versions and uids; texts alone are changed, so that faults stay."""
    if isinstance(value, list):
        return [_without_moments(element, uids, has_generations=has_generations) for element in value]
    if not isinstance(value, Mapping):
        return value
    copy: dict[str, Any] = {}
    # Sorted, so that two dumps that list the fields of an object in another order have one form.
    for name in sorted(value, key=str):
        content = value[name]
        is_text = isinstance(content, str)
        if name in _TIMES and is_text:
            copy[name] = _SOME_TIME if content else ""
        elif name in _UIDS and is_text:
            copy[name] = uids.number(content)
        elif name in _DROPPED or (name in _GENERATIONS and isinstance(content, int) and not has_generations):
            continue
        else:
            copy[name] = _without_moments(content, uids, has_generations=has_generations)
    return copy


def _normalise_metadata(metadata: dict[str, Any], uids: _Uids) -> None:
    annotations = metadata.get("annotations")
    if isinstance(annotations, dict):
        for name in [
            annotation
            for annotation in annotations
            if annotation == _APPLIED or str(annotation).startswith(_DRAWN_ANNOTATIONS)
        ]:
            if isinstance(annotations[name], str):
                del annotations[name]
    labels = metadata.get("labels")
    if isinstance(labels, dict):
        for name in sorted(label for label in labels if isinstance(label, str) and label.startswith(_GROUP_LABEL)):
            value = labels.pop(name)
            labels[f"{_GROUP_LABEL}{uids.number(name.removeprefix(_GROUP_LABEL))}"] = value


def _plan_references(status: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for field in ("installPlanRef", "installplan"):
        reference = status.get(field)
        if isinstance(reference, dict):
            yield reference


def _rename(holder: dict[str, Any], namespace: object, plans: _PlanNames) -> None:
    name = holder.get("name")
    if isinstance(name, str) and isinstance(namespace, str):
        holder["name"] = plans.get((namespace, name), name)


def _plan_names(manifests: Iterable[Manifest]) -> _PlanNames:
    """Number the install plans of each namespace that have names from the cluster, and those that are only named.

    The numbers follow generations, operators and subscriptions, which alike clusters share. Plans that are under way at
    once are carried out in the order of their names, so their names decide; a name that somebody chose stays::

        shop/install-x7k2p (generation 1), shop/install-b4m9q (generation 2)    ->    install-00001, install-00002
    """
    namespaces: dict[str, dict[str, _NamedPlan]] = {}
    for manifest in manifests:
        metadata = mapping(manifest.get("metadata"))
        namespace, name = metadata.get("namespace"), metadata.get("name")
        if not (isinstance(namespace, str) and isinstance(name, str)):
            continue
        plans = namespaces.setdefault(namespace, {})
        if manifest.get("kind") == InstallPlan.KIND:
            plans.setdefault(name, _NamedPlan()).manifests.append(manifest)
        elif manifest.get("kind") == SubscriptionObject.KIND:
            for reference in _plan_references(mapping(manifest.get("status"))):
                plan = reference.get("name")
                if isinstance(plan, str):
                    plans.setdefault(plan, _NamedPlan()).subscriptions.add(name)
    return {
        (namespace, name): f"install-{number:05}"
        for namespace, plans in namespaces.items()
        if all(map(_GENERATED_PLAN.fullmatch, plans))
        for number, name in enumerate(_ordered(plans), start=1)
    }


@attrs.frozen(eq=False)
class _NamedPlan:
    """The manifests of a plan (none where only its name is known), and the subscriptions that name it."""

    manifests: list[Manifest] = attrs.field(factory=list)
    subscriptions: set[str] = attrs.field(factory=set)

    @property
    def is_under_way(self) -> bool:
        return any(
            mapping(manifest.get("status")).get("phase") not in ("Complete", "Failed") for manifest in self.manifests
        )

    def order(self) -> tuple[int, str, list[str]]:
        """Return the key that numbers plans before their names are compared."""
        specs = [mapping(manifest.get("spec")) for manifest in self.manifests]
        generations = [spec.get("generation") for spec in specs]
        newest = max((generation for generation in generations if isinstance(generation, int)), default=0)
        operators = ",".join(str(spec.get("clusterServiceVersionNames")) for spec in specs)
        return newest, operators, sorted(self.subscriptions)


def _ordered(plans: Mapping[str, _NamedPlan]) -> list[str]:
    if sum(plan.is_under_way for plan in plans.values()) > 1:
        # Which of several plans under way comes first decides what happens: then their names stay apart.
        return sorted(plans)
    return sorted(plans, key=lambda name: (plans[name].order(), name))


def catalogs_in(objects: Iterable[Manifest]) -> Iterator[str]:
    """Yield the key of each catalog in *objects*: ``namespace/name``, or the name of a ClusterCatalog."""
    for object_ in objects:
        metadata = object_.get("metadata")
        if isinstance(metadata, Mapping) and object_.get("kind") == CatalogSource.KIND:
            yield f"{metadata.get('namespace')}/{metadata.get('name')}"
        elif isinstance(metadata, Mapping) and object_.get("kind") == ClusterCatalogObject.KIND:
            yield str(metadata.get("name"))
