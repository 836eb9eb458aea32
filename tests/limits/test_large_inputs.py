"""Inputs of one huge part, made to be long in a single step: each command ends with its limit, within its memory.

Each runs in a process whose address space is limited, by the clock of the test (``tests.attacks``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import pytest

import olmsolve
from olmsolve.answers.verification import EXISTING
from olmsolve.render import columns_of
from tests.attacks import attacked, check_late

_LIMIT: Final = 0.4


def _lines(path: Path, blobs: Iterable[Any]) -> Path:
    path.write_text("".join(f"{json.dumps(blob)}\n" for blob in blobs))
    return path


def _bundle(name: str, version: str, *required: str) -> dict[str, Any]:
    """Return a bundle of package p that requires package q in each of the *required* ranges."""
    needs = [{"type": "olm.package.required", "value": {"packageName": "q", "versionRange": text}} for text in required]
    own = {"type": "olm.package", "value": {"packageName": "p", "version": version}}
    return {"schema": "olm.bundle", "package": "p", "name": name, "image": "x", "properties": [own, *needs]}


def _package(channels: int, bundles: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return package p with *bundles*, of which channel number n has the n-th (the last one, if there are fewer)."""
    blobs = list(bundles)
    names = [blobs[min(number, len(blobs) - 1)]["name"] for number in range(channels)]
    head = {"schema": "olm.package", "name": "p", "defaultChannel": "c0"}
    return [
        head,
        *blobs,
        *(
            {"schema": "olm.channel", "package": "p", "name": f"c{number}", "entries": [{"name": name}]}
            for number, name in enumerate(names)
        ),
    ]


def _keys(path: Path) -> Path:
    path.write_text("schema: x\n" + "".join(f"k{number:021d}:\n" for number in range(1_000_000)))
    return path


def _alternatives(path: Path) -> Path:
    every = " || ".join(f"={number}.0.0" for number in range(100_000))
    return _lines(path, _package(1, [_bundle("p.v1", "1.0.0", every)]))


def _odd_alternatives(path: Path) -> Path:
    every = " || ".join(f">{number}.x" for number in range(50_000))
    return _lines(path, _package(1, [_bundle("p.v1", "1.0.0", every)]))


def _misspelt(path: Path) -> Path:
    value: dict[str, Any] = {f"names{number}": 0 for number in range(100_000)}
    return _lines(path, [{"schema": "olm.package", "name": "p", "defaultChannel": "c", **value}])


def _channels(path: Path) -> Path:
    return _lines(path, _package(6_000, (_bundle(f"p.v{number}", f"1.{number}.0") for number in range(6_000))))


ATTACKS: Final[dict[str, tuple[Callable[[Path], Path], tuple[str, ...]]]] = {
    "a document of a million keys, written": (_keys, ("render",)),
    "a document of a million keys, judged": (_keys, ("validate",)),
    "a range of 100,000 alternatives": (_alternatives, ("lint",)),
    "a range of 50,000 alternatives with wildcards": (_odd_alternatives, ("lint",)),
    "100,000 keys that are nearly a documented one": (_misspelt, ("validate",)),
    "6,000 channels, each judged": (_channels, ("audit", "--catalog")),
    "6,000 channels, each drawn": (_channels, ("graph", "-o", "html")),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_it_ends_with_its_limit(name: str, tmp_path: Path) -> None:
    """A single key, range or channel takes no time, and a million of them were one step between two looks."""
    make, command = ATTACKS[name]
    path = str(make(tmp_path / ("c.yaml" if make is _keys else "c.json")))
    given = f"c={path}" if command[-1] == "--catalog" else path
    size = Path(path).stat().st_size >> 20
    check_late(*command, given, limit=_LIMIT, megabytes=100 + 10 * size)


def test_a_cell_that_is_far_too_wide() -> None:
    """A table is as wide as its widest cell, and one cell of a megabyte made a thousand lines of a megabyte each."""
    rows = [("a", "b"), ("x" * 1_000_000, "1"), *[("y", "2")] * 1_000]
    assert sum(map(len, columns_of(rows))) < 1_100_000
    assert columns_of([("a", "b"), ("xxx", "1")]) == ["a    b", "xxx  1"]


def test_a_project_of_thousands_of_catalogs(tmp_path: Path) -> None:
    """Each path is looked for, one after the other, and their table is laid out."""
    (tmp_path / ".git").mkdir()
    listed = "".join(f'"olm/c{number}" = "c{number}"\n' for number in range(20_000))
    (tmp_path / "olmsolve.toml").write_text(f"[catalogs]\n{listed}")
    check_late("where", limit=0.3, folder=tmp_path)


@pytest.fixture(scope="module")
def updates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A request over 4,000 updates of one installed operator, and the head of a certificate about it."""
    folder = tmp_path_factory.mktemp("updates")
    bundles = [_bundle(f"p.v{number}", f"1.{number}.0") for number in range(4_000)]
    *others, channel = _package(1, bundles)
    channel["entries"] = [
        {"name": f"p.v{number}", "replaces": f"p.v{number - 1}", "skipRange": "<1.0.0"} for number in range(4_000)
    ]
    channel["entries"][0]["replaces"] = ""
    _lines(folder / "catalog.json", [*others, channel])
    document = {
        "namespaces": ["a"],
        "catalogs": [{"name": "c", "namespace": "a", "file": str(folder / "catalog.json")}],
        "subscriptions": [{"name": "s", "package": "p", "channel": "c0", "source": "c", "sourceNamespace": "a"}],
        "installed": [{"name": "p.old", "version": "0.1.0", "subscription": "s"}],
    }
    path = folder / "request.json"
    path.write_text(json.dumps(document))
    request = olmsolve.read_request(document)
    head = olmsolve.certificate(olmsolve.resolve(request), request)
    kept = ("schema", "schemaVersion", "semantics", "request", "catalogs")
    return path, {**{name: head[name] for name in kept}, "kind": "unsatisfiable"}


def _candidate(number: int) -> list[str]:
    return ["a/c", "p", "c0", f"p.v{number}"]


REPLACES: Final = [
    {"replaces": _candidate(number), "operator": [EXISTING, "", "", "p.old"]} for number in range(4_000)
] * 3
ALL_APART: Final = {"onePer": "package", "name": "p", "members": [_candidate(number) for number in range(4_000)]}

CERTIFICATES: Final[dict[str, dict[str, Any]]] = {
    "12,000 facts that an update replaces": {"facts": REPLACES, "steps": [[-number] for number in range(1, 4_000)]},
    "steps of 4,000 literals": {"facts": REPLACES[:4_000], "steps": [list(range(1, 4_000))] * 300},
    "a group of 4,000, and its members one by one": {
        "facts": [ALL_APART, *REPLACES],
        "steps": [[-number] for number in range(1, 4_000)] * 3,
    },
    "the same group 20 times": {"facts": [ALL_APART] * 20, "steps": [[-1]]},
}


@pytest.mark.parametrize("name", CERTIFICATES)
def test_certificates_end_with_their_limit(name: str, updates: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    """A certificate comes from a stranger: the checker is over in time, and soon where it has the time."""
    request, head = updates
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps({**head, **CERTIFICATES[name]}))
    megabytes = 150 + 10 * (path.stat().st_size >> 20)
    check_late("verify", str(path), str(request), limit=0.15, megabytes=megabytes)
    run = attacked("verify", str(path), str(request), timeout=5.0, megabytes=megabytes)
    assert run.code == 1, run
