"""The plain reading, by which answers are checked: it fits what was recorded, and shares nothing with the other.

It stands on the recordings alone: where both readers took the same fault from each other, no law would find it.
"""

from __future__ import annotations

import ast
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import olmsolve
from olmsolve.answers.plain_reading import (
    NoOpinion,
    PlainRange,
    PlainRule,
    PlainVersion,
    UnreadableRequirementError,
    constraint,
    facts,
    order,
    requirements,
)
from olmsolve.predicates import Property
from tests.conformance import test_constraint_vectors as recorded

_VECTORS: Final = Path(recorded.__file__).parent
_ROOM: Final = Path(olmsolve.__file__).parent / "answers/plain_reading"


def vectors(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(_VECTORS / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def known(text: str) -> PlainVersion:
    version = PlainVersion.strict(text)
    assert version is not None, text
    return version


def test_it_takes_values_alone_from_the_rooms_that_it_judges() -> None:
    """APIs and properties are data, errors refuse, limits end work; CEL is asked where this reader has no opinion."""
    allowed = {"GVK", "Property", "OwnValue", "cel", "CompileError", "RequestError", "lazily", "checked", "pattern"}
    for module in _ROOM.glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("olmsolve"):
                is_own = node.module.startswith("olmsolve.answers.plain_reading")
                assert is_own or {name.name for name in node.names} <= allowed, (module.name, node.module)


def test_versions_are_read_and_ordered_as_recorded() -> None:
    """All recordings of the library whose versions classic OLM compares."""
    for vector in vectors("blang_versions"):
        if vector["kind"] == "compare":
            assert order(known(vector["a"]), known(vector["b"])) == vector["cmp"], vector
            continue
        for how, read in (("strict", PlainVersion.strict), ("tolerant", PlainVersion.tolerant)):
            version, expected = read(vector["input"]), vector[how]
            assert (version is not None) == expected["ok"], vector
            assert version is None or str(version) == expected["string"], vector


def test_ranges_hold_what_was_recorded() -> None:
    """All recordings, but for two ranges on which the library may crash, which are refused."""
    crashing = {"1.0.0 || || 2.0.0"}
    for vector in vectors("blang_ranges"):
        range_ = PlainRange.read(vector["range"])
        if vector.get("error") or vector.get("panic") or vector["range"] in crashing:
            assert range_ is None, vector
        else:
            assert range_ is not None, vector
            assert range_.contains(known(vector["version"])) == vector["match"], vector


def test_rules_have_the_recorded_value_or_no_opinion() -> None:
    """It has an opinion of four rules in five, which are nearly all that catalogs write."""
    counts: Counter[bool] = Counter()
    for vector in vectors("cel"):
        try:
            rule = PlainRule(vector["rule"])
            outcome = rule.outcome(vector.get("properties") or []) if rule.is_condition else "compile error"
        except NoOpinion:
            counts[False] += 1
            continue
        expected = "compile error" if vector.get("compile_error") else vector.get("result")
        assert outcome == expected, vector
        assert type(outcome) is type(expected), vector
        counts[True] += 1
    assert counts[True] > 4 * counts[False]


def test_constraints_are_read_as_recorded() -> None:
    """With the documented exceptions, which both readers refuse; what is no JSON is no concern of this one."""
    compared: Counter[bool] = Counter()
    of_text = (recorded._each_field_once, recorded._nothing_after_the_value)
    for vector in recorded._vectors():
        try:
            value = json.loads(recorded._raw(vector))
        except (ValueError, RecursionError):
            continue
        is_refused = bool(vector.get("error")) or any(
            broken(vector) for broken in recorded._STRICTER if broken not in of_text
        )
        if not isinstance(value, dict) or any(broken(vector) for broken in of_text):
            continue
        if is_refused and recorded._at_most_64_kib(vector) and len(json.dumps(value)) <= 128 * 1024:
            continue  # catalogs are read with the limit of the controller
        compared[is_refused] += 1
        if is_refused:
            with pytest.raises(UnreadableRequirementError):
                constraint(value)
        else:
            assert str(constraint(value)) == str(recorded._expected(vector["parsed"]))
    assert min(compared.values()) > 20


def test_facts_and_requirements_of_a_bundle() -> None:
    """The first package states the version; names match in any letter case, and a null counts for nothing."""
    properties = [
        Property("olm.package", {"PACKAGENAME": "blue", "version": "v1.2"}),
        Property("olm.package", {"packageName": "green", "version": "2.0.0"}),
        Property("olm.gvk", {"group": "g", "version": "v1", "kind": "Kind"}),
        Property("olm.label", {"label": "certified"}),
        Property("olm.package.required", {"packageName": "red", "versionRange": ">1.0.0"}),
        Property("olm.constraint", {"not": {"constraints": [{"package": {"name": "red", "versionRange": "1.x"}}]}}),
        Property("olm.label.required", {"LABEL": "signed"}),
    ]
    stated = facts("held", properties)
    assert stated.packages == (("blue", None), ("green", PlainVersion((2, 0, 0))))
    assert str(stated.version) == "1.2.0"
    assert list(map(str, requirements(properties))) == [
        "package red in >1.0.0 (olm.package.required)",
        "none of (package red in 1.x) (olm.constraint)",
        "the label signed (olm.label.required)",
    ]
    with pytest.raises(UnreadableRequirementError):
        requirements([Property("olm.package.required", {"packageName": "red", "versionRange": ""})])
