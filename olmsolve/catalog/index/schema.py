"""The schema of an index: its columns, what their numbers mean, and how many each column has.

Packing fills these columns (:mod:`olmsolve.catalog.index.packing`); a file holds them in this order, and what a file
holds is checked against these rules (:mod:`olmsolve.catalog.index.stored`). A new column is one line here, and one
where it is filled.

The columns of a table begin with its name: ``bundle_name`` and ``bundle_flags`` have one number for each bundle. Most
numbers count the rows of another table. For example::

    bundle_name[7] == 41                   the name of bundle 7 is string 41,
    string_starts[41:43] == (300, 309)     and that is text[300:309]

*List* n of a table is the numbers between two neighbours of its column of starts::

    groups_starts == (0, 0, 2, 5), groups_group == (4, 9, 4, 7, 8)
    list 0 is empty, list 1 is (4, 9), list 2 is (4, 7, 8)

List 0 of every table and string 0 are empty.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from olmsolve._named_tuples import NamedTuple

if TYPE_CHECKING:
    Column: TypeAlias = array[int]
else:
    Column = array  # which is no generic class for the interpreter
"""Unsigned numbers of 4 bytes, in the byte order of the machine."""

NONE: Final = 2**32 - 1
"""The number that stands for "there is none"."""

# The bits of `bundle_flags`.
DEPRECATED: Final = 1
"""The bundle has an ``olm.deprecated`` property."""
PLAIN: Final = 2
"""It has one ``olm.package`` property, with a strict version, which is its own version, given by ``bundle_rank``."""
HELD: Final = 4
"""A requirement of it is not a JSON value, so only the catalog's own objects hold it."""


class ColumnRule(NamedTuple):
    """The rule that the numbers of one column keep.

    *row_of* names the table or column whose rows the numbers count, "" for numbers of another kind (flags, lengths).
    *or_none* allows NONE as well, *or_end* the number after the last row. The column is as long as the column *along*
    ("": it decides how long others are), or one longer with *one_more*, which is for the end of the last row.
    """

    row_of: str = ""
    along: str = ""
    or_none: bool = False
    or_end: bool = False
    one_more: bool = False


# What these return is Any to type checkers, as a field of attrs is: on an instance, the attribute is the column.


def _column(row_of: str = "", along: str = "", *, or_none: bool = False, or_end: bool = False) -> Any:
    """Return the rule of a column."""
    return ColumnRule(row_of, along, or_none, or_end)


def _starts(column: str, *, along: str = "") -> Any:
    """Return the rule for where each list begins in *column*; the last number is the end of the last list."""
    return ColumnRule(column, along, or_end=True, one_more=bool(along))


# The rules of the columns that have one number for each channel, slot, bundle or requirement.
_channel: Final = partial(_column, along="channel_name")
_slot: Final = partial(_column, along="slot_channel")
_bundle: Final = partial(_column, along="bundle_name")
_requirement: Final = partial(_column, along="requirement_type")


