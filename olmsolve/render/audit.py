"""Audit reports as text for people, as JSON for programs, and as JUnit XML for CI systems."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from olmsolve._arguments import must_be
from olmsolve._named_tuples import NamedTuple
from olmsolve.answers.auditing import (
    AuditedPackage,
    AuditFinding,
    AuditReport,
    BrokenChannel,
    DeadBecause,
    DeadBundle,
    EmptyChannel,
    HeadNotInstallable,
    UpdateNotInstallable,
)
from olmsolve.render.junit import JUnitCase, junit_report
from olmsolve.render.layout import Style, counted, paragraph, plain

AUDIT_RULES: Final = {
    "BrokenChannel": "a channel without an order, in which only a startingCSV can begin",
    "EmptyChannel": "a channel without any entry that has a bundle",
    "HeadNotInstallable": "a head that cannot be installed",
    "UpdateNotInstallable": "a bundle none of whose updates can be installed",
    "NoUpdate": "a bundle below the head that nothing follows",
    "CircularUpdates": "updates that go in a circle and never reach the head",
    "DeadBundle": "a bundle that no request over these catalogs can select",
}
"""Every kind of finding of an audit, with the fault that it reports."""

_DEAD: Final = {
    DeadBecause.NO_CHANNEL: "in no channel, so nothing can select it: {}",
    DeadBecause.PROHIBITED: "never selected: {}",
    DeadBecause.UNSATISFIABLE: "no request over these catalogs can select: {}",
}
_ORDER: Final = "the channel has an order and a bundle"
_HEAD: Final = "the head can be installed"
_UPDATES: Final = "every version reaches the head"
_BUNDLES: Final = "every bundle can be selected"


class AuditedCause(NamedTuple):
    """The findings of an audit that have the same reasons.

    *shared* has the reasons of several findings, without the bundle's name; a finding alone has its own in *reasons*.
    *packages* has the name and the catalog of each package, with its sentences.
    """

    shared: tuple[str, ...]
    reasons: tuple[str, ...]
    packages: tuple[tuple[str, str, tuple[str, ...]], ...]
    findings: int


def audit_causes(report: AuditReport) -> Iterator[AuditedCause]:
    """Yield the causes of the findings in the order of their first finding, and in each the findings by package.

    Most findings of real catalogs have few causes: an API that nothing gives stops each version of a package, and each
    update.
    """
    causes: dict[tuple[str, ...], list[tuple[AuditedPackage, AuditFinding]]] = {}
    for package in report.packages:
        for finding in package.findings:
            causes.setdefault(_cause(finding), []).append((package, finding))
    for cause, findings in causes.items():
        is_shared = len(findings) > 1 and cause
        packages = tuple(
            (package.name, package.catalog, tuple(_said_once(finding for _, finding in of_package)))
            for package, of_package in groupby(findings, key=itemgetter(0))
        )
        own_reasons = () if is_shared else tuple(map(str, findings[0][1].reasons))
        yield AuditedCause(cause if is_shared else (), own_reasons, packages, len(findings))


def audit_text(report: AuditReport, *, width: int = 80, colour: bool = False) -> str:
    """Return the findings as text, grouped by their reasons; *width* is in characters."""
    must_be(report, "AuditReport", "report")
    style = Style(width, colour)
    lines = [style.bold(line) for line in paragraph(audit_summary(report), width)]
    for cause in audit_causes(report):
        lines.append("")
        if cause.shared:
            title = paragraph(shared_title(cause), width)
            lines += map(style.bold, title)
            for sentence in cause.shared:
                lines += paragraph(sentence, width, indent="  ", hanging="    ")
        for name, catalog, sentences in cause.packages:
            lines.append(style.bold(plain(f"{name} ({catalog})")))
            for text in sentences:
                lines += paragraph(text, width, indent="  - ", hanging="    ")
            for reason in cause.reasons:
                lines += map(style.dim, paragraph(f"because {reason}", width, indent="    ", hanging="      "))
    return "\n".join(lines)


def shared_title(cause: AuditedCause) -> str:
    """Return the heading above the shared reasons of *cause*."""
    return f"{counted(cause.findings, 'finding')} for {'this reason' if len(cause.shared) == 1 else 'these reasons'}:"


def _cause(finding: AuditFinding) -> tuple[str, ...]:
    """Return the reasons of *finding*, without the bundle that each begins with: versions differ in that.

    An audit that was resumed has the words of a reason alone, and must print the same.
    """
    names = [getattr(finding, "bundle", ""), *getattr(finding, "updates", ())]
    return tuple(_of_it(str(reason), names) for reason in finding.reasons)


def _of_it(reason: str, names: Iterable[str]) -> str:
    """Return *reason*, where "etcd.v1 (stable, olm/commons)" at the start becomes "the bundle, or its update,"."""
    for name in names:
        if name and reason.startswith(f"{name} ("):
            return f"the bundle, or its update, {reason.partition(') ')[2]}"
    return reason


def _said_once(findings: Iterable[AuditFinding]) -> Iterator[str]:
    """Yield sentences about *findings* of one package and cause, one for all that differ only in their bundle."""
    alike: dict[tuple[str, ...], list[AuditFinding]] = {}
    for finding in findings:
        alike.setdefault(_likeness(finding), []).append(finding)
    for findings_alike in alike.values():
        first, names = findings_alike[0], ", ".join(str(getattr(finding, "bundle", "")) for finding in findings_alike)
        if len(findings_alike) == 1:
            yield str(first)
        elif isinstance(first, DeadBundle):
            yield _DEAD[first.because].format(names)
        elif isinstance(first, UpdateNotInstallable):
            stays = "; and these bundles cannot stay installed" if first.staying else ""
            yield f"in channel {first.channel}, no update of these can be installed{stays}: {names}"
        else:
            yield from map(str, findings_alike)


def _likeness(finding: AuditFinding) -> tuple[str, ...]:
    if isinstance(finding, DeadBundle):
        return finding.kind, finding.because.value
    if isinstance(finding, UpdateNotInstallable) and finding.versions == (finding.bundle,):
        return finding.kind, finding.channel, str(bool(finding.staying))
    return finding.kind, str(finding)


def audit_json(report: AuditReport) -> str:
    """Return the report's ``to_dict()`` as JSON text, in ASCII, so that every stream can carry it."""
    # Of the characters in ASCII, json leaves this one alone that a terminal obeys.
    return json.dumps(report.to_dict(), indent=2).replace("\x7f", "\\u007f")


