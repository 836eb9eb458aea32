"""Situations from files, folders and mappings, and from what strangers have sent: requests and a cluster's objects."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

import olmsolve._attrs as attrs
from olmsolve import events
from olmsolve._arguments import wrong_type
from olmsolve._limits import Cancellation, scoped
from olmsolve._reader import for_reader
from olmsolve.catalog import Catalog, index_files
from olmsolve.classic import Request
from olmsolve.errors import CatalogError, RequestError
from olmsolve.fields import DocumentLocation, Fields
from olmsolve.requests.documents import (
    FILE_ANNOTATION,
    LEAVING,
    RequestSource,
    SourceDocument,
    documents_in,
    holds_files,
    source_name,
)
from olmsolve.requests.policy import Policy, Question, document_question
from olmsolve.requests.situation import Situation

if TYPE_CHECKING:
    # Documents say themselves what their catalogs contain.
    from olmsolve import v1
    from olmsolve.cluster import ClusterState
    from olmsolve.requests.contents import Deferred, SpareContent


Load: TypeAlias = Callable[[Path], Catalog]
"""Turns the path of a catalog into the catalog."""

GivenContent: TypeAlias = "str | os.PathLike[str] | Catalog | CatalogError | Deferred | SpareContent"
"""The content of a catalog: a path, a catalog, why it cannot be read, or a function that loads it when it is needed."""

_REQUEST: Final = ("subscriptions", "extension", "namespaces", "catalogs")
# Blobs of catalogs, which may lie in a folder beside a dump.
_BLOB: Final = "schema"


def read_situation(
    *sources: RequestSource,
    catalogs: Mapping[str, GivenContent] | None = None,
    policy: Policy | None = None,
    load: Load = index_files.load,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Situation:
    """Read a situation from *sources*: request documents, the objects of one cluster, or both.

    A source is a mapping, an open file, or the path of a file (JSON or YAML in UTF-8, perhaps gzipped), of a folder,
    whose files are read in the order of their paths, of a must-gather tree, of which only the folders of OLM's kinds
    are read, or of an archive of either (tar, perhaps in gzip, or ZIP). A file of a folder or an archive that cannot be
    read is left out, and the situation says so (``left_out``). A document with ``subscriptions`` or an ``extension`` is
    a request; everything with a ``kind`` is an object of the cluster, a List stands for its items. The blobs of
    catalogs in a folder are passed over.

    *catalogs* says what the cluster's catalogs contain: a path, a loaded catalog, or a function that loads one, by
    ``namespace/name`` of a CatalogSource and by the name of a ClusterCatalog; a name without a namespace means every
    catalog with this name. An object's annotation ``olmsolve/file`` says it, too, as a path relative to the file that
    holds the object. *load* reads such a path, when a question first touches the catalog. For documents that somebody
    has sent, use :func:`olmsolve.read_posted`. *timeout*, *cancel* and *observer* are as in :func:`olmsolve.resolve`.

    Raises:
        RequestError: a source cannot be read or holds nothing, objects contradict each other (a
            :class:`ManifestError`), or *catalogs* names a catalog that the cluster does not have.
        Incomplete: a limit was met, or the caller cancelled.

    >>> import olmsolve
    >>> catalogs = {"olm/community": "olmsolve/examples/plan/community.yaml"}
    >>> situation = olmsolve.read_situation("olmsolve/examples/plan/cluster.yaml", catalogs=catalogs)
    >>> [question.name for question in situation.questions]
    ['shop']
    """
    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        return situation_of(sources, catalogs, policy or Policy(), load)


def situation_of(
    sources: Iterable[RequestSource], catalogs: Mapping[str, GivenContent] | None, policy: Policy, load: Load
) -> Situation:
    """Return the situation of *sources*, as :func:`read_situation` does within its scope."""
    passed_over: list[SourceDocument] = []
    faults: list[RequestError] = []
    documents = [document for source in sources for document in _documents(source, passed_over, faults)]
    if not documents:
        names = ", ".join(map(source_name, sources))
        if passed_over:
            hint = for_reader(
                python="catalogs= says what catalogs contain",
                option=f"--catalog {names} --subscribe PACKAGE asks for one of its packages",
            )
            raise RequestError("a catalog, not a request or objects of a cluster", source=names, hint=hint)
        raise RequestError("nothing to read", source=names)
    objects = [entry for entry in documents if _is_object(entry)]
    taken: dict[str, int] = {}
    questions = [_document_question(entry, policy, load, taken) for entry in documents if not _is_object(entry)]
    if not objects:
        if catalogs and (given := _asked_for(catalogs)):
            raise RequestError(
                "there is no cluster whose catalogs these could be",
                field=f"catalog {given[0]}",
                hint="a request document says itself what its catalogs contain",
            )
        return Situation(tuple(questions))
    cluster = _cluster(objects, catalogs or {}, policy, load)
    return attrs.evolve(cluster, questions=(*questions, *cluster.questions), left_out=tuple(faults))


def _asked_for(catalogs: Mapping[str, GivenContent]) -> list[str]:
    """Return the names of *catalogs* whose content was given for this situation, and not for a whole project."""
    from olmsolve.requests.contents import SpareContent

    return [key for key, content in catalogs.items() if not isinstance(content, SpareContent)]


def _cluster(
    objects: Iterable[SourceDocument], catalogs: Mapping[str, GivenContent], policy: Policy, load: Load
) -> Situation:
    # Whoever has a document should not wait for the objects of clusters to load.
    from olmsolve.classic import HealthPolicy
    from olmsolve.cluster import ClusterState
    from olmsolve.cluster.objects import read_manifests
    from olmsolve.requests.contents import CatalogFiles, SpareContent, catalogs_named

    state = ClusterState.of(read_manifests((entry.value, entry.origin) for entry in objects))
    given: dict[str, Path | Catalog | CatalogError | Deferred] = {**_unreachable(state), **dict(_annotated(state))}
    # A full name comes last: it counts before the name alone.
    for name, content in sorted(catalogs.items(), key=lambda item: "/" in item[0]):
        path = content.path if isinstance(content, SpareContent) else content
        is_spare = isinstance(content, SpareContent)
        # A name that no catalog has is kept, to be refused by name later; a project's spare content may be for another
        # cluster.
        for key in catalogs_named(state, name) or [name] * (not is_spare):
            given[key] = Path(path) if isinstance(path, (str, os.PathLike)) else path
    strict = policy.health_policy in (None, HealthPolicy.STRICT)
    situation = Situation.of_cluster(state, CatalogFiles(given, load, strict=strict), policy)
    _refuse_empty_namespace(policy.global_namespace, state)
    return situation


def _unreachable(state: Any) -> dict[str, CatalogError]:
    """Return the CatalogSources of *state* that OLM could not reach when it last looked, each with why.

    Such a catalog needs no content to be given: the cluster has none either.
    """
    from olmsolve.cluster.objects import CatalogSource

    return {
        catalog.key: CatalogError(f"the connection to it is {catalog.state}")
        for catalog in state.all(CatalogSource)
        if catalog.state not in ("", CatalogSource.READY)
    }


def _refuse_empty_namespace(name: str | None, state: ClusterState) -> None:
    """Raise a RequestError where the global namespace that the policy names has none of the catalogs of *state*."""
    from olmsolve.cluster.objects import CatalogSource

    catalogs = state.all(CatalogSource)
    if name and catalogs and not state.all(CatalogSource, name):
        namespaces = ", ".join(dict.fromkeys(catalog.namespace for catalog in catalogs))
        raise RequestError(
            "no CatalogSource is in this namespace", field=f"global namespace {name}", hint=f"some are in: {namespaces}"
        )


def _annotated(state: ClusterState) -> Iterator[tuple[str, Path]]:
    """Yield the catalogs of *state* whose annotation says where their content is, and that path."""
    from olmsolve.catalog.fbc import path_from
    from olmsolve.cluster.objects import CatalogSource, ClusterCatalogObject

    for catalog in (*state.all(CatalogSource), *state.all(ClusterCatalogObject)):
        path = catalog.metadata.annotations.get(FILE_ANNOTATION)
        if path:
            folder = Path(catalog.origin.file).parent if catalog.origin is not None else Path()
            yield catalog.key if catalog.NAMESPACED else catalog.name, path_from(folder, path)


# The label of the pod that serves a CatalogSource, whose name is its value.
_SERVES: Final = "olm.catalogSource"


def catalogs_named_by(state: ClusterState) -> Iterator[tuple[str, Path | str, int]]:
    """Yield each catalog of *state* with its name, the file or the image that has its content, and its priority."""
    from olmsolve.cluster.objects import CatalogSource, ClusterCatalogObject

    files, running = dict(_annotated(state)), dict(_running_images(state))
    catalogs: tuple[CatalogSource | ClusterCatalogObject, ...]
    catalogs = (*state.all(CatalogSource), *state.all(ClusterCatalogObject))
    for catalog in catalogs:
        name = catalog.key if catalog.NAMESPACED else catalog.name
        resolved = catalog.raw.get("status", {}).get("resolvedSource", {}).get("image", {}).get("ref", "")
        location = files.get(name) or running.get(name) or resolved or catalog.image
        if location:
            yield name, location, catalog.priority


def _running_images(state: ClusterState) -> Iterator[tuple[str, str]]:
    """Yield the CatalogSources whose pods are among the objects, each with the image that runs, by its digest."""
    for other in state.others:
        served = other.metadata.labels.get(_SERVES) if other.kind == "Pod" else None
        for container in other.raw.get("status", {}).get("containerStatuses", ()) if served else ():
            # Runtimes write docker-pullable://quay.io/a@sha256:..., or the reference alone.
            image = str(container.get("imageID") or "").rpartition("://")[2]
            if "@sha256:" in image:
                yield f"{other.namespace}/{served}", image


def _documents(
    source: RequestSource, passed_over: list[SourceDocument], faults: list[RequestError]
) -> Iterator[SourceDocument]:
    """Yield the requests and objects of *source*; raise a RequestError for a document that is neither.

    The blobs of catalogs in a folder go to *passed_over*. If a folder or an archive holds only objects, a file that
    cannot be read goes to *faults*, and its objects are missing: dumps may be cut off, or written by other versions.
    """
    path = Path(source) if isinstance(source, (str, os.PathLike)) else None
    if path is None or not holds_files(path):
        yield from map(_request_or_object, documents_in(source))
        return
    # Imported late: most requests are one document, and need nothing that reads archives.
    from olmsolve.requests.recorded_files import files_of, is_recorded, leads_out, newest, without_annotation

    documents: list[SourceDocument] = []
    broken: list[RequestError] = []
    try:
        for file in files_of(path):
            try:
                if isinstance(file, Path) and leads_out(file, path):
                    raise RequestError(LEAVING, source=str(file))
                documents += _documents_of_file(file, passed_over)
            except RequestError as error:
                broken.append(error)
    except (CatalogError, OSError) as error:
        reason = error.reason if isinstance(error, CatalogError) else f"cannot be read: {error.strerror}"
        broken.append(RequestError(reason, source=error.origin if isinstance(error, CatalogError) else str(source)))
    if broken and not (documents and all(map(_is_object, documents))):
        raise broken[0]
    faults += broken
    if is_recorded(path):
        # Whoever could write to the cluster could name files of whoever reads it.
        documents = [without_annotation(document, FILE_ANNOTATION) for document in documents]
    yield from newest(documents)


def _documents_of_file(file: RequestSource, passed_over: list[SourceDocument]) -> list[SourceDocument]:
    """Return the requests and objects of one *file* of a folder or an archive. Raises RequestError."""
    from olmsolve.cluster.objects import read_manifest

    documents: list[SourceDocument] = []
    blobs: list[SourceDocument] = []
    for document in documents_in(file):
        if _BLOB in document.value and not _is_object(document):
            blobs.append(document)
        else:
            documents.append(_request_or_object(document))
    for located_document in filter(_is_object, documents):
        # Read once more with the others: an object of the wrong shape must not spoil the files beside it.
        for _ in read_manifest(located_document.value, located_document.origin):
            pass
    passed_over += blobs
    return documents


def _request_or_object(document: SourceDocument) -> SourceDocument:
    """Return *document*. Raises RequestError for one that is neither a request nor an object."""
    if _is_object(document) or any(field in document.value for field in _REQUEST):
        return document
    is_blob = _BLOB in document.value
    raise RequestError(
        "is neither a request nor an object of a cluster",
        source=str(document.origin or "request"),
        hint="catalogs are given by their paths" if is_blob else "a request has subscriptions or an extension",
    )


def _is_object(document: SourceDocument) -> bool:
    return "apiVersion" in document.value or "kind" in document.value


def _document_question(document: SourceDocument, policy: Policy, load: Load, taken: dict[str, int]) -> Question:
    """Return the question of a request *document*, under a name that is not in *taken*, and add the name there.

    *taken* maps each name to the last number that was appended to it (1: none), because counting from 2 each time would
    cost the square of the number of documents.
    """
    origin = document.origin
    # The number of the first document says nothing.
    source = "" if origin is None else origin.file if origin.document == 1 else str(origin)
    fields = Fields(document.value, location=DocumentLocation(source))
    is_classic = "extension" not in document.value
    title = document.value.get("name")
    name = base = title if isinstance(title, str) and title else source or "request"
    while name in taken:
        taken[base] += 1
        name = f"{base} ({taken[base]})"
    taken[name] = 1

    def read() -> Request | v1.ExtensionRequest:
        if is_classic:
            from olmsolve.requests.classic import classic_request

            return policy.applied_to(classic_request(fields, document.folder, load))
        from olmsolve.requests.extension import v1_request

        return policy.applied_to_extension(v1_request(fields, document.folder, load))

    return document_question(name, read, policy, is_classic=is_classic)


Posted: TypeAlias = Mapping[str, Any] | str | bytes | IO[str] | IO[bytes]
"""The forms of a posted document: a mapping, the text of documents, or an open stream of it. Never a path."""


def read_posted(
    *documents: Posted,
    catalogs: Mapping[str, Catalog | CatalogError] | None = None,
    policy: Policy | None = None,
    files: bool = False,
    load: Callable[[Path], Catalog] | None = None,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> Situation:
    """Read a situation from *documents* that somebody has sent, without opening what they name.

    A document is a mapping, a text in JSON or YAML (also as bytes, perhaps gzipped), or an open stream; a text is never
    a path. Otherwise everything is as in :func:`olmsolve.read_situation`, except for the files, images and URLs that a
    document names by ``file`` or by the annotation ``olmsolve/file``. Where *load* is given, it decides, and returns
    the catalog for that path or raises; with *files*, everything that is named is read; by default it is refused.
    *catalogs* says what the cluster's catalogs contain, and comes before what annotations say.

    >>> document = {"namespaces": ["a"], "catalogs": [{"name": "c", "file": "/etc/passwd"}], "subscriptions": []}
    >>> read_posted(document).questions[0].request()
    Traceback (most recent call last):
        ...
    olmsolve.errors.RequestError: a posted document may not name /etc/passwd (send the catalog's blobs in the document)

    Raises:
        RequestError: as :func:`olmsolve.read_situation`; a catalog that is refused raises it when a question asks for
            the catalog.
        Incomplete: a limit was met, or the caller cancelled.
    """
    decide = load or (index_files.load if files else _refuse)
    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        return situation_of([_source(document) for document in documents], catalogs, policy or Policy(), decide)


class _Unnamed:
    """The content of a *stream*, without its name: what was posted is in no folder."""

    def __init__(self, stream: IO[str] | IO[bytes]) -> None:
        self.read = stream.read


def _source(document: Posted) -> RequestSource:
    if isinstance(document, Mapping):
        return document
    if isinstance(document, str):
        # As bytes, so that a half surrogate is an error of the document, at its place, and none of encoding.
        return io.BytesIO(document.encode("utf-8", "surrogatepass"))
    if isinstance(document, (bytes, bytearray)):
        return io.BytesIO(document)
    if not hasattr(document, "read"):
        raise wrong_type(document, "a mapping, a text or an open stream", "documents")
    return _Unnamed(document)  # type: ignore[return-value]


def _refuse(path: Path) -> NoReturn:
    raise RequestError(f"a posted document may not name {path}", hint="send the catalog's blobs in the document")
