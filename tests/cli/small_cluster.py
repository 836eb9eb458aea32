"""A dump of a small cluster with both generations of OLM: objects and their catalog, for tests of the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.yaml_files import yaml_text

OLM = "operators.coreos.com/v1alpha1"
V1 = "olm.operatorframework.io/v1"


def blobs(package: str = "etcd", versions: int = 3, **properties: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the blobs of *package* with versions 1.0.0 to *versions*.0.0, each replacing the one before.

    *properties* are further properties by bundle, such as ``v2=[{"type": ..., "value": ...}]``.
    """
    numbers = range(1, versions + 1)
    entries = [{"name": f"{package}.v{n}", **({"replaces": f"{package}.v{n - 1}"} if n > 1 else {})} for n in numbers]
    return [
        {"schema": "olm.package", "name": package, "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": package, "name": "stable", "entries": entries},
        *(
            {
                "schema": "olm.bundle",
                "package": package,
                "name": f"{package}.v{n}",
                "image": f"quay.example.com/{package}:{n}",
                "properties": [
                    {"type": "olm.package", "value": {"packageName": package, "version": f"{n}.0.0"}},
                    *properties.get(f"v{n}", []),
                ],
            }
            for n in numbers
        ),
    ]


def extension(name: str = "etcd", installed: int = 1, **catalog: Any) -> dict[str, Any]:
    """Return a ClusterExtension for the package *name*; *catalog* has further fields of its source."""
    bundle = {"name": f"{name}.v{installed}", "version": f"{installed}.0.0"}
    return {
        "apiVersion": V1,
        "kind": "ClusterExtension",
        "metadata": {"name": name},
        "spec": {"namespace": name, "source": {"sourceType": "Catalog", "catalog": {"packageName": name, **catalog}}},
        **({"status": {"install": {"bundle": bundle}}} if installed else {}),
    }


def cluster_catalog(name: str = "main") -> dict[str, Any]:
    """Return a ClusterCatalog."""
    return {"apiVersion": V1, "kind": "ClusterCatalog", "metadata": {"name": name}, "spec": {}}


def namespace(
    name: str = "shop", package: str = "etcd", installed: int = 1, *, everywhere: bool = False
) -> list[dict[str, Any]]:
    """Return a namespace with its operator group, a subscription to *package*, and the installed operator.

    The group serves the namespace alone, or all with *everywhere*.
    """
    targets = [""] if everywhere else [name]
    here = {"namespace": name}
    csv = f"{package}.v{installed}"
    status = {"status": {"installedCSV": csv, "currentCSV": csv, "state": "AtLatestKnown"}} if installed else {}
    objects: list[dict[str, Any]] = [
        {
            "apiVersion": "operators.coreos.com/v1",
            "kind": "OperatorGroup",
            "metadata": {"name": name, **here},
            "spec": {} if everywhere else {"targetNamespaces": targets},
            "status": {"namespaces": targets},
        },
        {
            "apiVersion": OLM,
            "kind": "Subscription",
            "metadata": {"name": package, **here},
            "spec": {"name": package, "channel": "stable", "source": "cat", "sourceNamespace": "olm"},
            **status,
        },
    ]
    if installed:
        objects.append(
            {
                "apiVersion": OLM,
                "kind": "ClusterServiceVersion",
                "metadata": {"name": csv, **here},
                "spec": {"version": f"{installed}.0.0"},
                "status": {"phase": "Succeeded"},
            }
        )
    return objects


def catalog_source(name: str = "cat") -> dict[str, Any]:
    """Return a CatalogSource of the namespace olm."""
    metadata = {"name": name, "namespace": "olm"}
    return {"apiVersion": OLM, "kind": "CatalogSource", "metadata": metadata, "spec": {"image": "quay.example.com/cat"}}


CONTENTS = ("--catalog", "olm/cat=catalog.json", "--catalog", "main=catalog.json")
"""The options that give the content of :func:`catalog_source` and of :func:`cluster_catalog`."""


def write(*objects: dict[str, Any], catalog: list[dict[str, Any]] | None = None) -> tuple[str, ...]:
    """Write ``dump.yaml`` and ``catalog.json`` into the working directory; return the options that name the dump."""
    document = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
    Path("dump.yaml").write_text(yaml_text(document), "utf-8")
    Path("catalog.json").write_text("\n".join(map(json.dumps, blobs() if catalog is None else catalog)), "utf-8")
    return ("--cluster", "dump.yaml")
