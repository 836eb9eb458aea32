"""The answer to an extension's request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import attrs

from olmsolve._records import Record, documented, field, record
from olmsolve.catalog import Deprecation
from olmsolve.v1.explanation import ExtensionExplanation
from olmsolve.v1.request import ExtensionRequest

_OF_THE_BUNDLE: Final = ("package", "bundle", "version", "release", "catalog", "channels", "installed")


@record
class _DeprecatedObject(Record):
    """The object that is deprecated."""

    schema: str = field("The schema of what is deprecated.")
    name: str = field("Its name; absent for the package itself.", empty="absent")


@record
class _DeprecationEntry(Record):
    """An entry of a blob of deprecations."""

    reference: _DeprecatedObject = field("The object that is deprecated.")
    message: str = field("The author's message.")


@record(definition="deprecations", layout=("schema", ...))
class _Deprecations(Record):
    """The olm.deprecations blob of the package."""

    package: str = field("The package.")
    entries: tuple[_DeprecationEntry, ...] = field("The deprecations, as the catalog has them.")

    @property
    @documented("", schema={"const": "olm.deprecations", "type": None})
    def schema(self) -> str:
        return "olm.deprecations"


@record(layout=("is_downgrade", ...))
class _Downgrade(Record):
    """A way down, with what is at risk."""

    risk: str = field("What the downgrade puts at risk.")

    @property
    @documented("That the bundle is below the installed one.", path="downgrade", schema={"const": True, "type": None})
    def is_downgrade(self) -> bool:
        return True


@record
class _KeptBundle(Record):
    """A bundle that was not resolved."""

    kept: str = field("Why the bundle was not resolved, and stays or goes on.")
    unresolved: str = field("Of a kept bundle: the failure of the resolver, null where it was not asked.", empty="null")


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
        },
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
    leaves it out, and questions about an unpickled answer need the request once more.

    *unknown* names what the controller looks at before it installs the bundle and the catalog does not tell, such as
    its install modes. *kept* says why the bundle was not resolved but stays or goes on, "" where it was resolved; then
    *catalog* is "", and *unresolved* is the failure of the resolver, "" where it was not asked. *wanted_channels* are
    the channels that the extension names. *risk* says what a downgrade puts at risk, "" where the bundle is none.

    >>> from olmsolve import load, v1
    >>> commons = v1.ClusterCatalog("commons", load("olmsolve/examples/catalogs/commons"))
    >>> found = v1.resolve(v1.ExtensionRequest(v1.Extension("keyring"), [commons]))
    >>> found.catalog, str(found.version)
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
    def deprecation(self) -> _Deprecations | None:
        if not self.deprecations:
            return None
        entries = (
            _DeprecationEntry(
                _DeprecatedObject(listed_deprecation.schema, listed_deprecation.name), listed_deprecation.message
            )
            for listed_deprecation in self.deprecations
        )
        return _Deprecations(self.package, tuple(entries))

    @property
    @documented("", path="*", empty="absent")
    def _downgrade(self) -> _Downgrade | None:
        return _Downgrade(self.risk) if self.risk else None

    @property
    @documented("", path="*", empty="absent")
    def _kept(self) -> _KeptBundle | None:
        return _KeptBundle(self.kept, self.unresolved) if self.kept else None


def concerned(entries: Iterable[Deprecation], channels: Sequence[str], bundle: str) -> tuple[Deprecation, ...]:
    """Return the *entries* with a message about an extension with these *channels* that has *bundle*.

    As recorded: the package first, then channels (all of them where *channels* names none), then the bundle.
    """
    told = [entry for entry in entries if entry.message]
    of_package = [entry for entry in told if entry.schema == "olm.package"]
    of_channels = [
        entry for entry in told if entry.schema == "olm.channel" and (not channels or entry.name in channels)
    ]
    return (
        *of_package,
        *of_channels,
        *(deprecation for deprecation in told if (deprecation.schema, deprecation.name) == ("olm.bundle", bundle)),
    )
