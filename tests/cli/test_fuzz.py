"""``olmsolve fuzz``: its forms, its folder, its refusals; what it finds is tested in tests/testing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import jsonschema
import pytest
import yaml

import olmsolve as library
from olmsolve.render import json_schema
from olmsolve.requests import request_document
from olmsolve.testing import catalog_of, fuzzing, package, request_for
from tests.cli.commands import Run

EXAMPLES = Path(library.__file__).parent / "examples"
COMMONS, ORCHARD = EXAMPLES / "catalogs/commons", EXAMPLES / "catalogs/orchard"
BOTH = {"all": {"constraints": [{"package": {"packageName": name, "versionRange": ">=1.0.0"}} for name in "ab"]}}
AMBIGUOUS = request_for(
    catalog_of(
        package("shop").channel("stable", "1.0.0").constrained(BOTH),
        package("a").channel("stable", "1.0.0"),
        package("b").channel("stable", "1.0.0"),
    ),
    "shop",
)


def test_a_report_as_text(olmsolve: Run) -> None:
    """The first line has the seed, with which anybody gets the same report."""
    outcome = olmsolve("fuzz", COMMONS, ORCHARD, "--cases", 4, "--seed", 7)
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.out.startswith("Seed 7: 4 requests (")
    assert (
        "Subscriptions that can never be served together (2)\n  - package courier from channel courier-3" in outcome.out
    )
    assert olmsolve("fuzz", COMMONS, ORCHARD, "--cases", 4, "--seed", 7).out == outcome.out


def test_one_of_each_is_told_in_the_singular(olmsolve: Run, tmp_path: Path) -> None:
    """A single request over a catalog of a single package."""
    library.fbc.write(catalog_of(package("shop").channel("stable", "1.0.0")), tmp_path / "catalog.json")
    outcome = olmsolve("fuzz", tmp_path / "catalog.json", "--cases", 1)
    assert outcome.out.startswith("Seed 0: 1 request (1 ")
    assert "1 of 1 package examined, 0 pairs of them" in " ".join(outcome.out.split())


def test_a_clean_report(olmsolve: Run, tmp_path: Path) -> None:
    """Nothing found is the good answer."""
    library.fbc.write(catalog_of(package("shop").channel("stable", "1.0.0 < 1.1.0")), tmp_path / "catalog.json")
    outcome = olmsolve("fuzz", f"mine={tmp_path / 'catalog.json'}:3", "--cases", 3)
    assert (outcome.code, outcome.err) == (0, "")
    assert "nothing found." in outcome.out


def test_what_the_requests_covered(olmsolve: Run) -> None:
    """A generator that never draws something finds no fault in it: what it drew is told, 0 included."""
    outcome = olmsolve("fuzz", COMMONS, ORCHARD, "--cases", 12)
    assert "What the requests covered, and how often: channel named " in outcome.out
    document = json.loads(olmsolve("fuzz", COMMONS, ORCHARD, "--cases", 12, "--output", "json").out)
    assert all(count <= 12 for count in document["covered"].values())
    drawn = {name for name, count in document["covered"].items() if count}
    assert drawn >= {
        "channel named",
        "first bundle named",
        "operator installed",
        "bundle that only a requirement selects",
    }
    assert "first bundle that a skipRange removes" in document["covered"]
    assert document["outcomes"]["plan"] >= 4


def test_what_an_author_means_is_left_out(olmsolve: Run) -> None:
    """Versions that exclude each other are often meant; a check of pull requests would fail for ever."""
    ignoring = ("--ignore", "NeverTogether")
    outcome = olmsolve("fuzz", COMMONS, ORCHARD, "--cases", 2, *ignoring)
    assert (outcome.code, outcome.err) == (0, "")
    assert "nothing found." in outcome.out
    refused = olmsolve("fuzz", COMMONS, "--cases", 2, "--ignore", "Nevertogether")
    assert refused.code == 2
    assert "there is no kind of finding 'Nevertogether'; there are BrokenLaw, TwoMeanings, " in refused.err


def test_files_stay_with_their_findings(olmsolve: Run, tmp_path: Path) -> None:
    """A finding that comes first and is left out must not give its file to the next one."""
    library.fbc.write(AMBIGUOUS.sources[0].catalog, tmp_path / "catalog.json")
    arguments = ("fuzz", tmp_path / "catalog.json", COMMONS, ORCHARD, "--cases", 6, "--out", tmp_path / "out")
    every = json.loads(olmsolve(*arguments, "--output", "json").out)["findings"]
    assert {finding["kind"] for finding in every} == {"TwoMeanings", "NeverTogether"}
    for kind in ("TwoMeanings", "NeverTogether"):
        remaining = json.loads(olmsolve(*arguments, "--output", "json", "--ignore", kind).out)["findings"]
        assert remaining == [finding for finding in every if finding["kind"] != kind]


def test_a_report_as_data(olmsolve: Run, tmp_path: Path) -> None:
    """JSON keeps to its schema, with a finding of each generation of fields; JUnit has a case for each law."""
    library.fbc.write(AMBIGUOUS.sources[0].catalog, tmp_path / "catalog.json")
    arguments = ("fuzz", tmp_path / "catalog.json", COMMONS, ORCHARD, "--cases", 15)
    outcome = olmsolve(*arguments, "--output", "json", "--out", tmp_path / "out")
    document = json.loads(outcome.out)
    jsonschema.Draft202012Validator(json_schema("fuzz")).validate(document)
    shown = [finding for finding in document["findings"] if finding["kind"] == "TwoMeanings"]
    assert shown
    assert document["catalogs"] == ["olm/catalog", "olm/commons", "olm/orchard"]
    assert yaml.safe_load(Path(shown[0]["file"]).read_text("utf-8")) == shown[0]["request"]
    root = Xml.fromstring(olmsolve(*arguments, "--output", "junit").out)  # noqa: S314 - our own
    laws, questions = root
    assert len(laws) == len(document["checks"])
    assert {law.get("name") for law in laws} >= {"law backends", "law extension order"}
    assert [len(question) for question in questions] == [1, 1, 0, 0, 0, 0, 0]
    assert root.get("failures") == "2"


@pytest.mark.parametrize("form", ["text", "json", "junit"])
def test_progress_is_for_people(olmsolve: Run, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    """A log shows that work goes on; beside a form that programs read there is nothing."""
    monkeypatch.setattr("olmsolve.cli.output._LINES", 0.0)
    outcome = olmsolve("fuzz", COMMONS, "--cases", 2, "--output", form)
    assert ("fuzzing: 1 of 6 steps\n" in outcome.err) == (form == "text")
    assert form == "text" or not outcome.err


def test_every_kind_keeps_to_the_schema() -> None:
    """A kind that the schema lacks would be refused by whoever validates reports."""
    kinds = [kind["properties"]["kind"]["const"] for kind in json_schema("fuzz")["$defs"]["fuzzFinding"]["anyOf"]]
    assert kinds == list(fuzzing.KINDS)


def test_a_finding_is_replayed(olmsolve: Run, tmp_path: Path) -> None:
    """The file that a finding was saved in is enough; a request that keeps all laws gives the good answer."""
    path = tmp_path / "request.json"
    path.write_text(json.dumps(request_document(AMBIGUOUS)), "utf-8")
    outcome = olmsolve("fuzz", "--replay", path)
    assert (outcome.code, outcome.err) == (1, "")
    assert "documented and controller semantics differ in a, b" in outcome.out
    assert olmsolve("fuzz", "--replay", EXAMPLES / "install.yaml").code == 0


def test_requests_of_ones_own(olmsolve: Run) -> None:
    """A document alone is enough: its catalogs are changed, its wishes varied."""
    outcome = olmsolve("fuzz", "--requests", EXAMPLES / "install.yaml", "--cases", 3)
    assert (outcome.code, outcome.err) == (0, "")
    assert "0 of 0 packages" in outcome.out


@pytest.mark.forks
def test_workers_share_the_work(olmsolve: Run) -> None:
    """The report does not say who made it."""
    arguments = ("fuzz", COMMONS, ORCHARD, "--cases", 4, "--output", "json")
    assert olmsolve(*arguments, "--workers", 2).out == olmsolve(*arguments).out


REFUSED: dict[str, tuple[tuple[Any, ...], str]] = {
    "nothing": ((), "a catalog is needed: its path, or NAME=PATH, or --requests FILE, or --replay FILE"),
    "a replay of catalogs": ((COMMONS, "--replay", "x"), "--replay FILE checks one document, without catalogs"),
    "a number and a time": ((COMMONS, "--cases", 1, "--seconds", 1), "--seconds and --cases exclude each other"),
    "one name twice": ((f"a={COMMONS}", f"a={ORCHARD}"), "is given twice"),
    "a negative seed": ((COMMONS, "--seed", "-1"), "not a number from 0"),
    "no seconds": ((COMMONS, "--seconds", "0"), "not a number of seconds above 0"),
    "a file for a folder": ((COMMONS, "--cases", 0, "--out", EXAMPLES / "install.yaml"), "out"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_meant_is_refused(olmsolve: Run, name: str) -> None:
    """With what to do instead."""
    arguments, message = REFUSED[name]
    outcome = olmsolve("fuzz", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_a_time_limit_keeps_the_state(olmsolve: Run, tmp_path: Path) -> None:
    """``--timeout`` is for the whole command, and the next run goes on."""
    outcome = olmsolve("fuzz", COMMONS, "--out", tmp_path / "out", "--timeout", "0.4")
    assert (outcome.code, outcome.out) == (3, "")
    assert (tmp_path / "out/fuzz-state.json").is_file()
