"""Hindrances that the plan of a namespace shows: what OLM does not install, or fails, although a resolution has it.

A resolution of a namespace selects a bundle for each requirement that nothing installed meets. As recorded, a plan
follows only where the resolution changes the current operator of a subscription, and then the plan brings these
bundles, too::

    ledger.v1.1.0 is installed, and requires an API that ink.v2.0.0 gives; nothing subscribes to ink
    ledger has no update: ink.v2.0.0 is selected, no subscription changes, and OLM writes nothing
    ledger.v1.2.0 comes:  the subscription to ledger changes, and its plan installs ink.v2.0.0 as well

OLM resolves without a look at operator groups, and fails what may not act in its group once it is installed. And it
knows no house rules: what they alone demand has no plan on a cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from olmsolve._records import field, record
from olmsolve.catalog import Catalog, Source
from olmsolve.catalog.index import index_of
from olmsolve.cluster import Hindrance, NamespaceObjects, RequirementUnmet, group_eligibility, reports_of_subscriptions
from olmsolve.cluster.install_plans import (
    RESOLUTION_FAILED,
    NewOperator,
    forbidden_steps,
    is_unpack_failed,
    plan_rights,
    planned_steps,
)
from olmsolve.cluster.objects import OLM_GROUP, ClusterServiceVersion
from olmsolve.cluster.operator_groups import Refusal, group_of
from olmsolve.cluster.rbac import creation_of
from olmsolve.eligibility import CandidateFacts, refusal
from olmsolve.lifecycle.planning.contents import foreseen_operator
from olmsolve.requests import ClusterSituation
from olmsolve.resolution import Install, Resolution


class Foreseen:
    """The mark of hindrances that no object of the cluster says: they follow from the plan that is to come."""

    __slots__ = ()


@record(
    says="{bundle} will fail once it is installed, since the operator group of namespace {namespace} does not let it "
    "act: {reason}"
)
class BundleMayNotAct(Hindrance, Foreseen):
    """The plan has a *bundle* that OLM will install and fail, for the *reason*: its operator group refuses it."""

    bundle: str = field("The bundle.")
    reason: str = field("OLM's reason, and the message.")


@record(
    says="{bundle} is selected only for house rule {rule!r}, which OLM does not know, so OLM would not install it: "
    "subscribe to package {package}"
)
class BundleForHouseRule(Hindrance, Foreseen):
    """The plan has a *bundle* of *package* for nobody but a house *rule*, so OLM would not install it."""

    bundle: str = field("The bundle.")
    package: str = field("The package of the bundle.")
    rule: str = field("The house rule that demands it.")


@record
class NamespaceWaits(Hindrance, Foreseen):
    """A resolution selects *bundles*, and OLM makes none while it waits for the *plan*, or for what its objects say."""

    bundles: tuple[str, ...] = field("The bundles that a resolution would select.")
    plan: str = field("The install plan that OLM waits for, empty where there is none.", default="")

    def __str__(self) -> str:
        until = f"until install plan {self.namespace}/{self.plan} is finished" if self.plan else "for now"
        bundles = ", ".join(self.bundles)
        return f"OLM does not resolve namespace {self.namespace} {until}, so it does not install {bundles} yet"


@record(
    says="OLM could not resolve namespace {namespace} when it last tried, but it can be resolved now: an object has "
    "changed since, or the cluster serves other content of a catalog than the content that was given"
)
class ReportOutdated(Hindrance, Foreseen):
    """OLM reports that it could not resolve the namespace, and a resolution has a plan."""


@record(
    says="OLM has not reported yet that it cannot resolve namespace {namespace}: it has not tried since an object "
    "changed, or the cluster serves other content of a catalog than the content that was given"
)
class FailureNotReported(Hindrance, Foreseen):
    """The namespace cannot be resolved, and OLM, which has resolved it before, reports nothing of it."""


def differing_report(objects: NamespaceObjects, *, is_resolved: bool) -> Iterator[Hindrance]:
    """Yield where OLM's own word about the last resolution of a namespace differs from *is_resolved*.

    A dump without conditions has been shortened, and says nothing of what OLM reported.
    """
    reports = any(report.condition == RESOLUTION_FAILED for report in reports_of_subscriptions(objects))
    has_looked = any(subscription.conditions for subscription in objects.subscriptions)
    if is_resolved and reports:
        yield ReportOutdated(objects.namespace)
    elif not is_resolved and has_looked and not reports:
        yield FailureNotReported(objects.namespace)


@record(
    says="OLM could not unpack a bundle of namespace {namespace}, and writes no install plan there until it has "
    "unpacked {bundles}; it tries again by itself"
)
class BundlesNotUnpacked(Hindrance, Foreseen):
    """A resolution selects *bundles* that OLM has to unpack, after it could not unpack one of the namespace's."""

    bundles: tuple[str, ...] = field("The bundles that have to be unpacked.")
    others: tuple[str, ...] = field("The other bundles that a resolution selects, which wait too.", default=())


