"""Parts of the servers on their own: messages of gRPC, marks of files, and a server that is told to end at once.

A client of gRPC sends no broken message, and a server that ran would wait for a signal.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from olmsolve.cli import main
from olmsolve.cli.commands import serve
from olmsolve.serving.served_catalog import fingerprint
from olmsolve.serving.wire import texts
from tests.serving.test_serve import ORCHARD


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x0a", "the message ends inside of a number"),
        (b"\x0a\x05x", "the message ends inside of a field"),
        (b"\x0b", "a field has the unknown wire type 3"),
        (b"\xff" * 11, "the message ends inside of a number"),
    ],
)
def test_requests_that_are_no_messages_are_refused(data: bytes, reason: str) -> None:
    """Anybody can send anything to a port."""
    with pytest.raises(ValueError, match=reason):
        texts(data)


def test_fields_of_other_types_are_passed_over() -> None:
    """A newer client may send more than is known here."""
    assert texts(b"\x08\x96\x01\x0a\x01x\x19" + b"\0" * 8 + b"\x25" + b"\0" * 4) == {1: "x"}


def test_fingerprints_of_what_cannot_change(tmp_path: Path) -> None:
    """An image in a registry has no files here; a folder that cannot be listed just now has none."""
    assert fingerprint("docker://registry.example.com/catalog:1") is None
    (tmp_path / "link").symlink_to("/")
    assert fingerprint(str(tmp_path)) == ()


def test_the_examples_of_the_help_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On free ports, and told to end at once."""
    pytest.importorskip("grpc", reason='the extra "serve" is not installed')
    monkeypatch.chdir(ORCHARD.parents[1])
    monkeypatch.setattr(serve, "_serve_until_told", lambda *_: None)
    examples = [line.split()[1:] for line in serve.EXAMPLES.splitlines() if line.startswith("  olmsolve ")]
    for example in examples:
        local = ["127.0.0.1" if word == "0.0.0.0" else word for word in example]  # noqa: S104 - not listened on
        assert main([*local, "--http-port", "0", "--grpc-port", "0"]) == 0
        assert "2 packages with 5 entries are served." in capsys.readouterr().out
    assert len(examples) == 3


def test_one_package_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The smallest catalog that anybody serves."""
    own = {"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}
    blobs = [
        {"schema": "olm.package", "name": "p", "defaultChannel": "c"},
        {"schema": "olm.channel", "package": "p", "name": "c", "entries": [{"name": "p.v1"}]},
        {"schema": "olm.bundle", "package": "p", "name": "p.v1", "image": "q.io/p:1", "properties": [own]},
    ]
    (tmp_path / "c.json").write_text("\n".join(map(json.dumps, blobs)), "utf-8")
    monkeypatch.setattr(serve, "_serve_until_told", lambda *_: None)
    assert main(["serve", str(tmp_path), "--api", "http", "--http-port", "0"]) == 0
    assert "\n1 package with 1 entry is served.\n" in capsys.readouterr().out


def test_without_grpcio_the_registry_api_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The HTTP API needs no extra; who asks for the other one is told what to install."""
    monkeypatch.setitem(sys.modules, "grpc", None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(serve, "_serve_until_told", lambda *_: None)
    assert main(["serve", str(ORCHARD), "--http-port", "0"]) == 0
    assert 'the registry API is not served: grpcio is not installed (pip install "olmsolve[serve]")' in (
        capsys.readouterr().err
    )
    assert main(["serve", str(ORCHARD), "--api", "grpc"]) == 2
    assert "--api: the registry API needs grpcio, which is not installed" in capsys.readouterr().err
