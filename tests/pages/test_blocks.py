"""What a page has to run is read from its fences and from the markers before them."""

from __future__ import annotations

import pytest

from tests.pages.blocks import Command, Examples, File, NotRun, read_page


def page(*lines: str) -> str:
    """A page of these lines."""
    return "\n".join(lines) + "\n"


def test_commands_and_what_they_print() -> None:
    """The lines behind a command are its output; blank lines at their end only keep commands apart."""
    read = read_page(page("# Title", "```console", "$ echo a", "a", "", "$ true", "```"))
    assert read.steps == (
        Command("echo a", ("a",), line=3, shown_at=4, code_follows=False),
        Command("true", (), line=6, shown_at=7, code_follows=False),
    )


def test_a_backslash_continues_a_command() -> None:
    """Long commands are broken where readers can copy them."""
    [command] = read_page(page("```console", "$ echo a \\", "    b", "a b", "```")).steps
    assert command == Command("echo a \\\n    b", ("a b",), line=2, shown_at=4, code_follows=False)


def test_a_heredoc_belongs_to_its_command() -> None:
    """Even where its text looks like a prompt."""
    [command] = read_page(page("```console", "$ cat <<'END'", "$ not a command", "END", "shown", "```")).steps
    assert isinstance(command, Command)
    assert command.text == "cat <<'END'\n$ not a command\nEND"
    assert command.shown == ("shown",)


def test_an_exit_code_is_shown_by_the_next_command() -> None:
    """Only directly behind: that is what the shell prints."""
    first, second, third = read_page(page("```console", "$ false", "$ echo $?", "1", "$ true", "```")).steps
    assert [step.code_follows for step in (first, second, third) if isinstance(step, Command)] == [True, False, False]


def test_examples_and_files() -> None:
    """Markers stand on the line before; a fence in a list or an admonition is indented."""
    read = read_page(
        page("```pycon", ">>> 1", "1", "```", "  <!-- file: a/b.yaml -->", "  ``` yaml", "  a: 1", "    b: 2", "  ```")
    )
    assert read.steps == (Examples(">>> 1\n1\n", 2), File("a/b.yaml", "a: 1\n  b: 2\n", 7))
    assert read.faults == ()


def test_a_block_that_is_not_run_needs_a_reason() -> None:
    """Otherwise every fault could hide behind the marker."""
    marked = ("<!-- not run: {} -->", "```console", "$ kubectl get pods", "```")
    read = read_page(page(*marked).format("a real cluster"))
    assert read.steps == (NotRun("a real cluster", 3),)
    [fault] = read_page(page(*marked).format("")).faults
    assert fault.message == '"not run:" needs a reason'


@pytest.mark.parametrize("language", ["", "text", "yaml", "mermaid"])
def test_other_blocks_are_prose(language: str) -> None:
    """Outputs of other tools and files to be read are no commands."""
    assert read_page(page(f"```{language}", "$ rm -rf", ">>> 1", "```")).steps == ()


@pytest.mark.parametrize("language", ["python", "bash", "sh", "py"])
def test_code_that_does_not_run_is_a_fault(language: str) -> None:
    """Readers copy it, so it runs: as examples, or as a file that a command runs."""
    [fault] = read_page(page("text", f"```{language}", "x = 1", "```")).faults
    assert fault.line == 3
    assert "<!-- file: NAME -->" in fault.message


def test_examples_in_python_are_a_fault() -> None:
    """The language of a block that begins with a prompt is pycon."""
    [fault] = read_page(page("```python", ">>> 1", "1", "```")).faults
    assert fault.message == "a block in python must be pycon"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("```console", "olmsolve resolve", "```"), 'a block in console begins with "$ " and a command'),
        (("<!-- file: a -->", "", "```yaml", "```"), "a marker stands on the line before its block"),
        (("<!-- file: ../a -->", "```yaml", "```"), "the file ../a is outside of the page's folder"),
        (("<!-- file: -->", "```yaml", "```"), '"file:" needs a name'),
    ],
)
def test_faults_of_form(lines: tuple[str, ...], message: str) -> None:
    """A marker that marks nothing and a command without a prompt would be passed over in silence."""
    assert [fault.message for fault in read_page(page(*lines)).faults] == [message]


def test_fences_within_fences() -> None:
    """A longer fence shows how pages are written."""
    read = read_page(page("````text", "<!-- file: x -->", "```console", "$ false", "```", "````"))
    assert read.steps == ()
    assert read.faults == ()
