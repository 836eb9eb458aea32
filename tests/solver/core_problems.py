"""Small problems with cores of every kind: in families and without, in blocks, with members outside their group."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

from olmsolve.solver import (
    Constraint,
    Dependency,
    Exclusive,
    GroupName,
    Identifier,
    Incompatible,
    MaskedNeeds,
    Prohibited,
    Variables,
)
from tests.solver.test_families import Packages

__all__ = ["LETTERS", "Blocks", "in_families", "layered", "some_packages", "with_outsiders"]

LETTERS = "abcdefghi"


def with_outsiders(generator: random.Random) -> Variables:
    """Three packages of three; the last of each is prohibited, and often no member of its package's group."""
    packages = [LETTERS[start : start + 3] for start in (0, 3, 6)]

    def dependency(subject: str | None) -> Dependency:
        package = generator.choice(packages)
        candidates = tuple(generator.sample(package, generator.randint(1, 3)))
        return Dependency(subject, candidates, None, f"package {package}")

    variables: dict[Identifier, list[Constraint]] = {
        f"root {number}": [dependency(None)] for number in range(generator.randint(1, 3))
    }
    for package in packages:
        for name in package:
            own: list[Constraint] = []
            outsider = name == package[-1]
            groups = [] if outsider and generator.random() < 0.7 else [f"package {package}"]
            if generator.random() < 0.5:
                groups.append(generator.choice(["api x", "api y"]))
            if outsider:
                own.append(Prohibited(name))
            if groups:
                own.append(Exclusive(name, tuple(groups)))
            own.extend(dependency(name) for _ in range(generator.randint(0, 2)))
            variables[name] = own
    return Variables(variables)


def layered(generator: random.Random, depth: int | None = None, size: int | None = None) -> Variables:
    """Packages that need windows of the next ones' versions, the last of which two chains disagree about.

    The chains have *depth* packages of *size* versions each; without these, two to four.
    """
    depth, size = depth or generator.randint(2, 4), size or generator.randint(2, 4)
    chains = [[f"{name}{level}" for level in range(depth)] + ["last"] for name in "pq"]
    variables: dict[Identifier, list[Constraint]] = {}

    def window(package: str, part: int) -> tuple[Identifier, ...]:
        half = size // 2 or 1
        versions = range(half) if part == 0 else range(half, size) if part == 1 else range(size)
        if part == 2 and generator.random() < 0.5:
            versions = range(generator.randint(0, size - 1), size)
        return tuple(f"{package}.{version}" for version in reversed(versions))

    for part, links in enumerate(chains):
        group = f"package {links[0]}"
        variables[f"root {part}"] = [Dependency(None, window(links[0], 3), None, group)]
        for package, following in pairwise(links):
            for version in range(size):
                subject = f"{package}.{version}"
                window_part = part if following == "last" else 2
                own: list[Constraint] = [Exclusive(subject, (f"package {package}",))]
                own.append(Dependency(subject, window(following, window_part), None, f"package {following}"))
                if generator.random() < 0.3:
                    other = generator.choice(generator.choice(chains)[1:])
                    own.append(Dependency(subject, window(other, 2), None, f"package {other}"))
                if generator.random() < 0.1:
                    own.append(Incompatible(subject, generator.choice(window(generator.choice(chains)[0], 3))))
                if generator.random() < 0.05:
                    own.append(Prohibited(subject))
                variables[subject] = own
    for version in range(size):
        variables[f"last.{version}"] = [Exclusive(f"last.{version}", ("package last", f"api {version % 2}"))]
    return Variables(variables)


class Blocks(Packages):
    """Packages whose members are one block each, as in catalogs; dense, so that the deciding engine finds cores."""

    dense = True

    def block(self, identifier: Identifier) -> str:
        return str(identifier).split(".")[0]

    def block_of(self, group: GroupName) -> str | None:
        return str(group).removeprefix("package ")


def in_families(problem: Variables) -> Blocks:
    """Return *problem*, which is :func:`layered`, with a view of its packages as families, newest version first.

    Masked needs leave out the APIs, each of which bundles of one package provide, and cannot say that a bundle needs
    one of its own package.
    """
    members: dict[GroupName, list[str]] = {}
    for name, constraints in problem.variables.items():
        for constraint in constraints:
            if isinstance(constraint, Exclusive):
                members.setdefault(constraint.groups[0], []).insert(0, str(name))
    masked: dict[Identifier, MaskedNeeds] = {}
    for name, constraints in problem.variables.items():
        if all(isinstance(constraint, Exclusive | Dependency) for constraint in constraints):
            needs: list[tuple[GroupName, int]] = []
            for need in constraints:
                if isinstance(need, Dependency):
                    own = members[need.group or ""]
                    needs.append(
                        (need.group or "", sum(2 << own.index(str(candidate)) for candidate in need.candidates))
                    )
            if all(name not in members[group] for group, _ in needs):
                masked[name] = MaskedNeeds(tuple(needs), ())
    return Blocks(problem.variables, members, masked)


def some_packages(generator: random.Random) -> Packages:
    """Return packages that need windows of others, some in circles, and groups that some of the bundles share.

    Most packages are one block each; bundles of some problems are blocks of their own. Groups that bundles of several
    packages share are in the masked needs, groups within a package are not. A bundle may hold another package's group.
    """
    circular = generator.choice([0, 0.2, 0.8])
    names = generator.sample("abcde", generator.randint(2, 5))
    families: dict[GroupName, Sequence[str]] = {
        f"package {name}": tuple(f"{name}.{version}" for version in range(generator.choice([1, 2, 3, 3, 4])))
        for name in names
    }

    def window(package: str) -> tuple[tuple[str, ...], int]:
        versions = families[f"package {package}"]
        mask = (2 << len(versions)) - 2 & generator.choice([2, 4, 6, 8, 12, -2])
        return tuple(version for number, version in enumerate(versions) if mask & 2 << number), mask

    variables: dict[Identifier, list[Constraint]] = {}
    masked: dict[Identifier, MaskedNeeds] = {}
    for number in range(generator.randint(1, 4)):
        name = generator.choice(names[:2])
        wanted, _ = window(name)
        variables[f"root {number}"] = [Dependency(None, wanted or (f"{name}.0",), None, f"package {name}")]
    for level, name in enumerate(names):
        for subject in families[f"package {name}"]:
            shared = [f"api {generator.randrange(2)}"] if generator.random() < 0.1 else []
            other = generator.choice(names)
            if other != name and generator.random() < 0.2:
                shared.append(f"package {other}")
            inner = [f"inner {name}"] * (generator.random() < 0.5)
            own: list[Constraint] = [Exclusive(subject, (f"package {name}", *shared, *inner))]
            needs: list[tuple[GroupName, int]] = []
            for other in [*names[level + 1 :], *(name for name in names[:level] if generator.random() < circular)]:
                while generator.random() < 0.5:
                    candidates, mask = window(other)
                    own.append(Dependency(subject, candidates, None, f"package {other}"))
                    needs.append((f"package {other}", mask))
            if generator.random() < 0.1:
                own.append(Prohibited(subject))
            else:
                masked[subject] = MaskedNeeds(tuple(needs), tuple(shared))
            variables[subject] = own
    kind = Packages if generator.random() < 0.2 else Blocks
    return kind(variables, families, masked)
