"""Needs as sets of bits, and as runs of a family's slots: both stand for the slots that meet them."""

from __future__ import annotations

import random

from olmsolve import Catalog
from olmsolve.catalog.fbc import from_blobs
from olmsolve.catalog.index import CatalogIndex, Group, index_of
from tests.index.plain_families import PlainFamilies, random_blobs, tidy_blobs
from tests.scale import scaled


def _check_bits(index: CatalogIndex, catalog: Catalog) -> dict[str, int]:
    """Compare needs as bits, and as runs of slots, with the slots that meet them; how often what was found."""
    plain = PlainFamilies(catalog)
    columns = index.columns
    places = {columns.string(string): place for place, string in enumerate(columns.name_string)}
    seen = {"bits": 0, "no bits": 0, "runs": 0, "no runs": 0, "none needed": 0}
    for number in range(len(index)):
        needs, home = plain.needs(number), plain.home(number)
        in_bits = index.needs_in_bits(number)
        families = [plain.members(name) for name, _, _ in needs or ()]
        if needs is None or home is None or None in families or home in [name for name, _, _ in needs]:
            assert in_bits is None
            seen["no bits"] += 1
            continue
        assert in_bits is not None
        bits, others = in_bits
        assert others == plain.other_groups(number)
        assert [group for group, _ in bits] == [Group("package", name) for name, _, _ in needs]
        for (_, mask), members, (name, first, end) in zip(bits, families, needs, strict=True):
            ordered = plain.ordered(name)
            assert members is not None
            assert ordered is not None
            assert _of_bits(mask, members) == set(ordered[first:end])
        seen["bits"] += 1
    for name, place in places.items():
        if index.family(place) is None:
            continue
        members = plain.members(name)
        assert members is not None
        for number, runs in zip(members, index.needs_in_runs(place), strict=True):
            needs = plain.needs(number)
            falling = all(_falls(plain, other) for other, _, _ in needs or ())
            own = name in [other for other, _, _ in needs or ()]
            assert (runs is None) == (needs is None or own or not falling or bool(plain.other_groups(number)))
            if runs is None:
                seen["no runs"] += 1
                continue
            assert needs is not None
            seen["runs" if runs else "none needed"] += 1
            assert [group for group, _, _ in runs] == [Group("package", other) for other, _, _ in needs]
            for (_, start, stop), (other, first, end) in zip(runs, needs, strict=True):
                slots, ordered = plain.members(other), plain.ordered(other)
                assert slots is not None
                assert ordered is not None
                assert set(slots[start:stop]) == set(ordered[first:end])
    return seen


def _of_bits(mask: int, members: list[int]) -> set[int]:
    """Return the slots of a family whose bits are in *mask*; bit 0 is nobody's."""
    assert not mask & 1
    assert mask >> len(members) + 1 == 0
    return {slot for place, slot in enumerate(members) if mask >> place + 1 & 1}


def _falls(plain: PlainFamilies, name: str) -> bool:
    """Return whether *name* has a family whose versions fall from slot to slot."""
    members = plain.members(name)
    return members is not None and plain.ordered(name) == members[::-1]


def test_needs_as_bits_and_as_runs() -> None:
    """Solvers ask for needs as sets of bits, and for whole families as runs: both stand for the same slots."""
    total: dict[str, int] = {}
    for seed in range(scaled(250)):
        for blobs in (random_blobs, tidy_blobs):
            catalog = from_blobs(blobs(random.Random(seed)))
            for key, count in _check_bits(index_of(catalog), catalog).items():
                total[key] = total.get(key, 0) + count
    assert min(total.values()) > scaled(50), total


def test_what_a_step_newly_reaches() -> None:
    """A walk of whole families asks for what is new, up to a member that has no needs in bits."""
    stopped = newly = 0
    for seed in range(scaled(250)):
        generator = random.Random(f"reach {seed}")
        index = index_of(from_blobs((random_blobs, tidy_blobs)[seed % 2](generator)))
        reached: dict[Group, int] = {}
        for name in range(len(index.columns.name_string)):
            family = index.family(name)
            if family is None:
                continue
            mask = generator.getrandbits(len(family.slots)) << 1
            expected, stop = dict(reached), None
            order = []
            for position, slot in enumerate(family.slots):
                if mask >> position + 1 & 1:
                    bits = index.needs_in_bits(slot)
                    if bits is None:
                        stop = position
                        break
                    for group, needed in bits[0]:
                        if needed & ~expected.get(group, 0):
                            order.append((group, needed & ~expected.get(group, 0)))
                            expected[group] = expected.get(group, 0) | needed
            assert index.newly_needed(name, mask, reached) == (order, stop)
            assert reached == expected
            stopped += stop is not None
            newly += len(order)
    assert min(stopped, newly) > scaled(50), (stopped, newly)
