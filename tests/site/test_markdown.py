"""Texts on their way to Markdown: help texts, docstrings and links keep their meaning."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path

import pytest

from website import repository
from website.docstrings import as_markdown
from website.lines import hanging, rows_of, with_whole_options, wrapped
from website.markdown import anchor_of, in_both_themes, plain, table, with_file_names

URL = "https://example.test/project"


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("a range <1.0.0", "a range &lt;1.0.0"),
        ("__init__ and *all*", r"\_\_init\_\_ and \*all\*"),
        ("[NAMESPACE/]NAME", r"\[NAMESPACE/\]NAME"),
        ("a `not` that <b>", "a `not` that &lt;b&gt;"),
    ],
)
def test_plain_text_shows_as_it_is(text: str, markdown: str) -> None:
    """A bracket that becomes a link, or a range that becomes a tag, vanishes from the page."""
    assert plain(text) == markdown


def test_a_bar_ends_no_cell() -> None:
    """Ranges and choices are written with bars."""
    assert table(("a",), [("`x || y`",)]).splitlines()[-1] == r"| `x \|\| y` |"


def test_blocks_of_files_have_the_names_of_the_files() -> None:
    """A reader who makes the file has to know what to call it."""
    text = "<!-- file: rules.yaml -->\n```yaml\nrules: []\n```\n"
    assert with_file_names(text) == '```yaml title="rules.yaml"\nrules: []\n```\n'


def test_anchors() -> None:
    """A link to an option names its command, its action and the option."""
    assert anchor_of("add", "--bundle") == "add---bundle"
    assert anchor_of("replaced[].by") == "replaced-.by"


def _known(name: str) -> str:
    return {"resolve": "olmsolve.resolve", "olmsolve.errors.CatalogError": "olmsolve.CatalogError"}.get(name, "")


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("See :func:`resolve`.", "See [`resolve`][olmsolve.resolve]."),
        ("A :class:`~olmsolve.errors.CatalogError`.", "A [`CatalogError`][olmsolve.CatalogError]."),
        ("By :mod:`.private`.", "By `private`."),
        ("A ``<tag>`` and <tag>.", "A ``<tag>`` and &lt;tag>."),
        ("*requires* [package][version]", r"*requires* [package]\[version]"),
    ],
)
def test_marks_of_docstrings(text: str, markdown: str) -> None:
    """A role that stays as it is written reads like a mistake."""
    assert as_markdown(text, _known) == markdown


def test_blocks_of_docstrings() -> None:
    """Examples are code, in the language that they are in."""
    text = """Return it.

    Example::

        x = f(1)

    A picture::

        a -> b

    >>> f(1)
    2

    Raises:
        ValueError: never.
    """
    assert as_markdown(text, _known).splitlines() == [
        "Return it.",
        "",
        "Example:",
        "",
        "```python",
        "x = f(1)",
        "```",
        "",
        "A picture:",
        "",
        "```text",
        "a -> b",
        "```",
        "",
        "```pycon",
        ">>> f(1)",
        "2",
        "```",
        "",
        "Raises:",
        "    ValueError: never.",
    ]


def test_tables_of_docstrings() -> None:
    """The docstring of the facade lists its verbs in one."""
    text = "============ ======\n``resolve``  first\n``b``, ``c`` second\n============ ======"
    assert as_markdown(text, _known).splitlines() == [
        "|  |  |",
        "|---|---|",
        "| [`resolve`][olmsolve.resolve] | first |",
        "| `b`, `c` | second |",
    ]


def test_links_out_of_the_documentation() -> None:
    """A page in the repository and the same page on the site lead to the same file."""
    text = "[a](limits.md#x) [b](../benchmarks/README.md) [c](../olmsolve/examples) [d](../Makefile) `[e](../x)`"
    converted = repository.with_site_links(text, "why.md", URL)
    assert "[a](limits.md#x)" in converted
    assert "[b](project/benchmarks.md)" in converted
    assert f"[c]({URL}/tree/main/olmsolve/examples)" in converted
    assert f"[d]({URL}/blob/main/Makefile)" in converted


def test_links_of_pages_from_outside() -> None:
    """The changelog stands at the root of the repository, and in a folder of the site."""
    text = "[a](docs/limits.md#x) [b](CONTRIBUTING.md)\n```\n[c](nowhere.md)\n```\n"
    converted = repository.with_site_links(text, "project/changelog.md", URL)
    assert converted == "[a](../limits.md#x) [b](contributing.md)\n```\n[c](nowhere.md)\n```\n"


def test_links_to_nothing_are_errors() -> None:
    """Files get renamed."""
    with pytest.raises(LookupError, match="leads to nowhere"):
        repository.with_site_links("[a](../nowhere)", "why.md", URL)


DOCS = repository.ROOT / "docs"


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.name)
def test_links_of_all_pages_lead_somewhere(page: Path) -> None:
    """MkDocs checks links inside of docs/ when the site is built; these are all others."""
    repository.with_site_links(page.read_text("utf-8"), page.relative_to(DOCS).as_posix(), URL)


# Where links stand that people follow, in the repository and on the site.
PAGES = [*sorted(DOCS.rglob("*.md")), *(repository.ROOT / name for name in ("README.md", *repository.SHOWN))]


@cache
def _anchors(page: Path) -> set[str]:
    """The anchors of the headings of *page*, as the generator of the site names them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    plain_text = [re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading) for heading in headings]
    ascii_text = [unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode() for text in plain_text]
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower()) for text in ascii_text}


