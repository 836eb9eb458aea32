"""Composite catalogs, and how they follow from their configuration, of which there are two kinds.

A catalog of references is the configuration of the documentation of file-based catalogs ("Catalog example")::

    name: orchard-operators
    repo: quay.io/orchard/catalog
    tag: latest
    references:
    - name: etcd
      image: quay.io/etcd/index@sha256:5891...

Each reference becomes the file ``NAME/index.yaml``: the blobs of its catalog.

Or ``olm.composite.catalogs`` says what catalogs accept, and ``olm.composite`` what they get, as the source of ``opm
alpha render-template composite`` reads them. A component names the catalog, the path of its folder there, and a
template with the file that it is rendered from and to.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._whole_files import write_whole_folder
from olmsolve.authoring.checks import Finding, validate
from olmsolve.authoring.templates import Renderer, bundles_by_image, render_basic, render_semver
from olmsolve.catalog import Catalog
from olmsolve.catalog.archives import open_plain, reason_of, shown
from olmsolve.catalog.fbc import blobs, from_blobs, path_from, read_documents, write
from olmsolve.catalog.fbc import load as load_catalog
from olmsolve.errors import CatalogError
from olmsolve.predicates import described

_CONFIGURATION: Final = ("name", "repo", "tag", "references")
_REFERENCE: Final = ("name", "image")
_FILE: Final = "index.yaml"

_CATALOGS: Final = "olm.composite.catalogs"
_CONTRIBUTIONS: Final = "olm.composite"

_BASIC: Final = "olm.builder.basic"
_SEMVER: Final = "olm.builder.semver"
_RAW: Final = "olm.builder.raw"
_CUSTOM: Final = "olm.builder.custom"
_BUILDERS: Final = (_BASIC, _SEMVER, _RAW, _CUSTOM)
_TEMPLATE: Final = ("input", "output")

_Files: TypeAlias = dict[str, tuple[Mapping[str, Any], ...]]


def composites(
    config: str | os.PathLike[str],
    contributions: str | os.PathLike[str] | None = None,
    *,
    references: Mapping[str, str] | None = None,
    renderer: Renderer | None = None,
    load: Callable[[Path], Catalog] = load_catalog,
) -> tuple[CompositeCatalog, ...]:
    """Return the composite catalogs of the file *config*.

    *config* is a catalog of references (``name``, ``repo``, ``tag``, ``references``), which is one catalog; or an
    ``olm.composite.catalogs``, and then the file *contributions* holds the ``olm.composite``. Files are named relative
    to the folder of the document that names them. *references* has paths that are used instead of the images of
    references, by the names of these. *renderer* finds the images that templates name
    (as :func:`olmsolve.render_template` takes one), *load* the catalogs.

    Raises:
        CatalogError: a document cannot be read or has a fault, which the error names by its path; or something that it
            names cannot be read.
    """
    fields = _fields(config)
    if fields.value.get("schema") == _CATALOGS:
        if contributions is None:
            raise CatalogError("the contributions to these catalogs are missing", origin=fields.origin)
        if references:
            raise CatalogError("has no references: catalogs with contributions have none", origin=fields.origin)
        contributed = _fields(contributions)
        if contributed.value.get("schema") != _CONTRIBUTIONS:
            raise contributed.error("schema", f"must be {_CONTRIBUTIONS}")
        return _of_contributions(
            fields, contributed, Path(contributions).parent, renderer or bundles_by_image(()), load
        )
    if "references" not in fields.value:
        reason = f"is not a composite catalog: it has neither references nor the schema {_CATALOGS}"
        raise CatalogError(reason, origin=fields.origin)
    if contributions is not None:
        raise CatalogError("takes no contributions: it is a catalog of references", origin=fields.origin)
    return (_of_references(fields, Path(config).parent, references or {}, load),)


def _fields(path: str | os.PathLike[str]) -> ConfigFields:
    with open_plain(Path(path)) as file:
        documents = list(read_documents(file, shown(path), skip_empty=True))
    if len(documents) != 1:
        raise CatalogError(f"{len(documents) or 'no'} documents, where one is needed", origin=shown(path))
    return ConfigFields(documents[0].value, str(documents[0].origin))


def _of_references(
    fields: ConfigFields, folder: Path, paths: Mapping[str, str], load: Callable[[Path], Catalog]
) -> CompositeCatalog:
    """Return the catalog of references that *fields* state.

    An image is anything that :func:`olmsolve.load` takes, a path from *folder* too; *paths* has paths for references,
    by their names, which are used instead of their images.

    Raises:
        CatalogError: a field is wrong, or the catalog of a reference cannot be read.
    """
    fields.refuse_unknown(_CONFIGURATION)
    repository, tag = fields.text("repo"), fields.text("tag")
    image = f"{repository}:{tag or 'latest'}" if repository else ""
    name = fields.required("name")
    files: dict[str, tuple[Mapping[str, Any], ...]] = {}
    references = fields.parts("references")
    named = {reference.path_in_catalog("name") for reference in references}
    for replaced in paths:
        if replaced not in named:
            raise fields.error("references", f"no reference is called {replaced}, for which a path is given")
    for reference in references:
        reference.refuse_unknown(_REFERENCE)
        file = f"{reference.path_in_catalog('name')}/{_FILE}"
        if file in files:
            raise reference.error("name", "two references have this name")
        given = paths.get(reference.required("name"))
        path = Path(given) if given is not None else path_from(folder, reference.required("image"))
        files[file] = tuple(blobs(load(path)))
    return CompositeCatalog(name, image, files)


def _of_contributions(
    catalogs: ConfigFields,
    contributions: ConfigFields,
    folder: Path,
    renderer: Renderer,
    load: Callable[[Path], Catalog],
) -> tuple[CompositeCatalog, ...]:
    """Return the *catalogs* to which *contributions* contribute; files are named relative to *folder*.

    Raises:
        CatalogError: a field is wrong, a catalog does not accept a contribution, or a template has a fault. A component
            that would run a command is refused.
    """
    accepted = _accepted(catalogs)
    files: dict[str, _Files] = {}
    contributions.refuse_unknown(("schema", "components"))
    for component in contributions.parts("components"):
        component.refuse_unknown(("name", "destination", "strategy"))
        name = component.required("name")
        if name not in accepted:
            raise component.error("name", f"there is no catalog {name!r}; there are {', '.join(accepted)}")
        template = component.part("strategy").part("template")
        schema = template.required("schema")
        if schema not in accepted[name]:
            reason = f"the catalog {name} does not accept {schema}, only {', '.join(accepted[name]) or 'nothing'}"
            raise template.error("schema", reason)
        target = component.part("destination").path_in_catalog("path")
        config = template.part("config")
        if schema == _CUSTOM:
            reason = f"runs a command, and olmsolve runs none: run it yourself, and contribute its output with {_RAW}"
            raise template.error("schema", reason)
        config.refuse_unknown(_TEMPLATE)
        file = f"{target}/{config.path_in_catalog('output')}"
        files_of_catalog = files.setdefault(name, {})
        if file in files_of_catalog:
            raise config.error("output", f"two components write {file} of the catalog {name}")
        files_of_catalog[file] = tuple(_blobs(schema, path_from(folder, config.required("input")), renderer, load))
    return tuple(CompositeCatalog(name, "", content) for name, content in files.items())


def _accepted(catalogs: ConfigFields) -> dict[str, list[str]]:
    """Return the schemas of templates that each catalog accepts, by the names of catalogs."""
    catalogs.refuse_unknown(("schema", "catalogs"))
    accepted: dict[str, list[str]] = {}
    for catalog in catalogs.parts("catalogs"):
        catalog.refuse_unknown(("name", "destination", "builders"))
        # The folder of a catalog and the base of its image are for whoever builds images; opm wants both.
        for field in ("baseImage", "workingDir"):
            catalog.part("destination").required(field)
        name = catalog.required("name")
        if name in accepted:
            raise catalog.error("name", "two catalogs have this name")
        accepted[name] = catalog.texts("builders")
        for schema in accepted[name]:
            if schema not in _BUILDERS:
                raise catalog.error("builders", f"there is no builder {schema!r}; there are {', '.join(_BUILDERS)}")
    return accepted


def _blobs(
    schema: str, path: Path, renderer: Renderer, load: Callable[[Path], Catalog]
) -> tuple[Mapping[str, Any], ...]:
    if schema == _RAW:
        return tuple(blobs(load(path)))
    return tuple((render_basic if schema == _BASIC else render_semver)(path, renderer))


@attrs.frozen
class ConfigFields:
    """The object *value* at *path* in the document *origin*."""

    value: Mapping[str, Any]
    origin: str
    path: str = ""

    def refuse_unknown(self, known: Collection[str]) -> None:
        """Raise CatalogError for a field that is not in *known*."""
        for field in self.value:
            if field not in known:
                raise self.error(field, f"there is no such field; the fields are {', '.join(known)}")

    def text(self, field: str) -> str:
        """Return the text *field*, "" where it is absent. Raises CatalogError."""
        content = self.value.get(field)
        if content is not None and not isinstance(content, str):
            raise self.error(field, f"must be a string, not {described(content)}")
        return content or ""

    def required(self, field: str) -> str:
        """Return the text *field*, which must not be empty. Raises CatalogError."""
        text = self.text(field)
        if not text:
            raise self.error(field, "must be a string that is not empty")
        return text

    def path_in_catalog(self, field: str) -> str:
        """Return the *field*, a path of a file or folder of the catalog. Raises CatalogError for one that leaves it."""
        text = self.required(field)
        path = PurePosixPath(text)
        parts = [part for part in path.parts if part != "."]
        # Windows reads a backslash as a slash, and a colon after a letter as a drive; NUL ends a path for the system.
        if path.is_absolute() or ".." in parts or not parts or any(sign in text for sign in "\\\0:"):
            raise self.error(field, f"must be a path inside of the catalog, not {text!r}")
        return "/".join(parts)

    def part(self, field: str) -> ConfigFields:
        """Return the object *field*, an empty one where it is absent. Raises CatalogError."""
        content = self.value.get(field)
        if content is not None and not isinstance(content, dict):
            raise self.error(field, f"must be an object, not {described(content)}")
        return ConfigFields(content or {}, self.origin, self._at(field))

    def parts(self, field: str) -> list[ConfigFields]:
        """Return the objects in the list *field*, which must not be empty. Raises CatalogError."""
        content = self.value.get(field)
        if not isinstance(content, list) or not content:
            raise self.error(field, "must be a list of objects that is not empty")
        for number, part in enumerate(content):
            if not isinstance(part, dict):
                raise self.error(f"{field}[{number}]", f"must be an object, not {described(part)}")
        return [ConfigFields(part, self.origin, self._at(f"{field}[{number}]")) for number, part in enumerate(content)]

    def texts(self, field: str) -> list[str]:
        """Return the texts in the list *field*. Raises CatalogError."""
        content = self.value.get(field)
        if not isinstance(content, list) or not all(isinstance(text, str) for text in content):
            raise self.error(field, "must be a list of strings")
        return content

    def error(self, field: str, reason: str) -> CatalogError:
        """Return the error about *field*."""
        return CatalogError(f"{self._at(field)}: {reason}", origin=self.origin)

    def _at(self, field: str) -> str:
        return f"{self.path}.{field}" if self.path else field


@attrs.frozen
class CompositeCatalog:
    """A catalog called *name*, to be pushed as *image* ("" where that is not said), and its files.

    *files* maps the path of each file, with slashes and relative to the folder of the catalog, to its blobs.
    """

    name: str
    image: str
    files: Mapping[str, tuple[Mapping[str, Any], ...]]

    def blobs(self) -> Iterator[Mapping[str, Any]]:
        """Yield the blobs of all files, in their order."""
        for content in self.files.values():
            yield from content

    def catalog(self) -> Catalog:
        """Return the catalog. Raises :class:`~olmsolve.errors.CatalogError` where two parts define the same thing."""
        owners: dict[str, str] = {}
        for file, content in self.files.items():
            for blob in content:
                if blob.get("schema") == "olm.package" and isinstance(name := blob.get("name"), str):
                    other = owners.setdefault(name, file)
                    if other != file:
                        reason = f"{other} and {file} both have this package: remove it from one of them"
                        raise CatalogError(reason, catalog=self.name, package=name)
        return from_blobs(self.blobs(), origin=self.name)

    def findings(self) -> tuple[Finding, ...]:
        """Return everything that is wrong with the catalog, as :func:`olmsolve.validate` does.

        Raises :class:`~olmsolve.errors.CatalogError` where two parts define the same thing.
        """
        return validate(self.catalog())

    def write(self, folder: str | os.PathLike[str], form: Literal["json", "jsonl", "yaml"] | None = None) -> None:
        """Write the files below *folder*, which must be new or empty and is filled in one step.

        Without a *form*, the suffix of each file says it.

        Raises:
            CatalogError: *folder* holds something, or cannot be written.
        """
        root = Path(folder)
        try:
            if root.exists() and (not root.is_dir() or any(root.iterdir())):
                raise CatalogError("exists already; give a new or empty folder", origin=shown(root))
            write_whole_folder(root, lambda folder: self._write_files(folder, form))
        except OSError as error:
            raise CatalogError(f"cannot be written: {reason_of(error)}", origin=shown(root)) from None

    def _write_files(self, folder: Path, form: Literal["json", "jsonl", "yaml"] | None) -> None:
        for name, content in self.files.items():
            file = folder.joinpath(*PurePosixPath(name).parts)
            file.parent.mkdir(parents=True, exist_ok=True)
            write(content, file, form)
