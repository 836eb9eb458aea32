"""What an installed olmsolve can do: run by the interpreter of a fresh environment, in a folder with the example.

``python -I probe.py EXTRA ...`` names the extras that are installed. It imports the standard library and olmsolve
alone, prints what `resolve` answers as JSON, and ends with a message where something does not work.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import json
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CATALOGS = "--catalog olm/commons=catalogs/commons --catalog olm/orchard=catalogs/orchard"

# One call of each command on the bundled example, with its exit code; `verify` reads what `certify` has written.
COMMANDS = {
    "audit": ("--catalog commons=catalogs/commons", 0),
    "backends": ("", 0),
    "bench": ("catalogs/commons --processes 1 --passes 1", 0),
    "blocking": (f"--cluster cluster.yaml {CATALOGS} --openshift 4.16", 0),
    "bundle": ("unpack bundle.tar bundle", 0),
    "catalog": ("list packages catalogs/commons", 0),
    "certify": ("install.yaml --to certificate.json", 0),
    "cnf": ("install.yaml", 0),
    "completion": ("bash", 0),
    "composite": ("composite.yaml --reference commons=catalogs/commons", 0),
    "crd-check": ("crd.yaml crd.yaml", 0),
    "demo": ("", 0),
    "diff": ("install.yaml upgrade.yaml", 1),
    "explain": ("unsatisfiable.yaml", 1),
    "fuzz": ("catalogs/commons --cases 5", 0),
    "graph": ("catalogs/commons", 0),
    "groups": ("cluster.yaml", 0),
    "help": ("exit-codes", 0),
    "impact": (f"--clusters cluster.yaml {CATALOGS}", 0),
    "index": ("catalogs/commons --to commons.idx", 0),
    "journey": (f"--cluster cluster.yaml --openshift 4.18 --to 4.20 {CATALOGS}", 0),
    "lint": ("catalogs/commons --second-opinion", 0),
    "metrics": ("cluster.yaml", 0),
    "migrate": ("install.yaml", 1),
    "path": ("upgrade.yaml", 0),
    "plan": (f"--cluster cluster.yaml {CATALOGS}", 0),
    "reduce": ("unsatisfiable.yaml", 0),
    "render": ("catalogs/commons", 0),
    "resolve": ("install.yaml --backend cadical153", 0),
    "schema": ("--list", 0),
    # Serving has no end: a catalog that cannot be read in time ends it before it begins.
    "serve": ("catalogs/commons --api http --http-port 0 --timeout 0.000001", 3),
    "simulate": (f"--cluster cluster.yaml {CATALOGS}", 1),
    "template": ("template.yaml", 0),
    "validate": ("catalogs/commons", 0),
    "verify": ("certificate.json install.yaml", 0),
    "where": ("", 0),
    "why": ("install.yaml keyring.v1.0.2", 0),
    "why-not": ("install.yaml ledgerdb --version 6.0.0-beta.1", 0),
}

# What needs an extra: the call, the exit code with the extra, and a part of the message without it.
NEEDS = {
    "metrics": ("metrics cluster.yaml --output prometheus", 0, "pip install 'olmsolve[metrics]'"),
    # No scheduler answers there.
    "dask": (f"impact --clusters cluster.yaml {CATALOGS} --dask tcp://127.0.0.1:1", 2, 'pip install "olmsolve[dask]"'),
}
if sys.version_info < (3, 14):
    # Python reads zstd itself from 3.14 on.
    NEEDS["images"] = ("render zstd.tar", 0, "pip install 'olmsolve[images]'")

# The extras that public names need.
OPTIONAL = {"testing", "metrics"}

FILES = {
    "composite.yaml": "name: shop\nrepo: quay.io/shop/catalog\ntag: v1\n"
    "references:\n- name: commons\n  image: quay.io/shop/commons:v1\n",
    "template.yaml": "schema: olm.template.basic\nentries:\n"
    "- {schema: olm.package, name: shop, defaultChannel: stable}\n",
    "crd.yaml": """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
