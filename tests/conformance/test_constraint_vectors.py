"""Raw ``olm.constraint`` values, as the upstream decoder reads them, with the exceptions that we document.

The decoder checks shapes only and is lenient in places; each leniency that we refuse is one function below,
which sees the raw text and what upstream made of it, never our answer.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from olmsolve import cel
from olmsolve.errors import CompileError, ConstraintError, RangeError
from olmsolve.predicates import (
    GVK,
    AllOf,
    AnyOf,
    InPackage,
    NoneOf,
    Predicate,
    ProvidesGVK,
    Satisfies,
    parse_constraint,
)
from olmsolve.semver import BlangRange
from tests.scale import grouped

_VECTORS: Final = Path(__file__).with_name("constraints_parse.jsonl.gz")
_COMPOUND: Final[dict[str, type[AllOf | AnyOf | NoneOf]]] = {"all": AllOf, "any": AnyOf, "not": NoneOf}
_KINDS: Final = ("gvk", "package", "cel", *_COMPOUND)
_FIELDS: Final = frozenset(
    {
        *_KINDS,
        "failureMessage",
        "constraints",
        "rule",
        "group",
        "version",
        "kind",
        "packageName",
        "versionRange",
    }
)

Vector = Mapping[str, Any]


def _vectors() -> Iterator[Vector]:
    with gzip.open(_VECTORS, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _raw(vector: Vector) -> str:
    template = vector.get("raw_template")
    if template is None:
        return str(vector["raw"])
    return str(template).replace("{PAD}", vector["pad_char"] * vector["pad_count"])


def _levels(parsed: Mapping[str, Any], depth: int = 1) -> Iterator[tuple[Mapping[str, Any], int]]:
    yield parsed, depth
    for kind in _COMPOUND:
        for part in parsed.get(kind, {}).get("constraints") or ():
            yield from _levels(part, depth + 1)


def _one_kind_a_level(vector: Vector) -> bool:
    return any(sum(kind in level for kind in _KINDS) != 1 for level, _ in _levels(vector.get("parsed", {})))


def _parts_in_each_compound(vector: Vector) -> bool:
    levels = _levels(vector.get("parsed", {}))
    return any(kind in level and not level[kind]["constraints"] for level, _ in levels for kind in _COMPOUND)


def _at_most_ten_levels(vector: Vector) -> bool:
    return any(depth > 10 for _, depth in _levels(vector.get("parsed", {})))


def _at_most_64_kib(vector: Vector) -> bool:
    return len(_raw(vector).encode()) > 64 * 1024


def _nothing_after_the_value(vector: Vector) -> bool:
    text = _raw(vector).strip()
    return json.JSONDecoder().raw_decode(text)[1] < len(text)


def _exact_letter_case(vector: Vector) -> bool:
    names: set[str] = set()
    json.JSONDecoder(object_pairs_hook=lambda pairs: names.update(n for n, _ in pairs)).raw_decode(_raw(vector).strip())
    return not names <= _FIELDS


def _each_field_once(vector: Vector) -> bool:
    repeated: list[bool] = []
    hook = lambda pairs: repeated.append(len(dict(pairs)) < len(pairs))  # noqa: E731
    json.JSONDecoder(object_pairs_hook=hook).raw_decode(_raw(vector).strip())
    return any(repeated)


def _ranges_that_parse(vector: Vector) -> bool:
    for level, _ in _levels(vector.get("parsed", {})):
        try:
            BlangRange.parse(level.get("package", {"versionRange": "1.0.0"})["versionRange"])
        except RangeError:
            return True
    return False


def _rules_that_compile(vector: Vector) -> bool:
    for level, _ in _levels(vector.get("parsed", {})):
        try:
            cel.compile(level.get("cel", {"rule": "true"})["rule"])
        except CompileError:
            return True
    return False


# What upstream's decoder tolerates and we refuse: each is true where a tolerated value breaks our rule.
_STRICTER: Final[tuple[Callable[[Vector], bool], ...]] = (
    _one_kind_a_level,
    _parts_in_each_compound,
    _at_most_ten_levels,
    _at_most_64_kib,
    _nothing_after_the_value,
    _exact_letter_case,
    _each_field_once,
    _ranges_that_parse,
    _rules_that_compile,
)


def _expected(parsed: Mapping[str, Any]) -> Predicate:
    message = parsed.get("failureMessage", "")
    for kind, compound in _COMPOUND.items():
        if kind in parsed:
            return compound(tuple(map(_expected, parsed[kind]["constraints"])), message=message)
    if "cel" in parsed:
        return Satisfies(cel.compile(parsed["cel"]["rule"]), message=message)
    if "package" in parsed:
        package = parsed["package"]
        versions = BlangRange.parse(package["versionRange"])
        return InPackage(package["packageName"], versions, message=message)
    gvk = parsed["gvk"]
    return ProvidesGVK(GVK(gvk["group"], gvk["version"], gvk["kind"]), message=message)


_GROUPS: Final = grouped(list(_vectors()), 30)


@pytest.mark.parametrize("group", _GROUPS.values(), ids=_GROUPS)
def test_verdict_is_upstreams_or_a_documented_exception(group: Sequence[Vector]) -> None:
    """A constraint that OLM reads differently would change plans without a word."""
    for vector in group:
        _check(vector)


def _check(vector: Vector) -> None:
    """Assert that the constraint of *vector* is read as recorded, or refused for a documented reason."""
    raw = _raw(vector)
    if vector.get("error") or any(broken(vector) for broken in _STRICTER):
        with pytest.raises(ConstraintError):
            parse_constraint(raw)
    else:
        assert parse_constraint(raw) == _expected(vector["parsed"])
