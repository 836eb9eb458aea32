"""The reasons why a classic request has no plan: one value for each constraint of its minimal core.

``Unsatisfiable`` holds them; ``str()`` words them, and ``to_dict()`` gives them to tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._records import Record, documented, field, record
from olmsolve.catalog.index import Fault
from olmsolve.classic.context import RequestContext
from olmsolve.classic.request_parts import Subscription
from olmsolve.events import Statistics
from olmsolve.predicates import GVK, Predicate, failure_messages, is_joint, stated
from olmsolve.resolution import HINDRANCES, MOST_REASONS, Candidate, ResolutionFailure

if TYPE_CHECKING:
    from olmsolve.classic.house_rules import AtLeastOne, Never, TotalAtMost


@record(
    definition="constraint",
    about="A constraint of a core.",
    layout=("kind", "text", "_candidates", "_refusal"),
    groups={"kind": "The kind of the constraint (docs/documents.md)."},
)
class Reason(Record):
    """One constraint of a core. ``kind`` is its class name; ``str()`` is one sentence without a full stop."""

    kind: ClassVar[str]

    @property
    @documented("The candidates that it is about.", path="candidates")
    def _candidates(self) -> tuple[Candidate, ...]:
        return self.candidates_named()

    @property
    @documented(
        "Of NotEligible: why a system constraint refuses the candidate, in its own words.",
        path="refusal",
        empty="absent",
    )
    def _refusal(self) -> str:
        return ""

    def candidates_named(self) -> tuple[Candidate, ...]:
        """Return the candidates among the fields, in their order, for tools."""
        fields = (getattr(self, field.name) for field in attrs.fields(type(self)))
        values = (candidate for value in fields for candidate in (value if isinstance(value, tuple) else (value,)))
        return tuple(value for value in values if isinstance(value, Candidate))

    def sentence(self, it: Candidate | None = None) -> str:
        """Return the sentence; if it begins with the candidate *it*, then with the word "it" instead."""
        return str(self)

    def __str__(self) -> str:
        return self.sentence()


def _question(near: tuple[str, ...]) -> str:
    return f"{_did_you_mean(near)} " if near else ""


def _did_you_mean(near: tuple[str, ...]) -> str:
    from olmsolve._near_names import did_you_mean  # most names are not misspelt

    return did_you_mean(near)


def _subject(candidate: Candidate, it: Candidate | None) -> str:
    """Return *candidate* as the subject of a sentence: "it" if it is the candidate *it*."""
    return "it" if candidate == it else str(candidate)


def _list(candidates: tuple[Candidate, ...]) -> str:
    shown = ", ".join(map(str, candidates[:5]))
    return f"{shown} and {len(candidates) - 5} more" if len(candidates) > 5 else shown


@record(says="{operator.name} is installed, belongs to no subscription and must stay")
class MustStay(Reason):
    """An installed operator that no subscription owns."""

    operator: Candidate


@record
class SubscriptionWants(Reason):
    """A subscription needs one of *candidates*, most wanted first; its channel may have none."""

    subscription: Subscription
    candidates: tuple[Candidate, ...]

    def __str__(self) -> str:
        if not self.candidates:
            return f"subscription {self.subscription.name} cannot be served: its channel has no candidate"
        return f"subscription {self.subscription.name} needs one of {_list(self.candidates)}"


@record
class UnknownCatalog(Reason):
    """A subscription names a catalog that its namespace does not see; *visible* are the catalogs that it sees.

    *near* are visible catalogs with similar names.
    """

    subscription: Subscription
    visible: tuple[str, ...]
    near: tuple[str, ...] = ()

    def __str__(self) -> str:
        visible = ", ".join(self.visible) or "none"
        text = f"subscription {self.subscription.name} names catalog {self.subscription.catalog}"
        return f"{text}, which is not visible ({_question(self.near)}visible: {visible})"


@record
class UnknownPackage(Reason):
    """A subscription names a package that none of *catalogs* has; *near* are packages with similar names."""

    subscription: Subscription
    catalogs: tuple[str, ...]
    near: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = ", ".join(self.catalogs) or "any visible catalog"
        hint = f" ({_did_you_mean(self.near)})" if self.near else ""
        text = f"subscription {self.subscription.name} names package {self.subscription.package}"
        return f"{text}, which is not in {where}{hint}"


@record
class UnknownChannel(Reason):
    """A subscription names a channel that its package does not have; *channels* are the package's own.

    The subscription may name no channel: then the package has none to choose from. *near* are channels with similar
    names.
    """

    subscription: Subscription
    channels: tuple[str, ...]
    near: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.subscription.channel:
            return (
                f"subscription {self.subscription.name} names package {self.subscription.package}, which has no channel"
            )
        text = f"subscription {self.subscription.name} names channel {self.subscription.channel}"
        text = f"{text}, which package {self.subscription.package} does not have"
        return f"{text} ({_question(self.near)}it has: {', '.join(self.channels) or 'none'})"


@record
class UnknownStartingCSV(Reason):
    """A subscription starts with a bundle that is not in its channel; *near* are bundles with similar names.

    With documented semantics, a bundle is not in the channel either if the ``skipRange`` of other entries has removed
    it, and no entry replaces it: *removed_by* are these entries.
    """

    subscription: Subscription
    near: tuple[str, ...] = ()
    removed_by: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"subscription {self.subscription.name} starts with {self.subscription.starting_csv}"
        if self.removed_by:
            channel = self.subscription.channel or "every channel"
            return f"{text}, which the skipRange of {' and '.join(self.removed_by)} removes from {channel}"
        channel = self.subscription.channel or "any channel"
        hint = f" ({_did_you_mean(self.near)})" if self.near else ""
        return f"{text}, which is not in {channel} of package {self.subscription.package}{hint}"


UnknownName: TypeAlias = UnknownCatalog | UnknownPackage | UnknownChannel | UnknownStartingCSV
"""A subscription names what does not exist; *near* are similar names that do."""


@record
class Requires(Reason):
    """A bundle requires *predicate*, which only *candidates* could meet; with none, nothing visible meets it.

    *missing* are the parts of a compound requirement that nothing visible meets, *excluded* the bundles of the core
    that it rules out, *failing* all parts that keep it from being met; none where that is not known.
    """

    bundle: Candidate
    predicate: Predicate
    candidates: tuple[Candidate, ...]
    missing: tuple[Predicate, ...] = ()
    excluded: tuple[Candidate, ...] = ()
    failing: tuple[Predicate, ...] = attrs.field(default=(), eq=False, repr=False)

    @property
    def message(self) -> str:
        """The author's ``failureMessage``, "" if none; several, from a compound requirement, joined by semicolons.

        Of a compound requirement, only the messages of failing parts count.
        """
        return "; ".join(failure_messages(self.predicate, self.failing or self.missing))

    def sentence(self, it: Candidate | None = None) -> str:
        if self.missing:
            given = f"and no bundle provides {' or '.join(map(str, self.missing))}"
        elif self.candidates:
            given = f"provided by {_list(self.candidates)}"
        elif self.excluded:
            given = ""
        elif is_joint(self.predicate):
            given = "which no single bundle meets"
        else:
            given = "which no bundle provides"
        if self.excluded:
            given = f"{given}{', and ' if given else ''}which rules out {_list(self.excluded)}"
        message = self.message and f" [{self.message}]"
        return f"{_subject(self.bundle, it)} {self.verb_phrase}, {given}{message}"

    @property
    def verb_phrase(self) -> str:
        """The requirement, or the prohibition, as a phrase that follows the bundle's name."""
        return stated(self.predicate, rules_out=bool(self.excluded))


