"""Near misses, as values: what nearly met a requirement, or what a subscription may have meant."""

from __future__ import annotations

import enum
from typing import ClassVar, Final

import olmsolve._attrs as attrs
from olmsolve._reader import for_reader
from olmsolve._records import Record, field, record
from olmsolve.answers.wording import enumerated, version_ranges
from olmsolve.semver import BlangRange

_NAMED: Final = 3


class NoteKind(enum.Enum):
    """The kinds of near misses that a note tells of."""

    SIMILAR_NAME = "similar-name"
    OTHER_VERSIONS = "other-versions"
    PRERELEASE = "prerelease"
    OTHER_API_VERSION = "other-api-version"
    SKIPPED = "skipped"
    OTHER_CHANNEL = "other-channel"
    INVISIBLE = "invisible"
    EMPTY_RANGE = "empty-range"


def _shortened(names: tuple[str, ...]) -> str:
    """Return the first *names* in words, and the number of the others."""
    others = len(names) - _NAMED
    return enumerated(names if others < 2 else (*names[:_NAMED], f"{others} more"))


@record(definition="note", layout=("kind", "text", "names"), about="A near miss, such as a similar name.")
class Note(Record):
    """A near miss; ``str()`` is a sentence. *names* are the packages, versions or bundles that it is about."""

    kind: ClassVar[NoteKind]
    names: tuple[str, ...] = field("The names that it is about.", default=())

    @property
    def text(self) -> str:
        """The sentence."""
        return str(self)

    @property
    def enumeration(self) -> str:
        """All names as one enumeration."""
        return enumerated(self.names)

    @property
    def shortened(self) -> str:
        """The first names, and the number of the others."""
        return _shortened(self.names)


@record(
    kind=NoteKind.SKIPPED,
    says="{shortened} would meet it, but another entry of the channel skips it, so nothing can require it",
)
class SkippedBundles(Note):
    """Bundles that would meet a requirement, were they not skipped."""


@record(kind=NoteKind.EMPTY_RANGE, says="no version at all is in the range {versions}")
class EmptyRange(Note):
    """A requirement whose range holds no version."""

    versions: BlangRange = attrs.field(kw_only=True)


@record(kind=NoteKind.SIMILAR_NAME)
class NoSuchPackage(Note):
    """A *package* that no visible catalog has; *names* are similar ones."""

    package: str = attrs.field(kw_only=True)

    def __str__(self) -> str:
        text = f"no visible catalog has a package {self.package}"
        return f"{text}; packages of a similar name: {self.enumeration}" if self.names else text


@record(kind=NoteKind.SIMILAR_NAME, says="{things} of a similar name: {enumeration}")
class SimilarNames(Note):
    """Names of *things* ("catalogs", "packages", "channels", "bundles") like the one that a subscription gives."""

    things: str = attrs.field(kw_only=True)


@record(kind=NoteKind.PRERELEASE)
class PrereleasesOnly(Note):
    """Pre-releases of *package*, which come before the release that a range begins with."""

    package: str = attrs.field(kw_only=True)

    def __str__(self) -> str:
        sort = "is a pre-release, which comes" if len(self.names) == 1 else "are pre-releases, which come"
        return f"{self.shortened} of package {self.package} {sort} before the release that the range asks for"


@record(kind=NoteKind.OTHER_VERSIONS)
class OtherVersions(Note):
    """The versions of *package* that exist, none of them in the range."""

    package: str = attrs.field(kw_only=True)

    def __str__(self) -> str:
        noun = "version" if len(self.names) == 1 else "versions"
        return f"package {self.package} exists in {noun} {version_ranges(self.names)}"


@record(kind=NoteKind.OTHER_API_VERSION, says="only another version of this API is provided: {shortened}")
class OtherApiVersions(Note):
    """Other versions of a required API."""


@record(kind=NoteKind.INVISIBLE)
class HiddenCatalog(Note):
    """A *catalog* that is not visible in *namespace*; it has *package*, or the bundles in *names* after its name.

    On a cluster, *global_namespace* is the one whose catalogs all others see, unless an annotation of the operator
    group, *excluded_by*, says otherwise; both are "" in a request document, which says itself what is visible.
    """

    catalog: str = attrs.field(kw_only=True)
    namespace: str = attrs.field(kw_only=True)
    package: str = attrs.field(default="", kw_only=True)
    global_namespace: str = attrs.field(default="", kw_only=True)
    excluded_by: str = attrs.field(default="", kw_only=True)

    def __str__(self) -> str:
        has = f"has package {self.package}" if self.package else "is there"
        if len(self.names) > 1:
            has = f"has {_shortened(self.names[1:])}, which would meet it,"
        text = f"catalog {self.catalog} {has} but is not visible in namespace {self.namespace}"
        home, _, _ = self.catalog.partition("/")
        if not self.global_namespace:
            return text
        if self.excluded_by and home == self.global_namespace:
            return f"{text}, whose operator group hides the global catalogs (annotation {self.excluded_by})"
        if self.excluded_by:
            return f"{text}, which sees only its own catalogs"
        says = for_reader(python=f"Policy(global_namespace={home!r})", option=f"--global-namespace {home}")
        and_global = "" if self.namespace == self.global_namespace else f" and the catalogs of {self.global_namespace}"
        text = f"{text}, which sees only its own catalogs{and_global}"
        return f"{text}; if {home} is the global namespace of this cluster, {says} says so"


@record(kind=NoteKind.OTHER_CHANNEL, says="catalog {enumeration} has package {package}")
class OtherCatalog(Note):
    """Another catalog, *names*, that has *package*."""

    package: str = attrs.field(kw_only=True)


@record(kind=NoteKind.OTHER_CHANNEL)
class OtherChannels(Note):
    """Other channels of *catalog* that have *bundle*."""

    bundle: str = attrs.field(kw_only=True)
    catalog: str = attrs.field(kw_only=True)

    def __str__(self) -> str:
        noun = "channel" if len(self.names) == 1 else "channels"
        return f"{self.bundle} is in {noun} {self.shortened} of catalog {self.catalog}"


_NEAREST: Final = {
    "packages": (NoteKind.SIMILAR_NAME, "packages of a similar name"),
    "channels": (NoteKind.OTHER_CHANNEL, "channels that have a bundle in the range"),
    "below": (NoteKind.OTHER_VERSIONS, "closest version below the range"),
    "above": (NoteKind.OTHER_VERSIONS, "closest version above the range"),
    "prereleases": (NoteKind.PRERELEASE, "pre-releases that the range excludes"),
    "edges_from": (NoteKind.OTHER_VERSIONS, "installed bundles from which an edge leads into the range"),
    "route": (NoteKind.OTHER_VERSIONS, "updates that lead into the range, in order"),
    "updates": (NoteKind.OTHER_VERSIONS, "updates of the installed bundle"),
}
NEAREST_FIELDS: Final = tuple(_NEAREST)
"""The fields of :class:`olmsolve.v1.Nearest` that have a note, in the order of their notes."""


@record
class NearestNote(Note):
    """OLM v1: the value of one *field* of :class:`olmsolve.v1.Nearest`."""

    field: str = attrs.field(kw_only=True)

    @property
    def kind(self) -> NoteKind:  # type: ignore[override]
        return _NEAREST[self.field][0]

    def __str__(self) -> str:
        return f"{_NEAREST[self.field][1]}: {self.enumeration}"
