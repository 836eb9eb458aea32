"""The identities of a conflict's nodes: equal keys are one node, however many constraints stand behind it.

Nine deprecated versions of a package take nine constraints of a core. Each gives the key ``DeprecatedKey()``, so the
nine candidates have the same facts, the same :class:`BundlesKey`, and one node. Keys hold sets of other keys and are
looked up all the time, so each computes its hash once.
"""

from __future__ import annotations

from typing import TypeAlias

import attrs

from olmsolve.catalog.index import Group


@attrs.frozen(cache_hash=True)
class RootKey:
    """A subscription, or an operator that must stay, by its *position* in the core."""

    position: int


@attrs.frozen(cache_hash=True)
class RequirementKey:
    """A requirement with this *text*, which *candidates* could meet, and which rules out *excluded*."""

    text: str
    candidates: frozenset[int]
    excluded: frozenset[int]


@attrs.frozen(cache_hash=True)
class OnlyOneKey:
    """At most one member of *group* is selected."""

    group: Group


@attrs.frozen(cache_hash=True)
class ReplacesKey:
    """The candidate replaces the installed *operator*."""

    operator: int


@attrs.frozen(cache_hash=True)
class ReplacedKey:
    """The candidate is the installed *operator* that an update replaces."""

    operator: int


@attrs.frozen(cache_hash=True)
class ExcludedKey:
    """Another bundle's *requirement* rules the candidate out."""

    requirement: RequirementKey


@attrs.frozen(cache_hash=True)
class DeprecatedKey:
    """The candidate is deprecated."""


@attrs.frozen(cache_hash=True)
class BrokenKey:
    """The candidate, or its channel, is broken in the catalog; *fault* says how."""

    fault: str


@attrs.frozen(cache_hash=True)
class RefusedKey:
    """A system constraint refuses the candidate; *refusal* says why."""

    refusal: str


FactKey: TypeAlias = (
    RequirementKey | OnlyOneKey | ReplacesKey | ReplacedKey | ExcludedKey | DeprecatedKey | BrokenKey | RefusedKey
)
"""A fact about candidates."""


@attrs.frozen(cache_hash=True)
class BundlesKey:
    """The candidates of a *package* that fail alike: the same *facts*, *wanted_by* the same roots and requirements.

    *installed* keeps operators apart from bundles of catalogs. *channel* is the number of a channel without an order,
    which is a group of its own, and -1 for everything else.
    """

    package: str
    installed: bool
    channel: int
    facts: frozenset[FactKey]
    wanted_by: frozenset[RootKey | RequirementKey]


@attrs.frozen(cache_hash=True)
class GroupFactKey:
    """A *fact* about the one *group*; requirements and at-most-one facts have nodes that groups share instead."""

    fact: FactKey
    group: BundlesKey


NodeKey: TypeAlias = RootKey | BundlesKey | RequirementKey | OnlyOneKey | GroupFactKey
"""A node of the conflict."""
