"""Differences between the YAML of ``opm`` (goyaml) and YAML's specification, where a document shows them.

The content of a catalog is what ``opm`` makes of it, because ``opm`` serves it. An author who knows YAML, or another
tool, reads something else, so each such place is worth a remark.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from olmsolve._named_tuples import NamedTuple
from olmsolve.catalog import Origin


class Dialect(enum.StrEnum):
    """The readings that differ."""

    MERGE_LATE = "merge-late"
    """A merge key (``<<``) behind a field that it brings too: it wins, in place of the field."""
    MERGE_TWICE = "merge-twice"
    """Two merge keys in one mapping: both count, in their order."""
    MERGE_TAGGED = "merge-tagged"
    """A merge key with the tag ``!``, which otherwise makes text of what it stands before."""
    KEY_TWICE = "key-twice"
    """A key that stands twice in one mapping: the last one wins."""
    KEYS_ALIKE = "keys-alike"
    """Keys of two types that become one text, such as 1 and "1": which one wins is chance."""
    KEY_NUMBER = "key-number"
    """A number as a key whose text is not what is written: 1.0 becomes "1"."""
    NUMBER_ROUNDED = "number-rounded"
    """An integer beyond 64 bits, which becomes a double."""
    NUMBER_TEXT = "number-text"
    """A number that opm does not hold, and keeps as text: ``0x`` beyond 64 bits, or 1e400."""
    TAG_DROPPED = "tag-dropped"
    """A tag without effect: an unknown one, or one of a list or mapping."""
    BINARY = "binary"
    """Base64 under ``!!binary``, which becomes the text that it holds."""
    ESCAPE = "escape"
    """The escape of a single quote in double quotes, which YAML has not."""
    MARK = "mark"
    """A byte-order mark in the middle of a text, where it is part of what follows."""
    FLOW_COLON = "flow-colon"
    """A colon before a comma or a bracket: it is part of the text before it."""
    COMMENT = "comment"
    """A comment without a blank before it."""


class DialectUse(NamedTuple):
    """A place where a document uses the *dialect*: what is *written* there, and how ``opm`` has *read* it."""

    origin: Origin
    dialect: Dialect
    written: str
    read: str


class TextBehind(NamedTuple):
    """The place of text behind the end of a document, which is not read."""

    origin: Origin


Note: TypeAlias = Callable[[DialectUse | TextBehind], None] | None
"""Who is told of what a reader found beside the documents."""

_TAG: Final = "tag:yaml.org,2002:"
_OF_SCALARS: Final = frozenset(f"{_TAG}{name}" for name in ("str", "int", "float", "bool", "null", "timestamp")) | {"!"}


def tag_use(tag: str, value: Any) -> Dialect | None:
    """Return the use of the dialect that *tag* on a node of *value* is, None if YAML reads it so too."""
    if isinstance(value, dict | list):
        expected = f"{_TAG}{'map' if isinstance(value, dict) else 'seq'}"
        return None if tag in (expected, "!") else Dialect.TAG_DROPPED
    if tag == f"{_TAG}binary":
        return Dialect.BINARY
    return None if tag in _OF_SCALARS else Dialect.TAG_DROPPED
