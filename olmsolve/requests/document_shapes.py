"""The request documents, field by field: what the schemas say of them, and the way in which they are written.

Readers (``classic`` and ``extension``) load no record: they take fields one by one, with errors that name them, and a
test holds their names to these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from olmsolve._records import Record, field, record
from olmsolve.v1 import DEFAULT_GATES

_BLOB: Final = {"description": "A blob of a file-based catalog.", "type": "object", "additionalProperties": True}
_BLOBS: Final = {"items": _BLOB}
_BLOBS_OR_NULL: Final = {"type": ["array", "null"], **_BLOBS}
_BUNDLES: Final = {"anyOf": [{"type": "string", "minLength": 1}, {"$ref": "#/$defs/houseBundles"}]}
_BUNDLES_OR_ALL: Final = {"anyOf": [*_BUNDLES["anyOf"], {"type": ["object", "null"], "maxProperties": 0}]}


def _without(*names: str) -> dict[str, Any]:
    """Return the part of a schema by which an object has none of the fields *names*."""
    return {"not": {"anyOf": [{"required": [name]} for name in names]}}


def _contents(**meanings: str) -> list[dict[str, Any]]:
    """Return the alternatives of a catalog: exactly one of these fields, with a text in it or a list."""
    types: Mapping[str, dict[str, Any]] = {
        "file": {"type": "string"},
        "blobs": {"type": "array"},
        "error": {"type": "string", "minLength": 1},
    }
    return [
        {"required": [name], "properties": {name: {"description": meaning, **types[name]}}}
        for name, meaning in meanings.items()
    ]


@record(definition="property")
class WrittenPropertyValue(Record):
    """A property of a bundle."""

    type: str = field("Its type.", schema={"minLength": 1})
    value: Any = field("Any JSON value.")


@record(definition="houseBundles", schema={"minProperties": 1})
class BundlesDocument(Record):
    """The bundles that have everything in common that is said here."""

    package: str = field("Their package.", empty="nullable", default="")
    versions: str = field("A range of its versions.", empty="nullable", default="")
    name: str = field("The name of a bundle.", empty="nullable", default="")
    api: str = field("A provided API, group/version/Kind.", empty="nullable", default="")
    catalog: str = field(
        "Their catalog, namespace/name; an operator is from @existing, and from that of its subscription.",
        empty="nullable",
        default="",
    )
    constraint: Mapping[str, Any] = field(
        "The value of an olm.constraint property, tested on each bundle by itself.", empty="nullable", factory=dict
    )


@record(
    definition="houseRule",
    about="A house rule (docs/house-rules.md).",
    schema={
        "oneOf": [
            {"required": ["never"], **_without("smallest", "largest", "of", "limit")},
            {"required": ["atLeastOne"], **_without("beside", "smallest", "largest", "of", "limit")},
            {"required": ["prefer"], **_without("beside", "of", "limit")},
            {"required": ["totalAtMost", "of", "limit"], **_without("beside", "smallest", "largest")},
        ]
    },
)
class HouseRuleDocument(Record):
    """A house rule: bundles, or the name of their package."""

    name: str = field("Its author's own words for it.", schema={"minLength": 1})
    never: Any = field("What is never selected.", empty="absent", schema=_BUNDLES, default=None)
    beside: Any = field("What is never selected together with it.", empty="absent", schema=_BUNDLES, default=None)
    at_least_one: Any = field(
        "The bundles of which at least one is selected.", empty="absent", schema=_BUNDLES, default=None
    )
    prefer: Any = field("What is selected first.", empty="absent", schema=_BUNDLES_OR_ALL, default=None)
    smallest: str = field("The type of the property by whose number they are sorted.", empty="absent", default="")
    largest: str = field(
        "The type of the property by whose number they are sorted, the largest first.", empty="absent", default=""
    )
    total_at_most: Any = field(
        "The bundles whose sum is limited; all bundles if empty.", empty="absent", schema=_BUNDLES_OR_ALL, default=None
    )
    of: str = field("The type of the property whose numbers are added up.", empty="absent", default="")
    limit: int = field("The highest sum that is allowed.", empty="absent", schema={"minimum": 0}, default=0)


@record(
    schema={
        "oneOf": _contents(
            file="Where the catalog is: a path, an image or a URL.",
            blobs="The blobs of the catalog.",
            error="Why the catalog cannot be read.",
        )
    }
)
class CatalogDocument(Record):
    """A CatalogSource: exactly one of file, blobs and error says what it contains."""

    name: str = field("Its name.")
    namespace: str = field("Its namespace; the target namespace if absent.", empty="nullable", default="")
    priority: int = field(
        "Higher ones come first; 0 if absent.",
        empty="nullable",
        schema={"minimum": -(2**63), "maximum": 2**63 - 1},
        default=0,
    )
    file: str = field(
        "A folder or a file with a file-based catalog, relative to the document's folder.", empty="nullable", default=""
    )
    blobs: tuple[Any, ...] | None = field(
        "The catalog itself, blob by blob.", empty="optional", schema=_BLOBS_OR_NULL, default=None
    )
    error: str = field("Why the content is unavailable.", empty="nullable", default="")


@record
class SubscriptionDocument(Record):
    """A wanted package."""

    name: str = field("Its name.")
    namespace: str = field("Its namespace; the target namespace if absent.", empty="nullable", default="")
    package: str = field("The wanted package.", kw_only=True)
    channel: str = field("The channel; all, the default one first, if absent or empty.", empty="nullable", default="")
    source: str = field("The catalog; all visible ones if absent or empty.", empty="nullable", default="")
    source_namespace: str = field("The namespace of the catalog.", empty="nullable", default="")
    starting_csv: str = field(
        "The bundle to begin with where nothing is installed.", path="startingCSV", empty="nullable", default=""
    )
    installed_csv: str = field("The operator that it owns.", path="installedCSV", empty="nullable", default="")


@record
class InstalledDocument(Record):
    """An installed operator."""

    name: str = field("The name of its bundle.")
    version: str = field("Its version.", empty="nullable", default="")
    subscription: str | None = field(
        "The subscription that owns it; without one it must stay.", empty="nullable", default=None
    )
    properties: tuple[WrittenPropertyValue, ...] = field("The properties of its bundle.", empty="nullable", default=())
    gives_way: bool = field(
        "Whether it makes way for an operator whose installation has failed.", empty="nullable", default=False
    )
    replaced_by: str = field(
        "The operator whose installation is under way, and that takes its place.", empty="nullable", default=""
    )
    stalled_by: str = field("The operator that was to take its place, and is pending.", empty="nullable", default="")
    stall: str = field("Why that one is pending: refused, lacking or unready.", empty="nullable", default="")


@record(
    definition="olmsolve.request",
    title="A request document for classic OLM",
    about="What olmsolve resolve REQUEST reads; docs/documents.md gives the meaning of the fields. An absent field and "
    "null are the same.",
    marked=False,
)
class RequestDocument(Record):
    """A request for classic OLM."""

    name: str = field("A name for people.", empty="nullable", default="")
    namespaces: tuple[str, ...] = field(
        "The target namespace first, then the global ones.", schema={"minItems": 1}, kw_only=True
    )
    catalogs: tuple[CatalogDocument, ...] = field("The catalogs that there are.", kw_only=True)
    unreadable: Literal["strict", "referenced", "ignore", ""] = field(
        "What is resolved where a visible catalog cannot be read; strict if absent.",
        empty="nullable",
        schema={"enum": ["strict", "referenced", "ignore"]},
        default="",
    )
    installed: tuple[InstalledDocument, ...] = field(
        "The operators of the target namespace.", empty="nullable", default=()
    )
    subscriptions: tuple[SubscriptionDocument, ...] = field("The wanted packages, served in this order.", kw_only=True)
    house_rules: tuple[Any, ...] = field(
        "What is forbidden, demanded or preferred in addition to OLM's own rules.",
        empty="nullable",
        schema={"items": {"$ref": "#/$defs/houseRule"}},
        default=(),
    )


@record
class LabelExpressionDocument(Record):
    """An expression of a label selector."""

    key: str = field("The label.", empty="nullable", default="")
    operator: str = field("In, NotIn, Exists or DoesNotExist.", empty="nullable", default="")
    values: tuple[str, ...] = field("The values that In and NotIn compare with.", empty="nullable", default=())


@record
class SelectorDocument(Record):
    """A label selector for catalogs."""

    match_labels: Mapping[str, str] = field("The labels that a catalog must have.", empty="nullable", factory=dict)
    match_expressions: tuple[LabelExpressionDocument, ...] = field(
        "The expressions that must hold for a catalog's labels.", empty="nullable", default=()
    )


@record
class ExtensionDocument(Record):
    """The wish of an extension."""

    package: str = field("The wanted package.", path="packageName")
    version: str = field("A range of versions.", empty="nullable", default="")
    channels: tuple[str, ...] = field("The allowed channels; all if absent.", empty="nullable", default=())
    selector: SelectorDocument | None = field(
        "Which catalogs the extension takes, by their labels; null for all.", empty="nullable", default=None
    )
    upgrade_constraint_policy: Literal["CatalogProvided", "SelfCertified", ""] = field(
        "Whether update edges count.", empty="nullable", default=""
    )


@record
class SortedBlobs(Record):
    """The catalog itself, sorted by schema."""

    packages: tuple[Any, ...] = field(
        "The blobs of the schema olm.package.", empty="nullable", schema=_BLOBS, default=()
    )
    channels: tuple[Any, ...] = field(
        "The blobs of the schema olm.channel.", empty="nullable", schema=_BLOBS, default=()
    )
    bundles: tuple[Any, ...] = field("The blobs of the schema olm.bundle.", empty="nullable", schema=_BLOBS, default=())
    deprecations: tuple[Any, ...] = field(
        "The blobs of the schema olm.deprecations.", empty="nullable", schema=_BLOBS, default=()
    )


@record
class ClusterCatalogDocument(Record):
    """A ClusterCatalog: at most one of file, blobs and fbc says what it contains."""

    name: str = field("Its name.")
    labels: Mapping[str, str] = field("The labels of the catalog.", empty="nullable", factory=dict)
    priority: int = field(
        "Higher ones come first; 0 if absent.",
        empty="nullable",
        schema={"minimum": -(2**31), "maximum": 2**31 - 1},
        default=0,
    )
    error: str = field("Why its content is unavailable.", empty="nullable", default="")
    availability_mode: Literal["Available", "Unavailable", ""] = field(
        'Whether the catalog is served; "" is Available.', empty="nullable", default=""
    )
    file: str = field("A folder or a file with a file-based catalog.", empty="nullable", default="")
    blobs: tuple[Any, ...] | None = field("The catalog itself.", empty="optional", schema=_BLOBS_OR_NULL, default=None)
    fbc: SortedBlobs | None = field(
        "The content of the catalog; null where there is none.", empty="nullable", default=None
    )


@record
class InstalledBundleDocument(Record):
    """The installed bundle."""

    name: str = field("Its name.")
    version: str = field("Its version.")
    release: str | None = field("Its release.", empty="optional", schema={"type": ["string", "null"]}, default=None)


@record
class InstallDocument(Record):
    """The settings of the installation, which follows the resolution."""

    namespace: str = field("The namespace of the operator.", empty="absent", default="")
    crd_upgrade_safety: Literal["", "Strict", "None"] = field(
        "Whether definitions are only replaced where that is safe.", empty="absent", default=""
    )
    config: Mapping[str, Any] | None = field(
        "The inline configuration (spec.config.inline).", empty="optional", default=None
    )


_GATES: Final = {"propertyNames": {"enum": sorted(["AllAlpha", "AllBeta", *DEFAULT_GATES])}}


@record(
    definition="olmsolve.v1.request",
    title="A request document for OLM v1",
    about="docs/v1.md gives the meaning of the fields. A ClusterExtension with its ClusterCatalogs, or a List of "
    "objects, is a request as well.",
    marked=False,
)
class ExtensionRequestDocument(Record):
    """A request for OLM v1."""

    name: str = field("A name for people.", empty="nullable", default="")
    catalogs: tuple[ClusterCatalogDocument, ...] = field(
        "The ClusterCatalogs; at most one of file, blobs and fbc says what each contains.", empty="nullable", default=()
    )
    extension: ExtensionDocument = field("The wish.", kw_only=True)
    installed: InstalledBundleDocument | None = field(
        "The installed bundle; null for none.", empty="nullable", default=None
    )
    feature_gates: Mapping[str, bool] = field(
        "The feature gates that are set.", empty="nullable", schema=_GATES, factory=dict
    )
    alias_of_feature_gates: Mapping[str, bool] = field(
        "Another name of featureGates.", path="feature_gates", empty="nullable", schema=_GATES, factory=dict
    )
    install: InstallDocument | None = field(
        "How the bundle is installed once it is resolved.", empty="absent", default=None
    )
    validations: tuple[Literal["no_dependency", "admission"], ...] | None = field(
        "The validations of the winner; all if absent.",
        empty="optional",
        schema={"type": ["array", "null"]},
        default=None,
    )
