"""The index of a catalog: what makes a request's questions fast.

It answers by look-up who provides an API or is in a package, which slots of a channel can follow an installed bundle,
and which candidates meet a requirement. Read in this order:

* ``catalog_index``: the questions, and what a slot and a rank are;
* ``schema``, ``packed``: the columns of numbers behind it, and the table of strings;
* ``candidates``, ``facts``, ``requirements``, ``families``: the answers, worked out from the columns when asked for;
* ``tables``, ``packing``, ``intervals``: how a catalog becomes columns;
* ``stored``: the same columns in a file;
* ``visible``, ``installed``: several catalogs seen together, and the installed operators beside them.
"""

from olmsolve.catalog.index.catalog_index import CatalogIndex, ChannelSlots, index_of
from olmsolve.catalog.index.families import Family, Need
from olmsolve.catalog.index.groups import Group, groups_of
from olmsolve.catalog.index.installed import InstalledIndex
from olmsolve.catalog.index.originals import Fault
from olmsolve.catalog.index.schema import NONE
from olmsolve.catalog.index.slots import Slot
from olmsolve.catalog.index.stored import Stored, is_index, read_chunk, read_stored, stored_bytes
from olmsolve.catalog.index.visible import Visible

__all__ = [
    "NONE",
    "CatalogIndex",
    "ChannelSlots",
    "Family",
    "Fault",
    "Group",
    "InstalledIndex",
    "Need",
    "Slot",
    "Stored",
    "Visible",
    "groups_of",
    "index_of",
    "is_index",
    "read_chunk",
    "read_stored",
    "stored_bytes",
]
