"""The catalog model: immutable values that know nothing of files or resolvers.

Names and fields follow the file-based catalog schemas (``olm.package``, ``olm.channel``, ``olm.bundle``,
``olm.deprecations``) of OLM's documentation. A model may hold faults (a channel with two heads, a property that does
not parse): resolution and validation decide whether they matter.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias, TypeVar

import attrs

from olmsolve._arguments import wrong_type
from olmsolve._frozen import quickly_made, shared_methods
from olmsolve._limits import held
from olmsolve.catalog.shared_parts import HeldImage, HeldProperties, whole_image, whole_properties
from olmsolve.predicates import JsonObject, Property

T = TypeVar("T")

Written: TypeAlias = tuple[str, ...] | JsonObject | None
"""How a blob was written, as far as its model does not say it: the names of its fields in their order, if these and the
model give the blob back; otherwise the whole blob. None for a blob that was made in memory."""

_EMPTY: Mapping[str, Any] = {}
_NO_LINE = 0


@quickly_made
@attrs.frozen
@shared_methods
class Origin:
    """The position where a blob was read: *file* as given or found, *document* from 1, *line* from 1 or None.

    Origins of findings may have the *line* of a field, and its *column* from 1; blobs have no column.
    """

    file: str
    document: int = 1
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        if self.line is not None:
            return f"{self.file}:{self.line}" if self.column is None else f"{self.file}:{self.line}:{self.column}"
        return f"{self.file}, document {self.document}"

    @property
    def position(self) -> int:
        """Document and line in one number: document 3 on line 17 is ``3 << 32 | 17``; line 0 stands for None.

        An int is smaller than an :class:`Origin`, and indexes keep a column of them.
        """
        return self.document << 32 | (self.line or _NO_LINE)

    @classmethod
    def at(cls, file: str, position: int) -> Origin:
        """Return the origin in *file* whose :attr:`position` this is."""
        return cls(file, position >> 32, position & 0xFFFF_FFFF or None)


@attrs.frozen
@shared_methods
class StreamOrigin(Origin):
    """A position in what cannot be read twice, such as standard input; *kept* returns what was read of it."""

    kept: Callable[[], bytes] = attrs.field(kw_only=True, eq=False, repr=False)


_NEXT_LINE: Final = 1 << 32 | 1
_LONGEST_RUN: Final = 256


@attrs.frozen
@shared_methods
class LineRun:
    """Documents of *file* that follow each other, each on a line of its own; *first* is the position of the first.

    A blob of a run keeps its number in the run in place of its position. Python has one object for each number up to
    256, but would make one of 32 bytes for each position::

        LineRun("c.json", 10 << 32 | 12) and 3    document 13 on line 15 of c.json
    """

    file: str
    first: int

    def origin(self, number: int) -> Origin:
        """Return the origin of the document with this *number* in the run, from 0."""
        return Origin.at(self.file, self.first + number * _NEXT_LINE)

    def number_of(self, file: str, position: int) -> int | None:
        """Return the number in the run of the document at *position* in *file*, None for one outside of the run."""
        number, between = divmod(position - self.first, _NEXT_LINE)
        return number if not between and 0 <= number < _LONGEST_RUN and file == self.file else None


class _HasOrigin:
    """A value that was read from a file, or made in memory.

    There is one for each blob of a catalog. So it keeps the file's name or a run of lines, which blobs of a file share,
    and one number, and makes the :class:`Origin` when it is asked for.
    """

    __slots__ = ()
    _origin: Origin | LineRun | str | None
    _position: int

    @property
    def origin(self) -> Origin | None:
        """The file and document of the blob; None for a blob that was made in memory."""
        known = self._origin
        if isinstance(known, LineRun):
            return known.origin(self._position)
        return Origin.at(known, self._position) if isinstance(known, str) else known


@quickly_made
@attrs.frozen(weakref_slot=False)
@shared_methods
class ChannelEntry:
    """A bundle in a channel, with the update edges that lead to it; *skip_range* is text, "" if absent."""

    name: str
    replaces: str = ""
    skips: tuple[str, ...] = ()
    skip_range: str = ""


@quickly_made
@attrs.frozen(weakref_slot=False)
@shared_methods
class Channel(_HasOrigin):
    """An update stream of a package; *extra* holds the blob's other fields."""

    package: str
    name: str
    entries: tuple[ChannelEntry, ...]
    properties: tuple[Property, ...] = ()
    extra: Mapping[str, Any] = attrs.field(default=_EMPTY, repr=False, hash=False)
    _origin: Origin | LineRun | str | None = attrs.field(default=None, eq=False, repr=False)
    _position: int = attrs.field(default=0, eq=False, repr=False)
    written: Written = attrs.field(default=None, eq=False, repr=False)


@quickly_made
@attrs.frozen(weakref_slot=False)
@shared_methods
class Bundle(_HasOrigin):
    """One version of a package; *extra* holds the blob's other fields (relatedImages, ...).

    A bundle that was read from a file may hold its *properties* as a list that it shares with other bundles, and its
    own version: and its *image* as a repository that it shares, and a digest: see
    :mod:`olmsolve.catalog.shared_parts`.
    """

    package: str
    name: str
    properties: tuple[Property, ...]
    image: str = ""
    extra: Mapping[str, Any] = attrs.field(default=_EMPTY, repr=False, hash=False)
    _origin: Origin | LineRun | str | None = attrs.field(default=None, eq=False, repr=False)
    _position: int = attrs.field(default=0, eq=False, repr=False)
    written: Written = attrs.field(default=None, eq=False, repr=False)
    _own_version: str | None = attrs.field(default=None, eq=False, repr=False)
    _digest: bytes | None = attrs.field(default=None, eq=False, repr=False)


