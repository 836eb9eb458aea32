"""The verb of the room: which newer bundles the subscriptions of a request do not get, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from olmsolve._limits import checked
from olmsolve._named_tuples import NamedTuple
from olmsolve.answers.answer_context import context_of
from olmsolve.catalog.index import CatalogIndex, Visible
from olmsolve.classic import ClassicProblem, Request, Semantics
from olmsolve.resolution import Candidate, Resolution
from olmsolve.semver import Version, read_version

if TYPE_CHECKING:
    from olmsolve.answers.held_back.obstacles import HeldBackOperator
    from olmsolve.classic import Unsatisfiable


class _NewestBundle(NamedTuple):
    """The bundle of the highest version of a package in one catalog; *text* is the version as written."""

    name: str
    text: str
    version: Version


def held_back(answer: Resolution | Unsatisfiable, *, request: Request | None = None) -> tuple[HeldBackOperator, ...]:
    """Return the subscriptions that get or keep less than the newest version in any visible catalog, each with why.

    *answer* is the plan of a request, or its failure: then the installed operators stay as they are. Of each
    subscription the newest bundles of its channel, of its catalog and of all catalogs are told, and the update that
    comes next if the plan does not take it. *request* is only needed if *answer* was pickled and so lost its own.
    Where nothing is held back, nothing is solved.

    Raises:
        RequestError: *answer* has no request, or is not the answer to it.
        Incomplete: a limit was met before all obstacles were found.

    Example::

        for operator in olmsolve.held_back(olmsolve.resolve(request)):
            print(operator.subscription, *operator.newer, sep="\\n  ")
    """
    given, context = context_of(answer, request)
    current = _selected(answer, given) if isinstance(answer, Resolution) else _installed(given, context.semantics)
    visible = Visible(given.sources, given.namespaces)
    waiting = [
        wish
        for wish in given.subscriptions
        if wish.name in current and _has_newer(visible, wish.package, current[wish.name])
    ]
    if not waiting:
        return ()
    # Every plan is asked for what is held back, and mostly nothing is: then the rest is not loaded.
    from olmsolve.answers.held_back.obstacle_finder import ObstacleFinder
    from olmsolve.answers.rerunning import rerun_of

    if isinstance(answer, Resolution):
        rerun = rerun_of(answer, request)
        finder = ObstacleFinder(rerun.problem, rerun)
    else:
        finder = ObstacleFinder(ClassicProblem(given, visible, context.semantics), None)
    operators = (finder.operator(wish, current[wish.name]) for wish in waiting)
    return tuple(operator for operator in operators if operator.newer)


def _selected(plan: Resolution, request: Request) -> dict[str, Candidate]:
    """Return the bundle or operator that *plan* has for each subscription, by the subscription's name."""
    owners = request.owners()
    selected = {owners[kept.name].name: kept for kept in plan.kept if kept.name in owners}
    for install in plan.installs:
        for wanted in install.wanted_by:
            if wanted.subscription:
                selected[wanted.subscription] = install.candidate
    return selected


def _installed(request: Request, semantics: Semantics) -> dict[str, Candidate]:
    """Return the operator that each subscription owns, by the subscription's name."""
    problem = ClassicProblem.of_request(request, semantics)
    operators = map(problem.candidate, range(problem.visible.size, problem.visible.size + len(request.installed)))
    by_name = {operator.name: operator for operator in operators}
    return {owner.name: by_name[name] for name, owner in request.owners().items()}


def _has_newer(visible: Visible, package: str, current: Candidate) -> bool:
    """Return whether a visible catalog has a higher version of *package* than *current*."""
    for index in visible.indexes:
        newest = _newest(index, package)
        # Mostly the newest bundle is there, and its version is written alike: nothing is parsed then.
        if newest is None or newest.text == current.version or newest.name == current.name:
            continue
        version = read_version(current.version, index.catalog.scheme)
        if version is None or newest.version > version:
            return True
    return False


def _newest(index: CatalogIndex, package: str) -> _NewestBundle | None:
    """Return the newest bundle of *package*, computed once and kept with the catalog."""
    # Each plan asks about each package that is subscribed to: 34 µs to compare its versions, 0.3 to look the newest up.
    newest_of: dict[str, _NewestBundle | None] = index.catalog.derived((__name__, "newest"), dict)
    if package not in newest_of:
        bundles = (
            _NewestBundle(index.bundle(slot), index.version_text(slot), version)
            for slots in checked(index.offered(package) or ())
            for slot in slots.all
            if (version := index.version(slot)) is not None
        )
        newest_of[package] = max(bundles, key=lambda version: version.version, default=None)
    return newest_of[package]
