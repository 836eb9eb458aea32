"""The bundles of a catalog become columns: what their properties say is read once, and typed.

No objects are kept on the way, since they would take more memory than the columns. So the facts of a bundle are read
here a second time, as :func:`olmsolve.predicates.published` reads them; tests compare the two.

Plain package requirements become intervals, once for all requests and in numbers only. For example, with versions of
package db in the catalog and their ranks among all versions::

    name_ranks of db == (3, 5, 8, 9)       its slots' versions 1.0.0, 1.1.0, 1.2.0, 2.0.0
    ">=1.1.0 <2.0.0" is the span of ranks (5, 9): versions of other packages have ranks as well
    bisected in name_ranks: the interval (1, 3), the slots of 1.1.0 and 1.2.0
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final, TypeAlias

from olmsolve._limits import checked
from olmsolve._patterns import pattern
from olmsolve.catalog import Package
from olmsolve.catalog.index.schema import DEPRECATED, HELD, NONE, PLAIN
from olmsolve.catalog.index.tables import Lists, Strings, json_text, numbers
from olmsolve.catalog.model import held_properties
from olmsolve.catalog.shared_parts import Listed, OwnPackage
from olmsolve.errors import RangeError, VersionError
from olmsolve.predicates import (
    GVK_NAMES,
    LABEL_NAMES,
    PACKAGE_FIELDS,
    PACKAGE_NAMES,
    PACKAGE_REQUIRED,
    REQUIREMENT_TYPES,
    Property,
    encoded,
    named,
)
from olmsolve.semver import BlangRange, Key, Version, well_formed

API: Final = 1 << 31
"""The bit of an API among groups. The group of API n is n plus the number of names, which is not known before the end:
until then it is n with this bit. With 3 names, groups (1, API | 0, API | 2) become (1, 3, 5)."""

_TEXT: Final = r'"([ !#-\[\]-~]*)"'  # of ASCII, without an escape
# The value of nearly all requirements of packages, as it is held: its two texts are cut out, without decoding. A dense
# catalog of 20,000 bundles is packed in 222 ms, and with decoding in 235.
_PLAIN_REQUIREMENT: Final = pattern(rf'\{{"packageName":{_TEXT},"versionRange":{_TEXT}\}}'.encode())


_ROW: Final = ("flags", "version", "packages", "groups", "labels", "requires")
"""The columns ``bundle_...`` of what the properties of a bundle say; ranks are made when all versions are known."""

_Row: TypeAlias = tuple[int, int, int, int, int, int]
_TEXTS: Final = frozenset({str})


class BundleColumns:
    """The columns of bundles, and of the tables of what they publish and require, as far as they are filled.

    *names* has the numbers of the packages' names, and gets the numbers of packages that only properties mention.
    *size* is the number of all bundles. Where versions are not *is_semantic*, no bundle has a rank: its version is read
    when it is asked for.
    """

    def __init__(
        self, strings: Strings, texts: Lists, names: dict[str, int], size: int, *, is_semantic: bool = True
    ) -> None:
        # Columns that grow beside each other leave holes in the memory, as large as half of them.
        self.columns: dict[str, array[int]] = {
            name: numbers([0]) * size for name in ("bundle_name", *(f"bundle_{column}" for column in _ROW))
        }
        self.groups: Lists = Lists()
        self.packages: Lists = Lists()
        self.requires: Lists = Lists()
        fields = ("type", "json", "fields")
        self.requirement: dict[str, array[int]] = {f"requirement_{name}": numbers() for name in fields}
        self.gvks: dict[tuple[str, str, str], int] = {}
        self.versions: dict[str, Key | None] = {}
        self._strings = strings
        self._texts = texts
        self._names = names
        self._requirements: dict[str, dict[bytes, int]] = {kind: {} for kind in REQUIREMENT_TYPES}
        # Most properties of a package's bundles are the same objects (45,149 properties of community-prod are 2,113):
        # what each says, by its identity. Without, that catalog is packed in 51 instead of 46 ms.
        self._gvk_of: dict[int, int] = {}
        self._requirement_of: dict[int, int] = {}
        # Of lists that bundles share but for their versions: the row of a bundle whose version is strict. The 6,890
        # bundles of community-prod have 1,017 lists, and without this, it is packed in 60 instead of 49 ms.
        self._row_of: dict[int, _Row] = {}
        # These objects, so that no other one gets the identity of one that is gone: bundles may be made when asked for.
        self._looked_up: list[object] = []
        self._added = 0
        self._is_semantic = is_semantic

    def __len__(self) -> int:
        """Return the number of bundles so far."""
        return self._added

    def add(self, package: Package) -> bool:
        """Add the bundles of *package*; return whether one of them does not say that it is of *package*."""
        undeclared = False
        name_number = self._names[package.name]
        rows: list[_Row] = []
        names: list[int] = []
        string_of, scoped, shared_rows = self._strings.number_of, self._strings.scoped, self._row_of
        for name, bundle in checked(package.bundles.items(), every=16):
            listed, version = held_properties(bundle)
            row = None if version is None else shared_rows.get(id(listed))
            if row is None or version is None or self._strict_version(version) is None:
                is_declared, row = self._row(name_number, listed, version)
                undeclared |= not is_declared
            else:
                row = (row[0], string_of(version), *row[2:])
            rows.append(row)
            names.append(scoped(name))
        start, self._added = self._added, self._added + len(rows)
        self.columns["bundle_name"][start : self._added] = numbers(names)
        for name, values in zip(_ROW, zip(*rows, strict=True), strict=False):
            self.columns[f"bundle_{name}"][start : self._added] = numbers(values)
        self._gvk_of.clear()
        self._requirement_of.clear()
        self._row_of.clear()
        self._looked_up.clear()
        self.groups.forget()
        self.requires.forget()
        return undeclared

    def _row(self, package: int, properties: Listed, own_version: str | None) -> tuple[bool, _Row]:
        """Return whether *properties* say that their bundle is of *package*, and its row."""
        packages: list[tuple[int, str | None]] = []
        version_text: str | None = None
        gvks: list[int] = []
        labels: set[str] = set()
        requires: list[int] = []
        flags, is_shared = 0, False
        for position, property_ in enumerate(properties):
            if isinstance(property_, OwnPackage):
                is_shared = True
                packages.append((self._name_number(property_.package), own_version))
                version_text = own_version if version_text is None else version_text
                continue
            kind = property_.type
            if kind == "olm.gvk":
                number = self._gvk_of.get(id(property_))
                gvks.append(self._gvk_number(property_) if number is None else number)
            elif kind in REQUIREMENT_TYPES:
                number = self._requirement_of.get(id(property_))
                if number is None:
                    number = self._requirement_number(property_)
                flags |= HELD if number < 0 else 0
                requires += (max(number, 0), position)
            elif kind == "olm.package":
                name, stated = self._stated_package(property_)
                if name is not None:
                    packages.append((self._name_number(name), stated))
                version_text = stated if version_text is None else version_text
            elif kind == "olm.label":
                value = property_.value
                label = named(value, LABEL_NAMES).get("label") if isinstance(value, dict) else None
                if isinstance(label, str):
                    labels.add(label)
            elif kind == "olm.deprecated":
                flags |= DEPRECATED
        pairs = 0
        if len(packages) == 1 and packages[0][1] == version_text and self._strict_version(version_text) is not None:
            flags |= PLAIN
        elif packages:
            pairs = self._package_list(packages)
        groups = dict.fromkeys([*[name_number for name_number, _ in packages], *gvks])
        groups.pop(NONE, None)  # a malformed API
        version = NONE if version_text is None else self._strings.number_of(version_text)
        label_list = self._texts.number_of(tuple(map(self._strings.number_of, sorted(labels)))) if labels else 0
        row = (
            flags,
            version,
            pairs,
            self.groups.number_of(tuple(groups)),
            label_list,
            self.requires.number_of(tuple(requires)),
        )
        is_declared = package in [name_number for name_number, _ in packages]
        if is_shared and flags & PLAIN and is_declared:
            self._row_of[id(properties)] = row
            self._looked_up.append(properties)
        return is_declared, row

    @staticmethod
    def _stated_package(property_: Property) -> tuple[str | None, str | None]:
        """Return the package and the version that an olm.package property states, each None where it states none."""
        value = property_.value
        if not isinstance(value, dict):
            return None, None
        value = named(value, PACKAGE_NAMES)
        name, version = value.get("packageName"), value.get("version")
        return name if isinstance(name, str) else None, version if isinstance(version, str) else None

    def _package_list(self, packages: list[tuple[int, str | None]]) -> int:
        versions = [(name, text if self._strict_version(text) is not None else None) for name, text in packages]
        numbered = [(name, NONE if text is None else self._strings.number_of(text)) for name, text in versions]
        return self.packages.number_of(tuple(chain.from_iterable(numbered)))

    def _name_number(self, text: str) -> int:
        return self._names.setdefault(text, len(self._names))

    def _strict_version(self, text: str | None) -> Key | None:
        if text is None:
            return None
        try:
            return self.versions[text]
        except KeyError:
            pass
        try:
            version = Version.parse(text).key if self._is_semantic else None
        except VersionError:
            version = None
        self.versions[text] = version
        return version

    def _gvk_number(self, property_: Property) -> int:
        """Return the number of the API that *property_* gives, with the bit of APIs; NONE if it is malformed."""
        number, value = NONE, property_.value
        if isinstance(value, dict):
            get = named(value, GVK_NAMES).get
            gvk = get("group", ""), get("version", ""), get("kind", "")
            if _TEXTS.issuperset(map(type, gvk)):
                number = API | self.gvk_row(gvk)
        self._gvk_of[id(property_)] = number
        self._looked_up.append(property_)
        return number

    def _requirement_number(self, property_: Property) -> int:
        """Return the number of the requirement that *property_* states, -1 for one that JSON cannot hold."""
        of_kind, text_read = self._requirements[property_.type], property_.held_text
        number = None if text_read is None else of_kind.get(text_read)
        if number is None and text_read is not None and (plain := _PLAIN_REQUIREMENT.fullmatch(text_read)):
            texts = (b"packageName", plain[1], b"versionRange", plain[2])
            number = of_kind[text_read] = self.append_requirement(property_.type, "", [text.decode() for text in texts])
        elif number is None:
            number = self._new_requirement(property_.type, property_.value, text_read, of_kind)
        self._requirement_of[id(property_)] = number
        self._looked_up.append(property_)
        return number

    def _new_requirement(self, kind: str, value: Any, text_read: bytes | None, of_kind: dict[bytes, int]) -> int:
        """Return the number of a requirement whose text, *text_read*, was not seen yet; its value may have been."""
        # An object of texts, as nearly all requirements are, is kept as a list of strings, which need no parsing.
        is_flat = type(value) is dict and _TEXTS.issuperset(map(type, value.values()))
        json = "" if is_flat else json_text(value)
        if json is None:
            return -1
        text = encoded(value)
        # The text that the catalog holds anyway is the key that takes no memory.
        key = text_read if text_read is not None and text_read == text else text
        number = of_kind.get(key)
        if number is None:
            fields = [part for item in value.items() for part in item] if is_flat else []
            number = of_kind[key] = self.append_requirement(kind, json, fields)
        return number

    def gvk_count(self) -> int:
        """Return the number of APIs so far."""
        return len(self.gvks)

    def gvk_row(self, gvk: tuple[str, str, str]) -> int:
        """Return the number of an API, which is added if it is new."""
        return self.gvks.setdefault(gvk, len(self.gvks))

    def append_requirement(self, kind: str, json: str, fields: Sequence[str]) -> int:
        """Add a requirement of a *kind*, whose value is the JSON text *json* or the object with *fields*; return it."""
        types, number_of = self.requirement["requirement_type"], self._strings.number_of
        text = number_of(json)
        types.append(number_of(kind))
        self.requirement["requirement_json"].append(text)
        self.requirement["requirement_fields"].append(self._texts.new([number_of(field) for field in fields]))
        return len(types) - 1

    # -- at the end, when all packages were seen

    def forget(self) -> None:
        """Forget what adding bundles looks up, which takes as much memory as the columns."""
        self._requirements.clear()
        self.groups.forget()
        self.packages.forget()

    def rank(self) -> tuple[list[Key], list[int]]:
        """Give PLAIN bundles their ranks; return the keys of the versions in their order, and the texts' strings."""
        texts: dict[Key, str] = {}
        for text, version in self.versions.items():
            if version is not None:
                texts.setdefault(version, text)
        ordered = sorted(texts)
        rank_of = {key: rank for rank, key in enumerate(ordered)}
        number_of = self._strings.number_of
        ranks = {number_of(text): rank_of[version] for text, version in self.versions.items() if version is not None}
        flags, versions = self.columns["bundle_flags"], self.columns["bundle_version"]
        self.columns["bundle_rank"] = numbers(
            ranks[version] if flag & PLAIN else NONE
            for flag, version in checked(zip(flags, versions, strict=True), every=4096)
        )
        return ordered, [number_of(texts[key]) for key in ordered]


