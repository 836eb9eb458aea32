"""Findings at the fault: the line and column of a field, found by reading the documents of findings once more.

Reading a catalog keeps no positions of fields, because nearly all documents are without a finding. So this looks at the
text of the others, with the events of a YAML parser, which reads JSON too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve._records import evolve
from olmsolve.authoring.checks.findings import FieldPath, Finding, property_steps
from olmsolve.catalog import Catalog, Origin
from olmsolve.catalog.archives import open_plain
from olmsolve.catalog.fbc import DOCUMENT, TextSource
from olmsolve.errors import CatalogError
from olmsolve.predicates import folded

_HALF_PAIR: Final = pattern(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")  # JSON's escape of half a character; no YAML


class FieldSpan(NamedTuple):
    """The position of a field: *line* and *column* of its start, from 0, and spans in characters.

    *key* is the span of its key, or of a whole element of a list; *value* of a value on one line, else None.
    *is_flow*: the field is between braces, as in JSON.
    """

    line: int
    column: int
    key: tuple[int, int]
    value: tuple[int, int] | None
    is_flow: bool


@attrs.define
class _OpenCollection:
    """A list or mapping whose end was not seen yet; *key* is the key, and its event, whose value comes next."""

    path: FieldPath
    is_list: bool
    is_flow: bool
    index: int = 0
    key: tuple[str, Any] | None = None


def field_spans(text: str, wanted: Collection[FieldPath]) -> dict[FieldPath, FieldSpan]:
    """Return the spans of the *wanted* fields in the first document of *text*, as far as it can be parsed."""
    import yaml

    spans: dict[FieldPath, FieldSpan] = {}
    stack: list[_OpenCollection] = []
    # An escape is replaced by text of the same length, so that no position moves.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(_HALF_PAIR.sub(r"\\u0020", text))
    try:
        events = takewhile(lambda event: not isinstance(event, yaml.DocumentEndEvent), iter(loader.get_event, None))
        for event in checked(events, every=256):
            if isinstance(event, yaml.CollectionEndEvent):
                stack.pop()
            elif isinstance(event, yaml.NodeEvent):
                _take(event, stack, wanted, spans)
    except yaml.YAMLError:
        pass
    finally:
        loader.dispose()
    return spans


def _take(
    event: Any, stack: list[_OpenCollection], wanted: Collection[FieldPath], spans: dict[FieldPath, FieldSpan]
) -> None:
    """Follow one *event* of the parser, and note the span of a *wanted* field."""
    import yaml

    is_scalar = isinstance(event, yaml.ScalarEvent)
    path: FieldPath = ()
    beginning = event
    if stack:
        top = stack[-1]
        if top.is_list:
            path = (*top.path, top.index)
            top.index += 1
        elif top.key is None:
            top.key = folded(event.value) if is_scalar else "", event
            if is_scalar or isinstance(event, yaml.AliasEvent):
                return
            path = (*top.path, "")
        else:
            (name, beginning), top.key = top.key, None
            path = (*top.path, name)
        if path in wanted:
            is_simple = is_scalar and event.style not in ("|", ">")
            value = (event.start_mark.index, event.end_mark.index) if is_simple else None
            mark = beginning.start_mark
            spans[path] = FieldSpan(mark.line, mark.column, (mark.index, beginning.end_mark.index), value, top.is_flow)
    if isinstance(event, yaml.CollectionStartEvent):
        stack.append(_OpenCollection(path, isinstance(event, yaml.SequenceStartEvent), bool(event.flow_style)))


Files: TypeAlias = dict[str, Callable[[], IO[bytes]]]
"""Functions that open the files of a catalog again, by the name that origins give them."""

_MOST: Final = 4 << 20  # characters that are parsed for one catalog: some seconds of work

# The field that a finding without a path is about.
_FIELDS: Final = {
    "bundle-duplicate": "name",
    "bundle-unreachable": "name",
    "bundle-without-channel": "name",
    "channel-cycle": "entries",
    "channel-duplicate": "name",
    "channel-heads": "entries",
    "channel-order": "entries",
    "channel-stranded": "entries",
    "default-channel-deprecated": "name",
    "default-channel-unknown": "defaultChannel",
    "head-not-highest": "entries",
    "name-case": "name",
    "package-duplicate": "name",
    "package-name-invalid": "name",
    "package-unknown": "package",
    "release-name": "name",
    "schema-missing": "",
    "v1-bundle": "name",
    "v1-channel": "name",
    "v1-update": "name",
}


def located(findings: Iterable[Finding], files: Files, crowded: Collection[tuple[str, int]]) -> list[Finding]:
    """Return *findings* with the line and column of the field that each is about, as far as they can be found.

    *crowded* are the lines, by file, on which several documents begin: fields on them have no known column.
    """
    all_findings = list(findings)
    wanted: dict[tuple[str, int], dict[int, FieldPath]] = {}
    for number, finding in enumerate(checked(all_findings, every=256)):
        origin, path = finding.origin, path_of(finding)
        if origin is None or origin.line is None or origin.file not in files or not path:
            continue
        # Of several documents that begin on one line, the line does not say which one is meant.
        if (origin.file, origin.line) not in crowded:
            wanted.setdefault((origin.file, origin.line), {})[number] = path
    characters_left = _MOST
    lines: dict[str, list[str]] = {}
    for (file, line), paths in checked(wanted.items()):
        if file not in lines:
            lines = {file: _lines(files[file], file)}  # findings come file by file, so one text is held
        text = _document(lines[file], line)
        characters_left -= len(text)
        if characters_left < 0:
            break
        for number, position in _positions(text, paths).items():
            origin = all_findings[number].origin
            assert origin is not None
            at = Origin(file, origin.document, line + position.line, position.column + 1)
            all_findings[number] = evolve(all_findings[number], origin=at)
    return all_findings


def at_fields(findings: Iterable[Finding], catalog: Catalog) -> tuple[Finding, ...]:
    """Return *findings* on a loaded *catalog* with the line and column of the field that each is about.

    The files are read once more, so a finding in a file that is gone, in an archive or on a server stays as it is.
    """
    given = tuple(findings)
    names = {finding.origin.file for finding in given if finding.origin is not None}
    files: Files = {name: partial(open_plain, Path(name)) for name in names if Path(name).is_file()}
    if not files:
        return given
    counts = Counter((origin.file, origin.line) for origin in _origins(catalog) if origin.line is not None)
    return tuple(located(given, files, {(file, line or 0) for (file, line), count in counts.items() if count > 1}))


def _origins(catalog: Catalog) -> Iterator[Origin]:
    """Yield the origins of all blobs of *catalog* that findings can be about."""
    for package in catalog.packages.values():
        for blob in (package, *package.channels.values(), *package.bundles.values()):
            if blob.origin is not None:
                yield blob.origin
    yield from (blob.origin for blob in catalog.others if blob.origin is not None)


def path_of(finding: Finding) -> FieldPath:
    """Return the way to the field that *finding* is about, () where it is about the document as a whole.

    >>> from olmsolve.authoring.checks.findings import Severity
    >>> path_of(Finding(Severity.ERROR, "x", "", property="properties[3] (olm.constraint): all.constraints[1]"))
    ('properties', 3, 'value', 'all', 'constraints', 1)
    """
    steps = property_steps(finding.property or _FIELDS.get(finding.code, ""))
    return (*steps[:2], "type") if finding.code == "property-type" else steps


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


def _positions(text: str, paths: Mapping[int, FieldPath]) -> dict[int, FieldSpan]:
    """Return where the fields at *paths* begin, or the last part of each path that exists."""
    seen = field_spans(text, {path[:length] for path in paths.values() for length in range(1, len(path) + 1)})
    positions = {}
    for number, path in paths.items():
        ends = [path[:length] for length in range(len(path), 0, -1) if path[:length] in seen]
        if ends:
            positions[number] = seen[ends[0]]
    return positions
