"""Changes of files that authors keep: shown as a diff first, and then written all or not at all."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve._whole_files import write_whole
from olmsolve.errors import CatalogError

_NOWHERE: Final = "/dev/null"
# Letters outside of ASCII alone need no quotes: git reads them either way.
_QUOTED: Final = pattern(r'["\\\x00-\x1f\x7f]')
_ESCAPES: Final = {ord('"'): '\\"', ord("\\"): "\\\\", 9: "\\t", 10: "\\n", 13: "\\r"}
# Not splitlines(), which also splits at form feeds and Unicode's line ends: git knows "\n" alone.
_LINE: Final = pattern(r"[^\n]*\n|[^\n]+")


@attrs.frozen
class FileChange:
    """A file as it is (*before*) and as it will be (*after*); None where it does not exist."""

    path: str
    before: str | None = attrs.field(repr=False)
    after: str | None = attrs.field(repr=False)

    def diff(self) -> str:
        """Return the change as a unified diff, which ``patch -p1`` and ``git apply`` take in the working folder.

        A file outside of the working folder is named from the root: ``patch -p1 -d /`` takes it there.
        """
        # str.splitlines would cut at further signs, which git and patch do not take for line ends.
        old, new = (_LINE.findall(text or "") for text in (self.before, self.after))
        name = _shown_path(self.path)
        old_name = _NOWHERE if self.before is None else _name(f"a/{name}")
        new_name = _NOWHERE if self.after is None else _name(f"b/{name}")
        lines = difflib.unified_diff(old, new, old_name, new_name)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _shown_path(path: str) -> str:
    """Return *path* from the working folder, or from the root if it is not inside; programs refuse ``..`` in a diff."""
    absolute = os.path.normpath(os.path.join(os.getcwd(), path))  # noqa: PTH109, PTH118 - links stay as they are
    inside = os.path.relpath(absolute)
    shown = absolute if inside == os.pardir or inside.startswith(f"{os.pardir}{os.sep}") else inside
    return PurePath(shown).as_posix().lstrip("/")


def _name(path: str) -> str:
    """Return *path* as git writes it after ``---`` and ``+++``: in quotes with escapes, or with a tab after blanks."""
    if _QUOTED.search(path):
        escaped = (
            # As git does: three octal digits for each byte that is not printable ASCII.
            _ESCAPES.get(byte) or (f"\\{byte:03o}" if byte < 32 or byte > 126 else chr(byte))
            for byte in path.encode("utf-8", "surrogateescape")
        )
        return f'"{"".join(escaped)}"'
    return f"{path}\t" if " " in path else path


def write_changes(changes: Sequence[FileChange]) -> None:
    """Write *changes*, each file in one step; after an error, the files that were written get their old text back.

    Raises:
        CatalogError: a file has changed meanwhile, or cannot be written.
    """
    for change in changes:
        if _text_of(change.path) != change.before:
            raise CatalogError("the file has changed meanwhile; run the command again", origin=change.path)
    done: list[FileChange] = []
    for change in changes:
        try:
            _put(change.path, change.after, is_new=change.before is None)
        except OSError as error:
            for path in done:
                with suppress(OSError):
                    _put(path.path, path.before)
            reason = f"cannot be written: {error.strerror or error}"
            raise CatalogError(reason, origin=change.path) from None
        done.append(change)


def _text_of(path: str) -> str | None:
    try:
        return Path(path).read_bytes().decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise CatalogError(f"cannot be read: {error}", origin=path) from None


def _put(path: str, text: str | None, *, is_new: bool = False) -> None:
    if text is None:
        Path(path).unlink(missing_ok=True)
        return
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    # A link has appeared where a new file goes: what it leads to is not meant.
    write_whole(path, [text.encode()], is_named=not is_new)
