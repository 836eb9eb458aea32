"""Explanations as values: where they come from, what bounds them, and that nothing but the request decides them."""

from __future__ import annotations

import hashlib
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve import Explanation, Incomplete, Request, RequestError, Unsatisfiable, v1
from olmsolve.answers.explain import NodeKind, NoteKind, conflicts
from olmsolve.answers.rerunning import RestrictedProblem
from olmsolve.answers.wording import similar_names
from olmsolve.catalog import UnreadableSource
from olmsolve.classic import ClassicProblem, Semantics
from olmsolve.cluster.eligibility import NothingMayAct, SupportsTargets, WorksOnKubernetes
from olmsolve.cluster.operator_groups.reasons import NO_GROUP, SEVERAL_GROUPS
from olmsolve.eligibility import Eligibility
from olmsolve.render import explanation_html, explanation_markdown, explanation_mermaid, explanation_text, why_not_text
from olmsolve.solver import Core, Solution, solve
from olmsolve.solver.backends import DEFAULT
from tests.recorded import VENDORED, Record, records, request_of
from tests.scale import LONG, sampled, scaled
from tests.scenarios.notation import request_document

Snapshot = Callable[[str, str], None]

EXAMPLE = "olmsolve/examples/unsatisfiable.yaml"


def request_from(scenario: dict[str, Any]) -> Request:
    request = olmsolve.read_request(request_document(scenario))
    assert isinstance(request, Request)
    return request


def failure_of(request: Request) -> Unsatisfiable:
    with pytest.raises(Unsatisfiable) as failed:
        olmsolve.resolve(request)
    return failed.value


def example() -> Request:
    request = olmsolve.read_request(Path(__file__).parents[2] / EXAMPLE)
    assert isinstance(request, Request)
    return request


def chain(length: int) -> Request:
    """A chain of packages, each of which requires the next; the last requires one that does not exist."""
    names = [f"p{number:04}" for number in range(length)]
    packages = {
        name: {
            "channels": {"stable": f"{name}.v1.0.0"},
            "bundles": {f"{name}.v1.0.0": [{"needs-package": f"{following} >=1.0.0"}]},
        }
        for name, following in zip(names, [*names[1:], "gone"], strict=True)
    }
    return request_from({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [{"package": names[0]}]})


def wide(count: int) -> Request:
    """One package, each version of which requires another package that does not exist."""
    versions = [f"app.v1.{number}.0" for number in range(count)]
    package = {
        "channels": {"stable": " > ".join(reversed(versions))},
        "bundles": {name: [{"needs-label": f"label{number}"}] for number, name in enumerate(versions)},
    }
    return request_from(
        {"catalogs": {"olm/main": {"packages": {"app": package}}}, "subscriptions": [{"package": "app"}]}
    )


def test_a_pickled_failure_needs_its_request_again() -> None:
    """An error is pickled without its catalogs; the message says what to give instead."""
    request = example()
    failure = failure_of(request)
    copy = pickle.loads(pickle.dumps(failure))  # noqa: S301 - our own bytes
    assert len(pickle.dumps(failure)) < 10_000
    with pytest.raises(RequestError, match="give it as request="):
        olmsolve.explanation(copy)
    assert olmsolve.explanation(copy, request=request) == olmsolve.explanation(failure)


def test_the_semantics_travel_with_a_failure() -> None:
    """An explanation keeps the semantics of the failed call instead of the default ones."""
    with pytest.raises(Unsatisfiable) as failed:
        olmsolve.resolve(example(), semantics="controller")
    copy = pickle.loads(pickle.dumps(failed.value))  # noqa: S301 - our own bytes
    assert olmsolve.explanation(failed.value).semantics == "controller"
    assert olmsolve.explanation(copy, request=example()).semantics == "controller"


def test_what_has_a_plan_has_no_explanation() -> None:
    """A changed request that has a plan has nothing to explain, even if an old failure is given with it."""
    request = example()
    failure = failure_of(request)
    fixes = olmsolve.explanation(failure).fixes
    assert fixes
    with pytest.raises(RequestError, match="has a solution"):
        olmsolve.explanation(failure, request=fixes[0].request)


