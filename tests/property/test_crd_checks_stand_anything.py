"""Any JSON in place of a schema or of an object: the checks give a verdict, or one error of ours."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from olmsolve.cluster.crds import check_crd_upgrade
from olmsolve.cluster.objects import CustomResourceDefinition, read_manifest
from olmsolve.errors import ManifestError

KEYWORDS = st.sampled_from(
    [
        "type",
        "properties",
        "items",
        "additionalProperties",
        "required",
        "enum",
        "default",
        "pattern",
        "maximum",
        "minLength",
        "maxItems",
        "uniqueItems",
        "multipleOf",
        "oneOf",
        "anyOf",
        "allOf",
        "not",
        "nullable",
        "title",
        "x-kubernetes-validations",
        "x-kubernetes-list-map-keys",
        "a",
    ]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.sampled_from([10**400, 0.5])
    | st.sampled_from(["", "a", "(", "string", "object", "array", "integer"])
)
ANYTHING = st.recursive(
    SCALARS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYWORDS, below, max_size=4),
    max_leaves=12,
)


def _definition(schema: Any) -> CustomResourceDefinition:
    (definition,) = read_manifest(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "things.example.com"},
            "spec": {
                "group": "example.com",
                "names": {"plural": "things", "kind": "Thing"},
                "versions": [
                    {
                        "name": name,
                        "served": True,
                        "storage": name == "v1",
                        "schema": {"openAPIV3Schema": {"properties": {"spec": schema}}},
                    }
                    for name in ("v1", "v2")
                ],
            },
        }
    )
    assert isinstance(definition, CustomResourceDefinition)
    return definition


@given(ANYTHING, ANYTHING, ANYTHING)
def test_there_is_a_verdict_or_one_error(old: Any, new: Any, value: Any) -> None:
    """Definitions come from catalogs that anybody may publish, and from clusters of any age."""
    resource = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "x"}, "spec": value}
    try:
        check = check_crd_upgrade(_definition(old), _definition(new), [resource])
    except ManifestError:
        return
    assert json.loads(json.dumps(check.to_dict()))["allowed"] == check.allowed
    assert check_crd_upgrade(_definition(old), _definition(new), [resource]) == check
