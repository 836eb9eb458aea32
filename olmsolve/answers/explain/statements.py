"""The facts that nodes of an explanation state, as values; ``str()`` of each is the statement, without a full stop.

A root is a whole sentence ("subscription a wants ..."), a group of bundles a noun, and a fact about bundles the rest
of a sentence that begins with the noun ("requires the API ..."). Facts are hashable: equal facts are one node. A fact
about bundles says of which kind its node is (*node_kind*, a value of :class:`.NodeKind`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve.answers.wording import Phrase, enumerated, some_of
from olmsolve.catalog.index import Group
from olmsolve.classic import (
    MustStay,
    Reason,
    Subscription,
    UnknownCatalog,
    UnknownChannel,
    UnknownName,
    UnknownPackage,
    UnknownStartingCSV,
)
from olmsolve.predicates import Predicate, failure_messages, is_joint, stated
from olmsolve.resolution import Candidate, ResolutionFailure

if TYPE_CHECKING:
    from olmsolve.classic import AtLeastOne, CatalogsUnreadable, Never, TotalAtMost

_NAMED: Final = 4  # names in one clause of a statement
_PASSED: Final = {
    "package": "of the package",
    "channel": "in a wanted channel",
    "version": "in the wanted range",
    "edges": "that can follow the installed bundle",
    "deprecation": "that are preferred",
}


@attrs.frozen
class WishFact:
    """*subscription* must be served by one of so many *candidates*; *owned* is its installed operator, "" for none."""

    subscription: Subscription
    owned: str
    candidates: int

    def __str__(self) -> str:
        wish = self.subscription
        channel = f"channel {wish.channel}" if wish.channel else "any channel"
        catalog = f"catalog {wish.catalog}" if wish.source else "any visible catalog"
        wants = f"wants package {wish.package} from {channel} of {catalog}"
        if self.owned:
            text = f"subscription {wish.name} owns the installed {self.owned} and {wants}"
            return text if self.candidates > 1 else f"{text}, which has no update for {self.owned}"
        text = f"subscription {wish.name} {wants}"
        if wish.starting_csv:
            return f"{text}, beginning with {wish.starting_csv}"
        return text if self.candidates else f"{text}, which has no bundle"


@attrs.frozen
class DemandFact:
    """The house *rule* demands one of so many *candidates*."""

    rule: AtLeastOne
    candidates: int

    def __str__(self) -> str:
        text = f"house rule {self.rule.name!r} demands {self.rule}"
        return text if self.candidates else f"{text}, and no visible catalog has one"


@attrs.frozen
class QuestionRoot:
    """A question adds the wish for one of the bundles of *phrase* to a request."""

    phrase: Phrase

    def __str__(self) -> str:
        several = len({candidate.name for candidate in self.phrase.candidates}) > 1
        return f"{'one of ' if several else ''}{self.phrase} is to be selected"


@attrs.frozen
class WholeChannel:
    """A channel without an order, by the *candidate* that stands for it."""

    candidate: Candidate

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return (self.candidate,)

    @property
    def name(self) -> str:
        return f"channel {self.candidate.channel} of package {self.candidate.package}"

    def __str__(self) -> str:
        return f"{self.name} ({self.candidate.catalog})"


BundlesFact: TypeAlias = Phrase | WholeChannel
"""Bundles that fail alike: their *candidates*, and their *name* in short."""


@attrs.frozen
class RequirementFact:
    """The bundles require *predicate*; *missing* are the parts that nothing meets, *provided* if others are met.

    *failing* are all parts that keep it from being met here; *rules_out* whether it rules out other bundles.
    """

    predicate: Predicate
    missing: tuple[Predicate, ...]
    provided: bool
    failing: tuple[Predicate, ...] = ()
    rules_out: bool = False

    @property
    def message(self) -> str:
        """The ``failureMessage`` of the author, "" if there is none; parts that are met do not add theirs."""
        return "; ".join(failure_messages(self.predicate, self.failing))

    def __str__(self) -> str:
        text = stated(self.predicate, rules_out=self.rules_out)
        if self.missing and (self.provided or self.missing != (self.predicate,)):
            return f"{text}, and no bundle provides {enumerated(tuple(map(str, self.missing)), 'or')}"
        if self.missing:
            # Only the shipped controller makes one choice of a compound: it asks a single bundle to meet all parts.
            return (
                f"{text}, which no single bundle meets"
                if is_joint(self.predicate)
                else f"{text}, which no bundle provides"
            )
        return text


@attrs.frozen(cache_hash=True)
class OnlyOneFact:
    """At most one member of *group* is selected."""

    group: Group

    def __str__(self) -> str:
        of = "of" if self.group.kind == "package" else "that provides"
        return f"at most one bundle {of} {self.group} can be selected"


@attrs.frozen(cache_hash=True)
class ReplacesFact:
    """The candidate replaces the installed operator of this *number* and *name*."""

    node_kind: ClassVar[str] = "replaces"
    number: int
    name: str

    def __str__(self) -> str:
        return f"replaces the installed {self.name}, which then cannot stay"


@attrs.frozen(cache_hash=True)
class ReplacedFact:
    """The candidate is the installed operator of this *number*, which an update replaces."""

    node_kind: ClassVar[str] = "replaces"
    number: int

    def __str__(self) -> str:
        return "cannot stay once an update of it is selected"


@attrs.frozen
class ExcludedFact:
    """A requirement, *predicate*, of other bundles rules the bundles out."""

    by: tuple[BundlesFact, ...]
    predicate: Predicate

    def __str__(self) -> str:
        return f"is ruled out by {enumerated(tuple(map(str, self.by)))}, which {stated(self.predicate, rules_out=True)}"


@attrs.frozen(cache_hash=True)
class DeprecatedFact:
    """The candidate is deprecated."""

    node_kind: ClassVar[str] = "deprecated"

    def __str__(self) -> str:
        return "is deprecated (it has the property olm.deprecated), so it is never selected"


@attrs.frozen(cache_hash=True)
class BrokenFact:
    """The candidate, or its channel, is broken in the catalog: *property* ("" for a channel) has the fault *reason*."""

    node_kind: ClassVar[str] = "broken"
    property: str
    reason: str

    def __str__(self) -> str:
        return f"is broken in its catalog: {': '.join(filter(None, (self.property, self.reason)))}"


@attrs.frozen(cache_hash=True)
class RefusedFact:
    """A system constraint refuses the candidate; *refusal* says why."""

    node_kind: ClassVar[str] = "refused"
    refusal: str

    def __str__(self) -> str:
        return f"may not be selected here: {self.refusal}"


@attrs.frozen(cache_hash=True)
class ForbiddenFact:
    """A house *rule* forbids the candidate, whatever else is selected."""

    node_kind: ClassVar[str] = "forbidden"
    rule: Never

    def __str__(self) -> str:
        return f"may not be selected: house rule {self.rule.name!r} says {self.rule}"


@attrs.frozen(cache_hash=True)
class KeptApartFact:
    """A house *rule* does not want the candidate beside others.

    If *named*, the candidate is one of the rule's ``bundles``, and the others are of its ``beside``. If not, the
    candidate is one of ``beside``.
    """

    node_kind: ClassVar[str] = "kept-apart"
    rule: Never
    named: bool

    @property
    def because(self) -> str:
        """The rule and what it says."""
        return f"house rule {self.rule.name!r} says {self.rule}"

    def __str__(self) -> str:
        others = self.rule.beside if self.named else self.rule.bundles
        return f"may not be selected together with {others}: {self.because}"


@attrs.frozen(cache_hash=True)
class LimitedFact:
    """A house *rule* limits a sum over the selection, to which the candidate adds *amount*."""

    node_kind: ClassVar[str] = "limited"
    rule: TotalAtMost
    amount: int

    @property
    def because(self) -> str:
        """The rule and what it says."""
        return f"house rule {self.rule.name!r} says {self.rule}"

    def __str__(self) -> str:
        return f"adds {self.amount}: {self.because}"


@attrs.frozen
class FunnelFact:
    """OLM v1: the number of bundles that each filter of *left* kept of a catalog, none if it was not searched.

    *best* is the bundle left in the end ("" for none), *outcome* says in words what became of it.
    """

    catalog: str
    left: tuple[tuple[str, int], ...]
    best: str
    outcome: str

    def __str__(self) -> str:
        if not self.left:
            return f"catalog {self.catalog} is {self.outcome}"
        counts: list[str] = []
        for name, count in self.left:
            noun = "" if counts else " bundle" if count == 1 else " bundles"
            counts.append(f"{count or ('none' if counts else 'no')}{noun} {_PASSED[name]}")
            if not count:
                return f"catalog {self.catalog} has {', '.join(counts)}"
        return f"catalog {self.catalog} has {self.best}: {self.outcome}"


NodeFact: TypeAlias = (
    WishFact
    | Reason
    | MustStay
    | DemandFact
    | QuestionRoot
    | BundlesFact
    | RequirementFact
    | OnlyOneFact
    | ReplacesFact
    | ReplacedFact
    | ExcludedFact
    | DeprecatedFact
    | BrokenFact
    | RefusedFact
    | ForbiddenFact
    | KeptApartFact
    | LimitedFact
    | FunnelFact
)
"""A fact that a node states; a :class:`~olmsolve.classic.Reason` for unknown names and unreadable catalogs."""


@attrs.frozen
class Unserved:
    """These *subscriptions* cannot be served, these house *rules* not kept, or *operators* cannot stay, together."""

    subscriptions: tuple[str, ...]
    operators: tuple[str, ...]
    rules: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.rules:
            return self._with_rules()
        installed = f"the installed {enumerated(self.operators)}"
        several = len(self.subscriptions) > 1
        if not self.subscriptions:
            return f"{installed} cannot stay{' together' if len(self.operators) > 1 else ''}"
        text = f"subscription{'s' if several else ''} {enumerated(self.subscriptions)} cannot be served"
        if self.operators:
            return f"{text} while {installed} {'stay' if len(self.operators) > 1 else 'stays'}"
        return f"{text} together" if several else text

    def _with_rules(self) -> str:
        several = len(self.rules) > 1
        text = f"house rule{'s' if several else ''} {enumerated(tuple(map(repr, self.rules)))} cannot be kept"
        others = [f"subscription{'s' if len(self.subscriptions) > 1 else ''} {enumerated(self.subscriptions)}"]
        others = others if self.subscriptions else []
        others += [f"the installed {enumerated(self.operators)}"] if self.operators else []
        if others:
            return f"{text} together with {enumerated(others)}"
        return f"{text} together" if several else text


@attrs.frozen
class Misnamed:
    """A subscription names what does not exist: *reason* says what, and which names are similar."""

    reason: UnknownName

    def __str__(self) -> str:
        from olmsolve._near_names import did_you_mean  # most names are not misspelt

        near = did_you_mean(self.reason.near)
        return f"{self._absence()}; {near}" if near else self._absence()

    @property
    def thing(self) -> str:
        """The kind of what does not exist: "package", "channel", "catalog" or "bundle"."""
        return _THINGS[type(self.reason)]

    def _absence(self) -> str:
        wish = self.reason.subscription
        match self.reason:
            case UnknownCatalog(visible=visible):
                there = f"; {some_of(visible, _NAMED)} {'is' if len(visible) == 1 else 'are'}" if visible else ""
                return f"no catalog {_quoted(wish.catalog)} is visible{'' if self.reason.near else there}"
            case UnknownPackage(catalogs=catalogs):
                return (
                    f"no package {_quoted(wish.package)} in {some_of(catalogs, _NAMED, 'or') or 'any visible catalog'}"
                )
            case UnknownChannel(channels=channels) if wish.channel:
                text = f"package {wish.package} has no channel {_quoted(wish.channel)}"
                return f"{text}, but {some_of(channels, _NAMED)}" if channels and not self.reason.near else text
            case UnknownStartingCSV(removed_by=()):
                channel = f"channel {wish.channel} of package" if wish.channel else "package"
                return f"no bundle {_quoted(wish.starting_csv)} in {channel} {wish.package}"
            case _:
                return str(self.reason)


_THINGS: Final = {
    UnknownCatalog: "catalog",
    UnknownPackage: "package",
    UnknownChannel: "channel",
    UnknownStartingCSV: "bundle",
}


def _quoted(name: str) -> str:
    return f'"{name}"'


@attrs.frozen
class Unselectable:
    """The bundles of a question cannot be selected, by themselves or *beside* what the request asks for."""

    phrase: Phrase
    beside: bool

    def __str__(self) -> str:
        return f"{self.phrase} cannot be selected{' together with the rest of the request' if self.beside else ''}"


@attrs.frozen
class Unread:
    """The catalogs of *reason* cannot be read."""

    reason: CatalogsUnreadable

    def __str__(self) -> str:
        names = tuple(catalog.key for catalog in self.reason.catalogs)
        return f"{'catalog' if len(names) == 1 else 'catalogs'} {enumerated(names)} cannot be read"


ConflictSummary: TypeAlias = Unserved | Misnamed | Unselectable | Unread | ResolutionFailure
"""The summary of a conflict; for OLM v1, the failure itself."""
