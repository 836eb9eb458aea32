"""Sentences in tables, which nobody notes when they are used: each stands in a snapshot or a test, as it is printed.

``test_each_sentence_of_a_table_is_in_a_test`` looks them up. The snapshots are for a reader: what ``olmsolve help``
says of each finding, of commands and of exit codes; warnings about YAML; and the words of each kind of a fact.
"""

from __future__ import annotations

import enum
import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from string import Formatter
from typing import Any, Final

import attrs
import pytest

from olmsolve.answers.rerunning import Order, OrderRule
from olmsolve.answers.verification import Flaw, Objection
from olmsolve.authoring.checks import validate
from olmsolve.catalog import UnreadableSource
from olmsolve.classic import CatalogsUnreadable, Influence
from olmsolve.cli.topics import finding_guides
from olmsolve.cluster import SubscriptionsReport
from olmsolve.cluster.operator_groups import RECOVERED, GroupReason
from olmsolve.lifecycle import MigrationRemark, Remark
from olmsolve.testing.fuzzing import KINDS
from olmsolve.testing.fuzzing.reports import HEADINGS
from olmsolve.v1 import DifferenceKind, DifferenceReason
from tests.cli.commands import runner
from tests.messages import LEDGER, ROOT, is_message, ledger_of
from tests.messages.noting import all_messages

Snapshot = Callable[[str, str], None]

_JOINED: Final = re.compile(r"""["']\s*\n\s*(?:r|f|rf|b)?["']""")
_SPACE: Final = re.compile(r"[\s\\`>|]+")
_FIELD: Final = re.compile(r"\{[^{}]*\}")
_READ: Final = frozenset({".py", ".txt", ".yaml", ".md", ".mmd"})
# A piece of a sentence between two fields that is shorter says nothing.
_SHORTEST: Final = 4


