"""Tests on one bundle (an API, a package, a label, a CEL rule, all, any, not), and where they are written.

:func:`requirements` reads what a bundle asks of others from its properties, :func:`parse_constraint` a single
``olm.constraint``, and :func:`normalise` gives a predicate the form in which compound constraints range over
the set of selected bundles.
"""

from olmsolve.predicates.constraint import MAX_BYTES, MAX_DEPTH, PACKAGE_FIELDS, in_package, parse_constraint
from olmsolve.predicates.json_values import JsonObject, decoded, described, encoded
from olmsolve.predicates.model import (
    AllOf,
    AnyOf,
    HasLabel,
    InPackage,
    NoneOf,
    Predicate,
    ProvidesGVK,
    Satisfies,
    failure_messages,
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
from olmsolve.predicates.properties import Property
from olmsolve.predicates.published_facts import GVK, Published, published
from olmsolve.predicates.requirement import (
    PACKAGE_REQUIRED,
    REQUIREMENT_TYPES,
    Requirement,
    required,
    requirements,
)

__all__ = [
    "GVK",
    "MAX_BYTES",
    "MAX_DEPTH",
    "PACKAGE_FIELDS",
    "PACKAGE_REQUIRED",
    "REQUIREMENT_TYPES",
    "AllOf",
    "AnyOf",
    "Conjunction",
    "Disjunction",
    "HasLabel",
    "InPackage",
    "JsonObject",
    "Negative",
    "NoneOf",
    "NormalForm",
    "Positive",
    "Predicate",
    "Property",
    "ProvidesGVK",
    "Published",
    "Requirement",
    "Satisfies",
    "decoded",
    "described",
    "encoded",
    "failure_messages",
    "in_package",
    "normalise",
    "parse_constraint",
    "published",
    "required",
    "requirements",
    "semantics_differ",
]
