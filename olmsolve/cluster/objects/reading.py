"""The reader that makes objects from manifests: each of its class, by the fields that the class declares.

An object may be an item of a List, as kubectl prints many objects: its origin is the line where the item begins.
Reading keeps the line of a document alone, because few objects are ever named in a message. So the file of an item that
is named is looked at once more: its lines, for YAML as kubectl writes it, or the brackets of its JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Final

import olmsolve._attrs as attrs
from olmsolve._limits import check
from olmsolve._patterns import pattern
from olmsolve.catalog import Origin, StreamOrigin
from olmsolve.catalog.fbc import DOCUMENT, TextSource
from olmsolve.cluster.objects.metadata import ClusterObject, OtherObject
from olmsolve.cluster.objects.olm_objects import (
    CatalogSource,
    ClusterCatalogObject,
    ClusterExtension,
    InstallPlan,
    Namespace,
    OperatorCondition,
    OperatorGroup,
    SubscriptionObject,
)
from olmsolve.cluster.objects.operators import ClusterServiceVersion, CustomResourceDefinition
from olmsolve.errors import CatalogError
from olmsolve.fields import Fields, ManifestLocation, read_record

# A whole string, so that brackets inside of one do not count, or one bracket: all that shows where an object begins.
_SIGNS: Final = pattern(r'"(?:[^"\\]|\\.)*"|[{}\[\]]')


@attrs.frozen
class ItemOrigin(Origin):
    """The position of item number *item* (from 1) of *items* in the List of a document."""

    item: int = 0
    items: int = 0
    kept: Callable[[], bytes] | None = attrs.field(default=None, eq=False, repr=False)

    def __str__(self) -> str:
        if self.line is None:
            return super().__str__()
        kept, where = self.kept, (self.file, self.line, self.items)
        lines = item_lines(*where) if kept is None else kept_item_lines(kept, *where)
        return f"{self.file}:{lines[self.item - 1]}" if lines else f"{super().__str__()}, item {self.item}"


# Finding the lines reads the whole file, and a report about one dump names many objects of the same List.
@lru_cache(maxsize=64)
def item_lines(file: str, line: int, items: int) -> tuple[int, ...]:
    """Return the lines of the *items* of the List that begins on *line* of *file*; none where they are unclear."""
    try:
        with Path(file).open("rb") as opened:
            return _item_lines(opened, file, line, items)
    except (CatalogError, OSError, ValueError):
        return ()  # the file has gone, or has changed


# One stream: a process has one standard input, and a cache must not hold many texts.
@lru_cache(maxsize=1)
def kept_item_lines(kept: Callable[[], bytes], file: str, line: int, items: int) -> tuple[int, ...]:
    """Return what :func:`item_lines` does, of the text that was *kept* of a stream, which cannot be read once more."""
    try:
        return _item_lines(BytesIO(kept()), file, line, items)
    except (CatalogError, ValueError):
        return ()


def _item_lines(opened: IO[bytes], file: str, line: int, items: int) -> tuple[int, ...]:
    lines = _text(TextSource(opened, file)).split("\n")[line - 1 :]
    first = next(filter(str.strip, lines), "")
    positions = _json_lines("\n".join(lines)) if first.lstrip().startswith("{") else _yaml_lines(lines)
    numbers = tuple(line + position for position in positions)
    return numbers[:items] if len(numbers) >= items else ()


def _text(source: TextSource) -> str:
    pieces, length = [], 0
    for piece in source.text():
        pieces.append(piece)
        length += len(piece)
        # The text of one document is held at once, and no more of it than the reader of documents takes.
        if length > DOCUMENT:
            return ""
    return "".join(pieces)


def _yaml_lines(lines: list[str]) -> Iterator[int]:
    """Yield the lines (from 0) with the dashes below ``items:``, up to the next document or field of the List."""
    indent: int | None = None
    is_inside = False
    for number, line in enumerate(lines):
        if line.startswith(("---", "...")) and number:
            return
        content = line.lstrip(" ")
        if not content or content.startswith("#"):
            continue
        depth = len(line) - len(content)
        is_dash = content.startswith("- ") or content == "-"
        if not is_inside:
            is_inside = not depth and line.rstrip() == "items:"
            continue
        indent = depth if indent is None else indent
        if depth < indent or (depth == indent and not is_dash):
            return
        if depth == indent:
            yield number


def _json_lines(text: str) -> Iterator[int]:
    """Yield the lines (from 0) where the objects in the list ``items`` of the first object of *text* begin."""
    depth, line, looked = 0, 0, 0
    key, is_items = "", False
    for match in _SIGNS.finditer(text):
        sign = match[0]
        if sign[0] == '"':
            key = sign if depth == 1 else key
            continue
        if sign in "{[":
            depth += 1
            is_items = key == '"items"' if depth == 2 and sign == "[" else is_items
            if depth == 3 and is_items:
                # Lines are counted from the last object on: from the start, 10,000 objects would count the whole text
                # 10,000 times.
                line += text.count("\n", looked, match.start())
                looked = match.start()
                yield line
            continue
        depth -= 1
        is_items = is_items and depth >= 2
        if not depth:
            return


KINDS: Final[tuple[type[ClusterObject], ...]] = (
    CatalogSource,
    ClusterCatalogObject,
    ClusterExtension,
    ClusterServiceVersion,
    CustomResourceDefinition,
    InstallPlan,
    Namespace,
    OperatorCondition,
    OperatorGroup,
    SubscriptionObject,
)
"""The kinds that are read into values of their own; an object of any other kind is an :class:`OtherObject`."""

_CLASSES: Final = {(cls.GROUP, cls.KIND): cls for cls in KINDS}
_LONGEST_SHOWN: Final = 100  # characters of a stranger's kind or name in an error


def read_manifests(documents: Iterable[tuple[Mapping[str, Any], Origin | None]]) -> Iterator[ClusterObject]:
    """Yield the objects of *documents*, in their order; a List, nested or not, yields its items.

    Raises:
        ManifestError: an object lacks a kind or a name, or a field has a value of the wrong type.
    """
    for document, origin in documents:
        yield from read_manifest(document, origin)


def read_manifest(document: Mapping[str, Any], origin: Origin | None = None) -> Iterator[ClusterObject]:
    """Yield the object in *document*, or the objects of a List; see :func:`read_manifests`."""
    location = ManifestLocation("" if origin is None else origin)
    # A stack instead of recursion: a List may be nested as deep as a document may be.
    waiting = [(Fields.read(document, "", location), origin)]
    while waiting:
        check()
        fields, origin = waiting.pop()
        kind = fields.required_text("kind")
        if kind == "List" and "items" not in fields.values:
            raise fields.error("is missing", "items", "an empty list is written as items: []")
        if kind.endswith("List") and "items" in fields.values:
            items = [_with_kind(item, fields) for item in fields.parts("items")]
            # The last one in is the next one out.
            waiting.extend(reversed(list(_located(items, origin))))
        else:
            yield _object(fields, origin)


def _located(items: list[Fields], origin: Origin | None) -> Iterator[tuple[Fields, Origin | None]]:
    """Yield each of the *items* of a List with its origin; items of a List inside of a List have that one's origin."""
    for number, item in enumerate(items, start=1):
        if origin is None or isinstance(origin, ItemOrigin):
            yield item, origin
            continue
        kept = origin.kept if isinstance(origin, StreamOrigin) else None
        item_origin = ItemOrigin(origin.file, origin.document, origin.line, item=number, items=len(items), kept=kept)
        yield attrs.evolve(item, location=ManifestLocation(item_origin)), item_origin


