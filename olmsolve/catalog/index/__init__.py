"""A catalog made fast to ask: channel orders, who provides an API or is in a package, candidates of a requirement."""

from olmsolve.catalog.index.catalog_index import CatalogIndex, ChannelSlots, index_of
from olmsolve.catalog.index.families import Family, Need
from olmsolve.catalog.index.groups import Group, groups_of
from olmsolve.catalog.index.installed import InstalledIndex
from olmsolve.catalog.index.originals import Fault
from olmsolve.catalog.index.packed import NONE
from olmsolve.catalog.index.slots import Slot
from olmsolve.catalog.index.stored import Stored, chunk, is_index, read_stored, stored_bytes
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
    "chunk",
    "groups_of",
    "index_of",
    "is_index",
    "read_stored",
    "stored_bytes",
]
