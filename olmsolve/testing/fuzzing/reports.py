"""Fuzzing reports as text for people, as JSON for programs, and as JUnit XML for CI systems.

Each finding comes with a request document that shows it: its request, its file and its command. A broken law and two
meanings come with the smallest request that shows them. The other findings are about catalogs as they are, so their
requests have the packages that matter, unaltered: whoever wants less of them asks ``olmsolve reduce``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import yaml

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern
from olmsolve._records import evolve
from olmsolve._whole_files import write_whole
from olmsolve.answers import light
from olmsolve.answers.reducing import AnyRequest
from olmsolve.catalog import Catalog, Source
from olmsolve.classic import Installed, Request, Semantics, Subscription, Unsatisfiable, resolve
from olmsolve.errors import CatalogError, RequestError
from olmsolve.render import JUnitCase, Style, counted, junit_report, paragraph, plain
from olmsolve.requests import request_document
from olmsolve.testing.fuzzing.findings import (
    KINDS,
    BrokenLaw,
    DifferentOpinion,
    FuzzFinding,
    FuzzReport,
    NeverDecisive,
    NeverInstallable,
    NeverTogether,
    TwoMeanings,
    UpdateDeadEnd,
    WonByName,
)
from olmsolve.testing.fuzzing.questions import Examiner, Profile
from olmsolve.v1 import ExtensionRequest

_UNUSUAL: Final = pattern(r"[^a-z0-9.]+")
_LONGEST: Final = 100
"""The most characters of a file's name: file systems take 255 bytes."""


def said_by(finding: FuzzFinding) -> tuple[str, ...]:
    """Return which code said what, a line each: nothing where *finding* says it by itself."""
    if isinstance(finding, TwoMeanings) and finding.documented:
        return (
            f"olmsolve with documented semantics: {finding.documented}",
            f"olmsolve with controller semantics: {finding.controller}",
        )
    if isinstance(finding, BrokenLaw) and finding.checker:
        return (f"judged by {finding.checker}",)
    return ()


def title(finding: FuzzFinding) -> str:
    """Return a name for the request that shows *finding*: what it is and which packages it is about."""
    match finding:
        case BrokenLaw():
            return f"broken law {finding.law} {' '.join(_wished(finding.request))}"
        case TwoMeanings():
            return f"two meanings {' '.join(finding.packages[:3] or _wished(finding.request))}"
        case NeverTogether():
            return f"never together {' '.join(package for _, package, _ in finding.wishes)}"
        case NeverInstallable():
            return f"never installable {finding.package} {' '.join(finding.channels[:1] if finding.served else ())}"
        case UpdateDeadEnd():
            return f"update dead end {finding.bundle} {finding.channel}"
        case NeverDecisive():
            return f"never decisive {finding.bundles[0]} {finding.requirement}"
        case WonByName():
            return f"won by name {finding.package} {finding.rival}"
        case DifferentOpinion():
            return f"different opinion {finding.bundle or finding.package}"
    raise TypeError(f"no title for findings of the kind {finding.kind}")


def _wished(request: AnyRequest) -> tuple[str, ...]:
    if isinstance(request, ExtensionRequest):
        return (request.extension.package,)
    return tuple(dict.fromkeys(wish.package for wish in request.subscriptions))[:3]


def command(finding: FuzzFinding, semantics: str) -> str:
    """Return the command that shows *finding* from its file."""
    match finding:
        case BrokenLaw() | TwoMeanings():
            forms = "olmsolve fuzz --replay {0}", "olmsolve fuzz --semantics {1} --replay {0}"
        case NeverTogether() | NeverInstallable():
            forms = "olmsolve explain {0}", "olmsolve explain --semantics {1} {0}"
        case WonByName():
            forms = "olmsolve why {0} {2}", "olmsolve why --semantics {1} {0} {2}"
        case _:
            forms = "olmsolve resolve {0}", "olmsolve resolve --semantics {1} {0}"
    form = forms[semantics != Semantics.DOCUMENTED.value]
    return form.format(finding.file, semantics, getattr(finding, "package", ""))


def save(
    findings: Sequence[FuzzFinding], folder: Path, examiner: Examiner, profiles: Iterable[Profile], semantics: Semantics
) -> tuple[FuzzFinding, ...]:
    """Write the request that shows each of *findings* into *folder*; return the findings with their files.

    *examiner* has the catalogs, *profiles* the plans for subscriptions alone.

    Raises:
        RequestError: a file cannot be written.
    """
    requests = _Requests(examiner, profiles, semantics)
    taken: set[str] = set()
    saved: list[FuzzFinding] = []
    for finding in findings:
        name = _file_name(title(finding), taken)
        path = folder / name
        shown = evolve(finding, file=str(path))
        try:
            write_whole(path, [_text(shown, requests.request_for(finding), path, semantics).encode()], is_named=False)
        except OSError as error:
            raise RequestError(error.strerror or str(error), field="out", source=str(path)) from None
        saved.append(shown)
    return tuple(saved)


