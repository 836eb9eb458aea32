"""Changes of objects: manifests that are applied to each cluster, or deleted, before it is simulated the second time.

They are applied as ``kubectl apply`` does for the kinds that people write. A change reaches a cluster that has its
namespace; a deletion one that has the object::

    the cluster has                   the change says            afterwards it has
    shop/ledger, channel stable,      shop/ledger,               shop/ledger, channel beta,
      status installedCSV ledger.v1     channel beta               status installedCSV ledger.v1
    nothing in lab                    lab/ledger                 nothing in lab: the change does not reach it
    shop/ink                          shop/ink is deleted        its operator, and no subscription for it

An API server drops or refuses a field that its kind does not have. A misspelt field is the change that nobody notices:
``chanel: beta`` leaves a subscription without a channel. The known fields are those of OLM's CustomResourceDefinitions
and of Kubernetes' object metadata; what lies below a pod's own fields, such as ``tolerations``, is not looked at. The
objects of OLM v1 are judged as its API server does (:func:`olmsolve.cluster.extensions.written_fault`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._near_names import did_you_mean, near_names
from olmsolve.cluster.extensions import transition_fault, written_fault
from olmsolve.cluster.objects import (
    KINDS,
    CatalogSource,
    ClusterCatalogObject,
    ClusterExtension,
    ClusterObject,
    Namespace,
    OperatorGroup,
    SubscriptionObject,
    read_manifest,
)
from olmsolve.errors import ManifestError
from olmsolve.lifecycle.impact.forms import Identity, Manifest, identity_of, mapping
from olmsolve.lifecycle.impact.model import SkippedKind
from olmsolve.lifecycle.impact.repositories import manifests_of
from olmsolve.requests import RequestSource

_Fields: TypeAlias = Mapping[str, "_Fields | None"]

OLM_GROUPS: Final = ("operators.coreos.com", "olm.operatorframework.io")
"""The API groups of OLM and of OLM v1."""

# Kinds of OLM's groups for which olmsolve has no class.
_FURTHER_KINDS: Final = ("OLMConfig", "Operator", "ClusterObjectSet", "ClusterExtensionRevision")
_SELECTOR: Final[_Fields] = {"matchLabels": None, "matchExpressions": None}
_OBJECT: Final[_Fields] = dict.fromkeys(("apiVersion", "kind", "metadata", "spec", "status"))
_METADATA: Final[_Fields] = dict.fromkeys(
    (
        "annotations",
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "finalizers",
        "generateName",
        "generation",
        "labels",
        "managedFields",
        "name",
        "namespace",
        "ownerReferences",
        "resourceVersion",
        "selfLink",
        "uid",
    )
)
_SPECS: Final[Mapping[str, _Fields]] = {
    "Subscription": {
        **dict.fromkeys(("name", "channel", "startingCSV", "source", "sourceNamespace", "installPlanApproval")),
        "config": {
            **dict.fromkeys(("affinity", "annotations", "env", "envFrom", "nodeSelector", "resources", "tolerations")),
            **dict.fromkeys(("volumeMounts", "volumes")),
            "selector": _SELECTOR,
        },
    },
    "OperatorGroup": {
        **dict.fromkeys(("serviceAccountName", "staticProvidedAPIs", "targetNamespaces", "upgradeStrategy")),
        "selector": _SELECTOR,
    },
    "CatalogSource": {
        **dict.fromkeys(("address", "configMap", "description", "displayName", "image", "priority", "publisher")),
        **dict.fromkeys(("runAsRoot", "secrets", "sourceType")),
        "grpcPodConfig": {
            **dict.fromkeys(("affinity", "memoryTarget", "nodeSelector", "priorityClassName", "tolerations")),
            "securityContextConfig": None,
            "extractContent": dict.fromkeys(("cacheDir", "catalogDir")),
        },
        "icon": dict.fromkeys(("base64data", "mediatype")),
        "updateStrategy": {"registryPoll": {"interval": None}},
    },
    "Namespace": {"finalizers": None},
}
_REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    "Subscription": ("name", "source", "sourceNamespace"),
    "CatalogSource": ("sourceType",),
}
_VERSIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "Subscription": ("v1alpha1",),
    "OperatorGroup": ("v1", "v1alpha2"),
    "CatalogSource": ("v1alpha1",),
    "Namespace": ("v1",),
    "ClusterCatalog": ("v1",),
    "ClusterExtension": ("v1",),
}


def refuse_misspelt(made: ClusterObject) -> None:
    """Raise a ManifestError where an API server refuses a name or drops a field of the manifest of *made*.

    The error names the field by its path, and the nearest name that there is.
    """
    manifest = made.raw
    version = str(manifest.get("apiVersion")).rpartition("/")[2]
    if version not in _VERSIONS[made.KIND]:
        choices = ", ".join(f"{made.GROUP}/{version}".lstrip("/") for version in _VERSIONS[made.KIND])
        raise _fault(made, f"no {made.KIND} has the version {version}", "apiVersion", f"there is: {choices}")
    for field, name, known_names in _unknown(manifest, made.KIND):
        near = did_you_mean(near_names(name, known_names))
        raise _fault(made, "is not a field of this kind", field, near or f"known: {', '.join(known_names)}")
    spec = manifest.get("spec")
    for name in _REQUIRED.get(made.KIND, ()):
        if not isinstance(spec, Mapping) or not spec.get(name):
            raise _fault(made, "is missing", f"spec.{name}", f"every {made.KIND} has one")
    if isinstance(made, ClusterExtension | ClusterCatalogObject) and (fault := written_fault(manifest)):
        raise _fault(made, fault)


def refuse_misspelt_kind(made: ClusterObject) -> None:
    """Raise a ManifestError where *made*, of a kind that olmsolve does not interpret, looks like one that it does."""
    group = str(made.raw.get("apiVersion")).rpartition("/")[0]
    kind = str(made.raw.get("kind"))
    kinds = [class_.KIND for class_ in KINDS if class_.GROUP in OLM_GROUPS]
    if group in OLM_GROUPS:
        if kind not in (*kinds, *_FURTHER_KINDS):
            near = did_you_mean(near_names(kind, kinds))
            raise _fault(made, f"is not a kind of the API group {group}", hint=near or f"known: {', '.join(kinds)}")
    elif kind in kinds and (near_group := near_names(group, OLM_GROUPS)):
        raise _fault(made, f"no {kind} has the API group {group}", "apiVersion", did_you_mean(near_group))


def _unknown(manifest: Mapping[str, Any], kind: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the path, the name and the known names beside it, for each field of *manifest* that its kind lacks."""
    parts: list[tuple[str, object, _Fields | None]] = [
        ("", manifest, _OBJECT),
        ("metadata.", manifest.get("metadata"), _METADATA),
        ("spec.", manifest.get("spec"), _SPECS.get(kind)),
    ]
    while parts:
        # First in, first out: fields of the object come before fields inside of them.
        path, value, fields = parts.pop(0)
        if fields is None or not isinstance(value, Mapping):
            continue
        for name, below in value.items():
            if name not in fields:
                yield f"{path}{name}", str(name), tuple(sorted(fields))
            else:
                parts.append((f"{path}{name}.", below, fields[name]))


