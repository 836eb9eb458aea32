"""The catalog model: immutable values that know nothing of files or resolvers.

Names and fields follow the file-based catalog schemas (``olm.package``, ``olm.channel``, ``olm.bundle``,
``olm.deprecations``) of OLM's documentation. A model may hold faults (a channel with two heads, a property that does
not parse): resolution and validation decide whether they matter.
"""

from __future__ import annotations

from _thread import RLock  # threading has it too, and takes 0.6 ms to load
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, cast

import olmsolve._attrs as attrs
from olmsolve._arguments import counted, every, is_name, is_object, is_text, wrong_type
from olmsolve._attrs import shown_fields, unchecked
from olmsolve._limits import held
from olmsolve._records import Displayed
from olmsolve.catalog.deprecations import Deprecation
from olmsolve.catalog.origins import HasOrigin, LineRun, Origin, is_origin
from olmsolve.catalog.shared_parts import (
    OWN,
    HeldImage,
    HeldProperties,
    Listed,
    OwnPackage,
    whole_image,
    whole_properties,
)
from olmsolve.errors import CatalogError, RequestError
from olmsolve.predicates import JsonObject, Property

if TYPE_CHECKING:
    from olmsolve.semver import VersionScheme

T = TypeVar("T")

Written: TypeAlias = tuple[str, ...] | JsonObject | None
"""How a blob was written, as far as its model does not say it: the names of its fields in their order, if these and the
model give the blob back; otherwise the whole blob. None for a blob that was made in memory."""

_EMPTY: Mapping[str, Any] = {}


def _names(values: Iterable[str]) -> tuple[str, ...]:
    return every(values, str, "skips")


def _properties(values: Iterable[Property]) -> tuple[Property, ...]:
    return every(values, Property, "properties")


def _entries(values: Iterable[ChannelEntry]) -> tuple[ChannelEntry, ...]:
    return every(values, ChannelEntry, "entries")


