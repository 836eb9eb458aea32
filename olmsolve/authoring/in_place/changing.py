"""The changes of a catalog's files that make one catalog of another: same files, comments and order.

The two catalogs are compared blob by blob. A changed blob is patched in its document, a removed one goes with its
document, a new one comes where its package keeps blobs of its kind. The result is read again: it has to be the old
documents with these changes, and nothing else.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NoReturn

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._paths import leaves
from olmsolve._patterns import pattern
from olmsolve._reader import for_reader
from olmsolve.authoring.file_changes import FileChange
from olmsolve.authoring.in_place.patching import patched
from olmsolve.authoring.in_place.positions import KeptBlob, Positions, UnclearTextError, kept_blobs
from olmsolve.catalog import Catalog, Package
from olmsolve.catalog.archives import shown
from olmsolve.catalog.fbc import DOCUMENT, block_lines, is_packed, is_remote, read_documents, rendered, yaml_parts
from olmsolve.catalog.update_graph import bundle_version
from olmsolve.errors import CatalogError
from olmsolve.semver import VersionScheme

# The blanks of JSON (RFC 8259); \s would pass over Unicode's blanks as well, which JSON does not allow before a value.
_SPACE: Final = pattern(r"[ \t\n\r]*")
# A document that begins as JSON does, also after a byte order mark or the line that begins a YAML document.
_OBJECT: Final = pattern(r"(?:\ufeff?---[^\n]*\n)?\s*\{\s*\"")


@attrs.define
class _FileEdits:
    """The changes of one file: documents by number, with the old and the new value, and new blobs after documents."""

    changed: dict[int, tuple[dict[str, Any], dict[str, Any]]] = attrs.field(factory=dict)
    removed: set[int] = attrs.field(factory=set)
    added: dict[int, list[dict[str, Any]]] = attrs.field(factory=dict)


def changed_files(before: Catalog, after: Catalog, root: str | os.PathLike[str]) -> tuple[FileChange, ...]:
    """Return the files at *root* that change if *before*, which was loaded from there, becomes *after*; by name.

    Nothing is written: :func:`olmsolve.write_changes` does that.

    Raises:
        CatalogError: *root* is neither a folder nor a plain file of text, or a document cannot be changed in its text.

    >>> import olmsolve
    >>> path = "olmsolve/examples/catalogs/orchard"
    >>> before = olmsolve.load(path, index=False)
    >>> after = olmsolve.set_default_channel(before, "storefront", "1.x")
    >>> [str(change.path) for change in olmsolve.changed_files(before, after, path)]
    ['olmsolve/examples/catalogs/orchard/storefront.yaml']
    """
    path = Path(root)
    if not path.exists():
        reason = "the catalog is on a server" if is_remote(os.fspath(root)) else "there are no files to change"
        raise CatalogError(f"{reason}; {_instead()}", origin=shown(root))
    if is_packed(path):
        raise CatalogError(f"the catalog is in an archive, an image or a database; {_instead()}", origin=shown(path))
    edits = _edits(before, after, Positions(before, path))
    for file in edits if path.is_dir() else ():
        _refuse_outside(Path(file), path)
    return tuple(_file_change(file, file_edits) for file, file_edits in sorted(edits.items()))


def _refuse_outside(file: Path, folder: Path) -> None:
    """Refuse to change a *file* outside of the catalog's *folder*. Raises :class:`~olmsolve.errors.CatalogError`.

    Links that leave the folder are refused when a catalog is read, unless its ``.indexignore`` leaves them out. A new
    file may have the name of one of these, which whoever sends the folder can foresee.
    """
    try:
        if not leaves(file, folder):
            return
    except (OSError, ValueError, RuntimeError) as error:
        _refuse(shown(file), f"cannot be written: {error}")
    _refuse(shown(file), "this file would be written outside of the catalog's folder")


def _edits(before: Catalog, after: Catalog, positions: Positions) -> dict[str, _FileEdits]:
    edits: dict[str, _FileEdits] = {}
    for name in checked(dict.fromkeys((*before.packages, *after.packages))):
        old, new = before.packages.get(name), after.packages.get(name)
        # An edit keeps the objects of the packages that it leaves alone.
        if old is not new:
            _package_edits(old, new, positions, edits, after.scheme)
    # By identity: a catalog may have equal blobs, and one of them may be removed.
    staying = {id(blob) for blob in after.others}
    for blob in before.others:
        if id(blob) not in staying and blob.origin is not None:
            edits.setdefault(blob.origin.file, _FileEdits()).removed.add(blob.origin.document)
    return edits


def _package_edits(
    old: Package | None,
    new: Package | None,
    positions: Positions,
    edits: dict[str, _FileEdits],
    scheme: VersionScheme | None,
) -> None:
    was = {blob.key: blob for blob in kept_blobs(old)} if old is not None else {}
    now = {blob.key: blob for blob in kept_blobs(new)} if new is not None else {}
    fresh: list[KeptBlob] = []
    for key, blob in checked(was.items(), every=16):
        later = now.get(key)
        if blob.origin is None or (later is not None and _is_same(blob, later)):
            continue
        value = later.value() if later is not None else None
        file_edits = edits.setdefault(blob.origin.file, _FileEdits())
        if value is None:
            file_edits.removed.add(blob.origin.document)
        elif (earlier := blob.value()) is not None and earlier != value:
            file_edits.changed[blob.origin.document] = earlier, value
    for key, blob in checked(now.items(), every=16):
        # A blob without an origin is in no file yet, also where it was in the catalog before.
        if (key not in was or was[key].origin is None) and (value := blob.value()) is not None:
            earlier = was[key].value() if key in was else None
            if earlier != value:
                fresh.append(blob)
    for blob in checked(fresh):
        position = positions.of_new(blob.key, _version_of(blob, scheme))
        value = blob.value()
        assert value is not None
        edits.setdefault(position.file, _FileEdits()).added.setdefault(position.behind, []).append(value)
    for file in [
        file for file, file_edits in edits.items() if not (file_edits.changed or file_edits.removed or file_edits.added)
    ]:
        del edits[file]


def _is_same(one: KeptBlob, other: KeptBlob) -> bool:
    # An edit keeps the channels and bundles that it does not change: their identity says it without decoding a
    # property.
    if one.key.kind in ("channel", "bundle"):
        return one.held is other.held
    return one.value() == other.value()


def _version_of(blob: KeptBlob, scheme: VersionScheme | None) -> str:
    return str(bundle_version(blob.package, blob.key.name, scheme) or "") if blob.key.kind == "bundle" else ""


def _file_change(file: str, edits: _FileEdits) -> FileChange:
    """Return the change of *file*. Raises :class:`~olmsolve.errors.CatalogError`."""
    path = Path(file)
    if not path.exists() and not edits.changed and not edits.removed and set(edits.added) == {0}:
        return FileChange(file, None, _new_text(edits.added[0], path.suffix.lower()))
    before = _text(path)
    documents = _document_texts(before, file)
    values = _values(before, file)
    if len(documents) != len(values):
        _refuse(file, "it is not clear where its documents begin and end")
    expected: list[dict[str, Any]] = []
    after = before
    pieces: list[tuple[int, int, str]] = []
    for number in checked(range(len(documents) + 1), every=16):
        if number and number not in edits.removed:
            expected.append(values[number - 1])
        if number in edits.changed:
            document = documents[number - 1]
            old, new = edits.changed[number]
            if old != values[number - 1]:
                line = before.count("\n", 0, document.begin) + 1
                _refuse(
                    f"{file}:{line}", f"this document cannot be changed in place: {_otherwise(values[number - 1], old)}"
                )
            expected[-1] = new
            pieces.append((document.begin, document.end, _patched(before, document, old, new, file)))
        if number in edits.removed:
            pieces.append((*_span_of_removed(before, documents, number), ""))
        if number in edits.added:
            expected += edits.added[number]
            pieces.append(_inserted(before, documents, number, edits.added[number]))
    ordered = sorted(pieces, key=lambda piece: piece[:2])
    # From the end on, so that no piece moves the ones before it.
    for begin, end, text in reversed(ordered):
        after = after[:begin] + text + after[end:]
    if not expected:
        return FileChange(file, before, None)
    try:
        is_as_meant = _values(after, file) == expected
    except CatalogError:
        is_as_meant = False
    if not is_as_meant:
        _refuse(file, "the change would also touch other lines of this text")
    return FileChange(file, before, after)


def _otherwise(written: object, read: object) -> str:
    """Return how a document is *written* otherwise than *read*: mostly by names of fields in another letter case.

    >>> _otherwise({"entries": [{"name": "a", "Replaces": "b"}]}, {"entries": [{"name": "a", "replaces": "b"}]})
    "the field 'Replaces' is in another letter case, which olmsolve validate --fix mends"
    """
    field_names = set(_field_names(read))
    for name in _field_names(written):
        if name not in field_names:
            return f"the field {name[:80]!r} is in another letter case, which olmsolve validate --fix mends"
    return "it has fields that olmsolve would write differently"


def _field_names(value: object) -> Iterator[str]:
    """Yield the names of all fields in *value*, at every depth."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _field_names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _field_names(inner)


