"""Bad input of every kind ends the same way: exit code 2 and one message that says where.

The commands run in another process, with a limit on memory and on time: a crash inside a parser, or a document that
expands without end, must not pass as a refusal. They share the process, because starting one takes longer than most.
"""

from __future__ import annotations

import gzip
import json
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.cli.commands import Run

PACKAGE = {"schema": "olm.package", "name": "p", "defaultChannel": "stable"}
Refused: TypeAlias = Callable[..., str]

MEMORY = 2 << 30
SECONDS = 30


def channel(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"schema": "olm.channel", "package": "p", "name": "stable", "entries": list(entries)}


def bundle(name: str, *properties: dict[str, Any]) -> dict[str, Any]:
    own = {"type": "olm.package", "value": {"packageName": "p", "version": name.removeprefix("p.v")}}
    return {"schema": "olm.bundle", "package": "p", "name": name, "properties": [own, *properties]}


def text(*blobs: dict[str, Any]) -> bytes:
    return "\n".join(map(json.dumps, blobs)).encode()


def requiring(kind: str, value: dict[str, Any]) -> bytes:
    """A catalog whose only bundle has a requirement."""
    return text(PACKAGE, channel({"name": "p.v1.0.0"}), bundle("p.v1.0.0", {"type": kind, "value": value}))


def nested(levels: int) -> dict[str, Any]:
    constraint: dict[str, Any] = {"gvk": {"group": "g.example.com", "version": "v1", "kind": "Thing"}}
    for _ in range(levels):
        constraint = {"all": {"constraints": [constraint]}}
    return constraint


def alias_bomb() -> bytes:
    lines = ["schema: example", "a: &a [x]"]
    for old, new in zip("abcdefghi", "bcdefghij", strict=True):
        lines.append(f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]")
    return "\n".join(lines).encode()


GOOD = (PACKAGE, channel({"name": "p.v1.0.0"}), bundle("p.v1.0.0"))
BOTH = (bundle("p.v1.0.0"), bundle("p.v1.1.0"))
HEADS = channel({"name": "p.v1.0.0"}, {"name": "p.v1.1.0"})
CYCLE = channel({"name": "p.v1.0.0", "replaces": "p.v1.1.0"}, {"name": "p.v1.1.0", "replaces": "p.v1.0.0"})
DEEP = b'{"schema": "example", "value": ' + b"[" * 10_000 + b"]" * 10_000 + b"}"
NO_RANGE = {"packageName": "q", "versionRange": ">>1"}
NO_RULE = {"cel": {"rule": "properties.exists(p, p.kind =="}}
TOO_LARGE = {"failureMessage": "x" * (128 << 10), **nested(0)}

# The content of a catalog's file (None for a missing file), and texts that the message must hold.
CATALOGS: dict[str, tuple[bytes | None, list[str]]] = {
    "missing file": (None, ["catalog", "No such file"]),
    "truncated gzip": (gzip.compress(text(*GOOD))[:-20], ["catalog", "truncated gzip"]),
    "binary file": (bytes(range(256)) * 10, ["catalog", "binary"]),
    "deep JSON": (DEEP, ["catalog:1", "nested"]),
    "alias bomb": (alias_bomb(), ["catalog:", "alias"]),
    "duplicate bundle": (text(*GOOD, GOOD[2]), ["catalog:4", "p.v1.0.0", "catalog:3"]),
    "two heads": (text(PACKAGE, HEADS, *BOTH), ["catalog:2", "channel stable", "p.v1.0.0", "p.v1.1.0"]),
    "cycle": (text(PACKAGE, CYCLE, *BOTH), ["catalog:2", "channel stable", "head"]),
    "range": (requiring("olm.package.required", NO_RANGE), ["catalog:3", "p.v1.0.0", "versionRange", ">>1"]),
    "CEL rule": (requiring("olm.constraint", NO_RULE), ["catalog:3", "p.v1.0.0", "cel.rule", "compile"]),
    "large constraint": (requiring("olm.constraint", TOO_LARGE), ["catalog:3", "p.v1.0.0", "131072 bytes"]),
    "deep constraint": (requiring("olm.constraint", nested(11)), ["catalog:3", "p.v1.0.0", "10 levels"]),
    "broken JSON": (b'{"schema": "olm.package", "name" "p"}', ["catalog:1", "not valid JSON"]),
    "no blob": (b"hello: world", ["catalog", "schema"]),
}


