"""Updates of operators on a cluster: whether one lets itself be replaced, how far they are, and how they fail forward.

An operator reports ``Upgradeable`` in the OperatorCondition of its own name; an administrator's override wins over the
report. As recorded: an override decides alone, and blocks unless it is ``True``. Without an override, a report in the
status about an older generation of the object blocks, even ``True``; otherwise ``False`` blocks and ``Unknown`` does
not. The report is in ``spec.conditions`` (version 2 of the API, and OLM's documentation) or in ``status.conditions``
(version 1). OLM copies each condition of the spec into the status, with the object's generation, before it looks there:
so the spec wins over the status, and is never outdated.

With the strategy of fail forward, an administrator allows for a namespace that an operator whose upgrade failed is
upgraded further although no operator in between ever worked. While an upgrade runs, the operators of a namespace form
chains: each is *Replacing* (giving way to) the next, and the last is being installed, works, or has failed::

    v1 Replacing -> v2 Replacing -> v3 Failed       v1 and v2 are left behind; v4 may replace v3
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Literal, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._named_tuples import NamedTuple
from olmsolve.cluster.objects import ClusterServiceVersion, OperatorCondition, OperatorGroup, condition_of
from olmsolve.cluster.state import is_deleted
from olmsolve.errors import OlmsolveError

UPGRADEABLE: Final = "Upgradeable"


def not_upgradeable(condition: OperatorCondition | None) -> str:
    """Return why the operator of *condition* must not be replaced now; "" if it may be.

    An operator without an OperatorCondition (None) may always be replaced.
    """
    if condition is None:
        return ""
    override = condition_of(condition.overrides, UPGRADEABLE)
    if override is not None:
        return "" if override.status == "True" else f"the operator is not upgradeable: {override.message}"
    spec_condition = condition_of(condition.spec_conditions, UPGRADEABLE)
    report = spec_condition or condition_of(condition.conditions, UPGRADEABLE)
    if report is None:
        return ""
    if spec_condition is None and report.observed_generation != condition.metadata.generation:
        return f'the operatorcondition status "{UPGRADEABLE}"="{report.status}" is outdated'
    if report.status == "False":
        return f"the operator is not upgradeable: {report.message}"
    return ""


FAIL_FORWARD_STRATEGY: Final = "TechPreviewUnsafeFailForward"
"""The upgrade strategy of an operator group whose namespace fails forward."""

# One that works gives way with OLM's next pass.
_GIVING_WAY: Final = frozenset({"Succeeded", "Replacing", "Deleting"})
# OLM works on such an operator, or waits for its deployment.
_UNREADY: Final = frozenset({"Pending", "InstallReady", "Installing"})
_COMING: Final = frozenset({"InstallReady", "Installing", "Succeeded"})
_NOT_YET_CHECKED: Final = frozenset({"", "RequirementsUnknown", "AllRequirementsMet"})


StallCause: TypeAlias = Literal["refused", "lacking", "unready"]
"""The cause of a stalled update: the operator's own report, a missing requirement, or the operator's health."""


@attrs.frozen
class FailForwardError(OlmsolveError):
    """The rules of fail forward give no answer: a namespace has no single group, or a chain is broken."""

    reason: str

    def __str__(self) -> str:
        return self.reason


def fail_forward_enabled(groups: Sequence[OperatorGroup]) -> bool:
    """Return whether the namespace with *groups* fails forward.

    Raises:
        FailForwardError: there is not exactly one group.
    """
    if len(groups) != 1:
        raise FailForwardError(f"found {len(groups)} operatorGroups, expected 1")
    return groups[0].upgrade_strategy == FAIL_FORWARD_STRATEGY


def replacements(csvs: Iterable[ClusterServiceVersion]) -> dict[str, ClusterServiceVersion]:
    """Map the name of each replaced operator to the member of *csvs* that replaces it, of several the last."""
    return {csv.replaces: csv for csv in csvs if csv.replaces}


def operators_after(
    csv: ClusterServiceVersion, following: Callable[[ClusterServiceVersion], ClusterServiceVersion | None]
) -> Iterator[ClusterServiceVersion]:
    """Yield the operators after *csv*, each by *following* of the one before; a circle ends where it closes."""
    seen = {csv.name}
    while (after := following(csv)) is not None and after.name not in seen:
        yield after
        seen.add(after.name)
        csv = after


def left_behind(csvs: Sequence[ClusterServiceVersion]) -> frozenset[str]:
    """Return the names of the operators that resolution leaves out, in a namespace that fails forward.

    *csvs* are the operators of the namespace. An operator is left behind when it gives way and its chain ends in a
    failure. Copies of other namespaces' operators have no chain of their own.

    Raises:
        FailForwardError: a chain is broken; then OLM resolves nothing in the namespace.
    """
    chains = Chains(csvs)
    return frozenset(csv.name for csv in csvs if not csv.is_copied and chains.leave_behind(csv))


def updates_under_way(
    csvs: Sequence[ClusterServiceVersion], conditions: Iterable[OperatorCondition] = ()
) -> dict[str, str]:
    """Map each operator that gives way to the last operator of its chain, where nothing keeps that one from working.

    OLM resolves nothing in the namespace meanwhile, and goes on by itself: such an operator needs no way out. By its
    OperatorCondition, among *conditions*, an operator may keep the one after it pending.
    """
    return {
        csv.name: last.name
        for behind, last in _updates(csvs)
        for csv in behind
        if _comes(last) and not _is_refused(last, conditions) and not any(map(is_deleted, behind))
    }


def updates_stalled(
    csvs: Sequence[ClusterServiceVersion], conditions: Iterable[OperatorCondition]
) -> dict[str, StalledUpdate]:
    """Map each operator that gives way to its update, where the last operator of its chain waits for something else.

    An operator refuses by its OperatorCondition, among *conditions*; the newer one lacks something; or the older one
    is not ready, and OLM lets nothing take its place until it is, as recorded. One that has failed is reported
    elsewhere.
    """
    stalled: dict[str, StalledUpdate] = {}
    for behind, last in _chains(csvs):
        if last.phase != "Pending" or any(csv.phase not in _GIVING_WAY | _UNREADY for csv in behind):
            continue
        if any(csv.phase in _UNREADY for csv in behind):
            cause: StallCause = "unready"
        elif _is_refused(last, conditions):
            cause = "refused"
        elif not _comes(last):
            cause = "lacking"
        else:
            continue
        stalled.update((csv.name, StalledUpdate(last.name, cause)) for csv in behind)
    return stalled


class StalledUpdate(NamedTuple):
    """An update to *newer* that does not get on, and its *cause*."""

    newer: str
    cause: StallCause


def _updates(
    csvs: Sequence[ClusterServiceVersion],
) -> Iterator[tuple[list[ClusterServiceVersion], ClusterServiceVersion]]:
    """Yield the chains of :func:`_chains` in which all operators but the last give way."""
    for behind, last in _chains(csvs):
        if all(csv.phase in _GIVING_WAY for csv in behind):
            yield behind, last


def _chains(
    csvs: Sequence[ClusterServiceVersion],
) -> Iterator[tuple[list[ClusterServiceVersion], ClusterServiceVersion]]:
    """Yield, for each operator that another one replaces, the chain of replaced ones from it on, and the last one."""
    originals = [csv for csv in csvs if not csv.is_copied]
    newer = replacements(originals)
    for csv in originals:
        *behind, last = csv, *operators_after(csv, lambda member: newer.get(member.name))
        if behind:
            yield behind, last


def _is_refused(last: ClusterServiceVersion, conditions: Iterable[OperatorCondition]) -> bool:
    """Return whether the operator that *last* replaces keeps it pending."""
    return last.phase == "Pending" and any(
        condition.name == last.replaces and not_upgradeable(condition) for condition in conditions
    )


def _comes(csv: ClusterServiceVersion) -> bool:
    """Return whether the installation of *csv* is done or under way; OLM's reason says what a pending one waits for."""
    return csv.phase in _COMING or (csv.phase == "Pending" and csv.reason in _NOT_YET_CHECKED)


