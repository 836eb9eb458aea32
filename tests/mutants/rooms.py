"""The rooms that mutants are planted in, and the tests that are asked about each."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import attrs

__all__ = ["ROOMS", "ROOT", "MutatedRoom"]

ROOT: Final = Path(__file__).parents[2]


@attrs.frozen
class MutatedRoom:
    """A room at *folder*, and its *tests*: its own, and the recorded answers about it."""

    folder: str
    tests: tuple[str, ...]

    def modules(self) -> dict[str, Path]:
        """The modules of the room with code of their own, by name."""
        files = sorted((ROOT / self.folder).rglob("*.py"))
        names = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in files}
        return {name: file for name, file in names.items() if file.name != "__init__.py"}


ROOMS: Final = {
    "semver": MutatedRoom("olmsolve/semver", ("tests/semver", "tests/conformance/test_semver_vectors.py")),
    "predicates": MutatedRoom(
        "olmsolve/predicates", ("tests/predicates", "tests/conformance/test_constraint_vectors.py")
    ),
    "update_graph": MutatedRoom(
        "olmsolve/catalog/update_graph",
        ("tests/update_graph", "tests/conformance/test_graph_vectors.py", "tests/conformance/test_classic_vectors.py"),
    ),
    "index": MutatedRoom("olmsolve/catalog/index", ("tests/index", "tests/conformance/test_classic_vectors.py")),
    "solver": MutatedRoom("olmsolve/solver", ("tests/solver", "tests/conformance/test_classic_cores.py")),
    "classic": MutatedRoom(
        "olmsolve/classic", ("tests/classic", "tests/conformance/test_classic_vectors.py", "tests/property")
    ),
}
