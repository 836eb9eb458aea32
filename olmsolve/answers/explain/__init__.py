"""Reasons as data: why a request fails, told apart by conflict, and which changes would give it a plan."""

from olmsolve.answers.explain.changes import Change, Fix
from olmsolve.answers.explain.explaining import explanation
from olmsolve.answers.explain.model import Conflict, Explanation, Kind, Node, Note, NoteKind, Place

__all__ = ["Change", "Conflict", "Explanation", "Fix", "Kind", "Node", "Note", "NoteKind", "Place", "explanation"]
