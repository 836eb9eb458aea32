"""``olmsolve reduce``: documents that resolve alike, with other names if wanted, within the time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import olmsolve as library
from olmsolve.answers import reducing
from tests.cli.commands import Run

EXAMPLES = Path(library.__file__).parent / "examples"
UNSATISFIABLE = str(EXAMPLES / "unsatisfiable.yaml")
INSTALL = str(EXAMPLES / "install.yaml")


def test_the_document_resolves_alike(olmsolve: Run, tmp_path: Path) -> None:
    """One file without any other: the plan has the same bundles."""
    outcome = olmsolve("reduce", INSTALL)
    assert (outcome.code, outcome.err) == (0, "")
    small = tmp_path / "small.yaml"
    small.write_text(outcome.out, "utf-8")
    plans = [json.loads(olmsolve("resolve", path, "--output", "json").out) for path in (INSTALL, str(small))]
    names = [[install["name"] for install in plan["installs"]] for plan in plans]
    assert names[0] == names[1]
    assert len(outcome.out) < 4000


def test_a_failure_keeps_its_reasons(olmsolve: Run, tmp_path: Path) -> None:
    """The core says the same, and the heading says what was reduced."""
    outcome = olmsolve("reduce", UNSATISFIABLE)
    first, second = outcome.out.splitlines()[:2]
    assert first.startswith("# Reduced by olmsolve from 6 packages, ")
    assert second.endswith(": olmsolve resolve FILE")
    small = tmp_path / "small.yaml"
    small.write_text(outcome.out, "utf-8")
    kinds = []
    for path in (UNSATISFIABLE, str(small)):
        answer = olmsolve("resolve", path, "--output", "json")
        assert answer.code == 1
        kinds.append({constraint["kind"] for constraint in json.loads(answer.out)["constraints"]})
    assert kinds[0] == kinds[1]


def test_other_names(olmsolve: Run) -> None:
    """No name of the example is left; versions are."""
    outcome = olmsolve("reduce", UNSATISFIABLE, "--anonymise", "--output", "json")
    text = outcome.out
    for word in ("courier", "storefront", "parcels", "orchard", "commons", "shop", "stable", "registry"):
        assert word not in text
    assert "package-1" in text
    assert json.loads(text)["subscriptions"][0]["name"].startswith("subscription-")


def test_the_semantics_of_the_document_are_said(olmsolve: Run) -> None:
    """A document does not hold the semantics, so the comment has the option."""
    outcome = olmsolve("reduce", UNSATISFIABLE, "--semantics", "controller")
    assert outcome.out.splitlines()[1].endswith("olmsolve resolve --semantics controller FILE")
    yaml.safe_load(outcome.out)


def test_a_difference_is_kept_or_there_is_none(olmsolve: Run) -> None:
    """Asking to keep what is not there is a mistake, which the message names."""
    outcome = olmsolve("reduce", INSTALL, "--keep", "difference")
    assert (outcome.code, outcome.out) == (2, "")
    assert "documented and controller semantics do not differ on this request" in outcome.err


def test_time_ends_the_search(olmsolve: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found until then is written, and the warning is no part of it."""
    search = reducing.reduction_of

    def late(*arguments: Any, seconds: float, **settings: Any) -> Any:
        assert 0 < seconds < 60, "what reading has left"
        return search(*arguments, seconds=0.000001, **settings)

    monkeypatch.setattr(reducing, "reduction_of", late)
    outcome = olmsolve("reduce", UNSATISFIABLE, "--timeout", "60")
    assert outcome.code == 3
    assert "there may be smaller requests" in outcome.err
    assert yaml.safe_load(outcome.out)["subscriptions"]


def test_time_ends_the_reading(olmsolve: Run) -> None:
    """A document that does not come has no smaller one."""
    outcome = olmsolve("reduce", UNSATISFIABLE, "--timeout", "0.000001")
    assert (outcome.code, outcome.out) == (3, "")
    assert "no answer within the time budget" in outcome.err


@pytest.mark.parametrize("keep", ["core", "outcome"])
def test_an_extension_is_reduced_too(olmsolve: Run, tmp_path: Path, keep: str) -> None:
    """A request to OLM v1 becomes a smaller one."""
    blobs = [
        blob
        for name in ("a", "b")
        for blob in (
            {"schema": "olm.package", "name": name, "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": name, "name": "stable", "entries": [{"name": f"{name}.v1"}]},
            {
                "schema": "olm.bundle",
                "package": name,
                "name": f"{name}.v1",
                "properties": [{"type": "olm.package", "value": {"packageName": name, "version": "1.0.0"}}],
            },
        )
    ]
    request = tmp_path / "request.json"
    request.write_text(json.dumps({"catalogs": [{"name": "c", "blobs": blobs}], "extension": {"packageName": "b"}}))
    outcome = olmsolve("reduce", str(request), "--keep", keep)
    assert outcome.code == 0
    document = yaml.safe_load(outcome.out)
    assert [blob["name"] for blob in document["catalogs"][0]["blobs"]] == ["b", "stable", "b.v1"]
