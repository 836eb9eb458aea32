"""CEL rules of ``olm.constraint`` properties: compiled once, evaluated on the properties of a bundle.

::

    rule = compile('properties.exists(p, p.type == "certified")')
    rule.evaluate([{"type": "certified", "value": True}])    # True

A rule sees one variable, ``properties``: a list of maps from string to *any*, each with ``type`` and ``value``. The
verdicts agree with OLM's environment: cel-go 0.29 with the standard library and ``semver_compare``, and no extensions.
Two differences remain: our limits are tighter (:mod:`.limits`), and what is packed in a ``google.protobuf.Any`` is
never read.

The whole language is implemented here, because celpy has no static types and its parser takes exponential time on some
texts; celpy gives second opinions (:mod:`.second_opinion`). No module touches the state of the process, and the parser
is imported when the first rule is compiled.

A rule's text becomes a verdict in this order, which is also the order to read in: :mod:`.lexer` and :mod:`.parser` make
a tree of :mod:`.nodes`; :mod:`.program` finds its type with :mod:`.static_types` and :mod:`.declarations`;
:mod:`.closures` turns it into Python functions, with faster ones from :mod:`.shapes` for common rules, and counts their
work (:mod:`.limits`); those compute with :mod:`.values`, :mod:`.operations`, :mod:`.functions` and :mod:`.instants`.
:mod:`.program` joins the steps, and :mod:`.rule` remembers their results.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.cel.closures import Compiler as Compiler
    from olmsolve.cel.closures import Frame as Frame
    from olmsolve.cel.declarations import TYPE_NAMES as TYPE_NAMES
    from olmsolve.cel.functions import compiled_pattern as compiled_pattern
    from olmsolve.cel.limits import MAX_DEPTH as MAX_DEPTH
    from olmsolve.cel.limits import MAX_LENGTH as MAX_LENGTH
    from olmsolve.cel.limits import MAX_WORK as MAX_WORK
    from olmsolve.cel.nodes import Call as Call
    from olmsolve.cel.nodes import Comprehension as Comprehension
    from olmsolve.cel.nodes import Identifier as Identifier
    from olmsolve.cel.nodes import ListLiteral as ListLiteral
    from olmsolve.cel.nodes import Literal as Literal
    from olmsolve.cel.nodes import MapLiteral as MapLiteral
    from olmsolve.cel.nodes import MessageLiteral as MessageLiteral
    from olmsolve.cel.nodes import Node as Node
    from olmsolve.cel.nodes import Select as Select
    from olmsolve.cel.nodes import qualified_name as qualified_name
    from olmsolve.cel.operations import equal as equal
    from olmsolve.cel.operations import shown as shown
    from olmsolve.cel.parser import parse as parse
    from olmsolve.cel.rule import Rule as Rule
    from olmsolve.cel.rule import compile as compile  # noqa: A004 - the word of the field, as in re.compile
    from olmsolve.cel.second_opinion import RULE_DIFFERENCES as RULE_DIFFERENCES
    from olmsolve.cel.second_opinion import RuleOpinions as RuleOpinions
    from olmsolve.cel.second_opinion import rule_difference as rule_difference
    from olmsolve.cel.values import Exhausted as Exhausted
    from olmsolve.cel.values import Failure as Failure
else:
    __getattr__, __dir__ = lazily(__name__)
