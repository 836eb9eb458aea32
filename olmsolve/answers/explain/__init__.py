"""Explanations: why a request has no plan, conflict by conflict, and which changes would give it one.

Read ``model`` first: an explanation as data, whose words are in ``statements`` and ``near_misses``. Then the verb in
``explaining`` and the two halves of its work. Why it fails: ``conflicts`` finds minimal cores and makes a tree of each,
``facts`` groups the bundles that fail alike and ``near_misses`` finds the notes. How to mend it: ``changes`` are the
verbs, ``suggestions`` picks the ones that a core allows, ``fixes`` searches for the smallest sets. ``extension``
explains OLM v1.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.answers.explain.changes import ChangeCatalog as ChangeCatalog
    from olmsolve.answers.explain.changes import ChangeChannel as ChangeChannel
    from olmsolve.answers.explain.changes import ChangePackage as ChangePackage
    from olmsolve.answers.explain.changes import ChangeStart as ChangeStart
    from olmsolve.answers.explain.changes import DropSubscription as DropSubscription
    from olmsolve.answers.explain.changes import RemoveOperator as RemoveOperator
    from olmsolve.answers.explain.changes import RepairCatalog as RepairCatalog
    from olmsolve.answers.explain.conflicts import conflict_tree as conflict_tree
    from olmsolve.answers.explain.conflicts import root_key as root_key
    from olmsolve.answers.explain.explaining import explanation as explanation
    from olmsolve.answers.explain.model import Conflict as Conflict
    from olmsolve.answers.explain.model import Explanation as Explanation
    from olmsolve.answers.explain.model import Fix as Fix
    from olmsolve.answers.explain.model import Node as Node
    from olmsolve.answers.explain.model import NodeKind as NodeKind
    from olmsolve.answers.explain.model import NodeLocation as NodeLocation
    from olmsolve.answers.explain.near_misses import HiddenCatalog as HiddenCatalog
    from olmsolve.answers.explain.near_misses import NearMisses as NearMisses
    from olmsolve.answers.explain.near_misses import NoteKind as NoteKind
    from olmsolve.answers.explain.near_misses import OtherApiVersions as OtherApiVersions
    from olmsolve.answers.explain.near_misses import PrereleasesOnly as PrereleasesOnly
    from olmsolve.answers.explain.near_misses import SkippedBundles as SkippedBundles
    from olmsolve.answers.explain.rare_changes import AcceptDeprecated as AcceptDeprecated
    from olmsolve.answers.explain.rare_changes import AddCatalog as AddCatalog
    from olmsolve.answers.explain.rare_changes import AwaitUpdate as AwaitUpdate
    from olmsolve.answers.explain.rare_changes import ChangeCluster as ChangeCluster
    from olmsolve.answers.explain.rare_changes import ExcludeGlobalCatalogs as ExcludeGlobalCatalogs
    from olmsolve.answers.explain.rare_changes import FailForward as FailForward
    from olmsolve.answers.explain.rare_changes import LetOwn as LetOwn
    from olmsolve.answers.explain.rare_changes import LiftRule as LiftRule
    from olmsolve.answers.explain.rare_changes import RequestChange as RequestChange
    from olmsolve.answers.explain.rare_changes import SettleUpdate as SettleUpdate
    from olmsolve.answers.explain.rare_changes import ShowCatalog as ShowCatalog
    from olmsolve.answers.explain.statements import DemandFact as DemandFact
    from olmsolve.answers.explain.statements import DeprecatedFact as DeprecatedFact
    from olmsolve.answers.explain.statements import ForbiddenFact as ForbiddenFact
    from olmsolve.answers.explain.statements import KeptApartFact as KeptApartFact
    from olmsolve.answers.explain.statements import Misnamed as Misnamed
    from olmsolve.answers.explain.statements import OnlyOneFact as OnlyOneFact
    from olmsolve.answers.explain.statements import QuestionRoot as QuestionRoot
    from olmsolve.answers.explain.statements import RefusedFact as RefusedFact
    from olmsolve.answers.explain.statements import RequirementFact as RequirementFact
    from olmsolve.answers.explain.statements import Unserved as Unserved
    from olmsolve.answers.explain.statements import WholeChannel as WholeChannel
    from olmsolve.answers.explain.statements import WishFact as WishFact
    from olmsolve.answers.explain.suggestions import cluster_changes as cluster_changes
    from olmsolve.answers.explain.suggestions import operator_changes as operator_changes
else:
    __getattr__, __dir__ = lazily(__name__)
