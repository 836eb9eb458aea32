"""Images and databases under fuzzing: whatever bytes they are, a catalog or one clear error comes of them."""

from __future__ import annotations

import io
import re
import tarfile
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

import attrs

import olmsolve
from olmsolve.errors import CatalogError
from tests.fuzz.mutations import ByteMutator
from tests.images.building import CATALOG, BuiltImage, Entry, docker_files, layout_files, named, tar
from tests.images.databases import write_database
from tests.images.test_databases import WHOLE

__all__ = ["IMAGE_TARGETS", "ImageTarget"]

_VARYING: Final = re.compile(r"'.*'|\".*\"|[0-9a-f]{8,}|\d+", re.DOTALL)


@attrs.frozen
class ImageTarget:
    """A reader of bytes: *whole* makes a file to change, *packed* puts the changed bytes where they are read."""

    name: str
    whole: Callable[[], bytes]
    packed: Callable[[bytes], bytes]

    def run(self, text: str) -> str:
        """Load the bytes of *text*, one for each half of a character that UTF-8 cannot have; return the outcome."""
        data = self.packed(text.encode("utf-8", "surrogateescape"))
        try:
            catalog = olmsolve.load(io.BytesIO(data), timeout=20)
        except CatalogError as error:
            return _VARYING.sub("#", error.reason)[:100]
        return f"{len(catalog.packages)} packages"

    def mutator(self, seed: str) -> ByteMutator:
        """Return the source of its inputs."""
        return ByteMutator(seed, self.whole())


@cache
def _layer() -> bytes:
    """A layer with a name that needs an extended header, links and whiteouts."""
    long = "configs/" + "deep/" * 30 + "x.json"
    entries = {"configs/c.json": CATALOG, "configs/.wh.old": b"", long: b"", "bin": Entry(tarfile.SYMTYPE, "usr/bin")}
    return tar({**entries, "configs/again.json": Entry(tarfile.LNKTYPE, long), "etc/x": b"y"})


def _image_of(layer: bytes) -> bytes:
    """An image whose digests are right whatever the layer is, so that its entries are read."""
    image = BuiltImage(tar({"configs/old": b"{}"}), layer, packed=bytes)
    return tar(layout_files([named(image, "v1")], image))


@cache
def _archive() -> bytes:
    image = BuiltImage(tar({"configs/c.json": CATALOG}), packed=bytes)
    return tar({**layout_files([named(image, "v1")], image), **docker_files({"x.example/a:v1": image})})


@cache
def _database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return write_database(Path(folder) / "index.db", WHOLE).read_bytes()


IMAGE_TARGETS: Final = {
    target.name: target
    for target in (
        ImageTarget("layer", _layer, _image_of),
        ImageTarget("image", _archive, bytes),
        ImageTarget("database", _database, bytes),
    )
}
