"""Warnings where ``opm`` reads YAML otherwise than YAML's specification, with both readings."""

from __future__ import annotations

from typing import Final

from olmsolve.authoring.checks.finding import Finding, Severity, shortened
from olmsolve.catalog.fbc import Dialect, DialectUse, TextBehind

_READINGS: Final = {
    Dialect.MERGE_LATE: (
        "opm takes {written!r} from the merge key (<<) after it",
        "YAML keeps a field that is written next to a merge key",
        "write << before all other fields, and remove the fields that it brings",
    ),
    Dialect.MERGE_TWICE: (
        "opm merges both of two merge keys (<<), and the second one wins",
        "YAML allows a key once",
        "give one << a list of mappings: the first one wins",
    ),
    Dialect.MERGE_TAGGED: (
        "opm takes {written} for a merge key",
        "YAML reads the text <<",
        "write << for a merge key, and !!str << for text",
    ),
    Dialect.KEY_TWICE: (
        "the key {written!r} occurs twice in its object, and opm takes the last value",
        "YAML allows a key once",
        "remove one of them",
    ),
    Dialect.KEYS_ALIKE: (
        "two keys become {read!r}, and opm takes the value of either by chance",
        "YAML tells them apart by their types",
        "remove one of them",
    ),
    Dialect.KEY_NUMBER: (
        "opm reads the key {written} as {read!r}",
        "YAML reads a number, which most tools write without quotes",
        "put the key in quotes",
    ),
    Dialect.NUMBER_ROUNDED: (
        "opm reads {written} as {read}, because it has more than 64 bits",
        "YAML reads all its digits",
        "put it in quotes, if it is a text",
    ),
    Dialect.NUMBER_TEXT: (
        "opm reads {written} as text, because it cannot read this number",
        "YAML reads a number",
        "put it in quotes, if it is a text",
    ),
    Dialect.TAG_DROPPED: (
        "opm drops the tag {written}",
        "YAML lets the tag say what the value is",
        "leave out the tag",
    ),
    Dialect.BINARY: (
        "opm reads the text {read!r} from base64",
        "YAML reads bytes, which JSON does not have",
        "write the text itself, or the base64 without the tag",
    ),
    Dialect.ESCAPE: (
        "opm takes {written} in double quotes for {read}",
        "YAML has no such escape and refuses it",
        "leave out the backslash",
    ),
    Dialect.MARK: (
        "opm reads a byte-order mark (U+FEFF) as a part of {written!r}",
        "YAML allows a byte-order mark only at the beginning of a document, and drops it",
        "remove the mark, which most editors do not show",
    ),
    Dialect.FLOW_COLON: (
        "opm reads the text {read!r}, with its colon",
        "YAML reads a key without a value",
        "put a blank after the colon",
    ),
    Dialect.COMMENT: (
        "opm takes {written!r} for a comment",
        "YAML wants a blank before a comment",
        "put a blank before the #",
    ),
}


def remark_finding(remark: DialectUse | TextBehind) -> Finding:
    """Return the warning of what a reader of YAML remarked."""
    if isinstance(remark, TextBehind):
        reason = "a document has ended, and opm ignores everything from here to the next separator (---)"
        hint = "put a line with --- before each document"
        return Finding(Severity.WARNING, "text-ignored", reason, hint, origin=remark.origin)
    by_opm, by_yaml, hint = _READINGS[remark.dialect]
    fields = {"written": shortened(remark.written), "read": shortened(remark.read)}
    reason = f"{by_opm.format(**fields)}; {by_yaml}"
    return Finding(Severity.WARNING, "yaml-dialect", reason, hint, origin=remark.origin)