@record
class OnePerPackage(Reason):
    """At most one bundle of a package can be selected."""

    package: str
    candidates: tuple[Candidate, ...]

    def __str__(self) -> str:
        return f"at most one bundle of package {self.package}: {_list(self.candidates)}"


@record
class OnePerAPI(Reason):
    """At most one selected bundle can provide an API."""

    api: GVK
    candidates: tuple[Candidate, ...]

    def __str__(self) -> str:
        return f"at most one bundle provides the API {self.api}: {_list(self.candidates)}"


@record
class Deprecated(Reason):
    """A bundle with an ``olm.deprecated`` property is never selected."""

    candidate: Candidate

    def sentence(self, it: Candidate | None = None) -> str:
        return f"{_subject(self.candidate, it)} is deprecated"


@record
class NotEligible(Reason):
    """A system constraint of the request refuses a bundle; *refusal* says why."""

    candidate: Candidate
    refusal: str

    @property
    def _refusal(self) -> str:
        return self.refusal

    def sentence(self, it: Candidate | None = None) -> str:
        return f"{_subject(self.candidate, it)} may not be selected here: {self.refusal}"


@record
class RuleDemands(Reason):
    """A house rule demands one of *candidates*, the most wanted first; there may be none."""

    rule: AtLeastOne
    candidates: tuple[Candidate, ...]

    def __str__(self) -> str:
        text = f"house rule {self.rule.name!r} demands {self.rule}"
        return f"{text}: {_list(self.candidates)}" if self.candidates else f"{text}, but no bundle matches"


