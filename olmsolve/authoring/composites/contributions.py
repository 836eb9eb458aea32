"""Catalogs and contributions: ``olm.composite.catalogs`` says what catalogs accept, ``olm.composite`` what they get.

The two documents are those of ``opm alpha render-template composite``, as its source reads them. A component names the
catalog, the path of its folder there, and a template with the file that it is rendered from and to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from olmsolve.authoring.composites.composite import CompositeCatalog
from olmsolve.authoring.composites.fields import ConfigFields
from olmsolve.authoring.templates import Renderer, render_basic, render_semver
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import blobs, path_from

CATALOGS: Final = "olm.composite.catalogs"
CONTRIBUTIONS: Final = "olm.composite"

_BASIC: Final = "olm.builder.basic"
_SEMVER: Final = "olm.builder.semver"
_RAW: Final = "olm.builder.raw"
_CUSTOM: Final = "olm.builder.custom"
_BUILDERS: Final = (_BASIC, _SEMVER, _RAW, _CUSTOM)
_TEMPLATE: Final = ("input", "output")

_Files = dict[str, tuple[Mapping[str, Any], ...]]


def of_contributions(
    catalogs: ConfigFields,
    contributions: ConfigFields,
    folder: Path,
    renderer: Renderer,
    load: Callable[[Path], Catalog],
) -> tuple[CompositeCatalog, ...]:
    """Return the *catalogs* to which *contributions* contribute; files are named relative to *folder*.

    Raises:
        CatalogError: a field is wrong, a catalog does not accept a contribution, or a template has a fault. A component
            that would run a command is refused.
    """
    accepted = _accepted(catalogs)
    files: dict[str, _Files] = {}
    contributions.refuse_unknown(("schema", "components"))
    for component in contributions.parts("components"):
        component.refuse_unknown(("name", "destination", "strategy"))
        name = component.required("name")
        if name not in accepted:
            raise component.error("name", f"there is no catalog {name!r}; there are {', '.join(accepted)}")
        template = component.part("strategy").part("template")
        schema = template.required("schema")
        if schema not in accepted[name]:
            reason = f"the catalog {name} does not accept {schema}, only {', '.join(accepted[name]) or 'nothing'}"
            raise template.error("schema", reason)
        target = component.part("destination").path_in_catalog("path")
        config = template.part("config")
        if schema == _CUSTOM:
            reason = f"runs a command, and olmsolve runs none: run it, and contribute what it prints with {_RAW}"
            raise template.error("schema", reason)
        config.refuse_unknown(_TEMPLATE)
        file = f"{target}/{config.path_in_catalog('output')}"
        own = files.setdefault(name, {})
        if file in own:
            raise config.error("output", f"two components write {file} of the catalog {name}")
        own[file] = tuple(_rendered(schema, path_from(folder, config.required("input")), renderer, load))
    return tuple(CompositeCatalog(name, "", own) for name, own in files.items())


def _accepted(catalogs: ConfigFields) -> dict[str, list[str]]:
    """Return the schemas of templates that each catalog accepts, by the names of catalogs."""
    catalogs.refuse_unknown(("schema", "catalogs"))
    accepted: dict[str, list[str]] = {}
    for catalog in catalogs.parts("catalogs"):
        catalog.refuse_unknown(("name", "destination", "builders"))
        # The folder of a catalog and the base of its image are for whoever builds images; opm wants both.
        for field in ("baseImage", "workingDir"):
            catalog.part("destination").required(field)
        name = catalog.required("name")
        if name in accepted:
            raise catalog.error("name", "two catalogs have this name")
        accepted[name] = catalog.texts("builders")
        for schema in accepted[name]:
            if schema not in _BUILDERS:
                raise catalog.error("builders", f"there is no builder {schema!r}; there are {', '.join(_BUILDERS)}")
    return accepted


def _rendered(
    schema: str, path: Path, renderer: Renderer, load: Callable[[Path], Catalog]
) -> tuple[Mapping[str, Any], ...]:
    if schema == _RAW:
        return tuple(blobs(load(path)))
    return tuple((render_basic if schema == _BASIC else render_semver)(path, renderer))
