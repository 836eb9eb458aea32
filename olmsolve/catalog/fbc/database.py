"""Index databases in SQLite, the format of catalogs before files: read into blobs, as ``opm render`` makes them.

A database comes from a stranger, and so does its schema: a view or a trigger in it would be a program. So the file is
opened unchangeable, only tables that are known are read, whole and without functions, and everything else is refused
while SQLite compiles the statement.

A row of the table ``channel_entry`` is an update into a bundle: the row ``replaces`` another one. A bundle of a channel
has several rows where it has several edges. From the head of the channel (depth 0) the rows that replace each other are
its chain; the edges of all other rows are skips.
"""

from __future__ import annotations

import base64
import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

from olmsolve._limits import check, checked
from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.catalog.archives import TOTAL_BYTES
from olmsolve.catalog.fbc.bundle_objects import BUNDLE_OBJECT, object_data
from olmsolve.catalog.fbc.document import DOCUMENT
from olmsolve.errors import CatalogError, Incomplete
from olmsolve.predicates import decoded

_STEPS: Final = 100_000  # steps of SQLite's machine between two looks at the limits, in about a millisecond
_HEADER: Final = 1 << 12
# Rows that any database may have, and bytes of the file for each row beyond them. A row takes half a kilobyte in memory
# and 100 bytes in the file, if it holds names of bundles.
_ROWS: Final = 200_000
_ROW_BYTES: Final = 50
_ALLOWED: Final = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)

Row: TypeAlias = dict[str, str | int | float | None]
"""A row of a table, by the names of its columns."""

_BUNDLE_COLUMNS: Final = ("operatorbundle_name", "operatorbundle_version", "operatorbundle_path")
_API_COLUMNS: Final = ("group_name", "version", "kind", *_BUNDLE_COLUMNS, "channel_entry_id")
TABLES: Final = {
    "package": ("name", "default_channel"),
    "channel": ("name", "package_name", "head_operatorbundle_name"),
    "channel_entry": ("entry_id", "channel_name", "package_name", "operatorbundle_name", "replaces", "depth"),
    "operatorbundle": ("name", "csv", "bundle", "bundlepath", "version", "skiprange", "replaces", "skips"),
    "api_provider": _API_COLUMNS,
    "api_requirer": _API_COLUMNS,
    "properties": ("type", "value", *_BUNDLE_COLUMNS),
    "dependencies": ("type", "value", *_BUNDLE_COLUMNS),
    "related_image": ("image", "operatorbundle_name"),
}
"""The tables and their columns that are read. Databases of older versions lack some: they count as empty and null."""

_NEEDED: Final = ("package", "channel", "channel_entry", "operatorbundle")


class IndexDatabase:
    """The tables of an index database of *size* bytes, one row after the other.

    Raises:
        CatalogError: the file is damaged, or no index database; it names *origin*.
    """

    def __init__(self, connection: sqlite3.Connection, size: int, origin: str) -> None:
        self._connection = connection
        self._origin = origin
        # Each value is in the file once, with some bytes for its row. Pages that several rows share are no catalog's.
        self._bytes_left = size + _HEADER
        self._rows_left = _ROWS + size // _ROW_BYTES
        # Views and virtual tables, which have no page of their own, are programs and no tables.
        plain = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
        names = {name for (name,) in plain}
        self._columns = {table: self._known_columns(table) if table in names else set() for table in TABLES}
        missing = [table for table in _NEEDED if not self._columns[table]]
        if missing:
            raise CatalogError(f"not an index of operators: the database has no table {missing[0]}", origin=origin)

    def rows(self, table: str) -> Iterator[Row]:
        """Yield the rows of *table*, with null for columns that it has not. Raises CatalogError."""
        present = self._columns[table]
        if not present:
            return
        columns = TABLES[table]
        # Names of tables and columns are those above: nothing of the database gets into the statement.
        selected = ", ".join(f'"{name}"' if name in present else "NULL" for name in columns)
        with closing(self._connection.execute(f'SELECT {selected} FROM "{table}"')) as cursor:  # noqa: S608
            for values in cursor:
                self._count(values)
                yield dict(zip(columns, map(self._as_text, values), strict=True))

    def _count(self, values: Sequence[object]) -> None:
        self._rows_left -= 1
        self._bytes_left -= 2 + sum(len(value) for value in values if isinstance(value, (str, bytes)))
        if self._bytes_left < 0:
            raise CatalogError("a database whose rows hold more than its file", origin=self._origin)
        if self._rows_left < 0:
            raise CatalogError("a database of far more rows than an index has", origin=self._origin)

    def _known_columns(self, table: str) -> set[str]:
        return {row[1] for row in self._connection.execute(f'PRAGMA table_info("{table}")')} & set(TABLES[table])

    def _as_text(self, value: Any) -> Any:
        """Return *value* as text where it is bytes, which is how ``opm`` stores manifests. Raises CatalogError."""
        try:
            return value.decode() if isinstance(value, bytes) else value
        except UnicodeDecodeError:
            raise CatalogError("the database holds text that is not UTF-8", origin=self._origin) from None


