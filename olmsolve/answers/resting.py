"""Plans followed to rest: each is carried out on its request, and the request resolved again until nothing changes.

OLM generates a subscription for each bundle that a requirement brought in, as its documentation says ("Dependency
resolution"); so later plans can update it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import olmsolve._attrs as attrs
from olmsolve._limits import check
from olmsolve.catalog import Bundle, namespace_and_name
from olmsolve.classic import Installed, Request, Semantics, Subscription, resolve
from olmsolve.errors import CatalogError, RequestError
from olmsolve.resolution import Candidate, Install, Resolution, ResolutionFailure
from olmsolve.semver import read_version

if TYPE_CHECKING:
    from olmsolve.semver import VersionScheme
    from olmsolve.solver.backends import BackendLike


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


MOST_PLANS: Final = 50
"""The most plans that are followed; a channel with more updates than this is followed no further."""


@attrs.frozen
class Rest:
    """The end of a row of *plans*, each carried out before the next: nothing changes any more in *request*.

    *failure* is the error with which the row ended instead: the last request has no plan. *is_cut* says that there
    would have been more plans.
    """

    plans: tuple[Resolution, ...]
    request: Request = attrs.field(repr=False, eq=False)
    failure: ResolutionFailure | CatalogError | RequestError | None = attrs.field(default=None, eq=False)
    is_cut: bool = False

    @property
    def downgrades(self) -> tuple[tuple[Candidate, Candidate], ...]:
        """The operators that a plan replaces by a lower version, each with its successor."""
        pairs = ((operator, install.candidate) for plan in self.plans for operator, install in plan.replaced)
        schemes = {source.key: source.catalog.scheme for source in self.request.sources}
        return tuple((before, after) for before, after in pairs if _is_lower(after, before, schemes.get(after.catalog)))

    @property
    def is_sound(self) -> bool:
        """Whether the row neither ends in a request without a plan nor goes back to a lower version."""
        return self.failure is None and not self.downgrades


def followed(
    request: Request,
    plan: Resolution,
    *,
    semantics: Semantics,
    backend: BackendLike,
    most: int = MOST_PLANS,
) -> Rest:
    """Return where *plan* of *request* leads to: carry it out, resolve what is left, and so on until nothing changes.

    At most *most* plans are followed.

    Raises:
        Incomplete: a limit was met.
    """
    plans = [plan]
    while plans[-1].installs:
        if len(plans) > most:
            return Rest(tuple(plans), request, is_cut=True)
        try:
            check()
            request = carried_out(request, plans[-1])
            plans.append(resolve(request, semantics=semantics, backend=backend))
        except (ResolutionFailure, CatalogError, RequestError) as failure:
            return Rest(tuple(plans), request, failure)
    return Rest(tuple(plans), request)


def _is_lower(one: Candidate, other: Candidate, scheme: VersionScheme | None) -> bool:
    lower, higher = read_version(one.version, scheme), read_version(other.version, scheme)
    return lower is not None and higher is not None and lower < higher