# A line of standard input is a command; the answer is a line with its exit code and what it printed.
_ANSWERING = f"""
import contextlib, io, json, os, resource, sys
from olmsolve.cli import main
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
for line in sys.stdin:
    folder, arguments = json.loads(line)
    os.chdir(folder)
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = main(arguments)
    print(json.dumps([code, out.getvalue(), err.getvalue()]), flush=True)
"""


@pytest.fixture(scope="module")
def answering() -> Iterator[subprocess.Popen[str]]:
    """A process that answers commands."""
    with subprocess.Popen(
        [sys.executable, "-c", _ANSWERING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.kill()


@pytest.fixture
def refused(answering: subprocess.Popen[str], tmp_path: Path) -> Refused:
    """Return the message of a command that must refuse its input, which it finds in *tmp_path*."""

    def message(*arguments: str) -> str:
        assert answering.stdin is not None
        assert answering.stdout is not None
        print(json.dumps([str(tmp_path), arguments]), file=answering.stdin, flush=True)
        readable, _, _ = select.select([answering.stdout], [], [], SECONDS)
        assert readable, f"no answer within {SECONDS} seconds"
        line = answering.stdout.readline()
        assert line, "the process has crashed"
        code, out, err = json.loads(line)
        assert (code, out) == (2, ""), err
        assert err.startswith("olmsolve: ")
        assert err.count("olmsolve: ") == 1
        assert "Traceback" not in err
        return str(err)

    return message


@pytest.mark.parametrize(("content", "words"), CATALOGS.values(), ids=CATALOGS.keys())
def test_bad_catalogs(tmp_path: Path, refused: Refused, content: bytes | None, words: list[str]) -> None:
    """The message names the file, the place in it, and what is wrong there."""
    if content is not None:
        (tmp_path / "catalog").write_bytes(content)
    message = refused("resolve", "--catalog", "main=catalog", "--subscribe", "p@stable")
    for word in words:
        assert word in message


def test_a_directory_without_catalogs(tmp_path: Path, refused: Refused) -> None:
    """An empty folder is more often a wrong path than an empty catalog."""
    (tmp_path / "folder").mkdir()
    message = refused("resolve", "--catalog", "main=folder", "--subscribe", "p")
    assert "folder: there is no catalog here" in message


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        (
            "{namespaces: [team], catalogs: [], subscriptions: [{name: s, package: p, chanel: c}]}",
            ["did you mean channel?"],
        ),
        (
            "{namespaces: [team], catalogs: [{name: c, file: nowhere}], subscriptions: []}",
            ["nowhere", "No such file"],
        ),
        ("{namespaces: [team, catalogs: [}", ["request.yaml:1", "not valid"]),
        ("[" * 10_000, ["request.yaml:1"]),
        (alias_bomb().decode(), ["request.yaml:", "alias"]),
    ],
    ids=["wrong field", "missing catalog", "syntax", "deep", "alias bomb"],
)
def test_bad_requests(tmp_path: Path, refused: Refused, request_text: str, words: list[str]) -> None:
    """The message names the document and the field."""
    (tmp_path / "request.yaml").write_text(request_text)
    message = refused("resolve", "request.yaml")
    for word in words:
        assert word in message


def test_names_that_are_too_long(olmsolve: Run) -> None:
    """A name longer than the system allows gets one line, with a priority behind it or without."""
    name = "x" * 5000
    wish = "--catalog", f"c={name}:10", "--subscribe", "a"
    for arguments in (["resolve", name], ["resolve", *wish], ["validate", name]):
        outcome = olmsolve(*arguments)
        assert outcome.code == 2
        assert outcome.err.startswith("olmsolve: ")
