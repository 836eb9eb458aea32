"""The law of certificates: the checker confirms the proof of every answer."""

from __future__ import annotations

import json

from olmsolve.answers.certifying import certificate
from olmsolve.answers.verification import verify
from olmsolve.classic import Request, Semantics
from olmsolve.errors import CatalogError, RequestError
from olmsolve.testing.laws.outcomes import broken, outcome_of


def check_certificate(request: Request, semantics: Semantics = Semantics.DOCUMENTED) -> None:
    """Check that the answer to *request* has a certificate, and that the checker confirms it after a trip through JSON.

    Answers that a broken or unreadable catalog decides have none.

    Raises:
        AssertionError: the checker refuses it.
    """
    outcome = outcome_of(request, semantics)
    if isinstance(outcome, CatalogError):
        return
    try:
        proof = json.loads(json.dumps(certificate(outcome)))
    except RequestError:
        return
    verdict = verify(proof, request)
    if not verdict:
        raise broken("the certificate proves nothing", request, [str(verdict.reason)])
