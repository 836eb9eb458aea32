"""Recorded verdicts on operator groups: sets of APIs and namespaces, targets, intersections, operators' phases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from olmsolve.cluster import Api, Apis, ClusterState, annotation_text, apis_of_annotation, common_apis
from olmsolve.cluster.objects import (
    ClusterObject,
    ClusterServiceVersion,
    InstallMode,
    Metadata,
    Namespace,
    OperatorGroup,
    read_manifest,
)
from olmsolve.cluster.operator_groups import (
    GroupSurface,
    NamespaceSet,
    csv_transition,
    duplicated_modes,
    reconcile,
    surface,
    target_namespaces,
    unsupported_targets,
)
from olmsolve.cluster.rbac import api_hash
from olmsolve.errors import ManifestError
from tests.recorded import Record, recorded_key
from tests.recorded_rules import rule_ids, rule_records
from tests.scale import grouped


def accepted(record: Record) -> list[Any]:
    """The recorded answers, any of which is right."""
    return [record["out"], *record.get("alternatives", ())]


def apis(keys: Iterable[Mapping[str, str]] | None) -> Apis:
    return frozenset(api(key) for key in keys or ())


def api(key: Mapping[str, str]) -> Api:
    return Api(key["group"], key["version"], key["kind"], key.get("plural", ""))


def api_answer(given: Mapping[str, Any]) -> object:
    if given["op"] == "parse":
        return apis_of_annotation(given["a"])
    if given["op"] == "hash":
        return api_hash(api(given["a"]).gvk)
    own = apis(given["a"])
    match given["op"]:
        case "format":
            return annotation_text(own)
        case "strip_plural":
            return frozenset(Api.from_gvk(api.gvk) for api in own)
        case "union":
            return own.union(*map(apis, given["b"]))
        case "intersection":
            return common_apis(own, *map(apis, given["b"]))
        case "difference":
            return own - apis(given["b"])
        case "is_subset":
            return own <= apis(given["b"])
    raise AssertionError(given["op"])


def test_sets_of_apis_are_as_recorded() -> None:
    """The annotation's text, its hash and the algebra decide whose APIs meet."""
    for record in rule_records("api_sets"):
        right = [apis(out) if isinstance(out, list) else out for out in accepted(record)]
        assert api_answer(record["in"]) in right, record["id"]


def test_sets_of_namespaces_are_as_recorded() -> None:
    """Only exactly the empty name is all namespaces."""
    for record in rule_records("namespace_sets"):
        given = record["in"]
        answer: object
        if given["op"] == "from_string":
            namespace_set = NamespaceSet.from_text(given["a"])
            answer = {"all": namespace_set.is_all, "set": list(namespace_set)}
        elif given["op"] == "contains":
            answer = given["b"] in NamespaceSet(given["a"])
        else:
            one, other = NamespaceSet(given["a"]), NamespaceSet(given["b"])
            answer = list(one & other if given["op"] == "intersection" else one | other)
        assert answer in accepted(record), record["id"]


def group(given: Mapping[str, Any], annotation: str | None) -> OperatorGroup:
    annotations = {} if annotation is None else {"olm.providedAPIs": annotation}
    return OperatorGroup(
        metadata=Metadata(given["name"], given["namespace"], annotations=annotations),
        namespaces=tuple(given["status.namespaces"] or ()),
    )


def test_the_surface_of_a_group_is_as_recorded() -> None:
    """A group's own namespace is a target only where the status names others."""
    for record in rule_records("og_surface"):
        group_surface = surface(group(record["in"], record["in"]["annotation"]))
        answer = {
            "annotation": group_surface.annotation,
            "providedAPIs": group_surface.provided_apis,
            "targets": list(group_surface.targets),
        }
        right = [{**out, "providedAPIs": apis(out["providedAPIs"])} for out in accepted(record)]
        assert answer in right, record["id"]


def test_decisions_between_groups_are_as_recorded() -> None:
    """Add, remove, conflict or nothing, the groups that meet, and what each change would write."""
    for record in rule_records("og_reconcile"):
        given = record["in"]
        reconciliation = reconcile(apis(given["add"]), _surface(given["group"]), map(_surface, given["others"]))
        answer = {
            "result": reconciliation.change.value,
            "intersecting": [other.key for other in reconciliation.intersecting],
            "union": reconciliation.union,
            "difference": reconciliation.difference,
        }
        right = [{**out, "intersecting": [*map(recorded_key, out["intersecting"])]} for out in accepted(record)]
        assert answer in right, record["id"]


def _surface(given: Mapping[str, Any]) -> GroupSurface:
    name, _, namespace = given["id"].partition("/")
    assert namespace == given["namespace"]
    return GroupSurface(name, namespace, NamespaceSet(given["targets"]), apis(given["providedAPIs"]))


