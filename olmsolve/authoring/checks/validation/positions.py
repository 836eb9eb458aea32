"""Findings at the fault: the line and column of a field, found by reading the documents of findings once more.

Reading a catalog keeps no positions of fields, because nearly all documents are without a finding. So this looks at the
text of the others: it is parsed as YAML, which JSON is too, and the events of the parser say where each field begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import takewhile
from typing import IO, Any, Final, NamedTuple, TypeAlias

import attrs

from olmsolve._limits import checked
from olmsolve.authoring.checks.finding import Finding
from olmsolve.catalog import Origin
from olmsolve.catalog.fbc import DOCUMENT, TextSource
from olmsolve.errors import CatalogError
from olmsolve.predicates import folded

FieldPath: TypeAlias = tuple[str | int, ...]
"""The way to a field of a document: keys in the form that all their spellings share, and positions in lists."""

Files: TypeAlias = dict[str, Callable[[], IO[bytes]]]
"""Functions that open the files of a catalog again, by the name that origins give them."""

_MOST: Final = 4 << 20  # characters that are parsed for one catalog: some seconds of work
_HALF_PAIR: Final = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")  # JSON's escape of half a character; no YAML
_PROPERTY: Final = re.compile(r"(?P<head>[^ ]*)(?P<type> \(.*?\))?(?:: (?P<inside>.*))?", re.DOTALL)
_STEP: Final = re.compile(r"\[(\d+)\]|([^.\[\]]+)")

# The field that a finding without a path is about.
_FIELDS: Final = {
    "bundle-duplicate": "name",
    "bundle-without-channel": "name",
    "channel-cycle": "entries",
    "channel-duplicate": "name",
    "channel-heads": "entries",
    "channel-stranded": "entries",
    "default-channel-unknown": "defaultChannel",
    "package-duplicate": "name",
    "package-name-invalid": "name",
    "package-unknown": "package",
    "release-name": "name",
    "schema-missing": "",
}


def located(findings: Iterable[Finding], files: Files, crowded: Collection[tuple[str, int]]) -> list[Finding]:
    """Return *findings* with the line and column of the field that each is about, as far as they can be found.

    *crowded* are the lines, by file, on which several documents begin: fields on them have no known column.
    """
    found = list(findings)
    wanted: dict[tuple[str, int], dict[int, FieldPath]] = {}
    for number, finding in enumerate(checked(found, every=256)):
        origin, path = finding.origin, path_of(finding)
        if origin is None or origin.line is None or origin.file not in files or not path:
            continue
        if (origin.file, origin.line) not in crowded:
            wanted.setdefault((origin.file, origin.line), {})[number] = path
    left = _MOST
    lines: dict[str, list[str]] = {}
    for (file, line), paths in checked(wanted.items()):
        if file not in lines:
            lines = {file: _lines(files[file], file)}  # findings come file by file, so one text is held
        text = _document(lines[file], line)
        left -= len(text)
        if left < 0:
            break
        for number, position in _positions(text, paths).items():
            origin = found[number].origin
            assert origin is not None
            at = Origin(file, origin.document, line + position.line, position.column + 1)
            found[number] = attrs.evolve(found[number], origin=at)
    return found


def path_of(finding: Finding) -> FieldPath:
    """Return the way to the field that *finding* is about, () where it is about the document as a whole.

    >>> from olmsolve.authoring.checks.finding import Severity
    >>> path_of(Finding(Severity.ERROR, "x", "", property="properties[3] (olm.constraint): all.constraints[1]"))
    ('properties', 3, 'value', 'all', 'constraints', 1)
    """
    match = _PROPERTY.fullmatch(finding.property or _FIELDS.get(finding.code, ""))
    if match is None:
        return ()
    inside = ("value", *_steps(match["inside"] or "")) if match["type"] else _steps(match["inside"] or "")
    return (*_steps(match["head"]), *inside)


def _steps(path: str) -> FieldPath:
    return tuple(int(index) if index else folded(key) for index, key in _STEP.findall(path))


def _lines(opened: Callable[[], IO[bytes]], name: str) -> list[str]:
    """Return the lines of a file, none if it can no longer be read or is very long."""
    pieces = []
    length = 0
    try:
        with opened() as file:
            for piece in TextSource(file, name).text():
                pieces.append(piece)
                length += len(piece)
                if length > DOCUMENT:
                    return []
    except (CatalogError, OSError):
        return []
    return "".join(pieces).split("\n")


def _document(lines: list[str], line: int) -> str:
    """Return the text from *line* on to where the next document seems to begin."""
    end = line
    while end < len(lines) and not lines[end].startswith(("---", "{")):
        end += 1
    return "\n".join([*lines[line - 1 : end], ""])


class _Position(NamedTuple):
    """A line and a column, both from 0."""

    line: int
    column: int


@attrs.define
class _OpenCollection:
    """A list or mapping whose end was not seen yet; *key* is the key whose value comes next, *index* that of a list."""

    path: FieldPath
    is_list: bool
    index: int = 0
    key: tuple[str, _Position] | None = None


def _positions(text: str, paths: Mapping[int, FieldPath]) -> dict[int, _Position]:
    """Return where the fields at *paths* begin, or the last part of each path that exists."""
    import yaml

    wanted = {path[:length] for path in paths.values() for length in range(1, len(path) + 1)}
    seen: dict[FieldPath, _Position] = {}
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(_HALF_PAIR.sub(r"\\u0020", text))
    try:
        stack: list[_OpenCollection] = []
        events = takewhile(lambda event: not isinstance(event, yaml.DocumentEndEvent), iter(loader.get_event, None))
        for event in checked(events, every=256):
            _take(event, stack, wanted, seen)
    except yaml.YAMLError:
        pass
    finally:
        loader.dispose()
    found = {}
    for number, path in paths.items():
        ends = [path[:length] for length in range(len(path), 0, -1) if path[:length] in seen]
        if ends:
            found[number] = seen[ends[0]]
    return found


def _take(event: Any, stack: list[_OpenCollection], wanted: set[FieldPath], seen: dict[FieldPath, _Position]) -> None:
    """Follow one *event* of the parser, and note in *seen* where the *wanted* fields begin."""
    import yaml

    if isinstance(event, yaml.CollectionEndEvent):
        stack.pop()
        return
    if not isinstance(event, yaml.NodeEvent):
        return
    mark: Any = event.start_mark
    at = _Position(mark.line, mark.column)
    path: FieldPath = ()
    if stack:
        top = stack[-1]
        if top.is_list:
            path = (*top.path, top.index)
            top.index += 1
        elif top.key is None:
            top.key = (folded(event.value) if isinstance(event, yaml.ScalarEvent) else "", at)
            if isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
                return
            path = (*top.path, "")
        else:
            (key, at), top.key = top.key, None
            path = (*top.path, key)
    if path in wanted:
        seen[path] = at
    if isinstance(event, yaml.CollectionStartEvent):
        stack.append(_OpenCollection(path, isinstance(event, yaml.SequenceStartEvent)))
