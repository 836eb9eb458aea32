"""Why nothing is happening: newer bundles that plans leave aside, and whether the reasons given are the reasons."""

from __future__ import annotations

import contextlib
import functools
import pickle
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve import (
    CatalogError,
    HeldBackBundle,
    HeldBackOperator,
    Request,
    Resolution,
    Semantics,
    Unsatisfiable,
    catalog_of,
    package,
    request_for,
)
from olmsolve.answers.held_back import ObstacleKind
from olmsolve.catalog import namespace_and_name
from olmsolve.eligibility import CandidateFacts
from olmsolve.errors import Incomplete, RequestError, VersionError
from olmsolve.render import held_back_markdown, held_back_text, why_not_text
from olmsolve.semver import Version
from tests.recorded import VENDORED, records, request_of
from tests.scale import sampled
from tests.scenarios.notation import request_document
from tests.yaml_files import yaml_documents

SCENARIOS = yaml_documents(Path(__file__).parent / "scenarios.yaml")


def answer_to(scenario: dict[str, Any]) -> Resolution | Unsatisfiable:
    request = olmsolve.read_request(request_document(scenario))
    assert isinstance(request, Request)
    try:
        return olmsolve.resolve(request, semantics=scenario.get("semantics", "documented"))
    except Unsatisfiable as failure:
        return failure


def as_written(operator: HeldBackOperator) -> list[Any]:
    """Return what is held back as the scenarios write it."""
    return [
        text
        for newer in operator.newer
        for text in (str(newer.candidate), *([o.kind.value, str(o)] for o in newer.obstacles))
    ]


@pytest.mark.parametrize("scenario", [pytest.param(scenario, id=scenario["name"]) for scenario in SCENARIOS])
def test_scenario(scenario: dict[str, Any]) -> None:
    """The scenario's own sentence says why."""
    texts = {operator.subscription: as_written(operator) for operator in olmsolve.held_back(answer_to(scenario))}
    assert texts == scenario["heldBack"], scenario["why"]


def named(name: str) -> dict[str, Any]:
    return next(scenario for scenario in SCENARIOS if scenario["name"] == name)


def test_text() -> None:
    """A few lines for a person: who has what, and what is newer; nothing at all where nothing is."""
    operators = olmsolve.held_back(answer_to(named("channel-and-dependency")))
    assert held_back_text(operators, width=100).splitlines() == [
        "Held back:",
        "  subscription app has app.v1.0.0 (installed)",
        "    app.v2.0.0 (fast, olm/main): in channel fast, and the subscription names channel stable; it",
        "        requires the API keys.example.com/v1/Cluster, which no bundle provides",
    ]
    assert held_back_text(()) == ""
    many = held_back_text(operators * 50)
    assert many.splitlines()[-1] == "  ... and 30 subscriptions more"


def test_markdown() -> None:
    """The same for a review: a list for each subscription, and nothing at all where nothing is held back."""
    operators = olmsolve.held_back(answer_to(named("channel-and-dependency")))
    assert held_back_markdown(operators).splitlines() == [
        *("## Held back", "", "- subscription app has app.v1.0.0 (installed)"),
        f"  - {operators[0].newer[0]}",
    ]
    assert str(operators[0].newer[0]).startswith("app.v2.0.0 (fast, olm/main): in channel fast, and the subscription")
    assert held_back_markdown(()) == ""
    assert held_back_markdown(operators * 50).splitlines()[-1] == "- ... and 30 subscriptions more"


def test_data() -> None:
    """Programs read which bundle, why in one word, and each obstacle by itself."""
    (operator,) = olmsolve.held_back(answer_to(named("another-channel")))
    clause = "in channel fast, and the subscription names channel stable"
    assert operator.to_dict() == {
        "subscription": "app",
        "candidate": {
            "name": "app.v1.0.0",
            "package": "app",
            "channel": "stable",
            "catalog": "olm/main",
            "version": "1.0.0",
        },
        "heldBack": [
            {
                "bundle": "app.v2.0.0",
                "version": "2.0.0",
                "channel": "fast",
                "catalog": "olm/main",
                "because": "channel",
                "text": f"app.v2.0.0 (fast, olm/main): {clause}",
                "obstacles": [{"kind": "channel", "text": clause}],
            }
        ],
    }


