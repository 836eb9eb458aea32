"""Tests on one bundle (an API, a package, a label, a CEL rule, all, any, not), and the properties that state them.

Read in the order in which they stand on each other:

1. :mod:`.properties`: a :class:`Property` is a type and a JSON value, kept as text (:mod:`.json_values`).
2. :mod:`.published_facts`: :func:`published` reads what a bundle's properties say about it: packages, APIs, labels.
3. :mod:`.model`: a :data:`Predicate` tests such facts.
4. :mod:`.requirement`: :func:`requirements` reads what a bundle needs from others, as predicates;
   :mod:`.constraint` is the grammar of the values (:func:`parse_constraint` reads a single ``olm.constraint``).
   :mod:`.field_names` takes names of fields in any letter case (:func:`named`), :mod:`.fields` typed fields.
5. :mod:`.normal`: :func:`normalise` gives a predicate the form in which the documented semantics reads it.

>>> properties = [Property("olm.gvk", {"group": "example.com", "version": "v1", "kind": "Widget"})]
>>> predicate = parse_constraint('{"gvk": {"group": "example.com", "version": "v1", "kind": "Widget"}}')
>>> predicate.test(published("widgets", properties))
True
"""

from olmsolve.predicates.constraint import MAX_BYTES, MAX_DEPTH, PACKAGE_FIELDS, in_package, parse_constraint
from olmsolve.predicates.field_names import folded, named
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
from olmsolve.predicates.published_facts import (
    GVK,
    GVK_NAMES,
    LABEL_NAMES,
    PACKAGE_NAMES,
    Published,
    published,
)
from olmsolve.predicates.requirement import (
    PACKAGE_REQUIRED,
    REQUIREMENT_TYPES,
    Requirement,
    required,
    requirements,
)

__all__ = [
    "GVK",
    "GVK_NAMES",
    "LABEL_NAMES",
    "MAX_BYTES",
    "MAX_DEPTH",
    "PACKAGE_FIELDS",
    "PACKAGE_NAMES",
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
    "folded",
    "in_package",
    "named",
    "normalise",
    "parse_constraint",
    "published",
    "required",
    "requirements",
    "semantics_differ",
]
