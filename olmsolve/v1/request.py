"""Requests to OLM v1: one cluster extension, over cluster catalogs and the bundle that it has installed.

Plain values; :mod:`olmsolve.requests` reads them from documents. The fields follow OLM v1's ClusterExtension
and ClusterCatalog objects.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

import attrs

from olmsolve._arguments import every, is_a, is_number
from olmsolve._records import Record, field, record
from olmsolve.catalog import Bundle, Catalog
from olmsolve.eligibility import Eligibility, constraints
from olmsolve.errors import RequestError
from olmsolve.predicates import described
from olmsolve.v1.installing import FeatureGates, InstallationRefusal, InstallSettings
from olmsolve.v1.selector import LabelSelector
from olmsolve.v1.validations import Validation, no_dependencies

SELF_CERTIFIED: Final = "SelfCertified"
"""The upgrade constraint policy that lets any bundle follow any other; every other policy enforces edges."""

POLICIES: Final = ("CatalogProvided", SELF_CERTIFIED)
"""The upgrade constraint policies; "" stands for the first one."""

METADATA_NAME: Final = "olm.operatorframework.io/metadata.name"
"""The label that every ClusterCatalog has on a cluster: its own name."""

_EMPTY: Final[Mapping[str, str]] = {}
# Comparing two names takes the square of their length.
_LONGEST_NAME_COMPARED: Final = 64


def _channels(values: Iterable[str]) -> tuple[str, ...]:
    # A text is an iterable too, of its letters.
    if isinstance(values, str):
        raise RequestError("must be several names, not one text", field="channels", hint=f"[{values!r}]")
    return tuple(values)


def _text(_: object, field: attrs.Attribute[Any], value: object) -> None:
    """Raise a RequestError unless *value* is text: YAML and people write versions as numbers."""
    if not isinstance(value, str):
        hint = "put it in quotes" if isinstance(value, (int, float)) else ""
        raise RequestError(f"must be a string, not {described(value)}", field=field.name, hint=hint)


def _texts(_: object, field: attrs.Attribute[Any], values: tuple[object, ...]) -> None:
    for position, value in enumerate(values):
        if not isinstance(value, str):
            raise RequestError(f"must be a string, not {described(value)}", field=f"{field.name}[{position}]")


def _selector(_: object, field: attrs.Attribute[Any], value: object) -> None:
    if value is not None and not isinstance(value, LabelSelector):
        hint = "olmsolve.v1.LabelSelector({...})"
        raise RequestError(f"must be a LabelSelector, not {described(value)}", field=field.name, hint=hint)


def _policy(_: object, field: attrs.Attribute[Any], value: object) -> None:
    _text(_, field, value)
    if value not in ("", *POLICIES):
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


def _semantic(cluster: object, field: attrs.Attribute[Any], value: object) -> None:
    """Raise RequestError unless *value* is None, or a catalog of semantic versions; a validator of attrs."""
    attrs.validators.optional(is_a(Catalog))(cluster, field, value)
    if isinstance(value, Catalog) and value.scheme is not None:
        says = f"has {value.scheme.name} versions, and OLM v1 resolves semantic versions alone"
        raise RequestError(says, field=field.name)


@attrs.frozen
class ClusterCatalog:
    """A catalog under the name, labels and priority that a cluster gives it; higher priorities win.

    *catalog* is None where its content is unknown: it then has no package. An unavailable catalog is left out.
    *error* says why a package could not be fetched from it, which fails every request that needs this catalog.
    """

    name: str = attrs.field(validator=_text)
    # Hashing leaves out what holds mappings, so that requests can be keys; it still counts for equality.
    catalog: Catalog | None = attrs.field(default=None, hash=False, validator=_semantic)
    labels: Mapping[str, str] = attrs.field(default=_EMPTY, hash=False)
    priority: int = attrs.field(default=0, validator=is_number)
    available: bool = True
    error: str = attrs.field(default="", validator=_text)


@attrs.frozen
class Extension:
    """The wish for a package.

    *version* is a range as Masterminds/semver reads it ("": any version), *channels* are the allowed ones (empty: all).
    *selector* chooses among the catalogs by their labels, None takes all. *upgrade_constraint_policy* is
    ``CatalogProvided`` (or "", the same), which enforces update edges, or :data:`SELF_CERTIFIED`, which does not.

    Raises:
        RequestError: a field has the wrong type, or there is no such policy.
    """

    package: str = attrs.field(validator=_text)
    version: str = attrs.field(default="", validator=_text)
    channels: tuple[str, ...] = attrs.field(default=(), converter=_channels, validator=_texts)
    selector: LabelSelector | None = attrs.field(default=None, validator=_selector)
    upgrade_constraint_policy: str = attrs.field(default="", validator=_policy)

    @property
    def enforces_edges(self) -> bool:
        """Whether only the installed bundle and its successors may be selected."""
        return self.upgrade_constraint_policy != SELF_CERTIFIED


@attrs.frozen
class InstalledBundle:
    """The bundle of the extension that is installed; *release* is None where the cluster recorded none.

    Raises:
        RequestError: a field is no text.
    """

    name: str = attrs.field(validator=_text)
    version: str = attrs.field(validator=_text)
    release: str | None = attrs.field(default=None, validator=attrs.validators.optional(_text))


def _catalogs(values: Iterable[ClusterCatalog]) -> tuple[ClusterCatalog, ...]:
    return every(values, ClusterCatalog, "catalogs")


def _checks(values: Iterable[InstallationCheck]) -> tuple[InstallationCheck, ...]:
    return tuple(values)


def _conditions(values: Iterable[ExtensionCondition]) -> tuple[ExtensionCondition, ...]:
    return tuple(values)


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
    installed: InstalledBundle | None = attrs.field(
        default=None, validator=attrs.validators.optional(is_a(InstalledBundle))
    )
    release_support: bool = False
    validations: tuple[Validation, ...] = (no_dependencies,)
    name: str = ""
    listing_error: str = ""
    eligibility: tuple[Eligibility, ...] = attrs.field(default=(), converter=constraints)
    gates: FeatureGates = attrs.field(default=FeatureGates())
    settings: InstallSettings = attrs.field(default=InstallSettings())
    checks: tuple[InstallationCheck, ...] = attrs.field(default=(), converter=_checks, eq=False, repr=False)
    rolling_out: InstalledBundle | None = None
    is_deleted: bool = False
    missing_account: str = ""
    conditions: tuple[ExtensionCondition, ...] = attrs.field(default=(), converter=_conditions, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        for name, count in Counter(catalog.name for catalog in self.catalogs).items():
            if count > 1:
                raise RequestError(f"{name!r} is given {count} times", field="catalogs")


InstallationCheck: TypeAlias = Callable[[Bundle, ExtensionRequest], InstallationRefusal | None]
"""Returns why a bundle that was resolved for a request is not installed, None if it is."""
