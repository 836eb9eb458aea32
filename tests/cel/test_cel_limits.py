"""No rule hangs, overflows the stack, or touches the process: not by its length, its depth, nor its computations."""

from __future__ import annotations

import gc
import json
import pickle
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from olmsolve.cel import MAX_DEPTH, MAX_LENGTH, MAX_WORK, Rule
from olmsolve.cel import compile as compile_rule
from olmsolve.errors import CompileError, EvaluationError
from tests.scale import LONG

# Processor time, so that a loaded machine does not matter. The bars are far above what the rules take: they tell work
# that ends from work that does not, on any machine.
SECONDS = 10.0

# The short run compiles rules of a quarter of the length, within a tenth of the time: quadratic work takes a sixteenth.
SIZE = MAX_LENGTH if LONG else MAX_LENGTH // 4
COMPILING = SECONDS if LONG else SECONDS / 10


def filled(unit: str, before: str = "", after: str = "", between: str = ",") -> str:
    """Return as many repetitions of *unit* as SIZE characters hold."""
    count = (SIZE - len(before) - len(after)) // (len(unit) + len(between))
    return before + between.join([unit] * count) + after


def chained(step: str, end: str, count: int = 90) -> str:
    return "[dyn(1)]" + step * count + end


LONG_TEXTS = {
    "an unfinished string full of escapes": '"' + "\\a" * (SIZE // 2 - 100),
    "an unfinished long string": '"""' + "\\a" * (SIZE // 2 - 100),
    "quotes": "'" * SIZE,
    "raw quotes": "r'" * (SIZE // 2),
    "digits": "1" * SIZE,
    "hexadecimal digits": "0x" + "f" * (SIZE - 2),
    "decimals": "1." + "1" * (SIZE - 8) + "==1.0",
    "spaces": " " * SIZE,
    "comments": "//\n" * (SIZE // 3),
    "exclamation marks": "!" * (SIZE - 4) + "true",
    "parentheses": "(" * SIZE,
    "brackets": "[" * SIZE,
    "braces": "{" * SIZE,
    "conditionals": filled("true?true", between=":"),
    "sums": filled("1", between="+"),
    "selections": "properties" + ".a" * (SIZE // 2 - 100),
    "alternatives": filled("true", between="||"),
    "comprehensions": filled('properties.exists(p,p.type=="a")', between="||"),
    "a list": filled("1", "[", "].size()>0"),
    "a map": filled("1:1", "{", "}.size()>0"),
    "lists in lists": filled("[[[[[1]]]]]", "[", "].size()>0"),
    "empty lists": filled("[]==[]", between="||"),
    "a type that doubles": chained(".map(a,{a:a})", ".size()==1"),
    "large types": chained(".map(a,{a:a})", ".exists(a,[" + "{a:a}," * (SIZE // 8) + "].size()>0)", 6),
    "overloads": filled("p.value+1>p.value*2", "properties.exists(p,", ")", "||"),
    "a regular expression": '"a".matches("' + "(a{1000})" * (SIZE // 10) + '")',
}
MANY = [{"type": f"t{number}", "value": {"a": number, "b": "x" * 50}} for number in range(300)]
LARGE = [{"type": f"t{number}", "value": "x" * 100_000} for number in range(100)]
MUCH_WORK: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "three loops": ("properties.all(a,properties.all(b,properties.all(c,true)))", MANY),
    "growing lists": ("properties.map(a,properties.map(b,properties.map(c,c))).size()==1", MANY),
    "equality of lists": (
        "properties.exists(a,properties.exists(b,properties.map(x,x)==properties.map(x,x)&&false))",
        MANY,
    ),
    "many expressions": (
        'properties.exists(a,properties.exists(b,a.type.matches(b.type+"(a*)*b")))',
        MANY,
    ),
    "a string that doubles": ('["a"]' + ".map(a,a+a)" * 90 + ".size()==1", []),
    "equality of shared parts": (chained(".map(a,dyn([a,a]))", ".exists(x,x==[x])"), []),
    "membership of shared parts": (chained(".map(a,dyn([a,a]))", ".exists(x,x in [x])"), []),
    "keys of shared parts": (chained(".map(a,dyn([a,a]))", ".exists(x,{x:1}[x]==1)"), []),
    "printing shared parts": (chained(".map(a,dyn([a,a]))", ".exists(x,{1:1}[x]==1)"), []),
    "comparison of long strings": (
        'properties.exists(a,properties.exists(b,a.value+"y"==b.value))',
        LARGE,
    ),
    "search in long strings": ("properties.exists(a,properties.exists(b,a.value.contains('xxxxy')))", LARGE),
    "expressions on long strings": ("properties.exists(a,a.value.matches('(x+x+)+y'))", LARGE),
    "an expression that needs many states": (
        f"'{'a' * 20000}'.matches('{'a?' * 10000}{'a' * 10000}')",
        [],
    ),
    "versions of long strings": (
        "properties.exists(a,properties.exists(b,semver_compare(a.value,b.value)==0))",
        LARGE,
    ),
    "durations of long strings": (
        "properties.exists(a,properties.exists(b,duration(b.value)==duration('0')))",
        [{"type": "d", "value": "1ns" * 30000}] * 100,
    ),
    "comprehensions in comprehensions": (
        "properties.exists(p,p.type=='a'&&" * 45 + "false" + ")" * 45,
        [{"type": "a", "value": 1}] * 3,
    ),
}


@pytest.mark.parametrize("text", LONG_TEXTS.values(), ids=LONG_TEXTS.keys())
def test_compiling_64_kib_takes_less_than_a_second(text: str) -> None:
    """Catalogs come from strangers; any repeated token may be the one that takes quadratic time.

    The short run compiles 16 KiB.
    """
    assert len(text) > 0.9 * SIZE or text.startswith("[dyn(1)]")
    refused = ""
    start = time.process_time()
    try:
        evaluate = compile_rule(text[:SIZE]).evaluate
    except CompileError as error:
        evaluate = None
        refused = error.reason
    compiled = time.process_time()
    assert "the rest of the stack" not in refused
    if evaluate is not None:
        with_failure(evaluate)
    assert compiled - start < COMPILING
    assert time.process_time() - compiled < SECONDS


def with_failure(evaluate: Any, properties: list[dict[str, Any]] | None = None) -> str:
    try:
        return str(evaluate(properties or []))
    except EvaluationError as error:
        return error.reason


@pytest.mark.parametrize(("rule", "properties"), MUCH_WORK.values(), ids=MUCH_WORK.keys())
def test_evaluating_takes_less_than_a_second(
    rule: str, properties: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short rule can ask for any amount of work; it ends with an error instead.

    Work that is not counted has no end under any limit, so the short run takes a quarter of the limit.
    """
    if not LONG:
        monkeypatch.setattr("olmsolve.cel.program.MAX_WORK", MAX_WORK // 4)
    evaluate = compile_rule(rule).evaluate
    start = time.process_time()
    with_failure(evaluate, properties)
    assert time.process_time() - start < SECONDS


def test_exhaustion_cannot_be_absorbed() -> None:
    """`|| true` must not absorb the exhaustion, or every alternative could do as much work as the first."""
    rule = compile_rule("properties.all(a,properties.all(b,properties.all(c,true))) || true")
    start = time.process_time()
    with pytest.raises(EvaluationError, match="steps"):
        rule.evaluate(MANY)
    assert time.process_time() - start < SECONDS


def test_work_of_real_rules_is_allowed() -> None:
    """The largest bundles have a few hundred properties; comparing all with all must still be possible."""
    rule = compile_rule("properties.exists(p, properties.exists(q, p.type == q.type && p.value != q.value))")
    assert rule.evaluate(MANY) is False


def test_length_is_limited() -> None:
    """The limit is exact, so that documentation can state it."""
    assert compile_rule("true" + " " * (MAX_LENGTH - 4)).evaluate([])
    with pytest.raises(CompileError, match="more than 65536"):
        compile_rule("true" + " " * (MAX_LENGTH - 3))


@pytest.mark.parametrize(
    ("before", "inner", "after"),
    [
        ("(", "true", ")"),
        ("[", "1", "]"),
        ("dyn(", "1", ")"),
        ("[1].exists(x, ", "true", ")"),
        ("{1:", "1", "}"),
        ("true ? true : ", "true", ""),
        ("1 + (", "1", ")"),
    ],
)
def test_depth_is_limited(before: str, inner: str, after: str) -> None:
    """Rules within the limit work, on an ordinary stack; rules beyond it are refused with the limit's number."""
    depth = MAX_DEPTH - 3
    whole = before * depth + inner + after * depth
    rule = compile_rule(f"({whole}) == ({whole})" if inner == "1" else whole)
    assert rule.evaluate([]) is True
    with pytest.raises(CompileError, match=f"more than {MAX_DEPTH} levels"):
        compile_rule(before * (MAX_DEPTH + 2) + inner + after * (MAX_DEPTH + 2))


def test_a_hundred_parentheses_work() -> None:
    """celpy overflows Python's stack on them."""
    assert compile_rule("(" * 100 + "true" + ")" * 100).evaluate([]) is True


def test_an_almost_full_stack_gives_our_errors() -> None:
    """The caller may be deep already; what is left of the stack decides only between an answer and our error."""

    def deep(levels: int, more: int) -> str:
        if more:
            return deep(levels, more - 1)
        try:
            text = "(" * 90 + f"properties[0].value.a == {levels}" + ")" * 90
            return with_failure(compile_rule(text).evaluate, MANY)
        except CompileError as error:
            return error.reason

    outcomes = {deep(levels, levels) for levels in range(100, sys.getrecursionlimit() - 150, 20)}
    assert outcomes & {"False"}
    assert outcomes <= {
        "False",
        "the rule is nested too deeply for the rest of the stack",
        "the rule or a property is nested too deeply",
    }


def test_deep_properties_fail() -> None:
    """JSON of a thousand levels is possible; a comparison that walks it must not overflow the stack."""
    value: Any = 1
    for _ in range(5000):
        value = [value]
    rule = compile_rule("properties[0].value == properties[1].value")
    with pytest.raises(EvaluationError, match="nested"):
        rule.evaluate([{"type": "a", "value": value}, {"type": "a", "value": [value]}])


# The rest of the process


def test_importing_costs_nothing_and_nothing_global_changes() -> None:
    """Importing loads neither parser nor engine; compiling and evaluating leave the recursion limit as it is."""
    code = """
import json, sys, olmsolve.errors
limit = sys.getrecursionlimit()
import olmsolve.cel
olmsolve.cel.compile
loaded = sorted(name for name in sys.modules if name.startswith("olmsolve.cel."))
rule = olmsolve.cel.compile('properties.exists(p, p.type.matches("x") && semver_compare(p.value, "1.0.0") > 0)')
rule.matches([{"type": "x", "value": "1"}])
foreign = [name for name in ("celpy", "lark", "pendulum") if name in sys.modules]
print(json.dumps([loaded, foreign, sys.getrecursionlimit() == limit]))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded, foreign, unchanged = json.loads(result.stdout)
    assert foreign == []
    assert unchanged
    # The facade may load what it wants; the engine is not among it.
    assert not {"olmsolve.cel.parser", "olmsolve.cel.program", "olmsolve.cel.functions"} & set(loaded)


def test_bad_expressions_print_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """RE2 logs faults to standard error unless told otherwise."""
    compile_rule('properties.exists(p, p.type.matches("(?=x)"))').matches(MANY)
    assert capfd.readouterr() == ("", "")


def test_rules_are_values() -> None:
    """Rules are keys of caches and travel to worker processes, so copies must be equal."""
    text = 'properties.exists(p, p.type == "k")'
    rule = compile_rule(text)
    copied: Rule = pickle.loads(pickle.dumps(rule))  # noqa: S301 - our own bytes
    assert copied == rule
    assert hash(copied) == hash(rule)
    assert rule.text == text
    assert rule != compile_rule(text + " ")
    assert copied.evaluate([{"type": "k", "value": None}])
    assert compile_rule(text) is rule


def test_evaluation_leaves_no_cycles() -> None:
    """Large programs freeze or disable the garbage collector while they work."""
    rules = [
        "properties.exists(p, p.missing == 1 || p.type == 't5')",
        "properties.exists(p, p.type == 't5' && p.value.missing == 1)",
        "properties.all(p, semver_compare(p.value, '1') > 0) || 1 / 0 == 1",
    ]
    compiled = [compile_rule(text) for text in rules]
    for rule in compiled:
        rule.matches(MANY)
    # Whatever other tests have left behind, cycles or not, is no longer walked: each walk would take half a second.
    gc.freeze()
    gc.disable()
    try:
        for rule in compiled:
            for _ in range(5):
                rule.matches(MANY)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_a_rule_is_used_by_many_threads() -> None:
    """Every evaluation has its own variables."""
    rule = compile_rule("properties.exists(p, properties.exists(q, p.value == q.value && p.type != q.type))")

    def evaluate(number: int) -> bool:
        pairs = [("a", number), ("b", number if number % 2 else -1)]
        return rule.evaluate([{"type": name, "value": value} for name, value in pairs * 20])

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(evaluate, range(400)))
    assert answers == [bool(number % 2) for number in range(400)]