def audit_junit(report: AuditReport) -> str:
    """Return the report as JUnit XML, with a test suite for each package.

    A suite has three test cases for each channel, and one for all bundles.
    """
    suites = [(f"{package.catalog} {package.name}", list(_cases(package))) for package in report.packages]
    return junit_report("olmsolve audit", suites)


def _cases(package: AuditedPackage) -> Iterator[JUnitCase]:
    for channel in package.channels:
        findings = [finding for finding in package.findings if getattr(finding, "channel", None) == channel.name]
        order = _of_kinds(findings, (BrokenChannel, EmptyChannel))
        head = _of_kinds(findings, (HeadNotInstallable,))
        updates = tuple(finding for finding in findings if finding not in {*order, *head})
        skipped = "the channel has no head" if order else ""
        yield _case(f"channel {channel.name}: {_ORDER}", order)
        yield _case(f"channel {channel.name}: {_HEAD}", head, skipped)
        yield _case(f"channel {channel.name}: {_UPDATES}", updates, skipped)
    yield _case(_BUNDLES, _of_kinds(package.findings, (DeadBundle,)))


def _of_kinds(findings: Iterable[AuditFinding], kinds: tuple[type[AuditFinding], ...]) -> tuple[AuditFinding, ...]:
    return tuple(finding for finding in findings if isinstance(finding, kinds))


def _case(name: str, findings: Sequence[AuditFinding], skipped: str = "") -> JUnitCase:
    """Return the test case *name*: it fails if there are *findings*."""
    if not findings:
        return JUnitCase(name, skipped=skipped)
    first = str(findings[0])
    message = first if len(findings) == 1 else f"{first} (and {len(findings) - 1} more)"
    lines = [line for finding in findings for line in (str(finding), *(f"  because {r}" for r in finding.reasons))]
    return JUnitCase(name, failure=findings[0].kind, message=message, lines=lines)


def audit_summary(report: AuditReport) -> str:
    """Return one sentence about *report*: how much was audited, and how many findings there are."""
    audited = ", ".join(
        counted(count, noun)
        for count, noun in (
            (len(report.packages), "package"),
            (report.channels, "channel"),
            (report.bundles, "bundle"),
        )
    )
    catalogs = ", ".join(report.catalogs) or "no catalog"
    count = len(report.findings)
    outcome = counted(count, "finding") if count else "nothing found"
    return f"Audited {audited} of {catalogs}, under {report.semantics} semantics: {outcome}."
