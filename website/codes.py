"""Pages of codes and topics, from the code: findings of checks, exit codes, and what `olmsolve help` explains."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from olmsolve.authoring.checks import ADVICE, CODES
from olmsolve.authoring.checks.validation import RULES, STAGES, Stage
from olmsolve.cli.exits import MEANINGS
from olmsolve.cli.table import COMMANDS, parser_of
from olmsolve.cli.topics import TOPICS, finding_guides, topic_markdown
from website.commands import help_texts
from website.markdown import anchored, code, page, plain, table

_STAGES: Final[Mapping[Stage, tuple[str, str]]] = {
    Stage.LOAD: ("While files are read and documents decoded", "`validate`; `opm validate` stops here too."),
    Stage.CONVERT: ("While documents become packages", "`validate`; `opm validate` stops here too."),
    Stage.ADVICE: (
        "Advice on catalogs that are valid",
        "`validate`, unless it is told otherwise; `lint` for the codes that are marked.",
    ),
}

_ABOUT_FINDINGS: Final = """\
Every finding of `olmsolve validate` and `olmsolve lint` has a code, which stays the same from version to version:
choose by it with `--only` and `--ignore`. [Validating catalogs](../validate.md) and [lints](../lint.md) tell how severe
each is, and what else the commands do with it."""


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each page."""
    yield "reference/findings.md", _findings()
    yield "reference/exit-codes.md", _exit_codes()
    yield "reference/topics.md", _topics()


def _findings() -> str:
    parts = [_ABOUT_FINDINGS]
    guides = finding_guides()
    for stage, (title, reporter) in _STAGES.items():
        rows = [
            (
                anchored(name, name),
                plain(RULES[name]) + (" (`lint`)" if name in CODES and name in ADVICE else ""),
                plain(guides[name].do),
            )
            for name, its in STAGES.items()
            if its is stage
        ]
        parts += [f"## {title}", f"Reported by {reporter}", table(("code", "fault", "what to do"), rows)]
    for command in ("audit", "fuzz"):
        found = [guide for guide in guides.values() if guide.command == command]
        rows = [(anchored(guide.code, guide.code), plain(guide.means), plain(guide.do)) for guide in found]
        parts += [f"## Findings of `{command}`", table(("kind", "finding", "what to do"), rows)]
    return page("Finding codes", *parts)


def _topics() -> str:
    parts = []
    for name in TOPICS:
        title, _, text = topic_markdown(name).partition("\n")
        # Topics link to pages of docs/, and this page is in a folder of it.
        parts += [f"#{title}", re.sub(r"\]\((?=[a-z0-9-]+\.md)", "](../", text).strip()]
    return page("Topics of olmsolve help", "`olmsolve help TOPIC` shows each of these in a terminal.", *parts)


def _exit_codes() -> str:
    rows = [(f"{value.value}", code(value.name), plain(meaning)) for value, meaning in MEANINGS.items()]
    by_command = []
    for name in COMMANDS:
        meanings = help_texts(parser_of(name)).exit_codes
        said = [plain(meanings.get(number, "")) for number in (0, 1, 2)]
        by_command.append((f"[{code(name)}](commands/olmsolve-{name}.md#exit-codes)", *said))
    return page(
        "Exit codes",
        "0 to 3 answer the question; the others are Unix's. Programs have the names in `olmsolve.cli.Exit`.",
        table(("code", "name", "meaning"), rows),
        "## By command",
        "What 0, 1 and 2 say in each command.",
        table(("command", "0", "1", "2"), by_command),
    )
