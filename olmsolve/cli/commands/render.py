"""``olmsolve render``: catalogs and bundle folders as one text, or as a folder for each package."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import olmsolve
from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.cli.catalogs import OPM_FORMS, catalog_path, load, put
from olmsolve.cli.options import CSV_METADATA, add_catalogs, add_migrate_level, add_output, keeps_objects
from olmsolve.cli.output import Exit

if TYPE_CHECKING:
    from olmsolve.catalog import Origin

DESCRIPTION: Final = """\
Print catalogs as one text, as opm render does: JSON objects or YAML documents, with all fields and in their
order (docs/writing.md). A PATH is a catalog; or a bundle, which becomes its blob: its image, or its folder with
manifests/ and metadata/, which needs the image that it is pulled from (FOLDER=IMAGE, or --image for one); or a
package's folder in the older format, with a NAME.package.yaml. Catalogs and bundles may be images, in files or
in registries (docs/images.md)."""

EXAMPLES: Final = """\
examples:
  olmsolve render catalogs/orchard > orchard.json
  olmsolve render catalogs/orchard catalogs/commons --output yaml \\
                  --split shopping
  olmsolve render authoring/bundles/keyring-1.1.0 \\
                  --image registry.example.com/keyring:v1.1.0

exit codes:
  0  the text, or the files, are written
  2  bad input: a path cannot be read or written, or an argument is wrong"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the catalogs and folders, the form of the text, and what to leave out."""
    parser.add_argument(
        "paths",
        nargs="*",
        default=[],
        metavar="PATH[=IMAGE]",
        help='a catalog, as PATH or NAME=PATH (a folder, a file, an archive or an image, "-" for stdin), or a bundle;'
        " several are joined",
    )
    add_catalogs(parser, "[NAME=]PATH[:PRIORITY]", "a catalog, as other commands take it; can be repeated")
    add_output(
        parser,
        *("json", "jsonl", "yaml", "opm-json", "opm-yaml"),
        shown="indented JSON, JSON with a blob on each line, YAML, or JSON or YAML as opm prints it, to the byte",
    )
    parser.add_argument(
        "--sort",
        action="store_true",
        help="sort packages by name, and inside of each channels and bundles, instead of keeping the order",
    )
    parser.add_argument(
        "--split",
        default="",
        metavar="FOLDER",
        help="write a folder for each package into FOLDER, which must be new or empty, instead of printing",
    )
    parser.add_argument("--image", default="", metavar="IMAGE", help="the image that the one bundle is pulled from")
    parser.add_argument(
        "--alpha-image-ref-template",
        dest="image_template",
        default="",
        metavar="TEMPLATE",
        help="the images that bundles are pulled from, as for opm (example: q.io/{{.Package}}:{{.Version}});"
        " {{.Name}} is the bundle's name",
    )
    parser.add_argument(
        "--migrate",
        action="store_true",
        help="put one olm.csv.metadata in the place of a bundle's olm.bundle.object, as opm render --migrate does",
    )
    parser.add_argument(
        "--bundle-objects",
        action="store_true",
        help="keep the manifests of bundles whole, as olm.bundle.object, instead of one olm.csv.metadata",
    )
    add_migrate_level(parser)
    parser.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="TYPE",
        help="leave out properties of this type, or icons (icon); can be repeated",
    )


def run(options: argparse.Namespace) -> int:
    """Print or write the catalogs and folders of *options*, and return the exit code."""
    sources = [_source(text) for text in (*options.paths, *options.catalogs)]
    if not sources:
        options.refuse("a catalog or a bundle is needed: its path")
    bundles = [source for source in sources if source.is_bundle]
    if options.image and len(bundles) != 1:
        options.refuse(f"--image needs exactly one bundle, and there are {len(bundles)}")
    keeps = keeps_objects(options)
    migrates = _migrates(options)
    if options.migrate and keeps:
        options.refuse("--bundle-objects, or --migrate-level none, keeps what --migrate replaces")
    if options.image_template:
        options.image_template = _image_template(options)
    elif not keeps:
        given = (source.path for source in bundles if not (source.image or options.image))
        nameless = [path for path in given if not olmsolve.fbc.is_remote(path)]
        if nameless:
            named = " ".join(f"{path}=IMAGE" for path in nameless)
            options.refuse(f"a bundle's folder or file does not know its image: give it ({named})")
    blobs = _blobs(sources, options)
    blobs = map(olmsolve.fbc.migrated, blobs) if migrates else blobs
    inputs = [source.path for source in sources]
    put(blobs, options.output, folder=options.split, is_sorted=options.sort, is_laid_out=True, inputs=inputs)
    return Exit.PLAN