def test_targets_are_as_recorded() -> None:
    """The list of targets, the selector, or all; with the product's words where they are refused."""
    for record in rule_records("og_targets"):
        given = record["in"]
        operator_group = OperatorGroup(
            metadata=Metadata("og", "ns"),
            target_namespaces=tuple(given["targetNamespaces"] or ()),
            selector=given["selector"],
        )
        namespaces = [
            Namespace(metadata=Metadata(name, labels=given["namespaces"].get(name, {})))
            for name in given["allNamespaces"]
        ]
        if record["out"]["error"] is not None:
            with pytest.raises(ManifestError) as refused:
                target_namespaces(operator_group, namespaces)
            assert refused.value.reason == record["out"]["error"], record["id"]
        else:
            assert list(target_namespaces(operator_group, namespaces)) == (record["out"]["targets"] or []), record["id"]


def modes(given: Sequence[Mapping[str, Any]] | None) -> tuple[InstallMode, ...]:
    return tuple(InstallMode(mode["type"], mode["supported"]) for mode in given or ())


def test_install_modes_are_judged_as_recorded() -> None:
    """Every set of modes with every selection of namespaces, in the product's words."""
    for record in rule_records("install_modes"):
        given = record["in"]
        install_modes = modes(given["installModes"])
        answer = duplicated_modes(install_modes) or unsupported_targets(
            install_modes, given["operatorNamespace"], tuple(given["targets"] or ())
        )
        assert {"error": answer or None} in accepted(record), record["id"]


# -- one pass over an operator


def csv_manifest(given: Mapping[str, Any], namespace: str) -> dict[str, Any]:
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {
            "name": given["name"],
            "namespace": namespace,
            "annotations": given.get("annotations"),
            "labels": given.get("labels"),
        },
        "spec": {
            "installModes": given.get("installModes"),
            "replaces": given["replaces"],
            "customresourcedefinitions": {"owned": given.get("ownedCRDs"), "required": given.get("requiredCRDs")},
            "apiservicedefinitions": {"owned": given.get("ownedAPIServices")},
        },
        "status": {"phase": given["phase"], "reason": given["reason"], "message": given.get("message", "")},
    }


def cluster_of(given: Mapping[str, Any]) -> ClusterState:
    """The recorded cluster. The recording leaves out what the other operators own; where an operator failed for
    its owned APIs, upstream's tests give them the same ones, so those are put back.
    """
    csv = given["csv"]
    namespace = csv["namespace"]
    owned = {field: csv[field] for field in ("ownedCRDs", "ownedAPIServices")}
    documents = [csv_manifest(csv, namespace)]
    for other in given["otherCSVs"]:
        failed_too = owned if other["reason"] in ("ComponentUnhealthy", "APIServiceResourceIssue") else {}
        documents.append(csv_manifest({**other, **failed_too}, namespace))
    names = {namespace}
    for item in given["operatorGroups"]:
        names.update({item["namespace"], *(item["status.namespaces"] or ())} - {""})
        documents.append(
            {
                "apiVersion": "operators.coreos.com/v1",
                "kind": "OperatorGroup",
                "metadata": {key: item[key] for key in ("name", "namespace", "annotations")},
                "spec": item["spec"],
                "status": {"namespaces": item["status.namespaces"]},
            }
        )
    documents.extend(
        {
            "apiVersion": "operators.coreos.com/v2",
            "kind": "OperatorCondition",
            "metadata": {"name": item["name"], "namespace": namespace, "generation": item["generation"]},
            "spec": {"overrides": item["overrides"]},
            "status": {"conditions": item["conditions"]},
        }
        for item in given["operatorConditions"]
    )
    documents.extend({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in sorted(names))
    objects: list[ClusterObject] = [item for document in documents for item in read_manifest(document)]
    return ClusterState.of(objects)


PASSES = grouped(rule_ids("csv_transition"))


@pytest.mark.parametrize("names", PASSES.values(), ids=PASSES)
def test_a_pass_over_an_operator_ends_as_recorded(names: Sequence[str]) -> None:
    """Phase, reason, message, error, and the annotations of the operator and of every group."""
    recorded = {record["id"]: record for record in rule_records("csv_transition")}
    for name in names:
        _check_pass(recorded[name])


def _check_pass(record: Record) -> None:
    """Assert that the pass over the operator of *record* ends as recorded."""
    state = cluster_of(record["in"])
    csv = state.get(ClusterServiceVersion, record["in"]["csv"]["namespace"], record["in"]["csv"]["name"])
    assert csv is not None
    passed = csv_transition(csv, state)
    after = {
        item.key: item.metadata.annotations.get("olm.providedAPIs", "")
        if item.namespace != csv.namespace or passed.group_annotation is None
        else passed.group_annotation
        for item in state.all(OperatorGroup)
    }
    answer = {
        "phase": passed.status.phase,
        "reason": passed.status.reason,
        "message": passed.status.message,
        "syncError": passed.error or None,
        "csvAnnotations": passed.annotations,
        "providedAPIsAnnotationAfter": after,
    }
    right = [{**out, "csvAnnotations": out["csvAnnotations"] or {}} for out in accepted(record)]
    assert answer in right, record["id"]
