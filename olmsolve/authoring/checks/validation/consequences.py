"""One fault, one finding: errors that follow from a misspelt field or schema are told once, at the misspelling.

``defaultChanel: stable`` is a warning by itself, and makes a package without a default channel, which is an error.
Which errors follow is found by trying: the catalog is judged once more as if the name were right::

    errors as written          A B C
    errors with the fix        B          A and C follow from the misspelling: A is told there, C is left out
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from olmsolve._limits import checked
from olmsolve._records import evolve
from olmsolve.authoring.checks.finding import Finding, Severity
from olmsolve.authoring.checks.fix import FieldFix, mended
from olmsolve.catalog.fbc import Document

Judge = Callable[[Iterable[Document]], list[Finding]]

_MISSPELT: Final = frozenset({"field-unknown", "schema-unknown"})
_MOST_FAULTS: Final = 10  # misspellings that are tried, each with a pass over the documents
_MOST_DOCUMENTS: Final = 20_000

# The errors that say best what a misspelling did, the first of them before all others.
_TELLING: Final = ("package-unknown", "package-empty", "default-channel-missing", "channel-empty")


def without_consequences(
    found: list[Finding], documents: Callable[[], Iterator[Document]], judge: Judge
) -> list[Finding]:
    """Return *found* with the errors that follow from a misspelling told once, where it is.

    *documents* reads the catalog again, and *judge* returns what is wrong with documents.
    """
    misspelt = [finding for finding in found if finding.code in _MISSPELT and finding.fixes]
    wrong = {finding.package for finding in found if finding.severity is Severity.ERROR}
    if not misspelt or not wrong or len(misspelt) > _MOST_FAULTS:
        return found
    packages = wrong | {finding.package for finding in misspelt}
    held: list[Document] = []
    for document in documents():
        if _packages_of(document) & packages or any(fix.origin == document.origin for f in misspelt for fix in f.fixes):
            held.append(document)
        if len(held) > _MOST_DOCUMENTS:
            return found
    errors = [finding for finding in found if finding.severity is Severity.ERROR]
    for cause in checked(misspelt):
        fixes = cause.fixes
        left = set(map(_key, judge(_mended(document, fixes) for document in held)))
        gone = [error for error in errors if _key(error) not in left]
        if gone:
            found = _reported_once(found, cause, gone)
            errors = [error for error in errors if error not in gone]
    return found


def _packages_of(document: Document) -> set[str]:
    """Return the names by which *document* may belong to a package, whatever its schema."""
    return {each for each in (document.value.get("package"), document.value.get("name")) if isinstance(each, str)}


def _mended(document: Document, fixes: tuple[FieldFix, ...]) -> Document:
    own = [fix for fix in fixes if fix.origin == document.origin]
    return Document(mended(document.value, own), document.origin) if own else document


def _key(finding: Finding) -> tuple[str, ...]:
    return finding.code, finding.package, finding.channel, finding.bundle, finding.property


def _reported_once(found: list[Finding], cause: Finding, gone: list[Finding]) -> list[Finding]:
    """Return *found* with the most telling error of *gone* in the place of its *cause*, and without the others."""
    first = min(gone, key=lambda each: _TELLING.index(each.code) if each.code in _TELLING else len(_TELLING))
    moved = evolve(
        first,
        hint=cause.hint,
        package=first.package or cause.package,
        channel=cause.channel,
        bundle=cause.bundle,
        property=cause.property,
        origin=cause.origin,
        fixes=cause.fixes,
    )
    return [moved if each is cause else each for each in found if each is cause or each not in gone]
