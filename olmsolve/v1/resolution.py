"""The answer to an extension's request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from olmsolve.catalog import Deprecation
from olmsolve.resolution import SCHEMA_VERSION
from olmsolve.v1.explanation import ExtensionExplanation
from olmsolve.v1.request import ExtensionRequest


@attrs.frozen
class ExtensionResolution:
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

    package: str
    bundle: str
    version: str
    release: str
    catalog: str
    channels: tuple[str, ...]
    deprecations: tuple[Deprecation, ...]
    installed: str
    explanation: ExtensionExplanation = attrs.field(repr=False)
    unknown: tuple[str, ...] = ()
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
    def warnings(self) -> tuple[str, ...]:
        """The messages about the package, the wanted channels (all where none is named) and the bundle."""
        return tuple(entry.message for entry in concerned(self.deprecations, self.wanted_channels, self.bundle))

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; what the fields mean is documented in docs/v1.md."""
        return {
            "schema": "olmsolve.v1.resolution",
            "schemaVersion": SCHEMA_VERSION,
            "package": self.package,
            "bundle": self.bundle,
            "version": self.version,
            "release": self.release,
            "catalog": self.catalog,
            "channels": list(self.channels),
            "installed": self.installed or None,
            "deprecation": self._deprecation(),
            "warnings": list(self.warnings),
            "unknown": list(self.unknown),
            **({"downgrade": True, "risk": self.risk} if self.risk else {}),
            **({"kept": self.kept, "unresolved": self.unresolved or None} if self.kept else {}),
            "explanation": self.explanation.to_dict(),
        }

    def _deprecation(self) -> dict[str, Any] | None:
        """Return the ``olm.deprecations`` blob of the package; None if the catalog has none, or an empty one."""
        if not self.deprecations:
            return None
        return {
            "schema": "olm.deprecations",
            "package": self.package,
            "entries": [
                {
                    "reference": {
                        "schema": entry.schema,
                        # The package is deprecated without naming it again.
                        **({"name": entry.name} if entry.name else {}),
                    },
                    "message": entry.message,
                }
                for entry in self.deprecations
            ],
        }


def concerned(entries: Iterable[Deprecation], channels: Sequence[str], bundle: str) -> tuple[Deprecation, ...]:
    """Return the *entries* with a message about an extension with these *channels* that has *bundle*.

    As recorded: the package first, then channels (all of them where *channels* names none), then the bundle.
    """
    told = [entry for entry in entries if entry.message]
    of_package = [entry for entry in told if entry.schema == "olm.package"]
    of_channels = [
        entry for entry in told if entry.schema == "olm.channel" and (not channels or entry.name in channels)
    ]
    return (*of_package, *of_channels, *(each for each in told if (each.schema, each.name) == ("olm.bundle", bundle)))
