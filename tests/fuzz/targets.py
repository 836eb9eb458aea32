"""The parsers under fuzzing, and what must hold of every answer that they give.

A target takes a text and returns a word for the outcome; inputs with new outcomes become seeds. Whatever it
raises is a finding: errors of olmsolve's own tree are caught here, where they are expected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

import attrs

from olmsolve.authoring.checks import why_never
from olmsolve.cel import compile as compile_rule
from olmsolve.errors import CompileError, ConstraintError, EvaluationError, RangeError, VersionError
from olmsolve.predicates import normalise, parse_constraint, semantics_differ
from olmsolve.semver import BlangRange, MastermindsRange, Version, VersionRelease
from tests.fuzz.catalog_texts import JSON_SEEDS, JSON_TOKENS, YAML_SEEDS, YAML_TOKENS, json_catalog, yaml_catalog
from tests.fuzz.mutations import Mutator

__all__ = ["TARGETS", "Target"]

_VARYING: Final = re.compile(r"'.*'|\".*\"|\d+", re.DOTALL)
_BOUNDARIES: Final = (
    "0.0.0-0", "0.0.0", "0.0.1", "1.0.0-alpha.1", "1.0.0", "1.2.3-x.7", "1.2.3", "1.5.0", "2.0.0-rc.1", "2.0.0",
    "10.0.0", "18446744073709551615.18446744073709551615.18446744073709551615",
)  # fmt: skip
_VERSIONS: Final = tuple(map(Version.parse, _BOUNDARIES))
_PROPERTIES: Final[tuple[list[dict[str, Any]], ...]] = (
    [],
    [{"type": "certified", "value": True}, {"type": "olm.package", "value": {"packageName": "p", "version": "1.2.3"}}],
    [
        {"type": "k", "value": [1, "a", None, {"x": [1.5]}]},
        {"type": "k", "value": "1.0"},
        {"type": "\ud800", "value": 3},
    ],
)


@attrs.frozen
class Target:
    """A parser: *run* it on a text; start from *seeds* and sprinkle *tokens*."""

    name: str
    run: Callable[[str], str]
    seeds: tuple[str, ...]
    tokens: tuple[str, ...]

    def mutator(self, seed: str) -> Mutator:
        """Return the source of its inputs."""
        return Mutator(seed, self.seeds, self.tokens)


def _outcome(reason: str) -> str:
    """Return *reason* without its quotations, so that each kind of fault is one outcome."""
    return _VARYING.sub("#", reason[:300])


def _located(text: str, error: VersionError | RangeError) -> str:
    assert error.text == text
    assert 0 <= error.position <= len(text), error.position
    assert str(error)
    return _outcome(error.reason)


def _uncompiled(text: str, error: CompileError) -> str:
    assert error.rule == text
    assert error.position is None or 0 <= error.position <= len(text), error.position
    assert str(error)
    return _outcome(error.reason)


def _version(text: str) -> str:
    outcomes = []
    for tolerant in (False, True):
        try:
            version = Version.parse_tolerant(text) if tolerant else Version.parse(text)
        except VersionError as error:
            outcomes.append(_located(text, error))
        else:
            reparsed = Version.parse(str(version))
            assert (reparsed, reparsed.build) == (version, version.build)
            assert tolerant or str(version) == text
            outcomes.append(f"{len(version.pre)} {len(version.build)}")
    return "/".join(outcomes)


def _release(text: str) -> str:
    version, _, release = text.partition(" ")
    outcomes = []
    for arguments in ((text, None), (version, release), ("1.0.0", text)):
        for release_support in (False, True):
            try:
                pair = VersionRelease.parse(*arguments, release_support=release_support)
            except VersionError as error:
                outcomes.append(_located(error.text, error))
            else:
                assert pair == VersionRelease(pair.version, pair.release)
                assert pair.kubernetes_safe == pair.kubernetes_safe.lower()
                outcomes.append(str(len(pair.release or ())))
    return "/".join(outcomes)


def _blang(text: str) -> str:
    try:
        wanted = BlangRange.parse(text)
    except RangeError as error:
        return _located(text, error)
    assert str(wanted) == text
    contained = [version in wanted for version in _VERSIONS]
    assert contained == [any(version in interval for interval in wanted.intervals) for version in _VERSIONS]
    assert not (wanted.is_empty and any(contained))
    return f"{min(len(wanted.intervals), 5)} {wanted.is_empty} {len(wanted.warnings)}"


def _masterminds(text: str) -> str:
    try:
        wanted = MastermindsRange.parse(text)
    except RangeError as error:
        return _located(text, error)
    assert str(wanted) == text
    contained = [version in wanted for version in _VERSIONS]
    assert not (wanted.is_empty and any(contained))
    for version, inside in zip(_VERSIONS, contained, strict=True):
        spans = wanted.prerelease_intervals if version.pre else wanted.intervals
        covered = any(version in interval for interval in spans)
        assert covered == inside or (covered and version.pre and wanted.exceptions)
    counts = len(wanted.intervals), len(wanted.prerelease_intervals), len(wanted.exceptions)
    return f"{counts} {wanted.is_empty} {len(wanted.warnings)}"


def _cel(text: str) -> str:
    try:
        rule = compile_rule(text)
    except CompileError as error:
        return _uncompiled(text, error)
    outcomes = []
    for properties in _PROPERTIES:
        try:
            outcomes.append(str(rule.evaluate(properties)))
        except EvaluationError as error:
            outcomes.append(_outcome(error.reason))
    never = why_never(rule)
    assert never is None or "True" not in outcomes, never
    return f"{'/'.join(outcomes)} {never is None}"


def _constraint(text: str) -> str:
    try:
        predicate = parse_constraint(text)
    except ConstraintError as error:
        outcome = _outcome(str(error))
    else:
        outcome = f"{_outcome(str(normalise(predicate)))[:80]} {semantics_differ(predicate)}"
        assert parse_constraint(json.loads(text)) == predicate
    try:
        raw = text.encode("utf-8", "surrogatepass")
        parse_constraint(raw)
    except ConstraintError:
        pass
    return outcome


_RANGE_TOKENS: Final = (
    ">", "<", ">=", "<=", "=", "==", "!=", "!", "=>", "=<", "~", "~>", "^", "||", "|", " || ", " ", ",", ", ", " - ",
    "-", "+", ".", "x", "X", "*", ".x", ".*", "v", "0", "1", "1.2", "1.2.3", "-rc.1", "+build", "1.x", "1.2.x",
)  # fmt: skip
_RANGE_SEEDS: Final = (
    "", ">=1.0.0 <2.0.0", "<1.2.3 || >=2.0.0-rc.1 !=2.1.0", "1.x", "!=1.2.x", ">1.2.3-alpha.1+b", "^1.2", "~1.2.3",
    "1.2 - 2.3.4", ">= 1, < 2 || * ", "!=1.2.x-rc.1 || >=1.0.0-0", "v1.2.3", "=>1 =<2", "1.0.0 || || 2.0.0",
    ">=1.x.x 2",
)  # fmt: skip
_VERSION_TOKENS: Final = (
    ".",
    "-",
    "+",
    "v",
    "V",
    " ",
    "0",
    "1",
    "01",
    "1.2.3",
    "alpha",
    "-rc.1",
    "+b.1",
    "-0",
    "-01",
    "x",
)
_VERSION_SEEDS: Final = (
    "",
    "1.2.3",
    "v1.2",
    "1.0.0-alpha.1+001.b",
    " 01.02.3 ",
    "0.0.0-0",
    "1.0.0--",
    "1.2.3+20",
    "1.2.3 4.5",
)
_CEL_TOKENS: Final = (
    "properties", "p", "q", "p.type", "p.value", ".value", ".exists(p, ", ".all(p, ", ".exists_one(p, ", ".map(p, ",
    ".filter(p, ", "(", ")", "[", "]", "{", "}", ",", ":", "?", ".", "==", "!=", "<", "<=", ">", ">=", "in", "&&",
    "||", "!", "-", "+", "*", "/", "%", "1", "1u", "1.5", "0x1F", '"a"', "'b'", '"""', "r'", "b'\\x00'", "true",
    "false", "null", "has(", "size(", "dyn(", "semver_compare(", ".matches(", "'(a|b)*'", ".startsWith(", ".contains(",
    "duration('1h')", "timestamp('2020-01-01T00:00:00Z')", ".getHours()", "int(", "uint(", "double(", "string(",
    "bytes(", "bool(", "type(", "\\u00e9", "\\", "//", "\n",
)  # fmt: skip
_CEL_SEEDS: Final = (
    "true",
    'properties.exists(p, p.type == "certified")',
    "properties.exists(p, p.type == 'olm.package' && semver_compare(p.value.version, '1.0.0') >= 0)",
    "properties.all(p, p.type != 'k' || p.value == 1.0) ? size(properties) > 1 : !false",
    "properties.map(p, p.value).exists(v, v in ['a', dyn(1)]) && properties.filter(p, has(p.value.x)).size() == 0",
    "properties.exists_one(p, p.type.matches('^(k|c)[a-z]+$') && string(p.value).startsWith('1'))",
    "{'a': 1, 'b': 2}['a'] + [1, 2][0] * 3 - -4 % 5 / 6 < 7",
    "duration('1h2m') + duration('-3ms') < timestamp('2020-02-29T12:00:00+01:00') - timestamp(0)",
    "b'\\x00' + b\"\\101\" == bytes('é') || 1u + uint('2') == 3u || type(1.5) == double",
)
_CONSTRAINT_TOKENS: Final = (
    "{", "}", "[", "]", ",", ":", '"', '"all"', '"any"', '"not"', '"cel"', '"gvk"', '"package"', '"constraints"',
    '"rule"', '"group"', '"version"', '"kind"', '"packageName"', '"name"', '"versionRange"', '"failureMessage"',
    '{"gvk":{}}', "null", "true", "1", "1e999", "NaN", '"\\ud800"', "\\u0000", '{"all":{"constraints":[', "]}}",
    '">=1.0.0"', '"true"',
)  # fmt: skip
_CONSTRAINT_SEEDS: Final = (
    '{"gvk":{"group":"g","version":"v1","kind":"K"}}',
    '{"package":{"packageName":"p","versionRange":">=1.0.0 <2.0.0"},"failureMessage":"needs p"}',
    '{"package":{"name":"p","versionRange":"1.x"}}',
    '{"cel":{"rule":"properties.exists(p, p.type == \\"certified\\")"}}',
    '{"all":{"constraints":[{"gvk":{"kind":"K"}},{"not":{"constraints":[{"package":{"name":"p","versionRange":"<1.0.0"}}]}}]}}',
    '{"any":{"constraints":[{"gvk":{"kind":"K"}},{"cel":{"rule":"true"}}]}}',
)

TARGETS: Final[dict[str, Target]] = {
    target.name: target
    for target in (
        Target("version", _version, _VERSION_SEEDS, _VERSION_TOKENS),
        Target("release", _release, _VERSION_SEEDS, _VERSION_TOKENS),
        Target("blang", _blang, _RANGE_SEEDS, _RANGE_TOKENS),
        Target("masterminds", _masterminds, _RANGE_SEEDS, _RANGE_TOKENS),
        Target("cel", _cel, _CEL_SEEDS, _CEL_TOKENS),
        Target("constraint", _constraint, _CONSTRAINT_SEEDS, _CONSTRAINT_TOKENS),
        Target("json", json_catalog, JSON_SEEDS, JSON_TOKENS),
        Target("yaml", yaml_catalog, YAML_SEEDS, YAML_TOKENS),
    )
}
