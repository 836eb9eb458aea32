"""Installed operators of one package that OLM cannot order, because of which its controller resolves nothing.

As recorded, the controller orders all candidates of a requirement before it solves, channel by channel. Installed
operators have no channel, so two of one package are two chains of one channel, which is an error::

    p0.v2.2.0 (subscription a) and p0.v1.3.0 (subscription b) give the API Green; a candidate requires Green
    "... but 2 replacement chains were found in channel "" of package "p0": p0.v2.2.0, p0.v1.3.0"

Only operators of different owners count: of several without a subscription the controller looks at the first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from olmsolve._limits import checked
from olmsolve.classic.problem import ClassicProblem
from olmsolve.classic.request import Semantics
from olmsolve.errors import CatalogError
from olmsolve.predicates import Predicate
from olmsolve.resolution import EXISTING


def check_order_of_operators(problem: ClassicProblem) -> None:
    """Raise CatalogError if a requirement that the controller considers is met by operators that it cannot order.

    It considers the requirements of all candidates of subscriptions, of all that could meet these, and so on.
    """
    if problem.semantics is not Semantics.CONTROLLER:
        return
    rivals = _rivals(problem)
    # Without rivals, no requirement has to be looked at.
    if not rivals:
        return
    for predicate in checked(_considered(problem)):
        for package, operators in rivals.items():
            meeting = [number for number in operators if _meets(problem, number, predicate)]
            owners = {owner for number, owner in operators.items() if number in meeting}
            if len(owners) > 1:
                names = " and ".join(problem.candidate(number).name for number in meeting)
                raise CatalogError(
                    f"{names} are installed and both meet the requirement {predicate}: OLM has no order between"
                    " operators of one package, and resolves nothing in their namespace",
                    catalog=EXISTING,
                    package=package,
                )


def _rivals(problem: ClassicProblem) -> Mapping[str, Mapping[int, str]]:
    """Return the packages of which operators of several owners are installed: each operator's number and its owner."""
    owners = problem.request.owners()
    giving_way = {operator.name: operator.replaced_by for operator in problem.request.installed}
    rivals: dict[str, dict[int, str]] = defaultdict(dict)
    for position, (name, facts) in enumerate(zip(problem.installed.names, problem.installed.published, strict=True)):
        for package, _ in facts.packages:
            # An operator and the one that takes its place are one chain.
            if giving_way[name] not in problem.installed.names:
                rivals[package][problem.visible.size + position] = owners[name].name if name in owners else ""
    return {package: operators for package, operators in rivals.items() if len(set(operators.values())) > 1}


def _considered(problem: ClassicProblem) -> Iterator[Predicate]:
    """Yield each requirement of a candidate that the controller looks at, once."""
    size = problem.visible.size
    waiting = [*range(size, size + len(problem.installed.names))]
    waiting += [
        number
        for root in problem.roots
        if root.subject is None
        for number in root.candidates
        if isinstance(number, int)
    ]
    reached = set(waiting)
    predicates: set[Predicate] = set()
    while waiting:
        number = waiting.pop()
        for requirement in problem.requirements(number):
            predicate = requirement.predicate
            if predicate not in predicates:
                predicates.add(predicate)
                yield predicate
        for constraint in problem.constraints(number):
            new = [
                candidate
                for candidate in constraint.candidates
                if isinstance(candidate, int) and candidate not in reached
            ]
            reached.update(new)
            waiting += new


def _meets(problem: ClassicProblem, number: int, predicate: Predicate) -> bool:
    facts = problem.facts(number)
    return facts is not None and predicate.test(facts)
