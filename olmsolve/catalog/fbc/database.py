"""Index databases in SQLite, the format of catalogs before files: their tables, read and nothing else.

A database comes from a stranger, and so does its schema: a view or a trigger in it would be a program. So the file is
opened unchangeable, only tables that are known are read, whole and without functions, and everything else is refused
while SQLite compiles the statement.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, TypeAlias

from olmsolve._limits import check
from olmsolve.catalog.archives import TOTAL_BYTES
from olmsolve.catalog.fbc.document import DOCUMENT
from olmsolve.errors import CatalogError, Incomplete

_STEPS: Final = 100_000  # steps of SQLite's machine between two looks at the limits, in about a millisecond
_HEADER: Final = 1 << 12
# Rows that any database may have, and bytes of the file for each row beyond them. A row takes half a kilobyte in memory
# and 100 bytes in the file, where names of bundles stand.
_ROWS: Final = 200_000
_ROW_BYTES: Final = 50
_ALLOWED: Final = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)

Row: TypeAlias = dict[str, str | int | float | None]
"""A row of a table, by the names of its columns."""

TABLES: Final = {
    "package": ("name", "default_channel"),
    "channel": ("name", "package_name", "head_operatorbundle_name"),
    "channel_entry": ("entry_id", "channel_name", "package_name", "operatorbundle_name", "replaces", "depth"),
    "operatorbundle": ("name", "csv", "bundle", "bundlepath", "version", "skiprange", "replaces", "skips"),
    "api_provider": (
        "group_name",
        "version",
        "kind",
        "operatorbundle_name",
        "operatorbundle_version",
        "operatorbundle_path",
        "channel_entry_id",
    ),
    "api_requirer": (
        "group_name",
        "version",
        "kind",
        "operatorbundle_name",
        "operatorbundle_version",
        "operatorbundle_path",
        "channel_entry_id",
    ),
    "properties": ("type", "value", "operatorbundle_name", "operatorbundle_version", "operatorbundle_path"),
    "dependencies": ("type", "value", "operatorbundle_name", "operatorbundle_version", "operatorbundle_path"),
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
        self._left = size + _HEADER
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
        known = self._columns[table]
        if not known:
            return
        columns = TABLES[table]
        # Names of tables and columns are those above: nothing of the database gets into the statement.
        selected = ", ".join(f'"{name}"' if name in known else "NULL" for name in columns)
        with closing(self._connection.execute(f'SELECT {selected} FROM "{table}"')) as cursor:  # noqa: S608
            for values in cursor:
                self._count(values)
                row = dict(zip(columns, values, strict=True))
                for name, value in row.items():
                    if isinstance(value, bytes):
                        # Manifests were written as bytes.
                        row[name] = self._decoded(value)
                yield row

    def _count(self, values: Sequence[object]) -> None:
        self._rows_left -= 1
        self._left -= 2 + sum(len(value) for value in values if isinstance(value, (str, bytes)))
        if self._left < 0:
            raise CatalogError("a database whose rows hold more than its file", origin=self._origin)
        if self._rows_left < 0:
            raise CatalogError("a database of far more rows than an index has", origin=self._origin)

    def _known_columns(self, table: str) -> set[str]:
        return {row[1] for row in self._connection.execute(f'PRAGMA table_info("{table}")')} & set(TABLES[table])

    def _decoded(self, value: bytes) -> str:
        try:
            return value.decode()
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
    """Return whether SQLite may do *action*: read columns of known tables, and nothing by way of a view or trigger."""
    if action == sqlite3.SQLITE_PRAGMA and first == "table_info" and second in TABLES:
        return sqlite3.SQLITE_OK
    is_known = action == sqlite3.SQLITE_SELECT or first in TABLES or first == "sqlite_master"
    return sqlite3.SQLITE_OK if action in _ALLOWED and is_known and inside is None else sqlite3.SQLITE_DENY
