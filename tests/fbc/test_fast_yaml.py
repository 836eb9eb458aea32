"""The reader of usual YAML and the careful one give the same documents and the same errors for any text.

The door takes either reader by itself; only the modules behind it can be asked one at a time.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from olmsolve.catalog.fbc import DEPTH, DOCUMENT, yaml_fast, yaml_lines, yaml_text
from olmsolve.catalog.fbc import yaml_writing as ours
from olmsolve.errors import CatalogError
from tests.recorded import shared
from tests.scale import LONG, scaled

USUAL = """\
---
# a comment

schema: olm.bundle
image: quay.io/a/b@sha256:123
name: a.v1.0.0
number: 12
float: 1.5e3
octal: 010
word: yes
nothing: ~
absent:
negative: -5
quoted: "on"
escaped: "a\\n\\"b\\" \\u00e9 \\U0001F431 \\x41"
single: 'it''s'
goes: this text
  goes on here

  and there:not
colon: http://x.y/z:80
folded: >-
  a
  b

  c
literal: |
  one
    two

  three
stripped: |-

  # no comment
   x
kept: |+
  a

explicit: |2
    deep
double: "goes \\
  on  here

  and\\ there"
singles: 'goes
  on

  there'
empty: {}
list: []
flow: {a: [1, "x"], b: no}
long: [a,
  b]
properties:
- type: olm.gvk
  value:
    group: g
    kind: K
    tags:
    - a
    - b c
      d
    - |
      literal
  # a comment
- type: x
- plain
- "quoted"
- key:
    deeper:
      - indented
      - k: v
        l: w
last: 1
---
schema: second
x: 1
"""

ODD = """\
%YAML 1.1
---
schema: x
a: &anchor [1, 2]
b: *anchor
m: &m {k: v}
n:
  <<: *m
  yes: 1
  ? complex
  : value
  "quoted": 1
  1: one
c: d # comment
tag: !!str 1
e: !!int "3"
multi
  line: key
