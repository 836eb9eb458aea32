"""Positions of old and new blobs in a catalog's files, and of values in the text of a document.

A new blob comes where whoever keeps the files would write it (:class:`Positions`). A document is parsed as YAML, which
JSON is too, and the events of the parser say from where to where its values reach (:func:`parse_document`)::

    - name: p.v1.1.0       a TextList whose element is a TextMapping; its TextField "name"
      skips: [p.v1.0.0]    has a TextScalar, "skips" has a TextList in flow style
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any, Final, Literal, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.catalog import Catalog, Origin, Package
from olmsolve.catalog.fbc import bundle_blob, channel_blob, deprecations_blob, package_blob
from olmsolve.catalog.update_graph import bundle_version

Kind: TypeAlias = Literal["package", "channel", "bundle", "deprecations", "other"]

_SUFFIXES: Final = (".yaml", ".yml", ".json", ".jsonl")
_NAME_BYTES: Final = 255
"""The longest name of a file in common file systems."""


class BlobKey(NamedTuple):
    """The name of a blob in a catalog; *name* is "" for a package itself and its deprecations."""

    package: str
    kind: Kind
    name: str = ""


@attrs.frozen
class KeptBlob:
    """A blob of a catalog: its origin (None if it was made in memory), the model's object, and its value."""

    key: BlobKey
    origin: Origin | None
    held: Any
    package: Package

    def value(self) -> dict[str, Any] | None:
        """Return the blob; None if the model writes no such blob."""
        match self.key.kind:
            case "package":
                return package_blob(self.held)
            case "channel":
                return channel_blob(self.held)
            case "bundle":
                return bundle_blob(self.held)
            case _:
                return deprecations_blob(self.held)


def kept_blobs(package: Package) -> Iterator[KeptBlob]:
    """Yield the blobs of *package*, in the order in which catalogs are written."""
    yield KeptBlob(BlobKey(package.name, "package"), package.origin, package, package)
    for channel in package.channels.values():
        yield KeptBlob(BlobKey(package.name, "channel", channel.name), channel.origin, channel, package)
    for bundle in package.bundles.values():
        yield KeptBlob(BlobKey(package.name, "bundle", bundle.name), bundle.origin, bundle, package)
    blob = package.deprecations_blob
    origin = blob.origin if blob is not None else None
    yield KeptBlob(BlobKey(package.name, "deprecations"), origin, package, package)


@attrs.frozen
class Position:
    """The position of a new blob: after document *behind* of *file*, or in a new file for 0."""

    file: str
    behind: int


class Positions:
    """The positions of a catalog's blobs, and of new ones; *root* is its folder or file."""

    def __init__(self, catalog: Catalog, root: Path) -> None:
        self._root = root
        self._documents: dict[str, list[tuple[Origin, BlobKey]]] = {}
        self._sizes: Counter[str] = Counter()
        self._catalog = catalog
        for package in catalog:
            for blob in kept_blobs(package):
                if blob.origin is not None:
                    self._documents.setdefault(package.name, []).append((blob.origin, blob.key))
        origins = [origin for sections in self._documents.values() for origin, _ in sections]
        for origin in (*origins, *(other.origin for other in catalog.others if other.origin is not None)):
            self._sizes[origin.file] = max(self._sizes[origin.file], origin.document)

    def of_new(self, key: BlobKey, version: str) -> Position:
        """Return where the new blob *key* comes; *version* is the version of a bundle.

        Bundles, channels and deprecations come after the last of their kind in the package, or into a file of their own
        where each of their kind has one. A new package comes into a new file, or at the end of the only one.
        """
        sections = self._documents.get(key.package)
        if not sections:
            return self._of_new_package(key.package)
        peers = [section for section in sections if section[1].kind == key.kind]
        file = self._file_of_its_own(key, version, peers, sections)
        if file is not None:
            return Position(str(file), 0)
        before = peers or [section for section in sections if section[1].kind == "channel" and key.kind == "bundle"]
        if key.kind == "channel":
            before = before or [section for section in sections if section[1].kind == "package"]
        last = max((section[0] for section in before or sections), key=_order)
        return Position(last.file, last.document)

    def _of_new_package(self, package: str) -> Position:
        if not self._root.is_dir():
            return Position(str(self._root), self._sizes[str(self._root)])
        files = [PurePath(file) for file in self._sizes]
        suffix = files[0].suffix if files and files[0].suffix in _SUFFIXES else ".yaml"
        has_folders = any(len(file.relative_to(self._root).parts) > 1 for file in files)
        name = f"catalog{suffix}" if has_folders or not files else f"{package}{suffix}"
        folder = self._root / package if has_folders or not files else self._root
        return Position(str(folder / name), 0)

    def _file_of_its_own(
        self, key: BlobKey, version: str, peers: list[tuple[Origin, BlobKey]], sections: list[tuple[Origin, BlobKey]]
    ) -> Path | None:
        """Return the new file of a blob if every blob of its kind has a file of its own, None otherwise."""
        if key.kind == "deprecations":
            alone = [origin for origin, section in sections if section.kind == "package" and self._is_alone(origin)]
            return Path(alone[0].file).with_name(f"deprecations{Path(alone[0].file).suffix}") if alone else None
        if not peers or not all(self._is_alone(origin) for origin, _ in peers):
            return None
        origin, last = max(peers, key=lambda peer: _order(peer[0]))
        file = Path(origin.file)
        names = {last.name: key.name} | ({self._version(last): version} if version else {})
        for old, new in names.items():
            if old and old in file.stem:
                return _beside(file, file.stem.replace(old, new))
        return _beside(file, key.name) if len(peers) > 1 else None

    def _is_alone(self, origin: Origin) -> bool:
        return self._root.is_dir() and self._sizes[origin.file] == 1

    def _version(self, key: BlobKey) -> str:
        return str(bundle_version(self._catalog.packages[key.package], key.name, self._catalog.scheme) or "")