def test_why_not_answers_for_what_stays() -> None:
    """Asked why a package is not newer, "it is in the plan" is no answer."""
    plan = answer_to(named("no-edge"))
    assert isinstance(plan, Resolution)
    answer = olmsolve.why_not(plan, "app")
    text = why_not_text(answer, width=200)
    assert "app.v1.0.0 (installed) is in the plan." in text
    assert "app.v3.0.0 (stable, olm/main): no update leads to it from app.v1.0.0 in channel stable" in text
    assert answer.to_dict()["heldBack"][0]["because"] == "edge"
    assert olmsolve.why_not(plan, "app", version="1.0.0").newer == ()


def test_a_pickled_answer_needs_its_request() -> None:
    """Answers leave their requests behind when they are pickled, as for every other question."""
    scenario = named("another-channel")
    plan = answer_to(scenario)
    copy = pickle.loads(pickle.dumps(plan))  # noqa: S301 - our own bytes
    with pytest.raises(RequestError, match="give it as request="):
        olmsolve.held_back(copy)
    request = olmsolve.read_request(request_document(scenario))
    assert isinstance(request, Request)
    assert olmsolve.held_back(copy, request=request) == olmsolve.held_back(plan)


def many(count: int, newest: str) -> Resolution:
    """Return a plan of *count* subscriptions to channel stable, with *newest* of each package in channel fast."""
    packages = {
        f"app{number:03}": {
            "channels": {"stable": f"app{number:03}.v2.0.0", "fast": f"app{number:03}.{newest}"},
            "bundles": {f"app{number:03}.{newest}": [{"needs-package": "base >=1.0.0"}]},
        }
        for number in range(count)
    }
    packages["base"] = {"channels": {"stable": "base.v1.0.0"}, "bundles": {}}
    wishes = [{"package": name, "channel": "stable"} for name in packages]
    plan = answer_to({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": wishes})
    assert isinstance(plan, Resolution)
    return plan


def test_nothing_is_solved_where_nothing_is_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The question is put with every plan, so it may cost next to nothing where the answer is no."""
    plan = many(30, "v1.0.0")
    monkeypatch.setattr("olmsolve.answers.rerunning.solve", None)
    assert olmsolve.held_back(plan) == ()


def test_a_bundle_that_fits_is_not_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of subscriptions with a newer channel must not solve the whole request once for each."""
    plan = many(30, "v3.0.0")
    monkeypatch.setattr("olmsolve.answers.held_back.obstacle_finder.solve", None)
    assert len(olmsolve.held_back(plan)) == 30


LIFTED = {ObstacleKind.CATALOG, ObstacleKind.CHANNEL, ObstacleKind.PIN, ObstacleKind.OUTRANKED}
"""What goes away when a subscription names the bundle's channel and catalog, comes first, and may have no other."""


@functools.cache
def plans(semantics: Semantics) -> Sequence[tuple[str, Request, Resolution]]:
    """Return the plans of a sixth of the recorded requests; the short run takes an eighteenth."""
    planned: list[tuple[str, Request, Resolution]] = []
    for record in sampled(records(VENDORED / "classic_random.jsonl.gz")[::6], 3):
        request = request_of(record)
        with contextlib.suppress(Unsatisfiable, CatalogError):
            planned.append((record["name"], request, olmsolve.resolve(request, semantics=semantics)))
    return planned


def only(newer: HeldBackBundle, facts: CandidateFacts) -> str:
    """Refuse the other bundles of the package."""
    wanted = newer.candidate
    if facts.package != wanted.package or (facts.name, facts.catalog) == (wanted.name, wanted.catalog):
        return ""
    return "another one is wanted"


def lifted(request: Request, subscription: str, newer: HeldBackBundle) -> Request:
    """Return *request* in which *subscription* comes first and asks for this bundle's channel and catalog."""
    namespace, source = namespace_and_name(newer.candidate.catalog)
    wish = next(other for other in request.subscriptions if other.name == subscription)
    others = [other for other in request.subscriptions if other != wish]
    wish = attrs.evolve(
        wish, channel=newer.candidate.channel, source=source, source_namespace=namespace, starting_csv=""
    )
    return attrs.evolve(
        request, subscriptions=[wish, *others], eligibility=[*request.eligibility, lambda facts: only(newer, facts)]
    )


def selects(request: Request, newer: HeldBackBundle, semantics: Semantics) -> bool:
    try:
        plan = olmsolve.resolve(request, semantics=semantics)
    except (Unsatisfiable, CatalogError):
        return False
    return any(
        (install.name, install.catalog) == (newer.candidate.name, newer.candidate.catalog) for install in plan.installs
    )


@pytest.mark.parametrize("semantics", list(Semantics))
def test_obstacles_are_the_obstacles(semantics: Semantics) -> None:
    """With what is told about a subscription lifted, the bundle is selected; while anything else is told, it is not."""
    kinds: set[ObstacleKind] = set()
    for name, request, plan in plans(semantics):
        for operator in olmsolve.held_back(plan):
            for newer in operator.newer:
                kinds_of_newer = {obstacle.kind for obstacle in newer.obstacles}
                kinds |= kinds_of_newer
                changed = lifted(request, operator.subscription, newer)
                assert selects(changed, newer, semantics) == (kinds_of_newer <= LIFTED), (
                    name,
                    operator.subscription,
                    str(newer),
                )
    assert kinds >= {ObstacleKind.CATALOG, ObstacleKind.CHANNEL, ObstacleKind.EDGE, ObstacleKind.IMPOSSIBLE}


def versions(request: Request, package: str) -> list[Version]:
    """The versions of *package* in the catalogs that the request sees, from their properties."""
    known: list[Version] = []
    for source in request.sources:
        there = source.catalog.packages.get(package)
        if source.namespace not in request.namespaces or there is None:
            continue
        named = {entry.name for channel in there.channels.values() for entry in channel.entries}
        for bundle in there.bundles.values():
            if bundle.name in named:
                known += [
                    version
                    for property_ in bundle.properties
                    if property_.type == "olm.package"
                    and (version := parsed(str(property_.value["version"]))) is not None
                ]
    return known


def parsed(text: str) -> Version | None:
    try:
        return Version.parse(text)
    except VersionError:
        return None


def test_nothing_newer_is_forgotten() -> None:
    """Each subscription that gets less than the newest version of its package is told, and no other is."""
    for name, request, plan in plans(Semantics.DOCUMENTED):
        owners = request.owners()
        versions_after = {owners[kept.name].name: kept.version for kept in plan.kept if kept.name in owners}
        versions_after |= {
            wanted.subscription: install.version for install in plan.installs for wanted in install.wanted_by
        }
        expected = set()
        for wish in request.subscriptions:
            have = parsed(versions_after[wish.name])
            if have is not None and any(version > have for version in versions(request, wish.package)):
                expected.add(wish.name)
        subscriptions = {operator.subscription for operator in olmsolve.held_back(plan)}
        assert subscriptions >= expected, name
        assert all(parsed(versions_after[name]) is None for name in subscriptions - expected), name


def compound(count: int) -> Resolution:
    """Return a plan of *count* subscriptions whose bundles each have a compound requirement, the newer ones too."""
    needs = [
        {
            "constraint": {
                "failureMessage": "needs a base",
                "any": {
                    "constraints": [
                        {"package": {"packageName": "base", "versionRange": ">=1.0.0"}},
                        {"not": {"constraints": [{"package": {"packageName": "rival", "versionRange": ">=1.0.0"}}]}},
                    ]
                },
            }
        }
    ]
    packages: dict[str, Any] = {}
    for number in range(count):
        name = f"app{number:03}"
        packages[name] = {
            "channels": {"stable": f"{name}.v1.0.0", "fast": f"{name}.v2.0.0"},
            "bundles": {f"{name}.v1.0.0": needs, f"{name}.v2.0.0": needs},
        }
    wishes = [{"package": name, "channel": "stable"} for name in packages]
    packages["base"] = {"channels": {"stable": "base.v1.0.0"}}
    plan = answer_to({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": wishes})
    assert isinstance(plan, Resolution)
    return plan


def test_compound_requirements_that_the_plan_meets_are_not_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compound requirement of every bundle must not make the time quadratic."""
    plan = compound(20)
    monkeypatch.setattr("olmsolve.answers.held_back.obstacle_finder.solve", None)
    assert len(olmsolve.held_back(plan)) == 20


NAMES = ("a", "b", "c", "d", "e")


def any_constraint(random: Random, depth: int = 2) -> dict[str, Any]:
    """Return a constraint on the packages NAMES, compound down to *depth*."""
    kind = random.choice(["any", "all", "not", "package"]) if depth else "package"
    if kind == "package":
        wanted = random.choice([">=1.0.0", "<2.0.0", ">=2.0.0"])
        return {"package": {"packageName": random.choice(NAMES), "versionRange": wanted}}
    return {kind: {"constraints": [any_constraint(random, depth - 1) for _ in range(random.randint(1, 2))]}}


def any_request(random: Random) -> dict[str, Any]:
    """Return a scenario in which half of the bundles have a compound requirement, and each package a newer channel."""
    packages: dict[str, Any] = {}
    for name in NAMES:
        channels = {"stable": f"{name}.v1.0.0", "fast": f"{name}.v2.0.0"}
        bundles = {
            bundle: [{"constraint": {"failureMessage": "needed", **any_constraint(random)}}]
            for bundle in channels.values()
            if random.random() < 0.5
        }
        packages[name] = {"channels": channels, "bundles": bundles}
    wishes = [{"package": name, "channel": "stable"} for name in random.sample(NAMES, random.randint(1, 3))]
    return {"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": wishes}


def test_a_timeout_ends_the_search_for_obstacles() -> None:
    """Callers who limit the time get told that it was not enough, as with every other verb."""
    plan = answer_to(named("channel-and-dependency"))
    with pytest.raises(Incomplete):
        olmsolve.held_back(plan, timeout=1e-9)
    with pytest.raises(Incomplete):
        olmsolve.explanation(plan, timeout=1e-9)
    assert olmsolve.held_back(plan, timeout=600) == olmsolve.held_back(plan)
    with pytest.raises(RequestError):
        olmsolve.held_back(plan, timeout=0)


def test_a_request_that_nobody_resolved() -> None:
    """OLM v1 takes a request here, so people try: the error says what to do."""
    with pytest.raises(RequestError, match=r"a classic request is not an answer \(resolve it: held_back"):
        olmsolve.held_back(Request(["ns"], [], []))  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("scheme", "old", "current", "newer"),
    [
        ("calendar", "9.10", "24.4", "24.10"),
        ("calendar", "2026-10-02", "2026-11-01", "2026-11-28"),
        ("pep440", "2.4rc1", "2.4", "2.4.post1"),
        ("pep440", "3.0", "2024.1", "1!1.0"),
    ],
)
def test_versions_follow_the_scheme_of_their_catalog(scheme: str, old: str, current: str, newer: str) -> None:
    """What is newer is newer by the scheme: for the bundle of a plan, and for an installed operator."""
    catalog = catalog_of(
        package("torch").channel("stable", f"{old} < {current}").channel("fast", f"{current} < {newer}"), scheme=scheme
    )
    elsewhere = f"torch.v{newer} (fast, olm/catalog)"
    for installed in ("", f"torch.v{current}", f"torch.v{old}"):
        request = request_for(catalog, "torch@stable", installed=installed or ())
        (operator,) = olmsolve.held_back(olmsolve.resolve(request))
        assert as_written(operator)[:2] == [
            elsewhere,
            ["channel", "in channel fast, and the subscription names channel stable"],
        ]
        assert len(operator.newer) == 1
    newest = request_for(catalog, "torch@fast", installed=f"torch.v{newer}")
    assert olmsolve.held_back(olmsolve.resolve(newest)) == ()


def test_a_failure_holds_back_by_the_scheme() -> None:
    """An operator that stays because nothing is resolved misses its next update, and only newer bundles count."""
    chain = "9.10 < 24.4 < 24.10"
    catalog = catalog_of(
        package("torch").channel("stable", chain),
        package("app").channel("stable", "1.1").requires("nothing"),
        scheme="calendar",
    )
    request = request_for(catalog, "torch", "app", installed="torch.v24.4")
    with pytest.raises(Unsatisfiable) as failure:
        olmsolve.resolve(request)
    (operator,) = olmsolve.held_back(failure.value)
    assert [bundle.candidate.version for bundle in operator.newer] == ["24.10"]


def test_an_update_is_held_back_by_the_scheme() -> None:
    """The channel has a newer bundle, which is an update away from the operator: calendar versions, read as such."""
    catalog = catalog_of(
        package("torch").channel("stable", "9.10 < 24.4 < 24.10").requires("keys", at="24.4"),
        package("keys").channel("stable", "1.1"),
        scheme="calendar",
    )
    (operator,) = olmsolve.held_back(olmsolve.resolve(request_for(catalog, "torch", installed="torch.v9.10")))
    later = ["later", "updates lead to it in 2 steps, the next to torch.v24.4"]
    assert as_written(operator) == ["torch.v24.10 (stable, olm/catalog)", later]
