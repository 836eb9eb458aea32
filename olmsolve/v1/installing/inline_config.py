"""``spec.config.inline``: the schema that follows from a bundle's install modes, and what breaks it.

The schema has the field ``watchNamespace``, unless the operator only supports all namespaces, and ``deploymentConfig``
under the feature gate DeploymentConfig. Words and order are the controller's, as recorded.

The types in ``deploymentConfig`` are Kubernetes' own (core/v1). As recorded, the controller's words hide most of what
is inside of them: for a single fault inside of a type, the library's error is "validation failed"; only if there are
several, it names each. Unknown fields inside of the types pass: the API server checks the deployment when it is
created.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve.semver import quote

DEPLOYMENT: Final = "deploymentConfig"
_REFERENCE: Final = "validation failed"
_ALL_OF: Final = "'allOf' failed"
# apimachinery, api/resource: the pattern that a quantity's message quotes.
_QUANTITY: Final = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$"
_WANTED: Final[Mapping[str, str]] = {"text": "string", "whole": "integer", "flag": "boolean", "any": "object"}

Schema: TypeAlias = "str | list[Any] | dict[str, Any]"
"""A text names a type: of _WANTED, ``quantity`` or of _TYPES. ``[x]`` is a list of x, ``{"*": x}`` maps names to x."""

# A star after a name means that the field is required.
_KEYS: Final[Mapping[str, Schema]] = {"key*": "text", "name": "text", "optional": "flag"}
_REFERENCED: Final[Mapping[str, Schema]] = {"name": "text", "optional": "flag"}
_ITEMS: Final[Schema] = ["KeyToPath"]
_REQUIREMENT: Final[Mapping[str, Schema]] = {"key*": "text", "operator*": "text", "values": ["text"]}
_TYPES: Final[Mapping[str, Mapping[str, Schema]]] = {
    "EnvVar": {"name*": "text", "value": "text", "valueFrom": "EnvVarSource"},
    "EnvVarSource": {
        "configMapKeyRef": "KeySelector",
        "fieldRef": "FieldSelector",
        "fileKeyRef": "FileKeySelector",
        "resourceFieldRef": "ResourceFieldSelector",
        "secretKeyRef": "KeySelector",
    },
    "KeySelector": _KEYS,
    "FieldSelector": {"apiVersion": "text", "fieldPath*": "text"},
    "FileKeySelector": {"key*": "text", "optional": "flag", "path*": "text", "volumeName*": "text"},
    "ResourceFieldSelector": {"containerName": "text", "divisor": "quantity", "resource*": "text"},
    "EnvFromSource": {"configMapRef": "EnvSource", "prefix": "text", "secretRef": "EnvSource"},
    "EnvSource": _REFERENCED,
    "Toleration": {"effect": "text", "key": "text", "operator": "text", "tolerationSeconds": "whole", "value": "text"},
    "ResourceRequirements": {"claims": ["ResourceClaim"], "limits": {"*": "quantity"}, "requests": {"*": "quantity"}},
    "ResourceClaim": {"name*": "text", "request": "text"},
    "VolumeMount": {
        "name*": "text",
        "mountPath*": "text",
        "mountPropagation": "text",
        "readOnly": "flag",
        "recursiveReadOnly": "text",
        "subPath": "text",
        "subPathExpr": "text",
    },
    "Volume": {
        "name*": "text",
        "configMap": "ConfigMapVolume",
        "emptyDir": "EmptyDirVolume",
        "hostPath": "HostPathVolume",
        "persistentVolumeClaim": "ClaimVolume",
        "secret": "SecretVolume",
    },
    "ConfigMapVolume": {"defaultMode": "whole", "items": _ITEMS, **_REFERENCED},
    "SecretVolume": {"defaultMode": "whole", "items": _ITEMS, "optional": "flag", "secretName": "text"},
    "KeyToPath": {"key*": "text", "mode": "whole", "path*": "text"},
    "EmptyDirVolume": {"medium": "text", "sizeLimit": "quantity"},
    "HostPathVolume": {"path*": "text", "type": "text"},
    "ClaimVolume": {"claimName*": "text", "readOnly": "flag"},
    "Affinity": {"nodeAffinity": "NodeAffinity", "podAffinity": "PodAffinity", "podAntiAffinity": "PodAffinity"},
    "NodeAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": ["PreferredSchedulingTerm"],
        "requiredDuringSchedulingIgnoredDuringExecution": "NodeSelector",
    },
    "PreferredSchedulingTerm": {"weight*": "whole", "preference*": "NodeSelectorTerm"},
    "NodeSelector": {"nodeSelectorTerms*": ["NodeSelectorTerm"]},
    "NodeSelectorTerm": {"matchExpressions": ["SelectorRequirement"], "matchFields": ["SelectorRequirement"]},
    "SelectorRequirement": _REQUIREMENT,
    "PodAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": ["WeightedPodAffinityTerm"],
        "requiredDuringSchedulingIgnoredDuringExecution": ["PodAffinityTerm"],
    },
    "WeightedPodAffinityTerm": {"weight*": "whole", "podAffinityTerm*": "PodAffinityTerm"},
    "PodAffinityTerm": {
        "labelSelector": "PodLabels",
        "matchLabelKeys": ["text"],
        "mismatchLabelKeys": ["text"],
        "namespaceSelector": "PodLabels",
        "namespaces": ["text"],
        "topologyKey*": "text",
    },
    "PodLabels": {"matchExpressions": ["SelectorRequirement"], "matchLabels": {"*": "text"}},
}
_FIELDS: Final[Mapping[str, Schema]] = {
    "affinity": "Affinity",
    "annotations": {"*": "text"},
    "env": ["EnvVar"],
    "envFrom": ["EnvFromSource"],
    "nodeSelector": {"*": "text"},
    "resources": "ResourceRequirements",
    "tolerations": ["Toleration"],
    "volumeMounts": ["VolumeMount"],
    "volumes": ["Volume"],
}


@attrs.frozen
class _SchemaFault:
    """A fault of a value, in the controller's *words*, and the faults below it that it has as *causes*."""

    words: str
    causes: tuple[_SchemaFault, ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield the words of the fault and of the faults below it; a reference hides a single fault below it."""
        yield self.words
        if self.words != _REFERENCE or len(self.causes) > 1:
            for cause in self.causes:
                yield from cause.lines()


def deployment_faults(value: object) -> Iterator[str]:
    """Yield what is wrong with *value*, a ``deploymentConfig``, in the controller's words and order."""
    if not isinstance(value, Mapping):
        yield type_fault(DEPLOYMENT, value, "object")
        return
    unknown = [name for name in value if name not in _FIELDS]
    if unknown:
        yield f"unknown field {quote(str(unknown[0]))}"
    for name, schema in _FIELDS.items():
        if name in value:
            for fault in _faults(schema, value[name], f"{DEPLOYMENT}.{name}"):
                yield from fault.lines()


def quantity_fault(value: object) -> str:
    """Return why the controller cannot read the resources of *value*, a ``deploymentConfig`` without other faults."""
    resources = value.get("resources") if isinstance(value, Mapping) else None
    parts = [resources.get(part) for part in ("limits", "requests")] if isinstance(resources, Mapping) else []
    texts = (text for part in parts if isinstance(part, Mapping) for text in part.values() if isinstance(text, str))
    if all(re.fullmatch(_QUANTITY, text) for text in texts):
        return ""
    reason = f"quantities must match the regular expression '{_QUANTITY}'"
    return f"invalid {DEPLOYMENT}: failed to unmarshal {DEPLOYMENT}: {reason}"


def _faults(schema: Schema, value: object, path: str) -> Iterator[_SchemaFault]:
    """Yield the faults of *value* at *path*."""
    if isinstance(schema, list):
        yield from _faults_of_list(schema[0], value, path)
    elif isinstance(schema, dict):
        yield from _faults_of_map(schema["*"], value, path)
    elif schema in _TYPES:
        below = tuple(_faults_of_type(_TYPES[schema], value, path))
        if below:
            yield _SchemaFault(_REFERENCE, below)
    elif schema == "quantity":
        if not isinstance(value, (str, int, float)) or isinstance(value, bool):
            yield _SchemaFault(_REFERENCE)
    elif not _is(schema, value):
        yield _SchemaFault(type_fault(path, value, _WANTED[schema]))


def _faults_of_list(items: Schema, value: object, path: str) -> Iterator[_SchemaFault]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        yield _SchemaFault(type_fault(path, value, "array"))
        return
    for number, item in enumerate(value):
        yield from _faults(items, item, f"{path}.{number}")


def _faults_of_map(values: Schema, value: object, path: str) -> Iterator[_SchemaFault]:
    if not isinstance(value, Mapping):
        yield _SchemaFault(type_fault(path, value, "object"))
        return
    for key, content in value.items():
        yield from _faults(values, content, f"{path}.{key}")


def _faults_of_type(fields: Mapping[str, Schema], value: object, path: str) -> Iterator[_SchemaFault]:
    if not isinstance(value, Mapping):
        yield _SchemaFault(type_fault(path, value, "object"))
        return
    missing = [name[:-1] for name in fields if name.endswith("*") and name[:-1] not in value]
    if missing:
        # The library names all of them in one error, and the controller's words take the first.
        yield _SchemaFault(f"required field {quote(missing[0])} is missing")
    # The schema's library goes through the fields by name, and the order of faults is the order of lines.
    for name in sorted(fields):
        schema, key = fields[name], name.removesuffix("*")
        if key in value:
            below = tuple(_faults(schema, value[key], f"{path}.{key}"))
            # Kubernetes refers to a type inside of another through allOf, which leaves room for a description.
            is_type = isinstance(schema, str) and (schema in _TYPES or schema == "quantity")
            yield from [_SchemaFault(_ALL_OF, below)] if below and is_type else below


def _is(schema: str, value: object) -> bool:
    if schema == "whole":
        # JSON Schema counts 1.0 as an integer.
        return isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value)
    return isinstance(value, {"text": str, "flag": bool, "any": Mapping}[schema])


