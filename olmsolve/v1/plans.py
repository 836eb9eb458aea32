"""Plans for several extensions: what stays, what is replaced, what is needed besides, and what was passed over.

It also says which extensions can be planned at all, and which ones the controller leaves as they are.
"""

from __future__ import annotations

from collections.abc import Iterable

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._records import Record, documented, field, record
from olmsolve.errors import CatalogError, OlmsolveError, RequestError
from olmsolve.predicates import Predicate
from olmsolve.v1.errors import PlanReason, ResolutionError
from olmsolve.v1.obstacles import HeldBack
from olmsolve.v1.request import ExtensionCondition, ExtensionRequest
from olmsolve.v1.resolving import resolve
from olmsolve.v1.validations import no_dependencies


@record(says="{bundle} requires {requirement}", layout=(..., "text"))
class RequiredBy(Record):
    """*bundle* has a *requirement* that the planned bundle meets."""

    bundle: str = field("The bundle.")
    requirement: Predicate = field("Its requirement.", written=str)


@record(layout=("bundle", "version", "catalog", "text", "because"))
class PassedOverBundle(Record):
    """*bundle* of *catalog* comes first for its extension, and cannot be planned beside the others: *because*.

    *because* are constraints that cannot hold together with it.
    """

    bundle: str = field("The bundle.")
    version: str = field("Its version.")
    catalog: str = field("Its catalog.")
    because: tuple[PlanReason, ...] = field("The constraints against it.")

    def __str__(self) -> str:
        return f"{self.bundle} ({self.catalog}): {'; '.join(map(str, self.because))}"


@record(
    definition="extensionPlan",
    about="A bundle of a plan for several extensions.",
    layout=("package", "bundle", "version", "catalog", "further", "extension", "installed", "required_by", ...),
)
class Planned(Record):
    """A bundle of the plan, of a requested package or a *further* one.

    *requirements* are what others need it for. *extension* is the name of the request, "" for a further package or a
    request without a name; *installed* is the bundle that it follows, "" for a first installation: the same name means
    that it stays. *refusal* says why OLM v1 itself would not install the bundle: it declares dependencies.

    *passed_over* are the bundles that the extension wants more, with the constraints against each (the first few);
    *held_back* are the newer ones that its own filters leave out. *risk* says what a downgrade puts at risk.
    """

    package: str = field("The package.")
    bundle: str = field("The bundle.")
    version: str = field("Its version.")
    catalog: str = field("Its catalog.")
    further: bool = field("Whether only others need it.")
    requirements: tuple[RequiredBy, ...] = field("The requirements that the bundle is planned for.", default=())
    extension: str = field("The extension, null for a further package.", default="", empty="null")
    installed: str = field("The bundle that it follows.", default="", empty="null")
    refusal: str = field("Why OLM v1 itself would not install it.", default="", empty="null")
    passed_over: tuple[PassedOverBundle, ...] = field(
        "The bundles that the extension would prefer, with the constraints against each.", default=()
    )
    held_back: tuple[HeldBack, ...] = field("The newer bundles that the plan leaves out.", default=())
    risk: str = field("What is at risk, where it is below the installed bundle.", default="", empty="absent")

    @property
    @documented("The bundles that need it.")
    def required_by(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(requirement.bundle for requirement in self.requirements))

    @property
    def stays(self) -> bool:
        """Whether it is installed already."""
        return self.installed == self.bundle


@record(definition="failedExtension", layout=("extension", "package", "error", "note", "conditions"))
class FailedExtension(Record):
    """An extension that fails.

    The extension for *package* fails with *error*, by itself or together with others; *extension* names the request.
    *conditions* are the conditions of its status, empty where they are not known.
    """

    extension: str = field("Its name, null for a request without one.", empty="null")
    package: str = field("Its package, empty if it cannot be read.")
    error: OlmsolveError = field("Why.", written=str)
    conditions: tuple[ExtensionCondition, ...] = field(
        "Of a simulation: the conditions in the status of the extension.", default=(), empty="absent"
    )

    @property
    @documented("What the message means and what to do, in other words.", empty="absent")
    def note(self) -> str:
        return self.error.note if isinstance(self.error, ResolutionError) else ""

    @property
    @documented("The installed bundle, which stays.", empty="absent")
    def installed(self) -> str:
        return self.error.stays if isinstance(self.error, ResolutionError) else ""


@record(
    definition="olmsolve.v1.plan",
    title="A plan for several extensions",
    about="docs/v1.md gives the meaning of the fields.",
)
class Plan(Record):
    """The bundles that would be installed: one for each request, in order, then further ones as they are needed.

    *failed* are the requests that were left out: they have no answer even alone, or collide with others.
    """

    planned: tuple[Planned, ...] = field("The bundles to install or to keep.")
    failed: tuple[FailedExtension, ...] = field("The extensions without an answer.", default=())

    @property
    def further(self) -> tuple[Planned, ...]:
        """The bundles of packages that no request asks for."""
        return tuple(extension for extension in self.planned if extension.further)


def resolvable(
    requests: Iterable[ExtensionRequest],
) -> tuple[tuple[ExtensionRequest, ...], tuple[FailedExtension, ...]]:
    """Return the *requests* that can get a bundle by themselves, dependencies aside, and the others with their errors.

    Of several for one package the first counts.
    """
    wanted: list[ExtensionRequest] = []
    failed: list[FailedExtension] = []
    taken: set[str] = set()
    for request in checked(requests):
        package = request.extension.package
        error: OlmsolveError | None = None
        try:
            if package in taken:
                error = RequestError(f"another extension has package {package!r} already", field="extension")
            else:
                # Dependencies are planned, so they are no reason to fail; everything else is, and says which.
                resolve(without_dependency_check(request))
        except (ResolutionError, CatalogError, RequestError) as failure:
            error = failure
        if error is None:
            taken.add(package)
            wanted.append(request)
        else:
            failed.append(FailedExtension(request.name, package, error))
    return tuple(wanted), tuple(failed)


def without_dependency_check(request: ExtensionRequest) -> ExtensionRequest:
    """Return *request* with all of its validations but the one that refuses bundles with dependencies."""
    kept = tuple(validation for validation in request.validations if validation is not no_dependencies)
    return attrs.evolve(request, validations=kept)


def kept_plan(request: ExtensionRequest) -> Planned | None:
    """Return what *request*'s extension has where the controller resolves nothing for it; None where it resolves."""
    try:
        resolution = resolve(request)
    except (ResolutionError, CatalogError, RequestError):
        return None
    if not resolution.kept:
        return None
    return Planned(
        resolution.package,
        resolution.bundle,
        resolution.full_version,
        "",
        False,
        (),
        extension=request.name,
        installed=resolution.installed,
    )
