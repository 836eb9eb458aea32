"""Systems that are not Linux: what Windows lacks is not asked for.

The workflow runs commands on Windows and macOS. Here a process of this system lacks what the module ``os`` and others
lack there, so that a call of such a function fails before it is released.
"""

from __future__ import annotations

import ctypes
import io
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from olmsolve.cli import output

_LIKE_WINDOWS: Final = """
import importlib.abc, json, os, select, signal, sys

NAMES = {
    os: "geteuid getuid getegid getgid fchmod fchown chown killpg fork forkpty mkfifo O_NONBLOCK O_TMPFILE O_DIRECTORY"
    " O_NOFOLLOW O_CLOEXEC getpgid setsid wait waitid uname sysconf register_at_fork posix_spawn sched_getaffinity",
    select: "poll epoll",
    signal: "SIGKILL SIGHUP SIGPIPE SIGALRM SIGQUIT SIGUSR1 SIGUSR2 setitimer alarm pthread_sigmask",
}
for module, names in NAMES.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
os.O_BINARY = 0

class Lacking(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Lacking())

from olmsolve.cli import main

codes = []
for line in json.loads(sys.stdin.read()):
    try:
        codes.append(int(main(line.split())))
    except SystemExit as ended:
        codes.append(ended.code)
print("\\n" + json.dumps(codes))
"""


def _codes(folder: Path, *lines: str) -> list[int]:
    """Return the exit codes of the command *lines*, run one after the other in *folder* by a process like Windows'."""
    run = subprocess.run(
        [sys.executable, "-c", _LIKE_WINDOWS],
        input=json.dumps(lines),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "fault of olmsolve" not in run.stderr, run.stderr
    document: list[int] = json.loads(run.stdout.splitlines()[-1])
    return document


def test_commands_need_nothing_that_windows_lacks(tmp_path: Path) -> None:
    """Reading, resolving, explaining, limits, and each way to write a file, a folder and an index."""
    lines = {
        "demo --write demo": 0,
        "index demo/catalogs/orchard": 0,
        "resolve demo/install.yaml --timeout 60": 0,
        "resolve demo/unsatisfiable.yaml --explain html=page.html": 1,
        "explain --cluster demo/conflict.yaml": 1,
        "plan --cluster demo/cluster.yaml --catalog olm/orchard=demo/catalogs/orchard"
        " --catalog olm/commons=demo/catalogs/commons": 0,
        "validate demo/catalogs/orchard demo/catalogs/commons": 0,
        "graph demo/catalogs/commons --output html": 0,
        "catalog deprecate demo/catalogs/commons --package ember --message old --write": 0,
        "catalog merge demo/catalogs/orchard demo/catalogs/commons --split merged": 0,
        "catalog subset demo/catalogs/commons --package keyring --to keyring.yaml": 0,
        "certify demo/install.yaml --to proof.json": 0,
        "verify proof.json demo/install.yaml": 0,
        "audit --catalog commons=demo/catalogs/commons --resume audit.jsonl": 0,
        "where": 0,
    }
    assert dict(zip(lines, _codes(tmp_path, *lines), strict=True)) == lines
    assert (tmp_path / "page.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert (tmp_path / "merged").is_dir()


@pytest.mark.parametrize(("modes", "taken", "coloured"), [(3, True, True), (3, False, False), (None, False, True)])
def test_consoles_of_windows_are_told_of_colours(
    modes: int | None, taken: bool, coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then, they print each escape; one that is too old stays without, and other terminals need nothing."""
    modes_set: list[int] = []

    class Kernel:
        def GetStdHandle(self, number: int) -> int:  # noqa: N802 - Windows's own names
            return number

        def GetConsoleMode(self, _: int, mode: Any) -> int:  # noqa: N802
            mode._obj.value = modes or 0
            return int(modes is not None)

        def SetConsoleMode(self, _: int, mode: int) -> int:  # noqa: N802
            modes_set.append(mode)
            return int(taken)

    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(output, "_IS_WINDOWS", True)
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=Kernel()), raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("TERM", raising=False)
    assert output.style().colour == coloured
    assert modes_set == [7] * (modes is not None)
