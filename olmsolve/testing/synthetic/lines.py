"""Blobs as lines of JSON, the form in which large catalogs are read quickest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any


def lines(blobs: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield each blob as compact JSON that ends with a line feed; the order of fields is kept.

    >>> list(lines([{"schema": "olm.package", "name": "blue"}]))
    ['{"schema":"olm.package","name":"blue"}\\n']
    """
    for blob in blobs:
        yield json.dumps(blob, separators=(",", ":"), ensure_ascii=False) + "\n"
