"""The places of project files, found without loading anything: most folders have none, and no command waits for that.

The file is looked for in the working folder and above it, no further than the folder that holds ``.git``: a file in
a shared folder such as ``/tmp`` must not decide what somebody's command in a repository reads. For the same reason, a
file of another user counts for nothing, unless the working folder is that user's as well, as in containers.
"""

from __future__ import annotations

import os
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
        for name in (PROJECT_FILE, _PYPROJECT):
            if is_file(folder / name) and _is_trusted(folder / name, here):
                yield shown / name
        if is_there(folder / ".git"):
            return


def _is_trusted(file: Path, here: Path) -> bool:
    """Return whether *file* belongs to the user, to root, or to the owner of the folder *here*."""
    if not hasattr(os, "geteuid"):
        return True
    try:
        return file.stat().st_uid in (0, os.geteuid(), here.stat().st_uid)
    except OSError:
        return False
