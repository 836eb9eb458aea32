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
from olmsolve.answers.explain.conflicts import Rest, root_name
from olmsolve.answers.explain.explaining import explanation
from olmsolve.answers.explain.model import Conflict, Explanation, Kind, Node, Note, NoteKind, Place
from olmsolve.answers.explain.near_misses import NearMisses, names_like
from olmsolve.answers.explain.suggestions import of_operator
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
    "Kind",
    "NearMisses",
    "Node",
    "Note",
    "NoteKind",
    "Place",
    "RemoveOperator",
    "Rest",
    "conflict",
    "enumerated",
    "explanation",
    "in_order",
    "names_like",
    "of_operator",
    "phrase",
    "root_name",
]
