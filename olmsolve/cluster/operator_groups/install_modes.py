"""Install modes: which sets of namespaces an operator can serve.

An operator says for each of four modes whether it supports it. As recorded, support is never inferred: an operator
for all namespaces does not thereby serve a single one (the documentation says that it can be inferred).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from olmsolve.cluster.objects import InstallMode

__all__ = ["duplicated_modes", "unsupported_targets"]

_OWN: Final = "OwnNamespace"
_SINGLE: Final = "SingleNamespace"
_MULTI: Final = "MultiNamespace"
_ALL: Final = "AllNamespaces"

_INVALID: Final = "operatorgroup has invalid selected namespaces"


def duplicated_modes(modes: Sequence[InstallMode]) -> str:
    """Why *modes* are not a set: one of them is named twice; "" if none is."""
    if len({mode.type for mode in modes}) == len(modes):
        return ""
    listed = " ".join(f"{{{mode.type} {'true' if mode.supported else 'false'}}}" for mode in modes)
    return f"InstallMode list contains duplicates, cannot make set: [{listed}]"


def unsupported_targets(modes: Iterable[InstallMode], operator_namespace: str, targets: Sequence[str]) -> str:
    """Why an operator with *modes* in *operator_namespace* cannot serve *targets*; "" if it can.

    *targets* are those of its group, in their order, repeated ones too: ``("",)`` is all namespaces.
    """
    supported = {mode.type for mode in modes if mode.supported}
    if not targets:
        return f"{_INVALID}, cannot configure to watch zero namespaces"
    if len(targets) == 1:
        mode, what = {
            operator_namespace: (_OWN, "own namespace"),
            "": (_ALL, "all namespaces"),
        }.get(targets[0], (_SINGLE, "one namespace"))
        return "" if mode in supported else _lacking(mode, what)
    if _MULTI not in supported:
        return _lacking(_MULTI, f"{len(targets)} namespaces")
    for target in targets:
        if target == operator_namespace and _OWN not in supported:
            return _lacking(_OWN, "own namespace")
        if not target:
            return f"{_INVALID}, NamespaceAll found when |selected namespaces| > 1"
    return ""


def _lacking(mode: str, what: str) -> str:
    return f"{mode} InstallModeType not supported, cannot configure to watch {what}"
