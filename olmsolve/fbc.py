"""File-based catalogs on disk and in memory: read into the catalog model, and written.

:func:`load` and :func:`from_blobs` give a catalog; :func:`blobs`, :func:`rendered`, :func:`write` and :func:`split` are
the way back; :func:`is_bundle` and :func:`read_bundle` are for bundles, in their folders or images,
:func:`is_package_folder` and :func:`read_package` for packages in the format before file-based catalogs. The public
door of :mod:`olmsolve.catalog.fbc`.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.catalog.fbc import blobs as blobs
    from olmsolve.catalog.fbc import from_blobs as from_blobs
    from olmsolve.catalog.fbc import is_bundle as is_bundle
    from olmsolve.catalog.fbc import is_bundle_folder as is_bundle_folder
    from olmsolve.catalog.fbc import is_package_folder as is_package_folder
    from olmsolve.catalog.fbc import is_remote as is_remote
    from olmsolve.catalog.fbc import load as load
    from olmsolve.catalog.fbc import migrated as migrated
    from olmsolve.catalog.fbc import read_bundle as read_bundle
    from olmsolve.catalog.fbc import read_package as read_package
    from olmsolve.catalog.fbc import rendered as rendered
    from olmsolve.catalog.fbc import sort_key as sort_key
    from olmsolve.catalog.fbc import split as split
    from olmsolve.catalog.fbc import write as write
else:
    __getattr__, __dir__ = lazily(__name__)
