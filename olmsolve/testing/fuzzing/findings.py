"""The findings of fuzzing, the report that has them, and the files that they are saved in.

A finding is a plain value of texts, one class for each kind, so that a state file can hold it and workers can send it;
``str()`` is a sentence without a full stop. A file is a request document that ``olmsolve resolve`` reads, under a
comment that says what it shows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final

import attrs
import yaml

from olmsolve._records import Record, evolve, field, kinds_of, record
from olmsolve._whole_files import write_whole
from olmsolve.answers.reducing import AnyRequest
from olmsolve.classic import Semantics
from olmsolve.errors import RequestError
from olmsolve.render import plain
from olmsolve.requests import request_document
from olmsolve.resolution import SEMANTICS

_SHOWN: Final = 5


def _listed(names: Iterable[str]) -> str:
    names = tuple(names)
    shown = ", ".join(names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown


@record(definition="fuzzFinding", layout=("kind", "text", ..., "reasons", "file"))
class FuzzFinding(Record):
    """A finding of fuzzing."""

    kind: ClassVar[str]
    reasons: tuple[str, ...] = field("Why, a sentence each.", default=(), kw_only=True)


_REQUEST: Final = {"anyOf": [{"$ref": "#/$defs/olmsolve.request"}, {"$ref": "#/$defs/olmsolve.v1.request"}]}


@record
class _Shown(FuzzFinding):
    """A finding that a request shows, which is as small as it could be made."""

    case: int = field("The number of the case that drew the request.")
    request: AnyRequest = field("The request document.", written=request_document, schema=_REQUEST, repr=False)
    file: str = field(
        "The file that the request was written to.", empty="absent", default="", kw_only=True, eq=False, repr=False
    )


@record(says="case {case} breaks the law {law}")
class BrokenLaw(_Shown):
    """A law that an answer breaks, a fault of olmsolve; *reasons* say how, or name the exception."""

    law: str = field("The law.")


@record
class TwoMeanings(_Shown):
    """A request that the documentation and the shipped controller answer differently.

    *reasons* are what the two read differently: constraints, and starts (``startingCSV``) that a ``skipRange`` removes.
    """

    packages: tuple[str, ...] = field("The packages in which the plans differ.")

    def __str__(self) -> str:
        return f"documented and controller semantics differ in {_listed(self.packages) or 'whether there is a plan'}"


@record
class NeverTogether(FuzzFinding):
    """Subscriptions of which each can be served alone, but no namespace can have both."""

    subscriptions: tuple[str, str] = field("Both, each as a text.")

    def __str__(self) -> str:
        first, second = self.subscriptions
        return f"{first} and {second} can never be served together"


@record
class _PackageFinding(FuzzFinding):
    """A finding about a package."""

    catalog: str = field("The catalog, namespace/name.")
    package: str = field("The package.")


@record(says="{stop}")
class UpdateDeadEnd(_PackageFinding):
    """Updates that end before the head of the channel."""

    channel: str = field("The channel.")
    versions: tuple[str, ...] = field("The versions whose updates end here.")
    stop: str = field("Where they end, in the words of the audit.")


@record
class NeverDecisive(_PackageFinding):
    """A requirement without which nothing else could be selected: all else grants it already."""

    requirement: str = field("The requirement.")
    bundles: tuple[str, ...] = field("The bundles that state it.")

    def __str__(self) -> str:
        verb = "requires" if len(self.bundles) == 1 else "require"
        stated = f"{self.requirement}, which {_listed(self.bundles)} {verb},"
        return f"{stated} never decides: all else that is needed grants it"


@record
class WonByName(_PackageFinding):
    """A package that requirements never take for anything but its name, which comes before the rival's."""

    rival: str = field("The package that would do as well.")
    bundle: str = field("A bundle that requires it.")
    requirement: str = field("The requirement that it was taken for.")

    def __str__(self) -> str:
        taken = f"is taken for {self.requirement}, which {self.bundle} requires,"
        return f"{self.package} {taken} only because its name comes before {self.rival}"


