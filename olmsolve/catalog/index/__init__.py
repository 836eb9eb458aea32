"""The index of a catalog: what makes a request's questions fast.

It answers by look-up who provides an API or is in a package, which slots of a channel can follow an installed bundle,
and which candidates meet a requirement. Read in this order:

* ``catalog_index``: the questions, and what a slot and a rank are;
* ``schema``, ``packed``: its columns of numbers, and the table of strings;
* ``candidates``, ``facts``, ``families``, ``common_needs``: the answers, worked out from the columns when asked for;
* ``lanes``, ``tables``, ``bundle_columns``, ``packing``: how a catalog becomes columns;
* ``new_numbers``, ``moved_tables``, ``moved_packages``, ``repacking``: how the columns of one version become those of
  the next;
* ``stored``, ``paged``: the same columns in a file;
* ``visible``: several catalogs seen together, and the installed operators beside them.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.catalog.index.candidates import UnparsedRequirements as UnparsedRequirements
    from olmsolve.catalog.index.catalog_index import CatalogIndex as CatalogIndex
    from olmsolve.catalog.index.catalog_index import index_of as index_of
    from olmsolve.catalog.index.facts import ChannelSlots as ChannelSlots
    from olmsolve.catalog.index.facts import FactTable as FactTable
    from olmsolve.catalog.index.facts import Fault as Fault
    from olmsolve.catalog.index.facts import Group as Group
    from olmsolve.catalog.index.facts import Slot as Slot
    from olmsolve.catalog.index.facts import groups_of as groups_of
    from olmsolve.catalog.index.families import Family as Family
    from olmsolve.catalog.index.families import Need as Need
    from olmsolve.catalog.index.lanes import is_all as is_all
    from olmsolve.catalog.index.lanes import shifted_positions as shifted_positions
    from olmsolve.catalog.index.packed import Packed as Packed
    from olmsolve.catalog.index.paged import FileParts as FileParts
    from olmsolve.catalog.index.paged import StoredColumns as StoredColumns
    from olmsolve.catalog.index.repacking import repack as repack
    from olmsolve.catalog.index.schema import COLUMNS as COLUMNS
    from olmsolve.catalog.index.schema import NONE as NONE
    from olmsolve.catalog.index.stored import Stored as Stored
    from olmsolve.catalog.index.stored import copied_chunks as copied_chunks
    from olmsolve.catalog.index.stored import is_something_else as is_something_else
    from olmsolve.catalog.index.stored import read_chunk as read_chunk
    from olmsolve.catalog.index.stored import read_stored as read_stored
    from olmsolve.catalog.index.stored import stored_bytes as stored_bytes
    from olmsolve.catalog.index.visible import InstalledIndex as InstalledIndex
    from olmsolve.catalog.index.visible import Views as Views
    from olmsolve.catalog.index.visible import Visible as Visible
else:
    __getattr__, __dir__ = lazily(__name__)