""",
}


def zstd_image() -> bytes:
    """Return an archive of a catalog's image whose layer is in zstd: a frame of one block that is not compressed."""
    layer = tarred({"configs/c.json": b'{"schema": "olm.package", "name": "shop", "defaultChannel": ""}'})
    frame = b"\x28\xb5\x2f\xfd\xa0" + len(layer).to_bytes(4, "little") + (len(layer) << 3 | 1).to_bytes(3, "little")
    return image(layer, frame + layer, {"operators.operatorframework.io.index.configs.v1": "/configs"})


def bundle_image() -> bytes:
    """Return an archive of the image of a bundle with one manifest."""
    prefix = "operators.operatorframework.io.bundle"
    labels = {f"{prefix}.manifests.v1": "manifests/", f"{prefix}.metadata.v1": "metadata/"}
    labels |= {
        f"{prefix}.mediatype.v1": "registry+v1",
        f"{prefix}.package.v1": "shop",
        f"{prefix}.channels.v1": "stable",
    }
    annotations = json.dumps({"annotations": labels}).encode()
    csv = b"apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: shop.v1.0.0}\n"
    layer = tarred({"manifests/shop.yaml": csv, "metadata/annotations.yaml": annotations})
    return image(layer, layer, labels)


def image(content: bytes, layer: bytes, labels: dict[str, str]) -> bytes:
    """Return an archive of an image with *labels* and one *layer*, whose uncompressed *content* gives its digest."""
    config = {"config": {"Labels": labels}, "rootfs": {"diff_ids": [f"sha256:{hashlib.sha256(content).hexdigest()}"]}}
    manifest = [{"Config": "config.json", "RepoTags": ["shop:v1"], "Layers": ["layer"]}]
    documents = {"manifest.json": manifest, "config.json": config}
    return tarred({**{name: json.dumps(value).encode() for name, value in documents.items()}, "layer": layer})


def tarred(files: dict[str, bytes]) -> bytes:
    """Return a tar archive of *files*."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def called(arguments: str) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error of the command line *arguments*."""
    from olmsolve.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments.split())
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
    return code, out.getvalue(), err.getvalue()


def faults(extras: set[str]) -> Iterator[str]:
    """Yield what does not work with the *extras*."""
    from olmsolve.cli import COMMANDS as TABLE

    if unknown := set(TABLE) - set(COMMANDS):
        yield f"tests/package/probe.py has no call of {sorted(unknown)}"
    for name, text in FILES.items():
        Path(name).write_text(text, "utf-8")
    Path("zstd.tar").write_bytes(zstd_image())
    Path("bundle.tar").write_bytes(bundle_image())
    for command, (arguments, expected) in COMMANDS.items():
        code, _, err = called(f"{command} {arguments}")
        if code != expected:
            yield f"olmsolve {command} {arguments} ended with {code}, not {expected}: {err}"
    for extra, (arguments, expected, message) in NEEDS.items():
        code, _, err = called(arguments)
        if extra in extras and (code != expected or message in err):
            yield f"olmsolve {arguments} ended with {code}, not {expected}, with the extra {extra}: {err}"
        if extra not in extras and (code != 2 or message not in err):
            yield f"olmsolve {arguments} ended with {code}, and does not name the extra {extra}: {err}"
    yield from _faults_of_rooms("olmsolve", extras, set())
    if "metrics" in extras:
        importlib.import_module("olmsolve.lifecycle.metrics.exposition")


def _faults_of_rooms(name: str, extras: set[str], seen: set[str]) -> Iterator[str]:
    """Import each public name below the door *name*; where an extra is missing, the error must say which."""
    seen.add(name)
    room: Any = importlib.import_module(name)
    for inner in getattr(room, "__all__", ()):
        try:
            value = getattr(room, inner)
        except ModuleNotFoundError as error:
            if not any(f"pip install 'olmsolve[{extra}]'" in str(error) for extra in OPTIONAL - extras):
                yield f"{name}.{inner} cannot be imported: {error!r}"
            continue
        if isinstance(value, type(sys)) and value.__name__.startswith("olmsolve.") and value.__name__ not in seen:
            yield from _faults_of_rooms(value.__name__, extras, seen)


def main() -> None:
    """Print the answer of `resolve`, or end with everything that does not work."""
    messages = list(faults(set(sys.argv[1:])))
    if messages:
        sys.exit("\n".join(messages))
    print(called("resolve install.yaml --output json")[1])


if __name__ == "__main__":
    main()
