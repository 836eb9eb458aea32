"""Why an extension gets its bundle, why not another, what would help, and what differs."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import attrs
import jsonschema
import pytest

import olmsolve
from olmsolve import RequestError, render, v1
from olmsolve.answers.extensions import PinInTurn
from olmsolve.catalog import fbc
from tests.extensions.notation import answer, bundle, bundles, catalog, channel, entry, request, ways

CHAIN = catalog(
    channel("c", entry("1.0.0"), entry("1.1.0", "1.0.0"), entry("2.0.0", "1.1.0")),
    channel("old", entry("1.0.0"), entry("1.1.0", "1.0.0")),
    *bundles("1.0.0", "1.1.0", "2.0.0"),
)
BLIND = catalog(
    channel("c", entry("1.0.0"), entry("1.1.0", "1.0.0"), entry("1.2.0", "1.0.0"), entry("2.0.0", "1.1.0")),
    *bundles("1.0.0", "1.1.0", "1.2.0", "2.0.0"),
)
NO_EDGE = catalog(channel("c", entry("1.0.0"), entry("3.0.0")), *bundles("1.0.0", "3.0.0"))


def fixes(extension_request: v1.ExtensionRequest) -> list[str]:
    return [str(fix) for fix in olmsolve.explanation(answer(extension_request)).extension_fixes or ()]


# -- ways out of failures


def test_updates_in_between_come_before_force() -> None:
    """The range asks for 2.x at once; updates lead there, so that SelfCertified is only the last resort."""
    extension_fixes = olmsolve.explanation(answer(request(CHAIN, installed="1.0.0", version="2.x"))).extension_fixes
    assert extension_fixes is not None
    assert [(type(fix.changes[0]).__name__, fix.bundles) for fix in extension_fixes] == [
        ("SetVersion", ("p.v1.1.0", "p.v2.0.0")),
        ("SetVersion", ("p.v1.1.0",)),
        ("SetVersion", ("p.v1.1.0", "p.v2.0.0")),
        ("ForceUpdate", ("p.v2.0.0",)),
    ]


def test_a_tie_is_broken_by_the_selector_or_by_priority() -> None:
    """Both ways are told, the extension's own field first."""
    texts = fixes(request(CHAIN, CHAIN, installed="1.0.0"))
    assert [text.split(" (")[0] for text in texts] == [
        "let the selector choose only catalog a",
        "let the selector choose only catalog b",
        "set priority of ClusterCatalog a to 1",
        "set priority of ClusterCatalog b to 1",
    ]


def test_a_change_of_priority_wakes_no_extension() -> None:
    """As recorded, the controller stays where it is until something else makes it look at the extension again."""
    failure = answer(request(CHAIN, CHAIN, installed="1.0.0"))
    extension_fixes = olmsolve.explanation(failure).extension_fixes
    assert extension_fixes is not None
    effects = {type(fix.changes[0]).__name__: fix.effect for fix in extension_fixes}
    assert effects["RaisePriority"].endswith(" once the extension is reconciled again, for example after an annotation")
    assert "once" not in effects["SelectCatalog"]


def test_typing_mistakes() -> None:
    """The similar name comes first."""
    content = catalog(channel("stable", entry("1.0.0")), channel("alpha", entry("1.0.0")), bundle("1.0.0"))
    assert fixes(request(content, channels=["stabel"]))[0] == "add stable to channels"
    blob = {"schema": "olm.package", "name": "keyring", "defaultChannel": ""}
    keyring = {**bundle("1.0.0"), "package": "keyring"}
    keyring["properties"] = [{"type": "olm.package", "value": {"packageName": "keyring", "version": "1.0.0"}}]
    assert fixes(request(fbc.from_blobs([blob, keyring]), package="keyrng")) == [
        "set packageName to keyring, in a new extension where this one is on a cluster: it never changes"
    ]


def test_a_refused_winner_is_avoided_by_the_version() -> None:
    """The best bundle that no check refuses is offered."""
    content = catalog(
        channel("c", entry("1.0.0"), entry("2.0.0", "1.0.0")), bundle("1.0.0"), bundle("2.0.0", "olm.constraint")
    )
    assert fixes(request(content)) == ['set version to "1.0.0"']


def test_an_unreadable_catalog_is_left_out_by_the_selector() -> None:
    """The failure of one catalog fails every extension that does not leave it out."""
    (fix_text,) = fixes(request(v1.ClusterCatalog("down", error="boom"), CHAIN))
    assert fix_text.startswith("let the selector choose only catalog b")


