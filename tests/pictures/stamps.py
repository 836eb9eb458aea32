"""A note in a picture: the digest of the page that it shows, by which a picture that has grown old is found."""

from __future__ import annotations

import hashlib
import struct
import zlib
from typing import Final

__all__ = ["digest", "stamped", "stamps"]

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_HEADER_END: Final = len(_SIGNATURE) + 25  # the signature, and the chunk IHDR, which comes first
_KEY: Final = b"Page\0"


def digest(page: str) -> str:
    """Return the digest of the text of *page*."""
    return hashlib.sha256(page.encode()).hexdigest()


def stamped(picture: bytes, page: str) -> bytes:
    """Return *picture* (PNG) with the digest of *page* as a chunk of text behind its header."""
    body = b"tEXt" + _KEY + digest(page).encode()
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return picture[:_HEADER_END] + chunk + picture[_HEADER_END:]


def stamps(picture: bytes) -> list[str]:
    """Return the digests of pages in *picture*."""
    texts, at = [], len(_SIGNATURE)
    while at < len(picture):
        (length,) = struct.unpack(">I", picture[at : at + 4])
        body = picture[at + 4 : at + 8 + length]
        if body.startswith(b"tEXt" + _KEY):
            texts.append(body[4 + len(_KEY) :].decode())
        at += 12 + length
    return texts
