"""The names that a manifest may use: an API server drops or refuses a field that its kind does not have.

A misspelt field is the change that nobody notices: ``chanel: beta`` leaves a subscription without a channel. The
fields are those of OLM's CustomResourceDefinitions and of Kubernetes' object metadata; what lies below a pod's own
fields, such as ``tolerations``, is not looked at. The objects of OLM v1 are judged as its API server does
(:func:`olmsolve.cluster.extensions.written_fault`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from olmsolve._near_names import did_you_mean, near_names
from olmsolve.cluster.extensions import written_fault
from olmsolve.cluster.objects import KINDS, ClusterCatalogObject, ClusterExtension, ClusterObject
from olmsolve.errors import ManifestError

_Fields: TypeAlias = Mapping[str, "_Fields | None"]

OLM_GROUPS: Final = ("operators.coreos.com", "olm.operatorframework.io")
"""The API groups of OLM and of OLM v1."""

# Kinds of OLM's groups that have no values of their own here.
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
        known = ", ".join(f"{made.GROUP}/{version}".lstrip("/") for version in _VERSIONS[made.KIND])
        raise _fault(made, f"no {made.KIND} has the version {version}", "apiVersion", f"there is: {known}")
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
