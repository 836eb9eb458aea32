"""The project file on the command line: what it names stands for options that are not given."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve._project_files import project_files

_TAKEN: Final = ("semantics", "openshift", "kubernetes")


def take_project(options: argparse.Namespace) -> None:
    """Fill the options of a situation that are not given from the project file, if the working folder has one.

    ``options.from_project`` names what was filled: such an option does not contradict a given one, and may be idle.

    Raises:
        RequestError: the project file cannot be read.
    """
    # Nearly no folder has one, and looking costs less than a tenth of a millisecond.
    if not hasattr(options, "needs_objects") or next(project_files(Path()), None) is None:
        return
    project = olmsolve.requests.project()
    if project is None:
        return
    options.project = project
    values: dict[str, object] = {name: getattr(project, name) for name in _TAKEN}
    values["house_rules"] = project.house_rules and project.path(project.house_rules)
    if options.document is None and not (options.subscriptions or options.installed):
        values["cluster"] = list(map(project.path, project.cluster))
    taken = {name: value for name, value in values.items() if value and not getattr(options, name, value)}
    vars(options).update(taken)
    options.from_project = frozenset(taken)


def wished_catalogs(options: argparse.Namespace) -> list[str]:
    """Return the values of ``--catalog`` for subscriptions of the command line: the given ones, else the project's."""
    project: olmsolve.requests.Project | None = options.project
    if options.catalogs or project is None:
        return list(options.catalogs)
    return [f"{name}={project.path(catalog.path)}:{catalog.priority}" for name, catalog in project.catalogs.items()]
