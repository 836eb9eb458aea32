"""The request that a plan leaves behind: its bundles are installed, and subscriptions own them.

OLM generates a subscription for each bundle that a requirement brought in, as its documentation says ("Dependency
resolution"); so later plans can update it.
"""

from __future__ import annotations

import attrs

from olmsolve.catalog import Bundle, namespace_and_name
from olmsolve.classic import Installed, Request, Subscription
from olmsolve.resolution import Install, Resolution


def carried_out(request: Request, plan: Resolution) -> Request:
    """Return *request* after its *plan*: its bundles are installed, and replaced operators are gone."""
    # A bundle that is installed already, and that a further subscription takes up, comes as the catalog has it.
    gone = {operator.name for operator, _ in plan.replaced} | {install.name for install in plan.installs}
    installed = [operator for operator in request.installed if operator.name not in gone]
    subscriptions = {subscription.name: subscription for subscription in request.subscriptions}
    for install in plan.installs:
        owner = next((wanted.subscription for wanted in install.wanted_by if wanted.subscription), "")
        if owner:
            subscriptions[owner] = attrs.evolve(subscriptions[owner], installed_csv=install.name)
        else:
            generated = _generated(install, request.namespaces[0], subscriptions)
            subscriptions[generated.name] = generated
            owner = generated.name
        bundle = _bundle(request, install)
        installed.append(Installed(install.name, install.version, bundle.properties, owner))
    return attrs.evolve(request, installed=installed, subscriptions=subscriptions.values())


def _bundle(request: Request, install: Install) -> Bundle:
    source = next(source for source in request.sources if source.key == install.catalog)
    return source.catalog.packages[install.package].bundles[install.name]


def _generated(install: Install, namespace: str, taken: dict[str, Subscription]) -> Subscription:
    """Return the subscription that OLM generates for a bundle that a requirement brought in."""
    source_namespace, source = namespace_and_name(install.catalog)
    name = f"{install.package}-{install.channel}-{source}-{source_namespace}"
    while name in taken:
        name += "-2"
    return Subscription(
        name, namespace, install.package, install.channel, source, source_namespace, install.name, install.name
    )
