"""A composite catalog: the blobs of its files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import olmsolve._attrs as attrs
from olmsolve._whole_files import write_whole_folder
from olmsolve.authoring.checks import Finding, validate
from olmsolve.catalog import Catalog
from olmsolve.catalog.archives import reason_of, shown
from olmsolve.catalog.fbc import from_blobs, write
from olmsolve.errors import CatalogError


@attrs.frozen
class CompositeCatalog:
    """A catalog called *name*, to be pushed as *image* ("" where that is not said), and its files.

    *files* maps the path of each file, with slashes and relative to the folder of the catalog, to its blobs.
    """

    name: str
    image: str
    files: Mapping[str, tuple[Mapping[str, Any], ...]]

    def blobs(self) -> Iterator[Mapping[str, Any]]:
        """Yield the blobs of all files, in their order."""
        for blobs in self.files.values():
            yield from blobs

    def catalog(self) -> Catalog:
        """Return the catalog. Raises :class:`~olmsolve.errors.CatalogError` where two parts define the same thing."""
        owners: dict[str, str] = {}
        for file, blobs in self.files.items():
            for blob in blobs:
                if blob.get("schema") == "olm.package" and isinstance(name := blob.get("name"), str):
                    other = owners.setdefault(name, file)
                    if other != file:
                        reason = f"{other} and {file} both have this package: remove it from one of them"
                        raise CatalogError(reason, catalog=self.name, package=name)
        return from_blobs(self.blobs(), origin=self.name)

    def findings(self) -> tuple[Finding, ...]:
        """Return everything that is wrong with the catalog, as :func:`olmsolve.validate` does.

        Raises :class:`~olmsolve.errors.CatalogError` where two parts define the same thing.
        """
        return validate(self.catalog())

    def write(self, folder: str | os.PathLike[str], form: Literal["json", "jsonl", "yaml"] | None = None) -> None:
        """Write the files below *folder*, which must be new or empty and is filled in one step.

        Without a *form*, the suffix of each file says it.

        Raises:
            CatalogError: *folder* holds something, or cannot be written.
        """
        root = Path(folder)
        try:
            if root.exists() and (not root.is_dir() or any(root.iterdir())):
                raise CatalogError("exists already; give a new or empty folder", origin=shown(root))
            write_whole_folder(root, lambda folder: self._write_files(folder, form))
        except OSError as error:
            raise CatalogError(f"cannot be written: {reason_of(error)}", origin=shown(root)) from None

    def _write_files(self, folder: Path, form: Literal["json", "jsonl", "yaml"] | None) -> None:
        for name, blobs in self.files.items():
            file = folder.joinpath(*PurePosixPath(name).parts)
            file.parent.mkdir(parents=True, exist_ok=True)
            write(blobs, file, form)
