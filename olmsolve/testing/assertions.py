"""Assertions about plans and failures whose messages say what happened instead, and why."""

from __future__ import annotations

from typing import Final

from olmsolve import classic
from olmsolve.answers.explain import explanation
from olmsolve.answers.questions import why_not
from olmsolve.classic import Request, Semantics, SemanticsName, Unsatisfiable
from olmsolve.predicates import published
from olmsolve.render import counted, explanation_text
from olmsolve.resolution import Resolution
from olmsolve.semver import reading_by
from olmsolve.testing.outlining import outline

_LONGEST_OUTLINE: Final = 60
# Columns, more than any line has: a sentence that is looked for must not be broken by a line end.
_WITHOUT_WRAPPING: Final = 100_000


def assert_installs(
    answer: Resolution | Request, *names: str, only: bool = False, semantics: SemanticsName = Semantics.DOCUMENTED
) -> Resolution:
    """Assert that a plan installs the bundles *names*, with *only* no others, and return the plan.

    *answer* is a plan, or a request that is resolved under *semantics*.

    Raises:
        AssertionError: it does not; the message lists the bundles of the plan and says why each missing one is not
            among them.
    """
    if isinstance(answer, Request):
        try:
            answer = classic.resolve(answer, semantics=semantics)
        except Unsatisfiable as failure:
            raise AssertionError(f"there is no plan that installs {', '.join(names)}:\n{_explained(failure)}") from None
    installed = [install.name for install in answer.installs]
    missing = [name for name in names if name not in installed]
    others = [name for name in installed if name not in names] if only else []
    if not missing and not others:
        return answer
    lines = [f"the plan installs {', '.join(installed) or 'nothing'}"]
    lines += [f"  not {name}: {_why_not(answer, name)}" for name in missing]
    lines += [f"  {name} is not expected" for name in others]
    raise AssertionError("\n".join(lines))


def assert_unsatisfiable(
    request: Request, *, because: str = "", semantics: SemanticsName = Semantics.DOCUMENTED
) -> Unsatisfiable:
    """Assert that *request* has no plan, that *because* occurs in one of the reasons, and return the failure.

    Raises:
        AssertionError: there is a plan, which the message lists; or the reasons are others.
    """
    try:
        plan = classic.resolve(request, semantics=semantics)
    except Unsatisfiable as failure:
        reasons = "\n".join(map(str, failure.core))
        if because not in reasons and because not in explanation_text(explanation(failure), width=_WITHOUT_WRAPPING):
            raise AssertionError(f"no reason says {because!r}:\n{_explained(failure)}") from None
        return failure
    names = ", ".join(install.name for install in plan.installs) or "nothing"
    lines = outline(request).splitlines()
    if len(lines) > _LONGEST_OUTLINE:
        lines = [*lines[:_LONGEST_OUTLINE], f"... and {counted(len(lines) - _LONGEST_OUTLINE, 'more line')}"]
    raise AssertionError("\n".join([f"there is a plan, which installs {names}", *lines]))


def _explained(failure: Unsatisfiable) -> str:
    return explanation_text(explanation(failure))


def _why_not(plan: Resolution, name: str) -> str:
    """Return the reason why *plan* lacks the bundle *name*, or that no catalog has it."""
    sources = () if plan.context is None else plan.context.request.sources
    for source, package in [(one, package) for one in sources for package in one.catalog]:
        if name in package.bundles:
            with reading_by(source.catalog.scheme):
                version = published(package.name, package.bundles[name].properties).version
            return why_not(plan, package.name, version=str(version or "")).reason
    return "no catalog has it"
