"""The registry API over gRPC, with grpcio: for OLM classic, and for every program that asks ``opm serve``."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from olmsolve.errors import RequestError
from olmsolve.serving.registry import CALLS, NotServedError
from olmsolve.serving.served_catalog import ServedCatalog
from olmsolve.serving.wire import texts

_HEALTH: Final = "grpc.health.v1.Health"
_SERVING: Final = b"\x08\x01"
_THREADS: Final = 8
_GRACE: Final = 1.0
"""Seconds that calls under way have to end."""
_TRIES: Final = 20
_PAUSE: Final = 0.1
"""Seconds between tries to listen again: the port is given back after the last connection."""


class RegistryServer:
    """A server of the registry API of *served* at *address*; *port* 0 takes a free one.

    Raises :class:`~olmsolve.errors.RequestError` if grpcio is not installed, or the port cannot be taken.
    """

    def __init__(self, served: ServedCatalog, address: str, port: int) -> None:
        try:
            self._grpc: Any = importlib.import_module("grpc")
        except ImportError:
            reason = "the registry API needs grpcio, which is not installed"
            raise RequestError(reason, field="api", hint='pip install "olmsolve[serve]"') from None
        self._served = served
        shown = f"[{address}]" if ":" in address else address
        self._server, self.port = self._listening(shown, port)
        if not self.port:
            raise RequestError(f"{shown}:{port} cannot be listened on", field="grpc_port", hint="is the port taken?")
        self.address = f"{shown}:{self.port}"
        self._host = shown

    def _listening(self, host: str, port: int) -> tuple[Any, int]:
        """Return a new server, and the port that it has; 0 if it got none."""
        server = self._grpc.server(
            ThreadPoolExecutor(_THREADS),
            handlers=self._handlers(),
            # Two servers on one port would share its requests.
            options=[("grpc.so_reuseport", 0)],
        )
        try:
            return server, server.add_insecure_port(f"{host}:{port}")
        except RuntimeError:
            return server, 0

    def start(self) -> None:
        """Answer from now on, in threads of the server."""
        self._server.start()

    def stop(self) -> None:
        """Take no more calls, and wait for those under way."""
        self._server.stop(_GRACE).wait()

    def reconnect(self) -> None:
        """Close every connection, and listen on the same port once more.

        OLM keeps what it read of a catalog until the connection changes, which it does when the pod of ``opm`` is
        replaced. As recorded of a cluster: without this, a changed catalog brings no update for minutes.

        Raises:
            RequestError: another program took the port at this moment.
        """
        self.stop()
        for _ in range(_TRIES):
            self._server, port = self._listening(self._host, self.port)
            if port:
                self._server.start()
                return
            time.sleep(_PAUSE)
        raise RequestError(f"{self.address} cannot be listened on again", field="grpc_port", hint="is the port taken?")

    def _handlers(self) -> list[Any]:
        make = self._grpc.method_handlers_generic_handler
        health = self._grpc.unary_unary_rpc_method_handler(lambda _, __: _SERVING)
        return [make("api.Registry", {name: self._method(name) for name in CALLS}), make(_HEALTH, {"Check": health})]

    def _method(self, name: str) -> Any:
        # Bytes in and bytes out: without serialisers, grpcio leaves messages as they are.
        if CALLS[name].is_stream:
            return self._grpc.unary_stream_rpc_method_handler(self._answering(name))
        answer = self._answering(name)
        return self._grpc.unary_unary_rpc_method_handler(lambda data, context: next(answer(data, context)))

    def _answering(self, name: str) -> Callable[[bytes, Any], Iterator[bytes]]:
        def answer(data: bytes, context: Any) -> Iterator[bytes]:
            try:
                yield from self._served.now.registry.call(name, texts(data))
            except NotServedError as error:
                self._served.counts.count("grpc", name, "UNKNOWN")
                context.abort(self._grpc.StatusCode.UNKNOWN, str(error))
            except ValueError as error:
                self._served.counts.count("grpc", name, "INTERNAL")
                context.abort(self._grpc.StatusCode.INTERNAL, f"the request cannot be read: {error}")
            else:
                self._served.counts.count("grpc", name, "OK")

        return answer
