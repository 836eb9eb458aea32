"""Findings that say the same of many bundles, told once: a fault mostly lives on from version to version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import attrs

from olmsolve.catalog import Package, published
from olmsolve.checks.finding import Finding, shortened

__all__ = ["Highest", "listed", "merged"]

_SHOWN: Final = 3


class Highest:
    """Bundles of a package by version: the key by which the higher is the greater."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._known: dict[str, tuple[Any, ...]] = {}

    def __call__(self, name: str) -> tuple[Any, ...]:
        if name not in self._known:
            bundle = self._package.bundles.get(name)
            version = None if bundle is None else published(self._package.name, bundle.properties).version
            self._known[name] = ((), name) if version is None else ((version.key,), name)
        return self._known[name]


def merged(findings: Iterable[Finding], height: Highest) -> Iterator[Finding]:
    """*findings* with those that differ in their bundle alone as one, on the highest version, in the order of these."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        key = finding.severity, finding.code, finding.message, finding.hint, finding.channel
        groups.setdefault(key, []).append(finding)
    for group in groups.values():
        first = max(group, key=lambda finding: height(finding.bundle))
        others = {finding.bundle for finding in group} - {first.bundle}
        if others:
            count = len(others)
            rest = f"; the same in {count} other bundle{'s' * (count != 1)}: {listed(sorted(others, key=height))}"
            first = attrs.evolve(first, message=first.message + rest)
        yield first


def listed(names: Sequence[str]) -> str:
    """*names* as people list them: all of a few, of many the first and the last."""
    if len(names) <= _SHOWN:
        return ", ".join(map(shortened, names))
    return f"{shortened(names[0])}, {shortened(names[1])} ... {shortened(names[-1])}"
