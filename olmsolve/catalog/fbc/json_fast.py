"""Usual JSON documents, decoded by msgspec, which is fast and says little about errors.

A document is taken only if the careful reader (:mod:`olmsolve.catalog.fbc.json_text`) would take it with the same
value. Unusual and wrong documents are left to that reader, and so is saying what is wrong.

The properties of usual bundles are read without Python objects for what the catalog has already. Versions of an
operator repeat most of their properties, to the letter. A property is cut out of the text of its bundle as it is
written, and one that was written before is the same object again::

    {"type":"olm.gvk","value":{"group":"g","kind":"K","version":"v1"}}   read once, then found by these characters

Lists without spaces, as ``opm`` writes them on lines, are cut where one property seems to end and the next to begin. If
each part is a property by itself, that is what the list says, since there is only a comma between two of them; if one
is not, the cut went through a value, and msgspec separates the elements.

A bundle is usual if it has the fields of bundles in the order in which ``opm`` writes them, and nothing else. The
others are left to the reader of all JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any, Final, TypeAlias

from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.catalog.fbc.document import DEPTH, is_too_deep
from olmsolve.catalog.shared_parts import (
    OWN,
    HeldImage,
    HeldProperties,
    Listed,
    OwnPackage,
    Repository,
    whole_image,
    whole_properties,
)
from olmsolve.predicates import Property, property_of

_SHARED: Final = 200_000  # properties of one type that are remembered so that equal ones can be one
_WRITTEN: Final = 500  # properties remembered by their text: a package's bundles follow each other and repeat many
_LONGEST: Final = 1_000  # characters of such a property: longer ones, such as manifests, hardly ever come again
_PROPERTY: Final = ["type", "value"]
_BEGIN: Final = '{"type":'
_BETWEEN: Final = f"}},{_BEGIN}"

_SPACE: Final = r"[ \t\n\r]*"
_NAME: Final = r'"([^"\\\x00-\x1f]+)"'
_IMAGE: Final = r'"([^"\\\x00-\x1f@]+)(?:@sha256:(.{64}))?"'


def _head(space: str) -> re.Pattern[str]:
    """Return the pattern of a bundle up to its properties, with *space* where JSON may have white space."""
    return pattern(
        rf'\{{{space}"schema":{space}"olm\.bundle",{space}"name":{space}{_NAME},{space}"package":{space}{_NAME},'
        rf'{space}(?:"image":{space}{_IMAGE},{space})?"properties":{space}(?=\[)'
    )


# Blobs on lines mostly are without white space: looking for it everywhere takes 2 of the 80 ms of community-prod.
_COMPACT_HEAD: Final = _head("")
_spaced_head: Final = cache(partial(_head, _SPACE))

_TEXT: Final = r'"[ !#-\[\]-~]*"'  # of ASCII, without an escape
_PLAIN: Final = pattern(
    rf'"([!#-\[\]-~]+)","value":(\{{"(?:packageName":{_TEXT},"version(?:Range)?|group":{_TEXT},"(?:kind":{_TEXT},'
    rf'"version|version":{_TEXT},"kind)|label)":{_TEXT}\}})'
)
"""A property, after its begin, whose value is written as it is held: packages, APIs, labels, requirements of them."""
_RELATED: Final = pattern(rf'\]({_SPACE},{_SPACE}"relatedImages":{_SPACE})\[')


_Part: TypeAlias = str | bytes
"""The text of a property without its begin and its last brace, or all its bytes if it begins in another way."""


class _FastCodec(NamedTuple):
    """The functions of msgspec that are used here, and the errors that they raise."""

    elements: Callable[[str], list[Any]]
    value: Callable[[str | bytes], Any]
    text: Callable[[Any], bytes]
    failures: tuple[type[Exception], ...]


@cache
def _codec() -> _FastCodec | None:
    # Imported on first use: a small catalog is read before msgspec is loaded.
    try:
        import msgspec
    except ImportError:
        return None
    return _FastCodec(
        msgspec.json.Decoder(list[msgspec.Raw]).decode,
        msgspec.json.Decoder().decode,
        msgspec.json.Encoder().encode,
        (msgspec.MsgspecError, ValueError, RecursionError, OverflowError),
    )


@cache
def usual_objects() -> bool:
    """Return whether the fast decoder is installed."""
    return _codec() is not None


class PropertyTable:
    """The properties of a catalog that is being read; equal properties become one object.

    *drop* names types of properties to leave out of usual bundles.
    """

    def __init__(self, drop: frozenset[str] = frozenset()) -> None:
        self.drop = drop
        self._shared: dict[str, dict[bytes, Property]] = {}
        self._kinds: dict[str, str] = {}
        self._written: dict[_Part, Property] = {}
        # The package of the bundle before, how its own property begins, the texts around this property, and the list.
        self._own = OwnPackage("")
        self._own_text = self._before = self._behind = ""
        self._listed: Listed = ()
        # Versions are few texts: most packages have a 1.0.0, and the 6,890 bundles of community-prod have 2,043.
        self._versions: dict[str, str] = {}
        self._repositories: dict[str, Repository] = {}

    def one_of_equals(self, kind: str, text: bytes) -> Property:
        """Return the property with this type and JSON *text*: the object that was made before, while it is remembered.

        The 300 bundles of a package that require ``{"packageName":"db","versionRange":">=1.0.0"}`` hold one object.
        """
        # The property olm.package differs in each bundle, so none would be found again.
        if kind == OWN:
            return property_of(OWN, text)
        # A version mostly provides and requires the same as the version before it.
        of_kind = self._shared.get(kind)
        if of_kind is None or len(of_kind) >= _SHARED:
            of_kind = self._shared[kind] = {}
        item = of_kind.get(text)
        if item is None:
            item = of_kind[text] = property_of(self._kinds.setdefault(kind, kind), text)
        return item

    def usual_bundle(self, text: str) -> dict[str, Any] | None:
        """Return the fields of the ``olm.bundle`` blob in *text*, None where anything about it is unusual.

        The properties are :class:`.HeldProperties`, which say everything that is written in their list, and the image
        is a :class:`.HeldImage`. All else is as JSON has it.
        """
        head = (_COMPACT_HEAD if text.startswith('{"schema":"') else _spaced_head()).match(text)
        codec = _codec()
        if head is None or text[-1] != "}" or codec is None:
            return None
        begin, related = head.end(), None
        # A bracket, a comma, a quote: inside of a string the quote would be escaped, so this is where a list ends.
        images = _RELATED.search(text, begin) if '"relatedImages"' in text else None
        name, package, image, digest = head.groups()
        image_parts = (image, None) if digest is None else self._image(image, digest)
        if image_parts is None:
            return None
        try:
            properties = self._properties_kept(text[begin : images.start(1) if images else -1], package, codec)
            if images:
                written = text[images.end(1) : -1].encode()
                related = codec.value(written) if _is_harmless(written) else None
        except codec.failures:
            return None
        if properties is None or (images and type(related) is not list):
            return None
        fields: dict[str, Any] = {"schema": "olm.bundle", "name": name, "package": package}
        if image is not None:
            fields["image"] = image_parts
        fields["properties"] = properties
        if images:
            fields["relatedImages"] = related
        return fields

    def _properties_kept(self, text: str, package: str, codec: _FastCodec) -> HeldProperties | None:
        """Return the properties in the *text* of a list; None if one has a field beside ``type`` and ``value``."""
        if package != self._own.package:
            self._begin(package)
        begin = text.find(self._own_text) if self._own_text else -1
        end = text.find('"', begin + len(self._own_text)) if begin >= 0 else -1
        if text.startswith('"}}', end) if end >= 0 else False:
            version = self._version(text[begin + len(self._own_text) : end])
            before, behind = text[:begin], text[end + 3 :]
            # Versions of an operator mostly have the same text around this property, so the list before is theirs as
            # well: community-prod loads in 79 ms, and in 88 without this look.
            is_same = before == self._before and behind == self._behind
            if version is not None and (is_same or self._read_around(before, behind, codec)):
                return self._listed, version
        properties = self._properties(text, codec)
        return None if properties is None else (properties, None)

    def _begin(self, package: str) -> None:
        """Forget the list of the package before, and begin one of *package*."""
        self._own, self._before = OwnPackage(package), ""
        is_plain = package.isascii() and package.isprintable() and OWN not in self.drop
        own_text = f'{{"type":"{OWN}","value":{{"packageName":"{package}","version":"'
        self._own_text = own_text if is_plain else ""

    def _image(self, name: str, digest: str) -> HeldImage | None:
        """Return the image of a repository's *name* and a *digest*, None if this is not written as 64 digits are."""
        try:
            digest_bytes = bytes.fromhex(digest)
        except ValueError:
            return None
        if digest_bytes.hex() != digest:
            return None
        repository = self._repositories.get(name)
        if repository is None:
            repository = self._repositories[name] = Repository(name)
        return repository, digest_bytes

    def _version(self, text: str) -> str | None:
        """Return the one object of equal versions, None for a *text* that is not as JSON writes it without escapes."""
        version = self._versions.get(text)
        if version is None and text.isascii() and text.isprintable() and "\\" not in text:
            version = self._versions[text] = text
        return version

    def _read_around(self, before: str, behind: str, codec: _FastCodec) -> bool:
        """Read the list around a bundle's own property; return False where it is better read as a whole."""
        first: tuple[Property, ...] | None = ()
        last: tuple[Property, ...] | None = ()
        try:
            if before != "[":
                is_cut = before.startswith('[{"type":') and before.endswith("},")
                first = self._properties_of(before[9:-2].split(_BETWEEN), codec) if is_cut else None
            if behind != "]":
                is_cut = behind.startswith(',{"type":') and behind.endswith("}]")
                last = self._properties_of(behind[9:-2].split(_BETWEEN), codec) if is_cut else None
        except codec.failures:
            return False  # the property is inside of another one
        if first is None or last is None:
            return False
        self._before, self._behind, self._listed = before, behind, (*first, self._own, *last)
        return True

    def _properties(self, text: str, codec: _FastCodec) -> tuple[Property, ...] | None:
        """Return the properties in the *text* of a list; None if one has a field beside ``type`` and ``value``."""
        if text.startswith('[{"type":') and text.endswith("}]"):
            try:
                return self._properties_of(text[9:-2].split(_BETWEEN), codec)
            except codec.failures:
                pass  # some value holds what looks like the text between two properties
        begin = _BEGIN.encode()
        elements = map(bytes, codec.elements(text))
        return self._properties_of(
            [element[8:-1].decode() if element.startswith(begin) else element for element in elements], codec
        )

    def _properties_of(self, parts: Iterable[_Part], codec: _FastCodec) -> tuple[Property, ...] | None:
        """Return the properties whose texts are *parts*; None if one has a field beside ``type`` and ``value``."""
        written = self._written
        properties: list[Property] = []
        for part in parts:
            # Found by its characters, or cut into type and value by one expression: a dense catalog of 20,000 bundles
            # is loaded in 233 ms, without the first in 254, and without the second in 259.
            item = written.get(part)
            if item is None and type(part) is str and (plain := _PLAIN.fullmatch(part)):
                kind, text = plain.groups()
                if kind in self.drop:
                    continue
                item = self._new(part, kind, text.encode())
            elif item is None:
                # The decoder alone knows what the text means: it may be written with spaces, escapes, keys twice.
                element = part if isinstance(part, bytes) else f"{_BEGIN}{part}}}".encode()
                value = codec.value(element)
                if type(value) is not dict or list(value) != _PROPERTY or not _is_harmless(element):
                    return None
                kind = value["type"]
                if type(kind) is not str or not kind:
                    return None
                if kind in self.drop:
                    continue
                item = self._new(part, kind, codec.text(value["value"]))
            properties.append(item)
        return tuple(properties)

    def _new(self, part: _Part, kind: str, text: bytes) -> Property:
        """Return the property of a *kind* with a value of this *text*, remembered as it was written in *part*."""
        if kind == OWN:
            return property_of(OWN, text)
        item = self.one_of_equals(kind, text)
        if len(part) <= _LONGEST:
            if len(self._written) >= _WRITTEN:
                self._written.clear()
            self._written[part] = item
        return item