class Chains:
    """The chains that the operators of a namespace form."""

    def __init__(self, csvs: Iterable[ClusterServiceVersion]) -> None:
        # As recorded, copies count here: an operator may give way to one.
        self._replacements = replacements(csvs)
        # By the name of an operator: whether its chain ends in a failure. A chain of ten thousand operators is walked
        # once, and not from each of its members.
        self._fails: dict[str, bool] = {}

    def leave_behind(self, csv: ClusterServiceVersion) -> bool:
        """Return whether resolution leaves out *csv*, which is not a copy.

        The chain is judged even where *csv* is not giving way: a broken chain fails the namespace.

        Raises:
            FailForwardError: the chain is broken.
        """
        return self.ends_in_failure(csv) and csv.phase == "Replacing"

    def ends_in_failure(self, csv: ClusterServiceVersion) -> bool:
        """Return whether the last operator in the chain from *csv* on has failed.

        Raises:
            FailForwardError: an operator before the last is not giving way, or the chain is a circle.
        """
        chain = [csv]
        seen: set[str] = set()
        while csv.name not in self._fails and (following := self._replacements.get(csv.name)) is not None:
            if csv.phase != "Replacing":
                raise FailForwardError(f"csv {csv.key} in phase {csv.phase} instead of Replacing")
            if csv.name in seen:
                raise FailForwardError(f"csv {csv.key} has already been seen")
            seen.add(csv.name)
            csv = following
            chain.append(csv)
        failed = self._fails.get(csv.name, csv.phase == "Failed")
        self._fails.update((member.name, failed) for member in chain)
        return failed
