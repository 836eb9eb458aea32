"""Catalogs as people write them on the command line: ``[[NAMESPACE/]NAME=]PATH[:PRIORITY]``, or a path alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import chain, count
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve._paths import is_there
from olmsolve._patterns import pattern
from olmsolve.cli.catalogs import load

CATALOG_NAMESPACE: Final = "olm"

_PRIORITY: Final = pattern(r"(?P<path>.+):(?P<priority>-?[0-9]{1,10})")
_VERSIONED: Final = pattern(r"(?P<version>[0-9]+\.[0-9]+):(?P<rest>.*)", re.DOTALL)
_SUFFIXES: Final = frozenset((".json", ".jsonl", ".yaml", ".yml", ".tar", ".tgz", ".gz", ".zst", ".zip", ".db"))

ARGUMENT: Final = "CATALOG"
"""What errors call a catalog that is an argument of its own, and no value of an option."""


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
    """Return *name*, or with a number where it is *taken*."""
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


def _is_whole(rest: str, path: str) -> bool:
    """Return whether *rest* is the name of an image, of which *path* lacks the tag."""
    return _is_image(rest) and not _is_image(path)


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
