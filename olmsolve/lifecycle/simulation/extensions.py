"""The extensions of OLM v1 in a simulation: each is updated by itself until it stays, fails or goes round."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from olmsolve import v1
from olmsolve.cluster import Hindrance
from olmsolve.errors import OlmsolveError


@attrs.frozen
class ExtensionWay:
    """The way of the extension *name* to rest: the bundle that it *had* ("": none), and its *updates* in order.

    It ends where nothing changes any more; or with an *error*, or where it would begin to go round (*is_circular*).
    """

    name: str
    had: str = ""
    updates: tuple[str, ...] = ()
    error: OlmsolveError | None = None
    is_circular: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether the extension has a bundle in the end, and keeps it."""
        return self.error is None and not self.is_circular

    def __str__(self) -> str:
        way = " > ".join(filter(None, (self.had, *self.updates))) or "nothing"
        if self.is_circular:
            return f"{self.name}: {way}, and goes round"
        return f"{self.name}: {way}" if self.error is None else f"{self.name}: {way}, and then fails"

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "had": self.had or None,
            "updates": list(self.updates),
            "circular": self.is_circular,
            "error": None if self.error is None else str(self.error),
        }


@attrs.frozen
class ExtensionUnsettled(Hindrance):
    """The *extension* fails with an *error* in words, or goes round ("" then); *namespace* is ""."""

    kind: ClassVar[str] = "extensionUnsettled"

    extension: str
    error: str = ""

    def __str__(self) -> str:
        if not self.error:
            return f"extension {self.extension} never comes to rest: its updates go round"
        return f"extension {self.extension} cannot be resolved: {self.error}"


def way_of(name: str, request: v1.ExtensionRequest) -> ExtensionWay:
    """Return the way of the extension *name* with this *request*, while nobody changes it or its catalogs.

    Raises:
        InvalidWishError: the selector or the version range cannot be read.
        CatalogError: a catalog cannot be read.
    """
    found = v1.walk(request)
    had = "" if request.installed is None else request.installed.name
    return ExtensionWay(name, had, found.bundles, found.stopped, found.is_circular)


def unsettled(way: ExtensionWay) -> ExtensionUnsettled | None:
    """Return what is left to do for the extension of *way*; None where it is settled."""
    if way.is_settled:
        return None
    return ExtensionUnsettled("", way.name, "" if way.error is None else str(way.error))