def _text(path: Path) -> str:
    try:
        content = path.read_bytes() if path.is_file() and path.stat().st_size <= DOCUMENT else b"\xff"
        return content.decode()
    except (OSError, UnicodeDecodeError):
        _refuse(shown(path), "only plain files of text can be changed in place")


def _values(text: str, file: str) -> list[dict[str, Any]]:
    return [document.value for document in read_documents(io.BytesIO(text.encode()), file)]


def _patched(text: str, document: _DocumentText, old: dict[str, Any], new: dict[str, Any], file: str) -> str:
    try:
        return patched(text[document.begin : document.end], old, new, is_json=_is_like_json(text, document))
    except UnclearTextError as error:
        line = text.count("\n", 0, document.begin) + (error.line or 1)
        _refuse(f"{file}:{line}", f"this document cannot be changed in place: {error}")


def _is_like_json(text: str, document: _DocumentText) -> bool:
    """Return whether *document* is JSON, between separators of YAML perhaps."""
    return document.is_json or _OBJECT.match(text, document.begin, document.end) is not None


def _span_of_removed(text: str, documents: list[_DocumentText], number: int) -> tuple[int, int]:
    """Return from where to where a document reaches with its separator, or with the space before it."""
    document = documents[number - 1]
    if number > 1 or len(documents) == 1:
        return document.outer_begin, document.end
    following = documents[1].begin
    if document.is_json or not text.startswith("---", document.begin):
        return 0, following
    return 0, document.end


