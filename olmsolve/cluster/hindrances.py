"""Hindrances: the causes that can hold back the operators of a namespace, one value a cause.

A value says who is held back, and by what; ``str()`` makes one sentence of it. ``namespace_hindrances`` finds those
that the objects of a cluster tell of. What only a resolution can tell (a pin, a missing edge) is not here, but for
RequirementUnmet: why nothing comes of a resolution.
"""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from olmsolve._worded import Worded
from olmsolve.errors import NamespaceError
from olmsolve.predicates import Predicate, stated


@attrs.frozen
class Hindrance(Worded):
    """The base of all causes; *namespace* is the namespace that is held back. PlanWaits has the kind ``planWaits``."""

    kind: ClassVar[str]
    namespace: str

    def __init_subclass__(cls) -> None:
        super().__init_subclass__(kind=cls.__name__[0].lower() + cls.__name__[1:])

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data: the kind, the fields, and the sentence as ``text``."""
        fields = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in attrs.asdict(self, recurse=False).items()
        }
        return {"kind": self.kind, **fields, "text": str(self)}


@attrs.frozen
class NamespaceUnresolvable(Hindrance):
    """The objects of the namespace keep it from being resolved, whatever its catalogs contain; *reason* says why.

    *remedy* says what an administrator can do. *source* is the file and document of the object at fault, "" where it
    is not known or no object is.
    """

    reason: str
    remedy: str
    source: str = ""

    def __str__(self) -> str:
        return f"OLM resolves nothing in namespace {self.namespace}: {self.reason}; {self.remedy}"

    def error(self) -> NamespaceError:
        """Return the error for a caller that wants a request of the namespace."""
        hint = f"OLM resolves nothing there: {self.remedy}"
        return NamespaceError(self.reason, source=self.source, object=f"namespace {self.namespace}", hint=hint)


@attrs.frozen
class GroupWithoutTargets(Hindrance):
    """The operator *group* names no namespaces, for the *reason*; operators are installed, and none works."""

    group: str
    reason: str

    def __str__(self) -> str:
        return (
            f"no operator can act in namespace {self.namespace}: operator group {self.group} has a fault, {self.reason}"
        )


@attrs.frozen
class PlanWaits(Hindrance):
    """The install *plan* waits for approval, and with it the *operators* that it would install."""

    plan: str
    operators: tuple[str, ...] = ()

    def __str__(self) -> str:
        operators = ", ".join(self.operators) or "nothing"
        return f"install plan {self.namespace}/{self.plan} waits for approval: {operators}"


@attrs.frozen
class PlanFailed(Hindrance):
    """The install *plan* has failed with *message*; OLM does not try it again."""

    plan: str
    operators: tuple[str, ...] = ()
    message: str = ""

    def __str__(self) -> str:
        return f"install plan {self.namespace}/{self.plan} failed{f': {self.message}' if self.message else ''}"


@attrs.frozen
class OperatorNotWorking(Hindrance):
    """The *operator* is in a *phase* other than Succeeded ("" before OLM's first look), for OLM's *reason*."""

    operator: str
    phase: str
    reason: str = ""
    message: str = ""

    def __str__(self) -> str:
        why = ": ".join(filter(None, (self.reason, self.message)))
        phase = self.phase or "not looked at yet"
        return f"operator {self.namespace}/{self.operator} is {phase}{f' ({why})' if why else ''}"


@attrs.frozen
class OperatorGivesWay(Hindrance):
    """The *operator* is in *phase* Replacing or Deleting, and goes by itself, since its *replacement* works."""

    operator: str
    phase: str
    replacement: str

    def __str__(self) -> str:
        return (
            f"operator {self.namespace}/{self.operator} is {self.phase}, and OLM removes it by itself, since"
            f" {self.replacement} works in its place; until then it counts as installed"
        )


@attrs.frozen
class OperatorMayNotAct(Hindrance):
    """The working *operator* may not act in its operator *group*: OLM fails it with *reason* and *message*."""

    operator: str
    group: str
    reason: str
    message: str

    def __str__(self) -> str:
        return (
            f"operator {self.namespace}/{self.operator} may not act in operator group {self.group}, and OLM will"
            f" fail it ({self.reason}: {self.message})"
        )


@attrs.frozen
class OperatorNotUpgradeable(Hindrance):
    """The *operator* lets no newer one replace it, for the *reason*; *newer* waits already, "" where none does."""

    operator: str
    reason: str
    newer: str = ""

    def __str__(self) -> str:
        who = self.newer or "every newer one"
        # An operator may refuse without a message.
        return f"operator {self.namespace}/{self.operator} keeps {who} pending: {self.reason.rstrip(': ')}"


@attrs.frozen
class CatalogNotReady(Hindrance):
    """The *catalog* (``namespace/name``) was not ready when OLM last looked: its connection *state*, or a *reason*."""

    catalog: str
    state: str = ""
    reason: str = ""
    message: str = ""

    def __str__(self) -> str:
        what = f"the connection to catalog {self.catalog} is {self.state}" if self.state else f"catalog {self.catalog}"
        why = ": ".join(filter(None, (self.reason, self.message)))
        if self.state:
            return f"{what}{f' ({why})' if why else ''}, and while a catalog cannot be read OLM resolves nothing"
        return f"{what} has a fault ({why}), and while a catalog cannot be read OLM resolves nothing"


@attrs.frozen
class SubscriptionDeprecated(Hindrance):
    """The catalog of the *subscription* deprecates its installed bundle, channel or package, for the *message*.

    *condition* is the type of OLM's condition: ``PackageDeprecated``, ``ChannelDeprecated`` or ``BundleDeprecated``.
    """

    subscription: str
    condition: str
    message: str

    def __str__(self) -> str:
        what = self.condition.removesuffix("Deprecated").lower()
        return f"the {what} of subscription {self.namespace}/{self.subscription} is deprecated: {self.message}"


@attrs.frozen
class OrphanOperator(Hindrance):
    """The *operator* belongs to no subscription, so it must stay; *blocked* subscriptions want its *package*."""

    operator: str
    package: str = ""
    blocked: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = (
            f"operator {self.namespace}/{self.operator} belongs to no subscription, so it must stay and gets no updates"
        )
        if not self.blocked:
            return text
        one = len(self.blocked) == 1
        wanting = f"subscription{'' if one else 's'} {', '.join(self.blocked)} want{'s' if one else ''}"
        return f"{text}; {wanting} another bundle of its package {self.package}"


@attrs.frozen
class OperatorMissing(Hindrance):
    """The *operator* that the *subscription* had installed is gone, and no plan brings it.

    A plan follows only where a resolution changes a subscription, and this one has its operator, as it believes.
    """

    operator: str
    subscription: str

    def __str__(self) -> str:
        return (
            f"operator {self.namespace}/{self.operator} of subscription {self.subscription} is gone, and OLM does not"
            " install it again; delete the subscription and create it anew"
        )


@attrs.frozen
class RequirementUnmet(Hindrance):
    """The installed *operator* has a *requirement* that no installed operator meets, and no plan brings the *provider*.

    A resolution selects the *provider*, a bundle of *package* for which nobody has a subscription. It comes to nothing:
    a plan follows only where a resolution changes a subscription.
    """

    operator: str
    requirement: Predicate
    provider: str
    package: str

    def __str__(self) -> str:
        return (
            f"operator {self.namespace}/{self.operator} {stated(self.requirement)}, which no installed operator meets;"
            f" {self.provider} would, but OLM writes no plan for it until a subscription of the namespace changes:"
            f" subscribe to package {self.package}"
        )

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "requirement": str(self.requirement)}


@attrs.frozen
class ClusterCatalogNotServing(Hindrance):
    """The ClusterCatalog *catalog* of OLM v1 does not serve its content, for the *reason*; *namespace* is ""."""

    catalog: str
    reason: str = ""
    message: str = ""

    def __str__(self) -> str:
        why = ": ".join(filter(None, (self.reason, self.message)))
        return f"ClusterCatalog {self.catalog} is not serving its content{f' ({why})' if why else ''}"
