"""The API server of a cluster, read through the official Kubernetes client: GET alone, in pages, within limits.

The client (the extra ``live``) knows kubeconfigs, their contexts, certificates and programs that give credentials, and
service accounts of pods. Nothing else of it is used: its models would drop fields that they do not know.

A request runs in a thread, and whoever waits for its answer looks at the limits meanwhile. The client's library
(urllib3) gives each read of a socket a time, and a server that sends a byte now and then starts it anew: a header may
take for ever. So the thread puts what comes into a queue, and the connection is shut down when the answer is not wanted
any more::

    thread   request  status  piece  piece ...        (each put into the queue, which holds a few)
    caller   tick     tick    status tick   piece     (each wait ends with the limits)

A connection is closed before its last word reaches the caller, and is not used again: the next request could get one
that this thread, or a server that answers once, is about to close.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import queue
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlencode

from olmsolve._limits import check
from olmsolve._version import __version__
from olmsolve._waiting import awaited
from olmsolve.catalog.archives import TOTAL_BYTES
from olmsolve.catalog.fbc import DOCUMENT, read_documents
from olmsolve.catalog.hosts import HostTime
from olmsolve.errors import CatalogError, RequestError
from olmsolve.requests.documents import LIVE

# Bytes of one read: the queue of 16 pieces holds a megabyte, however large the answer is.
_PIECE: Final = 1 << 16
_WAITING: Final = 16  # pieces that were read and not taken
_TICK: Final = 0.05  # seconds between two looks at whether anybody still takes pieces
# Seconds of one connection and of one read: the clock of whoever waits is narrower.
_SECONDS: Final = 60.0
# Seconds that a thread has for its end once its connections are shut down; one that is connecting needs longer.
_ENDING: Final = 0.1


class _Connecting(threading.local):
    """The connections that a thread uses."""

    def __init__(self) -> None:
        self.connections: list[Any] = []


_OF_THREAD: Final = _Connecting()


def note_connections(pool: Any, url: str, *, is_verified: bool) -> None:
    """Let the connections of *pool*, a pool manager of urllib3, to the host of *url* be shut down from other threads.

    Where a kubeconfig says that the certificate is not to be checked (*is_verified* is False), its owner knows: the
    library warns no more.
    """
    hosts = pool.connection_from_url(url)

    class NotedConnection(hosts.ConnectionCls):  # type: ignore[misc, name-defined]
        """A connection that its thread knows."""

        def connect(self) -> None:
            super().connect()
            self.is_verified |= not is_verified
            _OF_THREAD.connections.append(self)

        def request(self, *arguments: Any, **settings: Any) -> None:
            # A connection may be used again, which connects no more.
            _OF_THREAD.connections.append(self)
            super().request(*arguments, **settings)

    # The pool makes its connections of this class, which is how the socket of a running request is found.
    hosts.ConnectionCls = NotedConnection


class ServerRequest:
    """A GET of *url* with *headers* over *pool*, whose connections are noted (:func:`note_connections`).

    It must be closed.
    """

    def __init__(self, pool: Any, url: str, headers: Mapping[str, str]) -> None:
        self._pool = pool
        self._url = url
        self._headers = headers
        self._queue: queue.Queue[int | bytes | Exception] = queue.Queue(_WAITING)
        self._is_over = threading.Event()
        self._connections: list[Any] = []
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def status(self, time: HostTime) -> int:
        """Return the status of the answer. Raises what the library raises, TimeoutError and Incomplete."""
        code = self._next(time)
        assert isinstance(code, int), "the status comes first"
        return code

    def pieces(self, time: HostTime) -> Iterator[bytes]:
        """Yield the content. Raises what the library raises, TimeoutError and Incomplete."""
        time.begin_content()
        while piece := self._next(time):
            assert isinstance(piece, bytes), "the content comes after the status"
            yield piece

    def _next(self, time: HostTime) -> int | bytes:
        check()
        piece: int | bytes | Exception | None = None
        with suppress(queue.Empty):
            # What came while the caller worked did come, however long that took.
            piece = self._queue.get_nowait()
        while piece is None:
            with suppress(queue.Empty):
                piece = self._queue.get(timeout=time.tick())
        time.heard()
        if isinstance(piece, Exception):
            raise piece
        return piece

    def close(self) -> None:
        """End the thread: nobody waits for its answer."""
        if self._is_over.is_set():
            return
        self._is_over.set()
        for connection in list(self._connections):
            wire = getattr(connection, "sock", None)
            if wire is not None:
                with suppress(OSError):
                    wire.shutdown(socket.SHUT_RDWR)
        self._thread.join(_ENDING)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _work(self) -> None:
        _OF_THREAD.connections = self._connections
        try:
            self._receive()
        except Exception as error:  # noqa: BLE001 - raised in the thread that waits
            self._close_connections()
            self._put(error)

    def _close_connections(self) -> None:
        while self._connections:
            self._connections.pop().close()

    def _receive(self) -> None:
        answer = self._pool.request(
            "GET",
            self._url,
            headers=self._headers,
            # A redirect would send the headers, credentials among them, to another host; retries would take more time.
            preload_content=False,
            redirect=False,
            retries=False,
            timeout=_SECONDS,
        )
        try:
            is_wanted = self._put(answer.status)
            for piece in answer.stream(_PIECE, decode_content=False) if is_wanted else ():
                if piece and not self._put(piece):
                    return
        finally:
            answer.close()
            self._close_connections()
        self._put(b"")

    def _put(self, received: int | bytes | Exception) -> bool:
        """Put *received* into the queue once there is room; return False if nobody waits for it any more."""
        while not self._is_over.is_set():
            with suppress(queue.Full):
                self._queue.put(received, timeout=_TICK)
                return True
        return False


# Objects in one answer: a thousand operators of 20 KB are 20 MB.
_PAGE: Final = 500
# Bytes of one page, which is one document; one that has more is asked for again with fewer objects.
_PAGE_BYTES: Final = DOCUMENT
# Bytes of all lists of a cluster: ten thousand copies of operators are 600 MB.
_LISTS_BYTES: Final = 1 << 30
# Pages of one list: a server may send empty ones for ever.
_PAGES: Final = 10_000
# The status of a page of a list whose continuation has expired: the list begins anew (API Concepts, "Retrieving large
# results sets in chunks").
_GONE: Final = 410
_OK: Final = 200
_SAID: Final = 2000  # bytes of a refusal that a message quotes


class ServerRefusal(Exception):  # noqa: N818 - an answer, and no error until somebody needs the object
    """The API server's answer *status*, which has no object, and what it says."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class TooMuchError(RequestError):
    """The server has sent more than there may be."""