def test_other_errors_are_not_explained() -> None:
    """Only a failure with a request behind it can be explained."""
    with pytest.raises(RequestError, match="does not say what was asked"):
        olmsolve.explanation(olmsolve.CatalogError("cannot be read"))


def test_fixes_are_bounded_by_counts() -> None:
    """Counts, not seconds, so that a slow machine says the same."""
    failure = failure_of(example())
    whole = olmsolve.explanation(failure).fixes
    assert whole is not None
    assert olmsolve.explanation(failure, fixes=0).fixes is None
    assert olmsolve.explanation(failure, fixes=1).fixes == whole[:1]
    cut = olmsolve.explanation(failure, tries=1)
    assert cut.exhausted
    assert cut.fixes is not None
    assert len(cut.fixes) <= 1


def test_a_timeout_ends_the_search() -> None:
    """A short timeout leaves the conflicts without fixes, or raises Incomplete if even these took too long."""
    failure = failure_of(example())
    cut = olmsolve.explanation(failure, timeout=1e-9)
    assert (cut.fixes, cut.exhausted) == ((), True)
    assert cut.conflicts == olmsolve.explanation(failure).conflicts
    copy = pickle.loads(pickle.dumps(failure))  # noqa: S301 - our own bytes
    with pytest.raises(Incomplete):
        olmsolve.explanation(copy, request=example(), timeout=1e-9)
    assert olmsolve.explanation(failure, timeout=600) == olmsolve.explanation(failure)


def test_deep_chains_are_whole_as_data_and_short_as_text() -> None:
    """Nothing recurses, and nobody reads eight hundred lines."""
    explanation = olmsolve.explanation(failure_of(chain(800)), fixes=0)
    (conflict,) = explanation.conflicts
    assert sum(node.kind is NodeKind.BUNDLES for node in conflict.nodes) == 800
    assert len(explanation.to_dict()["conflicts"][0]["nodes"]) == 1601
    shown = explanation_text(explanation)
    assert "793 more bundles, each required by the one before" in shown
    assert "p0799.v1.0.0" in shown
    assert len(shown.splitlines()) < 40


def test_wide_trees_end_with_how_much_more_there_is() -> None:
    """Text has an end; the data has everything."""
    explanation = olmsolve.explanation(failure_of(wide(400)), fixes=0)
    assert len(explanation.conflicts[0].nodes) == 801
    shown = explanation_text(explanation)
    assert re.search(r"\.\.\. and \d+ more facts; the JSON form has all of them", shown)
    assert len(shown.splitlines()) < 200


def test_near_misses_are_looked_for_in_bounds() -> None:
    """Hundreds of missing packages and rules, over thousands of skipped entries, may not take minutes."""
    versions = [f"app.v1.{number}.0" for number in range(300)]
    rule = 'properties.exists(p, p.type == "t" && p.value == {})'
    asks = [
        {"needs-package": f"gone{number} >=1.0.0"}
        if number % 2
        else {"constraint": {"cel": {"rule": rule.format(number)}}}
        for number in range(300)
    ]
    skipping: list[dict[str, Any]] = [{"name": f"web.v1.{number}.0"} for number in range(2000)]
    skipping[-1]["skips"] = [entry["name"] for entry in skipping[:-1]]
    packages = {
        "app": {
            "channels": {"stable": " > ".join(reversed(versions))},
            "bundles": dict(zip(versions, [[a] for a in asks], strict=True)),
        },
        "web": {"channels": {"stable": skipping}},
        **{f"goner{number}": {"channels": {"stable": f"goner{number}.v1.0.0"}} for number in range(300)},
    }
    request = request_from({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [{"package": "app"}]})
    explanation = olmsolve.explanation(failure_of(request), fixes=0)
    notes = [note for node in explanation.conflicts[0].nodes for note in node.notes]
    assert sum(bool(note.names) for note in notes) == 20
    assert sum(note.kind is NoteKind.SIMILAR_NAME for note in notes) == 150


