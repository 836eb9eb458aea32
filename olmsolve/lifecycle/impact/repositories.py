"""The manifests of a repository as it is: plain files, and kustomizations, which kustomize or kubectl renders.

GitOps tools apply folders. The objects that such a folder applies are not the ones in its files::

    apps/base/kustomization.yaml        used by the overlay: not applied by itself
    apps/base/subscription.yaml         named in a kustomization: applied as the overlay changes it
    apps/prod/kustomization.yaml        nobody uses it: it is rendered, and its objects are applied
    apps/namespace.yaml                 in no kustomization: applied as it is
    charts/shop/Chart.yaml              a chart of Helm: its files are templates, and are named as not read
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._limits import check
from olmsolve._paths import folders_at_and_below, is_directory, leaves
from olmsolve._waiting import ProgramFailure, program_output
from olmsolve.errors import ManifestError
from olmsolve.requests import NamedBytes, RequestSource, SourceDocument, documents_in

_KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_CHART: Final = "Chart.yaml"
_SUFFIXES: Final = (".yaml", ".yml", ".json")
_OF_MANIFESTS: Final = ("kind", "apiVersion")
_COMPONENT: Final = "Component"
# The fields of a kustomization that name paths, as the reference of kustomize lists them.
_FOLDERS_OR_FILES: Final = ("resources", "bases", "components", "generators", "transformers", "validators")
_FILES: Final = ("crds", "configurations", "patchesStrategicMerge")
_PARTS_WITH_FILES: Final = {
    "patches": ("path",),
    "patchesJson6902": ("path",),
    "replacements": ("path",),
    "openapi": ("path",),
    "configMapGenerator": ("files", "envs", "env"),
    "secretGenerator": ("files", "envs", "env"),
    "helmCharts": ("valuesFile", "additionalValuesFiles"),
    "helmChartInflationGenerator": ("values",),
}
_PROGRAMS: Final = (("kustomize", "build"), ("kubectl", "kustomize"))
# Seconds for one kustomization, and bytes of what it renders: far above any repository.
_SECONDS: Final = 120.0
_RENDERED: Final = 64 << 20


@attrs.frozen
class RepositoryManifests:
    """The *documents* that a repository applies, and the *charts* of Helm in it, whose templates are not rendered."""

    documents: tuple[SourceDocument, ...]
    charts: tuple[str, ...] = ()


def manifests_of(source: RequestSource) -> RepositoryManifests:
    """Return what *source* applies: a manifest, a file or a folder; see the module.

    Other documents of a folder, such as the values of a chart, are left out.

    Raises:
        ManifestError: a file cannot be read, a document lacks its kind or its version, a kustomization cannot be
            rendered, or neither kustomize nor kubectl is there to do it.
        Incomplete: a limit was met, or the caller cancelled.
    """
    path = Path(source) if isinstance(source, str | os.PathLike) else None
    if path is not None and path.name in _KUSTOMIZATIONS:
        path = path.parent
    if path is None or not is_directory(path):
        return RepositoryManifests(tuple(documents_in(source, ManifestError)))
    return _of_folder(path)


def _of_folder(folder: Path) -> RepositoryManifests:
    charts: list[Path] = []
    files: list[Path] = []
    kustomized: list[Path] = []
    # Git's own folder is no part of the repository's files.
    for path, names in _folders_of(folder):
        if _CHART in names:
            charts.append(path)
        elif any(name in _KUSTOMIZATIONS for name in names):
            kustomized.append(path)
        files += [path / name for name in names if name.endswith(_SUFFIXES) and name not in _KUSTOMIZATIONS]
    _refuse_odd_files([*files, *map(_kustomization_file, kustomized)], folder)
    files = [file for file in files if not any(chart in file.parents for chart in charts)]
    uses = _uses(kustomized)
    used = uses.used()
    documents: list[SourceDocument] = []
    for kustomization in kustomized:
        if kustomization.resolve() not in used | uses.components:
            documents += _rendered(kustomization)
    for file in files:
        if not (file.resolve() in used or any(folder in file.parents for folder in kustomized)):
            documents += _manifests_in(file, folder)
    return RepositoryManifests(tuple(documents), tuple(map(str, charts)))


def _refuse_odd_files(files: Iterable[Path], folder: Path) -> None:
    """Refuse links that lead out of the repository that *folder* is in, and pipes: whoever makes a change chooses them.

    Raises ManifestError.
    """
    top = folder.absolute()
    top = next((parent for parent in (top, *top.parents) if (parent / ".git").exists()), top)
    for file in files:
        if file.is_symlink() and leaves(file, top):
            raise ManifestError(f"a symbolic link that leaves {top}", source=str(file))
        if file.exists() and not file.is_file():
            raise ManifestError("is not a regular file", source=str(file))


def _folders_of(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    try:
        yield from folders_at_and_below(folder, without=frozenset({".git"}))
    except OSError as error:
        # A folder that is passed over could hold anything.
        reason = f"cannot be read: {error.strerror or error}"
        raise ManifestError(reason, source=str(error.filename or folder)) from None


def _manifests_in(file: Path, folder: Path) -> Iterator[SourceDocument]:
    """Yield the manifests in *file* of *folder*. Raises ManifestError.

    A name that begins with a dot does not keep GitOps tools from applying a file. Mostly it is one of another program,
    which may be no YAML at all.
    """
    is_hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    try:
        documents = list(documents_in(file, ManifestError))
    except ManifestError:
        if not is_hidden:
            raise
        return
    for document in documents:
        if all(map(document.value.get, _OF_MANIFESTS)) if is_hidden else _is_manifest(document):
            yield document


def _is_manifest(document: SourceDocument) -> bool:
    """Return whether *document* is a manifest. Raises ManifestError for one that lacks its kind or its version."""
    has = [bool(document.value.get(field)) for field in _OF_MANIFESTS]
    if any(has) and not all(has):
        field = "apiVersion" if has[0] else "kind"
        raise ManifestError("is missing", field, "every manifest has one", str(document.origin or ""))
    return all(has)


def _kustomization_file(folder: Path) -> Path:
    return next(folder / name for name in _KUSTOMIZATIONS if os.path.lexists(folder / name))


def _kustomization(folder: Path) -> Mapping[str, Any]:
    """Return the document of the kustomization in *folder*. Raises ManifestError."""
    documents = list(documents_in(_kustomization_file(folder), ManifestError))
    return documents[0].value if documents else {}


@attrs.frozen
class _Uses:
    """The paths that each kustomization *names*, by its folder, and the folders of *components* among them."""

    names: Mapping[Path, frozenset[Path]]
    components: frozenset[Path]

    def used(self) -> frozenset[Path]:
        """Return all paths that are used, but for those that only unused components name.

        A component is not applied by itself, so it hides nothing unless another kustomization uses it. Raises
        ManifestError for kustomizations that use each other in a circle: each would pass for the base of another one.
        """
        counted = self._below(self.names.keys() - self.components)
        used = frozenset(path for folder in counted for path in self.names[folder])
        left = sorted(self.names.keys() - self.components - self._below(counted - used))
        if left:
            raise ManifestError(
                "is used only by kustomizations that it uses itself: nothing applies it", source=str(left[0])
            )
        return used

    def _below(self, folders: Iterable[Path]) -> frozenset[Path]:
        """Return *folders* with all kustomizations that they use, directly or through others."""
        waiting = list(folders)
        reached: set[Path] = set()
        while waiting:
            folder = waiting.pop()
            if folder in self.names and folder not in reached:
                reached.add(folder)
                waiting.extend(self.names[folder])
        return frozenset(reached)


def _uses(folders: Iterable[Path]) -> _Uses:
    """Return the uses of the kustomizations in *folders*. Raises ManifestError."""
    names: dict[Path, frozenset[Path]] = {}
    components: set[Path] = set()
    for folder in folders:
        kustomization = _kustomization(folder)
        names[folder.resolve()] = frozenset(_used_by(folder, kustomization))
        if kustomization.get("kind") == _COMPONENT:
            components.add(folder.resolve())
    return _Uses(names, frozenset(components))


def _used_by(folder: Path, kustomization: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the files, and the folders of other kustomizations, that *kustomization* in *folder* uses.

    Only fields that name paths count. Other texts are free to choose, and one that equals the name of a folder must
    not hide this folder.
    """
    for name, may_be_folder in _paths_in(kustomization):
        check()
        # The text may be a URL, a patch, or longer than a path can be.
        with suppress(OSError, ValueError):
            path = (folder / name).resolve(strict=True)
            if path != folder.resolve() and (may_be_folder or not path.is_dir()):
                yield path