class ApiServer:
    """The API server of *context* of the kubeconfig; "" is the current context, or the pod that this runs in.

    Raises:
        RequestError: the client is not installed, or there is no such context.
    """

    def __init__(self, context: str = "") -> None:
        self.name: Final = f"{LIVE}:{context}" if context else LIVE
        # The client is large: importing it from a cold disk takes seconds.
        client, config = awaited(lambda: _client_modules(self.name))
        exceptions: Any = importlib.import_module("kubernetes.client.rest").urllib3.exceptions
        self._errors: Final[type[Exception]] = exceptions.HTTPError
        self._time = HostTime()
        self._left = _LISTS_BYTES
        # By header, as kubectl sends it; the client passes over it, and would answer with more rights than kubectl.
        self._impersonated: dict[str, str] = {}

        def opened() -> Any:
            try:
                # The client itself looks at the variable once, when it is loaded.
                file = os.environ.get("KUBECONFIG") or None
                api = config.new_client_from_config(config_file=file, context=context or None)
                self._impersonated.update(_impersonation(config, file, context))
                return api
            except config.ConfigException:
                if context:
                    raise
                configuration = client.Configuration()
                config.load_incluster_config(client_configuration=configuration)
                return client.ApiClient(configuration)

        try:
            # A kubeconfig may name programs and hosts that give credentials.
            api = awaited(opened)
        except (config.ConfigException, OSError, ValueError, TypeError, KeyError) as error:
            said = str(error).strip() or type(error).__name__
            hint = "kubectl config get-contexts lists the contexts; KUBECONFIG names the file"
            raise RequestError(f"there is no such cluster: {said}", source=self.name, hint=hint) from None
        self._configuration = api.configuration
        self._pool = api.rest_client.pool_manager
        note_connections(self._pool, self._configuration.host, is_verified=self._configuration.verify_ssl)

    def pieces(self, path: str, query: Mapping[str, str] | None = None, most: int = TOTAL_BYTES) -> Iterator[bytes]:
        """Yield the content of *path* in pieces, at most *most* bytes in all.

        Raises:
            ServerRefusal: the server answers with another status than 200.
            RequestError: the server cannot be reached, takes too long, or sends more than *most* bytes.
            Incomplete: a limit was met, or the caller cancelled.
        """
        url = f"{self._configuration.host.rstrip('/')}{path}{f'?{urlencode(query)}' if query else ''}"
        size = 0
        try:
            headers = awaited(self._headers)
            self._time.begin_answer()
            with ServerRequest(self._pool, url, headers) as answer:
                status = answer.status(self._time)
                if status != _OK:
                    raise ServerRefusal(status, _status_message(b"".join(_first(answer.pieces(self._time)))))
                for piece in answer.pieces(self._time):
                    size += len(piece)
                    if size > most:
                        raise TooMuchError(f"{path} has more than {most:,} bytes", source=self.name)
                    yield piece
        except TimeoutError as error:
            raise RequestError(f"the API server takes too long: {error}", source=self.name) from None
        except self._errors as error:
            raise RequestError(f"the API server cannot be reached: {_words(error)}", source=self.name) from None

    def _headers(self) -> dict[str, str]:
        """Return the headers of a request; the client may renew credentials for it, by programs and other hosts."""
        headers = {"Accept": "application/json", "User-Agent": f"olmsolve/{__version__}"}
        headers.update(self._impersonated)
        for setting in self._configuration.auth_settings().values():
            if setting["in"] == "header" and setting["value"]:
                headers[setting["key"]] = setting["value"]
        return headers

    def listed(self, path: str, *, name: str = "") -> Mapping[str, Any]:
        """Return the list at *path*, fetched in pages, with all items or only the item called *name*.

        Raises:
            ServerRefusal: the server refuses.
            RequestError: the server cannot be reached, or its answer is no list, or one without end.
        """
        try:
            return self._pages(path, _PAGE, name)
        except ServerRefusal as refusal:
            if refusal.status != _GONE:
                raise
        # The pages have become too old while they were read: all at once cannot.
        return self._pages(path, 0, name)

    def _pages(self, path: str, size: int, name: str) -> Mapping[str, Any]:
        items: list[Mapping[str, Any]] = []
        query = {"limit": str(size)} if size else {}
        query |= {"fieldSelector": f"metadata.name={name}"} if name else {}
        for _ in range(_PAGES):
            try:
                page = self._document(path, query)
            except TooMuchError:
                if size <= 1:
                    raise
                # Definitions have up to a megabyte each: fewer of them at once.
                size = max(size // 8, 1)
                query["limit"] = str(size)
                continue
            listed, metadata = page.get("items"), page.get("metadata")
            if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
                raise RequestError(f"{path} is not a list of objects", source=self.name)
            items += map(_without_managers, listed)
            token = metadata.get("continue") if isinstance(metadata, Mapping) else None
            if not token:
                return {**page, "items": items}
            query["continue"] = str(token)
        raise RequestError(f"{path} has more than {_PAGES:,} pages", source=self.name)

    def _document(self, path: str, query: Mapping[str, str]) -> Mapping[str, Any]:
        data = b"".join(self.pieces(path, query, min(_PAGE_BYTES, self._left)))
        self._left -= len(data)
        try:
            # The reader of files knows what harms; it would take other texts for YAML.
            documents = list(read_documents(io.BytesIO(data), path)) if data.lstrip().startswith(b"{") else []
        except CatalogError as error:
            raise RequestError(f"{path} cannot be read: {error.reason}", source=self.name) from None
        if len(documents) != 1:
            raise RequestError(f"{path} is not a JSON object: this is not an API server", source=self.name)
        return documents[0].value


def _without_managers(manifest: dict[str, Any]) -> Mapping[str, Any]:
    """Return the object *manifest* without the managers of its fields: half of its text, on which no answer depends."""
    metadata = manifest.get("metadata")
    if isinstance(metadata, dict):
        metadata.pop("managedFields", None)
    return manifest


def _client_modules(name: str) -> tuple[Any, Any]:
    """Return the modules ``client`` and ``config`` of the Kubernetes client. Raises RequestError without them."""
    try:
        return importlib.import_module("kubernetes.client"), importlib.import_module("kubernetes.config")
    except ImportError:
        hint = "pip install 'olmsolve[live]'"
        raise RequestError("a running cluster needs the Kubernetes client", source=name, hint=hint) from None


def _impersonation(config: Any, file: str | None, context: str) -> dict[str, str]:
    """Return the headers of the user that *context* acts as (``as`` and ``as-uid`` of its user), or none.

    Raises:
        RequestError: it acts as a member of groups, or with extra fields, which this client cannot send.
    """
    contexts, active = config.list_kube_config_contexts(config_file=file)
    chosen = next((listed for listed in contexts if listed["name"] == context), active)
    name = chosen["context"].get("user")
    if not name:
        return {}
    merged = config.kube_config.KubeConfigMerger(file or config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION).config
    user = merged["users"].get_with_name(name).value.get("user") or {}
    several = [key for key in ("as-groups", "as-user-extra") if user.get(key)]
    if several:
        reason = f"{' and '.join(several)} of user {name} cannot be sent, and without it more might be read"
        raise RequestError(reason, source=file or "", hint="use a context that only names a user")
    headers = {"Impersonate-User": user.get("as"), "Impersonate-Uid": user.get("as-uid")}
    return {header: str(value) for header, value in headers.items() if value}


def _first(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the first of *pieces*, enough for a message."""
    size = 0
    for piece in pieces:
        yield piece
        size += len(piece)
        if size > _SAID:
            return


def _status_message(data: bytes) -> str:
    """Return the message of a Status of Kubernetes, or the text itself."""
    try:
        refusal = json.loads(data)
        message = refusal.get("message") if isinstance(refusal, dict) else None
    except (ValueError, RecursionError):
        message = None
    text = message if isinstance(message, str) else data[:_SAID].decode("utf-8", "replace")
    return " ".join(text.split())


def _words(error: BaseException) -> str:
    """Return the cause of *error* in a few words: urllib3 names its objects around it."""
    reason = getattr(error, "reason", None)
    text = str(reason if isinstance(reason, BaseException) else error)
    return text.rpartition(">: ")[2] or type(error).__name__