_Spans = Sequence[tuple[int, int]]


def interval_columns(
    strings: Strings,
    texts: Lists,
    requirement: Mapping[str, array[int]],
    names: Mapping[str, int],
    ranks: Sequence[Key],
    postings: Mapping[str, array[int]],
    rows: Iterable[int] | None = None,
    columns_of_others: tuple[array[int], array[int], array[int]] | None = None,
) -> dict[str, array[int]]:
    """Return the columns ``requirement_name``, ``requirement_first`` and ``requirement_end``.

    *requirement* has the other columns of requirements, *names* the numbers of packages' names, *ranks* the sort keys
    of the versions, ascending, and *postings* the columns ``name_starts``, ``name_ranks`` and ``name_ranked``. No
    string is added. With *rows*, only these requirements are looked at, and *columns_of_others* are the columns of the
    other requirements.
    """
    package_field, range_field = map(strings.find, PACKAGE_FIELDS)
    name_of, spans_of = _NameOfString(strings, names), _SpansOfString(strings, ranks)
    name_starts, name_ranks, name_ranked = (postings[f"name_{column}"] for column in ("starts", "ranks", "ranked"))
    starts, items = texts.starts, texts.items
    kind = strings.find(PACKAGE_REQUIRED)
    types, jsons, lists = (requirement[f"requirement_{column}"] for column in ("type", "json", "fields"))
    if columns_of_others is not None:
        found_name, found_first, found_end = columns_of_others
    else:
        found_name = numbers([NONE]) * len(types)
        found_first, found_end = numbers([0]) * len(types), numbers([0]) * len(types)
    for number in checked(range(len(types)) if rows is None else rows, every=256):
        fields = lists[number]
        if types[number] != kind or jsons[number]:
            continue
        begin = starts[fields]
        if starts[fields + 1] - begin == 4 and items[begin] == package_field and items[begin + 2] == range_field:
            # The two fields in their usual order: no dict of four numbers for each of many requirements, which would be
            # 7 of the 219 ms in which a dense catalog of 20,000 bundles is packed.
            name, range_string = name_of[items[begin + 1]], items[begin + 3]
        else:
            end = starts[fields + 1]
            pairs = dict(zip(items[begin:end:2], items[begin + 1 : end : 2], strict=True))
            # An absent field counts as empty, and string 0 is the empty one.
            name, range_string = name_of[pairs.get(package_field, 0)], pairs.get(range_field, 0)
        if name == NONE or not name_ranked[name] or (spans := spans_of[range_string]) is None:
            continue
        start = name_starts[name]
        if len(spans) == 1:
            # Nearly all ranges are one span, for which two bisections do.
            lower, upper = spans[0]
            stop = name_starts[name + 1]
            first = bisect_left(name_ranks, lower, start, stop)
            end = bisect_left(name_ranks, upper, first, stop)
        else:
            first, end = _interval(name_ranks, start, name_starts[name + 1], spans)
        if first < end:
            found_name[number], found_first[number], found_end[number] = name, first - start, end - start
        elif first == end:
            found_name[number] = name
    return {"requirement_name": found_name, "requirement_first": found_first, "requirement_end": found_end}


