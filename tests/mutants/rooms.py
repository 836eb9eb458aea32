"""The rooms that mutants are planted in, and the tests that are asked about each.

These are the tests of the room, and recordings about nothing else: minutes of tests for each mutant would leave time
for a few of them only. A survivor may be found by tests of a higher room; it still deserves one nearby.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import attrs

__all__ = ["ROOMS", "ROOT", "MutatedRoom"]

ROOT: Final = Path(__file__).parents[2]


@attrs.frozen
class MutatedRoom:
    """A room at *folder*, and the *tests* that are asked about its mutants."""

    folder: str
    tests: tuple[str, ...]

    def modules(self) -> dict[str, Path]:
        """The modules of the room with code of their own, by name."""
        files = sorted((ROOT / self.folder).rglob("*.py"))
        names = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in files}
        return {name: file for name, file in names.items() if file.name != "__init__.py"}

    def test_files(self) -> list[str]:
        """The files with tests, as paths from the root."""
        paths = [ROOT / test for test in self.tests]
        files = [file for path in paths for file in (sorted(path.rglob("test_*.py")) if path.is_dir() else [path])]
        return [str(file.relative_to(ROOT)) for file in files]


ROOMS: Final = {
    "semver": MutatedRoom("olmsolve/semver", ("tests/semver", "tests/conformance/test_semver_vectors.py")),
    "predicates": MutatedRoom(
        "olmsolve/predicates", ("tests/predicates", "tests/conformance/test_constraint_vectors.py")
    ),
    "update_graph": MutatedRoom(
        "olmsolve/catalog/update_graph",
        ("tests/update_graph", "tests/render/test_mermaid.py", "tests/compose/test_next_upgrades.py"),
    ),
    "index": MutatedRoom(
        "olmsolve/catalog/index", ("tests/index", "tests/index_files", "tests/classic/test_package_families.py")
    ),
    "solver": MutatedRoom(
        "olmsolve/solver",
        (
            "tests/solver",
            "tests/classic/test_compiled.py",
            "tests/classic/test_compiled_formats.py",
            "tests/classic/test_foreign_solvers.py",
            "tests/classic/test_package_families.py",
            "tests/property/test_resolver_is_its_definition.py",
        ),
    ),
    "classic": MutatedRoom(
        "olmsolve/classic",
        (
            "tests/classic",
            "tests/property/test_resolver_is_its_definition.py",
            "tests/property/test_refused_is_as_deprecated.py",
            "tests/scenarios/test_scenarios.py",
            "tests/requests",
            "tests/questions",
            "tests/planning",
            "tests/events/test_events.py",
            "tests/facade/test_values.py",
            "tests/test_plans.py",
        ),
    ),
    "v1": MutatedRoom(
        "olmsolve/v1",
        ("tests/v1", "tests/extensions", "tests/conformance/test_v1_vectors.py", "tests/cli/test_migrate.py"),
    ),
    "explain": MutatedRoom(
        "olmsolve/answers/explain",
        (
            "tests/explain",
            "tests/extensions",
            "tests/questions",
            "tests/held_back",
            "tests/classic/test_house_rules.py",
            "tests/conformance/test_explained_vectors.py",
            "tests/property/test_explanations_hold.py",
            "tests/scenarios/test_scenarios.py",
        ),
    ),
}
