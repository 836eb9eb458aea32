"""System constraints: what a cluster does not let be installed, whoever wishes for it.

A constraint is anything that takes a candidate and says why it may not be selected, "" if it may. It looks at one
candidate alone, and its answer must depend on nothing else: then the answer to a request stays a function of the
request. The cluster's own rules are in :mod:`olmsolve.cluster`; embedders bring theirs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

import attrs

from olmsolve.errors import ManifestError
from olmsolve.predicates import Property

__all__ = ["CandidateFacts", "Eligibility", "refusal"]


@attrs.frozen
class CandidateFacts:
    """What is known of a candidate: a bundle of a *package* in a *catalog* (``name/namespace``).

    *version* is text, "" where the bundle has none.
    """

    name: str
    package: str
    version: str = ""
    catalog: str = ""
    properties: tuple[Property, ...] = attrs.field(default=(), repr=False)


@runtime_checkable
class Eligibility(Protocol):
    """A system constraint: a function of one candidate, or an object that can be called like one."""

    def __call__(self, candidate: CandidateFacts, /) -> str:
        """Why *candidate* may not be selected, in one sentence without a full stop; "" if it may."""
        ...


def refusal(candidate: CandidateFacts, constraints: Iterable[Eligibility]) -> str:
    """The first reason of *constraints* against *candidate*, "" if there is none.

    A bundle whose operator cannot be read is refused for that by the first constraint that wants to know.
    """
    for constraint in constraints:
        try:
            reason = constraint(candidate)
        except ManifestError as error:
            reason = f"its ClusterServiceVersion cannot be read: {error.field}: {error.reason}"
        if reason:
            return reason
    return ""