def _interval(ranks: Sequence[int], start: int, stop: int, spans: _Spans) -> tuple[int, int]:
    """Return the interval of positions from *start* to *stop* whose *ranks* are in *spans*.

    Several spans can be one interval: between ``<1.0.0 || >1.0.0`` nothing is left out where no version is 1.0.0.
    (1, 0) stands for positions that are not one interval.
    """
    first = end = low = start
    for lower, upper in spans:
        low = bisect_left(ranks, lower, low, stop)
        high = bisect_left(ranks, upper, low, stop)
        if low == high:
            continue
        if first == end:
            first = low
        elif low != end:
            return 1, 0
        end = low = high
    return first, end


class _NameOfString(dict[int, int]):
    """The number of a package's name by the number of its string, NONE for other strings; each looked up once."""

    # Many requirements name a package: to cut its text out for each would be 12 of the 212 ms of such a catalog.

    def __init__(self, strings: Strings, names: Mapping[str, int]) -> None:
        super().__init__()
        self._strings = strings
        self._names = names

    def __missing__(self, string: int) -> int:
        name = self[string] = self._names.get(well_formed(self._strings.text_of(string)), NONE)
        return name


class _SpansOfString(dict[int, "_Spans | None"]):
    """The spans of ranks in a range by the number of its string, None if it does not parse; parsed once for each."""

    def __init__(self, strings: Strings, ranks: Sequence[Key]) -> None:
        super().__init__()
        self._strings = strings
        self._ranks = ranks

    def __missing__(self, string: int) -> _Spans | None:
        spans = self[string] = self._spans(well_formed(self._strings.text_of(string)))
        return spans

    def _spans(self, text: str) -> _Spans | None:
        try:
            cuts = BlangRange.parse(text).cuts
        except RangeError:
            return None
        ranks = [bisect_left(self._ranks, cut) for cut in cuts]
        return tuple(zip(ranks[::2], ranks[1::2], strict=True))
