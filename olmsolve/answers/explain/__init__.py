"""Explanations: why a request has no plan, conflict by conflict, and which changes would give it one.

Read ``model`` first: an explanation as data, whose words are in ``statements`` and ``notes``. Then the verb in
``explaining`` and the two halves of its work. Why it fails: ``conflicts`` finds minimal cores, ``facts`` groups the
bundles that fail alike (``keys`` decide that), ``tree`` makes the nodes and ``near_misses`` finds the notes. How to mend it: ``changes`` are the verbs, ``suggestions`` picks
the ones that a core allows, ``fixes`` searches for the smallest sets. ``extension`` explains OLM v1.
"""

from olmsolve.answers.explain.changes import (
    AcceptDeprecated,
    ChangeCatalog,
    ChangeChannel,
    ChangeStart,
    DropSubscription,
    Fix,
    RemoveOperator,
    RequestChange,
)
from olmsolve.answers.explain.conflicts import RestrictedProblem, root_key
from olmsolve.answers.explain.explaining import explanation
from olmsolve.answers.explain.model import Conflict, Explanation, Node, NodeKind, NodeLocation
from olmsolve.answers.explain.near_misses import NearMisses
from olmsolve.answers.explain.notes import Note, NoteKind
from olmsolve.answers.explain.statements import QuestionRoot
from olmsolve.answers.explain.suggestions import operator_changes
from olmsolve.answers.explain.tree import conflict_tree

__all__ = [
    "AcceptDeprecated",
    "ChangeCatalog",
    "ChangeChannel",
    "ChangeStart",
    "Conflict",
    "DropSubscription",
    "Explanation",
    "Fix",
    "NearMisses",
    "Node",
    "NodeKind",
    "NodeLocation",
    "Note",
    "NoteKind",
    "QuestionRoot",
    "RemoveOperator",
    "RequestChange",
    "RestrictedProblem",
    "conflict_tree",
    "explanation",
    "operator_changes",
    "root_key",
]
