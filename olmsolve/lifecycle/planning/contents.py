"""The content of bundles that a resolution selects, as an install plan needs it."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from olmsolve.catalog import Bundle, Source
from olmsolve.catalog.fbc import BUNDLE_OBJECT, object_content, read_documents
from olmsolve.catalog.index import index_of
from olmsolve.cluster import WrittenProperty
from olmsolve.cluster.install_plans import NewOperator
from olmsolve.errors import CatalogError
from olmsolve.predicates import Property
from olmsolve.resolution import Install

# Properties that carry manifests; they are not copied to the installed operator.
_CONTENT: Final = frozenset({BUNDLE_OBJECT, "olm.csv.metadata"})
_UNREAD_IMAGE: Final = "the image of the bundle"


def new_operator(install: Install, source: Source) -> NewOperator:
    """Return the content that an install plan needs for *install*, which came from the catalog *source*.

    OLM unpacks a bundle from its image. Without an image, the manifests come from the catalog.

    Raises:
        CatalogError: the manifests of the bundle cannot be read.
    """
    bundle = source.catalog.packages[install.package].bundles[install.name]
    objects = () if bundle.image else tuple(_objects(bundle))
    return _operator(install, source, bundle.properties, bundle.image, objects)


def foreseen_operator(install: Install, source: Source) -> NewOperator:
    """Return the content of *install* as :func:`new_operator` does, but read no packages if the catalog has an index.

    The index has the properties, and only a catalog that carries manifests needs its bundle. The image alone is not
    known then; that there is one is: without image and manifests, nothing could be installed.
    """
    if getattr(source.catalog.packages, "is_read", True):
        return new_operator(install, source)
    index = index_of(source.catalog)
    [slot] = index.named(index.channel(install.package, install.channel).all, install.name)
    properties = index.published(slot).properties
    if any(property_.type == BUNDLE_OBJECT for property_ in properties):
        return new_operator(install, source)
    return _operator(install, source, properties, _UNREAD_IMAGE)


def _operator(
    install: Install,
    source: Source,
    properties: Iterable[Property],
    image: str,
    objects: tuple[Mapping[str, Any], ...] = (),
) -> NewOperator:
    """Return the operator of *install*, with the *properties* that OLM writes into a CSV."""
    return NewOperator(
        name=install.name,
        package=install.package,
        channel=install.channel,
        source=source.name,
        source_namespace=source.namespace,
        replaces=install.replaces,
        properties=tuple(
            WrittenProperty.from_value(item.type, item.value) for item in properties if item.type not in _CONTENT
        ),
        image=image,
        objects=objects,
    )


def _objects(bundle: Bundle) -> Iterator[Mapping[str, Any]]:
    for property_ in bundle.properties:
        if property_.type != BUNDLE_OBJECT:
            continue
        try:
            documents = list(
                read_documents(io.BytesIO(object_content(property_.value)), BUNDLE_OBJECT, skip_empty=True)
            )
        except ValueError as error:
            raise _fault(bundle, str(error)) from None
        except CatalogError as error:
            raise _fault(bundle, error.reason) from None
        for document in documents:
            yield document.value


def _fault(bundle: Bundle, reason: str) -> CatalogError:
    origin = "" if bundle.origin is None else str(bundle.origin)
    return CatalogError(reason, origin=origin, package=bundle.package, bundle=bundle.name, property=BUNDLE_OBJECT)
