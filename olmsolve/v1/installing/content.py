"""The manifests of a bundle, as far as its catalog has them: all, only the metadata of its operator, or none.

Catalogs that ``opm`` renders today have ``olm.csv.metadata``: install modes, owned APIs and annotations. Older ones
have every manifest in an ``olm.bundle.object``. A catalog may have neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

import olmsolve._attrs as attrs
from olmsolve.catalog import Bundle, OwnPackage, list_of
from olmsolve.catalog.fbc import BUNDLE_OBJECT, object_manifest
from olmsolve.predicates import Property

Manifest = Mapping[str, Any]

_METADATA: Final = "olm.csv.metadata"
_CSV: Final = "ClusterServiceVersion"
_CRD: Final = "CustomResourceDefinition"
_NOTHING: Final[Manifest] = {}


@attrs.frozen
class BundleContent:
    """The manifests of a bundle, as far as its catalog has them.

    *manifests* are all objects, None where the catalog does not have them. *spec* is the specification of the operator
    (CSV), which ``olm.csv.metadata`` holds in part; None where it is not known. *name* is the operator's.
    """

    name: str
    package: str
    spec: Manifest | None
    manifests: tuple[Manifest, ...] | None = None

    @property
    def crds(self) -> tuple[Manifest, ...]:
        """The CustomResourceDefinitions; none where the manifests are not known."""
        return tuple(manifest for manifest in self.manifests or () if manifest.get("kind") == _CRD)

    @property
    def others(self) -> tuple[Manifest, ...]:
        """The objects beside operators and CustomResourceDefinitions; none where the manifests are not known."""
        return tuple(manifest for manifest in self.manifests or () if manifest.get("kind") not in (_CSV, _CRD))

    @property
    def crd_names(self) -> tuple[str, ...]:
        """The names of the CustomResourceDefinitions that the bundle brings, by its manifests or its metadata."""
        if self.manifests is not None:
            return tuple(dict.fromkeys(name_of(crd) for crd in self.crds))
        return tuple(dict.fromkeys(text(owned_crd, "name") for owned_crd in self.owned_crds))

    @property
    def owned_crds(self) -> tuple[Manifest, ...]:
        """The descriptions of owned CRDs in the operator's specification."""
        return mappings(part(self.spec, "customresourcedefinitions"), "owned")

    @property
    def owned_api_services(self) -> tuple[Manifest, ...]:
        """The descriptions of owned API services in the operator's specification."""
        return mappings(part(self.spec, "apiservicedefinitions"), "owned")

    @property
    def install_modes(self) -> tuple[str, ...]:
        """The install modes that the operator supports, sorted."""
        modes = mappings(self.spec, "installModes")
        return tuple(sorted({text(mode, "type") for mode in modes if mode.get("supported") is True}))

    @property
    def webhooks(self) -> tuple[Manifest, ...]:
        """The webhooks of the operator; ``olm.csv.metadata`` does not have them."""
        return mappings(self.spec, "webhookdefinitions")

    @property
    def strategy(self) -> Manifest:
        """The install strategy: deployments and permissions."""
        return part(part(self.spec, "install"), "spec")


class HasContent(Protocol):
    """A bundle, or the facts of a candidate: a name, a package and properties."""

    @property
    def name(self) -> str: ...

    @property
    def package(self) -> str: ...

    @property
    def properties(self) -> tuple[Property, ...]: ...


def bundle_content(bundle: HasContent) -> BundleContent:
    """Return the manifests of *bundle*, as far as its properties have them.

    The manifests of a bundle with an object that is not JSON are not known. Of several operators the last counts, as
    recorded.
    """
    metadata: Manifest | None = None
    objects: list[Manifest | None] = []
    # A bundle of a catalog shares its list with others, and `properties` would make new ones for each look at them.
    for published in list_of(bundle) if isinstance(bundle, Bundle) else bundle.properties:
        if isinstance(published, OwnPackage):
            continue
        if published.type == BUNDLE_OBJECT:
            objects.append(object_manifest(published.value))
        elif published.type == _METADATA and metadata is None:
            # The first one that is an object counts. A value is decoded each time that it is read, and these are large.
            value = published.value
            metadata = value if isinstance(value, Mapping) else None
    manifests = tuple(object_ for object_ in objects if object_ is not None)
    operators = [manifest for manifest in manifests if manifest.get("kind") == _CSV]
    # One object that cannot be read might be a webhook or a definition, so that the whole would be guessed at.
    if objects and len(manifests) == len(objects):
        if not operators:
            return BundleContent(bundle.name, bundle.package, None, manifests)
        name = name_of(operators[-1]) or bundle.name
        return BundleContent(name, bundle.package, part(operators[-1], "spec"), manifests)
    if operators:
        return BundleContent(bundle.name, bundle.package, part(operators[-1], "spec"))
    if metadata is None:
        return BundleContent(bundle.name, bundle.package, None)
    spec = {
        "installModes": metadata.get("installModes"),
        "apiservicedefinitions": metadata.get("apiServiceDefinitions"),
        "customresourcedefinitions": metadata.get("crdDescriptions"),
    }
    return BundleContent(bundle.name, bundle.package, spec)


def part(parent: Manifest | None, name: str) -> Manifest:
    """Return the mapping *name* of *parent*, an empty one where there is none."""
    value = parent.get(name) if parent is not None else None
    return value if isinstance(value, Mapping) else _NOTHING


def mappings(parent: Manifest | None, name: str) -> tuple[Manifest, ...]:
    """Return the mappings in the list *name* of *parent*."""
    return tuple(element for element in _listed(parent, name) if isinstance(element, Mapping))


def texts(parent: Manifest | None, name: str) -> tuple[str, ...]:
    """Return the texts in the list *name* of *parent*."""
    return tuple(element for element in _listed(parent, name) if isinstance(element, str))


def text(parent: Manifest, name: str) -> str:
    """Return the text *name* of *parent*, "" where there is none."""
    value = parent.get(name)
    return value if isinstance(value, str) else ""


def name_of(manifest: Manifest) -> str:
    """Return the name in the metadata of *manifest*, "" where it has none."""
    return text(part(manifest, "metadata"), "name")


def _listed(parent: Manifest | None, name: str) -> Iterator[Any]:
    value = parent.get(name) if parent is not None else None
    yield from value if isinstance(value, Sequence) and not isinstance(value, str) else ()
