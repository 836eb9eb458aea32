"""A font whose letters are all one block: pages set in it look the same on every machine, whatever fonts it has.

A letter is half as wide as it is high. Words, lines and their breaks are then a matter of the page alone, and so is the
picture, but for the edges of slanted and round lines.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import Final

__all__ = ["NAME", "font"]

NAME: Final = "Blocks"

# In units of the font, of which 1000 are as high as a line's letters.
_EM, _WIDTH, _HEIGHT, _ASCENT, _DESCENT = 1000, 500, 650, 800, -200
_BLOCK, _EMPTY = 1, 2
_MAGIC: Final = 0x5F0F3CF5
_WHOLE: Final = 0xB1B0AFBA


@cache
def font() -> bytes:
    """Return the font as TrueType, with the tables that browsers insist on."""
    outline = _outline()
    tables = {
        b"OS/2": _os2(),
        b"cmap": _cmap(),
        b"glyf": outline,
        b"head": _head(),
        b"hhea": _hhea(),
        b"hmtx": struct.pack(">HhHhHh", _WIDTH, 0, _WIDTH, 0, _WIDTH, 0),
        b"loca": struct.pack(">4H", 0, 0, len(outline) // 2, len(outline) // 2),
        b"maxp": struct.pack(">I14H", 0x10000, 3, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0),
        b"name": _name(),
        b"post": struct.pack(">IIhhIIIII", 0x30000, 0, -100, 50, 1, 0, 0, 0, 0),
    }
    return _file(tables)


def _outline() -> bytes:
    """Return the block: one contour of four points, clockwise from the lower left."""
    # All points are on the curve, with coordinates of two bytes, each relative to the one before.
    across = struct.pack(">4h", 50, 0, 400, 0)
    up = struct.pack(">4h", 0, _HEIGHT, 0, -_HEIGHT)
    glyph = struct.pack(">hhhhh", 1, 50, 0, 450, _HEIGHT) + struct.pack(">HH", 3, 0) + b"\1" * 4 + across + up
    return glyph + bytes(-len(glyph) % 4)


def _cmap() -> bytes:
    """Return the map from characters to glyphs: spaces are empty, and everything else is the block."""
    groups = [(0x09, 0x20, _EMPTY), (0x21, 0x9F, _BLOCK), (0xA0, 0xA0, _EMPTY), (0xA1, 0x10FFFF, _BLOCK)]
    # Format 13 maps a range of characters to one glyph.
    body = struct.pack(">HHIII", 13, 0, 16 + 12 * len(groups), 0, len(groups))
    return struct.pack(">HHHHI", 0, 1, 3, 10, 12) + body + b"".join(struct.pack(">III", *group) for group in groups)


def _head() -> bytes:
    start = struct.pack(">IIIIHH", 0x10000, 0x10000, 0, _MAGIC, 0b1011, _EM)
    return start + struct.pack(">QQhhhhHHhhh", 0, 0, 50, 0, 450, _HEIGHT, 0, 8, 2, 0, 0)


def _hhea() -> bytes:
    metrics = (_ASCENT, _DESCENT, 0)
    return struct.pack(">I3hH3h3h4hhH", 0x10000, *metrics, _WIDTH, 50, 50, 450, 1, 0, 0, 0, 0, 0, 0, 0, 3)


def _os2() -> bytes:
    head = struct.pack(">HhHHH", 4, _WIDTH, 400, 5, 0)
    scripts = struct.pack(">10h", 650, 700, 0, 140, 650, 700, 0, 480, 50, 250)
    family = struct.pack(">h10s4I4s", 0, bytes(10), 0, 0, 0, 0, b"NONE")
    metrics = struct.pack(">HHHhhhHH", 0x40, 0x20, 0xFFFF, _ASCENT, _DESCENT, 0, _ASCENT, -_DESCENT)
    return head + scripts + family + metrics + struct.pack(">IIhhHHH", 1, 0, 500, _HEIGHT, 0, 0x20, 0)


def _name() -> bytes:
    texts = {1: NAME, 2: "Regular", 3: NAME, 4: NAME, 5: "Version 1.0", 6: NAME}
    records, stored = b"", b""
    for number, text in texts.items():
        encoded = text.encode("utf-16-be")
        records += struct.pack(">6H", 3, 1, 0x409, number, len(encoded), len(stored))
        stored += encoded
    return struct.pack(">3H", 0, len(texts), 6 + len(records)) + records + stored


def _file(tables: dict[bytes, bytes]) -> bytes:
    """Return *tables* behind their directory, each at a multiple of four bytes and with its sum."""
    count = len(tables)
    power = count.bit_length() - 1
    head = struct.pack(">IHHHH", 0x10000, count, 16 << power, power, (count << 4) - (16 << power))
    at = len(head) + 16 * count
    directory, body = b"", b""
    for tag, table in sorted(tables.items()):
        padded = table + bytes(-len(table) % 4)
        directory += struct.pack(">4sIII", tag, _sum(padded), at + len(body), len(table))
        body += padded
    font = head + directory + body
    position = font.index(struct.pack(">I", _MAGIC)) - 4
    whole = (_WHOLE - _sum(font)) & 0xFFFFFFFF
    return font[:position] + struct.pack(">I", whole) + font[position + 4 :]


def _sum(data: bytes) -> int:
    words: tuple[int, ...] = struct.unpack(f">{len(data) // 4}I", data)
    return sum(words) & 0xFFFFFFFF
