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

# No `from __future__ import annotations`: the rules in the annotations below are evaluated.

from array import array
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

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
"""It has one ``olm.package`` property, with a strict version, which is its own version: ``bundle_rank`` tells."""
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


def _starts(column: str, *, along: str = "") -> ColumnRule:
    """Return the rule for where each list begins in *column*; the last number is the end of the last list."""
    return ColumnRule(column, along, or_end=True, one_more=bool(along))


# The rules of the columns that have one number for each channel, slot, bundle or requirement.
_channel: Final = partial(ColumnRule, along="channel_name")
_slot: Final = partial(ColumnRule, along="slot_channel")
_bundle: Final = partial(ColumnRule, along="bundle_name")
_requirement: Final = partial(ColumnRule, along="requirement_type")


class Schema:
    """The columns in the order of the file, each with its rule."""

    __slots__ = ()

    # The strings, one after the other in UTF-8: where each begins in the text.
    string_starts: Annotated[Column, _starts("text")]
    # Lists: of strings; of at-most-one groups; of olm.package properties; of requirements and of which property of the
    # bundle states each.
    texts_starts: Annotated[Column, _starts("texts_string")]
    texts_string: Annotated[Column, ColumnRule("string")]
    groups_starts: Annotated[Column, _starts("groups_group")]
    groups_group: Annotated[Column, ColumnRule("group")]
    packages_starts: Annotated[Column, _starts("packages_name")]
    packages_name: Annotated[Column, ColumnRule("name")]
    packages_version: Annotated[Column, ColumnRule("string", "packages_name", or_none=True)]
    requires_starts: Annotated[Column, _starts("requires_requirement")]
    requires_requirement: Annotated[Column, ColumnRule("requirement")]
    requires_property: Annotated[Column, ColumnRule(along="requires_requirement")]
    # Names of packages: those of the catalog, sorted, then those that only properties mention, in any order.
    name_string: Annotated[Column, ColumnRule("string")]
    # Where to look for a name: see `packed.hash_table`.
    name_table: Annotated[Column, ColumnRule("name", or_none=True)]
    # For each name the slots that can be candidates, ascending; and in the order of their versions, with the ranks.
    name_starts: Annotated[Column, _starts("name_slots", along="name_string")]
    name_slots: Annotated[Column, ColumnRule("slot")]
    name_ranked_slots: Annotated[Column, ColumnRule("slot", "name_slots")]
    name_ranks: Annotated[Column, ColumnRule("rank", "name_slots")]
    # Packages of the catalog: whether some bundle does not say that it is of the package, the default channel, where
    # the other channels begin, where the bundles begin, and what is deprecated: schema, name, message, schema, name...
    package_undeclared: Annotated[Column, ColumnRule(along="package_default")]
    package_default: Annotated[Column, ColumnRule("channel", or_none=True)]
    package_channels: Annotated[Column, _starts("channel", along="package_default")]
    package_bundles: Annotated[Column, _starts("bundle", along="package_default")]
    package_deprecations: Annotated[Column, ColumnRule("texts", along="package_default")]
    # Where the rows begin that a package was the first to need, in the order in which packages are packed: with them,
    # `repacking` moves the rows of packages that did not change in one piece.
    package_strings: Annotated[Column, _starts("string", along="package_default")]
    package_texts: Annotated[Column, _starts("texts", along="package_default")]
    package_groups: Annotated[Column, _starts("groups", along="package_default")]
    package_requires: Annotated[Column, _starts("requires", along="package_default")]
    package_requirements: Annotated[Column, _starts("requirement", along="package_default")]
    package_gvks: Annotated[Column, _starts("gvk", along="package_default")]
    # Whether every candidate of the name has a rank.
    name_ranked: Annotated[Column, ColumnRule(along="name_string")]
    # An API as the text GROUP/VERSION/KIND, and how many characters its first two parts have.
    gvk_text: Annotated[Column, ColumnRule("string")]
    gvk_group: Annotated[Column, ColumnRule(along="gvk_text")]
    gvk_version: Annotated[Column, ColumnRule(along="gvk_text")]
    gvk_table: Annotated[Column, ColumnRule("gvk", or_none=True)]
    # The package of all bundles that provide the API, NONE where there are several.
    gvk_package: Annotated[Column, ColumnRule("name", "gvk_text", or_none=True)]
    gvk_starts: Annotated[Column, _starts("gvk_slots", along="gvk_text")]
    gvk_slots: Annotated[Column, ColumnRule("slot")]
    # Labels, and the slots that can be candidates and have them.
    label_string: Annotated[Column, ColumnRule("string")]
    label_table: Annotated[Column, ColumnRule("label", or_none=True)]
    label_starts: Annotated[Column, _starts("label_slots", along="label_string")]
    label_slots: Annotated[Column, ColumnRule("slot")]
    # The distinct versions of PLAIN bundles, ascending: one text for each.
    rank_string: Annotated[Column, ColumnRule("string")]
    # The slots of a channel: from the slot for its fault (or the first entry), from the first entry, to the end of the
    # channel's order, and to the end of the entries outside of the order. Entries without a bundle have no slot, so
    # their names are a list.
    channel_package: Annotated[Column, _channel("package")]
    channel_name: Annotated[Column, _channel("string")]
    channel_start: Annotated[Column, _channel("slot", or_end=True)]
    channel_first: Annotated[Column, _channel("slot", or_end=True)]
    channel_end: Annotated[Column, _channel("slot", or_end=True)]
    channel_stop: Annotated[Column, _channel("slot", or_end=True)]
    channel_fault: Annotated[Column, _channel("string")]
    channel_empty_entries: Annotated[Column, _channel("texts")]
    slot_channel: Annotated[Column, _slot("channel")]
    slot_bundle: Annotated[Column, _slot("bundle", or_none=True)]
    slot_replaces: Annotated[Column, _slot("string")]
    slot_skips: Annotated[Column, _slot("texts")]
    slot_range: Annotated[Column, _slot("string")]
    bundle_name: Annotated[Column, _bundle("string")]
    bundle_flags: Annotated[Column, _bundle()]
    bundle_version: Annotated[Column, _bundle("string", or_none=True)]
    bundle_rank: Annotated[Column, _bundle("rank", or_none=True)]
    bundle_packages: Annotated[Column, _bundle("packages")]
    bundle_groups: Annotated[Column, _bundle("groups")]
    bundle_labels: Annotated[Column, _bundle("texts")]
    bundle_requires: Annotated[Column, _bundle("requires")]
    # A distinct requirement: the property's type; and its value as JSON text, or as the list of texts k, v, k, v...
    requirement_type: Annotated[Column, _requirement("string")]
    requirement_json: Annotated[Column, _requirement("string")]
    requirement_fields: Annotated[Column, _requirement("texts")]
    # A plain package requirement: the name, and the interval of the name's part of `name_ranked_slots` that meets it,
    # counted from where that part begins. NONE, 0, 0 for any other requirement. Whether an interval is within bounds
    # depends on two other columns: `families` looks at that when it uses one, which is less work than to check all.
    requirement_name: Annotated[Column, _requirement()]
    requirement_first: Annotated[Column, _requirement()]
    requirement_end: Annotated[Column, _requirement()]

    def row_count(self, table: str) -> int:
        """Return how many rows a table has, or how many numbers the column or the text of this name."""
        if table == "group":
            # With 3 names and 2 APIs, groups 0 to 2 are those of the names, and groups 3 and 4 those of the APIs.
            return self.length("name_string") + self.length("gvk_text")
        column, less = _COUNTED_BY.get(table, (table, 0))
        return self.length(column) - less

    def length(self, name: str) -> int:
        """Return how many numbers a column has, or how many bytes the text."""
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
    name: annotation.__metadata__[0] for name, annotation in Schema.__annotations__.items()
}
"""The rule of each column, in the order of the file."""
