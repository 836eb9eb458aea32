"""The requests of a cluster's ClusterExtensions, and who of them owns packages and APIs.

OLM v1 resolves each extension by itself, but as documented, the objects of a bundle, such as the definitions of its
APIs, belong to a single extension. So of several that want one package or one API, whoever has it on the cluster keeps
it, else the first extension by name that gets it. The others fail, as they would when OLM v1 creates their objects::

    etcd   gets etcd.v1,  which provides Etcd
    vault  wants vault.v1, which provides Etcd too: refused, ClusterExtension etcd provides it
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path

import olmsolve._attrs as attrs
from olmsolve import v1
from olmsolve._limits import checked
from olmsolve.catalog import Bundle, Catalog
from olmsolve.cluster import ApisAreTaken, ClusterState, PackageIsTaken, owned_apis
from olmsolve.cluster.extensions import BundleObject, ObjectsAreOwned, bundle_objects, foreign_objects
from olmsolve.cluster.objects import (
    ClusterCatalogObject,
    ClusterExtension,
    ClusterObject,
    ClusterServiceVersion,
    CustomResourceDefinition,
)
from olmsolve.eligibility import Eligibility
from olmsolve.errors import CatalogError, RequestError
from olmsolve.fields import DocumentLocation, Fields, Raw
from olmsolve.predicates import GVK, published
from olmsolve.requests.contents import Contents, missing_content


def extensions_of_cluster(state: ClusterState, contents: Contents) -> tuple[v1.ExtensionRequest, ...]:
    """Return the requests of all ClusterExtensions, by name; each sees all ClusterCatalogs.

    Raises:
        RequestError: an extension that is not from a catalog, or a catalog that is available but has no content.
        CatalogError: the content of a catalog cannot be read.

    >>> import olmsolve
    >>> api, source = "olm.operatorframework.io/v1", {"sourceType": "Catalog", "catalog": {"packageName": "keyring"}}
    >>> extension = {"apiVersion": api, "kind": "ClusterExtension", "metadata": {"name": "keys"}}
    >>> state = olmsolve.read_cluster({**extension, "spec": {"namespace": "keys", "source": source}})
    >>> [request.extension.package for request in olmsolve.extensions_of_cluster(state, {})]
    ['keyring']
    """
    return tuple(extension_request_of(state, contents, owned.name) for owned in state.all(ClusterExtension))


def extension_request_of(state: ClusterState, contents: Contents, name: str) -> v1.ExtensionRequest:
    """Return the request of the ClusterExtension *name* of *state*; it sees all ClusterCatalogs.

    Raises:
        RequestError: there is no such extension, it is not from a catalog, or a catalog that is available has no
            content.
        CatalogError: the content of a catalog cannot be read.
    """
    from olmsolve.cluster.extensions import controller_gates, missing_account, revision_rolling_out
    from olmsolve.requests.documents import FILE_ANNOTATION
    from olmsolve.requests.extension import manifests_request

    extension = state.get(ClusterExtension, "", name)
    if extension is None:
        raise RequestError("no such ClusterExtension is among the cluster's objects", field=f"extension {name}")
    objects = {catalog.name: catalog for catalog in state.all(ClusterCatalogObject)}

    def located(described: ClusterObject, values: Raw) -> Fields:
        return Fields(values, location=DocumentLocation(f"{described.origin or 'manifests'}: {described}"))

    def named(catalog: ClusterCatalogObject) -> Fields:
        """Return the fields of *catalog* with its own name as the path of its content."""
        annotations = {**catalog.metadata.annotations, FILE_ANNOTATION: catalog.name}
        metadata = {**catalog.raw.get("metadata", {}), "annotations": annotations}
        return located(catalog, {**catalog.raw, "metadata": metadata})

    def content(path: Path) -> Catalog:
        if path.name not in contents:
            raise missing_content(objects[path.name], path.name)
        data = contents[path.name]
        if isinstance(data, CatalogError):
            raise data
        return data

    manifests = [located(extension, extension.raw), *map(named, objects.values())]
    request = manifests_request(
        manifests,
        Path(),
        content,
        gates=v1.FeatureGates(controller_gates(state)),
        rolling_out=revision_rolling_out(state, extension),
    )
    checks = (*request.checks, *_checks_of(state, extension, request.installed))
    return attrs.evolve(request, checks=checks, missing_account=missing_account(state, extension))


def _checks_of(
    state: ClusterState, extension: ClusterExtension, installed: v1.InstalledBundle | None
) -> Iterator[v1.InstallationCheck]:
    """Yield the checks of *extension* against the objects of *state*, in the controller's order."""
    from olmsolve.cluster.extensions import (
        AccountIsPreauthorized,
        AccountMayApply,
        CertificatesAreMade,
        CrdUpgradesAreSafe,
        certificates_missing,
        rights_of_account,
    )

    rights, alone = (rights_of_account(state, extension, in_groups=in_groups) for in_groups in (True, False))
    if alone is not None:
        yield AccountIsPreauthorized(alone, extension.name)
    if missing := certificates_missing(state):
        yield CertificatesAreMade(missing)
    # The owners of objects are known only once all extensions are known.
    yield ObjectsAreOwned({}, rights=rights)
    definitions = {definition.name: definition for definition in state.all(CustomResourceDefinition)}
    if definitions:
        yield CrdUpgradesAreSafe(definitions, installed.name if installed is not None else "")
    if rights is not None:
        yield AccountMayApply(rights)