def _with_kind(element: Fields, around: Fields) -> Fields:
    """Return *element* of the List *around* it, with a kind: a ``SubscriptionList`` need not repeat its own."""
    kind = around.text("kind")
    if kind == "List" or element.has("kind"):
        return element
    implied = {"kind": kind.removesuffix("List"), "apiVersion": around.values.get("apiVersion")}
    return attrs.evolve(element, values={**implied, **element.values})


def _object(fields: Fields, origin: Origin | None) -> ClusterObject:
    kind = fields.required_text("kind")
    fields = attrs.evolve(fields, location=_location(fields, kind))
    api_version = fields.required_text("apiVersion")
    if (api_version, kind) == ("v1", "Status"):
        said = fields.text("message") or fields.text("reason") or fields.text("status")
        hint = "run kubectl again, or leave this document out"
        raise fields.error(f"is kubectl's error in place of objects: {said}", hint=hint)
    group = api_version.rpartition("/")[0]
    cls = _CLASSES.get((group, kind))
    if cls is None:
        further = {"api_version": api_version, "kind": kind}
        return read_record(OtherObject, fields, raw=fields.values, origin=origin, **further)
    made = read_record(cls, fields, raw=fields.values, origin=origin)
    _check_place(made, fields)
    return made


def _check_place(made: ClusterObject, fields: Fields) -> None:
    """Raise the error of an object that no cluster can have under its name and namespace."""
    if made.NAMESPACED and not made.namespace:
        raise fields.error("is missing", "metadata.namespace", f"every {made.KIND} is in a namespace")
    # The name becomes a part of a path, of a folder of recorded content and of a URL of catalogd.
    if isinstance(made, ClusterCatalogObject) and (made.name in (".", "..") or set("/%") & set(made.name)):
        reason = f"{made.name!r} cannot be the name of an object"
        raise fields.error(reason, "metadata.name", "Kubernetes names have no / and no %")


def _location(fields: Fields, kind: str) -> ManifestLocation:
    """Return where *fields* are, with "?" for a name that cannot be read: ``team/?``."""
    metadata = fields.values.get("metadata")
    names: list[str] = []
    if isinstance(metadata, Mapping):
        given = (metadata.get("namespace"), metadata.get("name"))
        names = [name[:_LONGEST_SHOWN] if isinstance(name, str) else "?" for name in given if name]
        names += ["?"] if given[0] and not given[1] else []
    return ManifestLocation(fields.location.origin, kind[:_LONGEST_SHOWN], "/".join(names))