def test_catalogs_that_are_not_asked_can_be() -> None:
    """Two changes are needed where a catalog is both left out and unavailable."""
    away = v1.ClusterCatalog("away", CHAIN, {"tier": "2"}, available=False)
    (fix_text,) = fixes(request(away, selector=v1.LabelSelector({"tier": "1"})))
    assert fix_text.split(" (")[0] == "let the selector choose only catalog away"
    assert fix_text.endswith("set availabilityMode of ClusterCatalog away to Available")


def test_without_its_request_a_failure_has_no_fixes() -> None:
    """Pickling leaves the request behind; whoever has it gives it again."""
    extension_request = request(CHAIN, version="9.x")
    bare = pickle.loads(pickle.dumps(answer(extension_request)))  # noqa: S301
    assert olmsolve.explanation(bare).ways_out is None
    assert (
        olmsolve.explanation(bare, request=extension_request).ways_out
        == olmsolve.explanation(answer(extension_request)).ways_out
    )
    with pytest.raises(RequestError, match="not a request for an extension"):
        olmsolve.explanation(bare, request=olmsolve.Request(["n"], [], []))


def test_what_stays_is_explained_by_what_is_held_back() -> None:
    """There is an answer, and still a question: why not the newer one?"""
    explained = olmsolve.explanation(answer(request(CHAIN, installed="1.1.0", version="1.1.0")))
    assert explained.conflicts == ()
    assert explained.to_dict()["heldBack"][0]["because"] == "version"
    for text in (render.explanation_text(explained), render.explanation_html(explained)):
        assert "pinned to 1.1.0" in text
    assert r"pinned to 1.1.0" in render.explanation_markdown(explained)


# -- why not


def test_no_edge_and_force() -> None:
    """Forcing is the way out where no update leads there at all, and it is resolved."""
    extension_request = request(NO_EDGE, installed="1.0.0")
    reply = olmsolve.why_not(extension_request, version="3.0.0")
    assert reply.reason == "p.v3.0.0 (a): no update leads to it from p.v1.0.0"
    ((text, reached),) = ways(extension_request, version="3.0.0")
    # Without the pin it would jump to every later version, past all edges.
    assert text.startswith('set version to "3.0.0"; and set upgradeConstraintPolicy to SelfCertified')
    assert reached == ("p.v3.0.0",)


def test_a_blind_alley_is_avoided_by_pins() -> None:
    """OLM v1 would take 1.2.0, from which nothing leads on; a pin to 1.1.0 first leads to 2.0.0."""
    first, *_ = ways(request(BLIND, installed="1.0.0"), version="2.0.0")
    assert first == (
        "set version to 1.1.0, then to 2.0.0, each after the one before is installed",
        ("p.v1.1.0", "p.v2.0.0"),
    )


def test_pins_record_what_the_controller_records() -> None:
    """An empty release is recorded: without it, the build metadata would be read as the release."""
    blobs = [bundle(version) for version in ("1.0.0", "1.1.0", "1.2.0", "2.0.0")]
    blobs[1]["properties"][0]["value"] |= {"version": "1.1.0+3", "release": ""}
    entries = [entry("1.0.0"), entry("1.1.0", "1.0.0"), entry("1.2.0", "1.0.0"), entry("2.0.0", "1.1.0")]
    content = catalog(channel("c", *entries), *blobs)
    extension_request = attrs.evolve(request(content, installed="1.0.0"), release_support=True)
    first, *_ = olmsolve.why_not(extension_request, version="2.0.0").fixes
    (change,) = first.changes
    assert isinstance(change, PinInTurn)
    assert change.steps == (v1.InstalledBundle("p.v1.1.0", "1.1.0+3", ""), v1.InstalledBundle("p.v2.0.0", "2.0.0"))
    assert change.versions == ("1.1.0+3", "2.0.0")


def test_what_comes_by_itself_needs_no_change() -> None:
    """The verdict is a word of its own, because "impossible" would send people to work."""
    reply = olmsolve.why_not(request(CHAIN, installed="1.0.0"), version="2.0.0")
    assert (reply.verdict.value, reply.fixes) == ("later", ())
    assert "comes after p.v1.1.0" in reply.reason


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"version": "4.0.0"}, "package p has no bundle of version 4.0.0 in any visible catalog"),
        ({"channel": "fast"}, "package p has no channel fast in any visible catalog (it has c and old)"),
        ({"catalog": "z"}, "there is no visible catalog z (there is a)"),
    ],
)
def test_what_does_not_exist_is_named(wanted: dict[str, Any], sentence: str) -> None:
    """A question about nothing is answered by what there is."""
    reply = olmsolve.why_not(request(CHAIN), **wanted)
    assert (reply.verdict.value, reply.reason) == ("absent", sentence)