def _file_name(text: str, taken: set[str]) -> str:
    """Return a name for a file out of *text* that is not *taken*, and take it: two findings may be called alike."""
    stem = _UNUSUAL.sub("-", text.lower()).strip("-.")[:_LONGEST].rstrip("-.")
    name, number = stem, 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}"
    taken.add(name)
    return f"{name}.yaml"


def _text(finding: FuzzFinding, request: AnyRequest, path: Path, semantics: Semantics) -> str:
    here = evolve(finding, file=path.name)
    heading = [str(finding), *finding.reasons, *said_by(finding), command(here, semantics.value)]
    # Strangers write catalogs, whose names occur in reasons: none may end the comment.
    comment = "".join(f"# {plain(line)}\n" for line in heading)
    return comment + yaml.safe_dump(request_document(request), sort_keys=False, allow_unicode=False)


class _Requests:
    """The requests that show findings about catalogs."""

    def __init__(self, examiner: Examiner, profiles: Iterable[Profile], semantics: Semantics) -> None:
        self._examiner = examiner
        self._semantics = semantics
        self._profiles = tuple(profiles)

    def request_for(self, finding: FuzzFinding) -> AnyRequest:
        """Return a small request that shows *finding*, whose answer is that over the whole catalogs."""
        if isinstance(finding, BrokenLaw | TwoMeanings):
            return finding.request
        wishes, installed = self._wishes(finding)
        request = attrs.evolve(self._examiner.request(wishes), installed=installed, name=str(finding))
        return self._small(request)

    def _wishes(self, finding: FuzzFinding) -> tuple[list[Subscription], tuple[Installed, ...]]:
        wish = self._examiner.wish
        match finding:
            case NeverTogether():
                return [wish(*fields) for fields in finding.wishes], ()
            case NeverInstallable():
                return [wish(finding.catalog, finding.package, next(iter(finding.channels), ""))], ()
            case UpdateDeadEnd():
                package = self._examiner.sources[finding.catalog].catalog.packages[finding.package]
                operator = Installed(
                    finding.bundle,
                    properties=package.bundles[finding.bundle].properties,
                    subscription=finding.package,
                )
                return [wish(finding.catalog, finding.package, finding.channel)], (operator,)
            case NeverDecisive():
                return [self._starting(finding.catalog, finding.package, finding.bundles[0])], ()
            case DifferentOpinion():
                return [self._starting(finding.catalog, finding.package, finding.bundle)], ()
            case WonByName():
                return [next(self._with_both(finding))], ()
        raise TypeError(f"no request shows findings of the kind {finding.kind}")

    def _starting(self, catalog: str, package: str, bundle: str) -> Subscription:
        """Return a subscription that begins with *bundle* ("": the head of any channel)."""
        package_there = self._examiner.sources[catalog].catalog.packages[package]
        holding = [
            channel.name
            for channel in package_there.channels.values()
            if any(entry.name == bundle for entry in channel.entries)
        ]
        channel = next(iter(holding), "")
        return self._examiner.wish(catalog, package, channel, bundle if channel else "")

    def _with_both(self, finding: WonByName) -> Iterator[Subscription]:
        """Yield subscriptions whose plans have the package that won by its name, and the bundle that requires it."""
        for profile in self._profiles:
            packages = {(catalog, package) for catalog, package, _, _ in profile.installs}
            names = {name for _, _, _, name in profile.installs}
            if (finding.catalog, finding.package) in packages and finding.bundle in names:
                yield self._examiner.wish(profile.catalog, profile.package, profile.channel)

    def _small(self, request: Request) -> Request:
        """Return *request* over the packages of the core, or else over the packages that the wishes can reach.

        Packages out of reach change no answer. A core needs few of the others, which are tried first; the other
        findings are about all that could be selected.
        """
        wished = {wish.package for wish in request.subscriptions}
        stated = [property_ for operator in request.installed for property_ in operator.properties]
        core, named = self._core(request)
        if core:
            smaller = attrs.evolve(request, sources=list(self._sources(wished | named)))
            if self._core(smaller)[0] == core:
                return smaller
        return attrs.evolve(request, sources=list(self._sources(self._examiner.reach.reached_from(wished, stated))))

    def _sources(self, names: set[str]) -> Iterator[Source]:
        for source in self._examiner.sources.values():
            packages = {package.name: package for package in source.catalog if package.name in names}
            catalog = Catalog(packages, origin=source.catalog.origin, scheme=source.catalog.scheme)
            yield attrs.evolve(source, catalog=light(catalog))

    def _core(self, request: Request) -> tuple[str, set[str]]:
        """Return the text of the failure of *request*, "" without one, and the packages in its core."""
        try:
            resolve(request, semantics=self._semantics)
        except Unsatisfiable as failure:
            return str(failure), {
                candidate.package for reason in failure.core for candidate in reason.candidates_named()
            }
        except CatalogError as error:
            return str(error), set()
        return "", set()


