"""Files that olmsolve writes are whole whenever their writer dies.

A child process dies by itself, without any of Python's tidying up, before the n-th call to the system, for every n
until it lives. What the parent finds then is what a user finds after ``kill -9``.
"""

from __future__ import annotations

import ast
import errno
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from olmsolve import CatalogError, _whole_files, load
from olmsolve._whole_files import write_whole
from olmsolve.catalog import fbc
from olmsolve.catalog.images import keep
from olmsolve.catalog.index_files import write_index
from olmsolve.cli import main
from tests.deep_folders import folders_in_each_other
from tests.scale import LONG

# Python warns of forks beside threads, which the test runner has; the child calls nothing that waits for a thread.
pytestmark = [
    pytest.mark.forks,
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]

_ORCHARD: Final = Path(__file__).parents[1] / "olmsolve/examples/catalogs/orchard"
_CALLS: Final = ("open", "fchmod", "fsync", "link", "close", "replace", "rename", "unlink", "mkdir", "rmdir")
"""Functions of ``os`` that change files: ``pathlib`` and ``shutil`` call them too."""

_OLD: Final = b"old\n"
_NEW: Final = [b"new " * 1000, b"and more " * 200_000]
"""More than is gathered before it is written, so that there is a moment with half of it."""


def _dying(pieces: list[bytes], tick: Callable[[], None]) -> Iterator[bytes]:
    for piece in pieces:
        tick()
        yield piece


def _deaths(
    write: Callable[[Callable[[], None]], None], patch: pytest.MonkeyPatch, prepare: Callable[[], None]
) -> Iterator[int]:
    """Let a child run *write* and die before its first call, its second, and so on; yield the number of each death.

    *prepare* puts the old content in place before each run. *write* gets a function to call between pieces of content,
    which counts as a call.
    """
    for fatal in range(1, 1000):
        prepare()
        child = os.fork()
        if child == 0:
            count = 0

            def tick() -> None:
                nonlocal count
                count += 1
                if count == fatal:  # noqa: B023 (the loop waits for the child)
                    os._exit(9)

            def counted(function: Callable[..., Any]) -> Callable[..., Any]:
                def call(*args: Any, **keywords: Any) -> Any:
                    tick()
                    return function(*args, **keywords)

                return call

            for name in _CALLS:
                patch.setattr(os, name, counted(getattr(os, name)))
            try:
                write(tick)
                os._exit(0)
            finally:
                os._exit(1)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, 9)
        if code == 0:
            return
        yield fatal
    raise AssertionError("the writer makes more calls than anyone expected")


