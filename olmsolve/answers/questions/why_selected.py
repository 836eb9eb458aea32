"""Why a bundle is in a plan: who wants it, and why it and nothing that looks better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import attrs

from olmsolve.answers.questions.order import order_rule
from olmsolve.answers.questions.rerun import Rerun, rerun_of
from olmsolve.classic import Request
from olmsolve.errors import RequestError, VersionError
from olmsolve.resolution import SCHEMA_VERSION, Candidate, Resolution, WantedBy
from olmsolve.semver import Version
from olmsolve.solver import Identifier

__all__ = ["Link", "Outranked", "PassedOver", "Why", "why"]

REASONS: Final = 50


@attrs.frozen
class Link:
    """A bundle of the chain and who wants it; *wanted_by* is None for an operator that must stay."""

    candidate: Candidate
    wanted_by: WantedBy | None

    def __str__(self) -> str:
        if self.wanted_by is None:
            return f"{self.candidate.name} is installed, belongs to no subscription and must stay"
        if self.wanted_by.subscription:
            return f"subscription {self.wanted_by.subscription} selects {self.candidate}"
        return f"{self.wanted_by.bundle} requires {self.wanted_by.requirement}, which selects {self.candidate}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "candidate": self.candidate.to_dict(),
            "for": None if self.wanted_by is None else self.wanted_by.to_dict(),
            "text": str(self),
        }


@attrs.frozen
class PassedOver:
    """A candidate that comes first and cannot be selected beside what was chosen until then.

    *because* says why, a sentence a constraint; it is empty where only the candidate was asked for.
    """

    candidate: Candidate
    because: tuple[str, ...]

    def __str__(self) -> str:
        if not self.because:
            return f"{self.candidate} would come first, but is impossible"
        # What is said of the candidate itself does not repeat its name.
        said = (reason.replace(f"{self.candidate} ", "it ", 1) for reason in self.because)
        return f"{self.candidate} would come first, but {'; '.join(said)}"

    def to_dict(self) -> dict[str, Any]:
        return {"candidate": self.candidate.to_dict(), "because": list(self.because), "text": str(self)}


@attrs.frozen
class Outranked:
    """A candidate of a higher version that comes later by *rule*."""

    candidate: Candidate
    rule: str

    def __str__(self) -> str:
        return f"{self.candidate}: {self.rule}"

    def to_dict(self) -> dict[str, Any]:
        return {"candidate": self.candidate.to_dict(), "rule": self.rule, "text": str(self)}


@attrs.frozen
class Why:
    """Why *candidate* is in the plan.

    *chain* leads from a subscription, or an operator that must stay, to it. *passed_over* are the candidates of the
    same choice that come first and are impossible, in order; *outranked* those of a higher version that come later.
    *candidates* counts all that the choice had. *also_for* are the others that it serves.
    """

    candidate: Candidate
    chain: tuple[Link, ...]
    passed_over: tuple[PassedOver, ...]
    outranked: tuple[Outranked, ...]
    candidates: int
    also_for: tuple[WantedBy, ...] = ()

    def __str__(self) -> str:
        return "; ".join(str(link) for link in self.chain)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; what the fields mean is documented in docs/why.md."""
        return {
            "schema": "olmsolve.why",
            "schemaVersion": SCHEMA_VERSION,
            "candidate": self.candidate.to_dict(),
            "chain": [link.to_dict() for link in self.chain],
            "candidates": self.candidates,
            "passedOver": [each.to_dict() for each in self.passed_over],
            "outranked": [each.to_dict() for each in self.outranked],
            "alsoFor": [each.to_dict() for each in self.also_for],
        }


def why(resolution: Resolution, name: str, *, request: Request | None = None, reasons: int = REASONS) -> Why:
    """Why the bundle or installed operator *name* is in the plan *resolution*.

    *request* is only needed where *resolution* has lost its own by pickling. For at most *reasons* of the candidates
    that were passed over it is worked out why; each takes a search.

    Raises:
        RequestError: *name* is not in the plan, or *resolution* is not the plan of its request.
    """
    rerun = rerun_of(resolution, request)
    found = next((each for each in rerun.selected if rerun.problem.candidate(each).name == name), None)
    if found is None:
        raise RequestError(f"{name!r} is not in the plan", hint="why-not says why a bundle is not")
    chain = tuple(_chain(rerun, found))
    chosen = rerun.choice_of(found)
    assert chosen is not None
    candidates = rerun.candidates(chosen)
    place = candidates.index(found)
    held = rerun.selected[: rerun.selected.index(found)]
    subject = chosen.subject if isinstance(chosen.subject, int) else None
    return Why(
        rerun.problem.candidate(found),
        chain,
        tuple(_passed_over(rerun, candidates[:place], held, reasons)),
        tuple(_outranked(rerun, found, candidates[place + 1 :], subject)),
        len(candidates),
        tuple(_others(rerun, found)),
    )


def _chain(rerun: Rerun, found: int) -> list[Link]:
    chain: list[Link] = []
    identifier: Identifier | None = found
    while identifier is not None:
        chosen = rerun.choice_of(identifier)
        assert chosen is not None
        chain.append(Link(rerun.problem.candidate(identifier), rerun.wanted_by(chosen)))
        identifier = chosen.subject
    return chain[::-1]


def _passed_over(rerun: Rerun, candidates: Sequence[int], held: Sequence[int], reasons: int) -> Iterator[PassedOver]:
    for position, candidate in enumerate(candidates):
        if position >= reasons:
            yield PassedOver(rerun.problem.candidate(candidate), ())
            continue
        because = rerun.impossible(candidate, held)
        # What is chosen for a part of a compound constraint is held as well, and has no name of its own.
        yield PassedOver(
            rerun.problem.candidate(candidate),
            because or ("it does not fit the way in which a compound constraint before it is met",),
        )


def _outranked(rerun: Rerun, found: int, later: Sequence[int], subject: int | None) -> Iterator[Outranked]:
    chosen = _version(rerun.problem.candidate(found))
    for number in later:
        other = rerun.problem.candidate(number)
        version = _version(other)
        if chosen is not None and version is not None and version > chosen:
            yield Outranked(other, order_rule(rerun.problem, found, number, subject))


def _version(candidate: Candidate) -> Version | None:
    try:
        return Version.parse_tolerant(candidate.version)
    except VersionError:
        return None


def _others(rerun: Rerun, found: int) -> Iterator[WantedBy]:
    seen: set[WantedBy] = set()
    for chosen in rerun.solution.choices:
        if chosen.identifier == found and chosen.selected_before and chosen.subject != found:
            wanted = rerun.wanted_by(chosen)
            if wanted is not None and wanted not in seen:
                seen.add(wanted)
                yield wanted
