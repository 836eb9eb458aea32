"""Synthetic catalogs are what their door promises: valid, repeatable, solvable or not, and shaped as measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from statistics import median
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.shapes import CATALOGS, TARGET, figures, measured
from olmsolve import Unsatisfiable, resolve, validate
from olmsolve.authoring.checks import Severity
from olmsolve.catalog import fbc
from olmsolve.testing import reference, synthetic
from olmsolve.testing.synthetic import DenseProblem, DenseShape, Difficulty, dense_problem, lines, realistic_blobs
from tests.recorded import shared
from tests.scale import LONG, scaled

_DIFFICULTIES: tuple[Difficulty, ...] = ("easy", "hard")
_SHAPES = st.builds(
    DenseShape,
    packages=st.integers(4, 12),
    versions=st.integers(2, 6),
    requirements=st.integers(1, 3),
    roots=st.integers(2, 4),
)
_PRINT_DIGEST = """
import hashlib
from olmsolve.testing.synthetic import dense_problem, lines, realistic_blobs
digest = hashlib.sha256()
for text in lines(dense_problem("S", "hard", satisfiable=False, seed=3).blobs()):
    digest.update(text.encode())
for like in ("community-prod", "fbc-v4.20-full"):
    for text in lines(realistic_blobs(6, like=like, seed=3)):
        digest.update(text.encode())
