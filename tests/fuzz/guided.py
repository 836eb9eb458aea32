"""``python -m tests.fuzz.guided [--seconds N] [TARGET ...]``: coverage-guided texts for parsers, readers and commands.

Atheris (the dependency group ``fuzz``) measures which branches of the package an input takes, and goes on from inputs
that take new ones. Each target runs in a process of its own, because libFuzzer ends with the process. Inputs worth
keeping are in the folder ``.fuzz``, which git does not know; an input that breaks a promise is left there as
``crash-...``.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

__all__ = ["main"]

_ROOT: Final = Path(__file__).parents[2]
_CORPUS: Final = _ROOT / ".fuzz"
_LONGEST: Final = 4096
"""Bytes in the longest input: faults need few, and long ones slow all others down."""
_SLOW: Final = 20
"""Seconds after which an input counts as hanging."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="a parser, a command or index (default: all)")
    parser.add_argument("--seconds", type=int, default=60, help="how long for each target (default: 60)")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if importlib.util.find_spec("atheris") is None:
        parser.error("atheris is not installed: pip install --group fuzz, or python -m tests.fuzz without it")
    if options.alone:
        _fuzz(options.targets[0], options.seconds)
        return 0
    names = options.targets or list(_targets())
    failed = []
    for name in names:
        if name not in _targets():
            parser.error(f"no target {name!r}: there are {', '.join(_targets())}")
        command = [sys.executable, "-m", "tests.fuzz.guided", name, "--seconds", str(options.seconds), "--alone"]
        if subprocess.run(command, cwd=_ROOT).returncode:
            failed.append(name)
    print(f"{len(names)} targets, {len(failed)} with findings: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


def _targets() -> dict[str, Any]:
    """Return what is fuzzed, by name: everything with a ``run`` that takes a text."""
    from tests.fuzz.commands import COMMAND_TARGETS
    from tests.fuzz.image_files import IMAGE_TARGETS
    from tests.fuzz.index_file import INDEX
    from tests.fuzz.targets import TARGETS

    return {**TARGETS, INDEX.name: INDEX, **IMAGE_TARGETS, **COMMAND_TARGETS}


def _fuzz(name: str, seconds: int) -> None:
    """Fuzz the target *name*; libFuzzer ends the process."""
    import atheris

    from tests.fuzz.image_files import IMAGE_TARGETS
    from tests.fuzz.index_file import INDEX

    folder = _CORPUS / name.replace(" ", "-")
    folder.mkdir(parents=True, exist_ok=True)
    # Modules are instrumented as they are imported, many of them not before the first input needs them.
    with atheris.instrument_imports(include=["olmsolve"]), tempfile.TemporaryDirectory() as scratch:
        target = _targets()[name]
        seeds = Path(scratch) / "seeds"
        seeds.mkdir()
        mutator = target.mutator("guided")
        for number, text in enumerate([*getattr(target, "seeds", ()), *(mutator.short() for _ in range(20))]):
            (seeds / str(number)).write_bytes(
                text.encode("utf-8", "surrogateescape" if name in (INDEX.name, *IMAGE_TARGETS) else "replace")
            )
        arguments = [f"-max_total_time={seconds}", f"-max_len={_LONGEST}", f"-timeout={_SLOW}"]
        arguments += [f"-artifact_prefix={folder}/", "-print_final_stats=1", "-verbosity=0"]
        tokens = [token.encode("utf-8", "replace") for token in getattr(target, "tokens", ())]
        if tokens:
            words = Path(scratch) / "words"
            words.write_text("".join(f'"{_escaped(token)}"\n' for token in tokens if token), "ascii")
            arguments.append(f"-dict={words}")
        atheris.Setup(["fuzz", *arguments, str(folder), str(seeds)], _one(target.run))
        atheris.Fuzz()


def _one(run: Callable[[str], str]) -> Callable[[bytes], None]:
    def one(data: bytes) -> None:
        # Halves of characters stand for bytes that are no UTF-8.
        run(data.decode("utf-8", "surrogateescape"))

    return one


def _escaped(token: bytes) -> str:
    """Return *token* as libFuzzer's dictionaries write it."""
    return "".join(f"\\x{byte:02x}" for byte in token)


if __name__ == "__main__":
    sys.exit(main())