@contextmanager
def opened_database(path: str, origin: str) -> Iterator[IndexDatabase]:
    """Open the index database in the file *path*, for reading alone.

    Raises:
        CatalogError: the file is damaged, or no index database; it names *origin*.
        Incomplete: a limit was met, or the caller cancelled.
    """
    ended: list[Incomplete] = []

    def is_over() -> int:
        try:
            check()
        except Incomplete as error:
            ended.append(error)
        return len(ended)

    # What rows hold is in the file, so that its size bounds the memory too.
    size = Path(path).stat().st_size
    if size > TOTAL_BYTES:
        raise CatalogError(f"a database of more than {TOTAL_BYTES:,} bytes", origin=origin)
    try:
        # Unchangeable: no locks, no journal, and no other file beside it is looked at.
        uri = f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA cell_size_check = ON")
            connection.execute("PRAGMA query_only = ON")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, DOCUMENT)
            connection.set_progress_handler(is_over, _STEPS)
            connection.set_authorizer(_authorized)
            yield IndexDatabase(connection, size, origin)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if ended:
            raise ended[0] from None
        # Messages of SQLite quote the schema, which may be no text at all.
        reason = "its schema is not text" if isinstance(error, UnicodeDecodeError) else str(error)
        raise CatalogError(f"a database that cannot be read: {reason}", origin=origin) from None


def _authorized(action: int, first: str | None, second: str | None, _: str | None, inside: str | None) -> int:
    """Return SQLITE_OK for an *action* that reads known tables; SQLITE_DENY for others, as for views and triggers."""
    if action == sqlite3.SQLITE_PRAGMA and first == "table_info" and second in TABLES:
        return sqlite3.SQLITE_OK
    is_known = action == sqlite3.SQLITE_SELECT or first in TABLES or first == "sqlite_master"
    return sqlite3.SQLITE_OK if action in _ALLOWED and is_known and inside is None else sqlite3.SQLITE_DENY


_PACKAGE: Final = "olm.package"
_TEXT: Final = 16 << 20  # characters of bundles that any database may have, beside *_GROWTH* times its size
_GROWTH: Final = 3
_SPACE: Final = pattern(r"\s*+")
_GVK: Final = "olm.gvk"


class _Key(NamedTuple):
    """The columns with which other tables refer to a bundle; older databases have its name alone."""

    name: str
    version: str
    path: str


def database_members(path: str, origin: str) -> list[tuple[str, bytes]]:
    """Return a file of JSON lines for each package in the index database *path*, under the package's name.

    Raises:
        CatalogError: the file is no index database, or its content contradicts itself; the error names *origin*.
        Incomplete: a limit was met, or the caller cancelled.
    """
    with opened_database(path, origin) as database:
        blobs = _DatabaseBlobs(database, Path(path).stat().st_size, origin)
    return [(package, b"".join(map(_line, checked(made)))) for package, made in sorted(blobs.by_package.items())]


