"""Where threads run side by side, each answers over an index of its own, and says what all say."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from olmsolve import Resolver, Source, Subscription, load
from olmsolve.catalog import write_index
from olmsolve.testing.synthetic import lines, realistic_blobs


@pytest.fixture
def without_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the interpreter say that it is built without its lock."""
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)


@pytest.mark.usefixtures("without_lock")
@pytest.mark.parametrize("place", ["memory", "file"])
def test_threads_with_indexes_of_their_own(tmp_path: Path, place: str) -> None:
    """Eight threads ask the same of one resolver; their indexes are eight, and their answers one."""
    file = tmp_path / "catalog.jsonl"
    file.write_text("".join(lines(realistic_blobs(30))))
    if place == "file":
        write_index(file)
    source = Source("main", "olm", 0, load(file))
    wishes = [Subscription(f"wish-{name}", "olm", name) for name in list(source.catalog.packages)[:12]]
    shared = Resolver([source])
    indexes: set[int] = set()
    plans: list[list[object]] = []
    start = threading.Barrier(8, timeout=60)

    def ask() -> None:
        start.wait()
        view = shared._views.seen_from(("olm",))
        answers = [shared.is_satisfiable([wish], namespaces=["olm"]) for wish in wishes]
        assert shared._views.seen_from(("olm",)) is view
        start.wait()
        indexes.add(id(view.indexes[0]))
        plans.append(
            [
                *answers,
                *(
                    shared.resolve([wish], namespaces=["olm"]).to_dict()
                    for wish, is_met in zip(wishes, answers, strict=True)
                    if is_met
                ),
            ]
        )

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(indexes) == 8
    assert plans == plans[:1] * 8
    assert any(plans[0])


@pytest.mark.usefixtures("without_lock")
@pytest.mark.parametrize("some", [True, False])
def test_each_thread_warms_its_own_index(tmp_path: Path, some: bool) -> None:
    """A service warms its resolver in one thread and answers in others, whose indexes are new."""
    file = tmp_path / "catalog.jsonl"
    file.write_text("".join(lines(realistic_blobs(30))))
    source = Source("main", "olm", 0, load(file))
    names = list(source.catalog.packages)[:6]
    resolver, cold = Resolver([source]), Resolver([source])
    for packages in [names[:3], names[3:]] if some else [None]:
        resolver.warm(namespaces=["olm"], packages=packages)
    rule_counts: list[int] = []

    def count() -> None:
        rule_counts.extend(len(resolver._views.seen_from(("olm",)).indexes[0]._rules) for resolver in (resolver, cold))

    count()
    thread = threading.Thread(target=count)
    thread.start()
    thread.join()
    assert rule_counts[0] > 0
    assert rule_counts == [rule_counts[0], 0] * 2
