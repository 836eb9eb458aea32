"""Files that mean harm or are broken: one clear error that says where, at once and in little memory."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import random
import socket
import subprocess
import sys
import tarfile
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from olmsolve.catalog.fbc import DEPTH, DOCUMENT, load
from olmsolve.errors import CatalogError
from tests.growing import times_as_long
from tests.scale import scaled

LINE = '{"schema": "x", "v": [1, {"a": "b"}]}\n'


@pytest.fixture(autouse=True)
def _bounded_time() -> Iterator[None]:
    """Bound the CPU time of each test, in seconds: a busy machine stretches the time on the clock."""
    begin = process_time()
    yield
    assert process_time() - begin < 10


def refused(source: Any) -> str:
    """Return the text of the error that loading *source* raises."""
    with pytest.raises(CatalogError) as caught:
        load(source)
    assert caught.value.__cause__ is None or isinstance(caught.value.__cause__, (OSError, ValueError))
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"schema": "x"', "f:1: not valid JSON: expecting ',' delimiter"),
        (b'{"schema": "x"}\n{"schema": "y"', "f:2: not valid JSON"),
        (b'{"schema": "x"}\n\n{"a":\n 1,,}', "f:4: not valid JSON"),
        (b'{"schema": "x"} garbage', "f:1: not valid JSON: expected an object"),
        (b'[{"schema": "x"}]', "f:1: a list; documents are objects"),
        (b'{"schema": "x"}\n' * 2 + b'{"schema": "x", "v": NaN}', "f:3: not valid JSON: the number NaN"),
        (b'{"schema": "x"}\n' * 2 + b'{"schema": "x", "v": -Infinity}', "f:3: not valid JSON: the number -Infinity"),
        (b'{"schema": "x"}\n' * 2 + b'{"schema": "x", "v": 1e999}', "f:3: the number 1e999 is too large for a double"),
        (
            b'{"schema": "x"}\n' * 2 + b"---\n" + b'{"schema": "x"}',
            "f:3: a separator (---) after several JSON objects",
        ),
        (b'{"schema": "x", "v": ' + b"1" * 5_000 + b"}", "f:1: a number has too many digits"),
        (b'{"schema": "x", "name": "a", "Name": "b"}', "f:1: the keys 'name' and 'Name' differ only in letter case"),
        (b"schema: x\nkey: 1\n\xe2\x84\xaaEY: 2\n", "f:1: the keys 'key' and '\u212aEY' differ only in letter case"),
        (b'{"schema": "x", "v": "\xff"}', "f:1: not UTF-8: byte 0xff at offset 22"),
        (b"schema: x\nv: \xc3\n", "f:2: not UTF-8: byte 0xc3 at offset 13"),
        (b'{"schema": "x"}\n\xc3', "f:2: not UTF-8: byte 0xc3 at offset 16"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0", "f: a binary file, not JSON or YAML"),
        (LINE.encode("utf-16"), "f: a binary file"),
        (gzip.compress(LINE.encode() * 9, mtime=0)[:-9], "f: truncated gzip data"),
        (gzip.compress(LINE.encode(), mtime=0)[:4], "f: truncated gzip data"),
        (gzip.compress(LINE.encode(), mtime=0)[:-8] + bytes(8), "f: damaged gzip data"),
        (gzip.compress(LINE.encode(), mtime=0) + b"tail", "f: damaged gzip data"),
        (gzip.compress(gzip.compress(LINE.encode(), mtime=0), mtime=0), "f: a binary file"),
    ],
)
def test_broken_files(tmp_path: Path, data: bytes, message: str) -> None:
    """Downloads, editors and disks damage files in these ways; each error names the file, and the line if any."""
    file = tmp_path / "f"
    file.write_bytes(data)
    assert message in refused(file)
    assert str(tmp_path) in refused(file)


@pytest.mark.parametrize(
    "text",
    [
        '{"schema": "x", "v": {"a": 1, "a": 2}, "name": "b", "name": "c"}',
        '{"schema": "x", "v": {"a": 1, "\\u0061": 2}, "name": "b", "\\u006eame": "c"}',
        "schema: x\nv: {a: 1, a: 2}\nname: b\nname: c\n",
        "schema: x\nv:\n  a: 1\n  a: 2\nname: b\nname: c\n",
    ],
)
def test_of_repeated_keys_the_last_wins(text: str) -> None:
    """As in opm, at every depth and in every reader; only keys in several letter cases are refused."""
    for several in (text, f"{text}\n" * 9 + " " * 70_000 if text[0] == "{" else f"---\n{text}" * 9):
        assert load(io.StringIO(several)).others[-1].value == {"schema": "x", "v": {"a": 2}, "name": "c"}


def test_lone_surrogates_are_replaced() -> None:
    """Half a character cannot be printed or written; Go replaces it. Pairs and escaped backslashes stay."""
    text = r'{"schema": "x", "v": "\ud83d\ude00 \ud83d \\ud83d \uDE00"}'
    assert load(io.StringIO(text)).others[0].value["v"] == "😀 � \\ud83d �"


@pytest.mark.parametrize(
    "text",
    [
        '{"schema": "x", "v": ' + "[" * 10_000 + "]" * 10_000 + "}",
        '{"schema": "x", "v": ' + "[" * 10_000,
        '{"schema": "x", "v": ' + '{"a":' * 300 + "1" + "}" * 301,
        '{"a":' * 1_000_000,
        "schema: x\nv: " + "[" * 100_000,
        "schema: x\nv: " + "{a: " * 100_000,
        "\n".join(" " * depth + "a:" for depth in range(1_000)),
        "- " * 100_000,
    ],
)
def test_deep_nesting(text: str) -> None:
    """Readers that recurse die of depth; 250 levels are allowed, and counted before anything recurses."""
    assert "nested more than 250 levels deep" in refused(io.StringIO(text))


def test_deep_nesting_where_the_host_lifted_the_recursion_limit() -> None:
    """A lifted recursion limit would let the decoder in C overflow its stack, so nested text must not reach it."""
    code = (
        "import io, sys, olmsolve.catalog.fbc as f; sys.setrecursionlimit(10**7)\n"
        'try: f.load(io.StringIO(\'{"schema": "x"}\\n\\n{"schema": "x", "v": \' + "[" * 2_000_000))\n'
        "except Exception as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "<stream>:3: nested more than 250 levels deep", run.stderr


def test_allowed_depth_is_safe_to_work_with() -> None:
    """A catalog that loads must not blow up later: values at the limit can be pickled, copied, compared and printed."""
    import copy
    import pickle

    depth = DEPTH - 1
    catalog = load(io.StringIO('{"schema": "x", "v": ' + "[" * depth + "]" * depth + "}"))
    assert pickle.loads(pickle.dumps(catalog)) == catalog  # noqa: S301
    assert copy.deepcopy(catalog.others[0].value) == catalog.others[0].value
    assert json.loads(json.dumps(catalog.others[0].value)) == catalog.others[0].value
    assert len(repr(catalog.others[0].value)) > 2 * depth


@pytest.mark.parametrize("level", ["&a{0} [{1}]", "&a{0} {{k: [{1}]}}"])
def test_alias_bombs(level: str) -> None:
    """Nine lines that mean a billion values: cheap to hold, endless to walk."""
    levels = [f"  - {level.format(n, ', '.join([f'*a{n - 1}'] * 9))}\n" for n in range(1, 9)]
    text = "schema: x\nv:\n  - &a0 lol\n" + "".join(levels)
    assert "aliases repeat more than" in refused(io.StringIO(text))


def test_an_alias_bomb_of_many_documents() -> None:
    """A limit for each document alone would not bound a file of many documents."""
    document = f"schema: x\nv: [&a {'x' * 1_000}, {', '.join(['*a'] * 1_000)}]\n---\n"
    assert "aliases repeat more than" in refused(io.StringIO(document * 10))


@pytest.mark.parametrize(
    ("head", "filler"),
    [
        (b'{"schema": "x", "v": "', b"x"),
        (b"schema: x\nv: '", b"x"),
        (b"", b'{"schema":"x", "v": "%s"}\n' % (b"x" * 500)),
        (b"schema: x\n", b"# note\n"),
        (b"", b" \n"),
    ],
)
def test_gzip_bombs(head: bytes, filler: bytes) -> None:
    """A small file must not fill memory: its growth is judged from 4 MiB on."""
    data = gzip.compress(head + filler * ((12 << 20) // len(filler)))
    assert "more than 200 times its size" in refused(io.BytesIO(data))


def test_a_bomb_stays_out_of_memory() -> None:
    """The limit keeps memory small, measured: half a gigabyte in half a megabyte."""
    packer = zlib.compressobj(9, wbits=31)
    data = packer.compress(b'{"schema": "x", "v": "') + packer.flush(zlib.Z_FULL_FLUSH)
    # After a full flush nothing refers back, so that one packed megabyte can be repeated.
    data += 500 * (packer.compress(b"x" * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH))
    tracemalloc.start()
    assert "more than 200 times its size" in refused(io.BytesIO(data))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 128 << 20


def test_gzip_of_many_tiny_members() -> None:
    """Each member is a new stream; handling them must not cost the square of their number."""
    data = gzip.compress(b"", mtime=0) * 50_000 + gzip.compress(LINE.encode(), mtime=0)
    assert len(load(io.BytesIO(data)).others) == 1


def test_one_endless_document() -> None:
    """A document larger than the limit is refused while it is read, not after."""

    class Endless:
        taken = 0

        def read(self, size: int, /) -> bytes:
            self.taken += size
            return b'{"schema": "x", "v": "' if self.taken == size else b"x" * size

    source = Endless()
    assert "a document of more than 67,108,864 characters" in refused(source)
    assert source.taken < 4 * DOCUMENT


def test_one_endless_yaml_document() -> None:
    """The same for YAML, whose parser in C must be stopped through the file that it reads."""

    class Endless:
        taken = 0

        def read(self, size: int, /) -> bytes:
            self.taken += size
            return (
                b"schema: x\n" if self.taken == size else b"- xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n" * (1 << 14)
            )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("olmsolve.catalog.fbc.yaml_lines.DOCUMENT", 1 << 20)
        source = Endless()
        message = refused(source)
    assert "a document of more than" in message or "not valid YAML" in message
    assert source.taken < 4 << 20


def test_a_failing_file() -> None:
    """Disks fail and sockets close in the middle, in the midst of YAML too."""

    class Failing:
        calls = 0

        def read(self, size: int, /) -> bytes:
            self.calls += 1
            if self.calls > 1:
                raise OSError(5, "Input/output error")
            return b"schema: x\nv: " + b"a" * 600 + b"\n"

    assert "cannot be read: [Errno 5]" in refused(Failing())


@pytest.mark.parametrize("given", [None, 5, ["schema: x"]])
def test_a_file_that_gives_no_text(given: Any) -> None:
    """A stream without data yet gives None; the message once had the name of a method in it instead of a verb."""

    class Odd:
        def read(self, size: int, /) -> Any:
            return given

    assert "cannot be read: the file gave neither bytes nor text" in refused(Odd())


def test_paths_that_are_no_catalogs(tmp_path: Path) -> None:
    """The commonest mistake of all is the path."""
    assert refused(tmp_path / "missing").endswith("missing: cannot be read: No such file or directory")
    assert "there is no catalog here" in refused(tmp_path)
    assert "the path of a catalog is empty" in refused("")
    assert "cannot be read" in refused("a\0b")
    assert "cannot be read" in refused("x" * 5_000)


def test_what_is_no_plain_file_is_never_opened(tmp_path: Path) -> None:
    """Opening a FIFO waits for ever, and reading a device never ends."""
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path, tmp_path / "fifo"):
        assert "fifo" in refused(path)
        assert "not a plain file" in refused(path)
    assert "not a plain file" in refused("/dev/zero")
    (tmp_path / "fifo").unlink()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        assert "a socket, not a plain file" in refused(tmp_path)


def test_links(tmp_path: Path) -> None:
    """A catalog must not read what lies outside of it, nor walk in circles; links to its files are files."""
    root = tmp_path / "catalog"
    root.mkdir()
    (tmp_path / "secret").write_text(LINE, "utf-8")
    (root / "a").write_text(LINE, "utf-8")
    (root / "b").symlink_to("a")
    assert len(load(root).others) == 2
    for target, message in {
        "../secret": "a symbolic link that leaves the catalog's folder",
        str(tmp_path / "secret"): "a symbolic link that leaves",
        ".": "a symbolic link to a folder",
        "..": "a symbolic link that leaves",
        "loop": "cannot be read",
        "missing": "cannot be read",
    }.items():
        (root / "loop").symlink_to(target)
        assert message in refused(root)
        assert "loop" in refused(root)
        (root / "loop").unlink()
    (tmp_path / "way").symlink_to("catalog")
    assert load(tmp_path / "way") == load(root)


def test_an_ignore_file_may_not_leave_either(tmp_path: Path) -> None:
    """Rules are read before anything else, so the same care holds for them."""
    (tmp_path / "c").write_text(LINE, "utf-8")
    os.mkfifo(tmp_path / ".indexignore")
    assert "a FIFO, not a plain file" in refused(tmp_path)
    (tmp_path / ".indexignore").unlink()
    (tmp_path / ".indexignore").symlink_to("/dev/zero")
    assert "a symbolic link that leaves" in refused(tmp_path)


def test_names_that_are_no_text(tmp_path: Path) -> None:
    """Linux allows any bytes in a name; an error about such a file must still be printable."""
    path = os.fsencode(tmp_path) + b"/\xff.json"
    with open(path, "wb") as file:  # noqa: PTH123
        file.write(b"nonsense")
    refused(tmp_path).encode("utf-8")


def _archive(*members: tuple[str, bytes, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind, data in members:
            member = tarfile.TarInfo(name)
            member.type, member.linkname, member.size = kind, "/etc/passwd", len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


GOOD = ("c.json", tarfile.REGTYPE, LINE.encode())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (_archive(GOOD, ("l", tarfile.SYMTYPE, b"")), "the archive's l is a link or a device"),
        (_archive(GOOD, ("l", tarfile.LNKTYPE, b"")), "is a link or a device"),
        (_archive(GOOD, ("l", tarfile.FIFOTYPE, b"")), "is a link or a device"),
        (_archive(GOOD, ("../c", tarfile.REGTYPE, b"")), "the name '../c', which leaves it"),
        (_archive(GOOD, ("/c", tarfile.REGTYPE, b"")), "the name '/c', which leaves it"),
        (_archive(GOOD, GOOD), "the archive holds c.json twice"),
        (_archive(GOOD)[:700], "a tar archive that ends too early"),
        (_archive(GOOD)[:1024] + b"x" * 512, "a damaged tar archive"),
        (_archive(("c.json", tarfile.REGTYPE, b"{")), "f/c.json:1: not valid JSON"),
        (_archive(("d", tarfile.DIRTYPE, b"")), "there is no catalog here"),
    ],
)
def test_archives_that_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    """An archive is a folder that a stranger packed: nothing in it may point elsewhere, and sizes may lie."""
    (tmp_path / "f").write_bytes(data)
    assert message in refused(tmp_path / "f")


def test_an_archive_that_promises_too_much(tmp_path: Path) -> None:
    """A header's size is only a claim: no memory is set aside for it."""
    header = bytearray(_archive(GOOD)[:512])
    for size in (b"77777777777\0", b"\xff" * 12, b"not a size!\0"):
        header[124:136] = size
        assert "archive" in refused(io.BytesIO(bytes(header) + LINE.encode()))


