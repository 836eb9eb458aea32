"""Mutants of explanations that make no difference."""

from __future__ import annotations

from typing import Final

from tests.mutants.equivalence import Equivalent, alike

__all__ = ["EQUIVALENT"]

EQUIVALENT: Final[tuple[Equivalent, ...]] = (
    *alike(
        "olmsolve.answers.explain.fixes",
        "from where on conflicts are searched in parts, which spares tries and finds the same fixes",
        ("if len(cores) < 2:", "len(cores) < 2 -> len(cores) <= 2"),
        ("if share < _FEWEST:", "share < _FEWEST -> share <= _FEWEST"),
    ),
    *alike(
        "olmsolve.answers.explain.fixes",
        "the problem of the unchanged request is made anew, and is the same",
        ("if not changes:", "if not changes -> if False", "_problem"),
    ),
    *alike(
        "olmsolve.answers.explain.conflicts",
        "up to how many roots the whole rest is searched again: which way to the same cores is faster",
        ("_FEW: Final = 12", "12 -> 13"),
    ),
    *alike(
        "olmsolve.answers.explain.suggestions",
        "a change that cannot help is tried, and is no fix",
        (
            'if wish.subscription.package == fault.package and wish.subscription.channel in ("", fault.channel)',
            "wish.subscription.package == fault.package and wish.subscription.channel in (... -> wish.subscription.package == fault.package or wish.subscription.channel in ('...",
        ),
        (
            "if subscription.starting_csv and not owned:",
            "subscription.starting_csv and (not owned) -> subscription.starting_csv or not owned",
        ),
        (
            "if source.key not in taken and useful(source):",
            "source.key not in taken and useful(source) -> source.key not in taken or useful(source)",
        ),
    ),
    *alike(
        "olmsolve.answers.explain.explaining",
        "a default of how long ways out are looked for",
        ("TRIES: Final = 100", "100 -> 101"),
    ),
    *alike(
        "olmsolve.answers.explain.tree",
        "for type checkers alone: it is never reached",
        ("assert_never(key)", "assert_never(key) left out"),
    ),
    *alike(
        "olmsolve.answers.explain.suggestions",
        "a subscription that is there already, or for which nothing is offered, is tried, and is no fix",
        (
            "if offered and not wishes and all(wish.name != operator.package for wish in request.subscriptions):",
            "offered and (not wishes) and all((wish.name != operator.package for wish in r... -> offered or not wishes or all((wish.name != operator.package for wish in reque...",
        ),
    ),
    *alike(
        "olmsolve.answers.explain.fixes",
        "the limits are looked at in each try as well",
        ("check()", "check() left out", "", "while queue and len(found) < most:"),
    ),
    *alike(
        "olmsolve.answers.explain.fixes",
        "a short cut: a request that ends otherwise has a solution or is refused again, and suggests nothing",
        (
            "if not isinstance(rest.failure, Unsatisfiable):",
            "if not isinstance(rest.failure, Unsatisfiable) -> if False",
        ),
    ),
)