def _copied(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a copy of a plain dict, which its giver may change; a lazy mapping stays as it is."""
    return dict(values) if type(values) is dict and values is not _EMPTY else values


def _image(value: str) -> str:
    # A converter: a validator would read the image through the property that joins its parts.
    if not isinstance(value, str):
        raise wrong_type(value, "text", "image")
    return value


# Without a slot for weak references, as all parts of a catalog: 8 bytes less for each of 100,000 entries and bundles.
@attrs.frozen(weakref_slot=False)
class ChannelEntry:
    """A bundle in a channel, with the update edges that lead to it; *skip_range* is text, "" if absent.

    Raises:
        RequestError: a field has the wrong type, such as one text for *skips*.
    """

    # A file may hold an entry without a name.
    name: str = attrs.field(validator=is_text)
    replaces: str = attrs.field(default="", validator=is_text)
    skips: tuple[str, ...] = attrs.field(default=(), converter=_names)
    skip_range: str = attrs.field(default="", validator=is_text)


# Here and below: readers have checked the fields in another form, and make one value for each blob and entry. A bundle
# takes 0.4 µs so, and 1.4 by its class; an entry 0.2 and 0.6.
entry_of: Final[Callable[..., ChannelEntry]] = unchecked(ChannelEntry)
"""Make an entry of the class and all fields that a reader has checked."""


@shown_fields
@attrs.frozen(init=False, weakref_slot=False)
class Channel(HasOrigin):
    """An update stream of a package; *extra* holds the blob's other fields.

    Raises:
        RequestError: a field has the wrong type.
    """

    package: str = attrs.field(validator=is_name)
    name: str = attrs.field(validator=is_name)
    entries: tuple[ChannelEntry, ...] = attrs.field(converter=_entries)
    properties: tuple[Property, ...] = attrs.field(default=(), converter=_properties)
    extra: Mapping[str, Any] = attrs.field(
        default=_EMPTY, repr=False, hash=False, converter=_copied, validator=is_object
    )
    _origin: Origin | LineRun | str | None = attrs.field(
        default=None, eq=False, repr=False, kw_only=True, alias="origin", validator=is_origin
    )
    _position: int = attrs.field(default=0, eq=False, repr=False, kw_only=True, alias="_position")
    written: Written = attrs.field(default=None, eq=False, repr=False, kw_only=True, alias="_written")

    if TYPE_CHECKING:

        def __init__(
            self,
            package: str,
            name: str,
            entries: Iterable[ChannelEntry],
            properties: Iterable[Property] = (),
            extra: Mapping[str, Any] = ...,
            *,
            origin: Origin | None = None,
        ) -> None: ...


channel_of: Final[Callable[..., Channel]] = unchecked(Channel)
"""Make a channel of the class and all fields that a reader has checked."""


@shown_fields
@attrs.frozen(init=False, weakref_slot=False)
class Bundle(HasOrigin):
    """One version of a package; *extra* holds the blob's other fields (relatedImages, ...).

    Its version is in the ``olm.package`` property of *properties*; ``olmsolve.package`` writes all properties by name.

    Raises:
        RequestError: a field has the wrong type.
    """

    # A bundle that was read from a file may hold its properties as a list that it shares with other bundles, and its
    # own version: and its image as a repository that it shares, and a digest: see olmsolve.catalog.shared_parts.
    package: str = attrs.field(validator=is_name)
    name: str = attrs.field(validator=is_name)
    properties: tuple[Property, ...] = attrs.field(default=(), converter=_properties)
    image: str = attrs.field(default="", converter=_image)
    extra: Mapping[str, Any] = attrs.field(
        default=_EMPTY, repr=False, hash=False, converter=_copied, validator=is_object
    )
    _origin: Origin | LineRun | str | None = attrs.field(
        default=None, eq=False, repr=False, kw_only=True, alias="origin", validator=is_origin
    )
    _position: int = attrs.field(default=0, eq=False, repr=False, kw_only=True, alias="_position")
    written: Written = attrs.field(default=None, eq=False, repr=False, kw_only=True, alias="_written")
    _own_version: str | None = attrs.field(default=None, eq=False, repr=False, kw_only=True, alias="_own_version")
    _digest: bytes | None = attrs.field(default=None, eq=False, repr=False, kw_only=True, alias="_digest")

    if TYPE_CHECKING:

        def __init__(
            self,
            package: str,
            name: str,
            properties: Iterable[Property] = (),
            image: str = "",
            extra: Mapping[str, Any] = ...,
            *,
            origin: Origin | None = None,
        ) -> None: ...


bundle_of: Final[Callable[..., Bundle]] = unchecked(Bundle)
"""Make a bundle from its class and all its fields, in the form in which a reader has them; nothing is checked."""


# The slots that `Bundle.properties` and `Bundle.image` read, which make whole values anew where the bundle shares a
# part.
_LISTED: Any = Bundle.__dict__["properties"]
_OWN_VERSION: Any = Bundle.__dict__["_own_version"]
_IMAGE: Any = Bundle.__dict__["image"]
_DIGEST: Any = Bundle.__dict__["_digest"]


# The slot's own reader: 0.02 µs, where `properties` puts the list together in 0.9.
list_of: Final[Callable[[Bundle], Listed]] = _LISTED.__get__
"""Return the list of properties that a bundle holds, and may share with others."""


def held_properties(bundle: Bundle) -> HeldProperties:
    """Return the properties of *bundle* as it holds them."""
    return list_of(bundle), _OWN_VERSION.__get__(bundle)


def held_image(bundle: Bundle) -> HeldImage:
    """Return the image of *bundle* as it holds it."""
    return _IMAGE.__get__(bundle), _DIGEST.__get__(bundle)


def own_version(bundle: Bundle) -> str | None:
    """Return the version of *bundle* that it holds beside a shared list; None where only its properties have it."""
    version: str | None = _OWN_VERSION.__get__(bundle)
    if version is not None:
        for property_ in list_of(bundle):
            # The first olm.package counts, and it is rarely another one.
            if property_.type == OWN:
                return version if isinstance(property_, OwnPackage) else None
    return None


_PROPERTIES: Final = property(lambda bundle: whole_properties(held_properties(bundle)), _LISTED.__set__)
setattr(Bundle, "properties", _PROPERTIES)  # noqa: B010 - mypy knows a field
setattr(Bundle, "image", property(lambda bundle: whole_image(held_image(bundle)), _IMAGE.__set__))  # noqa: B010


@shown_fields
@attrs.frozen(init=False, weakref_slot=False)
class Blob(HasOrigin):
    """A blob of a schema that olmsolve does not interpret, kept whole in *value*.

    Raises:
        RequestError: a field has the wrong type.
    """

    schema: str = attrs.field(validator=is_name)
    value: Mapping[str, Any] = attrs.field(hash=False, converter=_copied, validator=is_object)
    _origin: Origin | LineRun | str | None = attrs.field(
        default=None, eq=False, repr=False, kw_only=True, alias="origin", validator=is_origin
    )
    _position: int = attrs.field(default=0, eq=False, repr=False, kw_only=True, alias="_position")

    if TYPE_CHECKING:

        def __init__(self, schema: str, value: Mapping[str, Any], *, origin: Origin | None = None) -> None: ...


blob_of: Final[Callable[..., Blob]] = unchecked(Blob)
"""Make a blob of the class and all fields that a reader has checked."""


def _deprecations(values: Iterable[Deprecation]) -> tuple[Deprecation, ...]:
    return every(values, Deprecation, "deprecations")


def _check_names(kind: type[Channel | Bundle | Package], mapping: object, field: str, package: str = "") -> None:
    """Raise RequestError unless each *kind* in *mapping* has its own name as its key, and is of *package* if given.

    A lazy mapping is left alone: its reader has checked it.
    """
    if not isinstance(mapping, Mapping):
        raise wrong_type(mapping, f"a mapping of {field} by their names", field)
    if type(mapping) is not dict:
        return
    for key, value in mapping.items():
        where = f"{field}[{key!r}]"
        if not isinstance(value, kind):
            raise wrong_type(value, f"a {kind.__name__}", where)
        if value.name != key:
            raise RequestError(f"is called {value.name!r}", field=where, hint="the key is the name")
        if package and not isinstance(value, Package) and value.package != package:
            raise RequestError(f"is of package {value.package!r}, not {package!r}", field=where)


@shown_fields
@attrs.frozen(init=False, weakref_slot=False)
class Package(HasOrigin, Displayed):
    """A package with its channels and bundles by name, in the order in which they were read.

    Raises:
        RequestError: a field has the wrong type, or a channel or bundle is listed under another name, or is of another
            package.
    """

    name: str = attrs.field(validator=is_name)
    default_channel: str = attrs.field(validator=is_text)
    channels: Mapping[str, Channel] = attrs.field(hash=False, converter=_copied)
    bundles: Mapping[str, Bundle] = attrs.field(hash=False, converter=_copied)
    deprecations: tuple[Deprecation, ...] = attrs.field(default=(), converter=_deprecations)
    description: str = attrs.field(default="", validator=is_text)
    extra: Mapping[str, Any] = attrs.field(
        default=_EMPTY, repr=False, hash=False, converter=_copied, validator=is_object
    )
    _origin: Origin | LineRun | str | None = attrs.field(
        default=None, eq=False, repr=False, kw_only=True, alias="origin", validator=is_origin
    )
    _position: int = attrs.field(default=0, eq=False, repr=False, kw_only=True, alias="_position")
    written: Written = attrs.field(default=None, eq=False, repr=False, kw_only=True, alias="_written")
    deprecations_blob: Blob | None = attrs.field(
        default=None, eq=False, repr=False, kw_only=True, alias="_deprecations_blob"
    )

    if TYPE_CHECKING:

        def __init__(
            self,
            name: str,
            default_channel: str,
            channels: Mapping[str, Channel],
            bundles: Mapping[str, Bundle],
            deprecations: Iterable[Deprecation] = (),
            description: str = "",
            extra: Mapping[str, Any] = ...,
            *,
            origin: Origin | None = None,
        ) -> None: ...

    def __attrs_post_init__(self) -> None:
        _check_names(Channel, self.channels, "channels", self.name)
        _check_names(Bundle, self.bundles, "bundles", self.name)

    def __repr__(self) -> str:
        channels, bundles = counted(len(self.channels), "channel"), counted(len(self.bundles), "bundle")
        return f"<Package {self.name}: {channels}, {bundles}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show :func:`repr` in IPython and Hypothesis, which would else list every bundle."""
        printer.text(repr(self))


package_of: Final[Callable[..., Package]] = unchecked(Package)
"""Make a package of the class and all fields that a reader has checked."""


class _Memo:
    """Values derived from an immutable object, each built on the first call; left out of pickles."""

    __slots__ = ("_lock", "_values")

    def __init__(self) -> None:
        self._lock = RLock()
        self._values: dict[object, Any] = {}

    def get(self, key: object, build: Callable[[], T]) -> T:
        # Without the lock where the value is there, which is every time but the first. It can be taken twice by one
        # thread: what builds a value may ask for another one.
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


VERSIONS_SCHEMA: Final = "olmsolve.versions"
"""The schema of the blob in which a catalog names the scheme of its versions."""


def _blobs(values: Iterable[Blob]) -> tuple[Blob, ...]:
    return every(values, Blob, "others")


def _scheme(given: object, named: Blob | None, origin: str) -> VersionScheme:
    """Return the scheme that is *given*, or which the blob *named* names; a text is the name of a scheme.

    Raises:
        RequestError: *given* is no scheme.
        CatalogError: the blob names none that is known.
    """
    from olmsolve.semver import NAMED_SCHEMES, VersionScheme

    if isinstance(given, VersionScheme):
        return given
    if given is not None and not isinstance(given, str):
        raise wrong_type(given, "a VersionScheme, or the name of one", "scheme")
    name = given if given is not None or named is None else named.value.get("scheme")
    scheme = NAMED_SCHEMES.get(name) if isinstance(name, str) else None
    if scheme is None:
        where = origin if named is None or named.origin is None else str(named.origin)
        says = f"names the version scheme {name!r}; catalogs can name {', '.join(NAMED_SCHEMES)}"
        raise CatalogError(says, origin=where)
    return scheme


def _scheme_or_name(value: VersionScheme | str | None) -> VersionScheme | None:
    """Return *value*: type checkers read here that a name will do. The catalog, whose error says where, looks it up."""
    return cast("VersionScheme | None", value)


@attrs.frozen
class Catalog:
    """Packages by name, and the blobs of other schemas; *origin* says where it came from (a path, or "").

    A dict of packages is copied. ``olmsolve.catalog_of`` makes a catalog of packages that a program builds.

    Raises:
        RequestError: a field has the wrong type, or a package is listed under another name.

    >>> import olmsolve
    >>> catalog = olmsolve.load("olmsolve/examples/catalogs/orchard")
    >>> {package.name: [*package.channels] for package in catalog}
    {'parcels': ['stable'], 'storefront': ['1.x', '2.x']}
    """

    packages: Mapping[str, Package] = attrs.field(hash=False, converter=_copied)
    others: tuple[Blob, ...] = attrs.field(default=(), converter=_blobs)
    origin: str = attrs.field(default="", eq=False, validator=is_text)
    scheme: VersionScheme | None = attrs.field(default=None, kw_only=True, converter=_scheme_or_name)
    """The scheme of versions and ranges; None for semantic versions.

    A name will do for ``"pep440"`` and ``"calendar"``, and a blob of ``olmsolve.versions`` may name them as well.
    """
    _memo: _Memo = attrs.field(factory=_Memo, init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        _check_names(Package, self.packages, "packages")
        named = next((blob for blob in self.others if blob.schema == VERSIONS_SCHEMA), None) if self.others else None
        if self.scheme is not None or named is not None:
            object.__setattr__(self, "scheme", _scheme(self.scheme, named, self.origin))
            if named is None and self.scheme is not None:
                # A copy of the catalog in a file names the scheme, too.
                blob = Blob(VERSIONS_SCHEMA, {"schema": VERSIONS_SCHEMA, "scheme": self.scheme.name})
                object.__setattr__(self, "others", (*self.others, blob))

    def __repr__(self) -> str:
        channels = sum(len(package.channels) for package in self.packages.values())
        bundles = sum(len(package.bundles) for package in self.packages.values())
        parts = counted(len(self.packages), "package"), counted(channels, "channel"), counted(bundles, "bundle")
        return f"<Catalog {self.origin}: {', '.join(parts)}>"

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
