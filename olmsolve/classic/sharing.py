"""Several namespaces resolved at once, over the definitions of APIs that they share.

OLM resolves each namespace by itself. But a CustomResourceDefinition belongs to the whole cluster: operators of two
namespaces that own the same one work together only if they mean the same by it. OLM's documentation says what is
supported ("Limitations for multitenant Operator management"): operators that provide exactly the same versions of the
API. Here that is a constraint, so that an update in one namespace waits until the others can follow, or all go at once.

Exactly: a kind of a group has at most one *definition* among all bundles selected in all namespaces and all operators
that stay. A bundle's ``olm.gvk`` properties say which definition it gives, see :class:`Agreement`. All other rules
are those for one namespace. Namespaces choose in the order given, breadth first over all of them: where two cannot both
have what they prefer, the earlier one has it.

The problems of the namespaces become one. An identifier is a pair: the position of a namespace, and an identifier of
its own problem. Definitions are identifiers too, after the last namespace: a candidate needs the definitions that it
gives, and of each kind one can be selected. With two namespaces::

    (0, 12)                                          candidate 12 of the first namespace
    (2, ("example.com", "Ship", ("v1", "v2")))       the definition of example.com/Ship in v1 and v2

This takes one clause for each definition that a candidate gives, where forbidding pairs of candidates that contradict
each other would take the square of that.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal, TypeAlias

import olmsolve._attrs as attrs
from olmsolve import events
from olmsolve._arguments import every, must_be
from olmsolve._limits import Cancellation, scoped
from olmsolve._named_tuples import NamedTuple
from olmsolve._records import Record, documented, field, record
from olmsolve.catalog.index import Fault, Group
from olmsolve.classic.context import RequestContext
from olmsolve.classic.failure import failure, opposed, reason_for
from olmsolve.classic.problem import ClassicProblem
from olmsolve.classic.reasons import Reason, Unsatisfiable
from olmsolve.classic.request import Request, Semantics
from olmsolve.classic.resolving import SemanticsName, resolution_of, semantics_named
from olmsolve.classic.unreadable import check_catalogs_after_solving, check_catalogs_before_solving, possible_provider
from olmsolve.errors import RequestError
from olmsolve.resolution import Candidate, Resolution, ResolutionFailure
from olmsolve.solver import (
    AtMost,
    Constraint,
    Core,
    Dependency,
    Excluded,
    Exclusive,
    GroupName,
    Identifier,
    Listed,
    Renaming,
    Root,
    Solution,
    solve,
)
from olmsolve.solver.backends import DEFAULT, BackendLike


class _GroupInNamespace(NamedTuple):
    """A :class:`Group` of one namespace's own problem, with the namespace's position as text, such as ``"0:"``.

    Groups are ordered by name: as text a position can be compared with the ``"definition"`` of the other groups.
    """

    position: str
    kind: Literal["api", "package"]
    name: str


def _namespace_group(position: int, group: GroupName) -> _GroupInNamespace:
    assert isinstance(group, Group)
    return _GroupInNamespace(f"{position}:", group.kind, group.name)


_Key: TypeAlias = tuple[str, str, tuple[str, ...]]


@attrs.frozen
class Definition:
    """A definition of the *api* ``group/Kind``: by the versions provided, or by the package and version of a bundle."""

    api: str
    parts: tuple[str, ...]
    by_bundle: bool

    def __str__(self) -> str:
        return f"as {' '.join(self.parts)} does" if self.by_bundle else f"in {', '.join(self.parts)}"


@attrs.frozen
class Defines:
    """The origin of the dependency of a candidate on a definition that it gives."""

    definition: Definition


class SharedProblem:
    """A lazy :class:`~olmsolve.solver.Problem` over *problems*, one for each namespace.

    Two bundles give the same definition if they provide the same versions of the kind or, *by_bundle*, if they are the
    same version of the same package.
    """

    def __init__(self, problems: Sequence[ClassicProblem], *, by_bundle: bool) -> None:
        self.problems: tuple[ClassicProblem, ...] = tuple(problems)
        self._by_bundle = by_bundle
        self._names = list(map(_names_in, range(len(self.problems))))
        self._roots = [
            self._root(position, root) for position, problem in enumerate(self.problems) for root in problem.roots
        ]

    @property
    def roots(self) -> Sequence[Root]:
        """The roots of the namespaces' own problems, one namespace after another."""
        return self._roots

    def constraints(self, identifier: Identifier) -> Sequence[Constraint]:
        position, inner = _split(identifier)
        if position == len(self.problems):
            # All definitions of one kind are members of this group, of which at most one is selected.
            return (Exclusive(identifier, (("definition", inner[0], inner[1]),)),)
        names = self._names[position]
        renamed = [constraint.renamed(names) for constraint in self.problems[position].constraints(inner)]
        for key in self._defined(position, inner):
            definition = self.definition(key)
            assert definition is not None
            renamed.append(Dependency(identifier, (key,), Defines(definition)))
        return renamed

    def block(self, identifier: Identifier) -> str:
        position, inner = _split(identifier)
        if position == len(self.problems):
            return f"definition {inner[0]}/{inner[1]}"
        # Two namespaces may have a package of one name, and a core names the constraints of one namespace's package
        # together.
        return f"{position} {self.problems[position].block(inner)}"

    def definition(self, identifier: Identifier) -> Definition | None:
        """Return the definition that *identifier* stands for; None for a candidate."""
        position, inner = _split(identifier)
        if position != len(self.problems):
            return None
        group, kind, parts = inner
        return Definition(f"{group}/{kind}", parts, self._by_bundle)

    def part(self, solution: Solution, position: int) -> Solution:
        """Return the part of *solution* in the namespace at *position*, as a solution of that namespace's problem."""
        choices = []
        for choice in solution.choices:
            namespace, inner = _split(choice.identifier)
            if namespace == position:
                subject = None if choice.subject is None else _split(choice.subject)[1]
                choices.append(choice._replace(identifier=inner, subject=subject))
        selected = [_split(identifier) for identifier in solution.selected]
        return Solution(tuple(inner for namespace, inner in selected if namespace == position), tuple(choices))

    def in_namespace(self, constraint: Constraint) -> tuple[int, Constraint]:
        """Return a constraint of a core as its namespace's own problem has it, with the namespace's position.

        The candidate of a dependency on a definition, which that problem does not have, stands for nothing there.
        """
        if isinstance(constraint, Dependency) and constraint.subject is None:
            return self._root_in_namespace(constraint)
        position = _split(next(constraint.mentions()))[0]
        inner = constraint.renamed(_OWN_NAMES)
        # The origin of another limit is a house rule, which is the same in both problems.
        if isinstance(inner, AtMost) and isinstance(inner.origin, _GroupInNamespace):
            inner = attrs.evolve(inner, origin=_own_group(inner.origin))
        return position, inner

    def opposed_in(self, position: int, opposed: Iterable[Identifier]) -> frozenset[Any]:
        """Return the *opposed* candidates of the namespace at *position*, as its own problem has them."""
        return frozenset(
            identifier[1] for identifier in opposed if isinstance(identifier, tuple) and identifier[0] == position
        )

    def _root_in_namespace(self, constraint: Dependency) -> tuple[int, Constraint]:
        # By identity: two namespaces may state equal roots.
        number = next(number for number, root in enumerate(self._roots) if root is constraint)
        for position, problem in enumerate(self.problems):
            if number < len(problem.roots):
                return position, problem.roots[number]
            number -= len(problem.roots)
        raise LookupError("this is not a root of the problem")

    # -- the constraints of a namespace's problem, with the identifiers of this one

    def _root(self, position: int, root: Root) -> Root:
        return root.renamed(self._names[position])

    def _defined(self, position: int, inner: Any) -> list[tuple[int, _Key]]:
        """Return the definitions that a candidate gives, as identifiers, by group and kind."""
        problem = self.problems[position]
        facts = problem.facts(inner)
        if facts is None or not facts.gvks:
            return []
        versions: dict[tuple[str, str], set[str]] = {}
        for gvk in facts.gvks:
            versions.setdefault((gvk.group, gvk.kind), set()).add(gvk.version)
        bundle: tuple[str, ...] = ()
        if self._by_bundle:
            candidate = problem.candidate(inner)
            bundle = (candidate.package, candidate.version)
        return [
            (len(self.problems), (group, kind, bundle or tuple(sorted(numbers))))
            for (group, kind), numbers in sorted(versions.items())
        ]