def plain_bundle(value: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a usual bundle as the reader of all JSON gives them: with a list of properties, and a text.

    >>> line = '{"schema":"olm.bundle","name":"b","package":"p","properties":[{"type":"a","value":["x"]}]}'
    >>> plain_bundle(PropertyTable().usual_bundle(line))["properties"]
    [{'type': 'a', 'value': ['x']}]
    """
    fields = dict(value)
    fields["properties"] = [
        {"type": property_.type, "value": property_.value} for property_ in whole_properties(value["properties"])
    ]
    if "image" in fields:
        fields["image"] = whole_image(value["image"])
    return fields


def _is_harmless(text: bytes) -> bool:
    """Return whether *text* is neither nested too deep nor has half characters, which the careful reader replaces."""
    return text.count(b"{") + text.count(b"[") < DEPTH and b"\\ud" not in text and b"\\uD" not in text


def usual_object(text: str, properties: PropertyTable | None = None) -> dict[str, Any] | None:
    """Return the JSON object in *text*; None where the careful reader must look at it.

    With a table of *properties*, the properties of a usual bundle are a tuple from this table.
    """
    # Taken apart as text, the bundles of community-prod are loaded in 78 ms; as values that msgspec makes, in 120.
    if properties is not None and (bundle := properties.usual_bundle(text)) is not None:
        return bundle
    codec = _codec()
    if codec is None or ("\\u" in text and ("\\ud" in text or "\\uD" in text)):
        return None
    if is_too_deep(text):
        return None
    try:
        value = codec.value(text)
        return value if isinstance(value, dict) else None
    except codec.failures:
        return None