def _paths_in(kustomization: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield each path that *kustomization* names, and whether it may be the folder of another kustomization."""
    for field in (*_FOLDERS_OR_FILES, *_FILES):
        value = kustomization.get(field)
        for name in _texts(value) if isinstance(value, list) else ():
            yield name, field in _FOLDERS_OR_FILES
    for field, parts in _PARTS_WITH_FILES.items():
        value = kustomization.get(field)
        for element in value if isinstance(value, list) else [value]:
            if not isinstance(element, Mapping):
                continue
            for part in parts:
                for name in _texts(element.get(part)):
                    yield name, False
                    # A generator's file may have another key than its name: settings=../shop/settings.yaml.
                    yield name.partition("=")[2] or name, False


def _texts(value: object) -> Iterator[str]:
    """Yield *value*, a text or a list of texts; elements of other types name no path."""
    yield from (element for element in (value if isinstance(value, list) else [value]) if isinstance(element, str))


def _rendered(folder: Path) -> Iterable[SourceDocument]:
    """Return the documents that kustomize makes of *folder*. Raises ManifestError."""
    program = next((command for command in _PROGRAMS if shutil.which(command[0])), None)
    if program is None:
        raise ManifestError(
            "is a kustomization, and neither kustomize nor kubectl is installed to render it",
            hint=f"install one of them, or render it elsewhere and give the result: kustomize build {folder}",
            source=str(folder),
        )
    name = " ".join(program)
    try:
        # A folder is called as its author likes: an absolute path is no option of the program.
        output = program_output((*program, str(folder.absolute())), seconds=_SECONDS, most=_RENDERED)
    except ProgramFailure as failure:
        raise ManifestError(f"{name} {failure}", source=str(folder)) from None
    if output.code:
        raise ManifestError(f"{name} ends with {output.code}: {output.said}", source=str(folder))
    return tuple(documents_in(NamedBytes(output.printed, f"{folder} ({name})"), ManifestError))
