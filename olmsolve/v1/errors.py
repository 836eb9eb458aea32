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
    ├── BeingDeletedError       the extension is being deleted, and nothing is installed
    └── PlanError               several extensions cannot be planned together
"""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from olmsolve.resolution import SCHEMA_VERSION, ResolutionFailure
from olmsolve.semver import quote
from olmsolve.v1.explanation import ExtensionExplanation, Outcome
from olmsolve.v1.installing import InstallationRefusal
from olmsolve.v1.plan_reasons import ExtensionNeeds, PlanReason
from olmsolve.v1.request import Extension, ExtensionRequest, InstalledBundle


@attrs.frozen(kw_only=True)
class ResolutionError(ResolutionFailure):
    """The root of OLM v1's failures; *explanation* is empty where a request fails before any catalog is filtered.

    *request* is the request that failed, for questions about it. It holds whole catalogs, so pickling leaves it out.
    *stays* is the name of the installed bundle, which stays whatever the new one fails for; "" if none is installed.
    :attr:`note` says what OLM v1's words mean, and :attr:`reason_of_progressing` stands in the extension's status.
    """

    reason_of_progressing: ClassVar[str] = "Retrying"

    explanation: ExtensionExplanation = attrs.field(default=ExtensionExplanation(), repr=False)
    request: ExtensionRequest | None = attrs.field(default=None, eq=False, repr=False)
    stays: str = attrs.field(default="", eq=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are pickled with positional arguments, which fields by keyword are not.
        fields = {field.name: getattr(self, field.name) for field in attrs.fields(type(self))}
        return _rebuilt, (type(self), {**fields, "request": None})

    @property
    def note(self) -> str:
        """The meaning of the text and the way out, in other words than OLM v1's; "" where the text says both."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; what the fields mean is documented in docs/v1.md."""
        fields = attrs.asdict(self, recurse=False, filter=lambda field, _: field.name in self._published())
        stays = {"installed": self.stays} if self.stays else {}
        return {
            "schema": "olmsolve.v1.failure",
            "schemaVersion": SCHEMA_VERSION,
            "kind": type(self).__name__,
            "error": str(self),
            **({"note": self.note} if self.note else {}),
            **{name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()},
            **stays,
            "explanation": self.explanation.to_dict(),
        }

    def _published(self) -> tuple[str, ...]:
        """Return the names of the fields that :meth:`to_dict` gives besides the text."""
        return ()


@attrs.frozen
class InvalidWishError(ResolutionError):
    """The extension's wish cannot be read: bad input, which every verb refuses alike before it asks a catalog."""

    is_bad_input: ClassVar[bool] = True


@attrs.frozen
class SelectorError(InvalidWishError):
    """Kubernetes refuses the label selector; *reason* says why."""

    reason: str

    def __str__(self) -> str:
        return f"desired catalog selector is invalid: {self.reason}"


@attrs.frozen
class VersionRangeError(InvalidWishError):
    """The wanted *version* is no valid range; *reason* says why, *position* (from 0) where."""

    version: str
    reason: str
    position: int = 0

    def _published(self) -> tuple[str, ...]:
        return ("version", "position")

    def __str__(self) -> str:
        return f"desired version range {quote(self.version)} is invalid: {self.reason}"


@attrs.frozen
class ListingError(ResolutionError):
    """The catalogs of the cluster could not be listed; *reason* says why."""

    reason: str

    def __str__(self) -> str:
        return f"error walking catalogs: {self.reason}"


@attrs.frozen
class CatalogReadError(ResolutionError):
    """A package could not be fetched from a catalog; *reason* says why."""

    package: str
    catalog: str
    reason: str

    def _published(self) -> tuple[str, ...]:
        return ("package", "catalog")

    def __str__(self) -> str:
        getting = f"error getting package {quote(self.package)} from catalog {quote(self.catalog)}"
        return f"error walking catalogs: {getting}: {self.reason}"


@attrs.frozen
class InstalledVersionError(ResolutionError):
    """The version or release of the installed bundle cannot be read, so no update edge can be found."""

    installed: InstalledBundle
    reason: str

    def __str__(self) -> str:
        return f"error walking catalogs: error finding upgrade edges: {self.reason}"


