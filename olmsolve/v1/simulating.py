"""The way of several extensions that nobody changes: one update each at a time, until all are at rest.

OLM v1 resolves each extension by itself, over the same catalogs, so that the updates of one do not depend on those of
another. In a *round* each extension that is not at rest makes its next update. Updates never go round (see
:func:`~olmsolve.v1.controller.walk`), so that there are at most as many rounds as a package has bundles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import olmsolve._attrs as attrs
from olmsolve._records import Record, documented, field, record
from olmsolve.errors import CatalogError, RequestError
from olmsolve.v1.controller import Walk, extension_conditions, walk
from olmsolve.v1.errors import ResolutionError
from olmsolve.v1.obstacle_view import held_back
from olmsolve.v1.obstacles import HeldBack
from olmsolve.v1.plans import FailedExtension
from olmsolve.v1.request import ExtensionCondition, ExtensionRequest


@record
class ExtensionUpdate(Record):
    """The update of an *extension* (the name of its request) from the bundle *before*, "" if it had none, to *bundle*.

    *version* is text, with the release as build metadata. *remark* says that it is a new major version or a downgrade.
    """

    extension: str = field("The extension.", empty="null")
    package: str = field("Its package.")
    before: str = field("The bundle that it had.", empty="null")
    bundle: str = field("The bundle that it gets.")
    version: str = field("Its version.")
    catalog: str = field("Its catalog.")
    remark: str = field("That it is a new major version, or a downgrade.", default="", empty="absent")

    def __str__(self) -> str:
        start = f"from {self.before} to" if self.before else "gets"
        remark = f", {self.remark}" if self.remark else ""
        return f"{self.extension or self.package} {start} {self.bundle} ({self.catalog}){remark}"


@record
class ExtensionRound(Record):
    """Round *number* (from 1): one update of each extension that is not at rest yet."""

    number: int = field("From 1.", schema={"minimum": 1})
    updates: tuple[ExtensionUpdate, ...] = field("The extensions that get another bundle in this round.")


@record
class RestingExtension(Record):
    """An *extension* at rest on *bundle*, with the newer bundles that are *held_back* from it there, and its status."""

    extension: str = field("The extension.", empty="null")
    package: str = field("Its package.")
    bundle: str = field("The bundle with which it stays.")
    version: str = field("Its version.")
    catalog: str = field("Its catalog.")
    held_back: tuple[HeldBack, ...] = field("The newer bundles that the extension does not get.")
    conditions: tuple[ExtensionCondition, ...] = field("The conditions in the status of the extension.", default=())


@record(
    definition="olmsolve.v1.simulation",
    title="The updates of several extensions, round by round",
    about="docs/v1.md gives the meaning of the fields.",
    layout=("is_settled", ...),
)
class ExtensionSimulation(Record):
    """The *rounds* until every extension is *resting* or has *failed*, both in the order of the requests.

    A failed extension may have been updated before; its failure is the one that it ends with.
    """

    rounds: tuple[ExtensionRound, ...] = field("The rounds, in their order.")
    resting: tuple[RestingExtension, ...] = field("The extensions at rest.")
    failed: tuple[FailedExtension, ...] = field("The extensions without an answer.", default=())

    @property
    @documented("Whether every extension is at rest.", path="settled")
    def is_settled(self) -> bool:
        return not self.failed


def simulate(requests: Iterable[ExtensionRequest], *, failing: Iterable[str] = ()) -> ExtensionSimulation:
    """Return the updates that OLM v1 makes to the extensions of *requests*, round by round, until nothing changes.

    No request fails the others: an extension that cannot be resolved, at once or after some updates, is in ``failed``.
    The bundles named in *failing* never start to work, for which a controller with the gate BoxcutterRuntime waits.

    >>> from olmsolve import load, v1
    >>> commons = v1.ClusterCatalog("commons", load("olmsolve/examples/catalogs/commons"))
    >>> simulation = v1.simulate([v1.ExtensionRequest(v1.Extension("keyring"), [commons])])
    >>> [extension.bundle for extension in simulation.resting]
    ['keyring.v1.0.2']
    """
    broken = frozenset(failing)
    ways: list[list[ExtensionUpdate]] = []
    resting: list[RestingExtension] = []
    failed: list[FailedExtension] = []
    for request in requests:
        package = request.extension.package
        try:
            following = walk(request, failing=broken)
        except (ResolutionError, CatalogError, RequestError) as error:
            ways.append([])
            failed.append(FailedExtension(request.name, package, error))
            continue
        ways.append(list(_updates(request, following)))
        if following.stopped is not None:
            conditions = extension_conditions(attrs.evolve(request, installed=following.installed), following.stopped)
            failed.append(FailedExtension(request.name, package, following.stopped, conditions))
            continue
        stays = following.stays
        assert stays is not None
        settled = attrs.evolve(request, installed=following.installed)
        resting.append(
            RestingExtension(
                request.name,
                package,
                stays.bundle,
                stays.full_version,
                stays.catalog,
                held_back(settled),
                extension_conditions(settled, stays),
            )
        )
    longest = max(map(len, ways), default=0)
    rounds = tuple(
        ExtensionRound(number + 1, tuple(way[number] for way in ways if number < len(way))) for number in range(longest)
    )
    return ExtensionSimulation(rounds, tuple(resting), tuple(failed))


def _updates(request: ExtensionRequest, following: Walk) -> Iterator[ExtensionUpdate]:
    before = "" if request.installed is None else request.installed.name
    for update, remark in zip(following.updates, following.remarks, strict=True):
        yield ExtensionUpdate(
            request.name, update.package, before, update.bundle, update.full_version, update.catalog, remark
        )
        before = update.bundle
