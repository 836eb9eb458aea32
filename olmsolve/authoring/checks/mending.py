"""Files with the fixes of findings carried out: the text changes where the fields are, and nowhere else.

Each document with a fix is parsed as YAML, which JSON is too, and the events of the parser say from where to where keys
and values reach. So comments, order, quotes and indentation stay. The result is read again: a file is left as it is
unless its documents are the old ones with the fixes, and nothing else changed.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve.authoring.checks.findings import Edit, FieldFix, FieldPath, Finding, mended
from olmsolve.authoring.checks.validation import FieldSpan, field_spans
from olmsolve.authoring.file_changes import FileChange
from olmsolve.catalog.fbc import DOCUMENT, read_documents
from olmsolve.errors import CatalogError
from olmsolve.predicates import folded

# Text that YAML reads as itself without quotes, but for the words below: YAML 1.1 reads those as a boolean or null.
_PLAIN: Final = pattern(r"[A-Za-z][\w./-]*")
_NO_TEXT: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


@attrs.frozen
class MendedFile(FileChange):
    """A file as it is and as it is after the *fixes*; its path is as findings name it."""

    before: str = attrs.field(repr=False)
    after: str = attrs.field(repr=False)
    fixes: tuple[FieldFix, ...]


def mend(findings: Iterable[Finding]) -> tuple[MendedFile, ...]:
    """Return the files in which the fixes of *findings* change something, by name; nothing is written.

    Files that are compressed, in an archive or gone are left out, and so are files above the limit of one document.
    """
    by_file: dict[str, dict[FieldFix, None]] = {}
    for finding in findings:
        for fix in finding.fixes:
            if fix.origin is not None:
                by_file.setdefault(fix.origin.file, {})[fix] = None
    mended_files = (_mended_file(file, tuple(fixes)) for file, fixes in sorted(by_file.items()))
    return tuple(document for document in mended_files if document is not None)


def _mended_file(file: str, fixes: tuple[FieldFix, ...]) -> MendedFile | None:
    path = Path(file)
    try:
        if not path.is_file() or path.stat().st_size > DOCUMENT:
            return None
        before = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    by_line: dict[int, list[FieldFix]] = {}
    for fix in fixes:
        if fix.origin is not None and fix.origin.line is not None:
            by_line.setdefault(fix.origin.line, []).append(fix)
    after = before
    starts = [0, *(match.end() for match in re.finditer("\n", before))]
    # From the end on, so that the edits of a document do not move those before it.
    for line, line_fixes in sorted(by_line.items(), reverse=True):
        if line <= len(starts):
            after = _mended_document(after, starts, line, line_fixes)
    return MendedFile(file, before, after, fixes) if after != before and _has_only_fixes(before, after, fixes) else None


def _has_only_fixes(before: str, after: str, fixes: tuple[FieldFix, ...]) -> bool:
    """Return whether *after* reads as *before* with *fixes* and no other change, document by document.

    The texts were edited, not the values: an edit in a block of YAML may end a line too early, and where
    ``minKubeVersion: 1.20`` is now ``'1.20'``, no other value may have become text.
    """
    try:
        old, new = ([*read_documents(io.BytesIO(text.encode()), "")] for text in (before, after))
    except CatalogError:
        return False
    of_document: dict[int, list[FieldFix]] = {}
    for fix in fixes:
        of_document.setdefault(fix.origin.document if fix.origin else 0, []).append(fix)
    if len(old) != len(new):
        return False
    for number, (one, other) in enumerate(zip(old, new, strict=True), 1):
        document_fixes = of_document.get(number, [])
        # QUOTE turns a value into text and does not say which text: its path has to hold some text, and no more.
        quoted = [fix for fix in document_fixes if fix.edit is Edit.QUOTE]
        if mended(one.value, document_fixes) != mended(other.value, quoted):
            return False
        if any(not isinstance(_value_at(other.value, fix.path), str) for fix in quoted):
            return False
    return True


def _value_at(value: Any, path: FieldPath) -> Any:
    for step in path:
        if isinstance(value, list) and isinstance(step, int):
            value = value[step] if step < len(value) else None
        elif isinstance(value, dict):
            value = next((content for key, content in value.items() if folded(key) == step), None)
    return value


def _mended_document(text: str, starts: list[int], line: int, fixes: list[FieldFix]) -> str:
    """Return *text* with *fixes* in the document that begins on *line*; *starts* are where lines begin."""
    begin = starts[line - 1]
    ends = (start for start in starts[line:] if text.startswith(("---", "{"), start))
    end = next(ends, len(text))
    document = text[begin:end]
    spans = field_spans(document, {fix.path for fix in fixes})
    edits: list[tuple[int, int, str]] = []
    for fix in fixes:
        if fix.path in spans:
            edits.extend(_edits(document, spans[fix.path], fix))
    for first, last, new in sorted(edits, reverse=True):
        document = document[:first] + new + document[last:]
    return text[:begin] + document + text[end:]


def _edits(document: str, span: FieldSpan, fix: FieldFix) -> Iterator[tuple[int, int, str]]:
    """Yield from where to where *document* changes, and to what."""
    if fix.edit is Edit.RENAME:
        yield (*span.key, _quoted_like(fix.text, document[slice(*span.key)]))
    elif span.value is None:
        return
    elif fix.edit is Edit.SET:
        yield (*span.value, _quoted_like(fix.text, document[slice(*span.value)]))
    elif fix.edit is Edit.QUOTE:
        yield (*span.value, json.dumps(document[slice(*span.value)], ensure_ascii=False))
    else:
        yield (*_removed(document, span), "")


def _quoted_like(text: str, before: str) -> str:
    """Return *text* as a scalar, in the quotes that *before* has."""
    if before.startswith("'"):
        return "'" + text.replace("'", "''") + "'"
    if not before.startswith('"') and _PLAIN.fullmatch(text) and text.casefold() not in _NO_TEXT:
        return text
    return json.dumps(text, ensure_ascii=False)


def _removed(document: str, span: FieldSpan) -> tuple[int, int]:
    """Return from where to where *document* has the field of *span* with its comma, or its whole line."""
    first, last = span.key[0], (span.value or span.key)[1]
    if not span.is_flow:
        begin = document.rfind("\n", 0, first) + 1
        end = document.find("\n", last)
        # A field after the dash of a list leaves the dash to the next one.
        if document[begin:first].strip():
            following = re.compile(r"[^\n]*\n *").match(document, last)
            return first, following.end() if following else last
        return begin, end + 1 if end >= 0 else len(document)
    # A compiled pattern takes a position; re.match would need a copy of the rest of the document.
    comma = re.compile(r"\s*,").match(document, last)
    if comma is not None:
        space = re.compile(r"[^\S\n]*(?=\S)|\s*").match(document, comma.end())
        if document[comma.end() : comma.end() + 1] == "\n":
            # The line goes with the field, up to the next one.
            space = re.compile(r"\s*").match(document, comma.end())
        return first, space.end() if space else comma.end()
    before = document[:first].rstrip()
    return (len(before) - 1 if before.endswith(",") else first), last
