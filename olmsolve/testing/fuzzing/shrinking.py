"""Broken laws become findings: each case is drawn again, reduced, and compared with what was found before."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._arguments import first_of
from olmsolve._records import evolve
from olmsolve.answers.questions import compare_semantics
from olmsolve.answers.reducing import AnyRequest, anonymised, reduced, same_difference
from olmsolve.classic import Request, UnknownStartingCSV, Unsatisfiable
from olmsolve.errors import OlmsolveError, RequestError
from olmsolve.requests import request_document
from olmsolve.resolution import Resolution
from olmsolve.testing.fuzzing.covering import covered
from olmsolve.testing.fuzzing.findings import SHOWN, BrokenLaw, FuzzFinding, TwoMeanings
from olmsolve.testing.fuzzing.reports import title
from olmsolve.testing.fuzzing.working import (
    SEMANTICS_DIFFER,
    CaseResult,
    FuzzSettings,
    FuzzWork,
    checker_of,
    fault_of,
    laws_on,
)

_MOST: Final = 5
"""The most cases of one law that are reduced: the first ones, since most of them show the same."""
_SECONDS: Final = 20.0
"""The most time for one reduction, which nearly all need a small part of."""


def findings_of(work: FuzzWork, cases: Iterable[CaseResult], tell: Callable[[], None]) -> tuple[list[FuzzFinding], int]:
    """Return a finding for each broken law of *cases*, and how many were left out because they show the same.

    *tell* is called after each.
    """
    findings: dict[tuple[str, str], FuzzFinding] = {}
    tried: Counter[str] = Counter()
    left_out = 0
    for case in sorted(cases, key=lambda case: case.number):
        for name in case.broken:
            tried[name] += 1
            finding = _finding(work, case.number, name) if tried[name] <= _MOST else None
            if finding is None or findings.setdefault((name, _gist(finding)), finding) is not finding:
                left_out += 1
            tell()
    return list(findings.values()), left_out


def replayed(work: FuzzWork, requests: Iterable[AnyRequest]) -> tuple[list[FuzzFinding], list[CaseResult]]:
    """Return a finding for each law that one of *requests* breaks, as it is, and all results, numbered by position."""
    findings: list[FuzzFinding] = []
    results: list[CaseResult] = []
    for number, request in enumerate(requests):
        faults = {name: fault_of(law, request) for name, law in laws_on(request, work.settings)}
        broken = {name: fault for name, fault in faults.items() if fault is not None}
        findings += [_finding_on(number, name, request, fault, work.settings) for name, fault in broken.items()]
        outcome, answer = work.outcome(request)
        results.append(CaseResult(number, outcome, tuple(faults), tuple(broken), tuple(covered(request, answer))))
    return findings, results


def _finding(work: FuzzWork, number: int, name: str) -> FuzzFinding | None:
    """Return the finding that case *number* breaks the law *name*, None if it does so no more."""
    request = work.request(number)
    law = dict(laws_on(request, work.settings))[name]
    if fault_of(law, request) is None:
        return None
    small = _smallest(law, name, request)
    finding = _finding_on(number, name, small, fault_of(law, small) or "", work.settings)
    # The drawn request is called after what was done to catalogs, of which most is gone.
    return evolve(finding, request=attrs.evolve(small, name=title(finding)))


def _smallest(law: Callable[[Any], None], name: str, request: AnyRequest) -> AnyRequest:
    keeps = same_difference(request) if name == SEMANTICS_DIFFER else lambda other: fault_of(law, other) is not None
    try:
        return reduced(request, keeps, timeout=_SECONDS)
    except RequestError:
        return request


def _finding_on(
    number: int, name: str, request: AnyRequest, fault: str, settings: FuzzSettings
) -> BrokenLaw | TwoMeanings:
    if name == SEMANTICS_DIFFER and isinstance(request, Request):
        compared = compare_semantics(request)
        packages = tuple(sorted({change.package for change in compared.changes}))
        read_twice = [f"{bundle} requires {text}" for bundle, texts in compared.differing for text in texts]
        if isinstance(compared.before, Unsatisfiable):
            starts = (
                reason
                for reason in compared.before.core
                if isinstance(reason, UnknownStartingCSV) and reason.removed_by
            )
            read_twice += map(str, starts)
        documented, controller = map(_answer, (compared.before, compared.after))
        return TwoMeanings(
            number, request, packages, documented=documented, controller=controller, reasons=tuple(read_twice)
        )
    # The request follows in the message, and is in the finding already.
    lines = fault.partition("\nthe request:")[0].splitlines()
    reasons = tuple(line.strip() for line in lines)
    return BrokenLaw(number, request, name, checker=checker_of(name, settings), reasons=reasons)


def _answer(answer: Resolution | OlmsolveError) -> str:
    """Return what came of a request, in a line."""
    if isinstance(answer, Resolution):
        return first_of([str(install.candidate) for install in answer.installs], SHOWN) or "nothing to install"
    return "no plan" if isinstance(answer, Unsatisfiable) else str(answer)


def _gist(finding: FuzzFinding) -> str:
    """Return a text that findings share which show the same in different packages."""
    assert isinstance(finding, BrokenLaw | TwoMeanings)
    request = finding.request
    try:
        request = anonymised(request)
    except OlmsolveError:
        pass
    except Exception:  # noqa: BLE001, S110 - a crash is what the finding may be about
        pass
    document = request_document(request)
    document.pop("name", None)
    return json.dumps(document, sort_keys=True)
