"""The reasons why a bundle is in a plan: who wants it, and why no better candidate was selected instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from olmsolve._arguments import must_be
from olmsolve._near_names import did_you_mean, near_names, similar_names
from olmsolve._reader import for_reader
from olmsolve._records import Record, field, record, texts
from olmsolve.answers.rerunning import OrderRule, Rerun, order_rule, rerun_of
from olmsolve.classic import MustStay, Reason, Request
from olmsolve.errors import RequestError
from olmsolve.resolution import HINDRANCES, Candidate, Resolution, WantedBy
from olmsolve.semver import Version, read_version
from olmsolve.solver import Identifier

REASONS: Final = 50


@record(layout=(..., "text"))
class Link(Record):
    """A bundle of the chain and who wants it; *wanted_by* is None for an operator that must stay."""

    candidate: Candidate = field()
    wanted_by: WantedBy | None = field("Who wants it; null for an operator that stays by itself.", path="for")

    def __str__(self) -> str:
        if self.wanted_by is None:
            return str(MustStay(self.candidate))
        if self.wanted_by.subscription:
            return f"subscription {self.wanted_by.subscription} selects {self.candidate}"
        if self.wanted_by.house_rule:
            return f"{self.wanted_by} selects {self.candidate}"
        return f"{self.wanted_by.clause}, which selects {self.candidate}"


@record(layout=(..., "text"), says="{candidate} would come first, but {explanation}")
class PassedOver(Record):
    """A candidate that comes first but cannot be selected beside the earlier choices."""

    candidate: Candidate = field()
    because: tuple[Reason, ...] = field(
        "The reasons, a sentence each; empty if they were not searched for.", written=texts
    )

    @property
    def explanation(self) -> str:
        """The reasons as a clause, in which "it" is the candidate."""
        if not self.because:
            return "is impossible"
        return "; ".join(reason.sentence(self.candidate) for reason in self.because)


@record(says="it does not fit the way in which a compound constraint before it is met")
class DoesNotFit(Reason):
    """A compound constraint, met earlier in a way of its own, leaves no room for the candidate."""


@record(layout=(..., "text"), says="{candidate}: {rule}")
class Outranked(Record):
    """A candidate of a higher version that comes later in the order, by *rule*."""

    candidate: Candidate = field()
    rule: OrderRule = field("The rule by which it comes later.", written=str)


@record(
    definition="olmsolve.why",
    title="Why a bundle is in a plan",
    about="docs/why.md gives the meaning of the fields.",
    layout=("candidate", "chain", "candidates", ...),
    added={"hindrances": HINDRANCES},
)
class Why(Record):
    """The reasons why a bundle is in a plan."""

    candidate: Candidate = field()
    chain: tuple[Link, ...] = field("From the bundle up to a subscription, or to an operator that must stay.")
    passed_over: tuple[PassedOver, ...] = field(
        "Candidates that come first, but are impossible together with earlier choices."
    )
    outranked: tuple[Outranked, ...] = field("Candidates with a higher version that come later.")
    candidates: int = field("How many candidates its choice had.")
    also_for: tuple[WantedBy, ...] = field("The other bundles and subscriptions that want it.", default=())

    def __str__(self) -> str:
        return "; ".join(str(link) for link in self.chain)


def why(resolution: Resolution, name: str, *, request: Request | None = None, reasons: int = REASONS) -> Why:
    """Say why the bundle or installed operator *name*, or the one of the package *name*, is in the plan *resolution*.

    *request* is only needed if *resolution* was pickled and so lost its own. At most *reasons* of the candidates that
    were passed over get reasons, since each takes a search.

    Raises:
        RequestError: *name* is not in the plan, or *resolution* is not the plan of its request.

    Example::

        for link in olmsolve.why(plan, "keyring.v1.0.2").chain:
            print(link)
    """
    must_be(name, "str", "name")
    rerun = rerun_of(resolution, request)
    packages = {candidate.name: candidate.package for candidate in map(rerun.problem.candidate, rerun.selected)}
    bundle = bundle_of(name, packages)
    taken = next((candidate for candidate in rerun.selected if rerun.problem.candidate(candidate).name == bundle), None)
    if taken is None:
        meant = meant_bundles(name, packages)
        verb = for_reader(python="why_not", option="why-not")
        hint = did_you_mean(meant) or f"{verb} says why a bundle is not"
        raise RequestError(f"{name!r} is not in the plan", hint=hint)
    chain = tuple(_chain(rerun, taken))
    chosen = rerun.choice_of(taken)
    assert chosen is not None
    candidates = rerun.candidates(chosen)
    position = candidates.index(taken)
    earlier = rerun.selected[: rerun.selected.index(taken)]
    subject = chosen.subject if isinstance(chosen.subject, int) else None
    return Why(
        rerun.problem.candidate(taken),
        chain,
        tuple(_passed_over(rerun, candidates[:position], earlier, reasons)),
        tuple(_outranked(rerun, taken, candidates[position + 1 :], subject)),
        len(candidates),
        tuple(_also_wanted_by(rerun, taken)),
    )


_MEANT: Final = 3
"""The most bundles that a person is asked about."""


def bundle_of(name: str, selected: Mapping[str, str]) -> str:
    """Return the bundle *name* of *selected* (each with its package), or of the package *name*; "" for neither.

    A package with several bundles in a plan names none of them.
    """
    if name in selected:
        return name
    of_package = [bundle for bundle, package in selected.items() if package == name]
    return of_package[0] if len(of_package) == 1 else ""


def meant_bundles(name: str, selected: Mapping[str, str]) -> tuple[str, ...]:
    """Return the bundles that somebody who wrote *name* may have meant; *selected* has the package of each bundle.

    People write the package, or another version: ``keyring`` for ``keyring.v1.0.2``.
    """
    packages = [name, *near_names(name, dict.fromkeys(selected.values()))]
    of_packages = [bundle for wanted in packages for bundle, package in selected.items() if package == wanted]
    return tuple(of_packages[:_MEANT]) or similar_names(name, selected)


def _chain(rerun: Rerun, taken: int) -> list[Link]:
    """Follow the choices from *taken* up to the request, and return the links from the top down."""
    chain: list[Link] = []
    identifier: Identifier | None = taken
    while identifier is not None:
        chosen = rerun.choice_of(identifier)
        assert chosen is not None
        chain.append(Link(rerun.problem.candidate(identifier), rerun.wanted_by(chosen)))
        identifier = chosen.subject
    return chain[::-1]


def _passed_over(rerun: Rerun, candidates: Sequence[int], earlier: Sequence[int], reasons: int) -> Iterator[PassedOver]:
    """Yield the candidates before the chosen one; only the first *reasons* of them get reasons."""
    for position, candidate in enumerate(candidates):
        if position >= reasons:
            yield PassedOver(rerun.problem.candidate(candidate), ())
            continue
        because = rerun.reasons_against(candidate, earlier)
        # No reasons: an alternative of a compound requirement is held as well, and has no name to give as one.
        yield PassedOver(rerun.problem.candidate(candidate), because or (DoesNotFit(),))


def _outranked(rerun: Rerun, taken: int, later: Sequence[int], subject: int | None) -> Iterator[Outranked]:
    """Yield the later candidates of a higher version: people expect the newest, so each gets the rule against it."""
    chosen = _version(rerun, taken)
    for number in later:
        version = _version(rerun, number)
        if chosen is not None and version is not None and version > chosen:
            yield Outranked(rerun.problem.candidate(number), order_rule(rerun.problem, taken, number, subject))


def _version(rerun: Rerun, number: int) -> Version | None:
    """Return the version of the candidate *number*, by the scheme of its catalog."""
    visible = rerun.problem.visible
    is_installed = rerun.problem.is_installed(number)
    scheme = visible.scheme if is_installed else visible.locate(number)[1].catalog.scheme
    return read_version(rerun.problem.candidate(number).version, scheme)


def _also_wanted_by(rerun: Rerun, taken: int) -> Iterator[WantedBy]:
    """Yield the others whose wishes *taken* had already met when their turn came, each once."""
    seen: set[WantedBy] = set()
    for chosen in rerun.solution.choices:
        if chosen.identifier == taken and chosen.selected_before and chosen.subject != taken:
            wanted = rerun.wanted_by(chosen)
            if wanted is not None and wanted not in seen:
                seen.add(wanted)
                yield wanted
