"""``olmsolve catalog``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import attrs

from olmsolve.authoring import compose
from olmsolve.catalog import Bundle, Catalog, fbc
from olmsolve.catalog.fbc import is_bundle_folder, read_bundle
from olmsolve.cli.catalog_output import put
from olmsolve.cli.exits import Exit
from olmsolve.cli.progress import Progress
from olmsolve.cli.streams import write
from olmsolve.errors import CatalogError
from olmsolve.render import catalog_diff_text, plain

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Do what *options* ask for, print or write the result, and return the exit code."""
    return _ACTIONS[options.action](options)


def _load(*paths: str) -> list[Catalog]:
    with Progress(sys.stderr) as progress:
        return [fbc.load(path, progress=progress.reporter(path)) for path in paths]


def _merge(options: argparse.Namespace) -> int:
    put(compose.merge(*_load(*options.catalogs)), options)
    return Exit.PLAN


def _subset(options: argparse.Namespace) -> int:
    wishes = [_keep(text, options) for text in options.keep]
    (catalog,) = _load(options.catalog)
    keep: list[compose.Keep] = []
    for wish in wishes:
        names = catalog.packages if wish.package == "*" else [wish.package]
        keep += [attrs.evolve(wish, package=name) for name in names]
    put(compose.subset(catalog, keep, dependencies=options.dependencies), options)
    return Exit.PLAN


def _keep(text: str, options: argparse.Namespace) -> compose.Keep:
    # A range may begin with an equals sign itself, a name cannot hold one.
    named, _, versions = text.partition("=")
    package, has_channels, channels = named.partition("@")
    chosen = tuple(channels.split(",")) if has_channels else ()
    if not package or "" in chosen:
        options.refuse(f"argument --keep: not of the form PACKAGE[@CHANNEL,...][=RANGE]: {text!r}")
    return compose.Keep(package, chosen, versions, options.heads_only)


def _add(options: argparse.Namespace) -> int:
    (catalog,) = _load(options.catalog)
    changed = compose.add(
        catalog,
        _bundle(options.bundle, options.image),
        options.channel,
        replaces=options.replaces,
        skips=options.skips,
        skip_range=options.skip_range,
    )
    put(changed, options)
    return Exit.PLAN


def _bundle(path: str, image: str) -> Bundle:
    held = fbc.from_blobs([read_bundle(path, image=image)]) if is_bundle_folder(path) else fbc.load(path)
    bundles = [bundle for package in held for bundle in package.bundles.values()]
    if len(bundles) != 1:
        raise CatalogError(f"there must be one bundle here, not {len(bundles)}", origin=str(Path(path)))
    return bundles[0]


def _promote(options: argparse.Namespace) -> int:
    (catalog,) = _load(options.catalog)
    put(compose.promote(catalog, options.package, options.bundle, options.source, options.target), options)
    return Exit.PLAN


def _set_default(options: argparse.Namespace) -> int:
    (catalog,) = _load(options.catalog)
    put(compose.set_default_channel(catalog, options.package, options.channel), options)
    return Exit.PLAN


def _deprecate(options: argparse.Namespace) -> int:
    (catalog,) = _load(options.catalog)
    names = {"channel": options.channel, "bundle": options.bundle}
    put(compose.deprecate(catalog, options.package, options.message, **names), options)
    return Exit.PLAN


def _edges(options: argparse.Namespace) -> int:
    (catalog,) = _load(options.catalog)
    for edge in compose.edges(catalog, options.package, taken_only=options.taken):
        if options.output == "jsonl":
            write(json.dumps(edge.to_dict(), ensure_ascii=False))
            continue
        takers = [name for name, taken in (("classic", edge.is_classic), ("v1", edge.is_v1)) if taken]
        taken = f", taken by {' and '.join(takers)}" if takers else ""
        where = f"{edge.package}/{edge.channel}"
        write(plain(f"{where}: {edge.installed} -> {edge.target} ({', '.join(edge.kinds)}{taken})"))
    return Exit.PLAN


def _diff(options: argparse.Namespace) -> int:
    old, new = _load(options.old, options.new)
    found = compose.diff(old, new)
    if options.output == "json":
        write(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    else:
        write(catalog_diff_text(found))
    return Exit.UNSATISFIABLE if found and options.exit_code else Exit.PLAN


_ACTIONS: Final[Mapping[str, Callable[[argparse.Namespace], int]]] = {
    "merge": _merge,
    "subset": _subset,
    "add": _add,
    "promote": _promote,
    "set-default": _set_default,
    "deprecate": _deprecate,
    "edges": _edges,
    "diff": _diff,
}
