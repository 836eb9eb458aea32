"""Mutants of classic and v1 that make no difference."""

from __future__ import annotations

from typing import Final

from tests.mutants.equivalence import Equivalent, alike

__all__ = ["EQUIVALENT"]

_EARLIER: Final = "source.rank(target) < problem.visible.sources[position].rank(target)"
_OF_A_BUNDLE: Final = "isinstance(origin, Requirement) and subject is not None"

EQUIVALENT: Final[tuple[Equivalent, ...]] = (
    *alike(
        "olmsolve.classic.problem",
        "every negative position stands for no catalog",
        (
            "n in meeting and self._selectable(_number(n)) for n in (*self._candidates_meeting(predicate, -1), *wished)",
            "1 -> 2",
        ),
    ),
    *alike(
        "olmsolve.classic.upgrade_path",
        "no bundle updates to itself, so the last step but one is another",
        ("return self.end in (self.installed, *self.steps[:-1]) if self.steps else False", "1 -> 2"),
    ),
    *alike(
        "olmsolve.classic.resolving",
        "a limit of memory: a view that is forgotten is made anew",
        ("self._visible.clear()", "self._visible.clear() left out"),
    ),
    *alike(
        "olmsolve.classic.request",
        "no rules are read as no rules; the classes of rules would load for nothing",
        ("if values == ():", "if values == () -> if False"),
    ),
    *alike(
        "olmsolve.classic.sharing",
        "the members of a group are of one kind",
        ("if isinstance(constraint, AtMost) and isinstance(constraint.identifiers[0], tuple):", "0 -> 1"),
    ),
    *alike(
        "olmsolve.v1.request",
        "which names are compared with near ones is a matter of time",
        ("_LONGEST_NAME_COMPARED: Final = 64", "64 -> 65"),
    ),
    *alike(
        "olmsolve.classic.shared_problem",
        "a group has at least two members, all of one namespace",
        ("position = _split(constraint.identifiers[0])[0]", "0 -> 1"),
    ),
    *alike(
        "olmsolve.classic.ruled",
        "a short cut: without preferences, or for one candidate, sorting changes nothing",
        ("if not self.preferred or len(candidates) < 2:", "if not self.preferred or len(candidates) < 2 -> if False"),
        (
            "if not self.preferred or len(candidates) < 2:",
            "not self.preferred or len(candidates) < 2 -> not self.preferred and len(candidates) < 2",
        ),
    ),
    *alike(
        "olmsolve.classic.ruled",
        "the exclusion of a rule is no branch of a choice, so nobody asks whether it is idle",
        ("return True", "True -> False", "__bool__"),
    ),
    *alike(
        "olmsolve.v1.planning",
        "how many requests join at once: the ones that fit are the same",
        ("step = (size - fitting) // 2", "2 -> 3"),
    ),
    *alike(
        "olmsolve.classic.resolving",
        "how many views of catalogs are remembered",
        ("_MOST_VIEWS: Final = 64", "64 -> 65"),
    ),
    *alike(
        "olmsolve.classic.compiled",
        "a literal is never 0: those are left out when a model is read",
        ("if values.setdefault(variable, literal > 0) != (literal > 0):", "literal > 0 -> literal >= 0"),
    ),
    *alike(
        "olmsolve.classic.compiled",
        "a reason tells the members of a group, and not how many of them can be selected",
        ("constraint = AtMost(1, tuple(members), constraint.groups[0])", "1 -> 2"),
    ),
    *alike(
        "olmsolve.classic.families",
        "saves a second look for the family by the name of its group",
        ("if family is not None:", "if family is not None -> if False", "_of_name"),
    ),
    *alike(
        "olmsolve.classic.families",
        "saves the checks for other catalogs and installed operators, where there are none",
        ("if self._index_knows_all:", "if self._index_knows_all -> if False", "_family"),
    ),
    *alike(
        "olmsolve.classic.unreadable",
        "a root selects whatever operator stays, before anything requires it, and then it is no choice",
        ("if problem.is_installed(chosen):", "if problem.is_installed(chosen) -> if False"),
    ),
    *alike(
        "olmsolve.classic.unreadable",
        "no two catalogs have one rank: it contains their names, which are given once",
        (
            "return source.rank(target) < problem.visible.sources[position].rank(target)",
            f"{_EARLIER} -> {_EARLIER.replace('<', '<=')}",
        ),
    ),
    *alike(
        "olmsolve.classic.resolving",
        "how many views of catalogs are remembered",
        (
            "if len(self._visible) >= _MOST_VIEWS:",
            "len(self._visible) >= _MOST_VIEWS -> len(self._visible) > _MOST_VIEWS",
        ),
    ),
    *alike(
        "olmsolve.classic.resolving",
        "a requirement is always a bundle's, and a bundle has no other choices in a namespace",
        (
            "if isinstance(origin, Requirement) and subject is not None:",
            f"{_OF_A_BUNDLE} -> {_OF_A_BUNDLE.replace(' and ', ' or ')}",
        ),
    ),
    *alike(
        "olmsolve.classic.resolving",
        "a short cut: the semantics of semantics are these",
        ("if isinstance(value, Semantics):", "if isinstance(value, Semantics) -> if False"),
    ),
    *alike(
        "olmsolve.classic.sharing",
        "the definitions of a group are of one API",
        ('reasons.append(("", OneDefinition(definitions[0].api, tuple(contradicting))))', "0 -> 1"),
        ("if definitions[0] is not None:", "0 -> 1"),
    ),
    *alike(
        "olmsolve.classic.unreadable",
        "never reached: whatever operator stays is selected by a root, before anything requires it",
        ("return False", "False -> True", "_precedes", "if problem.is_installed(chosen):"),
    ),
    *alike(
        "olmsolve.classic.problem",
        "every negative position stands for no catalog",
        (
            "requires, groups, position = self.installed.requires(operator), self.installed.groups(operator), -1",
            "1 -> 2",
        ),
    ),
    *alike(
        "olmsolve.classic.families",
        "saves making again what is not masked",
        (
            "if masked is None and identifier not in self._masked:",
            "masked is None and identifier not in self._masked -> masked is None or identifier not in self._masked",
        ),
    ),
    *alike(
        "olmsolve.classic.problem",
        "saves a search the look for the group of a requirement's candidates",
        ("return self._groups[predicate]", "return self._groups[predicate] -> return None"),
    ),
    *alike(
        "olmsolve.classic.house_rules",
        "compared by the fields that it follows from, or by them and itself",
        ("predicates: tuple[Predicate, ...] = attrs.field(init=False, eq=False, repr=False)", "False -> True"),
    ),
    *alike(
        "olmsolve.v1.offers",
        "how many looks cost as much as one search",
        ("_SEARCHES_PER_SCAN: Final = 32", "32 -> 33"),
    ),
    *alike(
        "olmsolve.v1.extension_path",
        "a short cut: the installed bundle is a successor of itself, so the search comes to it as well",
        ("if self._is_installed_at(top):", "if self._is_installed_at(top) -> if False", "way"),
    ),
)
