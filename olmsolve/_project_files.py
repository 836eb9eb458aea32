"""The places of project files, found without loading anything: most folders have none, and no command waits for that.

The file is looked for in the working folder and above it, no further than the folder that holds ``.git``: a file in
a shared folder such as ``/tmp`` must not decide what somebody's command in a repository reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from olmsolve._typed_paths import is_file, is_there

PROJECT_FILE: Final = "olmsolve.toml"
_PYPROJECT: Final = "pyproject.toml"


def project_files(start: Path) -> Iterator[Path]:
    """Yield the files that may be the project's of folder *start*, the nearest first."""
    here = start.absolute()
    for shown, folder in ((start, here), *((above, above) for above in here.parents)):
        yield from (shown / name for name in (PROJECT_FILE, _PYPROJECT) if is_file(folder / name))
        if is_there(folder / ".git"):
            return
