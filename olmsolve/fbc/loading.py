"""Read a catalog from wherever it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from olmsolve.catalog import Catalog, Origin
from olmsolve.errors import CatalogError
from olmsolve.fbc.linking import Document, link

__all__ = ["load"]


def load(path: str | Path, *, progress: Callable[[int, int], None] | None = None) -> Catalog:
    """Load the catalog at *path* (a first version: a directory or one file)."""
    root = Path(path)
    if not root.exists():
        raise CatalogError("no such file or directory", origin=str(path))
    files = [root] if root.is_file() else sorted(file for file in root.rglob("*") if file.is_file())
    return link((document for file in files for document in _documents(file)), origin=str(path))


def _documents(file: Path) -> Iterator[Document]:
    data = file.read_bytes()
    if data[:2] == b"\x1f\x8b":
        import gzip

        data = gzip.decompress(data)
    text = data.decode()
    if text.lstrip().startswith("{"):
        decoder, position, number = json.JSONDecoder(), 0, 0
        while text[position:].strip() if len(text) - position < 100 else True:
            while text[position].isspace():
                position += 1
            number += 1
            blob, position = decoder.raw_decode(text, position)
            yield Document(blob, Origin(str(file), number))
    else:
        import yaml

        value: Any
        for number, value in enumerate(yaml.load_all(text, Loader=yaml.CSafeLoader), 1):
            yield Document(value, Origin(str(file), number))
