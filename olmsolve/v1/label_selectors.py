"""Kubernetes label selectors, with which an extension chooses its catalogs, and the rule for names of DNS subdomains.

Rules and reasons, word by word, come from Kubernetes' API machinery: keys are qualified names, an absent label fails
``In`` and meets ``NotIn``, and a selector without requirements matches everything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final

import olmsolve._attrs as attrs
from olmsolve._arguments import by_name, every, is_text
from olmsolve._records import Record, declared, meaning
from olmsolve.semver import quote

LONGEST_SUBDOMAIN: Final = 253  # apimachinery, util/validation: DNS1123SubdomainMaxLength
_SUBDOMAIN: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"


def subdomain_faults(name: str, unit: str = "characters") -> list[str]:
    """Return Kubernetes' messages on why *name* is no DNS subdomain (RFC 1123); empty if it is one.

    *unit* is the unit of length in a message: as recorded, "characters" for names and "bytes" for prefixes of labels.
    """
    faults = []
    if length(name) > LONGEST_SUBDOMAIN:
        faults.append(too_long(LONGEST_SUBDOMAIN, unit))
    if not re.fullmatch(_SUBDOMAIN, name):
        rule = (
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
            "and must start and end with an alphanumeric character"
        )
        faults.append(rule + examples(_SUBDOMAIN, "example.com"))
    return faults


def examples(pattern: str, *names: str) -> str:
    """Return the clause with which Kubernetes ends the words of a rule: *names* that fit, and its *pattern*."""
    shown = " or ".join(f"'{name}', " for name in names)
    return f" (e.g. {shown}regex used for validation is '{pattern}')"


def too_long(limit: int, unit: str = "bytes") -> str:
    """Return the words for a name of more than *limit* bytes, which Kubernetes calls *unit*."""
    return f"must be no more than {limit} {unit}"


def length(text: str) -> int:
    """Return the length of *text* in bytes (UTF-8)."""
    # A half surrogate, which JSON may hold and UTF-8 cannot, counts as one byte instead of raising an error.
    return len(text.encode("utf-8", "replace"))


_MAX_NAME: Final = 63  # apimachinery, util/validation: qualifiedNameMaxLength, LabelValueMaxLength
_NAME: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE: Final = f"({_NAME})?"
_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")


def _texts(values: Iterable[str]) -> tuple[str, ...]:
    return every(values, str, "values")


@declared(about="An expression of a label selector.")
@attrs.frozen
class LabelRequirement(Record):
    """A requirement of ``matchExpressions``: *operator* is In, NotIn, Exists or DoesNotExist."""

    key: str = attrs.field(validator=is_text, metadata=meaning("The label.", empty="nullable"))
    operator: str = attrs.field(
        validator=is_text, metadata=meaning("In, NotIn, Exists or DoesNotExist.", empty="nullable")
    )
    values: tuple[str, ...] = attrs.field(
        default=(),
        converter=_texts,
        metadata=meaning("The values that In and NotIn compare with.", empty="nullable"),
    )

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return True if *labels* meet the requirement, which must be without :meth:`fault`."""
        if self.operator == "Exists":
            return self.key in labels
        if self.operator == "DoesNotExist":
            return self.key not in labels
        is_in = self.key in labels and labels[self.key] in self.values
        return is_in if self.operator == "In" else not is_in

    def fault(self) -> str:
        """Return why Kubernetes refuses the requirement, "" if it accepts it."""
        if self.operator not in _OPERATORS:
            return f"{quote(self.operator)} is not a valid label selector operator"
        faults = list(_key_faults(self.key))
        if self.operator in ("In", "NotIn") and not self.values:
            faults.append("values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty")
        if self.operator in ("Exists", "DoesNotExist") and self.values:
            faults.append(
                f"values: Invalid value: {_json(self.values)}: values set must be empty for exists and does not exist"
            )
        for position, value in enumerate(self.values):
            faults.extend(_value_faults(self.key, position, value))
        return _aggregate(faults)


def _labels(values: Mapping[str, str]) -> Mapping[str, str]:
    return by_name(values, "match_labels", str, "labels by their names")


def _requirements(values: Iterable[LabelRequirement]) -> tuple[LabelRequirement, ...]:
    return every(values, LabelRequirement, "match_expressions")


@declared(about="A label selector for catalogs.")
@attrs.frozen
class LabelSelector(Record):
    """*match_labels* must be equal, and all of *match_expressions* must match."""

    match_labels: Mapping[str, str] = attrs.field(
        factory=dict,
        hash=False,
        converter=_labels,
        metadata=meaning("The labels that a catalog must have.", empty="nullable"),
    )
    match_expressions: tuple[LabelRequirement, ...] = attrs.field(
        default=(),
        converter=_requirements,
        metadata=meaning("The expressions that must hold for a catalog's labels.", empty="nullable"),
    )

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return True if a catalog with *labels* is chosen; the selector must be without :meth:`fault`."""
        return all(labels.get(key) == value for key, value in self.match_labels.items()) and all(
            requirement.matches(labels) for requirement in self.match_expressions
        )

    def fault(self) -> str:
        """Return the first reason why Kubernetes refuses the selector, "" if it accepts it; labels by key first."""
        for key, value in sorted(self.match_labels.items()):
            if fault := _aggregate([*_key_faults(key), *_value_faults(key, 0, value)]):
                return fault
        return next(filter(None, (requirement.fault() for requirement in self.match_expressions)), "")


def _aggregate(faults: list[str]) -> str:
    # Kubernetes' aggregate says equal faults once.
    distinct = list(dict.fromkeys(faults))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]" if distinct else ""


def _key_faults(key: str) -> list[str]:
    faults = _qualified_name_faults(key)
    return [f"key: Invalid value: {quote(key)}: {'; '.join(faults)}"] if faults else []


def _value_faults(key: str, position: int, value: str) -> list[str]:
    faults = []
    if length(value) > _MAX_NAME:
        faults.append(too_long(_MAX_NAME))
    if not re.fullmatch(_VALUE, value):
        rule = (
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
            "and must start and end with an alphanumeric character"
        )
        faults.append(rule + examples(_VALUE, "MyValue", "my_value", "12345"))
    return [f"values[{position}][{key}]: Invalid value: {quote(value)}: {'; '.join(faults)}"] if faults else []


def _qualified_name_faults(key: str) -> list[str]:
    rule = (
        "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
        "alphanumeric character" + examples(_NAME, "MyName", "my.name", "123-abc")
    )
    prefix, slash, name = key.rpartition("/")
    if "/" in prefix:
        return [f"a valid label key {rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    faults = [f"prefix part {fault}" for fault in _prefix_faults(prefix)] if slash else []
    if not name:
        faults.append("name part must be non-empty")
    elif length(name) > _MAX_NAME:
        faults.append(f"name part {too_long(_MAX_NAME)}")
    if not re.fullmatch(_NAME, name):
        faults.append(f"name part {rule}")
    return faults


def _prefix_faults(prefix: str) -> list[str]:
    return subdomain_faults(prefix, "bytes") if prefix else ["must be non-empty"]


def _json(values: Iterable[str]) -> str:
    """Return a list as Go's JSON encoder writes it: compact, and with the special characters of HTML escaped."""
    text = json.dumps(list(values), ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
