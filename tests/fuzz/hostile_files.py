"""Archives, images, databases, gzip, JSON and YAML made to harm: small structures repeated, nested and made to lie.

Other than changed bytes, which mostly make a file unreadable at once, these are well-formed nearly everywhere, and one
thing about them is far beyond what anybody writes: a count, a depth, a length, a claim, a circle.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import sqlite3
import struct
import tarfile
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.images.building import CATALOG, BuiltImage, Entry, docker_files, layout_files, named, tar
from tests.images.databases import write_database

__all__ = ["KINDS", "HostileFile", "hostile_file"]


class HostileFile(NamedTuple):
    """A file that harms: its bytes, and their size once everything inside is unpacked."""

    data: bytes
    unpacked: int


def hostile_file(kind: str, number: int) -> HostileFile:
    """Return the file of this *kind* with this *number*, the same each time."""
    return KINDS[kind](random.Random(f"{kind} {number}"))


def _count(draw: random.Random, most: int) -> int:
    """Return a count up to *most*, as often of one length as of another."""
    return int(most ** draw.random())


def _size(draw: random.Random) -> int:
    """Return a size in bytes: mostly some hundred thousand, now and then sixteen million."""
    return (
        draw.choice((1_000, 100_000, 100_000, 1_000_000, 1_000_000, 4_000_000)) if draw.random() < 0.97 else 16_000_000
    )


def _repeated(unit: str, size: int) -> str:
    return unit * max(1, size // len(unit))


# JSON


def _json(draw: random.Random) -> HostileFile:
    data = _json_text(draw).encode("utf-8", "replace")
    return HostileFile(data, len(data))


def _json_text(draw: random.Random) -> str:
    size = _size(draw)
    units = (
        "[],",
        "{},",
        "0,",
        '"",',
        '"ab",',
        "[0],",
        '{"a":0},',
        '"\\u0041",',
        "1e5,",
        "-0.0,",
        "null,",
        "12345678901234567890,",
        '{"name":"a"},',
        '{"type":"a","value":1},',
        '"\\ud800",',
        "[[]],",
    )
    field = draw.choice(("x", "entries", "properties", "relatedImages", "skips"))
    schema = draw.choice(("olm.bundle", "olm.channel", "olm.package", "olm.deprecations", "x"))
    start = f'{{"schema":"{schema}","name":"n","package":"p",'
    match draw.randrange(7):
        case 0:
            return f'{start}"{field}":[{_repeated(draw.choice(units), size)}0]}}'
        case 1:
            depth = _count(draw, 100_000)
            return f'{start}"{field}":{"[" * depth}{"]" * draw.choice((depth, depth - 1))}}}'
        case 2:
            keys = ",".join(f'"{draw.choice(("k", "K", "name", "ſ"))}{number}":0' for number in range(size // 20))
            return f'{start}"{field}":{{{keys}}}}}'
        case 3:
            sign = draw.choice(("a", chr(92) * 2, chr(92) + "u0041", chr(92) + "n"))
            return f'{start}"{field}":"{_repeated(sign, size)}"}}'
        case 4:
            return (f'{start}"{field}":[{_repeated(draw.choice(units), 2_000)}0]}}\n') * max(1, size // 3_000)
        case 5:
            return f'{start}"{field}":{draw.choice(("-", ""))}{"9" * size}}}'
        case _:
            return f"{' ' * size}{start}" + draw.choice(('"', "{", "[", "]", "tru", "\\"))


# YAML


def _yaml(draw: random.Random) -> HostileFile:
    data = _yaml_text(draw).encode("utf-8", "replace")
    return HostileFile(data, len(data))


def _yaml_text(draw: random.Random) -> str:
    size = _size(draw)
    start = f"schema: {draw.choice(('olm.bundle', 'olm.channel', 'x'))}\nname: nn\npackage: p\n"
    lines = (
        "- a\n",
        "- - a\n",
        "- a: 0\n",
        "- []\n",
        "- {}\n",
        "- \n",
        "- !!str a\n",
        "- 'a'\n",
        '- "\\x41"\n',
        "- |\n  a\n",
        "- 0x1F\n",
        "- 1_0\n",
        "- ~\n",
        "- &a b\n",
        "- &a b\n- *a\n",
        "- ? a\n",
        "# a\n",
        "\n",
        "- a # b\n",
        "- 2001-01-01\n",
        "- <<\n",
        "-\n",
    )
    match draw.randrange(12):
        case 0:
            return f"{start}x:\n{_repeated(draw.choice(lines), size)}"
        case 1:
            every = (f"k{number}: {draw.choice(('0', 'a', '[]', ''))}\n" for number in range(size // 12))
            return start + "".join(every)
        case 2:
            depth = _count(draw, 50_000)
            sign = draw.choice(("- ", "[", "{a: ", "? ", "- - "))
            return f"{start}x:\n {sign * depth}a"
        case 3:
            levels, wide = _count(draw, 40), draw.choice((2, 9, 50))
            named_ = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * wide)}]\n" for n in range(1, levels))
            return f"{start}a0: &a0 [x]\n{named_}"
        case 4:
            merges = "".join(
                f"b{n}: &b{n}\n  <<: [{', '.join([f'*b{n - 1}'] * 9)}]\n  k{n}: 0\n"
                for n in range(1, _count(draw, 300))
            )
            return f"{start}b0: &b0 {{x: 0}}\n{merges}"
        case 5:
            quote, signs = draw.choice((('"', ("\\x41", "\\n", "a", "\\\n", "\n\n")), ("'", ("''", "a", "\n"))))
            return f"{start}x: {quote}{_repeated(draw.choice(signs), size)}{quote}\n"
        case 6:
            return (
                f"{start}x: {draw.choice('|>')}\n{_repeated(draw.choice(('  a', '', '   ', '  a b')) + chr(10), size)}"
            )
        case 7:
            return _repeated(
                draw.choice(("---\n", "--- a\n", f"{start}---\n", "--- {}\n", "# a\n---\n", "...\n")), size // 4
            )
        case 8:
            unit = draw.choice(("a, ", "[], ", "{}, ", "{a: b}, ", "a: b, ", "? , ", '"", '))
            return f"{start}x: [{_repeated(unit, size)}a]\n"
        case 9:
            return f"{start}? {'a' * draw.choice((1_000, size))}\n: b\n{'k' * draw.choice((1_023, 1_025, size))}: a\n"
        case 10:
            return f"%TAG ! tag:{'a' * size},\n---\n{start}x: !{'b' * draw.choice((9, size))} c\n"
        case _:
            return f"{start}x: {_repeated(draw.choice(('9', '0b1', '1_', '1:', '.', '-', '- ')), size)}\n"


# gzip


def _gzip(draw: random.Random) -> HostileFile:
    inner = CATALOG if draw.random() < 0.5 else _json_text(draw).encode("utf-8", "replace")
    return _compressed(draw, inner)


def _compressed(draw: random.Random, inner: bytes) -> HostileFile:
    empty, whole = gzip.compress(b"", mtime=0), gzip.compress(inner, 6, mtime=0)
    match draw.randrange(8):
        case 0:
            data = empty * _count(draw, 300_000) + whole
        case 1:
            data = whole + empty * _count(draw, 300_000)
        case 2:
            data = b"".join(
                gzip.compress(inner[at : at + 7], 1, mtime=0) for at in range(0, min(len(inner), 70_000), 7)
            )
        case 3:
            zeros = draw.choice((b"\0", b" ", b"\n", b"{}\n")) * (draw.choice((1, 16, 64)) << 20)
            return HostileFile(gzip.compress(zeros, 9, mtime=0), len(zeros))
        case 4:
            data = whole[: draw.randrange(len(whole))]
        case 5:
            data = whole + b"\0" * _size(draw)
        case 6:
            # A field of the header that is as long as it likes.
            data = b"\x1f\x8b\x08\x08" + b"\0" * 6 + b"n" * _size(draw) + draw.choice((b"\0", b"")) + whole[10:]
        case _:
            data = whole[:-8] + struct.pack("<II", draw.getrandbits(32), draw.getrandbits(32))
    return HostileFile(data, len(inner))


# Archives


def _archive_bytes(draw: random.Random, prefix: str = "") -> bytes:
    count = _count(draw, 5_000)
    inner = draw.choice((b"", CATALOG, b'{"schema":"x"}'))
    match draw.randrange(9):
        case 0:
            depth = draw.choice((3, 250, 260, 2_000))
            return tar(
                [
                    (f"{prefix}{number:x}/" + "a/" * depth + "f", b"")
                    for number in range(min(count, 2_000_000 // depth // 2))
                ]
            )
        case 1:
            return tar([(f"{prefix}{number}" + "n" * draw.choice((1, 90, 240)), inner) for number in range(count)])
        case 2:
            return tar([(f"{prefix}same", inner)] * count)
        case 3:
            links = [
                (
                    f"{prefix}l{number}",
                    Entry(draw.choice((tarfile.SYMTYPE, tarfile.LNKTYPE)), f"{prefix}l{(number * 7 + 1) % count}"),
                )
                for number in range(count)
            ]
            return tar(links)
        case 4:
            return tar(
                [
                    (f"{prefix}d{number}/.wh..wh..opq" if number % 2 else f"{prefix}d{number}/.wh.x", b"")
                    for number in range(count)
                ]
            )
        case 5:
            return _lying_header(draw, tar({f"{prefix}c.json": CATALOG}))
        case 6:
            return _extended(draw, f"{prefix}c.json")
        case 7:
            rules = _repeated(
                draw.choice(("*a*a*a*b\n", "**/a\n", "!*\n", "[a-z]*\n", "a/" * 40 + "\n", "\\\n")),
                min(_size(draw), 1 << 20),
            )
            return tar(
                [
                    (f"{prefix}.indexignore", rules.encode()),
                    *((f"{prefix}{'a' * 80}{number}", inner) for number in range(min(count, 300))),
                ]
            )
        case _:
            return tar(
                {
                    f"{prefix}{name}": data
                    for name, data in (
                        ("a.json", _json_text(draw).encode("utf-8", "replace")),
                        ("b.yaml", _yaml_text(draw).encode("utf-8", "replace")),
                    )
                }
            )


def _lying_header(draw: random.Random, archive: bytes) -> bytes:
    """Return *archive* whose first entry claims another size or kind, with a checksum that fits."""
    header = bytearray(archive[:512])
    size = draw.choice(
        (
            b"77777777777\0",
            b"\x80" + b"\0" * 3 + b"\xff" * 8,
            b"\xff" * 12,
            b"00000000000\0",
            b"-0000000001\0",
            b"           \0",
        )
    )
    header[124:136] = size
    header[156:157] = draw.choice((b"0", b"L", b"K", b"x", b"g", b"S", b"3", b"5", b"V", b"\xff"))
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + archive[512:]


def _extended(draw: random.Random, name: str) -> bytes:
    """Return an archive with an extended header that says more than it should."""
    value = draw.choice((b"n" * 60_000, b"../" * 20_000, b"a/" * 20_000, b"\xff" * 500, b"9" * 50_000))
    key = draw.choice((b"path", b"linkpath", b"size", b"x"))
    line = b"%d " + key + b"=" + value + b"\n"
    length = len(line) - 2
    length += len(str(length + len(str(length))))
    lines = (line % draw.choice((length, length, 0, 99_999))) * _count(draw, 20)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for _ in range(_count(draw, 500)):
            head = tarfile.TarInfo("h")
            head.type = draw.choice((tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME))
            head.size = len(lines)
            archive.addfile(head, io.BytesIO(lines))
            if out.tell() > 4_000_000:
                break
        head = tarfile.TarInfo(name)
        head.size = len(CATALOG)
        archive.addfile(head, io.BytesIO(CATALOG))
    return out.getvalue()


def _archive(draw: random.Random) -> HostileFile:
    data = _archive_bytes(draw)
    return HostileFile(data, len(data)) if draw.random() < 0.6 else _compressed(draw, data)


# Images


def _image(draw: random.Random) -> HostileFile:
    layers = [_archive_bytes(draw, "configs/") for _ in range(draw.choice((1, 1, 1, 2, 3)))]
    if draw.random() < 0.1:
        layers = [tar({f"configs/{number}": b"{}"}) for number in range(_count(draw, 1_500))]
    image = BuiltImage(*layers, packed=draw.choice((gzip.compress, bytes)))
    unpacked = sum(map(len, layers))
    files = (
        layout_files([named(image, "v1")], image) if draw.random() < 0.7 else docker_files({"x.example/a:v1": image})
    )
    if draw.random() < 0.3:
        changed = draw.choice(sorted(files))
        files[changed] = draw.choice(
            (
                lambda: _repeated('{"manifests":[', 1_000_000).encode(),
                lambda: b"[" * 100_000,
                lambda: json.dumps(
                    {"schemaVersion": 2, "manifests": [image.described()] * _count(draw, 20_000)}
                ).encode(),
                lambda: files[changed] * 2,
                lambda: b" " * (5 << 20) + files[changed],
                lambda: b"",
            )
        )()
    data = tar(files)
    return HostileFile(data, max(len(data), unpacked))


# Databases


def _database(draw: random.Random) -> HostileFile:
    with tempfile.TemporaryDirectory() as folder:
        path = write_database(Path(folder) / "index.db", json.loads(f"[{CATALOG.decode().replace(chr(10), ',')}]"))
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(f"PRAGMA page_size = {draw.choice((512, 1024, 4096, 65536))}")
            connection.execute("VACUUM")
            _fill(draw, connection)
        data = bytearray(path.read_bytes())
    size = int.from_bytes(data[16:18], "big")
    size = 65_536 if size == 1 else size
    for _ in range(draw.choice((0, 1, 1, 2, 5, 20))):
        _repoint(draw, data, size)
    return HostileFile(bytes(data), len(data))


def _fill(draw: random.Random, connection: sqlite3.Connection) -> None:
    """Put rows into the tables that are in no proportion to each other."""
    count = _count(draw, 8_000)
    text = "x" * draw.choice((1, 300, 5_000 if count < 200 else 50))
    odd = draw.choice(
        (
            text,
            f'{{"metadata":{{"name":"{text}"}}}}',
            "[" * 300,
            "{}",
            '{"spec":{"icon":[{"base64data":"' + text + '"}]}}',
        )
    )
    with connection:
        rows: Callable[[Callable[[int], tuple[Any, ...]]], Any] = lambda row: map(row, range(count))  # noqa: E731
        match draw.randrange(6):
            case 0:
                connection.executemany(
                    "INSERT INTO operatorbundle (name, csv, bundle) VALUES (?, ?, ?)",
                    rows(lambda n: (f"b{n}", odd, odd)),
                )
            case 1:
                connection.executemany("INSERT INTO package VALUES (?, 'stable', '')", rows(lambda n: (f"p{n}",)))
                connection.executemany(
                    "INSERT INTO channel VALUES ('stable', ?, 'etcd.v1.0.0')", rows(lambda n: (f"p{n}",))
                )
                connection.executemany(
                    "INSERT INTO channel_entry VALUES (NULL, 'stable', ?, 'etcd.v1.0.0', NULL, 0)",
                    rows(lambda n: (f"p{n}",)),
                )
            case 2:
                step = draw.choice((-1, 0, 1, 7))
                connection.executemany(
                    "INSERT INTO channel_entry VALUES (?, 'stable', 'etcd', 'etcd.v1.0.0', ?, ?)",
                    rows(lambda n: (n + 100, n + 100 + step, n % 5)),
                )
            case 3:
                connection.executemany(
                    "INSERT INTO properties VALUES (?, ?, 'etcd.v1.0.0', '1.0.0', '')",
                    rows(lambda n: (f"t{n % 9}", odd)),
                )
            case 4:
                connection.executemany(
                    "INSERT INTO related_image VALUES (?, 'etcd.v1.0.0')", rows(lambda n: (f"i{n}",))
                )
            case _:
                connection.execute(
                    "UPDATE operatorbundle SET csv = zeroblob(?)", (draw.choice((10, 1_000_000, 20_000_000)),)
                )


def _repoint(draw: random.Random, data: bytearray, size: int) -> None:
    """Let one page of a database lead somewhere else, say another kind, or claim another number of cells."""
    pages = max(1, len(data) // size)
    start = draw.randrange(pages) * size + (100 if pages == 1 else 0)
    target = draw.choice((draw.randrange(1, pages + 1), 0, 2**31 - 1, start // size + 1)).to_bytes(4, "big")
    match draw.randrange(6):
        case 0:
            data[start + 8 : start + 12] = target
        case 1:
            data[start : start + 1] = bytes([draw.choice((2, 5, 10, 13, 0, 255))])
        case 2:
            data[start + 3 : start + 5] = draw.choice((0, 1, 65_535, size // 4)).to_bytes(2, "big")
        case 3:
            position = start + draw.randrange(12, max(13, size - 4))
            data[position : position + 4] = target
        case 4:
            data[draw.choice((16, 18, 20, 21, 24, 28, 44, 47, 52, 56, 59))] = draw.randrange(256)
        case _:
            # All pointers of the page lead to one place.
            cells = min(int.from_bytes(data[start + 3 : start + 5], "big"), size // 4)
            for number in range(cells):
                at = start + int.from_bytes(data[start + 12 + 2 * number : start + 14 + 2 * number], "big") % size
                data[at : at + 4] = target[: max(0, len(data) - at)]


KINDS: Final[dict[str, Callable[[random.Random], HostileFile]]] = {
    "json": _json,
    "yaml": _yaml,
    "gzip": _gzip,
    "archive": _archive,
    "image": _image,
    "database": _database,
}
"""A maker of each kind of file."""
