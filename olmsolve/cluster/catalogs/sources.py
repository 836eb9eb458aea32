"""Which catalogs a namespace sees, and why the content of some cannot be had."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import attrs

from olmsolve.cluster.objects import CatalogSource, OperatorGroup

__all__ = [
    "DEFAULT_GLOBAL_NAMESPACE",
    "EXCLUDE_GLOBAL",
    "VisibleCatalog",
    "visible_catalogs",
    "visible_namespaces",
]

DEFAULT_GLOBAL_NAMESPACE: Final = "olm"
"""The namespace whose catalogs every namespace sees, unless the cluster is configured otherwise."""

EXCLUDE_GLOBAL: Final = "olm.operatorframework.io/exclude-global-namespace-resolution"
"""The annotation of an operator group that, where it is exactly ``true``, hides the global catalogs."""


def visible_namespaces(namespace: str, groups: Sequence[OperatorGroup], global_namespace: str) -> tuple[str, ...]:
    """The namespaces whose catalogs *namespace*, whose operator groups are *groups*, sees: itself comes first.

    *global_namespace* is "" where there is none. Only a single group can hide it: with several, or none, OLM resolves
    nothing there.
    """
    hidden = len(groups) == 1 and groups[0].metadata.annotations.get(EXCLUDE_GLOBAL) == "true"
    return (namespace,) if hidden or global_namespace in ("", namespace) else (namespace, global_namespace)


@attrs.frozen
class VisibleCatalog:
    """A catalog that a namespace sees; *error* says why its content cannot be had, "" where it can.

    *name* is "" where not even the catalogs of *namespace* are known.
    """

    name: str
    namespace: str
    error: str = ""

    @property
    def key(self) -> str:
        """``name/namespace``, as resolutions name catalogs."""
        return f"{self.name}/{self.namespace}"

    @property
    def blocking(self) -> str:
        """What OLM says when this catalog keeps it from resolving anything; "" where nothing is wrong."""
        return f"error using catalogsource {self.namespace}/{self.name}: {self.error}" if self.error else ""


def visible_catalogs(
    catalogs: Iterable[CatalogSource],
    namespaces: Sequence[str],
    fault: Callable[[CatalogSource], str],
    unlisted: Mapping[str, str] | None = None,
) -> tuple[VisibleCatalog, ...]:
    """Those of *catalogs* that are in *namespaces*, by namespace in that order and then by name.

    *fault* says why the content of a catalog cannot be had, "" where it can. *unlisted* gives the namespaces whose
    catalogs cannot be listed, with the reason: the first of *namespaces* among them is then the only answer, because
    with catalogs of which nobody knows, no answer is known to be right.
    """
    for namespace in namespaces:
        if unlisted and namespace in unlisted:
            reason = f'failed to list catalogsources for namespace "{namespace}": {unlisted[namespace]}'
            return (VisibleCatalog("", namespace, reason),)
    place = {namespace: position for position, namespace in enumerate(dict.fromkeys(namespaces))}
    visible = [catalog for catalog in catalogs if catalog.namespace in place]
    visible.sort(key=lambda catalog: (place[catalog.namespace], catalog.name))
    return tuple(VisibleCatalog(catalog.name, catalog.namespace, fault(catalog)) for catalog in visible)
