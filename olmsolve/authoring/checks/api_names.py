"""Names of APIs by Kubernetes' rules: a group, version or kind that no API server accepts is never provided."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from olmsolve.predicates import GVK_NAMES, named

TYPES: Final = ("olm.gvk", "olm.gvk.required")
"""The property types whose value is an API."""

_LABEL: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_WORD: Final = re.compile(r"[a-z](?:[-a-z0-9]*[a-z0-9])?")
_LONGEST_LABEL: Final = 63
_LONGEST_GROUP: Final = 253


def faults(value: Any) -> Iterator[tuple[str, str]]:
    """Yield field and reason for each part of the API *value* that is there and that Kubernetes does not accept.

    The rules are those of CustomResourceDefinitions: the group is a DNS subdomain (RFC 1123), the version and the kind
    in lower case are DNS labels that begin with a letter (RFC 1035). The group of the core is empty.

    >>> list(faults({"group": "example.com", "version": "1", "kind": "Widget"}))
    [('version', "'1' is not a label: lower-case letters, digits and hyphens, beginning with a letter")]
    """
    if not isinstance(value, dict):
        return
    fields = named(value, GVK_NAMES)
    for field, rule, wanted in _RULES:
        text = fields.get(field)
        if isinstance(text, str) and text and not rule(text):
            yield field, f"{_shown(text)} is not {wanted}"


def _is_subdomain(text: str) -> bool:
    labels = text.split(".")
    return len(text) <= _LONGEST_GROUP and all(
        len(label) <= _LONGEST_LABEL and _LABEL.fullmatch(label) is not None for label in labels
    )


def _is_word(text: str) -> bool:
    return len(text) <= _LONGEST_LABEL and _WORD.fullmatch(text) is not None


def _shown(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_LABEL else f"{text[:_LONGEST_LABEL]}...")


_RULES: Final[tuple[tuple[str, Callable[[str], bool], str], ...]] = (
    ("group", _is_subdomain, "a subdomain: labels of lower-case letters, digits and hyphens, with dots between them"),
    ("version", _is_word, "a label: lower-case letters, digits and hyphens, beginning with a letter"),
    ("kind", lambda kind: _is_word(kind.lower()), "a kind: letters, digits and hyphens, beginning with a letter"),
)
