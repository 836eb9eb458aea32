"""Mutants that make no difference which a test could see, each with the reason: somebody has read them.

A test checks that each of them is a mutant of the line that it names, so that none outlives its line.
"""

from __future__ import annotations

from typing import Final

from tests.mutants.equivalence import Equivalent
from tests.mutants.mutating import Mutant

__all__ = ["EQUIVALENT", "is_equivalent"]


def is_equivalent(mutant: Mutant, source: str) -> bool:
    """Return whether *mutant* of a module with this *source* is on the list."""
    return any(each.module == mutant.module and each.is_(mutant, source.splitlines()) for each in EQUIVALENT)


_SEEN_LATER: Final = "looking ahead: a family without a possible member is found when the queue comes to it"

EQUIVALENT: Final = (
    Equivalent(
        "olmsolve.predicates.constraint",
        "return _remembered_range(text) if len(text) <= 256 else BlangRange.parse(text)",
        "256 -> 257",
        "which ranges are remembered is a matter of memory",
    ),
    Equivalent(
        "olmsolve.predicates.constraint",
        "return _remembered_range(text) if len(text) <= 256 else BlangRange.parse(text)",
        "len(text) <= 256 -> len(text) < 256",
        "which ranges are remembered is a matter of memory",
    ),
    Equivalent(
        "olmsolve.predicates.constraint",
        "if deepest > 3 * max_depth + 2:",
        "3 -> 4",
        "a guard of the stack with room to spare: what is deeper than allowed is refused below, too",
    ),
    Equivalent(
        "olmsolve.predicates.constraint",
        "if deepest > 3 * max_depth + 2:",
        "2 -> 3",
        "a guard of the stack with room to spare: what is deeper than allowed is refused below, too",
    ),
    Equivalent(
        "olmsolve.predicates.constraint",
        "if deepest > 3 * max_depth + 2:",
        "deepest > 3 * max_depth + 2 -> deepest >= 3 * max_depth + 2",
        "a guard of the stack with room to spare: what is deeper than allowed is refused below, too",
    ),
    Equivalent(
        "olmsolve.predicates.constraint",
        "pending: list[tuple[Any, int]] = [(value, 1)]",
        "1 -> 2",
        "the depth here is a guard with room to spare",
    ),
    Equivalent(
        "olmsolve.predicates.constraint",
        "if depth > 3 * max_depth + 3:",
        "3 -> 4",
        "a guard with room to spare: what is deeper than allowed is refused below, too",
    ),
    Equivalent(
        "olmsolve.predicates.constraint",
        "if depth > 3 * max_depth + 3:",
        "depth > 3 * max_depth + 3 -> depth >= 3 * max_depth + 3",
        "a guard with room to spare: what is deeper than allowed is refused below, too",
    ),
    Equivalent(
        "olmsolve.predicates.normal",
        "if not isinstance(predicate, _COMPOUND):",
        "if not isinstance(predicate, _COMPOUND) -> if False",
        "a short cut for leaves, which the rest of the function answers alike",
        "semantics_differ",
    ),
    Equivalent(
        "olmsolve.predicates.published_facts",
        "if parsed is not None and text == own:",
        "parsed is not None -> parsed is None",
        "a strict version is read once more, with the same result",
    ),
    Equivalent(
        "olmsolve.predicates.properties",
        "if type(mine) is bytes and type(its) is bytes and mine == its:",
        "if type(mine) is bytes and type(its) is bytes and (mine == its) -> if False",
        "equal texts have equal values; comparing texts spares decoding",
    ),
    Equivalent(
        "olmsolve.semver.intervals",
        "if len(sets) == 1:",
        "if len(sets) == 1 -> if False",
        "one set is merged to itself",
    ),
    Equivalent(
        "olmsolve.semver.blang",
        "groups[-1].append((comparator.rstrip(), Version.parse(version).key))",
        "groups[-1].append((comparator.rstrip(), Version.parse(version).key)) left out",
        "without a comparison the short cut is left for the long way, which gives the same",
    ),
    Equivalent(
        "olmsolve.semver.quoting",
        'return f"\\\\u{code:04x}" if code < 0x10000 else f"\\\\U{code:08x}"',
        "code < 65536 -> code <= 65536",
        "U+10000 can be printed, so it never comes here",
    ),
    Equivalent(
        "olmsolve.semver.version",
        "if len(identifier) > 20 or int(identifier) > MAX_NUMBER:",
        "20 -> 21",
        "21 digits are above the greatest number; the length spares reading thousands of them",
    ),
    Equivalent(
        "olmsolve.semver.version",
        "if len(identifier) > 20 or int(identifier) > MAX_NUMBER:",
        "len(identifier) > 20 -> len(identifier) >= 20",
        "21 digits are above the greatest number; the length spares reading thousands of them",
    ),
    Equivalent(
        "olmsolve.semver.masterminds",
        "exceptions: tuple[Exceptional, ...] = attrs.field(eq=False, repr=False)",
        "False -> True",
        "it follows from the text, which is compared",
    ),
    Equivalent(
        "olmsolve.semver.masterminds",
        "warnings: tuple[str, ...] = attrs.field(eq=False, repr=False)",
        "False -> True",
        "it follows from the text, which is compared",
    ),
    Equivalent(
        "olmsolve.semver.masterminds",
        "return ()",
        "return () -> return None",
        "the caller drops both",
    ),
    Equivalent(
        "olmsolve.catalog.update_graph.edges",
        "break",
        "break -> continue",
        "the entries come by rank, so all further ones are above the limit as well",
    ),
    Equivalent(
        "olmsolve.catalog.index.intervals",
        "if starts[fields + 1] - begin == 4 and items[begin] == package_field and items[begin + 2] == range_field:",
        "fields + 1 -> fields - 1",
        "a short cut for two fields in their usual order",
    ),
    Equivalent(
        "olmsolve.catalog.index.intervals",
        "if len(spans) == 1:",
        "if len(spans) == 1 -> if False",
        "a short cut for one span",
    ),
    Equivalent(
        "olmsolve.catalog.index.stored",
        "_VERSION_BYTES: Final = 32",
        "32 -> 33",
        "a file is read as it is written; others are refused as those of another version",
    ),
    Equivalent(
        "olmsolve.classic.problem",
        "n in meeting and self._selectable(_number(n)) for n in (*self._candidates_meeting(predicate, -1), *wished)",
        "1 -> 2",
        "every negative position stands for no catalog",
    ),
    Equivalent(
        "olmsolve.classic.upgrade_path",
        "return self.end in (self.installed, *self.steps[:-1]) if self.steps else False",
        "1 -> 2",
        "no bundle updates to itself, so the last step but one is another",
    ),
    Equivalent(
        "olmsolve.classic.resolving",
        "self._visible.clear()",
        "self._visible.clear() left out",
        "a limit of memory: a view that is forgotten is made anew",
    ),
    Equivalent(
        "olmsolve.classic.ruled",
        "return [number for number in checked(numbers, every=8) if self.include(bundles, number)]",
        "8 -> 9",
        "how often limits are looked at",
    ),
    Equivalent(
        "olmsolve.classic.request",
        "if values == ():",
        "if values == () -> if False",
        "no rules are read as no rules; the classes of rules would load for nothing",
    ),
    Equivalent(
        "olmsolve.classic.sharing",
        "if isinstance(constraint, AtMost) and isinstance(constraint.identifiers[0], tuple):",
        "0 -> 1",
        "the members of a group are of one kind",
    ),
    Equivalent(
        "olmsolve.v1.request",
        "_LONGEST_NAME_COMPARED: Final = 64",
        "64 -> 65",
        "which names are compared with near ones is a matter of time",
    ),
    Equivalent(
        "olmsolve.solver.core",
        "_LONG: Final = 100",
        "100 -> 101",
        "from where on another way to the same core is faster",
    ),
    Equivalent(
        "olmsolve.solver.portable",
        "if selection.hopeless(candidate, constraints_of(candidate), constraints_of, violations) is not None:",
        "if selection.hopeless(candidate, constraints_of(candidate), constraints_of, viol... -> if False",
        "a candidate without hope is given up later, at the dead end",
    ),
    Equivalent(
        "olmsolve.solver.rotation",
        "if len({breach.key, *(other.key for other in breaches)}) > 2:",
        "len({breach.key, *(other.key for other in breaches)}) > 2 ->"
        " len({breach.key, *(other.key for other in breaches)}) >= 2",
        "rotation is given up sooner, and solving answers the question",
    ),
    Equivalent(
        "olmsolve.solver.deciding.compiling",
        "if len(masks) == 1 and masks[0][0] != compiled.variable:",
        "if len(masks) == 1 and masks[0][0] != compiled.variable -> if False",
        "a short cut: the rest of the function makes the same need",
    ),
    Equivalent(
        "olmsolve.solver.deciding.finding",
        "if last is not None and rest:",
        "if last is not None and rest -> if False",
        "a run that inherits nogoods only spares the run that follows",
    ),
    Equivalent(
        "olmsolve.solver.leaping",
        "return (GROUP, groups[first + left // 2]) if left > 0 else None",
        "left > 0 -> left >= 0",
        "one more question, after which the descent goes on to the same core",
    ),
    Equivalent(
        "olmsolve.solver.rotation",
        "tried = self._tried.get(incoming, 0)",
        "0 -> 1",
        "how often a candidate is tried before solving answers the question",
    ),
    Equivalent(
        "olmsolve.solver.units",
        "self._walk = iter(checked(walk_in_steps(problem, self._ranks, families), every=16))",
        "16 -> 17",
        "how often limits are looked at",
    ),
    Equivalent(
        "olmsolve.solver.walking",
        "lost = user.wanted and not user.taken and not self._is_possible(user, user.support)",
        "not user.taken -> user.taken",
        _SEEN_LATER,
    ),
    Equivalent(
        "olmsolve.solver.walking",
        "if lost and not self._find_support(family):",
        "if lost and (not self._find_support(family)) -> if False",
        _SEEN_LATER,
    ),
    Equivalent(
        "olmsolve.solver.walking",
        "return False",
        "False -> True",
        _SEEN_LATER,
        "_propagate",
        "if lost and not self._find_support(family):",
    ),
    Equivalent(
        "olmsolve.solver.walking",
        "if lost and not self._find_support(user):",
        "if lost and (not self._find_support(user)) -> if False",
        _SEEN_LATER,
    ),
    Equivalent(
        "olmsolve.solver.walking",
        "return False",
        "False -> True",
        _SEEN_LATER,
        "_propagate",
        "if lost and not self._find_support(user):",
    ),
    Equivalent(
        "olmsolve.solver.walking",
        "self._waiting.clear()",
        "self._waiting.clear() left out",
        "a member that has its clauses gets no further ones",
    ),
    Equivalent(
        "olmsolve.solver.deciding.propagation",
        "return False",
        "False -> True",
        "the candidate was ruled out, so its domain is empty and a conflict when its variable comes up",
        "_select",
    ),
    Equivalent(
        "olmsolve.solver.portable",
        "return True",
        "True -> False",
        "a candidate without hope is given up later, at the dead end",
        "_refuted",
        "if selection.hopeless(candidate, constraints_of(candidate), constraints_of, violations) is not None:",
    ),
    Equivalent(
        "olmsolve.solver.walked",
        "self.support: int = 0",
        "0 -> 1",
        "the lowest bit stands for no member, as no bit does",
    ),
    Equivalent(
        "olmsolve.solver.walked",
        "self.encoded: int = 0",
        "0 -> 1",
        "the lowest bit stands for no member, as no bit does",
    ),
    Equivalent(
        "olmsolve.solver.judging",
        "return self._session.solve_within(conflicts, assumptions)",
        "return self._session.solve_within(conflicts, assumptions) -> return None",
        "a question that may go unanswered: without an answer, the last core is blamed",
    ),
    Equivalent(
        "olmsolve.solver.portable",
        "return True",
        "True -> False",
        "a candidate that the clauses refute is given up later, at the dead end",
        "_refuted",
        "selection.forbid(frozenset(selected[number] for number in conflict))",
    ),
    Equivalent(
        "olmsolve.solver.deciding.variables",
        "if variable is None and self._families is not None and self._families.family(group) is not None:",
        "self._families.family(group) is not None -> self._families.family(group) is None",
        "looking ahead: a member of the family is refused for the holder of its group when its turn comes",
    ),
    Equivalent(
        "olmsolve.solver.deciding.variables",
        "current, mask, of = -1, 0, self._of",
        "1 -> 2",
        "any negative number says that there is no variable",
    ),
    Equivalent(
        "olmsolve.solver.walked",
        "if found is None or (member is not None and (found[0] != member[0] or found[1] <= member[1])):",
        "found[1] <= member[1] -> found[1] < member[1]",
        "a candidate that a root lists twice sets the same bit twice",
    ),
    Equivalent(
        "olmsolve.solver.deciding.propagation",
        "elif not value & 1 and not value & self._supports.get(variable, 0):",
        "value & self._supports.get(variable, 0) -> value | self._supports.get(variable, 0)",
        "looking ahead by one candidate: a dead end is seen when the queue decides",
    ),
    Equivalent(
        "olmsolve.solver.deciding.propagation",
        "if values[target] & ~mask:",
        "if values[target] & ~mask -> if False",
        "looking ahead: the queue meets the need with one of its candidates, whatever else is left",
    ),
    Equivalent(
        "olmsolve.solver.deciding.analysis",
        "steps = source if isinstance(source, list) else [(-1, source)]",
        "1 -> 2",
        "any negative number says that there is no variable",
    ),
    Equivalent(
        "olmsolve.solver.ladders",
        "self._variables = 0",
        "0 -> 1",
        "a variable more, which no clause has",
    ),
    Equivalent(
        "olmsolve.solver.finding",
        "if core is None and last is not None:",
        "if core is None and last is not None -> if False",
        "rotation only spares questions",
    ),
    Equivalent(
        "olmsolve.solver.rotation",
        "if isinstance(constraint, Dependency):",
        "if isinstance(constraint, Dependency) -> if False",
        "a short cut: the last branch asks the same of every constraint",
        "_add_own",
    ),
    Equivalent(
        "olmsolve.catalog.update_graph.lane_layout",
        "arrows = tuple(islice(_arrows(entry, versioned), most + 1))",
        "1 -> 2",
        "one arrow more is made before too many are refused",
    ),
    Equivalent(
        "olmsolve.catalog.index.intervals",
        "if starts[fields + 1] - begin == 4 and items[begin] == package_field and items[begin + 2] == range_field:",
        "4 -> 5",
        "a short cut for two fields in their usual order",
    ),
    Equivalent(
        "olmsolve.catalog.index.candidates",
        "self._spans.clear()",
        "self._spans.clear() left out",
        "a limit of memory: what is forgotten is worked out anew",
    ),
    Equivalent(
        "olmsolve.catalog.index.visible",
        "self.candidates(predicate, position)",
        "self.candidates(predicate, position) left out",
        "it is looked up when it is needed; warming saves time then",
    ),
    Equivalent(
        "olmsolve.classic.sharing",
        "if isinstance(constraint, AtMost) and isinstance(constraint.identifiers[0], tuple):",
        "0 -> 1",
        "a group has at least two members, all of one kind",
    ),
)
