"""The findings of fuzzing: plain values of texts, one class for each kind; ``str()`` is a sentence without a full stop.

A finding about a catalog holds nothing but texts, so that a state file can hold it and workers can send it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, Final

from olmsolve._records import Record, field, kinds_of, record
from olmsolve.answers.reducing import AnyRequest
from olmsolve.requests import request_document

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
