"""Documentation that holds: examples in docstrings, links, the demo in the README."""

from __future__ import annotations

import ast
import doctest
import importlib
import itertools
import re
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from olmsolve import cli
from website.markdown import with_file_names

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ALL_PAGES = [
    *PAGES,
    *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "benchmarks/README.md")),
    *sorted((ROOT / "olmsolve/cli/topics").glob("*.md")),
]
MODULES = [module for module in sorted((ROOT / "olmsolve").rglob("*.py")) if ">>> " in module.read_text("utf-8")]


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documentation speaks to people who stand in the checkout, before a pipe or a usual terminal."""
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(ROOT)))
def test_examples_in_docstrings_run(module: Path) -> None:
    """Editors show them beside the function, where nobody doubts them."""
    name = ".".join(module.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_links_lead_somewhere() -> None:
    """Files get renamed."""
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_readers_of_the_site_see_the_names_of_files() -> None:
    """A comment names the file that a block makes, and readers see no comments."""
    text = "Rules:\n\n<!-- file: a/rules.yaml -->\n```yaml\na: 1\n```\n\n```text\n<!-- file: b -->\n```\n"
    shown = 'Rules:\n\n```yaml title="a/rules.yaml"\na: 1\n```\n\n```text\n<!-- file: b -->\n```\n'
    assert with_file_names(text) == shown


def demo(capsys: pytest.CaptureFixture[str]) -> str:
    """What `make demo` prints, from its own recipe."""
    recipe = (ROOT / "Makefile").read_text("utf-8").partition("\ndemo:")[2].partition("\n\n")[0]
    (command,) = recipe.splitlines()[1:]
    assert cli.main(command.strip().removeprefix("@$(BIN)/olmsolve ").split()) == 0
    return capsys.readouterr().out


def test_the_readme_shows_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    """The first thing that people see is what they will get: the picture of the plan is the demo's first answer."""
    assert "$ make demo\n" in (ROOT / "README.md").read_text("utf-8")
    picture = Xml.parse(ROOT / "docs/images/readme-plan.svg")  # noqa: S314 - our own
    shown = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    first = demo(capsys).partition("\n\n$ ")[0]
    assert shown[1:] == [line.strip() for line in first.splitlines() if line][1:]


def test_the_readme_is_short() -> None:
    """Whoever looks for a tool reads two screens; everything else has a page."""
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) < 150


def test_every_target_of_the_makefile_is_made_when_it_is_asked_for() -> None:
    """There is a folder called docs: make would call it up to date, and build nothing."""
    makefile = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", "")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony is not None
    targets = re.findall(r"^([a-z][a-z-]*):(?!=)", makefile, re.MULTILINE)
    assert sorted(set(targets) - set(phony[1].split())) == []


MOST_WORDS = 120
"""Who reads more words without a pause has lost the first."""


def items(text: str) -> list[str]:
    """The paragraphs, items of lists and cells of tables in Markdown, without its blocks of code."""
    text = re.sub(r"^(```+).*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"(?m)^(?=\s*(?:[-*]|\d+\.) )", "\n", text)
    text = re.sub(r"(?m)^\|(.*)\|$", lambda row: "\n\n".join(row[1].split(" | ")), text)
    return re.split(r"\n\s*\n", text)


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_paragraphs_are_read_in_one_go(page: Path) -> None:
    """Pages break earlier, where a new thought begins; so do their lists and tables, and the topics of the help."""
    assert [item[:60] for item in items(page.read_text("utf-8")) if len(item.split()) > MOST_WORDS] == []


def test_the_reference_is_read_in_one_go() -> None:
    """Its paragraphs are those of the docstrings; a block that is drawn or set as code is no paragraph."""
    long = []
    for module in sorted((ROOT / "olmsolve").rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                docstring = re.sub(r"::\n\n(?: +.*\n|\n)+", "\n\n", f"{ast.get_docstring(node) or ''}\n")
                long_items = [item for item in items(docstring) if len(item.split()) > MOST_WORDS]
                # Trees and tables are drawn with lines or with columns of blanks, and read line by line.
                prose = [item for item in long_items if not re.search(r"[├└]|^==|\w {3,}\w", item, flags=re.MULTILINE)]
                long += [(str(module.relative_to(ROOT)), item[:60]) for item in prose]
    assert long == []


def test_what_is_printed_is_read_in_one_go() -> None:
    """Text for people ends a thought as early: descriptions of commands, and the lines of a tree."""
    long = []
    for snapshot in sorted((ROOT / "tests/snapshots").rglob("*.txt")):
        # A line that begins further left than the one before it, or with a mark, begins an item of its own.
        text = re.sub(r"(?m)^(?=\s*(?:-|\[\d+\]|\$) )", "\n", snapshot.read_text("utf-8"))
        for paragraph in re.split(r"\n\s*\n", text):
            lines = paragraph.splitlines()
            starts = [n for n, line in enumerate(lines) if n == 0 or _indent(line) < _indent(lines[n - 1])]
            for start, end in itertools.pairwise([*starts, len(lines)]):
                item = " ".join(lines[start:end])
                is_prose = not re.search(r"\w {2,}\w", item)
                long += [(snapshot.name, item[:60])] if is_prose and len(item.split()) > MOST_WORDS else []
    assert long == []


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
