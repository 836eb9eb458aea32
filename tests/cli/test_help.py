"""``olmsolve help``: topics, findings and commands, explained in the terminal."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

import olmsolve as library
from olmsolve._reader import SITE
from olmsolve.authoring.checks.validation import RULES
from olmsolve.cli import COMMANDS, GROUPS, MEANINGS
from olmsolve.cli.topics import TOPICS, finding_guides, markdown_text, topic_markdown, topic_summaries
from olmsolve.render import AUDIT_RULES, Style
from olmsolve.testing.fuzzing import KINDS
from tests.cli.commands import Run

EXAMPLES: Final = Path(library.__file__).parent / "examples"
ROOT: Final = Path(__file__).parents[2]


def test_all_that_can_be_explained_is_listed(olmsolve: Run) -> None:
    """Whoever does not know a name finds it here: topics first, commands in their groups."""
    outcome = olmsolve("help")
    assert (outcome.code, outcome.err) == (0, "")
    for name, summary in topic_summaries().items():
        assert re.search(rf"^  {name} +{re.escape(summary)}$", outcome.out, re.MULTILINE)
    for title, names in GROUPS.items():
        listed = outcome.out.partition(f"{title}:\n")[2].partition("\n\n")[0]
        assert [line.split()[0] for line in listed.splitlines()] == list(names)


@pytest.mark.parametrize("name", TOPICS)
def test_topics_fit_and_lead_on(olmsolve: Run, name: str) -> None:
    """A topic is one screen of text, which ends with the pages that say more."""
    outcome = olmsolve("help", *name.split())
    assert (outcome.code, outcome.err) == (0, "")
    assert olmsolve("help", name.replace(" ", "-").upper()).out == outcome.out
    assert len(outcome.out.splitlines()) <= 50
    text = markdown_text(topic_markdown(name), Style(80))
    assert [line for line in text.splitlines() if len(line) > 80] == []
    assert "<!--" not in text
    pages = re.findall(rf"{re.escape(SITE)}([a-z0-9-]+)/", text)
    assert pages
    assert [page for page in pages if not (ROOT / "docs" / f"{page}.md").exists()] == []


@pytest.mark.parametrize("name", TOPICS)
def test_commands_in_topics_run(olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A topic shows commands that can be tried on the example."""
    shutil.copytree(EXAMPLES, tmp_path / "example")
    monkeypatch.chdir(tmp_path / "example")
    shutil.copy("cluster.yaml", "operators.yaml")
    Path("wishes.yaml").write_text("apiVersion: v1\nkind: List\nitems: []\n", "utf-8")
    blocks = re.findall(r"```\n(.*?)```", topic_markdown(name), re.DOTALL)
    calls = [line for block in blocks for line in block.splitlines() if line.startswith("olmsolve ")]
    assert calls
    for call in calls:
        arguments = shlex.split(re.split(r" (?:>|\|\|) ", call)[0])[1:]
        outcome = olmsolve(*arguments)
        assert (outcome.code in (0, 1), outcome.err) == (True, ""), call


def test_every_exit_code_is_in_its_topic(olmsolve: Run) -> None:
    """The topic takes the table from the code, so that it cannot lag behind."""
    text = olmsolve("help", "exit", "codes").out
    assert [code for code in MEANINGS if f"- {code.value}: " not in text] == []


def test_every_finding_is_explained() -> None:
    """A check that reports something new says what to do about it, in whole sentences."""
    guides = finding_guides()
    assert set(guides) == {*RULES, *AUDIT_RULES, *KINDS}
    assert [code for code, guide in guides.items() if not re.fullmatch(r"[A-Z].*\.", guide.do)] == []


@pytest.mark.parametrize("name", ["channel-heads", "[channel-heads]", "Channel-Heads"])
def test_a_finding(olmsolve: Run, name: str) -> None:
    """The code can be copied as it stands at the end of a finding."""
    assert olmsolve("help", name).out == (
        "channel-heads\n"
        "Reported by olmsolve validate: a channel with no head, or with several.\n"
        "Severity: error.\n"
        "\n"
        "What to do: Let the newest entry replace or skip the other heads, so that one is left.\n"
        "\n"
        "https://olmsolve.github.io/olmsolve/reference/findings/#channel-heads\n"
    )


def test_commands(olmsolve: Run) -> None:
    """``help COMMAND`` is what people try first; it says the same as ``COMMAND --help``."""
    for name in (*COMMANDS, "catalog merge"):
        text = olmsolve("help", *name.split()).out
        # A topic has the better right to its name.
        expected = f"olmsolve {name} --help explains" if name in TOPICS else olmsolve(*name.split(), "--help").out
        assert expected in text