@record(
    says="the service account {account} of namespace {namespace} may not carry out the whole plan for {bundles}, so "
    "OLM stops at a step and tries it again until the right is granted: {reason}"
)
class PlanForbidden(Hindrance, Foreseen):
    """The plan for *bundles* has a step that the service *account* of the operator group may not take."""

    account: str = field("The service account, as the operator group names it.")
    bundles: tuple[str, ...] = field("The bundles that the plan is to install.")
    reason: str = field("The API server's message about the first forbidden step.")


def comes_to_nothing(hindrances: Iterable[Hindrance]) -> frozenset[str]:
    """Return the bundles that a resolution selects and that get no install plan, as *hindrances* say."""
    names: set[str] = set()
    for hindrance in hindrances:
        match hindrance:
            case NamespaceWaits():
                names.update(hindrance.bundles)
            case BundlesNotUnpacked():
                names.update(hindrance.bundles, hindrance.others)
            case BundleForHouseRule():
                names.add(hindrance.bundle)
            case RequirementUnmet():
                names.add(hindrance.provider)
    return frozenset(names)


def plan_hindrances(cluster: ClusterSituation, resolution: Resolution, namespace: str) -> tuple[Hindrance, ...]:
    """Return what keeps the *resolution* of *namespace* from being what OLM does there."""
    if not resolution.installs:
        return ()
    objects = NamespaceObjects.picked_from(cluster.staying, namespace)
    unpacking = _not_unpacked(cluster, resolution, objects)
    return (
        *unmet_requirements(resolution, objects),
        *(
            BundleForHouseRule(namespace, install.name, install.package, rule)
            for install, rule in for_house_rules_alone(resolution)
        ),
        *unpacking,
        *_refused_by_group(cluster, resolution, namespace),
        *(() if unpacking else _forbidden(cluster, resolution, objects)),
    )


def unmet_requirements(resolution: Resolution, objects: NamespaceObjects) -> tuple[RequirementUnmet, ...]:
    """Return what the installed operators of a namespace lack, according to the *resolution* of its *objects*.

    There is one for each operator that stays and requires a bundle that the resolution selects, and that no
    subscription wants and no unfinished plan brings. Where the resolution changes a subscription, there is none: a plan
    follows.
    """
    stays = {candidate.name for candidate in resolution.kept}
    coming = {name for plan in objects.plans if plan.phase not in ("Complete", "Failed") for name in plan.csv_names}
    unmet = tuple(
        RequirementUnmet(objects.namespace, wanted.bundle, wanted.requirement, install.name, install.package)
        for install in resolution.installs
        if install.name not in coming and not any(wanted.subscription for wanted in install.wanted_by)
        for wanted in install.wanted_by
        if wanted.bundle in stays and wanted.requirement is not None
    )
    return () if unmet and _makes_plan(resolution, objects) else unmet


def _makes_plan(resolution: Resolution, objects: NamespaceObjects) -> bool:
    operators = map(_without_content, resolution.installs)
    return bool(planned_steps(operators, objects.subscriptions, objects.csv_names, objects.namespace).updated)