# The slots behind `Bundle.properties` and `Bundle.image`, which make whole values anew where the bundle shares a part.
_LISTED: Any = Bundle.__dict__["properties"]
_OWN_VERSION: Any = Bundle.__dict__["_own_version"]
_IMAGE: Any = Bundle.__dict__["image"]
_DIGEST: Any = Bundle.__dict__["_digest"]


def held_properties(bundle: Bundle) -> HeldProperties:
    """Return the properties of *bundle* as it holds them."""
    return _LISTED.__get__(bundle), _OWN_VERSION.__get__(bundle)


def held_image(bundle: Bundle) -> HeldImage:
    """Return the image of *bundle* as it holds it."""
    return _IMAGE.__get__(bundle), _DIGEST.__get__(bundle)


def held_origin(blob: _HasOrigin) -> tuple[Origin | LineRun | str | None, int]:
    """Return the origin of *blob* as it holds it: a file or a run of lines, and a position or a number in the run."""
    return blob._origin, blob._position  # noqa: SLF001 (fields of this module's classes)


def _whole_properties(bundle: Bundle) -> tuple[Property, ...]:
    return whole_properties(held_properties(bundle))


def _whole_image(bundle: Bundle) -> str:
    return whole_image(held_image(bundle))


setattr(Bundle, "properties", property(_whole_properties, _LISTED.__set__))  # noqa: B010 - mypy knows a field
setattr(Bundle, "image", property(_whole_image, _IMAGE.__set__))  # noqa: B010


@attrs.frozen
@shared_methods
class Deprecation:
    """One entry of ``olm.deprecations``; *schema* is olm.package, olm.channel or olm.bundle."""

    schema: str
    name: str
    message: str


@attrs.frozen(weakref_slot=False)
@shared_methods
class Blob(_HasOrigin):
    """A blob of a schema that olmsolve does not interpret, kept whole in *value*."""

    schema: str
    value: Mapping[str, Any] = attrs.field(hash=False)
    _origin: Origin | LineRun | str | None = attrs.field(default=None, eq=False, repr=False)
    _position: int = attrs.field(default=0, eq=False, repr=False)


@attrs.frozen(weakref_slot=False)
class Package(_HasOrigin):
    """A package with its channels and bundles by name, in the order in which they were read."""

    name: str
    default_channel: str
    channels: Mapping[str, Channel] = attrs.field(hash=False)
    bundles: Mapping[str, Bundle] = attrs.field(hash=False)
    deprecations: tuple[Deprecation, ...] = ()
    description: str = ""
    extra: Mapping[str, Any] = attrs.field(default=_EMPTY, repr=False, hash=False)
    _origin: Origin | LineRun | str | None = attrs.field(default=None, eq=False, repr=False)
    _position: int = attrs.field(default=0, eq=False, repr=False)
    written: Written = attrs.field(default=None, eq=False, repr=False)
    deprecations_blob: Blob | None = attrs.field(default=None, eq=False, repr=False)

    def __repr__(self) -> str:
        return f"<Package {self.name}: {len(self.channels)} channels, {len(self.bundles)} bundles>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show :func:`repr` in IPython and Hypothesis, which would else list every bundle."""
        printer.text(repr(self))


class _Memo:
    """Values derived from an immutable object, each built on the first call; left out of pickles."""

    __slots__ = ("_lock", "_values")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._values: dict[object, Any] = {}

    def get(self, key: object, build: Callable[[], T]) -> T:
        # Without the lock where the value is there, which is every time but the first.
        try:
            value: T = self._values[key]
        except KeyError:
            with held(self._lock):
                if key not in self._values:
                    self._values[key] = build()
                value = self._values[key]
        return value

    def known(self, key: object) -> Any:
        """Return the value of *key* if it was built, else None."""
        return self._values.get(key)

    def __reduce__(self) -> tuple[type[_Memo], tuple[()]]:
        return _Memo, ()


def _is_mapping(_: object, field: attrs.Attribute[Any], value: object) -> None:
    if not isinstance(value, Mapping):
        raise wrong_type(value, "a mapping of packages by their names", field.name)


@attrs.frozen
class Catalog:
    """Packages by name, and the blobs of other schemas; *origin* says where it came from (a path, or "").

    >>> import olmsolve
    >>> catalog = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> {package.name: [*package.channels] for package in catalog}
    {'parcels': ['stable'], 'storefront': ['1.x', '2.x']}
    """

    packages: Mapping[str, Package] = attrs.field(hash=False, validator=_is_mapping)
    others: tuple[Blob, ...] = ()
    origin: str = attrs.field(default="", eq=False)
    _memo: _Memo = attrs.field(factory=_Memo, init=False, eq=False, repr=False)

    def __repr__(self) -> str:
        channels = sum(len(package.channels) for package in self.packages.values())
        bundles = sum(len(package.bundles) for package in self.packages.values())
        return f"<Catalog {self.origin}: {len(self.packages)} packages, {channels} channels, {bundles} bundles>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show :func:`repr` in IPython and Hypothesis, which would else list every bundle."""
        printer.text(repr(self))

    def __iter__(self) -> Iterator[Package]:
        return iter(self.packages.values())

    def derived(self, key: object, build: Callable[[], T]) -> T:
        """Return what *build* makes of this catalog, made once per *key* and shared between threads.

        Indexes live here, so that they live and die with their catalog and need no global table.
        """
        return self._memo.get(key, build)


def made_of(catalog: Catalog, key: Callable[..., T]) -> T | None:
    """Return what :meth:`Catalog.derived` has made of *catalog* for the class *key* so far, None if nothing."""
    found: T | None = catalog._memo.known(key)  # noqa: SLF001 (a field of this module's class)
    return found
