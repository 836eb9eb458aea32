"""Lines and tables that keep to a width, and text from strangers that a terminal must not obey."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve.render import Style, paragraph, plain
from olmsolve.render.layout import numbered, table


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("blue.v1.0.0", "blue.v1.0.0"),
        ("größer 大", "größer 大"),
        ("two\nlines\tand more", "two lines and more"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
    ],
)
def test_plain(given_text: str, shown: str) -> None:
    """A catalog could otherwise colour the screen, ring the bell, or reverse a name."""
    assert plain(given_text) == shown


@given(st.text())
def test_plain_is_printable(text: str) -> None:
    """Whatever comes, one printable line comes out."""
    assert plain(text).isprintable()


_WRAPPED = st.text("ab -", max_size=60) | st.lists(st.text("ab-", max_size=40), max_size=20).map(" ".join)
_MARGINS = st.sampled_from(["", "  ", " " * 12])


@given(_WRAPPED, st.integers(1, 70), _MARGINS, _MARGINS)
def test_a_paragraph_is_what_the_standard_library_makes_of_it(text: str, width: int, indent: str, hanging: str) -> None:
    """Text is not handed to textwrap, whose patterns take some milliseconds to compile."""
    given_width = max(width, len(indent) + 20)
    expected = textwrap.wrap(
        text,
        given_width,
        initial_indent=indent,
        subsequent_indent=hanging,
        break_on_hyphens=False,
        break_long_words=False,
    )
    assert paragraph(text, width, indent=indent, hanging=hanging) == [plain(line) for line in expected]


@given(st.lists(st.text("abc", min_size=1, max_size=12), min_size=1), st.integers(30, 90))
def test_paragraphs_keep_to_the_width(words: list[str], width: int) -> None:
    """Lines that a terminal breaks by itself lose their indentation; and no word may get lost."""
    lines = paragraph(" ".join(words), width, indent="  ", hanging="    ")
    assert all(len(line) <= width for line in lines)
    assert " ".join(lines).split() == words


def test_long_words_stay_whole() -> None:
    """Half a bundle name cannot be copied; a line that is too long can."""
    name = "a-very-long-operator-name.v1.0.0-with-more"
    assert paragraph(f"for {name}", 20) == ["for", name]


def test_numbers_align() -> None:
    """With ten items and more, texts still begin in one column."""
    lines = numbered(["one"] * 10, 80)
    assert lines[0] == "   1. one"
    assert lines[9] == "  10. one"


def test_tables_align_and_leave_out_empty_columns() -> None:
    """A column of nothing only takes space."""
    rows = [("a", "", "1.0"), ("longer", "", "")]
    assert table(("NAME", "EMPTY", "VERSION"), rows, 80) == ["NAME    VERSION", "a       1.0", "longer"]


def test_tables_that_do_not_fit_are_none() -> None:
    """The caller then writes something else than a table whose rows wrap."""
    rows = [("x" * 10, "y" * 10)]
    assert table(("A", "B"), rows, 22) is not None
    assert table(("A", "B"), rows, 21) is None


def test_colour_only_where_asked() -> None:
    """Escape sequences in a file or a pipe are noise."""
    assert Style().bold("x") == Style().dim("x") == "x"
    assert Style(colour=True).bold("x") == "\x1b[1mx\x1b[0m"
