"""Checks of the selected bundle: when one refuses it, nothing else is selected in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from olmsolve.catalog import Bundle
from olmsolve.eligibility import CandidateFacts, Eligibility, refusal
from olmsolve.predicates import published
from olmsolve.semver import quote

Validation: TypeAlias = Callable[[Bundle], str]
"""Returns why a bundle is refused, "" if it is accepted."""

_DEPENDENCIES: Final = frozenset({"olm.package.required", "olm.gvk.required", "olm.constraint"})


def no_dependencies(bundle: Bundle) -> str:
    """Refuse a bundle that declares dependencies: OLM v1 installs extensions one by one."""
    for published_property in bundle.properties:
        kind = published_property.type
        if kind in _DEPENDENCIES:
            declared = f"bundle {quote(bundle.name)} has a dependency declared via property {quote(kind)}"
            return f"{declared} which is currently not supported"
    return ""


def eligible(*constraints: Eligibility) -> Validation:
    """Return a validation that refuses the bundles that one of *constraints* refuses, for its reason.

    In OLM classic such a bundle is no candidate, and another one is selected. Here, as with all validations, the bundle
    that won is refused, and the request fails.
    """

    def validation(bundle: Bundle) -> str:
        version = str(published(bundle.package, bundle.properties).version or "")
        return refusal(CandidateFacts(bundle.name, bundle.package, version, "", bundle.properties), constraints)

    return validation
