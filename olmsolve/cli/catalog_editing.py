"""Actions that edit one catalog: shown as a diff of its files, written with ``--write``, or made a new catalog."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve import authoring
from olmsolve.cli.catalogs import load
from olmsolve.cli.edits import add_edited_catalog, put_edited, refuse_unwritable
from olmsolve.cli.options import add_catalog, add_package
from olmsolve.cli.parsers import Action
from olmsolve.cli.situation import given_among


def _add_edges(parser: argparse.ArgumentParser, otherwise: str) -> None:
    parser.add_argument("--replaces", metavar="BUNDLE", help=f'the entry that it replaces, "" for none ({otherwise})')
    parser.add_argument(
        "--skips", action="append", metavar="BUNDLE", help='an entry that it skips; can be repeated, "" for none'
    )
    parser.add_argument("--skip-range", metavar="RANGE", help='the versions that it can follow, "" for none')


def _edges(options: argparse.Namespace) -> authoring.EntryEdges:
    skips = None if options.skips is None else [name for name in options.skips if name]
    return authoring.EntryEdges(options.replaces, skips, options.skip_range)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog(parser)
    parser.add_argument(
        "--bundle",
        dest="bundles",
        action="append",
        required=True,
        metavar="PATH[=IMAGE]",
        help="a file with its blob, or its folder (manifests/ and metadata/) and the image that it is pulled from;"
        " can be repeated",
    )
    parser.add_argument("--image", default="", metavar="IMAGE", help="the image of the one bundle that is a folder")
    parser.add_argument(
        "--channel",
        dest="channels",
        action="append",
        required=True,
        metavar="CHANNEL",
        help="a channel, which is made if the package lacks it; can be repeated",
    )
    _add_edges(parser, "default for this and the next two options: what its ClusterServiceVersion states")
    parser.add_argument(
        "--skipped-by",
        action="append",
        default=[],
        metavar="BUNDLE",
        help="an entry of the channel that skips the new one: the head, for a patch release of an older version; can"
        " be repeated",
    )
    add_edited_catalog(parser)


def _add(options: argparse.Namespace) -> int:
    refuse_unwritable(options)
    given = _edges(options)
    if len(options.bundles) > 1 and given != authoring.EntryEdges():
        edges = " and ".join(given_among(options, ("replaces", "skips", "skip_range")))
        options.refuse(f"{edges} is for one bundle: several bundles have the edges that their own manifests state")
    if len(options.bundles) > 1 and options.image:
        options.refuse("--image is for one bundle: give several their own images (--bundle FOLDER=IMAGE)")
    catalog = load(options.catalog, index=False)
    additions = [
        authoring.Addition(bundle, channel, given.over(stated), options.skipped_by)
        for text in options.bundles
        for bundle, stated in [_bundle(text, options.image)]
        for channel in dict.fromkeys(options.channels)
    ]
    return put_edited(catalog, authoring.add_all(catalog, additions), options)


def _bundle(text: str, image: str) -> tuple[olmsolve.catalog.Bundle, authoring.EntryEdges]:
    """Read the bundle at PATH[=IMAGE], and the edges in it; PATH is a catalog file, a bundle's folder or an image."""
    fbc = olmsolve.fbc
    path, _, named = text.rpartition("=") if "=" in text and not Path(text).exists() else (text, "", "")
    if not fbc.is_bundle(path):
        if named:
            reason = "only a bundle's folder takes an image here: a blob has its own"
            raise olmsolve.CatalogError(reason, origin=path)
        bundle = _only(load(path, index=False), path)
        return bundle, authoring.stated_edges(bundle)
    if not (image or named or fbc.is_remote(path)):
        reason = "a bundle's folder does not know its image: give it (--bundle FOLDER=IMAGE)"
        raise olmsolve.CatalogError(reason, origin=path)
    whole = fbc.from_blobs([fbc.read_bundle(path, with_objects=True)])
    bundle = _only(fbc.from_blobs([fbc.read_bundle(path, image=named or image)]), path)
    return bundle, authoring.stated_edges(_only(whole, path))


def _only(catalog: olmsolve.Catalog, path: str) -> olmsolve.catalog.Bundle:
    bundles = [bundle for package in catalog for bundle in package.bundles.values()]
    if len(bundles) != 1:
        raise olmsolve.CatalogError(f"there must be one bundle here, not {len(bundles)}", origin=str(Path(path)))
    return bundles[0]


def _promote_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog(parser)
    add_package(parser)
    parser.add_argument("--bundle", default="", metavar="BUNDLE", help="the entry (default: the head)")
    parser.add_argument(
        "--from", dest="source", required=True, metavar="CHANNEL", help="the channel that has the entry"
    )
    parser.add_argument(
        "--into", dest="target", required=True, metavar="CHANNEL", help="the channel that gets the entry"
    )
    _add_edges(parser, "default for this and the next two options: as in the old channel")
    add_edited_catalog(parser)


def _promote(options: argparse.Namespace) -> int:
    refuse_unwritable(options)
    catalog = load(options.catalog, index=False)
    changed = authoring.promote(
        catalog, options.package, options.bundle, options.source, options.target, _edges(options)
    )
    return put_edited(catalog, changed, options)


def _edge_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog(parser)
    add_package(parser)
    parser.add_argument("--channel", required=True, metavar="CHANNEL", help="the channel of the entry")
    parser.add_argument("--bundle", required=True, metavar="BUNDLE", help="the entry whose edges change")
    _add_edges(parser, "default for this and the next two options: no change")
    add_edited_catalog(parser)


