"""Pages run in this process as they do in their own, as far as they run here."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.pages.in_process import in_process
from tests.pages.running import run_page

PAGE = """\
<!-- file: versions.py -->
```python
LOWEST = "1.0.0"
```
```console
$ olmsolve demo --write "my demo" > written.txt
$ head -1 written.txt
The example is written; ...
$ cd "my demo"
$ FOLDER=catalogs/commons
$ olmsolve catalog list channels $FOLDER --package ember
PACKAGE  CHANNEL  HEAD          ENTRIES  DEFAULT
ember    stable   ember.v1.2.0  2        yes
$ olmsolve resolve nothing.yaml
olmsolve: nothing.yaml: cannot be read: No such file or directory
$ echo $?
2
$ export OLMSOLVE_INDEX_CACHE=$PWD/cache
$ python -c "print('left out')"
$ olmsolve resolve install.yaml | head -1
5 bundles to install:
$ olmsolve --version && python -c 'print()'
```
```pycon
>>> from versions import LOWEST
>>> import os
>>> LOWEST, os.path.basename(os.environ["OLMSOLVE_INDEX_CACHE"])
('1.0.0', 'cache')
```
"""


def test_a_page_that_is_true(tmp_path: Path) -> None:
    """Words, redirections, folders and exit codes are the shell's; interpreters are left out."""
    path = tmp_path / "page.md"
    path.write_text(PAGE, "utf-8")
    assert str(run_page(path, in_process)) == ""


def test_nothing_of_a_page_stays(tmp_path: Path) -> None:
    """The next page, and every other test, finds this process as it was."""
    before = Path.cwd(), dict(os.environ), list(sys.path)
    test_a_page_that_is_true(tmp_path)
    assert (Path.cwd(), dict(os.environ), list(sys.path)) == before
    assert "versions" not in sys.modules