- - nested
...
---
x: 1
--- text
---
"""

SEEDS = [
    USUAL,
    USUAL.removeprefix("---\n"),
    "# a comment\n\n" + USUAL,
    ODD,
    USUAL + "---\n" + ODD,
    USUAL.replace("\n", "\r\n"),
    "\n\n# only\n---\n# comments\n",
    "a:\n  - b\n  -\n  - - c\n  -  d: 1\n     e: 2\n",
    "a: b\n c\nd:\n  e\n",
    'a: "b \\  \n  c"\n',
]
BITS = [
    " ",
    "  ",
    "    ",
    "\n",
    "\n\n",
    "- ",
    "-",
    ": ",
    ":",
    "#",
    " # c",
    "'",
    '"',
    "\\",
    "|",
    "|-",
    "|+",
    ">",
    "|2",
    "&a ",
    "*a",
]
BITS += [
    "!!str ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "\t",
    "---\n",
    "\n---\n",
    "...\n",
    "%",
    "<<: ",
    "? ",
    "y",
    "no: 1\n",
    "1e999",
    "0o7",
]
BITS += [
    ".inf",
    "\x00",
    "\x7f",
    "\x85",
    "\u2028",
    "\ufeff",
    "é",
    "🐱",
    "\r",
    "key: |\n",
    "key:\n",
    "- key: v\n",
    "\n  ",
    "\n   x",
]
BITS += [
    "\\ud83d",
    "\\x",
    "null",
    "~",
    "@",
    "`",
    "[a, b",
    "''",
    "- - a\n",
    "a" * 40,
    "__: 1\n",
    "=",
    "\n\n\n",
    "schema: z\n",
]


def outcome(read: Any, text: str, chance: random.Random | None = None) -> list[Any]:
    """Return the documents with their origins, and the error that ends them, if any."""
    results: list[Any] = []
    try:
        results.extend((repr(value), origin) for value, origin in _read(read, text, chance))
    except CatalogError as error:
        results.append((error.reason, error.origin))
    return results


def _read(read: Any, text: str, chance: random.Random | None) -> Iterator[Any]:
    """One by one: what was read before an error counts."""
    yield from read(_pieces(text, chance), "f")


def _pieces(text: str, chance: random.Random | None) -> Iterator[str]:
    while text:
        size = chance.randrange(1, 40) if chance is not None else len(text)
        yield text[:size]
        text = text[size:]


def alike(text: str, chance: random.Random | None = None) -> None:
    fast, careful = outcome(yaml_fast.documents, text, chance), outcome(yaml_text.documents, text)
    assert fast == careful


@pytest.mark.parametrize("text", SEEDS)
def test_seeds_read_alike(text: str) -> None:
    """Whole, in pieces, and cut off anywhere."""
    alike(text)
    alike(text, random.Random(1))
    for end in range(0, len(text), 7):
        alike(text[:end])


@settings(max_examples=scaled(600), deadline=None)
@given(seed=st.sampled_from(SEEDS), chance=st.randoms(use_true_random=False), count=st.integers(1, 4))
def test_mutants_read_alike(seed: str, chance: random.Random, count: int) -> None:
    """Whichever reader looks first, values, places and errors are the same to the letter."""
    text = seed
    for _ in range(count):
        begin = chance.randrange(len(text) + 1)
        end = min(len(text), begin + chance.choice([0, 0, 1, 1, 2, 5, 40]))
        text = text[:begin] + chance.choice([*BITS, ""]) + text[end:]
    alike(text, chance if chance.random() < 0.2 else None)


@settings(max_examples=scaled(300), deadline=None)
@given(chance=st.randoms(use_true_random=False), count=st.integers(1, 12))
def test_lines_put_together_read_alike(chance: random.Random, count: int) -> None:
    """Lines of catalogs in any order and at any depth: mostly nonsense, and then nonsense to both."""
    lines = USUAL.splitlines()
    text = "".join(
        " " * chance.choice([0, 0, 0, 2, 2, 4, 1]) + chance.choice(lines).strip() + "\n" for _ in range(count)
    )
    alike(text)


FLOWS = [
    "[shop, olm]",
    "{type: olm.gvk, value: {group: cache.example.com, version: v1beta1, kind: Cache}}",
    """{name: "a b, c", 'range': '>=1.0.0 <2.0.0', on: no, deep: [[], {}, [1.50, 0x1f, 010, ~]]}""",
    """{ versionRange: ">=3.0.0 <4.0.0" , priority: 10,file: catalogs/orchard_1.x+y }""",
]
FLOW_BITS = ["[", "]", "{", "}", ",", ", ", " ", "a: ", "b_/.-: ", "y: ", "1: ", '"k": ', ":", "- ", "x", "1.5", "null"]
FLOW_BITS += [
    "-1",
    ".5",
    "~",
    '"q, ]"',
    "'s }'",
    "''",
    '"\\n"',
    "#",
    " # c",
    "a b",
    "a:b",
    "*a",
    "? ",
    "|",
    "=",
    "<<: ",
    "\n  ",
    "\n",
]


@settings(max_examples=scaled(600), deadline=None)
@given(seed=st.sampled_from([*FLOWS, ""]), chance=st.randoms(use_true_random=False), count=st.integers(1, 8))
def test_flows_read_alike(seed: str, chance: random.Random, count: int) -> None:
    """Usual flows, mutated, and flows of arbitrary signs, behind a key and behind a dash."""
    text = seed
    for _ in range(count):
        begin = chance.randrange(len(text) + 1)
        end = min(len(text), begin + chance.choice([0, 0, 0, 1, 3]))
        text = text[:begin] + chance.choice(FLOW_BITS) + text[end:]
    for opened in ("", "[", "{"):
        alike(f"a: {opened}{text}\nlist:\n  - {opened}{text}\n  - k: {opened}{text}\nend: 1\n")


def test_usual_flows_need_no_careful_reader() -> None:
    """PyYAML takes longer to load than a small catalog takes to be read; the law above would not see it loaded."""
    text = "".join(f"key: {flow}\nlist:\n- {flow}\n- {{a: {flow}}}\n---\n" for flow in FLOWS if "'range'" not in flow)
    code = (
        "import sys; from olmsolve.catalog.fbc import yaml_fast\n"
        "print(len(list(yaml_fast.documents(iter([sys.argv[1]]), 'f'))), 'yaml' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code, text], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["3", "False"]
    alike(text)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(" \nab:#-'\"\\|>yn01.é", max_size=60),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abyn.-/_", max_size=4), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=scaled(200), deadline=None)
@given(value=json_values, width=st.sampled_from([20, 80, 1000]), indented=st.booleans())
def test_what_emitters_write_reads_alike(value: Any, width: int, indented: bool) -> None:
    """PyYAML's layout, with folded scalars, and our own."""
    text = yaml.dump({"schema": "x", "value": value}, Dumper=_Indented if indented else yaml.SafeDumper, width=width)
    alike(text)
    alike(f"---\n{ours.yaml_text({'schema': 'x', 'value': value})}")


