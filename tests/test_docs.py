"""Documentation that holds: examples in docstrings, links, the demo in the README."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from olmsolve import cli
from website.markdown import with_file_names

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
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
    shown = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}text")]
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


def test_paragraphs_are_read_in_one_go() -> None:
    """Who reads 120 words without a pause has lost the first; pages break earlier, at what begins a new thought."""
    long = []
    for page in PAGES[1:]:
        text = re.sub(r"^(```+).*?^\1$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        for paragraph in re.split(r"\n{2,}", text):
            is_prose = re.match(r"\w|\*\*|`|\[", paragraph) and not re.match(r"\d+\. ", paragraph)
            long += [(page.name, paragraph[:60])] if is_prose and len(paragraph.split()) > 120 else []
    assert long == []
