"""``olmsolve where``: which catalogs, cluster, semantics and versions are taken, and from where."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve._limits import checked
from olmsolve._paths import is_there
from olmsolve.cli.catalogs import put_text
from olmsolve.cli.options import add_cluster, add_output, add_target
from olmsolve.cli.output import Exit, complain, harmless, json_text, show

DESCRIPTION: Final = """\
Show the settings that commands use without an option: the project file, olmsolve.toml or [tool.olmsolve] of a
pyproject.toml in this folder or above it, and the variables of the environment that matter (docs/project-file.md).
Options of a command win over both. With --cluster, show or write the catalogs that a cluster names."""

EXAMPLES: Final = """\
examples:
  olmsolve where
  olmsolve where --output json
  olmsolve where --cluster cluster.yaml --to shop.toml

exit codes:
  0  the settings
  2  bad input: the project file cannot be read"""

# Those that may hold a password, such as a proxy's, are not shown.
_VARIABLES: Final = (
    "OLMSOLVE_INDEX_CACHE",
    "OLMSOLVE_IMAGE_CACHE",
    "OLMSOLVE_TOKEN_HOSTS",
    "REQUESTS_CA_BUNDLE",
    "REGISTRY_AUTH_FILE",
    "DOCKER_CONFIG",
    "KUBECONFIG",
)
_GIVEN: Final = "--cluster"
_HEADINGS: Final = ("SETTING", "VALUE", "FROM")
_LACKING: Final = """\
No project file: neither this folder nor a folder above it, up to the root of the repository, has an olmsolve.toml or a
pyproject.toml with [tool.olmsolve]. Commands use only their options."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare a cluster in place of the project's, the form of the answer, and the project file to write."""
    add_cluster(
        parser,
        "show the catalogs that the objects of a cluster name, as a project file with this cluster takes them:"
        " files, folders, must-gathers, archives, or live or live:CONTEXT for a running one (example: dump.yaml)",
    )
    add_output(parser)
    add_target(parser, "print the settings")


def run(options: argparse.Namespace) -> int:
    """Print what is taken from where, and return the exit code."""
    if options.to and not options.cluster:
        options.refuse("--to writes a project file about a cluster: --cluster FILE names it")
    project = _project_of(options.cluster, options.to or _GIVEN) if options.cluster else olmsolve.project()
    named = _named_by_cluster(project, is_needed=bool(options.cluster))
    if options.to:
        assert project is not None, "--cluster makes one"
        put_text(_project_text(project.cluster, named), options.to)
        return Exit.PLAN
    settings = [] if project is None else list(_settings(project, named))
    variables = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
    from olmsolve.cli.documents import TakenSetting, TakenSettings

    taken = TakenSettings(tuple(TakenSetting(*setting) for setting in settings), variables)
    tables = [_LACKING if project is None else _table(_HEADINGS, settings)]
    if variables:
        tables.append(_table(("VARIABLE", "VALUE"), ((name, value or '""') for name, value in variables.items())))
    show(options.output, text=lambda **layout: "\n\n".join(tables), data=taken.to_dict)
    return Exit.PLAN


def _table(headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(render.columns_of([headings, *(tuple(map(harmless, row)) for row in checked(rows))]))


def _project_of(cluster: Iterable[str], file: str) -> olmsolve.Project:
    """Return a project in *file* that names *cluster*, whose paths lead from the working folder."""
    folder = Path(file).parent
    is_live = olmsolve.requests.is_live
    return olmsolve.Project(
        file, cluster=tuple(text if is_live(text) else os.path.relpath(text, folder) for text in cluster)
    )


def _named_by_cluster(
    project: olmsolve.Project | None, *, is_needed: bool
) -> dict[str, olmsolve.requests.ProjectCatalog]:
    """Return the catalogs that the objects of the project's cluster name, {} where the project names its own.

    Raises RequestError where the objects cannot be read and *is_needed*; else standard error says it.
    """
    if project is None or project.catalogs or not project.cluster:
        return {}
    try:
        return project.catalogs_of_cluster()
    except olmsolve.RequestError as error:
        if is_needed:
            raise
        complain(f"the catalogs of the cluster are not known: {error}")
        return {}


def _project_text(cluster: Sequence[str], named: Mapping[str, olmsolve.requests.ProjectCatalog]) -> str:
    """Return a project file that names *cluster*, and its catalogs as they are now."""
    given = ", ".join(map(json_text, cluster))
    lines = [f"cluster = [{given}]" if len(cluster) > 1 else f"cluster = {given}", "", "[catalogs]"]
    for name, catalog in named.items():
        path = json_text(catalog.path)
        value = f"{{ path = {path}, priority = {catalog.priority} }}" if catalog.priority else path
        lines.append(f"{json_text(name)} = {value}")
    return "\n".join((*lines, ""))


def _settings(
    project: olmsolve.Project, named: Mapping[str, olmsolve.requests.ProjectCatalog]
) -> Iterator[tuple[str, str, str]]:
    """Yield the settings of *project*: name, value, and the file; a path that leads nowhere says so.

    *named* are the catalogs that the cluster's objects name.
    """
    for path in project.cluster:
        yield "cluster", _path_text(project, path), project.file
    files = ", ".join(map(project.path, project.cluster))
    for catalogs, file in ((project.catalogs, project.file), (named, files)):
        for name, catalog in checked(catalogs.items()):
            priority = f", priority {catalog.priority}" if catalog.priority else ""
            yield "catalog", f"{name} = {_path_text(project, catalog.path)}{priority}", file
    for name in ("semantics", "openshift", "kubernetes"):
        if getattr(project, name):
            yield name, getattr(project, name), project.file
    if project.house_rules:
        yield "house-rules", _path_text(project, project.house_rules), project.file


def _path_text(project: olmsolve.requests.Project, text: str) -> str:
    path = project.path(text)
    return path if is_there(path) or not project.is_path(text) else f"{path} (not there)"