def _migrates(options: argparse.Namespace) -> bool:
    return bool(options.migrate or options.migrate_level == CSV_METADATA)


_ACTION: Final = pattern(r"\{\{\s*\.(Package|Name|Version)\s*\}\}")


class _RenderedPath(NamedTuple):
    """A path of the command line, and the image after its equals sign; *image* is "" without one."""

    path: str
    image: str
    is_bundle: bool


def _source(text: str) -> _RenderedPath:
    path, _, image = text.rpartition("=")
    # A path may have an equals sign, an image has none.
    if path and _is_bundle(path) and not Path(text).exists():
        return _RenderedPath(path, image, is_bundle=True)
    # A catalog may have a name, as other commands take it.
    text = text if _is_bundle(text) else catalog_path(text)
    return _RenderedPath(text, "", _is_bundle(text))


def _blobs(sources: Sequence[_RenderedPath], options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    # Imported on first use: the help needs none of them.
    from olmsolve.catalog.fbc import BLOB_TYPES, BundleWriter, WrittenBundle, documents, field_faults, laid_out

    is_opms = options.output in OPM_FORMS
    is_copied = options.output == "opm-json" and not _migrates(options)
    for path, image, is_bundle in sources:
        if is_bundle:
            blob = _bundle(path, image or options.image, options)
            blob["properties"] = _kept(blob["properties"], options.drop)
            yield laid_out(blob, with_own_values=True) if is_opms else blob
        elif path != "-" and olmsolve.fbc.is_package_folder(path):
            for blob in olmsolve.fbc.read_package(path):
                if "properties" in blob:
                    blob["properties"] = _kept(blob["properties"], options.drop)
                yield laid_out(blob, with_own_values=True) if is_opms else blob
        else:
            catalog = load(path, drop=options.drop, index=False)
            for value, origin in documents(catalog, BundleWriter().text_of) if is_copied else documents(catalog):
                if isinstance(value, WrittenBundle):
                    yield value
                    continue
                # opm renders no catalog with a field, or a manifest in a bundle, that it cannot decode.
                types = BLOB_TYPES.get(str(value.get("schema")))
                for fault in field_faults(types, value) if types is not None else ():
                    raise olmsolve.CatalogError(f"{fault.path} {fault.reason}", origin=str(origin))
                _refuse_objects(value, origin)
                yield laid_out(value, manifests_last=True) if is_opms else value


def _refuse_objects(blob: Mapping[str, Any], origin: Origin) -> None:
    """Refuse a bundle with an ``olm.bundle.object`` that holds no manifest. Raises CatalogError."""
    if blob.get("schema") != "olm.bundle":
        return
    from olmsolve.catalog.fbc import BUNDLE_OBJECT, Document

    properties = blob.get("properties") or ()
    if all(stated.get("type") != BUNDLE_OBJECT for stated in properties if stated):
        return
    # Imported for bundles with manifests alone: few catalogs have any.
    from olmsolve.authoring.checks.validation import checked_blob

    for finding in checked_blob(Document(dict(blob), origin)).findings:
        if finding.code == "bundle-object":
            raise olmsolve.CatalogError(f"{finding.property}: {finding.message}", origin=str(origin))


def _kept(properties: list[dict[str, Any]], dropped: Sequence[str]) -> list[dict[str, Any]]:
    return [property_ for property_ in properties if property_["type"] not in dropped]


def _bundle(path: str, image: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return the blob of the bundle at *path*, with *image*, or the one that ``--alpha-image-ref-template`` makes."""
    read = partial(olmsolve.fbc.read_bundle, path, with_objects=keeps_objects(options))
    if image or not options.image_template:
        return read(image=image)
    blob = read(image="")
    package_fact = next(property_["value"] for property_ in blob["properties"] if property_["type"] == "olm.package")
    facts = {"Package": blob["package"], "Name": blob["name"], "Version": package_fact["version"]}
    # The image is among the related ones too, which are sorted by it.
    return read(image=_ACTION.sub(lambda action: facts[action[1]], options.image_template))


def _image_template(options: argparse.Namespace) -> str:
    """Return the template of images, whose actions are fields alone; blanks that they trim are gone."""
    trimmed = re.sub(r"\s*\{\{-(?=\s)", "{{", re.sub(r"(?<=\s)-\}\}\s*", "}}", options.image_template))
    if "{{" in _ACTION.sub("", trimmed):
        choices = "{{.Package}}, {{.Name}} and {{.Version}}"
        options.refuse(f"--alpha-image-ref-template takes {choices}, and no other action of Go's templates")
    return str(trimmed)


def _is_bundle(path: str) -> bool:
    return path != "-" and olmsolve.fbc.is_bundle(path)
