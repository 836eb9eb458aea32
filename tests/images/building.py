"""Images made by hand, with ``tarfile`` and ``json`` alone: nothing of the library that reads them."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

CONFIGS = {"operators.operatorframework.io.index.configs.v1": "/configs"}
DATABASE = {"operators.operatorframework.io.index.database.v1": "/database/index.db"}
BUNDLE = {
    "operators.operatorframework.io.bundle.package.v1": "etcd",
    "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
    "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
}

BLOBS: list[dict[str, Any]] = [
    {"schema": "olm.package", "name": "etcd", "defaultChannel": "stable"},
    {"schema": "olm.channel", "package": "etcd", "name": "stable", "entries": [{"name": "etcd.v1.0.0"}]},
    {
        "schema": "olm.bundle",
        "package": "etcd",
        "name": "etcd.v1.0.0",
        "image": "registry.example/etcd:v1.0.0",
        "properties": [{"type": "olm.package", "value": {"packageName": "etcd", "version": "1.0.0"}}],
    },
]
CATALOG = "\n".join(map(json.dumps, BLOBS)).encode()


class Entry(NamedTuple):
    """An entry of a layer that is no plain file: its *kind* as ``tarfile`` names it, and where a link leads."""

    kind: bytes
    target: str = ""


def tar(entries: Mapping[str, Any] | Iterable[tuple[str, bytes | Entry]]) -> bytes:
    """Return a tar archive of *entries* by their names."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in entries.items() if isinstance(entries, Mapping) else entries:
            member = tarfile.TarInfo(name)
            data = content if isinstance(content, bytes) else b""
            if isinstance(content, Entry):
                member.type, member.linkname = content.kind, content.target
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def digest(data: bytes) -> str:
    """Return the SHA-256 digest of *data*, as images write it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


class BuiltImage:
    """An image of *layers*, tar archives from the lowest up, with *labels*: its blobs by their digests."""

    def __init__(
        self,
        *layers: bytes,
        labels: Mapping[str, str] = CONFIGS,
        packed: Any = gzip.compress,
        os: str = "linux",
        architecture: str = "amd64",
    ) -> None:
        self.layers = layers
        # A layer of 20 MB that is listed 60 times takes 5 s to digest and pack; once is enough.
        digests = {layer: digest(layer) for layer in dict.fromkeys(layers)}
        packed_layers = {layer: packed(layer) for layer in digests}
        self.configuration = json.dumps(
            {
                "architecture": architecture,
                "os": os,
                "config": {"Labels": dict(labels)},
                "rootfs": {"type": "layers", "diff_ids": [digests[layer] for layer in layers]},
            }
        ).encode()
        blobs = [packed_layers[layer] for layer in layers]
        self.manifest = json.dumps(
            {
                "schemaVersion": 2,
                "mediaType": "application/vnd.oci.image.manifest.v1+json",
                "config": descriptor(self.configuration, "application/vnd.oci.image.config.v1+json"),
                "layers": [descriptor(blob, "application/vnd.oci.image.layer.v1.tar+gzip") for blob in blobs],
            }
        ).encode()
        self.platform = {"os": os, "architecture": architecture}
        self.blobs = {digest(blob): blob for blob in (*blobs, self.configuration, self.manifest)}

    def described(self, **annotations: str) -> dict[str, Any]:
        """Return the descriptor of the manifest, with *annotations* whose underscores stand for dots."""
        named = {key.replace("_", "."): value for key, value in annotations.items()}
        return descriptor(self.manifest, "application/vnd.oci.image.manifest.v1+json") | {"annotations": named}


def descriptor(data: bytes, media_type: str) -> dict[str, Any]:
    """Return the descriptor of the blob *data*."""
    return {"mediaType": media_type, "digest": digest(data), "size": len(data)}


def named(image: BuiltImage, name: str) -> dict[str, Any]:
    """Return the descriptor of *image* under the tag *name*."""
    return image.described(org_opencontainers_image_ref_name=name)


def layout_files(
    listed: Iterable[Mapping[str, Any]], *images: BuiltImage, more: Iterable[bytes] = ()
) -> dict[str, bytes]:
    """Return the files of an OCI layout with *images*, of which the index has the descriptors *listed*."""
    blobs = {key: value for image in images for key, value in image.blobs.items()}
    blobs |= {digest(blob): blob for blob in more}
    return {
        "oci-layout": b'{"imageLayoutVersion": "1.0.0"}',
        "index.json": json.dumps({"schemaVersion": 2, "manifests": list(listed)}).encode(),
        **{f"blobs/{key.replace(':', '/')}": value for key, value in blobs.items()},
    }


def write_files(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write *files* below *folder*, and return it."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def docker_files(images: Mapping[str, BuiltImage]) -> dict[str, bytes]:
    """Return the files of an archive in Docker's format with *images* by their names."""
    files: dict[str, bytes] = {}
    listed = []
    for name, image in images.items():
        configuration = f"{digest(image.configuration).removeprefix('sha256:')}.json"
        files[configuration] = image.configuration
        layers = [f"{digest(layer).removeprefix('sha256:')}/layer.tar" for layer in image.layers]
        files |= dict(zip(layers, image.layers, strict=True))
        listed.append({"Config": configuration, "RepoTags": [name], "Layers": layers})
    return {**files, "manifest.json": json.dumps(listed).encode()}


def catalog_image(**options: Any) -> BuiltImage:
    """Return an image of the catalog :data:`BLOBS`, as a base and a layer with the catalog above it."""
    base = tar({"bin/opm": b"\x7fELF", "etc/passwd": b"root"})
    return BuiltImage(base, tar({"configs/etcd/catalog.json": CATALOG}), **options)
