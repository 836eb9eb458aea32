"""A Dask cluster gives the report that one process gives, also where a worker dies in the middle."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

import olmsolve
from tests.cli.commands import runner
from tests.impact.fleets import KEY, clusters, new, old
from tests.scale import LONG

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason='the extra "dask" is not installed'),
    # Clusters leave sockets and event loops behind that complain when they are collected.
    pytest.mark.filterwarnings("default"),
]


def written(report: olmsolve.ImpactReport) -> str:
    return json.dumps(report.to_dict())


@pytest.mark.skipif(not LONG, reason="processes of Dask take seconds to start (OLMSOLVE_TESTS=long)")
def test_a_lost_worker_changes_nothing() -> None:
    """Its chunks are done by others, and the worker that replaces it gets the catalogs when it asks for them."""
    distributed: Any = importlib.import_module("distributed")
    fleet = clusters(160, seed=5, templates=8)
    sides: dict[str, Any] = {"before": {KEY: old()}, "after": {KEY: new()}}
    expected = written(olmsolve.impact(fleet, **sides))
    killed: list[int] = []
    local = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    with local, distributed.Client(local) as client:
        pids = list(client.run(os.getpid).values())

        def kill(done: int, total: int) -> None:
            if done >= 16 and not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        report = olmsolve.impact(fleet, **sides, executor=client.get_executor(retries=2), progress=kill)
        assert killed
        assert written(report) == expected


def test_the_command_finds_a_scheduler(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads of one worker stand for a cluster: the address is all that the command needs."""
    run = runner(capsys)
    distributed: Any = importlib.import_module("distributed")
    monkeypatch.chdir(tmp_path)
    for name in ("old", "new"):
        blobs = [
            {"schema": "olm.package", "name": "p", "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": "p", "name": "stable", "entries": [{"name": f"p.{name}"}]},
            {"schema": "olm.bundle", "package": "p", "name": f"p.{name}", "properties": []},
        ]
        (tmp_path / f"{name}.json").write_text("\n".join(map(json.dumps, blobs)), "utf-8")
    source = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource"}
    dump = {**source, "metadata": {"name": "main", "namespace": "olm"}}
    (tmp_path / "dump.json").write_text(json.dumps(dump), "utf-8")
    arguments = ("impact", "--clusters", "dump.json", "--before", "olm/main=old.json", "--catalog", "olm/main=new.json")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs=50
    ) as local:
        there = run(*arguments, "--output", "json", "--dask", local.scheduler_address)
    assert there == run(*arguments, "--output", "json")
    assert there.code == 0
