"""All checks of validation in one pass over the documents of a catalog."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from olmsolve import events
from olmsolve._arguments import wrong_type
from olmsolve._collector import COLLECTOR_PAUSE
from olmsolve._limits import Cancellation, checked, scoped
from olmsolve._records import evolve
from olmsolve.authoring.checks.findings import FieldFix, Finding, Severity, mended
from olmsolve.authoring.checks.validation.blobs import checked_blob
from olmsolve.authoring.checks.validation.bundles import UsualBundles
from olmsolve.authoring.checks.validation.packages import PackageChecks
from olmsolve.authoring.checks.validation.reading import ReadingFault, Remark, read, remark_finding
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import Document, Linker, PropertyTable, plain_bundle
from olmsolve.errors import CatalogError

if TYPE_CHECKING:
    from olmsolve.authoring.checks.validation.positions import Files

_MOST: Final = 10_000  # findings of one code: a hostile file needs only two characters for each
_MISSPELT: Final = frozenset({"field-unknown", "schema-unknown"})
_MOST_FAULTS: Final = 10  # misspellings that are tried, each with a pass over the documents
_MOST_DOCUMENTS: Final = 20_000  # of the packages concerned, which are kept and judged again for each of these
# The errors that say best what a misspelling did, the first of them before all others.
_TELLING: Final = ("package-unknown", "package-empty", "default-channel-missing", "channel-empty")


def validate(
    catalog: str | os.PathLike[str] | Catalog,
    *,
    advice: bool = True,
    timeout: float | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> tuple[Finding, ...]:
    """Return everything that is wrong with *catalog*: a path, as :func:`olmsolve.load` takes it, or a loaded catalog.

    The catalog is valid, as ``opm validate`` judges, if no finding has the severity error. ``opm`` stops at its first
    error; this returns all of them: first the faults of reading and decoding, in the order of files and documents, then
    the faults of each package, sorted by name. Faults of one kind in documents beyond ten thousand are one finding. A
    file that is not well-formed is one finding, and as long as there is one, nothing is reported as missing. Loading
    refuses some faults and forgets others, so a path is judged more completely than a loaded catalog.

    Last comes *advice* on the packages without an error: warnings and notes about catalogs that ``opm`` accepts
    (docs/validate.md has its codes). *timeout*, *cancel* and *observer* are as in
    :func:`olmsolve.resolve`.

    Raises:
        CatalogError: the path cannot be opened. The content never raises.
        Incomplete: a limit was met, or the caller cancelled.
    """
    with scoped(timeout=timeout, cancel=cancel, observer=observer):
        return _findings(catalog, advice=advice)


def _findings(catalog: str | os.PathLike[str] | Catalog, *, advice: bool) -> tuple[Finding, ...]:
    is_loaded = isinstance(catalog, Catalog)
    if not is_loaded and not isinstance(catalog, str | os.PathLike):
        raise wrong_type(catalog, "a path or a Catalog", "catalog")
    properties = PropertyTable()
    judging = _DocumentPass(Linker(properties) if advice and not is_loaded else None)
    files: Files = {}
    documents: Iterable[Document | ReadingFault | Remark] = (
        _documents_of(catalog) if isinstance(catalog, Catalog) else read(catalog, files, properties)
    )
    # Nearly all that lasts is made here.
    with COLLECTOR_PAUSE:
        for document in documents:
            if isinstance(document, ReadingFault):
                judging.miss(document)
            elif isinstance(document, Document):
                judging.take(document)
            else:
                judging.remark(document)
    all_findings = judging.findings()
    lasting = _without_consequences(all_findings, partial(_reread, catalog), _judged)
    if advice and judging.has_documents:
        model = catalog if isinstance(catalog, Catalog) else judging.catalog()
        wrong = {finding.package for finding in lasting if finding.severity is Severity.ERROR}
        # Advice may take long, and makes up for its pause package by package.
        with COLLECTOR_PAUSE:
            advised = _advice(
                model, wrong | judging.differing, is_complete=judging.is_complete and lasting is all_findings
            )
        # Of one field, the verdict has spoken already.
        judged = {_location(finding) for finding in lasting}
        judged |= {_of_property(finding) for finding in lasting if finding.code == "field-unknown"}
        lasting.extend(
            finding
            for finding in advised
            if not finding.property or judged.isdisjoint((_location(finding), _of_property(finding)))
        )
    if lasting and files:
        # Imported late, as what makes documents of a loaded catalog: most catalogs are files without a finding.
        from olmsolve.authoring.checks.validation.positions import located

        return tuple(located(lasting, files, judging.crowded_lines))
    return tuple(lasting)


def _documents_of(catalog: Catalog) -> Iterator[Document]:
    from olmsolve.catalog.fbc import documents

    return documents(catalog)


def _reread(catalog: str | os.PathLike[str] | Catalog) -> Iterator[Document]:
    """Read the documents of *catalog* a second time; standard input has none left."""
    if isinstance(catalog, Catalog):
        yield from _documents_of(catalog)
    elif os.fspath(catalog) != "-":
        yield from (document for document in read(catalog, {}) if isinstance(document, Document))


def _judged(documents: Iterable[Document]) -> list[Finding]:
    judging = _DocumentPass(None)
    for document in documents:
        judging.take(document)
    return judging.findings()


class _DocumentPass:
    """One pass over the documents of a catalog: checks each and, with a *linker*, builds the catalog for advice."""

    def __init__(self, linker: Linker | None) -> None:
        self._linker = linker
        self._packages = PackageChecks()
        self._usual = UsualBundles()
        self._findings: list[Finding] = []
        self._count_of: Counter[str] = Counter()
        self._last_beyond: dict[str, Finding] = {}
        self.differing: set[str] = set()
        """Packages that loading sees otherwise than opm, or with unreported faults: advice on them could mislead."""
        self.is_complete = True
        """Whether every document could be used."""
        self.has_documents = False
        self.crowded_lines: set[tuple[str, int]] = set()
        """The lines, by file, on which several documents begin."""
        self._last_line = ("", 0)

    def miss(self, fault: ReadingFault) -> None:
        """Report a file that cannot be read; its documents may belong to any package."""
        self._findings.append(_unreadable(fault))
        self._packages.miss()
        self.is_complete = False

    def remark(self, remark: Remark) -> None:
        """Warn of text that nobody reads, or that YAML's specification reads otherwise than ``opm``."""
        finding = remark_finding(remark)
        self._count_of[finding.code] += 1
        if self._count_of[finding.code] <= _MOST:
            self._findings.append(finding)
        else:
            self._last_beyond[finding.code] = finding

    def take(self, document: Document) -> None:
        """Check *document* alone, and file it under its package."""
        self.has_documents = True
        line = (document.origin.file, document.origin.line or 0)
        if line == self._last_line:
            self.crowded_lines.add(line)
        self._last_line = line
        # The fast reader gives a bundle with its properties as a tuple, shared with others; every other document has a
        # list.
        if type(document.value.get("properties")) is tuple:
            bundle = self._usual.checked(document)
            if bundle is not None:
                package = document.value["package"]
                self._packages.add_bundle(package, bundle)
                self._link(document, package)
                return
            document = Document(plain_bundle(document.value), document.origin)
        blob = checked_blob(document)
        for finding in blob.findings:
            self._count_of[finding.code] += 1
            if self._count_of[finding.code] <= _MOST:
                self._findings.append(finding)
            else:
                self._last_beyond[finding.code] = finding
                self.differing.add(finding.package)
        if not blob.is_usable:
            self._packages.miss(blob.package)
            self.is_complete = False
            return
        self._packages.add(blob)
        self._link(document, blob.package)

    def _link(self, document: Document, package: str) -> None:
        if self._linker is not None and not _linked(self._linker, document):
            self.differing.add(package)
            self.is_complete = False

    def findings(self) -> list[Finding]:
        """Return all findings: first on documents, then on packages."""
        listed = list(self._findings)
        for code, last in self._last_beyond.items():
            reason = f"{self._count_of[code] - _MOST:,} more like this; this is the last one"
            listed.append(evolve(last, message=reason))
        if not listed and not self.has_documents:
            reason = "there is no catalog here: no document in any file"
            listed.append(Finding(Severity.WARNING, "catalog-empty", reason, "is the path right?"))
        listed.extend(self._packages.findings())
        # The documents of a misspelt package are not where others look for them.
        self.differing |= self._packages.torn
        self.is_complete = self.is_complete and not self._packages.torn
        return listed

    def catalog(self) -> Catalog:
        """Return the catalog that the linker has made of the usable documents."""
        assert self._linker is not None
        return self._linker.catalog("")


