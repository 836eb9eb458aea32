"""Edits where catalogs live: only the lines change in which two catalogs differ.

``changing`` compares two catalogs and gives the changed files (:func:`changed_files`). ``positions`` says where new
blobs come and where the values of a document are, ``patching`` changes one document.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.authoring.in_place.changing import changed_files as changed_files
    from olmsolve.authoring.in_place.patching import patched as patched
    from olmsolve.authoring.in_place.positions import UnclearTextError as UnclearTextError
    from olmsolve.authoring.in_place.positions import parse_document as parse_document
else:
    __getattr__, __dir__ = lazily(__name__)