def test_many_alike_are_one_statement() -> None:
    """Four hundred versions that lack the same thing are one line."""
    versions = [f"app.v1.{number}.0" for number in range(400)]
    package = {
        "channels": {"stable": " > ".join(reversed(versions))},
        "bundles": {name: [{"needs-label": "fast"}] for name in versions},
    }
    request = request_from(
        {"catalogs": {"olm/main": {"packages": {"app": package}}}, "subscriptions": [{"package": "app"}]}
    )
    explanation = olmsolve.explanation(failure_of(request))
    assert len(explanation.conflicts[0].nodes) == 3
    assert "app 1.0.0 to 1.399.0 (400 bundles; stable, olm/main) requires the label fast" in explanation_text(
        explanation, width=200
    )


def test_every_node_has_its_origin() -> None:
    """A reader goes from the sentence to the line of the file."""
    for conflict in olmsolve.explanation(failure_of(example())).conflicts:
        for node in conflict.nodes:
            assert node.locations, node
            if node.kind is NodeKind.REQUIREMENT:
                assert all(re.match(r".+:\d+$|.+, document \d+$", place.origin) for place in node.locations)
                assert all(place.field.startswith("properties[") for place in node.locations)


def test_colour_adds_nothing_but_colour() -> None:
    """Text for a pipe and text for a terminal say the same."""
    explanation = olmsolve.explanation(failure_of(example()))
    coloured = explanation_text(explanation, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[\d*m", "", coloured) == explanation_text(explanation)


@pytest.mark.parametrize("width", [30, 60, 120])
def test_lines_keep_to_the_width(width: int) -> None:
    """Only names that are longer than a line may stand out, and names are not broken."""
    for line in explanation_text(olmsolve.explanation(failure_of(example())), width=width).splitlines():
        assert len(line) <= width or len(line.split()[-1]) > width - 25, line


def test_names_from_a_catalog_cannot_command_anything() -> None:
    """Names and messages are written by strangers: no terminal, Markdown or mermaid may obey them."""
    message = 'x\x1b[2J</b>"];\n  click n1 "javascript:alert(1)"\n# heading'
    constraint = {"failureMessage": message, "cel": {"rule": 'properties.exists(p, p.type == "x")'}}
    request = request_from(
        {
            "catalogs": {
                "olm/main": {
                    "packages": {
                        "app": {
                            "channels": {"st[a](b)": "app.v1.0.0"},
                            "bundles": {"app.v1.0.0": [{"constraint": constraint}]},
                        }
                    }
                }
            },
            "subscriptions": [{"package": "app"}],
        }
    )
    explanation = olmsolve.explanation(failure_of(request))
    assert all(line.isprintable() for line in explanation_text(explanation).split("\n"))
    assert "\\[a\\](b)" in explanation_markdown(explanation)
    assert "\n# heading" not in explanation_markdown(explanation)
    drawn = explanation_mermaid(explanation)
    assert "</b>" not in drawn
    assert not any(line.strip().startswith("click") for line in drawn.splitlines())


def test_markdown_and_mermaid(snapshot: Snapshot) -> None:
    """Both are read by people, in tickets and in documentation."""
    explanation = olmsolve.explanation(failure_of(example()))
    snapshot("explanations/example.md", explanation_markdown(explanation).rstrip("\n"))
    snapshot("explanations/example.mmd", explanation_mermaid(explanation).rstrip("\n"))


def test_failures_of_v1() -> None:
    """The other resolver's failures are explained by the same verb, from the funnels that they carry."""
    document = {
        "extension": {"packageName": "app", "version": ">=2.0.0"},
        "catalogs": request_document(
            {"catalogs": {"olm/main": {"packages": {"app": {"channels": {"stable": "app.v1.0.0"}}}}}}
        )["catalogs"],
    }
    for catalog in document["catalogs"]:
        catalog.pop("namespace")
    with pytest.raises(v1.ResolutionError) as failed:
        olmsolve.resolve(olmsolve.read_extension_request(document))
    explanation = olmsolve.explanation(failed.value)
    (conflict,) = explanation.conflicts
    assert conflict.statement == str(failed.value)
    assert [node.statement for node in conflict.nodes] == [
        "catalog main has 1 bundle of the package, 1 in a wanted channel, none in the wanted range"
    ]
    assert [str(note) for note in conflict.nodes[0].notes] == ["closest version below the range: 1.0.0"]
    assert "none in the wanted range" in explanation_text(explanation, width=200)


_DIGEST = """
import json, sys
sys.path.insert(0, sys.argv[1])
from tests.explain.test_explanations import digest
print(digest(json.load(sys.stdin)))
"""


def digest(found: Sequence[Record]) -> str:
    """Return a fingerprint of explanations, as text and as data, of the recorded requests *found*."""
    said = hashlib.sha256()
    for record in found:
        try:
            olmsolve.resolve(request_of(record))
        except Unsatisfiable as failure:
            explanation = olmsolve.explanation(failure)
            said.update(
                f"{explanation_text(explanation)}{explanation.to_dict()}{explanation_mermaid(explanation)}".encode()
            )
        except olmsolve.CatalogError:
            pass
    return said.hexdigest()


@pytest.mark.parametrize("seed", ["0", "4242"] if LONG else ["4242"])
def test_hash_seed_changes_nothing(seed: str) -> None:
    """Strings hash differently in every process, in this one too; explanations may not."""
    found = records(VENDORED / "classic_random.jsonl.gz")[:: 100 if LONG else 200]
    run = subprocess.run(
        [sys.executable, "-c", _DIGEST, str(Path(__file__).parents[2])],
        env={"PYTHONHASHSEED": seed, "PATH": ""},
        input=json.dumps(found),
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == digest(found)


def test_nothing_to_explain() -> None:
    """The command takes any request, also one with a plan."""
    assert explanation_text(Explanation(())) == "This request can be satisfied: there is nothing to explain."
    assert explanation_markdown(Explanation(())) == "This request can be satisfied: there is nothing to explain.\n"


def unreadable(policy: str) -> Request:
    """A request over a catalog that can be read and one that cannot."""
    app = {"channels": {"stable": "app.v1.0.0"}, "bundles": {"app.v1.0.0": [{"needs-label": "fast"}]}}
    request = request_from(
        {
            "catalogs": {"olm/main": {"packages": {"app": app, "web": {"channels": {"stable": "web.v1.0.0"}}}}},
            "subscriptions": [{"package": "web"}] if policy == "strict" else [{"package": "app"}],
        }
    )
    broken = UnreadableSource("broken", "olm", 0, "connection refused")
    return attrs.evolve(request, unreadable=[broken], health_policy=policy)


def test_a_catalog_that_cannot_be_read() -> None:
    """OLM resolves nothing then, which says nothing about the subscriptions; deleting the catalog is the way out."""
    explanation = olmsolve.explanation(failure_of(unreadable("strict")))
    assert [conflict.statement for conflict in explanation.conflicts] == ["catalog olm/broken cannot be read"]
    assert [node.kind for node in explanation.conflicts[0].nodes] == [NodeKind.UNREADABLE]
    assert "connection refused" in explanation_text(explanation, width=200)
    assert explanation.fixes is not None
    assert [str(fix) for fix in explanation.fixes] == ["delete catalog olm/broken, which cannot be read"]


def test_a_catalog_that_cannot_be_read_beside_a_conflict() -> None:
    """If the catalog might have helped, both conflicts are listed, and deleting it alone is not offered as a fix."""
    explanation = olmsolve.explanation(failure_of(unreadable("referenced")))
    statements = [conflict.statement for conflict in explanation.conflicts]
    assert statements == ["catalog olm/broken cannot be read", "subscription app cannot be served"]
    assert explanation.fixes is not None
    assert [str(fix) for fix in explanation.fixes] == ["delete subscription app"]


@pytest.mark.parametrize("policy", ["strict", "referenced", "ignore"])
def test_a_subscription_to_a_catalog_that_cannot_be_read_has_one_cause(policy: str) -> None:
    """The catalog is there and cannot be read; that it "is not visible" would be a second cause, and wrong."""
    request = unreadable(policy)
    wish = attrs.evolve(request.subscriptions[0], source="broken", source_namespace="olm")
    explanation = olmsolve.explanation(failure_of(attrs.evolve(request, subscriptions=[wish])))
    assert [conflict.statement for conflict in explanation.conflicts] == ["catalog olm/broken cannot be read"]
    assert "not visible" not in explanation_text(explanation)


def test_what_must_not_be_beside_it_is_ruled_out() -> None:
    """A "not" is met by what is absent, so "which nothing gives" reads as its opposite."""
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
    assert "nothing gives" not in str(failure)
    assert (
        "red.v1.0.0 (stable, olm/main) must not be beside package blue in <2.0.0, which rules out "
        "blue.v1.0.0 (stable, olm/main)"
    ) in str(failure)


def _package(name: str, versions: str, message: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {"package": {"packageName": name, "versionRange": versions}}
    return {**found, "failureMessage": message} if message else found


def _none_of(*parts: dict[str, Any], message: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {"not": {"constraints": list(parts)}}
    return {**found, "failureMessage": message} if message else found


RULE, GREEN, BLUE_BELOW_2 = "properties.exists(p, p.type == 'x')", "package green in >=1.0.0", "package blue in <2.0.0"
LABEL = {"cel": {"rule": RULE}}
BLUE, PINK = _package("blue", "<2.0.0"), _package("pink", "<2.0.0")


@pytest.mark.parametrize(
    ("constraint", "told"),
    [
        (_none_of(BLUE), "must not be beside package blue in <2.0.0, which rules out blue.v1.0.0"),
        (_none_of(BLUE, PINK), "must not be beside package blue in <2.0.0 or package pink in <2.0.0, which rules out"),
        (
            _none_of(BLUE, LABEL),
            f"must not be beside {BLUE_BELOW_2} or a bundle with properties that satisfy {RULE}, which rules out",
        ),
        (
            _none_of({"any": {"constraints": [BLUE, PINK]}}),
            "must not be beside any of (package blue in <2.0.0; package pink in <2.0.0), which rules out",
        ),
        # Not without green: it needs green.
        (_none_of(_none_of(_package("green", ">=1.0.0"))), "requires package green in >=1.0.0, which nothing gives"),
        (
            _none_of(_none_of(_package("green", ">=1.0.0"), _package("lime", ">=1.0.0"))),
            "requires any of (package green in >=1.0.0; package lime in >=1.0.0), which nothing gives",
        ),
        (
            {"all": {"constraints": [_package("grey", ">=1.0.0"), _none_of(BLUE)]}},
            "requires all of (package grey in >=1.0.0; none of (package blue in <2.0.0)), which rules out",
        ),
        (
            {"any": {"constraints": [_package("green", ">=1.0.0"), _none_of(BLUE)]}},
            f"requires any of ({GREEN}; none of ({BLUE_BELOW_2})), of which nothing gives {GREEN}, and the rest rules",
        ),
    ],
)
def test_a_not_says_what_must_be_absent(constraint: dict[str, Any], told: str) -> None:
    """ "requires none of x" can be read as "does not require x": what must not be there needs a verb of its own."""
    failure = failure_of(_red_beside_blue(constraint))
    text = " ".join(explanation_text(olmsolve.explanation(failure), width=4000).split())
    assert f"red.v1.0.0 (stable, olm/main) {told}" in re.sub(r"\[\d+\] ", "", text)
    said_by_core, _, _ = told.partition(", which rules" if told.startswith("requires all") else ", and the rest")
    assert f"red.v1.0.0 (stable, olm/main) {said_by_core}" in str(failure)


def test_the_controller_looks_for_another_bundle() -> None:
    """It takes ``not`` for a bundle that it wants, and brings one in: the plan must not hide that."""
    plan = olmsolve.resolve(_red_beside_blue(_none_of(_package("red", ">=0.0.0"))), semantics="controller")
    (brought,) = (each for install in plan.installs for each in install.wanted_by if each.bundle)
    assert str(brought) == "red.v1.0.0, which requires a bundle that is none of (package red in >=0.0.0)"


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
    said = f"{failure}\n{explanation_text(olmsolve.explanation(failure), width=300)}"
    assert "a database is needed" not in said
    assert said.count("a cache is needed") == 2


def test_what_the_cluster_refuses() -> None:
    """A system constraint refuses bundles for a reason of its own, which appears like any other."""
    versions = [f"app.v1.{number}.0" for number in range(3)]
    package = {"channels": {"stable": " > ".join(reversed(versions))}}
    request = request_from(
        {"catalogs": {"olm/main": {"packages": {"app": package}}}, "subscriptions": [{"package": "app"}]}
    )
    request = attrs.evolve(request, eligibility=[lambda candidate: "it needs Kubernetes 1.30.0"])
    explanation = olmsolve.explanation(failure_of(request))
    assert [node.kind for node in explanation.conflicts[0].nodes] == [
        NodeKind.SUBSCRIPTION,
        NodeKind.BUNDLES,
        NodeKind.REFUSED,
    ]
    said = explanation_text(explanation, width=200)
    assert "app 1.0.0 to 1.2.0 (3 bundles; stable, olm/main) may not be selected here: it needs Kubernetes" in said


def test_similar_names_are_similar_in_what_they_say() -> None:
    """Nearly all packages are called "...-operator"; that must not make unlike names alike, nor huge ones slow."""
    known = ["ecr-secret-operator", "ruptura-operator", "postgres-operator", "postgresql", "operator", "x" * 100_000]
    assert similar_names("crunchy-postgres-operator", known) == ("postgres-operator", "postgresql")
    assert similar_names("storfront", ["storefront", "cache"]) == ("storefront",)
    assert similar_names("y" * 100_000, known) == ()
    assert similar_names("operators", known)[0] == "operator"


def test_a_missing_provider_may_be_in_another_catalog() -> None:
    """Deleting the subscription is the only change that is proved, and seldom what anybody wants; so the rest is said.

    Nothing of the kind where another catalog cannot help: nothing is in an empty range, and two conflict anyway.
    """
    hint = "Or add a catalog that has what nothing gives here; olmsolve explain --known NAME=PATH tries one."
    missing = olmsolve.explanation(failure_of(wide(3)))
    assert explanation_text(missing, width=120).splitlines()[-1] == hint
    assert hint in explanation_markdown(missing)
    assert hint in explanation_html(missing)
    assert hint not in explanation_text(olmsolve.explanation(failure_of(wide(3)), fixes=0), width=120)
    assert hint not in explanation_text(olmsolve.explanation(failure_of(example())), width=120)
    empty = {"channels": {"stable": "app.v1.0.0"}, "bundles": {"app.v1.0.0": [{"needs-package": "app >2.0.0 <1.0.0"}]}}
    never = request_from(
        {"catalogs": {"olm/main": {"packages": {"app": empty}}}, "subscriptions": [{"package": "app"}]}
    )
    assert hint not in explanation_text(olmsolve.explanation(failure_of(never)), width=120)


def lacking(count: int, *, interleaved: bool = False) -> Request:
    """Subscriptions each of which lacks a provider; if *interleaved*, pairs of them exclude each other as well."""
    packages = {
        f"app{number:03}": {
            "channels": {"stable": f"app{number:03}.v1.0.0"},
            "bundles": {
                f"app{number:03}.v1.0.0": [{"provides": f"keys.example.com/v1/Kind{number // 2}"}]
                if interleaved and number % 4 < 2
                else [{"needs-package": f"gone{number:03} >=1.0.0"}]
            },
        }
        for number in range(count)
    }
    return request_from(
        {"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [{"package": name} for name in packages]}
    )


def test_many_conflicts_are_told_in_the_order_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search in parts saves time; people must read the same, in the same order, as from a search in the whole."""
    failures = [failure_of(lacking(16)), failure_of(lacking(18, interleaved=True))]
    for failure in failures:
        in_parts = olmsolve.explanation(failure, fixes=0)
        with monkeypatch.context() as patched:
            patched.setattr(conflicts, "_FEW", 10_000)
            assert olmsolve.explanation(failure, fixes=0) == in_parts
        assert len(in_parts.conflicts) >= 13


def test_recorded_conflicts_are_the_same_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """On recorded requests, which share dependencies in every way, the parts give the same conflicts as well.

    The long run takes one request in three, the short run one in nine.
    """
    several = 0
    for record in sampled(records(VENDORED / "classic_random.jsonl.gz")[::3], 3):
        problem = ClassicProblem.of(request_of(record), Semantics.DOCUMENTED)
        whole = conflicts.conflicting(problem, (), backend=DEFAULT)
        with monkeypatch.context() as patched:
            patched.setattr(conflicts, "_FEW", 0)
            # Branches of formulas are told apart by identity, so the values are compared by what they say.
            assert repr(conflicts.conflicting(problem, (), backend=DEFAULT)) == repr(whole), record["name"]
        several += len(whole) > 2
    assert several > scaled(10, 3)


def test_a_thousand_failures_take_no_search_of_the_whole_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each search is as small as its conflict: the time must grow with the failures, not with their cube."""
    roots: list[int] = []

    def counting(problem: RestrictedProblem, **how: Any) -> Solution | Core:
        roots.append(len(problem.roots))
        return solve(problem, **how)

    failure = failure_of(lacking(60))
    monkeypatch.setattr("olmsolve.answers.explain.conflicts.solve", counting)
    assert len(olmsolve.explanation(failure, fixes=0).conflicts) == 60
    assert sum(roots) <= 2 * 60


def refused_by(*constraints: Eligibility, modes: tuple[str, ...] = ("OwnNamespace",), kube: str = "") -> Request:
    """A request for an operator with these install modes, in namespace team of a cluster with these *constraints*."""
    supported = [{"type": mode, "supported": True} for mode in modes]
    metadata = {"type": "olm.csv.metadata", "value": {"installModes": supported, "minKubeVersion": kube}}
    versions = [f"app.v1.{number}.0" for number in range(3)]
    package = {
        "channels": {"stable": " > ".join(reversed(versions))},
        "bundles": {version: [metadata] for version in versions},
    }
    request = request_from(
        {"catalogs": {"olm/main": {"packages": {"app": package}}}, "subscriptions": [{"package": "app"}]}
    )
    return attrs.evolve(request, eligibility=constraints)


@pytest.mark.parametrize(
    ("request_", "remedy"),
    [
        (refused_by(SupportsTargets("team", ("",))), "let the operator group of team target team alone"),
        (
            refused_by(SupportsTargets("team", ("team",)), modes=("AllNamespaces",)),
            "let the operator group of team target all namespaces",
        ),
        (
            refused_by(NothingMayAct(NO_GROUP, "team")),
            "create an operator group in namespace team that targets team alone",
        ),
        (refused_by(WorksOnKubernetes("1.28.0"), kube="1.30.0"), "update the cluster to Kubernetes 1.30.0"),
    ],
)
def test_the_cluster_is_the_remedy_where_it_is_the_cause(request_: Request, remedy: str) -> None:
    """Where the operator group or the cluster's version refuses all versions, deleting the wish is the last resort."""
    explanation = olmsolve.explanation(failure_of(request_))
    assert explanation.fixes is not None
    assert [str(fix) for fix in explanation.fixes] == [remedy, "delete subscription app"]
    assert [install.name for install in explanation.fixes[0].resolution.installs] == ["app.v1.2.0"]
    (change,) = explanation.fixes[0].to_dict()["changes"]
    assert change == {"kind": "ChangeCluster", "text": remedy, "remedy": remedy}


def test_several_groups_have_no_remedy_that_can_be_tried() -> None:
    """Which of several operator groups should stay is not for a tool to say."""
    explanation = olmsolve.explanation(failure_of(refused_by(NothingMayAct(SEVERAL_GROUPS, "team"))))
    assert explanation.fixes is not None
    assert [str(fix) for fix in explanation.fixes] == ["delete subscription app"]


def test_why_not_names_the_cluster_too() -> None:
    """A newer version that needs a newer Kubernetes is not selected, and the answer says which one."""
    request = refused_by(WorksOnKubernetes("1.28.0"), kube="1.30.0")
    older = {"channels": {"old": "app.v1.0.0"}, "bundles": {"app.v1.0.0": []}}
    plain = request_from(
        {
            "catalogs": {"olm/main": {"packages": {"app": older}}},
            "subscriptions": [{"package": "app", "channel": "old"}],
        }
    )
    source = attrs.evolve(request.sources[0], name="newer")
    request = attrs.evolve(plain, sources=[*plain.sources, source], eligibility=request.eligibility)
    answer = olmsolve.why_not(olmsolve.resolve(request), "app", version="1.2.0")
    assert "it needs Kubernetes 1.30.0, and the cluster has 1.28.0" in why_not_text(answer, width=200)