def _fault(made: ClusterObject, reason: str, field: str = "", hint: str = "") -> ManifestError:
    name = f"{made.namespace}/{made.name}" if made.namespace else made.name
    kind = str(made.raw.get("kind") or made.KIND)
    source = "" if made.origin is None else str(made.origin)
    return ManifestError(reason, field, hint, source, kind, name)


ChangeSources: TypeAlias = Iterable[RequestSource]
"""Where changes of objects are read from: manifests, files, and folders with manifests and kustomizations."""

# The kinds that people write. OLM writes all other kinds itself, and would overwrite a change.
_KINDS: Final = (CatalogSource, ClusterCatalogObject, ClusterExtension, Namespace, OperatorGroup, SubscriptionObject)
_MARKS: Final = ("labels", "annotations")
# The annotations that keep Argo CD and Flux from deleting an object that a repository has no longer: an annotation and
# its value.
_KEPT: Final = (("argocd.argoproj.io/sync-options", "Prune=false"), ("kustomize.toolkit.fluxcd.io/prune", "disabled"))


@attrs.frozen
class ObjectChange:
    """A *manifest* to apply, without its status and without what a cluster adds, and the *identity* of its object.

    With *is_deletion*, the object is deleted.
    """

    identity: Identity
    manifest: Manifest = attrs.field(repr=False)
    is_deletion: bool = False

    @property
    def kind(self) -> str:
        """The kind of the object."""
        return self.identity[1]

    @property
    def name(self) -> str:
        """The name of the object."""
        return self.identity[3]

    @property
    def namespace(self) -> str:
        """The namespace that a cluster needs for the change; "" for none."""
        return self.identity[2]

    def applied_to(self, present: Manifest) -> dict[str, Any]:
        """Return the object *present* on a cluster with the change applied.

        The spec is the change's. Its labels and annotations are added to the existing ones, because others, such as
        OLM, write some as well. Everything else stays, above all the status.

        Raises:
            RefusedChangeError: an API server refuses the change, because a field never changes.
        """
        if self.kind == ClusterExtension.KIND and (fault := transition_fault(present, self.manifest)):
            raise RefusedChangeError(fault, hint="delete the extension, and write a new one")
        metadata, given = dict(mapping(present.get("metadata"))), self.manifest["metadata"]
        for marks in _MARKS:
            if marks in given:
                metadata[marks] = {**mapping(metadata.get(marks)), **given[marks]}
        kept = {name: value for name, value in present.items() if name != "spec"}
        return {**kept, **self.manifest, "metadata": metadata}

    def to_text(self) -> str:
        """Return the change as one line of JSON: equal for equal changes."""
        return json.dumps([self.is_deletion, self.manifest], sort_keys=True, default=repr)


