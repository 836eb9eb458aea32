"""Clusters divided into parts: each part is answered once for all clusters that have it.

The finest parts, single namespaces, are simulated first. Then their footprints decide: a part gets the definitions of
its cluster that it touched, and parts that touched something in common become one. So a part that is kept never met
another one, and its cluster as a whole gives the same answer.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import attrs

from olmsolve.errors import RequestError
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


Answer: TypeAlias = Callable[[Iterable[Manifest]], PartAnswer]
"""Answers for the objects of a normal form. Raises a RequestError for objects that cannot be read together."""

Keyed: TypeAlias = dict[str, ClusterImpact]
"""The impacts on the parts of a cluster by the keys of their normal forms, in the order of the keys."""


class Dividing:
    """Answers for clusters by their parts, each computed by *answer* and kept for the next clusters that have it.

    A cluster is never divided where *is_divisible* is False.
    """

    def __init__(self, answer: Answer, *, is_divisible: bool) -> None:
        self._answer = answer
        self._is_divisible = is_divisible
        # A part whose objects cannot be read has the error in place of an answer.
        self._known: OrderedDict[str, PartAnswer | RequestError] = OrderedDict()

    def answers(self, documents: Iterable[Manifest]) -> Keyed:
        """Return the impacts on the parts of the cluster with the objects in *documents*.

        Raises:
            RequestError: the objects cannot be read.
            Incomplete: a limit was met, or the caller cancelled.
        """
        objects = ClusterObjects.of(documents)
        if self._is_divisible and objects.spaces and not objects.is_one:
            try:
                found = self._divided(objects)
            except RequestError:
                # The whole cluster gives the error with all of its objects.
                found = None
            if found is not None:
                return found
        key, answer = self._known_or_new(objects.without_idle_namespaces())
        return {key: answer.impact}

    def _divided(self, objects: ClusterObjects) -> Keyed | None:
        """Return the impacts on the parts of *objects*; None where the cluster has to be answered as one."""
        parts: list[Spaces] = [frozenset({space}) for space in sorted(objects.spaces)]
        definitions: dict[Spaces, frozenset[str]] = dict.fromkeys(parts, frozenset())
        while True:
            found = [self._known_or_new(objects.part(part, definitions[part])) for part in parts]
            footprints = [answer.footprint for _, answer in found]
            if not all(each.is_separable for each in footprints):
                return None
            touched = {
                part: definitions[part] | objects.definitions_of(each.definitions, each.kinds)
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

    def _known_or_new(self, manifests: Iterable[Manifest]) -> tuple[str, PartAnswer]:
        form = normal_form(manifests)
        key = form_key(form)
        if key not in self._known:
            try:
                self._known[key] = self._answer(form)
            except RequestError as error:
                self._known[key] = error
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        found = self._known[key]
        if isinstance(found, RequestError):
            # The error is kept for long, and must not keep the frames of everybody who met it.
            raise found.with_traceback(None)
        return key, found


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
