"""Changes to an extension or its catalogs, each of which applies itself to a request to OLM v1.

The classes stand in order from the smallest change to the largest. Fixes are ordered by the number of their changes,
then by this order, their ``rank``.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

import attrs

from olmsolve._worded import Worded
from olmsolve.v1 import METADATA_NAME, SELF_CERTIFIED, ExtensionRequest, InstalledBundle, LabelSelector


def _evolved(request: ExtensionRequest, **fields: Any) -> ExtensionRequest:
    return attrs.evolve(request, extension=attrs.evolve(request.extension, **fields))


def _with_catalog(request: ExtensionRequest, name: str, **fields: Any) -> ExtensionRequest:
    catalogs = [attrs.evolve(each, **fields) if each.name == name else each for each in request.catalogs]
    return attrs.evolve(request, catalogs=catalogs)


@attrs.frozen
class _ChangeOfExtension(Worded):
    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data: the kind, the text and the fields."""
        return {**super().to_dict(), **attrs.asdict(self)}


@attrs.frozen
class CorrectPackage(_ChangeOfExtension):
    """Correct the name of a package that no catalog has to a similar one."""

    rank: ClassVar[int] = 1
    package: str

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        return _evolved(request, package=self.package)

    def __str__(self) -> str:
        return f"set packageName to {self.package}"


@attrs.frozen
class SetVersion(_ChangeOfExtension):
    """Set the version or the range of versions, or remove it ("")."""

    rank: ClassVar[int] = 2
    version: str

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        return _evolved(request, version=self.version)

    def __str__(self) -> str:
        return f'set version to "{self.version}"' if self.version else "remove version"


@attrs.frozen
class PinInTurn(_ChangeOfExtension):
    """Pin one of *versions* after the other, each once the one before is installed.

    *steps* are the bundles that the pins lead to, in the same order, each as the controller records it.
    OLM v1 always takes the highest version, which may lead into a blind alley; pins lead around it.
    """

    rank: ClassVar[int] = 3
    steps: tuple[InstalledBundle, ...]
    versions: tuple[str, ...]

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        """Return the request with all steps but the last taken, and the last one pinned."""
        taken = request.installed if len(self.steps) < 2 else self.steps[-2]
        return _evolved(attrs.evolve(request, installed=taken), version=self.versions[-1])

    def __str__(self) -> str:
        return f"set version to {', then to '.join(self.versions)}, each once the one before is installed"

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "text": str(self), "versions": list(self.versions)}


@attrs.frozen
class AllowChannel(_ChangeOfExtension):
    """Allow one more channel, or every channel ("")."""

    rank: ClassVar[int] = 4
    channel: str

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        if not self.channel:
            return _evolved(request, channels=())
        return _evolved(request, channels=tuple(dict.fromkeys((*request.extension.channels, self.channel))))

    def __str__(self) -> str:
        return f"add {self.channel} to channels" if self.channel else "remove channels, which allows all of them"


@attrs.frozen
class SelectCatalog(_ChangeOfExtension):
    """Let the selector choose *catalog* alone, by the label that a cluster gives to each catalog."""

    rank: ClassVar[int] = 5
    catalog: str

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        # Catalogs that a program has made may lack the label, which they would have on a cluster.
        catalogs = [attrs.evolve(each, labels={METADATA_NAME: each.name, **each.labels}) for each in request.catalogs]
        selector = LabelSelector({METADATA_NAME: self.catalog})
        return _evolved(attrs.evolve(request, catalogs=catalogs), selector=selector)

    def __str__(self) -> str:
        return f"let the selector choose catalog {self.catalog} alone ({METADATA_NAME}: {self.catalog})"


@attrs.frozen
class RaisePriority(_ChangeOfExtension):
    """Give *catalog* a *priority* above that of all others; it counts for every extension."""

    rank: ClassVar[int] = 6
    catalog: str
    priority: int

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        return _with_catalog(request, self.catalog, priority=self.priority)

    def __str__(self) -> str:
        return f"set priority of ClusterCatalog {self.catalog} to {self.priority}"


@attrs.frozen
class MakeAvailable(_ChangeOfExtension):
    """Make *catalog* available; it counts for every extension."""

    rank: ClassVar[int] = 7
    catalog: str

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        return _with_catalog(request, self.catalog, available=True)

    def __str__(self) -> str:
        return f"set availabilityMode of ClusterCatalog {self.catalog} to Available"


@attrs.frozen
class ForceUpdate(_ChangeOfExtension):
    """Set the upgrade constraint policy that lets any bundle follow the installed one, whatever the edges."""

    rank: ClassVar[int] = 8

    def apply(self, request: ExtensionRequest) -> ExtensionRequest:
        return _evolved(request, upgrade_constraint_policy=SELF_CERTIFIED)

    def __str__(self) -> str:
        return f"set upgradeConstraintPolicy to {SELF_CERTIFIED}, which forces the update past its author's edges"


ExtensionChange: TypeAlias = (
    CorrectPackage | SetVersion | PinInTurn | AllowChannel | SelectCatalog | RaisePriority | MakeAvailable | ForceUpdate
)
"""One change: ``rank`` is its position among the kinds, ``apply(request)`` returns the changed request."""