SEEDS: list[bytes] = [
    LINE.encode() * 3,
    b"schema: x\nv: &a [1, {b: c}]\nw: *a\n---\nschema: y\n",
    gzip.compress(LINE.encode() * 3, mtime=0),
    _archive(GOOD, ("d/.indexignore", tarfile.REGTYPE, b"*.md\n")),
    b'{"schema": "olm.bundle", "package": "p", "name": "b", "properties": [{"type": "t", "value": 1}]}',
]


@settings(max_examples=scaled(400), deadline=None)
@given(seed=st.sampled_from(SEEDS), chance=st.randoms(use_true_random=False), count=st.integers(1, 6))
def test_mutants_end_in_a_catalog_or_a_catalog_error(seed: bytes, chance: random.Random, count: int) -> None:
    """A file may be damaged in any way: the only error that comes out is a CatalogError."""
    data = bytearray(seed)
    for _ in range(count):
        change = chance.choice(_CHANGES)
        change(data, chance)
    try:
        load(io.BytesIO(bytes(data)))
    except CatalogError as error:
        str(error).encode()


def _flip(data: bytearray, chance: random.Random) -> None:
    if data:
        data[chance.randrange(len(data))] = chance.randrange(256)


def _cut(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data) + 1)
    del data[start : start + chance.randrange(20)]


