"""``olmsolve path``: the updates from an installed bundle to the newest or a wanted one."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any, Final

import olmsolve
from olmsolve import render
from olmsolve.cli.catalogs import load
from olmsolve.cli.exits import Exit
from olmsolve.cli.options import add_output
from olmsolve.cli.streams import show

DESCRIPTION: Final = """\
Tell the updates that lead from an installed bundle to the newest, or to a wanted one.

Either of a package in a catalog, for OLM v1 or classic, or of a request to OLM v1 (a document,
described in docs/v1.md) with all that it allows."""

EXAMPLES: Final = """\
examples:
  olmsolve path catalogs/community storefront --from storefront.v1.0.0
  olmsolve path catalogs/community storefront --from storefront.v1.0.0 --olm classic --channel stable
  olmsolve path request.yaml --to 2.1.0 --shortest

exit codes:
  0  the path gets there
  1  it does not
  2  bad input: a catalog, a request or an argument"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the catalog and the package, or the request, and where the path begins and ends."""
    parser.add_argument("source", metavar="CATALOG|REQUEST", help="a catalog, or a request to OLM v1")
    parser.add_argument("package", metavar="PACKAGE", nargs="?", help="the package, where a catalog is given")
    parser.add_argument(
        "--from",
        dest="installed",
        metavar="BUNDLE[=VERSION]",
        help="the installed bundle, with its version where the catalog does not have it any more"
        " (example: storefront.v1.0.0)",
    )
    parser.add_argument("--to", default="", metavar="BUNDLE|VERSION", help="where to get (default: as far as possible)")
    parser.add_argument(
        "--channel",
        dest="channels",
        action="append",
        default=[],
        metavar="NAME",
        help="an allowed channel; OLM v1 takes any number of them, by default all, classic one, by default that"
        " of the package (example: stable)",
    )
    parser.add_argument("--olm", choices=("v1", "classic"), default="v1", help="whose rules count (default: v1)")
    parser.add_argument(
        "--shortest",
        dest="mode",
        action="store_const",
        const="shortest",
        default="controller",
        help="take the fewest steps, not the steps that the controller would take by itself",
    )
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Look for the path that *options* describe, print it, and return the exit code."""
    path = _of_request(options) if options.package is None else _of_package(options)
    show(options.output, text=partial(render.path_text, path), data=lambda: path)
    return Exit.PLAN if path["reached"] else Exit.UNSATISFIABLE


def _of_request(options: argparse.Namespace) -> dict[str, Any]:
    if options.installed is not None or options.channels or options.olm == "classic":
        options.refuse("--from, --channel and --olm go with a catalog and a package, not with a request")
    situation = olmsolve.read_situation(sys.stdin.buffer if options.source == "-" else options.source, load=load)
    extensions = [each for each in situation.questions if isinstance(each, olmsolve.requests.ExtensionQuestion)]
    if len(situation.questions) != 1 or not extensions:
        raise olmsolve.RequestError("a path needs a request for one extension", hint="or a catalog and a package")
    request = extensions[0].request()
    return olmsolve.v1.path(request, to=options.to, mode=options.mode).to_dict()


def _of_package(options: argparse.Namespace) -> dict[str, Any]:
    if options.installed is None:
        options.refuse("--from says what is installed, and is needed")
    if options.olm == "classic" and len(options.channels) > 1:
        options.refuse("a classic subscription has one channel")
    catalog = load(options.source)
    package = catalog.packages.get(options.package)
    if package is None:
        raise olmsolve.RequestError(f"the catalog has no package {options.package!r}", field="PACKAGE")
    name, _, version = options.installed.partition("=")
    if options.olm == "classic":
        channel = options.channels[0] if options.channels else ""
        # A bundle that the catalog has needs no version: the catalog says it.
        given = olmsolve.semver.Version.parse_tolerant(version) if version else None
        return olmsolve.classic.path(
            package, name, version=given, channel=channel, to=options.to, mode=options.mode
        ).to_dict()
    extension = olmsolve.v1.Extension(package.name, channels=options.channels)
    installed = olmsolve.v1.InstalledBundle(name, version or _version(package, name))
    request = olmsolve.v1.ExtensionRequest(extension, [olmsolve.v1.ClusterCatalog(options.source, catalog)], installed)
    return olmsolve.v1.path(request, to=options.to, mode=options.mode).to_dict()


def _version(package: olmsolve.catalog.Package, name: str) -> str:
    """Return the version of the bundle *name* as OLM v1 would have recorded it."""
    bundle = package.bundles.get(name)
    if bundle is None:
        hint = "--from NAME=VERSION says the version of a bundle that the catalog no longer has"
        raise olmsolve.RequestError("the package has no such bundle", field=f"--from {name}", hint=hint)
    try:
        return str(olmsolve.v1.version_of(name, bundle.properties, release_support=False).legacy_version)
    except olmsolve.VersionError as error:
        raise olmsolve.RequestError(error.reason, field=f"--from {name}") from None
