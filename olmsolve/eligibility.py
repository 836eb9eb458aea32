"""System constraints: bundles that a cluster does not let be installed, whoever wishes for them.

A constraint is any function of a candidate that returns why the candidate may not be selected, "" if it may. It looks
at one candidate alone, and its answer must depend on nothing else: then the answer to a request stays a function of the
request. The cluster's own rules are :func:`olmsolve.cluster_eligibility`; embedders bring theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeAlias, runtime_checkable

import olmsolve._attrs as attrs
from olmsolve._arguments import every, is_name, is_test_or_none, is_text, wrong_type
from olmsolve.errors import ManifestError, RequestError
from olmsolve.predicates import Predicate, Property, Published


def _properties(values: Iterable[Property]) -> tuple[Property, ...]:
    return every(values, Property, "properties")


@attrs.frozen
class CandidateFacts:
    """The facts about a candidate that a constraint can look at: a bundle of *package* in *catalog*.

    *catalog* is ``namespace/name``; *version* is text, "" for a bundle without a version.
    """

    name: str = attrs.field(validator=is_text)
    package: str = attrs.field(validator=is_text)
    version: str = attrs.field(default="", validator=is_text)
    catalog: str = attrs.field(default="", validator=is_text)
    properties: tuple[Property, ...] = attrs.field(default=(), repr=False, converter=_properties)

    def value(self, type: str, default: Any = None) -> Any:  # noqa: A002 - the name of the field
        """Return the value of the first property of this *type*, *default* if there is none.

        >>> CandidateFacts("draw.v1.0.0", "draw", properties=(Property("licence", "GPL-3.0"),)).value("licence")
        'GPL-3.0'
        """
        return next((property_.value for property_ in self.properties if property_.type == type), default)


@runtime_checkable
class Eligibility(Protocol):
    """A system constraint: a function of one candidate, or an object that can be called like one."""

    def __call__(self, candidate: CandidateFacts, /) -> str:
        """Return why *candidate* may not be selected, in one sentence without a full stop; "" if it may."""
        ...


CandidateTest: TypeAlias = Callable[[CandidateFacts], bool]
"""A function of one candidate that returns whether it is meant, or is good enough."""


def words_of(function: object) -> str:
    """Return the words for what *function* accepts: the first line of its docstring, else its name in words.

    For a callable object with a ``__str__`` of its own, the words are its ``str()``.
    """
    if not isinstance(function, type) and type(function).__str__ is not object.__str__:
        return str(function)
    name = getattr(function, "__name__", "")
    docstring = getattr(function, "__doc__", None) if name else None
    line = (docstring or "").strip().partition("\n")[0].rstrip(".")
    if line:
        return line
    return (
        "what a lambda accepts" if name == "<lambda>" else (name or type(function).__name__).replace("_", " ").strip()
    )


def accepts(test: CandidateTest, candidate: CandidateFacts, field: str) -> bool:
    """Return whether *test* accepts *candidate*. Raises RequestError where it returned neither True nor False."""
    verdict: object = test(candidate)
    if not isinstance(verdict, bool):
        name = getattr(test, "__qualname__", type(test).__name__)
        raise RequestError(f"{name} returned {verdict!r:.60}", field=field, hint="it returns True or False")
    return verdict


@attrs.frozen(cache_hash=True)
class AcceptedBy(Predicate):
    """A *function* accepts the bundle, of which it sees the package, the version and the properties."""

    function: CandidateTest
    message: str = attrs.field(default="", kw_only=True)

    def test(self, published: Published) -> bool:
        package = published.package or next((package for package, _ in published.packages), "")
        version = "" if published.version is None else str(published.version)
        return accepts(self.function, CandidateFacts("", package, version, "", published.properties), "requires")

    @property
    def as_bundle(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return words_of(self.function)


@attrs.frozen
class Remedy:
    """A change of the cluster after which a constraint lets a candidate pass, as *text* that says what to do.

    *constraint* is what the cluster then demands in its place, None if nothing.
    """

    text: str = attrs.field(validator=is_name)
    constraint: Eligibility | None = attrs.field(default=None, validator=is_test_or_none)


@runtime_checkable
class Remediable(Protocol):
    """A system constraint that knows which change of the cluster would satisfy it."""

    def remedy(self, candidate: CandidateFacts, /) -> Remedy | None:
        """Return the change after which *candidate* passes; None if there is none."""
        ...


def remedy_of(candidate: CandidateFacts, constraints: Iterable[Eligibility]) -> tuple[Eligibility, Remedy] | None:
    """Return the first of *constraints* that refuses *candidate*, and its remedy; None if it has none."""
    for constraint in constraints:
        if refusal(candidate, (constraint,)):
            remedy = constraint.remedy(candidate) if isinstance(constraint, Remediable) else None
            return None if remedy is None else (constraint, remedy)
    return None


def constraints(values: Iterable[Eligibility]) -> tuple[Eligibility, ...]:
    """Return *values* as a tuple. Raises RequestError unless they are several functions."""
    given: object = values
    if isinstance(given, str) or callable(given) or not isinstance(given, Iterable):
        hint = "put it in a list" if callable(given) else ""
        raise wrong_type(given, "a list of functions of a candidate", "eligibility", hint)
    several = tuple(values)
    for position, value in enumerate(several):
        if not callable(value):
            raise wrong_type(value, "a function of a candidate", f"eligibility[{position}]")
    return several


def refuse_local_functions(values: Iterable[object], field: str = "eligibility") -> None:
    """Raise RequestError for a function that no other process can import, with a better message than ``pickle`` has."""
    for position, value in enumerate(values):
        name = getattr(value, "__qualname__", "")
        if "<" in name:
            what = "a lambda" if name.endswith("<lambda>") else f"the local function {name.rpartition('.')[2]}"
            raise RequestError(
                f"is {what}, which cannot be pickled",
                field=f"{field}[{position}]",
                hint="define the function at the top of a module, where other processes find it",
            )


def refusal(candidate: CandidateFacts, constraints: Iterable[Eligibility]) -> str:
    """Return the first reason of *constraints* against *candidate*, "" if all of them let it pass.

    A constraint that needs the bundle's operator refuses the candidate if the operator cannot be read.

    Raises:
        RequestError: a constraint returned something else than text, such as True.
    """
    for constraint in constraints:
        try:
            reason = constraint(candidate)
        except ManifestError as error:
            reason = f"its ClusterServiceVersion cannot be read: {error.field}: {error.reason}"
        if not isinstance(reason, str):
            raise _no_reason(constraint, reason)
        if reason:
            return reason
    return ""


def _no_reason(constraint: Eligibility, returned: object) -> RequestError:
    """Return the error that *constraint* does not say why: a bare True could mean "may" or "may not"."""
    name = getattr(constraint, "__qualname__", type(constraint).__name__)
    return RequestError(
        f"{name} returned {returned!r:.60}, which is not a reason",
        field="eligibility",
        hint='it returns why the candidate may not be selected, as text, and "" if it may',
    )
