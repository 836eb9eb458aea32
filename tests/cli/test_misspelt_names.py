"""A misspelt name in a request or a cluster: every command asks about the one that was meant, and advises no harm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Run
from tests.scenarios.dumps.files import cluster_arguments

CLUSTER: dict[str, Any] = {
    "catalogs": {
        "olm/main": {
            "packages": {
                "courier": {"channels": {"stable": "courier.v1.1.0 > courier.v1.0.0"}},
                "kairos": {"channels": {"stable": "kairos.v1.0.0"}},
            }
        }
    },
    "groups": {"shop": ["shop"]},
    "subscriptions": {"shop/courir": {"from": "olm/main"}},
}


@pytest.fixture
def arguments(tmp_path: Path) -> tuple[str, ...]:
    """The options of a cluster whose only subscription names a package that does not exist."""
    return tuple(map(str, cluster_arguments(CLUSTER, tmp_path)))


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("call", ["resolve", "explain", "why courier.v1.1.0", "why-not courier", "simulate", "migrate"])
def test_the_package_that_was_meant(olmsolve: Run, arguments: tuple[str, ...], call: str, form: str) -> None:
    """As text and as data."""
    outcome = olmsolve(*call.split(), *arguments, "-o", form)
    text = " ".join(outcome.out.split())
    assert outcome.code == 1
    assert "did you mean courier?" in text
    assert "kairos" not in text
    assert "delete" not in text.lower()


@pytest.mark.parametrize("call", ["plan", "path"])
def test_where_people_read_alone(olmsolve: Run, arguments: tuple[str, ...], call: str) -> None:
    """The data of a plan are OLM's objects, and a path has no reasons but one."""
    outcome = olmsolve(call, *arguments)
    assert "did you mean courier?" in " ".join(outcome.out.split())


def test_the_first_line(olmsolve: Run, arguments: tuple[str, ...]) -> None:
    """Name, catalog and question stand in one sentence, and the remedy below it."""
    lines = olmsolve("resolve", *arguments, "--namespace", "shop").out.splitlines()
    assert lines[0] == 'This request cannot be satisfied: no package "courir" in olm/main; did you mean courier?'
    assert lines[1] == "Nearest way out: correct the package of subscription courir to courier."


def test_the_fixes_as_data(olmsolve: Run, arguments: tuple[str, ...]) -> None:
    """Programs read the change, and find no other."""
    explained = json.loads(olmsolve("explain", *arguments, "--namespace", "shop", "-o", "json").out)
    (fix,) = explained["fixes"]
    assert [(change["kind"], change["package"]) for change in fix["changes"]] == [("ChangePackage", "courier")]
    (node,) = explained["conflicts"][0]["nodes"]
    assert [note["names"] for note in node["notes"]] == [["courier"]]
