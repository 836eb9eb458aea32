"""Update graphs in the DOT language: every line is of its grammar, and what is marked is marked right."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve.catalog.fbc import from_blobs
from olmsolve.render import update_graph_dot
from tests.cli.commands import runner

COMMONS = Path(__file__).parents[2] / "olmsolve" / "examples" / "catalogs" / "commons"

STRING = r'"(?:[^"\\\n]|\\["\\])*"'
ATTRIBUTES = rf"\[\w+={STRING}(?:, \w+={STRING})*\]"
LINE = re.compile(
    rf"digraph updates {{|  rankdir=LR|  node \[shape=box\]|  subgraph {STRING} {{|    \w+={STRING}"
    rf"|    {STRING} {ATTRIBUTES}|    {STRING} -> {STRING} {ATTRIBUTES}|(?:  )?}}"
)


def blobs(entries: list[dict[str, Any]], channel: str = "stable") -> list[dict[str, Any]]:
    names = dict.fromkeys(entry["name"] for entry in entries)
    return [
        {"schema": "olm.package", "name": "p", "defaultChannel": channel},
        {"schema": "olm.channel", "package": "p", "name": channel, "entries": entries},
        *(
            {
                "schema": "olm.bundle",
                "package": "p",
                "name": name,
                "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": f"1.0.{number}"}}],
            }
            for number, name in enumerate(names)
        ),
    ]


NAMES = st.sampled_from(["a", "b", 'c"', "d\\", "e\n}", "f\x1b[0m", "<g>"])
ENTRIES = st.lists(
    st.fixed_dictionaries(
        {"name": NAMES},
        optional={"replaces": NAMES, "skips": st.lists(NAMES, max_size=2), "skipRange": st.just("<1.0.3")},
    ),
    max_size=5,
)


@given(ENTRIES, NAMES)
def test_every_line_is_of_the_grammar(entries: list[dict[str, Any]], channel: str) -> None:
    """Names come from strangers: none may end a string, a line or the graph."""
    text = update_graph_dot(from_blobs(blobs(entries, channel)))
    lines = text.split("\n")
    assert lines.pop() == ""
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    assert text.count(" {\n") == sum(line.strip() == "}" for line in lines)


def test_what_is_marked() -> None:
    """The head, skipped entries, entries without a bundle and deprecated ones have marks, in their own package."""
    entries: list[dict[str, Any]] = [
        {"name": "p.v1", "replaces": "p.v0"},
        {"name": "p.v2", "replaces": "p.v0", "skips": ["p.v1"], "skipRange": "<1.0.1"},
    ]
    deprecation = {"reference": {"schema": "olm.bundle", "name": "p.v1"}, "message": "old"}
    others = [
        {"schema": "olm.deprecations", "package": "p", "entries": [deprecation]},
        {"schema": "olm.deprecations", "package": "q", "entries": [{"reference": {"schema": "olm.package"}}]},
    ]
    lines = update_graph_dot(from_blobs([*blobs(entries), *others])).splitlines()
    assert lines[5:-2] == [
        '    "p/stable/p.v2" [label="p.v2", style="bold"]',
        '    "p/stable/p.v1" [label="p.v1", style="filled", fillcolor="#E8960F", color="#FF0000"]',
        '    "p/stable/p.v0" [label="p.v0", style="dashed"]',
        '    "p/stable/p.v1" -> "p/stable/p.v2" [style="dashed"]',
        '    "p/stable/p.v1" -> "p/stable/p.v2" [style="dotted", label="<1.0.1"]',
        '    "p/stable/p.v0" -> "p/stable/p.v2" [style="solid"]',
        '    "p/stable/p.v0" -> "p/stable/p.v1" [style="solid"]',
    ]


@pytest.mark.parametrize("option", [[], ["--package", "ember"]])
def test_the_command_prints_dot(capsys: pytest.CaptureFixture[str], option: list[str]) -> None:
    """With the same choice of what is drawn as for mermaid."""
    olmsolve = runner(capsys)
    drawn, mermaid = olmsolve("graph", COMMONS, "-o", "dot", *option), olmsolve("graph", COMMONS, *option)
    assert (drawn.code, drawn.err) == (0, "")
    assert drawn.out.count(" -> ") == mermaid.out.count(" --> ")
