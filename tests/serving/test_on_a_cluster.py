"""The real OLM installs and updates from ``olmsolve serve``, on the cluster whose kubeconfig ``OLMSOLVE_OLM`` names.

Nothing but OLM, an API server and something that makes Deployments available has to run there; OLM must reach the
loopback of this machine. The bundles hold their manifests, so that no job unpacks an image.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

KUBECONFIG = os.environ.get("OLMSOLVE_OLM", "")
pytestmark = [
    pytest.mark.skipif(not KUBECONFIG, reason="no cluster with OLM named by OLMSOLVE_OLM"),
    # The client warns of certificates that a kubeconfig tells it not to verify.
    pytest.mark.filterwarnings("ignore"),
]
OLM = {"group": "operators.coreos.com", "version": "v1alpha1"}
LONGEST = 150.0
"""The most seconds that a step of OLM may take: it looks at its catalogs every few seconds."""


def definition(group: str, kind: str) -> dict[str, Any]:
    plural = f"{kind.lower()}s"
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }


def bundle(package: str, version: str, owned: dict[str, Any], *properties: dict[str, Any]) -> dict[str, Any]:
    name, spec = f"{package}.v{version}", owned["spec"]
    described = {"name": owned["metadata"]["name"], "version": "v1", "kind": spec["names"]["kind"]}
    pod = {
        "metadata": {"labels": {"app": package}},
        "spec": {"containers": [{"name": "c", "image": f"example.com/{package}:{version}"}]},
    }
    deployed = {"replicas": 1, "selector": {"matchLabels": {"app": package}}, "template": pod}
    csv = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": name},
        "spec": {
            "version": version,
            "displayName": package,
            "description": "d",
            "installModes": [{"type": "OwnNamespace", "supported": True}],
            "install": {"strategy": "deployment", "spec": {"deployments": [{"name": package, "spec": deployed}]}},
            "customresourcedefinitions": {"owned": [described | {"displayName": "d", "description": "d"}]},
        },
    }
    own = [
        {"type": "olm.package", "value": {"packageName": package, "version": version}},
        {"type": "olm.gvk", "value": {"group": spec["group"], "version": "v1", "kind": spec["names"]["kind"]}},
    ]
    objects = [
        {"type": "olm.bundle.object", "value": {"data": base64.b64encode(json.dumps(manifest).encode()).decode()}}
        for manifest in (csv, owned)
    ]
    return {"schema": "olm.bundle", "package": package, "name": name, "properties": [*own, *properties, *objects]}


def catalog(group: str, *versions: str) -> str:
    """Two packages: lamp, in *versions*, requires an API of bulb."""
    needs = {"type": "olm.gvk.required", "value": {"group": group, "version": "v1", "kind": "Bulb"}}
    names = [f"lamp.v{version}" for version in versions]
    entries = [{"name": name} | ({"replaces": names[i - 1]} if i else {}) for i, name in enumerate(names)]
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "lamp", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "lamp", "name": "stable", "entries": entries},
        {"schema": "olm.package", "name": "bulb", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "bulb", "name": "stable", "entries": [{"name": "bulb.v1.0.0"}]},
        *(bundle("lamp", version, definition(group, "Lamp"), needs) for version in versions),
        bundle("bulb", "1.0.0", definition(group, "Bulb")),
    ]
    return "".join(f"{json.dumps(blob)}\n" for blob in blobs)


class Cluster:
    """A new namespace on the cluster, for which *catalog* is served; *group* is of its own for each run."""

    def __init__(self, folder: Path) -> None:
        kubernetes = pytest.importorskip("kubernetes", reason='the extra "kubernetes" is not installed')
        self._client = kubernetes.config.new_client_from_config(KUBECONFIG)
        self._objects = kubernetes.client.CustomObjectsApi(self._client)
        self._core = kubernetes.client.CoreV1Api(self._client)
        self._extensions = kubernetes.client.ApiextensionsV1Api(self._client)
        self._errors: type[Exception] = kubernetes.client.ApiException
        self.folder = folder
        self.namespace = f"served-{uuid.uuid4().hex[:8]}"
        self.group = f"{self.namespace}.example.com"
        self._core.create_namespace({"metadata": {"name": self.namespace}})

    def create(self, plural: str, kind: str, name: str, spec: dict[str, Any], version: str = "v1alpha1") -> None:
        body = {"apiVersion": f"{OLM['group']}/{version}", "kind": kind, "metadata": {"name": name}, "spec": spec}
        self._objects.create_namespaced_custom_object(OLM["group"], version, self.namespace, plural, body)

    def phases(self) -> dict[str, str]:
        """Return the phase of each operator by its name."""
        operators = self._objects.list_namespaced_custom_object(
            **OLM, namespace=self.namespace, plural="clusterserviceversions"
        )
        return {
            operator["metadata"]["name"]: operator.get("status", {}).get("phase", "") for operator in operators["items"]
        }

    def await_phases(self, expected: dict[str, str]) -> float:
        """Wait until the operators are as *expected*, and return the seconds; fail after :data:`LONGEST`."""
        start = time.monotonic()
        while (phases := self.phases()) != expected:
            assert time.monotonic() - start < LONGEST, f"{phases}, where {expected} were expected"
            time.sleep(0.25)
        return time.monotonic() - start

    def clear(self) -> None:
        """Delete everything that a run has left."""
        for kind in ("subscriptions", "clusterserviceversions", "catalogsources"):
            self._objects.delete_collection_namespaced_custom_object(**OLM, namespace=self.namespace, plural=kind)
        self._core.delete_namespace(self.namespace)
        for name in ("lamps", "bulbs"):
            with suppress(self._errors):
                self._extensions.delete_custom_resource_definition(f"{name}.{self.group}")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    one_cluster = Cluster(tmp_path)
    try:
        yield one_cluster
    finally:
        one_cluster.clear()


@pytest.fixture
def server(cluster: Cluster) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command, with the catalog of the cluster's folder, and the address of its registry API."""
    pytest.importorskip("grpc", reason='the extra "serve" is not installed')
    (cluster.folder / "catalog.json").write_text(catalog(cluster.group, "1.0.0"), "utf-8")
    command = [sys.executable, "-m", "olmsolve", "serve", str(cluster.folder), "--api", "grpc", "--grpc-port", "0"]
    with subprocess.Popen([*command, "--poll", "0.5"], stdout=subprocess.PIPE, text=True) as process:
        watchdog = threading.Timer(4 * LONGEST, process.kill)
        watchdog.start()
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().rpartition(" ")[2].strip()
        finally:
            watchdog.cancel()
            process.kill()


