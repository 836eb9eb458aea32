"""Errors of extensions that cannot be resolved: OLM v1's own wording as text, and the facts as fields.

::

    ResolutionError
    ├── InvalidWishError        the wish itself cannot be read: bad input, whatever the catalogs hold
    │   ├── SelectorError       the label selector that chooses catalogs
    │   └── VersionRangeError   the wanted version
    ├── ListingError            the catalogs could not be listed
    ├── CatalogReadError        a catalog that could not give the package
    ├── InstalledVersionError   the version or release of what is installed
    ├── NoBundlesError          nothing is left after filtering
    ├── AmbiguousCatalogsError  several catalogs of one priority are left
    ├── BundleVersionError      the selected bundle has no version
    ├── BundleRefusedError      a validation refuses the selected bundle
    ├── InstallationError       the selected bundle is not installed
    ├── RollingOutError         the selected bundle does not start to work
    ├── MissingAccountError     the account by which the extension installs is not there
    ├── BeingDeletedError       the extension is being deleted, and nothing is installed
    └── PlanError               several extensions cannot be planned together
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

import olmsolve._attrs as attrs
from olmsolve._records import Record, documented, field, record
from olmsolve.catalog.index import Group
from olmsolve.errors import ConstraintError
from olmsolve.predicates import Predicate
from olmsolve.resolution import ResolutionFailure
from olmsolve.semver import quote
from olmsolve.v1.explanation import ExtensionExplanation, Outcome
from olmsolve.v1.installing import InstallationRefusal, InstallRule
from olmsolve.v1.request import Extension, ExtensionRequest, InstalledBundle

# A package may have hundreds of bundles, and an error should stay one line.
_NAMED: Final = 5


@record(
    definition="planReason", about="A constraint that cannot hold together with others.", layout=("kind", "text", ...)
)
class PlanReason(Record):
    """One of the constraints that cannot all hold; its ``str()`` is a sentence without a full stop."""

    kind: ClassVar[str]


@record(kind="extension", about="An extension must get one of these bundles.")
class ExtensionNeeds(PlanReason):
    """The extension for *package* must get one of *candidates*, the names of bundles; none where nothing is left."""

    package: str = field("The package of the extension.")
    candidates: tuple[str, ...] = field("The bundles that the extension can get.")

    def __str__(self) -> str:
        only = f"only {_first_names(self.candidates)}" if self.candidates else "nothing"
        return f"the extension for package {self.package} can get {only}"


@record(kind="requirement", about="A bundle has a requirement that only these meet.")
class BundleNeeds(PlanReason):
    """*bundle* has the *requirement* that only *candidates* meet."""

    bundle: str = field("The bundle with the requirement.")
    requirement: Predicate = field("The requirement.", written=str)
    candidates: tuple[str, ...] = field("The bundles that meet the requirement.")

    def __str__(self) -> str:
        only = f"only {_first_names(self.candidates)}" if self.candidates else "nothing"
        return f"{self.bundle} requires {self.requirement}, which {only} meets"


@record(kind="only-one", about="At most one of these bundles can be installed.")
class OnlyOneOf(PlanReason):
    """At most one of *bundles* can be installed, because of their *group*: a package, or the providers of an API."""

    group: Group = field("What the bundles share: a package or an API.", written=str)
    bundles: tuple[str, ...] = field("The bundles of which at most one can be installed.")

    def __str__(self) -> str:
        shared = f"provide {self.group}" if self.group.kind == "api" else f"are bundles of {self.group}"
        return f"at most one of {_first_names(self.bundles)} can be installed, because they {shared}"


@record(
    kind="unreadable",
    says="the requirements of {bundle} cannot be read: {reason}",
    about="The requirements of a bundle cannot be read.",
)
class UnplannableBundle(PlanReason):
    """The requirements of *bundle* cannot be read, for the *reason*."""

    bundle: str = field("The bundle with requirements that cannot be read.")
    reason: ConstraintError = field("What is wrong with them.", written=str, eq=str)


@record(kind="chosen-before", says="{bundle} is chosen before it", about="A bundle is chosen for an earlier extension.")
class ChosenBefore(PlanReason):
    """*bundle* is chosen for an earlier extension, which comes first."""

    bundle: str = field("The bundle that is chosen before.")


def _first_names(names: tuple[str, ...]) -> str:
    shown = names if len(names) <= _NAMED + 1 else (*names[:_NAMED], f"{len(names) - _NAMED} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


@record(
    definition="olmsolve.v1.failure",
    title="Why OLM v1 selects nothing for an extension",
    about="docs/v1.md gives the meaning of the fields.",
    layout=("kind", "_error", "note", ..., "_installed", "explanation", "_rule", "reasons"),
    groups={"kind": "The kind of failure: the name of its error."},
    merged=True,
    added={
        "heldBack": {
            "description": "Of a command: the bundles that are not selected.",
            "type": "array",
            "items": {"$ref": "#/$defs/heldBackExtensionBundle"},
        }
    },
)
class ResolutionError(ResolutionFailure):
    """The root of OLM v1's failures; *explanation* is empty where a request fails before any catalog is filtered.

    *request* is the request that failed, for questions about it. It holds whole catalogs, so pickling leaves it out.
    *stays* is the name of the installed bundle, which stays whatever happens to the new one; "" if none is installed.
    :attr:`note` says what OLM v1's words mean, and :attr:`reason_of_progressing` is the reason in the extension's
    status.
    """

    reason_of_progressing: ClassVar[str] = "Retrying"

    kind: ClassVar[str]
    explanation: ExtensionExplanation = field(default=ExtensionExplanation(), repr=False, kw_only=True)
    request: ExtensionRequest | None = attrs.field(default=None, eq=False, repr=False, kw_only=True)
    stays: str = attrs.field(default="", eq=False, repr=False, kw_only=True)

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are pickled with their positional arguments only, which would lose the fields given by keyword.
        fields = {field.name: getattr(self, field.name) for field in attrs.fields(type(self))}
        return _rebuilt, (type(self), {**fields, "request": None})

    @property
    @documented("The message of OLM v1.", path="error")
    def _error(self) -> str:
        return str(self)

    @property
    @documented("What the message means and what to do, in other words.", empty="absent")
    def note(self) -> str:
        """The meaning of the text and the way out, in our own words; "" if the text says both."""
        return ""

    @property
    @documented("The installed bundle, which stays.", path="installed", empty="absent")
    def _installed(self) -> str:
        return self.stays


@record
class InvalidWishError(ResolutionError):
    """The extension's wish cannot be read: bad input, which every verb refuses alike before it asks a catalog."""

    is_bad_input: ClassVar[bool] = True


