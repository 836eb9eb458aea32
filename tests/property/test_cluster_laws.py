"""Laws of a cluster's objects: for any input, and for any changes to a state."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from olmsolve.catalog import Origin
from olmsolve.cluster import (
    ClusterState,
    ProjectionError,
    WrittenProperty,
    annotation_to_properties,
    properties_to_annotation,
)
from olmsolve.cluster.catalogs import NO_VALUES, resolved_image, template_values
from olmsolve.cluster.objects import ClusterObject, Metadata, OtherObject, SubscriptionObject, read_manifest
from olmsolve.errors import ManifestError

# Half characters (lone surrogates) are left to another test: no file can hold them.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
indents = st.sampled_from([None, 0, 1, "\t"])


@given(st.lists(st.tuples(texts, values), max_size=4), indents)
def test_annotations_are_read_as_json_is(properties: list[tuple[str, Any]], indent: Any) -> None:
    """The cutting by hand, which keeps the text of values, agrees with the parser of the standard library."""
    text = json.dumps({"properties": [{"type": kind, "value": value} for kind, value in properties]}, indent=indent)
    items = annotation_to_properties(text)
    assert [(item.type, json.loads(item.text)) for item in items] == properties
    assert all(item.text in text for item in items)


@given(st.lists(st.tuples(texts, values), max_size=4), indents)
def test_annotations_survive_being_written(properties: list[tuple[str, Any]], indent: Any) -> None:
    """Written and read again, types are the same and values mean the same, without white space between them."""
    given_ = [WrittenProperty(kind, json.dumps(value, indent=indent)) for kind, value in properties]
    text = properties_to_annotation(given_)
    reread = annotation_to_properties(text)
    assert [(item.type, json.loads(item.text)) for item in reread] == properties
    assert properties_to_annotation(reread) == text


@given(st.text(max_size=30) | st.text('{}[]",:\\ \n0123456789truefalsn.eE+-"propertiesvalue', max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Any text may stand in an annotation; reading it ends in properties or in our own error."""
    try:
        properties = annotation_to_properties(text)
    except ProjectionError:
        return
    assert isinstance(json.loads(text), dict | None)
    assert annotation_to_properties(properties_to_annotation(item for item in properties if item.text)) is not None


@given(st.lists(st.sampled_from([*NO_VALUES, "{", "}", "quay.io/x", ":", "{kube_", "$1"]), max_size=6), st.booleans())
def test_templates_are_replaced_one_by_one(pieces: list[str], known: bool) -> None:
    """No value can become part of another template, so that replacing them in turn is the same."""
    values_ = template_values("v1.31.2" if known else "unknown")
    template = "".join(pieces)
    expected = template
    for name, value in values_.items():
        expected = expected.replace(name, value)
    image = resolved_image(template, values_)
    assert image.image == expected
    assert len(image.unresolved) == (0 if known else sum(template.count(name) for name in NO_VALUES))


names = st.sampled_from(["a", "b", "c"])
kinds = st.sampled_from(["Subscription", "ClusterServiceVersion", "List", "Pod", "CatalogSource", "InstallPlan"])
parts = st.dictionaries(
    st.sampled_from(["name", "version", "installedCSV", "conditions", "install", "priority", "items", "plan", "skips"]),
    values,
    max_size=4,
)
manifests = st.fixed_dictionaries(
    {
        "apiVersion": st.sampled_from(["operators.coreos.com/v1alpha1", "v1"]) | values,
        "kind": kinds | values,
        "metadata": st.fixed_dictionaries({"name": names | values, "namespace": names | values}) | values,
    },
    optional={"spec": parts | values, "status": parts | values, "items": st.lists(parts | values, max_size=2)},
)


@given(manifests)
def test_any_manifest_is_read_or_refused(document: dict[str, Any]) -> None:
    """One error of our own for anything that is not the shape of its kind, and the origin in it."""
    objects: list[ClusterObject] = []
    refused = ""
    try:
        objects.extend(read_manifest(document, Origin("dump.yaml", 2)))
    except ManifestError as error:
        refused = str(error)
    assert not refused or refused.startswith("dump.yaml, document 2: ")
    assert all(item.origin == Origin("dump.yaml", 2) for item in objects)


def subscription(namespace: str, name: str, package: str) -> SubscriptionObject:
    return SubscriptionObject(metadata=Metadata(name=name, namespace=namespace), package=package)


def other(namespace: str, name: str, kind: str) -> OtherObject:
    return OtherObject(metadata=Metadata(name=name, namespace=namespace), api_version="v1", kind=kind)


objects = st.builds(subscription, names, names, names) | st.builds(other, names, names, names)


@given(st.lists(st.tuples(st.booleans(), objects), max_size=12))
def test_states_are_dictionaries_that_do_not_change(steps: list[tuple[bool, ClusterObject]]) -> None:
    """Any additions and removals, against a dictionary; and every state before stays what it was."""
    model: dict[tuple[str, str], ClusterObject] = {}
    state, history = ClusterState(), []
    for adding, item in steps:
        key = (getattr(item, "kind", item.KIND), item.key)
        if adding:
            model[key] = item
        else:
            model.pop(key, None)
        state = state.having(item) if adding else state.without(item)
        history.append((state, dict(model)))
    for then, expected in history:
        wishes = {item.key: item for item in then.all(SubscriptionObject)}
        assert wishes == {key: item for (kind, key), item in expected.items() if kind == "Subscription"}
        assert list(wishes) == sorted(wishes, key=lambda key: key.split("/"))
        assert sorted(map(str, then.others)) == sorted(
            str(item) for (kind, _), item in expected.items() if kind != "Subscription"
        )
        assert then == ClusterState.of([*then, *then.others])
