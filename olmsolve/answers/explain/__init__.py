"""Reasons as data: why a request fails, told apart by conflict, and which changes would give it a plan."""

from olmsolve.answers.explain.changes import (
    AcceptDeprecated,
    Change,
    ChangeCatalog,
    ChangeChannel,
    ChangeStart,
    DropSubscription,
    Fix,
    RemoveOperator,
)
from olmsolve.answers.explain.conflicts import RestrictedProblem, root_key
from olmsolve.answers.explain.explaining import explanation
from olmsolve.answers.explain.model import Conflict, Explanation, Node, NodeKind, NodeLocation, Note, NoteKind
from olmsolve.answers.explain.near_misses import NearMisses, similar_names
from olmsolve.answers.explain.suggestions import operator_changes
from olmsolve.answers.explain.tree import conflict
from olmsolve.answers.explain.wording import enumerated, in_order, phrase

__all__ = [
    "AcceptDeprecated",
    "Change",
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
    "RemoveOperator",
    "RestrictedProblem",
    "conflict",
    "enumerated",
    "explanation",
    "in_order",
    "operator_changes",
    "phrase",
    "root_key",
    "similar_names",
]
