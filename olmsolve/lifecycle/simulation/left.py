"""Unfinished work at the end of a simulation: values, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from olmsolve._limits import checked
from olmsolve._records import field, record
from olmsolve.cluster import (
    ClusterState,
    Hindrance,
    NamespaceObjects,
    failed_plans,
    groups_without_targets,
    missing_operators,
    operators_not_working,
    refused_plans,
    waiting_plans,
)
from olmsolve.cluster.objects import ClusterServiceVersion, InstallPlan
from olmsolve.lifecycle.simulation.model import NamespacePass
from olmsolve.resolution import ResolutionFailure

_CORE: Final = {"$ref": "#/$defs/olmsolve.unsatisfiable"}


@record
class NamespaceUnresolved(Hindrance):
    """The namespace has no plan: there is a *failure* with its constraints, or an *error* in words."""

    failure: ResolutionFailure | None = field(
        "The constraints that cannot hold together.", empty="absent", schema=_CORE, default=None
    )
    error: str = field("Why it is not resolved, where there are no constraints.", empty="absent", default="")

    def __str__(self) -> str:
        if self.failure is None:
            return f"namespace {self.namespace} is not resolved: {self.error}"
        constraints = self.failure.to_dict().get("constraints", ())
        return f"namespace {self.namespace} cannot be resolved: {'; '.join(each['text'] for each in constraints)}"


@record(says="{operators} operators had not come to rest after {passes} passes over all of them")
class OperatorsUnsettled(Hindrance):
    """So many *operators* of the cluster still changed after so many *passes* over all of them; *namespace* is ""."""

    operators: int = field("How many.")
    passes: int = field("After so many passes over all of them.")


def left_over(
    state: ClusterState, passes: Iterable[NamespacePass], namespaces: Iterable[str], *, everywhere: bool
) -> Iterator[Hindrance]:
    """Yield what in *state* is not as its subscriptions want it, after the last *passes* over *namespaces*.

    With *everywhere*, plans and operators of all other namespaces count as well.
    """
    for done in checked(passes):
        if done.fault is not None:
            yield done.fault
        elif done.error or done.failure is not None:
            yield NamespaceUnresolved(done.namespace, None if done.error else done.failure, done.error)
        yield from groups_without_targets(state, NamespaceObjects.of(state, done.namespace))
        yield from done.sync.unmet
    names = dict.fromkeys(namespaces)
    if everywhere:
        for kind in (InstallPlan, ClusterServiceVersion):
            names.update(dict.fromkeys(each.namespace for each in state.all(kind)))
    for name in checked(names):
        objects = NamespaceObjects.of(state, name)
        yield from waiting_plans(objects)
        yield from failed_plans(objects)
        yield from refused_plans(state, objects)
        yield from operators_not_working(objects)
        yield from missing_operators(objects)
