"""Clusters in short notation, written into files for the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.scenarios.dumps.notation import contents, dump


def cluster_arguments(scenario: Mapping[str, Any], folder: Path) -> tuple[str, ...]:
    """Write the cluster of *scenario* and its catalogs into *folder*; return the options that name them."""
    file = folder / "dump.json"
    file.write_text(json.dumps(dump(scenario)), "utf-8")
    arguments = ["--cluster", str(file)]
    for key, blobs in contents(scenario).items():
        path = folder / f"{key.replace('/', '-')}.json"
        path.write_text("\n".join(map(json.dumps, blobs)), "utf-8")
        arguments += ["--catalog", f"{key}={path}"]
    return tuple(arguments)


def operators_at_the_end(scenario: Mapping[str, Any], simulated: Mapping[str, Any]) -> dict[str, list[str]]:
    """The operators of each namespace with subscriptions after the simulation *simulated* (its JSON)."""
    operators = {
        (item["metadata"]["namespace"], item["metadata"]["name"])
        for item in dump(scenario)["items"]
        if item["kind"] == "ClusterServiceVersion" and "olm.copiedFrom" not in item["metadata"]["labels"]
    }
    for step in simulated["steps"]:
        for operator in step.get("operators", ()):
            key = operator["namespace"], operator["name"]
            operators = operators - {key} if operator["phases"][-1] == "gone" else operators | {key}
    by_namespace: dict[str, list[str]] = {name: [] for name in subscribing_namespaces(scenario)}
    for namespace, name in sorted(operators):
        by_namespace[namespace].append(name)
    return by_namespace


def subscribing_namespaces(scenario: Mapping[str, Any]) -> list[str]:
    """The namespaces that have subscriptions, as the notation says."""
    return sorted({key.split("/")[0] for key in scenario.get("subscriptions", {})})
