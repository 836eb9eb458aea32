"""A running cluster: the objects of OLM, read through its API server, and what its catalogs contain.

A dump (docs/cluster.md) has the same kinds; kinds that may not be read are named. A catalog's content is fetched when
a question first touches it: of a CatalogSource from the image that it names, of a ClusterCatalog from catalogd, which
the API server reaches as a service, or else from the image. Both are kept by their digests.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve import events
from olmsolve._limits import Cancellation, scoped
from olmsolve._patterns import pattern
from olmsolve._reader import for_reader
from olmsolve.catalog import Catalog, index_files
from olmsolve.errors import CatalogError, RequestError
from olmsolve.fields import mapping_or_empty
from olmsolve.requests.api_server import ApiServer, ServerRefusal
from olmsolve.requests.contents import Deferred, MissingContentError
from olmsolve.requests.documents import FILE_ANNOTATION, LIVE
from olmsolve.requests.gathering import situation_of
from olmsolve.requests.policy import Policy
from olmsolve.requests.situation import Situation

_CLASSIC: Final = "operators.coreos.com"
_V1: Final = "olm.operatorframework.io"
_APPS: Final = "apps"
_RBAC: Final = "rbac.authorization.k8s.io"
# The group, the versions (the first that is served counts) and the plural of each kind.
_KINDS: Final = (
    (_CLASSIC, ("v1alpha1",), "subscriptions"),
    (_CLASSIC, ("v1alpha1",), "catalogsources"),
    (_CLASSIC, ("v1alpha1",), "installplans"),
    (_CLASSIC, ("v1alpha1",), "clusterserviceversions"),
    (_CLASSIC, ("v1", "v1alpha2"), "operatorgroups"),
    (_CLASSIC, ("v2", "v1"), "operatorconditions"),
    (_CLASSIC, ("v1",), "olmconfigs"),
    (_V1, ("v1",), "clusterextensions"),
    (_V1, ("v1",), "clustercatalogs"),
    ("apiextensions.k8s.io", ("v1",), "customresourcedefinitions"),
    ("", ("v1",), "namespaces"),
    ("", ("v1",), "serviceaccounts"),
    (_RBAC, ("v1",), "roles"),
    (_RBAC, ("v1",), "rolebindings"),
    (_RBAC, ("v1",), "clusterroles"),
    (_RBAC, ("v1",), "clusterrolebindings"),
    # Its image shows whether the controller looks at accounts at all.
    (_APPS, ("v1",), "deployments"),
)
_ACCOUNT_KINDS: Final = frozenset({"ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"})
_CONTROLLER: Final = "operator-controller-controller-manager"
# The rights of accounts are known only if all bindings are listed: a part of them would show a right as missing.
_ACCOUNT_PLURALS: Final = frozenset(
    {"serviceaccounts", "roles", "rolebindings", "clusterroles", "clusterrolebindings", "deployments"}
)
# Kinds that no namespace has.
_WHOLE_CLUSTER: Final = frozenset(
    {"olmconfigs", "clusterextensions", "clustercatalogs", "namespaces", "customresourcedefinitions"}
)
_GLOBAL: Final = ("olm", "openshift-marketplace")
_FORBIDDEN: Final = 403
_UNAUTHORIZED: Final = 401
_NOT_FOUND: Final = 404
_READY: Final = "READY"
# Whoever writes the status of a ClusterCatalog chooses the path: it leads to nothing but the service.
_SERVICE: Final = pattern(
    r"https?://(?P<service>[a-z0-9-]+)\.(?P<namespace>[a-z0-9-]+)\.svc(?:\.[a-z0-9.-]+)?(?::(?P<port>\d+))?(?P<path>(?:/(?!\.\.?(?:/|$))[A-Za-z0-9._~-]+)*)/?"
)
_DIGEST: Final = pattern(r"[^@]+@sha256:(?P<hex>[0-9a-f]{64})")


@attrs.frozen
class LiveCluster:
    """The objects of a running cluster as one *document*, what was *left_out*, and the *contents* of its catalogs.

    *contents* are by ``namespace/name`` of a CatalogSource and by the name of a ClusterCatalog.
    """

    document: Mapping[str, Any] = attrs.field(repr=False)
    left_out: tuple[RequestError, ...] = ()
    contents: Mapping[str, Deferred] = attrs.field(factory=dict, repr=False)


def live_cluster(text: str, load: Callable[[Path], Catalog], *, namespace: str = "") -> LiveCluster:
    """Return the cluster that *text* names, as ``live:CONTEXT``; *load* reads the images of its catalogs.

    Whoever may not read a kind in all namespaces may be allowed to in *namespace*, and to read the catalogs in the
    global ones.

    Raises:
        RequestError: the client is not installed, there is no such context, the server cannot be reached or refuses the
            credentials, or OLM is not there.
        Incomplete: a limit was met, or the caller cancelled.
    """
    server = ApiServer(text.partition(":")[2])
    lists: list[Mapping[str, Any]] = []
    refused = _UnreadableKinds(server.name, namespace)
    groups: set[str] = set()
    for group, versions, plural in _KINDS:
        listed = _lists_of_kind(server, group, versions, plural, refused)
        if listed is not None:
            groups.add(group)
            lists += listed
    if not {_CLASSIC, _V1} & groups:
        reason = f"OLM is not there: the API server has neither {_CLASSIC} nor {_V1}"
        hint = for_reader(python="another context may have it", option="another may have it: --cluster live:CONTEXT")
        raise RequestError(reason, source=server.name, hint=hint)
    if refused.has_accounts_refused:
        # With only some of the kinds, rights or accounts would seem to be missing.
        lists = [listed for listed in lists if listed["kind"].removesuffix("List") not in _ACCOUNT_KINDS]
    document = {"apiVersion": "v1", "kind": "List", "items": lists}
    kinds = {
        kind: [object_ for listed in lists if listed["kind"] == f"{kind}List" for object_ in listed["items"]]
        for kind in ("CatalogSource", "ClusterCatalog")
    }
    contents = dict(chain(_sources(kinds["CatalogSource"], load), _catalogs(kinds["ClusterCatalog"], server, load)))
    return LiveCluster(document, tuple(refused.errors()), contents)


def live_situation(
    context: str = "",
    *,
    namespace: str = "",
    catalogs: Mapping[str, str | os.PathLike[str] | Catalog | CatalogError] | None = None,
    policy: Policy | None = None,
    load: Callable[[Path], Catalog] = index_files.load,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Situation:
    """Read the situation of the running cluster that *context* of the kubeconfig names, "" for the current one.

    Nothing is written: the official Kubernetes client (the extra ``live``) only asks the API server for lists. Objects
    that may not be read are in ``left_out`` of the situation; with *namespace*, only that namespace is tried.
    *catalogs* are as in :func:`olmsolve.read_situation`; for all others, the content comes from catalogd or from the
    image that the catalog names, when a question first touches it, and is cached by its digest. *load* reads both.

    Raises:
        RequestError: the client is not installed, there is no such context, the server cannot be reached or refuses the
            credentials, OLM is not there, or objects contradict each other.
        Incomplete: a limit was met, or the caller cancelled.

    >>> import olmsolve
    >>> situation = olmsolve.live_situation("kind-olm")  # doctest: +SKIP
    """
    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        live = live_cluster(f"{LIVE}:{context}", load, namespace=namespace)
        situation = situation_of([live.document], {**live.contents, **(catalogs or {})}, policy or Policy(), load)
        return attrs.evolve(situation, left_out=(*situation.left_out, *live.left_out))


def _lists_of_kind(
    server: ApiServer, group: str, versions: tuple[str, ...], plural: str, refused: _UnreadableKinds
) -> list[Mapping[str, Any]] | None:
    """Return the lists of a kind, None where no version of it is served; what may not be read goes to *refused*."""
    for version in versions:
        base = f"/apis/{group}/{version}" if group else f"/api/{version}"
        try:
            name = _CONTROLLER if plural == "deployments" else ""
            return [_with_kind(server.listed(f"{base}/{plural}", name=name))]
        except ServerRefusal as refusal:
            if refusal.status == _NOT_FOUND:
                continue
            _refuse_others(server, refusal)
            if plural in _ACCOUNT_PLURALS:
                refused.add_of_accounts(plural, str(refusal))
                return []
            spaces = _namespaces_to_try(plural, refused.namespace)
            parts = [part for space in spaces if (part := _in_namespace(server, base, plural, space)) is not None]
            refused.add(plural, in_one_namespace=bool(parts), said=str(refusal))
            return parts
    return None


class _UnreadableKinds:
    """The kinds that may not be read, or in one *namespace* alone, with what the server says of the first."""

    def __init__(self, name: str, namespace: str) -> None:
        self.namespace: Final = namespace
        self._name = name
        self._kinds: dict[bool, dict[str, str]] = {False: {}, True: {}}
        self._of_accounts: dict[str, str] = {}

    def add(self, plural: str, *, in_one_namespace: bool, said: str) -> None:
        """Add the kind *plural*; with *in_one_namespace*, one namespace may be read."""
        self._kinds[in_one_namespace][plural] = said

    @property
    def has_accounts_refused(self) -> bool:
        """Whether a kind may not be read that says what accounts may do."""
        return bool(self._of_accounts)

    def add_of_accounts(self, plural: str, said: str) -> None:
        """Add the kind *plural*, which says what accounts may do."""
        self._of_accounts[plural] = said

    def errors(self) -> Iterator[RequestError]:
        """Yield a sentence about all kinds that may not be read, and one about the kinds that one namespace has.

        A last one is about the kinds that say what accounts may do, without which that is unknown.
        """
        for in_one_namespace, kinds in self._kinds.items():
            if not kinds:
                continue
            reason = f"may only be read in namespace {self.namespace}" if in_one_namespace else "may not be read"
            hint = next(iter(kinds.values()))
            if not self.namespace:
                hint += for_reader(python="; namespace= reads only one", option="; --namespace NAME reads only one")
            yield RequestError(reason, field=", ".join(kinds), source=self._name, hint=hint)
        if self._of_accounts:
            reason = "may not be read, so what accounts may do is unknown, and every step counts as allowed"
            hint = next(iter(self._of_accounts.values()))
            yield RequestError(reason, field=", ".join(self._of_accounts), source=self._name, hint=hint)


def _namespaces_to_try(plural: str, namespace: str) -> tuple[str, ...]:
    if not namespace or plural in _WHOLE_CLUSTER:
        return ()
    return tuple(dict.fromkeys((namespace, *_GLOBAL))) if plural == "catalogsources" else (namespace,)


def _in_namespace(server: ApiServer, base: str, plural: str, namespace: str) -> Mapping[str, Any] | None:
    try:
        return _with_kind(server.listed(f"{base}/namespaces/{namespace}/{plural}"))
    except ServerRefusal as refusal:
        if refusal.status != _NOT_FOUND:
            _refuse_others(server, refusal)
        return None


def _with_kind(listed: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the list with its kind and version, from which the reader derives the kind and version of each item.

    Whoever may write to the cluster may not name files of whoever reads it, so their annotation counts for nothing.
    """
    for item in listed["items"]:
        annotations = mapping_or_empty(item.get("metadata")).get("annotations")
        if isinstance(annotations, dict):
            annotations.pop(FILE_ANNOTATION, None)
    return {"apiVersion": listed.get("apiVersion"), "kind": str(listed.get("kind")), "items": listed["items"]}


