"""Clusters divided into parts: each part is answered once for all clusters that have it.

The finest parts, single namespaces, are simulated first. Then their footprints decide: a part gets the definitions of
its cluster that it touched, and parts that touched something in common become one. So a part that is kept never met
another one, and its cluster as a whole gives the same answer.

A *part* is some namespaces with everything that their simulation reads: their own objects, the catalogs, and the
definitions (CustomResourceDefinitions) that they turn out to replace. Clusters that differ in other namespaces and
other definitions share the answer to the part::

    cluster 1: shop, lab        cluster 2: shop, web        three parts: shop (with two clusters), lab, web

Objects alone do not show everything that couples namespaces; ``footprints`` says what a simulation shows.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._near_names import did_you_mean, near_names
from olmsolve.cluster.objects import (
    COPIED_LABEL,
    KINDS,
    NAMESPACE_ANNOTATION,
    CatalogSource,
    ClusterCatalogObject,
    ClusterExtension,
    ClusterServiceVersion,
    CustomResourceDefinition,
    Namespace,
    OperatorGroup,
    read_manifest,
)
from olmsolve.errors import ManifestError, RequestError
from olmsolve.lifecycle.impact.changes import ObjectChange, RepositoryChanges
from olmsolve.lifecycle.impact.footprints import Footprint, first_meeting
from olmsolve.lifecycle.impact.forms import (
    Identity,
    Manifest,
    form_key,
    identity_of,
    is_interpreted,
    manifests_in,
    mapping,
    normal_form,
)
from olmsolve.lifecycle.impact.model import ClusterImpact
from olmsolve.lifecycle.simulation import most_passes

Spaces: TypeAlias = frozenset[str]
"""The names of the namespaces of a part."""

_NAMESPACED: Final = frozenset(kind.KIND for kind in KINDS if kind.NAMESPACED)
_CATALOGS: Final = frozenset({CatalogSource.KIND, ClusterCatalogObject.KIND})
# Nearly every cluster has it, so clusters that keep the copies there are alike.
_USUAL: Final = "default"


@attrs.frozen(eq=False)
class ClusterObjects:
    """The objects of a cluster: *catalogs*, namespaced objects in *spaces*, *definitions* by name, and Namespaces.

    *whole* are all objects that are interpreted. *present* are the names of all namespaces that the cluster has, which
    a Namespace or any object in them shows. *is_one* says that the cluster has no parts: it has extensions of OLM
    v1 or copies of operators, which may depend on anything, or objects that contradict each other.
    """

    whole: list[Manifest] = attrs.field(factory=list)
    catalogs: list[Manifest] = attrs.field(factory=list)
    spaces: dict[str, list[Manifest]] = attrs.field(factory=dict)
    definitions: dict[str, Manifest] = attrs.field(factory=dict)
    namespaces: list[Manifest] = attrs.field(factory=list)
    present: set[str] = attrs.field(factory=set)
    is_one: bool = False

    @classmethod
    def sorted_from(cls, documents: Iterable[Manifest]) -> ClusterObjects:
        """Sort the objects in *documents*.

        Raises:
            ManifestError: an object that is in no part is malformed; objects in parts are read with their part.
        """
        objects = cls()
        is_one = False
        first_of: dict[Identity, Manifest] = {}
        for manifest in checked(manifests_in(documents)):
            _, kind, namespace, name = identity_of(manifest)
            objects.present.add(name if kind == Namespace.KIND else namespace)
            if not is_interpreted(manifest):
                _refuse_malformed(manifest)
                continue
            # Backups list an object several times. Equal copies count once; two that differ make the cluster one part.
            present = first_of.setdefault(identity_of(manifest), manifest)
            if present is not manifest and present == manifest:
                continue
            objects.whole.append(manifest)
            is_one = is_one or present is not manifest or not objects._sort(manifest)
        return attrs.evolve(objects, is_one=is_one)

    def reached_by(self, changes: Sequence[ObjectChange]) -> tuple[int, ...]:
        """Return the positions of the *changes* whose namespace, or for a deletion whose object, the cluster has.

        A namespace that one of the changes makes counts.
        """
        created = {change.name for change in changes if change.kind == Namespace.KIND and not change.is_deletion}
        there = self.present | created | {""}
        deletes = any(change.is_deletion for change in changes)
        objects = {identity_of(object_) for object_ in self.whole} if deletes else set()

        def is_reached(change: ObjectChange) -> bool:
            if not change.is_deletion:
                return change.namespace in there
            return change.identity in objects or (change.kind == Namespace.KIND and change.name in self.present)

        return tuple(position for position, change in enumerate(changes) if is_reached(change))

    def changed(self, changes: Iterable[ObjectChange]) -> ClusterObjects:
        """Return the cluster with the *changes* applied, whether or not they reach it.

        With a Namespace goes everything in it.
        """
        several = list(changes)
        gone = {part.identity for part in several if part.is_deletion}
        spaces = {part.name for part in several if part.is_deletion and part.kind == Namespace.KIND}
        whole = [
            object_
            for object_ in self.whole
            if identity_of(object_) not in gone
            and not (object_.get("kind") in _NAMESPACED and identity_of(object_)[2] in spaces)
        ]
        waiting = {part.identity: part for part in several if not part.is_deletion}
        there = [identity_of(object_) for object_ in whole]
        present = set(there)
        changed = (
            waiting[identity].applied_to(object_) if identity in waiting else object_
            for identity, object_ in zip(there, whole, strict=True)
        )
        added = (object_.manifest for identity, object_ in waiting.items() if identity not in present)
        return ClusterObjects.sorted_from((*changed, *added))

    def _sort(self, manifest: Manifest) -> bool:
        """Put *manifest* where it belongs; return False for one that a cluster with parts does not have."""
        _, kind, namespace, name = identity_of(manifest)
        if kind in _CATALOGS:
            self.catalogs.append(manifest)
        elif kind == CustomResourceDefinition.KIND:
            _refuse_malformed(manifest)
            self.definitions[name] = manifest
        elif kind == Namespace.KIND:
            _refuse_malformed(manifest)
            self.namespaces.append(manifest)
        elif kind == ClusterExtension.KIND or kind not in _NAMESPACED or not namespace or _is_copy(manifest):
            return False
        else:
            self.spaces.setdefault(namespace, []).append(manifest)
        return True

    def part(self, spaces: Spaces, definitions: Iterable[str]) -> Iterator[Manifest]:
        """Yield the objects of the part with the namespaces *spaces* and the definitions called *definitions*."""
        yield from self.catalogs
        namespaced = [object_ for space in sorted(spaces) for object_ in self.spaces.get(space, ())]
        yield from namespaced
        # The selector of a group looks at the labels of all namespaces.
        if any(map(_has_selector, namespaced)):
            yield from self.namespaces
        for name in sorted(definitions):
            yield self.definitions[name]

    def definitions_of(self, names: Iterable[str], kinds: frozenset[tuple[str, str]]) -> frozenset[str]:
        """Return the names in *names* that the cluster defines, and its definitions of *kinds* (group and kind)."""
        known_names = {name for name in names if name in self.definitions}
        for name, manifest in self.definitions.items() if kinds else ():
            spec = mapping(manifest.get("spec"))
            if (spec.get("group"), mapping(spec.get("names")).get("kind")) in kinds:
                known_names.add(name)
        return frozenset(known_names)

    def without_idle_namespaces(self) -> list[Manifest]:
        """Return the *whole*, but of the namespaces with nothing else than copies of operators one alone.

        Operators for all namespaces have a copy in each, and nobody asks what is in a namespace without subscriptions.
        One stays, to show that the cluster makes copies.
        """
        groups = [object_ for object_ in self.whole if object_.get("kind") == OperatorGroup.KIND]
        # A selector may match any namespace, by labels that only the Namespace itself has.
        if any(map(_has_selector, groups)):
            return self.whole
        busy = {target for group in groups for target in _targets(group)}
        copying: set[str] = set()
        for object_ in self.whole:
            _, kind, namespace, _ = identity_of(object_)
            if kind in _NAMESPACED:
                (copying if _is_copy(object_) else busy).add(namespace)
        named = {identity_of(object_)[3] for object_ in self.whole if object_.get("kind") == Namespace.KIND}
        kept = busy | {_first(copying - busy), _first(named - busy)}
        return [object_ for object_ in self.whole if _space(object_) in kept or _space(object_) is None]


def _first(names: set[str]) -> str:
    return _USUAL if _USUAL in names else min(names, default="")


def _space(manifest: Manifest) -> str | None:
    """Return the namespace that *manifest* belongs to or is, None for another object of the whole cluster."""
    _, kind, namespace, name = identity_of(manifest)
    if kind == Namespace.KIND:
        return name
    return namespace if kind in _NAMESPACED else None


def _refuse_malformed(manifest: Manifest) -> None:
    """Raise a ManifestError for an object that cannot be read; see :func:`olmsolve.cluster.objects.read_manifest`."""
    for _ in read_manifest(manifest):
        pass


def _is_copy(manifest: Manifest) -> bool:
    """Return whether *manifest* is a copy of an operator, as :attr:`ClusterServiceVersion.is_copied` says."""
    if manifest.get("kind") != ClusterServiceVersion.KIND:
        return False
    metadata = mapping(manifest.get("metadata"))
    home = mapping(metadata.get("annotations")).get(NAMESPACE_ANNOTATION, metadata.get("namespace"))
    return (
        COPIED_LABEL in mapping(metadata.get("labels"))
        or mapping(manifest.get("status")).get("reason") == "Copied"
        or home != metadata.get("namespace")
    )


def _has_selector(manifest: Manifest) -> bool:
    return manifest.get("kind") == OperatorGroup.KIND and bool(mapping(manifest.get("spec")).get("selector"))


def _targets(group: Manifest) -> Iterator[str]:
    for part, field in (("spec", "targetNamespaces"), ("status", "namespaces")):
        listed = mapping(group.get(part)).get(field)
        yield from (namespace for namespace in listed if isinstance(namespace, str)) if isinstance(listed, list) else ()


def changed_objects(objects: Iterable[Manifest], changes: RepositoryChanges) -> list[Manifest]:
    """Return the *objects* of one cluster with *changes* applied.

    Raises:
        ManifestError: the cluster lacks the namespace of a change; the error names the nearest that it has.
    """
    cluster = ClusterObjects.sorted_from(objects)
    reached = cluster.reached_by(changes.objects)
    for position, object_ in enumerate(changes.objects):
        if position not in reached and not object_.is_deletion:
            near = did_you_mean(near_names(object_.namespace, cluster.present - {""}))
            reason = f"the cluster has no namespace {object_.namespace}"
            hint = near or "a Namespace among the changes makes it"
            raise ManifestError(reason, hint=hint, kind=object_.kind, object=f"{object_.namespace}/{object_.name}")
    return cluster.changed(changes.objects[position] for position in reached).whole


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
    """The impacts on the *parts* of a cluster, and the positions of the changes of objects that *reached* it.

    *near* has the position of each change that did not, with the namespace of the cluster that was probably meant.
    """

    parts: Keyed
    reached: tuple[int, ...] = ()
    near: tuple[tuple[int, str], ...] = ()


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

    def from_both(self, take: Callable[[ClusterObjects], Iterable[Manifest]]) -> tuple[list[Manifest], list[Manifest]]:
        """Return the manifests that *take* selects before and after; the same list twice if they are equal."""
        before = list(take(self.before))
        # Most clusters of a fleet are not touched by a change: the same list says so by its identity, without a
        # comparison.
        if self.after is self.before:
            return before, before
        after = list(take(self.after))
        return before, before if after == before else after


class Dividing:
    """Answers for clusters by their parts, each computed by *answer* and kept for the next clusters that have it.

    A cluster is never divided where *is_divisible* is False. The *changes* of objects are applied to each cluster that
    they reach.
    """

    def __init__(self, answer: Answer, *, is_divisible: bool, changes: Sequence[ObjectChange]) -> None:
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
        before = ClusterObjects.sorted_from(documents)
        reached = before.reached_by(self._changes)
        after = before.changed(self._changes[position] for position in reached) if reached else before
        return ClusterAnswer(self._by_part(_ClusterSides(before, after)), reached, tuple(self._near(before, reached)))

    def _near(self, cluster: ClusterObjects, reached: Collection[int]) -> Iterator[tuple[int, str]]:
        for position, change in enumerate(self._changes):
            if position not in reached and change.namespace and not change.is_deletion:
                yield from ((position, name) for name in near_names(change.namespace, cluster.present - {""}, most=1))

    def _by_part(self, sides: _ClusterSides) -> Keyed:
        if self._is_divisible and sides.spaces and not sides.is_one:
            try:
                answers = self._divided(sides)
            except RequestError:
                # The whole cluster gives the error with all of its objects.
                answers = None
            if answers is not None:
                return answers
        key, answer = self._known_or_new(*sides.from_both(ClusterObjects.without_idle_namespaces))
        return {key: answer.impact}

    def _divided(self, sides: _ClusterSides) -> Keyed | None:
        """Return the impacts on the parts of a cluster; None where it has to be answered as one."""
        parts: list[Spaces] = [frozenset({space}) for space in sorted(sides.spaces)]
        definitions: dict[Spaces, frozenset[str]] = dict.fromkeys(parts, frozenset())
        while True:
            answers = [self._known_or_new(*_part(sides, part, definitions[part])) for part in parts]
            footprints = [answer.footprint for _, answer in answers]
            if not all(footprint.is_separable for footprint in footprints):
                return None
            touched = {
                part: definitions[part] | sides.before.definitions_of(footprint.definitions, footprint.kinds)
                for part, footprint in zip(parts, footprints, strict=True)
            }
            if touched != definitions:
                # The objects that a part touches are known once it is simulated, and with these definitions it may
                # touch more: until nothing is new.
                definitions = touched
                continue
            meeting = first_meeting(footprints)
            if meeting is None:
                return _kept_apart(answers)
            left, right = (parts[position] for position in meeting)
            parts = [part for part in parts if part not in (left, right)]
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
                # The oldest answer goes first.
                self._known.popitem(last=False)
        answer = self._known[key]
        if isinstance(answer, RequestError):
            # The error is kept for long, and must not keep the frames of everybody who met it.
            raise answer.with_traceback(None)
        return key, answer


def _part(sides: _ClusterSides, part: Spaces, definitions: Iterable[str]) -> tuple[list[Manifest], list[Manifest]]:
    """Return the objects of the *part* before and after the change, which never changes one of *definitions*."""
    return sides.from_both(lambda objects: objects.part(part, definitions))


def _kept_apart(answers: list[tuple[str, PartAnswer]]) -> Keyed | None:
    """Return the impacts in *answers*, by key; None where simulating the parts together could end otherwise."""
    if len(answers) > 1:
        # Rounds of the whole cluster take at most the passes of all parts, one after the other.
        passes = sum(answer.footprint.operator_passes for _, answer in answers)
        operators = sum(answer.footprint.operator_count for _, answer in answers)
        # The search for ways to the next OpenShift is bounded for the whole cluster.
        if passes > most_passes(operators) or any(answer.impact.blocking for _, answer in answers):
            return None
    return {key: answer.impact for key, answer in sorted(answers, key=lambda keyed: keyed[0])}
