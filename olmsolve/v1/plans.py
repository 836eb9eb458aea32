"""Plans for several extensions: what stays, what is replaced, what is needed besides, and what was passed over."""

from __future__ import annotations

from typing import Any

import attrs

from olmsolve.errors import OlmsolveError
from olmsolve.predicates import Predicate
from olmsolve.resolution import SCHEMA_VERSION
from olmsolve.v1.conditions import ExtensionCondition
from olmsolve.v1.errors import ResolutionError
from olmsolve.v1.obstacles import HeldBack
from olmsolve.v1.plan_reasons import PlanReason


@attrs.frozen
class RequiredBy:
    """*bundle* has a *requirement* that the planned bundle meets."""

    bundle: str
    requirement: Predicate

    def __str__(self) -> str:
        return f"{self.bundle} requires {self.requirement}"

    def to_dict(self) -> dict[str, str]:
        return {"bundle": self.bundle, "requirement": str(self.requirement), "text": str(self)}


@attrs.frozen
class PassedOverBundle:
    """*bundle* of *catalog* comes first for its extension, and cannot be planned beside the others: *because*.

    *because* are constraints that cannot hold together with it.
    """

    bundle: str
    version: str
    catalog: str
    because: tuple[PlanReason, ...]

    def __str__(self) -> str:
        return f"{self.bundle} ({self.catalog}): {'; '.join(map(str, self.because))}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "bundle": self.bundle,
            "version": self.version,
            "catalog": self.catalog,
            "text": str(self),
            "because": [reason.to_dict() for reason in self.because],
        }


@attrs.frozen
class Planned:
    """A bundle of the plan, of a requested package or a *further* one.

    *requirements* are what others need it for. *extension* is the name of the request, "" for a further package or a
    request without a name; *installed* is the bundle that it follows, "" for a first installation: the same name means
    that it stays. *refusal* says why OLM v1 itself would not install the bundle: it declares dependencies.

    *passed_over* are the bundles that the extension wants more, with the constraints against each (the first few);
    *held_back* are the newer ones that its own filters leave out.
    """

    package: str
    bundle: str
    version: str
    catalog: str
    further: bool
    requirements: tuple[RequiredBy, ...] = ()
    extension: str = ""
    installed: str = ""
    refusal: str = ""
    passed_over: tuple[PassedOverBundle, ...] = ()
    held_back: tuple[HeldBack, ...] = ()

    @property
    def required_by(self) -> tuple[str, ...]:
        """The names of the bundles that need it."""
        return tuple(dict.fromkeys(each.bundle for each in self.requirements))

    @property
    def stays(self) -> bool:
        """Whether it is installed already."""
        return self.installed == self.bundle

    def to_dict(self) -> dict[str, Any]:
        return {
            "package": self.package,
            "bundle": self.bundle,
            "version": self.version,
            "catalog": self.catalog,
            "further": self.further,
            "extension": self.extension or None,
            "installed": self.installed or None,
            "requiredBy": list(self.required_by),
            "requirements": [each.to_dict() for each in self.requirements],
            "refusal": self.refusal or None,
            "passedOver": [each.to_dict() for each in self.passed_over],
            "heldBack": [each.to_dict() for each in self.held_back],
        }


@attrs.frozen
class FailedExtension:
    """An extension for *package* that fails with *error*, by itself or beside others; *extension* names the request.

    *conditions* are the conditions of its status, empty where they are not known.
    """

    extension: str
    package: str
    error: OlmsolveError
    conditions: tuple[ExtensionCondition, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {"extension": self.extension or None, "package": self.package, "error": str(self.error)}
        note = self.error.note if isinstance(self.error, ResolutionError) else ""
        conditions = [each.to_dict() for each in self.conditions]
        return {**found, **({"note": note} if note else {}), **({"conditions": conditions} if conditions else {})}


@attrs.frozen
class Plan:
    """The bundles that would be installed: one for each request, in order, then further ones as they are needed.

    *failed* are the requests that were left out: they have no answer even alone, or collide with ones that have.
    """

    planned: tuple[Planned, ...]
    failed: tuple[FailedExtension, ...] = ()

    @property
    def further(self) -> tuple[Planned, ...]:
        """The bundles of packages that no request asks for."""
        return tuple(each for each in self.planned if each.further)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; what the fields mean is documented in docs/v1.md."""
        return {
            "schema": "olmsolve.v1.plan",
            "schemaVersion": SCHEMA_VERSION,
            "planned": [each.to_dict() for each in self.planned],
            "failed": [each.to_dict() for each in self.failed],
        }
