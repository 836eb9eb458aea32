"""All checks of validation in one pass over the documents of a catalog."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from typing import Final

import attrs

from olmsolve.authoring.checks.finding import Finding, Severity
from olmsolve.authoring.checks.validation.blobs import checked
from olmsolve.authoring.checks.validation.packages import PackageChecks
from olmsolve.authoring.checks.validation.reading import ReadingFault, documents_of, read
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import Document, Linker
from olmsolve.errors import CatalogError

__all__ = ["validate"]

_MOST: Final = 10_000  # findings of a kind in documents: two characters of a hostile file are enough for one


def validate(catalog: str | os.PathLike[str] | Catalog, *, advice: bool = True) -> tuple[Finding, ...]:
    """Return everything that is wrong with *catalog*: a path, as :func:`olmsolve.load` takes it, or a loaded catalog.

    The catalog is valid, in the judgement of ``opm validate``, where no finding is of severity error. ``opm`` stops at
    its first error; here are all of them: first what cannot be read or decoded, in the order of files and documents,
    then the faults of each package, by name. Of one kind of fault in documents, what goes beyond ten thousand is one
    finding. A file that is not well-formed is one finding, and as long as there is such a file, nothing is said to be
    missing. Loading refuses some faults and forgets others, so that a path tells more than a loaded catalog.

    Last comes *advice* on the packages that have no error: warnings and notes about what ``opm`` accepts
    (:data:`olmsolve.authoring.checks.ADVICE` has its codes).

    Raises :class:`~olmsolve.errors.CatalogError` where the path cannot be opened; never for what is in it.
    """
    documents: Iterable[Document | ReadingFault] = (
        documents_of(catalog) if isinstance(catalog, Catalog) else read(catalog)
    )
    found: list[Finding] = []
    packages = PackageChecks()
    linker = Linker() if advice and not isinstance(catalog, Catalog) else None
    # PackageChecks of which loading sees something else than opm does, or with faults that are not told: advice on them
    # could mislead.
    differing: set[str] = set()
    is_complete = True
    read_any = False
    counted: Counter[str] = Counter()
    beyond: dict[str, Finding] = {}
    for document in documents:
        if isinstance(document, ReadingFault):
            found.append(_refused(document))
            if document.is_fatal:
                packages.miss()
                is_complete = False
            continue
        read_any = True
        blob = checked(document)
        for finding in blob.findings:
            counted[finding.code] += 1
            if counted[finding.code] <= _MOST:
                found.append(finding)
            else:
                beyond[finding.code] = finding
                differing.add(finding.package)
        if blob.is_usable:
            packages.add(blob)
            if linker is not None and not _linked(linker, document):
                differing.add(blob.package)
                is_complete = False
        else:
            packages.miss(blob.package)
            is_complete = False
    for code, last in beyond.items():
        reason = f"{counted[code] - _MOST:,} more documents or fields like this; this is the last of them"
        found.append(attrs.evolve(last, message=reason))
    if not found and not read_any:
        reason = "there is no catalog here: no document in any file"
        found.append(Finding(Severity.WARNING, "catalog-empty", reason, "is the path right?"))
    found.extend(packages.findings())
    if advice and read_any:
        model = catalog if isinstance(catalog, Catalog) else linker.catalog("") if linker is not None else None
        if model is not None:
            wrong = {each.package for each in found if each.severity is Severity.ERROR or each.code == "field-case"}
            said = {(finding.package, finding.channel, finding.bundle, finding.property) for finding in found}
            found.extend(
                finding
                for finding in _advice(model, wrong | differing, is_complete=is_complete)
                if not finding.property
                or (finding.package, finding.channel, finding.bundle, finding.property) not in said
            )
    return tuple(found)


def _linked(linker: Linker, document: Document) -> bool:
    """Whether *linker* took *document*: it refuses some of what ``opm`` accepts, and repeats (an error by then)."""
    try:
        linker.add(document)
    except CatalogError:
        return False
    return True


def _advice(catalog: Catalog, leaving_out: set[str], *, is_complete: bool) -> Iterable[Finding]:
    # Imported where it is needed: it knows resolvers, which a mere verdict should not wait for.
    from olmsolve.authoring.checks.advice import advise

    return advise(catalog, leaving_out=leaving_out, is_complete=is_complete)


def _refused(refusal: ReadingFault) -> Finding:
    if refusal.is_fatal:
        hint = "an .indexignore file leaves out files that are not part of the catalog"
        return Finding(Severity.ERROR, "unreadable", refusal.reason, hint, origin=refusal.origin)
    hint = "opm keeps it as it is written; a double holds no more than 1.8e308"
    return Finding(Severity.WARNING, "number-too-large", refusal.reason, hint, origin=refusal.origin)