def test_what_is_selected_is_said_to_be() -> None:
    """The first installation is in the future; what is there stays."""
    assert olmsolve.why_not(request(CHAIN), version="2.0.0").reason == "p.v2.0.0 (a) will be installed"
    assert olmsolve.why_not(request(CHAIN, installed="2.0.0"), version="2.0.0").reason == "p.v2.0.0 (a) stays installed"
    with pytest.raises(RequestError, match="for package p, not q"):
        olmsolve.why_not(request(CHAIN), "q")
    with pytest.raises(RequestError, match="not a version"):
        olmsolve.why_not(request(CHAIN), version="banana")


def test_answers_keep_their_request() -> None:
    """A resolution, a failure and a request can all be asked."""
    extension_request = request(CHAIN, installed="1.1.0", version="1.1.0")
    failing = request(CHAIN, version="9.x")
    assert olmsolve.why_not(v1.resolve(extension_request)) == olmsolve.why_not(extension_request)
    failure = answer(failing)
    assert isinstance(failure, v1.ResolutionError)
    assert olmsolve.why_not(failure) == olmsolve.why_not(failing)
    bare = pickle.loads(pickle.dumps(v1.resolve(extension_request)))  # noqa: S301
    with pytest.raises(RequestError, match="has lost its request"):
        olmsolve.why_not(bare)
    assert olmsolve.why_not(bare, request=extension_request) == olmsolve.why_not(extension_request)


# -- why


def test_why_tells_filters_and_rules() -> None:
    """The wish, what the filters left, and each rule that decided."""
    older = v1.ClusterCatalog("b", NO_EDGE, priority=-1)
    reasons = olmsolve.why(request(CHAIN, older, installed="1.0.0", version="<2", channels=["c"]))
    assert reasons.left.split(", ") == [
        "catalog a has 3 of its bundles",
        "3 in the wanted channels",
        "2 in the range",
        "2 that are p.v1.0.0 or can follow it",
    ]
    assert [reasons.wish, *map(str, reasons.rules)] == [
        "the extension wants package p from channel c in version <2",
        "it has the highest version of the 2 bundles left",
        "its catalog has priority 0, a higher one than b",
    ]
    assert reasons.to_dict()["rules"][0]["rule"] == "highest-version"
    with pytest.raises(RequestError, match=r"does not get 'p\.v2\.0\.0'"):
        olmsolve.why(request(CHAIN, installed="1.0.0"), "p.v2.0.0")


# -- verbs that are for one generation, or for both


def test_what_is_held_back_is_one_verb() -> None:
    """Requests, resolutions and failures of extensions can all be asked."""
    stays, failing = request(CHAIN, installed="1.1.0", version="1.1.0"), request(CHAIN, version="9.x")
    assert olmsolve.held_back(v1.resolve(stays)) == olmsolve.held_back(stays) == v1.held_back(stays)
    failure = answer(failing)
    assert isinstance(failure, v1.ResolutionError)
    assert olmsolve.held_back(failure) == v1.held_back(failing)


def test_verbs_about_dependencies_refuse_extensions() -> None:
    """OLM v1 searches for nothing, so there is nothing to prove, and no semantics to compare."""
    extension_request: Any = request(CHAIN)
    with pytest.raises(RequestError, match="not an answer to a classic request"):
        olmsolve.certificate(v1.resolve(extension_request))  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="OLM v1 has one semantics"):
        olmsolve.compare_semantics(extension_request)


# -- diff


def test_differences_are_by_extension() -> None:
    """Several extensions on each side; one that only one side has becomes nothing."""
    today = [
        attrs.evolve(request(CHAIN, installed="1.0.0"), name="one"),
        attrs.evolve(request(CHAIN, version="9.x"), name="two"),
        attrs.evolve(request(CHAIN), name="three"),
    ]
    tomorrow = [
        attrs.evolve(request(CHAIN, installed="1.1.0"), name="one"),
        attrs.evolve(request(CHAIN, version="1.x"), name="two"),
    ]
    diff = olmsolve.diff(today, tomorrow)
    assert str(diff).split("\n") == [
        "one: p.v1.1.0 (a) becomes p.v2.0.0 (a)",
        "three: p.v2.0.0 (a) becomes nothing",
        'two: a failure (no bundles found for package "p" matching version "9.x") becomes p.v1.1.0 (a)',
    ]
    assert not olmsolve.diff(today[0], today[0])
    assert diff.to_dict()["changes"][1]["after"] is None
    with pytest.raises(RequestError, match="two requests are called"):
        olmsolve.diff([today[0], today[0]], today[0])
    with pytest.raises(RequestError, match="not a request for an extension"):
        olmsolve.diff(today, ["x"])  # type: ignore[list-item]
    with pytest.raises(RequestError, match="not a classic request"):
        olmsolve.diff(today[0], olmsolve.Request(["n"], [], []))  # type: ignore[misc]


