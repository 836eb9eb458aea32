"""The text of a file cut into its documents, as they are counted when the file is read."""

from __future__ import annotations

import json
import re
from typing import Final

import attrs

from olmsolve.catalog.fbc import yaml_parts

_SPACE: Final = re.compile(r"[ \t\n\r]*")


@attrs.frozen
class DocumentText:
    """A document from *begin* to *end* of a file's text, in characters.

    *outer_begin* is where its separator begins: what goes from there to *end* if the document is left out.
    """

    begin: int
    end: int
    outer_begin: int
    is_json: bool


def document_texts(text: str, file: str) -> list[DocumentText]:
    """Return where the documents of *text* are: objects of JSON one after the other, or YAML between separators.

    Raises:
        CatalogError: a separator of YAML has text behind it.
    """
    if text.lstrip().startswith("{"):
        found = _objects(text)
        if found:
            return found
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    documents: list[DocumentText] = []
    behind = 0
    for part in yaml_parts(iter([text]), file):
        begin = starts[part.line - 1]
        last = part.line - 1 + part.text.count("\n")
        end = starts[last] if last < len(starts) else len(text)
        documents.append(DocumentText(begin, end, behind, is_json=False))
        behind = end
    return documents


def _objects(text: str) -> list[DocumentText]:
    """Return where the JSON objects of *text* are, nothing if it is not all JSON."""
    decode = json.JSONDecoder(strict=False).raw_decode
    documents: list[DocumentText] = []
    position = behind = 0
    while True:
        begin = _end_of_space(text, position)
        if begin == len(text):
            return documents
        try:
            _, position = decode(text, begin)
        except (ValueError, RecursionError):
            return []
        documents.append(DocumentText(begin, position, behind, is_json=True))
        behind = position


def _end_of_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position