@record(says="desired catalog selector is invalid: {reason}")
class SelectorError(InvalidWishError):
    """Kubernetes refuses the label selector; *reason* says why."""

    reason: str


@record
class VersionRangeError(InvalidWishError):
    """The wanted *version* is not a valid range; *reason* says why, *position* (from 0) where."""

    version: str = field("Of a VersionRangeError: the range that cannot be read.")
    reason: str
    position: int = field("Where in it, from 0.", default=0)

    def __str__(self) -> str:
        return f"desired version range {quote(self.version)} is invalid: {self.reason}"


@record(says="error walking catalogs: {reason}")
class ListingError(ResolutionError):
    """The catalogs of the cluster could not be listed; *reason* says why."""

    reason: str


@record
class CatalogReadError(ResolutionError):
    """A package could not be fetched from a catalog; *reason* says why."""

    package: str = field("The package that cannot be read.")
    catalog: str = field("The catalog at fault.")
    reason: str

    def __str__(self) -> str:
        getting = f"error getting package {quote(self.package)} from catalog {quote(self.catalog)}"
        return f"error walking catalogs: {getting}: {self.reason}"


@record(says="error walking catalogs: error finding upgrade edges: {reason}")
class InstalledVersionError(ResolutionError):
    """The version or release of the installed bundle cannot be read, so no update edge can be found."""

    installed: InstalledBundle
    reason: str


@record
class _UnresolvedError(ResolutionError):
    extension: Extension
    installed: InstalledBundle | None

    @property
    @documented("The installed bundle, which stays.", path="installed", empty="null")
    def _installed(self) -> str:
        return self.installed.name if self.installed is not None else ""

    def _worded(self, count: str, where: str = "") -> str:
        extension = self.extension
        parts = [f"{count} bundles found" if count == "no" else f"{count} bundles"]
        parts.append(f"for package {quote(extension.package)}")
        if extension.version:
            parts.append(f"matching version {quote(extension.version)}")
        if extension.channels:
            parts.append(f"in channels {_listed(extension.channels)}")
        if where:
            parts.append(where)
        text = " ".join(parts)
        if self.installed is None:
            return text
        return f"error upgrading from currently installed version {quote(self.installed.version)}: {text}"


@record
class NoBundlesError(_UnresolvedError):
    """No bundle is left after filtering; *explanation* says which filter emptied each catalog, and what is near."""

    @property
    def note(self) -> str:
        """The objects to add if there was no catalog."""
        if self.request is None or self.request.catalogs:
            return ""
        return "there is no ClusterCatalog; if the cluster has some, add them: kubectl get clustercatalogs -o yaml"

    def __str__(self) -> str:
        return self._worded("no")


