"""The rules of the order of candidates, by the documentation (docs/semantics.md, "Preferences")."""

from __future__ import annotations

from olmsolve.classic import ClassicProblem
from olmsolve.resolution import EXISTING


def order_rule(problem: ClassicProblem, first: int, second: int, subject: int | None) -> str:
    """Return the rule that puts *first* before *second* among the candidates of a choice, as a clause.

    *subject* is the bundle whose requirement makes the choice, None for a subscription.
    """
    one, other = problem.candidate(first), problem.candidate(second)
    if subject is None and other.catalog == EXISTING:
        return "an update comes before staying"
    if EXISTING in (one.catalog, other.catalog):
        if one.catalog != other.catalog:
            return "what is installed comes first"
        return "installed operators are taken by name"
    if one.catalog != other.catalog:
        return _between_catalogs(problem, first, second, subject)
    if one.package != other.package:
        return _default(problem, first, second) or f"package {one.package} comes before {other.package} by name"
    if one.channel != other.channel:
        return _default(problem, first, second) or f"channel {one.channel} comes before {other.channel} by name"
    return f"it is nearer to the head of channel {one.channel}"


def _between_catalogs(problem: ClassicProblem, first: int, second: int, subject: int | None) -> str:
    """Return the rule between two catalogs: the bundle's own one, the priority, the namespace, the name."""
    visible = problem.visible
    one_position, other_position = (visible.locate(number)[0] for number in (first, second))
    one, other = visible.sources[one_position], visible.sources[other_position]
    if subject is not None and not problem.is_installed(subject) and visible.locate(subject)[0] == one_position:
        return f"catalog {one.key} is the one that {problem.candidate(subject).name} comes from"
    if one.priority != other.priority:
        return f"catalog {one.key} has priority {one.priority}, {other.key} has {other.priority}"
    target = problem.request.namespaces[0]
    if target in (one.namespace, other.namespace) and one.namespace != other.namespace:
        return f"catalog {one.key} is in the namespace itself, {other.key} is not"
    return f"catalog {one.key} comes before {other.key} by name"


def _default(problem: ClassicProblem, first: int, second: int) -> str:
    """Return the rule that default channels come first, "" if it does not decide."""
    defaults: list[bool] = []
    for number in (first, second):
        position, _, _ = problem.visible.locate(number)
        candidate = problem.candidate(number)
        package = problem.visible.sources[position].catalog.packages[candidate.package]
        defaults.append(package.default_channel == candidate.channel)
    if defaults == [True, False]:
        channel = problem.candidate(first).channel
        return f"{channel} is the default channel of package {problem.candidate(first).package}"
    return ""
