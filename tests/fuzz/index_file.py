"""An index file under fuzzing: whatever stands beside a catalog as its index, answers are those of the catalog."""

from __future__ import annotations

import atexit
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

import olmsolve
from olmsolve.catalog.index_files import SUFFIX, load, write_index
from olmsolve.requests import catalog_of, package
from tests.fuzz.mutations import ByteMutator

__all__ = ["INDEX", "IndexTarget"]

_CATALOG: Final = "catalog.json"


class IndexTarget:
    """The reader of index files; its texts are bytes, one for each half of a character that UTF-8 cannot have."""

    name = "index"

    def run(self, text: str) -> str:
        """Put the bytes of *text* beside the catalog, and return a word for what is said of them.

        Raises AssertionError where the answer is another than without an index.
        """
        path = _folder() / _CATALOG
        path.with_name(_CATALOG + SUFFIX).write_bytes(text.encode("utf-8", "surrogateescape"))
        notes: list[str] = []
        catalog = load(path, note=notes.append)
        assert _answer(catalog) == _expected()
        return notes[0].rpartition(": ")[2] if notes else "used"

    def mutator(self, seed: str) -> ByteMutator:
        """Return the source of its inputs."""
        return ByteMutator(seed, _whole())


INDEX: Final = IndexTarget()


@cache
def _folder() -> Path:
    """A folder with a catalog, which goes with the process."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    shop = package("shop").channel("stable", "1.0.0 < 2.0.0").requires("vault", ">=1.0.0")
    vault = package("vault").channel("stable", "1.0.0 < (1.0.1) < 1.1.0").provides("vault.example.com/v1/Vault")
    olmsolve.fbc.write(catalog_of(shop, vault), Path(folder.name) / _CATALOG)
    return Path(folder.name)


@cache
def _whole() -> bytes:
    file = write_index(_folder() / _CATALOG)
    return file.read_bytes()


@cache
def _expected() -> str:
    return _answer(olmsolve.load(_folder() / _CATALOG, index=False))


def _answer(catalog: olmsolve.Catalog) -> str:
    request = olmsolve.Request(
        ["operators"],
        [olmsolve.Source("cat", "operators", 0, catalog)],
        [olmsolve.Subscription("shop", "operators", "shop")],
    )
    return json.dumps(olmsolve.resolve(request).to_dict())