def _location(finding: Finding) -> tuple[str, ...]:
    return finding.package, finding.channel, finding.bundle, finding.property


def _of_property(finding: Finding) -> tuple[str, ...]:
    """Return the location of the bundle's property that *finding* is about, whatever field of it is wrong."""
    head, separator, _ = finding.property.partition("): ")
    return finding.package, finding.channel, finding.bundle, head + separator[:1]


def _linked(linker: Linker, document: Document) -> bool:
    """Return whether *linker* took *document*. It refuses repeats, and some documents that ``opm`` accepts."""
    try:
        linker.add(document)
    except CatalogError:
        return False
    return True


def _advice(catalog: Catalog, leaving_out: set[str], *, is_complete: bool) -> list[Finding]:
    # Imported here: advice needs the resolvers, and a mere verdict should not wait for them to load.
    from olmsolve.authoring.checks.advice import advise

    return list(advise(catalog, leaving_out=leaving_out, is_complete=is_complete))


def _unreadable(fault: ReadingFault) -> Finding:
    hint = "an .indexignore file leaves out files that are not part of the catalog" if fault.in_folder else ""
    return Finding(Severity.ERROR, "unreadable", fault.reason, hint, origin=fault.origin)


def _without_consequences(
    findings: list[Finding],
    documents: Callable[[], Iterator[Document]],
    judge: Callable[[Iterable[Document]], list[Finding]],
) -> list[Finding]:
    """Return *findings* with all errors that follow from a misspelling reported once, at the misspelling.

    ``defaultChanel: stable`` is a warning by itself, and makes a package without a default channel, which is an error.
    Which errors follow is found by trying: the catalog is judged once more as if the name were right::

        errors as written          A B C
        errors with the fix        B          A and C follow from the misspelling: A is reported there, C is left out

    *documents* reads the catalog again, and *judge* returns what is wrong with documents.
    """
    misspelt = [finding for finding in findings if finding.code in _MISSPELT and finding.fixes]
    wrong = {finding.package for finding in findings if finding.severity is Severity.ERROR}
    if not misspelt or not wrong or len(misspelt) > _MOST_FAULTS:
        return findings
    packages = wrong | {finding.package for finding in misspelt}
    read_documents: list[Document] = []
    for document in documents():
        if _packages_of(document) & packages or any(fix.origin == document.origin for f in misspelt for fix in f.fixes):
            read_documents.append(document)
        if len(read_documents) > _MOST_DOCUMENTS:
            return findings
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    for cause in checked(misspelt):
        fixes = cause.fixes
        remaining = set(map(_key, judge(_mended(document, fixes) for document in read_documents)))
        gone = [error for error in errors if _key(error) not in remaining]
        if gone:
            findings = _reported_once(findings, cause, gone)
            errors = [error for error in errors if error not in gone]
    return findings


def _packages_of(document: Document) -> set[str]:
    """Return the names of packages to which *document* may belong, whatever its schema."""
    return {name for name in (document.value.get("package"), document.value.get("name")) if isinstance(name, str)}


def _mended(document: Document, fixes: tuple[FieldFix, ...]) -> Document:
    document_fixes = [fix for fix in fixes if fix.origin == document.origin]
    return Document(mended(document.value, document_fixes), document.origin) if document_fixes else document


def _key(finding: Finding) -> tuple[str, ...]:
    return finding.code, finding.package, finding.channel, finding.bundle, finding.property


def _reported_once(findings: list[Finding], cause: Finding, gone: list[Finding]) -> list[Finding]:
    """Return *findings* without *gone*, whose most informative error takes the place of its *cause*."""
    first = min(gone, key=lambda finding: _TELLING.index(finding.code) if finding.code in _TELLING else len(_TELLING))
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
    return [moved if finding is cause else finding for finding in findings if finding is cause or finding not in gone]