@attrs.frozen
class RefusedChangeError(ManifestError):
    """A change that the API server of a cluster refuses; the cluster itself can be read."""


@attrs.frozen
class RepositoryChanges:
    """The changes of a repository: *objects* to apply and to delete, kinds that are *skipped*, and *charts* of Helm."""

    objects: tuple[ObjectChange, ...] = ()
    skipped: tuple[SkippedKind, ...] = ()
    charts: tuple[str, ...] = ()


def read_changes(sources: ChangeSources, before: ChangeSources = ()) -> RepositoryChanges:
    """Return the changes in *sources*, Lists as their items; objects that only *before* has are deleted.

    Objects of kinds that no change applies, such as a ConfigMap, are skipped. Nothing is deleted that Argo CD or Flux
    would keep by its annotation.

    Raises:
        ManifestError: a source cannot be read or has no object, a kustomization cannot be rendered, an object has the
            wrong shape for its kind, has a field that its kind does not have, lacks its namespace, or comes twice. The
            error names the file and the document.
    """
    sources = tuple(sources)
    changed: dict[Identity, tuple[ClusterObject, ObjectChange]] = {}
    skipped: Counter[str] = Counter()
    charts: dict[str, None] = {}
    for source in sources:
        manifests = manifests_of(source)
        charts.update(dict.fromkeys(manifests.charts))
        count = len(changed) + skipped.total()
        for document in manifests.documents:
            for made in read_manifest(document.value, document.origin):
                if not isinstance(made, _KINDS):
                    refuse_misspelt_kind(made)
                    skipped[str(made.raw.get("kind"))] += 1
                    continue
                refuse_misspelt(made)
                _add(changed, made)
        if len(changed) + skipped.total() == count:
            name = str(source) if isinstance(source, str | PathLike) else ""
            raise ManifestError("has no object", source=name, hint="a change needs at least one manifest")
    slips = list(_slips_before(before))
    if skipped and not changed and not slips:
        kinds = ", ".join(sorted(kind.KIND for kind in _KINDS))
        reason = f"no object is of a kind that a change applies, only {', '.join(sorted(skipped))}"
        raise ManifestError(reason, hint=f"known: {kinds}", source=", ".join(map(_source_name, sources)))
    deleted = (change for change in slips if change.identity not in changed and not _is_kept(change.manifest))
    return RepositoryChanges(
        (
            *(change for _, change in changed.values()),
            *(attrs.evolve(manifest, is_deletion=True) for manifest in deleted),
        ),
        tuple(SkippedKind(kind, skipped[kind]) for kind in sorted(skipped)),
        tuple(charts),
    )


def _add(changes: dict[Identity, tuple[ClusterObject, ObjectChange]], made: ClusterObject) -> None:
    """Add the change that the manifest of *made* is. Raises a ManifestError for a second one of the same object."""
    change = _change(made)
    if change.identity in changes:
        other, first = changes[change.identity]
        files = [object_.origin.file if object_.origin is not None else "" for object_ in (other, made)]
        # Two kustomizations may share a base; what two files of one folder say twice is a slip.
        if first != change or files[0] == files[1]:
            where = f"the other one is {other.origin}" if other.origin is not None else "a change is given once"
            raise _refused(made, "is there twice", f"{where}; give the folder of one environment")
        return
    changes[change.identity] = made, change


def _source_name(source: RequestSource) -> str:
    return str(source) if isinstance(source, str | PathLike) else "a manifest"


def _slips_before(sources: ChangeSources) -> Iterator[ObjectChange]:
    """Yield what was written in *sources* before: slips in it are no faults of the change."""
    identities: set[Identity] = set()
    for source in sources:
        for document in manifests_of(source).documents:
            for made in read_manifest(document.value, document.origin):
                if isinstance(made, _KINDS) and (change := _change(made)).identity not in identities:
                    identities.add(change.identity)
                    yield change


def _is_kept(manifest: Manifest) -> bool:
    annotations = mapping(mapping(manifest.get("metadata")).get("annotations"))
    return any(value in str(annotations.get(name, "")).split(",") for name, value in _KEPT)


def _change(made: ClusterObject) -> ObjectChange:
    """Return the change that the manifest of *made* is."""
    manifest = made.raw
    given = mapping(manifest.get("metadata"))
    namespace = {"namespace": made.namespace} if made.NAMESPACED else {}
    metadata = {"name": made.name, **namespace, **{marks: dict(given[marks]) for marks in _MARKS if given.get(marks)}}
    spec = {"spec": manifest["spec"]} if "spec" in manifest else {}
    document = {"apiVersion": manifest["apiVersion"], "kind": made.KIND, "metadata": metadata, **spec}
    return ObjectChange(identity_of(document), document)


def _refused(made: ClusterObject, reason: str, hint: str) -> ManifestError:
    name = f"{made.namespace}/{made.name}" if made.namespace else made.name
    kind = str(made.raw.get("kind") or made.KIND)
    source = "" if made.origin is None else str(made.origin)
    return ManifestError(reason, hint=hint, source=source, kind=kind, object=name)
