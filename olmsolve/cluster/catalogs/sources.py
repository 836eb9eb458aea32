"""The catalogs that a namespace sees, and why the content of some cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import olmsolve._attrs as attrs
from olmsolve.cluster.objects import OLM_V1_GROUP, CatalogSource, OperatorGroup

DEFAULT_GLOBAL_NAMESPACE: Final = "olm"
"""The namespace whose catalogs every namespace sees, unless the cluster is configured otherwise."""

EXCLUDE_GLOBAL: Final = f"{OLM_V1_GROUP}/exclude-global-namespace-resolution"
"""The annotation of an operator group that hides the global catalogs where its value is exactly ``true``."""


def visible_namespaces(namespace: str, groups: Sequence[OperatorGroup], global_namespace: str) -> tuple[str, ...]:
    """Return the namespaces whose catalogs *namespace* sees, itself first; *groups* are its operator groups.

    *global_namespace* is "" on a cluster without one. Only a single group can hide it: with several groups, or
    without a group, OLM resolves nothing in the namespace.
    """
    hidden = len(groups) == 1 and groups[0].metadata.annotations.get(EXCLUDE_GLOBAL) == "true"
    return (namespace,) if hidden or global_namespace in ("", namespace) else (namespace, global_namespace)


@attrs.frozen
class VisibleCatalog:
    """A catalog that a namespace sees; *error* says why its content cannot be read, "" where it can.

    *name* is "" where the catalogs of *namespace* cannot even be listed.
    """

    name: str
    namespace: str
    error: str = ""

    @property
    def key(self) -> str:
        """``namespace/name``, as resolutions name catalogs."""
        return f"{self.namespace}/{self.name}"

    @property
    def blocking(self) -> str:
        """OLM's message when this catalog keeps it from resolving; "" where the content can be read."""
        return f"error using catalogsource {self.namespace}/{self.name}: {self.error}" if self.error else ""


def visible_catalogs(
    catalogs: Iterable[CatalogSource],
    namespaces: Sequence[str],
    fault: Callable[[CatalogSource], str],
    unlisted: Mapping[str, str] | None = None,
) -> tuple[VisibleCatalog, ...]:
    """Return the *catalogs* in *namespaces*, by namespace in the given order and then by name.

    *fault* returns why the content of a catalog cannot be read, "" where it can. *unlisted* maps each namespace whose
    catalogs cannot be listed to the reason. The first of *namespaces* among these is then the only answer: with
    catalogs missing, no resolution can be trusted.
    """
    for namespace in namespaces:
        if unlisted and namespace in unlisted:
            reason = f'failed to list catalogsources for namespace "{namespace}": {unlisted[namespace]}'
            return (VisibleCatalog("", namespace, reason),)
    position_of = {namespace: position for position, namespace in enumerate(dict.fromkeys(namespaces))}
    visible = [catalog for catalog in catalogs if catalog.namespace in position_of]
    visible.sort(key=lambda catalog: (position_of[catalog.namespace], catalog.name))
    return tuple(VisibleCatalog(catalog.name, catalog.namespace, fault(catalog)) for catalog in visible)
