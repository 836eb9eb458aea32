"""Blobs whose origins are numbers in a run of lines say what blobs with an origin of their own say."""

from __future__ import annotations

import copy
import io
import json
import pickle
import random
from pathlib import Path
from typing import Any

import attrs
import pytest

from olmsolve.catalog import Bundle, Catalog, Origin
from olmsolve.catalog.fbc import from_blobs, json_text, load
from olmsolve.catalog.origins import LineRun


@pytest.fixture(autouse=True, params=["usual", "careful"])
def _reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "_LONG", 0 if request.param == "usual" else 1 << 30)


def _blob(number: int, package: str = "p") -> dict[str, Any]:
    own = {"type": "olm.package", "value": {"packageName": package, "version": f"1.{number}.0"}}
    return {"schema": "olm.bundle", "name": f"{package}.{number}", "package": package, "properties": [own]}


def _channel(name: str) -> dict[str, Any]:
    return {"schema": "olm.channel", "package": "p", "name": name, "entries": [{"name": "p.0"}]}


def _bundles(catalog: Catalog) -> list[Bundle]:
    return [bundle for package in catalog for bundle in package.bundles.values()]


def _runs(bundles: list[Bundle]) -> set[int]:
    return {id(bundle._origin) for bundle in bundles if isinstance(bundle._origin, LineRun)}


def _lines(*blobs: dict[str, Any]) -> str:
    return "".join(json.dumps(blob, separators=(",", ":")) + "\n" for blob in blobs)


def test_bundles_on_lines_share_runs() -> None:
    """The reason for all of it: numbers up to 256 are objects that Python has anyway."""
    bundles = _bundles(load(io.StringIO(_lines(*map(_blob, range(1000))))))

    assert len(_runs(bundles)) == 4
    assert sum(isinstance(bundle._origin, str) for bundle in bundles) == 4
    assert max(bundle._position for bundle in bundles if isinstance(bundle._origin, LineRun)) <= 256
    assert [bundle.origin for bundle in bundles] == [Origin("<stream>", line, line) for line in range(1, 1001)]


@pytest.mark.parametrize("seed", range(5))
def test_every_blob_is_where_it_was_written(seed: int) -> None:
    """Packages, channels and bundles of several packages, with empty lines and blobs of several lines between them."""
    draw = random.Random(seed)
    text, line, expected = "", 1, {}
    for number in range(600):
        package = draw.choice("pppq")
        blob = draw.choice([_blob(number, package), _blob(number, package), _channel(f"c{number}")])
        written = json.dumps(blob, indent=draw.choice([None] * 9 + [2]))
        space = draw.choice(["\n"] * 30 + ["\n\n", "\n\n\n"])
        expected[blob["name"]] = Origin("<stream>", number + 1, line)
        text += written + space
        line += (written + space).count("\n")

    origins: dict[str, Origin | None] = {}
    for loaded in load(io.StringIO(text)):
        origins |= {name: bundle.origin for name, bundle in loaded.bundles.items()}
        origins |= {name: channel.origin for name, channel in loaded.channels.items()}

    assert origins == expected


def test_files_have_runs_of_their_own(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(_lines(*(_blob(number, name[0]) for number in range(5))), "utf-8")

    bundles = _bundles(load(tmp_path))

    expected = [Origin(str(tmp_path / name), line, line) for name in ("a.json", "b.json") for line in range(1, 6)]
    assert [bundle.origin for bundle in bundles] == expected


def test_bundles_apart_have_no_runs() -> None:
    """A run of a single bundle would take more memory than its position."""
    apart = load(io.StringIO("\n\n".join(json.dumps(_blob(number)) for number in range(20))))
    in_memory = from_blobs(map(_blob, range(20)), origin="here")

    assert not _runs(_bundles(apart))
    assert not _runs(_bundles(in_memory))
    assert [bundle.origin for bundle in _bundles(apart)] == [
        Origin("<stream>", number, 2 * number - 1) for number in range(1, 21)
    ]
    assert [bundle.origin for bundle in _bundles(in_memory)] == [Origin("here", number) for number in range(1, 21)]


def test_a_bundle_keeps_its_origin_alone() -> None:
    bundle = _bundles(load(io.StringIO(_lines(*map(_blob, range(9))))))[7]
    assert isinstance(bundle._origin, LineRun)

    pickled = pickle.loads(pickle.dumps(bundle))  # noqa: S301 - made here
    for other in (copy.copy(bundle), copy.deepcopy(bundle), pickled, attrs.evolve(bundle, name="other")):
        assert other.origin == Origin("<stream>", 8, 8)
    assert attrs.evolve(bundle, origin=None).origin is None
    assert attrs.evolve(bundle, origin=Origin("elsewhere", 3)).origin == Origin("elsewhere", 3)
