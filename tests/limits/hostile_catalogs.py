"""Commands, and catalogs and clusters that are made to keep them busy for long."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from math import isqrt
from pathlib import Path
from typing import Any, Final


def _packages(packages: int, channels: int, length: int, *, required: bool = False) -> Iterable[dict[str, Any]]:
    """Yield packages whose channels all have one chain of *length* bundles, which work on ever newer versions."""
    for package in (f"p{number}" for number in range(packages)):
        yield {"schema": "olm.package", "name": package, "defaultChannel": "c0"}
        entries = [{"name": f"{package}.v{at}", "replaces": f"{package}.v{at - 1}"} for at in range(length)]
        entries[0]["replaces"] = ""
        for channel in range(channels):
            yield {"schema": "olm.channel", "package": package, "name": f"c{channel}", "entries": entries}
        for at in range(length):
            stated: list[dict[str, Any]] = [
                {"type": "olm.package", "value": {"packageName": package, "version": f"1.{at}.0"}},
                {"type": "olm.maxOpenShiftVersion", "value": f"4.{min(18 + at, 22)}"},
            ]
            if required:
                other = {"packageName": f"p{(int(package[1:]) + 1) % packages}", "versionRange": f">=1.{at}.0"}
                stated.append({"type": "olm.package.required", "value": other})
            name = f"{package}.v{at}"
            yield {"schema": "olm.bundle", "package": package, "name": name, "image": "x", "properties": stated}


def _skips(length: int) -> Iterable[dict[str, Any]]:
    """Yield a package each of whose *length* entries skips all before it."""
    yield {"schema": "olm.package", "name": "p0", "defaultChannel": "c0"}
    names = [f"p0.v{at}" for at in range(length)]
    entries = [{"name": name, "skips": names[:at], "skipRange": "<99.0.0"} for at, name in enumerate(names)]
    yield {"schema": "olm.channel", "package": "p0", "name": "c0", "entries": entries}
    for at, name in enumerate(names):
        stated = [{"type": "olm.package", "value": {"packageName": "p0", "version": f"1.{at}.0"}}]
        yield {"schema": "olm.bundle", "package": "p0", "name": name, "image": "x", "properties": stated}


CATALOGS: Final[Mapping[str, Callable[[int], Iterable[dict[str, Any]]]]] = {
    "200 packages": lambda part: _packages(200 // part, 3, 10),
    "300 channels of one chain": lambda part: _packages(1, 300 // isqrt(part), 300 // isqrt(part)),
    "a chain of 6,000": lambda part: _packages(1, 1, 6_000 // part),
    "packages that require each other": lambda part: _packages(max(2, 40 // part), 3, 10, required=True),
    "a skip for each pair": lambda part: _skips(900 // isqrt(part)),
}
"""The blobs of each catalog: with 1 all of it, else a catalog with about a *part*-th of the entries."""

_CLUSTER: Final = "--cluster {cluster} --catalog olm/c={catalog}"
COMMANDS: Final = (
    f"journey {_CLUSTER} --openshift 4.18 --to 4.22 --most 1000000",
    f"journey {_CLUSTER} --openshift 4.18 --to 5.3 --eus --output html",
    "impact --clusters {cluster} --catalog olm/c={catalog} --openshift 4.18 --journey 4.22",
    f"simulate {_CLUSTER}",
    f"plan {_CLUSTER} --output html",
    f"blocking {_CLUSTER} --openshift 4.18",
    f"migrate {_CLUSTER}",
    "catalog list bundles {catalog}",
    "catalog edges {catalog}",
    "catalog v1 {catalog}",
    "catalog diff {catalog} {catalog}",
    "catalog merge {catalog} {catalog}",
    "catalog subset {catalog} --package p0",
    "catalog remove {catalog} --package p0 --bundle p0.v1",
    "catalog set-default {catalog} --package p0 --channel c0",
    "catalog deprecate {catalog} --package p0 --message x",
    "catalog promote {catalog} --package p0 --from c0 --into c1",
    "catalog edge {catalog} --package p0 --channel c0 --bundle p0.v1 --replaces p0.v0",
    "catalog convert-template {catalog}",
    "render {catalog} --output opm-json",
    "render {catalog} --output opm-yaml",
    "index {catalog}",
    "graph {catalog} --output dot",
)
"""Commands that plan ways, edit catalogs and write them."""

_WISH: Final = "--catalog c={catalog} --subscribe p0@c0"
MORE_COMMANDS: Final = (
    "audit {catalog}",
    "lint {catalog}",
    "validate {catalog}",
    "fuzz {catalog} --cases 3",
    "catalog list packages {catalog}",
    "catalog subset {catalog} --package p0 --dependencies",
    "catalog deprecate {catalog} --package p0 --bundle p0.v1 --message x --output yaml",
    "catalog convert-template {catalog} --output opm-yaml",
    "graph {catalog} --output mermaid",
    "graph {catalog} --output html",
    "render {catalog} --output yaml",
    f"resolve {_CLUSTER}",
    f"resolve {_WISH} --output html",
    f"explain {_CLUSTER}",
    f"certify {_WISH}",
    f"cnf {_WISH} --whole",
    f"metrics {_CLUSTER} --simulated",
    f"simulate {_CLUSTER} --output html",
    f"why-not {_CLUSTER} p0 --version 1.1.0",
    "path {catalog} p0 --from p0.v0",
    f"path {_CLUSTER}",
    f"diff {_CLUSTER} --compare-semantics",
)
"""Commands that answer questions about catalogs and clusters."""


def written(name: str, folder: Path, part: int = 1) -> tuple[Path, Path]:
    """Write the catalog *name*, or a *part*-th of it, and a cluster with all its packages to *folder*: two files."""
    blobs = list(CATALOGS[name](part))
    catalog, cluster = folder / "c.json", folder / "k.json"
    catalog.write_text("".join(f"{json.dumps(blob)}\n" for blob in blobs))
    _write_cluster(cluster, sum(blob["schema"] == "olm.package" for blob in blobs))
    return catalog, cluster


def _write_cluster(path: Path, packages: int) -> None:
    """Write the objects of a cluster with a subscription to each package to *path*."""
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}}
    group = {"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup"}
    objects: list[dict[str, Any]] = [
        space,
        {**space, "metadata": {"name": "olm"}},
        {**group, "metadata": {"name": "g", "namespace": "ns"}, "spec": {}},
    ]
    version = "operators.coreos.com/v1alpha1"
    source = {"metadata": {"name": "c", "namespace": "olm"}, "spec": {"sourceType": "grpc", "image": "x"}}
    objects.append({"apiVersion": version, "kind": "CatalogSource", **source})
    for number in range(packages):
        name = f"p{number}.v0"
        spec = {"name": f"p{number}", "channel": "c0", "source": "c", "sourceNamespace": "olm"}
        state = {"installedCSV": name, "currentCSV": name, "state": "AtLatestKnown"}
        wish = {"metadata": {"name": f"s{number}", "namespace": "ns"}, "spec": spec, "status": state}
        objects.append({"apiVersion": version, "kind": "Subscription", **wish})
        operator = {"metadata": {"name": name, "namespace": "ns"}, "spec": {"version": "1.0.0"}}
        succeeded = {"phase": "Succeeded", "reason": "InstallSucceeded"}
        objects.append({"apiVersion": version, "kind": "ClusterServiceVersion", **operator, "status": succeeded})
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
