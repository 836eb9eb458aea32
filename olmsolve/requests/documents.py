"""Where a request document comes from: a mapping, a path or an open file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from olmsolve.errors import RequestError

__all__ = ["opened"]


def opened(
    source: Mapping[str, Any] | str | os.PathLike[str] | IO[str] | IO[bytes],
) -> tuple[object, Path, str]:
    """The document, the folder that its files are relative to, and its name in errors."""
    if isinstance(source, Mapping):
        return source, Path(), ""
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise RequestError(error.strerror or str(error), source=str(path)) from None
        return _parsed(data, str(path)), path.parent, str(path)
    name = getattr(source, "name", None)
    shown = name if isinstance(name, str) else ""
    folder = Path(shown).parent if shown and Path(shown).exists() else Path()
    try:
        content = source.read()
    except OSError as error:
        raise RequestError(error.strerror or str(error), source=shown) from None
    data = content.encode() if isinstance(content, str) else content
    return _parsed(data, shown), folder, shown


def _parsed(data: bytes, name: str) -> object:
    import json

    text = data.decode()
    if text.lstrip().startswith("{"):
        return json.loads(text)
    import yaml

    return yaml.safe_load(text)
