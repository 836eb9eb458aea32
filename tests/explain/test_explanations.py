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
from olmsolve import Explanation, HeldBackBundle, Incomplete, Installed, RequestError, Unsatisfiable, evolve, v1
from olmsolve.answers.explain import NodeKind, NoteKind
from olmsolve.classic import HiddenCatalogs
from olmsolve.render import explanation_html, explanation_markdown, explanation_mermaid, explanation_text
from tests.explain.requests import chain, example, failure_of, request_from, wide
from tests.recorded import VENDORED, Record, records, request_of
from tests.scale import LONG
from tests.scenarios.notation import request_document

Snapshot = Callable[[str, str], None]


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


@pytest.mark.parametrize(
    ("needs", "end"), [("db <2.0.0", " together with the rest of the request"), ("gone >=1.0.0", "")]
)
def test_a_bundle_of_a_question_fails_by_itself_or_beside_a_subscription(needs: str, end: str) -> None:
    """One subscription is enough to be in its way; where the bundle itself lacks something, nobody else is named."""
    by_subscription = bool(end)
    packages = {
        "app": {
            "channels": {"stable": "app.v1.0.0"},
            "bundles": {"app.v1.0.0": [{"needs-package": needs}] if by_subscription else []},
        },
        "db": {
            "channels": {"stable": "db.v2.0.0 > db.v1.0.0"},
            "bundles": {"db.v2.0.0": [] if by_subscription else [{"needs-package": needs}]},
        },
    }
    request = request_from({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [{"package": "app"}]})
    answer = olmsolve.why_not(olmsolve.resolve(request), "db", version="2.0.0")
    assert str(answer) == f"db.v2.0.0 (stable, olm/main) cannot be selected{end}"


