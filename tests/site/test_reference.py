"""The generated reference: nothing that people call, import, write or look up is missing, or is twice."""

from __future__ import annotations

import argparse
import importlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

import olmsolve
from olmsolve import cli
from olmsolve._public import PUBLIC
from olmsolve.authoring.checks import CODES
from olmsolve.authoring.checks.validation import RULES
from olmsolve.cli import COMMANDS, parser_of
from olmsolve.cli.topics import finding_guides, topic_summaries
from olmsolve.render import AUDIT_RULES, json_schema, json_schema_names
from tests.architecture.imports import NAMES
from website import api, codes, commands, schemas


# Making the pages takes a second, which a worker that collects these tests and runs none of them need not spend.
@cache
def command_pages() -> dict[str, str]:
    """The pages of commands, by path."""
    return dict(commands.pages())


@cache
def schema_pages() -> dict[str, str]:
    """The pages and files of JSON documents, by path."""
    return dict(schemas.pages())


@cache
def code_pages() -> dict[str, str]:
    """The pages of findings, topics and exit codes, by path."""
    return dict(codes.pages())


@cache
def python_pages() -> dict[str, str]:
    """The pages of public names, by path."""
    return dict(api.pages())


def _arguments(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield what *parser* takes, in its actions too."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _arguments(inner)
        elif action.help != argparse.SUPPRESS:
            yield action


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_a_page_with_everything_that_it_takes(name: str) -> None:
    """A reader of the site has no terminal: an option that is missing here does not exist for him."""
    page = command_pages()[commands.page_path(name)]
    parser = parser_of(name)
    for action in _arguments(parser):
        for option in action.option_strings or [""]:
            assert re.search(rf"^`.*{re.escape(option)}.*`\{{ #.*\}}$", page, re.MULTILINE), option
        for value in action.choices or ():
            assert str(value) in page
    for action_name in commands.actions_of(parser):
        assert f"### {action_name} {{ #{action_name} }}" in page
    for line in (parser.epilog or "").splitlines():
        if line.strip().startswith("olmsolve "):
            assert f"$ {line.strip()}" in page
    assert set(commands.help_texts(parser).exit_codes) >= {0, 2, 3}
    assert f"(olmsolve-{name}.md)" in command_pages()["reference/commands/index.md"]


def test_a_schema_has_a_file_and_its_document_a_page_with_every_field() -> None:
    """The file is what tools download, the page what people read."""
    index = schema_pages()["reference/schemas/index.md"]
    parts = schema_pages()["reference/schemas/parts.md"]
    for name in json_schema_names():
        schema = json_schema(name)
        assert json.loads(schema_pages()[schemas.schema_path(name)]) == schema
        assert f"({schemas.schema_path(name).rpartition('/')[2]})" in index
        page = schema_pages().get(schemas.page_path(name), index)
        for field in schema.get("properties", ()):
            assert f"`{field}`{{ #" in page, name
        for part in schema.get("$defs", ()):
            assert f"{{ #{part} }}" in parts or schemas.page_path(part) in schema_pages(), (name, part)


def test_every_finding_has_a_section() -> None:
    """A finding names its code, and the code is what people search for."""
    page = code_pages()["reference/findings.md"]
    for code in RULES.keys() | CODES.keys() | AUDIT_RULES.keys() | finding_guides().keys():
        assert page.count(f"#### {code} {{ #{code} }}\n") == 1


def test_every_topic_has_a_section() -> None:
    """The site and the terminal explain the same."""
    page = code_pages()["reference/topics.md"]
    for name, summary in topic_summaries().items():
        assert re.search(rf"^## {re.escape(name)}: {re.escape(summary)}$", page, re.MULTILINE | re.IGNORECASE)


def test_every_exit_code_has_a_line() -> None:
    """Scripts decide by exit code what to do."""
    page = code_pages()["reference/exit-codes.md"]
    for code in cli.Exit:
        assert f"| {code.value} | `{code.name}` |" in page
    for name in COMMANDS:
        assert f"(commands/olmsolve-{name}.md#exit-codes)" in page


def test_the_doors_are_the_public_modules() -> None:
    """What programs may import is decided in one place, the table of wings."""
    assert {*api.doors()} == PUBLIC.keys()
    assert "olmsolve.cluster.objects" in api.doors()


def test_the_facade_is_whole() -> None:
    """The names are read from the source; at run time the facade says itself what it has."""
    names: list[str] = getattr(olmsolve, "__all__")  # noqa: B009 - made when it is asked for
    rooms = {name for name in names if f"olmsolve.{name}" in NAMES}
    assert {*api.exports("olmsolve"), *rooms, "__version__"} == set(names)


def test_every_public_name_is_described_once() -> None:
    """Two descriptions would be read as two things; none, as none."""
    described = Counter(
        name
        for page in python_pages().values()
        for name in re.findall(r"^::: (\S+)$", page, re.MULTILINE)
        if name not in api.doors()
    )
    assert described == Counter(name.path for name in api.public_names().values())


def test_the_page_of_a_door_lists_its_names() -> None:
    """Whoever stands before a door sees all that is behind it, wherever it is described."""
    for door in api.doors():
        pages = [api.door_page(door)]
        if door == "olmsolve":
            pages = [api.subject_page(subject) for subject in PUBLIC["olmsolve"]]
        text = "".join(python_pages()[page] for page in pages)
        names = {api.public_names()[canonical].path for canonical in api.exports(door).values()}
        assert {name for name in names if f"][{name}] |" not in text} == set(), door
        assert door == "olmsolve" or f"({door}.md)" in python_pages()["reference/python/index.md"]


def test_one_page_has_a_line_for_each_name() -> None:
    """Whoever asks what there is reads one page, and each name says there why it exists."""
    text = python_pages()["reference/python/names.md"]
    for public in api.public_names().values():
        assert re.search(rf"^\| \[`[\w.]+`\]\[{re.escape(public.path)}\] \| \S+ ", text, re.MULTILINE), public.path


@pytest.mark.parametrize("path", api.MAIN)
def test_a_main_class_has_a_page_with_an_example(path: str) -> None:
    """A page of a class without an example is a list of names; tests/test_docs.py runs each."""
    canonical = next(key for key, name in api.public_names().items() if name.path == path)
    assert any(api.docstring_examples(canonical)), path
    assert f"::: {path}\n" in python_pages()[f"reference/python/{path}.md"]


@pytest.mark.parametrize(
    "path", ["olmsolve.Bundle", "olmsolve.resolve", "olmsolve.catalog.Blob", "olmsolve.cluster.objects.InstallPlan"]
)
def test_what_is_read_from_the_source_is_what_programs_get(path: str) -> None:
    """The path of a definition must be where Python finds it: a sample, since importing all takes seconds."""
    canonical = next(key for key, name in api.public_names().items() if name.path == path)
    module, _, name = canonical.rpartition(".")
    door, _, public = path.rpartition(".")
    assert getattr(importlib.import_module(module), name) is getattr(importlib.import_module(door), public)


def test_kinds_of_names() -> None:
    """A reader looks for an error among the errors."""
    kinds = {name.path: name.kind for name in api.public_names().values()}
    assert kinds["olmsolve.resolve"] == "function"
    assert kinds["olmsolve.Request"] == "class"
    assert kinds["olmsolve.Unsatisfiable"] == kinds["olmsolve.Incomplete"] == "error"
    assert kinds["olmsolve.testing.LAWS"] == "constant"
