"""``python -m tests.mutants [--seconds N] [--seed N] [--state FILE] [ROOM ...]``: rooms take turns until the end."""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path

import attrs

from tests.mutants.mutating import Mutant, mutants_of, mutated
from tests.mutants.rooms import ROOMS, ROOT
from tests.mutants.running import Baseline, Notebook, baseline, preload, verdict

_STATE = ROOT / ".mutants.jsonl"


@attrs.define
class _Course:
    """The mutants of a room on their way: those *left* in random order, and the verdicts by mutant."""

    name: str
    left: list[Mutant]
    verdicts: dict[Mutant, str] = attrs.field(factory=dict)
    known: Baseline | None = None
    spent: float = 0.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(ROOMS)} (default: all)")
    parser.add_argument("--seconds", type=float, default=600.0, help="how long, in all (default: 600)")
    parser.add_argument("--seed", type=int, default=0, help="in which order (default: 0)")
    parser.add_argument("--state", type=Path, default=_STATE, help="where verdicts are kept (default: .mutants.jsonl)")
    options = parser.parse_args()
    for name in options.rooms:
        if name not in ROOMS:
            parser.error(f"no room {name!r}: there are {', '.join(ROOMS)}")
    preload()
    notebook = Notebook(options.state)
    sources = {
        module: (file, file.read_text("utf-8")) for room in ROOMS.values() for module, file in room.modules().items()
    }
    digests = {module: hashlib.sha256(source.encode()).hexdigest()[:16] for module, (_, source) in sources.items()}
    courses = [_course(name, options.seed, sources) for name in options.rooms or ROOMS]
    before = notebook.read()
    for course in courses:
        for mutant in list(course.left):
            key = f"{course.name} {mutant.module} {digests[mutant.module]} {mutant.number}"
            if key in before:
                course.verdicts[mutant] = before[key]
                course.left.remove(mutant)
    started = time.monotonic()
    while time.monotonic() - started < options.seconds:
        waiting = [course for course in courses if course.left]
        if not waiting:
            break
        # The room that had the least time is next, so that all get the same.
        course = min(waiting, key=lambda each: each.spent)
        began = time.monotonic()
        if course.known is None:
            course.known = _baseline(course.name, notebook, before)
        else:
            mutant = course.left.pop()
            file, source = sources[mutant.module]
            found = verdict(mutated(source, mutant.number), mutant.module, file, course.known)
            course.verdicts[mutant] = found
            notebook.add(f"{course.name} {mutant.module} {digests[mutant.module]} {mutant.number}", found)
            if found == "survived":
                print(f"{course.name}: survived: {mutant}", flush=True)
        course.spent += time.monotonic() - began
    _tell(courses)
    return 0


def _baseline(name: str, notebook: Notebook, before: dict[str, str]) -> Baseline:
    """Return the baseline of room *name*: that of an earlier run if nothing has changed since."""
    room = ROOMS[name]
    folders = [ROOT / each for each in (room.folder, *room.tests)]
    files = [file for each in folders for file in (sorted(each.rglob("*.py")) if each.is_dir() else [each])]
    key = f"{name} baseline {hashlib.sha256(b''.join(file.read_bytes() for file in files)).hexdigest()[:16]}"
    if key in before:
        tests, seconds = json.loads(before[key])
        return Baseline(tuple(tests), seconds)
    found = baseline(room)
    notebook.add(key, json.dumps([found.tests, found.seconds]))
    return found


def _course(name: str, seed: int, sources: dict[str, tuple[Path, str]]) -> _Course:
    mutants = [mutant for module in ROOMS[name].modules() for mutant in mutants_of(module, sources[module][1])]
    random.Random(f"{name}/{seed}").shuffle(mutants)
    return _Course(name, mutants)


def _tell(courses: list[_Course]) -> None:
    print(f"\n{'room':14}{'mutants':>9}{'tried':>8}{'killed':>8}{'late':>6}{'survived':>10}{'share':>8}")
    for course in courses:
        counts = Counter(course.verdicts.values())
        tried = len(course.verdicts)
        share = f"{(tried - counts['survived']) / tried:.0%}" if tried else "-"
        print(
            f"{course.name:14}{tried + len(course.left):>9}{tried:>8}{counts['killed']:>8}{counts['late']:>6}"
            f"{counts['survived']:>10}{share:>8}"
        )
    for course in courses:
        for mutant, found in sorted(course.verdicts.items(), key=lambda each: (each[0].module, each[0].line)):
            if found == "survived":
                print(f"  {mutant}")


if __name__ == "__main__":
    sys.exit(main())
