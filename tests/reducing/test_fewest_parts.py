"""The two steps of each reduction, on their own: the fewest parts that matter, and simpler values.

A request answers one question about a set of parts; here any question is asked.
"""

from __future__ import annotations

import json
import random

from olmsolve.answers.reducing.reduction import Deadline, fewest
from olmsolve.answers.reducing.request_parts import simpler_values


def test_values_become_smaller_step_by_step() -> None:
    """Compounds become their parts, ranges lose terms; each step is smaller than what it was made of."""
    value = {"any": {"constraints": [{"package": {"packageName": "p", "versionRange": ">=1.0.0 <2.0.0 || 3.0.0"}}]}}
    steps = list(simpler_values(value))
    assert steps[0] == value["any"]["constraints"][0]
    ranges = [json.dumps(step) for step in steps[1:]]
    assert any('">=1.0.0 <2.0.0"' in text for text in ranges)
    assert any('"3.0.0"' in text for text in ranges)
    assert all(len(json.dumps(step)) < len(json.dumps(value)) for step in steps)


def test_no_single_part_can_be_left_out() -> None:
    """Also where leaving out a part makes an earlier one superfluous; a deadline that is over leaves all parts."""
    chosen = random.Random(4)
    for _ in range(200):
        every = frozenset(range(chosen.randrange(1, 7)))
        holding = {every} | {frozenset(n for n in every if chosen.random() < 0.6) for _ in range(chosen.randrange(12))}

        def holds(parts: list[int], holding: set[frozenset[int]] = holding) -> bool:
            return frozenset(parts) in holding

        kept = fewest(sorted(every), holds, Deadline(None))
        assert kept == sorted(kept)
        assert frozenset(kept) in holding
        assert not any(frozenset(kept) - {part} in holding for part in kept)
        assert fewest(sorted(every), holds, Deadline(0)) == sorted(every)


def test_fewest_parts() -> None:
    """Any number of parts may matter, wherever they stand."""
    generator = random.Random(1)
    for size in range(60):
        needed = set(generator.sample(range(size), generator.randint(0, min(size, 5))))
        assert fewest(range(size), needed.issubset, Deadline(None)) == sorted(needed)