def type_fault(field: str, value: object, wanted: str) -> str:
    """Return the controller's words for a *field* whose *value* is not of the *wanted* JSON type."""
    if value is None:
        return f"required field {quote(field)} is missing"
    return f"invalid type for field {quote(field)}: got {json_type(value)}, want {wanted}"


def json_type(value: object) -> str:
    """Return the name of the JSON type of *value*."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, Mapping):
        return "object"
    return "null" if value is None else "string" if isinstance(value, str) else "array"


WATCH_NAMESPACE: Final = "watchNamespace"

_NAMESPACE: Final = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
_LONGEST: Final = 63  # as the schema of watchNamespace has it: the name of a namespace
_OWN, _SINGLE, _ALL = "OwnNamespace", "SingleNamespace", "AllNamespaces"
_MANY: Final = "multiple errors found:\n  - "


def config_faults(
    config: Mapping[str, Any] | None, modes: Collection[str], namespace: str, *, has_deployment: bool
) -> str:
    """Return what is wrong with *config* for a bundle with these install *modes* in *namespace*; "" if nothing.

    *has_deployment* says whether ``deploymentConfig`` is a field at all.
    """
    faults = list(_field_faults({} if config is None else config, modes, namespace, has_deployment))
    if not faults:
        return quantity_fault(config.get(DEPLOYMENT)) if config and has_deployment else ""
    fault_text = faults[0] if len(faults) == 1 else _MANY + "\n  - ".join(faults)
    return f"invalid ClusterExtension configuration: invalid configuration: {fault_text}"


def watch_namespace(config: Mapping[str, Any] | None) -> str:
    """Return the namespace to watch by *config*, "" where it names none."""
    value = None if config is None else config.get(WATCH_NAMESPACE)
    return value if isinstance(value, str) else ""


def _field_faults(
    config: Mapping[str, Any], modes: Collection[str], namespace: str, has_deployment: bool
) -> Iterator[str]:
    can_watch = _OWN in modes or _SINGLE in modes
    if can_watch and _ALL not in modes and config.get(WATCH_NAMESPACE) is None:
        yield f"required field {quote(WATCH_NAMESPACE)} is missing"
    fields = {WATCH_NAMESPACE} if can_watch else set()
    if has_deployment:
        fields.add(DEPLOYMENT)
    unknown = [name for name in config if name not in fields]
    if unknown:
        # The schema's library names all of them in one error, and the controller's words take the first.
        yield f"unknown field {quote(unknown[0])}"
    if has_deployment and DEPLOYMENT in config:
        yield from deployment_faults(config[DEPLOYMENT])
    if can_watch and config.get(WATCH_NAMESPACE) is not None:
        yield from _namespace_faults(config[WATCH_NAMESPACE], modes, namespace)


def _namespace_faults(value: object, modes: Collection[str], namespace: str) -> Iterator[str]:
    is_choice = _ALL in modes
    if not isinstance(value, str):
        if is_choice:
            yield f"invalid value for field {quote(WATCH_NAMESPACE)}"
            yield type_fault(WATCH_NAMESPACE, value, "null")
        yield type_fault(WATCH_NAMESPACE, value, "string")
        return
    faults = list(_text_faults(value, modes, namespace))
    if faults and is_choice:
        yield f"invalid value for field {quote(WATCH_NAMESPACE)}"
        yield type_fault(WATCH_NAMESPACE, value, "null")
    yield from faults


def _text_faults(value: str, modes: Collection[str], namespace: str) -> Iterator[str]:
    length = len(value)
    if length < 1:
        yield f"field {quote(WATCH_NAMESPACE)} must have minimum length of 1 (len={length})"
    if length > _LONGEST:
        yield f"field {quote(WATCH_NAMESPACE)} must have maximum length of {_LONGEST} (len={length})"
    if not re.fullmatch(_NAMESPACE, value):
        yield f"field {quote(WATCH_NAMESPACE)} must match pattern {quote(_NAMESPACE)}"
    if not namespace:
        return
    fault = format_ = ""
    # With both modes, every namespace is allowed, the own one and others.
    if _OWN in modes and _SINGLE not in modes and value != namespace:
        format_ = "ownNamespaceInstallMode"
        fault = (
            f"must be {quote(namespace)} (the namespace where the operator is installed) because this operator only "
            "supports OwnNamespace install mode"
        )
    elif _SINGLE in modes and _OWN not in modes and value == namespace:
        format_ = "singleNamespaceInstallMode"
        fault = (
            f"must be different from {quote(namespace)} (the install namespace) because this operator uses "
            "SingleNamespace install mode to watch a different namespace"
        )
    if fault:
        yield (
            f"invalid format for field {quote(WATCH_NAMESPACE)}: '{value}' is not valid {format_}: "
            f"invalid value {quote(value)}: {fault}"
        )
