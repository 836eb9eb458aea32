"""Pages that are true pass, and each way to be untrue is told with its line."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.pages.matching import difference, is_shown
from tests.pages.processes import EndedError, Processes
from tests.pages.running import Difference, run_page, updated

TRUE = """\
<!-- file: shop/list.txt -->
```text
tea
```
```console
$ cd shop && GREETING=hello
$ cat list.txt
tea
$ echo $GREETING; echo to all >&2
hello
to all
$ ls missing
ls: ...
$ echo $?
2
$ (exit 3)
$ echo $?
3
$ cat <<END
$GREETING
END
hello
$ printf 'one\\n\\ntwo'
one

two
$ seq 5
1
...
5
```
```pycon
>>> import pathlib
>>> names = sorted(pathlib.Path("shop").iterdir())
>>> print(names[0].name, __name__)
list.txt __main__
>>> print("a\\n\\nb")
a

b
>>> 1 / 0
Traceback (most recent call last):
ZeroDivisionError: division by zero

```
```pycon
>>> len(names)
1
```
"""

UNTRUE = """\
```console
$ echo a
b
$ false
$ if
$ echo $?
2
```
```pycon
>>> 1
2
>>> nothing
```
"""


def processes(folder: Path) -> AbstractContextManager[Processes]:
    """The processes of a page with the programs of the tests."""
    path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    return Processes(folder, {"PATH": path}, seconds=30)


@pytest.fixture
def paths(tmp_path: Path) -> tuple[Path, Path]:
    """A page that is true, and one that is not."""
    for name, text in (("true.md", TRUE), ("untrue.md", UNTRUE)):
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path / "true.md", tmp_path / "untrue.md"


def test_a_page_that_is_true(paths: tuple[Path, Path]) -> None:
    """Folder, variables, names and files stay from block to block; exit codes and dots are what the form says."""
    assert str(run_page(paths[0], processes)) == ""


def test_a_page_that_is_not(paths: tuple[Path, Path]) -> None:
    """Each difference names its line, and the rest of the page runs all the same."""
    run = run_page(paths[1], processes)
    assert [difference.line for difference in run.differences] == [2, 4, 5, 10, 12]
    texts = [str(difference) for difference in run.differences]
    assert texts[0] == "$ echo a\n--- page\n+++ printed\n@@ -1 +1 @@\n-b\n+a"
    assert texts[1] == '$ false\nexits with 1, which the page does not show: "$ echo $?" after it'
    assert "syntax error" in texts[2]
    assert texts[3].endswith("-2\n+1")
    assert texts[4].endswith("NameError: name 'nothing' is not defined")
    assert "untrue.md:2: $ echo a" in str(run)


def test_what_was_printed_can_be_written(paths: tuple[Path, Path]) -> None:
    """An author reviews a diff instead of copying outputs by hand; what dots leave open stays with the author."""
    run = run_page(paths[1], processes)
    text = updated(UNTRUE, run.differences)
    assert text.startswith("```console\n$ echo a\na\n$ false\n")
    assert ">>> 1\n1\n" in text
    assert updated("...\n", [Difference(1, "x", 1, ("...",), ("y",))]) == "...\n"


def test_a_command_that_does_not_end_is_ended(tmp_path: Path) -> None:
    """Its children too: nothing of a page stays behind."""
    with Processes(tmp_path, {"PATH": "/usr/bin:/bin"}, seconds=0.2) as machine, pytest.raises(EndedError):
        machine.command("sleep 600 | sleep 600")


def test_dots_stand_for_lines_or_text() -> None:
    """And for nothing else: the rest is compared exactly."""
    assert is_shown(["in ... s", "...", "end"], ["in 0.3 s", "a", "", "end"])
    assert is_shown(["..."], [])
    assert not is_shown(["in ... s"], ["in 0.3 s", "more"])
    assert not is_shown(["a.c"], ["abc"])


def test_a_diff_leaves_out_what_dots_make_equal() -> None:
    """The reader sees what has to be mended."""
    assert difference(["in ... s", "a"], ["in 0.3 s", "b"]).splitlines()[3:] == [" in ... s", "-a", "+b"]
