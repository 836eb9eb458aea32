"""Second opinions: known differences are real and documented, unknown ones are reported, and nothing hangs."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from olmsolve import Severity, cel, lint
from olmsolve.authoring import SecondOpinions, second_opinions
from olmsolve.cel import RULE_DIFFERENCES, RuleOpinions, rule_difference
from olmsolve.errors import RangeError
from olmsolve.predicates import Property
from olmsolve.semver import (
    RANGE_DIFFERENCES,
    BlangRange,
    KnownDifference,
    MastermindsRange,
    Version,
    range_difference,
    range_opinion,
)
from olmsolve.testing import catalog_of, check_range, check_rule, package
from tests.recorded import VENDORED, real_catalog, records, shared
from tests.scale import sampled

PAGE = Path(__file__).parents[2] / "docs/lint.md"
RED = 'properties.exists(p, p.type == "color" && p.value == "red")'
CLEAN = catalog_of(
    package("a").channel("stable", "1.0.0 < 1.1.0").requires("b", ">=1.0.0 <2.0.0"),
    package("b").channel("stable", "1.0.0 < 1.5.0").having("color", "red").constrained({"cel": {"rule": RED}}),
)


@pytest.mark.parametrize("known", RANGE_DIFFERENCES, ids=lambda known: known.name)
def test_known_differences_of_ranges_are_real(known: KnownDifference) -> None:
    """An entry that no longer differs would hide the next fault."""
    text, version = known.example
    grammar = MastermindsRange if known.name != "prerelease-of-bound" else BlangRange
    wanted = grammar.parse(text)
    opinion = range_opinion(wanted, Version.parse(version))
    assert opinion is not None
    assert opinion != (Version.parse(version) in wanted)
    assert range_difference(wanted, Version.parse(version)) is known


@pytest.fixture(scope="module")
def opinions() -> Iterator[RuleOpinions]:
    """One process for all rules: celpy takes half a second to start."""
    with RuleOpinions(60) as opinions:
        yield opinions


@pytest.mark.parametrize("known", RULE_DIFFERENCES, ids=lambda known: known.name)
def test_known_differences_of_rules_are_real(known: KnownDifference, opinions: RuleOpinions) -> None:
    """The same for CEL rules."""
    rule, properties = cel.compile(known.example[0]), json.loads(known.example[1])
    [opinion] = opinions.of(rule, [properties])
    assert opinion is not None
    assert opinion != rule.matches(properties)
    assert rule_difference(rule, properties) is known


@pytest.mark.parametrize("known", [*RANGE_DIFFERENCES, *RULE_DIFFERENCES], ids=lambda known: known.name)
def test_known_differences_are_documented(known: KnownDifference) -> None:
    """The page has a row for each, with the same sentences."""
    assert f"| `{known.name}` | {known.text} |" in PAGE.read_text("utf-8").replace("\\|", "|")


@pytest.mark.parametrize("name", ["blang_ranges", "masterminds_ranges"])
def test_recorded_ranges_differ_for_known_reasons_only(name: str) -> None:
    """Three answers for each recorded range: OLM's, ours and semantic-version's. The short run takes half."""
    grammar = BlangRange if name == "blang_ranges" else MastermindsRange
    judged = 0
    for record in sampled([r for r in records(VENDORED / f"{name}.jsonl.gz") if "match" in r], 2):
        try:
            wanted, version = grammar.parse(record["range"]), Version.parse(record["version"])
        except RangeError:
            assert "|| ||" in record["range"]  # on which OLM crashes
            continue
        opinion = range_opinion(wanted, version)
        if opinion is not None:
            judged += 1
            assert opinion == record["match"] or range_difference(wanted, version) is not None, record
    assert judged > 500


@pytest.mark.parametrize("text", [">=1.0.0 1", "!1.x", ">=1.0.0+build", "1.x.x", ">=1.0.0 " * 200])
def test_ranges_that_are_read_otherwise_are_not_judged(text: str) -> None:
    """Where OLM itself drops or rewrites a part, another reading is no opinion on this one."""
    assert range_opinion(BlangRange.parse(text), Version.parse("1.0.0")) is None


def test_a_fault_in_a_range_is_found() -> None:
    """A range with the cuts of another is what a fault of the parser would look like."""
    wrong = BlangRange("<2.0.0", BlangRange.parse("<1.0.0").cuts, ())
    with pytest.raises(AssertionError, match=r"1\.5\.0 in <2\.0\.0: olmsolve says False, semantic-version True"):
        check_range(wrong, [Version.parse("1.5.0")])
    check_range(BlangRange.parse("<2.0.0"), [Version.parse("1.5.0"), Version.parse("2.0.0-rc.1")])


def test_a_fault_in_a_rule_is_found() -> None:
    """A rule that runs another's program answers otherwise than its text says."""
    wrong = cel.Rule(RED, lambda properties: False)
    with RuleOpinions(60) as opinions:
        check_rule(cel.compile(RED), [[Property("color", "red")], []], opinions)
        with pytest.raises(AssertionError, match="olmsolve says False, cel-python True"):
            check_rule(wrong, [[Property("color", "red")]], opinions)


