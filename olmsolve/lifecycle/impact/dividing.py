"""Clusters divided into parts: each part is answered once for all clusters that have it.

The finest parts, single namespaces, are simulated first. Then their footprints decide: a part gets the definitions of
its cluster that it touched, and parts that touched something in common become one. So a part that is kept never met
another one, and its cluster as a whole gives the same answer.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

import attrs

from olmsolve.errors import RequestError
from olmsolve.lifecycle.impact.changes import ObjectChange
from olmsolve.lifecycle.impact.footprints import Footprint, first_meeting
from olmsolve.lifecycle.impact.forms import Manifest, form_key, normal_form
from olmsolve.lifecycle.impact.model import ClusterImpact
from olmsolve.lifecycle.impact.parts import ClusterObjects, Spaces
from olmsolve.lifecycle.simulation import most_passes

# Answers that one worker keeps: more parts than a fleet has, and bounded where every cluster has parts of its own.
_KEPT: Final = 4096


@attrs.frozen
class PartAnswer:
    """The *impact* on a part of a cluster, and the *footprint* of its simulations."""

    impact: ClusterImpact
    footprint: Footprint


_Form: TypeAlias = tuple[Manifest, ...]
"""The objects of a normal form."""

Answer: TypeAlias = Callable[[_Form, _Form], PartAnswer]
"""Answers for the objects before and after the change. Raises a RequestError for objects that cannot be read together.

Both are one value where no object changes.
"""

Keyed: TypeAlias = dict[str, ClusterImpact]
"""The impacts on the parts of a cluster by the keys of their normal forms, in the order of the keys."""


@attrs.frozen
class ClusterAnswer:
    """The impacts on the *parts* of a cluster, and the positions of the changes of objects that *reached* it."""

    parts: Keyed
    reached: tuple[int, ...] = ()


@attrs.frozen(eq=False)
class _ClusterSides:
    """The objects of a cluster *before* the change and *after* it: one value for both where no object changes."""

    before: ClusterObjects
    after: ClusterObjects

    @property
    def spaces(self) -> Spaces:
        """The namespaces that have objects on either side."""
        return frozenset({*self.before.spaces, *self.after.spaces})

    @property
    def is_one(self) -> bool:
        """Whether the cluster has no parts on one of the sides."""
        return self.before.is_one or self.after.is_one

    def of(self, take: Callable[[ClusterObjects], Iterable[Manifest]]) -> tuple[list[Manifest], list[Manifest]]:
        """Return what *take* takes from both sides: one value for both where it is equal."""
        before = list(take(self.before))
        if self.after is self.before:
            return before, before
        after = list(take(self.after))
        return before, before if after == before else after


class Dividing:
    """Answers for clusters by their parts, each computed by *answer* and kept for the next clusters that have it.

    A cluster is never divided where *is_divisible* is False. The *changes* of objects are applied to each cluster that
    they reach.
    """

    def __init__(self, answer: Answer, *, is_divisible: bool, changes: Sequence[ObjectChange] = ()) -> None:
        self._answer = answer
        self._is_divisible = is_divisible
        self._changes = changes
        # A part whose objects cannot be read has the error in place of an answer.
        self._known: OrderedDict[str, PartAnswer | RequestError] = OrderedDict()

    def answers(self, documents: Iterable[Manifest]) -> ClusterAnswer:
        """Return the impacts on the parts of the cluster with the objects in *documents*.

        Raises:
            RequestError: the objects cannot be read.
            Incomplete: a limit was met, or the caller cancelled.
        """
        before = ClusterObjects.of(documents)
        reached = before.reached_by(self._changes)
        after = before.changed(self._changes[position] for position in reached) if reached else before
        return ClusterAnswer(self._by_part(_ClusterSides(before, after)), reached)

    def _by_part(self, sides: _ClusterSides) -> Keyed:
        if self._is_divisible and sides.spaces and not sides.is_one:
            try:
                found = self._divided(sides)
            except RequestError:
                # The whole cluster gives the error with all of its objects.
                found = None
            if found is not None:
                return found
        key, answer = self._known_or_new(*sides.of(ClusterObjects.without_idle_namespaces))
        return {key: answer.impact}

    def _divided(self, sides: _ClusterSides) -> Keyed | None:
        """Return the impacts on the parts of a cluster; None where it has to be answered as one."""
        parts: list[Spaces] = [frozenset({space}) for space in sorted(sides.spaces)]
        definitions: dict[Spaces, frozenset[str]] = dict.fromkeys(parts, frozenset())
        while True:
            found = [self._known_or_new(*_part(sides, part, definitions[part])) for part in parts]
            footprints = [answer.footprint for _, answer in found]
            if not all(each.is_separable for each in footprints):
                return None
            touched = {
                part: definitions[part] | sides.before.definitions_of(each.definitions, each.kinds)
                for part, each in zip(parts, footprints, strict=True)
            }
            if touched != definitions:
                definitions = touched
                continue
            meeting = first_meeting(footprints)
            if meeting is None:
                return _kept_apart(found)
            left, right = (parts[position] for position in meeting)
            parts = [each for each in parts if each not in (left, right)]
            parts.append(left | right)
            definitions[left | right] = definitions.pop(left) | definitions.pop(right)

    def _known_or_new(self, before: list[Manifest], after: list[Manifest]) -> tuple[str, PartAnswer]:
        old = normal_form(before)
        new = old if after is before else normal_form(after)
        key = form_key(old)
        if new != old:
            key = hashlib.sha256(f"{key} {form_key(new)}".encode()).hexdigest()
        if key not in self._known:
            try:
                self._known[key] = self._answer(old, new)
            except RequestError as error:
                self._known[key] = error
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        found = self._known[key]
        if isinstance(found, RequestError):
            # The error is kept for long, and must not keep the frames of everybody who met it.
            raise found.with_traceback(None)
        return key, found


def _part(sides: _ClusterSides, part: Spaces, definitions: Iterable[str]) -> tuple[list[Manifest], list[Manifest]]:
    """Return the objects of the *part* before and after; no change is one of *definitions*, so they are the same."""
    return sides.of(lambda objects: objects.part(part, definitions))


def _kept_apart(found: list[tuple[str, PartAnswer]]) -> Keyed | None:
    """Return the impacts of the parts *found*; None where simulating them together could end otherwise."""
    if len(found) > 1:
        # Rounds of the whole cluster take at most the passes of all parts, one after the other.
        passes = sum(answer.footprint.operator_passes for _, answer in found)
        operators = sum(answer.footprint.operator_count for _, answer in found)
        # The search for ways to the next OpenShift is bounded for the whole cluster.
        if passes > most_passes(operators) or any(answer.impact.blocking for _, answer in found):
            return None
    return {key: answer.impact for key, answer in sorted(found, key=lambda each: each[0])}
