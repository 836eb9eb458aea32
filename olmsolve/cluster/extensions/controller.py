"""The feature gates of operator-controller and the revisions that roll out, as the objects of a cluster show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from olmsolve import v1
from olmsolve.cluster.objects import ClusterExtension, OtherObject
from olmsolve.cluster.state import ClusterState

_DEPLOYMENT: Final = "operator-controller"
# An option of operator-controller, not of ours.
_OPTION: Final = "feature-gates"
_OBJECT_SET: Final = "ClusterObjectSet"
_OWNER: Final = "olm.operatorframework.io/owner-name"
_BUNDLE: Final = "olm.operatorframework.io/bundle-"
_ROLLOUT: Final = "BoxcutterRuntime"
_RELEASES: Final = "BundleReleaseSupport"


def controller_gates(state: ClusterState) -> dict[str, bool]:
    """Return the feature gates that the objects of *state* show, by name.

    The Deployment of operator-controller names them in its arguments. Without it, a ClusterObjectSet shows
    BoxcutterRuntime, and a bundle that is installed with a release shows BundleReleaseSupport.
    """
    gates: dict[str, bool] = {}
    for other in state.others:
        if other.kind == _OBJECT_SET:
            gates[_ROLLOUT] = True
    for extension in state.all(ClusterExtension):
        if extension.installed is not None and extension.installed.get("release") is not None:
            gates[_RELEASES] = True
    for other in state.others:
        if other.kind == "Deployment" and _DEPLOYMENT in other.name:
            gates.update(_settings(other.raw))
    return gates


def revision_rolling_out(state: ClusterState, extension: ClusterExtension) -> v1.InstalledBundle | None:
    """Return the bundle of *extension*'s first revision that has not succeeded; None where there is none.

    Such a revision keeps the controller from resolving. Its bundle stands in annotations of its ClusterObjectSet; which
    of them roll out stands in the extension's status.
    """
    waiting = set(_waiting_revisions(extension.raw))
    revisions = [other for other in state.others if other.kind == _OBJECT_SET and other.name in waiting]
    owned = [
        revision for revision in revisions if revision.metadata.labels.get(_OWNER, extension.name) == extension.name
    ]
    first = min(owned, key=_revision, default=None)
    if first is None:
        return None
    said = first.metadata.annotations
    name, version = said.get(f"{_BUNDLE}name", ""), said.get(f"{_BUNDLE}version", "")
    return v1.InstalledBundle(name, version, said.get(f"{_BUNDLE}release"))


def _waiting_revisions(raw: Mapping[str, Any]) -> Iterator[str]:
    for entry in _mappings(_mapping(raw.get("status")).get("activeRevisions")):
        conditions = {condition.get("type"): condition for condition in _mappings(entry.get("conditions"))}
        progressing = conditions.get("Progressing")
        if progressing is not None and progressing.get("reason") != "Succeeded":
            yield str(entry.get("name"))


def _revision(each: OtherObject) -> int:
    number = _mapping(each.raw.get("spec")).get("revision")
    return number if isinstance(number, int) else 0


def _settings(raw: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield the gates in the arguments of a Deployment's containers; a later argument counts over an earlier one."""
    pod = _mapping(_mapping(_mapping(raw.get("spec")).get("template")).get("spec"))
    for container in _mappings(pod.get("containers")):
        given = container.get("args")
        arguments = [str(each) for each in given] if isinstance(given, Sequence) and not isinstance(given, str) else []
        for number, argument in enumerate(arguments):
            name, equals, value = argument.partition("=")
            if name.lstrip("-") == _OPTION:
                value = value if equals else "".join(arguments[number + 1 : number + 2])
                for setting in value.split(","):
                    gate, _, on = setting.strip().partition("=")
                    if gate in v1.DEFAULT_GATES:
                        yield gate, on.strip().lower() == "true"


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _mappings(value: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        yield from (element for element in value if isinstance(element, Mapping))
