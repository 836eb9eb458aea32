"""Documentation that holds: examples in docstrings, links, the demo in the README, fields that are all described."""

from __future__ import annotations

import doctest
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

import olmsolve
from olmsolve import cli
from olmsolve.classic import reasons
from olmsolve.requests import classic
from website.markdown import with_file_names

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = [module for module in sorted((ROOT / "olmsolve").rglob("*.py")) if ">>> " in module.read_text("utf-8")]
DOCUMENTS = (ROOT / "docs/documents.md").read_text("utf-8")


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


def keys(value: Any) -> Iterator[str]:
    """All names of fields in an answer."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


@pytest.mark.parametrize("example", ["install", "upgrade", "unsatisfiable"])
def test_every_field_of_an_answer_is_described(example: str) -> None:
    """Programs are written against docs/documents.md."""
    request = olmsolve.read_request(f"olmsolve/examples/{example}.yaml")
    try:
        answer = olmsolve.resolve(request).to_dict()
    except olmsolve.Unsatisfiable as failure:
        answer = failure.to_dict()
    for key in set(keys(answer)):
        assert re.search(rf"`{{?{key}\b|\b{key}}}?`", DOCUMENTS), key
    assert f"`{answer['schema']}`" in DOCUMENTS


def test_every_field_of_a_request_is_described() -> None:
    """The reader and its description must not grow apart."""
    fields = {*classic.REQUEST, *classic.CATALOG, *classic.INSTALLED, *classic.PROPERTY, *classic.SUBSCRIPTION}
    assert [field for field in sorted(fields) if f"`{field}`" not in DOCUMENTS] == []


def test_every_kind_of_constraint_is_described() -> None:
    """Tools decide by kind what to show."""
    values = vars(reasons).values()
    kinds = {value.__name__ for value in values if isinstance(value, type) and issubclass(value, reasons.Reason)}
    assert len(kinds) > 10
    assert [kind for kind in sorted(kinds - {"Reason"}) if f"`{kind}`" not in DOCUMENTS] == []


def test_every_exit_code_is_described() -> None:
    """Scripts decide by exit code what to do."""
    table = DOCUMENTS.partition("## Exit codes")[2]
    assert [code for code in cli.Exit if not re.search(rf"\b{code.value}\b", table)] == []


def test_every_target_of_the_makefile_is_made_when_it_is_asked_for() -> None:
    """There is a folder called docs: make would call it up to date, and build nothing."""
    makefile = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", "")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony is not None
    targets = re.findall(r"^([a-z][a-z-]*):(?!=)", makefile, re.MULTILINE)
    assert sorted(set(targets) - set(phony[1].split())) == []
