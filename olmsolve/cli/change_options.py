"""The options of a change of objects, of ``impact`` and ``diff``: folders before and after it, or what git has of them.

A GitOps repository says what is to be there, so that a change is the difference of two states of it. Objects that only
the state before has are deleted::

    --change FOLDER                       FOLDER is applied, and nothing is deleted
    --before OLD --after NEW              NEW is applied; what only OLD has is deleted
    --change FOLDER --git-range main      the same of FOLDER at main, and as it lies there
    --change FOLDER --git-range a..b      the same of FOLDER at two commits
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import olmsolve
from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve._paths import is_there

# Seconds for one call of git, and bytes of an answer that is a line.
_SECONDS: Final = 300.0
_LINE: Final = 1 << 20
# Bytes of the list of a commit's files: a million paths of usual length.
_LIST: Final = 64 << 20
# git's mode of a symbolic link, in octal digits as ls-tree prints it.
_LINK: Final = b"120000"
# The parts of the line before a content: "b1b7161d... blob 512".
_OBJECT: Final = ("name", "type", "size")


class GivenChanges(NamedTuple):
    """The sources of a change: the paths *after* it, and *before* it for what is deleted."""

    after: Sequence[str | Path] = ()
    before: Sequence[str | Path] = ()

    def __bool__(self) -> bool:
        return bool(self.after or self.before)


def add_changes(parser: argparse.ArgumentParser) -> None:
    """Add the change of objects; the command itself has ``--before``."""
    parser.add_argument(
        "--change",
        action="extend",
        nargs="+",
        default=[],
        metavar="FILE",
        help="manifests to apply: files, or folders of a repository, whose kustomizations are rendered; each cluster"
        " that has their namespace gets them, as by kubectl apply (example: subscription.yaml)",
    )
    parser.add_argument(
        "--after",
        action="extend",
        nargs="+",
        default=[],
        metavar="FILE",
        help="like --change, but objects that only --before FILE has are deleted (example: apps/prod)",
    )
    parser.add_argument(
        "--git-range",
        metavar="RANGE",
        help="take --change from a range of commits: apply its state at the end, and delete objects that only"
        " the beginning has; a single commit is compared with the working files (example: main...HEAD)",
    )


def is_manifest_path(text: str) -> bool:
    """Return whether *text*, a value of ``--before``, is the path of manifests, and not a catalog with its path."""
    return "=" not in text or is_there(text)


@contextmanager
def given_changes(options: argparse.Namespace, before: Sequence[str]) -> Iterator[GivenChanges]:
    """Provide the change that *options* describe, with the manifests *before* it; checked-out files live until the end.

    Raises:
        RequestError: git cannot be asked, or does not know the range.
    """
    if options.after and options.change:
        options.refuse("--change and --after exclude each other: --before FILE --after FILE compares two states")
    if bool(options.after) != bool(before):
        options.refuse("--before FILE and --after FILE need each other: objects that only the first has are deleted")
    if not options.git_range:
        yield GivenChanges(options.after or options.change, before)
        return
    if before or not options.change:
        options.refuse("--git-range needs --change, whose files it looks up, and no --before FILE")
    with tempfile.TemporaryDirectory(prefix="olmsolve-") as temporary:
        folder = Path(temporary)
        first, last = _ends(options.git_range)
        try:
            old = _at(first, options.change, folder / "before")
            new = _at(last, options.change, folder / "after") if last else list(map(Path, options.change))
            yield GivenChanges(new, [path for path in old if path.exists()])
        except olmsolve.RequestError as error:
            raise _with_commits(error, {str(folder / "before"): first, str(folder / "after"): last}) from None


def _ends(text: str) -> tuple[str, str]:
    """Return the first and the last commit of the range *text*; "" for the files that lie there."""
    for separator in ("...", ".."):
        if separator in text:
            left, _, right = text.partition(separator)
            first, last = (_commit(end or "HEAD") for end in (left, right))
            common = "these commits have no commit in common"
            return (_git("merge-base", first, last, missing=common) if separator == "..." else first), last
    return _commit(text), ""


def _commit(revision: str) -> str:
    if revision.startswith("-"):
        raise olmsolve.RequestError("is not a commit", field=f"--git-range {revision}")
    return _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", missing=f"there is no commit {revision}")


def _at(commit: str, paths: Sequence[str], folder: Path) -> list[Path]:
    """Return where *paths* lie once the repository at *commit* is written into *folder*: bases may be anywhere.

    git archive would leave out files, or change them, where attributes in the commit itself say so.
    """
    top = Path(_git("rev-parse", "--show-toplevel")).resolve()
    try:
        # No link may lead out of the repository, whose top this is the mark of.
        (folder / ".git").mkdir(parents=True)
        links: list[tuple[Path, bytes]] = []
        for mode, path, data in _files_at(commit, top):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if mode == _LINK:
                links.append((target, data))
            else:
                target.write_bytes(data)
        # Links come after all files, so that no file is written through one.
        for target, data in links:
            target.symlink_to(os.fsdecode(data))
    except (OSError, ValueError) as error:
        raise olmsolve.RequestError(f"{commit} cannot be written: {error}", field="--git-range") from None
    return [folder / _below(Path(path).resolve(), top) for path in paths]


def _files_at(commit: str, top: Path) -> Iterator[tuple[bytes, str, bytes]]:
    """Yield mode, path and content of each file and link of *commit* in the repository *top*. Raises RequestError."""
    from olmsolve.catalog.archives import ARCHIVE_BYTES

    environment = _running_nothing()
    with tempfile.TemporaryFile() as listed, tempfile.TemporaryFile() as names, tempfile.TemporaryFile() as contents:
        tree = ["-C", str(top), "ls-tree", "-r", "-z", "--full-tree", commit]
        _run_git(tree, listed, _LIST, environment=environment)
        listed.seek(0)
        entries: list[tuple[bytes, str]] = []
        for entry in checked(filter(None, listed.read().split(b"\0"))):
            mode, kind, name = entry.partition(b"\t")[0].split()
            # A submodule is another repository.
            if kind == b"blob":
                entries.append((mode, _inside(os.fsdecode(entry.partition(b"\t")[2]))))
                names.write(name + b"\n")
        names.seek(0)
        # The line before each content takes its part.
        most = ARCHIVE_BYTES + _LIST
        _run_git(["-C", str(top), "cat-file", "--batch"], contents, most, environment=environment, given=names)
        contents.seek(0)
        size = 0
        for mode, path in checked(entries):
            line = contents.readline().split()
            if len(line) != len(_OBJECT):
                raise olmsolve.RequestError(f"{path} is missing in the repository", field="--git-range")
            size += int(line[-1])
            if size > ARCHIVE_BYTES:
                raise olmsolve.RequestError(f"a commit of more than {ARCHIVE_BYTES:,} bytes", field="--git-range")
            yield mode, path, contents.read(int(line[-1]) + 1)[:-1]


def _inside(path: str) -> str:
    """Return *path* of a commit. Raises RequestError where it leads out: whoever makes objects of git may write any."""
    if {"", ".", "..", ".git"} & set(path.split("/")):
        raise olmsolve.RequestError(f"a commit with the path {path!r}", field="--git-range")
    return path


def _below(path: Path, top: Path) -> Path:
    if not path.is_relative_to(top):
        raise olmsolve.RequestError("is not in this repository of git", field=f"--change {path}")
    return path.relative_to(top)


def _git(*arguments: str, missing: str = "", is_optional: bool = False) -> str:
    """Return the text that git prints. Raises RequestError, with *missing* where git says nothing."""
    with tempfile.TemporaryFile() as output:
        _run_git(arguments, output, _LINE, missing, is_optional=is_optional)
        output.seek(0)
        return output.read().decode("utf-8", "surrogateescape").strip()


def _running_nothing() -> dict[str, str]:
    """Return the variables with which git runs no program that the repository's own configuration names.

    Whoever unpacks a repository of a stranger has that configuration with it. A filter without a command leaves files
    as they are, and what is not there is fetched from nowhere.
    """
    # None of the filters is no failure of git here.
    names = _git("config", "--null", "--name-only", "--get-regexp", r"^filter\.", is_optional=True).split("\0")
    settings = {"core.fsmonitor": "false", "core.hooksPath": os.devnull}
    settings |= {name: "false" if name.endswith(".required") else "" for name in names if name}
    before = os.environ.get("GIT_CONFIG_COUNT", "")
    # Variables that the user has set keep their numbers, and ours follow; a count of five digits is a mistake.
    first = int(before) if before.isdecimal() and len(before) < 5 else 0
    variables = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_CONFIG_COUNT": str(first + len(settings))}
    for number, (name, value) in enumerate(settings.items(), start=first):
        variables |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


def _run_git(
    arguments: Sequence[str],
    output: IO[bytes],
    most: int,
    missing: str = "",
    *,
    environment: Mapping[str, str] | None = None,
    given: IO[bytes] | None = None,
    is_optional: bool = False,
) -> None:
    """Let git print into the file *output*. Raises RequestError, with *missing* where git says nothing."""
    from olmsolve._waiting import ProgramFailure, run_program

    try:
        code, said = run_program(
            ["git", *arguments], output, seconds=_SECONDS, most=most, environment=environment, given=given
        )
    except ProgramFailure as failure:
        raise olmsolve.RequestError(f"git {failure}", field="--git-range") from None
    if code and not (is_optional and not said):
        raise olmsolve.RequestError(said or missing, field="--git-range")


def _with_commits(error: olmsolve.RequestError, commits: dict[str, str]) -> olmsolve.RequestError:
    """Return *error* with the commit in place of the folder that it was written to, which is gone by then."""
    import olmsolve._attrs as attrs

    source, reason = error.source, error.reason
    for folder, commit in commits.items():
        source, reason = (
            text.replace(f"{folder}/", f"{commit[:12]}:").replace(folder, commit[:12]) for text in (source, reason)
        )
    return attrs.evolve(error, source=source, reason=reason)
