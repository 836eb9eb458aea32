"""Mutation testing: small faults are planted in one room of the package, and its tests have to find them.

``python -m tests.mutants [--seconds N] [--most N] [--module NAME] [--state FILE] [ROOM ...]``: rooms take turns until
the end.

``mutating`` plants the faults in syntax trees, ``rooms`` says which tests are asked for which room, ``running`` asks
them in a forked process for each mutant. Mutants live in memory alone. Of the tools that exist, cosmic-ray changes the
files of the checkout (and leaves the change there if it is interrupted) and starts Python anew for each mutant, five of
which took a minute; mutmut copies the checkout, and had no mutant of ``semver`` ready after two and a half minutes.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import attrs

from tests.mutants.equivalence import is_equivalent
from tests.mutants.mutating import Mutant, mutants_of
from tests.mutants.notebook import Notebook
from tests.mutants.rooms import ROOMS, ROOT
from tests.mutants.running import Baseline, CollectedRoom, preload, verdict_of_import

_STATE = ROOT / ".mutants.jsonl"
_HEADS = ("room", "mutants", "tried", "killed", "late", "survived", "share", "equivalent", "share without")


@attrs.define
class _Course:
    """The mutants of a room on their way: those *left*, the next one last, and the verdicts by mutant."""

    name: str
    mutants: int
    sources: dict[str, tuple[Path, str]]
    left: list[Mutant]
    verdicts: dict[Mutant, str]
    known: Baseline | None = None
    process: CollectedRoom | None = None
    spent: float = 0.0

    def go_on(self, notebook: Notebook) -> None:
        """Measure what the tests run, or try the next mutant."""
        if self.known is None:
            self.known = notebook.baseline(self.name)
            return
        mutant = self.left.pop()
        verdict = self.verdicts[mutant] = self._verdict(mutant, self.known)
        notebook.add(self.name, mutant, verdict)
        if verdict == "survived":
            print(f"{self.name}: survived: {self.in_words(mutant)}", flush=True)

    def _verdict(self, mutant: Mutant, known: Baseline) -> str:
        verdict = "survived"
        if mutant.runs_later and (tests := known.tests_of(mutant)):
            if self.process is None:
                self.process = CollectedRoom(ROOMS[self.name])
            verdict = self.process.verdict(mutant, tests)
        if verdict == "survived" and known.files_of(mutant):
            verdict = verdict_of_import(mutant, *self.sources[mutant.module], known)
        return verdict

    def in_words(self, mutant: Mutant) -> str:
        """Return *mutant* in words: that no test runs it says more than that it survived."""
        runs = self.known is None or self.known.tests_of(mutant) or self.known.files_of(mutant)
        return str(mutant) if runs else f"{mutant} (no test runs this line)"

    def is_equivalent(self, mutant: Mutant) -> bool:
        """Return whether somebody has found that *mutant* makes no difference."""
        return is_equivalent(mutant, self.sources[mutant.module][1])


def main() -> int:
    about = "Plant small faults in the rooms, which take turns until the end."
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=about)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(ROOMS)} (default: all)")
    parser.add_argument("--seconds", type=float, default=600.0, help="how long, in all (default: 600)")
    parser.add_argument("--module", action="append", help="in these modules alone, by the end of the name; repeatable")
    parser.add_argument("--most", type=int, help="how many mutants of each room, in all runs (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="in which order (default: 0)")
    parser.add_argument("--state", type=Path, default=_STATE, help="where verdicts are kept (default: .mutants.jsonl)")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    options = parser.parse_args()
    for name in options.rooms:
        if name not in ROOMS:
            parser.error(f"no room {name!r}: there are {', '.join(ROOMS)}")
    preload()
    notebook = Notebook(options.state)
    courses = [
        _course(name, options.seed, options.most, tuple(options.module or ()), notebook)
        for name in options.rooms or ROOMS
    ]
    started = time.monotonic()
    while time.monotonic() - started < options.seconds:
        waiting = [course for course in courses if course.left]
        if not waiting:
            break
        # The room that had the least time is next, so that all get the same.
        course = min(waiting, key=lambda candidate: candidate.spent)
        began = time.monotonic()
        course.go_on(notebook)
        course.spent += time.monotonic() - began
    for course in courses:
        if course.process is not None:
            course.process.close()
    print()
    for line in _table(courses, markdown=options.markdown):
        print(line)
    for course in courses:
        for mutant, verdict in sorted(course.verdicts.items(), key=lambda item: (item[0].module, item[0].line)):
            if verdict == "survived" and not course.is_equivalent(mutant):
                print(f"  {course.in_words(mutant)}")
    return 0


def _course(name: str, seed: int, most: int | None, ends: tuple[str, ...], notebook: Notebook) -> _Course:
    """Return the mutants of room *name* in random order, *most* of them; those that survived other tests come first.

    *ends* are how the names of the modules end that mutants are planted in; without any, it is all of the room.
    """
    modules = ROOMS[name].modules().items()
    chosen = {
        module: file for module, file in modules if not ends or f".{module}".endswith(tuple(f".{e}" for e in ends))
    }
    sources = {module: (file, file.read_text("utf-8")) for module, file in chosen.items()}
    mutants = [mutant for module, (_, source) in sources.items() for mutant in mutants_of(module, source)]
    random.Random(f"{name}/{seed}").shuffle(mutants)
    verdicts = {mutant: verdict for mutant in mutants if (verdict := notebook.verdict(name, mutant)) is not None}
    remaining = [mutant for mutant in mutants if mutant not in verdicts]
    survivors = [mutant for mutant in remaining if notebook.survived_before(name, mutant)]
    # Until they are tried again, they count as survivors.
    verdicts |= dict.fromkeys(survivors, "survived")
    new = [mutant for mutant in remaining if mutant not in verdicts]
    remaining = survivors + (new if most is None else new[: max(0, most - len(verdicts))])
    return _Course(name, len(mutants), sources, remaining[::-1], verdicts)


def _table(courses: list[_Course], *, markdown: bool) -> Iterator[str]:
    """Yield the lines of the table."""
    rows = [_HEADS, *(_row(course) for course in courses)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS))]
    if markdown:
        rows.insert(1, tuple("-" * (width - 1) + ("-" if not column else ":") for column, width in enumerate(widths)))
    for name, *numbers in rows:
        cells = [
            name.ljust(widths[0]),
            *(number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True)),
        ]
        yield f"| {' | '.join(cells)} |" if markdown else "  ".join(cells)


def _row(course: _Course) -> tuple[str, ...]:
    counts = Counter(course.verdicts.values())
    tried = len(course.verdicts)
    detected = tried - counts["survived"]
    equivalent = sum(
        verdict == "survived" and course.is_equivalent(mutant) for mutant, verdict in course.verdicts.items()
    )
    numbers = (course.mutants, tried, counts["killed"], counts["late"], counts["survived"])
    return (
        course.name,
        *map(str, numbers),
        _share(detected, tried),
        str(equivalent),
        _share(detected, tried - equivalent),
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "-"


if __name__ == "__main__":
    sys.exit(main())