def _split(identifier: Identifier) -> tuple[int, Any]:
    assert isinstance(identifier, tuple)
    position, inner = identifier
    return position, inner


@attrs.frozen
class _ExcludedInNamespace:
    """The candidates of the namespace at *position* that are in *inner*, which its own exclusion rules out."""

    position: int
    inner: Any

    def __contains__(self, identifier: object) -> bool:
        if not isinstance(identifier, tuple) or identifier[0] != self.position:
            return False
        return identifier[1] in self.inner

    def __bool__(self) -> bool:
        return bool(self.inner)


def _names_in(position: int) -> Renaming:
    """Return the renaming of a namespace's own problem to its part of the shared one."""
    return Renaming(
        lambda identifier: (position, identifier),
        lambda group: _namespace_group(position, group),
        lambda excluded: _ExcludedInNamespace(position, excluded),
    )


def _own_group(group: GroupName) -> Group:
    assert isinstance(group, _GroupInNamespace)
    return Group(group.kind, group.name)


def _own_excluded(excluded: Excluded) -> Excluded:
    assert isinstance(excluded, Listed), "a core lists what its formulas exclude"
    return Listed(tuple(_split(identifier)[1] for identifier in excluded.identifiers))


_OWN_NAMES: Final = Renaming(lambda identifier: _split(identifier)[1], _own_group, _own_excluded)
"""The renaming of names here to the names in the namespace's own problem."""


