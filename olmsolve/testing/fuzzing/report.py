"""The report of a fuzzing run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import attrs

from olmsolve.resolution import SCHEMA_VERSION
from olmsolve.testing.fuzzing.findings import KINDS, FuzzFinding


@attrs.frozen
class FuzzReport:
    """The outcome of fuzzing: it depends on the catalogs, the requests, the semantics, the seed and the cases done.

    *catalogs* are ``namespace/name``. *cases* counts the requests that were drawn, *outcomes* how they ended, and
    *checks* on how many of them each law was checked. *findings* come by kind. *packages* of *all_packages* were
    examined, and *pairs* of them settled. *repeated* counts broken laws left out because they show the same.
    *files* are where findings were saved, by their position; *notes* tell how the run went, and are neither compared
    nor written.
    """

    catalogs: tuple[str, ...]
    semantics: str
    seed: int
    cases: int
    outcomes: Mapping[str, int] = attrs.field(hash=False)
    checks: Mapping[str, int] = attrs.field(hash=False, repr=False)
    findings: tuple[FuzzFinding, ...]
    packages: int = 0
    all_packages: int = 0
    pairs: int = 0
    repeated: int = 0
    files: Mapping[int, str] = attrs.field(factory=dict, eq=False, hash=False)
    notes: tuple[str, ...] = attrs.field(default=(), eq=False)

    @property
    def clean(self) -> bool:
        """Whether there are no findings."""
        return not self.findings

    def of_kind(self, kind: str) -> tuple[tuple[int, FuzzFinding], ...]:
        """Return the findings of one *kind*, each with its position."""
        return tuple((number, each) for number, each in enumerate(self.findings) if each.kind == kind)

    def without(self, kinds: Collection[str]) -> FuzzReport:
        """Return the report without findings of these *kinds*, such as those that an author means to have."""
        kept = [number for number, each in enumerate(self.findings) if each.kind not in kinds]
        files = {new: self.files[old] for new, old in enumerate(kept) if old in self.files}
        return attrs.evolve(self, findings=tuple(self.findings[number] for number in kept), files=files)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data; docs/fuzzing.md gives the meaning of the fields."""
        return {
            "schema": "olmsolve.fuzz",
            "schemaVersion": SCHEMA_VERSION,
            "semantics": self.semantics,
            "seed": self.seed,
            "catalogs": list(self.catalogs),
            "cases": self.cases,
            "outcomes": dict(sorted(self.outcomes.items())),
            "checks": dict(sorted(self.checks.items())),
            "examined": {"packages": self.packages, "of": self.all_packages, "pairs": self.pairs},
            "repeated": self.repeated,
            "findings": [
                finding.to_dict() | ({"file": self.files[number]} if number in self.files else {})
                for number, finding in enumerate(self.findings)
            ],
        }


def in_order(findings: list[FuzzFinding]) -> tuple[FuzzFinding, ...]:
    """Return *findings* by kind, and otherwise as they come."""
    kinds = list(KINDS)
    return tuple(sorted(findings, key=lambda each: kinds.index(each.kind)))