@record
class RuleLimits(Reason):
    """A house rule limits the sum of the *amounts* of these *candidates*, one for each, wherever they are selected."""

    candidates: tuple[Candidate, ...]
    rule: TotalAtMost
    amounts: tuple[int, ...]

    def __str__(self) -> str:
        pairs = list(zip(self.candidates, self.amounts, strict=True))
        shown = ", ".join(f"{candidate} has {amount}" for candidate, amount in pairs[:5])
        more = f" and {len(pairs) - 5} more" if len(pairs) > 5 else ""
        return f"house rule {self.rule.name!r} says {self.rule}: {shown}{more}"


@record
class RuleForbids(Reason):
    """A house rule forbids a bundle, whatever else is selected."""

    candidate: Candidate
    rule: Never

    def sentence(self, it: Candidate | None = None) -> str:
        return f"{_subject(self.candidate, it)} may not be selected: house rule {self.rule.name!r} says {self.rule}"


@record
class RuleKeepsApart(Reason):
    """A house rule forbids a bundle together with the bundles in *beside*, which are in the core too."""

    candidate: Candidate
    rule: Never
    beside: tuple[Candidate, ...]

    def sentence(self, it: Candidate | None = None) -> str:
        beside = f" together with {_list(self.beside)}" if self.beside else ""
        says = f"house rule {self.rule.name!r} says {self.rule}"
        return f"{_subject(self.candidate, it)} may not be selected{beside}: {says}"


@record
class Broken(Reason):
    """A channel without exactly one chain, or a bundle whose requirements do not parse, is never selected."""

    fault: Fault
    candidate: Candidate

    def sentence(self, it: Candidate | None = None) -> str:
        return f"{_subject(self.candidate, it)} cannot be selected: {self.fault}"


@record
class CannotStayBeside(Reason):
    """A bundle replaces an installed operator, so both cannot be selected."""

    candidate: Candidate
    operator: Candidate

    def sentence(self, it: Candidate | None = None) -> str:
        return f"{_subject(self.candidate, it)} replaces {self.operator.name}, which then cannot stay"


@record(
    definition="olmsolve.unsatisfiable",
    title="A failure of classic OLM",
    about="Constraints that cannot hold together; without any one of them they could (docs/documents.md).",
    layout=("_is_unsatisfiable", "core"),
    added={"hindrances": HINDRANCES},
)
class Unsatisfiable(ResolutionFailure):
    """No set of bundles meets the request: the reasons in *core* cannot hold together, and each of them is needed.

    The core depends only on the request: it is the same on every backend and in every process. *context* is where
    :func:`olmsolve.explanation` starts. It holds whole catalogs, so its request stays behind when a failure is
    pickled; explaining such a copy needs the request again. *statistics* say how much work it took.

    >>> import olmsolve
    >>> try:
    ...     olmsolve.resolve(olmsolve.read_request("olmsolve/examples/unsatisfiable.yaml"))
    ... except olmsolve.Unsatisfiable as failure:
    ...     print([reason.kind for reason in failure.core])
    ['SubscriptionWants', 'SubscriptionWants', 'Requires', 'Requires', 'Requires', 'OnePerPackage']
    """

    core: tuple[Reason, ...] = field("The core.", path="constraints")
    context: RequestContext | None = attrs.field(default=None, eq=False, repr=False)
    statistics: Statistics = attrs.field(default=Statistics(), eq=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are pickled with their positional arguments, and `evolve` makes a copy by keywords.
        return type(self), (self.core, self.context, self.statistics)

    def __str__(self) -> str:
        lines = ["the request cannot be satisfied; these cannot hold together:"]
        lines.extend(f"  - {reason}" for reason in self.core[:MOST_REASONS])
        unlisted = len(self.core) - MOST_REASONS
        if unlisted > 0:
            lines.append(f"  - and {unlisted} more; an explanation groups bundles that fail alike")
        return "\n".join(lines)

    @property
    @documented("", path="unsatisfiable", schema={"const": True, "type": None})
    def _is_unsatisfiable(self) -> bool:
        return True
