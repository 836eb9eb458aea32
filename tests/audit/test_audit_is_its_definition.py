"""An audit finds exactly what asking for everything one by one would find.

The direct definition here asks the brute-force reference each question in full: every start of every bundle, and
every update as the request of a namespace in which the older version is installed. The audit answers updates by
what can be installed by itself, and asks the resolver; neither may show.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import attrs
import pytest

from olmsolve import CatalogError, Installed, Request, Semantics, Source, Subscription, Unsatisfiable, resolve
from olmsolve.answers.auditing import (
    AuditReport,
    BrokenChannel,
    CircularUpdates,
    DeadBecause,
    DeadBundle,
    EmptyChannel,
    HeadNotInstallable,
    NoUpdate,
    UpdateNotInstallable,
    audit,
)
from olmsolve.catalog import Bundle, Channel, Package
from olmsolve.errors import ConstraintError
from olmsolve.predicates import requirements
from olmsolve.testing import COMPOUND, DENSE, WIDE, random_request, reference
from tests.scale import scaled

SEEDS = scaled(40)
SHAPES = {
    "dense": DENSE,
    "compound": COMPOUND,
    # More channels and versions, and more that is odd, so that paths break in all ways.
    "odd": attrs.evolve(DENSE, packages=4, bundles=5, channels=3, requirement=0.4, odd=0.12),
}
Said = set[tuple[str, ...]]


class _Asked:
    """The answers of the reference about one package of *source* among *sources*."""

    def __init__(self, sources: tuple[Source, ...], source: Source, package: Package, semantics: Semantics) -> None:
        self.sources, self.source, self.package, self.semantics = sources, source, package, semantics

    def selected(self, channel: str, *, starting: str = "", installed: str = "") -> list[tuple[str, str, str]] | None:
        """Return the bundle that a subscription gets, as (catalog, channel, bundle); None if there is no plan."""
        wish = Subscription(
            "s", "here", self.package.name, channel, self.source.name, self.source.namespace, starting_csv=starting
        )
        operators = []
        if installed:
            operators.append(Installed(installed, "", self.package.bundles[installed].properties, "s"))
        namespaces = ("here", *sorted({source.namespace for source in self.sources}))
        request = Request(namespaces, self.sources, [wish], operators)
        answer = reference.resolve(request, self.semantics, max_steps=20_000)
        return (
            None if answer is None else [(candidate.catalog, candidate.channel, candidate.name) for candidate in answer]
        )

    def statements(self) -> Iterator[tuple[str, ...]]:
        for channel in self.package.channels.values():
            yield from self.said_of(channel)
        for bundle in self.package.bundles.values():
            channels = [c.name for c in self.package.channels.values() if bundle.name in _names(c, self.package)]
            if any(self.selected(channel, starting=bundle.name) is not None for channel in channels):
                continue
            because = DeadBecause.UNSATISFIABLE if channels else DeadBecause.NO_CHANNEL
            if channels and self.prohibited(bundle):
                because = DeadBecause.PROHIBITED
            yield "dead", bundle.name, because.value

    def prohibited(self, bundle: Bundle) -> bool:
        try:
            requirements(bundle.properties)
        except ConstraintError:
            return True
        return any(item.type == "olm.deprecated" for item in bundle.properties)

    def said_of(self, channel: Channel) -> Iterator[tuple[str, ...]]:
        names = _names(channel, self.package)
        if not names:
            yield "empty", channel.name
            return
        try:
            served = self.selected(channel.name)
        except CatalogError:
            yield "broken", channel.name
            return
        entries = [entry for entry in channel.entries if entry.name in names]
        taken = {name for entry in entries for name in (entry.replaces, *entry.skips)}
        (head,) = (name for name in names if name not in taken)
        if self.selected(channel.name, starting=head) is None:
            yield "head", channel.name, head, served[0][2] if served else ""
        for name in names:
            passed = [name]
            following: str | None = name
            while passed[-1] != head and following is not None and following not in passed[:-1]:
                following = self.next(channel, passed[-1])
                passed += [] if following is None else [following]
            if following is None:
                stays = self.selected(channel.name, installed=passed[-1]) is not None
                yield "stop", channel.name, name, passed[-1], str(stays)
            elif passed[-1] != head:
                yield "circle", channel.name, name

    def next(self, channel: Channel, installed: str) -> str | None:
        """Return the update of the installed bundle, None if it stays."""
        answer = self.selected(channel.name, installed=installed) or []
        new = [
            name
            for catalog, channel_name, name in answer
            if catalog == self.source.key and channel_name == channel.name
        ]
        updates = new[:1] if answer and answer[0][0] != reference.EXISTING else []
        return next((name for name in updates if name != installed), None)


def _names(channel: Channel, package: Package) -> list[str]:
    return list(dict.fromkeys(entry.name for entry in channel.entries if entry.name in package.bundles))


def _statements_of(report: AuditReport, catalog: str, package: str) -> Said:
    statements: Said = set()
    for finding in report.findings:
        if (finding.catalog, finding.package) != (catalog, package):
            continue
        match finding:
            case EmptyChannel():
                statements.add(("empty", finding.channel))
            case BrokenChannel():
                statements.add(("broken", finding.channel))
            case HeadNotInstallable():
                statements.add(("head", finding.channel, finding.bundle, finding.instead))
            case DeadBundle():
                statements.add(("dead", finding.bundle, finding.because.value))
            case CircularUpdates():
                statements.update(("circle", finding.channel, version) for version in finding.versions)
            case UpdateNotInstallable() | NoUpdate():
                stays = str(not finding.staying)
                statements.update(("stop", finding.channel, v, finding.bundle, stays) for v in finding.versions)
    return statements


@pytest.mark.parametrize("name", SHAPES)
def test_findings_are_the_defined_ones(name: str) -> None:
    """Every finding, and the absence of every other, on many random catalogs under both semantics."""
    kinds: Counter[str] = Counter()
    for seed in range(SEEDS):
        sources = random_request(random.Random(f"{name} {seed}"), SHAPES[name]).sources
        semantics = list(Semantics)[seed % 2]
        report = audit(sources, semantics=semantics)
        for source in sources:
            for package in source.catalog:
                try:
                    expected = set(_Asked(sources, source, package, semantics).statements())
                except reference.TooLarge:
                    continue
                assert _statements_of(report, source.key, package.name) == expected, (
                    name,
                    seed,
                    source.key,
                    package.name,
                )
                kinds.update(statement[0] for statement in expected)
    # None of them may quietly disappear from the generator.
    assert {"head", "dead", "stop"} <= set(kinds)


def test_no_request_selects_what_is_dead() -> None:
    """Requests with several subscriptions, starts in the middle of channels and some catalogs out of sight; what
    is in no channel or prohibited stays dead whatever is installed.
    """
    plans = 0
    for seed in range(scaled(100)):
        request = random_request(random.Random(f"dead {seed}"), WIDE)
        dead = [finding for finding in audit(request.sources).findings if isinstance(finding, DeadBundle)]
        always = {(f.catalog, f.bundle) for f in dead if f.because is not DeadBecause.UNSATISFIABLE}
        alone = {(f.catalog, f.bundle) for f in dead}
        for question, never in ((request, always), (attrs.evolve(request, installed=()), alone)):
            try:
                plan = resolve(question)
            except (CatalogError, Unsatisfiable):
                continue
            plans += bool(plan.installs)
            assert never.isdisjoint((install.catalog, install.name) for install in plan.installs), seed
    assert plans > scaled(50)
