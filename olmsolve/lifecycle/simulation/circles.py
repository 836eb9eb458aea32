"""States compared by digests, and circles: objects that come back to a state that they left, as updates lead round.

Two kinds of circles exist, and the real OLM does both::

    v1 -> v2 -> v3 -> v1 -> ...   each update replaces the one before, for ever: the whole cluster comes back
    v1 -> v2 -> v1                v1 is still there when v2 replaces it, or v2 when v1 does: both are Replacing, each
                                  waits until the operator that it replaced is gone, and no resolution succeeds
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from olmsolve._limits import checked
from olmsolve._records import evolve, field, record
from olmsolve.cluster import ClusterState, Hindrance
from olmsolve.cluster.objects import (
    ClusterObject,
    ClusterServiceVersion,
    CustomResourceDefinition,
    InstallPlan,
    OperatorGroup,
    SubscriptionObject,
)
from olmsolve.lifecycle.simulation.model import SimulationStep

_NOUNS: Final = {
    SubscriptionObject.KIND: "subscription",
    OperatorGroup.KIND: "operator group",
    ClusterServiceVersion.KIND: "operator",
}
_ARROW: Final = " > "
# Enough to see what turns; a circle of updates is rarely longer than its channel.
_MOST_SHOWN: Final = 20

_Key: TypeAlias = tuple[str, str, str]
_History: TypeAlias = "dict[_Key, list[tuple[int, str]]]"


@record(groups={"object": "The kind of state that goes in a circle."})
class Circle(Hindrance):
    """An object that comes back to a state that it left: *states*, the first of which is the last again.

    *object* is the kind of object, *name* its name. The states of a Subscription are its current operators, of an
    OperatorGroup the APIs that it provides, of a ClusterServiceVersion its phases. Where it *stands* still, nothing
    changes any more, and the operators do not work; otherwise it turns for ever.
    """

    object: str = field("The kind of the object.", path="object.kind", schema={"enum": list(_NOUNS)})
    name: str = field("The name of the object.", path="object.name")
    states: tuple[str, ...] = field(
        "Its current operators, provided APIs or phases in turn; the first is the last again."
    )
    stands: bool = field("Whether it has stopped in this state, with operators that do not work.", default=False)

    def __str__(self) -> str:
        named = f"{_NOUNS[self.object]} {self.namespace}/{self.name}"
        shown = [state or "nothing" for state in self.states[:_MOST_SHOWN]]
        if len(self.states) > len(shown):
            shown += ["...", self.states[-1] or "nothing"]
        way = _ARROW.join(shown)
        if self.stands:
            return f"{named} went in a circle, {way}, and has stopped there"
        return f"{named} goes in a circle for ever: {way}"


def turning(steps: Sequence[SimulationStep]) -> tuple[Circle, ...]:
    """Return the circles in *steps*, which end with the cluster as they found it.

    Where subscriptions go round, groups and operators only follow them, and are left out.
    """
    for history in (_of_subscriptions(steps), _of_groups(steps), _of_operators(steps)):
        circles = tuple(_circles(history))
        if circles:
            return circles
    return ()


def came_back(steps: Sequence[SimulationStep], state: ClusterState) -> tuple[int | None, tuple[Circle, ...]]:
    """Return the subscriptions that *steps* led round, and that stand still in *state*, where *steps* have ended.

    Such a subscription has an operator again that it had before, and this operator does not work. Before the circles
    comes the step after which the subscriptions were as they are in the end: the latest, None without a circle.
    """
    circles: list[Circle] = []
    since: list[int] = []
    for (kind, namespace, name), history in checked(_of_subscriptions(steps).items()):
        values = [value for _, value in history]
        operator = state.get(ClusterServiceVersion, namespace, values[-1])
        earlier = [position for position, value in enumerate(values[:-1]) if value == values[-1]]
        if not earlier or operator is None or operator.phase == "Succeeded":
            continue
        circles.append(Circle(namespace, kind, name, tuple(values[earlier[-1] :]), stands=True))
        since.append(history[earlier[-1]][0])
    return max(since, default=None), tuple(circles)


def _circles(history: _History) -> Iterator[Circle]:
    for (kind, namespace, name), changes in checked(sorted(history.items())):
        values = tuple(value for _, value in changes)
        if len(values) > 1 and values[0] == values[-1]:
            yield Circle(namespace, kind, name, values)


def _of_subscriptions(steps: Iterable[SimulationStep]) -> _History:
    """Map each subscription to its values of ``currentCSV``, each with the number of the step that set it."""
    history: _History = {}
    for step in checked(steps):
        for change in step.subscriptions:
            before = change.before.current_csv if change.before is not None else ""
            key = SubscriptionObject.KIND, change.after.namespace, change.after.name
            _note(history, key, step.number, before, change.after.current_csv)
    return history


def _of_groups(steps: Iterable[SimulationStep]) -> _History:
    history: _History = {}
    for step in checked(steps):
        for change in step.groups:
            key = OperatorGroup.KIND, change.namespace, change.name
            _note(history, key, step.number, change.before[1], change.after[1])
    return history


def _of_operators(steps: Iterable[SimulationStep]) -> _History:
    history: _History = {}
    for step in checked(steps):
        for change in step.operators:
            key = ClusterServiceVersion.KIND, change.namespace, change.name
            for before, after in zip(change.phases, change.phases[1:], strict=False):
                _note(history, key, step.number, before, after)
    return history


def _note(history: _History, key: _Key, step: int, before: str, after: str) -> None:
    values = history.setdefault(key, [(step - 1, before)])
    # Once more the same operator is no step of a circle.
    if values[-1][1] != after:
        values.append((step, after))


_KINDS: tuple[type[ClusterObject], ...] = (
    ClusterServiceVersion,
    CustomResourceDefinition,
    OperatorGroup,
    SubscriptionObject,
)


class Digests:
    """Digests of states that share most of their objects: each object is hashed once.

    Install plans do not count, nor the plan that a subscription waits for: their names are counted up, so a state with
    them would never come back.
    """

    def __init__(self) -> None:
        # By identity; holding the object keeps another from getting the same identity.
        self._hashed: dict[int, tuple[ClusterObject, bytes]] = {}

    def digest_of(self, state: ClusterState) -> str:
        """Return the digest of *state*, in hexadecimal."""
        whole = hashlib.sha256()
        for kind in _KINDS:
            for object_ in checked(state.all(kind), every=16):
                whole.update(self._of_object(object_))
        for object_ in checked(state.all(SubscriptionObject), every=16):
            # OLM writes a plan anew that is gone: this is a state of its own.
            if object_.install_plan and state.get(InstallPlan, object_.namespace, object_.install_plan) is None:
                whole.update(object_.key.encode("utf-8", "backslashreplace"))
        return whole.hexdigest()

    def _of_object(self, object_: ClusterObject) -> bytes:
        # By identity: a step changes a handful of objects, and hashing one takes its whole text. The object is kept
        # beside its digest, so that its id is given to no other.
        hashed = self._hashed.get(id(object_))
        if hashed is None or hashed[0] is not object_:
            # The order of annotations has no meaning.
            relevant = evolve(object_, metadata=evolve(object_.metadata, annotations={}))
            if isinstance(relevant, SubscriptionObject):
                relevant = evolve(relevant, install_plan="", install_plan_generation=0)
            # A definition only collects the names of all operators that it ever came with.
            kept = () if isinstance(object_, CustomResourceDefinition) else sorted(object_.metadata.annotations.items())
            text = f"{relevant!r} {kept}"
            hashed = self._hashed[id(object_)] = (
                object_,
                hashlib.sha256(text.encode("utf-8", "backslashreplace")).digest(),
            )
        return hashed[1]
