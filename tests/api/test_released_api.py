"""The public API changes only together with CHANGELOG.md, which names what has changed."""

from __future__ import annotations

import importlib
import re

import pytest

from olmsolve import __version__
from olmsolve._public import public_names
from tests.api.changes import CHANGELOG, RELEASED, Change, changes, released, unnamed, unreleased
from tests.api.extraction import public_api
from tests.architecture.wings import PUBLIC_DOORS

_ADVICE = """\
CHANGELOG.md does not name these changes of the public API under "## Unreleased":

{changes}

Write there what changes for users, with each name in backticks; `Resolver.resolve` stands for a method. Was the change
no intention, undo it. `python -m tests.api` lists all changes since the last release."""


def test_every_change_of_the_public_api_is_in_the_changelog() -> None:
    """Whoever updates reads the changelog, and nobody remembers each name that a release has changed."""
    missing = unnamed(changes(released(), public_api()), unreleased(CHANGELOG.read_text("utf-8")))
    if missing:
        pytest.fail(_ADVICE.format(changes="\n".join(map(str, missing))), pytrace=False)


def test_the_released_api_is_that_of_the_latest_version_of_the_changelog() -> None:
    """A release writes all three in one commit: the version, its notes and its API."""
    (latest, *_) = re.findall(r"^## (\d\S*)", CHANGELOG.read_text("utf-8"), re.MULTILINE)
    assert latest == __version__
    assert RELEASED.read_text("utf-8").startswith(f"# The public API of olmsolve {__version__},")


BEFORE = {"o.f": "(a)", "o.C": "class", "o.C.m": "(self)", "o.r": "module", "o.r.g": "()", "o.K": "class"}


@pytest.mark.parametrize(
    ("after", "notes", "missing"),
    [
        ({}, "", []),
        ({"o.f": "(a, b)"}, "", ["o.f"]),
        ({"o.f": "(a, b)"}, "- `f(b=...)` is new.", []),
        ({"o.f": "(a, b)"}, "- f has another argument, as has `g`.", ["o.f"]),
        ({"o.C.m": "(self, x)"}, "- `C.m` takes `x`.", []),
        ({"o.D": "class", "o.D.m": "(self)"}, "- `olmsolve.D` is new.", []),
        ({"o.D": "class", "o.D.m": "(self)"}, "", ["o.D"]),
        ({"o.K": None}, "", ["o.K"]),
        ({"o.r": None, "o.r.g": None}, "- The room `r` is gone.", []),
        ({"o.C.__init__": "(self, x)"}, "- `C` takes `x`.", []),
    ],
)
def test_what_counts_as_named(after: dict[str, str | None], notes: str, missing: list[str]) -> None:
    """A name in backticks is enough, and a class or room stands for what it has: lines of notes stay sentences."""
    now = {path: text for path, text in {**BEFORE, **after}.items() if text is not None}
    assert [change.path for change in unnamed(changes(BEFORE, now), notes)] == missing


def test_a_change_is_told_with_both_signatures() -> None:
    """Whoever sees the failure must find out what changed without a tool."""
    assert str(Change("o.f", "(a)", "(a, b)")) == "changed  o.f\n    was (a)\n    is  (a, b)"
    assert str(Change("o.g", None, "()")) == "new      o.g: ()"
    assert str(Change("o.g", "()", None)) == "gone     o.g: ()"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("olmsolve.Property", "class, attrs.frozen"),
        ("olmsolve.Property.type", "str"),
        ("olmsolve.Subscription.channel", "str = ''"),
        ("olmsolve.catalog.migrated", "(blob: Mapping[str, Any]) -> dict[str, Any]"),
        ("olmsolve.catalog.Catalog", "olmsolve.Catalog"),
        ("olmsolve.Semantics.CONTROLLER", "= 'controller'"),
        ("olmsolve.Subscription.catalog", "(self) -> str, property"),
        ("olmsolve.testing.synthetic", "module"),
        ("olmsolve.v1.NoBundlesError.to_dict", "(self) -> dict[str, Any]"),
    ],
)
def test_the_released_api_holds_names_of_every_kind(path: str, text: str) -> None:
    """What is left out can change unnoticed: classes, fields, defaults, doors, members, properties, inheritance."""
    assert public_api()[path] == text


def test_every_public_name_is_held() -> None:
    """The source is read here; what a program can import is what counts."""
    for door in PUBLIC_DOORS:
        for name in public_names(door):
            assert hasattr(importlib.import_module(door), name), f"{door}.{name}"
            assert f"{door}.{name}" in public_api(), f"{door}.{name}"
