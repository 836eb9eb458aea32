"""Every verb ends wherever it is cancelled, leaves nothing half done, and answers rightly when it is asked again."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

import pytest

from olmsolve import BackendError, Explanation, Incomplete, Request, evolve, lint, resolve
from olmsolve.cel import second_opinion
from tests.limits.verb_objects import Verb, catalog, dense
from tests.limits.verbs import VERBS
from tests.scale import LONG

_WITHOUT_FIXES: Final[dict[str, Any]] = {"fixes": None, "extension_fixes": None, "exhausted": False}

_CALLS: Final = 400 if LONG else 5
"""The most checks at which one verb is cancelled."""


class FiresAt:
    """A flag that is set from its check *number* on, counted from 1; 0: never."""

    def __init__(self, number: int = 0) -> None:
        self.number = number
        self.checks = 0

    def is_set(self) -> bool:
        """Count a check, and say whether the number is reached."""
        self.checks += 1
        return 0 < self.number <= self.checks


def sampled(checks: int) -> list[int]:
    """Some of the numbers from 1 to *checks*: the first ones, the last one, and others spread between them."""
    if checks <= _CALLS:
        return list(range(1, checks + 1))
    spread = {1 + round(part * (checks - 1) / (_CALLS - 3)) for part in range(_CALLS - 2)}
    return sorted({1, 2, *spread})


def data(answer: Any) -> Any:
    """An explanation as data: its failures compare by identity."""
    return answer.to_dict() if isinstance(answer, Explanation) else answer


def is_cut(answer: Any, whole: Any) -> bool:
    """Whether *answer* is an explanation whose search for fixes was cut short, and which is *whole* otherwise."""
    return (
        isinstance(answer, Explanation)
        and answer.exhausted
        and data(evolve(answer, **_WITHOUT_FIXES)) == data(evolve(whole, **_WITHOUT_FIXES))
    )


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_ends_wherever_it_is_cancelled(name: str, tmp_path: Path) -> None:
    """A check in the middle of filling a table, a cache or a file must not leave half of it behind.

    A sample of the checks of each verb is tried; OLMSOLVE_TESTS=long tries up to 400 of each.
    """

    def made(number: int) -> Verb:
        folder = tmp_path / str(number)
        folder.mkdir()
        return VERBS[name](folder)

    never = FiresAt()
    whole = made(0)(never)
    assert never.checks, "a verb without a check cannot be stopped"
    for number in sampled(never.checks):
        verb = made(number)
        try:
            answer = verb(FiresAt(number))
        except Incomplete:
            pass
        else:
            assert is_cut(answer, whole), number
        assert data(verb(None)) == data(whole), number


def test_a_limit_ends_the_process_that_gives_second_opinions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that never answers ends with the limit: nobody else would end it."""
    started: list[subprocess.Popen[str]] = []
    silent = (sys.executable, "-c", "import time; time.sleep(60)")

    def noted() -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        started.append(subprocess.Popen(silent, stdin=pipe, stdout=pipe, encoding="utf-8"))
        return started[-1]

    monkeypatch.setattr(second_opinion, "_started", noted)
    began = time.perf_counter()
    with pytest.raises(Incomplete):
        lint(catalog(), second_opinion=True, timeout=0.2)
    assert time.perf_counter() - began < 2.0, "a busy machine may take a while to end a process"
    assert [process.poll() is None for process in started] == [False]


def test_a_backend_that_cannot_be_stopped_says_so_first() -> None:
    """Some SAT solver takes no limit: a caller who set one must not find out by waiting."""
    request: Request = dense()
    with pytest.raises(BackendError, match="cannot be stopped"):
        resolve(request, backend="lingeling", cancel=FiresAt())
