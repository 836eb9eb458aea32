"""The project file on the command line: what it names stands for options that are not given."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve._paths import project_files
from olmsolve.cli.named_catalogs import catalog_path

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


def settle_catalogs(options: argparse.Namespace) -> None:
    """Give a command its catalogs: the arguments, the values of ``--catalog``, else those of the project file.

    ``options.catalog`` becomes the path of the one catalog, ``options.catalogs`` the texts of several.

    Raises:
        RequestError: the project file cannot be read.
    """
    takes = getattr(options, "takes_catalogs", None)
    if takes is None:
        return
    first = options.catalog_arguments if takes == "several" else filter(None, [options.catalog])
    given = [*first, *options.catalogs]
    instead = [options.typed_as(name) for name in getattr(options, "instead_of_catalogs", ())]
    if not given and any(getattr(options, name) for name in getattr(options, "instead_of_catalogs", ())):
        options.catalogs = given
        return
    named = {} if given or next(project_files(Path()), None) is None else _catalogs_of_project()
    catalogs = given or [f"{name}={path}" for name, path in named.items()]
    if not catalogs:
        others = "".join(f", or {option} FILE" for option in instead)
        options.refuse(f"a catalog is needed: its path, or NAME=PATH{others}")
    if takes == "several":
        options.catalogs = catalogs
        return
    if len(catalogs) > 1:
        which = "one catalog is needed" if given else "a catalog is needed, and the project file has several"
        options.refuse(f"{which}: {', '.join(given or named)}")
    options.catalog, options.catalogs = catalog_path(catalogs[0]), []


def _catalogs_of_project(*, with_cluster: bool = False) -> dict[str, str]:
    """Return the texts of the project's catalogs by name; *with_cluster*, those of its cluster where it names none."""
    project = olmsolve.requests.project()
    if project is None:
        return {}
    catalogs = project.catalogs
    if with_cluster and not catalogs:
        # A subscription looks at the catalogs of classic OLM, which have namespaces.
        catalogs = {name: catalog for name, catalog in project.catalogs_of_cluster().items() if "/" in name}
    return {name: f"{project.path(catalog.path)}:{catalog.priority}" for name, catalog in catalogs.items()}


def wished_catalogs(options: argparse.Namespace) -> list[str]:
    """Return the values of ``--catalog`` for subscriptions of the command line: the given ones, else the project's.

    A project that names a cluster and no catalogs has those of the cluster.
    """
    project: olmsolve.requests.Project | None = options.project
    if options.catalogs or project is None:
        return list(options.catalogs)
    return [f"{name}={path}" for name, path in _catalogs_of_project(with_cluster=True).items()]
