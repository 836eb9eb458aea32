"""The objects of a cluster, sorted by who can touch them, so that its parts can be answered one by one.

A *part* is some namespaces with everything that their simulation reads: their own objects, the catalogs, and the
definitions (CustomResourceDefinitions) that they turn out to replace. Clusters that differ in other namespaces and
other definitions share the answer to the part::

    cluster 1: shop, lab        cluster 2: shop, web        three parts: shop (with two clusters), lab, web

Objects alone do not show everything that couples namespaces; ``footprints`` says what a simulation shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import attrs

from olmsolve._limits import checked
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
from olmsolve.lifecycle.impact.changes import ObjectChange
from olmsolve.lifecycle.impact.forms import Identity, Manifest, identity_of, is_interpreted, manifests_in, mapping

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
    def of(cls, documents: Iterable[Manifest]) -> ClusterObjects:
        """Sort the objects in *documents*.

        Raises:
            ManifestError: an object that is in no part is malformed; objects in parts are read with their part.
        """
        found = cls()
        is_one = False
        known: dict[Identity, Manifest] = {}
        for each in checked(manifests_in(documents)):
            _, kind, namespace, name = identity_of(each)
            found.present.add(name if kind == Namespace.KIND else namespace)
            if not is_interpreted(each):
                _refuse_malformed(each)
                continue
            present = known.setdefault(identity_of(each), each)
            if present is not each and present == each:
                continue
            found.whole.append(each)
            is_one = is_one or present is not each or not found._sort(each)
        return attrs.evolve(found, is_one=is_one)

    def reached_by(self, changes: Sequence[ObjectChange]) -> tuple[int, ...]:
        """Return the positions of the *changes* whose namespace the cluster has, or gets by one of them."""
        created = {each.name for each in changes if each.kind == Namespace.KIND}
        there = self.present | created | {""}
        return tuple(position for position, each in enumerate(changes) if each.namespace in there)

    def changed(self, changes: Iterable[ObjectChange]) -> ClusterObjects:
        """Return the cluster with the *changes* applied, whether or not they reach it."""
        waiting = {each.identity: each for each in changes}
        there = [identity_of(each) for each in self.whole]
        present = set(there)
        changed = (
            waiting[identity].applied_to(each) if identity in waiting else each
            for identity, each in zip(there, self.whole, strict=True)
        )
        added = (each.manifest for identity, each in waiting.items() if identity not in present)
        return ClusterObjects.of((*changed, *added))

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
        """Yield the objects of the part with the namespaces *spaces* and the *definitions* of these names."""
        yield from self.catalogs
        own = [each for space in sorted(spaces) for each in self.spaces.get(space, ())]
        yield from own
        # The selector of a group looks at the labels of all namespaces.
        if any(map(_has_selector, own)):
            yield from self.namespaces
        for name in sorted(definitions):
            yield self.definitions[name]

    def definitions_of(self, names: Iterable[str], kinds: frozenset[tuple[str, str]]) -> frozenset[str]:
        """Return the definitions that the cluster has of these *names*, or of these *kinds* (group and kind)."""
        found = {name for name in names if name in self.definitions}
        for name, manifest in self.definitions.items() if kinds else ():
            spec = mapping(manifest.get("spec"))
            if (spec.get("group"), mapping(spec.get("names")).get("kind")) in kinds:
                found.add(name)
        return frozenset(found)

    def without_idle_namespaces(self) -> list[Manifest]:
        """Return the *whole*, but of the namespaces with nothing else than copies of operators one alone.

        Operators for all namespaces have a copy in each, and nobody asks what is in a namespace without subscriptions.
        One stays, to show that the cluster makes copies.
        """
        groups = [each for each in self.whole if each.get("kind") == OperatorGroup.KIND]
        if any(map(_has_selector, groups)):
            return self.whole
        busy = {target for group in groups for target in _targets(group)}
        copying: set[str] = set()
        for each in self.whole:
            _, kind, namespace, _ = identity_of(each)
            if kind in _NAMESPACED:
                (copying if _is_copy(each) else busy).add(namespace)
        named = {identity_of(each)[3] for each in self.whole if each.get("kind") == Namespace.KIND}
        kept = busy | {_first(copying - busy), _first(named - busy)}
        return [each for each in self.whole if _space(each) in kept or _space(each) is None]


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
        yield from (each for each in listed if isinstance(each, str)) if isinstance(listed, list) else ()