class Agreement(enum.Enum):
    """The condition under which two bundles give the same definition of a kind.

    VERSIONS: both provide exactly the same versions of it, as OLM's documentation demands. BUNDLE: they are the same
    version of the same package, so that even the schemas are the same.
    """

    VERSIONS = "versions"
    BUNDLE = "bundle"


@record(says="{candidate} defines {definition.api} {definition}")
class GivesDefinition(Reason):
    """A bundle gives the *api* (``group/Kind``) a definition."""

    candidate: Candidate
    definition: Definition


@record
class OneDefinition(Reason):
    """A cluster has one definition of the *api* (``group/Kind``), so not all of *definitions*."""

    api: str
    definitions: tuple[Definition, ...]

    def __str__(self) -> str:
        return f"the cluster has one definition of {self.api}, either {' or '.join(map(str, self.definitions))}"


@record(about="A constraint of a core, with its namespace.")
class _ReasonOfNamespace(Record):
    """A reason with its namespace, "" for one of the whole cluster."""

    namespace: str = field("The namespace.")
    reason: Reason = field(path="*")


def _with_namespaces(core: Iterable[tuple[str, Reason]]) -> tuple[_ReasonOfNamespace, ...]:
    return tuple(_ReasonOfNamespace(namespace, reason) for namespace, reason in core)


@record(
    definition="olmsolve.unsatisfiable-together",
    title="A failure of several namespaces at once",
    about="Constraints of several namespaces that cannot hold together (docs/shared-definitions.md).",
    layout=("_is_unsatisfiable", "namespaces", "core"),
)
class UnsatisfiableTogether(ResolutionFailure):
    """The namespaces cannot all be resolved together: the reasons in *core* cannot hold together.

    Each reason comes with its namespace, "" for the whole cluster.
    """

    core: tuple[tuple[str, Reason], ...] = field("The core.", path="constraints", written=_with_namespaces)

    @property
    @documented("", path="unsatisfiable", schema={"const": True, "type": None})
    def _is_unsatisfiable(self) -> bool:
        return True

    @property
    @documented("The namespaces that take part.")
    def namespaces(self) -> tuple[str, ...]:
        """The namespaces that the core is about, each once."""
        return tuple(dict.fromkeys(namespace for namespace, _ in self.core if namespace))

    def __str__(self) -> str:
        names = " and ".join(self.namespaces)
        lines = [f"the namespaces cannot be resolved together ({names}); these cannot hold together:"]
        lines.extend(f"  - {f'{namespace}: ' if namespace else ''}{reason}" for namespace, reason in self.core)
        return "\n".join(lines)


