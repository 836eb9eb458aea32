"""Messages of protocol buffers: written from lists of fields, and read to the texts in them.

The registry API has texts and messages alone, so this needs no compiler of ``.proto`` files. A field is its number and
its content; an empty one is left out, as in version 3 of the format::

    message([(1, "lamp"), (2, ""), (4, b"...")])    field 1 with a text, field 4 with another message
"""

from __future__ import annotations

from collections.abc import Iterable

_TEXT = 2
"""The wire type of texts and messages: a length, and as many bytes."""
_FIXED = {1: 8, 5: 4}
"""The sizes of the wire types of numbers of fixed size, in bytes."""


def message(fields: Iterable[tuple[int, str | bytes]]) -> bytes:
    """Return the message with these *fields*, each its number and its text or message."""
    made = bytearray()
    for number, content in fields:
        data = content.encode("utf-8", "replace") if isinstance(content, str) else content
        if data:
            # A key is the number of the field above three bits of wire type: field 2 as text is 2 << 3 | 2 == 18.
            made += _varint(number << 3 | _TEXT)
            made += _varint(len(data))
            made += data
    return bytes(made)


def texts(data: bytes) -> dict[int, str]:
    """Return the texts in the message *data* by the number of their field; other fields are passed over.

    Raises ValueError if the bytes are no message.
    """
    texts_by_field: dict[int, str] = {}
    offset = 0
    while offset < len(data):
        key, offset = _read_varint(data, offset)
        # The reverse of what `message` writes: 18 is field 2 of wire type 2.
        number, kind = key >> 3, key & 7
        if kind == 0:
            _, offset = _read_varint(data, offset)
            continue
        if kind == _TEXT:
            length, offset = _read_varint(data, offset)
        elif kind in _FIXED:
            length = _FIXED[kind]
        else:
            raise ValueError(f"a field has the unknown wire type {kind}")
        if offset + length > len(data):
            raise ValueError("the message ends inside of a field")
        if kind == _TEXT:
            texts_by_field[number] = data[offset : offset + length].decode("utf-8")
        offset += length
    return texts_by_field


def _varint(value: int) -> bytes:
    # Seven bits in a byte, the lowest first; the eighth says that more follow: 300 is 0xAC 0x02.
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def _read_varint(data: bytes, offset: int) -> tuple[int, int]:
    value = 0
    # Ten bytes hold 64 bits. A longer sequence is no number, and must not keep this loop running.
    for shift in range(0, 70, 7):
        if offset >= len(data):
            break
        byte = data[offset]
        offset += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, offset
    raise ValueError("the message ends inside of a number")
