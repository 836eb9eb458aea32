"""Faults planted inside the room, each of which the comparisons of this folder must find, and a clock cut short.

No door offers a wrong key, a wrong footprint, or fewer than the two minutes that a kustomization may take.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import olmsolve
from olmsolve.lifecycle.impact import dividing, footprints, read_changes, repositories, running
from olmsolve.requests import RecordedCluster
from tests.impact.test_changes import wrong
from tests.impact.test_impact import LEDGER, SOURCE, failed, faults, fleet_impact
from tests.simulation.small_clusters import group, installed


@pytest.mark.parametrize(
    ("forgotten", "other"),
    [
        ({"installPlanApproval"}, installed("shop", "ledger", LEDGER[1], approval="Manual")),
        ({"phase"}, failed(*installed("shop", "ledger", LEDGER[1]))),
        ({"installedCSV", "currentCSV", "version", "name"}, installed("shop", "ledger", LEDGER[4])),
    ],
    ids=["approval", "phase", "installed"],
)
def test_a_key_that_forgets_a_field_is_caught(
    monkeypatch: pytest.MonkeyPatch, forgotten: set[str], other: list[dict[str, Any]]
) -> None:
    """The comparison with each cluster alone finds wrong classes: here keys forget what answers depend on."""

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            kept = {name: without(part) for name, part in value.items() if name not in forgotten}
            return {
                name: part for name, part in kept.items() if "installedCSV" not in forgotten or name != "annotations"
            }
        return [without(part) for part in value] if isinstance(value, list) else value

    fleet = [
        RecordedCluster(
            name,
            (
                SOURCE,
                group("shop"),
                *objects,
            ),
        )
        for name, objects in (("one", installed("shop", "ledger", LEDGER[1])), ("other", other))
    ]
    assert list(faults(fleet_impact(fleet), fleet)) == []
    monkeypatch.setattr(dividing, "form_key", lambda form: json.dumps(without(list(form)), sort_keys=True))
    report = fleet_impact(fleet)
    assert len(report.classes) == 1
    assert list(faults(report, fleet)) != []


def test_namespaces_that_only_a_change_couples_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison with each cluster alone finds footprints that forget what happens after the changes."""
    footprint = footprints.footprint
    monkeypatch.setattr(running, "footprint", lambda old, new: footprint(old))
    assert wrong(3, 2) != []


def test_a_kustomization_has_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens a pull request writes it, and a gate must end."""
    program = tmp_path / "programs" / "kustomize"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nsleep 60\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/bin:/usr/bin")
    monkeypatch.setattr(repositories, "_SECONDS", 0.0)
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps" / "kustomization.yaml").write_text("resources: []\n", "utf-8")
    with pytest.raises(olmsolve.ManifestError, match="kustomize build takes more than 0 seconds"):
        read_changes([tmp_path / "apps"])