def test_a_bundle_that_changes_its_version_alone_says_so() -> None:
    """Nobody learns anything from a bundle that becomes itself."""
    changed = {**bundle("1.0.1"), "name": "p.v1.0.0"}
    before, after = (catalog(channel("c", entry("1.0.0")), blob) for blob in (bundle("1.0.0"), changed))
    diff = olmsolve.diff(request(before), request(after))
    assert str(diff).endswith("p.v1.0.0 (a) in version 1.0.0 becomes p.v1.0.0 (a) in version 1.0.1")


# -- what people read


def test_texts(snapshot: Callable[[str, str], None]) -> None:
    """The answers as they are printed, one after the other."""
    ranged = request(CHAIN, installed="1.0.0", version="<2", channels=["c"])
    texts = [
        render.explanation_text(olmsolve.explanation(answer(request(CHAIN, installed="1.0.0", version="2.x")))),
        render.extension_why_text(olmsolve.why(ranged)),
        render.extension_why_not_text(olmsolve.why_not(ranged, version="2.0.0")),
        render.extension_why_not_text(olmsolve.why_not(request(CHAIN, NO_EDGE, installed="1.0.0"))),
        render.extension_diff_text(olmsolve.diff(ranged, request(CHAIN, installed="1.1.0"))),
    ]
    snapshot("extension-questions.txt", "\n\n--\n\n".join(texts))


def test_data_is_of_the_published_schema() -> None:
    """The same schema holds for explanations of both generations."""
    schema = render.json_schema("olmsolve.explanation")
    for extension_request in (request(CHAIN, installed="1.0.0", version="2.x"), request(CHAIN, version="1.x")):
        jsonschema.validate(olmsolve.explanation(answer(extension_request)).to_dict(), schema)


def test_pins_lead_to_a_bundle_that_another_catalog_has_as_well() -> None:
    """The other catalog has a shorter way to its own bundle of that name, which is not the one that is asked about."""

    def catalog(name: str, priority: int, *entries: dict[str, str]) -> v1.ClusterCatalog:
        blobs: list[dict[str, Any]] = [
            {"schema": "olm.package", "name": "p", "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": "p", "name": "stable", "entries": list(entries)},
        ]
        for listed in entries:
            value = {"packageName": "p", "version": listed["name"].removeprefix("p.v")}
            own = [{"type": "olm.package", "value": value}]
            blobs.append({"schema": "olm.bundle", "package": "p", "name": listed["name"], "properties": own})
        return v1.ClusterCatalog(name, fbc.from_blobs(blobs), priority=priority)

    first = catalog(
        "first",
        10,
        {"name": "p.v1.0.0"},
        {"name": "p.v2.0.0", "replaces": "p.v1.0.0"},
        {"name": "p.v2.5.0", "replaces": "p.v1.0.0"},
        {"name": "p.v3.0.0", "replaces": "p.v2.0.0"},
    )
    other = catalog("other", 0, {"name": "p.v3.0.0", "replaces": "p.v1.0.0"})
    installed = v1.InstalledBundle("p.v1.0.0", "1.0.0")
    request = v1.ExtensionRequest(v1.Extension("p"), [first, other], installed)
    answer = olmsolve.why_not(request, version="3.0.0", catalog="first")
    texts = [str(fix) for fix in answer.fixes]
    assert "set version to 2.0.0, then to 3.0.0, each after the one before is installed" in texts


