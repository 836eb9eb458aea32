"""The options of a change of objects, of ``impact`` and ``diff``: folders before and after it, or what git has of them.

A GitOps repository says what is to be there, so that a change is the difference of two states of it. What only the
state before has is deleted::

    --change FOLDER                       FOLDER is applied, and nothing is deleted
    --before OLD --after NEW              NEW is applied; what OLD has and NEW has not is deleted
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
from typing import IO, Final, NamedTuple

import olmsolve
from olmsolve._typed_paths import is_there

# Seconds for one call of git, and bytes of an answer that is a line.
_SECONDS: Final = 300.0
_LINE: Final = 1 << 20


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
        help="manifests that are applied to each cluster that has their namespace, as kubectl apply does: files, or"
        " folders of a repository, whose kustomizations are rendered (example: subscription.yaml)",
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
        help="apply --change as it is at the end of a range of commits, and delete objects that only its beginning"
        " has; a single commit is compared with the working files (example: main...HEAD)",
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
        options.refuse("--before FILE and --after FILE come together: what only the first has is deleted")
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
        raise olmsolve.RequestError("is no commit", field=f"--git-range {revision}")
    return _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", missing=f"no commit {revision} is there")


def _at(commit: str, paths: Sequence[str], folder: Path) -> list[Path]:
    """Return where *paths* lie once the repository at *commit* is written into *folder*: bases may be anywhere."""
    from olmsolve.catalog.archives import ARCHIVE_BYTES
    from olmsolve.catalog.fbc import chosen_members

    top = Path(_git("rev-parse", "--show-toplevel")).resolve()
    with tempfile.TemporaryFile() as archive:
        # Headers and padding take their part.
        command = ["-C", str(top), "archive", "--format=tar", commit]
        _run_git(command, archive, 2 * ARCHIVE_BYTES + _LINE, environment=_running_nothing())
        archive.seek(0)
        size = 0
        for name, data in chosen_members(archive, f"commit {commit}", lambda _: True):
            size += len(data)
            if size > ARCHIVE_BYTES:
                raise olmsolve.RequestError(f"a commit of more than {ARCHIVE_BYTES:,} bytes", field="--git-range")
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
    return [folder / _below(Path(path).resolve(), top) for path in paths]


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
    is_optional: bool = False,
) -> None:
    """Let git print into the file *output*. Raises RequestError, with *missing* where git says nothing."""
    from olmsolve._programs import ProgramFailure, run_program

    try:
        code, said = run_program(["git", *arguments], output, seconds=_SECONDS, most=most, environment=environment)
    except ProgramFailure as failure:
        raise olmsolve.RequestError(f"git {failure}", field="--git-range") from None
    if code and not (is_optional and not said):
        raise olmsolve.RequestError(said or missing, field="--git-range")


def _with_commits(error: olmsolve.RequestError, commits: dict[str, str]) -> olmsolve.RequestError:
    """Return *error* with the commit in place of the folder that it was written to, which is gone by then."""
    import olmsolve._attrs as attrs

    source, reason = error.source, error.reason
    for folder, commit in commits.items():
        source, reason = (text.replace(f"{folder}/", f"{commit[:12]}:") for text in (source, reason))
    return attrs.evolve(error, source=source, reason=reason)
