"""CEL rules on real bundles, beside celpy and the Rust package common-expression-language.

Both others get what costs them most for nothing: celpy the properties as its own values, Rust a context with
the properties in it. A second figure for Rust starts from the Python values, as ours does.
"""

from __future__ import annotations

import importlib
import logging
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.catalogs import catalog_files
from benchmarks.measuring import seconds, table
from olmsolve import Catalog, load
from olmsolve.cel import Rule
from olmsolve.cel.program import program
from olmsolve.errors import VersionError
from olmsolve.predicates import Published, Satisfies, published
from olmsolve.semver import Version

_SAMPLE = 100
_RUNS = 5
_RULES = {
    "certified": 'properties.exists(p, p.type == "certified")',
    "semver_compare": (
        'properties.exists(p, p.type == "olm.package" && semver_compare(p.value.version, "1.0.0") >= 0)'
    ),
}
_Properties = list[dict[str, Any]]


def run(*, quick: bool = False) -> None:
    """Match the rules against all bundles of each catalog; *quick*: of a smaller one."""
    with tempfile.TemporaryDirectory() as temporary:
        for name, file in catalog_files(Path(temporary), quick=quick).items():
            _measure(name, load(file))


def _measure(catalog_name: str, catalog: Catalog) -> None:
    facts = [published(package.name, bundle.properties) for package in catalog for bundle in package.bundles.values()]
    everything = [each.cel_properties() for each in facts]
    sample = everything[:: len(everything) // _SAMPLE]
    print(f"{catalog_name}: {len(everything):,} bundles; the others on {len(sample)} of them; microseconds a bundle")
    rows: list[tuple[str, ...]] = []
    for name, rule in _RULES.items():
        first, again, whole = _ours(rule, everything, facts)
        rows.append((f"{name}: olmsolve, a new rule", f"{first:.2f}", "", ""))
        rows.append((f"{name}: olmsolve, again", f"{again:.2f}", "", ""))
        rows.append((f"{name}: olmsolve, as resolution asks", f"{whole:.2f}", "", ""))
        for other, times in (("celpy", _celpy(rule, sample)), ("Rust", _rust(rule, sample))):
            for what, time in times.items():
                rows.append((f"{name}: {other}{what}", f"{time:.2f}", f"{time / first:.0f}x", f"{time / whole:.0f}x"))
    table(("", "us", "to a new rule", "to resolution"), rows)


def _least(work: Callable[[], object], count: int) -> float:
    return min(seconds(work) for _ in range(_RUNS)) / count * 1e6


def _ours(rule: str, everything: Sequence[_Properties], facts: Sequence[Published]) -> tuple[float, float, float]:
    """With a rule that is new (of its versions only the texts are known), with one that is not, and as a predicate."""
    times = []
    for _ in range(_RUNS):
        fresh = Rule(rule, program(rule))
        times.append(seconds(partial(_match_all, fresh, everything)))
    first = min(times) / len(everything) * 1e6
    again = _least(partial(_match_all, fresh, everything), len(everything))
    predicate = Satisfies(fresh)
    whole = _least(lambda: [predicate.test(each) for each in facts], len(facts))
    return first, again, whole


def _match_all(rule: Rule, everything: Sequence[_Properties]) -> object:
    return [rule.matches(properties) for properties in everything]


def _celpy(rule: str, sample: Sequence[_Properties]) -> dict[str, float]:
    limit = sys.getrecursionlimit()
    celpy: Any = importlib.import_module("celpy")
    logging.getLogger("celpy").setLevel(logging.CRITICAL)
    environment = celpy.Environment()
    sys.setrecursionlimit(limit)

    def compare(one: Any, other: Any) -> Any:
        try:
            first, second = (Version.parse_tolerant(str(text)) for text in (one, other))
        except VersionError as error:
            return celpy.CELEvalError(str(error))
        return celpy.celtypes.IntType((first > second) - (first < second))

    runner = environment.program(environment.compile(rule), functions={"semver_compare": compare})
    contexts = [{"properties": celpy.json_to_cel(properties)} for properties in sample]

    def evaluate(context: Any) -> bool:
        try:
            return bool(runner.evaluate(context))
        except celpy.CELEvalError:
            return False

    return {"": _least(lambda: [evaluate(context) for context in contexts], len(sample))}


def _rust(rule: str, sample: Sequence[_Properties]) -> dict[str, float]:
    try:
        cel: Any = importlib.import_module("cel")
    except ImportError:
        return {}  # of the dependency group `bench`

    def compare(one: str, other: str) -> int:
        first, second = Version.parse_tolerant(one), Version.parse_tolerant(other)
        return (first > second) - (first < second)

    functions = {"semver_compare": compare}
    compiled = cel.compile(rule)
    contexts = [cel.Context({"properties": properties}, functions) for properties in sample]

    def from_values() -> list[bool]:
        return [compiled.execute(cel.Context({"properties": properties}, functions)) for properties in sample]

    return {
        ", contexts ready": _least(lambda: [compiled.execute(context) for context in contexts], len(sample)),
        ", from Python values": _least(from_values, len(sample)),
    }
