"""Names made of a base and a hash of the content that they stand for: other content, other name.

The hash is SHA-224 of a JSON text (:mod:`olmsolve.cluster.go_json`), written in base 62 with digits before
small letters before capitals. A name keeps as much of its base as Kubernetes leaves room for.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

from olmsolve.cluster.go_json import go_json
from olmsolve.predicates import GVK

_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LONGEST: Final = 63


def base62_sha224(text: str) -> str:
    """Return the SHA-224 of *text* (UTF-8) as a number in base 62, without leading zeros."""
    number = int.from_bytes(hashlib.sha224(text.encode("utf-8", "replace")).digest(), "big")
    digits: list[str] = []
    while number:
        number, digit = divmod(number, 62)
        digits.append(_DIGITS[digit])
    return "".join(reversed(digits)) or "0"


def object_hash(value: Any) -> str:
    """Return the hash of the JSON text of *value*, as in labels such as ``olm.permissions.hash``."""
    return base62_sha224(go_json(value))


def generated_name(base: str, value: Any) -> str:
    """Return ``base-hash``, where the hash is of the JSON text of *value* and a newline.

    A base that does not fit beside the hash into 63 bytes is cut so that the name has 63. The hyphen is not
    counted when this is decided, as recorded: a base that just fits makes a name of 64 bytes.
    """
    digest = base62_sha224(go_json(value) + "\n")
    content = base.encode("utf-8", "replace")
    # With a hash of 38 bytes, a base of 25 stays whole (25 + 1 + 38 = 64), and a base of 26 is cut to 24 (63 in all).
    if len(content) + len(digest) > _LONGEST:
        base = content[: _LONGEST - len(digest) - 1].decode("utf-8", "ignore")
    return f"{base}-{digest}"


def api_hash(api: GVK) -> str:
    """Return the hash of *api* (of ``Kind.version.group``) in the labels that tie cluster roles together."""
    return fnv1a_64(f"{api.kind}.{api.version}.{api.group}")


def fnv1a_64(text: str) -> str:
    """Return the 64-bit FNV-1a hash of *text* (UTF-8), in hexadecimal without padding."""
    number = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "replace"):
        number = (number ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{number:x}"
