"""Installed operators as a resolution sees them: annotation, inference, ownership, and what is left out."""

from __future__ import annotations

from typing import Any

import pytest

from olmsolve import evolve
from olmsolve.cluster import (
    PROPERTIES_ANNOTATION,
    ProjectionError,
    WrittenProperty,
    annotation_to_properties,
    csv_snapshot,
    properties_to_annotation,
)
from olmsolve.cluster.objects import (
    ApiServiceDescription,
    ClusterServiceVersion,
    CrdDescription,
    Metadata,
    OperatorGroup,
    SubscriptionObject,
)

GROUP = OperatorGroup(metadata=Metadata(name="group", namespace="ns"))
THING = CrdDescription("things.g.io", "v1", "Thing")


def operator(name: str = "a.v1", **fields: Any) -> ClusterServiceVersion:
    return ClusterServiceVersion(metadata=Metadata(name=name, namespace="ns"), **fields)


def owner(name: str, installed: str = "a.v1", package: str = "a") -> SubscriptionObject:
    return SubscriptionObject(metadata=Metadata(name=name, namespace="ns"), package=package, installed_csv=installed)


def test_the_spec_says_what_is_provided_and_required() -> None:
    """Custom resources and aggregated APIs alike; an API that is listed twice counts once."""
    csv = ClusterServiceVersion(
        metadata=Metadata(name="a.v1", namespace="ns"),
        owned_crds=(THING, THING),
        required_api_services=(ApiServiceDescription("h.io", "v2", "Other", "others"),),
    )
    (entry,) = csv_snapshot([csv], [], [GROUP])
    assert [(item.type, item.text) for item in entry.properties] == [
        ("olm.gvk", '{"group":"g.io","kind":"Thing","version":"v1"}'),
        ("olm.gvk.required", '{"group":"h.io","version":"v2","kind":"Other"}'),
    ]
    assert entry.version == "0.0.0"


def test_names_of_resources_have_a_group() -> None:
    """Kubernetes would not have taken another."""
    csv = ClusterServiceVersion(
        metadata=Metadata(name="a.v1", namespace="ns"), owned_crds=(CrdDescription("things", "v1", "Thing"),)
    )
    with pytest.raises(ProjectionError, match="error parsing crd name: things"):
        csv_snapshot([csv], [], [GROUP])


def test_the_annotation_replaces_what_the_spec_says() -> None:
    """An annotation without APIs leaves the operator without APIs, whatever it owns."""
    csv = ClusterServiceVersion(
        metadata=Metadata(name="a.v1", namespace="ns", annotations={PROPERTIES_ANNOTATION: '{"properties":[]}'}),
        owned_crds=(THING,),
    )
    (entry,) = csv_snapshot([csv], [owner("s")], [GROUP])
    assert (entry.properties, entry.package, entry.subscription) == ((), "", "s")


@pytest.mark.parametrize(
    ("subscriptions", "package"),
    [
        ([owner("s")], "a"),
        ([owner("s"), owner("t")], "a"),
        ([owner("s"), owner("t", package="")], "a"),
        ([owner("s"), owner("t", package="b")], ""),
        ([owner("s", installed="b.v1")], ""),
        ([], ""),
    ],
)
def test_packages_are_inferred_where_there_is_one(subscriptions: list[SubscriptionObject], package: str) -> None:
    """Two packages that claim an operator cancel each other out."""
    (entry,) = csv_snapshot([operator(version="1.2.3")], subscriptions, [GROUP])
    expected = [("olm.package", f'{{"packageName":"{package}","version":"1.2.3"}}')] if package else []
    assert [(item.type, item.text) for item in entry.properties] == expected
    assert entry.package == package


def test_the_last_owner_wins() -> None:
    """The last owner counts, as recorded; requests refuse two owners earlier."""
    (entry,) = csv_snapshot([operator()], [owner("s"), owner("t")], [GROUP])
    assert entry.subscription == "t"


def test_an_owner_that_is_only_seen_anew_makes_the_snapshot_wait() -> None:
    """Without the error, the operator would count as one without owner, and could never be updated."""
    with pytest.raises(ProjectionError, match="lister caches incoherent for CSV ns/a"):
        csv_snapshot([operator()], [], [GROUP], live=[owner("s")])
    (entry,) = csv_snapshot([operator()], [], [GROUP], live=[])
    assert entry.subscription is None


