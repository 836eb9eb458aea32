"""``olmsolve where``: which catalogs, cluster, semantics and versions are taken, and from where."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from typing import Final

import olmsolve
from olmsolve import render
from olmsolve._limits import checked
from olmsolve._typed_paths import is_there
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_output
from olmsolve.cli.streams import harmless, write, write_data

DESCRIPTION: Final = """\
Show what commands take without being told: the settings of the project file, olmsolve.toml or [tool.olmsolve] of a
pyproject.toml in this folder or above it, and the variables of the environment that matter (docs/project-file.md).
An option of a command comes before both."""

EXAMPLES: Final = """\
examples:
  olmsolve where
  olmsolve where --output json

exit codes:
  0  what is taken
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
_HEADINGS: Final = ("SETTING", "VALUE", "FROM")
_LACKING: Final = """\
No project file: neither this folder nor one above it, as far as the repository's, has an olmsolve.toml or a
pyproject.toml with [tool.olmsolve]. Commands take what their options say, and nothing else."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the form of the answer: the folder alone decides what is taken."""
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Print what is taken from where, and return the exit code."""
    project = olmsolve.requests.project()
    settings = [] if project is None else list(_settings(project))
    variables = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
    if options.output != "text":
        from olmsolve.cli.documents import TakenSetting, TakenSettings

        taken = TakenSettings(tuple(TakenSetting(*setting) for setting in settings), variables)
        write_data(taken.to_dict(), options.output)
        return Exit.PLAN
    write(_LACKING if project is None else _table(_HEADINGS, settings))
    if variables:
        write("\n" + _table(("VARIABLE", "VALUE"), ((name, value or '""') for name, value in variables.items())))
    return Exit.PLAN


def _table(headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(render.columns_of([headings, *(tuple(map(harmless, row)) for row in checked(rows))]))


def _settings(project: olmsolve.requests.Project) -> Iterator[tuple[str, str, str]]:
    """Yield the settings of *project*: name, value, and the file; a path that leads nowhere says so."""
    for path in project.cluster:
        yield "cluster", _path_text(project, path), project.file
    for name, catalog in project.catalogs.items():
        priority = f", priority {catalog.priority}" if catalog.priority else ""
        yield "catalog", f"{name} = {_path_text(project, catalog.path)}{priority}", project.file
    for name in ("semantics", "openshift", "kubernetes"):
        if getattr(project, name):
            yield name, getattr(project, name), project.file
    if project.house_rules:
        yield "house-rules", _path_text(project, project.house_rules), project.file


def _path_text(project: olmsolve.requests.Project, text: str) -> str:
    path = project.path(text)
    return path if is_there(path) or not project.is_path(text) else f"{path} (not there)"