def resolve_together(
    requests: Iterable[Request],
    *,
    agreement: Agreement = Agreement.VERSIONS,
    semantics: SemanticsName = Semantics.DOCUMENTED,
    backend: BackendLike = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> dict[str, Resolution]:
    """Return the preferred plans of several namespaces, by namespace, which agree on the definitions that they share.

    *requests* are one for each namespace, the most important first; the other parameters are as for
    :func:`olmsolve.resolve`. If the separate plans of the namespaces agree, they are the result.

    Raises:
        UnsatisfiableTogether: there are no such plans; the core names the namespaces.
        RequestError: two requests are for one namespace.
        CatalogError: a part of a catalog that decides a request is broken.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.
    """
    several = every(requests, Request, "requests")
    must_be(agreement, "Agreement", "agreement")
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        return _resolved_together(several, agreement, semantics_named(semantics), backend)


def _resolved_together(
    requests: Sequence[Request], agreement: Agreement, meaning: Semantics, backend: BackendLike
) -> dict[str, Resolution]:
    names = [request.namespaces[0] for request in requests]
    for position, name in enumerate(names):
        if name in names[:position]:
            raise RequestError(f"{name!r} is the namespace of two requests", field=f"requests[{position}].namespaces")
    for name, request in zip(names, requests, strict=True):
        with _in_namespace(name):
            check_catalogs_before_solving(request, RequestContext(request, meaning, backend))
    problems = [ClassicProblem.of_request(request, meaning) for request in requests]
    shared = SharedProblem(problems, by_bundle=agreement is Agreement.BUNDLE)
    outcome = solve(shared, backend=backend)
    if isinstance(outcome, Core):
        raise _failure(shared, names, outcome, backend)
    resolutions = {}
    for position, (name, problem) in enumerate(zip(names, problems, strict=True)):
        part = shared.part(outcome, position)
        with _in_namespace(name):
            check_catalogs_after_solving(problem, part, RequestContext(problem.request, meaning, backend))
        resolutions[name] = resolution_of(problem, part, backend)
    return resolutions


@contextmanager
def _in_namespace(name: str) -> Iterator[None]:
    """Raise the failure of one namespace as a failure of all, with the name of the namespace."""
    try:
        yield
    except Unsatisfiable as failed:
        raise UnsatisfiableTogether(tuple((name, reason) for reason in failed.core)) from None


def _failure(shared: SharedProblem, names: Sequence[str], core: Core, backend: BackendLike) -> Exception:
    """Return the exception for *core*: the first fault of a catalog in it, else its reasons by namespace."""
    reasons: list[tuple[str, Reason]] = []
    against = opposed(core.constraints)
    for constraint in core.constraints:
        if isinstance(constraint, AtMost) and isinstance(constraint.identifiers[0], tuple):
            # A group holds definitions of one kind, or candidates of one namespace: its first member shows which.
            definitions = [shared.definition(identifier) for identifier in constraint.identifiers]
            if definitions[0] is not None:
                contradicting = sorted((definition for definition in definitions if definition is not None), key=str)
                reasons.append(("", OneDefinition(definitions[0].api, tuple(contradicting))))
                continue
        position, inner = shared.in_namespace(constraint)
        problem = shared.problems[position]
        if isinstance(inner.origin, Fault):
            return failure(problem, Core((inner,)), backend)
        reasons.append((names[position], _reason(problem, inner, shared.opposed_in(position, against))))
    for name, problem in zip(names, shared.problems, strict=True):
        provider = possible_provider(problem.request, [reason for namespace, reason in reasons if namespace == name])
        if provider is not None:
            reasons.append((name, provider))
    return UnsatisfiableTogether(tuple(reasons))


def _reason(problem: ClassicProblem, constraint: Constraint, against: Collection[Any]) -> Reason:
    if isinstance(constraint.origin, Defines):
        return GivesDefinition(problem.candidate(constraint.subject), constraint.origin.definition)
    return reason_for(problem, constraint, against)
