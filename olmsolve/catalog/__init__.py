"""Catalogs: what a file-based catalog holds, how it is read and written, and what makes questions about it fast.

Read in this order:

* ``model``: frozen packages, channels, bundles and other blobs; ``origins``: where they were read; ``shared_parts``:
  lists of properties and repositories of images that versions of an operator share; ``per_list``: what bundles with one
  list have in common; ``source``: a catalog as a cluster names it;
* ``archives``: files, tar archives and compressed streams; ``hosts``: web servers and registries;
* ``images``: container images, in files and registries;
* ``fbc``: files and documents become the model (reading) and the model becomes files (writing);
* ``update_graph``: the order of a channel and the update edges between bundles;
* ``index``: the numbers and tables by which a request asks a catalog;
* ``index_files``: indexes kept in files beside their catalogs.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily
from olmsolve.catalog.deprecations import Deprecation as Deprecation
from olmsolve.catalog.model import Blob as Blob
from olmsolve.catalog.model import Bundle as Bundle
from olmsolve.catalog.model import Catalog as Catalog
from olmsolve.catalog.model import Channel as Channel
from olmsolve.catalog.model import ChannelEntry as ChannelEntry
from olmsolve.catalog.model import Package as Package
from olmsolve.catalog.origins import Origin as Origin
from olmsolve.catalog.source import Source as Source
from olmsolve.catalog.source import UnreadableSource as UnreadableSource

if TYPE_CHECKING:
    from olmsolve.catalog import archives as archives
    from olmsolve.catalog import fbc as fbc
    from olmsolve.catalog import hosts as hosts
    from olmsolve.catalog import images as images
    from olmsolve.catalog import index as index
    from olmsolve.catalog import index_files as index_files
    from olmsolve.catalog import update_graph as update_graph
    from olmsolve.catalog.fbc import blobs as blobs
    from olmsolve.catalog.fbc import migrated as migrated
    from olmsolve.catalog.fbc import read_bundle as read_bundle
    from olmsolve.catalog.fbc import read_package as read_package
    from olmsolve.catalog.fbc import rendered as rendered
    from olmsolve.catalog.fbc import split as split
    from olmsolve.catalog.fbc import with_manifests as with_manifests
    from olmsolve.catalog.fbc import write as write
    from olmsolve.catalog.images import image_fault as image_fault
    from olmsolve.catalog.index_files import write_index as write_index
    from olmsolve.catalog.model import VERSIONS_SCHEMA as VERSIONS_SCHEMA
    from olmsolve.catalog.model import Written as Written
    from olmsolve.catalog.model import bundle_of as bundle_of
    from olmsolve.catalog.model import held_image as held_image
    from olmsolve.catalog.model import held_properties as held_properties
    from olmsolve.catalog.model import list_of as list_of
    from olmsolve.catalog.model import own_version as own_version
    from olmsolve.catalog.origins import StreamOrigin as StreamOrigin
    from olmsolve.catalog.per_list import PerList as PerList
    from olmsolve.catalog.per_list import has_requirement as has_requirement
    from olmsolve.catalog.shared_parts import HeldImage as HeldImage
    from olmsolve.catalog.shared_parts import HeldProperties as HeldProperties
    from olmsolve.catalog.shared_parts import Listed as Listed
    from olmsolve.catalog.shared_parts import OwnPackage as OwnPackage
    from olmsolve.catalog.shared_parts import Repository as Repository
    from olmsolve.catalog.shared_parts import whole_image as whole_image
    from olmsolve.catalog.shared_parts import whole_properties as whole_properties
    from olmsolve.catalog.source import namespace_and_name as namespace_and_name
    from olmsolve.catalog.update_graph import lanes as lanes
    from olmsolve.catalog.versions import made_of as made_of
else:
    __getattr__, __dir__ = lazily(__name__)