@record(says="{difference}")
class DifferentOpinion(_PackageFinding):
    """A range or rule that another library reads otherwise, for no known reason."""

    bundle: str = field("The bundle, empty for a channel.")
    difference: str = field("What differs.")


KINDS: Final[Mapping[str, type[FuzzFinding]]] = kinds_of(FuzzFinding)
"""The kinds of findings by their names, in the order of reports."""


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
    covered: Mapping[str, int] = field(
        "How many requests were an example of what, 0 included: a generator finds no fault in what it never draws.",
        schema={"additionalProperties": {"type": "integer", "minimum": 0}},
        default=MappingProxyType({}),
        hash=False,
        repr=False,
    )
    packages: int = field("How many packages were examined.", path="examined.packages", default=0)
    all_packages: int = field("Of how many packages.", path="examined.of", default=0)
    pairs: int = field("How many pairs of packages were settled.", path="examined.pairs", default=0)
    repeated: int = field("Broken laws left out because they show the same.", default=0)
    notes: tuple[str, ...] = attrs.field(default=(), eq=False)

    @property
    def files(self) -> Mapping[int, str]:
        """The files that requests were written to, by the positions of their findings."""
        found = ((number, getattr(finding, "file", "")) for number, finding in enumerate(self.findings))
        return {number: file for number, file in found if file}

    @property
    def clean(self) -> bool:
        """Whether there are no findings."""
        return not self.findings

    def of_kind(self, kind: str) -> tuple[tuple[int, FuzzFinding], ...]:
        """Return the findings of one *kind*, each with its position."""
        return tuple((number, finding) for number, finding in enumerate(self.findings) if finding.kind == kind)

    def without(self, kinds: Collection[str]) -> FuzzReport:
        """Return the report without findings of these *kinds*, such as those that an author means to have."""
        return evolve(self, findings=tuple(finding for finding in self.findings if finding.kind not in kinds))


def in_order(findings: list[FuzzFinding]) -> tuple[FuzzFinding, ...]:
    """Return *findings* by kind, and otherwise as they come."""
    kinds = list(KINDS)
    return tuple(sorted(findings, key=lambda each: kinds.index(each.kind)))


_UNUSUAL: Final = re.compile(r"[^a-z0-9]+")


def save(findings: Sequence[FuzzFinding], folder: Path, semantics: Semantics) -> tuple[FuzzFinding, ...]:
    """Write each of *findings* that has a request into *folder*; return all, with their files.

    Raises:
        RequestError: a file cannot be written.
    """
    saved: list[FuzzFinding] = []
    for finding in findings:
        if isinstance(finding, BrokenLaw | TwoMeanings):
            name = finding.law if isinstance(finding, BrokenLaw) else "two-meanings"
            path = folder / f"{_UNUSUAL.sub('-', name.lower()).strip('-')}-{finding.case}.yaml"
            try:
                write_whole(path, [_text(finding, path, semantics).encode()])
            except OSError as error:
                raise RequestError(error.strerror or str(error), field="out", source=str(path)) from None
            finding = evolve(finding, file=str(path))
        saved.append(finding)
    return tuple(saved)


def _text(finding: BrokenLaw | TwoMeanings, path: Path, semantics: Semantics) -> str:
    is_default = semantics is Semantics.DOCUMENTED
    form = "olmsolve fuzz --replay {0}" if is_default else "olmsolve fuzz --semantics {1} --replay {0}"
    heading = [str(finding), *finding.reasons, form.format(path.name, semantics.value)]
    # Strangers write catalogs, whose names occur in reasons: none may end the comment.
    comment = "".join(f"# {plain(line)}\n" for line in heading)
    document = yaml.safe_dump(request_document(finding.request), sort_keys=False, allow_unicode=False)
    return comment + document
