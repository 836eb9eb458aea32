"""The rule of Kubernetes for names that are DNS subdomains, and its words."""

from __future__ import annotations

import re
from typing import Final

LONGEST_SUBDOMAIN: Final = 253
_SUBDOMAIN: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"


def subdomain_faults(name: str, unit: str = "characters") -> list[str]:
    """Return why Kubernetes takes *name* for no DNS subdomain (RFC 1123), in its words; empty if it is one.

    As recorded, it counts the length of names in characters and of prefixes of labels in bytes, by its words alone.
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
    return len(text.encode("utf-8", "replace"))
