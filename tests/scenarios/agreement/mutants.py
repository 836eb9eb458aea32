"""Mutants of clusters: the small scenarios with one thing gone, doubled or broken, drawn from a seed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import attrs

from tests.scenarios.dumps.notation import contents, dump

Manifest = dict[str, Any]

# What stands in the place of a broken value.
ODD: Final[tuple[Any, ...]] = ("", "x", "not a version", None, 7, [], {}, [""], {"x": "y"}, True, "unknown")

PHASES: Final = ("", "Pending", "InstallReady", "Installing", "Succeeded", "Failed", "Unknown", "Replacing", "Deleting")
REASONS: Final = (
    "",
    "RequirementsNotMet",
    "ComponentUnhealthy",
    "InstallCheckFailed",
    "UnsupportedOperatorGroup",
    "NoOperatorGroup",
    "TooManyOperatorGroups",
    "InterOperatorGroupOwnerConflict",
    "CannotModifyStaticOperatorGroupProvidedAPIs",
    "OperatorConditionNotUpgradeable",
)
PLAN_PHASES: Final = ("", "Planning", "RequiresApproval", "Installing", "Complete", "Failed")
GROUP_SPECS: Final[tuple[Manifest, ...]] = (
    {"staticProvidedAPIs": True},
    {"selector": {}},
    {"selector": {"matchLabels": {"team": "a"}}},
    {"targetNamespaces": ["bank", "books"]},
    {"targetNamespaces": ["elsewhere"]},
    {"targetNamespaces": []},
    {"upgradeStrategy": "TechPreviewUnsafeFailForward"},
)


@attrs.define
class Cluster:
    """Objects and the blobs of their catalogs (a text stands for a file that is no catalog); *given* are options."""

    items: list[Manifest]
    blobs: dict[str, list[Manifest] | str | None]
    given: list[str] = attrs.field(factory=list)
    mutation: str = ""

    def arguments(self, folder: Path) -> list[str]:
        """Write the cluster into *folder*; return the options that name it."""
        file = folder / "dump.json"
        written = {"apiVersion": "v1", "kind": "List", "items": self.items}
        file.write_text(json.dumps(written, indent=1), "utf-8")
        arguments = ["--cluster", str(file)]
        for key, blobs in self.blobs.items():
            path = folder / f"{key.replace('/', '-')}.json"
            path.unlink(missing_ok=True)
            if blobs is not None:
                path.write_text(blobs if isinstance(blobs, str) else "\n".join(map(json.dumps, blobs)), "utf-8")
            arguments += ["--catalog", f"{key}={path}"]
        return arguments + self.given


def cluster_of(scenario: Manifest) -> Cluster:
    """The cluster of a scenario, as it is."""
    items = list(dump(scenario)["items"])
    for item in items:
        item["metadata"].pop("managedFields", None)
    return Cluster(items, dict(contents(scenario)))


def mutants(scenario: Manifest, random: Random, count: int) -> Iterator[Cluster]:
    """Yield *count* mutants of the cluster of *scenario*."""
    made = 0
    while made < count:
        cluster = copy.deepcopy(cluster_of(scenario))
        mutation = random.choice(MUTATIONS)
        change = mutation(cluster, random)
        if change:
            made += 1
            cluster.mutation = f"{mutation.__name__.strip('_')}: {change}"
            yield cluster


def _drop_object(cluster: Cluster, random: Random) -> str:
    gone = cluster.items.pop(random.randrange(len(cluster.items)))
    key = named(gone)
    cluster.blobs.pop(key, None) if gone.get("kind") in ("CatalogSource", "ClusterCatalog") else None
    return f"{gone.get('kind')} {key}"


def _double_object(cluster: Cluster, random: Random) -> str:
    original = random.choice(cluster.items)
    twin = copy.deepcopy(original)
    twin["metadata"]["name"] += "-twin"
    cluster.items.append(twin)
    if original.get("kind") in ("CatalogSource", "ClusterCatalog") and named(original) in cluster.blobs:
        cluster.blobs[named(twin)] = copy.deepcopy(cluster.blobs[named(original)])
    return f"{original.get('kind')} {named(original)}"


def _break_field(cluster: Cluster, random: Random) -> str:
    item = random.choice(cluster.items)
    path, parent, key = random.choice(list(_leaves(item)))
    parent[key] = random.choice(ODD)
    return f"{item.get('kind')} {path} = {parent[key]!r}"


def _drop_field(cluster: Cluster, random: Random) -> str:
    item = random.choice(cluster.items)
    path, parent, key = random.choice(list(_leaves(item)))
    dropped = f"{item['kind']} {path}"
    del parent[key]
    return dropped


def _other_modes(cluster: Cluster, random: Random) -> str:
    operators = [item for item in cluster.items if item.get("kind") == "ClusterServiceVersion"]
    if not operators:
        return ""
    operator = random.choice(operators)
    if random.random() < 0.5:
        operator["spec"].pop("installModes", None)
    else:
        operator["spec"]["installModes"] = [
            {"type": random.choice(("SingleNamespace", "MultiNamespace")), "supported": True}
        ]
    if random.random() < 0.3:
        operator.get("status", {}).pop("phase", None)
    return f"{named(operator)} {operator['spec'].get('installModes')}"


def _other_phase(cluster: Cluster, random: Random) -> str:
    """Make a dump that was taken in the middle of something, or in trouble."""
    operator = _some_object(cluster, random, "ClusterServiceVersion")
    if operator is None:
        return ""
    phase, reason = random.choice(PHASES), random.choice(REASONS)
    operator["status"] = {**(operator.get("status") or {}), "phase": phase, "reason": reason}
    return f"{named(operator)} {phase} {reason}"


def _other_plan(cluster: Cluster, random: Random) -> str:
    plan = _some_object(cluster, random, "InstallPlan")
    if plan is None:
        return ""
    phase, approved, generation = random.choice(PLAN_PHASES), random.random() < 0.5, random.randrange(3)
    plan["status"]["phase"] = phase
    plan["spec"].update({"approved": approved, "generation": generation})
    return f"{named(plan)} {phase} {approved} {generation}"


def _other_group(cluster: Cluster, random: Random) -> str:
    """Make a group static, select by labels (with or without namespaces in the dump), or change another setting."""
    group = _some_object(cluster, random, "OperatorGroup")
    if group is None:
        return ""
    given = random.choice(GROUP_SPECS)
    group["spec"].update(copy.deepcopy(given))
    if "selector" in given:
        group["spec"].pop("targetNamespaces", None)
    if random.random() < 0.5:
        group.pop("status", None)
    if random.random() < 0.3:
        cluster.items = [item for item in cluster.items if item.get("kind") != "Namespace"]
    return f"{named(group)} {given}"


def _other_annotation(cluster: Cluster, random: Random) -> str:
    """Change the APIs that a group says it provides."""
    group = _some_object(cluster, random, "OperatorGroup")
    if group is None:
        return ""
    apis = random.choice(("", "Vault.v1.vaults.example.com", "nonsense", "A.v1.a.com,Vault.v1.vaults.example.com"))
    group["metadata"].setdefault("annotations", {})["olm.providedAPIs"] = apis
    return f"{named(group)} {apis!r}"


def _second_catalog(cluster: Cluster, random: Random) -> str:
    """Give the same content once more, with a priority of its own."""
    source = _some_object(cluster, random, "CatalogSource")
    if source is None or named(source) not in cluster.blobs:
        return ""
    twin = copy.deepcopy(source)
    twin["metadata"]["name"] += "-second"
    twin["spec"]["priority"] = random.choice((-5, 0, 10))
    cluster.items.append(twin)
    cluster.blobs[named(twin)] = copy.deepcopy(cluster.blobs[named(source)])
    return f"{named(twin)} {twin['spec']['priority']}"


def _extension_beside(cluster: Cluster, random: Random) -> str:
    """Add an extension of OLM v1 for the package of a subscription."""
    subscription = _some_object(cluster, random, "Subscription")
    spec = subscription["spec"] if subscription else {}
    key = f"{spec.get('sourceNamespace')}/{spec.get('source')}"
    if key not in cluster.blobs:
        return ""
    cluster.blobs["beside"] = copy.deepcopy(cluster.blobs[key])
    group = "olm.operatorframework.io/v1"
    source = {"sourceType": "Catalog", "catalog": {"packageName": spec.get("name")}}
    wish = {"namespace": "beside", "source": source}
    for kind, given in (("ClusterCatalog", {}), ("ClusterExtension", wish)):
        cluster.items.append({"apiVersion": group, "kind": kind, "metadata": {"name": "beside"}, "spec": given})
    return str(spec.get("name"))


def _condition(cluster: Cluster, random: Random) -> str:
    """Let an operator say in one of three places whether it may be updated."""
    operator = _some_object(cluster, random, "ClusterServiceVersion")
    if operator is None:
        return ""
    condition = {"type": "Upgradeable", "status": random.choice(("True", "False")), "reason": "Busy", "message": "busy"}
    part, field = random.choice((("spec", "conditions"), ("status", "conditions"), ("spec", "overrides")))
    metadata = {key: operator["metadata"][key] for key in ("name", "namespace") if key in operator["metadata"]}
    version = f"operators.coreos.com/v{random.choice((1, 2))}"
    kind = "OperatorCondition"
    cluster.items.append({"apiVersion": version, "kind": kind, "metadata": metadata, part: {field: [condition]}})
    return f"{named(operator)} {version} {part}.{field} {condition['status']}"


def _some_object(cluster: Cluster, random: Random, kind: str) -> Manifest | None:
    of_kind = [item for item in cluster.items if item.get("kind") == kind]
    return random.choice(of_kind) if of_kind else None


def _break_blob(cluster: Cluster, random: Random) -> str:
    key, blobs = _some_blobs(cluster, random)
    if not blobs:
        return ""
    blob = random.choice(blobs)
    path, parent, field = random.choice(list(_leaves(blob)))
    parent[field] = random.choice(ODD)
    return f"{key} {blob.get('schema')} {path} = {parent[field]!r}"


def _drop_blob(cluster: Cluster, random: Random) -> str:
    key, blobs = _some_blobs(cluster, random)
    if not blobs:
        return ""
    gone = blobs.pop(random.randrange(len(blobs)))
    return f"{key} {gone['schema']} {gone.get('name')}"


def _two_heads(cluster: Cluster, random: Random) -> str:
    key, blobs = _some_blobs(cluster, random)
    channels = [blob for blob in blobs if blob["schema"] == "olm.channel" and blob["entries"]]
    if not channels:
        return ""
    channel = random.choice(channels)
    entry = random.choice(channel["entries"])
    twin = {**entry, "name": f"{entry['name']}-twin"}
    channel["entries"].append(twin)
    bundle = next(blob for blob in blobs if blob["schema"] == "olm.bundle" and blob["name"] == entry["name"])
    blobs.append({**copy.deepcopy(bundle), "name": twin["name"], "image": f"{bundle['image']}-twin"})
    return f"{key} {channel['package']} {channel['name']} {twin['name']}"


def _cycle(cluster: Cluster, random: Random) -> str:
    key, blobs = _some_blobs(cluster, random)
    channels = [blob for blob in blobs if blob["schema"] == "olm.channel" and blob["entries"]]
    if not channels:
        return ""
    channel = random.choice(channels)
    channel["entries"][-1]["replaces"] = channel["entries"][0]["name"]
    return f"{key} {channel['package']} {channel['name']}"


def _unreadable_catalog(cluster: Cluster, random: Random) -> str:
    if not cluster.blobs:
        return ""
    key = random.choice(list(cluster.blobs))
    how = random.choice(("garbage", "no file", "not given", "not ready"))
    if how == "not ready":
        sources = [item for item in cluster.items if named(item) == key and item.get("kind") == "CatalogSource"]
        if not sources:
            return ""
        sources[0]["status"]["connectionState"]["lastObservedState"] = "TRANSIENT_FAILURE"
    if how in ("not given", "not ready"):
        del cluster.blobs[key]
    else:
        cluster.blobs[key] = "{ not a catalog" if how == "garbage" else None
    if random.random() < 0.5:
        cluster.given += ["--unreadable", random.choice(("strict", "referenced", "ignore"))]
    return f"{key} {how} {' '.join(cluster.given)}"


def _two_owners(cluster: Cluster, random: Random) -> str:
    owning = [
        item
        for item in cluster.items
        if item.get("kind") == "Subscription" and "installedCSV" in item.get("status", {})
    ]
    if not owning:
        return ""
    twin = copy.deepcopy(random.choice(owning))
    twin["metadata"]["name"] += "-twin"
    cluster.items.append(twin)
    return named(twin)


def _policy(cluster: Cluster, random: Random) -> str:
    chosen: list[list[str]] = [["--operator-groups"], ["--kubernetes", "1.20.0"], ["--semantics", "documented"]]
    chosen += [["--semantics", "controller"], ["--unreadable", "referenced"], ["--unreadable", "ignore"]]
    cluster.given += random.choice(chosen)
    return " ".join(cluster.given)


MUTATIONS: Final[tuple[Callable[[Cluster, Random], str], ...]] = (
    _drop_object,
    _double_object,
    _break_field,
    _break_field,
    _break_field,
    _drop_field,
    _drop_field,
    _other_modes,
    _other_phase,
    _other_phase,
    _other_plan,
    _other_group,
    _other_group,
    _other_annotation,
    _second_catalog,
    _extension_beside,
    _condition,
    _break_blob,
    _break_blob,
    _drop_blob,
    _two_heads,
    _cycle,
    _unreadable_catalog,
    _unreadable_catalog,
    _two_owners,
    _policy,
)


def named(item: Manifest) -> str:
    """``namespace/name`` of *item*."""
    metadata = item["metadata"]
    return "/".join(str(metadata[key]) for key in ("namespace", "name") if key in metadata)


def _some_blobs(cluster: Cluster, random: Random) -> tuple[str, list[Manifest]]:
    if not cluster.blobs:
        return "", []
    key = random.choice(list(cluster.blobs))
    blobs = cluster.blobs[key]
    assert isinstance(blobs, list)
    return key, blobs


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield each field inside of *value*: its path, the object or list that holds it, and its key there."""
    fields = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in list(fields):
        yield f"{path}.{key}", value, key
        yield from _leaves(child, f"{path}.{key}")