@attrs.frozen
class _UnresolvedError(ResolutionError):
    extension: Extension
    installed: InstalledBundle | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; what the fields mean is documented in docs/v1.md."""
        return {**super().to_dict(), "installed": self.installed.name if self.installed is not None else None}

    def _worded(self, found: str, where: str = "") -> str:
        extension = self.extension
        parts = [f"{found} bundles found" if found == "no" else f"{found} bundles"]
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


@attrs.frozen
class NoBundlesError(_UnresolvedError):
    """No bundle is left after filtering; *explanation* says which filter emptied each catalog, and what is near."""

    @property
    def note(self) -> str:
        """The objects to add where no catalog was there to be asked."""
        if self.request is None or self.request.catalogs:
            return ""
        return "there is no ClusterCatalog; if the cluster has some, add them: kubectl get clustercatalogs -o yaml"

    def __str__(self) -> str:
        return self._worded("no")


@attrs.frozen
class AmbiguousCatalogsError(_UnresolvedError):
    """Bundles are left in several *catalogs* (by name), and the two of highest priority have the same."""

    catalogs: tuple[str, ...]

    @property
    def tied(self) -> tuple[str, ...]:
        """The names of the catalogs with the highest priority, as the request lists them."""
        return tuple(each.catalog for each in self.explanation.funnels if each.outcome is Outcome.TIED)

    def _published(self) -> tuple[str, ...]:
        return ("catalogs",)

    def __str__(self) -> str:
        where = f"in multiple catalogs with the same priority {_listed(self.catalogs)}"
        return self._worded("found", where)


@attrs.frozen
class BundleVersionError(ResolutionError):
    """The version of the selected *bundle* of *catalog* cannot be read; *reason* says why."""

    bundle: str
    catalog: str
    reason: str

    def _published(self) -> tuple[str, ...]:
        return ("bundle", "catalog")

    def __str__(self) -> str:
        return f"error getting resolved bundle version for bundle {quote(self.bundle)}: {self.reason}"


@attrs.frozen
class BundleRefusedError(ResolutionError):
    """A validation refuses the selected *bundle* of *catalog*; *reason* says why."""

    bundle: str
    catalog: str
    reason: str

    def _published(self) -> tuple[str, ...]:
        return ("bundle", "catalog")

    def __str__(self) -> str:
        return f"validating bundle {quote(self.bundle)}: {self.reason}"


@attrs.frozen
class InstallationError(ResolutionError):
    """The selected *bundle* of *catalog* is resolved, and then not installed; *refusal* says why."""

    bundle: str
    version: str
    catalog: str
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; what the fields mean is documented in docs/v1.md."""
        return {**super().to_dict(), "rule": self.refusal.rule.value}

    def _published(self) -> tuple[str, ...]:
        return ("bundle", "version", "catalog")

    def __str__(self) -> str:
        if self.refusal.in_rollout:
            return self.refusal.message
        resolved = f"error for resolved bundle {quote(self.bundle)} with version {quote(self.version)}"
        return f"{resolved}: {self.refusal}"


@attrs.frozen
class RollingOutError(ResolutionError):
    """The revision of a *bundle* in *version* rolls out and does not arrive, so that nothing else is resolved."""

    reason_of_progressing: ClassVar[str] = "RollingOut"

    bundle: str
    version: str

    @property
    def note(self) -> str:
        """The reason why the extension stays where it is."""
        return f"the controller resolves nothing else before the objects of {self.bundle} are ready"

    def _published(self) -> tuple[str, ...]:
        return ("bundle", "version")

    def __str__(self) -> str:
        return f"Revision {self.version} is rolling out."


@attrs.frozen
class BeingDeletedError(ResolutionError):
    """The extension of *package* is being deleted: the controller installs nothing for it."""

    package: str

    def _published(self) -> tuple[str, ...]:
        return ("package",)

    def __str__(self) -> str:
        return f"the extension for package {quote(self.package)} is being deleted"


@attrs.frozen
class PlanError(ResolutionError):
    """An extension, or several together, cannot be planned; *reasons* are the constraints that cannot all hold."""

    reasons: tuple[PlanReason, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; what the fields mean is documented in docs/v1.md."""
        return {**super().to_dict(), "reasons": [reason.to_dict() for reason in self.reasons]}

    def __str__(self) -> str:
        count = sum(isinstance(each, ExtensionNeeds) for each in self.reasons)
        about = "the extensions cannot be installed together" if count > 1 else "the extension cannot be installed"
        return f"{about}: {'; '.join(map(str, self.reasons))}"


def _listed(texts: tuple[str, ...]) -> str:
    """Return a list as Go's ``%v`` writes it."""
    return f"[{' '.join(texts)}]"


def _rebuilt(kind: type[ResolutionError], fields: dict[str, Any]) -> ResolutionError:
    return kind(**fields)