HEADINGS: Final = {
    "BrokenLaw": "Laws that answers break: faults of olmsolve",
    "TwoMeanings": "Constraints and starts that mean something else to the shipped controller",
    "NeverTogether": "Subscriptions that can never be served together",
    "NeverInstallable": "Packages that can never be installed",
    "UpdateDeadEnd": "Updates that end before the head of their channel",
    "NeverDecisive": "Requirements that never decide",
    "WonByName": "Packages that win only by their names",
    "DifferentOpinion": "Ranges and rules that other libraries read differently",
}
"""The heading of each kind of finding."""


def fuzz_text(report: FuzzReport, *, width: int = 80, colour: bool = False) -> str:
    """Return the report as text, kind by kind, each finding with its reasons; *width* is in characters."""
    style = Style(width, colour)
    lines = [style.bold(line) for line in paragraph(_summary(report), width)]
    for kind in KINDS:
        findings = report.of_kind(kind)
        if findings:
            lines += ["", style.bold(f"{HEADINGS[kind]} ({len(findings)})")]
        for _, finding in findings:
            lines += paragraph(_sentence(finding), width, indent="  - ", hanging="    ")
            for reason in finding.reasons:
                lines += map(style.dim, paragraph(reason, width, indent="    ", hanging="      "))
            for line in said_by(finding):
                lines += map(style.dim, paragraph(line, width, indent="    ", hanging="      "))
            if finding.file:
                lines += paragraph(command(finding, report.semantics), width, indent="    ")
    if report.repeated:
        lines += ["", f"{counted(report.repeated, 'more case')} showed the same."]
    if any(report.covered.values()):
        covered = ", ".join(f"{name} {count:,}" for name, count in report.covered.items())
        lines += ["", *map(style.dim, paragraph(f"What the requests covered, and how often: {covered}.", width))]
    return "\n".join(lines)


def _sentence(finding: FuzzFinding) -> str:
    package = getattr(finding, "package", "")
    text = str(finding)
    return f"{package}: {text}" if package and not text.startswith(package) else text


def fuzz_json(report: FuzzReport) -> str:
    """Return the report's ``to_dict()`` as JSON text, in ASCII, so that every stream can carry it."""
    # DEL is the only control character of ASCII that json does not escape.
    return json.dumps(report.to_dict(), indent=2).replace("\x7f", "\\u007f")


def fuzz_junit(report: FuzzReport) -> str:
    """Return the report as JUnit XML: a suite of the laws, a test case each, and one of the author's questions."""
    laws = [_case(f"law {name}", _of_law(report, name)) for name in sorted(report.checks)]
    questions = [
        _case(HEADINGS[kind], [finding for _, finding in report.of_kind(kind)]) for kind in KINDS if kind != "BrokenLaw"
    ]
    title = f"laws (seed {report.seed}, {counted(report.cases, 'case')})"
    return junit_report("olmsolve fuzz", [(title, laws), ("questions", questions)])


def _of_law(report: FuzzReport, name: str) -> list[FuzzFinding]:
    return [finding for finding in report.findings if isinstance(finding, BrokenLaw) and finding.law == name]


def _case(title: str, findings: Sequence[FuzzFinding]) -> JUnitCase:
    """Return the test case *title*: it fails if there are *findings*."""
    if not findings:
        return JUnitCase(title)
    lines = [
        line
        for finding in findings
        for line in (_sentence(finding), *(f"  {reason}" for reason in (*finding.reasons, *said_by(finding))))
    ]
    return JUnitCase(title, failure=findings[0].kind, message=_sentence(findings[0]), lines=lines)


def _summary(report: FuzzReport) -> str:
    ended = ", ".join(f"{count:,} {_counted(how, count)}" for how, count in sorted(report.outcomes.items()))
    requests = counted(report.cases, "request") + (f" ({ended})" if ended else "")
    examined = f"{report.packages:,} of {counted(report.all_packages, 'package')} examined"
    parts = [
        f"Seed {report.seed}: {requests}, {counted(sum(report.checks.values()), 'check')}",
        f"{examined}, {counted(report.pairs, 'pair')} of them",
    ]
    count = len(report.findings)
    outcome = "nothing found" if not count else f"{count:,} finding{'s' * (count != 1)}"
    return f"{'; '.join(parts)}; under {report.semantics} semantics: {outcome}."


def _counted(how: str, count: int) -> str:
    return how if count == 1 or how.startswith("no ") else {"broken catalog": "broken catalogs"}.get(how, f"{how}s")