class Schema:
    """The columns in the order of the file, each with its rule."""

    __slots__ = ()

    # The strings, one after the other in UTF-8: where each begins in the text.
    string_starts: Column = _starts("text")
    # Lists: of strings; of at-most-one groups; of olm.package properties; of requirements and of which property of the
    # bundle states each.
    texts_starts: Column = _starts("texts_string")
    texts_string: Column = _column("string")
    groups_starts: Column = _starts("groups_group")
    groups_group: Column = _column("group")
    packages_starts: Column = _starts("packages_name")
    packages_name: Column = _column("name")
    packages_version: Column = _column("string", "packages_name", or_none=True)
    requires_starts: Column = _starts("requires_requirement")
    requires_requirement: Column = _column("requirement")
    requires_property: Column = _column(along="requires_requirement")
    # Names of packages: first the catalog's packages, sorted, then packages that only properties mention, in any order.
    name_string: Column = _column("string")
    # Where to look for a name: see `packed.hash_table`.
    name_table: Column = _column("name", or_none=True)
    # For each name the slots that can be candidates, ascending; and in the order of their versions, with the ranks.
    name_starts: Column = _starts("name_slots", along="name_string")
    name_slots: Column = _column("slot")
    name_ranked_slots: Column = _column("slot", "name_slots")
    name_ranks: Column = _column("rank", "name_slots")
    # Packages of the catalog: whether some bundle does not say that it is of the package, the default channel, where
    # the other channels begin, where the bundles begin, and what is deprecated: schema, name, message, schema, name...
    package_undeclared: Column = _column(along="package_default")
    package_default: Column = _column("channel", or_none=True)
    package_channels: Column = _starts("channel", along="package_default")
    package_bundles: Column = _starts("bundle", along="package_default")
    package_deprecations: Column = _column("texts", along="package_default")
    # Where the rows begin that a package was the first to need, in the order in which packages are packed: with them,
    # `repacking` moves the rows of packages that did not change in one piece.
    package_strings: Column = _starts("string", along="package_default")
    package_texts: Column = _starts("texts", along="package_default")
    package_groups: Column = _starts("groups", along="package_default")
    package_requires: Column = _starts("requires", along="package_default")
    package_requirements: Column = _starts("requirement", along="package_default")
    package_gvks: Column = _starts("gvk", along="package_default")
    # Whether every candidate of the name has a rank.
    name_ranked: Column = _column(along="name_string")
    # An API as the text GROUP/VERSION/KIND, and how many characters its first two parts have.
    gvk_text: Column = _column("string")
    gvk_group: Column = _column(along="gvk_text")
    gvk_version: Column = _column(along="gvk_text")
    gvk_table: Column = _column("gvk", or_none=True)
    # The package of all bundles that provide the API, NONE where there are several.
    gvk_package: Column = _column("name", "gvk_text", or_none=True)
    gvk_starts: Column = _starts("gvk_slots", along="gvk_text")
    gvk_slots: Column = _column("slot")
    # Labels, and the slots that can be candidates and have them.
    label_string: Column = _column("string")
    label_table: Column = _column("label", or_none=True)
    label_starts: Column = _starts("label_slots", along="label_string")
    label_slots: Column = _column("slot")
    # The distinct versions of PLAIN bundles, ascending: one text for each.
    rank_string: Column = _column("string")
    # The slots of a channel: from the slot for its fault (or the first entry), from the first entry, to the end of the
    # channel's order, and to the end of the entries outside of the order. Entries without a bundle have no slot, so
    # their names are a list.
    channel_package: Column = _channel("package")
    channel_name: Column = _channel("string")
    channel_start: Column = _channel("slot", or_end=True)
    channel_first: Column = _channel("slot", or_end=True)
    channel_end: Column = _channel("slot", or_end=True)
    channel_stop: Column = _channel("slot", or_end=True)
    channel_fault: Column = _channel("string")
    channel_empty_entries: Column = _channel("texts")
    slot_channel: Column = _slot("channel")
    slot_bundle: Column = _slot("bundle", or_none=True)
    slot_replaces: Column = _slot("string")
    slot_skips: Column = _slot("texts")
    slot_range: Column = _slot("string")
    bundle_name: Column = _bundle("string")
    bundle_flags: Column = _bundle()
    bundle_version: Column = _bundle("string", or_none=True)
    bundle_rank: Column = _bundle("rank", or_none=True)
    bundle_packages: Column = _bundle("packages")
    bundle_groups: Column = _bundle("groups")
    bundle_labels: Column = _bundle("texts")
    bundle_requires: Column = _bundle("requires")
    # A distinct requirement: the property's type; and its value as JSON text, or as the list of texts k, v, k, v...
    requirement_type: Column = _requirement("string")
    requirement_json: Column = _requirement("string")
    requirement_fields: Column = _requirement("texts")
    # A plain package requirement: the name, and the interval of the name's part of `name_ranked_slots` that meets it,
    # counted from where that part begins. NONE, 0, 0 for any other requirement. Whether an interval is within bounds
    # depends on two other columns: `families` looks at that when it uses one, which is less work than to check all.
    requirement_name: Column = _requirement()
    requirement_first: Column = _requirement()
    requirement_end: Column = _requirement()

    def row_count(self, table: str) -> int:
        """Return what bounds a column that counts *table*: a table's rows, a column's numbers, or a text's bytes.

        ``slot_bundle`` counts rows of the table ``bundle``, for each of which ``bundle_name`` has a number;
        ``gvk_starts`` counts numbers of ``gvk_slots``, and ``string_starts`` bytes of the text of all strings.
        """
        if table == "group":
            # With 3 names and 2 APIs, groups 0 to 2 belong to the names, and groups 3 and 4 to the APIs.
            return self.length("name_string") + self.length("gvk_text")
        column, less = _COUNTED_BY.get(table, (table, 0))
        return self.length(column) - less

    def length(self, name: str) -> int:
        """Return the length of the column *name* in numbers, or of the text in bytes."""
        return len(getattr(self, name))


# A column that has one number for each row of the table, and how many more: the end of the last row. So no table keeps
# its length beside its columns: with string_starts == (0, 4, 9) there are 3 - 1 strings.
_COUNTED_BY: Final[Mapping[str, tuple[str, int]]] = {
    **{table: (f"{table}_starts", 1) for table in ("string", "texts", "groups", "packages", "requires")},
    **{table: (f"{table}_string", 0) for table in ("name", "label", "rank")},
    **{table: (f"{table}_name", 0) for table in ("channel", "bundle")},
    "package": ("package_default", 0),
    "gvk": ("gvk_text", 0),
    "slot": ("slot_channel", 0),
    "requirement": ("requirement_type", 0),
}

COLUMNS: Final[Mapping[str, ColumnRule]] = {
    name: rule for name, rule in vars(Schema).items() if isinstance(rule, ColumnRule)
}
"""The rule of each column, in the order of the file."""