def _edge(options: argparse.Namespace) -> int:
    refuse_unwritable(options)
    edges = _edges(options)
    if edges == authoring.EntryEdges():
        options.refuse("nothing to set: --replaces, --skips or --skip-range is needed")
    catalog = load(options.catalog, index=False)
    changed = authoring.set_edges(catalog, options.package, options.channel, options.bundle, edges)
    return put_edited(catalog, changed, options)


def _remove_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog(parser)
    add_package(parser)
    parser.add_argument(
        "--channel",
        dest="channels",
        action="append",
        default=[],
        metavar="CHANNEL",
        help="remove this channel; or with --bundle or --versions, their entries in this channel only; can be repeated",
    )
    parser.add_argument(
        "--bundle",
        dest="bundles",
        action="append",
        default=[],
        metavar="BUNDLE",
        help="remove this bundle; can be repeated",
    )
    parser.add_argument(
        "--versions", default="", metavar="RANGE", help='remove the bundles of these versions (example: "<1.2.0")'
    )
    parser.add_argument(
        "--reconnect",
        action="store_true",
        help="let the entry above the removed ones replace the entry below, and skip the removed ones",
    )
    add_edited_catalog(parser)


def _remove(options: argparse.Namespace) -> int:
    refuse_unwritable(options)
    catalog = load(options.catalog, index=False)
    changed = authoring.remove_from_catalog(
        catalog,
        options.package,
        channels=options.channels,
        bundles=options.bundles,
        versions=options.versions,
        reconnect=options.reconnect,
    )
    return put_edited(catalog, changed, options)


def _set_default_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog(parser)
    add_package(parser)
    parser.add_argument("--channel", required=True, metavar="CHANNEL", help="the new default channel")
    add_edited_catalog(parser)


def _set_default(options: argparse.Namespace) -> int:
    refuse_unwritable(options)
    catalog = load(options.catalog, index=False)
    return put_edited(catalog, authoring.set_default_channel(catalog, options.package, options.channel), options)


def _deprecate_arguments(parser: argparse.ArgumentParser) -> None:
    add_catalog(parser)
    add_package(parser)
    parser.add_argument(
        "--channel", default="", metavar="CHANNEL", help="deprecate this channel instead of the package"
    )
    parser.add_argument("--bundle", default="", metavar="BUNDLE", help="deprecate this bundle instead of the package")
    parser.add_argument("--message", required=True, metavar="TEXT", help='what to do instead; "" ends the deprecation')
    add_edited_catalog(parser)


def _deprecate(options: argparse.Namespace) -> int:
    refuse_unwritable(options)
    catalog = load(options.catalog, index=False)
    changed = authoring.deprecate(
        catalog, options.package, options.message, channel=options.channel, bundle=options.bundle
    )
    return put_edited(catalog, changed, options)


_CODES: Final = """\
exit codes:
  0  the diff is shown, or the files or the new catalog are written
  2  bad input: the catalog cannot be read or written, or would become invalid"""
_ADD_EXAMPLES: Final = f"""\
example:
  olmsolve catalog add catalogs/commons --channel stable \\
                       --bundle authoring/bundles/keyring-1.1.0 \\
                       --image registry.example.com/keyring:v1.1.0

{_CODES}"""
_PROMOTE_EXAMPLES: Final = f"""\
example:
  olmsolve catalog promote catalogs/commons --package courier --from stable \\
                           --into fast

{_CODES}"""
_EDGE_EXAMPLES: Final = f"""\
example:
  olmsolve catalog edge catalogs/commons --package keyring --channel stable \\
                        --bundle keyring.v1.0.2 --replaces '' \\
                        --skips keyring.v1.0.1

{_CODES}"""
_REMOVE_EXAMPLES: Final = f"""\
examples:
  olmsolve catalog remove catalogs/orchard --package parcels
  olmsolve catalog remove catalogs/orchard --package storefront \\
                          --bundle storefront.v1.4.1 --reconnect

{_CODES}"""
_SET_DEFAULT_EXAMPLES: Final = f"""\
example:
  olmsolve catalog set-default catalogs/orchard --package storefront \\
                               --channel 1.x

{_CODES}"""
_DEPRECATE_EXAMPLES: Final = f"""\
examples:
  olmsolve catalog deprecate catalogs/orchard --package parcels \\
                             --message 'parcels has moved on'
  olmsolve catalog deprecate catalogs/orchard --package storefront \\
                             --channel 1.x --message old --write

{_CODES}"""

EDITING: Final[Mapping[str, Action]] = {
    "add": Action(
        "add bundles to channels, with the edges that they state or that are given", _add_arguments, _add, _ADD_EXAMPLES
    ),
    "promote": Action(
        "add an entry of one channel, with the entries below it, to another one",
        _promote_arguments,
        _promote,
        _PROMOTE_EXAMPLES,
    ),
    "edge": Action(
        "change the edges of an entry: the entries that it replaces and skips", _edge_arguments, _edge, _EDGE_EXAMPLES
    ),
    "remove": Action(
        "remove a package, channels or bundles; the rest stays valid", _remove_arguments, _remove, _REMOVE_EXAMPLES
    ),
    "set-default": Action(
        "change the default channel of a package", _set_default_arguments, _set_default, _SET_DEFAULT_EXAMPLES
    ),
    "deprecate": Action(
        "deprecate a package, a channel or a bundle, or end its deprecation",
        _deprecate_arguments,
        _deprecate,
        _DEPRECATE_EXAMPLES,
    ),
}
