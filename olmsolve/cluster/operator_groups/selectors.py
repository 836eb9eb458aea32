"""The reader of label selectors, with which operator groups select namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from olmsolve.fields import Fields, ManifestLocation, Raw

if TYPE_CHECKING:
    from olmsolve.v1 import LabelRequirement, LabelSelector


def read_selector(raw: Raw, location: ManifestLocation) -> LabelSelector:
    """Return the selector *raw*, the field ``spec.selector`` of the group at *location*.

    Raises:
        ManifestError: a field has a value of the wrong type, or Kubernetes refuses a requirement: its operator does
            not exist, or does not go with its values, or a key or value is no label.
    """
    # Few groups have a selector, and loading OLM v1 takes longer than judging most clusters.
    from olmsolve.v1 import LabelSelector

    fields = Fields.of(raw, "spec.selector", location)
    selector = LabelSelector(fields.text_mapping("matchLabels"))
    fault = selector.fault()
    if fault:
        raise fields.error(fault, "matchLabels")
    return LabelSelector(selector.match_labels, map(_requirement, fields.parts("matchExpressions")))


def _requirement(fields: Fields) -> LabelRequirement:
    from olmsolve.v1 import LabelRequirement

    requirement = LabelRequirement(fields.required_text("key"), fields.text("operator"), fields.texts("values"))
    fault = requirement.fault()
    if fault:
        raise fields.error(fault)
    return requirement