class ExtensionOwners:
    """The owners of packages and APIs among the extensions of *state*, whose requests *request_of* makes by name."""

    def __init__(self, state: ClusterState, request_of: Callable[[str], v1.ExtensionRequest]) -> None:
        self._state = state
        self._request_of = request_of
        self._package_owners: dict[str, str] = {}
        self._requests: dict[str, v1.ExtensionRequest | None] = {}

    def constraints(self, name: str) -> tuple[Eligibility, ...]:
        """Return what extension *name* must not install, because others own it."""
        request = self._request(name)
        if request is None:
            return ()
        others = ((gvk, owner) for gvk, owner in self._owners_of_apis.items() if owner != _title(name))
        taken = tuple((gvk, owner) for gvk, owner in others if self._wants(name, gvk))
        return (*self._package_is_taken(name, request), *([ApisAreTaken(taken)] if taken else []))

    def _request(self, name: str) -> v1.ExtensionRequest | None:
        """Return the request of extension *name*; None where it cannot be read, which is the answer to its question."""
        if name not in self._requests:
            try:
                self._requests[name] = self._request_of(name)
            except (CatalogError, RequestError):
                self._requests[name] = None
        return self._requests[name]

    def _package_is_taken(self, name: str, request: v1.ExtensionRequest) -> tuple[Eligibility, ...]:
        owner = self._owner(request.extension.package)
        return (PackageIsTaken(owner),) if request.installed is None and owner not in ("", name) else ()

    def _owner(self, package: str) -> str:
        """Return the extension that has *package*: the first with a bundle, else the first that gets one, or ""."""
        if package not in self._package_owners:
            wanting = [other for other in self._state.all(ClusterExtension) if other.package == package]
            having = (other.name for other in wanting if other.installed is not None)
            served = (other.name for other in wanting if len(wanting) > 1 and self._selected(other.name) is not None)
            self._package_owners[package] = next(having, "") or next(served, "")
        return self._package_owners[package]

    def _selected(self, name: str, *constraints: Eligibility) -> v1.ExtensionResolution | None:
        """Return what extension *name* gets under further *constraints*, None where it gets nothing."""

        request = self._request(name)
        if request is None:
            return None
        try:
            return v1.resolve(attrs.evolve(request, eligibility=(*request.eligibility, *constraints)))
        except (v1.ResolutionError, CatalogError, RequestError):
            return None

    # -- APIs

    @cached_property
    def _apis(self) -> dict[str, dict[str, frozenset[GVK]]]:
        """The APIs that bundles of the package of each extension provide, by extension and bundle."""
        return {owned.name: dict(self._bundle_apis(owned.name)) for owned in self._state.all(ClusterExtension)}

    def _bundle_apis(self, name: str) -> Iterator[tuple[str, frozenset[GVK]]]:

        request = self._request(name)
        try:
            # The content of a catalog that the selector leaves out need not be there.
            for catalog in () if request is None else v1.selected_catalogs(request):
                content = catalog.catalog
                if request is None or content is None:
                    continue
                package = content.packages.get(request.extension.package)
                for bundle in () if package is None else checked(package.bundles.values(), every=16):
                    if apis := frozenset(published(bundle.package, bundle.properties).gvks):
                        yield bundle.name, apis
        except (CatalogError, RequestError):
            return  # the answer to its own question

    def _installed_apis(self, name: str) -> frozenset[GVK]:
        request = self._request(name)
        installed = None if request is None else request.installed
        return frozenset() if installed is None else self._apis[name].get(installed.name, frozenset())

    def _wants(self, name: str, gvk: GVK) -> bool:
        """Return whether a bundle for extension *name* provides *gvk*, and its installed one does not."""
        return gvk not in self._installed_apis(name) and any(gvk in apis for apis in self._apis[name].values())

    @cached_property
    def _owners_of_apis(self) -> dict[GVK, str]:
        """The owner of each API that two want, in words: what is on the cluster, then the extensions by name."""
        owners: dict[GVK, str] = {}
        for name in self._apis:
            for gvk in self._installed_apis(name):
                owners.setdefault(gvk, _title(name))
        for csv in self._state.all(ClusterServiceVersion):
            for api in () if csv.is_copied else owned_apis(csv):
                owners.setdefault(api.gvk, f"operator {csv.key}")
        wanting: dict[GVK, list[str]] = {}
        for name, bundles in self._apis.items():
            for gvk in frozenset[GVK]().union(*bundles.values()) - self._installed_apis(name):
                wanting.setdefault(gvk, []).append(name)
        # Only these need a resolution: an API that one extension wants, or that somebody has, is settled without.
        contested = {gvk for gvk, names in wanting.items() if len(names) > 1 and gvk not in owners}
        for name in sorted({name for gvk in contested for name in wanting[gvk]}):
            request = self._request(name)
            assert request is not None, "its bundles were found"
            taken = tuple((gvk, owner) for gvk, owner in owners.items() if self._wants(name, gvk))
            selected = self._selected(name, *self._package_is_taken(name, request), ApisAreTaken(taken))
            apis = frozenset() if selected is None else self._apis[name].get(selected.bundle, frozenset())
            for gvk in apis & contested:
                owners.setdefault(gvk, _title(name))
        return {gvk: owner for gvk, owner in owners.items() if gvk in wanting}

    # -- Objects by name

    def checks(self, name: str, others: Iterable[v1.InstallationCheck]) -> tuple[v1.InstallationCheck, ...]:
        """Return the checks *others* of extension *name*, and that it brings no object that somebody else has.

        What somebody else has is refused before the upgrade check is reached, object by object as the account may read.
        """
        owners = {
            **self._foreign(name),
            **{object_key: _title(to) for object_key, to in self._holders.items() if to != name},
        }
        return tuple(
            attrs.evolve(check, owners=owners) if owners and isinstance(check, ObjectsAreOwned) else check
            for check in others
        )

    def _foreign(self, name: str) -> dict[BundleObject, str]:
        """Return the objects that others have on the cluster and do not give up by updates, with the owner."""
        extension = self._state.get(ClusterExtension, "", name)
        if extension is None:
            return {}
        objects = foreign_objects(self._state, extension)
        before, after = self._objects[name]
        kept = before & after
        return {
            object_key: owner
            for object_key, owner in objects.items()
            if object_key not in kept and not (object_key in self._freed and owner == _title(self._freed[object_key]))
        }

    @cached_property
    def _objects(self) -> dict[str, tuple[frozenset[BundleObject], frozenset[BundleObject]]]:
        """The objects of each extension's installed bundle, and of the bundle that it will rest on."""
        return {other.name: self._objects_of(other.name) for other in self._state.all(ClusterExtension)}

    def _objects_of(self, name: str) -> tuple[frozenset[BundleObject], frozenset[BundleObject]]:

        request = self._request(name)
        if request is None:
            return frozenset(), frozenset()
        try:
            following = v1.walk(request)
            before = v1.installed_bundle(request)
            after = v1.installed_bundle(attrs.evolve(request, installed=following.installed))
        except (v1.ResolutionError, CatalogError, RequestError):
            return frozenset(), frozenset()
        made = self._made_of(before, request)
        return made, self._made_of(after, request) | self._kept(made, after)

    @staticmethod
    def _made_of(bundle: Bundle | None, request: v1.ExtensionRequest) -> frozenset[BundleObject]:

        if bundle is None:
            return frozenset()
        return frozenset(bundle_objects(v1.bundle_content(bundle), request.settings))

    @staticmethod
    def _kept(made: frozenset[BundleObject], after: Bundle | None) -> frozenset[BundleObject]:
        """Return the objects of *made* that may stay, where the catalog has only a part of the content of *after*."""

        content = None if after is None else v1.bundle_content(after)
        if content is None or content.spec is None:
            return made
        # olm.csv.metadata names the definitions, and no other objects.
        return (
            frozenset()
            if content.manifests is not None
            else frozenset(request for request in made if not request.is_crd)
        )

    @cached_property
    def _holders(self) -> dict[BundleObject, str]:
        """Map each object to the extension that has it in the end: one that keeps it, else the first to get it."""
        holders: dict[BundleObject, str] = {}
        for name, (before, after) in self._objects.items():
            for object_key in before & after:
                holders.setdefault(object_key, name)
        for name, (before, after) in self._objects.items():
            # Of a bundle with one object that another has, nothing is installed.
            foreign = self._foreign(name)
            if before or not any(
                object_key in foreign or holders.get(object_key, name) != name for object_key in after
            ):
                for object_key in after:
                    holders.setdefault(object_key, name)
        return holders

    @cached_property
    def _freed(self) -> dict[BundleObject, str]:
        """The objects that an extension has now and gives up by its updates, each with that extension."""
        return {key: name for name, (before, after) in self._objects.items() for key in before - after}


def _title(extension: str) -> str:
    return f"ClusterExtension {extension}"
