"""Pages from the tables and texts of the command line: findings, exit codes, and the topics of ``olmsolve help``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from olmsolve.authoring.checks.validation import STAGES, Stage
from olmsolve.cli.output import MEANINGS
from olmsolve.cli.table import COMMANDS, parser_of
from olmsolve.cli.topics import TOPICS, FindingGuide, finding_guides, topic_markdown
from website.commands import help_texts
from website.markdown import code, page, plain, table

_GROUPS: Final[Mapping[str, str]] = {
    "validate": """\
[Validating catalogs](../validate.md) says how the verdict comes about. `opm validate` stops at the stages `load`
(reading files and documents) and `convert` (making packages of them); advice is about catalogs that are valid.""",
    "lint": "[Lints](../lint.md) are about catalogs that are valid; `olmsolve validate` gives them as advice, too.",
    "audit": "[Audits](../audit.md) ask what users of whole catalogs would run into.",
    "fuzz": "[Fuzzing](../fuzzing.md) asks what random requests show.",
}
# A command with its option or its topic, in a text for terminals.
_CALL: Final = re.compile(rf"\bolmsolve (?:{'|'.join(COMMANDS)})\b(?: (?:--[\w-]+|set-default|semantics)\b)?")
_ABOUT_FINDINGS: Final = """\
Every finding has a code, which stays the same from version to version. `olmsolve help CODE` says the same in a
terminal."""


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each page."""
    yield "reference/findings.md", _findings()
    yield "reference/exit-codes.md", _exit_codes()
    yield "reference/topics.md", _topics()


def _findings() -> str:
    parts = [_ABOUT_FINDINGS]
    guides: dict[tuple[str, Stage | None], list[FindingGuide]] = {}
    for each in finding_guides().values():
        guides.setdefault((each.command, STAGES[each.code] if each.command == "validate" else None), []).append(each)
    for command, about in _GROUPS.items():
        parts += [f"## olmsolve {command} {{ #{command} }}", about]
        for (reported_by, stage), found in guides.items():
            if reported_by == command:
                parts.append(f"### Stage {stage} {{ #stage-{stage} }}" if stage else "")
                parts += map(_finding, found)
    return page("Finding codes", *parts)


def _finding(guide: FindingGuide) -> str:
    """Return a section of its own, which searches for the code find and links name."""
    means = plain(guide.means[0].upper() + guide.means[1:])
    severity = f" Severity: {plain(guide.severity)}." if guide.severity else ""
    what_to_do = _CALL.sub(lambda found: code(found[0]), plain(guide.do))
    return f"#### {guide.code} {{ #{guide.code} }}\n\n{means}.{severity}\n\nWhat to do: {what_to_do}"


def _exit_codes() -> str:
    rows = [(f"{value.value}", code(value.name), plain(meaning)) for value, meaning in MEANINGS.items()]
    by_command = []
    for name in COMMANDS:
        meanings = help_texts(parser_of(name)).exit_codes
        said = [plain(meanings.get(number, "")) for number in (0, 1, 2)]
        by_command.append((f"[{code(name)}](commands/olmsolve-{name}.md#exit-codes)", *said))
    return page(
        "Exit codes",
        "0 to 3 answer the question; the others are Unix's.",
        table(("code", "name", "meaning"), rows),
        "## By command",
        "What 0, 1 and 2 say in each command.",
        table(("command", "0", "1", "2"), by_command),
    )


def _topics() -> str:
    """Return the topics on one page; their headings become the page's second level, their links start at docs/."""
    sections = [
        re.sub(r"\]\((?=[\w-]+\.md)", "](../", re.sub(r"^#", "##", topic_markdown(name), flags=re.MULTILINE)).strip()
        for name in TOPICS
    ]
    return page("Topics", "What `olmsolve help TOPIC` explains in a terminal, each on one screen.", *sections)
