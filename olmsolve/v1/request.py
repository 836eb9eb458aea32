"""Requests to OLM v1, one cluster extension over cluster catalogs and its installed bundle, and their answers.

The answer is in this module as well, because each holds the other: a request says to type checkers what answers it.
Plain values; :mod:`olmsolve.requests` reads them from documents. The fields follow OLM v1's ClusterExtension and
ClusterCatalog objects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._arguments import by_name, every, is_a, is_flag, is_number, wrong_type
from olmsolve._records import Record, declared, documented, field, meaning, record
from olmsolve.catalog import Bundle, Catalog, Deprecation
from olmsolve.eligibility import Eligibility, constraints
from olmsolve.errors import CatalogError, RequestError
from olmsolve.predicates import described
from olmsolve.resolution import ResolutionFailure
from olmsolve.v1.explanation import (
    DeprecatedObject,
    DeprecationEntry,
    Deprecations,
    Downgrade,
    ExtensionExplanation,
    KeptBundle,
    concerned,
)
from olmsolve.v1.installing import FeatureGates, InstallationRefusal, InstallSettings
from olmsolve.v1.label_selectors import LabelSelector
from olmsolve.v1.validations import Validation, no_dependencies

SELF_CERTIFIED: Final = "SelfCertified"
"""The upgrade constraint policy that lets any bundle follow any other; every other policy enforces edges."""

POLICIES: Final = ("CatalogProvided", SELF_CERTIFIED)
"""The upgrade constraint policies; "" stands for the first one."""

METADATA_NAME: Final = "olm.operatorframework.io/metadata.name"
"""The label that every ClusterCatalog has on a cluster: its own name."""

_EMPTY: Final[Mapping[str, str]] = {}
# The time to compare two names grows with the square of their length.
_LONGEST_NAME_COMPARED: Final = 64


def _channels(values: Iterable[str]) -> tuple[str, ...]:
    return every(values, str, "channels")


def _labels(values: Mapping[str, str]) -> Mapping[str, str]:
    return by_name(values, "labels", str, "labels by their names")


def _validations(values: Iterable[Validation]) -> tuple[Validation, ...]:
    if callable(values):
        raise wrong_type(values, "several functions of a bundle", "validations", "put it in a list")
    several = every(values, object, "validations")
    for position, value in enumerate(several):
        if not callable(value):
            raise wrong_type(value, "a function of a bundle", f"validations[{position}]")
    return several  # type: ignore[return-value]


def _text(_: object, field: attrs.Attribute[Any], value: object) -> None:
    """Raise a RequestError unless *value* is text: YAML and people write versions as numbers."""
    if not isinstance(value, str):
        hint = "put it in quotes" if isinstance(value, (int, float)) else ""
        raise RequestError(f"must be a string, not {described(value)}", field=field.name, hint=hint)


def _name(_: object, field: attrs.Attribute[Any], value: object) -> None:
    _text(_, field, value)
    if not value:
        raise RequestError("must not be empty", field=field.name)


def _text_or_none(_: object, field: attrs.Attribute[Any], value: object) -> None:
    if value is not None:
        _text(_, field, value)


def _selector(_: object, field: attrs.Attribute[Any], value: object) -> None:
    if value is not None and not isinstance(value, LabelSelector):
        hint = "olmsolve.v1.LabelSelector({...})"
        raise RequestError(f"must be a LabelSelector, not {described(value)}", field=field.name, hint=hint)


def _policy(_: object, field: attrs.Attribute[Any], value: object) -> None:
    _text(_, field, value)
    if value not in ("", *POLICIES):
        import difflib  # slow to load, and few need it

        near = difflib.get_close_matches(str(value)[:_LONGEST_NAME_COMPARED], POLICIES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"one of {', '.join(POLICIES)}"
        raise RequestError(f"there is no policy {value!r}", field=field.name, hint=hint)


@record(definition="extensionCondition")
class ExtensionCondition(Record):
    """A condition that OLM v1 writes into the status of an extension; manifests have its time besides."""

    type: str = field("Its type.")
    status: str = field("Whether it holds: True, False or Unknown.")
    reason: str = field("Why, in one word.")
    message: str = field("Why, in words.")


def _installed_or_none(request: object, field: attrs.Attribute[Any], value: object) -> None:
    if value is not None:
        is_a(InstalledBundle)(request, field, value)


def _semantic(cluster: object, field: attrs.Attribute[Any], value: object) -> None:
    """Raise RequestError unless *value* is None, or a catalog of semantic versions; a validator of attrs."""
    if value is not None:
        is_a(Catalog)(cluster, field, value)
    if isinstance(value, Catalog) and value.scheme is not None:
        says = f"has {value.scheme.name} versions, and OLM v1 resolves only semantic versions"
        raise RequestError(says, field=field.name)


@attrs.frozen
class ClusterCatalog:
    """A catalog under the name, labels and priority that a cluster gives it; higher priorities win.

    *catalog* is None where its content is unknown: it then has no package. An unavailable catalog is left out.
    *error* says why a package could not be fetched from it; every request that needs this catalog then fails.
    """

    name: str = attrs.field(validator=_text)
    # Hashing leaves out what holds mappings, so that requests can be keys; it still counts for equality.
    catalog: Catalog | None = attrs.field(default=None, hash=False, validator=_semantic)
    labels: Mapping[str, str] = attrs.field(default=_EMPTY, hash=False, converter=_labels)
    priority: int = attrs.field(default=0, validator=is_number)
    available: bool = attrs.field(default=True, validator=is_flag)
    error: str = attrs.field(default="", validator=_text)


@declared(about="The wish of an extension.")
@attrs.frozen
class Extension(Record):
    """The wish for a package.

    *version* is a range as Masterminds/semver reads it ("": any version), *channels* are the allowed ones (empty: all).
    *selector* chooses among the catalogs by their labels, None takes all. *upgrade_constraint_policy* is
    ``CatalogProvided`` (or "", the same), which enforces update edges, or :data:`SELF_CERTIFIED`, which does not.

    Raises:
        RequestError: a field has the wrong type, the package has no name, or there is no such policy.
    """

    package: str = attrs.field(
        validator=_name, metadata=meaning("The wanted package.", path="packageName", empty="refused")
    )
    version: str = attrs.field(default="", validator=_text, metadata=meaning("A range of versions.", empty="nullable"))
    channels: tuple[str, ...] = attrs.field(
        default=(),
        converter=_channels,
        metadata=meaning("The allowed channels; all if absent.", empty="nullable"),
    )
    selector: LabelSelector | None = attrs.field(
        default=None,
        validator=_selector,
        metadata=meaning("Which catalogs the extension takes, by their labels; null for all.", empty="nullable"),
    )
    upgrade_constraint_policy: str = attrs.field(
        default="",
        validator=_policy,
        metadata=meaning("Whether update edges count.", empty="nullable", schema={"enum": [*POLICIES, ""]}),
    )

    @property
    def enforces_edges(self) -> bool:
        """Whether only the installed bundle and its successors may be selected."""
        return self.upgrade_constraint_policy != SELF_CERTIFIED


@declared(about="The installed bundle.")
@attrs.frozen
class InstalledBundle(Record):
    """The bundle of the extension that is installed; *release* is None where the cluster recorded none.

    Raises:
        RequestError: a field is not text.
    """

    name: str = attrs.field(validator=_name, metadata=meaning("Its name.", empty="refused"))
    version: str = attrs.field(validator=_text, metadata=meaning("Its version."))
    release: str | None = attrs.field(
        default=None,
        validator=_text_or_none,
        metadata=meaning("Its release.", empty="optional", schema={"type": ["string", "null"]}),
    )


def _catalogs(values: Iterable[ClusterCatalog]) -> tuple[ClusterCatalog, ...]:
    return every(values, ClusterCatalog, "catalogs")


def _checks(values: Iterable[InstallationCheck]) -> tuple[InstallationCheck, ...]:
    several: Any = every(values, object, "checks")
    return several  # type: ignore[no-any-return]


def _conditions(values: Iterable[ExtensionCondition]) -> tuple[ExtensionCondition, ...]:
    return every(values, ExtensionCondition, "conditions")


@attrs.frozen
class ExtensionRequest:
    """Everything that the resolution of one extension depends on.

    *release_support* is the feature gate BundleReleaseSupport: the ``release`` of ``olm.package`` properties
    counts. Each of *validations* may refuse the selected bundle; by default, as in OLM v1, one that declares
    dependencies. *eligibility* are system constraints of the caller (such as
    :class:`olmsolve.WorksOnKubernetes`), which OLM v1 does not know: they refuse a selected bundle as
    validations do, unless it is the installed one, which stays. *listing_error* says why the cluster's catalogs could
    not be listed, for a caller that tried.

    The rest decides whether the controller installs what it resolved: its feature *gates* (but BundleReleaseSupport,
    which is *release_support*), the *settings* of the extension, and *checks*, rules about the cluster, each of which
    may refuse a bundle. A revision that is *rolling_out* keeps the controller from resolving, and so does the deletion
    of the extension (*is_deleted*), or the name of a *missing_account* by which it should install. *conditions* are
    those of its status.

    Raises:
        RequestError: two catalogs of one name, or a field has the wrong type.

    >>> from olmsolve import load, v1
    >>> commons = v1.ClusterCatalog("commons", load("olmsolve/examples/catalogs/commons"))
    >>> request = v1.ExtensionRequest(v1.Extension("keyring", channels=["stable"]), [commons])
    >>> v1.resolve(request).bundle
    'keyring.v1.0.2'
    """

    extension: Extension = attrs.field(validator=is_a(Extension))
    catalogs: tuple[ClusterCatalog, ...] = attrs.field(converter=_catalogs)
    installed: InstalledBundle | None = attrs.field(default=None, validator=_installed_or_none)
    release_support: bool = attrs.field(default=False, validator=is_flag)
    validations: tuple[Validation, ...] = attrs.field(default=(no_dependencies,), converter=_validations)
    name: str = attrs.field(default="", validator=_text)
    listing_error: str = attrs.field(default="", validator=_text)
    eligibility: tuple[Eligibility, ...] = attrs.field(default=(), converter=constraints)
    gates: FeatureGates = attrs.field(default=FeatureGates(), validator=is_a(FeatureGates))
    settings: InstallSettings = attrs.field(default=InstallSettings(), validator=is_a(InstallSettings))
    # Functions about a cluster do not make a request another one, nor do the conditions of before.
    checks: tuple[InstallationCheck, ...] = attrs.field(default=(), converter=_checks, eq=False, repr=False)
    rolling_out: InstalledBundle | None = attrs.field(default=None, validator=_installed_or_none)
    is_deleted: bool = attrs.field(default=False, validator=is_flag)
    missing_account: str = attrs.field(default="", validator=_text)
    conditions: tuple[ExtensionCondition, ...] = attrs.field(default=(), converter=_conditions, eq=False, repr=False)

    if TYPE_CHECKING:

        def _answered(self) -> ExtensionResolution: ...

        def _compared(self, difference: ExtensionDiff) -> ExtensionDiff: ...

        def _compared_in_sets(self, difference: ExtensionDiff) -> ExtensionDiff: ...

    def __attrs_post_init__(self) -> None:
        for name, count in Counter(catalog.name for catalog in self.catalogs).items():
            if count > 1:
                raise RequestError(f"{name!r} is given {count} times", field="catalogs")


InstallationCheck: TypeAlias = Callable[[Bundle, ExtensionRequest], InstallationRefusal | None]
"""Returns why a bundle that was resolved for a request is not installed, None if it is."""


_OF_THE_BUNDLE: Final = ("package", "bundle", "version", "release", "catalog", "channels", "installed")


@record(
    definition="olmsolve.v1.resolution",
    title="The bundle that OLM v1 selects for an extension",
    about="docs/v1.md gives the meaning of the fields.",
    layout=(*_OF_THE_BUNDLE, "deprecation", "warnings", "unknown", "_downgrade", "_kept", "explanation"),
    added={
        "heldBack": {
            "description": "Of a command: the newer bundles that are not selected.",
            "type": "array",
            "items": {"$ref": "#/$defs/heldBackExtensionBundle"},
        }
    },
)
class ExtensionResolution(Record):
    """The bundle that OLM v1 selects.

    *version* and *release* are text; build metadata has become the release ("" without one). *channels* are the
    channels that hold the bundle, among the wanted ones where the request names any. *deprecations* are all entries
    of the winning catalog for the package; :attr:`warnings` are the messages that concern this bundle. *installed* is
    the name of the installed bundle that it follows, "" for a first installation; the same name means that the bundle
    stays.

    *request* is the request that was resolved, for questions about the answer. It holds whole catalogs, so pickling
    leaves it out, and questions about an unpickled answer need the request again.

    *unknown* names facts that the controller checks before it installs the bundle and that the catalog does not have,
    such as its install modes. *kept* says why the bundle was not resolved but stays or goes on, "" where it was
    resolved; then *catalog* is "", and *unresolved* is the failure of the resolver, "" where it was not asked.
    *wanted_channels* are the channels that the extension names. *risk* says what a downgrade puts at risk, "" where the
    bundle is none.

    >>> from olmsolve import load, v1
    >>> commons = v1.ClusterCatalog("commons", load("olmsolve/examples/catalogs/commons"))
    >>> resolution = v1.resolve(v1.ExtensionRequest(v1.Extension("keyring"), [commons]))
    >>> resolution.catalog, str(resolution.version)
    ('commons', '1.0.2')
    """

    package: str = field("The package.")
    bundle: str = field("The name of the bundle.")
    version: str = field("Its version.")
    release: str = field("Its release, empty if it has none.")
    catalog: str = field("The catalog that has it.")
    channels: tuple[str, ...] = field("The channels that have it.")
    deprecations: tuple[Deprecation, ...]
    installed: str = field("The bundle that it follows; the same name means that it stays.", empty="null")
    explanation: ExtensionExplanation = field(repr=False)
    unknown: tuple[str, ...] = field(
        "What the controller looks at before it installs the bundle, and the catalog does not tell.",
        default=(),
        schema={"items": {"enum": ["install modes", "API services", "webhooks", "manifests"]}},
    )
    kept: str = ""
    unresolved: str = ""
    wanted_channels: tuple[str, ...] = ()
    risk: str = ""
    request: ExtensionRequest | None = attrs.field(default=None, eq=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        values = [getattr(self, field.name) for field in attrs.fields(ExtensionResolution) if field.name != "request"]
        # Positional, without the request: that would take whole catalogs into each pickled answer.
        return type(self), tuple(values)

    @property
    def full_version(self) -> str:
        """The version, with the release (if any) as build metadata."""
        return f"{self.version}+{self.release}" if self.release else self.version

    @property
    @documented("Deprecations in words.")
    def warnings(self) -> tuple[str, ...]:
        """The messages about the package, the wanted channels (all where none is named) and the bundle."""
        return tuple(entry.message for entry in concerned(self.deprecations, self.wanted_channels, self.bundle))

    @property
    @documented("All deprecations of the package in the winning catalog; null for none.")
    def deprecation(self) -> Deprecations | None:
        if not self.deprecations:
            return None
        entries = (
            DeprecationEntry(DeprecatedObject(entry.schema, entry.name), entry.message) for entry in self.deprecations
        )
        return Deprecations(self.package, tuple(entries))

    @property
    @documented("", path="*", empty="absent")
    def _downgrade(self) -> Downgrade | None:
        return Downgrade(self.risk) if self.risk else None

    @property
    @documented("", path="*", empty="absent")
    def _kept(self) -> KeptBundle | None:
        return KeptBundle(self.kept, self.unresolved) if self.kept else None


ExtensionAnswer: TypeAlias = ExtensionResolution | ResolutionFailure | CatalogError
"""The results of resolving one extension."""


@record(definition="extensionBundle")
class _ExtensionBundle(Record):
    """The bundle that an extension gets."""

    bundle: str = field("The bundle.")
    version: str = field("Its version.")
    catalog: str = field("Its catalog.")


@record(definition="extensionFailure")
class _ExtensionFailure(Record):
    """The reason why an extension gets nothing."""

    error: str = field("A sentence for people.")


def _answer_record(answer: ExtensionAnswer | None) -> _ExtensionBundle | _ExtensionFailure | None:
    if isinstance(answer, ExtensionResolution):
        return _ExtensionBundle(answer.bundle, answer.full_version, answer.catalog)
    return None if answer is None else _ExtensionFailure(str(answer))


@record(layout=(..., "text"))
class ExtensionDifference(Record):
    """An extension whose answers differ: *before* and *after*, None where only the other side has the extension."""

    name: str = field("The extension.", path="extension")
    before: ExtensionAnswer | None = field(
        "The bundle of the first request; null if there is none.", written=_answer_record
    )
    after: ExtensionAnswer | None = field("The bundle of the second request.", written=_answer_record)

    def __str__(self) -> str:
        before, after = _phrase(self.before), _phrase(self.after)
        if before == after:
            # A catalog may change the version of a bundle and keep its name.
            before, after = (f"{before}{_version(bundle)}" for bundle in (self.before, self.after))
        return f"{self.name}: {before} becomes {after}"


@record(
    definition="olmsolve.v1.diff",
    title="What differs between two sets of extensions",
    about="docs/why.md gives the meaning of the fields.",
)
class ExtensionDiff(Record):
    """The differences between two sets of extensions, by name; *same* are the names of those that get the same."""

    changes: tuple[ExtensionDifference, ...] = field("The extensions that get another bundle.")
    same: tuple[str, ...] = field("The extensions that get the same bundle.", default=())

    def __bool__(self) -> bool:
        """Return whether anything differs."""
        return bool(self.changes)

    def __str__(self) -> str:
        return "\n".join(map(str, self.changes)) or "nothing changes"


def _phrase(answer: ExtensionAnswer | None) -> str:
    if answer is None:
        return "nothing"
    if isinstance(answer, ExtensionResolution):
        return f"{answer.bundle} ({answer.catalog})"
    return f"a failure ({answer})"


def _version(answer: ExtensionAnswer | None) -> str:
    return f" in version {answer.full_version}" if isinstance(answer, ExtensionResolution) else ""
