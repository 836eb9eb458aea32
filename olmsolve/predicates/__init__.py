"""Tests on one bundle (an API, a package, a label, a CEL rule, all, any, not), and the properties that state them.

Read in the order in which they use each other:

1. :mod:`.properties`: a :class:`Property` is a type and a JSON value, kept as text. :mod:`.json_values` does that,
   reads typed fields, and takes names of fields in any letter case (:func:`named`).
2. :mod:`.published_facts`: :func:`published` reads what a bundle's properties say about it: packages, APIs, labels.
3. :mod:`.model`: a :data:`Predicate` tests such facts.
4. :mod:`.requirement`: :func:`requirements` reads what a bundle needs from others, as predicates;
   :mod:`.constraint` is the grammar of the values (:func:`parse_constraint` reads a single ``olm.constraint``).
5. :mod:`.normal`: :func:`normalise` gives a predicate the form in which the documented semantics reads it.

>>> from olmsolve.predicates import Property, parse_constraint, published
>>> properties = [Property("olm.gvk", {"group": "example.com", "version": "v1", "kind": "Widget"})]
>>> predicate = parse_constraint('{"gvk": {"group": "example.com", "version": "v1", "kind": "Widget"}}')
>>> predicate.test(published("widgets", properties))
True
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.predicates.constraint import LEAVES as LEAVES
    from olmsolve.predicates.constraint import MAX_BYTES as MAX_BYTES
    from olmsolve.predicates.constraint import MAX_DEPTH as MAX_DEPTH
    from olmsolve.predicates.constraint import PACKAGE_FIELDS as PACKAGE_FIELDS
    from olmsolve.predicates.constraint import in_package as in_package
    from olmsolve.predicates.constraint import parse_constraint as parse_constraint
    from olmsolve.predicates.json_values import HTML_ESCAPES as HTML_ESCAPES
    from olmsolve.predicates.json_values import LINE_ENDS as LINE_ENDS
    from olmsolve.predicates.json_values import JsonObject as JsonObject
    from olmsolve.predicates.json_values import decoded as decoded
    from olmsolve.predicates.json_values import described as described
    from olmsolve.predicates.json_values import encoded as encoded
    from olmsolve.predicates.json_values import folded as folded
    from olmsolve.predicates.json_values import named as named
    from olmsolve.predicates.model import NAMED_FIELDS as NAMED_FIELDS
    from olmsolve.predicates.model import AllOf as AllOf
    from olmsolve.predicates.model import AnyOf as AnyOf
    from olmsolve.predicates.model import HasLabel as HasLabel
    from olmsolve.predicates.model import InPackage as InPackage
    from olmsolve.predicates.model import NameKind as NameKind
    from olmsolve.predicates.model import NoneOf as NoneOf
    from olmsolve.predicates.model import Predicate as Predicate
    from olmsolve.predicates.model import ProvidesGVK as ProvidesGVK
    from olmsolve.predicates.model import Satisfies as Satisfies
    from olmsolve.predicates.model import failure_messages as failure_messages
    from olmsolve.predicates.model import is_joint as is_joint
    from olmsolve.predicates.model import leaves as leaves
    from olmsolve.predicates.model import stated as stated
    from olmsolve.predicates.normal import Conjunction as Conjunction
    from olmsolve.predicates.normal import Disjunction as Disjunction
    from olmsolve.predicates.normal import Negative as Negative
    from olmsolve.predicates.normal import NormalForm as NormalForm
    from olmsolve.predicates.normal import Positive as Positive
    from olmsolve.predicates.normal import normalise as normalise
    from olmsolve.predicates.normal import semantics_differ as semantics_differ
    from olmsolve.predicates.properties import OwnValue as OwnValue
    from olmsolve.predicates.properties import Property as Property
    from olmsolve.predicates.properties import property_of as property_of
    from olmsolve.predicates.published_facts import GVK as GVK
    from olmsolve.predicates.published_facts import GVK_NAMES as GVK_NAMES
    from olmsolve.predicates.published_facts import LABEL_NAMES as LABEL_NAMES
    from olmsolve.predicates.published_facts import PACKAGE_NAMES as PACKAGE_NAMES
    from olmsolve.predicates.published_facts import Fact as Fact
    from olmsolve.predicates.published_facts import Published as Published
    from olmsolve.predicates.published_facts import published as published
    from olmsolve.predicates.published_facts import published_version as published_version
    from olmsolve.predicates.published_facts import stated_version as stated_version
    from olmsolve.predicates.requirement import PACKAGE_REQUIRED as PACKAGE_REQUIRED
    from olmsolve.predicates.requirement import REQUIREMENT_TYPES as REQUIREMENT_TYPES
    from olmsolve.predicates.requirement import Requirement as Requirement
    from olmsolve.predicates.requirement import required as required
    from olmsolve.predicates.requirement import requirements as requirements
else:
    __getattr__, __dir__ = lazily(__name__)
