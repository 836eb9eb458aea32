"""Findings as files: request documents that ``olmsolve resolve`` reads, under a comment that says what they show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import yaml

from olmsolve._records import evolve
from olmsolve._whole_files import write_whole
from olmsolve.classic import Semantics
from olmsolve.errors import RequestError
from olmsolve.render import plain
from olmsolve.requests import request_document
from olmsolve.testing.fuzzing.findings import BrokenLaw, FuzzFinding, TwoMeanings

_UNUSUAL: Final = re.compile(r"[^a-z0-9]+")


def save(findings: Sequence[FuzzFinding], folder: Path, semantics: Semantics) -> tuple[FuzzFinding, ...]:
    """Write each of *findings* that has a request into *folder*; return all, with their files.

    Raises:
        RequestError: a file cannot be written.
    """
    saved: list[FuzzFinding] = []
    for finding in findings:
        if isinstance(finding, BrokenLaw | TwoMeanings):
            name = finding.law if isinstance(finding, BrokenLaw) else "two-meanings"
            path = folder / f"{_UNUSUAL.sub('-', name.lower()).strip('-')}-{finding.case}.yaml"
            try:
                write_whole(path, [_text(finding, path, semantics).encode()])
            except OSError as error:
                raise RequestError(error.strerror or str(error), field="out", source=str(path)) from None
            finding = evolve(finding, file=str(path))
        saved.append(finding)
    return tuple(saved)


def _text(finding: BrokenLaw | TwoMeanings, path: Path, semantics: Semantics) -> str:
    is_default = semantics is Semantics.DOCUMENTED
    form = "olmsolve fuzz --replay {0}" if is_default else "olmsolve fuzz --semantics {1} --replay {0}"
    heading = [str(finding), *finding.reasons, form.format(path.name, semantics.value)]
    # Strangers write catalogs, whose names occur in reasons: none may end the comment.
    comment = "".join(f"# {plain(line)}\n" for line in heading)
    document = yaml.safe_dump(request_document(finding.request), sort_keys=False, allow_unicode=False)
    return comment + document
