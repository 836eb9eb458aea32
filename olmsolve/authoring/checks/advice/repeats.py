"""Merging of findings that repeat across versions: most faults live on from version to version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import attrs

from olmsolve.authoring.checks.advice.facts import VersionKey
from olmsolve.authoring.checks.finding import Finding, shortened

_SHOWN: Final = 3


def merged(findings: Iterable[Finding], version_key: VersionKey) -> Iterator[Finding]:
    """Merge findings that differ only in their bundle; the merged one is on the highest version.

    Groups come in the order of their first findings.
    """
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        key = finding.severity, finding.code, finding.message, finding.hint, finding.channel
        groups.setdefault(key, []).append(finding)
    for group in groups.values():
        newest = max(group, key=lambda finding: version_key(finding.bundle))
        others = {finding.bundle for finding in group} - {newest.bundle}
        if others:
            count = len(others)
            rest = (
                f"; the same in {count} other bundle{'s' * (count != 1)}: {shortlist(sorted(others, key=version_key))}"
            )
            newest = attrs.evolve(newest, message=newest.message + rest)
        yield newest


def shortlist(names: Sequence[str]) -> str:
    """Return *names* in one text: all of them up to three, else the first two and the last."""
    if len(names) <= _SHOWN:
        return ", ".join(map(shortened, names))
    return f"{shortened(names[0])}, {shortened(names[1])} ... {shortened(names[-1])}"
