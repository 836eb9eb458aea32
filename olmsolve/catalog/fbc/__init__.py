"""File-based catalogs on disk and in memory: read into the catalog model, and written.

Reading goes from bytes to values to the model:

* ``loading``: a catalog from wherever it is; ``folder`` finds its files;
* ``packed``: catalogs in images, archives and databases; ``database``: databases of old indexes;
* ``text``: bytes to text, text to documents; ``document``: how much of each is read, and names of fields in any letter
  case;
* ``json_text``, ``yaml_text``: careful readers, which take all that ``opm`` takes and say why they refuse the rest;
* ``json_fast``, ``yaml_fast``: fast readers of usual documents, which leave others to the careful ones; ``yaml_lines``
  cuts YAML text into documents, and reads single lines;
* ``yaml_tokens``, with ``yaml_cursor`` and ``yaml_token_texts``, and ``yaml_events``: YAML text as tokens and events,
  read as the YAML reader of ``opm`` does; they also report where YAML's specification says something else;
* ``yaml_scalars``: scalars as JSON values; ``linking``: documents become a catalog.

``reloading`` loads a new version of a catalog and reads only what changed. ``segments`` cuts a text into segments, and
``comparing`` compares these with the version before; ``moved_lines`` corrects the line numbers of unchanged packages.

``writing`` and ``yaml_writing`` write catalogs. ``opm_json`` and ``opm_yaml`` give the same bytes as ``opm``;
``field_types`` has the types of fields. ``bundle_reading``, ``bundle_properties`` and ``bundle_objects`` read the
manifests of bundles, and ``package_folder`` the format before file-based catalogs.

A request over a catalog that has an index reads no catalog, so the modules are loaded when they are first used.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.catalog.fbc.bundle_objects import BUNDLE_OBJECT as BUNDLE_OBJECT
    from olmsolve.catalog.fbc.bundle_objects import object_content as object_content
    from olmsolve.catalog.fbc.bundle_objects import object_manifest as object_manifest
    from olmsolve.catalog.fbc.bundle_objects import with_manifests as with_manifests
    from olmsolve.catalog.fbc.bundle_properties import migrated as migrated
    from olmsolve.catalog.fbc.bundle_reading import WholeBundle as WholeBundle
    from olmsolve.catalog.fbc.bundle_reading import is_bundle as is_bundle
    from olmsolve.catalog.fbc.bundle_reading import is_bundle_folder as is_bundle_folder
    from olmsolve.catalog.fbc.bundle_reading import read_bundle as read_bundle
    from olmsolve.catalog.fbc.bundle_reading import read_whole_bundle as read_whole_bundle
    from olmsolve.catalog.fbc.bundle_reading import unpack_bundle as unpack_bundle
    from olmsolve.catalog.fbc.document import DEPTH as DEPTH
    from olmsolve.catalog.fbc.document import DOCUMENT as DOCUMENT
    from olmsolve.catalog.fbc.document import Document as Document
    from olmsolve.catalog.fbc.document import documented as documented
    from olmsolve.catalog.fbc.document import equal_keys as equal_keys
    from olmsolve.catalog.fbc.document import package_named_by as package_named_by
    from olmsolve.catalog.fbc.document import plain as plain
    from olmsolve.catalog.fbc.document import refuse as refuse
    from olmsolve.catalog.fbc.document import schema_of as schema_of
    from olmsolve.catalog.fbc.field_types import BLOB_TYPES as BLOB_TYPES
    from olmsolve.catalog.fbc.field_types import PROPERTY_TYPES as PROPERTY_TYPES
    from olmsolve.catalog.fbc.field_types import FieldType as FieldType
    from olmsolve.catalog.fbc.field_types import base64_bytes as base64_bytes
    from olmsolve.catalog.fbc.field_types import field_faults as field_faults
    from olmsolve.catalog.fbc.field_types import fits as fits
    from olmsolve.catalog.fbc.folder import catalog_files as catalog_files
    from olmsolve.catalog.fbc.json_fast import PropertyTable as PropertyTable
    from olmsolve.catalog.fbc.json_fast import plain_bundle as plain_bundle
    from olmsolve.catalog.fbc.linking import Linker as Linker
    from olmsolve.catalog.fbc.linking import from_blobs as from_blobs
    from olmsolve.catalog.fbc.loading import is_remote as is_remote
    from olmsolve.catalog.fbc.loading import load as load
    from olmsolve.catalog.fbc.loading import load_package as load_package
    from olmsolve.catalog.fbc.loading import members_at as members_at
    from olmsolve.catalog.fbc.loading import opened_url as opened_url
    from olmsolve.catalog.fbc.loading import path_from as path_from
    from olmsolve.catalog.fbc.loading import url_of as url_of
    from olmsolve.catalog.fbc.moved_lines import kept_packages as kept_packages
    from olmsolve.catalog.fbc.opm_json import BundleWriter as BundleWriter
    from olmsolve.catalog.fbc.opm_json import WrittenBundle as WrittenBundle
    from olmsolve.catalog.fbc.opm_json import laid_out as laid_out
    from olmsolve.catalog.fbc.opm_json import opm_json_text as opm_json_text
    from olmsolve.catalog.fbc.opm_json import opm_template_text as opm_template_text
    from olmsolve.catalog.fbc.opm_json import through_go as through_go
    from olmsolve.catalog.fbc.opm_yaml import opm_yaml_text as opm_yaml_text
    from olmsolve.catalog.fbc.package_folder import is_package_folder as is_package_folder
    from olmsolve.catalog.fbc.package_folder import read_package as read_package
    from olmsolve.catalog.fbc.packed import Members as Members
    from olmsolve.catalog.fbc.packed import chosen_members as chosen_members
    from olmsolve.catalog.fbc.packed import is_packed as is_packed
    from olmsolve.catalog.fbc.packed import packed_members as packed_members
    from olmsolve.catalog.fbc.packed import stream_members as stream_members
    from olmsolve.catalog.fbc.reloading import CatalogParts as CatalogParts
    from olmsolve.catalog.fbc.reloading import Comparison as Comparison
    from olmsolve.catalog.fbc.reloading import files_at as files_at
    from olmsolve.catalog.fbc.reloading import reload as reload
    from olmsolve.catalog.fbc.segments import UncutError as UncutError
    from olmsolve.catalog.fbc.segments import segments_from as segments_from
    from olmsolve.catalog.fbc.segments import segments_text as segments_text
    from olmsolve.catalog.fbc.segments import sha256_digest as sha256_digest
    from olmsolve.catalog.fbc.text import Meter as Meter
    from olmsolve.catalog.fbc.text import Readable as Readable
    from olmsolve.catalog.fbc.text import TextSource as TextSource
    from olmsolve.catalog.fbc.text import read_documents as read_documents
    from olmsolve.catalog.fbc.text import text_documents as text_documents
    from olmsolve.catalog.fbc.writing import blobs as blobs
    from olmsolve.catalog.fbc.writing import bundle_blob as bundle_blob
    from olmsolve.catalog.fbc.writing import channel_blob as channel_blob
    from olmsolve.catalog.fbc.writing import deprecations_blob as deprecations_blob
    from olmsolve.catalog.fbc.writing import documents as documents
    from olmsolve.catalog.fbc.writing import opm_sort_key as opm_sort_key
    from olmsolve.catalog.fbc.writing import package_blob as package_blob
    from olmsolve.catalog.fbc.writing import rendered as rendered
    from olmsolve.catalog.fbc.writing import sort_key as sort_key
    from olmsolve.catalog.fbc.writing import split as split
    from olmsolve.catalog.fbc.writing import write as write
    from olmsolve.catalog.fbc.yaml_cursor import Dialect as Dialect
    from olmsolve.catalog.fbc.yaml_cursor import DialectUse as DialectUse
    from olmsolve.catalog.fbc.yaml_cursor import TextBehind as TextBehind
    from olmsolve.catalog.fbc.yaml_lines import yaml_parts as yaml_parts
    from olmsolve.catalog.fbc.yaml_text import repeated_key as repeated_key
    from olmsolve.catalog.fbc.yaml_writing import YamlLayout as YamlLayout
    from olmsolve.catalog.fbc.yaml_writing import block_lines as block_lines
    from olmsolve.catalog.fbc.yaml_writing import flow_text as flow_text
else:
    __getattr__, __dir__ = lazily(__name__)
