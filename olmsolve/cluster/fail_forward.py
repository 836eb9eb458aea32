"""Fail forward: leaving a failed upgrade behind for a newer one.

An administrator may allow, for a namespace, that an operator whose upgrade failed is upgraded further although
nothing in between ever worked. While an upgrade runs, the operators of a namespace form chains: each is *replacing*
(giving way to) the next, and the last one is being installed, or has failed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Final

import attrs

from olmsolve.cluster.objects import ClusterServiceVersion, OperatorGroup
from olmsolve.errors import OlmsolveError

__all__ = [
    "FAIL_FORWARD_STRATEGY",
    "Chains",
    "FailForwardError",
    "chain_ends_in_failure",
    "fail_forward_enabled",
    "last_of_chain",
    "left_behind",
    "replacements",
]

FAIL_FORWARD_STRATEGY: Final = "TechPreviewUnsafeFailForward"


@attrs.frozen
class FailForwardError(OlmsolveError):
    """Whether a namespace fails forward cannot be said, or a chain of its operators is none."""

    reason: str

    def __str__(self) -> str:
        return self.reason


def fail_forward_enabled(groups: Sequence[OperatorGroup]) -> bool:
    """Whether the namespace with *groups* fails forward.

    Raises:
        FailForwardError: there is not exactly one group.
    """
    if len(groups) != 1:
        raise FailForwardError(f"found {len(groups)} operatorGroups, expected 1")
    return groups[0].upgrade_strategy == FAIL_FORWARD_STRATEGY


def replacements(csvs: Iterable[ClusterServiceVersion]) -> dict[str, ClusterServiceVersion]:
    """By the name of an operator, which of *csvs* replaces it; of several the last one."""
    return {csv.replaces: csv for csv in csvs if csv.replaces}


def chain_ends_in_failure(csv: ClusterServiceVersion, by: Mapping[str, ClusterServiceVersion]) -> bool:
    """Whether the chain that begins with *csv*, and goes on as :func:`replacements` says, ends in one that failed.

    Raises:
        FailForwardError: one before the last is not giving way, or the chain comes back to where it was.
    """
    return _chain(csv, by, must_give_way=True)[-1].phase == "Failed"


def last_of_chain(csv: ClusterServiceVersion, by: Mapping[str, ClusterServiceVersion]) -> ClusterServiceVersion:
    """The last of the chain that begins with *csv*, whatever the phases are.

    Raises:
        FailForwardError: the chain comes back to where it was.
    """
    return _chain(csv, by, must_give_way=False)[-1]


def left_behind(csvs: Sequence[ClusterServiceVersion]) -> frozenset[str]:
    """The names of those of a namespace's *csvs* that resolution leaves out where the namespace fails forward.

    They are giving way, and what they give way to failed in the end. Copies of other namespaces' operators have no
    chain of their own.

    Raises:
        FailForwardError: a chain is none; then nothing in the namespace is resolved.
    """
    chains = Chains(csvs)
    return frozenset(csv.name for csv in csvs if not csv.is_copied and chains.leave_behind(csv))


class Chains:
    """The chains that a namespace's *csvs* form; the end of a long one is looked for once."""

    def __init__(self, csvs: Iterable[ClusterServiceVersion]) -> None:
        # As recorded: no copy is left out, but what gives way may give way to one.
        self._by = replacements(csvs)
        self._fails: dict[str, bool] = {}

    def leave_behind(self, csv: ClusterServiceVersion) -> bool:
        """Whether resolution leaves *csv*, which is no copy, out.

        Its chain is judged even where nothing is left out for it: a bad one fails the namespace.

        Raises:
            FailForwardError: the chain is none.
        """
        chain = _chain(csv, self._by, must_give_way=True, known=self._fails)
        end = chain[-1]
        failed = self._fails.get(end.name, end.phase == "Failed")
        self._fails.update((each.name, failed) for each in chain)
        return failed and csv.phase == "Replacing"


def _chain(
    csv: ClusterServiceVersion,
    by: Mapping[str, ClusterServiceVersion],
    *,
    must_give_way: bool,
    known: Container[str] = (),
) -> list[ClusterServiceVersion]:
    """From *csv* to the last that it gives way to, or to one whose name is *known*."""
    chain = [csv]
    seen: set[str] = set()
    while csv.name not in known and (following := by.get(csv.name)) is not None:
        if must_give_way and csv.phase != "Replacing":
            raise FailForwardError(f"csv {csv.key} in phase {csv.phase} instead of Replacing")
        if csv.name in seen:
            raise FailForwardError(f"csv {csv.key} has already been seen")
        seen.add(csv.name)
        csv = following
        chain.append(csv)
    return chain
