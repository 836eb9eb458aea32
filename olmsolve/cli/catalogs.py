"""Catalogs of the command line: how people write them, which ones the project file names, and loading and writing one.

A catalog is written ``[[NAMESPACE/]NAME=]PATH[:PRIORITY]``, or as a path alone. The project file stands in for options
that are not given.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
import time
from collections.abc import Collection, Iterable, Mapping
from itertools import chain, count
from pathlib import Path
from typing import Any, Final, Literal

import olmsolve
from olmsolve._limits import checked
from olmsolve._paths import is_there, project_files
from olmsolve._patterns import pattern
from olmsolve.cli.output import Progress, complain, write, write_file

OPM_FORMS: Final = ("opm-json", "opm-yaml")
"""The JSON and the YAML of opm, to the byte."""

# Twenty small catalogs take long together, so the patience before a bar counts from the start of the command.
_STARTED: Final = time.monotonic()


def load(
    path: str | os.PathLike[str], *, drop: Collection[str] = (), index: Literal[False] | None = None
) -> olmsolve.Catalog:
    """Load the catalog at *path* ("-" is standard input), with a progress bar on terminals.

    An index beside the catalog is used (docs/index-files.md), unless *index* is False: a command that reads every
    bundle anyway would only hash the files in vain. *drop* names types of properties to leave out.

    Raises:
        CatalogError: it cannot be read.
    """
    with Progress(sys.stderr, since=_STARTED) as progress:
        report = progress.reporter(str(path))
        return olmsolve.load(path, progress=report, drop=drop, index=index, note=complain)


def put(
    catalog: olmsolve.Catalog | Iterable[Mapping[str, Any]],
    form: Literal["json", "jsonl", "yaml", "opm-json", "opm-yaml"] | None,
    *,
    file: str = "",
    folder: str = "",
    is_sorted: bool = False,
    is_laid_out: bool = False,
    inputs: Iterable[str] = (),
    instead: str = "",
) -> None:
    """Write *catalog*, or blobs, to *file*, or as a folder for each package into *folder*, else to standard output.

    Without a *form*, a file's suffix decides; a folder gets YAML and standard output JSON. *inputs* are the catalogs
    that were read for this one, and *instead* is what changes one of them, if the command can. For a form of ``opm``,
    blobs get its fields in its order, unless *is_laid_out* says that they have them; they are always sorted, as it
    sorts them.

    Raises:
        CatalogError: the target cannot be written, or is an input or in its folder.
    """
    for path in inputs:
        _refuse_input(file or folder, path, instead)
    if form == "opm-json" or form == "opm-yaml":
        if folder:
            raise olmsolve.RequestError("is for one text, and not for folders of packages", field=f"--output {form}")
        # Imported on first use, with the emitter of YAML.
        from olmsolve.catalog.fbc import laid_out, opm_json_text, opm_sort_key, opm_yaml_text

        made = olmsolve.fbc.blobs(catalog) if isinstance(catalog, olmsolve.Catalog) else catalog
        made = made if is_laid_out else (laid_out(blob, manifests_last=True) for blob in made)
        made = sorted(made, key=opm_sort_key)
        put_texts(map(opm_yaml_text if form == "opm-yaml" else opm_json_text, made), file)
        return
    if folder:
        olmsolve.fbc.split(catalog, folder, form or "yaml", is_sorted=is_sorted)
    elif file:
        olmsolve.fbc.write(catalog, file, form, is_sorted=is_sorted)
    else:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # The text is data: it must not depend on the language of whoever is logged in.
            sys.stdout.reconfigure(encoding="utf-8", newline="\n")
        for text in olmsolve.fbc.rendered(catalog, form or "json", is_sorted=is_sorted):
            sys.stdout.write(text)


def put_texts(texts: Iterable[str], file: str) -> None:
    """Write *texts* to *file*, or to standard output."""
    if file:
        put_text("".join(checked(texts)), file)
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    for text in checked(texts):
        sys.stdout.write(text)


def put_text(text: str, file: str) -> None:
    """Write *text* to the new *file*, or to standard output without one.

    Raises:
        CatalogError: *file* exists.
        RequestError: it cannot be written.
    """
    if not file:
        write(text.removesuffix("\n"))
        return
    # A link that leads nowhere would have the file made wherever it points.
    if os.path.lexists(file):
        raise olmsolve.CatalogError("there is a file already", origin=file)
    write_file(file, [text])


def _refuse_input(target: str, source: str, instead: str) -> None:
    """Refuse a *target* that is the *source*, or lies in the folder *source*: the next reading would find both."""
    if not target or source == "-":
        return
    one, other = Path(target).resolve(), Path(source).resolve()
    if one == other or (other.is_dir() and one.is_relative_to(other)):
        what = (
            "is the file or folder that it is made from"
            if one == other
            else f"would become a part of {source}, from which it is made"
        )
        reason = f"the new catalog cannot be written here: this {what}{instead and f'; {instead}'}"
        raise olmsolve.CatalogError(reason, origin=target)


CATALOG_NAMESPACE: Final = "olm"

# The path may have colons of its own (an image with a tag): the last number after a colon is the priority.
_PRIORITY: Final = pattern(r"(?P<path>.+):(?P<priority>-?[0-9]{1,10})")
_VERSIONED: Final = pattern(r"(?P<version>[0-9]+\.[0-9]+):(?P<rest>.*)", re.DOTALL)
_SUFFIXES: Final = frozenset((".json", ".jsonl", ".yaml", ".yml", ".tar", ".tgz", ".gz", ".zst", ".zip", ".db"))

ARGUMENT: Final = "CATALOG"
"""The name in errors of a catalog that is an argument of its own, and no value of an option."""


def catalog_sources(texts: Iterable[str], option: str = "--catalog") -> list[olmsolve.Source]:
    """Load the catalogs that *texts* give, values of an *option*, by default in the namespace olm.

    They are written ``[[NAMESPACE/]NAME=]PATH[:PRIORITY]``; a catalog without a name is called after its file.
    """
    sources: dict[str, olmsolve.Source] = {}
    for text in texts:
        name, path, priority = catalog_of_text(text, option)
        name = name or _free_name(name_of_path(path), sources)
        namespace, _, plain = name.rpartition("/")
        if name in sources:
            raise _given_twice(text, option)
        sources[name] = olmsolve.Source(plain, namespace or CATALOG_NAMESPACE, priority, load(path))
    return list(sources.values())


def catalog_of_text(text: str, option: str) -> tuple[str, Path, int]:
    """Return the name ("" for a path alone), the path and the priority in *text*, a value of *option*.

    Raises:
        RequestError: it is neither a path of something that is there nor a name with a path.
    """
    if not text:
        raise olmsolve.RequestError("is empty", field=option, hint="is a variable of the shell unset?")
    if is_there(text) or ("=" not in text and (option == ARGUMENT or is_there(_PRIORITY.sub(r"\g<path>", text)))):
        return ("", *named_catalog(f"catalog={text}", option)[1:])
    return named_catalog(text, option)


def catalog_name(text: str, option: str = "--catalog") -> str:
    """Return the name of the catalog that *text* gives, a value of *option*. Raises RequestError."""
    name, path, _ = catalog_of_text(text, option)
    return name or name_of_path(path)


def name_of_path(path: Path) -> str:
    """Return the name of a catalog that is called after its *path*: ``fbc-v4.20`` of ``fbc-v4.20.jsonl``."""
    name = path.name
    if not path.is_dir():
        # The tag or digest of an image is no part of its name.
        name = name.partition("@")[0].partition(":")[0]
        while (suffix := Path(name).suffix.lower()) in _SUFFIXES:
            name = name[: -len(suffix)]
    return name.strip(".") or "catalog"


def _free_name(name: str, taken: Collection[str]) -> str:
    """Return *name*, with a number appended where it is *taken*."""
    return next(free for free in chain((name,), (f"{name}-{number}" for number in count(2))) if free not in taken)


def catalog_path(text: str) -> str:
    """Return the path of the catalog that *text* gives, as PATH or NAME=PATH, for commands that need no name.

    A text that leads nowhere either way stays as it was typed, which is what the message about it shows.
    """
    if text == "-" or is_there(text):
        return text
    name, equals, path_text = text.partition("=")
    path = (
        str(named_catalog(f"catalog={path_text if equals and name else text}")[1])
        if (path_text or not equals)
        else text
    )
    return path if is_there(path) or _is_image(path) else text


def _is_image(path: str) -> bool:
    from olmsolve.catalog.fbc import is_remote

    return is_remote(path)


def named_catalog(text: str, option: str = "--catalog") -> tuple[str, Path, int]:
    """Return the name, the path and the priority in *text*, the value of an *option*. Raises RequestError."""
    name, _, path_text = text.partition("=")
    if not name or not path_text:
        raise olmsolve.RequestError(
            "not of the form [NAMESPACE/]NAME=PATH[:PRIORITY]",
            field=f"{option} {text}",
            hint="for example community=catalogs/community:10, or for a cluster olm/community=catalogs/community",
        )
    match = _PRIORITY.fullmatch(path_text)
    # A file may really be called catalog:10, and the tag of an image may be a number.
    if match is None or is_there(path_text) or _is_whole(path_text, match["path"]):
        return name, Path(path_text), 0
    return name, Path(match["path"]), int(match["priority"])


def _is_whole(image: str, path: str) -> bool:
    """Return whether *image* is the whole name of an image, and *path* only its part without the tag."""
    return _is_image(image) and not _is_image(path)


def content_paths(texts: Iterable[str], option: str = "--catalog") -> dict[str, Path]:
    """Return the paths that *texts* (``NAMESPACE/NAME=PATH``), values of *option*, give for a cluster's catalogs."""
    paths: dict[str, Path] = {}
    for text in texts:
        name, path, priority = catalog_of_text(text, option)
        name = name or name_of_path(path)
        if name in paths:
            raise _given_twice(text, option)
        if priority:
            raise olmsolve.RequestError(
                "has a priority", field=f"{option} {text}", hint="priorities come from the cluster"
            )
        paths[name] = path
    return paths