def test_the_message_of_an_author_is_data_too() -> None:
    """Programs that show an explanation show it, as the text does; a requirement without one has no such field."""
    constraint = {"failureMessage": "needs a licence", "cel": {"rule": 'properties.exists(p, p.type == "licence")'}}
    bundles = {"app.v1.0.0": [{"constraint": constraint}, {"needs-package": "gone >=1.0.0"}]}
    for own, messages in ((bundles, ["needs a licence"]), ({"app.v1.0.0": bundles["app.v1.0.0"][1:]}, [])):
        packages = {"app": {"channels": {"stable": "app.v1.0.0"}, "bundles": own}}
        request = request_from(
            {"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [{"package": "app"}]}
        )
        document = olmsolve.explanation(failure_of(request)).to_dict()
        nodes = [node for conflict in document["conflicts"] for node in conflict["nodes"]]
        assert [node["message"] for node in nodes if "message" in node] == messages


def test_an_api_that_only_a_skipped_bundle_provides_says_so() -> None:
    """Whoever looks into the catalog finds the API there, and wonders."""
    packages = {
        "app": {"channels": {"stable": "app.v1.0.0"}, "bundles": {"app.v1.0.0": [{"needs": "g.example/v1/K"}]}},
        "db": {
            "channels": {"stable": [{"name": "db.v2.0.0", "skips": ["db.v1.0.0"]}, {"name": "db.v1.0.0"}]},
            "bundles": {"db.v1.0.0": [{"provides": "g.example/v1/K"}]},
        },
    }
    request = request_from({"catalogs": {"olm/main": {"packages": packages}}, "subscriptions": [{"package": "app"}]})
    notes = [note for node in olmsolve.explanation(failure_of(request)).conflicts[0].nodes for note in node.notes]
    assert [note.kind for note in notes] == [NoteKind.SKIPPED]
    assert "db.v1.0.0" in str(notes[0])


def test_a_bundle_that_fails_by_itself_is_no_rival() -> None:
    """Version 3 would serve both, and lacks a provider: that it excludes the others too helps nobody."""
    packages: dict[str, Any] = {
        name: {"channels": {"stable": f"{name}.v1.0.0"}, "bundles": {f"{name}.v1.0.0": [{"needs-package": needed}]}}
        for name, needed in (("app", "db <2.0.0 || >=3.0.0"), ("web", "db >=2.0.0"))
    }
    packages["db"] = {
        "channels": {"stable": "db.v3.0.0 > db.v2.0.0 > db.v1.0.0"},
        "bundles": {"db.v3.0.0": [{"needs-package": "gone >=1.0.0"}]},
    }
    request = request_from(
        {
            "catalogs": {"olm/main": {"packages": packages}},
            "subscriptions": [{"package": "app"}, {"package": "web"}],
        }
    )
    text = " ".join(explanation_text(olmsolve.explanation(failure_of(request)), width=200).split())
    assert "db.v1.0.0 (stable, olm/main) conflicts with [11] db.v2.0.0: at most one" in text
    assert "db.v2.0.0 (stable, olm/main) conflicts with [6] db.v1.0.0" in text
    assert text.count("db.v3.0.0 (stable, olm/main) requires package gone") == 1


def test_a_plan_is_explained_by_what_it_holds_back() -> None:
    """It has no conflicts; each newer bundle that an installed operator does not get is told as by ``held_back``."""
    old, new = "app.v1.0.0", "app.v2.0.0"
    package = {"channels": {"stable": f"{new} > {old}"}, "bundles": {new: [{"needs-package": "gone >=1.0.0"}]}}
    request = request_from(
        {"catalogs": {"olm/main": {"packages": {"app": package}}}, "subscriptions": [{"package": "app"}]}
    )
    request = attrs.evolve(request, installed=[Installed(old, "1.0.0", subscription=request.subscriptions[0].name)])
    plan = olmsolve.resolve(request)
    explanation = olmsolve.explanation(plan)
    assert (explanation.conflicts, explanation.semantics) == ((), "documented")
    (held_back,) = explanation.held_back
    assert isinstance(held_back, HeldBackBundle)
    assert held_back.candidate.name == new
    assert explanation.held_back == tuple(bundle for operator in olmsolve.held_back(plan) for bundle in operator.newer)


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
    with pytest.raises(RequestError, match="has lost its request"):
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
    assert explanation.extension_fixes
    assert olmsolve.explanation(failed.value, fixes=0).extension_fixes is None


def test_a_fix_is_its_changes_and_what_they_give() -> None:
    """The changed request, which a copy from another process lacks, makes no other fix."""
    (fix, *_) = olmsolve.explanation(failure_of(example())).fixes or ()
    assert evolve(fix, request=example()) == fix
    assert evolve(fix, changes=()) != fix


_DIGEST = """
import json, sys
sys.path.insert(0, sys.argv[1])
from tests.explain.test_explanations import digest
print(digest(json.load(sys.stdin)))
"""


def digest(sample: Sequence[Record]) -> str:
    """Return a fingerprint of explanations, as text and as data, of the recorded requests *sample*."""
    fingerprint = hashlib.sha256()
    for record in sample:
        try:
            olmsolve.resolve(request_of(record))
        except Unsatisfiable as failure:
            explanation = olmsolve.explanation(failure)
            fingerprint.update(
                f"{explanation_text(explanation)}{explanation.to_dict()}{explanation_mermaid(explanation)}".encode()
            )
        except olmsolve.CatalogError:
            pass
    return fingerprint.hexdigest()


@pytest.mark.parametrize("seed", ["0", "4242"] if LONG else ["4242"])
def test_hash_seed_changes_nothing(seed: str) -> None:
    """Strings hash differently in every process, in this one too; explanations may not."""
    sample = records(VENDORED / "classic_random.jsonl.gz")[:: 100 if LONG else 200]
    run = subprocess.run(
        [sys.executable, "-c", _DIGEST, str(Path(__file__).parents[2])],
        env={"PYTHONHASHSEED": seed, "PATH": ""},
        input=json.dumps(sample),
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == digest(sample)


def test_nothing_to_explain() -> None:
    """The command takes any request, also one with a plan."""
    assert explanation_text(Explanation(())) == "This request can be satisfied: there is nothing to explain."
    assert explanation_markdown(Explanation(())) == "This request can be satisfied: there is nothing to explain.\n"


@pytest.mark.parametrize(
    ("wished", "then"), [("app", ""), ("gone", "; and let subscription gone use catalog olm/side")]
)
def test_a_catalog_that_the_cluster_hides_is_a_way_out(wished: str, then: str) -> None:
    """Whether a subscription names what is there alone, or a bundle requires it."""
    app = {"channels": {"stable": "app.v1.0.0"}, "bundles": {"app.v1.0.0": [{"needs-package": "gone >=1.0.0"}]}}
    seen = {"olm/main": {"packages": {"app": app}}}
    request = request_from({"catalogs": seen, "subscriptions": [{"package": wished}]})
    gone = {"olm/main": {"packages": {"gone": {"channels": {"stable": "gone.v1.0.0"}}}}}
    (source,) = request_from({"catalogs": gone, "subscriptions": []}).sources
    hidden = attrs.evolve(source, name="side", namespace="far")
    request = attrs.evolve(request, hidden=HiddenCatalogs(lambda: [hidden]))
    fixes = [str(fix) for fix in olmsolve.explanation(failure_of(request)).fixes or ()]
    assert f"create catalog olm/side with the content of far/side{then}" in fixes


def test_a_missing_provider_may_be_in_another_catalog() -> None:
    """Deleting the subscription is the only change that is proved, and seldom what anybody wants; so the rest is said.

    Nothing of the kind where another catalog cannot help: nothing is in an empty range, and two conflict anyway.
    """
    hint = "Or add a catalog that provides what is missing here; olmsolve explain --known NAME=PATH tries one."
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