class _Indented(yaml.SafeDumper):
    """With lists deeper than their keys, as some editors have it."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def test_usual_documents_never_reach_the_careful_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests above would also pass if the careful reader read every document."""
    parts: list[str] = []
    careful = yaml_text.document

    def counted(part: Any, *more: Any) -> Any:
        parts.append(part.text)
        return careful(part, *more)

    monkeypatch.setattr(yaml_text, "document", counted)
    assert len(outcome(yaml_fast.documents, USUAL)) == 2
    # Scalars of several lines and flows are pieces for it; documents are not.
    assert {part[:3] for part in parts} == {"k: "}
    parts.clear()
    assert len(outcome(yaml_fast.documents, f"{USUAL}---\nschema: &a x\n---\nschema: y\n")) == 4
    assert [part for part in parts if not part.startswith("k: ")] == ["schema: &a x\n"]


def test_real_catalogs_read_alike() -> None:
    """The catalog at hand that is written in YAML, as its authors' tools wrote it."""
    import tarfile

    with tarfile.open(shared() / "catalogs" / "fbc-v4.20-full.tar.gz") as archive:
        for member in archive.getmembers()[: 25 if LONG else 12]:
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None:
                alike(file.read().decode())


def test_reading_takes_little_memory() -> None:
    """A document at a time, whose lines repeat: far below what parsers that hold all of it need."""
    code = (
        "import resource, sys, olmsolve.authoring.checks as checks, msgspec, yaml, olmsolve.catalog.fbc\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024\n"
        "before = peak(); catalog = olmsolve.catalog.fbc.load(sys.argv[1]); checks.validate(sys.argv[1])\n"
        "print(peak() - before)"
    )
    path = shared() / "catalogs" / "fbc-v4.20-full.tar.gz"
    run = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    # 14.6 MB of text, which the archive's reader holds once, and the catalog beside it.
    assert int(run.stdout) < 8 * 14_600_000


def test_long_documents_end_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """While they are read: a reader that holds whole documents must not hold more."""
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        yield "schema: x\nv:\n"
        while True:
            taken += 1
            yield "- x\n" * 1_000

    monkeypatch.setattr(yaml_lines, "DOCUMENT", 1 << 16)
    with pytest.raises(CatalogError, match="a document of more than 65,536 characters"):
        list(yaml_fast.documents(endless(), "f"))
    assert taken < 100


def test_one_line_that_is_too_long_ends_at_the_limit() -> None:
    """Copying the rest at each read would take minutes."""
    pieces = iter(["schema: ", "a" * DOCUMENT, "b" * (1 << 18)])
    with pytest.raises(CatalogError, match="a document of more than"):
        list(yaml_fast.documents(pieces, "f"))


@pytest.mark.parametrize("depth", [90, 200, 248, 249, 250, 300])
def test_depth_is_counted_alike(depth: int) -> None:
    """At the limit, both readers say the same."""
    block = "".join(" " * level + "a:\n" for level in range(depth))
    for text in (block, f"{block}{' ' * depth}b: 1\n", f"a: {'[' * (depth - 1)}{']' * (depth - 1)}\n"):
        alike(text)
        alike(f"x:\n  y:\n    z: {'[' * (depth - 3)}{']' * (depth - 3)}\n")
    assert DEPTH == 250
