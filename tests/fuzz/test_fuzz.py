"""A short run of the fuzzer with a seed of its own: the same inputs every time. ``python -m tests.fuzz`` goes on.

Each parser gets 4,000 inputs, and each command 120; in the short run a quarter and a twentieth of them.
"""

from __future__ import annotations

import pytest

from tests.fuzz.commands import COMMAND_TARGETS
from tests.fuzz.fuzzing import Run
from tests.fuzz.image_files import IMAGE_TARGETS
from tests.fuzz.index_file import INDEX
from tests.fuzz.mutations import LONGEST, Mutator, shrunk
from tests.fuzz.targets import TARGETS, Target
from tests.scale import scaled

INPUTS = scaled(4000, 4)


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
def test_every_text_gives_an_answer_or_our_error_in_time(target: Target) -> None:
    """Catalogs come from strangers: whatever they hold, a parser answers, and does so soon."""
    run = Run(target, seed=1)
    run.batch(INPUTS)
    assert [str(finding) for finding in run.findings.values()] == []
    assert run.inputs == INPUTS
    assert run.outcomes > 20


@pytest.mark.parametrize("name", COMMAND_TARGETS)
def test_every_command_ends_as_documented_whatever_its_files_hold(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that ends with a stack trace, without a word or with an odd code leaves people and scripts alone."""
    monkeypatch.setenv("OLMSOLVE_TRACEBACK", "1")
    run = Run(COMMAND_TARGETS[name], seed=1)
    run.batch(scaled(120, 20))
    assert [str(finding) for finding in run.findings.values()] == []
    assert run.outcomes > 1


def test_a_damaged_index_changes_no_answer() -> None:
    """It stands beside a catalog that says the same, so it is skipped with a note."""
    run = Run(INDEX, seed=1)
    run.batch(scaled(600))
    assert [str(finding) for finding in run.findings.values()] == []
    assert run.outcomes > 1


@pytest.mark.parametrize("name", IMAGE_TARGETS)
def test_a_damaged_image_gives_a_catalog_or_our_error(name: str) -> None:
    """Images and old databases come from strangers, and most of their bytes are lengths and offsets."""
    run = Run(IMAGE_TARGETS[name], seed=1)
    run.batch(scaled(1500, 6))
    assert [str(finding) for finding in run.findings.values()] == []
    assert run.outcomes > 5


def test_inputs_depend_on_the_seed_alone() -> None:
    """A finding that cannot be repeated cannot be fixed."""
    one, same, other = (Mutator(seed, ("1.2.3",), (".", "x")) for seed in ("a", "a", "b"))
    texts = [one.short() for _ in range(100)]
    assert texts == [same.short() for _ in range(100)] != [other.short() for _ in range(100)]
    assert max(len(one.long()) for _ in range(50)) > LONGEST - 1000


def test_faults_are_found_and_made_small() -> None:
    """A harness that finds nothing proves something only if it would have found something."""

    def fragile(text: str) -> str:
        count = text.count("x")
        return f"{count} {1 // (count < 3)}"

    run = Run(Target("fragile", fragile, ("1.2.3",), ("x", "y")), seed=1)
    run.batch(500)
    (finding,) = run.findings.values()
    assert finding.input == "xxx"
    assert finding.reason.startswith("ZeroDivisionError")
    assert shrunk("aabaa", lambda text: "b" in text) == "b"
