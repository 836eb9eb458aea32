"""One room talks to hosts: no other module opens a connection, so that its promises hold for all."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import olmsolve

_ROOT: Final = Path(olmsolve.__file__).parent
_ROOM: Final = _ROOT / "catalog" / "hosts"
_NETWORK: Final = {
    "aiohttp",
    "asyncio",
    "ftplib",
    "http",
    "httpx",
    "kubernetes",
    "oras",
    "requests",
    "smtplib",
    "socket",
    "socketserver",
    "ssl",
    "urllib3",
    "xmlrpc",
}
# Workers of a fleet talk to their own scheduler, by the library that the user names for it. The API server of a running
# cluster is asked by the official client, which has the credentials; docs/how-to/ask-a-running-cluster.md promises GET.
# A server listens, and opens no connection of its own.
_ELSEWHERE: Final = {
    _ROOT / "answers" / "fleet.py",
    _ROOT / "requests" / "api_server.py",
    _ROOT / "serving" / "http_server.py",
}

_THREADS: Final = (_ROOT / "_resolver.py", "asyncio")
"""The module that takes work out of an event loop, into a thread; the test below holds it to that."""


def imported(text: str) -> set[str]:
    """Return the modules that a module with this *text* imports, by import_module too."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            modules.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module)
        elif isinstance(node, ast.Call) and "import" in _name_of(node.func):
            modules.update(
                argument.value
                for argument in node.args
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
            )
    return modules


def _name_of(function: ast.expr) -> str:
    """Return the text of *function*, which is called; writing dotted names by ast.unparse would take 2 s."""
    match function:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=name):
            return f"{_name_of(value)}.{name}"
        case _:
            return ast.unparse(function)


def test_one_room_talks_to_hosts() -> None:
    """A second way to the network would have to keep every promise of docs/images.md by itself."""
    for path in _ROOT.rglob("*.py"):
        if path.is_relative_to(_ROOM) or path in _ELSEWHERE:
            continue
        for name in imported(path.read_text("utf-8")):
            if (path, name) != _THREADS:
                assert name.partition(".")[0] not in _NETWORK, f"{path} imports {name}"
            assert name not in ("urllib.request", "urllib.error", "urllib"), f"{path} imports {name}"


def test_the_event_loop_is_asked_for_threads_alone() -> None:
    """``asyncio.to_thread`` opens no connection, and nothing else of asyncio is used."""
    path, module = _THREADS
    tree = ast.parse(path.read_text("utf-8"))
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == module
    }
    assert used == {"to_thread"}