def test_links_lead_to_pages_and_headings() -> None:
    """Building the site finds a wrong link too, but takes a minute and more packages."""
    wrong = []
    for page in PAGES:
        text = re.sub(r"^```.*?^```$|`[^`\n]+`", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target, anchor in re.findall(r"\]\((?!https?:)([^()\s#]*)(?:#([^()\s]*))?\)", text):
            file = page.parent / target if target else page
            if not file.exists() or (anchor and anchor not in _anchors(file)):
                wrong.append(f"{page.name}: {target}#{anchor}")
    assert wrong == []


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("a sentence", 2),
        ("    - a possibility", 8),
        ("  ├── courier.v4.1.0", 8),
        ("name      what it means", 10),
        ("a first column that is wider than half of a phone    and its meaning", 2),
    ],
)
def test_where_a_line_goes_on(line: str, column: int) -> None:
    """Behind its beginning, or below its last column: the branches of a tree stay visible."""
    assert hanging(line) == column


def test_rows_of_tables_keep_their_shape() -> None:
    """Also with sentences between them; two columns are no table, and neither is a command."""
    table = [
        "BUNDLE   VERSION  CHANNEL",
        "shop.v1  1.0.0    stable",
        "  for subscription shop",
        "db.v2    2.0.0    beta",
    ]
    assert rows_of(table) == [True, True, False, True]
    assert rows_of(["$ olmsolve  plan   dump.yaml", "", "a  b", "c  d"]) == [False] * 4


def test_blocks_say_how_their_lines_wrap() -> None:
    """A block that has rows is reached by keys."""
    lines = '<span id="__span-0-1">a  b  c\n</span><span id="x--__span-0-2">d  e  f\n</span>'
    page = f"<p>x</p><pre><code>{lines}</code></pre>"
    assert wrapped(page).count('<span class="row">') == 2
    assert 'tabindex="0"' in wrapped(page)
    assert wrapped(page.replace("  ", " ")).count('<span class="line" style="--hang:2">') == 2


def test_a_long_word_begins_where_its_line_does() -> None:
    """A list of resources has no blank: a browser would put all of it below an empty line."""
    line = f"    {'resources.example.com,' * 3}"
    assert 'class="line unbroken"' in wrapped(f'<pre><code><span id="__span-0-1">{line}\n</span></code></pre>')
    assert "unbroken" not in wrapped('<pre><code><span id="__span-0-1">    some words of a line\n</span></code></pre>')


def test_options_are_not_broken_at_their_hyphens() -> None:
    """Nobody reads "--" at the end of a line and "catalog" on the next one as an option."""
    whole = '<span class="whole">--catalog</span>'
    assert with_whole_options("<p><code>--catalog NAME=PATH</code></p>") == f"<p><code>{whole} NAME=PATH</code></p>"
    assert (
        with_whole_options('<code>a<b class="x --y"> --catalog</b></code>')
        == f'<code>a<b class="x --y"> {whole}</b></code>'
    )
    assert (
        with_whole_options("<p>--catalog</p><code>why-not 1--2</code>") == "<p>--catalog</p><code>why-not 1--2</code>"
    )


def test_pictures_follow_the_theme(tmp_path: Path) -> None:
    """A light picture glares on a dark page; what has no picture in the dark stays as it is."""
    (tmp_path / "plan-dark.png").touch()
    link = '<a href="../images/plan.png"><img alt="A plan" src="../images/plan.png" /></a>'
    assert in_both_themes(link, tmp_path) == (
        '<a href="../images/plan.png"><img alt="A plan" src="../images/plan.png#only-light" loading="lazy">'
        '<img alt="A plan" src="../images/plan-dark.png#only-dark" loading="lazy"></a>'
    )
    other = '<img alt="A graph" src="images/graph.png" /><img alt="" src="images/speed.svg" />'
    assert in_both_themes(other, tmp_path) == other
