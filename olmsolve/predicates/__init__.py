"""Tests on one bundle (an API, a package, a label, a CEL rule, all, any, not), and where they are written.

:func:`requirements` reads what a bundle asks of others from its properties, :func:`parse_constraint` a single
``olm.constraint``, and :func:`normalise` gives a predicate the form in which compound constraints range over
the set of selected bundles.
"""

from olmsolve.predicates.constraint import MAX_BYTES, MAX_DEPTH, parse_constraint
from olmsolve.predicates.model import (
    AllOf,
    AnyOf,
    HasLabel,
    InPackage,
    NoneOf,
    Predicate,
    ProvidesGVK,
    Satisfies,
)
from olmsolve.predicates.normal import (
    Conjunction,
    Disjunction,
    Negative,
    NormalForm,
    Positive,
    normalise,
    semantics_differ,
)
from olmsolve.predicates.requirement import (
    REQUIREMENT_TYPES,
    Requirement,
    dependency_requirement,
    required,
    requirements,
)

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "REQUIREMENT_TYPES",
    "AllOf",
    "AnyOf",
    "Conjunction",
    "Disjunction",
    "HasLabel",
    "InPackage",
    "Negative",
    "NoneOf",
    "NormalForm",
    "Positive",
    "Predicate",
    "ProvidesGVK",
    "Requirement",
    "Satisfies",
    "dependency_requirement",
    "normalise",
    "parse_constraint",
    "required",
    "requirements",
    "semantics_differ",
]
