"""Messages of the registry API as values: a second reading of protocol buffers, and a client of any server."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable
from typing import Any, Final

Layout = dict[int, Any]

_DEPRECATION: Final[Layout] = {1: "message"}
_API: Final[Layout] = {1: "group", 2: "version", 3: "kind", 4: "plural"}
_TYPED: Final[Layout] = {1: "type", 2: "value"}
_ENTRY: Final[Layout] = {1: "packageName", 2: "channelName", 3: "bundleName", 4: "replaces"}
_CHANNEL: Final[Layout] = {1: "name", 2: "csvName", 3: ("deprecation", _DEPRECATION, False)}
_PACKAGE: Final[Layout] = {
    1: "name",
    2: ("channels", _CHANNEL, True),
    3: "defaultChannelName",
    4: ("deprecation", _DEPRECATION, False),
}
_BUNDLE: Final[Layout] = {
    1: "csvName",
    2: "packageName",
    3: "channelName",
    4: "csvJson",
    5: ("object", None, True),
    6: "bundlePath",
    7: ("providedApis", _API, True),
    8: ("requiredApis", _API, True),
    9: "version",
    10: "skipRange",
    11: ("dependencies", _TYPED, True),
    12: ("properties", _TYPED, True),
    13: "replaces",
    14: ("skips", None, True),
    15: ("deprecation", _DEPRECATION, False),
}
ANSWERS: Final[dict[str, tuple[Layout, bool]]] = {
    "ListPackages": ({1: "name"}, True),
    "ListBundles": (_BUNDLE, True),
    "GetPackage": (_PACKAGE, False),
    "GetBundle": (_BUNDLE, False),
    "GetBundleForChannel": (_BUNDLE, False),
    "GetBundleThatReplaces": (_BUNDLE, False),
    "GetChannelEntriesThatReplace": (_ENTRY, True),
    "GetChannelEntriesThatProvide": (_ENTRY, True),
    "GetLatestChannelEntriesThatProvide": (_ENTRY, True),
    "GetDefaultBundleThatProvides": (_BUNDLE, False),
}
"""The calls: the layout of their answers by field number, and whether these are streams."""


def value(layout: Layout, data: bytes) -> dict[str, Any]:
    """The message *data* as an object."""
    fields: dict[str, Any] = {}
    offset = 0

    def number() -> int:
        nonlocal offset
        total = shift = 0
        while True:
            byte = data[offset]
            offset += 1
            total |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return total

    while offset < len(data):
        key = number()
        assert key & 7 == 2, key
        length = number()
        content = data[offset : offset + length]
        offset += length
        field = layout[key >> 3]
        name, inner, is_list = field if isinstance(field, tuple) else (field, None, False)
        content_value: Any = content.decode() if inner is None else value(inner, content)
        if is_list:
            fields.setdefault(name, []).append(content_value)
        else:
            fields[name] = content_value
    return fields


def request(texts: Iterable[str]) -> bytes:
    """The message whose fields from 1 on are *texts*, each below 128 characters long."""
    fields = ((number << 3 | 2, text.encode()) for number, text in enumerate(texts, 1) if text)
    return b"".join(bytes([key, len(text)]) + text for key, text in fields)


def answer(call: str, messages: Iterable[bytes]) -> Any:
    """What *messages* say: an object, or for a stream the list of them in an order of its own."""
    layout, is_stream = ANSWERS[call]
    values = [value(layout, message) for message in messages]
    if not is_stream:
        (only,) = values
        return only
    return sorted(values, key=lambda item: json.dumps(item, sort_keys=True))


def ask(address: str, call: str, *texts: str) -> dict[str, Any]:
    """What the server at *address* answers to *call*: an ``answer``, or an ``error`` with its status and message."""
    grpc: Any = importlib.import_module("grpc")
    with grpc.insecure_channel(address) as channel:
        make = channel.unary_stream if ANSWERS[call][1] else channel.unary_unary
        try:
            replies = make(f"/api.Registry/{call}")(request(texts), timeout=10, wait_for_ready=True)
            return {"answer": answer(call, replies if ANSWERS[call][1] else [replies])}
        except grpc.RpcError as error:
            return {"error": [error.code().name, error.details()]}
