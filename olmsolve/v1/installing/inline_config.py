"""``spec.config.inline``: the schema that follows from a bundle's install modes, and what breaks it.

The bundle's operator has one field for its namespace, ``watchNamespace``, unless it serves all namespaces and nothing
else, and with the gate DeploymentConfig one for its deployment. Words and order are the controller's, as recorded.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from olmsolve.semver import quote
from olmsolve.v1.installing.deployment_config import DEPLOYMENT, deployment_faults, json_type, quantity_fault

WATCH_NAMESPACE: Final = "watchNamespace"

_NAMESPACE: Final = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
_LONGEST: Final = 63
_OWN, _SINGLE, _ALL = "OwnNamespace", "SingleNamespace", "AllNamespaces"
_MANY: Final = "multiple errors found:\n  - "


def config_faults(
    config: Mapping[str, Any] | None, modes: Collection[str], namespace: str, *, has_deployment: bool
) -> str:
    """Return what is wrong with *config* for a bundle with these install *modes* in *namespace*; "" if nothing.

    *has_deployment* says whether ``deploymentConfig`` is a field at all.
    """
    faults = list(_faults({} if config is None else config, modes, namespace, has_deployment))
    if not faults:
        return quantity_fault(config.get(DEPLOYMENT)) if config and has_deployment else ""
    fault_text = faults[0] if len(faults) == 1 else _MANY + "\n  - ".join(faults)
    return f"invalid ClusterExtension configuration: invalid configuration: {fault_text}"


def watch_namespace(config: Mapping[str, Any] | None) -> str:
    """Return the namespace to watch by *config*, "" where it names none."""
    value = None if config is None else config.get(WATCH_NAMESPACE)
    return value if isinstance(value, str) else ""


def _faults(config: Mapping[str, Any], modes: Collection[str], namespace: str, has_deployment: bool) -> Iterator[str]:
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
        type_fault = f"invalid type for field {quote(WATCH_NAMESPACE)}: got {json_type(value)}, want string"
        if is_choice:
            yield f"invalid value for field {quote(WATCH_NAMESPACE)}"
            yield f"invalid type for field {quote(WATCH_NAMESPACE)}: got {json_type(value)}, want null"
        yield type_fault
        return
    faults = list(_text_faults(value, modes, namespace))
    if faults and is_choice:
        yield f"invalid value for field {quote(WATCH_NAMESPACE)}"
        yield f"invalid type for field {quote(WATCH_NAMESPACE)}: got string, want null"
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
    fault = ""
    format_ = ""
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
