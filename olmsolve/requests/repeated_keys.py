"""Keys that stand twice in one object of a request document: the second would silently take the place of the first.

Catalogs and the objects of clusters are read as ``opm`` and ``kubectl`` read them, and there the last of equal keys
wins. Nobody else reads request documents, and a key that stands twice in one is a mistake.
"""

from __future__ import annotations

from typing import Any, Final

from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern

LARGEST: Final = 1 << 18
"""The most bytes of a document that is looked at: people write smaller ones, and programs repeat no key."""

_FLOW: Final = pattern(
    r"""([{}])|((?<![\w./$-])"(?:[^"\\]|\\.)*"|(?<![\w./$-])'[^']*'|[\w./$-]+)"""
    r"""(?:\s*(:)(?=\s|$|["'\[{\d])|(?<=["'])\s*(:))?|(["'])"""
)
"""A brace; a text with its colon, if it is a key; or a quote that opens no text in its line, as in ``it's``."""

_CONTENT: Final = frozenset({"blobs", "fbc"})
"""The fields that hold a catalog, in which equal keys mean what they mean in every catalog."""


class RepeatedKey(NamedTuple):
    """A *key* that occurs twice in one object, the second time on *line*, from 1."""

    key: str
    line: int


def repeated_key(text: str) -> RepeatedKey | None:
    """Return the first key that occurs twice in one object of the request documents in *text*, None without any."""
    # PyYAML takes longer to load than most documents take to read.
    return _first_repeated(text) if _may_repeat(text) else None


def _may_repeat(text: str) -> bool:
    """Return whether a key may stand twice: seen from the columns of the lines, and from braces, without parsing.

    It errs on the side of True: in text of several lines, what looks like a key counts as one.
    """
    mappings: list[tuple[int, set[str]]] = []  # those open in block style, each with its column
    braces: list[set[str]] = []
    for line in text.splitlines():
        content = line.lstrip(" ")
        if not braces and content and content[0] not in "#{[":
            if line.startswith(("---", "...")):
                mappings.clear()
            dash = column = len(line) - len(content)
            while content.startswith("- "):
                content = content[1:].lstrip(" ")
                column = len(line) - len(content)
            key, colon, _ = content.partition(":")
            if colon and content[0] not in "{[":
                # A dash begins another object, also in the column of the last one.
                while mappings and mappings[-1][0] > dash:
                    mappings.pop()
                if not mappings or mappings[-1][0] != column:
                    mappings.append((column, set()))
                if _is_known(key, mappings[-1][1]):
                    return True
        if braces or "{" in content:
            for match in _FLOW.finditer(content):
                brace, key, before_space, behind_quote, quote = match.groups()
                if quote:
                    return True  # where texts end is for a parser to say
                if brace == "{":
                    braces.append(set())
                elif brace and braces:
                    braces.pop()
                elif braces and (before_space or behind_quote) and _is_known(key, braces[-1]):
                    return True
    return False


def _is_known(key: str, keys: set[str]) -> bool:
    """Return whether *key*, without quotes, is among *keys*, which have it afterwards."""
    plain = key.strip("\"' ")
    if plain in keys:
        return True
    keys.add(plain)
    return False


class _OpenNode:
    """An open list or mapping: the *keys* of a mapping (None for a list), and the *key* whose value comes next.

    With *is_key*, it is itself a key of the mapping around it.
    """

    __slots__ = ("is_key", "key", "keys")

    def __init__(self, keys: set[str] | None, *, is_key: bool) -> None:
        self.keys = keys
        self.key: str | None = None
        self.is_key = is_key


def _first_repeated(text: str) -> RepeatedKey | None:
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    document = _KeyWalk()
    try:
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.DocumentStartEvent):
                document = _KeyWalk()
            elif isinstance(event, yaml.DocumentEndEvent):
                if document.found is not None and "apiVersion" not in document.root:
                    return document.found
            elif isinstance(event, yaml.CollectionStartEvent):
                document.open(is_mapping=isinstance(event, yaml.MappingStartEvent))
            elif isinstance(event, yaml.CollectionEndEvent):
                document.close()
            elif isinstance(event, yaml.NodeEvent):
                text = event.value if isinstance(event, yaml.ScalarEvent) else ""
                document.scalar(text, event.start_mark.line + 1 if event.start_mark is not None else 1)
    except yaml.YAMLError:
        pass  # read once before: the reader of documents tells what is wrong
    return None


class _KeyWalk:
    """One document while its events come: the keys of its *root*, and the first repeated key that was *found*."""

    def __init__(self) -> None:
        self.root: set[str] = set()
        self.found: RepeatedKey | None = None
        self._outer: list[_OpenNode] = []

    def open(self, *, is_mapping: bool) -> None:
        """Open a list or a mapping."""
        is_key = self._takes_key()
        if is_key:
            self._outer[-1].key = ""
        keys = set() if self._outer else self.root
        self._outer.append(_OpenNode(keys if is_mapping else None, is_key=is_key))

    def close(self) -> None:
        """Close the innermost list or mapping; its key, unless it is one, is done with."""
        done = self._outer.pop()
        if self._outer and not done.is_key:
            self._outer[-1].key = None

    def scalar(self, text: str, line: int) -> None:
        """Take a key or a value, which is the *text* of a scalar or an alias ("")."""
        if not self._outer:
            return
        top = self._outer[-1]
        if top.keys is None or top.key is not None:
            top.key = None
            return
        # The fields of catalogs are not looked at.
        if text in top.keys and self.found is None and _CONTENT.isdisjoint(level.key for level in self._outer[:-1]):
            self.found = RepeatedKey(text, line)
        top.keys.add(text)
        top.key = text

    def _takes_key(self) -> bool:
        return bool(self._outer) and self._outer[-1].keys is not None and self._outer[-1].key is None