def _without_content(install: Install) -> NewOperator:
    namespace, _, source = install.catalog.partition("/")
    return NewOperator(install.name, install.package, install.channel, source, namespace)


def for_house_rules_alone(resolution: Resolution) -> Iterator[tuple[Install, str]]:
    """Yield the installs of *resolution* that house rules alone want, or their requirements, each with the rule."""
    rules: dict[str, str] = {}
    waiting = True
    while waiting:
        waiting = False
        for install in resolution.installs:
            rules_named = [wanted.house_rule or rules.get(wanted.bundle or "", "") for wanted in install.wanted_by]
            if install.name not in rules and rules_named and all(rules_named):
                rules[install.name] = rules_named[0]
                waiting = True
    for install in resolution.installs:
        if install.name in rules:
            yield install, rules[install.name]


def _not_unpacked(
    cluster: ClusterSituation, resolution: Resolution, objects: NamespaceObjects
) -> tuple[BundlesNotUnpacked, ...]:
    if not any(map(is_unpack_failed, objects.subscriptions)):
        return ()
    packed = tuple(install.name for install in resolution.installs if _image(cluster, install))
    others = tuple(install.name for install in resolution.installs if install.name not in packed)
    return (BundlesNotUnpacked(objects.namespace, packed, others),) if packed else ()


def _image(cluster: ClusterSituation, install: Install) -> str:
    content = cluster.contents.get(install.catalog)
    if not isinstance(content, Catalog):
        return ""
    return content.packages[install.package].bundles[install.name].image


def _forbidden(cluster: ClusterSituation, resolution: Resolution, objects: NamespaceObjects) -> Iterator[PlanForbidden]:
    """Yield what the account of the operator group may not do of the plan that *resolution* makes."""
    rights = plan_rights(objects.namespace, cluster.state)
    if rights is None:
        return
    operators = operators_of(cluster, resolution)
    steps = planned_steps(operators, objects.subscriptions, objects.csv_names, objects.namespace)
    if not steps.updated:
        return
    refused = next((why for _, why in forbidden_steps(steps.steps, rights, cluster.state)), "")
    if steps.lookups and not refused:
        refused = rights.refusal(creation_of(ClusterServiceVersion.KIND, OLM_GROUP))
    if refused:
        yield PlanForbidden(objects.namespace, rights.name, tuple(operator.name for operator in operators), refused)


def operators_of(cluster: ClusterSituation, resolution: Resolution) -> list[NewOperator]:
    """Return the operators that OLM makes for *resolution*; OLM knows no house rules, so it makes none for them."""
    alone = {install.name for install, _ in for_house_rules_alone(resolution)}
    operators = []
    for install in resolution.installs:
        content = cluster.contents.get(install.catalog)
        if install.name not in alone and isinstance(content, Catalog):
            namespace, _, name = install.catalog.partition("/")
            operators.append(foreseen_operator(install, Source(name, namespace, 0, content)))
    return operators


def _refused_by_group(cluster: ClusterSituation, resolution: Resolution, namespace: str) -> Iterator[BundleMayNotAct]:
    group = group_of(namespace, cluster.groups)
    # Without a group, or without targets, the namespace itself has a fault.
    if cluster.policy.operator_groups or isinstance(group, Refusal) or not group.namespaces:
        return
    constraints = group_eligibility(cluster.groups, namespace)
    for install in resolution.installs:
        content = cluster.contents.get(install.catalog)
        if not isinstance(content, Catalog) or cluster.staying.get(ClusterServiceVersion, namespace, install.name):
            # OLM makes no operator where a copy has its name, and takes the copy for it.
            continue
        index = index_of(content)
        # The index has the properties; the packages of the catalog stay unread.
        [slot] = index.named(index.channel(install.package, install.channel).all, install.name)
        properties = index.published(slot).properties
        facts = CandidateFacts(install.name, install.package, install.version, install.catalog, properties)
        reason = refusal(facts, constraints)
        if reason:
            yield BundleMayNotAct(namespace, install.name, reason)
