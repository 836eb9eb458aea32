"""The answers of resolving: plans as plain values, and the common root of failures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import attrs

from olmsolve._frozen import quickly_made, shared_repr
from olmsolve._records import Record, field, record
from olmsolve.catalog import UnreadableSource
from olmsolve.errors import OlmsolveError
from olmsolve.events import Statistics
from olmsolve.predicates import Predicate, stated

EXISTING: Final = "@existing"
"""The name of the virtual catalog that holds the installed operators."""

SCHEMA_VERSION: Final = 1
"""The version of the dictionaries that ``to_dict()`` returns; it grows when a field changes its meaning."""

SEMANTICS: Final[Mapping[str, Any]] = {"enum": ["documented", "controller"]}
"""The schema of a field that names the semantics of compound constraints."""


@record(definition="candidate", quick=True)
class Candidate(Record):
    """A bundle seen through one channel of one catalog."""

    name: str = field("The name of the bundle.")
    package: str = field("Its package.")
    channel: str = field("The channel; empty for an installed operator.")
    catalog: str = field("The catalog, namespace/name; @existing for an installed operator.")
    version: str = field("Its version, empty if it has none.")

    def __str__(self) -> str:
        if self.catalog == EXISTING:
            return f"{self.name} (installed)"
        return f"{self.name} ({self.channel}, {self.catalog})"


@quickly_made
@attrs.frozen
@shared_repr
class WantedBy:
    """The origin of a bundle in a plan: a *subscription*, a *bundle* by its *requirement*, or a *house_rule*, by name.

    A requirement is identified by its text.
    """

    subscription: str = ""
    bundle: str = ""
    # Catalogs write one requirement in several ways, and people should read it once.
    requirement: Predicate | None = attrs.field(default=None, eq=str)
    house_rule: str = ""

    def __str__(self) -> str:
        if self.subscription:
            return f"subscription {self.subscription}"
        if self.house_rule:
            return f"house rule {self.house_rule!r}"
        return f"{self.bundle}, which {self._needs}"

    @property
    def clause(self) -> str:
        """The bundle and its requirement as a clause: "a.v1 requires the API x"."""
        return f"{self.bundle} {self._needs}"

    @property
    def _needs(self) -> str:
        # Who builds plans by hand may leave out what a bundle requires.
        return "requires it" if self.requirement is None else stated(self.requirement)

    def to_dict(self) -> dict[str, str]:
        if self.subscription:
            return {"subscription": self.subscription}
        if self.house_rule:
            return {"houseRule": self.house_rule}
        return {"bundle": self.bundle, "requirement": str(self.requirement)}


@record(definition="install", quick=True)
class Install(Record):
    """A bundle to install: a candidate, and what it is for."""

    candidate: Candidate = field(path="*")
    replaces: str = field(
        "The installed operator that gives way to it (itself where another subscription takes it up), else the update"
        " edge that its channel entry declares.",
        empty="absent",
    )
    wanted_by: tuple[WantedBy, ...] = field(
        "The subscriptions, bundles and house rules that it serves; the choice that selected it comes first.",
        path="for",
    )

    @property
    def name(self) -> str:
        return self.candidate.name

    @property
    def package(self) -> str:
        return self.candidate.package

    @property
    def channel(self) -> str:
        return self.candidate.channel

    @property
    def catalog(self) -> str:
        return self.candidate.catalog

    @property
    def version(self) -> str:
        return self.candidate.version


@quickly_made
@attrs.frozen
@shared_repr
class Resolution:
    """The answer to a classic request.

    *installs* are in the order in which they were chosen (subscriptions first, then requirements, breadth first);
    *kept* are installed operators that stay; *replaced* are pairs of an installed operator and the bundle that replaces
    it; *differing* are the bundles of the plan with a constraint that means something else under the other semantics;
    *semantics* is ``"documented"`` or ``"controller"``. *unreadable* are visible catalogs whose content could not be
    read: they were left out where *health_policy* is ``"ignore"``, and the plan does not depend on them where it is
    ``"referenced"``.

    *up_to_date* are channel entries that were chosen and that their subscriptions have already, so OLM writes nothing:
    an entry follows itself where its own ``skipRange`` contains its version. The operators are in *kept*.

    *context* is the request with the options of the call (:class:`olmsolve.classic.RequestContext`), for questions
    about the plan. A request holds whole catalogs, so pickling leaves it out, and questions about an unpickled plan
    need the request once more. *statistics* say how much work the answer took; they are no part of its value.
    """

    installs: tuple[Install, ...]
    kept: tuple[Candidate, ...]
    replaced: tuple[tuple[Candidate, Install], ...]
    differing: tuple[Candidate, ...]
    semantics: str
    unreadable: tuple[UnreadableSource, ...] = ()
    health_policy: str = ""
    context: Any = attrs.field(default=None, eq=False, repr=False)
    statistics: Statistics = attrs.field(default=Statistics(), eq=False, repr=False)
    up_to_date: tuple[Install, ...] = ()

    @property
    def selected(self) -> tuple[Candidate, ...]:
        """The candidates that hold together: operators first; an entry of the same name stands for its operator."""
        chosen = {entry.name for entry in (*self.up_to_date, *self.installs) if entry.replaces == entry.name}
        operators = (operator for operator in self.kept if operator.name not in chosen)
        return (*operators, *(entry.candidate for entry in (*self.up_to_date, *self.installs)))

    def __reduce__(self) -> tuple[Any, ...]:
        # The context leaves its request behind.
        return type(self), tuple(getattr(self, field.name) for field in attrs.fields(Resolution))

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; docs/documents.md explains the fields."""
        result: dict[str, Any] = {
            "schema": "olmsolve.resolution",
            "schemaVersion": SCHEMA_VERSION,
            "semantics": self.semantics,
            "installs": [install.to_dict() for install in self.installs],
            "kept": [candidate.to_dict() for candidate in self.kept],
            "replaced": [{"installed": old.name, "by": new.name} for old, new in self.replaced],
            "differing": [candidate.to_dict() for candidate in self.differing],
        }
        if self.up_to_date:
            result["upToDate"] = [entry.to_dict() for entry in self.up_to_date]
        if self.unreadable:
            catalogs = [{"catalog": source.key, "error": str(source.error)} for source in self.unreadable]
            result["unreadable"] = {"policy": self.health_policy, "catalogs": catalogs}
        return result


MOST_REASONS: Final = 50
"""How many reasons the text of a failure lists: long channels have thousands of bundles that all fail alike."""


class ResolutionFailure(OlmsolveError):  # noqa: N818 - failing to resolve is an answer
    """There is no solution; subclasses hold the reasons as objects, ``str()`` makes sentences of them.

    With ``is_bad_input``, the wish itself cannot be read, whatever the catalogs hold.
    """

    is_bad_input: ClassVar[bool] = False

    def to_dict(self) -> dict[str, Any]:
        raise NotImplementedError
