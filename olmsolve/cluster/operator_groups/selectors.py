"""Kubernetes label selectors: which namespaces an operator group selects by their labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

from olmsolve.cluster.go_json import go_json
from olmsolve.cluster.objects import Fields, Place, Raw

__all__ = ["LabelSelector", "Requirement"]

_NOWHERE: Final = Place()
_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")


@attrs.frozen
class Requirement:
    """One condition on labels: *operator* is ``In``, ``NotIn``, ``Exists`` or ``DoesNotExist``."""

    key: str
    operator: str
    values: frozenset[str] = frozenset()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether *labels* meet it; what has no such label meets ``NotIn``, as in Kubernetes."""
        present = self.key in labels
        return {
            "In": present and labels.get(self.key) in self.values,
            "NotIn": not present or labels.get(self.key) not in self.values,
            "Exists": present,
            "DoesNotExist": not present,
        }[self.operator]


@attrs.frozen
class LabelSelector:
    """Labels that must hold together; without any requirement it selects everything."""

    requirements: tuple[Requirement, ...] = ()

    @classmethod
    def of(cls, raw: Raw, place: Place = _NOWHERE) -> LabelSelector:
        """The selector in a manifest, at ``spec.selector`` of the object at *place*.

        Raises:
            ManifestError: no operator of a selector, or values that it cannot have.
        """
        fields = Fields.of(raw, "spec.selector", place)
        labels = fields.text_mapping("matchLabels")
        exact = (Requirement(key, "In", frozenset({value})) for key, value in labels.items())
        return cls((*exact, *(_expression(part) for part in fields.parts("matchExpressions"))))

    def matches(self, labels: Mapping[str, str]) -> bool:
        return all(requirement.matches(labels) for requirement in self.requirements)


def _expression(fields: Fields) -> Requirement:
    operator = fields.text("operator")
    values = fields.texts("values")
    if operator not in _OPERATORS:
        raise fields.error(
            f'"{operator}" is not a valid label selector operator', hint=f"one of {', '.join(_OPERATORS)}"
        )
    if operator in ("In", "NotIn"):
        if not values:
            raise fields.error("values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty")
    elif values:
        raise fields.error(
            f"values: Invalid value: {go_json(values)}: values set must be empty for exists and does not exist"
        )
    return Requirement(fields.required_text("key"), operator, frozenset(values))
