"""One way to read one file: ``python -m benchmarks.loading_once WORK FILE`` prints one JSON object.

Imports and a file of one line come before the clock starts; what was parsed is kept until it has stopped.
"""

from __future__ import annotations

import gc
import io
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measuring import peak_bytes, resident_bytes
from olmsolve import Catalog, load, validate
from olmsolve.catalog.index import index_of

__all__ = ["main"]

_HEAVY = ("olm.csv.metadata", "olm.bundle.object", "icon")


def _pyyaml() -> Callable[[Path], Any]:
    import yaml

    return lambda path: list(yaml.load_all(path.read_text("utf-8"), yaml.CSafeLoader))


def _ryaml() -> Callable[[Path], Any]:
    import ryaml

    return lambda path: ryaml.loads_all(path.read_text("utf-8"))


def _msgspec() -> Callable[[Path], Any]:
    import msgspec

    return lambda path: msgspec.json.Decoder().decode_lines(path.read_bytes())


def _without_collector(parse: Callable[[Path], Any]) -> Callable[[Path], Any]:
    def parsed(path: Path) -> Any:
        gc.disable()
        return parse(path)

    return parsed


def _indexed(path: Path) -> Catalog:
    catalog = load(path)
    index_of(catalog)
    return catalog


_WORKS: dict[str, Callable[[], Callable[[Path], Any]]] = {
    "PyYAML, C": _pyyaml,
    "ryaml": _ryaml,
    "json": lambda: lambda path: [json.loads(line) for line in path.read_text("utf-8").splitlines()],
    "msgspec": _msgspec,
    "msgspec, no collector": lambda: _without_collector(_msgspec()),
    "load": lambda: load,
    "load and index": lambda: _indexed,
    "load, without heavy parts": lambda: lambda path: load(path, drop=_HEAVY),
    "validate": lambda: lambda path: validate(path, advice=False),
    "validate, advise": lambda: validate,
}


def main(arguments: Sequence[str]) -> int:
    name, file = arguments
    try:
        work = _WORKS[name]()
    except ImportError:
        return 3
    with tempfile.TemporaryDirectory() as temporary:
        small = Path(temporary, "small")
        small.write_text('{"schema": "x"}\n' * 5_000, "utf-8")
        load(small)
        load(io.StringIO("schema: x\n"))
        small.write_text('{"schema": "x"}\n', "utf-8")
        work(small)
    gc.enable()
    gc.collect()
    before, peak_before = resident_bytes(), peak_bytes()
    started = time.process_time()
    kept = work(Path(file))
    seconds = time.process_time() - started
    gc.collect()
    found = {
        "seconds": seconds,
        "peak": peak_bytes() - min(peak_before, before),
        "kept": resident_bytes() - before,
    }
    assert kept is not None
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
