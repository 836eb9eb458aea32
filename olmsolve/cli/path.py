"""``olmsolve path``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from olmsolve import classic, v1
from olmsolve.catalog import Catalog, Package, fbc
from olmsolve.cli.exits import Exit
from olmsolve.cli.progress import Progress
from olmsolve.cli.streams import style, write, write_data
from olmsolve.errors import RequestError, VersionError
from olmsolve.render import path_text
from olmsolve.requests import read_request
from olmsolve.semver import Version
from olmsolve.v1 import version_of

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Look for the path that *options* ask for, print it, and return the exit code."""
    with Progress(sys.stderr) as progress:

        def load(path: Path) -> Catalog:
            return fbc.load(path, progress=progress.reporter(str(path)))

        if options.package is None:
            document = _of_request(options, load)
        else:
            document = _of_package(options, load(Path(options.source)))
    if options.output == "text":
        layout = style()
        write(path_text(document, width=layout.width, colour=layout.colour))
    else:
        write_data(document, options.output)
    return Exit.PLAN if document["reached"] else Exit.UNSATISFIABLE


def _of_request(options: argparse.Namespace, load: Callable[[Path], Catalog]) -> dict[str, Any]:
    if options.installed is not None or options.channels or options.olm == "classic":
        options.refuse("--from, --channel and --olm go with a catalog and a package, not with a request")
    request = read_request(sys.stdin.buffer if options.source == "-" else options.source, load=load)
    if not isinstance(request, v1.ExtensionRequest):
        raise RequestError("a path needs a request for one extension", hint="or a catalog and a package")
    return v1.path(request, to=options.to, mode=options.mode).to_dict()


def _of_package(options: argparse.Namespace, catalog: Catalog) -> dict[str, Any]:
    if options.installed is None:
        options.refuse("--from says what is installed, and is needed")
    package = catalog.packages.get(options.package)
    if package is None:
        raise RequestError(f"the catalog has no package {options.package!r}", field="PACKAGE")
    name, _, version = options.installed.partition("=")
    if options.olm == "classic":
        if len(options.channels) > 1:
            options.refuse("a classic subscription has one channel")
        channel = options.channels[0] if options.channels else ""
        known = Version.parse_tolerant(version) if version else None
        return classic.path(package, name, version=known, channel=channel, to=options.to, mode=options.mode).to_dict()
    wish = v1.Extension(package.name, channels=options.channels)
    installed = v1.InstalledBundle(name, version or _version(package, name))
    request = v1.ExtensionRequest(wish, [v1.ClusterCatalog(options.source, catalog)], installed)
    return v1.path(request, to=options.to, mode=options.mode).to_dict()


def _version(package: Package, name: str) -> str:
    """The version of the bundle *name* as OLM v1 would have recorded it."""
    bundle = package.bundles.get(name)
    if bundle is None:
        hint = "--from NAME=VERSION says the version of a bundle that the catalog no longer has"
        raise RequestError("the package has no such bundle", field=f"--from {name}", hint=hint)
    try:
        return str(version_of(name, bundle.properties, release_support=False).legacy_version)
    except VersionError as error:
        raise RequestError(error.reason, field=f"--from {name}") from None
