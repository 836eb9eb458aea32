"""Situations from files, folders and mappings: request documents and a cluster's objects, in any mixture."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, TypeAlias

import attrs

from olmsolve.catalog import Catalog, Origin, index_files
from olmsolve.catalog.fbc import read_documents
from olmsolve.classic import Request
from olmsolve.errors import CatalogError, RequestError
from olmsolve.fields import DocumentLocation, Fields
from olmsolve.requests.contents import CatalogFiles
from olmsolve.requests.documents import RequestSource
from olmsolve.requests.policy import Policy
from olmsolve.requests.situation import Question, Situation, question_about

if TYPE_CHECKING:
    from olmsolve import v1
    from olmsolve.requests.cluster_situation import ClusterSituation

Load: TypeAlias = Callable[[Path], Catalog]
"""Turns the path of a catalog into the catalog."""

_SUFFIXES: Final = (".yaml", ".yml", ".json", ".jsonl", ".yaml.gz", ".yml.gz", ".json.gz")


@attrs.frozen
class _Given:
    """One document of a situation: its *value*, the *folder* that its files are relative to, and its *origin*."""

    value: Mapping[str, Any]
    folder: Path = Path()
    origin: Origin | None = None

    @property
    def is_object(self) -> bool:
        """Whether this is an object of a cluster, or a List of them, and not a request."""
        return "apiVersion" in self.value or "kind" in self.value


def read_situation(
    *sources: RequestSource,
    catalogs: Mapping[str, str | os.PathLike[str] | Catalog | CatalogError] | None = None,
    policy: Policy | None = None,
    load: Load = index_files.load,
) -> Situation:
    """Read a situation from *sources*: request documents, the objects of one cluster, or both.

    A source is a mapping, the path of a file (JSON or YAML in UTF-8, perhaps gzipped) or of a folder, whose files are
    read in the order of their paths, or an open file. A document with ``subscriptions`` or an ``extension`` is a
    request; everything with a ``kind`` is an object of the cluster, a List stands for its items.

    *catalogs* says what the cluster's catalogs contain: a path, or a catalog that is there already, by
    ``namespace/name`` of a CatalogSource and by the name of a ClusterCatalog. An object's annotation ``olmsolve/file``
    says it, too, as a path relative to the file that holds the object. *load* reads such a path, when a question first
    touches the catalog.

    Raises:
        RequestError: a source cannot be read or holds nothing, objects contradict each other (a
            :class:`ManifestError`), or *catalogs* names a catalog that the cluster does not have.
    """
    policy = policy or Policy()
    documents = [document for source in sources for document in _documents(source)]
    if not documents:
        raise RequestError("nothing to read", source=", ".join(str(source) for source in sources))
    questions = [_document_question(each, policy, load) for each in documents if not each.is_object]
    objects = [each for each in documents if each.is_object]
    if not objects:
        if catalogs:
            raise RequestError(
                "there is no cluster whose catalogs these could be",
                field=f"catalog {next(iter(catalogs))}",
                hint="a request document says itself what its catalogs contain",
            )
        return Situation(tuple(questions), policy)
    cluster = _cluster(objects, catalogs or {}, policy, load)
    return Situation((*questions, *_cluster_questions(cluster)), policy, cluster)


def _cluster(
    objects: Iterable[_Given],
    catalogs: Mapping[str, str | os.PathLike[str] | Catalog | CatalogError],
    policy: Policy,
    load: Load,
) -> ClusterSituation:
    # Whoever has a document should not wait for the objects of clusters to load.
    from olmsolve.classic import HealthPolicy
    from olmsolve.cluster import ClusterState
    from olmsolve.cluster.objects import read_manifests
    from olmsolve.requests.cluster import refuse_unknown_contents
    from olmsolve.requests.cluster_situation import ClusterSituation

    state = ClusterState.of(read_manifests((each.value, each.origin) for each in objects))
    given: dict[str, Path | Catalog | CatalogError] = dict(_annotated(state))
    for key, content in catalogs.items():
        given[key] = Path(content) if isinstance(content, (str, os.PathLike)) else content
    refuse_unknown_contents(given, state)
    strict = policy.health_policy in (None, HealthPolicy.STRICT)
    return ClusterSituation(state, CatalogFiles(given, load, strict=strict), policy)


def _annotated(state: Any) -> Iterator[tuple[str, Path]]:
    """Yield the catalogs of *state* whose annotation says where their content is, and that path."""
    from olmsolve.cluster.objects import CatalogSource, ClusterCatalogObject
    from olmsolve.requests.extension import FILE_ANNOTATION

    for catalog in (*state.all(CatalogSource), *state.all(ClusterCatalogObject)):
        path = catalog.metadata.annotations.get(FILE_ANNOTATION)
        if path:
            folder = Path(catalog.origin.file).parent if catalog.origin is not None else Path()
            yield catalog.key if catalog.NAMESPACED else catalog.name, folder / path


def _cluster_questions(cluster: ClusterSituation) -> Iterator[Question]:
    for namespace in cluster.namespaces:
        yield question_about(namespace, lambda name=namespace: cluster.request(name), is_classic=True)  # type: ignore[misc]
    for extension in cluster.extensions:
        yield question_about(extension, lambda name=extension: cluster.extension_request(name), is_classic=False)  # type: ignore[misc]


def _document_question(document: _Given, policy: Policy, load: Load) -> Question:
    fields = Fields(document.value, location=DocumentLocation(_name(document)))
    is_classic = "extension" not in document.value
    title = document.value.get("name")
    name = title if isinstance(title, str) and title else fields.location.origin

    def read() -> Request | v1.ExtensionRequest:
        if is_classic:
            from olmsolve.requests.classic import classic_request

            return policy.applied_to(classic_request(fields, document.folder, load))
        from olmsolve.requests.extension import v1_request

        return policy.applied_to_extension(v1_request(fields, document.folder, load))

    return question_about(name, read, is_classic=is_classic, is_document=True)


def _name(document: _Given) -> str:
    """Return the name of *document* in messages: its file, with the number of a document that is not the first."""
    if document.origin is None:
        return ""
    return document.origin.file if document.origin.document == 1 else str(document.origin)


def _documents(source: RequestSource) -> Iterator[_Given]:
    if isinstance(source, Mapping):
        yield _Given(source)
    elif isinstance(source, (str, os.PathLike)):
        for path in _files(Path(source)):
            try:
                with path.open("rb") as file:
                    yield from _read(file, str(path), path.parent)
            except (OSError, ValueError) as error:
                if isinstance(error, RequestError):
                    raise
                reason = error.strerror if isinstance(error, OSError) else None
                raise RequestError(f"cannot be read: {reason or error}", source=str(path)) from None
    elif hasattr(source, "read"):
        name = getattr(source, "name", None)
        # Standard input has a name as well, but no folder: only the folder of a file that is there counts.
        is_file = isinstance(name, str) and Path(name).is_file()
        yield from _read(
            source, name if isinstance(name, str) else "request", Path(str(name)).parent if is_file else Path()
        )
    else:
        raise RequestError(f"a mapping, a path or an open file is needed, not a {type(source).__name__}")


def _files(path: Path) -> Iterable[Path]:
    """Return *path* itself, or the files of the folder *path* that can hold documents, by path."""
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.rglob("*") if file.name.endswith(_SUFFIXES) and file.is_file())
    if not found:
        raise RequestError("the folder has no YAML or JSON file", source=str(path))
    return found


def _read(file: IO[str] | IO[bytes], name: str, folder: Path) -> Iterator[_Given]:
    try:
        for document in read_documents(file, name, skip_empty=True):
            yield _Given(document.value, folder, document.origin)
    except CatalogError as error:
        raise RequestError(error.reason, source=error.origin) from None
