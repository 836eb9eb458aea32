"""Classic OLM compared with OLM v1: what an extension would get in place of a subscription, and what would differ."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve._limits import accepting_limits, checked
from olmsolve._records import Record, documented, evolve, field, record
from olmsolve.catalog import Bundle, Source, UnreadableSource
from olmsolve.classic import Request, Semantics, Subscription, Unsatisfiable, resolve, visible_unreadable
from olmsolve.cluster import ClusterState, SupportsTargets, WorksOnKubernetes, WorksOnOpenShift
from olmsolve.cluster.extensions import wish_faults
from olmsolve.cluster.objects import ClusterServiceVersion, OperatorCondition, OperatorGroup, SubscriptionObject
from olmsolve.eligibility import CandidateFacts, Eligibility, refusal
from olmsolve.errors import CatalogError, ConstraintError, Incomplete, OlmsolveError
from olmsolve.predicates import requirements
from olmsolve.resolution import ResolutionFailure
from olmsolve.semver import Version
from olmsolve.solver.backends import DEFAULT, BackendLike
from olmsolve.v1 import ExtensionRequest, PathStep

# The targets of an operator group for all namespaces.
_EVERYWHERE: Final = SupportsTargets("", ("",))


class MigrationRemark(enum.Enum):
    """A difference for an operator under OLM v1; the values appear in documents."""

    DEPENDENCY = "dependency"
    INSTALL_MODE = "install-mode"
    STARTING_CSV = "starting-csv"
    SEVERAL_CATALOGS = "several-catalogs"
    PRE_RELEASE = "pre-release"
    START = "start"
    UNWRITABLE = "unwritable"
    CHANNEL = "channel"
    SCOPE = "scope"
    APPROVAL = "approval"
    CONFIG = "config"
    WEBHOOK = "webhook"
    CONDITION = "operator-condition"
    LEFT_BEHIND = "left-behind"


_CLAUSES: Final = {
    MigrationRemark.DEPENDENCY: "it requires {}, and OLM v1 refuses bundles with dependencies",
    MigrationRemark.INSTALL_MODE: "it does not serve all namespaces, as OLM v1 requires ({})",
    MigrationRemark.STARTING_CSV: "OLM v1 has no startingCSV; pin the version of {} instead",
    MigrationRemark.PRE_RELEASE: ("{} is a pre-release: OLM v1 takes the highest version unless a range excludes it"),
    MigrationRemark.START: "a new extension has nothing installed and begins {}",
    MigrationRemark.UNWRITABLE: "no such extension can be written: {}",
    MigrationRemark.CHANNEL: (
        "no extension can name channel {}, so it names none: keep the version pinned, or OLM v1 takes the highest"
        " version of all channels"
    ),
    MigrationRemark.SCOPE: "its operator group serves {}, and OLM v1 installs for all namespaces",
    MigrationRemark.APPROVAL: "OLM v1 has no manual approval; a pinned version holds updates back instead",
    MigrationRemark.CONFIG: (
        "spec.config ({}) is lost; with the gate DeploymentConfig, write it to spec.config.inline.deploymentConfig"
    ),
    MigrationRemark.WEBHOOK: (
        "it has webhooks ({}), for which OLM v1 needs a provider of certificates: cert-manager or OpenShift"
    ),
    MigrationRemark.CONDITION: "OLM v1 reads no OperatorCondition: {} no longer holds updates back",
    MigrationRemark.LEFT_BEHIND: (
        "classic OLM leaves {} behind; an extension takes it over only once it is labelled for the extension's release"
    ),
    MigrationRemark.SEVERAL_CATALOGS: (
        "several catalogs have the package ({}); a selector or priorities decide in OLM v1"
    ),
}


@record(layout=("kind", "text"))
class Remark(Record):
    """One difference of a *kind*; *subject* is the requirement, the reason or the name that it is about."""

    kind: MigrationRemark = field("The kind of remark.")
    subject: str = ""

    def __str__(self) -> str:
        return _CLAUSES[self.kind].format(self.subject)


def _error_text(error: OlmsolveError | None) -> str:
    return str(error or "")


@record(
    layout=(
        "subscription",
        "package",
        "installed",
        "classic",
        "v1",
        "classic_reason",
        "v1_error",
        "is_same",
        "remarks",
        "further",
        "pin",
        "path",
    )
)
class Migration(Record):
    """One subscription under both generations of OLM, after the next resolution by either.

    A bundle that OLM v1 selects and does not install has a *v1_error* as well. *request* is the request of the
    extension.
    """

    subscription: str = field("The subscription.")
    package: str = field("Its package.")
    installed: str = field("The installed bundle.", empty="null")
    classic: str = field("The bundle that classic OLM gives it.", empty="null")
    v1: str = field("The bundle that OLM v1 gives it.", empty="null")
    classic_error: OlmsolveError | None = attrs.field(default=None, eq=str)
    v1_error: OlmsolveError | None = field(
        "Why OLM v1 gives it nothing.", empty="null", written=_error_text, default=None, eq=str
    )
    remarks: tuple[Remark, ...] = field("The differences between the extension and the subscription.", default=())
    further: tuple[str, ...] = field("Bundles that are also needed, each as an extension of its own.", default=())
    pin: str = field(
        "The version to pin first, with which a new extension begins with the installed bundle.",
        empty="null",
        default="",
    )
    path: tuple[PathStep, ...] = field("The updates from there, once the version is let go.", default=())
    request: ExtensionRequest | None = attrs.field(default=None, repr=False, eq=False)

    @property
    @documented("Whether both give the same bundle, and nothing else changes.", path="same")
    def is_same(self) -> bool:
        """Whether an extension in place of the subscription gets the same bundle, and nothing else changes."""
        same = self.classic == self.v1 and not self.v1_error
        return bool(self.v1) and same and not self.remarks and not self.further

    @property
    @documented("Why classic OLM gives it nothing.", path="classicError", empty="null")
    def classic_reason(self) -> str:
        """The reason why classic OLM resolves nothing, in one sentence; "" where it resolves."""
        if isinstance(self.classic_error, Unsatisfiable):
            return f"these cannot hold together: {'; '.join(map(str, self.classic_error.core))}"
        return str(self.classic_error or "")


@record(
    definition="olmsolve.migration",
    title="What OLM v1 would do in place of classic OLM",
    about="docs/v1.md gives the meaning of the fields.",
)
class Migrations(Record):
    """All subscriptions of a request under both generations of OLM.

    *fault* is the error of a broken catalog for which classic OLM resolves nothing, None where there is no such error.
    """

    subscriptions: tuple[Migration, ...] = field("The subscriptions, each with the extension in its place.")
    fault: CatalogError | None = None

    @property
    def is_same(self) -> bool:
        """Whether nothing changes for any subscription."""
        return all(subscription.is_same for subscription in self.subscriptions)


@accepting_limits
def migrations(
    request: Request,
    *,
    semantics: Semantics = Semantics.DOCUMENTED,
    backend: BackendLike = DEFAULT,
    eligibility: Iterable[Eligibility] = (),
    state: ClusterState | None = None,
) -> Migrations:
    """Compare what the subscriptions of *request* get with what extensions in their place would get.

    An extension wants the package of its subscription from the same channel and catalog. It is new, so it has nothing
    installed and no edge holds it back. A remark says how it can begin with the installed bundle: ``pin`` is the
    version for that, and ``path`` has the updates from there.

    With the objects of *state*, remarks are also about scope, approval, configuration, webhooks, conditions and
    definitions. Extensions on the cluster are ignored, because OLM v1 resolves each by itself. Constraints of *request*
    on the cluster's versions apply to both generations; its other constraints are about operator groups, which OLM v1
    does not have. *eligibility* are more constraints on the extensions. A catalog that cannot be read fails every
    extension that uses it.

    Raises:
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.
    """
    versions = [
        constraint
        for constraint in request.eligibility
        if isinstance(constraint, (WorksOnKubernetes, WorksOnOpenShift))
    ]
    constraints = (*versions, *eligibility)
    selected, failure = _classic(request, semantics, backend)
    owned = {wish.name: name for name, wish in request.owners().items()}
    results = []
    for wish in checked(request.subscriptions):
        operator = owned.get(wish.name, "")
        made = _migration(request, wish, operator, selected.get(wish.name, ""), failure, constraints)
        further = () if state is None else _remarks_on_objects(wish, operator, state)
        results.append(evolve(made, remarks=(*made.remarks, *further)))
    return Migrations(tuple(results), failure if isinstance(failure, CatalogError) else None)


def _classic(
    request: Request, semantics: Semantics, backend: BackendLike
) -> tuple[dict[str, str], ResolutionFailure | CatalogError | None]:
    """Return the bundle of each subscription after the next resolution, or why there is none."""
    try:
        plan = resolve(request, semantics=semantics, backend=backend)
    except (ResolutionFailure, CatalogError) as error:
        return {}, error
    selected = {wish.name: name for name, wish in request.owners().items()}
    for install in plan.installs:
        for wanted in install.wanted_by:
            if wanted.subscription:
                selected[wanted.subscription] = install.name
    return selected, None


def _migration(
    request: Request,
    wish: Subscription,
    installed: str,
    classic: str,
    classic_error: OlmsolveError | None,
    eligibility: tuple[Eligibility, ...],
) -> Migration:
    sources = [
        source for source in request.sources if source.namespace in request.namespaces and _is_meant(wish, source)
    ]
    with_package = [source for source in sources if wish.package in source.catalog.packages]
    extension = attrs.evolve(_extension_request(request, wish, sources, installed), eligibility=eligibility)
    pin, path = _way_there(extension, wish.channel)
    migration = Migration(
        wish.name, wish.package, installed, classic, "", classic_error, request=extension, pin=pin, path=path
    )
    keeps_channel = not wish.channel or bool(extension.extension.channels)
    remarks = [*_remarks_on_wish(wish, with_package), *_remarks_on_start(extension, lets_go=keeps_channel)]
    new = attrs.evolve(extension, installed=None)
    try:
        # Without validations: the report names the bundle that OLM v1 would select even where a check refuses it.
        resolution: v1.ExtensionResolution | v1.InstallationError = v1.resolve(attrs.evolve(new, validations=()))
    except v1.InstallationError as error:
        resolution = error
    except (v1.ResolutionError, CatalogError) as error:
        return evolve(migration, v1_error=error, remarks=tuple(remarks))
    source = next(source for source in with_package if source.key == resolution.catalog)
    bundle = source.catalog.packages[wish.package].bundles[resolution.bundle]
    if Version.parse(resolution.version).pre and resolution.bundle not in (classic, installed):
        remarks.append(Remark(MigrationRemark.PRE_RELEASE, resolution.bundle))
    remarks += _remarks_on_bundle(bundle)
    if installed and _bundle_of(_pinned(extension)) == installed:
        # With a pin it begins with this one.
        before = v1.installed_bundle(extension)
        assert before is not None
        remarks += [remark for remark in _remarks_on_bundle(before) if remark not in remarks]
    if isinstance(resolution, v1.InstallationError):
        return evolve(migration, v1=resolution.bundle, v1_error=resolution, remarks=tuple(remarks))
    others = [source for source in request.sources if source.namespace in request.namespaces and source not in sources]
    further, refused = _further(new, others)
    return evolve(migration, v1=resolution.bundle, v1_error=refused, remarks=tuple(remarks), further=further)


def _is_meant(wish: Subscription, source: Source | UnreadableSource) -> bool:
    return not wish.source or (source.name, source.namespace) == (wish.source, wish.source_namespace)


def _extension_request(request: Request, wish: Subscription, sources: list[Source], installed: str) -> ExtensionRequest:
    versions = {operator.name: operator.version for operator in request.installed}
    channels = [wish.channel] if wish.channel and is_writable_channel(wish.channel) else []
    catalogs = [v1.ClusterCatalog(source.key, source.catalog, priority=source.priority) for source in sources]
    unreadable = [source for source in visible_unreadable(request) if _is_meant(wish, source)]
    catalogs += [
        v1.ClusterCatalog(source.key, None, priority=source.priority, error=str(source.error)) for source in unreadable
    ]
    return ExtensionRequest(
        v1.Extension(wish.package, channels=channels),
        catalogs,
        v1.InstalledBundle(installed, versions[installed]) if installed else None,
        name=wish.name,
    )


def is_writable_channel(name: str) -> bool:
    """Return whether an extension can name the channel *name*; some of classic OLM break the rules for names."""
    return not v1.subdomain_faults(name)


def _remarks_on_wish(wish: Subscription, with_package: list[Source]) -> Iterator[Remark]:
    if wish.channel and not is_writable_channel(wish.channel):
        yield Remark(MigrationRemark.CHANNEL, wish.channel)
    if wish.starting_csv:
        yield Remark(MigrationRemark.STARTING_CSV, wish.starting_csv)
    if len(with_package) > 1:
        yield Remark(MigrationRemark.SEVERAL_CATALOGS, ", ".join(bundle.key for bundle in with_package))


def _remarks_on_start(extension: ExtensionRequest, *, lets_go: bool) -> Iterator[Remark]:
    """Yield what differs for a new extension, which can be written or not, and has nothing installed.

    Where it *lets_go* of its pin, OLM v1 updates it as the subscription's channel says.
    """
    for fault in wish_faults(extension.extension):
        yield Remark(MigrationRemark.UNWRITABLE, fault)
    installed = extension.installed
    if installed is None:
        return
    first = _bundle_of(attrs.evolve(extension, installed=None))
    if first in ("", installed.name):
        return
    if _bundle_of(_pinned(extension)) != installed.name:
        no_way = f"with {first}; it cannot begin with {installed.name}, which no catalog offers any more"
        yield Remark(MigrationRemark.START, no_way)
        return
    advice = f"to begin with {installed.name}, pin version to {installed.version} first"
    bundles = v1.walk(attrs.evolve(extension, validations=())).bundles if lets_go else ()
    way = f"; without the pin, it is then updated to {', '.join(bundles)}" if bundles else ""
    yield Remark(MigrationRemark.START, f"with {first}; {advice}{way}")


def _pinned(extension: ExtensionRequest) -> ExtensionRequest:
    """Return the request of a new extension that is pinned to the version that *extension* has installed."""
    installed = extension.installed
    assert installed is not None
    wish = attrs.evolve(extension.extension, version=installed.version)
    return attrs.evolve(extension, extension=wish, installed=None)


def _way_there(extension: ExtensionRequest, channel: str) -> tuple[str, tuple[PathStep, ...]]:
    """Return the version that begins with what is installed, "" where none does, and the updates from there.

    An extension that cannot name the subscription's *channel* stays in it all the same, by a pin for each update.
    """
    installed = extension.installed
    if installed is None or wish_faults(extension.extension):
        return "", ()
    try:
        first = v1.resolve(_pinned(extension))
    except (v1.ResolutionError, CatalogError):
        return "", ()
    if first.bundle != installed.name:
        return "", ()
    if not channel or extension.extension.channels:
        return installed.version, v1.steps_of(v1.walk(extension))
    inside = attrs.evolve(extension, extension=attrs.evolve(extension.extension, channels=(channel,)))
    return installed.version, v1.steps_of(v1.walk(inside))


def _remarks_on_objects(wish: Subscription, installed: str, state: ClusterState) -> Iterator[Remark]:
    """Yield what the objects of the cluster say that an extension does otherwise."""
    groups = state.all(OperatorGroup, wish.namespace)
    if len(groups) == 1 and groups[0].namespaces and "" not in groups[0].namespaces:
        yield Remark(MigrationRemark.SCOPE, ", ".join(groups[0].namespaces))
    subscription = state.get(SubscriptionObject, wish.namespace, wish.name)
    if subscription is not None and subscription.approval == "Manual":
        yield Remark(MigrationRemark.APPROVAL)
    config = _mapping(None if subscription is None else _mapping(subscription.raw.get("spec")).get("config"))
    if config:
        yield Remark(MigrationRemark.CONFIG, ", ".join(sorted(map(str, config))))
    operator = state.get(ClusterServiceVersion, wish.namespace, installed) if installed else None
    if operator is None:
        return
    webhooks = _mapping(operator.raw.get("spec")).get("webhookdefinitions")
    if isinstance(webhooks, list) and webhooks:
        yield Remark(
            MigrationRemark.WEBHOOK,
            ", ".join(str(_mapping(webhook).get("generateName") or "?") for webhook in webhooks),
        )
    condition = state.get(OperatorCondition, wish.namespace, operator.name)
    if condition is not None and (condition.spec_conditions or condition.overrides):
        yield Remark(MigrationRemark.CONDITION, operator.name)
    definitions = ", ".join(sorted({crd.name for crd in operator.owned_crds}))
    if definitions:
        yield Remark(MigrationRemark.LEFT_BEHIND, definitions)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _bundle_of(request: ExtensionRequest) -> str:
    """Return the bundle that OLM v1 selects for *request*, whatever refuses it then; "" where it selects none."""
    try:
        return v1.resolve(attrs.evolve(request, validations=(), eligibility=())).bundle
    except v1.InstallationError as refused:
        return refused.bundle
    except (v1.ResolutionError, CatalogError):
        return ""


def _remarks_on_bundle(bundle: Bundle) -> Iterator[Remark]:
    try:
        for requirement in requirements(bundle.properties):
            yield Remark(MigrationRemark.DEPENDENCY, str(requirement.predicate))
    except ConstraintError as error:
        yield Remark(MigrationRemark.DEPENDENCY, f"something that cannot be read: {error}")
    reason = refusal(CandidateFacts(bundle.name, bundle.package, properties=bundle.properties), [_EVERYWHERE])
    if reason:
        yield Remark(MigrationRemark.INSTALL_MODE, reason)


def _further(request: ExtensionRequest, others: Sequence[Source]) -> tuple[tuple[str, ...], OlmsolveError | None]:
    """Return the bundles that OLM v1 needs besides, or why there is no such plan.

    Dependencies may come from *others*, the catalogs that the extension itself does not take its package from: these
    come last.
    """
    # The other catalogs come below all of the request, and keep their order: priorities 5 and 0 become -1 and -6 below
    # 0.
    lowest = min((catalog.priority for catalog in request.catalogs), default=0)
    highest = max((other.priority for other in others), default=0)
    more = [
        v1.ClusterCatalog(other.key, other.catalog, priority=other.priority - highest + lowest - 1) for other in others
    ]
    try:
        plan = v1.plan([attrs.evolve(request, catalogs=(*request.catalogs, *more))])
    except Incomplete:
        raise
    except OlmsolveError as error:
        return (), error
    return tuple(bundle.bundle for bundle in plan.further), None
