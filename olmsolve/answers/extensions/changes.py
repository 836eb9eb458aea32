"""Changes to an extension or its catalogs, each of which applies itself to a request to OLM v1.

The classes are in order from the smallest change to the largest. Fixes are ordered by the number of their changes, then
by this order, their ``rank``.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

import olmsolve._attrs as attrs
from olmsolve._records import Record, field, record
from olmsolve.v1 import METADATA_NAME, SELF_CERTIFIED, ExtensionRequest, InstalledBundle, LabelSelector


def _evolved(request: ExtensionRequest, **fields: Any) -> ExtensionRequest:
    return attrs.evolve(request, extension=attrs.evolve(request.extension, **fields))


def _with_catalog(request: ExtensionRequest, name: str, **fields: Any) -> ExtensionRequest:
    catalogs = [attrs.evolve(catalog, **fields) if catalog.name == name else catalog for catalog in request.catalogs]
    return attrs.evolve(request, catalogs=catalogs)


@record(definition="extensionChange", layout=("kind", "text", ...))
class _ChangeOfExtension(Record):
    """A change to an extension; the controller looks at the extension anew where the change *wakes* it."""

    kind: ClassVar[str]
    wakes: ClassVar[bool] = True


@record(says="set packageName to {package}, in a new extension where this one is on a cluster: it never changes")
class CorrectPackage(_ChangeOfExtension):
    """Correct the name of a package that no catalog has to a similar one.

    An API server refuses another package for an extension that is there.
    """

    rank: ClassVar[int] = 1
    package: str = field("The package that the extension should name.")

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        return _evolved(request, package=self.package)


@record
class SetVersion(_ChangeOfExtension):
    """Set the version or the range of versions, or remove it ("")."""

    rank: ClassVar[int] = 2
    version: str = field("The range, empty for none.")

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        return _evolved(request, version=self.version)

    def __str__(self) -> str:
        return f'set version to "{self.version}"' if self.version else "remove version"


@record
class PinInTurn(_ChangeOfExtension):
    """Pin one of *versions* after the other, each after the one before is installed.

    *steps* are the bundles that the pins lead to, in the same order, each as the controller records it.
    OLM v1 always takes the highest version, which may lead into a blind alley; pins lead around it.
    """

    rank: ClassVar[int] = 3
    steps: tuple[InstalledBundle, ...]
    versions: tuple[str, ...] = field("The versions, in the order of their turns.")

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        """Return the request with all steps but the last taken, and the last one pinned."""
        taken = request.installed if len(self.steps) < 2 else self.steps[-2]
        return _evolved(attrs.evolve(request, installed=taken), version=self.versions[-1])

    def __str__(self) -> str:
        return f"set version to {', then to '.join(self.versions)}, each after the one before is installed"


@record
class AllowChannel(_ChangeOfExtension):
    """Allow one more channel, or every channel ("")."""

    rank: ClassVar[int] = 4
    channel: str = field("The channel to allow.")

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        if not self.channel:
            return _evolved(request, channels=())
        return _evolved(request, channels=tuple(dict.fromkeys((*request.extension.channels, self.channel))))

    def __str__(self) -> str:
        return f"add {self.channel} to channels" if self.channel else "remove channels, which allows all of them"


@record
class SelectCatalog(_ChangeOfExtension):
    """Let the selector choose *catalog* alone, by the label that a cluster gives to each catalog."""

    rank: ClassVar[int] = 5
    catalog: str = field("The catalog to choose.")

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        # Catalogs that a program has made may lack the label, which they would have on a cluster.
        catalogs = [
            attrs.evolve(catalog, labels={METADATA_NAME: catalog.name, **catalog.labels})
            for catalog in request.catalogs
        ]
        selector = LabelSelector({METADATA_NAME: self.catalog})
        return _evolved(attrs.evolve(request, catalogs=catalogs), selector=selector)

    def __str__(self) -> str:
        return f"let the selector choose only catalog {self.catalog} ({METADATA_NAME}: {self.catalog})"


@record(says="set priority of ClusterCatalog {catalog} to {priority}")
class RaisePriority(_ChangeOfExtension):
    """Give *catalog* a *priority* above all other catalogs; it counts for every extension.

    As recorded, it wakes no extension by itself.
    """

    rank: ClassVar[int] = 6
    wakes: ClassVar[bool] = False
    catalog: str = field("The catalog to change.")
    priority: int = field("Its priority.", schema={"minimum": None})

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        return _with_catalog(request, self.catalog, priority=self.priority)


@record(says="set availabilityMode of ClusterCatalog {catalog} to Available")
class MakeAvailable(_ChangeOfExtension):
    """Make *catalog* available; it counts for every extension."""

    rank: ClassVar[int] = 7
    catalog: str = field("The catalog to make available.")

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        return _with_catalog(request, self.catalog, available=True)


@record
class ForceUpdate(_ChangeOfExtension):
    """Set the upgrade constraint policy that lets any bundle follow the installed one, whatever the edges."""

    rank: ClassVar[int] = 8

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        return _evolved(request, upgrade_constraint_policy=SELF_CERTIFIED)

    def __str__(self) -> str:
        return f"set upgradeConstraintPolicy to {SELF_CERTIFIED}, which forces the update past its author's edges"


@record
class AcceptDefinitions(_ChangeOfExtension):
    """Let the definitions of a bundle pass that may break objects which are there."""

    rank: ClassVar[int] = 9

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        return attrs.evolve(request, settings=attrs.evolve(request.settings, crd_upgrade_safety=False))

    def __str__(self) -> str:
        field = "install.preflight.crdUpgradeSafety.enforcement"
        return f"set {field} to None, at your own risk: existing objects may break"


ExtensionChange: TypeAlias = (
    CorrectPackage
    | SetVersion
    | PinInTurn
    | AllowChannel
    | SelectCatalog
    | RaisePriority
    | MakeAvailable
    | ForceUpdate
    | AcceptDefinitions
)
"""One change: ``rank`` is its position among the kinds, ``apply(request)`` returns the changed request."""
