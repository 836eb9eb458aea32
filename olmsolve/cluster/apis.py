"""The APIs that operators bring, as keys and sets of keys.

A set is a plain frozenset of :class:`Api`, so its algebra is Python's; here is what Python does not have: the
annotation's text, and the hash by which cluster roles find each other.

The annotation ``olm.providedAPIs`` of an operator group is a list of ``Kind.version.group``, sorted and joined by
commas. It is read as recorded: spaces count for nothing, and an item with fewer than two dots is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import attrs

from olmsolve.cluster.objects import ClusterServiceVersion
from olmsolve.predicates import GVK

__all__ = [
    "PROVIDED_APIS_ANNOTATION",
    "Api",
    "Apis",
    "annotation_text",
    "apis_of_annotation",
    "common_apis",
    "owned_apis",
]

PROVIDED_APIS_ANNOTATION: Final = "olm.providedAPIs"

Apis = frozenset["Api"]
"""A set of APIs."""


@attrs.frozen
class Api:
    """An API by group, version and kind. The *plural*, where it is known, is part of what makes two APIs equal."""

    group: str
    version: str
    kind: str
    plural: str = ""

    @classmethod
    def parse(cls, text: str) -> Api | None:
        """The API that ``Kind.version.group`` names, None where there are fewer than two dots.

        A group may have dots itself; any of the three may be empty.
        """
        parts = text.split(".", 2)
        return cls(parts[2], parts[1], parts[0]) if len(parts) == 3 else None

    @classmethod
    def of(cls, gvk: GVK) -> Api:
        return cls(gvk.group, gvk.version, gvk.kind)

    @property
    def gvk(self) -> GVK:
        return GVK(self.group, self.version, self.kind)

    def __str__(self) -> str:
        return f"{self.kind}.{self.version}.{self.group}"


def apis_of_annotation(text: str) -> Apis:
    """The APIs that an annotation's *text* names."""
    items = (Api.parse(item) for item in text.replace(" ", "").split(","))
    return frozenset(api for api in items if api is not None)


def annotation_text(apis: Iterable[Api]) -> str:
    """*apis* as an annotation has them: sorted, without plurals."""
    return ",".join(sorted(map(str, apis)))


def common_apis(apis: Apis, *others: Apis) -> Apis:
    """Those of *apis* that any of *others* has; nothing where there are no others."""
    return apis & frozenset[Api]().union(*others)


def owned_apis(csv: ClusterServiceVersion) -> Apis:
    """What the operator *csv* provides: its own custom resources and its own aggregated API services.

    The group of a custom resource is what follows the first dot of its name (``plural.group``); a name without a
    dot gives the empty group.
    """
    resources = (Api(crd.name.partition(".")[2], crd.version, crd.kind) for crd in csv.owned_crds)
    services = (Api(service.group, service.version, service.kind) for service in csv.owned_api_services)
    return frozenset((*resources, *services))
