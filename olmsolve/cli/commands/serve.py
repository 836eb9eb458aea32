"""``olmsolve serve``: a catalog as clusters read it, over gRPC and HTTP."""

from __future__ import annotations

import argparse
import importlib.util
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import olmsolve
from olmsolve import serving
from olmsolve.cli.catalogs import load
from olmsolve.cli.options import add_catalog, seconds, whole_number
from olmsolve.cli.output import Exit, complain, harmless, write
from olmsolve.cli.parsers import one_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DESCRIPTION: Final = """\
Serve a catalog as clusters read it (docs/serve.md): to OLM classic and other clients of "opm serve" through the
registry API (gRPC, with the extra "serve"), to OLM v1 and other clients of catalogd over HTTP (/api/v1/all and
/api/v1/metas). A changed catalog replaces the old one if it is valid. Ctrl-C or SIGTERM ends the server."""

EXAMPLES: Final = """\
examples:
  olmsolve serve catalogs/orchard
  olmsolve serve catalogs/orchard --api http --http-port 0
  olmsolve serve catalogs/orchard --address 0.0.0.0 --grpc-port 50051

exit codes:
  0  served until it was ended
  2  bad input: the catalog cannot be read or is not valid, or a port is taken
  3  the catalog was not read within --timeout"""

_Server: TypeAlias = "serving.RegistryServer | serving.MetasServer"
_APIS: Final = ("grpc", "http")
_LARGEST_PORT: Final = 65535


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the catalog, the addresses, and how often files are looked at."""
    add_catalog(parser, "a folder, a file, an archive or an image")
    parser.add_argument(
        "--address",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="listen on this address (default: 127.0.0.1, which only this machine can reach)",
    )
    port = whole_number(0, _LARGEST_PORT)
    parser.add_argument(
        "--grpc-port", type=port, default=50051, metavar="PORT", help="the port of the registry API; 0 takes a free one"
    )
    parser.add_argument(
        "--http-port", type=port, default=8080, metavar="PORT", help="the port of catalogd's API; 0 takes a free one"
    )
    parser.add_argument("--api", type=one_of(_APIS), choices=_APIS, help="serve only this API")
    parser.add_argument(
        "--name", default="", metavar="NAME", help="the catalog's name in /catalogs/NAME (default: that of its path)"
    )
    parser.add_argument(
        "--poll",
        type=seconds,
        default=2.0,
        metavar="SECONDS",
        help="how often to look whether its files have changed (default: 2)",
    )
    # Serving has no end, so the command itself keeps no limit.
    parser.set_defaults(
        keeps_timeout=True, limited_work="reading the catalog may take, at the start and after each change"
    )


def run(options: argparse.Namespace) -> int:
    """Serve the catalog of *options* until a signal, and return the exit code."""

    def valid(path: str) -> olmsolve.Catalog:
        with olmsolve.limited(timeout=options.timeout):
            return _valid(path)

    if options.catalog == "-":
        options.refuse("standard input cannot be served: it cannot be read again when it changes")
    is_installed = importlib.util.find_spec("grpc") is not None
    wants_grpc = options.api == "grpc" or (options.api is None and is_installed)
    served = serving.ServedCatalog(options.catalog, valid)
    servers: list[_Server] = []
    if wants_grpc:
        grpc = serving.RegistryServer(served, options.address, options.grpc_port)
        servers.append(grpc)
        write(f"registry API (opm serve): {grpc.address}")
    elif options.api is None:
        complain('the registry API is not served: grpcio is not installed (pip install "olmsolve[serve]")')
    if options.api != "grpc":
        name = options.name or _name_of(options.catalog)
        http = serving.MetasServer(served, name, options.address, options.http_port)
        servers.append(http)
        write(f"catalogd's API: {http.address}/api/v1/all and {http.address}/catalogs/{harmless(name)}/api/v1/all")
    for server in servers:
        server.start()
    write(_contents(served))
    sys.stdout.flush()
    _serve_until_told(served, servers, options.poll)
    for server in servers:
        server.stop()
    for line in _counted(served.counts):
        write(line)
    return Exit.PLAN


def _valid(path: str) -> olmsolve.Catalog:
    """Return the catalog at *path*, which must be valid: opm serves no other, and OLM would read half of it."""
    errors = [
        finding for finding in olmsolve.validate(path, advice=False) if finding.severity is olmsolve.Severity.ERROR
    ]
    if errors:
        more = f" (and {len(errors) - 1} more errors)" if len(errors) > 1 else ""
        reason = f"is not valid: {errors[0]}{more}; olmsolve validate shows what to do"
        raise olmsolve.CatalogError(reason, origin=path)
    return load(path, index=False)


def _serve_until_told(served: serving.ServedCatalog, servers: Sequence[_Server], poll: float) -> None:
    """Take changed catalogs until SIGINT or SIGTERM."""
    stopping = threading.Event()

    def tell(*_: Any) -> None:
        stopping.set()

    before = {number: signal.signal(number, tell) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        while not stopping.wait(poll):
            try:
                if served.reload_if_changed():
                    for server in servers:
                        server.reconnect()
                    write(f"changed: {_contents(served)}")
                    sys.stdout.flush()
            except olmsolve.OlmsolveError as error:
                complain(f"{error}; the catalog before the change is still served")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _contents(served: serving.ServedCatalog) -> str:
    packages, bundles = served.now.registry.size
    many = "1 package" if packages == 1 else f"{packages} packages"
    entries = "1 entry" if bundles == 1 else f"{bundles} entries"
    return f"{many} with {entries} {'is' if packages == 1 else 'are'} served."


def _counted(counts: serving.RequestCounts) -> Iterator[str]:
    for (api, call, status), number in counts.items():
        yield f"{number} {api} {call} {status}"


def _name_of(path: str) -> str:
    """Return the name of a catalog from its *path*: without folders and suffixes."""
    return Path(path).resolve().name.partition(".")[0] or "catalog"