def _insert(data: bytearray, chance: random.Random) -> None:
    token = chance.choice(
        [b"{", b"]", b'"', b"\\u", b"\\ud800", b"&a ", b"*a", b"---\n", b"\0", b"\t", b"<<: ", b"1e999"]
    )
    start = chance.randrange(len(data) + 1)
    data[start:start] = token


_CHANGES: list[Callable[[bytearray, random.Random], None]] = [_flip, _cut, _insert]


def test_an_object_of_many_keys_is_read_in_linear_time() -> None:
    """Keys are looked at once: sixteen times as many take about sixteen times as long, where squares take 256."""

    def read(count: int) -> None:
        load(io.StringIO(json.dumps({"schema": "x", **{f"k{number}": 1 for number in range(count)}}) + "\n"))

    assert times_as_long(read, 1_250, 20_000) < 64


@pytest.mark.parametrize(
    "text",
    ['"a\n{}"', "a\n{} b", "|1\n{} a", "'{}'", "[a,{}b]", "{}# c", '"{}'],
    ids=["double", "plain", "block", "single", "flow", "comments", "open"],
)
def test_blank_lines_take_time_in_proportion(text: str) -> None:
    """A text that grows by a line break at a time is copied for each of them, which took minutes."""

    def read(count: int) -> None:
        with contextlib.suppress(CatalogError):
            load(io.StringIO(f"schema: x # c\nv: {text.format(chr(10) * count)}\n"))

    # The text that was copied grew sixteenfold as well: 256 times the work.
    assert times_as_long(read, 4_000, 64_000) < 64


