"""The project file: catalogs, cluster files, semantics and versions, named once for every command and for Python.

``olmsolve.toml`` of a folder holds for the folder and all below it; a ``pyproject.toml`` with ``[tool.olmsolve]`` does
the same. The nearest file counts, alone::

    semantics = "controller"
    openshift = "4.20"
    cluster = ["dump.yaml"]              # as --cluster takes them: files, folders, archives, "live"

    [catalogs]                           # as --catalog names them, with paths from the file's own folder
    "olm/community" = "catalogs/community"
    extra = { path = "catalogs/extra", priority = 10 }
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from olmsolve._limits import checked
from olmsolve._paths import PROJECT_FILE, is_there, project_files
from olmsolve._patterns import pattern
from olmsolve._records import Record, evolve, field, record
from olmsolve._waiting import awaited
from olmsolve.errors import RequestError
from olmsolve.fields import DocumentLocation, Fields
from olmsolve.requests.contents import SpareContent
from olmsolve.requests.documents import is_live
from olmsolve.requests.policy import Policy

if TYPE_CHECKING:
    from olmsolve.requests.situation import Situation

_TABLE: Final = "tool.olmsolve"
# A project file has some lines, and whoever walks into a foreign folder reads its file.
_MOST_BYTES: Final = 1_000_000
_MOST_PARTS: Final = 50
_STRINGS: Final = pattern(r""""{3}(?:[^\\]|\\.)*?"{3}|'{3}.*?'{3}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*""", re.DOTALL)
"""The strings and comments of TOML, in which dots mean nothing."""
_PIECES: Final = pattern(r"[=\[\]{},\n]")
"""The signs of TOML that no key goes beyond."""
_FIELDS: Final = ("catalogs", "cluster", "semantics", "openshift", "kubernetes", "house-rules")


@record
class ProjectCatalog(Record):
    """The content of a catalog in a project."""

    path: str = field("A folder, a file, an archive or an image, as the project file names it.")
    priority: int = field("The catalog's priority beside subscriptions of the command line.", default=0)


@record
class Project(Record):
    """The settings of a project file, for every command below its folder.

    >>> import olmsolve
    >>> project = olmsolve.Project("olmsolve/examples/olmsolve.toml", cluster=("cluster.yaml",))
    >>> [question.name for question in project.situation().questions]
    ['shop', 'warehouse']
    """

    file: str = field("The path of the file.")
    catalogs: Mapping[str, ProjectCatalog] = field("The catalogs by name.", default=MappingProxyType({}))
    cluster: tuple[str, ...] = field("The files of a cluster's objects.", default=())
    semantics: str = field("How constraints are read.", default="")
    openshift: str = field("The cluster's version of OpenShift.", default="")
    kubernetes: str = field("The cluster's version of Kubernetes.", default="")
    house_rules: str = field("The file of house rules.", path="house-rules", default="")

    @property
    def folder(self) -> Path:
        """The folder of the file, from which its paths lead."""
        return Path(self.file).parent

    def is_path(self, text: str) -> bool:
        """Return whether *text* is a path, and neither the name of an image nor the running cluster."""
        from olmsolve.catalog.fbc import is_remote

        return is_there(self.folder / text) or not (is_remote(text) or is_live(text))

    def path(self, text: str) -> str:
        """Return the path *text* of the file as it leads from the working folder; what is no path stays as it is."""
        return str(self.folder / text) if self.is_path(text) else text

    def policy(self) -> Policy:
        """Return the policy of the project, its house rules among it. Raises RequestError where these have a fault."""
        from olmsolve.requests.classic import read_house_rules

        rules = read_house_rules(self.path(self.house_rules)) if self.house_rules else ()
        return evolve(self._settings(), house_rules=rules)

    def _settings(self) -> Policy:
        try:
            return Policy(
                semantics=self.semantics or None,  # type: ignore[arg-type]  # the converter checks it
                openshift=self.openshift or None,
                kubernetes=self.kubernetes or None,
            )
        except RequestError as error:
            raise RequestError(error.reason, error.field, error.hint, self.file) from None

    def __attrs_post_init__(self) -> None:
        self._settings()

    def catalogs_of_cluster(self) -> dict[str, ProjectCatalog]:
        """Return the catalogs of the cluster's objects by name, each with its priority and where its content is.

        That is the file of the annotation ``olmsolve/file``, else the image: by its digest where a ClusterCatalog was
        resolved to one, or where the objects have the pod that serves a CatalogSource. A catalog with neither is left
        out. A running cluster is read.

        Raises:
            RequestError: the objects cannot be read.
        """
        from olmsolve.catalog.index_files import load
        from olmsolve.requests.gathering import catalogs_named_by
        from olmsolve.requests.live import live_cluster
        from olmsolve.requests.manifests import read_cluster

        sources = [live_cluster(text, load).document if is_live(text) else self.path(text) for text in self.cluster]
        if not sources:
            return {}
        named = catalogs_named_by(read_cluster(*sources))
        return {name: ProjectCatalog(self._from_here(path), priority) for name, path, priority in named}

    def _from_here(self, path: Path | str) -> str:
        """Return *path*, a path from the working folder or the name of an image, as the file names it."""
        return os.path.relpath(path, self.folder) if isinstance(path, Path) else path

    def contents(self) -> dict[str, SpareContent]:
        """Return the contents of the catalogs by name, for a cluster that may lack some of them."""
        return {name: SpareContent(Path(self.path(catalog.path))) for name, catalog in self.catalogs.items()}

    def situation(self) -> Situation:
        """Return the situation of the project: its cluster's objects over its catalogs, under its policy.

        Raises:
            RequestError: the project names no cluster, or one that cannot be read.
        """
        if not self.cluster:
            raise RequestError("the project names no cluster", "cluster", source=self.file)
        if any(map(is_live, self.cluster)):
            raise RequestError("a running cluster is read by olmsolve.live_situation", "cluster", source=self.file)
        from olmsolve.requests.gathering import read_situation  # most projects are only asked for their catalogs

        return read_situation(*map(self.path, self.cluster), catalogs=self.contents(), policy=self.policy())


def project(start: str | os.PathLike[str] = ".") -> Project | None:
    """Return the project of the folder *start*, None where neither it nor a folder above has a project file.

    Raises:
        RequestError: the file cannot be read; the error names it, and the field.
    """
    for path in project_files(Path(start)):
        values = _values(path)
        if values is not None:
            return _project(path, values)
    return None


def _values(path: Path) -> Mapping[str, Any] | None:
    """Return what the file at *path* says of olmsolve, None where it is a file of other programs."""
    try:
        with path.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise RequestError(f"cannot be read: {error.strerror}", source=str(path)) from None
    is_own = path.name == PROJECT_FILE
    # Most files of Python projects say nothing of olmsolve, and parsing one takes longer than finding that out.
    if not is_own and f"[{_TABLE}".encode() not in data:
        return None
    if len(data) > _MOST_BYTES:
        raise RequestError(f"is larger than {_MOST_BYTES} bytes", source=str(path))
    try:
        values = _parsed(data.decode())
    except UnicodeDecodeError:
        raise RequestError("is not UTF-8", source=str(path)) from None
    except RecursionError:
        raise RequestError("is nested too deeply", source=str(path)) from None
    except ValueError as error:
        # Raised by tomllib, or by Python for a number with thousands of digits.
        raise RequestError(f"is not TOML: {error}", source=str(path)) from None
    tools = values.get("tool")
    section = values if is_own else tools.get("olmsolve") if isinstance(tools, Mapping) else None
    return section if isinstance(section, Mapping) else None


def _parsed(text: str) -> Mapping[str, Any]:
    """Return the values of *text* in TOML, within the limits of the scope at hand.

    The parser of Python copies a key for each of its parts, which takes minutes for a key of a hundred thousand.
    """
    import tomllib

    for piece in _PIECES.split(_STRINGS.sub("s", text)):
        if piece.count(".") > _MOST_PARTS:
            raise ValueError(f"a key of more than {_MOST_PARTS} parts")
    return awaited(lambda: tomllib.loads(text))


def _project(path: Path, values: Mapping[str, Any]) -> Project:
    fields = Fields(values, "" if path.name == PROJECT_FILE else _TABLE, DocumentLocation(str(path)))
    fields.refuse_unknown(_FIELDS)
    cluster = values.get("cluster", ())
    catalogs = fields.part("catalogs")
    return Project(
        str(path),
        MappingProxyType({name: _catalog(catalogs, name) for name in checked(catalogs.values)}),
        (cluster,) if isinstance(cluster, str) else fields.texts("cluster"),
        fields.text("semantics"),
        fields.text("openshift"),
        fields.text("kubernetes"),
        fields.text("house-rules"),
    )


def _catalog(catalogs: Fields, name: str) -> ProjectCatalog:
    if isinstance(catalogs.values[name], str):
        return ProjectCatalog(catalogs.required_text(name))
    catalog = catalogs.part(name)
    catalog.refuse_unknown(("path", "priority"))
    return ProjectCatalog(catalog.required_text("path"), catalog.integer("priority"))
