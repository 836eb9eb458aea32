"""CEL rules that can never match, whatever a bundle publishes.

The rule is evaluated on values that are only partly known. Each part of the rule gets the set of *values* that it
can have; a part with an empty set always fails. Where a step is unsure it takes more values, never fewer. So a
reported rule certainly matches no list of properties, and many rules that never match are not reported::

    properties.exists(p, p.type == 'a' && p.type == 'b')
    p.type == 'a'                 {true, false}: a type may be any text
    p.type == 'b'                 {false}: in an && that is to be true, p.type is 'a' by now
    ... && ...                    {false}, so exists(...) is never true

Rules that never match are found through

- constants, and everything that can be computed from them;
- in one ``&&``, comparisons of one path (``p.type``, ``p.value.version``, ``properties[0].type``) with constants
  that exclude each other, also with ``in`` a list of constants and through ``||`` inside;
- fields of a property other than ``type`` and ``value``;
- ``semver_compare`` with a text that is no version, or its result compared with another number than -1, 0 and 1;
- ``matches`` with an invalid regular expression;
- arithmetic of JSON values with integers, which fails because every number in JSON is a double;
- quantifiers, ``filter`` and ``map`` over parts that can never be true, and the rules around them.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from functools import reduce
from itertools import product
from math import prod
from typing import Any, Final, TypeAlias

from olmsolve.cel import (
    TYPE_NAMES,
    Call,
    Compiler,
    Comprehension,
    Exhausted,
    Failure,
    Frame,
    Identifier,
    ListLiteral,
    Literal,
    MapLiteral,
    MessageLiteral,
    Node,
    Rule,
    Select,
    equal,
    parse,
    qualified_name,
    shown,
)


class _Unknown(enum.Enum):
    """Sets of values that are too large to list."""

    ANY = enum.auto()
    JSON = enum.auto()
    """The values of JSON, such as a property's type and value: no int, no uint, no bytes."""
    PROPERTY = enum.auto()
    PROPERTIES = enum.auto()


_Values: TypeAlias = tuple[Any, ...] | _Unknown
"""All values that a part of a rule can evaluate to; empty if it always fails."""
_Path: TypeAlias = tuple[Any, ...]
"""A variable (its name and number, because inner variables hide outer ones of that name), and the steps from it."""
_PathValues: TypeAlias = Mapping[_Path, tuple[Any, ...]]
"""The values that paths can have where some ``&&`` is to be true."""

_BOTH: Final = (True, False)
_WORK: Final = 100_000  # steps of evaluating constants, for one rule
_FEW: Final = 32  # values that are listed one by one; larger sets become ANY
_MOST_COMBINATIONS: Final = 64  # of the values of operands, each evaluated
_LONGEST_PATH: Final = 10  # steps of `p.value.a.b`; of a longer path nothing is known
# `p.value == "a"` fixes the value; `p.value == 1` leaves open whether it is an int, a uint or a double.
_EXACT: Final = (str, bool, bytes, type(None))
_COMPARISONS: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})
_BOOLEAN: Final = _COMPARISONS | {"!", "in", "contains", "endsWith", "startsWith", "matches"}
# The types that an operator takes beside a value of JSON, whose numbers are doubles: `p.value.n + 1.0` may succeed,
# `p.value.n + 1` (a double and an int) always fails, and `%` takes no double at all.
_WITH_JSON: Final[dict[str, tuple[type, ...]]] = {
    "+": (float, str, tuple),
    "-": (float,),
    "*": (float,),
    "/": (float,),
    "%": (),
}


def why_never(rule: Rule) -> str | None:
    """Return why *rule* can never match, in a sentence; None if it can, or if that is not known.

    >>> from olmsolve.cel import compile
    >>> why_never(compile("properties.exists(p, p.type == 'a' && p.type == 'b')"))
    "p.type cannot be 'a' and 'b' at once"
    >>> why_never(compile("properties.exists(p, p.type == 'a')"))
    """
    analysis = _RuleAnalysis()
    try:
        values = analysis.values(parse(rule.text), {})
    except RecursionError:
        return None
    if _can_be(True, values):
        return None
    return analysis.reason or "no list of properties satisfies it"


