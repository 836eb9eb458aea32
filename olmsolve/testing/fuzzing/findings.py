"""The findings of fuzzing, and the report that has them.

A finding is a plain value of texts, one class for each kind, so that a state file can hold it and workers can send it;
``str()`` is a sentence without a full stop.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import ClassVar, Final

import olmsolve._attrs as attrs
from olmsolve._arguments import first_of
from olmsolve._record_reading import kinds_of
from olmsolve._records import Record, evolve, field, record
from olmsolve.answers.reducing import AnyRequest
from olmsolve.requests import request_document
from olmsolve.resolution import SEMANTICS

SHOWN: Final = 5
"""The most names that a sentence lists."""


@record(definition="fuzzFinding", layout=("kind", "text", ..., "reasons", "file"))
class FuzzFinding(Record):
    """A finding of fuzzing."""

    kind: ClassVar[str]
    reasons: tuple[str, ...] = field("Why, a sentence each.", default=(), kw_only=True)
    file: str = field(
        "The file with a request that shows it.", empty="absent", default="", kw_only=True, eq=False, repr=False
    )


_REQUEST: Final = {"anyOf": [{"$ref": "#/$defs/olmsolve.request"}, {"$ref": "#/$defs/olmsolve.v1.request"}]}


@record
class _Shown(FuzzFinding):
    """A finding that a request shows, which is as small as it could be made."""

    case: int = field("The number of the case that drew the request.")
    request: AnyRequest = field("The request document.", written=request_document, schema=_REQUEST, repr=False)


@record(says="case {case} breaks the law {law}")
class BrokenLaw(_Shown):
    """A law that an answer breaks, a fault of olmsolve; *reasons* say how, or name the exception."""

    law: str = field("The law.")
    checker: str = field("The function that judged the answer, with its module.", default="", kw_only=True)


@record
class TwoMeanings(_Shown):
    """A request that the documentation and the shipped controller answer differently.

    *reasons* are what the two read differently: constraints, and starts (``startingCSV``) that a ``skipRange`` removes.
    """

    packages: tuple[str, ...] = field("The packages in which the plans differ.")
    documented: str = field("The answer of olmsolve under documented semantics.", default="", kw_only=True)
    controller: str = field("The answer of olmsolve under the controller's semantics.", default="", kw_only=True)

    def __str__(self) -> str:
        where = first_of(self.packages, SHOWN) or "whether there is a plan"
        return f"documented and controller semantics differ in {where}"


@record
class NeverTogether(FuzzFinding):
    """Subscriptions of which each can be served alone, but no namespace can have both."""

    subscriptions: tuple[str, str] = field("Both, each as a text.")
    wishes: tuple[tuple[str, str, str], ...] = field(
        "The catalog, the package and the channel of the reasons, for both."
    )

    def __str__(self) -> str:
        first, second = self.subscriptions
        return f"{first} and {second} can never be served together"


@record
class _PackageFinding(FuzzFinding):
    """A finding about a package."""

    catalog: str = field("The catalog, namespace/name.")
    package: str = field("The package.")


@record
class NeverInstallable(_PackageFinding):
    """A package that no subscription to *channels* gets; *reasons* are those of the first channel.

    Requirements that nothing meets, or that lead back to the package and exclude it there, and channels without an
    order are the usual ones.
    """

    channels: tuple[str, ...] = field("The channels that serve nobody.")
    served: tuple[str, ...] = field("The channels that can be served.", default=())

    def __str__(self) -> str:
        if not self.served:
            return f"{self.package} of {self.catalog} can never be installed"
        channels = f"channel{'s' * (len(self.channels) > 1)} {first_of(self.channels, SHOWN)}"
        return f"{self.package} of {self.catalog} can never be installed from {channels}"


@record(says="{stop}")
class UpdateDeadEnd(_PackageFinding):
    """Updates that end before the head of the channel."""

    channel: str = field("The channel.")
    bundle: str = field("The bundle at which they end, or one bundle of the circle.")
    versions: tuple[str, ...] = field("The versions whose updates end here.")
    stop: str = field("Where they end, in the words of the audit.")


@record
class NeverDecisive(_PackageFinding):
    """A requirement without which nothing else could be selected: all else grants it already."""

    requirement: str = field("The requirement.")
    bundles: tuple[str, ...] = field("The bundles that state it.")

    def __str__(self) -> str:
        verb = "requires" if len(self.bundles) == 1 else "require"
        stated = f"{self.requirement}, which {first_of(self.bundles, SHOWN)} {verb},"
        return f"{stated} never decides: other requirements always meet it"


@record
class WonByName(_PackageFinding):
    """A package that requirements never take for anything but its name, which comes before the rival's."""

    rival: str = field("The package that would do as well.")
    bundle: str = field("A bundle that requires it.")
    requirement: str = field("The requirement that it was taken for.")

    def __str__(self) -> str:
        taken = f"is selected for {self.requirement}, which {self.bundle} requires,"
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
    title="The findings of random requests over catalogs, and of questions about them",
    about="docs/fuzzing.md gives the meaning of the fields.",
    layout=("semantics", "seed", "catalogs", ..., "findings"),
    groups={"examined": "Packages examined, of how many, and pairs of them settled."},
)
class FuzzReport(Record):
    """The outcome of fuzzing: it depends on the catalogs, the requests, the semantics, the seed and the cases done.

    *notes* say how the run went, and are neither compared nor written.
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
        "How many requests had each feature, 0 included: features with 0 were not tested.",
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
        return {number: finding.file for number, finding in enumerate(self.findings) if finding.file}

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
    return tuple(sorted(findings, key=lambda finding: kinds.index(finding.kind)))