def test_operators_are_judged_one_after_the_other() -> None:
    """As recorded: of several faults the first operator's is told, and who owns it is asked before its chain."""
    forward = evolve(GROUP, upgrade_strategy="TechPreviewUnsafeFailForward")
    unreadable = evolve(operator("a.v1"), owned_crds=(CrdDescription("things", "v1", "Thing"),))
    works = operator("b.v1", phase="Succeeded")
    newer = operator("b.v2", replaces="b.v1", phase="Pending")

    def fault(*csvs: ClusterServiceVersion, live: tuple[SubscriptionObject, ...] = ()) -> str:
        with pytest.raises(ProjectionError) as refused:
            csv_snapshot(csvs, [], [forward], live=live)
        return refused.value.reason

    in_phase = "csv ns/b.v1 in phase Succeeded instead of Replacing"
    assert fault(unreadable, works, newer) == "error parsing crd name: things"
    assert fault(works, newer, unreadable) == in_phase
    assert fault(works, newer, live=(owner("s", installed="b.v1"),)).startswith("lister caches incoherent")
    failed = operator("b.v2", replaces="b.v1", phase="Failed")
    left_out = operator("b.v1", phase="Replacing")
    assert [entry.name for entry in csv_snapshot([left_out, failed], [], [forward])] == ["b.v2"]
    late = owner("s", installed="b.v1")
    assert fault(left_out, failed, live=(late,)).startswith("lister caches incoherent for CSV ns/b.v1")


def test_fail_forward_counts_copies_as_successors_only() -> None:
    """As recorded: a copy is never offered, but an operator may give way to one."""
    forward = OperatorGroup(
        metadata=Metadata(name="group", namespace="ns"), upgrade_strategy="TechPreviewUnsafeFailForward"
    )
    csvs = [
        operator("a.v1", phase="Replacing"),
        operator("a.v2", phase="Failed", replaces="a.v1", reason="Copied"),
        operator("b.v1", phase="Succeeded"),
    ]
    assert [entry.name for entry in csv_snapshot(csvs, [], [forward])] == ["b.v1"]
    assert [entry.name for entry in csv_snapshot(csvs, [], [GROUP])] == ["a.v1", "b.v1"]


@pytest.mark.parametrize("count", [0, 2])
def test_without_one_group_there_is_no_snapshot(count: int) -> None:
    """Without a single group, no strategy is known."""
    with pytest.raises(ProjectionError, match=f"found {count} operatorGroups, expected 1"):
        csv_snapshot([], [], [GROUP] * count)


@pytest.mark.parametrize(
    ("values", "package"),
    [
        (['{"packageName":"a"}', '{"packageName":"b"}'], "b"),
        (['{"packageName":"a"}', '"b"'], "a"),
        (['{"packageName":"a"}', '{"packageName":1}'], "a"),
        (['{"packageName":"a"}', '{"PACKAGENAME":"b"}'], "b"),
        (['{"packageName":"a"}', "null"], ""),
        (['{"packageName":"a"}', ""], "a"),
        ([], ""),
    ],
)
def test_the_last_package_that_can_be_read_counts(values: list[str], package: str) -> None:
    """A property that cannot be read as a package is passed over."""
    properties = ('{"type":"olm.package"' + (value and f',"value":{value}') + "}" for value in values)
    annotations = {PROPERTIES_ANNOTATION: f'{{"properties":[{",".join(properties)}]}}'}
    csv = ClusterServiceVersion(metadata=Metadata("a.v1", "ns", annotations=annotations))
    (entry,) = csv_snapshot([csv], [], [GROUP])
    assert entry.package == package


# -- the annotation


def test_values_stay_as_they_were_written() -> None:
    """4.10 is not 4.1, and spaces are part of the text until it is written anew."""
    text = '{"Properties": [{"TYPE": "a", "value": {"b" : [ 4.10, 1e3 ]}, "more": 1}, null, {"value": null}]}'
    properties = annotation_to_properties(text)
    assert [(item.type, item.text) for item in properties] == [("a", '{"b" : [ 4.10, 1e3 ]}'), ("", ""), ("", "null")]
    assert properties_to_annotation(properties[:1]) == '{"properties":[{"type":"a","value":{"b":[4.10,1e3]}}]}'


def test_of_a_name_given_twice_the_last_counts() -> None:
    """Names match in any case, as Go reads JSON."""
    (property_,) = annotation_to_properties('{"properties":[{"type":"a","type":"b","value":1,"value":2}]}')
    assert (property_.type, property_.text) == ("b", "2")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON at character 1: expecting value"),
        ('{"properties":[', "not JSON at character 16: expecting value"),
        ('{"properties":[NaN]}', "not JSON: NaN is not a JSON value"),
        ("[]", "a list where an object must be"),
        ('"x"', "text where an object must be"),
        ('{"properties":{}}', "properties is an object, not a list"),
        ('{"properties":[1]}', "properties.0 is a number, not an object"),
        ('{"properties":[{"type":true}]}', "properties.0.type is true, not a string"),
        ("[" * 100_000, "nested too deeply"),
    ],
    ids=["empty", "cut off", "NaN", "list", "text", "no list", "no object", "no text", "deep"],
)
def test_annotations_that_cannot_be_read_say_why(text: str, reason: str) -> None:
    """OLM's words first, and then ours for what its library says."""
    with pytest.raises(ProjectionError) as refused:
        annotation_to_properties(text)
    assert str(refused.value) == f"failed to unmarshal properties annotation: {reason}"


def test_values_that_are_no_json_are_not_written() -> None:
    """The next resolution could not read the annotation."""
    with pytest.raises(ProjectionError, match="failed to marshal properties annotation: not JSON"):
        properties_to_annotation([WrittenProperty("a", "{")])
