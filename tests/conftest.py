"""What all tests share: how long properties are tried, and snapshots of text that people read."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.messages import noting
from tests.messages.watching import MessageWatch
from tests.scale import scaled
from tests.skips import SkipWatch

if "OLMSOLVE_NONOTES" not in os.environ:
    noting.begin()

# Tests make many objects that live as long as a test. At every 700 new ones, as by default, the collector walked them
# a hundred times, which took a tenth of the suite's time; at every 50,000 or 250,000 still a twentieth.
gc.set_threshold(1_000_000, 20, 20)

# Tests start a hundred processes, each of which would take twice as long where it had to compile what it imports.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A disk takes 4 ms for what is lost with the power alone, which no test can turn off. Tests that look for these calls,
# or let them fail, put their own in this place; processes that tests start wait for the disk as ever.
os.fsync = lambda fd: None

HERE = Path(__file__).parent
SNAPSHOTS = HERE / "snapshots"

# A loaded machine makes single examples slow without anything being wrong.
settings.register_profile(
    "small", max_examples=scaled(300), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("long", max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "small"))


def _import_by_turns(config: pytest.Config) -> None:
    """Import all test modules, each worker in an order of its own, so that no two compile the same modules.

    In a clean checkout, compiling them and what they import takes longer than importing what another worker has
    compiled. Collection goes through them in one order, and finds them imported; it reports what cannot be.
    """
    worker = getattr(config, "workerinput", None)
    if worker is None or list(map(Path, config.args)) != [HERE]:
        return
    paths = sorted(HERE.rglob("test_*.py"))
    first = len(paths) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for path in (*paths[first:], *paths[:first]):
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(path.relative_to(HERE.parent).with_suffix("").parts))
    _find_constants_by_turns(first / len(paths))


def _find_constants_by_turns(part: float) -> None:
    """Let Hypothesis look for the constants in our modules, from *part* of them on, before it does so by itself.

    It draws from them, parses each module for them, and keeps what it found in its folder. In a clean checkout each
    worker would parse all 350 modules, in 3 seconds; so half of them are what another worker has written there.
    """
    with contextlib.suppress(ImportError):  # it is no public part of Hypothesis, which does all of it without us
        from hypothesis.internal.constants_ast import constants_from_module, is_local_module_file

        modules = [module for module in sys.modules.values() if getattr(module, "__file__", None)]
        modules.sort(key=lambda module: module.__name__)
        local = [module for module in modules if is_local_module_file(str(module.__file__))]
        first = int(len(local) * part)
        for module in (*local[first:], *local[:first]):
            constants_from_module(module)


def pytest_configure(config: pytest.Config) -> None:
    """Look out for messages that no test produces, and for tests that are skipped for no known reason."""
    config.pluginmanager.register(MessageWatch(config))
    config.pluginmanager.register(SkipWatch(config))


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Keep the garbage collector away from the tests' own objects.

    Eight thousand collected tests are 650,000 objects that live until the end. Walking them takes a third of the
    time of collecting tests, and half a second in each full collection after that. Frozen objects are not walked.
    """
    gc.disable()
    try:
        _import_by_turns(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that fork: a process that has loaded whole catalogs takes forty times as long to copy."""
    items.sort(key=lambda item: item.get_closest_marker("forks") is None)


@pytest.fixture
def snapshot() -> Callable[[str, str], None]:
    """Compare text with the file of that name in tests/snapshots/.

    ``UPDATE_SNAPSHOTS=1 pytest`` writes the files instead; their changes are then read like those of code.
    """

    def compare(name: str, text: str) -> None:
        path = SNAPSHOTS / name
        if "UPDATE_SNAPSHOTS" in os.environ:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", "utf-8")
        assert text + "\n" == path.read_text("utf-8")

    return compare