@pytest.mark.parametrize(
    ("part", "topic"),
    [("output", "output forms"), ("forms", "output forms"), ("exit code", "exit codes"), ("Semantic", "semantics")],
)
def test_a_part_of_a_name_leads_to_its_topic(olmsolve: Run, part: str, topic: str) -> None:
    """Nobody knows by heart that the topic about --output is called "output forms"."""
    outcome = olmsolve("help", *part.split())
    assert (outcome.code, outcome.out) == (0, olmsolve("help", *topic.split()).out)


def test_a_part_of_several_names_names_them(olmsolve: Run) -> None:
    """Codes of findings are long, and people remember a word of them."""
    outcome = olmsolve("help", "stranded")
    assert (outcome.code, outcome.out) == (2, "")
    assert "did you mean channel-stranded or upgrade-stranded-classic or upgrade-stranded-v1?" in outcome.err
    assert "(olmsolve help lists them)" in olmsolve("help", "qqq").err


@pytest.mark.parametrize(
    ("name", "meant"), [("resolv", "resolve"), ("channel-head", "channel-heads"), ("exti codes", "exit codes")]
)
def test_a_misspelt_name(olmsolve: Run, name: str, meant: str) -> None:
    """The nearest name is told, whatever kind of thing it is."""
    outcome = olmsolve("help", *name.split())
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.splitlines()[0].endswith(f"is called {name!r} (did you mean {meant}?)")


def test_markdown_as_text() -> None:
    """Lists, links, code and blocks look as people expect them in a terminal."""
    markdown = (
        "# A title\n\nSome `code` and\na [page](page.md#part).\n\n- one\n  two\n- three\n\n```\nrun  this\n```\n\nEnd."
    )
    assert markdown_text(markdown, Style(30)) == (
        f"A title\n\nSome code and a page\n({SITE}page/#part).\n\n  - one two\n  - three\n\n  run  this\n\nEnd."
    )
    assert markdown_text("# A title", Style(30, colour=True)) != "A title"


@pytest.mark.parametrize("name", ["", *COMMANDS, "catalog merge"])
def test_manual_pages(olmsolve: Run, name: str) -> None:
    """A page has the sections that people look for, and everything that the command takes."""
    outcome = olmsolve("help", "--man", *name.split())
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(f'.TH "{"-".join(["olmsolve", *name.split()]).upper()}" "1"'.replace("-", r"\-"))
    assert {".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION"} <= set(outcome.out.splitlines())
    if name:
        assert r"\fB\-\-timeout\fR \fISECONDS\fR" in outcome.out
        assert ".SH EXIT STATUS" in outcome.out


def test_roff_understands_manual_pages(olmsolve: Run) -> None:
    """The pages of all commands, read by the program that formats them, without a warning."""
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed")
    pages = "".join(olmsolve("help", "--man", *name.split()).out for name in ("", *COMMANDS, "catalog merge"))
    run = subprocess.run([groff, "-man", "-Tascii", "-ww", "-b"], input=pages, capture_output=True, text=True)
    assert (run.returncode, [line for line in run.stderr.splitlines() if "cannot break line" not in line]) == (0, [])
    assert "olmsolve-resolve - print what would be installed, or why nothing can be" in run.stdout


def test_there_is_no_manual_page_of_a_topic(olmsolve: Run) -> None:
    """Pages are about commands."""
    outcome = olmsolve("help", "--man", "reslove")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.splitlines()[0].endswith("no command is called 'reslove' (did you mean resolve?)")


def test_no_command_at_all(olmsolve: Run) -> None:
    """Who types the name alone wants to know what there is; a script with an empty variable gets an error."""
    outcome = olmsolve()
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == olmsolve("--help").out


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_nothing_that_only_a_checkout_has(olmsolve: Run, name: str) -> None:
    """The documentation is a site for whoever installed the wheel, and its pages are there."""
    texts = [olmsolve(name, "--help").out, olmsolve("help", "--man", name).out]
    assert [text for text in texts if "docs/" in text] == []
    for page in re.findall(rf"{re.escape(SITE)}([\w/-]+)/", texts[0]):
        assert (ROOT / "docs" / f"{page}.md").exists(), page


def test_the_site_is_where_the_package_says() -> None:
    """One address: of the package, of the generator of the site, and of what commands print."""
    assert f'Documentation = "{SITE}"' in (ROOT / "pyproject.toml").read_text("utf-8")
    assert f"site_url: {SITE}" in (ROOT / "mkdocs.yml").read_text("utf-8")