def _refuse_others(server: ApiServer, refusal: ServerRefusal) -> None:
    """Raise a RequestError unless *refusal* forbids only this kind of objects."""
    if refusal.status == _UNAUTHORIZED:
        hint = "kubectl auth whoami shows who asks, and kubectl config get-contexts shows the contexts"
        raise RequestError("the API server refuses the credentials of this context", source=server.name, hint=hint)
    if refusal.status != _FORBIDDEN:
        raise RequestError(f"the API server answers with status {refusal.status}: {refusal}", source=server.name)


def _sources(objects: list[Mapping[str, Any]], load: Callable[[Path], Catalog]) -> Iterator[tuple[str, Deferred]]:
    """Yield the contents of CatalogSources, except the ones that OLM itself cannot reach."""
    for object_ in objects:
        metadata, spec, status = (mapping_or_empty(object_.get(part)) for part in ("metadata", "spec", "status"))
        state = mapping_or_empty(status.get("connectionState")).get("lastObservedState") or _READY
        if state == _READY:
            key = f"{metadata.get('namespace')}/{metadata.get('name')}"
            yield key, partial(_from_image, "CatalogSource", key, str(spec.get("image") or ""), load)


def _catalogs(
    objects: list[Mapping[str, Any]], server: ApiServer, load: Callable[[Path], Catalog]
) -> Iterator[tuple[str, Deferred]]:
    """Yield the contents of ClusterCatalogs."""
    for object_ in objects:
        metadata, spec, status = (mapping_or_empty(object_.get(part)) for part in ("metadata", "spec", "status"))
        name = str(metadata.get("name"))
        wanted = str(mapping_or_empty(mapping_or_empty(spec.get("source")).get("image")).get("ref") or "")
        resolved = str(mapping_or_empty(mapping_or_empty(status.get("resolvedSource")).get("image")).get("ref") or "")
        url = str(mapping_or_empty(status.get("urls")).get("base") or "")
        yield name, partial(_from_catalogd, name, resolved or wanted, url, server, load)


