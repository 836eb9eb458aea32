"""The properties that are requirements, and their order."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any

import pytest

from olmsolve.errors import ConstraintError
from olmsolve.predicates import (
    GVK,
    HasLabel,
    InPackage,
    Property,
    ProvidesGVK,
    Requirement,
    required,
    requirements,
)
from olmsolve.semver import BlangRange

API = {"group": "g", "version": "v1", "kind": "K"}
RANGE = {"packageName": "a", "versionRange": ">=1.0.0"}


def test_order_is_that_of_the_properties() -> None:
    """Preference follows it, so it may not depend on the kind of requirement."""
    properties = (
        Property("olm.label.required", {"label": "l"}),
        Property("olm.package", {"packageName": "p", "version": "1.0.0"}),
        Property("olm.constraint", {"gvk": API, "failureMessage": "needs K"}),
        Property("olm.package.required", RANGE),
        Property("olm.gvk.required", API),
        Property("olm.maxOpenShiftVersion", "4.9"),
    )
    gvk = GVK("g", "v1", "K")
    expected = (
        Requirement(HasLabel("l"), "olm.label.required", 0),
        Requirement(ProvidesGVK(gvk, message="needs K"), "olm.constraint", 2),
        Requirement(InPackage("a", BlangRange.parse(">=1.0.0")), "olm.package.required", 3),
        Requirement(ProvidesGVK(gvk), "olm.gvk.required", 4),
    )
    parsed = requirements(properties)
    assert parsed == expected
    assert [item.message for item in parsed] == ["", "needs K", "", ""]
    assert str(parsed[2]) == "package a in >=1.0.0 (olm.package.required)"


@pytest.mark.parametrize(
    ("type_", "value", "path"),
    [
        (
            "olm.package.required",
            {**RANGE, "versionRange": "~1"},
            "properties[1] (olm.package.required): versionRange",
        ),
        ("olm.package.required", {"packageName": "a"}, "properties[1] (olm.package.required): versionRange"),
        ("olm.package.required", "a", "properties[1] (olm.package.required)"),
        ("olm.gvk.required", {**API, "kind": 1}, "properties[1] (olm.gvk.required): kind"),
        ("olm.label.required", {"label": []}, "properties[1] (olm.label.required): label"),
        ("olm.constraint", '{"gvk": {}}', "properties[1] (olm.constraint)"),
        ("olm.constraint", {}, "properties[1] (olm.constraint)"),
        ("olm.constraint", {"cel": {"rule": "("}}, "properties[1] (olm.constraint): cel.rule"),
    ],
)
def test_faults_are_found_by_property(type_: str, value: Any, path: str) -> None:
    """A bundle can have hundreds of properties."""
    with pytest.raises(ConstraintError) as caught:
        requirements((Property("olm.gvk.required", API), Property(type_, value)))
    assert caught.value.path == path


def test_a_value_alone_is_the_first_property() -> None:
    """Paths of a value that no bundle holds begin with property 0."""
    with pytest.raises(ConstraintError) as caught:
        required("olm.label.required", {"label": 1})
    assert caught.value.path == "properties[0] (olm.label.required): label"


def test_fields_that_olm_ignores_are_ignored() -> None:
    """Only olm.constraint is decoded strictly; catalogs in use have such extras."""
    properties = (Property("olm.gvk.required", {**API, "plural": "ks"}),)
    assert requirements(properties)[0].predicate == ProvidesGVK(GVK("g", "v1", "K"))


def test_pickles_hash_alike_under_another_hash_seed() -> None:
    """Hashes are remembered in the objects, and must not travel to processes that hash strings otherwise."""
    parsed = requirements((Property("olm.constraint", {"any": {"constraints": [{"gvk": API}]}}),))
    code = (
        "import attrs, pickle, sys; (r,) = pickle.load(sys.stdin.buffer);"
        "print(hash(r) == hash(attrs.evolve(r)), hash(r.predicate) == hash(attrs.evolve(r.predicate)))"
    )
    hash(parsed[0])
    result = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(parsed),
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "12345"},
    )
    assert result.stdout.split() == [b"True", b"True"]