def catalogs_by_version(texts: Iterable[str]) -> tuple[list[str], dict[str, dict[str, Path]]]:
    """Return the catalogs of today as they are written, and the paths of later ones, by version and name."""
    today: list[str] = []
    later: dict[str, list[str]] = {}
    for text in texts:
        match = _VERSIONED.fullmatch(text)
        if match is None:
            today.append(text)
        else:
            later.setdefault(match["version"], []).append(match["rest"])
    return today, {version: _paths_of_version(version, paths) for version, paths in later.items()}


def _paths_of_version(version: str, texts: Iterable[str]) -> dict[str, Path]:
    """Return the paths of the catalogs of *version*. An error names the argument with its version, as it was typed."""
    try:
        return content_paths(texts)
    except olmsolve.RequestError as error:
        typed = error.field.replace("--catalog ", f"--catalog {version}:", 1)
        raise olmsolve.RequestError(error.reason, typed, error.hint) from None


def _given_twice(text: str, option: str) -> olmsolve.RequestError:
    return olmsolve.RequestError("is given twice", field=f"{option} {text}", hint="a catalog has one content")


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
    """Give a command its catalogs: the arguments, the values of ``--catalog``, else the catalogs of the project file.

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
    """Return the texts of the project's catalogs by name; *with_cluster*, of its cluster where it names none."""
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
