"""The objects of one namespace that its resolution depends on."""

from __future__ import annotations

import olmsolve._attrs as attrs
from olmsolve.cluster.deletion import goes, is_terminating
from olmsolve.cluster.objects import (
    ClusterServiceVersion,
    InstallPlan,
    Namespace,
    OperatorCondition,
    OperatorGroup,
    SubscriptionObject,
)
from olmsolve.cluster.state import ClusterState


@attrs.frozen
class NamespaceObjects:
    """The subscriptions, operators, operator groups, install plans and operator conditions of *namespace*.

    *is_terminating* says that the namespace itself is being deleted.
    """

    namespace: str
    subscriptions: tuple[SubscriptionObject, ...] = ()
    csvs: tuple[ClusterServiceVersion, ...] = ()
    groups: tuple[OperatorGroup, ...] = ()
    plans: tuple[InstallPlan, ...] = ()
    conditions: tuple[OperatorCondition, ...] = ()
    is_terminating: bool = False

    @classmethod
    def of(cls, state: ClusterState, namespace: str) -> NamespaceObjects:
        """Pick the objects of *namespace* from *state*."""
        return cls(
            namespace,
            state.all(SubscriptionObject, namespace),
            state.all(ClusterServiceVersion, namespace),
            state.all(OperatorGroup, namespace),
            state.all(InstallPlan, namespace),
            state.all(OperatorCondition, namespace),
            is_terminating(state.get(Namespace, "", namespace)),
        )

    @property
    def staying(self) -> NamespaceObjects:
        """The same objects without those that go by themselves, because their deletion was asked for."""
        parts = (self.subscriptions, self.csvs, self.groups, self.plans)
        if self.is_terminating or not any(goes(object_) for part in parts for object_ in part):
            return self
        return attrs.evolve(
            self,
            subscriptions=tuple(subscription for subscription in self.subscriptions if not goes(subscription)),
            csvs=tuple(csv for csv in self.csvs if not goes(csv)),
            groups=tuple(group for group in self.groups if not goes(group)),
            plans=tuple(plan for plan in self.plans if not goes(plan)),
        )

    @property
    def group_fault(self) -> str:
        """OLM's message when it resolves nothing for want of a single operator group; "" where there is one."""
        count = len(self.groups)
        return "" if count == 1 else f"expected 1 OperatorGroup in the namespace, found {count}"

    @property
    def csv_names(self) -> list[str]:
        """The names of all operators in the namespace, copies of other namespaces' operators included."""
        return [csv.name for csv in self.csvs]
