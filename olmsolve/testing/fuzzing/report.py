"""The report of a fuzzing run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

import attrs

from olmsolve._records import Record, evolve, field, record
from olmsolve.resolution import SEMANTICS
from olmsolve.testing.fuzzing.findings import KINDS, FuzzFinding


def _by_name(counts: Mapping[str, int]) -> Mapping[str, int]:
    return dict(sorted(counts.items()))


_COUNTS: Final = {"additionalProperties": {"type": "integer", "minimum": 1}}


@record(
    definition="olmsolve.fuzz",
    title="What random requests over catalogs, and questions about them, have found",
    about="docs/fuzzing.md gives the meaning of the fields.",
    layout=("semantics", "seed", "catalogs", ..., "findings"),
    groups={"examined": "Packages examined, of how many, and pairs of them settled."},
)
class FuzzReport(Record):
    """The outcome of fuzzing: it depends on the catalogs, the requests, the semantics, the seed and the cases done.

    *notes* tell how the run went, and are neither compared nor written.
    """

    catalogs: tuple[str, ...] = field("The catalogs, namespace/name.")
    semantics: str = field("The semantics of compound constraints.", schema=SEMANTICS)
    seed: int = field("Which requests were drawn.")
    cases: int = field("The number of requests.")
    outcomes: Mapping[str, int] = field(
        "How many requests ended in which way.", written=_by_name, schema=_COUNTS, hash=False
    )
    checks: Mapping[str, int] = field(
        "On how many requests each law was checked.", written=_by_name, schema=_COUNTS, hash=False, repr=False
    )
    findings: tuple[FuzzFinding, ...] = field("What was found, each once, by kind.")
    packages: int = field("How many packages were examined.", path="examined.packages", default=0)
    all_packages: int = field("Of how many packages.", path="examined.of", default=0)
    pairs: int = field("How many pairs of packages were settled.", path="examined.pairs", default=0)
    repeated: int = field("Broken laws left out because they show the same.", default=0)
    notes: tuple[str, ...] = attrs.field(default=(), eq=False)

    @property
    def files(self) -> Mapping[int, str]:
        """The files that requests were written to, by the positions of their findings."""
        found = ((number, getattr(each, "file", "")) for number, each in enumerate(self.findings))
        return {number: file for number, file in found if file}

    @property
    def clean(self) -> bool:
        """Whether there are no findings."""
        return not self.findings

    def of_kind(self, kind: str) -> tuple[tuple[int, FuzzFinding], ...]:
        """Return the findings of one *kind*, each with its position."""
        return tuple((number, each) for number, each in enumerate(self.findings) if each.kind == kind)

    def without(self, kinds: Collection[str]) -> FuzzReport:
        """Return the report without findings of these *kinds*, such as those that an author means to have."""
        return evolve(self, findings=tuple(each for each in self.findings if each.kind not in kinds))


def in_order(findings: list[FuzzFinding]) -> tuple[FuzzFinding, ...]:
    """Return *findings* by kind, and otherwise as they come."""
    kinds = list(KINDS)
    return tuple(sorted(findings, key=lambda each: kinds.index(each.kind)))
