"""A catalog of references: the configuration file of the documentation of file-based catalogs ("Catalog example").

::

    name: orchard-operators
    repo: quay.io/orchard/catalog
    tag: latest
    references:
    - name: etcd
      image: quay.io/etcd/index@sha256:5891...

Each reference becomes the file ``NAME/index.yaml``: the blobs of its catalog.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from olmsolve.authoring.composites.composite import CompositeCatalog
from olmsolve.authoring.composites.fields import ConfigFields
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import blobs, path_from

_FIELDS: Final = ("name", "repo", "tag", "references")
_REFERENCE: Final = ("name", "image")
_FILE: Final = "index.yaml"


def of_references(
    fields: ConfigFields, folder: Path, places: Mapping[str, str], load: Callable[[Path], Catalog]
) -> CompositeCatalog:
    """Return the catalog of references that *fields* state.

    An image is anything that :func:`olmsolve.load` takes, a path from *folder* too; *places* has paths for references,
    by their names, which are used instead of their images.

    Raises:
        CatalogError: a field is wrong, or the catalog of a reference cannot be read.
    """
    fields.refuse_unknown(_FIELDS)
    repository, tag = fields.text("repo"), fields.text("tag")
    image = f"{repository}:{tag or 'latest'}" if repository else ""
    name = fields.required("name")
    files: dict[str, tuple[Mapping[str, Any], ...]] = {}
    references = fields.parts("references")
    named = {reference.path_in_catalog("name") for reference in references}
    for place in places:
        if place not in named:
            raise fields.error("references", f"there is none called {place}, for which a path is given")
    for reference in references:
        reference.refuse_unknown(_REFERENCE)
        file = f"{reference.path_in_catalog('name')}/{_FILE}"
        if file in files:
            raise reference.error("name", "two references have this name")
        given = places.get(reference.required("name"))
        path = Path(given) if given is not None else path_from(folder, reference.required("image"))
        files[file] = tuple(blobs(load(path)))
    return CompositeCatalog(name, image, files)
