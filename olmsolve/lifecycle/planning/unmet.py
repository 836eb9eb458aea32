"""The requirements of installed operators that nothing installed meets, and for which OLM makes no plan.

A resolution of a namespace selects a bundle for each of them. As recorded, a plan follows only where the resolution
changes the current operator of a subscription, and then the plan brings these bundles, too::

    ledger.v1.1.0 is installed, and requires an API that ink.v2.0.0 gives; nothing subscribes to ink
    ledger has no update: ink.v2.0.0 is selected, no subscription changes, and OLM writes nothing
    ledger.v1.2.0 comes:  the subscription to ledger changes, and its plan installs ink.v2.0.0 as well
"""

from __future__ import annotations

from olmsolve.cluster import NamespaceObjects, RequirementUnmet
from olmsolve.cluster.install_plans import NewOperator, planned_steps
from olmsolve.resolution import Install, Resolution


def unmet_requirements(resolution: Resolution, objects: NamespaceObjects) -> tuple[RequirementUnmet, ...]:
    """Return what the installed operators of a namespace lack, according to the *resolution* of its *objects*.

    There is one for each operator that stays and requires a bundle that the resolution selects, and that no
    subscription wants and no unfinished plan brings. Where the resolution changes a subscription, there is none: a plan
    follows.
    """
    stays = {candidate.name for candidate in resolution.kept}
    coming = {name for plan in objects.plans if plan.phase not in ("Complete", "Failed") for name in plan.csv_names}
    found = tuple(
        RequirementUnmet(objects.namespace, wanted.bundle, wanted.requirement, install.name, install.package)
        for install in resolution.installs
        if install.name not in coming and not any(wanted.subscription for wanted in install.wanted_by)
        for wanted in install.wanted_by
        if wanted.bundle in stays and wanted.requirement is not None
    )
    return () if found and _makes_plan(resolution, objects) else found


def _makes_plan(resolution: Resolution, objects: NamespaceObjects) -> bool:
    operators = map(_without_content, resolution.installs)
    return bool(planned_steps(operators, objects.subscriptions, objects.csv_names, objects.namespace).updated)


def _without_content(install: Install) -> NewOperator:
    namespace, _, source = install.catalog.partition("/")
    return NewOperator(install.name, install.package, install.channel, source, namespace)
