"""The rights that a move to OLM v1 writes, held to the rules of the real controller with PreflightPermissions.

The bundles are the ones of the recorded runs, with their manifests: what is installed by classic OLM, and the updates
that the move goes on to. The rules of pre-authorization are recorded themselves (test_v1_runs.py).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

import olmsolve
from olmsolve import v1
from olmsolve.catalog import Catalog
from olmsolve.lifecycle import Move, migrations, move_to_v1
from tests.conformance.test_v1_runs import CONTENTS, content

BINDING = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "RoleBinding",
    "metadata": {"name": "other", "namespace": "kube-system"},
    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "other"},
}
CATALOG = {
    "apiVersion": "olm.operatorframework.io/v1",
    "kind": "ClusterCatalog",
    "metadata": {"name": "cat"},
    "spec": {},
}


def moves() -> Iterator[tuple[Catalog, v1.Extension, Move]]:
    """Yield the moves of package shop from each of its recorded bundles."""
    seen: set[str] = set()
    for digest in CONTENTS:
        catalog = content(digest, whole=True)
        package = catalog.packages.get("shop")
        images = {} if package is None else {bundle.name: bundle.image for bundle in package.bundles.values()}
        if seen.issuperset(images.values()):
            continue
        seen.update(images.values())
        for bundle in images:
            version = bundle.partition(".v")[2]
            operator = {"name": bundle, "version": version, "subscription": "shop"}
            document = {
                "namespaces": ["shop"],
                "installed": [operator],
                "subscriptions": [{"name": "shop", "package": "shop"}],
                "catalogs": [{"name": "cat", "namespace": "shop", "file": "cat"}],
            }
            request = olmsolve.read_request(document, load=functools.partial(_given, catalog))
            (migration,) = migrations(request).subscriptions
            move = move_to_v1(migration, request)
            if move is not None and migration.request is not None:
                yield catalog, migration.request.extension, move


def _given(catalog: Catalog, _: object) -> Catalog:
    return catalog


def outcome(catalog: Catalog, objects: list[Mapping[str, Any]], *, preflight: bool) -> v1.ExtensionResolution | str:
    policy = olmsolve.Policy(feature_gates={"PreflightPermissions": preflight})
    items = {"apiVersion": "v1", "kind": "List", "items": [*objects, CATALOG, BINDING]}
    situation = olmsolve.read_situation(items, catalogs={"cat": catalog}, policy=policy)
    (question,) = situation.questions
    request = question.request()
    assert isinstance(request, v1.ExtensionRequest)
    try:
        return v1.resolve(request)
    except v1.ResolutionError as error:
        return str(error)


def test_the_account_of_a_move_may_do_all_that_it_has_to() -> None:
    """No bundle fails for its account, neither the installed one nor those after it; without the role all would."""
    tried = 0
    for catalog, _, move in moves():
        objects = [manifest for file in move.files.values() for manifest in file]
        for manifest in objects:
            # A version that an extension wishes for is the one of the move, then none: the highest.
            if manifest["kind"] == "ClusterExtension":
                pinned = manifest
        opened = {**pinned, "spec": {**pinned["spec"], "source": without_version(pinned["spec"]["source"])}}
        for extension, preflight in ((pinned, True), (opened, False)):
            here = [extension if manifest is pinned else manifest for manifest in objects]
            powerless = [
                {**manifest, "rules": []} if manifest["kind"] == "ClusterRole" else manifest for manifest in here
            ]
            refused = outcome(catalog, powerless, preflight=preflight)
            if isinstance(refused, str) and ("forbidden" in refused or "pre-authorization" in refused):
                tried += 1
                answer = outcome(catalog, here, preflight=preflight)
                assert isinstance(answer, v1.ExtensionResolution), answer
    assert tried > 40


def without_version(source: Mapping[str, Any]) -> dict[str, Any]:
    catalog = {key: value for key, value in source["catalog"].items() if key not in ("version", "selector")}
    return {**source, "catalog": catalog}
