"""``olm.semver``: images listed by stability; channels, update edges and the default channel follow from versions.

The fields of the document are read strictly: unknown ones and wrong types are errors. The package takes its icon and
description from the newest bundle of the default channel. As recorded from ``opm alpha render-template``, a description
counts if it is text. Icons count if the whole list can be read; the package then takes the first one, even if it is
empty.

Each major version gets a channel, or each minor version, or both. Inside a major version, the newest bundle of each
minor version replaces the newest bundle of the minor version before, and skips all other older bundles of the major
version. The other bundles have no edges. For 1.0.0, 1.0.1, 1.1.0 and 2.0.0::

    v1      1.1.0 replaces 1.0.1, skips 1.0.0      and 1.0.1 skips 1.0.0
    v1.1    1.1.0 replaces 1.0.1, skips 1.0.0      the same entry, although 1.0.1 is not in this channel
    v2      2.0.0                                  nothing leads from one major version to the next
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, Final, Literal, NoReturn, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._named_tuples import NamedTuple
from olmsolve.authoring.templates.reading import TemplateDocument, TemplateSource, read
from olmsolve.authoring.templates.renderers import Blob, Rendered, RenderedBundle, Renderer, bundles_of_all
from olmsolve.catalog.fbc import BUNDLE_OBJECT, laid_out, object_manifest
from olmsolve.errors import CatalogError, VersionError
from olmsolve.predicates import PACKAGE_NAMES, described, named
from olmsolve.semver import Version, quote

Kind: TypeAlias = Literal["major", "minor"]

STABILITIES: Final = ("candidate", "fast", "stable")
"""The stabilities, the least stable first."""

_KINDS: Final[tuple[Kind, ...]] = ("major", "minor")


class GeneratedChannels(NamedTuple):
    """The blobs of channels, sorted by name, and the name of the default channel ("" where upstream finds none)."""

    blobs: tuple[dict[str, Any], ...]
    default: str


def make_channels(
    package: str, bundles: Mapping[str, Mapping[str, Version]], kinds: frozenset[Kind], preferred: Kind
) -> GeneratedChannels:
    """Make channels of *kinds* for *bundles*, which maps each stability to the versions of its bundles by name.

    Versions of one stability must differ. The default channel belongs to the highest stability; of its channels it is
    the one with the highest *lowest* version, and of a major and a minor one with the same, the *preferred* kind.
    """
    entries: dict[str, list[dict[str, Any]]] = {}
    best: tuple[Any, ...] = (0, Version(0, 0, 0).key, 0)
    default = ""
    for rank, stability in enumerate(STABILITIES):
        versions = bundles.get(stability, {})
        ordered = sorted(versions, key=lambda name: versions[name].key)
        edges = _edges(ordered, versions)
        for name in ordered:
            for kind in _KINDS:
                if kind not in kinds:
                    continue
                channel = _channel_name(stability, kind, versions[name])
                if channel not in entries:
                    entries[channel] = []
                    # Upstream compares channels by their first bundle, as it makes them, and starts from version
                    # 0.0.0 of candidate: a channel that is not above that is never the default.
                    priority = (rank, versions[name].key, 2 if kind == preferred else 1)
                    if priority > best:
                        best, default = priority, channel
                entries[channel].append({"name": name, **edges.get(name, {})})
    blobs = (
        {"schema": "olm.channel", "name": name, "package": package, "entries": entries[name]}
        for name in sorted(entries)
    )
    return GeneratedChannels(tuple(blobs), default)


def _channel_name(stability: str, kind: Kind, version: Version) -> str:
    number = f"{version.major}" if kind == "major" else f"{version.major}.{version.minor}"
    return f"{stability}-v{number}"


def _edges(ordered: list[str], versions: Mapping[str, Version]) -> dict[str, dict[str, Any]]:
    """Return ``replaces`` and ``skips`` of the newest bundle of each minor version; *ordered* is from the lowest up."""
    edges: dict[str, dict[str, Any]] = {}
    for _, of_major in groupby(ordered, lambda name: versions[name].major):
        behind: list[str] = []
        replaced = ""
        for _, of_minor in groupby(of_major, lambda name: versions[name].minor):
            *older, newest = of_minor
            behind += older
            # As recorded, skips have the whole major version but the replaced bundle; a minor channel may lack both.
            skips = sorted(name for name in behind if name != replaced)
            edges[newest] = {**({"replaces": replaced} if replaced else {}), **({"skips": skips} if skips else {})}
            behind.append(newest)
            replaced = newest
    return edges


_SCHEMA: Final = "olm.semver"
_MAJOR: Final = "generateMajorChannels"
_MINOR: Final = "generateMinorChannels"
_PREFERENCE: Final = "defaultChannelTypePreference"
_ICON: Final = frozenset({"base64data", "mediatype"})


def render_semver(source: TemplateSource, renderer: Renderer) -> Rendered:
    """Render the ``olm.semver`` in *source* by the rules for channels at the beginning of this module.

    Each image is rendered once, and bundles come in the order in which the template names their images (upstream's
    order is random). The package takes description and icon from the ClusterServiceVersion of the newest bundle of the
    default channel: the manifest that *renderer* made the bundle from, or an ``olm.bundle.object`` of its blob. An
    ``olm.csv.metadata`` alone gives neither, as in ``opm``.

    Raises:
        CatalogError: *source* cannot be read or has a fault. ``opm`` words the messages, except where it prints
            messages of Go's libraries. The errors of *renderer* pass through.
    """
    try:
        document = read(source)
    except CatalogError as error:
        raise CatalogError(f"render: unable to read file: {error.reason}", origin=error.origin) from None
    return render_semver_document(document, renderer)


def render_semver_document(document: TemplateDocument | None, renderer: Renderer) -> Rendered:
    """Render *document* as :func:`render_semver` renders a source; None stands for an empty source."""
    fields = _FieldReader(document).fields()
    images = [image for stability in STABILITIES for image in fields.images[stability]]
    bundles_by_image = {
        image: _one_bundle(image, bundles) for image, bundles in bundles_of_all(images, renderer).items()
    }
    rendered = {image: bundle.blob for image, bundle in bundles_by_image.items()}
    if not rendered:
        raise CatalogError("render: no bundles specified or no bundles could be rendered")
    reader = _VersionReader()
    versions = {
        stability: reader.versions([rendered[image] for image in fields.images[stability]]) for stability in STABILITIES
    }
    channels = make_channels(reader.package or "", versions, fields.kinds, fields.preferred)
    # Two references can stand for one bundle, which a catalog must not hold twice.
    bundles: list[Blob] = []
    by_name: dict[Any, Blob] = {}
    for bundle in rendered.values():
        if by_name.get(bundle.get("name")) != bundle:
            bundles.append(bundle)
        by_name[bundle.get("name")] = bundle
    package: Blob = {"schema": "olm.package", "name": reader.package or "", "defaultChannel": channels.default}
    head = next((blob["entries"][-1]["name"] for blob in channels.blobs if blob["name"] == channels.default), None)
    for rendered_bundle in bundles_by_image.values():
        if rendered_bundle.blob.get("name") == head:
            package |= _appearance(rendered_bundle.csv or _csv_among(rendered_bundle.blob.get("properties")) or {})
    return Rendered(
        (laid_out(package),), channels.blobs, tuple(laid_out(bundle, with_own_values=True) for bundle in bundles)
    )


def _one_bundle(image: str, bundles: list[RenderedBundle]) -> RenderedBundle:
    if len(bundles) != 1:
        raise CatalogError(f"bundle reference {quote(image)} resulted in {len(bundles)} bundles, expected 1")
    return bundles[0]


class _PackageVersion(NamedTuple):
    package: str
    version: Version


class _VersionReader:
    """A reader of the versions of bundles, all of which must belong to the package of the first one."""

    def __init__(self) -> None:
        self.package: str | None = None

    def versions(self, bundles: Iterable[Blob]) -> dict[str, Version]:
        """Return the versions of *bundles*, which have one stability, by name."""
        versions: dict[str, Version] = {}
        for bundle in bundles:
            name = bundle.get("name") or ""
            own = _package_version(bundle, name)
            if self.package is None:
                self.package = own.package
            if own.package != self.package:
                _refuse(f"bundle {quote(own.package)} does not belong to this package: {quote(self.package)}", name)
            if name in versions:
                _refuse(f"duplicate bundle name {quote(name)}", name)
            versions[name] = own.version
        _check_order(versions)
        return versions


def _package_version(bundle: Blob, name: str) -> _PackageVersion:
    """Return package and version from the property ``olm.package`` of *bundle*."""
    properties = bundle.get("properties") or []
    if not isinstance(properties, list):
        _refuse(f"parse properties for bundle {quote(name)}: not a list, but {described(properties)}", name)
    values: list[Any] = []
    for property_ in properties:
        if not isinstance(property_, Mapping):
            _refuse(f"parse properties for bundle {quote(name)}: not an object, but {described(property_)}", name)
        if property_.get("type") == "olm.package":
            value = property_.get("value")
            values.append(named(value, PACKAGE_NAMES) if isinstance(value, Mapping) else value)
    for value in values:
        if not isinstance(value, Mapping) or not all(
            isinstance(value.get(key, ""), str) for key in ("packageName", "version")
        ):
            _refuse(f"parse properties for bundle {quote(name)}: an olm.package without name and version", name)
    if len(values) != 1:
        # Upstream's message for zero properties says "multiple" too.
        _refuse(f'bundle {quote(name)} has multiple "olm.package" properties, expected exactly 1', name)
    text = values[0].get("version", "")
    try:
        return _PackageVersion(values[0].get("packageName", ""), Version.parse(text))
    except VersionError as error:
        _refuse(f"bundle {quote(name)} has invalid version {quote(text)}: {error.reason}", name)


def _check_order(versions: Mapping[str, Version]) -> None:
    """Refuse versions that differ only in build metadata, which have no order."""
    seen: set[str] = set()
    problems: dict[str, None] = {}
    for version in versions.values():
        ordered = str(version).partition("+")[0]
        if ordered in seen:
            problems[f"bundle version {quote(str(version))} cannot be compared to {quote(ordered)}"] = None
        seen.add(ordered)
    if problems:
        listed = next(iter(problems)) if len(problems) == 1 else f"[{', '.join(problems)}]"
        reason = "encountered bundle versions which differ only by build metadata, which cannot be ordered"
        _refuse(f"{reason}: {listed}")


def _refuse(reason: str, bundle: str = "") -> NoReturn:
    raise CatalogError(f"render: unable to post-process bundle info: {reason}", bundle=bundle)


@attrs.frozen
class _SemverFields:
    """The *images* of each stability, in their order; the *kinds* of channels to make, and the *preferred* kind."""

    images: Mapping[str, tuple[str, ...]]
    kinds: frozenset[Kind]
    preferred: Kind


class _FieldReader:
    """The reader of one document; it raises the first fault, in words of ``opm`` where ``opm`` has its own."""

    def __init__(self, document: TemplateDocument | None) -> None:
        self._value: Mapping[str, Any] = document.value if document else {}
        self._origin = str(document.origin) if document else ""
        self._repeated = document.repeated_key() if document else ""

    def fields(self) -> _SemverFields:
        if self._repeated:
            self._refuse(f"error converting YAML to JSON: the key {quote(self._repeated)} is already set in map")
        self._refuse_unknown_fields(self._value, ("schema", _MAJOR, _MINOR, _PREFERENCE, *STABILITIES))
        schema = self._typed(self._value, "schema", str, "")
        major = self._typed(self._value, _MAJOR, bool, "")
        minor = self._typed(self._value, _MINOR, bool, "")
        preference = self._typed(self._value, _PREFERENCE, str, "")
        images = {stability: self._images(stability) for stability in STABILITIES}
        if schema != _SCHEMA:
            self._refuse(f"readFile: input file has unknown schema, should be {quote(_SCHEMA)}")
        kinds: set[Kind] = set()
        if major:
            kinds.add("major")
        # opm makes minor channels where a template asks for neither kind.
        if minor or not major:
            kinds.add("minor")
        return _SemverFields(images, frozenset(kinds), self._preferred_kind(preference, kinds))

    def _preferred_kind(self, preference: str, kinds: set[Kind]) -> Kind:
        if not preference:
            return "minor" if "minor" in kinds else "major"
        kind: Kind = "major" if preference == "major" else "minor"
        if preference != kind:
            self._refuse(
                f"unknown DefaultChannelTypePreference: {quote(preference)}\nValid values are 'major' or 'minor'"
            )
        if kind not in kinds:
            self._refuse(
                f"schema attribute mismatch: DefaultChannelTypePreference set to '{kind}' doesn't make sense"
                f" if not generating {kind}-version channels"
            )
        return kind

    def _images(self, stability: str) -> tuple[str, ...]:
        images: tuple[str, ...] = ()
        for listed in self._spelled(self._value, stability, dict, ""):
            self._refuse_unknown_fields(listed, ("bundles",))
            for bundles in self._spelled(listed, "bundles", list, f"{stability}."):
                images = tuple(
                    self._image(bundle, f"{stability}.bundles[{number}]") for number, bundle in enumerate(bundles)
                )
        return images

    def _image(self, bundle: Any, path: str) -> str:
        if bundle is not None and not isinstance(bundle, dict):
            self._refuse_json(f"{path} must be an object, not {described(bundle)}")
        self._refuse_unknown_fields(bundle or {}, ("image",))
        return str(self._typed(bundle or {}, "image", str, f"{path}."))

    def _refuse_unknown_fields(self, value: Mapping[str, Any], names: Iterable[str]) -> None:
        folded = {name.casefold() for name in names}
        for key in value:
            if key.casefold() not in folded:
                self._refuse_json(f"while decoding JSON: json: unknown field {quote(key)}")

    def _typed(self, value: Mapping[str, Any], name: str, kind: type, path: str) -> Any:
        # Go reads null, and an absent field, as the empty value of the type.
        return [kind(), *self._spelled(value, name, kind, path)][-1]

    def _spelled(self, value: Mapping[str, Any], name: str, kind: type, path: str) -> list[Any]:
        """Return the values of the field *name*, one for each of its spellings; a wrong type in any is a fault.

        Go's decoder gets sorted keys, and fills one field from each spelling of its name: stable after Stable. A null
        empties a list, and leaves what else is there.
        """
        spellings: list[Any] = []
        for key in sorted(key for key in value if key.casefold() == name.casefold()):
            content = value[key]
            if content is not None and not isinstance(content, kind):
                wanted = {str: "a string", bool: "a boolean", list: "a list", dict: "an object"}[kind]
                self._refuse_json(f"{path}{name} must be {wanted}, not {described(content)}")
            if content is not None or kind is list:
                spellings.append(kind() if content is None else content)
        return spellings

    def _refuse_json(self, reason: str) -> NoReturn:
        self._refuse(f"error unmarshaling JSON: {reason}")

    def _refuse(self, reason: str) -> NoReturn:
        raise CatalogError(f"render: unable to read file: {reason}", origin=self._origin)


def _csv_among(properties: Any) -> Mapping[str, Any] | None:
    """Return the first ClusterServiceVersion among the ``olm.bundle.object`` in *properties*, a list from anywhere.

    An object that cannot be read is passed over: validation reports it, and rendering goes on.
    """
    for property_ in properties if isinstance(properties, list) else ():
        if isinstance(property_, Mapping) and property_.get("type") == BUNDLE_OBJECT:
            manifest = object_manifest(property_.get("value"))
            if manifest is not None and manifest.get("kind") == "ClusterServiceVersion":
                return manifest
    return None


def _appearance(csv: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields ``icon`` and ``description`` of an ``olm.package``, as far as *csv* has them."""
    spec = csv.get("spec")
    if not isinstance(spec, Mapping):
        return {}
    icon, description = _first_icon(spec.get("icon")), spec.get("description")
    fields: dict[str, Any] = {} if icon is None else {"icon": icon}
    if isinstance(description, str) and description:
        fields["description"] = description
    return fields


def _first_icon(icons: Any) -> dict[str, Any] | None:
    """Return the first of *icons*; None if there is none, or if one of them is not an icon."""
    if not isinstance(icons, list) or not icons:
        return None
    try:
        return [_icon(icon) for icon in icons][0]  # noqa: RUF015 - the others must be icons too
    except ValueError:
        return None


def _icon(value: Any) -> dict[str, Any]:
    """Return the icon *value*, its data encoded as Go encodes it. Raises ValueError if *value* is no icon."""
    # Go reads null, and an absent field, as the empty value of the type.
    fields = named({} if value is None else value, _ICON) if value is None or isinstance(value, Mapping) else None
    if fields is None:
        raise ValueError("not an object")
    data, media_type = fields.get("base64data"), fields.get("mediatype")
    if not isinstance(data, str | None) or not isinstance(media_type, str | None):
        raise ValueError("not text")
    if data is not None:
        # Line ends do not count, and bits after the last byte are lost: "aR==" becomes "aQ==".
        plain = base64.b64decode(data.replace("\r", "").replace("\n", ""), validate=True)
        data = base64.b64encode(plain).decode("ascii")
    return {"base64data": data, "mediatype": media_type or ""}