@record
class AmbiguousCatalogsError(_UnresolvedError):
    """Bundles are left in several *catalogs* (by name), and two of them share the highest priority."""

    catalogs: tuple[str, ...] = field("The catalogs that tie.")

    @property
    def tied(self) -> tuple[str, ...]:
        """The names of the catalogs with the highest priority, as the request lists them."""
        return tuple(funnel.catalog for funnel in self.explanation.funnels if funnel.outcome is Outcome.TIED)

    def __str__(self) -> str:
        where = f"in multiple catalogs with the same priority {_listed(self.catalogs)}"
        return self._worded("found", where)


@record
class BundleVersionError(ResolutionError):
    """The version of the selected *bundle* of *catalog* cannot be read; *reason* says why."""

    bundle: str = field("The bundle at fault.")
    catalog: str = field("The catalog at fault.")
    reason: str

    def __str__(self) -> str:
        return f"error getting resolved bundle version for bundle {quote(self.bundle)}: {self.reason}"


@record
class BundleRefusedError(ResolutionError):
    """A validation refuses the selected *bundle* of *catalog*; *reason* says why."""

    bundle: str = field("The bundle at fault.")
    catalog: str = field("The catalog at fault.")
    reason: str

    def __str__(self) -> str:
        return f"validating bundle {quote(self.bundle)}: {self.reason}"


@record
class InstallationError(ResolutionError):
    """The selected *bundle* of *catalog* is resolved, and then not installed; *refusal* says why."""

    bundle: str = field("The bundle at fault.")
    version: str = field("Of a bundle: its version.")
    catalog: str = field("The catalog at fault.")
    refusal: InstallationRefusal

    @property
    def reason(self) -> str:
        """The refusal in the words of OLM v1, without the bundle."""
        return self.refusal.message

    @property
    def note(self) -> str:
        """The meaning of the refusal and the way out."""
        return self.refusal.note

    @property
    def reason_of_progressing(self) -> str:  # type: ignore[override]
        """The reason of the condition Progressing: Retrying, or InvalidConfiguration."""
        return self.refusal.reason

    @property
    @documented("Of an InstallationError: the rule that refuses the resolved bundle.", path="rule")
    def _rule(self) -> InstallRule:
        return self.refusal.rule

    def __str__(self) -> str:
        if self.refusal.in_rollout:
            return self.refusal.message
        resolved = f"error for resolved bundle {quote(self.bundle)} with version {quote(self.version)}"
        return f"{resolved}: {self.refusal}"


@record(says="Revision {version} is rolling out.")
class RollingOutError(ResolutionError):
    """The revision of a *bundle* in *version* is rolling out without an end, so nothing else is resolved."""

    reason_of_progressing: ClassVar[str] = "RollingOut"

    bundle: str = field("The bundle at fault.")
    version: str = field("Of a bundle: its version.")

    @property
    def note(self) -> str:
        """The reason why the extension stays where it is."""
        return f"the controller resolves nothing else before the objects of {self.bundle} are ready"


@record
class BeingDeletedError(ResolutionError):
    """The extension of *package* is being deleted: the controller installs nothing for it."""

    package: str = field("The package of the extension.")

    def __str__(self) -> str:
        return f"the extension for package {quote(self.package)} is being deleted"


@record
class MissingAccountError(ResolutionError):
    """The service *account* of *namespace* by which the controller should install is not there: it resolves nothing."""

    account: str = field("Of a MissingAccountError: the service account that is not there.")
    namespace: str = field("Its namespace.")

    @property
    def note(self) -> str:
        """The way out, and for which controllers it matters."""
        return "create the account, and its namespace if need be; operator-controller from v1.11.0 on ignores it"

    def __str__(self) -> str:
        return (
            "operation cannot proceed due to the following validation error(s): service account"
            f" {quote(self.account)} not found in namespace {quote(self.namespace)}"
        )


@record
class PlanError(ResolutionError):
    """An extension, or several together, cannot be planned; *reasons* are the constraints that cannot all hold."""

    reasons: tuple[PlanReason, ...] = field("Why several extensions cannot be planned together.")

    def __str__(self) -> str:
        count = sum(isinstance(reason, ExtensionNeeds) for reason in self.reasons)
        about = "the extensions cannot be installed together" if count > 1 else "the extension cannot be installed"
        return f"{about}: {'; '.join(map(str, self.reasons))}"


def _listed(texts: tuple[str, ...]) -> str:
    """Return a list as Go's ``%v`` writes it."""
    return f"[{' '.join(texts)}]"


def _rebuilt(kind: type[ResolutionError], fields: dict[str, Any]) -> ResolutionError:
    return kind(**fields)