def _inserted(
    text: str, documents: list[_DocumentText], number: int, blobs: list[dict[str, Any]]
) -> tuple[int, int, str]:
    """Return where the new *blobs* come, after document *number*, and their text."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if not documents:
        return len(text), len(text), _new_text(blobs, ".yaml")
    neighbour = documents[max(number, 1) - 1]
    neighbour_text = text[neighbour.begin : neighbour.end]
    if neighbour.is_json:
        made = "".join(f"\n{_json(blob, neighbour_text)}" for blob in blobs)
    elif _is_like_json(text, neighbour):
        made = "".join(f"---\n{_json(blob, neighbour_text)}\n" for blob in blobs)
        made = made if neighbour_text.endswith("\n") else f"\n{made}"
    else:
        missing = "" if neighbour_text.endswith("\n") else "\n"
        made = missing + "".join("---\n" + "\n".join(block_lines(blob)) + "\n" for blob in blobs)
    return neighbour.end, neighbour.end, made.replace("\n", newline)


def _json(blob: dict[str, Any], neighbour: str) -> str:
    """Return *blob* as JSON, on one line or with the indentation of its *neighbour*."""
    step = re.search(r"\n([ \t]+)", neighbour)
    if step is not None:
        return json.dumps(blob, ensure_ascii=False, indent=step[1])
    is_tight = re.search(r'"[^"\\]*":[^ ]', neighbour) is not None
    return json.dumps(blob, ensure_ascii=False, separators=(",", ":") if is_tight else (", ", ": "))


def _new_text(blobs: list[dict[str, Any]], suffix: str) -> str:
    form: Any = {".json": "json", ".jsonl": "jsonl"}.get(suffix, "yaml")
    return "".join(rendered(blobs, form))


def _refuse(where: str, reason: str) -> NoReturn:
    raise CatalogError(f"{reason}; {_instead()}", origin=where)


def _instead() -> str:
    return for_reader(python="fbc.write() writes the new catalog", option="-o prints the new catalog, --to writes it")


@attrs.frozen
class _DocumentText:
    """A document from *begin* to *end* of a file's text, in characters.

    *outer_begin* is where its separator begins: what goes from there to *end* if the document is left out.
    """

    begin: int
    end: int
    outer_begin: int
    is_json: bool


def _document_texts(text: str, file: str) -> list[_DocumentText]:
    """Return where the documents of *text* are: objects of JSON one after the other, or YAML between separators.

    Raises:
        CatalogError: a separator of YAML is followed by text.
    """
    if text.lstrip().startswith("{"):
        objects = _objects(text)
        if objects:
            return objects
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    documents: list[_DocumentText] = []
    behind = 0
    for part in yaml_parts(iter([text]), file):
        begin = starts[part.line - 1]
        last = part.line - 1 + part.text.count("\n")
        end = starts[last] if last < len(starts) else len(text)
        documents.append(_DocumentText(begin, end, behind, is_json=False))
        behind = end
    return documents


def _objects(text: str) -> list[_DocumentText]:
    """Return where the JSON objects of *text* are, nothing if it is not all JSON."""
    # raw_decode returns where the object ends, and the next one begins after that.
    decode = json.JSONDecoder(strict=False).raw_decode
    documents: list[_DocumentText] = []
    position = behind = 0
    while True:
        begin = _end_of_space(text, position)
        if begin == len(text):
            return documents
        try:
            _, position = decode(text, begin)
        except (ValueError, RecursionError):
            return []
        documents.append(_DocumentText(begin, position, behind, is_json=True))
        behind = position


def _end_of_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position
