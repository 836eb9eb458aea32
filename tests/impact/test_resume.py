"""A comparison that was stopped goes on where it was, to the same report, and never believes a file too much."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import olmsolve
from olmsolve.requests import RecordedCluster
from tests.impact.fleets import KEY, clusters, new, old

FLEET = [*clusters(12, seed=5, templates=2), RecordedCluster("broken", ({"kind": 7},))]


class Stopped(Exception):  # noqa: N818 - of this test only
    pass


def written(state: Path | None = None, fleet: list[Any] = FLEET, **more: Any) -> str:
    """The report as text."""
    sides = {"before": {KEY: old()}, "after": {KEY: new()}}
    return json.dumps(olmsolve.impact(fleet, **{**sides, "resume": state, **more}).to_dict())


@cache
def fresh() -> str:
    return written()


def stopped_after(count: int, state: Path, **more: Any) -> None:
    def stop(done: int, total: int) -> None:
        if done == count:
            raise Stopped

    with pytest.raises(Stopped):
        written(state, progress=stop, **more)


def counted(state: Path, **more: Any) -> tuple[str, list[int]]:
    """The report as text, and the numbers that progress was told."""
    calls: list[int] = []
    return written(state, progress=lambda done, total: calls.append(done), **more), calls


def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    """What is done is not done twice, and the report is the same to the byte."""
    state = tmp_path / "state.json"
    stopped_after(5, state)
    text, calls = counted(state)
    assert text == fresh()
    assert calls == list(range(6, 14))
    assert counted(state) == (text, [])


def test_items_may_be_done_in_any_order(tmp_path: Path) -> None:
    """Several workers finish when they finish; nothing is left out, and nothing is counted twice."""
    state = tmp_path / "state.json"
    with ThreadPoolExecutor(2) as threads:
        stopped_after(9, state, executor=threads)
        text, calls = counted(state, executor=threads)
    assert text == fresh()
    assert calls == list(range(10, 14))


class SlowAtFirst(Executor):
    """Workers of whom the one with the first chunk does not come back."""

    def __init__(self) -> None:
        self._chunks = 0

    def submit(self, work: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        self._chunks += 1
        future: Future[Any] = Future()
        if self._chunks > 1:
            future.set_result(work(*given, **named))
        return future


def test_a_state_with_gaps(tmp_path: Path) -> None:
    """An item that is done before an earlier one is noted by its position."""
    state = tmp_path / "state.json"
    stopped_after(3, state)
    # Chunks have eight items: those from 3 to 10 are not done, and of the others the first one is.
    stopped_after(4, state, executor=SlowAtFirst())
    assert [position for position, _ in json.loads(state.read_bytes())["state"]["beyond"]] == [11]
    before = state.read_bytes()
    with pytest.raises(olmsolve.RequestError, match="cluster number 12 has changed since it was written"):
        written(state, [*FLEET[:11], FLEET[12], FLEET[11]])
    with pytest.raises(olmsolve.RequestError, match="clusters that it was written for are missing"):
        written(state, FLEET[:11])
    assert state.read_bytes() == before
    text, calls = counted(state)
    assert text == fresh()
    assert calls == list(range(5, 14))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda fleet: [fleet[0], fleet[2], fleet[1], *fleet[3:]], "not those that it was written for"),
        (lambda fleet: fleet[:3], "clusters that it was written for are missing"),
    ],
    ids=["others", "fewer"],
)
def test_other_clusters_are_refused(tmp_path: Path, change: Any, reason: str) -> None:
    """A report on half of one fleet and half of another is wrong, and nobody would see it."""
    state = tmp_path / "state.json"
    stopped_after(5, state)
    before = state.read_bytes()
    with pytest.raises(olmsolve.RequestError, match=reason):
        written(state, change(FLEET))
    assert state.read_bytes() == before
    assert written(state) == fresh()


def test_a_file_that_has_changed_is_refused(tmp_path: Path) -> None:
    """Its size and the time of its change tell."""
    state, dump = tmp_path / "state.json", tmp_path / "dump.json"
    dump.write_text(json.dumps(FLEET[0].sources[0]), "utf-8")
    written(state, [dump])
    dump.write_text(json.dumps(FLEET[1].sources[0]), "utf-8")
    with pytest.raises(olmsolve.RequestError, match="have changed"):
        written(state, [dump])


def test_other_catalogs_and_options_are_refused(tmp_path: Path) -> None:
    """The counts are of one change."""
    state = tmp_path / "state.json"
    written(state)
    for more in ({"approve": True}, {"after": {KEY: old()}}, {"openshift": "4.18"}):
        with pytest.raises(olmsolve.RequestError, match="of other catalogs or options"):
            written(state, **more)


def test_damaged_and_foreign_files_are_left_alone(tmp_path: Path) -> None:
    """A state that differs in any byte is refused; a mistaken path must not cost anybody their catalog."""
    state = tmp_path / "state.json"
    written(state)
    good = state.read_bytes()
    bare = b'{"schema": "olmsolve.impact.state"}'
    for damaged in (good.replace(b'"done": 13', b'"done": 12'), good.replace(b'"steps": ', b'"steps": 1'), bare):
        state.write_bytes(damaged)
        with pytest.raises(olmsolve.RequestError, match="damaged"):
            written(state)
        assert state.read_bytes() == damaged
    for foreign in (good[:-9], b"[" * 100_000, b"\xff", b'{"schema": "olm.package"}', b"7"):
        state.write_bytes(foreign)
        with pytest.raises(olmsolve.RequestError, match="not a state file of a comparison"):
            written(state)
        assert state.read_bytes() == foreign
    for path, reason in ((tmp_path, "not a file"), (tmp_path / "nowhere" / "state", "No such file")):
        with pytest.raises(olmsolve.RequestError, match=reason):
            written(path)
