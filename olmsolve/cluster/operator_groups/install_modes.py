"""Install modes: the sets of namespaces that an operator can serve.

An operator declares for each of four modes whether it supports it. As recorded, OLM never infers support: an operator
that supports AllNamespaces is refused for a single one (the documentation says that support is inferred).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from olmsolve.cluster.objects import InstallMode

_OWN: Final = "OwnNamespace"
_SINGLE: Final = "SingleNamespace"
_MULTI: Final = "MultiNamespace"
_ALL: Final = "AllNamespaces"

EVERY_MODE: Final = tuple(InstallMode(mode, supported=True) for mode in (_OWN, _SINGLE, _MULTI, _ALL))
"""The support for all four modes."""

_INVALID: Final = "operatorgroup has invalid selected namespaces"


def duplicated_modes(modes: Sequence[InstallMode]) -> str:
    """Return OLM's message that *modes* name a mode twice, "" where each is named once."""
    if len({mode.type for mode in modes}) == len(modes):
        return ""
    listed = " ".join(f"{{{mode.type} {'true' if mode.supported else 'false'}}}" for mode in modes)
    return f"InstallMode list contains duplicates, cannot make set: [{listed}]"


def unsupported_targets(modes: Iterable[InstallMode], operator_namespace: str, targets: Sequence[str]) -> str:
    """Return why an operator with *modes* in *operator_namespace* cannot serve *targets*; "" if it can.

    *targets* are the targets of its group in their order, repeated ones too; ``("",)`` is all namespaces.

    >>> unsupported_targets([InstallMode("OwnNamespace", True)], "team", ["team"])
    ''
    >>> unsupported_targets([InstallMode("OwnNamespace", True)], "team", [""])
    'AllNamespaces InstallModeType not supported, cannot configure to watch all namespaces'
    """
    supported = {mode.type for mode in modes if mode.supported}
    if not targets:
        return f"{_INVALID}, cannot configure to watch zero namespaces"
    if len(targets) == 1:
        mode, watched = {
            operator_namespace: (_OWN, "own namespace"),
            "": (_ALL, "all namespaces"),
        }.get(targets[0], (_SINGLE, "one namespace"))
        return "" if mode in supported else _lacking(mode, watched)
    # As recorded, the targets of a multi-namespace operator are judged in their order: the first fault is the message.
    if _MULTI not in supported:
        return _lacking(_MULTI, f"{len(targets)} namespaces")
    for target in targets:
        if target == operator_namespace and _OWN not in supported:
            return _lacking(_OWN, "own namespace")
        if not target:
            return f"{_INVALID}, NamespaceAll found when |selected namespaces| > 1"
    return ""


def _lacking(mode: str, watched: str) -> str:
    return f"{mode} InstallModeType not supported, cannot configure to watch {watched}"
