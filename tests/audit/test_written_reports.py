"""Reports as people, programs and CI systems read them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as Xml

import attrs

from olmsolve import evolve
from olmsolve._record_reading import kinds_of
from olmsolve.answers.auditing import (
    AuditFinding,
    AuditReport,
    BrokenChannel,
    DeadBecause,
    DeadBundle,
    RecordedReason,
    audit,
)
from olmsolve.render import audit_json, audit_junit, audit_text
from tests.audit.catalogs import FAULTY, sources

Snapshot = Callable[[str, str], None]


def faulty() -> AuditReport:
    return audit(sources(**FAULTY))


def test_as_text(snapshot: Snapshot) -> None:
    """Package by package, each finding with its reasons, in lines that fit."""
    text = audit_text(faulty(), width=100)
    snapshot("audit.txt", text)
    assert all(len(line) <= 100 for line in text.splitlines())


def test_nothing_found() -> None:
    """One line says what was looked at."""
    report = audit(sources(fine=FAULTY["fine"]))
    expected = "Audited 1 package, 2 channels, 2 bundles of olm/main, under documented semantics: nothing found."
    assert audit_text(report, width=120) == expected


def test_as_junit(snapshot: Snapshot) -> None:
    """Every package is a suite and every question a test case, so that what is fine shows as well."""
    xml = audit_junit(faulty())
    snapshot("audit.xml", xml)
    root = Xml.fromstring(xml)  # noqa: S314 - our own
    suites = root.findall("testsuite")
    assert [suite.get("name") for suite in suites] == ["olm/main blocked", "olm/main broken", "olm/main fine"]
    for element in (root, *suites):
        cases = list(element.iter("testcase"))
        assert element.get("tests") == str(len(cases))
        assert element.get("failures") == str(len(list(element.iter("failure"))))
        assert element.get("skipped") == str(len(list(element.iter("skipped"))))


def test_as_json() -> None:
    """The published form: every finding has its kind, its place, a sentence and its reasons."""
    data = json.loads(audit_json(faulty()))
    assert data["schema"] == "olmsolve.audit"
    assert data["schemaVersion"] == 1
    assert data["audited"] == {"packages": 3, "channels": 4, "bundles": 7}
    assert [finding["kind"] for finding in data["findings"]] == [
        "HeadNotInstallable",
        "UpdateNotInstallable",
        "DeadBundle",
        "BrokenChannel",
    ]
    assert data["findings"][0] == {
        "kind": "HeadNotInstallable",
        "text": "blocked.v3.0.0, the head of channel stable, cannot be installed; a subscription gets blocked.v2.0.0"
        " instead",
        "catalog": "olm/main",
        "package": "blocked",
        "channel": "stable",
        "bundle": "blocked.v3.0.0",
        "instead": "blocked.v2.0.0",
        "reasons": ["blocked.v3.0.0 (stable, olm/main) requires package nowhere in >=1.0.0, which no bundle provides"],
    }


def test_names_from_strangers() -> None:
    """Catalogs are written by others: no name may end a document early, or do something to a terminal."""
    nasty = 'x"/><!-- ]]>&amp;\x1b[31m\x00\ud800\ufffe\u202e é'
    (package, *_) = faulty().packages
    findings = (
        BrokenChannel(nasty, nasty, nasty, reasons=(RecordedReason(nasty),)),
        DeadBundle(nasty, nasty, nasty, DeadBecause.UNSATISFIABLE, reasons=(RecordedReason(nasty),)),
    )
    channels = tuple(attrs.evolve(channel, name=nasty) for channel in package.channels)
    changed = evolve(package, catalog=nasty, name=nasty, channels=channels, findings=findings)
    report = AuditReport((nasty,), "documented", (changed,))
    root = Xml.fromstring(audit_junit(report).encode())  # noqa: S314 - our own
    assert len(list(root.iter("failure"))) == 2
    assert all(character.isprintable() or character == "\n" for character in audit_text(report))
    assert json.loads(audit_json(report)) == report.to_dict()


def test_documentation_names_every_kind_and_field() -> None:
    """People write programs from that page."""
    page = (Path(__file__).parents[2] / "docs/audit.md").read_text("utf-8")
    for kind in kinds_of(AuditFinding).values():
        assert f"`{kind.__name__}`" in page
        for field in attrs.fields(kind):
            assert f"`{field.name}`" in page
    for because in DeadBecause:
        assert f"`{because.value}`" in page


def test_one_cause_is_said_once() -> None:
    """A requirement that no bundle meets stops every version of a package: who reads it once has read it."""
    report = faulty()
    names = ("a.v3", "a.v2", "a.v1")
    dead = {
        because: [_dead(name, because) for name in names]
        for because in (DeadBecause.UNSATISFIABLE, DeadBecause.PROHIBITED, DeadBecause.NO_CHANNEL)
    }
    for because, words in (
        (DeadBecause.UNSATISFIABLE, "no request over these catalogs can select: a.v3, a.v2, a.v1"),
        (DeadBecause.PROHIBITED, "never selected: a.v3, a.v2, a.v1"),
        (DeadBecause.NO_CHANNEL, "in no channel, so nothing can select it: a.v3, a.v2, a.v1"),
    ):
        package = evolve(report.packages[0], findings=tuple(dead[because]))
        text = audit_text(evolve(report, packages=(package,)), width=100)
        assert "3 findings for this reason:\n  the bundle, or its update, requires x\n" in text
        assert text.splitlines()[-1] == f"  - {words}"
    more = tuple(
        evolve(finding, reasons=(*finding.reasons, RecordedReason("b.v1 is broken")))
        for finding in dead[DeadBecause.UNSATISFIABLE]
    )
    package = evolve(report.packages[0], findings=more)
    both = audit_text(evolve(report, packages=(package,)), width=100)
    assert "3 findings for these reasons:\n  the bundle, or its update, requires x\n  b.v1 is broken\n" in both


def _dead(bundle: str, because: DeadBecause) -> DeadBundle:
    reasons = (RecordedReason(f"{bundle} (stable, olm/main) requires x"),)
    return DeadBundle("olm/main", "a", bundle, because, reasons=reasons)