def _beside(file: Path, stem: str) -> Path | None:
    """Return the file with this *stem* beside *file*, None where it cannot name one: bundles have names of any kind."""
    name = f"{stem}{file.suffix}"
    is_possible = PurePath(name).name == name and "\0" not in name and len(name.encode(errors="replace")) <= _NAME_BYTES
    return file.with_name(name) if is_possible else None


def _order(origin: Origin) -> tuple[list[str], int]:
    return origin.file.split("/"), origin.document


_HALF_PAIR: Final = pattern(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")  # JSON's escape of half a character; no YAML


class UnclearTextError(Exception):
    """A text in which a value cannot be located safely enough to change it; the message says why.

    *line* is the line of the text, from 1, of the reason; None for a reason about the whole text.
    """

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


@attrs.frozen
class TextScalar:
    """A scalar or alias from *begin* to *end*, in characters; *quote* is the sign that begins it, "" for plain text."""

    begin: int
    end: int
    quote: str = ""


@attrs.frozen
class TextField:
    """A field of a mapping: its *key*, where the key begins, and its value."""

    key: str
    begin: int
    value: TextNode


@attrs.frozen
class TextMapping:
    """A mapping from *begin* to *end*; *is_flow* if it is between braces."""

    begin: int
    end: int
    is_flow: bool
    fields: tuple[TextField, ...]


@attrs.frozen
class TextList:
    """A list from *begin* to *end*; *is_flow* if it is between brackets, otherwise each element has a dash."""

    begin: int
    end: int
    is_flow: bool
    elements: tuple[TextNode, ...]


TextNode: TypeAlias = TextScalar | TextMapping | TextList


def parse_document(text: str) -> TextNode:
    """Return the tree of the first document of *text*.

    Raises:
        UnclearTextError: *text* is not YAML, or has anchors, tags or keys other than plain texts.
    """
    import yaml

    # An escape is replaced by text of the same length, so that no position moves.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(_HALF_PAIR.sub(r"\\u0020", text))
    try:
        for event in iter(loader.get_event, None):
            if isinstance(event, yaml.NodeEvent):
                return _node(loader, event, text)
    except RecursionError:
        raise UnclearTextError("it is nested too deeply") from None
    except yaml.YAMLError as error:
        problem = str(getattr(error, "problem", None) or error)
        # libyaml has a limit of its own since PyYAML 6.0.4; before, Python's was reached.
        if "maximum nesting depth" in problem:
            raise UnclearTextError("it is nested too deeply") from None
        raise UnclearTextError(f"it is not plain YAML: {problem}") from None
    finally:
        loader.dispose()
    raise UnclearTextError("it is empty")


def _node(loader: Any, event: Any, text: str) -> TextNode:
    """Return the tree of the value that begins with *event* of the parser."""
    import yaml

    if getattr(event, "anchor", None) is not None or getattr(event, "tag", None) is not None:
        raise UnclearTextError("there is an anchor, an alias or a tag here", _line(event))
    begin = event.start_mark.index
    kind = type(event)
    if kind is yaml.ScalarEvent:
        # A block of text ends where the next line begins.
        end = begin + len(text[begin : event.end_mark.index].rstrip())
        return TextScalar(begin, end, event.style or "")
    is_flow = bool(event.flow_style)
    if kind is yaml.SequenceStartEvent:
        elements: list[TextNode] = []
        for next_event in checked(iter(loader.get_event, None), every=256):
            if type(next_event) is yaml.SequenceEndEvent:
                end = _end(next_event) if is_flow else elements[-1].end if elements else begin
                return TextList(begin, end, is_flow, tuple(elements))
            elements.append(_node(loader, next_event, text))
    fields: list[TextField] = []
    seen: set[str] = set()
    while type(key := loader.get_event()) is not yaml.MappingEndEvent:
        if type(key) is not yaml.ScalarEvent or key.anchor or key.tag or (key.value == "<<" and not key.style):
            raise UnclearTextError("a key is not plain text", _line(key))
        if key.value in seen:
            raise UnclearTextError(f"the key {key.value[:80]!r} occurs a second time in its mapping", _line(key))
        seen.add(key.value)
        value = _node(loader, loader.get_event(), text)
        fields.append(TextField(key.value, _begin(key), value))
    end = _end(key) if is_flow else fields[-1].value.end if fields else begin
    return TextMapping(begin, end, is_flow, tuple(fields))


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _begin(event: Any) -> int:
    return int(event.start_mark.index)


def _end(event: Any) -> int:
    return int(event.end_mark.index)