def test_help(snapshot: Snapshot, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The overview of commands and topics, the actions of ``catalog``, and the exit codes."""
    monkeypatch.setenv("COLUMNS", "200")
    run = runner(capsys)
    commands = (
        ["help"],
        ["help", "exit codes"],
        ["catalog", "--help"],
        ["catalog", "add", "--help"],
        ["validate", "--help"],
        ["completion", "--help"],
    )
    snapshot("messages/help.txt", "\n".join(f"$ olmsolve {' '.join(words)}\n{run(*words).out}" for words in commands))


def test_help_about_findings(snapshot: Snapshot) -> None:
    """What ``olmsolve help CODE`` says of each finding: what it means, how grave it is, and what to do."""
    snapshot("messages/findings.txt", "\n\n".join(map(_guide, finding_guides().values())))


def _guide(guide: Any) -> str:
    lines = [guide.code, f"Reported by olmsolve {guide.command}: {guide.means}."]
    return "\n".join([*lines, *([f"Severity: {guide.severity}."] if guide.severity else []), f"What to do: {guide.do}"])


YAML: Final = (
    "b: &b {k: 1}\nv: {k: 2, <<: *b}",
    "v: {<<: {a: 1}, <<: {b: 1}}",
    "v: {! '<<': {a: 1}}",
    "v: 1\nv: 2",
    "v: {1: a, '1': b}",
    "v: {1.0: a}",
    "v: 123456789012345678901",
    "v: 0xffffffffffffffffff",
    "v: !text a",
    "v: !!binary aGk=",
    'v: "it\\\'s"',
    "v: \ufeffa",
    "v: {a:, b: 1}",
    'v: "a"#b',
)


def test_warnings_about_yaml(snapshot: Snapshot, tmp_path: Path) -> None:
    """Each says what opm reads, what YAML's specification reads, and what to write."""
    blocks = []
    for text in YAML:
        (tmp_path / "catalog.yaml").write_text(f"schema: x\n{text}\n", "utf-8")
        [finding] = validate(tmp_path, advice=False)
        blocks.append(f"{text!r}\n  {finding.message}\n  {finding.hint}")
    snapshot("messages/yaml.txt", "\n\n".join(blocks))


def _filled(kinds: Iterable[enum.Enum], make: Callable[..., object]) -> Iterator[str]:
    """Yield the sentence of each of *kinds*, whose value is its template, each field filled in with its own name."""
    for kind in kinds:
        fields = {name: name.upper() for _, name, _, _ in Formatter().parse(kind.value) if name}
        yield str(make(kind, **fields))


def test_words_of_kinds(snapshot: Snapshot) -> None:
    """Facts of a few kinds have their words in a table: a sentence for each kind, filled in with names of fields."""
    lost = (UnreadableSource("lost", "olm", 0, "no route to host"),)
    blocks: dict[str, Iterable[str]] = {
        "order": _filled(Order, OrderRule.stating),
        "objections": _filled(Flaw, Objection.stating),
        "unreadable catalogs": (str(CatalogsUnreadable(lost, influence)) for influence in Influence),
        "classic and v1": (str(DifferenceReason(kind, "shop.v2", "no head")) for kind in DifferenceKind),
        "migration": (str(Remark(kind, "SUBJECT")) for kind in MigrationRemark),
        "operator groups": (f"{reason.value}: {RECOVERED.get(reason, '')}" for reason in GroupReason),
        "subscriptions": (
            str(SubscriptionsReport("ns", ("shop",), type_))
            for type_ in ("CatalogSourcesUnhealthy", "ResolutionFailed", "InstallPlanMissing", "InstallPlanFailed")
        ),
        "fuzzing": (HEADINGS[kind] for kind in KINDS),
    }
    text = "\n\n".join(f"{heading}\n" + "\n".join(f"  {line}" for line in lines) for heading, lines in blocks.items())
    snapshot("messages/kinds.txt", text)


# Tables that are read by what they say: of pages and texts, and of the messages of OLM itself, as recorded.
TABLES: Final = """
    olmsolve.answers.explain.near_misses:_NEAREST
    olmsolve.answers.explain.statements:_PASSED
    olmsolve.authoring.catalog_lists:_DEPRECATED
    olmsolve.authoring.checks.lints:_HINTS
    olmsolve.authoring.checks.lints:_RULES
    olmsolve.authoring.checks.validation.spelling:PACKAGE_NAMES
    olmsolve.catalog.archives.tar:EntryKind
    olmsolve.catalog.images.contents:ContentKind
    olmsolve.cel.second_opinion:RULE_DIFFERENCES
    olmsolve.cli.findings:_PASSED
    olmsolve.cli.commands.completion:_INSTALLED
    olmsolve.cli.situation:_CLASSIC_ONLY
    olmsolve.cluster.install_plans.refused_steps:INVALID_PLAN
    olmsolve.cluster.install_plans.steps:_WAITING
    olmsolve.cluster.operator_groups.membership:SEVERAL_GROUPS
    olmsolve.cluster.operator_groups.membership:NO_TARGETS
    olmsolve.cluster.operator_groups.membership:STATIC
    olmsolve.cluster.operator_groups.transition:_OWNER_CONFLICT
    olmsolve.lifecycle.effects.operators:_FAILED
    olmsolve.render.extension:_OUTCOMES
    olmsolve.render.extension:_NEAREST
    olmsolve.render.html.fleet_page:_STATES
    olmsolve.render.html.graph_page:_LEGEND
    olmsolve.render.html.situation_page:_WORDS
    olmsolve.render.impact:LineKind
    olmsolve.resolution:HINDRANCES
    olmsolve.semver.second_opinion:RANGE_DIFFERENCES
    olmsolve.v1.explanation:Outcome
    olmsolve.render.json_schemas:_CONSTANTS
    olmsolve.catalog.fbc.yaml_events:_DASHES
    olmsolve.catalog.fbc.yaml_events:_FIELDS
    olmsolve.catalog.fbc.yaml_events:_BRACKETS
    olmsolve.catalog.fbc.yaml_events:_BRACES
    olmsolve.answers.verification.document:_DIGEST
"""


def test_words_of_tables(snapshot: Snapshot) -> None:
    """What a table says is said by whoever looks into it; the tests of the rooms look for some of its words."""
    blocks = []
    for name in TABLES.split():
        module, _, table = name.partition(":")
        sentences = dict.fromkeys(_sentences(getattr(importlib.import_module(module), table)))
        blocks.append("\n".join([table.strip("_"), *(f"  {text}" for text in sentences)]))
    snapshot("messages/tables.txt", "\n\n".join(blocks))


def _sentences(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from [value] if is_message(value) else []
    elif isinstance(value, Mapping):
        yield from _sentences(tuple(value.values()))
    elif isinstance(value, type) and issubclass(value, enum.Enum):
        yield from _sentences(tuple(member.value for member in value))
    elif isinstance(value, Iterable):
        yield from (text for item in value for text in _sentences(item))
    elif attrs.has(type(value)):
        fields: Any = value
        yield from _sentences(tuple(attrs.asdict(fields, recurse=False).values()))


def _texts() -> str:
    """Return the texts of all tests and snapshots as one, without quotes between the lines of one string."""
    texts = []
    for path in sorted((ROOT / "tests").rglob("*")):
        if path.suffix in _READ and "__pycache__" not in path.parts and path != LEDGER:
            text = path.read_text("utf-8", "replace")
            texts.append(_SPACE.sub(" ", _JOINED.sub("", text) if path.suffix == ".py" else text))
    return "\0".join(texts)


def test_each_sentence_of_a_table_is_in_a_test() -> None:
    """A new one is produced by a test that holds it; its pieces between fields are looked up."""
    texts, excused = _texts(), ledger_of(LEDGER.read_text("utf-8"))
    missing = []
    for message in all_messages():
        if message.in_table and message.text not in excused:
            pieces = (_SPACE.sub(" ", piece).strip() for piece in _FIELD.split(message.text))
            if not all(piece in texts for piece in pieces if len(piece) >= _SHORTEST):
                missing.append(f"{message.module}:{message.position[0]}: {message.text!r}")
    assert missing == []
