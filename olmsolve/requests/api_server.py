"""The API server of a cluster, read through the official Kubernetes client: GET alone, in pages, within limits.

The client (the extra ``live``) knows kubeconfigs, their contexts, certificates and programs that give credentials, and
service accounts of pods. Nothing else of it is used: its models would drop fields that they do not know.
"""

from __future__ import annotations

import importlib
import json
import os
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, Final, Protocol
from urllib.parse import urlencode

from olmsolve._limits import check, current
from olmsolve.catalog.archives import TOTAL_BYTES
from olmsolve.errors import RequestError
from olmsolve.requests.documents import LIVE

# Objects in one answer: a thousand operators of 20 KB are 20 MB.
_PAGE: Final = 500
# Bytes of one answer to a list: a page of the largest definitions that there are has a tenth of it.
_PAGE_BYTES: Final = 512 << 20
_PIECE: Final = 1 << 16
# Seconds that an API server may be silent.
_SILENT: Final = 60.0
_GONE: Final = 410
_OK: Final = 200
_SAID: Final = 2000


class ServerRefusal(Exception):  # noqa: N818 - an answer, and no error until somebody needs the object
    """The API server's answer *status*, which has no object, and what it says."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _ServerAnswer(Protocol):
    """The part of an answer of urllib3, on which the client stands, that is used here."""

    status: int

    def stream(self, amt: int) -> Iterator[bytes]: ...
    def release_conn(self) -> None: ...


class ApiServer:
    """The API server of *context* of the kubeconfig; "" is the current one, or that of the pod that this runs in.

    Raises:
        RequestError: the client is not installed, or there is no such context.
    """

    def __init__(self, context: str = "") -> None:
        self.name: Final = f"{LIVE}:{context}" if context else LIVE
        client, config = _client_modules(self.name)
        exceptions: Any = importlib.import_module("kubernetes.client.rest").urllib3.exceptions
        self._errors: Final[type[Exception]] = exceptions.HTTPError
        self._unverified: Final[type[Warning]] = exceptions.InsecureRequestWarning
        try:
            try:
                # The client itself looks at the variable once, when it is loaded.
                file = os.environ.get("KUBECONFIG") or None
                api = config.new_client_from_config(config_file=file, context=context or None)
            except config.ConfigException:
                if context:
                    raise
                configuration = client.Configuration()
                config.load_incluster_config(client_configuration=configuration)
                api = client.ApiClient(configuration)
        except (config.ConfigException, OSError, ValueError, TypeError, KeyError) as error:
            said = str(error).strip() or type(error).__name__
            hint = "kubectl config get-contexts lists the contexts; KUBECONFIG names the file"
            raise RequestError(f"there is no such cluster: {said}", source=self.name, hint=hint) from None
        self._configuration = api.configuration
        self._pool = api.rest_client.pool_manager

    def pieces(self, path: str, query: Mapping[str, str] | None = None, most: int = TOTAL_BYTES) -> Iterator[bytes]:
        """Yield the content of *path* in pieces, at most so many bytes.

        Raises:
            ServerRefusal: the server answers with another status than 200.
            RequestError: the server cannot be reached, or sends more.
            Incomplete: a limit was met, or the caller cancelled.
        """
        url = f"{self._configuration.host.rstrip('/')}{path}{f'?{urlencode(query)}' if query else ''}"
        headers = {"Accept": "application/json", "User-Agent": "olmsolve"}
        left = current().seconds_left()
        try:
            for setting in self._configuration.auth_settings().values():
                if setting["in"] == "header" and setting["value"]:
                    headers[setting["key"]] = setting["value"]
            with warnings.catch_warnings():
                # A kubeconfig may say that the certificate is not to be checked: its owner knows.
                warnings.simplefilter("ignore", self._unverified)
                answer: _ServerAnswer = self._pool.request(
                    "GET",
                    url,
                    headers=headers,
                    preload_content=False,
                    redirect=False,
                    retries=False,
                    timeout=_SILENT if left is None else min(left, _SILENT),
                )
            try:
                size = 0
                if answer.status != _OK:
                    raise ServerRefusal(answer.status, _said(b"".join(_first(answer.stream(_PIECE)))))
                for piece in answer.stream(_PIECE):
                    check()
                    size += len(piece)
                    if size > most:
                        raise RequestError(f"{path} has more than {most:,} bytes", source=self.name)
                    yield piece
            finally:
                answer.release_conn()
        except self._errors as error:
            check()
            raise RequestError(f"the API server cannot be reached: {_words(error)}", source=self.name) from None

    def listed(self, path: str) -> Mapping[str, Any]:
        """Return the list at *path* with all of its items, which are asked for in pages.

        Raises:
            ServerRefusal: the server refuses.
            RequestError: the server cannot be reached, or its answer is no list.
        """
        try:
            return self._pages(path, _PAGE)
        except ServerRefusal as refusal:
            if refusal.status != _GONE:
                raise
        # The pages have become too old while they were read: all at once cannot.
        return self._pages(path, 0)

    def _pages(self, path: str, size: int) -> Mapping[str, Any]:
        items: list[Any] = []
        query = {"limit": str(size)} if size else {}
        while True:
            page = self._document(path, query)
            more, metadata = page.get("items"), page.get("metadata")
            if not isinstance(more, list):
                raise RequestError(f"{path} is no list of objects", source=self.name)
            items += more
            token = metadata.get("continue") if isinstance(metadata, Mapping) else None
            if not token:
                return {**page, "items": items}
            query["continue"] = str(token)

    def _document(self, path: str, query: Mapping[str, str]) -> Mapping[str, Any]:
        data = b"".join(self.pieces(path, query, _PAGE_BYTES))
        try:
            content = json.loads(data)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            raise RequestError(f"{path} is no JSON object: this is no API server", source=self.name)
        return content


def _client_modules(name: str) -> tuple[Any, Any]:
    """Return the modules ``client`` and ``config`` of the Kubernetes client. Raises RequestError without them."""
    try:
        return importlib.import_module("kubernetes.client"), importlib.import_module("kubernetes.config")
    except ImportError:
        hint = "pip install 'olmsolve[live]'"
        raise RequestError("a running cluster needs the Kubernetes client", source=name, hint=hint) from None


def _first(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the first of *pieces*, enough for a message."""
    size = 0
    for piece in pieces:
        yield piece
        size += len(piece)
        if size > _SAID:
            return


def _said(data: bytes) -> str:
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
