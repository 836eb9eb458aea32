"""Installed operators of one package, which have no order: then the shipped controller resolves nothing.

As recorded, the controller orders all candidates of each requirement that it looks at before it solves. Installed
operators have no channel, so two of one package and different owners are an error as soon as both meet a requirement
(docs/semantics.md, "Broken channels and requirements"). No plan is right there, however well it is proved.
"""

from __future__ import annotations

from collections.abc import Iterator

from olmsolve._limits import checked
from olmsolve.answers.plain_reading import BundleTest
from olmsolve.answers.verification.looking_up import LookUp
from olmsolve.answers.verification.objections import Flaw, Objection
from olmsolve.answers.verification.world import PlainCandidate, World
from olmsolve.classic import Request


def without_order(request: Request, world: World) -> Objection | None:
    """Return the objection that the controller cannot order two operators of *request*, None if it can."""
    rivals = _rivals(request, world)
    if not rivals:
        return None
    for predicate in _considered(world):
        for operators in rivals:
            meeting = [(each.name, owner) for each, owner in operators if predicate.test(each.published)]
            if len({owner for _, owner in meeting}) > 1:
                names = " and ".join(name for name, _ in meeting)
                return Objection.of(Flaw.NO_ORDER, operators=names)
    return None


def _rivals(request: Request, world: World) -> list[list[tuple[PlainCandidate, str]]]:
    """Return, for each package of which operators of several owners are installed, the operators and their owners.

    The owner is the name of a subscription, "" for none. An operator that another one replaces right now is left out.
    """
    owners = {name: owner.name for name, owner in request.owners().items()}
    leaving = {
        each.name for each in request.installed if each.replaced_by in {other.name for other in request.installed}
    }
    found: dict[str, dict[PlainCandidate, str]] = {}
    for operator in world.existing:
        if operator.name not in leaving:
            for package, _ in operator.published.packages:
                found.setdefault(package, {})[operator] = owners.get(operator.name, "")
    return [list(each.items()) for each in found.values() if len(set(each.values())) > 1]


def _considered(world: World) -> Iterator[BundleTest]:
    """Yield each requirement that the controller looks at: of operators, of what serves subscriptions, and so on.

    Candidates that can never be selected count as well, since it looks at their requirements too.
    """
    everyone = list(world.offered())
    look_up = LookUp(everyone)
    waiting = [*world.existing, *world.considered]
    reached = dict.fromkeys(waiting)
    predicates: dict[BundleTest, None] = {}
    # The list grows while it is walked, so it is the queue of a breadth-first search.
    for candidate in checked(waiting, every=16):
        for requirement in candidate.requirements:
            predicate = requirement.predicate
            if predicate in predicates:
                continue
            predicates[predicate] = None
            yield predicate
            for number in checked(look_up.numbers([predicate]), every=256):
                other = everyone[number]
                if other not in reached and predicate.test(other.published):
                    reached[other] = None
                    waiting.append(other)