print(digest.hexdigest())
"""


def _errors(problem: DenseProblem) -> list[str]:
    return [str(finding) for finding in validate(problem.catalog()) if finding.severity is Severity.ERROR]


def test_sizes_are_as_named() -> None:
    """Figures of different days are comparable only if a size always means the same number of bundles."""
    bundles = {name: shape.packages * shape.versions for name, shape in synthetic.SIZES.items()}
    assert bundles == {"S": 1_000, "M": 20_000, "L": 100_000, "XL": 1_000_000}
    catalog = synthetic.catalog("S")
    assert sum(len(package.bundles) for package in catalog) == 1_000
    assert len(synthetic.request("S").subscriptions) == 5


def test_difficulty_is_the_share_of_bounded_requirements() -> None:
    """Hard problems differ from easy ones in how many requirements have an upper bound, and in nothing else."""
    shares = {}
    for difficulty in _DIFFICULTIES:
        problem = dense_problem("M", difficulty)
        top = len(problem.requires[0]) - 1
        windows = [window for rows in problem.requires for row in rows for window in row]
        # A window that reaches the newest version has no bound to write.
        shares[difficulty] = sum(high < top for _, _, high in windows) / len(windows)
    assert shares["easy"] < 0.3 < shares["hard"] < 0.8
    assert shares["hard"] / shares["easy"] == pytest.approx(0.8 / 0.3, rel=0.05)


@pytest.mark.parametrize("difficulty", _DIFFICULTIES)
def test_planted_problems_are_solved(difficulty: Difficulty) -> None:
    """A benchmark that times an answer needs to know that there is one; the answer is checked by the numbers alone."""
    for seed in range(scaled(12)):
        problem = dense_problem("S", difficulty, seed=seed)
        plan = resolve(problem.request())
        selected = {int(install.package[3:]): int(install.version.split(".")[1]) for install in plan.installs}
        assert problem.faults(selected) == []


@settings(max_examples=scaled(120))
@given(_SHAPES, st.sampled_from(_DIFFICULTIES), st.booleans(), st.integers(0, 10_000))
def test_any_shape_is_valid_and_answered_as_it_says(
    shape: DenseShape, difficulty: Difficulty, satisfiable: bool, seed: int
) -> None:
    """Whatever the shape, `opm` would accept the catalog, and there is a plan exactly where one is promised."""
    problem = dense_problem(shape, difficulty, satisfiable=satisfiable, seed=seed)
    assert _errors(problem) == []
    try:
        plan = resolve(problem.request())
    except Unsatisfiable:
        assert not satisfiable
    else:
        assert satisfiable
        selected = {int(install.package[3:]): int(install.version.split(".")[1]) for install in plan.installs}
        assert problem.faults(selected) == []


def test_a_brute_force_agrees() -> None:
    """The reference, which shares nothing with the search, finds a solution where one is planted and none elsewhere."""
    shape = DenseShape(packages=4, versions=2, requirements=1, roots=2)
    for seed in range(scaled(30)):
        for satisfiable in (True, False):
            request = dense_problem(shape, "hard", satisfiable=satisfiable, seed=seed).request()
            assert (reference.resolve(request) is not None) is satisfiable


def test_bytes_depend_on_the_arguments_alone() -> None:
    """Recorded figures name a seed, and that has to mean the same catalog in every process."""
    digests = set()
    for hash_seed in ("0", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", _PRINT_DIGEST]
        digests.add(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
    assert len(digests) == 1
    first, second = ("".join(lines(realistic_blobs(6, seed=seed))) for seed in (1, 2))
    assert first != second
    assert dense_problem(seed=1) != dense_problem(seed=2)


@pytest.mark.parametrize("like", sorted(CATALOGS))
def test_realistic_catalogs_are_valid(like: str) -> None:
    """A generated catalog stands in for a real one, so `opm` has to accept it."""
    for seed in range(scaled(6)):
        catalog = synthetic.realistic_catalog(20, like=like, seed=seed)
        assert len(list(catalog)) == 20
        texts = [str(finding) for finding in validate(catalog, advice=False)]
        assert texts == []


def test_realistic_catalogs_have_the_measured_shape() -> None:
    """Measured as the real catalog was, a generated one shows the same figures; the long run makes two."""
    expected = json.loads(TARGET.read_text("utf-8"))["community-prod"]
    for seed in (1, 2) if LONG else (1,):
        blobs = list(realistic_blobs(seed=seed))
        shape = measured(blobs)
        assert shape["packages"] == expected["packages"]
        for name in ("bundles", "names", "api_kinds"):
            assert sum(shape[name]) == pytest.approx(sum(expected[name]), rel=0.1), name
            assert median(shape[name]) == pytest.approx(median(expected[name]), rel=0.15), name
        for name in ("skipping", "ranged_entries", "api_changes"):
            assert shape[name] == pytest.approx(expected[name], rel=0.35), name
        for name in ("steps", "skip_ranges"):
            _assert_alike(shape[name], expected[name])
        kinds = Counter(blob["schema"] for blob in blobs)
        # As the catalog's own README counts them.
        assert kinds["olm.bundle"] == pytest.approx(6_890, rel=0.1)
        assert kinds["olm.channel"] == pytest.approx(654, rel=0.2)
        assert sum(map(len, lines(blobs))) == pytest.approx(7_270_000, rel=0.2)


def _assert_alike(actual: Mapping[str, int], expected: Mapping[str, int]) -> None:
    """Compare the shares of counts, where they are a tenth or more."""
    for name, count in expected.items():
        share = count / sum(expected.values())
        if share >= 0.1:
            assert actual[name] / sum(actual.values()) == pytest.approx(share, rel=0.25), name


def test_heavy_parts_have_the_measured_size() -> None:
    """Reading a catalog costs what its descriptions and examples weigh, so their bytes have to be as measured."""
    expected = json.loads(TARGET.read_text("utf-8"))["fbc-v4.20-full"]["properties"]["olm.csv.metadata"]
    metadata = measured(realistic_blobs(like="fbc-v4.20-full"))["properties"]["olm.csv.metadata"]
    assert metadata["share"] == expected["share"]
    assert median(metadata["bytes"]) == pytest.approx(median(expected["bytes"]), rel=0.35)
    assert max(metadata["bytes"]) == pytest.approx(max(expected["bytes"]), rel=0.35)


def test_the_figures_are_those_of_the_recorded_catalogs() -> None:
    """The file in the repository has an origin: measuring the recorded catalogs gives it again.

    The short run measures the one in JSON.
    """
    names = CATALOGS if LONG else ["community-prod"]
    expected = json.loads(TARGET.read_text("utf-8"))
    assert list(expected) == list(CATALOGS)
    assert figures(shared(), names) == {name: expected[name] for name in names}


def test_blobs_survive_being_written_and_read() -> None:
    """Lines are the form in which benchmarks load catalogs; nothing may be lost on the way."""
    blobs: list[dict[str, Any]] = list(realistic_blobs(8, like="fbc-v4.20-full"))
    assert [json.loads(line) for line in lines(blobs)] == blobs
    assert list(fbc.from_blobs(blobs)) == list(synthetic.realistic_catalog(8, like="fbc-v4.20-full"))


def test_wrong_arguments_say_what_is_right() -> None:
    """A misspelt size must not become a benchmark of something else."""
    with pytest.raises(ValueError, match="sizes are S, M, L, XL, not 'XXL'"):
        synthetic.catalog("XXL")
    with pytest.raises(ValueError, match="difficulty is easy or hard, not 'fair'"):
        synthetic.catalog("S", "fair")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="needs two roots"):
        synthetic.request(DenseShape(4, 2, 1, 1), satisfiable=False)
    with pytest.raises(ValueError, match="3 roots need as many packages, not 2"):
        DenseShape(2, 2, 1, 3)
    with pytest.raises(ValueError, match="start at 1, versions at 2"):
        DenseShape(2, 1, 1, 1)
    with pytest.raises(ValueError, match=r"measured catalogs are community-prod, fbc-v4.20-full, not 'mine'"):
        synthetic.realistic_catalog(like="mine")
    with pytest.raises(ValueError, match="a catalog needs a package, not 0"):
        synthetic.realistic_catalog(0)