def _line(blob: dict[str, Any]) -> bytes:
    return json.dumps(blob, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


class _DatabaseBlobs:
    """The blobs of each package, of a *database* of *size* bytes."""

    def __init__(self, database: IndexDatabase, size: int, origin: str) -> None:
        self._origin = origin
        # A bundle is in one package, so that its text is in the file once.
        self._characters_left = _TEXT + _GROWTH * size
        self._ranges: dict[str, object] = {}
        self._bundles: dict[str, Row] = {_text(row, "name"): row for row in database.rows("operatorbundle")}
        self._entries: dict[int, Row] = {_number(row, "entry_id"): row for row in database.rows("channel_entry")}
        self._properties = _by_bundle(database.rows("properties"))
        self._dependencies = _by_bundle(database.rows("dependencies"))
        self._provided = self._apis(database.rows("api_provider"))
        self._required = self._apis(database.rows("api_requirer"))
        self._images = _by_bundle(database.rows("related_image"))
        channels: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for row in database.rows("channel"):
            channels[_text(row, "package_name")][_text(row, "name")] = _text(row, "head_operatorbundle_name")
        self.by_package: dict[str, list[dict[str, Any]]] = {}
        members = self._channel_entries()
        for row in sorted(database.rows("package"), key=lambda row: _text(row, "name")):
            package = _text(row, "name")
            entries = {name: members.get((package, name), []) for name in sorted(channels[package])}
            default = _text(row, "default_channel")
            self.by_package[package] = [
                self._package(package, default, channels[package].get(default, "")),
                *(
                    {"schema": "olm.channel", "package": package, "name": name, "entries": listed_entry}
                    for name, listed_entry in entries.items()
                ),
                *(
                    self._bundle(name, package)
                    for name in sorted({entry["name"] for listed_entry in entries.values() for entry in listed_entry})
                ),
            ]

    def _spend(self, size: int) -> None:
        """Count *size* characters of a bundle's text. Raises CatalogError where that is too much for the file."""
        self._characters_left -= size
        if self._characters_left < 0:
            raise CatalogError("a database whose bundles are in many packages at once", origin=self._origin)

    def _package(self, name: str, default: str, head: str) -> dict[str, Any]:
        blob: dict[str, Any] = {"schema": _PACKAGE, "name": name, "defaultChannel": default}
        self._spend(len(_text(self._bundles[head], "csv")) if head in self._bundles else 0)
        icons = _objects(_spec(self._csv(head)).get("icon"))
        if icons and isinstance(icons[0].get("base64data"), str):
            data = icons[0]["base64data"].replace(" ", "")
            if _is_base64(data):
                blob["icon"] = {"base64data": data, "mediatype": str(icons[0].get("mediatype") or "")}
        return blob

    def _channel_entries(self) -> dict[tuple[str, str], list[dict[str, Any]]]:
        """Return the entries of each channel, by package and channel; entries are sorted by name."""
        chain = self._chain()
        edges: defaultdict[tuple[str, str], dict[str, tuple[str, list[str]]]] = defaultdict(dict)
        for number, row in sorted(self._entries.items()):
            channel = _text(row, "package_name"), _text(row, "channel_name")
            name = _text(row, "operatorbundle_name")
            replaces, skips = edges[channel].get(name, ("", []))
            lower = self._entries.get(_number(row, "replaces"))
            if lower is not None:
                target = _text(lower, "operatorbundle_name")
                if number in chain:
                    replaces = max(replaces, target)
                else:
                    skips = [*skips, target]
            edges[channel][name] = replaces, skips
        return {
            channel: [
                self._entry(name, replaces, skips)
                for name, (replaces, skips) in sorted(edge.items())
                if name in self._bundles
            ]
            for channel, edge in edges.items()
        }

    def _chain(self) -> set[int]:
        """Return the numbers of the rows that are reached from the heads by ``replaces``."""
        head = min((_number(row, "depth") for row in self._entries.values()), default=0)
        waiting = [number for number, row in self._entries.items() if _number(row, "depth") == head]
        chain: set[int] = set()
        while waiting:
            number = waiting.pop()
            if number in chain or number not in self._entries:
                continue
            chain.add(number)
            waiting.append(_number(self._entries[number], "replaces"))
        return chain

    def _entry(self, name: str, replaces: str, skips: list[str]) -> dict[str, Any]:
        entry: dict[str, Any] = {"name": name}
        if replaces:
            entry["replaces"] = replaces
        if skips:
            entry["skips"] = skips
        row = self._bundles[name]
        skip_range = row["skiprange"] if row["skiprange"] is not None else self._stated_range(name)
        if skip_range:
            entry["skipRange"] = str(skip_range)
        return entry

    def _stated_range(self, name: str) -> object:
        """Return the range in the manifest, where databases before the column have it; one bundle has many entries."""
        if name not in self._ranges:
            annotations = _object(_object(self._csv(name).get("metadata")).get("annotations"))
            self._ranges[name] = annotations.get("olm.skipRange")
        return self._ranges[name]

    def _bundle(self, name: str, package: str) -> dict[str, Any]:
        row = self._bundles[name]
        self._spend(len(_text(row, "csv")) + len(_text(row, "bundle")))
        image, version = _text(row, "bundlepath"), _text(row, "version")
        csv = self._csv(name)
        key = _Key(name, version, image)
        made = [*self._stated(key), *self._dependent(key)]
        if not any(property_["type"] == _PACKAGE for property_ in made):
            version = version or str(_spec(csv).get("version") or "")
            made.append({"type": _PACKAGE, "value": {"packageName": package, "version": version}})
        for kind, apis in ((_GVK, self._provided), (f"{_GVK}.required", self._required)):
            made += [{"type": kind, "value": value} for value in apis.get(name, ())]
        distinct = {
            (property_["type"], json.dumps(property_["value"], separators=(",", ":"))): property_ for property_ in made
        }
        properties = [distinct[property_] for property_ in sorted(distinct)]
        objects = sorted({object_data(manifest) for manifest in self._manifests(row)})
        properties += [{"type": BUNDLE_OBJECT, "value": {"data": data}} for data in objects]
        blob: dict[str, Any] = {"schema": "olm.bundle", "name": name, "package": package}
        blob |= {"image": image} if image else {}
        blob["properties"] = properties
        related = self._related(name, csv)
        return blob | ({"relatedImages": related} if related else {})

    def _stated(self, key: _Key) -> Iterator[dict[str, Any]]:
        for row in _rows_of_bundle(self._properties, key):
            value = self._value(_text(row, "value"), key.name)
            if row["type"] == _GVK and isinstance(value, dict):
                value = {field: value.get(field, "") for field in ("group", "kind", "version")}
            yield {"type": _text(row, "type"), "value": value}

    def _dependent(self, key: _Key) -> Iterator[dict[str, Any]]:
        for row in _rows_of_bundle(self._dependencies, key):
            value = self._value(_text(row, "value"), key.name)
            if not isinstance(value, dict):
                raise CatalogError("a dependency that is not an object", origin=self._origin, bundle=key.name)
            if row["type"] == _GVK:
                fields = {field: value.get(field, "") for field in ("group", "kind", "version")}
                yield {"type": f"{_GVK}.required", "value": fields}
            elif row["type"] == _PACKAGE:
                wanted = value.get("versionRange", value.get("version", ""))
                name = value.get("packageName", "")
                yield {"type": f"{_PACKAGE}.required", "value": {"packageName": name, "versionRange": wanted}}

    def _apis(self, rows: Iterable[Row]) -> dict[str, list[dict[str, str]]]:
        """Return the APIs in *rows* by the names of their bundles."""
        apis: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
        for row in rows:
            name = row["operatorbundle_name"]
            if name is None:
                # Older databases name an entry of a channel, and by it the bundle.
                entry = self._entries.get(_number(row, "channel_entry_id"))
                name = None if entry is None else entry["operatorbundle_name"]
            if name is not None:
                group, kind, version = (_text(row, field) for field in ("group_name", "kind", "version"))
                apis[str(name)].append({"group": group, "kind": kind, "version": version})
        return apis

    def _related(self, name: str, csv: Mapping[str, Any]) -> list[dict[str, str]]:
        images = [
            {"name": str(object_.get("name") or ""), "image": str(object_.get("image") or "")}
            for object_ in _objects(_spec(csv).get("relatedImages"))
        ]
        known = {listed_image["image"] for listed_image in images}
        others = dict.fromkeys(_text(row, "image") for row in self._images.get(name, ()))
        images += [{"name": "", "image": image} for image in others if image and image not in known]
        return sorted(images, key=lambda image: (image["image"], image["name"]))

    def _csv(self, name: str) -> Mapping[str, Any]:
        row = self._bundles.get(name)
        text = "" if row is None else _text(row, "csv")
        if not text:
            return {}
        check()
        value = self._value(text, name)
        if not isinstance(value, dict):
            raise CatalogError("a ClusterServiceVersion that is not an object", origin=self._origin, bundle=name)
        return value

    def _manifests(self, row: Row) -> Iterator[Mapping[str, Any]]:
        """Yield the manifests of a bundle, which are JSON objects one after the other."""
        text = _text(row, "bundle").strip()
        decoder = json.JSONDecoder()
        end = 0
        while end < len(text):
            check()
            try:
                value, end = decoder.raw_decode(text, _SPACE.match(text, end).end())  # type: ignore[union-attr]
            except (ValueError, RecursionError):
                value = None
            if not isinstance(value, dict):
                raise CatalogError(
                    "a manifest that is not a JSON object", origin=self._origin, bundle=_text(row, "name")
                )
            yield value

    def _value(self, text: str, bundle: str) -> Any:
        try:
            return decoded(text.encode("utf-8", "replace"))
        except (ValueError, RecursionError):
            raise CatalogError("a value that is not JSON", origin=self._origin, bundle=bundle) from None


def _by_bundle(rows: Iterable[Row]) -> Mapping[str, list[Row]]:
    by_bundle: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_bundle[_text(row, "operatorbundle_name")].append(row)
    return by_bundle


def _rows_of_bundle(rows: Mapping[str, list[Row]], key: _Key) -> Iterator[Row]:
    """Yield the rows that belong to the bundle: version and path count where a row has them."""
    for row in rows.get(key.name, ()):
        version, path = row.get("operatorbundle_version"), row.get("operatorbundle_path")
        if (version is None or version == key.version) and (path is None or path == key.path):
            yield row


def _text(row: Row, column: str) -> str:
    value = row[column]
    return "" if value is None else str(value)


def _number(row: Row, column: str) -> int:
    """Return the number in a *column*, or -1, the number of no entry, if the column is empty."""
    value = row[column]
    return value if isinstance(value, int) else -1


def _spec(csv: Mapping[str, Any]) -> Mapping[str, Any]:
    return _object(csv.get("spec"))


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [element for element in value if isinstance(element, dict)] if isinstance(value, list) else []


def _is_base64(data: str) -> bool:
    try:
        base64.b64decode(data, validate=True)
    except ValueError:
        return False
    return True