@pytest.mark.parametrize(
    ("head", "unit", "end"),
    [
        ('{"schema": "x", "a": [', "[],", "0]}"),
        ('{"schema": "x", "a": [', '{"b":0},', "0]}"),
        ("schema: x\na:\n", "- a\n", ""),
        ("schema: x\na: [", "{}, ", "0]\n"),
    ],
)
def test_far_more_values_than_text(head: str, unit: str, end: str) -> None:
    """A list takes three characters and sixty bytes, so that a file of 64 megabytes could take two gigabytes."""
    text = head + unit * (16_000_000 // len(unit)) + end
    with pytest.raises(CatalogError, match="a document of far more values than text"):
        load(io.BytesIO(text.encode()))


def test_signs_in_strings_are_no_values() -> None:
    """A table with commas, or a program with brackets, may be a description."""
    text = json.dumps({"schema": "x", "a": "[{,}]," * 1_500_000})
    assert len(load(io.BytesIO(text.encode())).others) == 1


def test_many_documents_of_far_more_values_than_text() -> None:
    """Blobs of other schemas are kept as they are, all together."""
    blob = json.dumps({"schema": "x", "a": [[]] * 250_000}, separators=(",", ":"))
    with pytest.raises(CatalogError, match="with this blob, the blobs of other schemas have far more values than text"):
        load(io.BytesIO(f"{blob}\n".encode() * 8))
    small = json.dumps({"schema": "x", "a": ["a" * 1_000] * 100})
    assert len(load(io.BytesIO(f"{small}\n".encode() * 12)).others) == 12


LONG_NAME = "n" * 1_001


@pytest.mark.parametrize(
    "blob",
    [
        {"schema": "olm.package", "name": LONG_NAME},
        {"schema": "olm.package", "name": "p", "defaultChannel": LONG_NAME},
        {"schema": "olm.channel", "package": LONG_NAME, "name": "c", "entries": []},
        {"schema": "olm.channel", "package": "p", "name": LONG_NAME, "entries": []},
        {"schema": "olm.channel", "package": "p", "name": "c", "entries": [{"name": LONG_NAME}]},
        {"schema": "olm.channel", "package": "p", "name": "c", "entries": [{"name": "x", "replaces": LONG_NAME}]},
        {"schema": "olm.channel", "package": "p", "name": "c", "entries": [{"name": "x", "skips": [LONG_NAME]}]},
        {"schema": "olm.bundle", "package": "p", "name": LONG_NAME, "image": "x"},
    ],
)
def test_names_that_are_far_too_long(blob: dict[str, Any]) -> None:
    """A name of 400 KB that 15,000 edges of a graph repeat is text of six gigabytes."""
    data = io.BytesIO(f'{{"schema": "x"}}\n{json.dumps(blob)}\n'.encode())
    data.name = "f"
    assert refused(data) == f"f:2: a name of more than 1,000 characters: {'n' * 40}..."
    honest = json.loads(json.dumps(blob).replace(LONG_NAME, LONG_NAME[1:]))
    load(io.BytesIO(json.dumps(honest).encode()))
