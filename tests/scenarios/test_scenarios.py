"""Every scenario file, under every semantics that it speaks about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pytest

import olmsolve
from olmsolve import CatalogError, Resolution, Unsatisfiable
from tests.scenarios.notation import request_document
from tests.yaml_files import yaml_documents

FOLDER = Path(__file__).parent
Semantics: TypeAlias = Literal["documented", "controller"]
BOTH: tuple[Semantics, ...] = ("documented", "controller")


def cases() -> Iterator[Any]:
    for file in sorted(FOLDER.glob("*.yaml")):
        for number, scenario in enumerate(yaml_documents(file), start=1):
            for semantics, expected in scenario["expect"].items():
                for one in BOTH if semantics == "both" else (semantics,):
                    yield pytest.param(scenario, one, expected, id=f"{file.stem}-{number}-{one}")


@pytest.mark.parametrize(("scenario", "semantics", "expected"), list(cases()))
def test_scenario(scenario: dict[str, Any], semantics: Semantics, expected: dict[str, Any]) -> None:
    """The scenario's own sentence says why."""
    why: str = scenario["why"]
    request = olmsolve.read_request(request_document(scenario))
    assert olmsolve.is_satisfiable(request, semantics=semantics) is ("installs" in expected), why
    if "unsatisfiable" in expected:
        with pytest.raises(Unsatisfiable) as failed:
            olmsolve.resolve(request, semantics=semantics)
        assert sorted(reason.kind for reason in failed.value.core) == expected["unsatisfiable"], why
        for words in expected.get("says", []):
            assert words in str(failed.value), why
    elif "error" in expected:
        with pytest.raises(CatalogError) as refused:
            olmsolve.resolve(request, semantics=semantics)
        for words in expected["error"]:
            assert words in str(refused.value), why
    else:
        assert answer(olmsolve.resolve(request, semantics=semantics)) == {
            "installs": expected["installs"],
            "replaced": expected.get("replaced", {}),
            "kept": expected.get("kept", []),
            "differing": expected.get("differing", []),
            "upToDate": expected.get("upToDate", []),
        }, why


def answer(resolution: Resolution) -> dict[str, Any]:
    """A plan in the words of scenario files."""
    return {
        "installs": [str(install.candidate) for install in resolution.installs],
        "replaced": {old.name: new.name for old, new in resolution.replaced},
        "kept": [candidate.name for candidate in resolution.kept],
        "differing": [candidate.name for candidate in resolution.differing],
        "upToDate": [str(entry.candidate) for entry in resolution.up_to_date],
    }
