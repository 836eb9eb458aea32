"""The answers of resolving: plans as plain values, and the common root of failures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import olmsolve._attrs as attrs
from olmsolve._records import Record, documented, field, record
from olmsolve.catalog import UnreadableSource
from olmsolve.errors import OlmsolveError
from olmsolve.events import Statistics
from olmsolve.predicates import Predicate, stated

EXISTING: Final = "@existing"
"""The name of the virtual catalog that holds the installed operators."""

SCHEMA_VERSION: Final = 1
"""The version of the dictionaries that ``to_dict()`` returns; it grows when a field changes its meaning."""

# How many bundles a repr names, and how much of each name.
_SHOWN: Final = 4
_LONGEST: Final = 40

SEMANTICS: Final[Mapping[str, Any]] = {"enum": ["documented", "controller"]}
"""The schema of a field that names the semantics of compound constraints."""


@record(definition="candidate")
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


def _in_words(requirement: Predicate | None) -> str:
    return str(requirement)


@record(
    definition="wantedBy",
    about="Who wants a bundle.",
    shapes=(("subscription",), ("house_rule",), ("bundle", "requirement")),
)
class WantedBy(Record):
    """The origin of a bundle in a plan: a *subscription*, a *bundle* by its *requirement*, or a *house_rule*, by name.

    A requirement is identified by its text.
    """

    subscription: str = field("The subscription.", default="")
    bundle: str = field("The bundle.", default="")
    # Catalogs write one requirement in several ways, and people should read it once.
    requirement: Predicate | None = field("Its requirement, in words.", default=None, eq=str, written=_in_words)
    house_rule: str = field("The house rule that demands it.", default="")

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


@record(definition="install")
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


# A plan over a dense catalog has three requirements for each bundle, and to parse them took a fifth of the time of an
# answer. So `olmsolve.classic.plan_reasons` gives a function in place of the tuple, and whatever looks at the field
# first (equality, hashes, pickles, documents) has the tuple made. That costs each look at this field 0.14 µs, where a
# `__getattr__` costs each look at any field 0.1.
_REASONS: Final[Any] = vars(Install)["wanted_by"]
"""The slot that holds the tuple, or the function that returns it."""


def _wanted_by(install: Install) -> tuple[WantedBy, ...]:
    """Return the reasons, which are made now if nobody has read them."""
    reasons = _REASONS.__get__(install)
    if type(reasons) is not tuple and callable(reasons):
        # Two threads may both make it, and then the tuples are equal.
        reasons = reasons()
        _REASONS.__set__(install, reasons)
    return reasons  # type: ignore[no-any-return]


# By another name, since type checkers know a field, which is no property.
setattr(Install, "wanted_by", property(_wanted_by, _REASONS.__set__, _REASONS.__delete__))  # noqa: B010


@record
class ReplacedOperator(Record):
    """An installed operator that gives way, and the new bundle."""

    installed: str = field("The installed operator.")
    by: str = field("The new bundle.")


@record
class UnreadableCatalog(Record):
    """A visible catalog that cannot be read."""

    catalog: str = field("The catalog, namespace/name.")
    error: str = field("Why.")


@record
class UnreadableCatalogs(Record):
    """The visible catalogs that cannot be read, and the policy that resolved in spite of them."""

    policy: str = field("What was resolved in spite of it.", schema={"enum": ["referenced", "ignore"]})
    catalogs: tuple[UnreadableCatalog, ...] = field("The catalogs that cannot be read.", schema={"minItems": 1})


def _replaced(pairs: tuple[tuple[Candidate, Install], ...]) -> tuple[ReplacedOperator, ...]:
    return tuple(ReplacedOperator(old.name, new.name) for old, new in pairs)


HINDRANCES: Final[Mapping[str, Any]] = {
    "description": "Of a command about a cluster: what its objects say.",
    "type": "array",
    "items": {"$ref": "#/$defs/hindrance"},
    "minItems": 1,
}
"""The schema of the hindrances that commands add to an answer."""


@record(
    definition="olmsolve.resolution",
    title="A plan of classic OLM",
    about="What is installed, what stays and what gives way (docs/documents.md).",
    layout=("semantics", "installs", "kept", "replaced", "differing", "up_to_date", ...),
    added={
        "heldBack": {
            "description": "Of a command: the subscriptions that get less than the newest bundle (docs/why.md); absent"
            " where the time did not suffice.",
            "type": "array",
            "items": {"$ref": "#/$defs/heldBackOperator"},
        },
        "hindrances": HINDRANCES,
    },
)
class Resolution(Record):
    """The answer to a classic request.

    *installs* are in the order in which they were chosen (subscriptions first, then requirements, breadth first);
    *kept* are installed operators that stay; *replaced* are pairs of an installed operator and the bundle that replaces
    it; *differing* are the bundles of the plan with a constraint that means something else under the other semantics;
    *semantics* is ``"documented"`` or ``"controller"``. *unreadable* are visible catalogs whose content could not be
    read: they were left out where *health_policy* is ``"ignore"``, and the plan does not depend on them where it is
    ``"referenced"``.

    *up_to_date* are channel entries that were chosen and that their subscriptions have already, so OLM writes nothing:
    an entry follows itself where its own ``skipRange`` contains its version. The operators are in *kept*.

    *context* is the request with the options of the call, for questions about the plan. A request holds whole catalogs,
    so pickling leaves it out, and questions about an unpickled plan need the request again. *statistics* say how much
    work the answer took; they are not part of its value.

    >>> import olmsolve
    >>> plan = olmsolve.resolve(olmsolve.read_request("olmsolve/examples/install.yaml"))
    >>> for install in plan.installs[:2]:
    ...     print(install.name, "for", *(wish.subscription or wish.bundle for wish in install.wanted_by))
    storefront.v2.1.0 for shop
    ledgerdb.v5.3.0 for storefront.v2.1.0
    >>> plan.to_dict()["schema"]
    'olmsolve.resolution'
    """

    installs: tuple[Install, ...] = field(
        "The bundles to install, in the order in which they were chosen: subscriptions first, then requirements,"
        " breadth first."
    )
    kept: tuple[Candidate, ...] = field("The installed operators that stay.")
    replaced: tuple[tuple[Candidate, Install], ...] = field("The installed operators that give way.", written=_replaced)
    differing: tuple[Candidate, ...] = field(
        "The bundles with a constraint that has another meaning under the other semantics."
    )
    semantics: str = field("The semantics of compound constraints.", schema=SEMANTICS)
    unreadable: tuple[UnreadableSource, ...] = attrs.field(default=())
    health_policy: str = attrs.field(default="")
    context: Any = attrs.field(default=None, eq=False, repr=False)
    statistics: Statistics = attrs.field(default=Statistics(), eq=False, repr=False)
    up_to_date: tuple[Install, ...] = field(
        "Only where there are any: the channel entries that were chosen and that their subscriptions have already, so"
        " that OLM writes nothing.",
        default=(),
        empty="absent",
    )

    @property
    @documented("Only where visible catalogs cannot be read.", path="unreadable", empty="optional")
    def _unreadable_catalogs(self) -> UnreadableCatalogs | None:
        if not self.unreadable:
            return None
        sources = tuple(UnreadableCatalog(source.key, str(source.error)) for source in self.unreadable)
        return UnreadableCatalogs(self.health_policy, sources)

    @property
    def selected(self) -> tuple[Candidate, ...]:
        """The kept operators, then the candidates of the entries; no operator is listed beside an entry of its name."""
        chosen = {entry.name for entry in (*self.up_to_date, *self.installs) if entry.replaces == entry.name}
        operators = (operator for operator in self.kept if operator.name not in chosen)
        return (*operators, *(entry.candidate for entry in (*self.up_to_date, *self.installs)))

    def __reduce__(self) -> tuple[Any, ...]:
        # The context leaves its request behind.
        return type(self), tuple(getattr(self, field.name) for field in attrs.fields(Resolution))


MOST_REASONS: Final = 50
"""How many reasons the text of a failure lists: long channels have thousands of bundles that all fail alike."""


def _in_short(plan: Resolution) -> str:
    """Return the first bundles of *plan* and counts of the rest: a debugger shows many values side by side."""
    shown = [_cut(install.name) for install in plan.installs[:_SHOWN]]
    more = [f"and {len(plan.installs) - _SHOWN} more"] if len(plan.installs) > _SHOWN else []
    counts = (("kept", plan.kept), ("replaced", plan.replaced), ("up to date", plan.up_to_date))
    counted_values = [f"{len(values)} {what}" for what, values in counts if values]
    installs = " ".join([", ".join(shown) or "nothing to install", *more])
    return f"<Resolution: {'; '.join([installs, *counted_values, plan.semantics])}>"


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 3]}..."


# A plan of a thousand bundles has a repr of 300,000 characters otherwise. Records have a shared one.
setattr(Resolution, "__repr__", _in_short)  # noqa: B010 - mypy knows that this is not done


class ResolutionFailure(OlmsolveError, Record):  # noqa: N818 - failing to resolve is an answer
    """There is no solution; subclasses hold the reasons as objects, ``str()`` makes sentences of them.

    With ``is_bad_input``, the wish itself cannot be read, whatever the catalogs hold.
    """

    is_bad_input: ClassVar[bool] = False
