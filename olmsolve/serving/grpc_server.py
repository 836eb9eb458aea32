"""The registry API over gRPC, with grpcio: for OLM classic, and for every program that asks ``opm serve``."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from olmsolve.errors import RequestError
from olmsolve.serving.registry import CALLS, NotServedError
from olmsolve.serving.served_catalog import ServedCatalog
from olmsolve.serving.wire import texts

_HEALTH: Final = "grpc.health.v1.Health"
# The message HealthCheckResponse with the status SERVING: field 1 (1 << 3 | 0 == 8) is 1.
_SERVING: Final = b"\x08\x01"
_THREADS: Final = 64  # calls that are answered at one time
_CALLS: Final = 256
"""Calls at one time, those that wait for a thread included; others are refused (RESOURCE_EXHAUSTED)."""
_STALLED: Final = 30.0
"""Seconds that a client may take for one message of an answer: it holds a thread meanwhile."""
_REQUEST_BYTES: Final = 1 << 16
"""Bytes of a request, which has some names."""
_GRACE: Final = 1.0
"""Seconds that calls under way have to end."""
_TRIES: Final = 20  # two seconds in all, as _PAUSE says
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
        self._stalled = _StalledCalls()
        shown = f"[{address}]" if ":" in address else address
        self.port: int
        self._server, self.port = self._listening(shown, port)
        if not self.port:
            raise RequestError(f"{shown}:{port} cannot be listened on", field="grpc_port", hint="is the port taken?")
        self.address: str = f"{shown}:{self.port}"
        self._host = shown

    def _listening(self, host: str, port: int) -> tuple[Any, int]:
        """Return a new server, and the port that it has; 0 if it got none."""
        server = self._grpc.server(
            ThreadPoolExecutor(_THREADS),
            handlers=self._handlers(),
            maximum_concurrent_rpcs=_CALLS,
            # Two servers on one port would share its requests.
            options=[("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", _REQUEST_BYTES)],
        )
        try:
            return server, server.add_insecure_port(f"{host}:{port}")
        except RuntimeError:
            return server, 0

    def start(self) -> None:
        """Answer from now on, in threads of the server."""
        self._stalled.start()
        self._server.start()

    def stop(self) -> None:
        """Take no more calls, and wait for running calls to end."""
        self._server.stop(_GRACE).wait()
        self._stalled.stop()

    def reconnect(self) -> None:
        """Close every connection, and listen on the same port once more.

        OLM keeps what it read of a catalog until the connection changes, which it does when the pod of ``opm`` is
        replaced. As recorded of a cluster: without this, a changed catalog brings no update for minutes.

        Raises:
            RequestError: another program took the port at this moment.
        """
        self._server.stop(_GRACE).wait()
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
                for message in self._served.now.registry.call(name, texts(data)):
                    # The server takes the next message once the client has room for it.
                    self._stalled.wait_for(context)
                    yield message
                    self._stalled.forget(context)
            except NotServedError as error:
                self._served.counts.count("grpc", name, "UNKNOWN")
                context.abort(self._grpc.StatusCode.UNKNOWN, str(error))
            except ValueError as error:
                self._served.counts.count("grpc", name, "INTERNAL")
                context.abort(self._grpc.StatusCode.INTERNAL, f"the request cannot be read: {error}")
            else:
                self._served.counts.count("grpc", name, "OK")

        return answer


class _StalledCalls:
    """The calls that wait for their clients, and a thread that ends calls that wait too long.

    A client that takes one message and no more would hold a thread of the server for ever.
    """

    def __init__(self) -> None:
        self._waiting: dict[int, tuple[float, Any]] = {}
        self._is_over = threading.Event()

    def start(self) -> None:
        """Look at the calls from now on."""
        threading.Thread(target=self._look, name="stalled calls", daemon=True).start()

    def stop(self) -> None:
        """End the thread."""
        self._is_over.set()

    def wait_for(self, context: Any) -> None:
        """Note that the call of *context* waits from now on."""
        # Single assignments to a dict need no lock.
        self._waiting[id(context)] = time.monotonic() + _STALLED, context

    def forget(self, context: Any) -> None:
        """Note that the call of *context* waits no more."""
        self._waiting.pop(id(context), None)

    def _look(self) -> None:
        while not self._is_over.wait(min(1.0, _STALLED)):
            now = time.monotonic()
            for end, context in list(self._waiting.values()):
                if now >= end:
                    self.forget(context)
                    context.cancel()
