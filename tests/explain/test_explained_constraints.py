"""Explanations of compound constraints: what a ``not`` rules out, and which message is of which part."""

from __future__ import annotations

import re
from typing import Any

import pytest

import olmsolve
from olmsolve import Request
from olmsolve.render import explanation_text
from tests.explain.requests import failure_of, request_from


def test_what_must_not_be_beside_it_is_ruled_out() -> None:
    """A "not" is met by what is absent, so "which no bundle provides" reads as its opposite."""
    no_blue = {"not": {"constraints": [{"package": {"packageName": "blue", "versionRange": "<2.0.0"}}]}}
    packages = {
        "red": {"channels": {"stable": "red.v1.0.0"}, "bundles": {"red.v1.0.0": [{"constraint": no_blue}]}},
        "blue": {"channels": {"stable": "blue.v1.0.0"}},
    }
    failure = failure_of(
        request_from(
            {
                "catalogs": {"olm/main": {"packages": packages}},
                "subscriptions": [{"package": "red"}, {"package": "blue"}],
            }
        )
    )
    assert "no bundle" not in str(failure)
    assert (
        "red.v1.0.0 (stable, olm/main) excludes package blue in <2.0.0, which rules out blue.v1.0.0 (stable, olm/main)"
    ) in str(failure)


def _package(name: str, versions: str, message: str = "") -> dict[str, Any]:
    constraint: dict[str, Any] = {"package": {"packageName": name, "versionRange": versions}}
    return {**constraint, "failureMessage": message} if message else constraint


def _none_of(*parts: dict[str, Any], message: str = "") -> dict[str, Any]:
    constraint: dict[str, Any] = {"not": {"constraints": list(parts)}}
    return {**constraint, "failureMessage": message} if message else constraint


RULE, GREEN, BLUE_BELOW_2 = "properties.exists(p, p.type == 'x')", "package green in >=1.0.0", "package blue in <2.0.0"
LABEL = {"cel": {"rule": RULE}}
BLUE, PINK = _package("blue", "<2.0.0"), _package("pink", "<2.0.0")


@pytest.mark.parametrize(
    ("constraint", "sentence"),
    [
        (_none_of(BLUE), "excludes package blue in <2.0.0, which rules out blue.v1.0.0"),
        (_none_of(BLUE, PINK), "excludes package blue in <2.0.0 or package pink in <2.0.0, which rules out"),
        (
            _none_of(BLUE, LABEL),
            f"excludes {BLUE_BELOW_2} or a bundle with properties that satisfy {RULE}, which rules out",
        ),
        (
            _none_of({"any": {"constraints": [BLUE, PINK]}}),
            "excludes any of (package blue in <2.0.0; package pink in <2.0.0), which rules out",
        ),
        # Not without green: it needs green.
        (
            _none_of(_none_of(_package("green", ">=1.0.0"))),
            "requires package green in >=1.0.0, which no bundle provides",
        ),
        (
            _none_of(_none_of(_package("green", ">=1.0.0"), _package("lime", ">=1.0.0"))),
            "requires any of (package green in >=1.0.0; package lime in >=1.0.0), which no bundle provides",
        ),
        (
            {"all": {"constraints": [_package("grey", ">=1.0.0"), _none_of(BLUE)]}},
            "requires all of (package grey in >=1.0.0; none of (package blue in <2.0.0)), which rules out",
        ),
        (
            {"any": {"constraints": [_package("green", ">=1.0.0"), _none_of(BLUE)]}},
            f"requires any of ({GREEN}; none of ({BLUE_BELOW_2})), and no bundle provides {GREEN}, and the rest rules",
        ),
    ],
)
def test_a_not_says_what_must_be_absent(constraint: dict[str, Any], sentence: str) -> None:
    """ "requires none of x" can be read as "does not require x": what must not be there needs a verb of its own."""
    failure = failure_of(_red_beside_blue(constraint))
    text = " ".join(explanation_text(olmsolve.explanation(failure), width=4000).split())
    assert f"red.v1.0.0 (stable, olm/main) {sentence}" in re.sub(r"\[\d+\] ", "", text)
    said_by_core, _, _ = sentence.partition(
        ", which rules" if sentence.startswith("requires all") else ", and the rest"
    )
    assert f"red.v1.0.0 (stable, olm/main) {said_by_core}" in str(failure)


def test_the_controller_looks_for_another_bundle() -> None:
    """It takes ``not`` for a bundle that it wants, and brings one in: the plan must not hide that."""
    plan = olmsolve.resolve(_red_beside_blue(_none_of(_package("red", ">=0.0.0"))), semantics="controller")
    (brought,) = (party for install in plan.installs for party in install.wanted_by if party.bundle)
    assert str(brought) == "red.v1.0.0, which requires a bundle that matches none of (package red in >=0.0.0)"


def _red_beside_blue(constraint: dict[str, Any]) -> Request:
    packages = {
        "red": {"channels": {"stable": "red.v1.0.0"}, "bundles": {"red.v1.0.0": [{"constraint": constraint}]}},
        "blue": {"channels": {"stable": "blue.v1.0.0"}},
        "grey": {"channels": {"stable": "grey.v1.0.0"}},
    }
    wishes = [{"package": "red"}, {"package": "blue"}]
    return request_from({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": wishes})


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (
            {"all": {"constraints": [_package("grey", ">=1.0.0", "grey"), _none_of(BLUE, message="no blue")]}},
            "no blue",
        ),
        (
            _none_of(_package("blue", "<2.0.0", "blue"), _package("pink", "<2.0.0", "pink"), message="alone"),
            "alone; blue",
        ),
        (
            {"any": {"constraints": [_package("green", ">=1.0.0", "green"), _none_of(BLUE, message="no blue")]}},
            "green; no blue",
        ),
    ],
)
def test_messages_are_of_what_breaks_a_not(constraint: dict[str, Any], message: str) -> None:
    """In the core and in the explanation alike: what an author says of parts that are met misleads."""
    failure = failure_of(_red_beside_blue(constraint))
    assert f"[{message}]" in str(failure)
    assert f"its author says: {message}\n" in explanation_text(olmsolve.explanation(failure), width=300)


@pytest.mark.parametrize("kind", ["all", "any"])
def test_messages_are_of_the_parts_that_fail(kind: str) -> None:
    """A failureMessage about a database sends people looking for one, although it is the cache that is missing."""
    parts = [
        {"package": {"packageName": "db", "versionRange": ">=1.0.0"}, "failureMessage": "a database is needed"},
        {"package": {"packageName": "cache", "versionRange": ">=1.0.0"}, "failureMessage": "a cache is needed"},
    ]
    packages: dict[str, Any] = {
        "app": {
            "channels": {"stable": "app.v1.0.0"},
            "bundles": {"app.v1.0.0": [{"constraint": {"all": {"constraints": parts}, "failureMessage": "stores"}}]},
        },
        "db": {"channels": {"stable": "db.v1.0.0"}},
    }
    if kind == "any":
        nested = {"any": {"constraints": [parts[1], {**parts[1], "failureMessage": "or another cache"}]}}
        packages["app"]["bundles"] = {"app.v1.0.0": [{"constraint": {"all": {"constraints": [parts[0], nested]}}}]}
    request = request_from({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [{"package": "app"}]})
    failure = failure_of(request)
    text = f"{failure}\n{explanation_text(olmsolve.explanation(failure), width=300)}"
    assert "a database is needed" not in text
    assert text.count("a cache is needed") == 2
