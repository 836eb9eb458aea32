"""Where a request document comes from: a mapping, a path or an open file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, TypeAlias

from olmsolve.catalog.fbc import read_documents
from olmsolve.errors import CatalogError, RequestError

RequestSource: TypeAlias = Mapping[str, Any] | str | os.PathLike[str] | IO[str] | IO[bytes]
"""What a request can be read from."""


def opened(source: RequestSource) -> tuple[Mapping[str, Any], Path, str]:
    """Return the document, the folder that its files are relative to, and its name in errors ("" for a mapping)."""
    if isinstance(source, Mapping):
        return source, Path(), ""
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        try:
            with path.open("rb") as file:
                return _only_document(file, str(path)), path.parent, str(path)
        except (OSError, ValueError) as error:
            if isinstance(error, RequestError):
                raise
            reason = error.strerror if isinstance(error, OSError) else None
            raise RequestError(f"cannot be read: {reason or error}", source=str(path)) from None
    if not hasattr(source, "read"):
        raise TypeError(f"a mapping, a path or an open file is needed, not {type(source).__name__}")
    name = getattr(source, "name", None)
    if not isinstance(name, str):
        return _only_document(source, "request"), Path(), "request"
    # Standard input has a name as well, but no folder: only the folder of a file that is there counts.
    return _only_document(source, name), Path(name).parent if Path(name).is_file() else Path(), name


def _only_document(file: IO[str] | IO[bytes], name: str) -> Mapping[str, Any]:
    """Return the single document of *file*, held to the limits that documents of catalogs have.

    Objects of a cluster usually come as several documents: they become one, a List.
    """
    documents = read_documents(file, name, skip_empty=True)
    try:
        first = next(documents, None)
        second = next(documents, None)
        if first is not None and second is not None and "apiVersion" in first.value:
            objects = [first.value, second.value, *(document.value for document in documents)]
            return {"apiVersion": "v1", "kind": "List", "items": objects}
    except CatalogError as error:
        raise RequestError(error.reason, source=error.origin) from None
    if first is None:
        raise RequestError("is empty, and a request is one document", source=name)
    if second is not None:
        raise RequestError("a second document, and a request is one", source=str(second.origin))
    return first.value
