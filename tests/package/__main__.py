"""``python -m tests.package``: build the wheel and the source distribution, install them, and try what they hold.

Without arguments everything is tried with this interpreter: contents and sizes, the wheel with plain dependencies,
with each extra and without msgspec, a part of the source distribution's own tests, and the licences of dependencies.
The lowest versions of dependencies are tried with Python 3.11, because old ones have no wheels for newer ones.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.package.building import PackageError, build, check_contents
from tests.package.installing import check_installed, check_lowest, check_sdist
from tests.package.licences import check_licences

_STEPS = ("contents", "wheel", "lowest", "sdist", "licences")


def main() -> int:
    """Print a line for each thing that works, and end with 1 at the first that does not."""
    parser = argparse.ArgumentParser(prog="python -m tests.package", description=__doc__)
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"only these of {', '.join(_STEPS)}")
    parser.add_argument("--python", action="append", metavar="PROGRAM", help="an interpreter; can be repeated")
    parser.add_argument("--all-tests", action="store_true", help="run all tests of the source distribution")
    parser.add_argument("--dist", type=Path, metavar="FOLDER", help="keep what is built there (default: nowhere)")
    options = parser.parse_args()
    if unknown := set(options.steps) - set(_STEPS):
        parser.error(f"there is no step {', '.join(sorted(unknown))}; there are {', '.join(_STEPS)}")
    with tempfile.TemporaryDirectory() as name:
        try:
            for line in _tried(options, options.dist or Path(name)):
                print(line, flush=True)
        except PackageError as fault:
            print(fault, file=sys.stderr)
            return 1
    return 0


def _tried(options: argparse.Namespace, folder: Path) -> Iterator[str]:
    pythons = options.python or [sys.executable]
    is_oldest = not options.python and sys.version_info[:2] == (3, 11)
    steps = options.steps or [step for step in _STEPS if step != "lowest" or is_oldest]
    built = build(folder)
    yield from check_contents(built)
    if "lowest" in steps:
        yield check_lowest(built.wheel, pythons[0])
    for python in pythons:
        if "wheel" in steps:
            yield from check_installed(built.wheel, python)
        if "sdist" in steps:
            yield f"The source distribution's tests: {check_sdist(built, python, everything=options.all_tests)}"
    if "licences" in steps:
        yield from check_licences(built.wheel, pythons[0])


if __name__ == "__main__":
    sys.exit(main())
