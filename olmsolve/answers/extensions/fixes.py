"""The smallest sets of changes after which an extension gets what is wanted, each resolved until it is at rest.

Sets are tried best first: fewer changes before more, then smaller kinds. Each set grows by the changes that its own
answer suggests, so that a second obstacle, which shows only once the first is gone, gets its change as well.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import check
from olmsolve._records import Record, field, record
from olmsolve.answers.extensions.changes import ExtensionChange, ForceUpdate, PinInTurn, SetVersion
from olmsolve.errors import CatalogError, Incomplete, RequestError
from olmsolve.semver import Version
from olmsolve.v1 import ExtensionRequest, ExtensionResolution, Walk, walk, wish_of

_LARGEST: Final = 4
"""The most changes in one set."""

_ABOVE_ALL: Final = Version.parse("999999999.0.0")
"""A version that only a range without a top contains."""

Suggest: TypeAlias = Callable[[ExtensionRequest], Iterable[ExtensionChange]]
"""Yields the changes that may help a request."""

Reached: TypeAlias = Callable[[ExtensionRequest, Walk], bool]
"""Returns True if a changed request, with the updates that OLM v1 then makes, gets what is wanted."""


@record(definition="extensionFix", layout=("text", ...))
class ExtensionFix(Record):
    """A smallest set of *changes* after which an extension gets what is wanted.

    *request* is the changed request and *resolution* its answer; *bundles* are what OLM v1 then updates to, one
    after the other, until the extension is at rest: none where it stays.
    """

    changes: tuple[ExtensionChange, ...] = field("The changes.", schema={"minItems": 1})
    resolution: ExtensionResolution = field("What it gets then.", repr=False)
    bundles: tuple[str, ...] = field("The bundles that it is updated to until it is at rest.")
    request: ExtensionRequest = attrs.field(repr=False, eq=False)

    def __str__(self) -> str:
        return "; and ".join(map(str, self.changes))

    @property
    def effect(self) -> str:
        """The answer of OLM v1 after the changes, as a clause."""
        if not self.bundles:
            return f"then {self.resolution.bundle} stays"
        wakes = any(change.wakes for change in self.changes)
        when = "" if wakes else " once the extension is reconciled again, for example after an annotation"
        return f"this installs {', and then '.join(self.bundles)}{when}"


def find_fixes(
    request: ExtensionRequest, suggest: Suggest, reached: Reached, *, most: int, tries: int
) -> tuple[tuple[ExtensionFix, ...], bool]:
    """Return up to *most* fixes of *request*, the smallest first, and whether *tries* ended the search before that.

    A request that meets *reached* already needs no fix: the caller asks only where it does not. A limit that is met
    ends the search as *tries* do.
    """
    fixes: list[ExtensionFix] = []
    try:
        exhausted = _search(request, suggest, reached, most, tries, fixes)
    except Incomplete:
        exhausted = True
    return tuple(fixes), exhausted


def _search(
    request: ExtensionRequest, suggest: Suggest, reached: Reached, most: int, tries: int, fixes: list[ExtensionFix]
) -> bool:
    """Append the fixes to *fixes*, and return whether *tries* ended the search before there were *most*."""
    counter = itertools.count()
    queue: list[tuple[int, tuple[int, ...], int, tuple[ExtensionChange, ...], ExtensionRequest]] = []
    queue.append((0, (), next(counter), (), request))
    seen: set[frozenset[ExtensionChange]] = {frozenset()}
    while queue and len(fixes) < most:
        check()
        _, _, _, changes, changed = heapq.heappop(queue)
        if any(set(smaller.changes) <= set(changes) for smaller in fixes):
            continue
        if changes:
            if not tries:
                return True
            tries -= 1
            fix = _fix(changes, changed, reached)
            if fix is not None:
                fix = _reduced(fix, request, reached)
                if all(set(smaller.changes) - set(fix.changes) for smaller in fixes):
                    fixes.append(fix)
                continue
        if len(changes) == _LARGEST:
            continue
        kinds = {type(change) for change in changes}
        for change in suggest(changed):
            grown = (*changes, change)
            if type(change) in kinds or frozenset(grown) in seen:
                continue
            seen.add(frozenset(grown))
            ranks = tuple(sorted(change.rank for change in grown))
            heapq.heappush(queue, (len(grown), ranks, next(counter), grown, change.apply(changed)))
    return False


def _fix(changes: tuple[ExtensionChange, ...], changed: ExtensionRequest, reached: Reached) -> ExtensionFix | None:
    """Return the fix that *changes* are, None if the *changed* request does not get there, or to no rest."""
    if _forces_openly(changes, changed):
        return None
    try:
        following = walk(changed)
    except (CatalogError, RequestError):
        # A catalog that the extension did not use before is read only now, and cannot be.
        return None
    # A change that leaves the extension stranded, or going round, is no way out.
    if following.stays is None or not reached(changed, following):
        return None
    first = following.updates[0] if following.updates else following.stays
    before = tuple(step.name for change in changes if isinstance(change, PinInTurn) for step in change.steps[:-1])
    return ExtensionFix(changes, first, (*before, *following.bundles), changed)


def _forces_openly(changes: tuple[ExtensionChange, ...], changed: ExtensionRequest) -> bool:
    """Return whether *changes* let an extension jump where nobody meant it to: edges do not hold, nor does a pin.

    Without a top of its range it takes each new version from then on, past the edges of its author, major versions
    included. A range that the changes themselves set has to be one version.
    """
    ranges = [change.version for change in changes if isinstance(change, SetVersion)]
    if changed.extension.enforces_edges or not (ranges or any(isinstance(change, ForceUpdate) for change in changes)):
        return False
    versions = wish_of(changed).versions
    return (
        any(not range_[:1].isdigit() for range_ in ranges) or versions is None or versions.contains_key(_ABOVE_ALL.key)
    )


def _reduced(fix: ExtensionFix, request: ExtensionRequest, reached: Reached) -> ExtensionFix:
    """Return the smallest part of the changes of *fix* that is a fix of *request*: later ones make others needless.

    Each part is tried, since a change can need another that is needless without it: without its range, force leads
    past all edges, and a wider channel alone gets there.
    """
    for size in range(1, len(fix.changes)):
        for part in itertools.combinations(fix.changes, size):
            changed = request
            for change in part:
                changed = change.apply(changed)
            smaller = _fix(part, changed, reached)
            if smaller is not None:
                return smaller
    return fix