def test_olm_installs_and_updates_from_a_served_catalog(
    cluster: Cluster, server: tuple[subprocess.Popen[str], str]
) -> None:
    """A subscription brings an operator and what it requires; an update in the file comes to the cluster."""
    process, address = server
    cluster.create("operatorgroups", "OperatorGroup", "own", {"targetNamespaces": [cluster.namespace]}, "v1")
    cluster.create("catalogsources", "CatalogSource", "served", {"sourceType": "grpc", "address": address})
    wish = {"name": "lamp", "channel": "stable", "source": "served", "sourceNamespace": cluster.namespace}
    cluster.create("subscriptions", "Subscription", "lamp", wish)
    seconds = cluster.await_phases({"lamp.v1.0.0": "Succeeded", "bulb.v1.0.0": "Succeeded"})
    print(f"\n{address}: lamp.v1.0.0 and bulb.v1.0.0 Succeeded after {seconds:.1f} s")
    (cluster.folder / "catalog.json").write_text(catalog(cluster.group, "1.0.0", "1.1.0"), "utf-8")
    seconds = cluster.await_phases({"lamp.v1.1.0": "Succeeded", "bulb.v1.0.0": "Succeeded"})
    print(f"catalog changed: lamp.v1.1.0 Succeeded after {seconds:.1f} s")
    process.terminate()
    out, _ = process.communicate(timeout=20)
    print(out)
    assert process.returncode == 0
    assert "grpc ListBundles OK" in out