def test_a_slow_answer_ends_the_process_and_no_other() -> None:
    """Four quantifiers over forty properties are two million steps for cel-python: nobody waits for them."""
    slow = cel.compile(
        "properties.all(a, properties.all(b, properties.all(c, properties.all(d,"
        " a.type == b.type && c.type == d.type))))"
    )
    properties = [{"type": "t", "value": number} for number in range(40)]
    with RuleOpinions(60) as opinions:
        assert opinions.of(cel.compile("true"), [[]]) == [True]
        opinions._seconds = 0.5
        start = time.monotonic()
        assert opinions.of(slow, [properties]) == [None]
        assert time.monotonic() - start < 30
        opinions._seconds = 60
        assert opinions.of(cel.compile("true"), [[]]) == [True]


def test_long_rules_and_large_bundles_are_not_judged() -> None:
    """What is not sent cannot hang."""
    with RuleOpinions(60) as opinions:
        long = cel.compile(" || ".join([RED] * 50))
        assert opinions.of(long, [[]]) == [None]
        assert opinions.of(cel.compile(RED), [[{"type": "t", "value": "x" * 2_000_000}]]) == [None]
        assert opinions._process is None


def test_what_cannot_be_started_gives_no_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frozen application has no interpreter to start."""

    def refused(*arguments: Any, **settings: Any) -> None:
        raise OSError

    monkeypatch.setattr(subprocess, "Popen", refused)
    with RuleOpinions() as opinions:
        assert opinions.of(cel.compile(RED), [[]]) == [None]


def test_a_clean_catalog() -> None:
    """Ranges are judged on the versions of their package, rules on the bundles; nothing differs."""
    opinions = second_opinions(CLEAN, seconds=60)
    assert opinions == SecondOpinions((), 1, 1, 1, 1, opinions.judgements, {})
    assert opinions.judgements == 3 + 4
    assert str(opinions).startswith("Second opinions: 1 of 1 range and 1 of 1 rule judged; ")


def test_known_differences_are_notes_and_others_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A note says why other tools read the range otherwise; a warning asks for a report."""
    catalog = catalog_of(
        package("a").channel("stable", "1.0.0").requires("b", "<2.0.0"),
        package("b").channel("stable", "1.0.0 < 2.0.0-rc.1"),
    )
    [note] = lint(catalog, second_opinion=True)
    assert (note.severity, note.code, note.package, note.bundle) == (Severity.NOTE, "second-opinion", "a", "a.v1.0.0")
    assert note.message == "semantic-version does not find 2.0.0-rc.1 in <2.0.0, and OLM does the opposite"
    assert note.property == "properties[1] (olm.package.required)"
    module = sys.modules["olmsolve.authoring.checks.opinions"]
    monkeypatch.setattr(module, "range_difference", lambda wanted, version: None)
    [warning] = lint(catalog, second_opinion=True)
    assert (warning.severity, warning.code) == (Severity.WARNING, "second-opinion")
    assert "report" in warning.hint


def test_it_is_asked_for() -> None:
    """Starting another interpreter is not what a quick lint does."""
    assert lint(CLEAN) == ()


def test_real_catalogs_differ_for_known_reasons_only() -> None:
    """Every range of each shared catalog that is a single file; the short run takes one in three of them."""
    judged = 0
    for path in sampled(sorted((shared() / "catalogs").glob("*.jsonl.gz")), 3, 1):
        opinions = second_opinions(real_catalog(path.name))
        assert opinions.differences.get("", 0) == 0, path.name
        assert opinions.judged_ranges == opinions.ranges
        judged += opinions.judgements
    assert judged > 10_000