def _from_image(kind: str, key: str, image: str, load: Callable[[Path], Catalog], tried: str = "") -> Catalog:
    reason = "it names no image"
    if image:
        try:
            return load(Path(image))
        except CatalogError as error:
            reason = str(error)
    given = for_reader(python=f"catalogs={{{key!r}: PATH}}", option=f"--catalog {key}=PATH")
    whole_reason = f"{tried}; {reason}" if tried else reason
    raise MissingContentError(
        f"its content could not be read: {whole_reason}",
        hint=f"{given} gives the file-based catalog",
        kind=kind,
        object=key,
    )


def _from_catalogd(name: str, image: str, url: str, server: ApiServer, load: Callable[[Path], Catalog]) -> Catalog:
    """Return the catalog from the cache under its digest, else from catalogd, or else from *image*."""
    from olmsolve.catalog.images import blob_folder, keep

    digest, service = _DIGEST.fullmatch(image), _SERVICE.fullmatch(url)
    if digest is None or service is None:
        return _from_image("ClusterCatalog", name, image, load)
    with blob_folder() as folder:
        path = folder / "catalogd" / f"{digest['hex']}.jsonl"
        try:
            if not path.is_file():
                keep(path, _served(server, service), name)
            return load(path)
        except (CatalogError, RequestError) as error:
            tried = str(error)
        except ServerRefusal as refusal:
            tried = f"catalogd is not reached through the API server: {refusal}"
    return _from_image("ClusterCatalog", name, image, load, tried)


def _served(server: ApiServer, service: re.Match[str]) -> Iterator[bytes]:
    """Yield what catalogd serves, through the API server: its service has no address outside of the cluster."""
    scheme = "https" if service[0].startswith("https") else "http"
    port = service["port"] or ("443" if scheme == "https" else "80")
    proxied = f"/api/v1/namespaces/{service['namespace']}/services/{scheme}:{service['service']}:{port}/proxy"
    return server.pieces(f"{proxied}{service['path'].rstrip('/')}/api/v1/all")
