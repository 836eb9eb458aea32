"""The next actions of OLM as items: one for each operator and each extension, with its state and its story.

A page shows an item as a line that unfolds; nothing here knows how it looks.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import olmsolve._attrs as attrs
from olmsolve.cluster import (
    Hindrance,
    NamespaceObjects,
    OperatorMissing,
    OperatorNotUpgradeable,
    OperatorNotWorking,
    OrphanOperator,
    PlanFailed,
    PlanNotFinished,
    PlanWaits,
    RequirementUnmet,
    SubscriptionDeprecated,
    SubscriptionsReport,
)
from olmsolve.cluster.objects import ClusterServiceVersion, InstallPlan, SubscriptionObject
from olmsolve.lifecycle.planning import NamespacePlan
from olmsolve.render.held_back import held_back_groups
from olmsolve.v1 import FailedExtension, Planned

_WORKS: Final = "Succeeded"
_NAMED: Final = 6
"""The most operators that a line about an install plan names: each has an item of its own."""


class ItemState(enum.Enum):
    """The states of operators and extensions, the worst first; the values are classes of the page's style."""

    UNRESOLVED = "unresolved"
    BROKEN = "broken"
    WAITS = "waits"
    UPDATE = "update"
    HELD = "held"
    REST = "rest"


@attrs.frozen
class Item:
    """An operator or extension: *current* is what is installed, *following* what it gets ("": nothing).

    *title* names the subscription or the extension, *where* its channel and catalog. *remarks* are words such as
    "deprecated", and *story* are sentences about what holds it back.
    """

    state: ItemState
    current: str = ""
    following: str = ""
    title: str = ""
    where: str = ""
    remarks: tuple[str, ...] = ()
    story: tuple[str, ...] = ()


@attrs.frozen
class ItemGroup:
    """The items of one *namespace*, with its operator group and targets (*served*) in words.

    *failures* say why nothing is resolved there; *lines* are sentences that belong to no single item.
    """

    namespace: str
    served: str
    items: tuple[Item, ...]
    failures: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    @property
    def worst(self) -> int:
        """The position of its worst state among all states."""
        states = list(ItemState)
        return min((states.index(item.state) for item in self.items), default=len(states))


def planned_group(plan: NamespacePlan) -> ItemGroup:
    """Return the items of a namespace that was planned for."""
    newer_texts = {
        operator.subscription: tuple(f"held back: {newer}" for newer in operator.newer) for operator in plan.held_back
    }
    maker = _ItemMaker(plan.objects, plan.plan, plan.hindrances, newer_texts, is_resolved=not plan.failures)
    items = tuple(maker.items(plan.subscriptions))
    lines = [
        str(hindrance) for hindrance in plan.hindrances if hindrance not in maker.stated and hindrance != plan.fault
    ]
    if plan.plan is not None:
        approval = "after approval" if plan.plan.phase == "RequiresApproval" else "by itself"
        names = list(plan.plan.csv_names[:_NAMED]) or ["nothing"]
        if len(plan.plan.csv_names) > _NAMED:
            names.append(f"and {len(plan.plan.csv_names) - _NAMED} more")
        what = ", ".join(names)
        lines.insert(0, f"OLM writes install plan {plan.plan.spec_generation}, carried out {approval}: {what}")
    return ItemGroup(plan.namespace, _served(plan.objects), items, plan.failures, tuple(lines))


def unplanned_group(objects: NamespaceObjects, error: str = "") -> ItemGroup:
    """Return the items of a namespace that was not planned for: for the *error*, or without any subscription."""
    maker = _ItemMaker(objects, None, (), {}, is_resolved=not error)
    items = tuple(maker.items(objects.subscriptions))
    return ItemGroup(objects.namespace, _served(objects), items, (error,) if error else ())


def extension_item(planned: Planned) -> Item:
    """Return the item of a cluster extension that gets or keeps a bundle."""
    story = [str(requirement) for requirement in planned.requirements]
    story += [f"passed over: {candidate}" for candidate in planned.passed_over]
    newer_texts = held_back_groups([newer.to_dict() for newer in planned.held_back])
    story += [f"held back: {text}" for text in newer_texts]
    if planned.refusal:
        state = ItemState.UNRESOLVED
        story.insert(0, f"OLM v1 itself refuses it: {planned.refusal}")
    elif not planned.stays:
        state = ItemState.UPDATE
    else:
        state = ItemState.HELD if newer_texts or planned.passed_over else ItemState.REST
    following = "" if planned.stays else planned.bundle
    title = planned.extension or planned.package
    return Item(state, planned.installed, following, title, planned.catalog, story=tuple(story))


def failed_item(failed: FailedExtension) -> Item:
    """Return the item of a cluster extension that cannot be resolved."""
    return Item(ItemState.UNRESOLVED, title=failed.extension or failed.package, story=(str(failed.error),))


def _served(objects: NamespaceObjects) -> str:
    if len(objects.groups) != 1:
        return f"{len(objects.groups)} operator groups" if objects.groups else "no operator group"
    targets = objects.groups[0].namespaces
    served = "all namespaces" if targets == ("",) else ", ".join(targets) or "no namespace"
    return f"operator group {objects.groups[0].name} for {served}"