@pytest.fixture(params=["a file without a name", "a hidden file"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to write where nobody looks; not every system has the first."""
    if request.param == "a hidden file":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    return str(request.param)


@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.usefixtures("way")
def test_a_killed_writer_leaves_the_old_file_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_new: bool
) -> None:
    """At each of its calls: a reader who comes later must never take half a file for a catalog."""
    file = tmp_path / "catalog.yaml"
    old, new = None if is_new else _OLD, b"".join(_NEW)
    deaths = _deaths(lambda tick: write_whole(file, _dying(_NEW, tick)), monkeypatch, lambda: _put(file, old))
    contents = [file.read_bytes() if file.exists() else None for _ in deaths]
    assert set(contents) == {old, new}
    assert contents == sorted(contents, key=[old, new].index), "once the new file is there, it stays"


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="only Linux has files without a name")
def test_a_killed_writer_of_a_new_file_leaves_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file in a catalog's folder is part of the catalog, so a leftover would break it."""
    file = tmp_path / "catalog.yaml"
    for _ in _deaths(lambda tick: write_whole(file, _dying(_NEW, tick)), monkeypatch, lambda: _put(file, None)):
        assert _names(tmp_path) in ([], ["catalog.yaml"])


def test_a_killed_writer_leaves_no_half_of_a_catalog_in_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder with the files of some packages loads as a smaller catalog, which nobody would notice."""
    catalog, folder = load(_ORCHARD), tmp_path / "out"

    def write(_: Callable[[], None]) -> None:
        fbc.split(catalog, folder)

    deaths = _deaths(write, monkeypatch, lambda: shutil.rmtree(folder, ignore_errors=True))
    names_left = [set(load(folder).packages) if folder.exists() else None for _ in deaths]
    assert names_left.count(None) > 2 * len(catalog.packages)
    assert all(names in (None, set(catalog.packages)) for names in names_left)


def _names(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


def _put(file: Path, content: bytes | None) -> None:
    file.unlink(missing_ok=True)
    if content is not None:
        file.write_bytes(content)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("call", ["open", "fchmod", "fsync", "link", "replace"])
def test_a_full_disk_leaves_the_old_file_or_the_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """Whichever call finds the disk full: one error and the old file, or the new one, and nothing beside it."""
    file = tmp_path / "catalog.yaml"
    file.write_bytes(_OLD)
    expected = b"".join(_NEW)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, _refuse)
        try:
            write_whole(file, _NEW)
        except OSError:
            expected = _OLD
    assert file.read_bytes() == expected
    assert _names(tmp_path) == ["catalog.yaml"]


@pytest.mark.parametrize("writer", ["index", "write", "split"])
def test_a_folder_that_cannot_be_written_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str
) -> None:
    """An error names what cannot be written and the system's reason, whoever writes."""
    target = tmp_path / "out.yaml"
    writers: dict[str, Callable[[], object]] = {
        "index": lambda: write_index(_ORCHARD, target),
        "write": lambda: fbc.write(catalog, target),
        "split": lambda: fbc.split(catalog, target),
    }
    catalog = load(_ORCHARD)
    monkeypatch.setattr(_whole_files, "_unseen", _refuse)
    with pytest.raises(CatalogError, match=r"out\.yaml: cannot be written: No space left on device"):
        writers[writer]()
    assert _names(tmp_path) == []


def test_a_folder_that_cannot_be_moved_is_filled_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container mounts an empty folder and wants the catalog in it; renaming another folder onto it is refused."""
    (tmp_path / "out").mkdir()
    rename = Path.replace

    def refuse_folders(source: Path, target: Path) -> Path:
        if source.is_dir():
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        return rename(source, target)

    monkeypatch.setattr(Path, "replace", refuse_folders)
    fbc.split(load(_ORCHARD), tmp_path / "out")
    assert load(tmp_path / "out") == load(_ORCHARD)


@pytest.mark.parametrize("there", [True, False])
def test_links_in_a_folder_that_gets_files_are_replaced(there: bool, tmp_path: Path) -> None:
    """Whoever may write to the folder would have files overwritten, or made, wherever the user may write."""
    outside, link = tmp_path / "outside", tmp_path / "link"
    if there:
        outside.write_bytes(_OLD)
    link.symlink_to(outside)
    write_whole(link, _NEW, is_named=False)
    assert not link.is_symlink()
    assert link.read_bytes() == b"".join(_NEW)
    assert outside.exists() == there
    assert not there or outside.read_bytes() == _OLD
    os.mkfifo(tmp_path / "fifo")
    write_whole(tmp_path / "fifo", _NEW, is_named=False)
    assert (tmp_path / "fifo").read_bytes() == b"".join(_NEW)


@pytest.mark.parametrize("name", ["fuzz-state.json", "README.md", "catalogs"])
def test_folders_with_links_out(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder of somebody else's may hold links where we write: nothing outside of it is made or changed."""
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    folder.mkdir()
    (folder / name).symlink_to(outside if name == "catalogs" else outside / "made")
    if name == "fuzz-state.json":
        assert main(["fuzz", str(_ORCHARD), "--cases", "1", "--out", str(folder)]) in (0, 1)
        assert (folder / name).is_file()
    else:
        assert main(["demo", "--write", str(folder)]) == 2
    assert list(outside.iterdir()) == []
    capsys.readouterr()


@pytest.mark.parametrize("command", ["catalog merge {cat} --split", "render {cat} -o yaml --split", "demo --write"])
@pytest.mark.parametrize("is_dangling", [True, False])
def test_folders_that_are_filled_hold_no_links(
    command: str, is_dangling: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder with a link where a package's folder would be is not empty, wherever the link leads."""
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    folder.mkdir()
    if not is_dangling:
        outside.mkdir()
    (folder / "storefront").symlink_to(outside)
    assert main([*command.format(cat=_ORCHARD).split(), str(folder)]) == 2
    assert {path.name for path in tmp_path.rglob("*")} == {
        "folder",
        "storefront",
        *(() if is_dangling else ("outside",)),
    }
    capsys.readouterr()


@pytest.mark.parametrize("kind", ["pipe", "huge"])
def test_folders_with_odd_things_get_no_example(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pipe has no writer to wait for, and what is not the example is not read."""
    folder = tmp_path / "folder"
    folder.mkdir()
    if kind == "pipe":
        os.mkfifo(folder / "README.md")
    else:
        with (folder / "install.yaml").open("wb") as file:
            file.truncate(1 << 40)
    assert main(["demo", "--write", str(folder)]) == 2
    assert "the folder holds a file that is not of the example" in " ".join(capsys.readouterr().err.split())


def test_folders_in_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They may be as deep as paths are long."""
    with folders_in_each_other(tmp_path / "folder", 1200) as deepest:
        (deepest / "x").write_text("")
        assert main(["demo", "--write", str(tmp_path / "folder")]) == 2
        assert "the folder holds a file that is not of the example" in " ".join(capsys.readouterr().err.split())
        assert main(["impact", "--clusters", f"{tmp_path}/folder/**/x", "--catalog", f"a/b={_ORCHARD}"]) == 2
        assert "folders lie in each other too deep" in " ".join(capsys.readouterr().err.split())


def test_a_new_file_is_no_link_that_leads_nowhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who asks for a new file in the folder of somebody else means that folder."""
    (tmp_path / "graph.mmd").symlink_to(tmp_path / "outside")
    assert main(["graph", str(_ORCHARD), "-o", "mermaid", "--to", str(tmp_path / "graph.mmd")]) == 2
    assert "there is a file already" in capsys.readouterr().err
    assert not (tmp_path / "outside").exists()


def test_the_cache_of_images_follows_no_link(tmp_path: Path) -> None:
    """The name of a blob is its digest, which others know as well."""
    (tmp_path / "blob").symlink_to(tmp_path / "outside")
    keep(tmp_path / "blob", [b"x"], "example.com/a")
    assert (tmp_path / "blob").read_bytes() == b"x"
    assert not (tmp_path / "outside").exists()


def test_links_and_streams_stay_what_they_are(tmp_path: Path) -> None:
    """A link to a catalog elsewhere is written through, as before; so is a pipe."""
    (tmp_path / "real.yaml").write_bytes(_OLD)
    (tmp_path / "link.yaml").symlink_to(tmp_path / "real.yaml")
    (tmp_path / "real.yaml").chmod(0o640)
    write_whole(tmp_path / "link.yaml", _NEW)
    assert (tmp_path / "link.yaml").is_symlink()
    assert (tmp_path / "real.yaml").read_bytes() == b"".join(_NEW)
    assert stat.S_IMODE((tmp_path / "real.yaml").stat().st_mode) == 0o640
    program = "from olmsolve._whole_files import write_whole; write_whole('/dev/stdout', [b'through the pipe'])"
    assert (
        subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True).stdout
        == b"through the pipe"
    )


@pytest.mark.parametrize("status", ["/proc/self/status", "/nowhere"])
def test_the_umask_is_never_changed(status: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A umask is the whole process's: to change it, for a moment even, gives files of other threads to anybody."""
    (tmp_path / "usual").touch()
    monkeypatch.setattr(os, "umask", None)
    monkeypatch.setattr(_whole_files, "_STATUS", Path(status))
    write_whole(tmp_path / "new", _NEW)
    write_whole(tmp_path / "own", _NEW, is_own=True)
    usual, new, own = (stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("usual", "new", "own"))
    assert new == usual
    assert own == usual & ~0o022
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "own", "usual"]


def test_an_own_file_is_written_by_nobody_else(tmp_path: Path) -> None:
    """An index is taken only where others may not write it, so that one which they may is mended by writing it anew."""
    (tmp_path / "index").write_bytes(_OLD)
    (tmp_path / "index").chmod(0o666)
    write_whole(tmp_path / "index", _NEW, is_own=True)
    assert stat.S_IMODE((tmp_path / "index").stat().st_mode) == 0o644


_WRITING: Final = frozenset({"open", "write_text", "write_bytes", "touch", "copyfile", "copytree", "mkstemp"})
"""Methods of paths, and functions of ``os`` and ``shutil``, that write files; ``open`` does so in some modes."""

_OTHER_WRITERS: Final = {
    "_whole_files.py": "the writer itself",
    "_waiting.py": "a named pipe, whose reader is waited for: the writer's own door",
    "answers/auditing/running.py": "a journal, whose lines are appended; one that is cut short is skipped",
    "catalog/fbc/bundle_reading.py": "files in a temporary folder, which are read and removed",
    "cli/change_options.py": "files of a commit in a temporary folder, which are read and removed",
    "cli/__init__.py": "streams that are missing lead to the null device",
    "lifecycle/impact/state.py": "a new state is an empty file at first, so that what refuses it is known before work",
    "solver/backends/functions.py": "a problem for another program, in a temporary folder",
}
"""Modules that write files by themselves, below olmsolve, and why they may."""


def test_everything_else_is_written_by_the_one_writer() -> None:
    """A module that opened a file to write would leave half of it behind when it dies: each exception has a reason."""
    package = Path(_whole_files.__file__).parent
    writers = {file.relative_to(package).as_posix() for file in package.rglob("*.py") if _writes_files(file)}
    assert writers == _OTHER_WRITERS.keys()


def _writes_files(module: Path) -> bool:
    text = module.read_text("utf-8")
    # Most modules have none of these words, and parsing all of them takes seconds.
    if not any(f"{name}(" in text for name in _WRITING):
        return False
    return any(isinstance(node, ast.Call) and _writes(node) for node in ast.walk(ast.parse(text)))


def _writes(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name != "open":
        return name in _WRITING
    parts = [node for argument in [*call.args, *call.keywords] for node in ast.walk(argument)]
    modes = (str(node.value) for node in parts if isinstance(node, ast.Constant))
    flags = {node.attr for node in parts if isinstance(node, ast.Attribute)}
    return not flags.isdisjoint({"O_CREAT", "O_WRONLY", "O_RDWR"}) or any(
        re.fullmatch("[rwaxbt+]*[wax+][rwaxbt+]*", mode) for mode in modes
    )


def _refuse(*_: Any, **__: Any) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


_PROGRAM: Final = """
import sys
from olmsolve import fbc
from olmsolve.catalog.index_files import write_index
orchard, folder = sys.argv[1:]
catalog = fbc.load(orchard)
fbc.rendered(catalog)
open(folder + "/begin", "w").close()
fbc.write(catalog, folder + "/catalog.yaml")
write_index(orchard, folder + "/catalog.index")
fbc.split(catalog, folder + "/split")
"""


@pytest.mark.skipif(not LONG, reason="starts a traced process for each system call: only with OLMSOLVE_TESTS=long")
@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_a_process_killed_at_every_system_call_leaves_whole_files(tmp_path: Path) -> None:
    """The system sees more calls than Python's functions: each write of a large file, for one."""
    catalog = load(_ORCHARD)
    folder = tmp_path / "folder"
    whole = _traced(folder, [])
    assert whole.count("begin") == 1
    lines = whole.splitlines()
    begin = next(number for number, line in enumerate(lines) if "/begin" in line)
    for number in range(begin + 2, len(lines) + 1):
        _traced(folder, [f"--inject={_TRACED}:signal=KILL:when={number}"])
        if (folder / "catalog.yaml").exists():
            assert load(folder / "catalog.yaml") == catalog
        if (folder / "catalog.index").exists():
            assert load(_ORCHARD, index=folder / "catalog.index").packages.keys() == catalog.packages.keys()
        if (folder / "split").exists():
            assert load(folder / "split").packages.keys() == catalog.packages.keys()
    print(f"{len(lines) - begin} system calls, each killed")


_TRACED: Final = "openat,write,fsync,linkat,rename,fchmod,chmod,unlink,mkdir,rmdir,unlinkat,close"


def _traced(folder: Path, options: list[str]) -> str:
    """Run the program in a new *folder* under strace, and return the traced calls, a line each."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    log = folder.with_name("trace")
    command = ["strace", "-o", str(log), "-e", f"trace={_TRACED}", *options]
    subprocess.run([*command, sys.executable, "-c", _PROGRAM, str(_ORCHARD), str(folder)], check=not options)
    return "\n".join(line for line in log.read_text().splitlines() if "(" in line and not line.startswith("+++"))
