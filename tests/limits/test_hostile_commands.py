"""Commands that plan ways, edit catalogs and write them, on input made to be long: each ends with its limit.

Each runs in a process whose address space is limited, by the clock of ``tests.attacks``. A sample of them is tried,
OLMSOLVE_TESTS=long tries all.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.attacks import IN_TIME, attacked, check_ended
from tests.scale import LONG

_LIMIT: Final = 0.5


def _packages(packages: int, channels: int, length: int, *, required: bool = False) -> Iterable[dict[str, Any]]:
    """Yield packages whose channels all have one chain of *length* bundles, which work on ever newer versions."""
    for package in (f"p{number}" for number in range(packages)):
        yield {"schema": "olm.package", "name": package, "defaultChannel": "c0"}
        entries = [{"name": f"{package}.v{at}", "replaces": f"{package}.v{at - 1}"} for at in range(length)]
        entries[0]["replaces"] = ""
        for channel in range(channels):
            yield {"schema": "olm.channel", "package": package, "name": f"c{channel}", "entries": entries}
        for at in range(length):
            stated: list[dict[str, Any]] = [
                {"type": "olm.package", "value": {"packageName": package, "version": f"1.{at}.0"}},
                {"type": "olm.maxOpenShiftVersion", "value": f"4.{min(18 + at, 22)}"},
            ]
            if required:
                other = {"packageName": f"p{(int(package[1:]) + 1) % packages}", "versionRange": f">=1.{at}.0"}
                stated.append({"type": "olm.package.required", "value": other})
            name = f"{package}.v{at}"
            yield {"schema": "olm.bundle", "package": package, "name": name, "image": "x", "properties": stated}


def _skips() -> Iterable[dict[str, Any]]:
    """Yield a package each of whose 900 entries skips all before it."""
    yield {"schema": "olm.package", "name": "p0", "defaultChannel": "c0"}
    names = [f"p0.v{at}" for at in range(900)]
    entries = [{"name": name, "skips": names[:at], "skipRange": "<99.0.0"} for at, name in enumerate(names)]
    yield {"schema": "olm.channel", "package": "p0", "name": "c0", "entries": entries}
    for at, name in enumerate(names):
        stated = [{"type": "olm.package", "value": {"packageName": "p0", "version": f"1.{at}.0"}}]
        yield {"schema": "olm.bundle", "package": "p0", "name": name, "image": "x", "properties": stated}


CATALOGS: Final = {
    "200 packages": lambda: _packages(200, 3, 10),
    "300 channels of one chain": lambda: _packages(1, 300, 300),
    "a chain of 6,000": lambda: _packages(1, 1, 6_000),
    "packages that require each other": lambda: _packages(40, 3, 10, required=True),
    "a skip for each pair": _skips,
}
_CLUSTER: Final = "--cluster {cluster} --catalog olm/c={catalog}"
COMMANDS: Final = (
    f"journey {_CLUSTER} --openshift 4.18 --to 4.22 --most 1000000",
    f"journey {_CLUSTER} --openshift 4.18 --to 5.3 --eus --output html",
    "impact --clusters {cluster} --catalog olm/c={catalog} --openshift 4.18 --journey 4.22",
    f"simulate {_CLUSTER}",
    f"plan {_CLUSTER} --output html",
    f"blocking {_CLUSTER} --openshift 4.18",
    f"migrate {_CLUSTER}",
    "catalog list bundles {catalog}",
    "catalog edges {catalog}",
    "catalog v1 {catalog}",
    "catalog diff {catalog} {catalog}",
    "catalog merge {catalog} {catalog}",
    "catalog subset {catalog} --package p0",
    "catalog remove {catalog} --package p0 --bundle p0.v1",
    "catalog set-default {catalog} --package p0 --channel c0",
    "catalog deprecate {catalog} --package p0 --message x",
    "catalog promote {catalog} --package p0 --from c0 --into c1",
    "catalog edge {catalog} --package p0 --channel c0 --bundle p0.v1 --replaces p0.v0",
    "catalog convert-template {catalog}",
    "render {catalog} --output opm-json",
    "render {catalog} --output opm-yaml",
    "index {catalog}",
    "graph {catalog} --output dot",
)
_EVERY: Final = [(name, command) for name in CATALOGS for command in COMMANDS]


def _cluster(path: Path, packages: int) -> Path:
    """Write the objects of a cluster with a subscription to each package to *path*."""
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}}
    group = {"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup"}
    objects: list[dict[str, Any]] = [
        space,
        {**space, "metadata": {"name": "olm"}},
        {**group, "metadata": {"name": "g", "namespace": "ns"}, "spec": {}},
    ]
    version = "operators.coreos.com/v1alpha1"
    source = {"metadata": {"name": "c", "namespace": "olm"}, "spec": {"sourceType": "grpc", "image": "x"}}
    objects.append({"apiVersion": version, "kind": "CatalogSource", **source})
    for number in range(packages):
        name = f"p{number}.v0"
        spec = {"name": f"p{number}", "channel": "c0", "source": "c", "sourceNamespace": "olm"}
        state = {"installedCSV": name, "currentCSV": name, "state": "AtLatestKnown"}
        wish = {"metadata": {"name": f"s{number}", "namespace": "ns"}, "spec": spec, "status": state}
        objects.append({"apiVersion": version, "kind": "Subscription", **wish})
        operator = {"metadata": {"name": name, "namespace": "ns"}, "spec": {"version": "1.0.0"}}
        succeeded = {"phase": "Succeeded", "reason": "InstallSucceeded"}
        objects.append({"apiVersion": version, "kind": "ClusterServiceVersion", **operator, "status": succeeded})
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return path


@pytest.mark.parametrize(("name", "command"), _EVERY if LONG else _EVERY[:: len(COMMANDS) // 2 + 3])
def test_it_ends_with_its_limit(name: str, command: str, tmp_path: Path) -> None:
    """Ways through versions and edits of graphs are long where catalogs are: no loop of them forgets its limit."""
    blobs = list(CATALOGS[name]())
    catalog = tmp_path / "c.json"
    catalog.write_text("".join(f"{json.dumps(blob)}\n" for blob in blobs))
    cluster = _cluster(tmp_path / "k.json", sum(blob["schema"] == "olm.package" for blob in blobs))
    line = command.format(catalog=catalog, cluster=cluster).split()
    for _ in range(3):
        run = attacked(*line, timeout=_LIMIT, megabytes=100 + 10 * (catalog.stat().st_size >> 20))
        # What is late by its nature is late each time.
        if run.late < IN_TIME:
            break
    assert "usage:" not in run.err, run
    check_ended(run)


_KEYS: Final = "".join(f"k{number} = 1\n" for number in range(80_000))
PROJECTS: Final = {
    "80,000 keys": _KEYS,
    "a key of 300,000 parts": "a." * 300_000 + "k = 1\n",
    "arrays of 100,000 levels": "a = " + "[" * 100_000,
    "text that forges a command": '"a\\n::error::x\\u001b[31m" = "b\\n::error::y"\n',
}


@pytest.mark.parametrize("name", PROJECTS)
def test_project_files(name: str, tmp_path: Path) -> None:
    """A repository of a stranger has a project file, which every command below its folder reads."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "olmsolve.toml").write_text(PROJECTS[name])
    run = attacked("where", timeout=_LIMIT, folder=tmp_path)
    check_ended(run)
    assert run.code in (2, 3), run
    assert "\x1b" not in run.err
    assert not any(line.startswith("::") for line in run.err.splitlines())


def test_project_files_that_are_no_files(tmp_path: Path) -> None:
    """A FIFO and a device are passed over; nobody waits for them."""
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / "olmsolve.toml")
    (tmp_path / "pyproject.toml").symlink_to("/dev/zero")
    run = attacked("where", timeout=_LIMIT, folder=tmp_path)
    assert (run.code, run.late) == (0, 0.0), run
    assert run.out.startswith("No project file")


@pytest.mark.parametrize("columns", ["1", "0", "-5", "1000000000", "9" * 5_000, "x"])
def test_widths_that_no_terminal_has(columns: str) -> None:
    """Whoever sets the variables of a job may set this one as well."""
    run = attacked("help", "exit-codes", timeout=5.0, environment={"COLUMNS": columns})
    check_ended(run)
    assert run.code in (0, 2), run