class _ItemMaker:
    """Makes the items of a namespace; *stated* are the hindrances that items state."""

    def __init__(
        self,
        objects: NamespaceObjects,
        plan: InstallPlan | None,
        hindrances: Sequence[Hindrance],
        newer_texts: dict[str, tuple[str, ...]],
        *,
        is_resolved: bool,
    ) -> None:
        self._csvs = {csv.name: csv for csv in objects.csvs if not csv.is_copied}
        self._plan = plan
        self._newer_texts = newer_texts
        self._is_resolved = is_resolved
        self._by_name: dict[tuple[str, str], list[Hindrance]] = {}
        for hindrance in hindrances:
            for key in _about(hindrance):
                self._by_name.setdefault(key, []).append(hindrance)
        self.stated: list[Hindrance] = []

    def items(self, subscriptions: Iterable[SubscriptionObject]) -> Iterator[Item]:
        """Yield an item for each of *subscriptions*, then for operators without one, then for new dependencies."""
        named: set[str] = set()
        for subscription in subscriptions:
            named |= {subscription.installed_csv, subscription.current_csv}
            yield self._subscribed(subscription)
        for csv in self._csvs.values():
            if csv.name not in named:
                yield self._alone(csv)
        for name in self._plan.csv_names if self._plan is not None else ():
            if name not in named:
                yield Item(self._planned_state(), following=name, title="new dependency")

    def _subscribed(self, subscription: SubscriptionObject) -> Item:
        current, pending = subscription.installed_csv, subscription.current_csv
        following = "" if pending == current else pending
        hindrances = self._hindrances(current, following, subscription.name)
        newer_texts = self._newer_texts.get(subscription.name, ())
        catalog = f"{subscription.source_namespace}/{subscription.source}" if subscription.source else ""
        return Item(
            self._state(current, following, hindrances, newer_texts),
            current,
            following,
            f"subscription {subscription.name}",
            ", ".join(filter(None, (subscription.channel, catalog))),
            _remarks(hindrances),
            (*dict.fromkeys(map(str, hindrances)), *newer_texts),
        )

    def _alone(self, csv: ClusterServiceVersion) -> Item:
        hindrances = self._hindrances(csv.name, "", "")
        state = ItemState.REST if csv.phase in (_WORKS, "") else ItemState.BROKEN
        if state is ItemState.REST and hindrances:
            state = ItemState.HELD
        story = tuple(dict.fromkeys(map(str, hindrances)))
        if state is ItemState.BROKEN and not story:
            story = (f"{csv.phase} ({': '.join(filter(None, (csv.reason, csv.message)))})",)
        return Item(state, csv.name, "", "no subscription", remarks=_remarks(hindrances), story=story)

    def _hindrances(self, current: str, following: str, subscription: str) -> list[Hindrance]:
        keys = [("operator", name) for name in (current, following) if name] + [("subscription", subscription)]
        hindrances = list(dict.fromkeys(hindrance for key in keys for hindrance in self._by_name.get(key, ())))
        self.stated += hindrances
        return hindrances

    def _state(
        self, current: str, following: str, hindrances: Sequence[Hindrance], newer_texts: Sequence[str]
    ) -> ItemState:
        # The worst state first: an operator that does not work is broken, whatever else is held back from it.
        if not self._is_resolved:
            return ItemState.UNRESOLVED
        refuses = any(isinstance(hindrance, OperatorNotUpgradeable) for hindrance in hindrances)
        broken = (hindrance for hindrance in hindrances if isinstance(hindrance, OperatorNotWorking))
        # A newer operator that the present one does not let in is pending, and nothing is wrong with it.
        if any(not (refuses and hindrance.operator == following) for hindrance in broken):
            return ItemState.BROKEN
        # A plan that hangs needs somebody as much as one that failed; unpacking alone ends by itself.
        if any(isinstance(hindrance, PlanFailed | PlanNotFinished) or _is_fault(hindrance) for hindrance in hindrances):
            return ItemState.BROKEN
        if any(isinstance(hindrance, PlanWaits) for hindrance in hindrances):
            return ItemState.WAITS
        if any(
            isinstance(hindrance, OperatorMissing | RequirementUnmet | SubscriptionsReport) for hindrance in hindrances
        ):
            return ItemState.HELD
        if following and following not in self._csvs:
            return self._planned_state()
        if newer_texts or refuses or not current:
            return ItemState.HELD
        return ItemState.REST

    def _planned_state(self) -> ItemState:
        waits = self._plan is not None and self._plan.phase == "RequiresApproval"
        return ItemState.WAITS if waits else ItemState.UPDATE


def _about(hindrance: Hindrance) -> Iterator[tuple[str, str]]:
    """Yield the operators and the subscription that *hindrance* names, each with its kind."""
    if isinstance(hindrance, OperatorNotWorking | OperatorNotUpgradeable | OrphanOperator | RequirementUnmet):
        yield "operator", hindrance.operator
    elif isinstance(hindrance, PlanWaits | PlanFailed | PlanNotFinished):
        yield from (("operator", name) for name in hindrance.operators)
    elif isinstance(hindrance, SubscriptionsReport):
        yield from (("subscription", name) for name in hindrance.subscriptions)
    elif isinstance(hindrance, SubscriptionDeprecated | OperatorMissing):
        yield "subscription", hindrance.subscription


def _is_fault(hindrance: Hindrance) -> bool:
    return isinstance(hindrance, SubscriptionsReport) and hindrance.condition in (
        "BundleUnpackFailed",
        "InstallPlanFailed",
    )


def _remarks(hindrances: Sequence[Hindrance]) -> tuple[str, ...]:
    is_deprecated = any(isinstance(hindrance, SubscriptionDeprecated) for hindrance in hindrances)
    return ("deprecated",) if is_deprecated else ()