def _can_be(wanted: bool, values: _Values) -> bool:
    if isinstance(values, tuple):
        # "is" and not "==": 1 equals True for Python, and is no truth value in CEL.
        return any(value is wanted for value in values)
    return values in (_Unknown.ANY, _Unknown.JSON)


def _booleans(true: bool, false: bool) -> _Values:
    """Return the booleans that a part can be."""
    return tuple(value for value, possible in ((True, true), (False, false)) if possible)


def _union(all_values: Iterable[_Values]) -> _Values:
    """Return the union of *all_values*, ANY if it becomes too large."""
    joined: list[Any] = []
    for values in all_values:
        if not isinstance(values, tuple):
            return _Unknown.ANY
        joined += (value for value in values if not any(_same(value, other) for other in joined))
        if len(joined) > _FEW:
            return _Unknown.ANY
    return tuple(joined)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and equal(one, other)


class _RuleAnalysis:
    """The evaluation of one rule on partly known values; ``reason`` is a sentence on the first fault that was met."""

    def __init__(self) -> None:
        self.reason = ""
        self._scope: list[tuple[str, int, _Values]] = []
        self._variables = 0
        # Constants are evaluated by the compiler of rules. All evaluations share one allowance of work, so that a
        # hostile rule cannot keep the analysis busy.
        self._frame: Frame = [[], _WORK]

    def values(self, node: Node, facts: _PathValues) -> _Values:
        """Return all values that *node* can evaluate to where *facts* hold."""
        stated = self._values_of_path(node, facts)
        if stated is not None and all(isinstance(value, _EXACT) for value in stated):
            return stated
        if isinstance(node, Literal):
            return (node.value,)
        if isinstance(node, Identifier):
            return self._identifier(node)
        if isinstance(node, Select):
            return self._select(node, facts)
        if isinstance(node, Call):
            return self._call(node, facts)
        if isinstance(node, Comprehension):
            return self._comprehension(node, facts)
        if isinstance(node, MessageLiteral):
            # Without a value of one part, the whole has none: the rule fails on each bundle.
            return () if () in [self.values(value, facts) for _, value in node.fields] else _Unknown.ANY
        parts = node.elements if isinstance(node, ListLiteral) else [part for entry in node.entries for part in entry]
        values = [self.values(part, facts) for part in parts]
        if () in values:
            return ()
        if isinstance(node, MapLiteral) or not all(isinstance(value, tuple) and len(value) == 1 for value in values):
            return _Unknown.ANY
        return (tuple(value[0] for value in values if isinstance(value, tuple)),)

    def _note(self, reason: str) -> None:
        """Keep *reason* if it is the first: later faults often follow from it."""
        self.reason = self.reason or reason

    # Names

    def _variable(self, node: Node) -> tuple[str, int, _Values] | None:
        if not isinstance(node, Identifier):
            return None
        for variable in reversed(self._scope):
            if variable[0] == node.name and not node.rooted:
                return variable
        return ("properties", 0, _Unknown.PROPERTIES) if node.name == "properties" else None

    def _identifier(self, node: Identifier) -> _Values:
        variable = self._variable(node)
        return _Unknown.ANY if variable is None else variable[2]

    def _values_of_path(self, node: Node, facts: _PathValues) -> tuple[Any, ...] | None:
        """Return the values that *facts* leave to *node*; None if it is no path, or a path that they do not mention."""
        path = self._path(node) if facts else None
        return None if path is None else facts.get(path)

    def _path(self, node: Node) -> _Path | None:
        steps: list[Any] = []
        while len(steps) <= _LONGEST_PATH:
            if isinstance(node, Select) and not node.test and not _names_type(node):
                steps.append(node.field)
                node = node.operand
            elif isinstance(node, Call) and node.function == "[]" and isinstance(node.arguments[1], Literal):
                # No bool and no double: in a path, Python would take True and 1.0 for the step 1.
                if type(node.arguments[1].value) not in (str, int):
                    return None
                steps.append(node.arguments[1].value)
                node = node.arguments[0]
            else:
                break
        variable = self._variable(node)
        return None if variable is None else (variable[:2], *reversed(steps))

    def _select(self, node: Select, facts: _PathValues) -> _Values:
        if _names_type(node):
            return _Unknown.ANY
        operand = self.values(node.operand, facts)
        if isinstance(operand, tuple):
            return self._computed(Select(Literal(value, 0), node.field, 0, 2, node.test) for value in operand)
        if operand is _Unknown.PROPERTY:
            return self._field(node.field, node.test)
        if node.test:
            return _BOTH
        return _Unknown.JSON if operand is _Unknown.JSON else _Unknown.ANY

    def _field(self, name: Any, test: bool = False) -> _Values:
        """Return the values of field *name* of a property; with *test*, of ``has()`` on that field."""
        if name in ("type", "value"):
            return (True,) if test else _Unknown.JSON
        self._note(f"a property has no field {shown(name)}, only 'type' and 'value'")
        return (False,) if test else ()

    # Calls

    def _computed(self, nodes: Iterable[Node]) -> _Values:
        """Evaluate *nodes*, which are made of constants."""
        computed: list[_Values] = []
        for node in nodes:
            try:
                computed.append((Compiler(None).general(node)(self._frame),))
            except Failure:
                continue
            except Exhausted:
                return _Unknown.ANY
        return _union(computed)

    def _call(self, node: Call, facts: _PathValues) -> _Values:
        function = node.function
        if function == "&&":
            return self._conjunction(node, facts)
        operands = node.arguments if node.target is None else (node.target, *node.arguments)
        if function == "?:":
            return self._conditional(operands, facts)
        compared = function in _COMPARISONS
        values = [self._compared(operand, facts) if compared else self.values(operand, facts) for operand in operands]
        if function == "||":
            return _booleans(
                any(_can_be(True, value) for value in values), all(_can_be(False, value) for value in values)
            )
        if () in values or not self._sensible(function, values):
            return ()
        listed = [value for value in values if isinstance(value, tuple)]
        if len(listed) == len(values) and prod(map(len, listed)) <= _MOST_COMBINATIONS:
            return self._computed(_applied(function, arguments) for arguments in product(*listed))
        if function == "[]":
            return self._indexed(*values)
        if function == "semver_compare":
            return (-1, 0, 1)
        return _BOTH if function in _BOOLEAN else _Unknown.ANY

    def _compared(self, node: Node, facts: _PathValues) -> _Values:
        """Return the values of *node* as an operand of a comparison, which finds 1, 1u and 1.0 equal."""
        stated = self._values_of_path(node, facts)
        return self.values(node, facts) if stated is None else stated

    def _sensible(self, function: str, values: list[_Values]) -> bool:
        """Return whether *function* can succeed on some combination of *values*, none of which is empty."""
        listed = [value for value in values if isinstance(value, tuple)]
        if function in _WITH_JSON and _Unknown.JSON in values:
            kinds = _WITH_JSON[function]
            if not kinds or any(not any(type(value) in kinds for value in several) for several in listed):
                self._note(f"numbers in JSON are doubles, which {function!r} does not take here")
                return False
        if function == "semver_compare":
            for value_listed in listed:
                if self._computed(_applied(function, (value, value)) for value in value_listed) == ():
                    self._note(f"{shown(value_listed[0])} is not a version")
                    return False
        if function == "matches" and isinstance(values[1], tuple):
            searched = self._computed(_applied(function, ("", value)) for value in values[1])
            if searched == ():
                self._note(f"{shown(values[1][0])} is not a regular expression")
                return False
        return True

    def _indexed(self, container: _Values, key: _Values) -> _Values:
        if container is _Unknown.PROPERTIES:
            return _Unknown.PROPERTY
        if container is _Unknown.PROPERTY and isinstance(key, tuple):
            return _union(self._field(name) for name in key) if len(key) > 1 else self._field(key[0])
        return _Unknown.JSON if container is _Unknown.JSON else _Unknown.ANY

    def _conditional(self, operands: tuple[Node, ...], facts: _PathValues) -> _Values:
        condition = self.values(operands[0], facts)
        branches = zip((True, False), operands[1:], strict=True)
        return _union([self.values(branch, facts) for wanted, branch in branches if _can_be(wanted, condition)])

    def _conjunction(self, node: Call, facts: _PathValues) -> _Values:
        inside = self._with_facts_of(node, dict(facts))
        if inside is None:
            return (False,)
        values = [self.values(part, inside) for part in node.arguments]
        # With facts, `values` are computed as if the conjunction were true, so False stays possible.
        false = bool(inside) or any(_can_be(False, value) for value in values)
        return _booleans(all(_can_be(True, value) for value in values), false)

    def _with_facts_of(self, node: Node, facts: dict[_Path, tuple[Any, ...]]) -> dict[_Path, tuple[Any, ...]] | None:
        """Return *facts* with all further facts that hold if *node* is true; None if it cannot be true."""
        if not isinstance(node, Call):
            return facts
        if node.function == "&&":
            facts_so_far: dict[_Path, tuple[Any, ...]] | None = facts
            for part in node.arguments:
                facts_so_far = facts_so_far if facts_so_far is None else self._with_facts_of(part, facts_so_far)
            return facts_so_far
        fact = self._fact(node)
        if fact is None:
            return facts
        path, wanted = fact
        possible = facts.get(path)
        if possible is not None:
            both = tuple(value for value in possible if any(equal(value, other) for other in wanted))
            if not both:
                self._note(f"{_rule_path(path)} cannot be {shown(possible[0])} and {shown(wanted[0])} at once")
                return None
            wanted = both
        facts[path] = wanted
        return facts

    def _fact(self, node: Call) -> tuple[_Path, tuple[Any, ...]] | None:
        """Return the path and its values that ``path == constant`` or ``path in [constants]`` says; None for others."""
        if node.function not in ("==", "in") or node.target is not None:
            return None
        tested, constant = node.arguments
        if node.function == "==" and isinstance(tested, Literal):
            tested, constant = constant, tested
        path = self._path(tested)
        if path is None:
            return None
        if node.function == "==":
            return (path, (constant.value,)) if isinstance(constant, Literal) else None
        if not isinstance(constant, ListLiteral) or not 0 < len(constant.elements) <= _FEW:
            return None
        elements = [element.value for element in constant.elements if isinstance(element, Literal)]
        return (path, tuple(elements)) if len(elements) == len(constant.elements) else None

    # Comprehensions

    def _comprehension(self, node: Comprehension, facts: _PathValues) -> _Values:
        range_ = self.values(node.range, facts)
        if range_ == ():
            return ()
        # Each comprehension numbers its variable: facts about an outer `p` say nothing about an inner one.
        self._variables += 1
        self._scope.append((node.variable, self._variables, _element(range_)))
        predicate = _BOTH if node.predicate is None else self.values(node.predicate, facts)
        transform = _Unknown.ANY if node.transform is None else self.values(node.transform, facts)
        self._scope.pop()
        empty = range_ == ((),)
        true = _can_be(True, predicate) and not empty
        if node.kind == "all":
            return _booleans(True, _can_be(False, predicate) and not empty)
        if node.kind in ("exists", "exists_one"):
            return _booleans(true, True)
        # Where no element passes, or each one fails, the empty list is the only result.
        if not true or transform == ():
            return ((),)
        return range_ if node.kind == "filter" and range_ is _Unknown.PROPERTIES else _Unknown.ANY


def _names_type(node: Select) -> bool:
    """Return whether *node* is the dotted name of a type, such as ``google.protobuf.Timestamp``."""
    operand = node.operand
    if not isinstance(operand, Select) or not isinstance(operand.operand, Identifier):
        return False
    return qualified_name(node) in TYPE_NAMES


def _element(range_: _Values) -> _Values:
    """Return the values of the elements of lists *range_*."""
    if isinstance(range_, tuple):
        if all(isinstance(value, tuple) for value in range_):
            return _union((element,) for value in range_ for element in value)
        return _Unknown.ANY
    if range_ is _Unknown.PROPERTIES:
        return _Unknown.PROPERTY
    return _Unknown.JSON if range_ is _Unknown.JSON else _Unknown.ANY


def _applied(function: str, arguments: tuple[Any, ...]) -> Call:
    return Call(function, None, tuple(Literal(value, 0) for value in arguments), 0, 2)


def _rule_path(path: _Path) -> str:
    """Return *path* as a rule writes it: ``p.value.items[0]``."""
    steps = (f".{step}" if isinstance(step, str) else f"[{step}]" for step in path[1:])
    return reduce(str.__add__, steps, str(path[0][0]))
