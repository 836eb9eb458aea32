"""The values that OLM writes into operator groups: targets that their specification names, APIs of their operators."""

from __future__ import annotations

from typing import TypeAlias

import attrs

from olmsolve._limits import checked
from olmsolve.cluster import (
    Api,
    ClusterState,
    owned_apis,
)
from olmsolve.cluster.objects import ClusterServiceVersion, Namespace, OperatorGroup
from olmsolve.cluster.operator_groups import ClusterGroups, account_is_missing, annotated, specified_targets

_Key: TypeAlias = tuple[str, str]


def retargeted(state: ClusterState, *, only_empty: bool = False) -> ClusterState:
    """Return *state* with the targets that each group's specification names in the group's status.

    A status stays where the specification cannot be judged (a selector that cannot be read, or no Namespace among the
    objects), and where it differs in the group's own namespace alone: OLM's releases differ there. With *only_empty*,
    only a status without targets is written.
    """
    namespaces = state.all(Namespace)
    changed = []
    for group in checked(state.all(OperatorGroup), every=8):
        if (only_empty and group.namespaces) or account_is_missing(group, state):
            continue
        specified, undetermined = specified_targets(group, namespaces)
        own = {group.namespace}
        if undetermined or (group.namespaces and set(group.namespaces) - own == set(specified) - own):
            continue
        if tuple(sorted(group.namespaces)) != specified:
            changed.append(attrs.evolve(group, namespaces=specified))
    return state.having(*changed)


class Annotating:
    """The groups that one pass annotates; the first operator gets an API, as if passes came one after another."""

    def __init__(self, groups: ClusterGroups) -> None:
        self._groups = groups
        # By API and target, the group that has got it; "" stands for a group that targets all namespaces.
        self._touched: dict[Api, dict[str, _Key]] = {}
        self._apis: dict[_Key, tuple[OperatorGroup, frozenset[Api], set[Api]]] = {}

    def take(self, csv: ClusterServiceVersion) -> None:
        """Add the APIs of *csv* to its group, or take them from it if the group has them all.

        Nothing happens where another group of this pass is in the way: the next pass tries again.
        """
        group = self._groups.in_namespace(csv.namespace)[0]
        key = group.namespace, group.name
        if key not in self._apis:
            before = self._groups.surface(group).provided_apis
            self._apis[key] = group, before, set(before)
        _, before, now = self._apis[key]
        # Only APIs that the operator owns are ever added or taken away, however long the annotation is.
        owned = owned_apis(csv)
        adds = not owned <= before
        changes = owned - before if adds else owned & before
        targets = set(self._groups.surface(group).targets)
        if any(self._is_taken(api, targets, key) for api in changes):
            return
        for api in changes:
            self._touched.setdefault(api, {}).update(dict.fromkeys(targets, key))
        if adds:
            now |= changes
        else:
            now -= changes

    def _is_taken(self, api: Api, targets: set[str], key: _Key) -> bool:
        """Return whether another group with a common target has got *api* in this pass."""
        taken = self._touched.get(api)
        if not taken:
            return False
        if "" in targets:
            return any(other != key for other in taken.values())
        return any(taken.get(target, key) != key for target in ("", *targets))

    def changed(self) -> list[OperatorGroup]:
        """Return the groups whose annotation has changed."""
        return [annotated(group, now) for group, before, now in self._apis.values() if now != before]

    def changed_apis(self) -> frozenset[Api]:
        """Return the APIs that a group has got or lost."""
        return frozenset[Api]().union(*(before ^ now for _, before, now in self._apis.values()))
