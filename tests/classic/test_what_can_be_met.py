"""A "not" that nothing can break holds from the start, so it depends on what exactly can be selected."""

from __future__ import annotations

from typing import Any

import attrs

from olmsolve import Never, Request, Semantics, resolve
from olmsolve.classic import ClassicProblem
from olmsolve.predicates import parse_constraint
from olmsolve.testing import classic_request

Document = dict[str, Any]


def _bundle(name: str, version: str, *properties: Document) -> Document:
    package = {"type": "olm.package", "value": {"packageName": name[0], "version": version}}
    return {"schema": "olm.bundle", "package": name[0], "name": name, "properties": [package, *properties]}


def _channel(package: str, *entries: Document) -> Document:
    return {"schema": "olm.channel", "package": package, "name": "stable", "entries": entries}


HELPER_OR_NO_BLUE: Document = {
    "type": "olm.constraint",
    "value": {
        "failureMessage": "wants a helper, or no blue",
        "any": {
            "constraints": [
                {"failureMessage": "helper", "package": {"packageName": "h", "versionRange": ">=0.0.0"}},
                {
                    "failureMessage": "no blue",
                    "not": {"constraints": [{"package": {"packageName": "b", "versionRange": ">=0.0.0"}}]},
                },
            ]
        },
    },
}
CATALOG: list[Document] = [
    _bundle("a.v1", "1.0.0", HELPER_OR_NO_BLUE),
    _channel("a", {"name": "a.v1"}),
    _bundle("h.v1", "1.0.0"),
    _channel("h", {"name": "h.v1"}),
    _bundle("b.v1", "1.0.0"),
    _bundle("b.v2", "2.0.0"),
    _channel("b", {"name": "b.v1"}),
]
DEPRECATED: Document = {"type": "olm.deprecated", "value": {}}
BLUE = parse_constraint({"package": {"packageName": "b", "versionRange": ">=0.0.0"}})


def _request(blobs: list[Document], *wishes: Document, **more: Any) -> Request:
    subscriptions = [{"name": wish["package"], "namespace": "ns"} | wish for wish in wishes]
    catalog = {"name": "cat", "namespace": "ns", "blobs": blobs}
    return classic_request({"namespaces": ["ns"], "catalogs": [catalog], "subscriptions": subscriptions, **more})


def _installed(request: Request) -> list[str]:
    return sorted(install.name for install in resolve(request, semantics="documented").installs)


def _can_be_met(request: Request) -> bool:
    return ClassicProblem.of_request(request, Semantics.DOCUMENTED).can_be_met(BLUE)


def test_a_not_that_nothing_can_break_wants_no_helper() -> None:
    """The request has a helper only where something blue could come beside it."""
    no_blue = CATALOG[:4]
    assert _installed(_request(no_blue, {"package": "a"})) == ["a.v1"]
    assert _installed(_request(CATALOG, {"package": "a"})) == ["a.v1", "h.v1"]


def test_deprecated_bundles_break_no_not() -> None:
    """A deprecated bundle cannot be selected, so its package meets nothing."""
    deprecated = [*CATALOG[:4], _bundle("b.v1", "1.0.0", DEPRECATED), CATALOG[-1]]
    assert not _can_be_met(_request(deprecated, {"package": "a"}))
    assert _installed(_request(deprecated, {"package": "a"})) == ["a.v1"]


def test_refused_bundles_break_no_not() -> None:
    """A bundle that a system constraint refuses cannot be selected either."""
    request = attrs.evolve(
        _request(CATALOG, {"package": "a"}),
        eligibility=(lambda candidate: "no blue here" if candidate.package == "b" else "",),
    )
    assert not _can_be_met(request)
    assert _installed(request) == ["a.v1"]


def test_a_skipped_bundle_breaks_a_not_if_a_subscription_names_it() -> None:
    """No requirement can select a skipped entry, but ``startingCSV`` can."""
    only_skipped = [*CATALOG[:4], CATALOG[4], _channel("b", {"name": "x.v9", "skips": ["b.v1"]}, {"name": "b.v1"})]
    only_skipped.append(_bundle("x.v9", "9.0.0", DEPRECATED) | {"package": "b"})
    assert not _can_be_met(_request(only_skipped, {"package": "a"}))
    named = {"package": "b", "channel": "stable", "startingCSV": "b.v1"}
    assert _can_be_met(_request(only_skipped, {"package": "a"}, named))


def test_an_installed_operator_breaks_a_not() -> None:
    """It may stay beside whatever is installed."""
    properties = [{"type": "olm.package", "value": {"packageName": "b", "version": "1.0.0"}}]
    operator = {"name": "b.v1", "version": "1.0.0", "properties": properties}
    assert _can_be_met(_request(CATALOG[:4], {"package": "a"}, installed=[operator]))


def test_only_bundles_that_a_house_rule_forbids_break_no_not() -> None:
    """A rule about something else leaves the blue bundle as it was."""
    request = _request(CATALOG, {"package": "a"})
    forbidden = attrs.evolve(request, house_rules=[Never("b", name="no blue here")])
    assert not _can_be_met(forbidden)
    assert _installed(forbidden) == ["a.v1"]
    assert _can_be_met(attrs.evolve(request, house_rules=[Never("elsewhere", name="x")]))
