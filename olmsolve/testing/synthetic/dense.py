"""Dense problems: every version of every package requires others, so that a request has much to search.

Version ``i`` of package ``p`` is the bundle ``pkgP.v1.I.0``; the only channel, ``stable``, leads through all versions.
A bundle requires packages with higher numbers only, so there is no cycle, each in a range of versions: open at the top,
or with an upper bound. One version of each package is planted: these versions meet each other's requirements, so there
is a solution. Problems without one have two chains of three packages besides, which start at two roots and end at
ranges of one package that share no version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, Literal, TypeAlias

import olmsolve._attrs as attrs
from olmsolve.catalog import Catalog, Source, fbc
from olmsolve.classic import Request, Subscription
from olmsolve.testing.synthetic.draws import Draws

Difficulty: TypeAlias = Literal["easy", "hard"]
Window: TypeAlias = tuple[int, int, int]
"""A required package, and the lowest and highest version that will do: all three are numbers."""
Rows: TypeAlias = list[list[Window]]
"""The windows that each version of one package requires."""

_WINDOWS: Final[Mapping[str, float]] = {"easy": 0.3, "hard": 0.8}
_ODD_TARGET: Final = 0.1  # share of windows outside of the usual ones
_CHAIN: Final = 3
_NAMESPACES: Final = ("target", "olm")
_CATALOG: Final = "synthetic"


@attrs.frozen
class DenseShape:
    """The size of a dense problem.

    It has *packages* with *versions* each; a bundle requires *requirements* other packages (fewer, where fewer come
    after its own), and the request subscribes to *roots* packages out of the first tenth.

    Raises:
        ValueError: a number is below 1, *versions* is below 2, or there are more *roots* than *packages*.
    """

    packages: int
    versions: int
    requirements: int
    roots: int

    def __attrs_post_init__(self) -> None:
        if min(attrs.astuple(self)) < 1 or self.versions < 2:
            raise ValueError("packages, requirements and roots start at 1, versions at 2")
        if self.roots > self.packages:
            raise ValueError(f"{self.roots} roots need as many packages, not {self.packages}")


SIZES: Final[Mapping[str, DenseShape]] = {
    "S": DenseShape(100, 10, 2, 5),
    "M": DenseShape(1_000, 20, 3, 20),
    "L": DenseShape(5_000, 20, 3, 50),
    "XL": DenseShape(50_000, 20, 3, 50),
}
"""1,000, 20,000, 100,000 and 1,000,000 bundles."""


@attrs.frozen
class DenseProblem:
    """Packages and wishes as numbers, which other solvers can be given as they are.

    *requires* [package][version] lists windows; *roots* are the packages to be installed, in any version.
    """

    requires: Sequence[Sequence[Sequence[Window]]]
    roots: Sequence[int]

    def blobs(self) -> Iterator[dict[str, Any]]:
        """Yield the catalog: the blobs of package 0, of package 1 and so on, each as file-based catalogs have it."""
        for number, rows in enumerate(self.requires):
            name = f"pkg{number}"
            bundles = [f"{name}.v1.{version}.0" for version in range(len(rows))]
            yield {"schema": "olm.package", "name": name, "defaultChannel": "stable"}
            updates = [{"name": after, "replaces": before} for before, after in pairwise(bundles)]
            entries = [{"name": bundles[0]}, *updates]
            yield {"schema": "olm.channel", "package": name, "name": "stable", "entries": entries}
            for version, windows in enumerate(rows):
                yield self._bundle(number, version, windows)

    def _bundle(self, number: int, version: int, windows: Sequence[Window]) -> dict[str, Any]:
        name = f"pkg{number}"
        gvk = {"group": f"g{number}.example.com", "version": "v1", "kind": f"Kind{number}"}
        properties: list[dict[str, Any]] = [
            {"type": "olm.package", "value": {"packageName": name, "version": f"1.{version}.0"}},
            {"type": "olm.gvk", "value": gvk},
        ]
        for target, low, high in windows:
            above = "" if high == len(self.requires[target]) - 1 else f" <=1.{high}.0"
            value = {"packageName": f"pkg{target}", "versionRange": f">=1.{low}.0{above}"}
            properties.append({"type": "olm.package.required", "value": value})
        return {
            "schema": "olm.bundle",
            "name": f"{name}.v1.{version}.0",
            "package": name,
            "image": f"example.com/{name}:1.{version}.0",
            "properties": properties,
        }

    def catalog(self) -> Catalog:
        """Return the catalog of :meth:`blobs`."""
        return fbc.from_blobs(self.blobs(), origin=_CATALOG)

    def request(self, catalog: Catalog | None = None) -> Request:
        """Return the request for the roots over *catalog*, by default a new :meth:`catalog`.

        The catalog is called ``synthetic`` in the namespace ``olm``; subscriptions are in the namespace ``target``.
        """
        source = Source(_CATALOG, "olm", 0, self.catalog() if catalog is None else catalog)
        wishes = [
            Subscription(f"root-{root}", "target", f"pkg{root}", "stable", _CATALOG, "olm") for root in self.roots
        ]
        return Request(_NAMESPACES, [source], wishes)

    def reached(self) -> list[int]:
        """Return the packages that some requirement on a way from the roots names, and the roots, ascending."""
        reached = set(self.roots)
        waiting = list(reached)
        while waiting:
            new = {target for row in self.requires[waiting.pop()] for target, _, _ in row} - reached
            reached |= new
            waiting.extend(new)
        return sorted(reached)

    def faults(self, selected: Mapping[int, int]) -> list[str]:
        """Return why *selected*, the version of each installed package, is no solution: one sentence for each fault."""
        faults = [f"root {root} is missing" for root in self.roots if root not in selected]
        for package, version in selected.items():
            for target, low, high in self.requires[package][version]:
                if not low <= selected.get(target, -1) <= high:
                    faults.append(f"{package} {version} needs {target} in {low}..{high}, not {selected.get(target)}")
        return faults


def dense_problem(
    size: str | DenseShape = "S", difficulty: Difficulty = "easy", *, satisfiable: bool = True, seed: int = 1
) -> DenseProblem:
    """Return the dense problem of *size*, a name in :data:`SIZES` or a shape; the same arguments give the same problem.

    *difficulty* says how many requirements have an upper bound: 30 % (easy) or 80 % (hard). ``satisfiable=False`` adds
    the conflict.

    Raises:
        ValueError: no such size or difficulty, or a problem without a solution has one root only.
    """
    shape = _shape(size)
    if difficulty not in _WINDOWS:
        raise ValueError(f"difficulty is easy or hard, not {difficulty!r}")
    if not satisfiable and shape.roots < 2:
        raise ValueError("a problem without a solution needs two roots, whose requirements conflict")
    draws = Draws(seed)
    planted = [shape.versions // 2 + draws.below((shape.versions + 1) // 2) for _ in range(shape.packages)]
    requires = [_rows(draws, shape, package, planted, _WINDOWS[difficulty]) for package in range(shape.packages)]
    roots = draws.distinct(0, max(shape.roots, shape.packages // 10), shape.roots)
    if not satisfiable:
        _add_conflict(requires, roots[0], roots[1], shape.versions)
    return DenseProblem(requires, roots)


def _shape(size: str | DenseShape) -> DenseShape:
    if isinstance(size, DenseShape):
        return size
    if size not in SIZES:
        raise ValueError(f"sizes are {', '.join(SIZES)}, not {size!r}")
    return SIZES[size]


def _rows(draws: Draws, shape: DenseShape, package: int, planted: Sequence[int], windows: float) -> Rows:
    """Return what each version of *package* requires: mostly the same packages, in ranges that rise with it."""
    first, stop = package + 1, shape.packages
    usual = draws.distinct(first, stop, min(shape.requirements, stop - first))
    rows = []
    for version in range(shape.versions):
        targets = usual
        if usual and stop - first > len(usual) and draws.chance(_ODD_TARGET):
            # Now and then a version replaces one of its package's usual requirements.
            others = [target for target in draws.distinct(first, stop, len(usual) + 1) if target not in usual]
            targets = list(usual)
            targets[draws.below(len(usual))] = others[0]
        row = [(target, *_range(draws, shape.versions, version, windows)) for target in targets]
        if version == planted[package]:
            row = [(target, min(low, planted[target]), max(high, planted[target])) for target, low, high in row]
        rows.append(row)
    return rows


def _range(draws: Draws, versions: int, version: int, windows: float) -> tuple[int, int]:
    """Return the lowest and highest version of a range around *version*, up to half of all versions to either side."""
    top, half = versions - 1, versions // 2
    middle = min(top, max(0, int(version + draws.bell() * versions / 4)))
    low = max(0, middle - draws.below(half))
    high = min(top, middle + draws.below(half)) if draws.chance(windows) else top
    return low, high


def _add_conflict(requires: list[Rows], one: int, other: int, versions: int) -> None:
    """Let all versions of two roots require, by three packages each, ranges of a new package that share no version."""
    contested, half, top = len(requires), versions // 2, versions - 1
    requires.append([[] for _ in range(versions)])
    for root, (low, high) in ((one, (0, half - 1)), (other, (half, top))):
        first = len(requires)
        for row in requires[root]:
            row.append((first, 0, top))
        links = [(first + number, 0, top) for number in range(1, _CHAIN)]
        requires.extend([[link] for _ in range(versions)] for link in [*links, (contested, low, high)])


def catalog(
    size: str | DenseShape = "S", difficulty: Difficulty = "easy", *, satisfiable: bool = True, seed: int = 1
) -> Catalog:
    """Return the catalog of the :func:`dense_problem` with these arguments."""
    return dense_problem(size, difficulty, satisfiable=satisfiable, seed=seed).catalog()


def request(
    size: str | DenseShape = "S", difficulty: Difficulty = "easy", *, satisfiable: bool = True, seed: int = 1
) -> Request:
    """Return the request for the roots of the :func:`dense_problem` with these arguments, over its catalog.

    >>> len(request("S").subscriptions)
    5
    """
    return dense_problem(size, difficulty, satisfiable=satisfiable, seed=seed).request()
