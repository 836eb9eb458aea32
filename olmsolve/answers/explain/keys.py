"""The identities of a conflict's nodes: equal keys are one node, however many constraints stand behind it.

Nine deprecated versions of a package take nine constraints of a core. Each gives the fact ``DeprecatedFact()``, so the
nine candidates have the same facts, the same :class:`BundlesKey`, and one node. Keys hold sets of other keys and are
looked up all the time, so each computes its hash once.
"""

from __future__ import annotations

from typing import TypeAlias

import attrs

from olmsolve._frozen import shared_repr
from olmsolve.answers.explain.statements import (
    BrokenFact,
    DeprecatedFact,
    ForbiddenFact,
    KeptApartFact,
    OnlyOneFact,
    RefusedFact,
    ReplacedFact,
    ReplacesFact,
)


@attrs.frozen(cache_hash=True)
@shared_repr
class RootKey:
    """A subscription, a demand, or an operator that must stay, by its *position* in the core."""

    position: int


@attrs.frozen(cache_hash=True)
@shared_repr
class RequirementKey:
    """A requirement with this *text*, which *candidates* could meet, and which rules out *excluded*."""

    text: str
    candidates: frozenset[int]
    excluded: frozenset[int]


@attrs.frozen(cache_hash=True)
@shared_repr
class ExcludedKey:
    """Another bundle's *requirement* rules the candidate out."""

    requirement: RequirementKey


FactKey: TypeAlias = (
    RequirementKey
    | OnlyOneFact
    | ReplacesFact
    | ReplacedFact
    | ExcludedKey
    | DeprecatedFact
    | BrokenFact
    | RefusedFact
    | ForbiddenFact
    | KeptApartFact
)
"""A fact about candidates: itself, or the identity of a requirement, which many bundles may share."""


@attrs.frozen(cache_hash=True)
@shared_repr
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
@shared_repr
class GroupFactKey:
    """A *fact* about the one *group*; requirements and at-most-one facts have nodes that groups share instead."""

    fact: FactKey
    group: BundlesKey


NodeKey: TypeAlias = RootKey | BundlesKey | RequirementKey | OnlyOneFact | GroupFactKey
"""A node of the conflict."""