DEPRECATED = {
    "schema": "olm.deprecations",
    "package": "p",
    "entries": [{"reference": {"schema": "olm.bundle", "name": "p.v1.0.0"}, "message": "old"}],
}
ONE = catalog(channel("c", entry("1.0.0")), bundle("1.0.0"))
OLD = catalog(channel("c", entry("1.0.0")), bundle("1.0.0"), DEPRECATED)
RULES: dict[str, tuple[v1.ExtensionRequest, list[str]]] = {
    "one bundle": (request(ONE), ["it is the only bundle that the filters leave"]),
    "several bundles": (request(CHAIN), ["it has the highest version of the 3 bundles left"]),
    "deprecated ones": (
        request(catalog(channel("c", entry("1.0.0"), entry("1.1.0", "1.0.0")), *bundles("1.0.0", "1.1.0"), DEPRECATED)),
        ["the filters leave deprecated bundles too, which come after it (1)"],
    ),
    "another catalog without it": (
        request(ONE, CHAIN, version="2.x"),
        ["it is the only bundle that the filters leave", "no other catalog has a bundle left"],
    ),
    "a deprecated one elsewhere": (
        request(OLD, ONE),
        ["it is the only bundle that the filters leave", "the best bundles of a are deprecated"],
    ),
    "a catalog of lower priority": (
        request(v1.ClusterCatalog("high", ONE, priority=2), CHAIN),
        ["it is the only bundle that the filters leave", "its catalog has priority 2, a higher one than b"],
    ),
    "two catalogs of lower priority": (
        request(v1.ClusterCatalog("high", ONE, priority=2), CHAIN, ONE),
        ["it is the only bundle that the filters leave", "its catalog has priority 2, a higher one than b and c"],
    ),
}


@pytest.mark.parametrize(("extension_request", "rules"), RULES.values(), ids=list(RULES))
def test_each_rule_is_told_where_it_decides(extension_request: v1.ExtensionRequest, rules: list[str]) -> None:
    """Filters first, then deprecation, then the version; between catalogs deprecation, then priority."""
    assert [str(rule) for rule in olmsolve.why(extension_request).rules] == rules


@pytest.mark.parametrize(
    ("installed", "heading"),
    [
        ("", "p.v1.0.0 (a) will be installed because:"),
        ("1.0.0", "p.v1.0.0 (a) stays because:"),
    ],
)
def test_a_text_says_what_becomes_of_what_is_installed(installed: str, heading: str) -> None:
    """Nothing is told as done before it is."""
    text = render.extension_why_text(olmsolve.why(request(ONE, installed=installed)))
    assert text.splitlines()[0] == heading
    first_line = render.extension_why_text(olmsolve.why(request(CHAIN, installed="1.1.0"))).splitlines()[0]
    assert first_line == "p.v2.0.0 (a) will replace p.v1.1.0 because:"


REFUSED = catalog(
    channel("c", entry("1.0.0"), entry("2.0.0", "1.0.0")), bundle("1.0.0"), bundle("2.0.0", "olm.constraint")
)
CONSTRAINED = (
    'bundle "p.v2.0.0" has a dependency declared via property "olm.constraint" which is currently not supported'
)
WHY_NOT: dict[str, tuple[v1.ExtensionRequest, str, list[str], bool]] = {
    # What is asked, about which version; the paragraphs of the answer, and whether ways to the bundle follow.
    "selected": (request(CHAIN), "2.0.0", ["p.v2.0.0 (a) will be installed."], False),
    "selected in one of two catalogs": (
        request(v1.ClusterCatalog("x", CHAIN, priority=1), CHAIN),
        "2.0.0",
        [
            "p.v2.0.0 (x) will be installed.",
            "Other bundles that the question is about:\n  p.v2.0.0 (b): catalog b has priority 0, and x has 1",
        ],
        False,
    ),
    "absent": (request(CHAIN), "9.0.0", ["package p has no bundle of version 9.0.0 in any visible catalog."], False),
    "later": (
        request(CHAIN, installed="1.0.0"),
        "2.0.0",
        ["p.v2.0.0 (a): comes after p.v1.1.0, one update at a time."],
        False,
    ),
    "behind": (
        request(CHAIN, installed="2.0.0"),
        "1.0.0",
        [
            "p.v1.0.0 (a): no update leads to it from p.v2.0.0.",
            "To get p.v1.0.0, each way confirmed by resolving again:",
        ],
        True,
    ),
    "refused": (
        request(REFUSED),
        "2.0.0",
        [
            f"p.v2.0.0 (a): refused: {CONSTRAINED}.",
            "None of the changes that were tried leads to it.",
        ],
        False,
    ),
}


@pytest.mark.parametrize(
    ("extension_request", "version", "paragraphs", "ways_follow"), WHY_NOT.values(), ids=list(WHY_NOT)
)
def test_an_answer_ends_with_what_can_be_done(
    extension_request: v1.ExtensionRequest, version: str, paragraphs: list[str], ways_follow: bool
) -> None:
    """A bundle that comes by itself, or that there is not, needs no way; one without a way says so."""
    text = render.extension_why_not_text(olmsolve.why_not(extension_request, version=version), width=200)
    parts = text.split("\n\n")
    assert parts[: len(paragraphs)] == paragraphs
    assert (len(parts) > len(paragraphs)) == ways_follow
