"""What .indexignore files leave out, and that a hostile rule costs no time."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from olmsolve.catalog.fbc import load
from olmsolve.catalog.fbc.folder import IgnoreRules, compiled
from olmsolve.errors import CatalogError
from tests.scale import scaled


def ignored(rules: str, path: str) -> bool:
    return IgnoreRules([((), rules)]).ignore(tuple(path.split("/")))


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        ("x.txt", "a/b/x.txt", True),  # a plain name is looked for everywhere
        ("a", "a/b/x.txt", True),  # also among folders
        ("/x.txt", "x.txt", True),
        ("/x.txt", "a/x.txt", False),  # a slash in front anchors
        ("a/x.txt", "b/a/x.txt", False),  # and so does one inside
        ("a/b", "a/b/c/x.txt", True),  # what lies below is meant too
        ("docs/", "docs", False),  # a slash at the end asks for a folder
        ("docs/", "a/docs/x.txt", True),
        ("docs/\n!docs/keep.json", "docs/keep.json", False),  # git would not take it in again
        ("!x.txt\n*.txt", "x.txt", True),  # the last rule decides
        ("*.txt\n!x.txt", "x.txt", False),
        ("  x.txt \t", "x.txt", True),  # lines are trimmed
        ("# x.txt\n\n", "x.txt", False),
        ("\\#x", "#x", True),
        ("\\!x", "!x", True),
        ("!!x", "x", False),
        ("./x.txt", "x.txt", False),  # paths have no dot in front
        ("/", "x.txt", False),
        ("*.{txt,md}", "x.txt", False),  # braces mean nothing
        ("**/*\n!*.json", "a/x.txt", True),  # the example of OLM's documentation
        ("**/*\n!*.json", "a/x.json", False),
        ("**/objects/*.json", "p/objects/x.json", True),
        ("**/objects/*.json", "objects/x.json", True),
        ("a/**", "a/b/x.txt", True),
        ("a/**", "a", False),
        ("a/**/x.txt", "a/b/c/x.txt", True),
        ("a/**/x.txt", "a/b/c/y.txt", False),
        ("**", "x.txt", True),
        ("a**/x", "ab/x", False),  # two stars stand alone or mean nothing
        ("[", "[", False),  # malformed rules match nothing
    ],
)
def test_rules(rules: str, path: str, expected: bool) -> None:
    """Each line is one rule as opm has it; where git differs, opm decides what a catalog is."""
    assert ignored(rules, path) is expected


def test_inner_rules_come_after_outer_ones() -> None:
    """A folder decides for itself and for nothing beside it."""
    rules = IgnoreRules([((), "*.txt"), (("a",), "!keep.txt\n/deep.json")])
    assert not rules.ignore(("a", "keep.txt"))
    assert rules.ignore(("keep.txt",))
    assert rules.ignore(("a", "deep.json"))
    assert not rules.ignore(("a", "b", "deep.json"))


def test_a_folder_is_loaded_without_what_is_ignored(tmp_path: Path) -> None:
    """Ignored files are never opened, so they may be anything at all."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "catalog.json").write_text('{"schema": "x"}', "utf-8")
    (tmp_path / "a" / "bad.bin").write_bytes(b"\0\1")
    (tmp_path / "away").symlink_to("/nowhere")
    (tmp_path / ".indexignore").write_text("*\n!*.json\n", "utf-8")
    assert [blob.schema for blob in load(tmp_path).others] == ["x"]


def test_files_are_catalogs_unless_ignored(tmp_path: Path) -> None:
    """opm loads README.md like any file; the error says which file it was."""
    (tmp_path / "README.md").write_text("# hello", "utf-8")
    with pytest.raises(CatalogError, match=r"README\.md"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("ba[a-e].txt", "bad.txt", True),
        ("ba[^x].txt", "bad.txt", True),
        ("ba[!x].txt", "bad.txt", False),
        ("ba[!x].txt", "ba!.txt", True),
        ("[\\]]", "]", True),
        ("[]a]", "]", False),
        ("[a-]", "a", False),
        ("a\\*", "a*", True),
        ("a\\", "a\\", False),
        ("?", "ü", True),
        ("a*b*c", "aXbYc", True),
        ("a*b*c", "aXbY", False),
        ("*", "", True),
    ],
)
def test_patterns_of_names(pattern: str, name: str, expected: bool) -> None:
    """Patterns follow the grammar of Go's path/filepath.Match, which differs from shells'."""
    assert compiled(pattern)(name) is expected


@settings(max_examples=scaled(300), deadline=None)
@given(pattern=st.text("ab*?", max_size=8), name=st.text("ab", max_size=8))
def test_stars_and_question_marks_as_everywhere(pattern: str, name: str) -> None:
    """For patterns that mean the same in all dialects, Python's own matcher is an independent oracle."""
    assert compiled(pattern)(name) == fnmatchcase(name, pattern)


def test_no_pattern_explodes() -> None:
    """A matcher that backtracks takes years for this one."""
    begin = process_time()
    assert not compiled("*a" * 2_000 + "b")("a" * 255)
    assert not ignored("**/" * 5_000 + "x", "/".join("a" * 500))
    assert process_time() - begin < 2


def test_too_many_rules_are_refused(tmp_path: Path) -> None:
    """Every file is compared with every rule, so their number is bounded."""
    (tmp_path / ".indexignore").write_text("x\n" * 10_001, "utf-8")
    (tmp_path / "c.json").write_text('{"schema": "x"}', "utf-8")
    with pytest.raises(CatalogError, match="more than 10,000 rules"):
        load(tmp_path)
