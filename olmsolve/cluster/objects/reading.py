"""The reader that makes objects from manifests: each of its class, by the fields that the class declares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._limits import check
from olmsolve.catalog import Origin, StreamOrigin
from olmsolve.cluster.objects.classic import (
    CatalogSource,
    InstallPlan,
    Namespace,
    OperatorCondition,
    OperatorGroup,
    SubscriptionObject,
)
from olmsolve.cluster.objects.crd import CustomResourceDefinition
from olmsolve.cluster.objects.csv import ClusterServiceVersion
from olmsolve.cluster.objects.extension import ClusterCatalogObject, ClusterExtension
from olmsolve.cluster.objects.item_origin import ItemOrigin
from olmsolve.cluster.objects.metadata import ClusterObject, OtherObject
from olmsolve.fields import Fields, ManifestLocation, read_record

KINDS: Final[tuple[type[ClusterObject], ...]] = (
    CatalogSource,
    ClusterCatalogObject,
    ClusterExtension,
    ClusterServiceVersion,
    CustomResourceDefinition,
    InstallPlan,
    Namespace,
    OperatorCondition,
    OperatorGroup,
    SubscriptionObject,
)
"""The kinds that are read into values of their own; an object of any other kind is an :class:`OtherObject`."""

_CLASSES: Final = {(cls.GROUP, cls.KIND): cls for cls in KINDS}
_LONGEST_SHOWN: Final = 100


def read_manifests(documents: Iterable[tuple[Mapping[str, Any], Origin | None]]) -> Iterator[ClusterObject]:
    """Yield the objects of *documents*, in their order; a List, nested or not, yields its items.

    Raises:
        ManifestError: an object lacks a kind or a name, or a field has a value of the wrong type.
    """
    for document, origin in documents:
        yield from read_manifest(document, origin)


def read_manifest(document: Mapping[str, Any], origin: Origin | None = None) -> Iterator[ClusterObject]:
    """Yield the object in *document*, or the objects of a List; see :func:`read_manifests`."""
    location = ManifestLocation("" if origin is None else origin)
    # A stack instead of recursion: a List may be nested as deep as a document may be.
    waiting = [(Fields.of(document, "", location), origin)]
    while waiting:
        check()
        fields, origin = waiting.pop()
        kind = fields.required_text("kind")
        if kind == "List" and "items" not in fields.values:
            raise fields.error("is missing", "items", "an empty list is written as items: []")
        if kind.endswith("List") and "items" in fields.values:
            items = [_with_kind(item, fields) for item in fields.parts("items")]
            waiting.extend(reversed(list(_located(items, origin))))
        else:
            yield _object(fields, origin)


def _located(items: list[Fields], origin: Origin | None) -> Iterator[tuple[Fields, Origin | None]]:
    """Yield each of the *items* of a List with its origin; items of a List inside of a List have that one's origin."""
    for number, item in enumerate(items, start=1):
        if origin is None or isinstance(origin, ItemOrigin):
            yield item, origin
            continue
        kept = origin.kept if isinstance(origin, StreamOrigin) else None
        item_origin = ItemOrigin(origin.file, origin.document, origin.line, item=number, items=len(items), kept=kept)
        yield attrs.evolve(item, location=ManifestLocation(item_origin)), item_origin


def _with_kind(element: Fields, around: Fields) -> Fields:
    """Return *element* of the List *around* it, with a kind: a ``SubscriptionList`` need not repeat its own."""
    kind = around.text("kind")
    if kind == "List" or element.has("kind"):
        return element
    implied = {"kind": kind.removesuffix("List"), "apiVersion": around.values.get("apiVersion")}
    return attrs.evolve(element, values={**implied, **element.values})


def _object(fields: Fields, origin: Origin | None) -> ClusterObject:
    kind = fields.required_text("kind")
    fields = attrs.evolve(fields, location=_location(fields, kind))
    api_version = fields.required_text("apiVersion")
    if (api_version, kind) == ("v1", "Status"):
        said = fields.text("message") or fields.text("reason") or fields.text("status")
        hint = "run kubectl again, or leave this document out"
        raise fields.error(f"is kubectl's error in place of objects: {said}", hint=hint)
    group = api_version.rpartition("/")[0]
    cls = _CLASSES.get((group, kind))
    if cls is None:
        further = {"api_version": api_version, "kind": kind}
        return read_record(OtherObject, fields, raw=fields.values, origin=origin, **further)
    made = read_record(cls, fields, raw=fields.values, origin=origin)
    _check_place(made, fields)
    return made


def _check_place(made: ClusterObject, fields: Fields) -> None:
    """Raise the error of an object that no cluster can have under its name and namespace."""
    if made.NAMESPACED and not made.namespace:
        raise fields.error("is missing", "metadata.namespace", f"every {made.KIND} is in a namespace")
    if isinstance(made, ClusterCatalogObject) and (made.name in (".", "..") or set("/%") & set(made.name)):
        reason = f"{made.name!r} cannot be the name of an object"
        raise fields.error(reason, "metadata.name", "Kubernetes names have no / and no %")


def _location(fields: Fields, kind: str) -> ManifestLocation:
    """Return where *fields* are, with "?" for a name that cannot be read: ``team/?``."""
    metadata = fields.values.get("metadata")
    names: list[str] = []
    if isinstance(metadata, Mapping):
        given = (metadata.get("namespace"), metadata.get("name"))
        names = [name[:_LONGEST_SHOWN] if isinstance(name, str) else "?" for name in given if name]
        names += ["?"] if given[0] and not given[1] else []
    return ManifestLocation(fields.location.origin, kind[:_LONGEST_SHOWN], "/".join(names))
